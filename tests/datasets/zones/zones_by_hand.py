"""Places, boxes and polygons of a few lines, and the zones of places, for the tests of zones."""

import ibis
import pyarrow as pa
import shapely
import shapely.geometry

from privlab.datasets.zone_files.polygons import geography_from_geojson
from privlab.datasets.zone_kinds.regular_zones import BoxZoning

BOXES = [
    BoxZoning(south=37.7356, west=-122.444, north=37.797, east=-122.3663, n_rows=10, n_columns=10),
    BoxZoning(south=-0.1, west=-0.3, north=0.7, east=0.2, n_rows=7, n_columns=13),
    BoxZoning(south=-90, west=-180, north=90, east=180, n_rows=1000, n_columns=1000),
    BoxZoning(south=48.0, west=2.0, north=48.1, east=2.3, n_rows=1, n_columns=3),
]

HALF = 2_000_000  # rows and columns of a grid on either side of its centre


def places(workspace, first, second=None, names=("lat", "lon")):
    columns = {"i": pa.array(range(len(first)), pa.int64()), names[0]: pa.array(first)}
    if second is not None:
        columns[names[1]] = pa.array(second)
    return workspace.connection.create_table(ibis.util.gen_name("p"), pa.table(columns))


def zones_of(workspace, zoning, first, second=None):
    """The zone of each place, None outside, in the order given."""
    table = places(workspace, first, second)
    zone = zoning.zone_from_place(table.lat, None if second is None else table.lon)
    return table.select("i", zone=zone).order_by("i").to_pyarrow()["zone"].to_pylist()


def square(zone, west, south, size=1.0, **properties):
    return {
        "type": "Feature",
        "properties": {"zone": zone, **properties},
        "geometry": shapely.geometry.mapping(shapely.box(west, south, west + size, south + size)),
    }


def collection(*features):
    return {"type": "FeatureCollection", "features": list(features)}


def geography(*features):
    return geography_from_geojson(collection(*features), "zones.geojson")
