"""How many people datasets share, estimated from digests, against sets of people that are counted."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from privlab.checks import DataError
from privlab.datasets import N_DIGESTS, PeopleDigests
from privlab.releases.accounts.account_choice import AccountWish, share_in_words
from privlab.releases.accounts.shared_people import (
    NumberOfPeople,
    SharedPeople,
    number_of_people,
    people_from_text,
    shared_people_from_account,
    shared_people_from_digests,
    text_from_people,
)
from privlab.releases.ledger.ledger_accounts import chosen_account


def digests(people: Iterable[object], key: str = "a key") -> tuple[str, ...]:
    return tuple(
        sorted(hashlib.sha256(f"{key}|{one}".encode()).hexdigest()[:16] for one in set(people))[:N_DIGESTS]
    )


def people(
    ids: Iterable[object], *, first_rows: Iterable[object] = (), running: bool = False, key: str = "a key"
) -> PeopleDigests:
    return PeopleDigests(by_id=digests(ids, key), by_first_row=digests(first_rows, key), running=running)


def test_of_few_people_the_shares_are_exact() -> None:
    found = shared_people_from_digests(
        [people(range(0, 300))], [people(range(200, 250)), people(range(240, 900))]
    )
    assert found is not None
    assert (found.of_data, found.low, found.high) == (1 / 3, 1 / 3, 1 / 3)
    assert found.of_others == pytest.approx(100 / 700)
    assert (found.is_any, found.is_mostly) == (True, False)
    assert number_of_people([people(range(200, 250)), people(range(240, 900))]) == NumberOfPeople(
        n=700, is_exact=True
    )


def test_whose_digest_is_the_limit_is_compared_too() -> None:
    """Of 5,000 people on both sides the 1,024 with the smallest digests are known, the last of them included."""
    found = shared_people_from_digests([people(range(5_000))], [people(range(5_000))])
    assert found is not None
    assert (found.n_compared, found.of_data, found.of_others) == (N_DIGESTS, 1.0, 1.0)


@pytest.mark.parametrize(
    ("own", "others"),
    [
        (range(0, 5_000), [range(5, 5_005)]),  # nearly the same
        (range(0, 5_000), [range(3_750, 10_000)]),  # a quarter
        (range(0, 2_000), [range(0, 1_500), range(1_250, 7_500)]),  # all, in two datasets
        (range(0, 7_500), [range(0, 1_200)]),  # a small account inside large data
        (range(0, 1_200), [range(0, 7_500)]),  # small data inside a large account
        (range(0, 5_000), [range(5_000, 10_000)]),  # none
        (range(0, 5_000), [range(4_500, 4_900)]),  # an account that is known whole
    ],
)
def test_of_many_people_the_intervals_hold_the_counted_shares(own: range, others: list[range]) -> None:
    """Under 20 keys: a 95% interval misses at most 5 times, but once in 3,000 times by the binomial law."""
    union = set().union(*others)
    true, true_of_others = (len(set(own) & union) / len(side) for side in (own, union))
    missed, of_others = 0, []
    for number in range(20):
        key = f"key {number}"
        found = shared_people_from_digests([people(own, key=key)], [people(one, key=key) for one in others])
        assert found is not None
        missed += not found.low <= true <= found.high
        of_others.append(found.of_others)
        assert found.is_mostly == (max(true, true_of_others) > 0.5)
    assert missed <= 5
    assert sum(of_others) / 20 == pytest.approx(true_of_others, abs=0.03)


def test_the_number_of_many_people_is_estimated_within_its_error() -> None:
    """10,000 people under 20 keys: each is off by 3.1% (one standard error), their mean by 0.7%; five of these are allowed."""
    found = [
        number_of_people([people(range(6_000), key=str(key)), people(range(4_000, 10_000), key=str(key))])
        for key in range(20)
    ]
    assert not any(one.is_exact for one in found)
    assert sum(one.n for one in found) / 20 == pytest.approx(10_000, rel=0.035)


def test_the_number_of_people_whose_digests_lie_evenly_against_hand() -> None:
    """1,024 digests up to the middle of all there are: one less than that, twice."""
    evenly = tuple(f"{n * 2**53 - 1:016x}" for n in range(1, N_DIGESTS + 1))
    of_some = PeopleDigests(by_id=evenly, by_first_row=(), running=False)
    assert number_of_people([of_some]) == NumberOfPeople(n=2_046, is_exact=False)


@pytest.mark.parametrize(
    ("n_shared", "words"), [(1_000, "100%"), (996, "over 99%"), (994, "99%"), (6, "1%"), (4, "under 1%")]
)
def test_a_share_is_neither_all_nor_nothing_where_it_is_not(n_shared: int, words: str) -> None:
    share = n_shared / 1_000
    found = SharedPeople(of_data=share, low=share, high=share, of_others=1.0, n_compared=1_000)
    assert share_in_words(found) == f"{words} of its people are"


def test_the_account_with_most_of_the_people_is_first_and_proposed() -> None:
    """Of 10 people 6 are in one account and 8 in another, and half of the people of either are others."""
    data, fewer, more = people(range(10)), people(range(-6, 6)), people(range(2, 18))
    rows: Any = SimpleNamespace(
        account_of=lambda dataset: dataset,
        dataset=lambda dataset: None,
        account=lambda name: SimpleNamespace(entries=(), epsilon=1.0),
        titles=dict,
        people_of_accounts=lambda: {"fewer": [fewer], "more": [more]},
    )
    chosen = chosen_account(rows, "the data", data, AccountWish())
    assert [one.account for one in chosen.shares] == ["more", "fewer"]
    assert (chosen.account, chosen.is_proposed) == ("more", True)


def test_running_numbers_are_compared_by_first_rows() -> None:
    named = people(range(100), first_rows=(f"{n}|a" for n in range(100)))
    running = people(range(100), first_rows=(f"{n}|b" for n in range(100)), running=True)
    found = shared_people_from_digests([named], [running])
    assert found is not None
    assert not found.is_any
    some = people(range(60), first_rows=(f"{n}|b" for n in range(60)))
    found = shared_people_from_digests([some], [running])
    assert found is not None
    assert (found.of_data, found.of_others) == (1.0, 0.6)
    assert shared_people_from_digests([named], []) is None
    assert shared_people_from_digests([], [named]) is None


def test_too_few_people_below_the_limit_are_no_answer() -> None:
    """Three people with high digests, among a million: none of them is below the account's limit."""
    whole = people(range(20_000))
    high = [n for n in range(20_000) if digests([n])[0] > "8"][:3]
    assert shared_people_from_digests([people(high)], [whole]) is None


def test_a_large_dataset_in_an_account_hides_nobody_of_a_small_one() -> None:
    """500 people, whose list is whole, beside 100,000 in one account: they are known again, all of them, as if they were alone there.

    Of the 600 that they are among, at least five sixths are known; of people of the large dataset alone it says what it said.
    """
    city, pilot = people(range(100_000)), people(range(500))
    found = shared_people_from_account([pilot], [city, pilot])
    assert found is not None
    assert (found.of_data, found.low, found.high, found.n_compared) == (1.0, 1.0, 1.0, 500)
    assert found.of_others < 0.02  # 500 of 100,000 are no large part of the account
    wider = shared_people_from_account([people([*range(500), *range(200_000, 200_100)])], [city, pilot])
    assert wider is not None
    assert wider.low <= 500 / 600 <= wider.of_data
    half = [people(range(50_000, 150_000))]
    assert shared_people_from_account(half, [city]) == shared_people_from_digests(half, [city])
    rows: Any = SimpleNamespace(
        account_of=lambda dataset: dataset,
        dataset=lambda dataset: None,
        account=lambda name: SimpleNamespace(entries=(), epsilon=1.0),
        titles=dict,
        people_of_accounts=lambda: {"cards": [city, pilot]},
    )
    chosen = chosen_account(rows, "next week", pilot, AccountWish())
    assert (chosen.account, chosen.is_proposed) == ("cards", True)


def test_a_small_dataset_of_an_account_is_no_large_part_of_it() -> None:
    """Five people of 505 are in data of 1,000: it is not taken for that of the same people, although one dataset is in it whole."""
    found = shared_people_from_account(
        [people(range(1_000))], [people(range(5)), people(range(2_000, 2_500))]
    )
    assert found is not None
    assert (found.of_data, found.of_others, found.is_mostly) == (5 / 1_000, 5 / 505, False)


def test_digests_are_written_and_read_and_what_was_changed_is_refused() -> None:
    one = people(range(2_000), first_rows="ab", running=True)
    assert people_from_text(text_from_people(one)) == one
    padded = replace(one, by_id_as_written=digests(["0a"]), by_first_row_as_written=digests(["0b"]))
    assert people_from_text(text_from_people(padded)) == padded
    assert len(text_from_people(people(range(5_000), first_rows=range(5_000)))) < 40_000
    for text in ("", "[]", "{}", text_from_people(one)[:-9], text_from_people(one).replace('"by_id"', '"x"')):
        with pytest.raises(DataError, match="cannot be read"):
            people_from_text(text)
