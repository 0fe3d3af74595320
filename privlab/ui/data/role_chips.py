"""A small control above each column of the preview: what it is, and what it could be instead."""

import streamlit as st

from privlab.datasets.columns import FILE_NAME, FOLDER_NAME, ColumnMapping
from privlab.datasets.previews import FilePreview, fitting_roles
from privlab.figures.wording import plain

_UNUSED = ""
_MOST = 24  # columns with a control of their own; what is used has one in any case
_GROUPS = (
    ("lat", "lon"),
    ("x", "y"),
    ("zone", "area"),
    ("origin", "destination"),
    ("origin_lat", "origin_lon", "destination_lat", "destination_lon"),
)


def role_chips(
    preview: FilePreview,
    mapping: ColumnMapping,
    labels: dict[str, str],
    said: dict[str, str | None],
    key: str,
) -> None:
    """Show what each column is taken for, with the roles that fit it to choose from.

    `labels` are the words for the fields of a mapping; what is chosen is put down in `said`, by field.
    """
    roles: dict[str, str] = {}
    for field in labels:
        column = getattr(mapping, field)
        if column is not None:
            roles.setdefault(column, field)
    shown = [name for n, name in enumerate(preview.all_columns) if name and (n < _MOST or name in roles)]
    shown += [name for name in (FILE_NAME, FOLDER_NAME) if name in roles]
    with st.container(horizontal=True, key="role_chips", gap="small"):
        for number, name in enumerate(shown):
            _chip(number, name, roles.get(name, _UNUSED), preview, labels, said, key)


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
        width=150, help="What this column says. Offered is only what its values fit; choose “not used” if it matters to nothing.",
    )  # fmt: skip


def _role_words(words: str, *, taken: bool) -> str:
    return f"= {words} ✓" if taken else f"= {words}"


def _fitting(name: str, preview: FilePreview) -> frozenset[str]:
    """Return what a column may be; of a second file, whose rows are not shown, anything."""
    if name not in preview.columns:
        return fitting_roles(())
    at = preview.columns.index(name)
    return fitting_roles(row[at] for row in preview.rows if at < len(row))


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
