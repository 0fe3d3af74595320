"""Columns that the names of folders give (`day=2026-03-02`): which they are, and what stands for them in a query.

Only folders below the one that was opened count. A column of the file itself comes before one of a folder's name.
"""

import os
import re
from collections.abc import Collection, Iterable, Sequence
from urllib.parse import unquote

from privlab.checks import DataError

_KEY = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_MISSING = "__HIVE_DEFAULT_PARTITION__"  # what programs that write such folders call a missing value
_SEPARATORS = r"/" if os.sep == "/" else r"/\\"


def said_by_names(folders: Iterable[str]) -> dict[str, str]:
    """Return the columns that the names of some folders give, and their values; nothing where one is missing or does not decode.

    >>> said_by_names(["2026", "user=x=y", "place=a%2Fb", "day=%FF"])
    {'user': 'x=y', 'place': 'a/b', 'day': ''}
    """
    found = (_KEY.fullmatch(name) for name in folders)
    return {one[1]: _value(one[2]) for one in found if one}


def _value(written: str) -> str:
    try:
        value = unquote(written, errors="strict")
        value.encode()
    except UnicodeError:
        return ""
    return "" if value == _MISSING else value


def value_sql(file: str, key: str) -> str:
    """Return what stands in a query for `said_by_names` of a file whose path is `file` there, and which lies in such a folder."""
    # The last folder of that name: one above the folder that was opened says nothing of its files.
    pattern = f"(?s)^.*[{_SEPARATORS}]{key}=([^{_SEPARATORS}]*)[{_SEPARATORS}]"
    return f"nullif(try(url_decode(regexp_extract({file}, '{pattern}', 1))), '{_MISSING}')"


def keys_beside(said: Iterable[str], own: Collection[str]) -> tuple[str, ...]:
    """Return the columns that folders give and a file does not have itself, capitals aside."""
    names = {name.lower() for name in own}
    return tuple(key for key in said if key.lower() not in names)


def require_said_once(
    files: Sequence[tuple[str, Collection[str], Collection[str]]], used: Collection[str]
) -> None:
    """Raise DataError unless all files, each its name, its own columns and those of its folders, say the columns used in one way.

    Which of two places counts must not hang on the file that comes first: it may be one person's.
    """
    inside, outside = dict[str, str](), dict[str, str]()
    for file, own, said in files:
        in_file, in_folder = ({name.lower() for name in names} for names in (own, said))
        for column in used:
            is_inside, is_outside = column.lower() in in_file, column.lower() in in_folder
            if is_inside and is_outside:
                raise DataError(
                    f"Column {column!r} stands in {file}, and the name of its folder says it too. For a secure release, rename the "
                    "folders or the column.",
                    column=column,
                )
            if is_inside or is_outside:
                (inside if is_inside else outside).setdefault(column, file)
            if column in inside and column in outside:
                raise DataError(
                    f"Column {column!r} stands in {inside[column]} itself, and of {outside[column]} the name of its folder says it. "
                    "For a secure release, write all files in one way.",
                    column=column,
                )
