"""The tables of the ledger, and the steps that led to them.

A new column is a new step at the end of `STEPS`: every ledger there is takes the steps it lacks, none is
ever begun anew.
"""

import hashlib
import sqlite3
from collections.abc import Callable

from privlab.checks import DataError
from privlab.kept import DatabaseKind
from privlab.releases.ledger_keys import LedgerKeys

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


def ledger_kind(keys: Callable[[], LedgerKeys]) -> DatabaseKind:
    """Return what a ledger is; `keys` gives its keys when a step needs them."""

    def keyed(connection: sqlite3.Connection) -> None:
        _key_accounts(connection, keys())

    return DatabaseKind(
        name="ledger",
        application_id=0x70724C67,
        unmarked=frozenset({"budget", "entry"}),
        steps=(_make_first_tables, keyed, _note_how_budgets_add_up),
    )


def require_own_keys(connection: sqlite3.Connection, keys: LedgerKeys) -> None:
    """Raise DataError unless the keys are those that the ledger's accounts were named with."""
    if connection.execute("SELECT mark FROM of_keys").fetchall() != [(keys.mark(),)]:
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
