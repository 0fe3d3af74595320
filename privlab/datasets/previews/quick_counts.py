"""How much a file holds, counted before anything is loaded, where that is quick.

Looks at the mapped columns as they are written; judges no value and drops no row.
"""

from dataclasses import dataclass
from pathlib import Path

import duckdb
import ibis

from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.files.containers import ZIP_MARKS
from privlab.datasets.files.file_kinds import head_from_path
from privlab.datasets.files.sources import Source, raw_from_sources
from privlab.datasets.previews.previews import source_of_path
from privlab.datasets.rows.row_checks import clock_or_null

MOST_BYTES = 64_000_000  # of a file that is counted on a page; larger ones are read when they are loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """Rows of a file, and the different users and zones written in it; None where it names none."""

    rows: int
    users: int | None
    zones: int | None


def outlook_from_path(
    path: Path, mapping: ColumnMapping, *, format: str, within: Path | None = None
) -> Outlook | None:
    """Return how much a single file holds, or None where that cannot be told without reading it whole.

    None for archives, for files above `MOST_BYTES`, and for those that would have to be rewritten first.
    """
    if not path.is_file() or path.stat().st_size > MOST_BYTES:
        return None
    if head_from_path(path).startswith(ZIP_MARKS):  # an archive, or a workbook, held whole in memory to tell
        return None
    with source_of_path(path, format, within=within) as source, Workspace() as workspace:
        if source.path.name != path.name or not _readable_as_it_is(source):
            return None
        return _counted(source, mapping, workspace)


def _readable_as_it_is(source: Source) -> bool:
    return source.layout.encoding == "utf-8" if source.layout is not None else source.format == "parquet"


def _counted(source: Source, mapping: ColumnMapping, workspace: Workspace) -> Outlook | None:
    fields = {"user_id": mapping.user_id}
    if mapping.place == "zone":
        fields |= {name: getattr(mapping, name) for name in mapping.place_fields}
    wanted = {field: name for field, name in fields.items() if name in source.columns}
    try:
        # Another column where there is neither a user nor a zone: rows are counted all the same.
        view, _ = raw_from_sources([source], wanted or {"any": source.columns[0]}, workspace)
        stored = workspace.materialise("outlook", view.select(*wanted) if wanted else view)
        ends = [name for name in wanted if name != "user_id"]
        whole = len(ends) == len(fields) - ("user_id" in fields) and bool(ends)
        return Outlook(
            rows=int(stored.count().to_pyarrow().as_py()),
            users=_different(stored, ["user_id"]) if "user_id" in wanted else None,
            zones=_different(stored, ends) if whole else None,
        )
    except duckdb.Error:  # loading it says what is wrong, and where
        return None


def _different(table: ibis.Table, names: list[str]) -> int:
    columns = (
        (clock_or_null(one) if one.type().is_time() else one) for one in (table[name] for name in names)
    )
    parts = [table.select(one=column.cast("string")) for column in columns]
    column = (ibis.union(*parts) if len(parts) > 1 else parts[0]).one
    return int(column.nunique().to_pyarrow().as_py())
