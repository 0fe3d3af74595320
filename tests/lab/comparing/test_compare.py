"""Mechanisms side by side: a group against a file of the group alone, places against a map by hand, draws against one by one."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zones import ZoneMap
from privlab.lab.comparing.compare import (
    combinations_from_week,
    comparison_from_rows,
    comparison_from_trips,
    levels_over_zones,
    reason_against_combinations,
    weighed_week_from_trips,
)
from privlab.lab.loading.load import rows_in_zones
from privlab.od.combining import NO_PUBLIC_ZONES, CombinationRequest
from privlab.od.comparing import ComparisonParameters
from privlab.od.matrix import UniqueTrips
from privlab.od.planning.planner import EPSILONS
from tests.od.by_hand import WEEK, nobody_named, trips_of

N_ZONES = 27
GROUP = 12


def map_of(n_zones: int, lat: float = 45.0) -> ZoneMap:
    """Return zones in rows of seven, a kilometre or so apart."""
    place = np.arange(n_zones)
    return ZoneMap(
        zones=place,
        lat=lat + place // 7 / 100,
        lon=9 + place % 7 / 100,
        outlines=(None,) * n_zones,
        names=tuple(f"zone {zone}" for zone in range(n_zones)),
    )


@pytest.fixture(scope="module")
def people() -> list[list[int]]:
    """60 people with three to eight trips each: most to the zones next to their own."""
    rng = np.random.default_rng(3)
    found = []
    for _ in range(60):
        start = rng.integers(0, N_ZONES, 8)
        end = (start + rng.choice([1, 2, 7, 11], 8, p=[0.5, 0.2, 0.2, 0.1])) % N_ZONES
        found.append(np.unique((start * N_ZONES + end)[: rng.integers(3, 9)]).tolist())
    return found


@pytest.fixture(scope="module")
def trips(people: list[list[int]]) -> UniqueTrips:
    return trips_of(people, range(N_ZONES))


@pytest.fixture(scope="module")
def alone(people: list[list[int]]) -> UniqueTrips:
    """The first of them, as if nobody else were in the file."""
    return trips_of(people[:GROUP], range(N_ZONES))


def test_a_group_is_compared_as_if_nobody_else_were_in_the_file(
    trips: UniqueTrips, alone: UniqueTrips
) -> None:
    wishes = ComparisonParameters(epsilon=5.0, draws=1)
    where = map_of(N_ZONES)
    of_group = comparison_from_trips(trips, where, wishes, week=WEEK, group_size=GROUP)
    assert of_group == comparison_from_trips(alone, where, wishes, week=WEEK)


def test_how_far_zones_are_apart_is_told_to_the_smoothed_counts_alone(alone: UniqueTrips) -> None:
    """Of zones without places nobody knows a distance: all else is the same, the smoothed counts are others."""
    wishes = ComparisonParameters(epsilon=5.0, draws=1)
    where = map_of(N_ZONES)
    placed = comparison_from_trips(alone, where, wishes, week=WEEK)
    nowhere = comparison_from_trips(alone, replace(where, lat=where.lat * np.nan), wishes, week=WEEK)
    differ = [one.name for one, other in zip(placed, nowhere, strict=True) if one != other]
    assert differ == ["gaussian, l2, unbiased, smoothed"]


def test_a_week_is_weighed_for_the_group_that_is_asked_for(trips: UniqueTrips, alone: UniqueTrips) -> None:
    where, public = map_of(N_ZONES), list(range(N_ZONES))
    request = CombinationRequest(epsilon=5.0)
    of_group, of_file = (
        combinations_from_week(weighed_week_from_trips(one, where, public, week=WEEK, group_size=n), request)
        for one, n in ((trips, GROUP), (alone, None))
    )
    assert of_group == of_file


def test_the_least_epsilon_reaches_what_is_wished_and_the_next_smaller_does_not(alone: UniqueTrips) -> None:
    """Of the planner's steps of ε, each asked for by itself."""
    week = weighed_week_from_trips(alone, map_of(N_ZONES), list(range(N_ZONES)), week=WEEK)
    request = CombinationRequest(epsilon=0.1, max_made_up=1.0)
    found = combinations_from_week(week, request, min_utility=0.3)
    (epsilon,) = {one.epsilon for one in found}
    less = combinations_from_week(week, replace(request, epsilon=EPSILONS[EPSILONS.index(epsilon) - 1]))
    assert max(one.within for one in found) >= 0.3 > max((one.within for one in less), default=0.0)


def test_districts_are_looked_at_where_the_trips_are_between_all_public_zones_and_no_others() -> None:
    """Three by three districts from 27 zones on; they name one of each public zone, in order."""
    some, where = trips_of([[1]], range(N_ZONES)), map_of(N_ZONES)
    (level,) = levels_over_zones(some, where, list(reversed(range(N_ZONES))))
    assert len(level.of) == N_ZONES
    assert len(set(level.of)) == 9
    # Of one more that is public, and on the map, nobody makes a trip: a release has its cells too.
    assert levels_over_zones(some, map_of(N_ZONES + 1), list(range(N_ZONES + 1))) == ()
    assert levels_over_zones(some, where, None) == ()
    assert levels_over_zones(trips_of([[1]], range(26)), map_of(26), list(range(26))) == ()


def test_what_no_promise_can_be_kept_for_is_refused_iv(alone: UniqueTrips) -> None:
    assert reason_against_combinations(alone, [1]) is None
    assert reason_against_combinations(alone, None) == NO_PUBLIC_ZONES
    where, nobody = map_of(2), nobody_named()
    assert "does not say whose trips" in str(reason_against_combinations(nobody, [0, 1]))
    with pytest.raises(DataError, match="does not say whose trips"):
        weighed_week_from_trips(nobody, where, [0, 1], week=WEEK)
    with pytest.raises(DataError, match="does not say whose trips"):
        comparison_from_trips(nobody, where, ComparisonParameters(epsilon=1.0), week=WEEK)
    with pytest.raises(DataError) as refused:
        weighed_week_from_trips(alone, map_of(N_ZONES), None, week=WEEK)
    assert str(refused.value) == NO_PUBLIC_ZONES


def test_the_busiest_week_is_compared_unless_one_is_named(tmp_path: Path) -> None:
    """One person moves in the first week, ten in the second; a group of one of these is as much as all of the first."""
    path = tmp_path / "two weeks.csv"
    rows = ["u0,2026-03-03 08:00,a", "u0,2026-03-03 09:00,b"]
    for person in range(10):
        rows += [f"u{person},2026-03-10 08:00,a", f"u{person},2026-03-10 09:00,b"]
    path.write_text("user,time,zone\n" + "\n".join(rows) + "\n")
    wishes = ComparisonParameters(epsilon=20.0, draws=1, threshold=0)
    with Workspace(threads=1) as workspace:
        dataset, zoning = rows_in_zones(read_dataset(path, workspace=workspace), "column")
        week, busiest = comparison_from_rows(dataset, zoning, wishes)
        assert week == "2026-03-09"
        assert comparison_from_rows(dataset, zoning, wishes, week=week) == (week, busiest)
        first, quiet = comparison_from_rows(dataset, zoning, wishes, week="2026-03-02")
        _, of_one = comparison_from_rows(dataset, zoning, wishes, group_size=1)
        _, other_draw = comparison_from_rows(dataset, zoning, wishes, seed=2)
    assert first == "2026-03-02"
    assert quiet != busiest
    assert of_one == quiet  # one person's trip from a to b either way
    assert other_draw != busiest
