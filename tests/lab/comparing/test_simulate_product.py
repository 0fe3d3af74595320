"""Simulated releases of visits and of flows: which weeks they are of, by hand, and what is refused before anything is drawn."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.lab.comparing.simulate_product import simulated_product_from_rows
from privlab.lab.loading.load import rows_in_zones
from privlab.od.releases import SecureReleaseParameters

ZONES = "grid:1000:45.00,9.00,45.03,9.03"
INSIDE, BESIDE, OUTSIDE = "45.005,9.005", "45.025,9.025", "46.000,9.005"
# From a Sunday to a Monday two weeks later; in the week between there is a row, but in none of the zones.
ROWS = [
    f"a,2026-03-08 22:30,{INSIDE}",
    f"a,2026-03-08 23:30,{BESIDE}",
    f"b,2026-03-11 10:00,{OUTSIDE}",
    f"a,2026-03-23 00:10,{INSIDE}",
    f"a,2026-03-23 01:10,{BESIDE}",
]
WEEKS = ("2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23")
VISITS = SecureReleaseParameters(epsilon=10.0, max_trips_per_user=4, threshold=1, product="visits")
FLOWS = SecureReleaseParameters(epsilon=10.0, max_trips_per_user=4, threshold=1)
BY_SLOT = SecureReleaseParameters(epsilon=10.0, max_trips_per_user=4, threshold=1, product="flows-by-slot")


@pytest.fixture
def workspace() -> Iterator[Workspace]:
    with Workspace(threads=1) as one:
        yield one


def rows(folder: Path, workspace: Workspace, lines: list[str], **mapping: Any) -> Any:
    path = folder / "rows.csv"
    path.write_text("\n".join(["user,time,lat,lon", *lines]) + "\n")
    meaning = ColumnMapping(user_id="user", timestamp="time", lat="lat", lon="lon", **mapping)
    return rows_in_zones(read_dataset(path, mapping=meaning, workspace=workspace), ZONES)


def trips_and_weeks(found: Any) -> list[tuple[str, int]]:
    return sorted(zip(found.true_week.tolist(), found.true_count.tolist(), strict=True))


def test_a_release_is_of_all_weeks_with_anybody_in_the_zones_by_hand(
    tmp_path: Path, workspace: Workspace
) -> None:
    """Two visits, and one flow, on the first Sunday and on the last Monday: the week of either is one of the release's."""
    dataset, zoning = rows(tmp_path, workspace, ROWS)
    both = ("2026-03-02", "2026-03-23")
    plan, found = simulated_product_from_rows(dataset, zoning, VISITS)
    assert tuple(plan.weeks) == both
    assert trips_and_weeks(found) == [(week, 1) for week in both for _ in range(2)]
    plan, found = simulated_product_from_rows(dataset, zoning, FLOWS)
    assert tuple(plan.weeks) == both
    assert trips_and_weeks(found) == [(week, 1) for week in both]
    assert found.n_cells == sum(len(zoning.public_zones()) * (len(zoning.public_zones()) - 1) for _ in both)
    again = simulated_product_from_rows(dataset, zoning, FLOWS)[1]
    assert again.count.tolist() == found.count.tolist()
    assert (
        simulated_product_from_rows(dataset, zoning, FLOWS, seed=2)[1].count.tolist() != found.count.tolist()
    )


def test_a_slot_of_the_week_is_counted_by_itself_by_hand(tmp_path: Path, workspace: Workspace) -> None:
    """A trip on Tuesday morning and the same on Saturday morning are one flow of a person, and two by slot."""
    lines = [
        f"a,2026-03-{day} 0{8 + i}:10,{at}" for day in ("03", "07") for i, at in enumerate((INSIDE, BESIDE))
    ]
    dataset, zoning = rows(tmp_path, workspace, lines)
    assert trips_and_weeks(simulated_product_from_rows(dataset, zoning, FLOWS)[1]) == [("2026-03-02", 1)]
    assert (
        trips_and_weeks(simulated_product_from_rows(dataset, zoning, BY_SLOT)[1]) == [("2026-03-02", 1)] * 2
    )


def test_weeks_that_are_named_are_published_whoever_is_in_them_in_their_order(
    tmp_path: Path, workspace: Workspace
) -> None:
    """An empty week among them gets noise too: it must not tell that nobody was there."""
    dataset, zoning = rows(tmp_path, workspace, ROWS)
    plan, found = simulated_product_from_rows(dataset, zoning, FLOWS, weeks=["2026-03-23", "2026-03-16"])
    assert sorted(plan.weeks) == ["2026-03-16", "2026-03-23"]
    assert trips_and_weeks(found) == [("2026-03-23", 1)]
    n_zones = len(zoning.public_zones())
    assert found.n_cells == 2 * n_zones * (n_zones - 1)
    with pytest.raises(
        DataError, match=r"nobody to count in the week of 2026-03-09\. Do the weeks and the zones fit"
    ):
        simulated_product_from_rows(dataset, zoning, FLOWS, weeks=["2026-03-09"])
    with pytest.raises(ParameterError, match="Monday"):
        simulated_product_from_rows(dataset, zoning, FLOWS, weeks=["2026-03-10"])


def test_where_nobody_moves_between_zones_there_is_nothing_to_simulate_iv(
    tmp_path: Path, workspace: Workspace
) -> None:
    dataset, zoning = rows(tmp_path, workspace, [f"b,2026-03-11 10:00,{INSIDE}"])
    assert simulated_product_from_rows(dataset, zoning, VISITS)[1].true_count.tolist() == [1]
    with pytest.raises(DataError, match=r"nobody to count\. Do the zones fit the data"):
        simulated_product_from_rows(dataset, zoning, FLOWS)


def test_workdays_of_days_that_are_numbers_are_known_to_nobody_iv(
    tmp_path: Path, workspace: Workspace
) -> None:
    lines = [f"a,1 16,{INSIDE}", f"a,1 18,{BESIDE}"]
    dataset, zoning = rows(tmp_path, workspace, lines, time_format="slots:30")
    assert simulated_product_from_rows(dataset, zoning, FLOWS)[1].true_count.tolist() == [1]
    with pytest.raises(ParameterError, match="days"):
        simulated_product_from_rows(dataset, zoning, BY_SLOT)


def test_counts_name_nobody_to_whom_a_promise_could_be_made_iv(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("date,origin,destination,count\n2026-03-03,a,b,5\n")
    meaning = ColumnMapping(date="date", origin="origin", destination="destination", count="count")
    dataset, zoning = rows_in_zones(read_dataset(path, mapping=meaning, workspace=workspace), "column")
    with pytest.raises(DataError, match="user"):
        simulated_product_from_rows(dataset, zoning, FLOWS)
