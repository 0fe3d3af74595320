"""The ledger: what every secure release of a dataset has cost its people, and the budget it may cost.

One SQLite file, written ahead (WAL) and synchronised at every step, with its keys in a file beside it. A
release is written down before any of its noise is drawn: a process that dies in between leaves a cost
without a release, never a release without its cost.
"""

import math
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from privlab.checks import DataError, ParameterError, require_between, require_choice
from privlab.kept import DatabaseKind, data_folder, database_is_there, opened_database
from privlab.limits import MAX_BUDGET, MAX_TARGET_DELTA, MIN_EPSILON, MIN_TARGET_DELTA
from privlab.releases.budget_rule import ADDED_BY, Cost, cost_from_entry, cost_of_entry
from privlab.releases.ledger_keys import LedgerKeys, create_ledger_keys, ledger_keys_from_file
from privlab.releases.ledger_schema import ledger_kind, require_own_keys

LEDGER_VARIABLE = "PRIVLAB_LEDGER"

_ROUNDING = 1e-9  # budgets are kept up to this relative error of adding up


class BudgetExceeded(ParameterError):
    """A release that would cost more than the steward has allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One secure release: what it cost a user in all its weeks, and the digest of its certificate.

    `account` is the keyed name of the data, `keyed_digest` what the certificate says of it, with `salt`
    (None in entries of before there were salts). `certificate` is None while the hand-over is not
    confirmed: the process may have died before or just after it. `failure` says why nothing was handed
    over. The cost counts in any case.
    """

    number: int
    account: str
    made: str
    epsilon: float
    delta: float
    what: str
    salt: str | None
    keyed_digest: str
    certificate: str | None
    failure: str | None

    @property
    def state(self) -> str:
        """One of "confirmed", "failed" and "unconfirmed"."""
        return "confirmed" if self.certificate else "failed" if self.failure else "unconfirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetChange:
    """A budget that was set; `made` is None for those of before changes were noted.

    `adding` is how releases add up to it: "sum" (ε to ε, δ to δ) or "concentrated" (ρ to ρ, turned into ε at δ).
    """

    made: str | None
    epsilon: float
    delta: float
    adding: str = "sum"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What one dataset has spent, by basic composition, and its budget (None: no budget is set).

    `name` is keyed: it cannot be worked out from the data alone. It is empty where no ledger is yet. `adding` is how
    releases add up to the budget.
    """

    name: str
    epsilon: float
    delta: float
    budget_epsilon: float | None
    budget_delta: float | None
    entries: tuple[LedgerEntry, ...]
    budget_changes: tuple[BudgetChange, ...]
    adding: str = "sum"

    @property
    def left_epsilon(self) -> float | None:
        """ε still to be spent where ε adds to ε, never below 0; None without a budget."""
        return None if self.budget_epsilon is None else max(self.budget_epsilon - self.epsilon, 0.0)

    def reason_against(self, cost: Cost) -> str | None:
        """Return why a release that costs so much goes beyond the budget, in one sentence; None if it does not.

        One rule decides, the budget's, fixed when it was set: by turns one rule and another would prove nothing.
        """
        if self.budget_epsilon is None or self.budget_delta is None:
            return None
        if self.adding == "concentrated":
            return self._reason_by_rho(cost, self.budget_epsilon, self.budget_delta)
        for name, new, spent, budget in (
            ("epsilon", cost.epsilon, self.epsilon, self.budget_epsilon),
            ("delta", cost.delta, self.delta, self.budget_delta),
        ):
            if new and spent + new > budget * (1 + _ROUNDING):
                return (
                    f"{name} must be at most {max(budget - spent, 0.0):g}, what is left of this data's budget of "
                    f"{budget:g}, got {new:g}."
                )
        return None

    def fitting_epsilon(self, cost_at: Callable[[float], Cost], most: float) -> float:
        """Return nearly the largest ε ≤ `most` whose cost fits into what is left of the budget, 0.0 for none."""
        low, high = 0.0, most
        while high - low > 1e-3 * high and high > MIN_EPSILON:
            middle = (low + high) / 2
            fits = middle >= MIN_EPSILON and self.reason_against(cost_at(middle)) is None
            low, high = (middle, high) if fits else (low, middle)
        return low

    def _reason_by_rho(self, cost: Cost, epsilon: float, delta: float) -> str | None:
        from privlab.dp.promise import epsilon_from_concentrated

        costs = [cost_of_entry(one.epsilon, one.delta, one.what) for one in self.entries]
        whole = sum((one.concentrated for one in costs), cost.concentrated)
        found = epsilon_from_concentrated(whole, delta)
        if found <= epsilon * (1 + _ROUNDING):
            return None
        said = f"{found:.4g}" if math.isfinite(found) else "beyond all bounds"
        return (
            f"epsilon must be smaller: with this release of {cost.epsilon:g} all releases of this data come to "
            f"{said} at delta {delta:g}, more than its budget of {epsilon:g}, got {cost.epsilon:g}."
        )


def ledger_path_from_environment() -> Path:
    """Return where the ledger lives: the variable PRIVLAB_LEDGER, else the user's data folder."""
    named = os.environ.get(LEDGER_VARIABLE)
    return Path(named) if named else data_folder() / "ledger.sqlite"


class Ledger:
    """The ledger in one file, made by the first entry or budget. Every call is one transaction of its own.

    Data is named by its plain digest, which is never written down. `told` hears what a user should know:
    that a new ledger was begun.
    """

    def __init__(self, path: Path, told: Callable[[str], None] = lambda words: None) -> None:
        self.path = path
        self.told = told

    @property
    def is_there(self) -> bool:
        """Whether the file is there. Raises DataError where it neither is nor could be made."""
        return database_is_there(self.path, self._kind())

    def keys(self) -> LedgerKeys:
        """Return the ledger's keys. Raises DataError if there is no ledger, or no keys beside it."""
        if not self.is_there:
            raise DataError(f"There is no ledger {self.path}. The first release or budget begins one.")
        with self._connection() as (_, keys):
            return keys

    def reserve_budget(
        self,
        digest: str,
        *,
        epsilon: float,
        delta: float,
        what: str,
        earlier_digest: str | None = None,
        folder: Path | None = None,
    ) -> LedgerEntry:
        """Write down what a release will cost, before it is made; return the entry.

        `earlier_digest` is one that older ledgers may have the same data under: what stands there is moved
        to this account. `folder` is where the release is to appear. Raises BudgetExceeded, and writes
        nothing, if the budget does not suffice.
        """
        _require_cost(epsilon, delta)
        with self._connection() as (connection, keys), _exclusive(connection):
            name = keys.account_name(digest)
            if earlier_digest is not None:
                _move_account(connection, keys.account_name(earlier_digest), name)
            _require_left(_account(connection, name), cost_from_entry(epsilon, delta, what))
            salt = secrets.token_hex(32)
            values = (name, _now(), epsilon, delta, what, salt, keys.keyed_digest(digest, salt))
            cursor = connection.execute(
                "INSERT INTO entry (account, made, epsilon, delta, what, salt, keyed_digest) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                values,
            )
            if folder is not None:
                connection.execute(
                    "INSERT OR REPLACE INTO work (folder, entry) VALUES (?, ?)",
                    (str(folder), cursor.lastrowid),
                )
            return _entries(connection, "number = ?", cursor.lastrowid)[0]

    def record_certificate(self, number: int, certificate: str) -> None:
        """Note the digest of the certificate under an entry, once."""
        self._note(number, "certificate", certificate)

    def record_failure(self, number: int, why: str) -> None:
        """Note why nothing was handed over under an entry, once; its cost goes on to count."""
        self._note(number, "failure", why)

    def set_budget(self, digest: str, *, epsilon: float, delta: float, adding: str = "sum") -> None:
        """Set what all releases of a dataset together may cost one user, and how they add up (BudgetChange)."""
        _require_budget(epsilon, delta, adding)
        with self._connection() as (connection, keys), _exclusive(connection):
            _change_budget(connection, keys.account_name(digest), epsilon, delta, adding)

    def set_budget_of_account(self, name: str, *, epsilon: float, delta: float, adding: str = "sum") -> None:
        """Set the budget of an account by its name. Raises DataError if there is no such account."""
        _require_budget(epsilon, delta, adding)
        if name not in {account.name for account in self.accounts()}:
            raise DataError(f"The ledger {self.path} has no account {name}. Name the data file instead.")
        with self._connection() as (connection, _), _exclusive(connection):
            _change_budget(connection, name, epsilon, delta, adding)

    def account(self, digest: str, earlier_digest: str | None = None) -> Account:
        """Return what one dataset has spent; nothing is made where no ledger is yet."""
        if not self.is_there:
            return _account_from_rows("", [], [])
        with self._connection() as (connection, keys):
            names = [keys.account_name(one) for one in dict.fromkeys((digest, earlier_digest)) if one]
            return _account(connection, *names)

    def accounts(self) -> list[Account]:
        """Return what every dataset has spent that has an entry or a budget."""
        if not self.is_there:
            return []
        with self._connection() as (connection, _):
            rows = connection.execute(
                "SELECT account FROM entry UNION SELECT account FROM budget_change ORDER BY 1"
            ).fetchall()
            return [_account(connection, name) for (name,) in rows]

    def entry_of(self, keyed_digest: str) -> LedgerEntry | None:
        """Return the entry of the release whose certificate says this of its data, or None."""
        if not self.is_there:
            return None
        with self._connection() as (connection, _):
            found = _entries(connection, "keyed_digest = ?", keyed_digest)
        return found[0] if found else None

    def begin_work(self, folder: Path) -> None:
        """Note that a release is being made for a folder, so that a later start can clear what is left."""
        with self._connection() as (connection, _):
            connection.execute("INSERT OR IGNORE INTO work (folder) VALUES (?)", (str(folder),))

    def end_work(self, folder: Path) -> None:
        """Note that nothing is left of the making of a release."""
        with self._connection() as (connection, _):
            connection.execute("DELETE FROM work WHERE folder = ?", (str(folder),))

    def work(self) -> list[tuple[Path, LedgerEntry | None]]:
        """Return the folders that releases are, or were, being made for, and their entries so far."""
        if not self.is_there:
            return []
        with self._connection() as (connection, _):
            rows = connection.execute("SELECT folder, entry FROM work ORDER BY folder").fetchall()
            return [
                (Path(folder), next(iter(_entries(connection, "number = ?", number)), None))
                for folder, number in rows
            ]

    def _note(self, number: int, column: str, text: str) -> None:
        with self._connection() as (connection, _):
            changed = connection.execute(
                f"UPDATE entry SET {column} = ? WHERE number = ? AND certificate IS NULL AND failure IS NULL",
                (text, number),
            )
            if changed.rowcount != 1:
                raise DataError(f"The ledger has no open entry {number}.")

    def _kind(self) -> DatabaseKind:
        return ledger_kind(lambda: create_ledger_keys(self.path))

    @contextmanager
    def _connection(self) -> Iterator[tuple[sqlite3.Connection, LedgerKeys]]:
        with opened_database(self.path, self._kind(), self.told) as connection:
            keys = ledger_keys_from_file(self.path)
            require_own_keys(connection, keys)
            yield connection, keys


@contextmanager
def _exclusive(connection: sqlite3.Connection) -> Iterator[None]:
    """From here on no other process can write; an exception takes back what was written."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _entries(connection: sqlite3.Connection, where: str, value: Any) -> list[LedgerEntry]:
    names = [field.name for field in fields(LedgerEntry)]
    rows = connection.execute(f"SELECT {', '.join(names)} FROM entry WHERE {where} ORDER BY number", (value,))
    return [LedgerEntry(**dict(zip(names, row, strict=True))) for row in rows.fetchall()]


def _account(connection: sqlite3.Connection, *names: str) -> Account:
    entries, budgets = [], []
    for name in names:
        entries += _entries(connection, "account = ?", name)
        query = "SELECT made, epsilon, delta, adding FROM budget_change WHERE account = ? ORDER BY number"
        rows = connection.execute(query, (name,)).fetchall()
        budgets.append(
            [BudgetChange(made=made, epsilon=one, delta=two, adding=way) for made, one, two, way in rows]
        )
    return _account_from_rows(names[0], sorted(entries, key=lambda entry: entry.number), budgets)


def _account_from_rows(name: str, entries: list[LedgerEntry], budgets: list[list[BudgetChange]]) -> Account:
    """Return an account; where one dataset has several names, the narrowest of their budgets and rules binds."""
    last = [changes[-1] for changes in budgets if changes]
    return Account(
        name=name,
        epsilon=math.fsum(entry.epsilon for entry in entries),
        delta=math.fsum(entry.delta for entry in entries),
        budget_epsilon=min((one.epsilon for one in last), default=None),
        budget_delta=min((one.delta for one in last), default=None),
        entries=tuple(entries),
        budget_changes=tuple(change for changes in budgets for change in changes),
        adding="concentrated" if last and all(one.adding == "concentrated" for one in last) else "sum",
    )


def _change_budget(
    connection: sqlite3.Connection, name: str, epsilon: float, delta: float, adding: str
) -> None:
    connection.execute(
        "INSERT INTO budget_change (account, made, epsilon, delta, adding) VALUES (?, ?, ?, ?, ?)",
        (name, _now(), epsilon, delta, adding),
    )


def _move_account(connection: sqlite3.Connection, earlier: str, name: str) -> None:
    """Put what stands under an earlier name of the same data under this one; the narrower budget stays."""
    if earlier == name:
        return
    both = _account(connection, name, earlier)
    had_budget = [bool(_account(connection, one).budget_changes) for one in (name, earlier)]
    for table in ("entry", "budget_change"):
        connection.execute(f"UPDATE {table} SET account = ? WHERE account = ?", (name, earlier))
    if all(had_budget) and both.budget_epsilon is not None and both.budget_delta is not None:
        _change_budget(connection, name, both.budget_epsilon, both.budget_delta, both.adding)


def _require_cost(epsilon: float, delta: float) -> None:
    require_between("epsilon", epsilon, MIN_EPSILON, MAX_BUDGET)
    require_between("delta", delta, 0, 1)


def _require_budget(epsilon: float, delta: float, adding: str) -> None:
    _require_cost(epsilon, delta)
    if require_choice("adding", adding, ADDED_BY) == "concentrated":
        require_between("delta", delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)


def _require_left(account: Account, cost: Cost) -> None:
    reason = account.reason_against(cost)
    if reason is not None:
        raise BudgetExceeded(reason)
