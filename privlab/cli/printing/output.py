"""Results → lines, JSON and files of the command line."""

import codecs
import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import typer

from privlab.checks import DataError, ParameterError

if TYPE_CHECKING:
    import pyarrow as pa

    from privlab.od.trips import FlowCounts, TripTables


def write_tables(folder: Path, tables: "dict[str, pa.Table]") -> None:
    """Write tables as NAME.parquet into a folder, which is made where it is missing; raises DataError where that fails."""
    import pyarrow.parquet as pq

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables.items():
            pq.write_table(table, folder / f"{name}.parquet")
    except OSError as error:
        raise DataError(f"Could not write to {folder}: {error.strerror or error}.") from None


def require_parquet_name(path: Path) -> None:
    """Raise ParameterError unless the name of a Parquet file to write says that it is one."""
    if path.suffix != ".parquet":
        raise ParameterError(f"out must end in .parquet, got {path.name!r}.")


def write_table(path: Path, table: "pa.Table") -> None:
    """Write a table as Parquet; raises DataError where that fails."""
    import pyarrow.parquet as pq

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
    except OSError as error:
        raise DataError(f"Could not write {path}: {error.strerror or error}.") from None


def write_text(path: Path, text: str) -> None:
    """Write text with its line ends as they are; raises DataError where that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    except OSError as error:
        raise DataError(f"Could not write {path}: {error.strerror or error}.") from None


_NOBODY_NAMED = (
    "The file does not say whose trips it counts: no figure per person can be computed. If the counts are of "
    "trips rather than of people, someone may be in a flow more than once, and epsilon then covers a single "
    "journey, not even all that one person adds to one flow."
)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    """Write rows as one Parquet file; raises DataError where that fails."""
    import pyarrow as pa

    write_table(path, pa.Table.from_pylist(rows))


def account(source: "TripTables | FlowCounts") -> dict[str, Any]:
    """Return what took part and what did not; None for what a file that names no users cannot tell."""
    from privlab.od.trips import TripTables

    if isinstance(source, TripTables):
        return {
            "records": source.n_records,
            "users": source.n_users,
            "dropped": source.dropped,
            "trips": source.n_trips,
            "unique_trips": source.n_unique_trips,
        }
    return {
        "records": source.n_records,
        "users": None,
        "dropped": source.dropped,
        "trips": source.total,
        "unique_trips": None,
    }


def notes_on(source: "TripTables | FlowCounts") -> list[str]:
    """Return what must be said of figures without people, or nothing."""
    from privlab.od.trips import FlowCounts

    return [_NOBODY_NAMED] if isinstance(source, FlowCounts) else []


def show(result: dict[str, Any], as_json: bool) -> None:
    """Print a result as lines to read, or as one JSON object."""
    plain = _plain(result)
    if as_json:
        typer.echo(json.dumps(plain, ensure_ascii=not _has_any_sign(sys.stdout), allow_nan=False))
        return
    for line in _lines(plain):
        typer.echo(line)


def _lines(result: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Yield a result to read: what is in a part further in than its name, rows as a table, sentences a line each."""
    for name, value in result.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"{indent}{name}:"
            names = list(
                dict.fromkeys(name for row in value for name in row)
            )  # not every row has all of them
            yield indent + "\t".join(names)
            for row in value:
                yield indent + "\t".join(_text(row.get(name)) for name in names)
        elif isinstance(value, list) and any(isinstance(one, str) and " " in one for one in value):
            yield f"{indent}{name}:"
            yield from (f"{indent}  {one}" for one in value)
        elif isinstance(value, dict) and value:
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        else:
            yield f"{indent}{name}: {_text(value)}"


def show_what_is_done(show_it: Callable[[], None]) -> None:
    """Show the result of what cannot be taken back: where that fails, it is done all the same, and the command succeeds."""
    try:
        show_it()
        sys.stdout.flush()
    except (OSError, UnicodeError, DataError) as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # for what is still to be flushed at the end
        say(f"It is done and on record, but the result could not be shown: {error}.")


def print_any_sign() -> None:
    """Have files and pipes get UTF-8 where the system would write in an encoding without ε or ≤, as Windows does.

    A terminal, and whoever asks for another encoding (PYTHONIOENCODING), gets the signs that it has, and the numbers of others.
    """
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper) or _has_any_sign(stream):
            continue
        if stream.isatty() or os.environ.get("PYTHONIOENCODING"):
            stream.reconfigure(errors="backslashreplace")
        else:
            stream.reconfigure(encoding="utf-8")


def _has_any_sign(stream: TextIO) -> bool:
    return codecs.lookup(stream.encoding or "utf-8").name.startswith("utf")


def say(words: str) -> None:
    """Print a sentence on standard error, if anyone is there to hear it."""
    with suppress(OSError, UnicodeError):
        print(words, file=sys.stderr, flush=True)


def _text(value: Any) -> str:
    """Return a value in one line; of a list or a part what is in it, with commas between."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_text(inner)}" for name, inner in value.items()) or "–"
    if isinstance(value, list):
        return ", ".join(map(_text, value)) or "–"
    return "–" if value is None else str(value)


def _plain(value: Any) -> Any:
    """Return a value as JSON knows it: NaN becomes null, dates ISO text, parameter objects dicts."""
    if hasattr(value, "__dataclass_fields__"):
        value = asdict(value)
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value.isoformat() if hasattr(value, "isoformat") else value
