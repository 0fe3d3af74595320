"""Fingerprints → how many people are found again by the places they visit: one half of the time against the other.

Visits are counted by cell, whatever the hour: what is compared is how often someone is where (Naini et al. 2016).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError, require_whole
from privlab.controls import controls_from_specs
from privlab.fingerprints.changed_fingerprints import fingerprints_under_controls
from privlab.fingerprints.fingerprints import (
    Fingerprints,
    fingerprints_at_level,
    fingerprints_from_samples,
    numbered_cells,
)
from privlab.fingerprints.levels import DEFAULT_LEVELS, Level
from privlab.fingerprints.search.compiled import kernel
from privlab.limits import MAX_DAYS, MAX_SEED, MAX_USERS_GENERATED
from privlab.progress import UNHEARD, Progress
from privlab.seeds import generator
from privlab.stats import wilson

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

TIE = 1e-9  # affinities this close are equal
_DAY_MIN = 1440
_BLOCK = 256  # people looked for between two reports of progress


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkParameters:
    """What is compared: at each of `levels`, halves of each number of `days`; none for half of all days.

    The halves meet in the middle of the data, at midnight. `n_query` people, drawn by `seed`, are looked for; None
    looks for all. `controls` change the data first, drawn by the same seed.
    """

    levels: tuple[Level, ...] = (DEFAULT_LEVELS[0],)
    days: tuple[int, ...] = ()
    n_query: int | None = None
    controls: tuple[str, ...] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        """Check every field that has limits of its own."""
        if not all(isinstance(one, Level) for one in self.levels):
            raise ParameterError(f"levels must be Levels, as Level(1, 30), got {list(self.levels)}.")
        for one in self.days:
            require_whole("days", one, 1, MAX_DAYS)
        if self.n_query is not None:
            require_whole("query_users", self.n_query, 1, MAX_USERS_GENERATED)
        require_whole("seed", self.seed, 0, MAX_SEED)
        if controls_from_specs(self.controls) != self.controls:
            raise ParameterError(f"controls must be written as they are applied, got {list(self.controls)}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Linkage:
    """How many are linked right at rank 1, at one level, with halves of `days` days.

    `n_candidates` people are in the first half, `n_sought` of those in both are looked for. `right` counts who is most like
    themselves among all candidates, with a place in common; of several as like, each is the right one in parts. `share` of those sought,
    with Wilson's interval of 95% (`low`, `high`), stands beside `chance`, that of a blind guess. `n_tied` had to share.
    """

    level: Level
    days: int
    n_users: int
    n_candidates: int
    n_sought: int
    right: float
    share: float
    low: float
    high: float
    chance: float
    n_tied: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Profiles:
    """How each user's visits spread over cells: user u has the cells `starts[u]:starts[u + 1]` of `cell`, with `share`.

    Cells are numbers below `n_cells`, ascending for each user; shares of a user add up to 1.
    """

    starts: Int64s
    cell: Int64s
    share: Floats
    n_cells: int


def linkages_from_fingerprints(
    fingerprints: Fingerprints, parameters: LinkParameters, *, progress: Progress = UNHEARD
) -> tuple[Linkage, ...]:
    """Return the linkage of two halves of the time, for each level and each number of days in it.

    The likeness of two profiles is 1 less their Jensen–Shannon divergence in bits. Numbers of days for which nobody is in both
    halves are left out. Raises ParameterError for halves longer than half of the data, and DataError if none is left.
    """
    fingerprints = fingerprints_under_controls(fingerprints, parameters.controls, seed=parameters.seed)
    most = fingerprints.n_days // 2
    if not most:
        raise DataError("The data has less than two days, so there are no two halves to link.")
    days = parameters.days or (most,)
    if max(days) > most:
        raise ParameterError(
            f"days must be at most {most:,}, half of the days of the data, got {max(days):,}."
        )
    least = least_days_from_fingerprints(fingerprints)
    if least is None or max(days) < least:
        raise DataError(
            f"Nobody has a sample in both halves of {_days_in_words(max(days))}, so there is nobody to link."
        )
    tasks = [(level, one) for level in parameters.levels for one in days if one >= least]
    found = []
    for number, (level, one) in enumerate(tasks):
        part = progress.part(
            number / len(tasks), (number + 1) / len(tasks), suffix=f" at {level}, {_days_in_words(one)}"
        )
        found.append(_linkage(fingerprints, level, one, parameters, part))
    return tuple(found)


def least_days_from_fingerprints(fingerprints: Fingerprints) -> int | None:
    """Return the fewest days in each half with which somebody is in both; None if nobody is, however many are taken."""
    day = fingerprints.t // np.int32(_DAY_MIN)
    half = fingerprints.n_days // 2
    middle = int(day.min()) + half
    user = np.repeat(np.arange(fingerprints.n_users), fingerprints.n_samples)
    needed = np.full((2, fingerprints.n_users), half + 1)
    for row, inside, days in ((0, day < middle, middle - day), (1, day >= middle, day - middle + 1)):
        np.minimum.at(needed[row], user[inside], days[inside])
    least = int(needed.max(axis=0).min(initial=half + 1))
    return least if least <= half else None


def _days_in_words(days: int) -> str:
    return "1 day" if days == 1 else f"{days:,} days"


def _linkage(
    fingerprints: Fingerprints, level: Level, days: int, parameters: LinkParameters, progress: Progress
) -> Linkage:
    first, second = profiles_of_halves(fingerprints, level, days)
    seen, again = (np.diff(one.starts) > 0 for one in (first, second))
    sought = np.flatnonzero(seen & again)
    if parameters.n_query is not None and parameters.n_query < sought.size:
        sought = np.sort(
            generator(parameters.seed, "people linked").choice(sought, parameters.n_query, replace=False)
        )
    right, n_tied = _right_links(first, second, sought, progress)
    low, high = wilson(right, sought.size)
    n_candidates = int(seen.sum())
    return Linkage(
        level=level,
        days=days,
        n_users=fingerprints.n_users,
        n_candidates=n_candidates,
        n_sought=int(sought.size),
        right=right,
        share=right / sought.size,
        low=float(low),
        high=float(high),
        chance=1 / n_candidates,
        n_tied=n_tied,
    )


def profiles_of_halves(fingerprints: Fingerprints, level: Level, days: int) -> tuple[Profiles, Profiles]:
    """Return how visits spread over cells in so many days before and after the middle of the data.

    A visit is a time bin in which a user was in a cell. Of an odd number of days the last is left out.
    """
    day = fingerprints.t // np.int32(_DAY_MIN)
    middle = int(day.min()) + fingerprints.n_days // 2
    user = np.repeat(np.arange(fingerprints.n_users), fingerprints.n_samples)
    halves = []
    for begin, end in ((middle - days, middle), (middle, middle + days)):
        inside = (day >= begin) & (day < end)
        half = fingerprints_from_samples(
            user[inside],
            fingerprints.x[inside],
            fingerprints.y[inside],
            fingerprints.t[inside],
            cell_m=fingerprints.cell_m,
            bin_min=fingerprints.bin_min,
        )  # cut before bins are made longer: no bin lies in both
        halves.append(fingerprints_at_level(half, level))
    number, in_cell = numbered_cells(
        *(np.concatenate([getattr(one, axis) for one in halves]) for axis in "xy")
    )
    parts = np.split(number, [halves[0].t.size])
    first, second = (
        _profiles(np.repeat(one.user_ids, one.n_samples), part, fingerprints.n_users, in_cell.size)
        for one, part in zip(halves, parts, strict=True)
    )
    return first, second


def _profiles(user: Int64s, cell: Int64s, n_users: int, n_cells: int) -> Profiles:
    pairs, visits = np.unique(user * n_cells + cell, return_counts=True)
    owner = pairs // n_cells
    totals = np.bincount(owner, weights=visits, minlength=n_users)
    starts = np.searchsorted(owner, np.arange(n_users + 1)).astype(np.int64)
    return Profiles(
        starts=starts, cell=(pairs % n_cells).astype(np.int64), share=visits / totals[owner], n_cells=n_cells
    )


def _right_links(first: Profiles, second: Profiles, sought: Int64s, progress: Progress) -> tuple[float, int]:
    """Return how many of the users sought are most like themselves, ties in parts, and how many had to share."""
    n_users = first.starts.size - 1
    owner = np.repeat(np.arange(n_users), np.diff(first.starts))
    order = np.argsort(first.cell, kind="stable")
    begins = np.searchsorted(first.cell[order], np.arange(first.n_cells + 1)).astype(np.int64)
    likeness, n_best = np.zeros(n_users), np.zeros(sought.size, dtype=np.int64)
    for at in range(0, sought.size, _BLOCK):
        progress.tell(at / sought.size, "Looking for people")
        block = slice(at, at + _BLOCK)
        count_best(
            sought[block], second.starts, second.cell, second.share, begins, owner[order], first.share[order], likeness,
            n_best[block],
        )  # fmt: skip
    progress.tell(1.0)
    found = n_best[n_best > 0]
    return float(np.sum(1 / found)), int((found > 1).sum())


@kernel
def count_best(
    sought: Any,
    starts: Any,
    cells: Any,
    shares: Any,
    begins: Any,
    holders: Any,
    held: Any,
    likeness: Any,
    n_best: Any,
) -> None:
    """Count who is as like each user sought as the user is, into `n_best`; 0 where somebody is more like.

    `likeness` (n_users,) is room for the sum over common cells, and comes back as it was, all zero.
    """
    for number in range(sought.size):
        user = sought[number]
        for at in range(starts[user], starts[user + 1]):
            p, cell = shares[at], cells[at]
            for place in range(begins[cell], begins[cell + 1]):
                q = held[place]
                both = p + q
                likeness[holders[place]] += (both * np.log2(both) - p * np.log2(p) - q * np.log2(q)) / 2
        own, best, n_alike = likeness[user], 0.0, 0
        for other in range(likeness.size):
            best = max(best, likeness[other])
            if likeness[other] >= own - TIE:
                n_alike += 1
            likeness[other] = 0.0
        n_best[number] = n_alike if own > TIE and own >= best - TIE else 0
