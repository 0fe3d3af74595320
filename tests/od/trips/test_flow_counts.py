"""Counts without users: a file worked by hand, the slow definition, and what must be refused."""

import datetime as dt
import random
from collections import Counter

import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, Geography
from privlab.datasets.zone_kinds.regular_zones import BoxZoning, GridZoning
from privlab.od.simulating.simulated_release import ReleaseParameters, simulated_release_from_od_matrix
from privlab.od.simulating.simulated_review import flow_comparison_from_release
from privlab.od.simulating.weekly_simulation import od_simulation_from_flow_counts
from privlab.od.trips.flow_counts import (
    UNDATED,
    flow_counts_from_dataset,
    od_matrix_from_flow_counts,
    require_no_choice_of_users,
)
from privlab.od.trips.prepared_trips import od_matrix_from_prepared_trips, prepared_trips_from_dataset
from privlab.od.usefulness.utility import utility_from_flow_comparison
from privlab.seeds import generator
from tests.counts_data import BY_HAND, counts_dataset
from tests.od.test_matrix import by_zone

BOX = BoxZoning(south=10.0, west=20.0, north=12.0, east=24.0, n_rows=2, n_columns=2)
CENTRES = {0: (10.5, 21.0), 1: (10.5, 23.0), 2: (11.5, 21.0), 3: (11.5, 23.0), None: (12.5, 21.0)}


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=2) as opened:
        yield opened


def test_two_weeks_by_hand(workspace):
    counts = flow_counts_from_dataset(counts_dataset(workspace, BY_HAND), ColumnZoning())
    assert counts.zones.tolist() == ["A", "B", "D", "E"]  # C only stays where it is
    assert counts.weeks == ("2026-03-02", "2026-03-09")
    assert counts.week_starts.tolist() == [0, 2, 3]
    assert (counts.total, counts.busiest_week, counts.n_records) == (13, 0, 5)
    assert counts.dropped == {"malformed row": 2, "begins and ends in one zone": 1}
    first = od_matrix_from_flow_counts(counts, week="2026-03-02")
    assert by_zone(first) == {("A", "B"): 7, ("B", "A"): 1}
    assert (first.total, first.n_cells, first.n_users, first.max_trips_per_user) == (8, 12, None, None)
    assert first.flow.tolist() == [1, 4]
    assert first.count.dtype == np.int64
    assert by_zone(od_matrix_from_flow_counts(counts, week="2026-03-09")) == {("A", "B"): 5}
    with pytest.raises(DataError, match=r"^There is no count in the week of 1999-01-04; the weeks are "):
        od_matrix_from_flow_counts(counts, week="1999-01-04")


def test_rows_without_a_time_are_one_period_by_hand(workspace):
    rows = [(None, 1, 2, 3), (None, 1, 2, 1), (None, 2, 1, 2)]
    counts = flow_counts_from_dataset(counts_dataset(workspace, rows), ColumnZoning())
    assert counts.weeks == (UNDATED,)
    assert by_zone(od_matrix_from_flow_counts(counts, week=UNDATED)) == {(1, 2): 4, (2, 1): 2}
    mixed = flow_counts_from_dataset(
        counts_dataset(workspace, [*rows, ("2026-03-04", 2, 1, 7)]), ColumnZoning()
    )
    assert mixed.weeks == ("2026-03-02", UNDATED)
    assert by_zone(od_matrix_from_flow_counts(mixed, week="2026-03-02")) == {(2, 1): 7}
    assert by_zone(od_matrix_from_flow_counts(mixed, week=UNDATED)) == {(1, 2): 4, (2, 1): 2}
    assert mixed.busiest_week == 0


def counted_by_definition(rows):
    """week → (origin, destination) → count, and how many rows lie outside or stay in one zone."""
    weeks, outside, still = {}, 0, 0
    for time, origin, destination, count in rows:
        if origin is None or destination is None:
            outside += 1
        elif origin == destination:
            still += 1
        elif count:
            monday = time.date() - dt.timedelta(days=time.weekday())
            weeks.setdefault(str(monday), Counter())[origin, destination] += count
    return {week: dict(cells) for week, cells in weeks.items()}, outside, still


def awkward_counts(seed, zones, n=400):
    draw = random.Random(seed)
    start = dt.datetime(2026, 2, 28, 22)
    return [
        (
            start + dt.timedelta(minutes=draw.randrange(40_000)),
            draw.choice(zones),
            draw.choice(zones),
            draw.choice((0, 1, 1, 7, 10**12)),
        )
        for _ in range(n)
    ]


BIG = 2**53 + 1  # a zone id that no float can hold


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("zones", [(1, 2, BIG, BIG + 1, None), ("a", "B", "ä", "10", None)], ids=["n", "t"])
def test_counts_against_brute_force(workspace, seed, zones):
    rows = awkward_counts(seed, zones, n=90)
    weeks, outside, still = counted_by_definition(rows)
    counts = flow_counts_from_dataset(counts_dataset(workspace, rows), ColumnZoning())
    got = {week: by_zone(od_matrix_from_flow_counts(counts, week=week)) for week in counts.weeks}
    assert got == weeks
    assert list(counts.weeks) == sorted(weeks)
    assert counts.dropped == {
        "malformed row": 2,
        "outside the zones": outside,
        "begins and ends in one zone": still,
    }
    assert counts.n_records + sum(counts.dropped.values()) == len(rows) + 2
    sums = {week: sum(cells.values()) for week, cells in weeks.items()}
    assert counts.weeks[counts.busiest_week] == max(sums, key=sums.get)
    assert counts.total == sum(sums.values())


@pytest.mark.parametrize("zoning", [BOX, GridZoning(cell_m=90_000, centre=(11.0, 22.0))], ids=["box", "grid"])
def test_counts_in_degrees_against_counts_in_zones(workspace, zoning):
    rows = awkward_counts(5, (0, 1, 2, 3, None), n=90)
    names = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
    placed = [(time, *CENTRES[a], *CENTRES[b], n) for time, a, b, n in rows]
    counts = flow_counts_from_dataset(counts_dataset(workspace, placed, names, "latlon"), zoning)
    weeks, outside, still = counted_by_definition(rows)
    if zoning is BOX:
        assert counts.dropped["outside the zones"] == outside
        assert counts.dropped["begins and ends in one zone"] == still
        got = {week: by_zone(od_matrix_from_flow_counts(counts, week=week)) for week in counts.weeks}
        assert got == weeks
    else:  # an endless grid of squares of 90 km: every one of the five places is a zone of its own
        assert "outside the zones" not in counts.dropped
        assert len(counts.zones) == 5


def test_public_zones_are_cells_too(workspace):
    zoning = ColumnZoning(geography=Geography(zones=["A", "B", "X", "Y"]))
    counts = flow_counts_from_dataset(counts_dataset(workspace, BY_HAND), zoning)
    assert counts.zones.tolist() == ["A", "B", "D", "E", "X", "Y"]
    assert od_matrix_from_flow_counts(counts, week="2026-03-09").n_cells == 30


def test_nothing_to_count_degenerate(workspace):
    for rows, words in (
        ([(None, 1, 1, 5), (None, 2, 2, 5)], "every row begins and ends in the same zone"),
        ([(None, 1, 2, 0), (None, 2, 1, 0)], r"every count is 0\. Is the column of counts the right one\?"),
    ):
        with pytest.raises(DataError, match=f"^No trips found: {words}"):
            prepared_trips_from_dataset(counts_dataset(workspace, rows), ColumnZoning(), seed=1)
    names = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
    away = counts_dataset(workspace, [(None, 50.0, 50.0, 10.5, 21.0, 5)], names, "latlon")
    with pytest.raises(DataError, match=r"^No row of flows\.csv lies in the zones \(box:"):
        flow_counts_from_dataset(away, BOX)


def test_counts_beyond_all_trips_are_refused_iv(workspace):
    rows = [(None, 1, 2, 2**62), (None, 1, 2, 2**62), (None, 2, 1, 2**62)]  # more than int64 holds
    with pytest.raises(DataError, match=r"^The counts add up to 1\.38e\+19; at most 100,000,000,000,000 "):
        flow_counts_from_dataset(counts_dataset(workspace, rows), ColumnZoning())


def test_users_cannot_be_chosen_iv(workspace):
    prepared = prepared_trips_from_dataset(counts_dataset(workspace, BY_HAND), ColumnZoning(), seed=1)
    assert (prepared.has_users, prepared.n_users, prepared.kind) == (False, None, "counts")
    assert prepared.n_records + sum(prepared.dropped.values()) == prepared.rows == 8
    assert od_matrix_from_prepared_trips(prepared, week="2026-03-02").total == 8
    for choice, words in (
        ({"group_size": 10}, r"^group_size must be left out for data that names no users .*, got 10\.$"),
        ({"max_trips_per_user": 5}, r"^max_trips_per_user must be left out for data .*, got 5\.$"),
    ):
        with pytest.raises(ParameterError, match=words):
            od_matrix_from_prepared_trips(prepared, week="2026-03-02", **choice)
    parameters = ReleaseParameters(max_trips_per_user=5)
    with pytest.raises(ParameterError, match=r"^max_trips_per_user must be left out"):
        od_simulation_from_flow_counts(prepared.trips, parameters, seed=1)
    with pytest.raises(ParameterError, match=r"^group_size must be left out"):
        od_simulation_from_flow_counts(prepared.trips, None, group_size=3, seed=1)
    require_no_choice_of_users(None, None)


def test_prepared_keys_of_counts_differ_with_the_zoning(workspace):
    names = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
    rows = [(time, *CENTRES[a], *CENTRES[b], n) for time, a, b, n in awkward_counts(1, (0, 1, 2, 3), n=50)]
    dataset = counts_dataset(workspace, rows, names, "latlon")
    halves = BoxZoning(south=10.0, west=20.0, north=12.0, east=24.0, n_rows=2, n_columns=1)
    keys = {prepared_trips_from_dataset(dataset, zoning, seed=1).key for zoning in (BOX, halves)}
    assert len(keys) == 2


def test_simulation_against_its_parts(workspace):
    counts = flow_counts_from_dataset(counts_dataset(workspace, BY_HAND), ColumnZoning())
    bare = od_simulation_from_flow_counts(counts, None, seed=3)
    assert (bare.releases, bare.utility, bare.n_users) == ({}, None, None)
    assert {week: matrix.total for week, matrix in bare.matrices.items()} == {
        "2026-03-02": 8,
        "2026-03-09": 5,
    }
    parameters = ReleaseParameters(epsilon=2.0, threshold=3)
    simulation = od_simulation_from_flow_counts(counts, parameters, seed=3)
    kept = 0
    for week, matrix in simulation.matrices.items():
        again = simulated_release_from_od_matrix(matrix, parameters, generator(3, f"release noise {week}"))
        assert np.array_equal(simulation.releases[week].count, again.count)
        assert (simulation.releases[week].count >= 3).all()
        kept += utility_from_flow_comparison(flow_comparison_from_release(matrix, matrix, again)).cells_kept
    assert simulation.utility.cells_kept == kept
    assert simulation.utility.total_true == 13
    assert simulation.utility.clipping == 0  # nothing can be bounded
