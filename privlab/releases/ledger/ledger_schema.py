"""The steps that led to the tables of the ledger (ledger_tables).

A new column is a new step at the end of `SHARED_STEPS`: every ledger there is takes the steps it lacks, none is
ever begun anew. The steps before are those of files alone: there was no other place then.
"""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, cast

from sqlalchemy import Connection, create_engine, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from privlab.checks import DataError
from privlab.kept import DatabaseKind
from privlab.releases.ledger.ledger_chain import Link, next_link
from privlab.releases.ledger.ledger_keys import LedgerKeys
from privlab.releases.ledger.ledger_tables import OF_KEYS

APPLICATION_ID = 0x70724C67
FIRST_SHARED = 3  # the version before the first step that all places share

SharedStep = Callable[[Connection, LedgerKeys], None]

_FIRST = (
    "CREATE TABLE IF NOT EXISTS budget (dataset TEXT PRIMARY KEY, epsilon REAL NOT NULL, delta REAL NOT NULL)",
    "CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY AUTOINCREMENT, dataset TEXT NOT NULL, "
    "made TEXT NOT NULL, epsilon REAL NOT NULL CHECK (epsilon > 0), delta REAL NOT NULL CHECK (delta >= 0), "
    "what TEXT NOT NULL, key TEXT NOT NULL, certificate TEXT)",
)
_KEYED = (
    "CREATE TABLE of_keys (mark TEXT NOT NULL)",
    "CREATE TABLE entry (number INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, "
    "made TEXT NOT NULL, epsilon REAL NOT NULL CHECK (epsilon > 0), delta REAL NOT NULL CHECK (delta >= 0), "
    "what TEXT NOT NULL, salt TEXT, keyed_digest TEXT NOT NULL, certificate TEXT, failure TEXT)",
    "CREATE TABLE budget_change (number INTEGER PRIMARY KEY AUTOINCREMENT, account TEXT NOT NULL, made TEXT, "
    "epsilon REAL NOT NULL, delta REAL NOT NULL)",
    "CREATE TABLE work (folder TEXT PRIMARY KEY, entry INTEGER)",
)


def ledger_kind(made: Callable[[], LedgerKeys], there: Callable[[], LedgerKeys]) -> DatabaseKind:
    """Return what a ledger in a file is; `made` makes its keys where there are none, `there` refuses instead."""

    def keyed(connection: sqlite3.Connection) -> None:
        _key_accounts(connection, made())

    def shared(step: SharedStep) -> Callable[[sqlite3.Connection], None]:
        def on_file(connection: sqlite3.Connection) -> None:
            with core_connection(connection) as core:
                keys = there()
                require_own_keys(core, keys)
                step(core, keys)

        return on_file

    return DatabaseKind(
        name="ledger",
        application_id=APPLICATION_ID,
        unmarked=frozenset({"budget", "entry"}),
        steps=(_make_first_tables, keyed, _note_how_budgets_add_up, *map(shared, SHARED_STEPS)),
    )


@contextmanager
def core_connection(connection: sqlite3.Connection) -> Iterator[Connection]:
    """Yield an open connection to a file in SQLAlchemy's form; its transactions stay with whoever opened it."""
    engine = create_engine(
        "sqlite://", creator=lambda: cast("Any", _Steered(connection)), poolclass=StaticPool
    )
    try:
        with engine.connect() as core:
            yield core
    except DBAPIError as error:  # whoever opened the file knows SQLite's own complaints
        raise error.orig or error from None
    finally:
        engine.dispose()


class _Steered:
    """A connection to SQLite that neither commits nor closes when SQLAlchemy says so."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def commit(self) -> None:
        """Leave the transaction open."""

    rollback = close = commit


def require_own_keys(connection: Connection, keys: LedgerKeys) -> None:
    """Raise DataError unless the keys are those that the ledger's accounts were named with."""
    if connection.execute(select(OF_KEYS.c.mark)).scalars().all() != [keys.mark()]:
        raise DataError(
            "The keys beside the ledger are those of another ledger. Put its own back from a copy."
        )


def _make_first_tables(connection: sqlite3.Connection) -> None:
    for table in _FIRST:
        connection.execute(table)


def _key_accounts(connection: sqlite3.Connection, keys: LedgerKeys) -> None:
    """Put keyed names in the place of plain digests, and what certificates say in the place of their keys."""
    connection.execute("ALTER TABLE entry RENAME TO plain_entry")
    for table in _KEYED:
        connection.execute(table)
    connection.execute("INSERT INTO of_keys VALUES (?)", (keys.mark(),))
    for dataset, epsilon, delta in connection.execute(
        "SELECT dataset, epsilon, delta FROM budget"
    ).fetchall():
        connection.execute(
            "INSERT INTO budget_change (account, epsilon, delta) VALUES (?, ?, ?)",
            (keys.account_name(dataset), epsilon, delta),
        )
    columns = "number, made, epsilon, delta, what, certificate"
    for dataset, key, *rest in connection.execute(
        f"SELECT dataset, key, {columns} FROM plain_entry"
    ).fetchall():
        said = hashlib.blake2b(dataset.encode(), key=bytes.fromhex(key), digest_size=32).hexdigest()
        connection.execute(
            f"INSERT INTO entry (account, keyed_digest, {columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (keys.account_name(dataset), said, *rest),
        )
    connection.execute("DROP TABLE plain_entry")
    connection.execute("DROP TABLE budget")


def _note_how_budgets_add_up(connection: sqlite3.Connection) -> None:
    """Let a budget say how releases add up; those of before add ε to ε."""
    connection.execute("ALTER TABLE budget_change ADD COLUMN adding TEXT NOT NULL DEFAULT 'sum'")


def _say_who_and_where(connection: Connection, keys: LedgerKeys) -> None:
    """Let entries and budgets say who made them, and notes of work on which machine."""
    for statement in (
        "ALTER TABLE entry ADD COLUMN who TEXT",
        "ALTER TABLE budget_change ADD COLUMN who TEXT",
        "ALTER TABLE work RENAME TO earlier_work",
        "CREATE TABLE work (machine TEXT NOT NULL, folder TEXT NOT NULL, entry INTEGER, "
        "PRIMARY KEY (machine, folder))",
        "INSERT INTO work (machine, folder, entry) SELECT '', folder, entry FROM earlier_work",
        "DROP TABLE earlier_work",
    ):
        connection.execute(text(statement))


def _chain(connection: Connection, keys: LedgerKeys) -> None:
    """Begin the chain, with a link for each entry and budget that is there, which says that it came later."""
    connection.execute(
        text(
            "CREATE TABLE link (number INTEGER NOT NULL PRIMARY KEY, entry INTEGER, said TEXT NOT NULL, "
            "digest TEXT NOT NULL, signature TEXT NOT NULL)"
        )
    )
    names = "number, account, made, epsilon, delta, what, salt, keyed_digest, certificate, failure, who"
    entries = connection.execute(text(f"SELECT {names} FROM entry ORDER BY number")).mappings()
    names = "number, account, made, epsilon, delta, adding, who"
    budgets = connection.execute(text(f"SELECT {names} FROM budget_change ORDER BY number")).mappings()
    last: Link | None = None
    for act, rows in (("entry", entries), ("budget", budgets)):
        for row in rows:
            said = {"act": act, "chained_later": True, **row}
            last = next_link(last, keys, said, row["number"] if act == "entry" else None)
            connection.execute(
                text("INSERT INTO link VALUES (:number, :entry, :said, :digest, :signature)"), asdict(last)
            )


def _let_a_second_person_approve(connection: Connection, keys: LedgerKeys) -> None:
    for statement in (
        "CREATE TABLE limit_change (number INTEGER NOT NULL PRIMARY KEY, made TEXT NOT NULL, "
        "epsilon DOUBLE PRECISION, who TEXT)",
        "CREATE TABLE approval (number INTEGER NOT NULL PRIMARY KEY, account TEXT NOT NULL, asked TEXT NOT NULL, "
        "asked_by TEXT NOT NULL, epsilon DOUBLE PRECISION NOT NULL, delta DOUBLE PRECISION NOT NULL, "
        "what TEXT NOT NULL, approved TEXT, approved_by TEXT, entry INTEGER)",
    ):
        connection.execute(text(statement))


def _let_datasets_share_an_account(connection: Connection, keys: LedgerKeys) -> None:
    """Make room for datasets and names of accounts: those of before keep their own account, without a name."""
    for statement in (
        "CREATE TABLE dataset (number INTEGER NOT NULL PRIMARY KEY, dataset TEXT NOT NULL, account TEXT NOT NULL, "
        "made TEXT NOT NULL, people TEXT, who TEXT)",
        "CREATE TABLE account_title (number INTEGER NOT NULL PRIMARY KEY, account TEXT NOT NULL, title TEXT NOT NULL, "
        "made TEXT NOT NULL, who TEXT)",
    ):
        connection.execute(text(statement))


SHARED_STEPS: tuple[SharedStep, ...] = (
    _say_who_and_where,
    _chain,
    _let_a_second_person_approve,
    _let_datasets_share_an_account,
)
VERSION = FIRST_SHARED + len(SHARED_STEPS)
