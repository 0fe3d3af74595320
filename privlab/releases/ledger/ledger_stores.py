"""How a ledger is opened, read and written: the store of a file, and which store a place has.

A file is written ahead (WAL) and synchronised at every step; whoever writes is alone.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from privlab.kept import DatabaseKind, database_can_be_written, database_is_there, opened_database
from privlab.releases.ledger.ledger_keys import LedgerKeys, create_ledger_keys, ledger_keys_from_file
from privlab.releases.ledger.ledger_places import LedgerServer, Place
from privlab.releases.ledger.ledger_rows import LedgerRows
from privlab.releases.ledger.ledger_schema import core_connection, ledger_kind, require_own_keys

T = TypeVar("T")


class LedgerStore(Protocol):
    """A ledger that can be opened; what is done with its rows is one transaction."""

    def is_there(self) -> bool:
        """Return whether there is a ledger. Raises DataError where none could be made."""

    def can_be_written(self) -> bool:
        """Return whether a ledger that is there can be changed, as far as can be known before it is tried."""

    def read(self, act: Callable[[LedgerRows], T]) -> T | None:
        """Return what is read, None where there is no ledger yet."""

    def write(self, act: Callable[[LedgerRows], T]) -> T:
        """Do what writes, alone, in a ledger that is made where there is none. `act` may be called again."""


class FileStore:
    """A ledger in a SQLite file."""

    def __init__(self, path: Path, told: Callable[[str], None]) -> None:
        self._path = path
        self._told = told

    def is_there(self) -> bool:
        """As LedgerStore."""
        return database_is_there(self._path, self._kind())

    def can_be_written(self) -> bool:
        """As LedgerStore."""
        return database_can_be_written(self._path)

    def read(self, act: Callable[[LedgerRows], T]) -> T | None:
        """As LedgerStore; others may write meanwhile, and change nothing of what is read. It may lie where nothing can be written."""
        if not self.is_there():
            return None
        with self._rows("BEGIN", to_read=True) as rows:
            return act(rows)

    def write(self, act: Callable[[LedgerRows], T]) -> T:
        """As LedgerStore."""
        with self._rows("BEGIN IMMEDIATE") as rows:
            return act(rows)

    def _kind(self) -> DatabaseKind:
        return ledger_kind(lambda: create_ledger_keys(self._path), self._keys)

    def _keys(self) -> LedgerKeys:
        return ledger_keys_from_file(self._path)

    @contextmanager
    def _rows(self, begin: str, *, to_read: bool = False) -> Iterator[LedgerRows]:
        with opened_database(self._path, self._kind(), self._told, to_read=to_read) as raw:
            raw.text_factory = _text
            keys = self._keys()
            with core_connection(raw) as connection:
                require_own_keys(connection, keys)
                with _transaction(raw, begin):
                    yield LedgerRows(connection, keys, machine="")


def store_of(place: Place, told: Callable[[str], None]) -> LedgerStore:
    """Return the store of a ledger; `told` hears that a new one was begun."""
    if isinstance(place, LedgerServer):
        from privlab.releases.ledger.ledger_server import ServerStore

        return ServerStore(place, told)
    return FileStore(place, told)


def _text(content: bytes) -> str:
    """Return text as it was kept; bytes that are none, by other hands, are written out, so that a check can name their row."""
    return content.decode("utf-8", "backslashreplace")


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """With BEGIN IMMEDIATE no other process can write from here; an exception takes back what was written."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
