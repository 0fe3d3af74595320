"""Zone ids with positions become coordinates; a case worked by hand."""

from pathlib import Path

import pandas as pd

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, Geography
from privlab.datasets.zones.zone_centres import located_dataset
from privlab.lab.loading import fingerprints_from_rows


def test_zones_with_a_position_become_coordinates(tmp_path: Path, world: pd.DataFrame) -> None:
    world.to_csv(tmp_path / "world.csv", index=False)
    # Zone 4, which only Ben visits, once, has no position; zone 9 is never visited.
    geography = Geography(
        zones=[1, 2, 3, 4, 9], centres={1: (48.0, 2.0), 2: (48.1, 2.1), 3: (48.2, 2.2), 9: (0, 0)}
    )
    with Workspace(threads=2) as workspace:
        dataset = read_dataset(tmp_path / "world.csv", workspace=workspace)
        located = located_dataset(dataset, ColumnZoning(geography=geography))
        rows = located.table.order_by("user_id", "time").to_pyarrow().to_pylist()
        assert located.place == "latlon"
        assert len(rows) == 14
        ben = [(row["lat"], row["lon"]) for row in rows if row["user_id"] == 2]
        assert ben == [(48.2, 2.2), (48.0, 2.0), (48.2, 2.2), (48.1, 2.1)]
        assert located_dataset(dataset, ColumnZoning()) is dataset
        assert located_dataset(located, ColumnZoning(geography=geography)) is located
        assert located_dataset(dataset, None) is dataset


TRIPS = (
    "user,time,origin,destination\n7,2026-03-02 08:00,1,2\n7,2026-03-02 09:00,2,4\n8,2026-03-03 08:00,4,4\n"
)
ENDS = (
    "user,time,origin_lat,origin_lon,destination_lat,destination_lon\n7,2026-03-02 08:00,48.0,2.0,48.1,2.1\n"
)


def test_both_ends_of_trips_become_records_issue_17(tmp_path: Path) -> None:
    (tmp_path / "trips.csv").write_text(TRIPS)
    (tmp_path / "ends.csv").write_text(ENDS)
    # Zone 4 has no position: of the second trip its origin is left, of user 8 nothing.
    zoning = ColumnZoning(geography=Geography(zones=[1, 2, 4], centres={1: (48.0, 2.0), 2: (48.1, 2.1)}))
    with Workspace(threads=2) as workspace:
        trips = read_dataset(tmp_path / "trips.csv", workspace=workspace)
        ends = read_dataset(tmp_path / "ends.csv", workspace=workspace)
        located = located_dataset(trips, zoning)
        assert (located.kind, located.place) == ("records", "latlon")
        rows = located.table.order_by("user_id", "time", "lat").to_pyarrow().to_pylist()
        assert [(row["user_id"], row["time"].hour, row["lat"], row["lon"]) for row in rows] == [
            (7, 8, 48.0, 2.0),
            (7, 8, 48.1, 2.1),
            (7, 9, 48.1, 2.1),
        ]
        people = fingerprints_from_rows(trips, zoning)
        assert (people.n_users, people.n_records, people.n_left_out) == (1, 3, 3)
        assert located_dataset(trips, ColumnZoning()) is trips
        assert fingerprints_from_rows(ends).n_samples.tolist() == [2]


def test_both_ends_of_trips_in_metres_become_records_in_metres(tmp_path: Path) -> None:
    (tmp_path / "metres.csv").write_text(
        "user,time,origin_x,origin_y,destination_x,destination_y\n"
        "1,2026-03-02 08:00,691000,5334000,695000,5334000\n2,2026-03-02 08:00,691300,5334000,695000,5334000\n"
    )
    with Workspace(threads=2) as workspace:
        located = located_dataset(read_dataset(tmp_path / "metres.csv", workspace=workspace), None)
        assert (located.kind, located.place) == ("records", "xy")
        rows = located.table.order_by("user_id", "x").to_pyarrow().to_pylist()
        assert [(row["user_id"], row["x"], row["y"]) for row in rows] == [
            (1, 691_000.0, 5_334_000.0),
            (1, 695_000.0, 5_334_000.0),
            (2, 691_300.0, 5_334_000.0),
            (2, 695_000.0, 5_334_000.0),
        ]
        people = fingerprints_from_rows(located)
        assert (people.n_users, people.n_samples.tolist()) == (2, [2, 2])
