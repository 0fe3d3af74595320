"""Files of one's own → what a first look tells of them; of a large workbook it is taken in a process of its own.

Of other files a first look reads a megabyte. A workbook is held whole in memory for its first rows, some gigabyte of the largest, which
other sessions of the server would wait for.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from privlab.datasets.files import source_from_path, workbook_grows_beyond
from privlab.datasets.previews import source_of_path
from privlab.datasets.rows import Lookup, guessed_lookup
from privlab.progress import UNHEARD, Progress

Seen = TypeVar("Seen")

_LOOKED_AT_APART_BYTES = 8_000_000  # unpacked, as for reading


def first_look(
    look: Callable[..., Seen],
    *things: Any,
    of: tuple[Path, ...],
    apart: Callable[..., Callable[[Progress], Any]],
    **named: Any,
) -> Seen:
    """Return `look(*things, **named)`, which looks at the files `of`; where one holds a large workbook, done as `apart` does work."""
    if any(holds_large_workbook(path) for path in of):
        seen: Seen = apart(_looked, look, *things, **named)(UNHEARD)
        return seen
    return look(*things, **named)


def _looked(look: Callable[..., Seen], *things: Any, progress: Progress, **named: Any) -> Seen:
    return look(*things, **named)


def holds_large_workbook(path: Path) -> bool:
    """Return whether a file is a large workbook or an archive with one, or a folder holds such a file."""
    if path.is_dir():
        return any(
            workbook_grows_beyond(one, _LOOKED_AT_APART_BYTES)
            for one in path.rglob("*")
            if one.is_file() and not one.is_symlink()
        )
    return path.is_file() and workbook_grows_beyond(path, _LOOKED_AT_APART_BYTES)


def second_file_from_paths(
    path: Path, second: Path, *, format: str, within: Path | None
) -> tuple[Lookup, list[str], list[str]]:
    """Return how a second file is likely matched with a file, and the columns of both."""
    with source_of_path(path, format, within=within) as main:
        return guessed_lookup(main, second), list(main.columns), list(source_from_path(second).columns)


def columns_from_path(path: Path) -> tuple[str, ...]:
    """Return the columns of a file."""
    return source_from_path(path).columns
