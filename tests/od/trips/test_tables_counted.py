"""What is counted where the trips are stored, against the same trips held in memory: every number, in every order."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from privlab.dp.gaussian import GaussianParameters
from privlab.lab.planning.plan import busiest_week, plan_points_from_trips
from privlab.od.matrix import UniqueTrips, od_matrix_from_unique_trips
from privlab.od.planning import PlanRequest
from privlab.od.risks.gaussian_risks import gaussian_risks_from_trip_tables, gaussian_risks_from_unique_trips
from privlab.od.risks.person_risks import person_risks_from_trip_tables, person_risks_from_unique_trips
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.trips.tables_counted import Asked, people_by_week, zones_of_tables
from privlab.od.trips.trip_tables import TripTables, trip_tables_from_dataset, unique_trips_from_trip_tables
from tests.od.settled.test_settled_counts import FORM, WEEKS, drawn_rows, written

Both = tuple[TripTables, UniqueTrips]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    path: Path = written(drawn_rows(5), tmp_path_factory.mktemp("trips") / "t.parquet")
    with Workspace(threads=1) as workspace:
        dataset = read_dataset(path, form=FORM, workspace=workspace)
        zoning = zoning_from_spec("column", place="zone", table=dataset.table)
        tables = trip_tables_from_dataset(dataset, zoning)
        yield tables, unique_trips_from_trip_tables(tables, seed=1)


def test_zones_weeks_and_counts_against_arrays(both: Both) -> None:
    tables, trips = both
    np.testing.assert_array_equal(zones_of_tables(tables), trips.zones)
    assert busiest_week(tables) == busiest_week(trips)
    counts = people_by_week(Asked(tables=tables, weeks=WEEKS, group_size=6, seed=1), 2)
    for week in WEEKS:
        people, left = counts[week]
        for found, bound in ((people, None), (left, 2)):
            matrix = od_matrix_from_unique_trips(trips, week=week, group_size=6, max_trips_per_user=bound)
            assert sorted(found[found > 0]) == sorted(matrix.count)


@pytest.mark.parametrize("group_size", [None, 5])
def test_plan_against_arrays(both: Both, group_size: int | None) -> None:
    tables, trips = both
    request = PlanRequest(max_accuracy=0.9, min_utility=0.1, noise="integer")
    asked = {"week": WEEKS[1], "group_size": group_size, "is_public": True}
    assert plan_points_from_trips(tables, request, **asked) == plan_points_from_trips(trips, request, **asked)


@pytest.mark.parametrize(("bound", "group_size"), [(None, None), (2, None), (2, 6)])
def test_risks_against_arrays(both: Both, bound: int | None, group_size: int | None) -> None:
    tables, trips = both
    parameters = ReleaseParameters(epsilon=1.0, threshold=2, max_trips_per_user=bound)
    found = person_risks_from_trip_tables(
        tables, parameters, weeks=WEEKS, group_size=group_size, n_people=4, seed=1
    )
    expected = person_risks_from_unique_trips(
        trips, parameters, weeks=WEEKS, group_size=group_size, n_people=4
    )
    assert found.n_users == expected.n_users
    for name in ("accuracy", "n_trips", "n_exposed"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.counted.others, expected.counted.others)
    np.testing.assert_array_equal(found.counted.week, expected.counted.week)
    assert set(found.counted.flow) == {-1}  # which flows they are stays where the trips are


@pytest.mark.parametrize(("cells", "threshold"), [("public", 0), ("discovered", 20)])
@pytest.mark.parametrize("clip", ["l2", "keep"])
def test_gaussian_risks_against_arrays(both: Both, clip: str, cells: str, threshold: int) -> None:
    tables, trips = both
    parameters = GaussianParameters(
        epsilon=1.0, delta=1e-6, max_trips_per_user=2, clip=clip, cells=cells, threshold=threshold
    )
    found = gaussian_risks_from_trip_tables(tables, parameters, weeks=WEEKS, n_people=7, seed=1)
    expected = gaussian_risks_from_unique_trips(trips, parameters, weeks=WEEKS, n_people=7)
    np.testing.assert_array_equal(found.accuracy, expected.accuracy)
    np.testing.assert_array_equal(found.n_trips, expected.n_trips)
    assert found.n_alone == expected.n_alone


def test_whoever_is_alone_in_a_flow_is_the_one_who_is_known_by_hand(tmp_path: Path) -> None:
    """Nine people go from 1 to 2; one of them, the only one with a second trip, goes on to 3 alone."""
    first, day = "2026-03-02 08:00", "2026-03-02"
    for alone in range(9):
        path = tmp_path / f"{alone}.csv"
        rows = [f"{one},{first},1\n{one},{day} 09:00,2\n" for one in range(9)]
        path.write_text(f"user_id,timestamp,zone\n{''.join(rows)}{alone},{day} 10:00,3\n", encoding="utf-8")
        with Workspace(threads=1) as workspace:
            dataset = read_dataset(
                path, workspace=workspace, mapping=mapping_from_columns(["user_id", "timestamp", "zone"])
            )
            tables = trip_tables_from_dataset(
                dataset, zoning_from_spec("column", place="zone", table=dataset.table)
            )
            parameters = GaussianParameters(
                epsilon=1.0, delta=1e-6, max_trips_per_user=3, cells="discovered", threshold=50
            )
            found = gaussian_risks_from_trip_tables(tables, parameters, weeks=[day], n_people=9, seed=1)
        assert found.n_trips.tolist() == [1 + (one == alone) for one in range(9)]
        assert np.argmax(found.accuracy) == alone
        assert np.unique(found.accuracy).size == 2  # the other eight are as one


def test_weeks_that_are_not_there_iv(both: Both) -> None:
    tables, _ = both
    with pytest.raises(
        DataError, match="There is no trip in the week of 2020-01-06; the weeks are 2026-03-02"
    ):
        Asked(tables=tables, weeks=("2020-01-06",), group_size=None, seed=1)
    with pytest.raises(ParameterError, match="weeks must be named, each once"):
        Asked(tables=tables, weeks=(WEEKS[0], WEEKS[0]), group_size=None, seed=1)
