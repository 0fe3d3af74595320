"""Where runs of the game and what is made of the samples are kept, and whether anything can be kept there.

Loads nothing of what is kept: a server that starts looks at its places.
"""

import os
import sqlite3
import sys
from pathlib import Path

from privlab.checks import DataError
from privlab.kept.databases import (
    DatabaseKind,
    data_folder,
    database_is_there,
    folder_can_be_written,
    nearest_folder,
    opened_database,
    path_from_setting,
)

RUNS_VARIABLE = "PRIVLAB_RUNS"
CACHE_VARIABLE = "PRIVLAB_CACHE"
OFF = "off"

_TABLES = (
    "CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, made TEXT NOT NULL, name TEXT NOT NULL, "
    "parameters TEXT NOT NULL, data TEXT NOT NULL, versions TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS outcome (key TEXT NOT NULL, user TEXT NOT NULL, body TEXT NOT NULL, "
    "PRIMARY KEY (key, user))",
)


def _make_tables(connection: sqlite3.Connection) -> None:
    for table in _TABLES:
        connection.execute(table)


RUNS_KIND = DatabaseKind(
    name="runs", application_id=0x7072526E, unmarked=frozenset({"run", "outcome"}), steps=(_make_tables,)
)


def runs_path_from_environment() -> Path:
    """Return where runs are kept: the variable PRIVLAB_RUNS, else the user's data folder."""
    named = os.environ.get(RUNS_VARIABLE)
    return path_from_setting(named) if named else data_folder() / "runs.sqlite"


def cache_folder() -> Path | None:
    """Return the folder of the variable PRIVLAB_CACHE, else the user's cache folder; None if it says “off”."""
    named = os.environ.get(CACHE_VARIABLE, "")
    if named == OFF:
        return None
    if named:
        return path_from_setting(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "privlab" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "privlab"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "privlab"


def places_without_use() -> list[str]:
    """Return a sentence or two for each of the two places in which nothing can be kept; nothing is made there."""
    found, runs, folder = [], runs_path_from_environment(), cache_folder()
    try:
        if database_is_there(runs, RUNS_KIND):
            with opened_database(runs, RUNS_KIND):
                pass
    except DataError as error:
        found.append(f"{error} No game on a sample is played until then; {RUNS_VARIABLE} names another file.")
    if folder is not None and not _can_be_filled(folder):
        found.append(
            f"Nothing can be kept of the samples in {folder}, which is no folder that can be written: they are made anew at each start. "
            f"{CACHE_VARIABLE} names another folder; {OFF} keeps nothing."
        )
    return found


def _can_be_filled(folder: Path) -> bool:
    try:
        return folder_can_be_written(folder if folder.exists() else nearest_folder(folder))
    except OSError:
        return False
