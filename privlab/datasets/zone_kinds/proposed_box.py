"""All places of a dataset → a box around where people were, and some of the places, for a map."""

import math

import ibis
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privlab.datasets.records import Dataset
from privlab.datasets.zones.zone_maps import Floats
from privlab.datasets.zones.zoned_rows import RECORD_PLACES, TRIP_PLACES

Box = tuple[float, float, float, float]

_PEOPLE_OF_A_SQUARE = (10, 5, 2, 1)
_TRIMMED = 0.005  # of the rows at each end of a latitude or longitude
_REGION = 60  # degrees of longitude that data on both sides of the antimeridian is wide at most, to be that of one region
_COARSE = {"latlon": 0.1, "xy": 10_000.0}  # degrees, metres


def _places(dataset: Dataset) -> ir.Table | None:
    """Return the columns a (north), b (east) and, where there are users, who, of all places; None without any."""
    table = dataset.table
    if dataset.place not in _COARSE:
        return None
    one = [RECORD_PLACES[dataset.place]] if dataset.kind == "records" else TRIP_PLACES[dataset.place].values()
    pairs = [(first, str(second)) for first, second in one]
    if dataset.place == "xy":  # east comes first
        pairs = [(second, first) for first, second in pairs]
    who = table["user_id"].cast("string") if dataset.kind != "counts" else ibis.literal("")
    parts = [table.select(a=table[a].cast("float64"), b=table[b].cast("float64"), who=who) for a, b in pairs]
    return ibis.union(*parts) if len(parts) > 1 else parts[0]


def box_around_people(dataset: Dataset) -> Box | None:
    """Return south, west, north and east of a box around where people were; None for data without coordinates.

    Of squares of a tenth of a degree (10 km) those count in which ten people were, or, if there are none, five, or
    two. Within them half a per cent of the rows is left out at each end. Edges are rounded outwards, to hundredths of
    a degree (1 km) for a box narrower than a degree (100 km), else to tenths (10 km). No box crosses the antimeridian: of the data of a
    region on both sides of it the box is around the side with more rows, and the others lie outside.
    """
    places = _places(dataset)
    if places is None:
        return None
    coarse = _COARSE[dataset.place]
    places = places.mutate(
        row=(places.a / coarse).floor().cast("int64"), column=(places.b / coarse).floor().cast("int64")
    )
    squares = places.group_by("row", "column").agg(people=ibis._.who.nunique(), n=ibis._.count())
    found = squares.to_pyarrow()
    if not found.num_rows:
        return None
    if dataset.kind != "counts":
        people = found["people"].to_numpy()
        enough = next(n for n in _PEOPLE_OF_A_SQUARE if (people >= n).any())
        found = found.filter(pa.array(people >= enough))
    if dataset.place == "latlon":
        is_kept = on_one_side(found["column"].to_numpy() * coarse, found["n"].to_numpy())
        found = found.filter(pa.array(is_kept))
    kept = places.semi_join(ibis.memtable(found.select(["row", "column"])), ["row", "column"])
    (south, north), (west, east) = (_trimmed(kept, name, coarse / 10) for name in ("a", "b"))
    step = coarse / 10 if max(north - south, east - west) < 10 * coarse else coarse
    limits = (90.0, 180.0) if dataset.place == "latlon" else (1e8, 1e8)
    low = [math.floor(edge / step + 1e-9) * step for edge in (south, west)]
    high = [math.ceil(edge / step - 1e-9) * step for edge in (north, east)]
    edges = [*(max(v, -m) for v, m in zip(low, limits, strict=True))]
    edges += [min(v, m) for v, m in zip(high, limits, strict=True)]
    return tuple(round(edge, 6) for edge in edges)  # type: ignore[return-value]


def on_one_side(longitude: Floats, n: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Return which places, of n rows each, are on the side of the antimeridian with more rows; all where they are in no region across it.

    They are in one where the widest stretch of longitudes without any leaves less than a sixth of the way round the world, and is not the
    one across the antimeridian. Places of New York and Tokyo are in no region.

    >>> on_one_side(np.array([178.0, 179.5, -179.0]), np.array([1, 1, 1])), on_one_side(np.array([-74.0, 139.0]), np.array([1, 1]))
    (array([ True,  True, False]), array([ True,  True]))
    """
    held = np.unique(longitude)
    empty = np.diff(held)
    if not empty.size or empty.max() <= 360 - _REGION:
        return np.ones(longitude.size, dtype=np.bool_)
    in_west = longitude <= held[empty.argmax()]
    return np.asarray(in_west == (n[in_west].sum() > n[~in_west].sum()))


def _trimmed(places: ir.Table, name: str, step: float) -> tuple[float, float]:
    """Return the ends of a column without half a per cent of the rows at each, in whole steps, outwards."""
    counted = places.group_by(bin=(places[name] / step).floor().cast("int64")).agg(n=ibis._.count())
    counts = counted.order_by("bin").to_pyarrow()
    share = np.cumsum(counts["n"].to_numpy()) / np.sum(counts["n"].to_numpy())
    low, high = np.searchsorted(share, [_TRIMMED, 1 - _TRIMMED])
    bins = counts["bin"].to_numpy()
    return float(bins[low]) * step, float(bins[min(high, bins.size - 1)] + 1) * step


def some_places(dataset: Dataset, n: int) -> tuple[Floats, Floats, int]:
    """Return latitudes and longitudes of at most `n` different places, the same at each look, and how many there are.

    Which ones hangs on the places alone, not on the order of the rows. None of data in metres or of zone ids.
    """
    places = _places(dataset) if dataset.place == "latlon" else None
    if places is None:
        return np.array([]), np.array([]), 0
    different = places.select("a", "b").distinct()
    mixed = different.mutate(at=(different.a.cast("string") + "," + different.b.cast("string")).hash())
    found = mixed.order_by("at", "a", "b").limit(n).select("a", "b").to_pyarrow()
    return found["a"].to_numpy(), found["b"].to_numpy(), int(different.count().to_pyarrow().as_py())
