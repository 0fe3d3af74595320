"""Keyed digests of the people of two datasets → how many they share, with an interval. Reads and writes nothing.

A digest falls anywhere with the same chance, so people below a limit are a fair sample of all. The limit is the lowest
up to which every dataset's digests are all there: below it nobody is missing from either side (docs/science.md,
section 5.9).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from privlab.checks import DataError, ParameterError
from privlab.datasets import N_DIGESTS, PeopleDigests

MOSTLY_SHARED = 0.5  # of the people of either side: then both are taken for the same people
_AS_WRITTEN = ("by_id_as_written", "by_first_row_as_written")
_ALL = "g"  # above every hexadecimal digit


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPeople:
    """Which share of a dataset's people is in others, and which share of theirs in it, estimated from `n_compared` people.

    `low` and `high` are the ends of the exact interval of `of_data`, which holds in 95 of 100 choices of the key; where
    everybody was compared, all three are one number.
    """

    of_data: float
    low: float
    high: float
    of_others: float
    n_compared: int

    @property
    def is_any(self) -> bool:
        """Whether somebody is in both: no digest is equal by chance."""
        return self.of_data > 0

    @property
    def is_mostly(self) -> bool:
        """Whether at least half of either side is in the other, by the estimate."""
        return max(self.of_data, self.of_others) >= MOSTLY_SHARED


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberOfPeople:
    """How many people there are, or an estimate of it with a relative standard error of about 3%."""

    n: int
    is_exact: bool


def shared_people_from_digests(
    data: Sequence[PeopleDigests], others: Sequence[PeopleDigests]
) -> SharedPeople | None:
    """Return how many people of some datasets are in any of the others; None if there are no people to compare.

    Where the ids of one of them are running numbers, people count as the same who also have the same first row.
    """
    from privlab.stats import clopper_pearson  # `ledger show` loads no library of numbers

    everybody = (*data, *others)
    by_first_row = any(one.running for one in everybody)
    limit = min((_complete_up_to(_digests(one, by_first_row)) for one in everybody), default=_ALL)
    mine, known = (_people_up_to(limit, side, by_first_row) for side in (data, others))
    if not mine or not known:
        return None
    n_shared = len(mine & known)
    of_data = n_shared / len(mine)
    low, high = (of_data, of_data) if limit == _ALL else map(float, clopper_pearson(n_shared, len(mine)))
    return SharedPeople(
        of_data=of_data, low=low, high=high, of_others=n_shared / len(known), n_compared=len(mine)
    )


def shared_people_from_account(
    data: Sequence[PeopleDigests], account: Sequence[PeopleDigests]
) -> SharedPeople | None:
    """Return the same of the datasets of an account, none of which hides people whom another one names.

    A large one has a low limit, which cuts the whole list of a small one, too; so each is also compared alone, at its own. What
    counts is the largest share of the data's people that is found, by the most people compared; the share of the account's
    people stays that of all its datasets, 0 where these could not be compared. All this is done by either spelling of ids.
    """
    found: list[SharedPeople] = []
    of_others = 0.0
    for mine, theirs in _by_either_spelling(data, account):
        together = shared_people_from_digests(mine, theirs)
        alone = [shared_people_from_digests(mine, [one]) for one in theirs]
        found += [one for one in (together, *alone) if one is not None]
        of_others = max(of_others, together.of_others if together else 0.0)
    most = max(found, key=lambda one: (one.of_data, one.n_compared), default=None)
    return None if most is None else replace(most, of_others=of_others)


def is_open(data: PeopleDigests, account: Sequence[PeopleDigests]) -> bool:
    """Return whether half of the data's people might be in a dataset of an account although nobody is found: so few can be compared."""
    compared = [
        shared_people_from_digests(mine, [one])
        for mine, theirs in _by_either_spelling([data], account)
        for one in theirs
    ]
    if any(one is not None and one.is_any for one in compared):
        return False
    return any(one is None or one.high >= MOSTLY_SHARED for one in compared)


def number_of_people(datasets: Sequence[PeopleDigests]) -> NumberOfPeople:
    """Return how many people there are in any of the datasets.

    Where not everybody's digest is there: one less than how many are up to the limit, divided by the share of all digests
    that lies up to the greatest of these (Bar-Yossef and others 2002). By the spelling of ids that finds more of them to be the same.
    """
    found = (_number_of_people(one) for one, _ in _by_either_spelling(datasets, ()))
    return min(found, key=lambda one: one.n)


def _number_of_people(datasets: Sequence[PeopleDigests]) -> NumberOfPeople:
    by_first_row = any(one.running for one in datasets)
    limit = min((_complete_up_to(_digests(one, by_first_row)) for one in datasets), default=_ALL)
    known = _people_up_to(limit, datasets, by_first_row)
    if limit == _ALL or not known:
        return NumberOfPeople(n=len(known), is_exact=True)
    greatest = (int(max(known), 16) + 1) / 16 ** len(limit)
    return NumberOfPeople(n=round((len(known) - 1) / greatest), is_exact=False)


def text_from_people(people: PeopleDigests) -> str:
    """Return digests as a ledger keeps them."""
    said = {"running": people.running, "by_id": people.by_id, "by_first_row": people.by_first_row}
    if people.by_id_as_written:
        said |= {name: getattr(people, name) for name in _AS_WRITTEN}
    return json.dumps(said, separators=(",", ":"))


def people_from_text(text: str) -> PeopleDigests:
    """Return digests as they were kept. Raises DataError for what a ledger did not write."""
    try:
        said: Any = json.loads(text)
        return PeopleDigests(
            by_id=tuple(map(str, said["by_id"])),
            by_first_row=tuple(map(str, said["by_first_row"])),
            running=said["running"] is True,
            **{name: tuple(map(str, said.get(name, ()))) for name in _AS_WRITTEN},
        )
    except (ValueError, TypeError, KeyError, RecursionError, ParameterError):
        raise DataError(
            "The digests of the people of a dataset in the ledger cannot be read: `ledger check` names what was changed."
        ) from None


def _by_either_spelling(
    data: Sequence[PeopleDigests], others: Sequence[PeopleDigests]
) -> list[tuple[Sequence[PeopleDigests], Sequence[PeopleDigests]]]:
    """Return both sides by ids spelled alike; where any differ, also by ids as they are written, which is all that earlier versions kept."""
    found = [(data, others)]
    if any(one.by_id_as_written for one in (*data, *others)):
        found.append((list(map(_as_written, data)), list(map(_as_written, others))))
    return found


def _as_written(people: PeopleDigests) -> PeopleDigests:
    if not people.by_id_as_written:
        return people
    return replace(people, by_id=people.by_id_as_written, by_first_row=people.by_first_row_as_written)


def _digests(people: PeopleDigests, by_first_row: bool) -> tuple[str, ...]:
    return people.by_first_row if by_first_row else people.by_id


def _people_up_to(limit: str, datasets: Sequence[PeopleDigests], by_first_row: bool) -> set[str]:
    return {one for people in datasets for one in _digests(people, by_first_row) if one <= limit}


def _complete_up_to(digests: tuple[str, ...]) -> str:
    """Return the digest up to which nobody's is missing, `_ALL` where nobody's is."""
    return digests[-1] if len(digests) >= N_DIGESTS else _ALL
