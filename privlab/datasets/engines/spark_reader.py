"""Parquet on a cluster -> a Dataset, by the same checks as files on one machine.

Knows where Spark finds files, and which of their columns it reads as the embedded database does;
judges no value itself.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import pyarrow as pa
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.spark_workspace import SparkWorkspace
from privlab.datasets.files.columnar import require_columns_alike, require_types_alike, types_from_path
from privlab.datasets.files.containers import files_from_path
from privlab.datasets.files.file_kinds import (
    complaints,
    digest_from_path,
    format_from_head,
    head_from_path,
    joint_digest,
)
from privlab.datasets.files.folder_columns import said_by_names
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.layouts.known_layouts import TABLE
from privlab.datasets.records import Dataset
from privlab.datasets.rows.checked_rows import checked_rows
from privlab.datasets.rows.raw_rows import RawRows
from privlab.datasets.rows.row_checks import composed, stripped
from privlab.datasets.times.day_slots import slot_min_from_format

_INSTEAD = "turn it into Parquet with real timestamps first, or use the engine duckdb"
# What Spark says of a place that it cannot read as Parquet, and what that means.
_FAILURES = {
    "PATH_NOT_FOUND": "there is nothing there",
    "UNABLE_TO_INFER_SCHEMA": f"it holds no Parquet file; {_INSTEAD}",
    "CANNOT_READ_FILE_FOOTER": f"it is no Parquet, or damaged; {_INSTEAD}",
    "TIMESTAMP(NANOS": "its times are in nanoseconds; write them in microseconds",
}
_IDS = ("user_id", "zone", "area", "origin", "destination")


def columns_from_location(location: str, workspace: SparkWorkspace) -> tuple[str, ...]:
    """Return the names of the columns of a Parquet file, folder or partitioned folder.

    `location` is a path that every worker sees alike, or a URI that Spark reads itself (hdfs://, s3a://…).

    Raises
    ------
    DataError
        If there is nothing at the location, or no Parquet.
    """
    return tuple(_frame(location, workspace).columns)


def read_dataset_on_spark(
    location: str,
    workspace: SparkWorkspace,
    *,
    mapping: ColumnMapping,
    timezone: str | None = None,
    form: FileForm | None = None,
) -> Dataset:
    """Return the normalised table of Parquet files, with a report of what was dropped and why.

    Parameters
    ----------
    location
        As in `columns_from_location`. The files must stay as they are while the table is used.
    workspace
        The application that reads them.
    mapping
        Which column means what.
    timezone
        The zone whose wall clock times with an offset are converted to; None is UTC.
    form
        As in read_dataset, for a secure release: then no row decides how another is read, all files have the same columns
        and types, what folders' names say is text, and the digest of the files' bytes is worked out, which reads them once more.

    Raises
    ------
    DataError
        If the files cannot be used; the message says why.
    """
    if form is not None:  # else the names of all folders together decide what each of them says
        workspace.session.conf.set("spark.sql.sources.partitionColumnTypeInference.enabled", "false")
    frame = _frame(location, workspace)
    _require_folders_alike(location, frame)
    mapping.require_complete(frame.columns)
    if mapping.kind == "counts" or mapping.occupied:
        raise DataError(
            "The Spark engine reads records and trips of users. Use the engine duckdb for the rest."
        )
    if mapping.crs is not None:
        raise DataError(
            "The Spark engine leaves x and y as they are. Write the Parquet with latitude and longitude, or use the engine duckdb."
        )
    if mapping.step_m is not None or slot_min_from_format(mapping.time_format):
        raise DataError(
            "The Spark engine reads neither slots of days nor numbered cells. Write the Parquet with times and metres, or use the engine duckdb."
        )
    _require_timezone(timezone)
    content_digest = None if form is None else _digest_of_files_alike(location, frame, mapping, workspace)
    _require_said_once(frame, mapping)
    name = _name(location)
    workspace.fit_partitions(int(str(frame._jdf.queryExecution().optimizedPlan().stats().sizeInBytes())))
    table = _mapped_columns(frame, mapping, workspace)
    rows = RawRows(
        sources=(),
        mapping=mapping,
        table=composed(stripped(table)),
        stored=None,
        lookup=None,
        lookup_digest="",
        fields={},
        n_malformed=0,
        malformed=(),
        form=form,
    )
    checked, report, _ = checked_rows(rows, name, timezone, workspace)
    addresses = "\n".join(sorted(frame.inputFiles()))
    return Dataset(
        name=name,
        kind=mapping.kind,
        place=mapping.place,
        table=checked,
        report=report,
        digest=hashlib.blake2b(addresses.encode(), digest_size=16).hexdigest(),
        content_digest=content_digest,
        workspace=workspace,
        mapping=mapping,
        form=form,
        is_settled=form is not None,
    )


def content_digest_on_spark(location: str, workspace: SparkWorkspace) -> str:
    """Return the digest of the bytes of all files, worked out by the workers: the name of the data's account in a ledger.

    It is that which one machine finds for the same files, except where their addresses sort otherwise than their names.
    Raises DataError if a file cannot be read.
    """
    if "://" in location:
        return _digest_of_all(location, workspace.files_told(location, _digest_of_bytes))
    path = Path(location).resolve()
    files = files_from_path(path)
    digests = workspace.over([str(file) for file in files], _digest_of_file)
    return digests[0] if len(digests) == 1 and not path.is_dir() else joint_digest(digests)


def _digest_of_files_alike(
    location: str, frame: Any, mapping: ColumnMapping, workspace: SparkWorkspace
) -> str:
    """Return content_digest_on_spark. Raises DataError unless all files have the same columns, those used of the same types.

    Spark reads all of them by what one of them says: which that is must not hang on a file of one person's.
    """
    used = [str(getattr(mapping, field)) for field in mapping.fields_used]
    if "://" in location:
        told = workspace.files_told(location, _digest_and_types)
        parts = {path: text.split(" ", 1) for path, text in told.items()}
        _require_alike({path: types for path, (_, types) in parts.items()}, used)
        return _digest_of_all(location, {path: digest for path, (digest, _) in parts.items()})
    files_from_path(Path(location).resolve(), settled_format=TABLE)
    paths = [unquote(urlsplit(address).path) for address in sorted(frame.inputFiles())]
    _require_alike(dict(zip(paths, workspace.over(paths, _types_of_file), strict=True)), used)
    return content_digest_on_spark(location, workspace)


def _require_alike(types: Mapping[str, str], used: list[str]) -> None:
    (first_path, first_text), *others = types.items()
    first = (_name(first_path), json.loads(first_text))
    for path, text in others:
        if text != first_text:
            other = (_name(path), json.loads(text))
            require_columns_alike(first, other)
            require_types_alike(first, other, used)


def _require_folders_alike(location: str, frame: Any) -> None:
    """Raise a DataError unless the folders of all files name the same columns: Spark would pass over the rows of those that name fewer."""
    n_above = len(Path(urlsplit(location).path if "://" in location else Path(location).resolve()).parts)
    first: tuple[str, set[str]] | None = None
    for address in sorted(frame.inputFiles()):
        below = [unquote(part) for part in Path(urlsplit(address).path).parts[n_above:]]
        found = ("/".join(below), set(said_by_names(below[:-1])))
        first = first or found
        if differing := sorted(first[1] ^ found[1]):
            owner, lacking = (first, found) if differing[0] in first[1] else (found, first)
            raise DataError(
                f"The name of a folder says {differing[0]!r} of {owner[0]} and not of {lacking[0]}, whose rows Spark would pass over. "
                "Put all files into such folders, or none."
            )


def _require_said_once(frame: Any, mapping: ColumnMapping) -> None:
    """Raise a DataError if the files have a column used that names of folders say too: Spark would take the folders', one machine the files'."""
    files = frame._jdf.queryExecution().analyzed().relation()
    own, said = (
        {name.lower() for name in schema.fieldNames()}
        for schema in (files.dataSchema(), files.partitionSchema())
    )
    for field in mapping.fields_used:
        if (column := str(getattr(mapping, field))).lower() in own & said:
            raise DataError(
                f"Column {column!r} stands in the files, and the names of their folders say it too. Rename the folders or the column.",
                column=column,
            )


def _digest_of_all(location: str, digests: Mapping[str, str]) -> str:
    is_file = [_name(path) for path in digests] == [_name(location)]
    return next(iter(digests.values())) if is_file else joint_digest(list(digests.values()))


def _digest_of_file(path: str) -> str:
    return digest_from_path(Path(path))


def _types_of_file(path: str) -> str:
    return json.dumps(types_from_path(Path(path)))


def _digest_of_bytes(content: pa.Buffer) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _digest_and_types(content: pa.Buffer) -> str:
    schema = pq.read_schema(pa.BufferReader(content))
    types = json.dumps({field.name: str(field.type) for field in schema})
    return f"{_digest_of_bytes(content)} {types}"


def require_parquet(location: str) -> None:
    """Raise a DataError, before Spark is started, if a path on this machine is missing or no Parquet."""
    if "://" in location:
        return
    path = Path(location)
    with complaints(path):
        is_folder = path.stat() is not None and path.is_dir()
    if not is_folder and format_from_head(head_from_path(path), path) != "parquet":
        raise DataError(f"{path.name} is not Parquet, and the Spark engine reads nothing else; {_INSTEAD}.")


def _frame(location: str, workspace: SparkWorkspace) -> Any:
    """Return the files as Spark's DataFrame; only their footers are read."""
    require_parquet(location)
    address = location if "://" in location else _address(Path(location).resolve())
    try:
        with workspace.connection.complaints():
            return workspace.session.read.parquet(address)
    except DataError as error:
        told = next((words for mark, words in _FAILURES.items() if mark in str(error.__cause__)), None)
        if told is None:
            raise
        raise DataError(f"{_name(location)} cannot be read: {told}.") from error


def _address(path: Path) -> str:
    """Return a path as Spark takes it: a space stays a space, and what would be a pattern is escaped."""
    return "file://" + re.sub(r"([\\*?{}\[\]])", r"\\\1", str(path))


def _name(location: str) -> str:
    return location.rstrip("/").rpartition("/")[2] or location


def _mapped_columns(frame: Any, mapping: ColumnMapping, workspace: SparkWorkspace) -> ir.Table:
    """Return the mapped columns, named by meaning; DataError where one is not of a kind Spark reads alike."""
    wanted = {field: getattr(mapping, field) for field in mapping.fields_used}
    kinds = dict(frame.dtypes)
    chosen = [frame[f"`{column.replace('`', '``')}`"].alias(field) for field, column in wanted.items()]
    table = workspace.viewed("raw", frame.select(*chosen))
    for field, column in wanted.items():
        kind = kinds[column]
        if field == "timestamp":
            if kind not in ("timestamp", "timestamp_ntz", "date"):
                raise DataError(f"Column {column!r} holds {kind}, not timestamps; {_INSTEAD}.", column=column)
        elif field not in _IDS and kind == "string":
            raise DataError(f"Column {column!r} holds text, not numbers; {_INSTEAD}.", column=column)
    if kinds[mapping.timestamp] == "timestamp":  # an instant, which Ibis takes for a wall-clock time
        table = table.mutate(timestamp=table.timestamp.cast(dt.Timestamp(timezone="UTC")))
    return table


def _require_timezone(timezone: str | None) -> None:
    try:
        ZoneInfo(timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise DataError(f"timezone must be a name such as 'Europe/Paris', got {timezone!r}.") from error
