"""How places of the user's own data become zones."""

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.zones import Geography, geography_from_process
from privlab.limits import MAX_ZONE_FILE_MB
from privlab.ui.data.own_file import OwnFile, remember_upload, remembered_file
from privlab.ui.work.waiting import awaited

_GRID, _BOX, _HEXAGONS, _POLYGONS, _IDS = (
    "square grid",
    "box of rows × columns",
    "H3 hexagons",
    "polygons (GeoJSON)",
    "the file's own zone ids",
)
_ZONINGS = {"latlon": [_GRID, _BOX, _HEXAGONS, _POLYGONS], "xy": [_GRID], "zone": [_IDS]}


def zone_controls(
    mapping: ColumnMapping, positions: OwnFile | None = None
) -> tuple[str, Geography | None, OwnFile | None] | None:
    """Show how places become zones; return the spec, the geography and the file it came from.

    `positions` is a second file that says where the file's own zones lie, for want of one given here.
    None while a zone file is still being read, which shows its progress, and where it cannot be, which is said.
    Raises DataError if polygons are wanted and there are none.
    """
    kind = st.selectbox(
        "How places become zones", _ZONINGS[mapping.place], key="zoning", persist_state="session"
    )
    if kind == _GRID:
        side = st.number_input(
            "Side of a square (metres)",
            10,
            200_000,
            1000,
            100,
            key="grid_m",
            width=260,
            persist_state="session",
        )
        return f"grid:{side}", None, None
    if kind == _HEXAGONS:
        size = st.slider(
            "Resolution (8: about 0.7 km²)", 0, 15, 8, key="h3", width=360, persist_state="session"
        )
        return f"h3:{size}", None, None
    if kind == _BOX:
        box = st.text_input(
            "South, west, north, east : rows x columns",
            "37.7356,-122.444,37.797,-122.3663:10x10",
            key="box",
            persist_state="session",
        )
        return f"box:{box}", None, None
    file = _zone_file(kind) or (positions if kind == _IDS else None)
    if file is None:
        if kind == _IDS:
            return "column", None, None
        raise DataError("Upload a GeoJSON file of polygons, or choose another zoning.")
    geography = awaited(
        "zone file",
        file.path,  # its folder is another for another upload
        lambda progress: geography_from_process(file.path, progress=progress),
        seconds=4.0,
        kept=1,
    )
    if geography is None:
        return None
    if kind == _IDS:
        return "column", geography, file
    if not geography.shapes:
        raise DataError(
            f"{file.path.name} holds positions but no polygons. Upload a GeoJSON file of polygons."
        )
    return file.path.name, geography, file


def _zone_file(kind: str) -> OwnFile | None:
    role = "polygons" if kind == _POLYGONS else "positions"
    given = st.file_uploader(
        "Polygons (GeoJSON)"
        if kind == _POLYGONS
        else "Where the zones lie, for the map (optional): a table of zone, lat, lon, or GeoJSON",
        type=["geojson", "json"] if kind == _POLYGONS else ["geojson", "json", "csv", "parquet"],
        key=f"geography_{role}",
        max_upload_size=MAX_ZONE_FILE_MB,
    )
    if given is not None:
        remember_upload([(f"{role}{given.file_id}", given.name, given.getvalue())], role)
    file = remembered_file(role)
    if file is not None and given is None:
        st.caption(f"In use: {file.path.name}, uploaded before.")
    return file
