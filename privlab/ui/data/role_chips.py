"""A small control above each column of the preview: what it is, and what it could be instead.

Each file has a preview of its own, as wide as its columns together: controls and columns are scrolled sideways as one.
"""

import streamlit as st

from privlab.datasets.columns import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.previews import FilePreview, fitting_roles
from privlab.figures.wording import plain
from privlab.ui.shell import parts

_UNUSED = ""
_MOST = 24  # columns with a control of their own; what is used has one in any case
_COLUMN_PX = 160
_STYLE = """<style>
[class*="st-key-role_chips_"] { overflow-x: auto; }
[class*="st-key-role_chips_"] > * { flex: none; max-width: none; }
[class*="st-key-role_chips_"] [data-testid="stSelectbox"] { padding-right: 8px; }
</style>"""
_GROUPS = (
    ("lat", "lon"),
    ("x", "y"),
    ("zone", "area"),
    ("origin", "destination"),
    ("origin_lat", "origin_lon", "destination_lat", "destination_lon"),
    ("origin_x", "origin_y", "destination_x", "destination_y"),
)
Rows = list[dict[str, str]]
"""The first rows of a file by column, as they are shown."""


def role_chips(
    preview: FilePreview,
    mapping: ColumnMapping,
    labels: dict[str, str],
    said: dict[str, str | None],
    key: str,
    rows: Rows,
    second_rows: Rows,
) -> None:
    """Show the first rows of each file below what each column is taken for, with the roles that fit it to choose from.

    `labels` are the words for the fields of a mapping; what is chosen is put down in `said`, by field.
    """
    roles: dict[str, str] = {}
    for field in labels:
        column = getattr(mapping, field)
        if column is not None:
            roles.setdefault(column, field)
    st.html(_STYLE)
    files = [(preview.name, preview.columns, rows)]
    if preview.second_name is not None:
        files.append((preview.second_name, preview.second_columns, second_rows))
    number = 0
    for place, (file, columns, shown_rows) in enumerate(files):
        if len(files) > 1:
            st.markdown(f"**{plain(file)}**" + (" says more of each row:" if place else ""))
        chosen = [name for n, name in enumerate(columns) if name and (n < _MOST or name in roles)]
        rest = [name for name in columns if name not in chosen]
        with (
            st.container(key=f"role_chips_{place}"),
            st.container(width=len(chosen) * _COLUMN_PX + 2, gap=None),
        ):
            with st.container(horizontal=True, gap=None):
                for name in chosen:
                    _chip(number, name, roles.get(name, _UNUSED), preview, labels, said, key)
                    number += 1
            _table(shown_rows, chosen, f"{place}", _COLUMN_PX)
        if rest:
            st.caption(f"Columns that are not used{f' of {plain(file)}' if len(files) > 1 else ''}:")
            _table(shown_rows, rest, f"{place}_rest", None)
    by_name = [name for name in (FILE_NAME, FOLDER_NAME) if name in roles]
    if by_name:
        with st.container(horizontal=True, gap="small"):
            for name in by_name:
                _chip(number, name, roles[name], preview, labels, said, key)
                number += 1


def _table(rows: Rows, columns: list[str], key: str, width_px: int | None) -> None:
    cells = [{name: row.get(name, "") for name in columns} for row in rows]
    parts.table(
        cells,
        key=f"preview_{key}",
        widths=None if width_px is None else dict.fromkeys(columns, width_px),
    )


def _chip(
    number: int,
    name: str,
    role: str,
    preview: FilePreview,
    labels: dict[str, str],
    said: dict[str, str | None],
    key: str,
) -> None:
    fitting = _fitting(name, preview)
    options = [_UNUSED, *(field for field in labels if field in fitting or field == role)]
    st.session_state[f"role_{number}_{key}"] = role
    st.selectbox(
        plain(name[:40]), options, format_func=lambda field: _role_words(labels[field], taken=field == role) if field else "not used",
        key=f"role_{number}_{key}", on_change=_take_role, args=(name, role, said, f"role_{number}_{key}"),
        width=_COLUMN_PX, help="What this column says. Offered is only what its values fit; choose “not used” if it matters to nothing.",
    )  # fmt: skip


def _role_words(words: str, *, taken: bool) -> str:
    return f"= {words} ✓" if taken else f"= {words}"


def _fitting(name: str, preview: FilePreview) -> frozenset[str]:
    """Return what a column may be; where the name of a file says it, anything."""
    for columns, rows in (
        (preview.columns, preview.rows),
        (preview.second_columns, preview.second_rows),
    ):
        if name in columns:
            at = columns.index(name)
            return fitting_roles(row[at] for row in rows if at < len(row))
    return fitting_roles(())


def _take_role(name: str, before: str, said: dict[str, str | None], key: str) -> None:
    """Put down what was chosen for a column: its role before is free, and a place of one kind ends the others."""
    role = st.session_state[key]
    if before:
        said[before] = None
    if not role:
        return
    for group in _GROUPS:
        if any(role in one for one in _GROUPS) and role not in group:
            said.update(dict.fromkeys(group))
    said[role] = name
