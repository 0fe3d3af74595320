"""Zones in districts: blocks by hand, hexagons against h3 itself, columns of zone files of every kind."""

import json
from pathlib import Path

import h3
import numpy as np
import pandas as pd
import pytest

from privlab.checks import ParameterError
from privlab.datasets.zone_files import geography
from privlab.datasets.zone_files.geography import geography_of_kind
from privlab.datasets.zone_files.zone_readers import geography_from_path
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.datasets.zones.divisions import blocks_from_positions, division_from_spec
from privlab.datasets.zones.zone_maps import ZoneMap


def zones_at(zones: list[object], lat: list[float], lon: list[float]) -> ZoneMap:
    return ZoneMap(
        zones=np.array(zones),
        lat=np.array(lat),
        lon=np.array(lon),
        outlines=(None,) * len(zones),
        names=("",) * len(zones),
    )


def test_blocks_of_a_grid_are_its_quarters() -> None:
    lat, lon = (axis.ravel().astype(float) for axis in np.mgrid[0:4, 0:4])
    found = blocks_from_positions(lat, lon, 2)
    assert found.tolist() == [2 * (int(a) // 2) + int(b) // 2 for a, b in zip(lat, lon, strict=True)]
    named = division_from_spec("blocks:2", zones_at(list(range(16)), lat.tolist(), lon.tolist()), {})
    assert named[:4] == ("1-1", "1-1", "1-2", "1-2")
    with pytest.raises(ParameterError, match="where 1 lies is not known"):
        division_from_spec("blocks:2", zones_at([0, 1], [0.0, float("nan")], [0.0, 0.0]), {})


def test_hexagons_are_those_of_h3() -> None:
    zones = sorted(h3.grid_disk(h3.latlng_to_cell(45, 9, 7), 2))
    found = division_from_spec("h3:5", zones_at(zones, [0.0] * len(zones), [0.0] * len(zones)), {})
    assert all(zone in h3.cell_to_children(parent, 7) for zone, parent in zip(zones, found, strict=True))
    for spec in ("h3:7", "h3:x", "h3:-1"):
        with pytest.raises(ParameterError, match="smaller than that of the zones"):
            division_from_spec(spec, zones_at(zones, [0.0] * len(zones), [0.0] * len(zones)), {})


def test_further_columns_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geography, "MAX_ZONE_WORDS", 3)
    columns = geography.FurtherColumns()
    for zone in range(3):
        columns.keep("district", zone, "a")
    assert columns.found == {"district": {0: "a", 1: "a", 2: "a"}}
    columns.keep("region", 0, "b")
    columns.keep("region", 1, "b")
    assert columns.found == {}
    many = geography.FurtherColumns()
    monkeypatch.setattr(geography, "MAX_ZONE_WORDS", 10**6)
    for n in range(25):
        many.keep(f"column {n}", 0, "a")
    assert len(many.found) == geography.MOST_COLUMNS == 20


@pytest.mark.parametrize("kind", ["csv", "parquet", "geojson"])
def test_columns_of_a_zone_file(kind: str, tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"zone": [2, 1], "lat": [45.0, 45.1], "lon": [9.0, 9.1], "district": ["b", "a"], "nuts": [31, 30]}
    )
    path = tmp_path / f"zones.{kind}"
    if kind == "csv":
        table.to_csv(path, index=False)
    elif kind == "parquet":
        table.to_parquet(path)
    else:
        square = [[[9, 45], [9.1, 45], [9.1, 45.1], [9, 45]]]
        features = [
            {
                "type": "Feature",
                "properties": {"zone": row["zone"], "district": row["district"], "nuts": row["nuts"]},
                "geometry": {"type": "Polygon", "coordinates": square},
            }
            for row in table.to_dict("records")
        ]
        path.write_text(json.dumps({"type": "FeatureCollection", "features": features}), "utf-8")
    read = geography_from_path(path)
    assert read.columns == {"district": {1: "a", 2: "b"}, "nuts": {1: "30", 2: "31"}}
    zoning = ColumnZoning(geography=geography_of_kind(read, "text"))
    assert division_from_spec("nuts", zoning.zone_map(["1", "2"]), zoning.geography.columns) == ("30", "31")
