"""How places of the user's own data become zones: a box and what lies over it, and how that looks before it is loaded."""

from dataclasses import dataclass, replace

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.zone_files import Geography, geography_from_process, is_map_file, layers_from_process
from privlab.datasets.zone_kinds import box_in_spec
from privlab.figures.wording import plain
from privlab.lab.loading import DataSource
from privlab.lab.proposing import PROPOSED, proposed_zones_from_positions
from privlab.limits import MAX_ZONE_FILE_MB
from privlab.ui.data.own_file import (
    OwnFile,
    is_left_out,
    leave_out,
    let_go_if_taken_out,
    loaded_request,
    remember_upload,
    remembered_file,
)
from privlab.ui.work.waiting import awaited

_GRID, _BOX, _HEXAGONS, _POLYGONS, _IDS = (
    "square grid",
    "box of rows × columns",
    "H3 hexagons",
    "polygons of a file",
    "the file's own zone ids",
)
_KINDS = {"grid": _GRID, "box": _BOX, "h3": _HEXAGONS}
_ZONINGS = {"latlon": [_GRID, _HEXAGONS, _BOX, _POLYGONS], "xy": [_GRID], "zone": [_IDS]}
_MAPS = ["geojson", "json", "gpkg", "zip"]
_TABLES = ["csv", "tsv", "psv", "txt", "parquet", "arrow", "xlsx"]
_DRAWN_FROM_ROWS = (
    "A proposed one is drawn from where most of the rows lie, and no ε covers that: take the outline of a city or a region instead, "
    "or confirm on Publish that it is one."
)
_DRAWN_FROM_POSITIONS = "A proposed one lies around all positions in the zone file, whoever was there."
_EDGES = ("south", "west", "north", "east")
_BOX_DIGITS = 6  # of an edge: a tenth of a metre
_SIDE_M = 1000  # of a square that nothing is proposed for


_Grid = tuple[int, tuple[float | None, ...]]
"""Side of a square in metres, and the edges of the box, None where none is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Begun:
    """What the controls were filled with, by what proposal, and for which rows."""

    source: DataSource
    proposed: str | None
    grid: _Grid


def zone_controls(
    source: DataSource, positions: OwnFile | None = None, proposed: str | None = None
) -> tuple[str, Geography | None, OwnFile | None] | None:
    """Show how places become zones; return the spec, the geography and the file it came from.

    `positions` is a second file that says where the file's own zones lie, for want of one given here; `proposed` a grid
    over a box that fits the rows of `source`, which the controls begin with. Where the zones of the file lie somewhere, they can be
    joined to larger ones.
    None while a zone file is still being read, which shows its progress, and where it cannot be, which is said.
    Raises DataError if polygons are wanted and there are none.
    """
    place = source.mapping.place
    _follow_loaded(source)
    if place == "zone":
        return _zones_of_ids(source, positions, proposed)
    _take_up(proposed, source)
    kind = _kind_control(_ZONINGS[place])
    if kind in (_GRID, _HEXAGONS):
        size = _size(kind)
        edges = _box(_DRAWN_FROM_ROWS, degrees=place == "latlon")
        if edges is not None:
            return f"{size}:{box_in_spec(edges)}", None, None
        return (PROPOSED if kind == _GRID else size), None, None
    if kind == _BOX:
        box = st.text_input(
            "South, west, north, east : rows x columns",
            "37.7356,-122.444,37.797,-122.3663:10x10",
            key="box",
            persist_state="session",
            help="The edges of the box in degrees, then into how many rows and columns it is cut.",
        )
        return f"box:{box}", None, None
    file = _zone_file(kind)
    loaded = loaded_request()
    in_use = loaded.geography if loaded is not None and loaded.source == source else None
    if file is None and loaded is not None and in_use is not None and in_use.shapes:
        return loaded.zones, in_use, None  # the file was left out since it was loaded
    if file is None:
        raise DataError("Upload a file of polygons, or choose another zoning.")
    read = _read(file)
    if read is None:
        return None
    geography, file = read
    name = f"{file.path.name}/{file.layer}" if file.layer else file.path.name
    if not geography.shapes:
        raise DataError(
            f"{name} holds positions but no polygons. Upload a file of polygons: GeoJSON, a GeoPackage, or a zipped Shapefile."
        )
    return name, geography, file


def _zones_of_ids(
    source: DataSource, positions: OwnFile | None, proposed: str | None
) -> tuple[str, Geography | None, OwnFile | None] | None:
    """Show how the file's own zone ids become zones: as they are, or joined to larger ones by where a zone file says they lie."""
    file = _zone_file(_IDS) or positions
    geography = None
    if file is not None:
        read = _read(file)
        if read is None:
            return None
        geography, file = read
    joined = None if geography is None else proposed_zones_from_positions(geography)
    kind = _kind_control([_IDS] if joined is None else [_IDS, _GRID, _HEXAGONS])
    if geography is None or kind == _IDS:
        return "column", geography, file
    _take_up(proposed or joined, source)
    size = _size(kind)
    edges = _box(_DRAWN_FROM_POSITIONS, degrees=True)
    if edges is None:
        raise DataError("Name all four edges of the box that the zones lie over.")
    return f"{size}:{box_in_spec(edges)}", geography, file


def _kind_control(kinds: list[str]) -> str:
    return st.selectbox(
        "How places become zones",
        kinds,
        key="zoning",
        persist_state="session",
        help="A release for good needs zones that do not depend on the people in the data: a box that you name, or a list of zones.",
    )


def _read(file: OwnFile) -> tuple[Geography, OwnFile] | None:
    """Return what a zone file says, and the file with the map in it that is meant; None while it is being read, and where it cannot be.

    Which map is meant is asked where it holds several.
    """
    chosen = _with_layer(file)
    if chosen is None:
        return None
    geography = awaited(
        "zone file",
        (chosen.path, chosen.layer),  # its folder is another for another upload
        lambda progress: geography_from_process(chosen.path, layer=chosen.layer, progress=progress),
        seconds=4.0,
        kept=1,
    )
    return None if geography is None else (geography, chosen)


def _with_layer(file: OwnFile) -> OwnFile | None:
    """Return a zone file with the map in it that is meant, which is asked where it holds several; None as `_read`."""
    if not is_map_file(file.path):
        return file
    layers = awaited(
        "zone layers",
        file.path,
        lambda progress: layers_from_process(file.path, progress=progress),
        seconds=4.0,
        kept=1,
    )
    if layers is None or len(layers) < 2:
        return None if layers is None else file
    layer = st.selectbox(
        "Map in the file",
        layers,
        key="zone_layer",
        width=360,
        persist_state="session",
        help=f"The file holds {len(layers):,} maps. Take the one whose areas are to be the zones.",
    )
    return replace(file, layer=layer, id=f"{file.id}/{layer}")


def _size(kind: str) -> str:
    """Show how large the zones are; return the spec without a box."""
    if kind == _HEXAGONS:
        resolution = st.slider(
            "Resolution (8: about 0.7 km²)",
            0,
            15,
            8,
            key="h3",
            width=360,
            persist_state="session",
            help="One step up makes seven zones of one. Smaller zones show more and hold fewer people each.",
        )
        return f"h3:{resolution}"
    side = st.number_input(
        "Side of a square (metres)", 10, 200_000, _SIDE_M, 100, key="grid_m", width=260, persist_state="session",
        help="Small zones show more and hold fewer people each: their flows drown in the noise.",
    )  # fmt: skip
    return f"grid:{side}"


def _follow_loaded(source: DataSource) -> None:
    """Set the controls to the zones that are loaded, once each time that others are: Plan cuts data anew, too.

    The square grid, whose box can be proposed, is left to `_take_up`.
    """
    loaded = loaded_request()
    if loaded is None or loaded.source != source or st.session_state.get("zones_followed") == loaded.zones:
        return
    st.session_state["zones_followed"] = loaded.zones
    kind, _, rest = loaded.zones.partition(":")
    if kind in _KINDS and rest.count(",") == 3:
        st.session_state["zoning"] = _KINDS[kind]
    if kind == "box":
        st.session_state["box"] = rest
    if kind == "h3":
        st.session_state["h3"] = int(rest.partition(":")[0])


def _take_up(proposed: str | None, source: DataSource) -> None:
    """Fill the controls with what is proposed, once for each proposal; empty them while nothing is proposed for other rows than before.

    A box that fits other rows may leave these out. What was changed by hand stays for as long as the file does, or until other zones
    are loaded.
    """
    begun: _Begun | None = st.session_state.get("zones_begun")
    loaded = loaded_request()
    in_use = loaded is not None and loaded.zones == proposed
    anew = begun is None or begun.source.path != source.path or in_use
    grid = _grid_shown() if begun is None else begun.grid
    other = begun is None or (begun.source != source if proposed is None else begun.proposed != proposed)
    if other and (anew or _grid_shown() == grid):
        grid = (_SIDE_M, (None,) * len(_EDGES)) if proposed is None else _grid_from_spec(proposed)
        side, edges = grid
        st.session_state["grid_m"] = side
        for name, edge in zip(_EDGES, edges, strict=True):
            st.session_state[f"box_{name}"] = edge
    st.session_state["zones_begun"] = _Begun(source=source, proposed=proposed, grid=grid)


def _grid_shown() -> _Grid:
    state = st.session_state
    return state.get("grid_m", _SIDE_M), tuple(state.get(f"box_{name}") for name in _EDGES)


def _grid_from_spec(spec: str) -> _Grid:
    """Return the side and the edges of a grid over a box.

    >>> _grid_from_spec("grid:4000:59.28,17.93,59.39,18.17")
    (4000, (59.28, 17.93, 59.39, 18.17))
    """
    _, side, box = spec.split(":")
    return int(float(side)), tuple(float(edge) for edge in box.split(","))


def _box(drawn_from: str, *, degrees: bool) -> tuple[float, ...] | None:
    """Show the edges of the box that the zones lie over, and what a proposed one was drawn from; return them, or None while one is missing."""
    edges = []
    for name, column, limit in zip(_EDGES, st.columns(4), (90.0, 180.0, 90.0, 180.0), strict=True):
        most = limit if degrees else 1e8
        edges.append(
            column.number_input(
                f"Box: {name}{'' if degrees else ' (metres)'}", -most, most, None, 0.01 if degrees else 1000.0,
                format="%.9g", key=f"box_{name}", persist_state="session", placeholder="proposed when loaded",
                help="An edge of the box that the zones lie over. Rows outside the box are left out and counted.",
            )
        )  # fmt: skip
    st.caption(
        f"The box is published with the zones. {drawn_from} What lies outside is left out, and counted."
    )
    known = [edge for edge in edges if edge is not None]
    if len(known) < len(edges):
        return None
    if not (known[0] < known[2] and known[1] < known[3]):
        raise DataError("The box must have its south below its north, and its west before its east.")
    return tuple(
        round(edge, _BOX_DIGITS) for edge in known
    )  # the arrows of a field add up to 45.059999999999995


def _zone_file(kind: str) -> OwnFile | None:
    role = "polygons" if kind == _POLYGONS else "positions"
    given = st.file_uploader(
        "Polygons (GeoJSON, GeoPackage, or a zipped Shapefile)"
        if kind == _POLYGONS
        else "Where the zones lie, for the map and to join them to larger ones (optional): a table of zone, lat, lon, or polygons",
        type=[*_MAPS, *(() if kind == _POLYGONS else _TABLES)],
        key=f"geography_{role}",
        on_change=let_go_if_taken_out,
        args=(role, f"geography_{role}"),
        max_upload_size=MAX_ZONE_FILE_MB,
        help="A public list of zones also makes a release possible that shows nothing by which flows it holds.",
    )
    if given is not None and not is_left_out(role, given.file_id):
        remember_upload([(f"{role}{given.file_id}", given.name, given.getvalue())], role)
    file = remembered_file(role)
    if file is not None:  # also of data that was loaded before
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.caption(f"Zone file in use: {plain(file.path.name)}")
        right.button(
            "Leave it out",
            key=f"geography_away_{role}",
            on_click=leave_out,
            args=(role, given.file_id if given else None),
            help="Goes on without this file.",
        )
    return file
