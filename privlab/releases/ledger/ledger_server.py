"""A ledger in PostgreSQL: opened, checked to be ours, brought up to date; several machines may use it at once.

Whoever writes holds a lock on the ledger's one-row table until the transaction ends, on whatever machine. Where a
connection is lost, nobody knows whether the last words were kept: the write is done again, under the lock, and finds
out. What is said of a failure never holds the password.
"""

import importlib.util
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, NullPool, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from privlab.checks import DataError
from privlab.releases.ledger.ledger_keys import (
    LedgerKeys,
    create_ledger_keys,
    key_path_of,
    ledger_keys_from_file,
)
from privlab.releases.ledger.ledger_places import LedgerServer
from privlab.releases.ledger.ledger_rows import LedgerRows
from privlab.releases.ledger.ledger_schema import (
    APPLICATION_ID,
    FIRST_SHARED,
    SHARED_STEPS,
    VERSION,
    require_own_keys,
)
from privlab.releases.ledger.ledger_tables import OF_KEYS, TABLES

T = TypeVar("T")

_WAIT_S = 60  # how long one process waits for another's entry, as with a file
# A connection that answers no more is given up within a minute and a half, not after the system's two hours.
_CONNECTING: dict[str, Any] = {
    "application_name": "privlab",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
_AGAIN_AFTER_S = (0.1, 0.4, 1.5, 3.0)  # a server that is started anew is back within this
_SETTINGS = (
    f"SET lock_timeout = '{_WAIT_S}s'",
    # A machine that is cut off in the middle of its writing keeps the others out no longer than they wait.
    f"SET idle_in_transaction_session_timeout = '{_WAIT_S}s'",
    # An entry that was said to be written survives the server's fall, whatever the server does by default.
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'",
)


class ServerGone(DataError):
    """The server cannot be reached, or the connection was lost: what was being written may be there or not."""


class ServerStore:
    """A ledger in a PostgreSQL database."""

    def __init__(self, server: LedgerServer, told: Callable[[str], None]) -> None:
        self._server = server
        self._told = told

    def is_there(self) -> bool:
        """As LedgerStore."""
        with self._connected() as connection:
            return _version(connection) is not None

    def can_be_written(self) -> bool:
        """As LedgerStore."""
        return True

    def read(self, act: Callable[[LedgerRows], T]) -> T | None:
        """As LedgerStore; others may write meanwhile, and change nothing of what is read."""
        with self._connected("REPEATABLE READ") as connection:
            version = _version(connection)
            if version == VERSION:
                return act(self._rows(connection))
        return None if version is None else self.write(act)

    def write(self, act: Callable[[LedgerRows], T]) -> T:
        """As LedgerStore; done again where the connection is lost, so `act` looks for what it wrote before."""
        for wait_s in _AGAIN_AFTER_S:
            try:
                return self._written(act)
            except ServerGone:
                time.sleep(wait_s)
        return self._written(act)

    def _written(self, act: Callable[[LedgerRows], T]) -> T:
        begun = False
        with self._connected() as connection:
            if _version(connection) != VERSION:
                begun = self._brought_up_to_date(connection)
            connection.execute(text("LOCK TABLE privlab_ledger IN EXCLUSIVE MODE"))
            result = act(self._rows(connection))
            connection.commit()
        if begun:
            self._told(f"A new ledger was begun: {self._server.name}.")
        return result

    def _rows(self, connection: Connection) -> LedgerRows:
        keys = self._keys()
        require_own_keys(connection, keys)
        return LedgerRows(connection, keys, machine=self._server.machine())

    def _keys(self) -> LedgerKeys:
        path = key_path_of(self._server.path)
        if not path.exists():
            raise DataError(
                f"The keys of the ledger {self._server.name} are missing on this machine: copy {path.name} from one that "
                f"has it to {path.parent}."
            )
        return ledger_keys_from_file(self._server.path)

    def _brought_up_to_date(self, connection: Connection) -> bool:
        """Make the tables, or take the steps that are missing, within the transaction; return whether they were made."""
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": APPLICATION_ID})
        version = _version(connection)  # another may have done it meanwhile
        if version is None:
            keys = create_ledger_keys(self._server.path)
            connection.execute(text("CREATE TABLE privlab_ledger (version INTEGER NOT NULL)"))
            TABLES.create_all(connection, checkfirst=False)
            connection.execute(OF_KEYS.insert().values(mark=keys.mark()))
            connection.execute(text("INSERT INTO privlab_ledger VALUES (:version)"), {"version": VERSION})
            return True
        if version > VERSION:
            raise DataError(
                f"The ledger {self._server.name} was written by a later version of privlab. Use that version, or name "
                "another database."
            )
        keys = self._keys()
        require_own_keys(connection, keys)
        for step in SHARED_STEPS[version - FIRST_SHARED :]:
            step(connection, keys)
        connection.execute(text("UPDATE privlab_ledger SET version = :version"), {"version": VERSION})
        return False

    @contextmanager
    def _connected(self, isolation: str = "READ COMMITTED") -> Iterator[Connection]:
        """Yield a connection in a transaction of its own, taken back unless it is committed."""
        opened = False
        try:
            engine = _engine(self._server)
            with engine.connect().execution_options(isolation_level=isolation) as connection:
                opened = True
                yield connection
        except DBAPIError as error:
            said = self._said(error)
            if not opened:
                kind = ServerGone if isinstance(error, OperationalError) else DataError
                raise kind(f"Could not open the ledger {self._server.name}: {said}.") from None
            if error.connection_invalidated or _is_lost(error):
                raise ServerGone(
                    f"The connection to the ledger {self._server.name} was lost: {said}."
                ) from None
            raise DataError(f"The ledger {self._server.name} could not be read or written: {said}.") from None
        except SQLAlchemyError as error:
            raise DataError(f"Could not open the ledger {self._server.name}: {self._said(error)}.") from None

    def _said(self, error: SQLAlchemyError) -> str:
        """Return what a driver says, in one line and without the password."""
        words = " ".join(str(getattr(error, "orig", None) or error).split())
        words = words.partition(" Is the server running")[0].rstrip(".?")
        password = self._server.password
        return words.replace(password, "…") if password else words


def _is_lost(error: DBAPIError) -> bool:
    """Return whether the connection is lost though the driver still holds it for open: the server has given no code of an error, or one
    that says that it ends (08…, 57P…). A statement sent in the moment of the end fails so.
    """
    code = getattr(error.orig, "sqlstate", None)
    return isinstance(error, OperationalError) and (code is None or code.startswith(("08", "57P")))


@lru_cache(maxsize=8)
def _engine(server: LedgerServer) -> Engine:
    """Return the engine of a server, which keeps no connection open. Raises DataError if its address is none."""
    if importlib.util.find_spec("psycopg") is None:
        raise DataError(
            "A ledger in PostgreSQL needs the package psycopg: pip install -r requirements-postgres.txt."
        )
    try:
        url = make_url(server.address)
        is_ours = server.is_address and bool(url.database)
    except (SQLAlchemyError, ValueError):
        is_ours = False
    if not is_ours:
        raise DataError(
            "The address of the ledger must be postgresql://USER:PASSWORD@HOST/DATABASE, with % codes for / ? # and @ in "
            "the password, or the name of a file; got neither."
        )
    more = {name: value for name, value in _CONNECTING.items() if name not in url.query}
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"), poolclass=NullPool, connect_args=more, hide_parameters=True
    )
    event.listen(engine, "connect", _settle)
    return engine


def _settle(connection: Any, _: object) -> None:
    connection.autocommit = True
    for setting in _SETTINGS:
        connection.execute(setting)
    connection.autocommit = False


def _version(connection: Connection) -> int | None:
    """Return the version of the ledger's tables, None where there are none."""
    if connection.execute(text("SELECT to_regclass('privlab_ledger')")).scalar_one() is None:
        return None
    return int(connection.execute(text("SELECT version FROM privlab_ledger")).scalar_one())
