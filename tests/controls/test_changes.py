"""Controls on small worlds worked by hand: what each leaves as it was, and what it takes."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.controls import Visits, visits_under_controls
from privlab.controls.changes import _drawn_order

WEEK = 168
Visit = tuple[int, int]  # hour, place


def world(*people: Sequence[Visit], n_places: int = 5, first: int = 0, end: int = 3 * WEEK) -> Visits:
    pairs = [one for person in people for one in sorted(person)]
    return Visits(
        users=np.arange(len(people)),
        starts=np.concatenate([[0], np.cumsum([len(one) for one in people])]).astype(np.int64),
        row=np.arange(len(pairs)),
        hour=np.array([hour for hour, _ in pairs], dtype=np.int64),
        place=np.array([place for _, place in pairs], dtype=np.int64),
        n_places=n_places,
        first=first,
        end=end,
    )


def of(visits: Visits, user: int) -> list[Visit]:
    part = slice(int(visits.starts[user]), int(visits.starts[user + 1]))
    return list(zip(visits.hour[part].tolist(), visits.place[part].tolist(), strict=True))


def random_world(n_users: int = 20) -> Visits:
    rng = np.random.default_rng(3)
    people = [
        {
            (int(hour), int(place))
            for hour, place in zip(rng.integers(3 * WEEK, size=n), rng.integers(5, size=n), strict=True)
        }
        for n in range(1, n_users + 1)
    ]
    return world(*map(list, people))


def test_thinning_keeps_a_share_of_each_persons_visits() -> None:
    visits = random_world()
    kept: dict[str, list[set[Visit]]] = {}
    for spec, share in (("thin:0.2", 0.2), ("thin:0.5", 0.5), ("thin:1", 1.0)):
        thinned = visits_under_controls(visits, [spec], seed=1)
        kept[spec] = [set(of(thinned, user)) for user in range(visits.n_users)]
        for user in range(visits.n_users):
            before = of(visits, user)
            # A share rounded up: a fifth of 1 to 5 visits is one, and nobody is left without.
            assert len(kept[spec][user]) == -(-len(before) * int(10 * share) // 10)
            assert kept[spec][user] <= set(before)
    for fewer, more in zip(kept["thin:0.2"], kept["thin:0.5"], strict=True):
        assert fewer <= more
    assert kept["thin:1"] == [set(of(visits, user)) for user in range(visits.n_users)]


def test_a_share_that_is_a_whole_number_is_not_rounded_up() -> None:
    """7 of 100 visits are 0.07 of them, though 0.07 · 100 is 7.000000000000001 to a computer."""
    assert 0.07 * 100 > 7
    visits = world([(hour, 0) for hour in range(100)])
    assert visits_under_controls(visits, ["thin:0.07"], seed=1).row.size == 7


def test_the_hour_in_which_the_days_that_are_left_end_is_not_of_them() -> None:
    """Of two days the last hour is 47; at 48 the third begins."""
    left = visits_under_controls(world([(0, 1), (47, 2), (48, 3)]), ["days:2"], seed=1)
    assert of(left, 0) == [(0, 1), (47, 2)]
    assert left.end == 48


def test_shuffling_keeps_what_was_seen_together_and_how_often_in_each_week() -> None:
    visits = random_world()
    mixed = visits_under_controls(visits, ["shuffle-hours"], seed=1)

    def seen(found: list[Visit], week: int) -> Counter[frozenset[int]]:
        hours: dict[int, set[int]] = {}
        for hour, place in found:
            if hour // WEEK == week:
                hours.setdefault(hour, set()).add(place)
        return Counter(frozenset(places) for places in hours.values())

    for user in range(visits.n_users):
        for week in range(3):
            assert seen(of(mixed, user), week) == seen(of(visits, user), week)
    assert (mixed.hour != visits.hour).mean() > 0.9  # one hour of 168 stays by chance
    assert np.array_equal(mixed.row, visits.row)


def test_every_hour_of_a_shuffled_week_is_as_likely() -> None:
    """Chi-squared of 20,000 people who were all seen in hour 5 of a week, over 168 hours: far beyond chance at 300."""
    mixed = visits_under_controls(world(*[[(5, 0)]] * 20_000, end=WEEK), ["shuffle-hours"], seed=1)
    counts, expected = np.bincount(mixed.hour, minlength=WEEK), 20_000 / WEEK
    assert counts.size == WEEK
    assert ((counts - expected) ** 2 / expected).sum() < 300  # chance 1e-9, with 167 degrees of freedom


def test_hours_of_a_week_cut_off_stay_within_the_days_of_the_data() -> None:
    """Three days of one week and one of the next: every hour of them taken, so that order alone may change."""
    first, end = 4 * 24, 8 * 24
    visits = world([(hour, hour % 5) for hour in range(first, end)], first=first, end=end)
    mixed = visits_under_controls(visits, ["shuffle-hours"], seed=2)
    assert sorted(mixed.hour.tolist()) == list(range(first, end))
    assert set(mixed.hour[:72].tolist()) == set(range(first, WEEK))
    assert mixed.hour.tolist() != visits.hour.tolist()


def test_permuting_keeps_each_persons_rhythm() -> None:
    visits = random_world()
    moved = visits_under_controls(visits, ["permute-zones"], seed=1)
    assert np.array_equal(moved.hour, visits.hour)
    changed = 0
    for user in range(visits.n_users):
        pairs = {
            (a, b) for (_, a), (_, b) in zip(of(visits, user), of(moved, user), strict=True)
        }  # one place for one place, everywhere in the trace
        assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
        assert all(0 <= b < visits.n_places for _, b in pairs)
        changed += any(a != b for a, b in pairs)
    assert changed > 10


def test_people_who_all_go_to_one_place_are_spread_over_all_places() -> None:
    moved = visits_under_controls(world(*[[(0, 3), (1, 3)]] * 10_000), ["permute-zones"], seed=1)
    counts = np.bincount(moved.place[::2], minlength=5)
    assert np.array_equal(moved.place[::2], moved.place[1::2])
    assert ((counts - 2_000) ** 2 / 2_000).sum() < 50  # chance 4e-10, with 4 degrees of freedom


def test_fewer_users_and_days() -> None:
    visits = world([(0, 1)], [(24, 2), (30, 0)], [(100, 4)], [(3, 3), (47, 3)])
    days = visits_under_controls(visits, ["days:2"], seed=1)
    assert (days.first, days.end) == (0, 48)
    assert days.users.tolist() == [0, 1, 3]  # the third was seen on no such day
    assert [of(days, user) for user in range(3)] == [[(0, 1)], [(24, 2), (30, 0)], [(3, 3), (47, 3)]]
    assert days.row.tolist() == [0, 1, 2, 4, 5]
    some = [visits_under_controls(visits, [f"users:{n}"], seed=1) for n in (2, 3, 4)]
    assert [one.n_users for one in some] == [2, 3, 4]
    assert set(some[0].users.tolist()) < set(some[1].users.tolist())
    for user, number in enumerate(some[0].users.tolist()):
        assert of(some[0], user) == of(visits, number)
    for spec in ("users:5", "days:22"):
        with pytest.raises(ParameterError, match="must be at most"):
            visits_under_controls(visits, [spec], seed=1)


def test_the_seed_decides_and_the_order_named_does_not() -> None:
    visits, specs = random_world(), ["permute-zones", "thin:0.5", "shuffle-hours", "users:9", "days:20"]

    def told(specs: Sequence[str], seed: int) -> list[list[int]]:
        found = visits_under_controls(visits, specs, seed=seed)
        return [found.users.tolist(), found.row.tolist(), found.hour.tolist(), found.place.tolist()]

    assert told(specs, 1) == told(specs[::-1], 1)
    assert told(specs, 1) != told(specs, 2)
    for spec in specs[:4]:
        assert told([spec], 1) != told([spec], 2)


def test_blocks_of_orders_draw_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = visits_under_controls(random_world(), ["shuffle-hours"], seed=1)
    monkeypatch.setattr("privlab.controls.changes._BLOCK", 7)
    parts = visits_under_controls(random_world(), ["shuffle-hours"], seed=1)
    assert np.array_equal(whole.hour, parts.hour)


def test_nobody_and_nothing() -> None:
    for specs in ([], ["thin:0.5", "shuffle-hours", "permute-zones"]):
        empty = visits_under_controls(world(), specs, seed=1)
        assert (empty.n_users, empty.row.size) == (0, 0)


def test_visits_are_ordered_by_lots_that_differ_less_than_their_sums_can_tell() -> None:
    user = np.array([0, 0, 0, 2**51, 2**51, 2**51, 2**51])
    lots = np.array([0.3, 0.1, 0.2, 0.30, 0.20, 0.25, 0.10])
    assert len(set((user + lots)[3:].tolist())) < 4
    assert _drawn_order(user, lots).tolist() == [1, 2, 0, 6, 4, 5, 3]
    few = user.clip(max=1)
    assert _drawn_order(few, lots).tolist() == [1, 2, 0, 6, 4, 5, 3]
