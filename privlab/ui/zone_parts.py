"""How places of the user's own data become zones."""

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.polygon_zones import Geography
from privlab.datasets.zone_readers import geography_from_path
from privlab.ui.own_file import OwnFile, remember_upload, remembered_file

_GRID, _BOX, _HEXAGONS, _POLYGONS, _IDS = (
    "square grid",
    "box of rows × columns",
    "H3 hexagons",
    "polygons (GeoJSON)",
    "the file's own zone ids",
)
_ZONINGS = {"latlon": [_GRID, _BOX, _HEXAGONS, _POLYGONS], "xy": [_GRID], "zone": [_IDS]}


def zone_controls(mapping: ColumnMapping) -> tuple[str, Geography | None, OwnFile | None]:
    """Show how places become zones; return the spec, the geography and the file it came from.

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
    geography, file = _geography(kind)
    if kind == _IDS:
        return "column", geography, file
    if geography is None or file is None:
        raise DataError("Upload a GeoJSON file of polygons, or choose another zoning.")
    if not geography.shapes:
        raise DataError(
            f"{file.path.name} holds positions but no polygons. Upload a GeoJSON file of polygons."
        )
    return file.path.name, geography, file


def _geography(kind: str) -> tuple[Geography | None, OwnFile | None]:
    role = "polygons" if kind == _POLYGONS else "positions"
    given = st.file_uploader(
        "Polygons (GeoJSON)"
        if kind == _POLYGONS
        else "Where the zones lie, for the map (optional): a table of zone, lat, lon, or GeoJSON",
        type=["geojson", "json"] if kind == _POLYGONS else ["geojson", "json", "csv", "parquet"],
        key=f"geography_{role}",
    )
    if given is not None:
        remember_upload([(f"{role}{given.file_id}", given.name, given.getvalue())], role)
    file = remembered_file(role)
    if file is None:
        return None, None
    if given is None:
        st.caption(f"In use: {file.path.name}, uploaded before.")
    return geography_from_path(file.path), file
