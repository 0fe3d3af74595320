"""From a word on the command line, or a choice on the page, to a zoning that fits the data."""

from dataclasses import replace

import ibis
import ibis.expr.types as ir
import numpy as np

from privlab.checks import DataError, ParameterError, number_from_text
from privlab.datasets.columns.ids import TEXT
from privlab.datasets.files.file_kinds import joint_digest
from privlab.datasets.records import Dataset
from privlab.datasets.zone_files.geography import Geography, are_numbers, geography_of_kind
from privlab.datasets.zone_kinds.boxed_zones import BoxedGridZoning, BoxedH3Zoning
from privlab.datasets.zone_kinds.joined_zones import JoinedZoning
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, PolygonZoning
from privlab.datasets.zone_kinds.regular_zones import BoxZoning, GridZoning, H3Zoning
from privlab.datasets.zones.zone_maps import Zoning
from privlab.datasets.zones.zoned_rows import RECORD_PLACES, TRIP_PLACES

_ID_COLUMNS = ("zone", "origin", "destination")
SPEC_HINT = "grid:METRES, box:S,W,N,E:ROWSxCOLUMNS, h3:RESOLUTION, column, or a file of polygons"


def spec_in_box(spec: str | None, box: str | None) -> str | None:
    """Return a zoning's spec over a box "S,W,N,E": a grid, or hexagons, that are known without the data.

    Raises ParameterError if the zones are of another kind, or have a box already.

    >>> spec_in_box("grid:1000", "-11.1, -37.2,-10.8,-37")
    'grid:1000:-11.1,-37.2,-10.8,-37'
    """
    if box is None:
        return spec
    if spec is None or spec.count(":") != 1 or spec.split(":")[0].strip() not in ("grid", "h3"):
        got = "no zones" if spec is None else repr(spec)
        raise ParameterError(f"box must come with zones grid:METRES or h3:RESOLUTION, got {got}.")
    return f"{spec.strip()}:{''.join(box.split())}"


def zoning_from_spec(
    spec: str, *, place: str, table: ir.Table | None, geography: Geography | None = None
) -> Zoning:
    """Return the zoning that `spec` names, for a table whose places are "latlon", "xy" or "zone".

    Parameters
    ----------
    spec : str
        `grid:1000`, `grid:1000:S,W,N,E`, `box:S,W,N,E:RxC`, `h3:8`, `h3:8:S,W,N,E`, `column`; anything else
        stands for `geography`.
    table : ibis Table
        Normalised records or trips; a grid in degrees is centred on their median, other zones need none.
    geography : Geography, optional
        Polygons (for a file) or positions of the table's own zones (for `column`, and to join them to zones over a box).

    Raises
    ------
    ParameterError
        If the spec cannot be read or does not go with the places.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind in ("grid", "h3") and ":" in rest:
        zoning: Zoning = _boxed(spec, kind, rest, place)
        if place == "zone" and geography is not None:
            zoning = JoinedZoning(own=_own_ids(geography, table), division=_boxed(spec, kind, rest, "latlon"))
    elif kind == "grid":
        zoning = grid = GridZoning(cell_m=_number(spec, rest), centre=None)
        if table is not None and place != "zone":
            middle = median_place(table, place)
            zoning = replace(grid, centre=middle) if place == "latlon" else replace(grid, middle=middle)
    elif kind == "h3":
        zoning = H3Zoning(resolution=_whole(spec, rest))
    elif kind == "box":
        zoning = _box(spec, rest)
    elif kind == "column":
        zoning = _own_ids(geography, table)
    elif geography is not None and geography.shapes:
        zoning = PolygonZoning(geography=geography, spec=spec)
    else:
        raise ParameterError(f"zones must be {SPEC_HINT}, got {spec!r}.")
    if place not in zoning.places:
        way_on = " Take zones column; where they lie is named beside it (--zone-positions)."
        if geography is not None and kind in ("grid", "h3", "box"):
            way_on = (
                " What is missing is a box: with --box S,W,N,E ids are joined to zones grid:METRES or h3:RESOLUTION by where the zone file "
                "says that they lie. Or take zones column."
            )
        raise ParameterError(
            f"zones {spec!r} need {_needs(zoning.places)}, but the data has {_needs((place,))}."
            + (way_on if place == "zone" else "")
        )
    return zoning


def joined_from_spec(spec: str, geography: Geography | None) -> JoinedZoning | None:
    """Return the zones that a zone file's ids are joined to, known without any row; None of zones that join none."""
    kind, _, rest = spec.partition(":")
    if geography is None or kind not in ("grid", "h3") or ":" not in rest:
        return None
    zoning = zoning_from_spec(spec, place="zone", table=None, geography=geography)
    return zoning if isinstance(zoning, JoinedZoning) else None


def _own_ids(geography: Geography | None, table: ir.Table | None) -> ColumnZoning:
    """Return the zoning by a table's own ids, which agree with those of a zone file if they are written alike.

    They are compared as numbers if both are, else as texts.
    """
    if geography is None or table is None:
        return ColumnZoning(geography=geography)
    by_number = all(table[name].type().is_integer() for name in _ID_COLUMNS if name in table.columns)
    if by_number and are_numbers(geography.zones):
        return ColumnZoning(geography=geography)
    texts = geography_of_kind(geography, TEXT) if are_numbers(geography.zones) else geography
    return ColumnZoning(geography=texts, as_text=by_number)


def dataset_in_zones(dataset: Dataset, zoning: Zoning) -> Dataset:
    """Return the dataset, with a note if the zone file knows only some of its zone ids: a release covers no others.

    Where ids are joined to larger zones, the digest of the dataset tells so. Raises a DataError if it knows none of them.
    """
    own = zoning.own if isinstance(zoning, JoinedZoning) else zoning
    if not isinstance(own, ColumnZoning) or own.geography is None:
        return dataset
    table = dataset.table
    names = [name for name in _ID_COLUMNS if name in table.columns]
    ends = [table.select(zone=own.zone_from_place(table[name], None)) for name in names]
    seen = (ibis.union(*ends) if len(ends) > 1 else ends[0]).filter(ibis._.zone.notnull()).distinct()
    zones = seen.order_by("zone").to_pyarrow()["zone"].to_pylist()
    known = set(own.geography.zones)
    unknown = [zone for zone in zones if zone not in known]
    if zones and len(unknown) == len(zones):
        raise DataError(
            f"The zone file knows none of the {len(zones):,} zone ids of {dataset.name} (such as "
            f"{zones[0]!r}); its own are such as {own.geography.zones[0]!r}. Is it the right zone file?"
        )
    left = "their trips are counted, but missing on the map, and in a release of all possible flows."
    if isinstance(zoning, JoinedZoning):
        dataset = replace(dataset, digest=joint_digest([dataset.digest, zoning.digest]))
        left = "they lie in no zone, and their trips are left out."
    if not unknown:
        return dataset
    note = f"The zone file does not know {len(unknown):,} of the {len(zones):,} zone ids (such as {unknown[0]!r}): {left}"
    return replace(dataset, report=replace(dataset.report, notes=(*dataset.report.notes, note)))


def median_place(table: ir.Table, place: str = "latlon") -> tuple[float, float]:
    """Return the median latitude and longitude of all places of a table, rounded to 0.01°, or x and y, to 1 km.

    Counted over these steps, so that no column need be held in memory; of two middle values the lower.
    """
    by_records = RECORD_PLACES[place]
    pairs = [by_records] if by_records[0] in table.columns else [*TRIP_PLACES[place].values()]
    parts = [table.select(a=table[first], b=table[second]) for first, second in pairs if second is not None]
    places = ibis.union(*parts) if len(parts) > 1 else parts[0]
    scale = {"latlon": 100.0, "xy": 0.001}[place]
    return _median_step(places, "a", scale), _median_step(places, "b", scale)


def _median_step(table: ir.Table, column: str, scale: float) -> float:
    bins = table.group_by(bin=(table[column] * scale).round().cast("int64")).agg(n=ibis._.count())
    counts = bins.order_by("bin").to_pyarrow().to_pandas()
    if not len(counts):
        raise ParameterError("zones need at least one record with a place.")
    middle = np.searchsorted(counts["n"].cumsum().to_numpy(), (counts["n"].sum() + 1) // 2)
    return float(counts["bin"].iloc[int(middle)]) / scale


def _boxed(spec: str, kind: str, rest: str, place: str) -> BoxedGridZoning | BoxedH3Zoning:
    size, _, corners = rest.partition(":")
    edges = [_number(spec, part) for part in corners.split(",")]
    if len(edges) != 4:
        raise ParameterError(
            f"box must be four numbers, south, west, north, east, as in {kind}:{size or 8}:-11.1,-37.2,-10.8,-37, "
            f"got {spec!r}."
        )
    box = dict(zip(("south", "west", "north", "east"), edges, strict=True))
    if kind == "h3":
        return BoxedH3Zoning(resolution=_whole(spec, size), **box)
    return BoxedGridZoning(cell_m=_number(spec, size), in_metres=place == "xy", **box)


def _box(spec: str, rest: str) -> BoxZoning:
    corners, _, cut = rest.partition(":")
    edges = [_number(spec, part) for part in corners.split(",")]
    sides = [_whole(spec, part) for part in cut.lower().split("x")]
    if len(edges) != 4 or len(sides) != 2:
        raise ParameterError(f"zones must be {SPEC_HINT}, got {spec!r}.")
    south, west, north, east = edges
    return BoxZoning(south=south, west=west, north=north, east=east, n_rows=sides[0], n_columns=sides[1])


def _whole(spec: str, text: str) -> int:
    number = _number(spec, text)
    if not number.is_integer():  # neither are nan and inf
        raise ParameterError(f"zones must be {SPEC_HINT}, got {spec!r}.")
    return int(number)


def _number(spec: str, text: str) -> float:
    try:
        return number_from_text("zones", text)
    except ValueError:
        raise ParameterError(f"zones must be {SPEC_HINT}, got {spec!r}.") from None


def _needs(places: tuple[str, ...]) -> str:
    words = {"latlon": "latitude and longitude", "xy": "x and y in metres", "zone": "a zone id"}
    return " or ".join(words[place] for place in places)
