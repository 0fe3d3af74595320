"""The data page's own controls: samples, upload, columns, zones, and the progress of a load."""

import shlex
from dataclasses import fields, replace

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.catalog import SAMPLES
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.polygon_zones import Geography
from privlab.datasets.previews import FilePreview
from privlab.datasets.zone_readers import geography_from_path
from privlab.limits import MAX_UPLOAD_MB
from privlab.ui import parts
from privlab.ui.own_file import (
    LoadRequest,
    OwnFile,
    remember_upload,
    remembered_file,
    running_load,
    session_folder,
    start_load,
)

_NONE = "(none)"
_GRID, _BOX, _HEXAGONS, _POLYGONS, _IDS = (
    "square grid",
    "box of rows × columns",
    "H3 hexagons",
    "polygons (GeoJSON)",
    "the file's own zone ids",
)
_ZONINGS = {"latlon": [_GRID, _BOX, _HEXAGONS, _POLYGONS], "xy": [_GRID], "zone": [_IDS]}
_LABELS = {
    "user_id": "user",
    "timestamp": "time",
    "lat": "latitude",
    "lon": "longitude",
    "x": "x (metres)",
    "y": "y (metres)",
    "zone": "zone id",
    "origin": "origin zone",
    "destination": "destination zone",
    "origin_lat": "origin latitude",
    "origin_lon": "origin longitude",
    "destination_lat": "destination latitude",
    "destination_lon": "destination longitude",
}


def sample_cards() -> None:
    """Show the samples, each with a button that chooses it."""
    for column, sample in zip(st.columns(len(SAMPLES)), SAMPLES.values(), strict=True):
        with column.container(border=True, height="stretch"):
            st.markdown(f"**{sample.title}**")
            st.caption(sample.sentence)
            st.button("Use", key=f"use_{sample.name}", on_click=_choose, args=(sample.name,), width="stretch")


def _choose(name: str) -> None:
    st.session_state["choose_data"] = name


def upload() -> None:
    """Show the upload and, with a file, everything needed to load it."""
    given = st.file_uploader(
        "CSV (also .gz, .tsv) or Parquet: one row per record (user, time, place) or per trip (user, time, "
        "origin, destination)",
        type=["csv", "tsv", "txt", "gz", "parquet"],
        key="upload",
        max_upload_size=MAX_UPLOAD_MB,
    )
    own = remembered_file()
    if given is not None:
        try:
            own = remember_upload(given.file_id, given.name, given.getvalue())
        except DataError as error:
            st.error(str(error))
            return
    if own is not None:
        _load_form(own)


def _load_form(own: OwnFile) -> None:
    preview = own.preview
    st.markdown(f"**{preview.name}**: {preview.n_bytes:,} bytes, {len(preview.columns)} columns. First rows:")
    rows = [dict(zip(preview.columns, row, strict=False)) for row in preview.rows]
    parts.table(rows, key="preview")
    mapping = _mapping_controls(preview, own.upload_id)
    left, right = st.columns(2)
    with left:
        timezone = st.text_input(
            "Time zone (for times with an offset, and unix times)",
            "UTC",
            key="own_timezone",
            persist_state="session",
            help="A name like Europe/Paris. Times without an offset are wall-clock time and stay as they are.",
        )
    with right:
        time_format = st.text_input(
            "How times are written (empty: recognise)",
            "",
            key="own_time_format",
            persist_state="session",
            help="A strptime format such as %m/%d/%Y %H:%M, or seconds, or milliseconds.",
        )
    try:
        mapping.require_complete(preview.columns)
        zones, geography = _zone_controls(mapping)
    except (DataError, ParameterError) as error:
        st.error(str(error))
        return
    mapping = replace(mapping, time_format=time_format.strip() or None)
    request = LoadRequest(
        path=own.path, mapping=mapping, timezone=timezone.strip() or None, zones=zones, geography=geography
    )
    job = running_load()
    busy = job is not None and not job.done
    if st.button("Load", type="primary", key="load", icon=":material/upload:", disabled=busy):
        start_load(request)
        st.rerun()
    _same_on_the_command_line(preview, mapping, timezone, zones)


def _mapping_controls(preview: FilePreview, upload_id: str) -> ColumnMapping:
    guess = preview.mapping
    chosen = {}
    options = [_NONE, *preview.columns]
    with st.expander("Which column is what", expanded=not _complete(guess, preview)):
        boxes = st.columns(4)
        for number, (name, label) in enumerate(_LABELS.items()):
            guessed = getattr(guess, name)
            choice = boxes[number % 4].selectbox(
                label,
                options,
                index=options.index(guessed) if guessed in options else 0,
                key=f"column_{name}_{upload_id}",
                persist_state="session",
            )
            chosen[name] = None if choice == _NONE else choice
    return ColumnMapping(**chosen)


def _complete(mapping: ColumnMapping, preview: FilePreview) -> bool:
    try:
        mapping.require_complete(preview.columns)
    except DataError:
        return False
    return True


def _zone_controls(mapping: ColumnMapping) -> tuple[str, Geography | None]:
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
        return f"grid:{side}", None
    if kind == _HEXAGONS:
        return (
            f"h3:{st.slider('Resolution (8: about 0.7 km²)', 0, 15, 8, key='h3', width=360, persist_state='session')}",
            None,
        )
    if kind == _BOX:
        box = st.text_input(
            "South, west, north, east : rows x columns",
            "37.7356,-122.444,37.797,-122.3663:10x10",
            key="box",
            persist_state="session",
        )
        return f"box:{box}", None
    geography = _geography(kind)
    if kind == _IDS:
        return "column", geography
    if geography is None:
        raise DataError("Upload a GeoJSON file of polygons, or choose another zoning.")
    return "polygons.geojson", geography


def _geography(kind: str) -> Geography | None:
    given = st.file_uploader(
        "Polygons (GeoJSON)"
        if kind == _POLYGONS
        else "Where the zones lie, for the map (optional): a table of zone, lat, lon, or GeoJSON",
        type=["geojson", "json", "csv", "parquet"],
        key=f"geography_{'polygons' if kind == _POLYGONS else 'positions'}",
    )
    if given is None:
        return None
    return geography_from_path(session_folder().saved(f"zones-{given.name}", given.getvalue()))


def _same_on_the_command_line(
    preview: FilePreview, mapping: ColumnMapping, timezone: str, zones: str
) -> None:
    name = f"./{preview.name}" if preview.name.startswith("-") else preview.name
    words = ["python", "-m", "privlab", "od", name, "--zones", zones]
    if mapping != preview.mapping:
        named = ((f.name, getattr(mapping, f.name)) for f in fields(mapping) if f.name != "time_format")
        for meaning, column in named:
            words += [] if column is None else ["--column", f"{meaning}={column}"]
    if mapping.time_format:
        words += ["--time-format", mapping.time_format]
    if timezone.strip() not in ("", "UTC"):
        words += ["--timezone", timezone.strip()]
    with st.expander("The same on the command line"):
        st.code(shlex.join([*words, "--out", "results"]), language="bash", wrap_lines=True)
