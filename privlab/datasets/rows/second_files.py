"""A second table that says more of each row: whose phone it was, where the antenna stands.

Knows how two tables are matched and which columns they share; judges no value.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import ibis
import ibis.expr.types as ir

from privlab.checks import DataError
from privlab.datasets.columns.column_names import PLACE_NAMES
from privlab.datasets.columns.ids import key_text
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.sources import (
    Source,
    first_rows,
    raw_from_sources,
    rows_of_head,
    scanned,
    source_from_path,
)
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.layouts.known_layouts import HEADERLESS
from privlab.datasets.rows.row_checks import KEY, stripped
from privlab.datasets.settled_read import settled_scan, settled_source

_COMPARED_ROWS = 200
_LISTED_ROWS = (
    50_000  # of a long list of places: the first 200 may name none of those in the first rows beside it
)
_MATCHING = 0.5  # half of the values recur, or the names agree


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """A second file: `on` is the main file's column, `key` this file's column of the same meaning."""

    path: Path
    on: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondFile:
    """A second file that has been opened: how it is matched, and what it holds."""

    lookup: Lookup
    source: Source


def lookup_columns(main: Sequence[str], second: Source) -> dict[str, str]:
    """Return the second file's columns by the name they go by beside the main file's.

    A name that the main file has too gets the second file's name before it.
    """
    stem = second.path.name.split(".")[0]
    return {name if name not in main else f"{stem}.{name}": name for name in second.columns if name}


def guessed_lookup(main: Source, path: Path) -> Lookup:
    """Return how a second file most likely matches: by names that agree, and values that recur.

    Raises a DataError if the second file holds no table.
    """
    _, on, key = _likeliest_match(main, source_from_path(path))
    return Lookup(path=path, on=on, key=key)


def pair_from_paths(one: Path, other: Path) -> tuple[Path, Path] | None:
    """Return two files as the main one and the second that says more of it; None if they are no such pair.

    They are none where either holds no table, where both have the same columns or each says who, when and where
    by itself (parts of one), and where nothing of one recurs in the other.
    """
    try:
        sources = [source_from_path(one), source_from_path(other)]
    except DataError:  # said in full when it is read
        return None
    if _have_same_columns(*sources) or all(_says_all(source) for source in sources):
        return None
    second, main = sorted(sources, key=_likeness_to_rows)
    score, _, _ = _likeliest_match(main, second)
    return (main.path, second.path) if score >= _MATCHING else None


def _have_same_columns(one: Source, other: Source) -> bool:
    """Return whether two files have the same columns; without names they are not the same if in one of them alone is a time."""
    is_unnamed = all(
        source.layout is not None and source.layout.format == HEADERLESS for source in (one, other)
    )
    is_timed = (one.mapping.timestamp is None, other.mapping.timestamp is None)
    return set(one.columns) == set(other.columns) and not (is_unnamed and len(set(is_timed)) == 2)


def _says_all(source: Source) -> bool:
    try:
        source.mapping.require_complete()
    except DataError:
        return False
    return True


def _likeness_to_rows(source: Source) -> tuple[bool, int, bool, int]:
    """Return how much a file looks like what people did: with who, when and where; among equals the larger."""
    mapping = source.mapping
    timed = mapping.timestamp is not None
    placed = any(getattr(mapping, name) for name in (*PLACE_NAMES, "zone"))
    return _says_all(source), timed + placed, timed, source.path.stat().st_size


def _likeliest_match(main: Source, second: Source) -> tuple[float, str, str]:
    """Return how well the likeliest columns of two files match, and these: from 0 to about 2.5."""
    here, there = _values(main), _values(second)
    zones = {main.mapping.zone, main.mapping.origin, main.mapping.destination} - {None}
    only_zones = _is_list_of_places(second) and bool(zones)
    best, found = 0.0, (main.columns[0], second.columns[0])
    for on in main.columns:
        for key in second.columns:
            named = _likeness(on, key, second.path.name)
            if only_zones and on not in zones and not named:
                continue  # users 1, 2, 3 … are called as antennas 1, 2, 3 … are
            score = named + _recurring(here[on], there[key])
            score *= len(set(there[key])) / max(1, len(there[key]))  # a key stands there once, or nearly
            if score > best:
                best, found = score, (on, key)
    return (
        (best, *found)
        if best >= _MATCHING
        else max((best, *found), _match_of_places(main, here, second), key=lambda one: one[0])
    )


def _is_list_of_places(source: Source) -> bool:
    """Return whether a file says where something lies, and not when anybody was there."""
    mapping = source.mapping
    return mapping.timestamp is None and bool((mapping.lat and mapping.lon) or (mapping.x and mapping.y))


def _match_of_places(main: Source, here: dict[str, list[str]], second: Source) -> tuple[float, str, str]:
    """Return how well the zones of a file match the keys of a list that is looked at to its end, or for long."""
    rows = rows_of_head(second, _LISTED_ROWS)
    found = (0.0, main.columns[0], second.columns[0])
    for n, key in enumerate(second.columns):
        there = [row[n].strip() for row in rows if n < len(row)]
        apart = len(set(there)) / max(1, len(there))
        for on in (main.mapping.zone, main.mapping.origin, main.mapping.destination):
            if on in here:
                found = max(found, (_recurring(here[on], there) * apart, on, key), key=lambda one: one[0])
    return found


def _values(source: Source) -> dict[str, list[str]]:
    rows = first_rows(source, _COMPARED_ROWS)
    return {name: [row[n].strip() for row in rows if n < len(row)] for n, name in enumerate(source.columns)}


def _recurring(here: Sequence[str], there: Sequence[str]) -> float:
    known = set(there) - {""}
    return sum(value in known for value in here) / len(here) if here else 0.0


def _likeness(on: str, key: str, file: str) -> float:
    """Return how far two names mean the same: antenna_id and antenna_id, track_id and the id of tracks."""
    a, b = (re.sub(r"[^a-z0-9]", "", name.lower()) for name in (on, key))
    if re.fullmatch(r"column\d+", a) or re.fullmatch(r"column\d+", b):
        return 0.0  # the place of a column that has no name
    if a == b:
        return 1.5 if a not in ("id", "time", "speed", "date") else 0.2
    if b == "id" and a.endswith("id") and a[:-2] and a[:-2] in file.lower():
        return 1.5
    return 0.5 if a.endswith(b) or b.endswith(a) else 0.0


def opened_lookup(lookup: Lookup, form: FileForm | None) -> SecondFile:
    """Open the second file; with a form, by its header line alone. Raises DataError if it holds nothing."""
    if form is None:
        return SecondFile(lookup=lookup, source=source_from_path(lookup.path))
    plain = FileForm(mapping=ColumnMapping(), encoding=form.encoding)
    found = settled_source(lookup.path, None, plain, lookup.key)
    if found is None:
        raise DataError(f"{lookup.path.name} is empty.")
    if lookup.key not in found.columns and re.fullmatch(r"column \d+", lookup.key):
        raise DataError(
            f"There is no column {lookup.key!r} in {lookup.path.name}. For a secure release a second file has a header line: add one, and name "
            "its columns by it.",
            column=lookup.key,
        )
    return SecondFile(lookup=lookup, source=found)


def lookup_table(
    second: SecondFile, wanted: dict[str, str], workspace: Workspace, form: FileForm | None = None
) -> tuple[ir.Table, str]:
    """Return the wanted columns of the second file with the key as text, stored, and the file's digest.

    `wanted` maps roles to the second file's columns. Raises a DataError if a key stands there twice
    with different values, or never.
    """
    lookup = second.lookup
    if form is None:
        source, digest = scanned(second.source, workspace)
    else:
        copied = settled_scan(second.source, workspace)
        source, digest = copied.source, copied.digest
    if lookup.key not in source.columns:
        raise DataError(f"There is no column {lookup.key!r} in {lookup.path.name}.", column=lookup.key)
    view, rejects = raw_from_sources([source], {KEY: lookup.key, **wanted}, workspace)
    rows = stripped(view).select(KEY, *wanted)
    rows = rows.mutate(**{KEY: key_text(rows[KEY])}).filter(ibis._[KEY].notnull()).distinct()
    stored = workspace.materialise("lookup", rows)
    workspace.connection.drop_view(view.get_name())
    for refused in (rejects, f"{rejects}_scans") if rejects else ():
        workspace.connection.drop_table(refused, force=True)
    repeated = stored.group_by(KEY).agg(n=ibis._.count()).filter(ibis._.n > 1)
    twice = repeated.order_by(KEY).limit(1).to_pyarrow().to_pylist()
    if twice:
        workspace.forget(stored)
        raise DataError(
            f"{lookup.path.name} says different things of {lookup.key} {twice[0][KEY]!r}: it stands there "
            f"{twice[0]['n']} times. Give each {lookup.key} one row.",
            column=lookup.key,
        )
    return stored, digest
