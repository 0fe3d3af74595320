"""The ledger: what every secure release of a dataset has cost its people, and the budget it may cost.

One SQLite file, written ahead (WAL) and synchronised at every step. A release is written down before any
of its noise is drawn: a process that dies in between leaves a cost without a release, never a release
without its cost.
"""

import math
import os
import secrets
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from privlab.checks import DataError, ParameterError, require_between
from privlab.limits import MAX_BUDGET, MIN_EPSILON

LEDGER_VARIABLE = "PRIVLAB_LEDGER"

_WAIT_S = 60.0  # how long one process waits for another's entry
_ROUNDING = 1e-9  # budgets are kept up to this relative error of adding up
_TABLES = (
    "CREATE TABLE IF NOT EXISTS budget (dataset TEXT PRIMARY KEY, epsilon REAL NOT NULL, delta REAL NOT NULL)",
    "CREATE TABLE IF NOT EXISTS entry (number INTEGER PRIMARY KEY AUTOINCREMENT, dataset TEXT NOT NULL, "
    "made TEXT NOT NULL, epsilon REAL NOT NULL CHECK (epsilon > 0), delta REAL NOT NULL CHECK (delta >= 0), "
    "what TEXT NOT NULL, key TEXT NOT NULL, certificate TEXT)",
)


class BudgetExceeded(ParameterError):
    """A release that would cost more than the steward has allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One secure release: what it cost a user in all its weeks, and the digest of its certificate.

    `certificate` is None while the hand-over is not confirmed: the process may have died before or just
    after it; the cost counts. `key` binds the certificate to the data (docs/privacy.md) and is known to
    the ledger only.
    """

    number: int
    dataset: str
    made: str
    epsilon: float
    delta: float
    what: str
    key: str
    certificate: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What one dataset has spent, by basic composition, and its budget (None: no budget is set)."""

    dataset: str
    epsilon: float
    delta: float
    budget_epsilon: float | None
    budget_delta: float | None
    entries: tuple[LedgerEntry, ...]

    @property
    def left_epsilon(self) -> float | None:
        """ε still to be spent, never below 0; None without a budget."""
        return None if self.budget_epsilon is None else max(self.budget_epsilon - self.epsilon, 0.0)


def ledger_path_from_environment() -> Path:
    """Return where the ledger lives: the variable PRIVLAB_LEDGER, else the user's data folder."""
    named = os.environ.get(LEDGER_VARIABLE)
    return Path(named) if named else data_folder() / "ledger.sqlite"


def data_folder() -> Path:
    """Return the folder that this program keeps what lasts in, under the user's data folder."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "privlab"


class Ledger:
    """The ledger in one file, made where it is missing. Every call is one transaction of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def reserved(self, dataset: str, *, epsilon: float, delta: float, what: str) -> LedgerEntry:
        """Write down what a release will cost, before it is made; return the entry.

        Raises BudgetExceeded, and writes nothing, if the budget does not suffice.
        """
        _require_cost(epsilon, delta)
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")  # from here on no other process can write
            account = _account(connection, dataset)
            _require_left(account, epsilon, delta)
            made, key = datetime.now(UTC).isoformat(timespec="seconds"), secrets.token_hex(32)
            values = (dataset, made, epsilon, delta, what, key)
            cursor = connection.execute(
                "INSERT INTO entry (dataset, made, epsilon, delta, what, key) VALUES (?, ?, ?, ?, ?, ?)",
                values,
            )
            number = int(cursor.lastrowid or 0)
            connection.execute("COMMIT")
        return LedgerEntry(
            number=number,
            dataset=dataset,
            made=made,
            epsilon=epsilon,
            delta=delta,
            what=what,
            key=key,
            certificate=None,
        )

    def certified(self, number: int, certificate: str) -> None:
        """Note the digest of the certificate under an entry, once."""
        with self._connection() as connection:
            changed = connection.execute(
                "UPDATE entry SET certificate = ? WHERE number = ? AND certificate IS NULL",
                (certificate, number),
            )
            if changed.rowcount != 1:
                raise DataError(f"The ledger has no open entry {number}.")

    def set_budget(self, dataset: str, *, epsilon: float, delta: float) -> None:
        """Set what all releases of a dataset together may cost one user."""
        require_between("epsilon", epsilon, MIN_EPSILON, MAX_BUDGET)
        require_between("delta", delta, 0, 1)
        with self._connection() as connection:
            connection.execute("INSERT OR REPLACE INTO budget VALUES (?, ?, ?)", (dataset, epsilon, delta))

    def account(self, dataset: str) -> Account:
        """Return what one dataset has spent."""
        with self._connection() as connection:
            return _account(connection, dataset)

    def accounts(self) -> list[Account]:
        """Return what every dataset has spent that has an entry or a budget."""
        with self._connection() as connection:
            rows = connection.execute("SELECT dataset FROM entry UNION SELECT dataset FROM budget ORDER BY 1")
            return [_account(connection, dataset) for (dataset,) in rows.fetchall()]

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with written_ahead(self.path, "ledger", _TABLES) as connection:
            yield connection


@contextmanager
def written_ahead(path: Path, what: str, tables: Sequence[str]) -> Iterator[sqlite3.Connection]:
    """Yield a connection to the SQLite file of the ledger or the runs, made where it is missing.

    Raises DataError, naming `what` the file is, where it cannot be opened, read or written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, timeout=_WAIT_S, isolation_level=None)
    except (OSError, sqlite3.Error) as error:
        raise DataError(f"Could not open the {what} {path}: {error}.") from None
    try:
        _prepare(connection, tables)
        yield connection
    except sqlite3.Error as error:
        raise DataError(f"The {what} {path} could not be read or written: {error}.") from None
    finally:
        connection.close()


def _prepare(connection: sqlite3.Connection, tables: Sequence[str]) -> None:
    """Write ahead, synchronise at every commit, and make the tables where they are missing."""
    end = time.monotonic() + _WAIT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:  # the one step at which SQLite does not wait itself
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.02)
    connection.execute("PRAGMA synchronous = FULL")
    for table in tables:
        connection.execute(table)


def _account(connection: sqlite3.Connection, dataset: str) -> Account:
    columns = "number, dataset, made, epsilon, delta, what, key, certificate"
    rows = connection.execute(f"SELECT {columns} FROM entry WHERE dataset = ? ORDER BY number", (dataset,))
    names = columns.split(", ")
    entries = tuple(LedgerEntry(**dict(zip(names, row, strict=True))) for row in rows.fetchall())
    budget = connection.execute("SELECT epsilon, delta FROM budget WHERE dataset = ?", (dataset,)).fetchone()
    return Account(
        dataset=dataset,
        epsilon=math.fsum(entry.epsilon for entry in entries),
        delta=math.fsum(entry.delta for entry in entries),
        budget_epsilon=None if budget is None else budget[0],
        budget_delta=None if budget is None else budget[1],
        entries=entries,
    )


def _require_cost(epsilon: float, delta: float) -> None:
    require_between("epsilon", epsilon, MIN_EPSILON, MAX_BUDGET)
    require_between("delta", delta, 0, 1)


def _require_left(account: Account, epsilon: float, delta: float) -> None:
    if account.budget_epsilon is None or account.budget_delta is None:
        return
    for name, cost, spent, budget in (
        ("epsilon", epsilon, account.epsilon, account.budget_epsilon),
        ("delta", delta, account.delta, account.budget_delta),
    ):
        if spent + cost > budget * (1 + _ROUNDING):
            raise BudgetExceeded(
                f"{name} must be at most {max(budget - spent, 0.0):g}, what is left of this data's budget of "
                f"{budget:g}, got {cost:g}."
            )
