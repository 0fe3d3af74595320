"""The database path of flow A against the array path, week by week, and its summary against pandas."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, Geography
from privlab.od.matrix import od_matrix_from_unique_trips
from privlab.od.simulating.simulated_release import ReleaseParameters, simulated_release_from_od_matrix
from privlab.od.simulating.simulated_review import flow_comparison_from_release
from privlab.od.simulating.weekly_simulation import (
    od_simulation_from_trip_tables,
    trip_counts_from_trip_tables,
)
from privlab.od.trips.trip_tables import trip_tables_from_dataset, unique_trips_from_trip_tables
from privlab.od.usefulness.utility import utility_from_flow_comparison
from privlab.seeds import generator
from tests.od.test_matrix import by_zone, dataset_of
from tests.od.trips.test_hourly_vote import NUMBERS, TEXTS, awkward_records, rows_of, table_of

SEED = 11


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=2) as opened:
        yield opened


def tables_of(workspace, records, geography=None):
    return trip_tables_from_dataset(
        dataset_of(workspace, table_of(workspace, records)), ColumnZoning(geography=geography)
    )


@pytest.mark.parametrize("group_size", [None, 2, 5, 9])
@pytest.mark.parametrize("bound", [None, 1, 3])
@pytest.mark.parametrize("zones", [NUMBERS, TEXTS], ids=["numbers", "texts"])
def test_database_path_is_array_path(workspace, zones, bound, group_size):
    public = Geography(zones=sorted({zone for zone in zones if zone is not None}))
    tables = tables_of(workspace, awkward_records(2, zones, range(1, 10), n=400), public)
    trips = unique_trips_from_trip_tables(tables, seed=SEED)
    parameters = ReleaseParameters(epsilon=1.0, threshold=2, max_trips_per_user=bound)
    simulation = od_simulation_from_trip_tables(tables, parameters, group_size=group_size, seed=SEED)
    assert simulation.n_users == (group_size or 9)
    assert set(simulation.matrices) == set(simulation.releases)
    flows = []
    for week in trips.weeks:
        true, bounded = (
            od_matrix_from_unique_trips(trips, week=week, group_size=group_size, max_trips_per_user=b)
            for b in (None, bound)
        )
        if week not in simulation.matrices:
            assert true.total == 0
            continue
        got = simulation.matrices[week]
        assert by_zone(got) == by_zone(true)
        assert np.array_equal(got.flow, true.flow)
        assert (got.n_users, got.n_cells, got.max_trips_per_user) == (true.n_users, true.n_cells, None)
        release = simulation.releases[week]
        alone = len(simulation.matrices) == 1  # then as pages draw it, which show one week
        again = simulated_release_from_od_matrix(
            bounded, parameters, generator(SEED, "release noise" if alone else f"release noise {week}")
        )
        assert np.array_equal(release.flow, again.flow)
        assert np.array_equal(release.count, again.count)
        flows.append(flow_comparison_from_release(true, bounded, again))
    if len(flows) == 1:
        assert simulation.utility == utility_from_flow_comparison(flows[0])
    parts = [utility_from_flow_comparison(part) for part in flows]
    for name in (
        "cells_kept",
        "cells_lost",
        "cells_spurious",
        "clipping",
        "noise",
        "suppression",
        "spurious",
    ):
        assert getattr(simulation.utility, name) == pytest.approx(
            sum(getattr(part, name) for part in parts)
        ), name
    assert simulation.utility.total_true == sum(part.total_true for part in parts)


def test_same_seed_same_simulation(workspace):
    tables = tables_of(workspace, awkward_records(4, n=300))
    parameters = ReleaseParameters(epsilon=1.0, threshold=2, max_trips_per_user=2)
    one, again, other = (
        od_simulation_from_trip_tables(tables, parameters, group_size=None, seed=seed) for seed in (1, 1, 2)
    )
    week = next(iter(one.releases))
    assert np.array_equal(one.releases[week].count, again.releases[week].count)
    assert one.utility == again.utility
    assert not np.array_equal(one.releases[week].count, other.releases[week].count)


def test_weeks_have_noise_of_their_own(workspace):
    """The same trips in two weeks: the noise must not repeat."""
    first = [(u, dt.datetime(2026, 3, 3, h), z) for u in (1, 2) for h, z in ((8, 1), (9, 2), (10, 3))]
    records = first + [(u, time + dt.timedelta(days=7), z) for u, time, z in first]
    parameters = ReleaseParameters(epsilon=1.0, threshold=0)
    simulation = od_simulation_from_trip_tables(
        tables_of(workspace, records), parameters, group_size=None, seed=1
    )
    one, other = simulation.releases.values()
    assert np.array_equal(one.flow, other.flow)
    assert not np.any(one.count == other.count)


def test_counts_only(workspace):
    tables = tables_of(workspace, awkward_records(4))
    simulation = od_simulation_from_trip_tables(tables, None, group_size=None, seed=1)
    assert simulation.releases == {}
    assert simulation.utility is None
    assert sum(matrix.total for matrix in simulation.matrices.values()) == tables.n_unique_trips


@pytest.mark.parametrize("parameters", [None, ReleaseParameters(threshold=1)], ids=["counts", "release"])
def test_a_group_without_trips_degenerate(workspace, parameters):
    """Nine of ten users never move; some group of one user has no trip at all."""
    day = dt.datetime(2026, 3, 4)
    records = [(user, day, 1) for user in range(9)] + [(9, day, 1), (9, day.replace(hour=1), 2)]
    tables = tables_of(workspace, records)
    empty = 0
    for seed in range(4):
        try:
            simulation = od_simulation_from_trip_tables(tables, parameters, group_size=1, seed=seed)
        except DataError:  # a sentence is an answer too
            empty += 1
            continue
        empty += not simulation.matrices
        assert simulation.n_users == 1
    assert empty >= 1


def test_one_user_degenerate(workspace):
    day = dt.datetime(2026, 3, 4)
    tables = tables_of(workspace, [("me", day, "a"), ("me", day.replace(hour=1), "b")])
    simulation = od_simulation_from_trip_tables(
        tables, ReleaseParameters(threshold=0, max_trips_per_user=1), group_size=1, seed=1
    )
    assert by_zone(simulation.matrices["2026-03-02"]) == {("a", "b"): 1}
    assert simulation.releases["2026-03-02"].count.size == 2


def test_no_trips_degenerate(workspace):
    tables = tables_of(workspace, [(1, dt.datetime(2026, 3, 4), 1)])
    for call in (
        lambda: od_simulation_from_trip_tables(tables, None, group_size=None, seed=1),
        lambda: trip_counts_from_trip_tables(tables),
    ):
        with pytest.raises(DataError, match=r"^No trips found"):
            call()


@pytest.mark.parametrize("group_size", [0, -1, 1.5, 10_000, "3"])
def test_group_size_iv(workspace, group_size):
    tables = tables_of(workspace, awkward_records(4))
    with pytest.raises(ParameterError, match=r"^group_size must be .*, got .*\.$"):
        od_simulation_from_trip_tables(tables, None, group_size=group_size, seed=1)


@settings(max_examples=8)
@given(st.integers(0, 1000))
def test_trip_counts_against_pandas(workspace, seed):
    tables = tables_of(workspace, awkward_records(seed, users=range(1, 12), n=500))
    rows = rows_of(tables.unique_trips, "user_id", "week")
    per_user = pd.Series(rows).value_counts()
    counts = trip_counts_from_trip_tables(tables)
    assert counts.user_weeks == per_user.size
    assert counts.mean == pytest.approx(per_user.mean())
    assert counts.share_from_three == pytest.approx((per_user >= 3).mean())
    assert set(counts.quantiles) == {"0.05", "0.25", "0.5", "0.75", "0.95", "0.99", "1"}
    for level, value in counts.quantiles.items():
        assert value == np.quantile(per_user, float(level), method="inverted_cdf")
