"""Zone ids with positions become coordinates; a case worked by hand."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zones.locating import located_dataset
from privlab.datasets.zones.polygon_zones import ColumnZoning, Geography


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
        assert (
            located_dataset(replace(dataset, kind="trips"), ColumnZoning(geography=geography)).place == "zone"
        )
