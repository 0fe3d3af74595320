"""The ledger: what every secure release of a dataset has cost its people, and the budget it may cost.

One SQLite file, or a PostgreSQL database that a house shares, with its keys in a file on this machine. A
release is written down before any of its noise is drawn: a process that dies in between leaves a cost
without a release, never a release without its cost.
"""

import secrets
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from privlab.checks import DataError, ParameterError, require_between, require_choice
from privlab.limits import MAX_BUDGET, MAX_TARGET_DELTA, MIN_EPSILON, MIN_TARGET_DELTA
from privlab.releases.accounts.account_choice import AccountRefused, AccountWish, charged_meanwhile_in_words
from privlab.releases.accounts.accounts import (
    Account,
    BudgetChange,
    BudgetExceeded,
    LedgerEntry,
    account_from_rows,
)
from privlab.releases.accounts.approvals import (
    Approval,
    ApprovalNeeded,
    LimitChange,
    approval_for,
    needs_approval,
    require_second_person,
)
from privlab.releases.accounts.entry_costs import ADDED_BY, cost_from_entry
from privlab.releases.ledger.ledger_accounts import NO_WISH, LedgerAccounts, chosen_account, now_in_words
from privlab.releases.ledger.ledger_chain import (
    LedgerCheck,
    LedgerRecord,
    check_from_record,
    own_names_of_entry,
)
from privlab.releases.ledger.ledger_keys import LedgerKeys
from privlab.releases.ledger.ledger_places import LEDGER_VARIABLE, Place, ledger_place_from_environment

if TYPE_CHECKING:
    from privlab.datasets import PeopleDigests
    from privlab.releases.ledger.ledger_rows import LedgerRows, TableRows
    from privlab.releases.ledger.ledger_stores import LedgerStore

__all__ = [
    "LEDGER_VARIABLE",
    "Account",
    "BudgetChange",
    "BudgetExceeded",
    "Ledger",
    "LedgerEntry",
    "ledger_place_from_environment",
]


class Ledger(LedgerAccounts):
    """The ledger in one place, made by the first entry or budget. Every call is one transaction of its own.

    Data is named by its plain digest, which is never written down. `told` hears what a user should know:
    that a new ledger was begun. `path` is the ledger's file, or where keys and releases of a server's lie on
    this machine; `name` is what may be said of the place.
    """

    def __init__(self, place: Place, told: Callable[[str], None] = lambda words: None) -> None:
        self.place = place
        self.told = told

    @property
    def path(self) -> Path:
        """The file, or what stands for it on this machine: keys and files of releases lie beside it."""
        return self.place if isinstance(self.place, Path) else self.place.path

    @property
    def name(self) -> str:
        """The file, or the address without its password."""
        return str(self.place) if isinstance(self.place, Path) else self.place.name

    @property
    def is_there(self) -> bool:
        """Whether there is a ledger. Raises DataError where there neither is nor could be one."""
        return self.store.is_there()

    @property
    def can_be_written(self) -> bool:
        """Whether a ledger that is there can be changed, not only read, as far as can be known before it is tried."""
        return self.store.can_be_written()

    def keys(self) -> LedgerKeys:
        """Return the ledger's keys. Raises DataError if there is no ledger, or no keys beside it."""
        found = self.store.read(lambda rows: rows.keys)
        if found is None:
            raise self.not_begun()
        return found

    def reserve_budget(
        self,
        digest: str,
        *,
        epsilon: float,
        delta: float,
        what: str,
        earlier_digest: str | None = None,
        folder: Path | None = None,
        who: str | None = None,
        people: "PeopleDigests | None" = None,
        wish: AccountWish = NO_WISH,
        n_seen: int | None = None,
    ) -> LedgerEntry:
        """Write down what a release will cost, before it is made; return the entry.

        `earlier_digest` is one that older ledgers may have the same data under: what stands there is moved
        to this account. `folder` is where the release is to appear, `who` who makes it. `people` are those in the data,
        digested with `people_key`, and `wish` is what the steward says of its account (chosen_account); `n_seen` is how
        many entries that held when they agreed to the cost, None if nobody asked them. Raises BudgetExceeded, and writes
        nothing, if the budget does not suffice; AccountRefused if the data or its people are in another account than
        wished, or more was charged to it since it was seen; ApprovalNeeded if it costs more than the limit and no second
        person has approved it.
        """
        _require_cost(epsilon, delta)
        salt, made, cost = secrets.token_hex(32), now_in_words(), cost_from_entry(epsilon, delta, what)
        said_of_account: tuple[str, ...] = ()

        def reserved(rows: "LedgerRows") -> LedgerEntry:
            nonlocal said_of_account
            said = rows.keys.keyed_digest(digest, salt)
            there = rows.entry_of(said)
            if there is not None:  # written already, but the answer was lost on its way
                return there
            dataset = rows.keys.account_name(digest)
            if earlier_digest is not None:
                earlier = rows.account_of(rows.keys.account_name(earlier_digest))
                rows.move_account(earlier, rows.account_of(dataset), made, who)
            chosen = chosen_account(rows, dataset, people, wish)
            if chosen.refusal is not None:
                raise AccountRefused(chosen.refusal)
            name, said_of_account = chosen.account, chosen.words
            rows.put_in_account(dataset, chosen, made, people, who)
            account = rows.account(name)
            if n_seen is not None and len(account.entries) > n_seen:
                raise AccountRefused(charged_meanwhile_in_words(account.epsilon, epsilon))
            if (over := account.reason_against(cost)) is not None:
                raise BudgetExceeded(over)
            reason = account.reason_without_approval(epsilon, delta, what)
            if reason is not None:
                raise ApprovalNeeded(reason)
            entry = LedgerEntry(
                number=0,
                account=name,
                made=made,
                epsilon=float(epsilon),
                delta=float(delta),
                what=what,
                salt=salt,
                keyed_digest=said,
                certificate=None,
                failure=None,
                who=who,
            )
            entry = rows.add_entry(entry)
            if needs_approval(account.limit_epsilon, epsilon):
                approved = approval_for(account.approvals, epsilon=epsilon, delta=delta, what=what)
                if approved is not None:
                    rows.change_approval("used", replace(approved, entry=entry.number))
            if folder is not None:
                rows.note_work(folder, entry.number)
            return entry

        entry = self.store.write(reserved)
        for words in said_of_account:
            self.told(words)
        return entry

    def record_certificate(self, number: int, certificate: str) -> None:
        """Note the digest of the certificate under an entry, once."""
        self.store.write(lambda rows: rows.note(number, "certificate", certificate))

    def record_failure(self, number: int, why: str) -> None:
        """Note why nothing was handed over under an entry, once; its cost goes on to count."""
        self.store.write(lambda rows: rows.note(number, "failure", why))

    def set_budget(
        self, digest: str, *, epsilon: float, delta: float, adding: str = "sum", who: str | None = None
    ) -> None:
        """Set what all releases of a dataset's account together may cost one user, and how they add up (BudgetChange)."""
        change = _budget(epsilon, delta, adding, who)
        self._change_budget(lambda rows: rows.account_of(rows.keys.account_name(digest)), change)

    def set_budget_of_account(
        self, name: str, *, epsilon: float, delta: float, adding: str = "sum", who: str | None = None
    ) -> None:
        """Set the budget of an account by its title or keyed name. Raises DataError if there is no such account."""
        change = _budget(epsilon, delta, adding, who)
        self.require_begun()
        self._change_budget(lambda rows: self.require_account(rows, name), change)

    def set_limit(self, epsilon: float | None, *, who: str | None = None) -> None:
        """Set the ε above which a second person must approve a release, whatever its data; None for no limit."""
        if epsilon is not None:
            _require_cost(epsilon, 0.0)
        change = LimitChange(
            made=now_in_words(), epsilon=None if epsilon is None else float(epsilon), who=who
        )
        self.store.write(lambda rows: rows.change_limit(change))

    def limit(self) -> float | None:
        """Return the ε above which a second person must approve a release, None for no limit."""
        limits = self.store.read(lambda rows: rows.limits())
        return limits[-1][1].epsilon if limits else None

    def ask_approval(
        self,
        digest: str,
        *,
        epsilon: float,
        delta: float,
        what: str,
        who: str | None,
        account: str | None = None,
    ) -> Approval:
        """Ask for a second person's approval of one release; `account` is that which it will be charged to, if not its own.

        Raises ParameterError if nobody asks.
        """
        _require_cost(epsilon, delta)
        if not who:
            raise ParameterError("who must be a person who has logged in, got nobody.")
        made = now_in_words()

        def asked(rows: "LedgerRows") -> Approval:
            return rows.ask(
                Approval(
                    number=0,
                    account=account or rows.account_of(rows.keys.account_name(digest)),
                    asked=made,
                    asked_by=who,
                    epsilon=float(epsilon),
                    delta=float(delta),
                    what=what,
                )
            )

        return self.store.write(asked)

    def approve(self, number: int, *, who: str | None) -> Approval:
        """Approve what another person asked for.

        Raises DataError if nobody asked for it, ParameterError if it is the same person, nobody, or approved already.
        """
        made = now_in_words()

        def approved(rows: "LedgerRows") -> Approval:
            one = rows.approval(number)
            if one is None:
                raise DataError(f"The ledger has no release {number} that waits for approval.")
            if one.state == "approved" and (one.approved, one.approved_by) == (made, who):
                return one  # written already, but the answer was lost on its way
            require_second_person(one, who)
            return rows.change_approval("approved", replace(one, approved=made, approved_by=who))

        return self.store.write(approved)

    def account(self, digest: str, earlier_digest: str | None = None) -> Account:
        """Return what the account of one dataset has spent; nothing is made where no ledger is yet."""
        digests = [one for one in dict.fromkeys((digest, earlier_digest)) if one]
        found = self.store.read(
            lambda rows: rows.account(*(rows.account_of(rows.keys.account_name(one)) for one in digests))
        )
        return account_from_rows("", [], []) if found is None else found

    def accounts(self) -> list[Account]:
        """Return what every account has spent that has an entry, a budget or a dataset."""
        return self.store.read(lambda rows: [rows.account(name) for name in rows.account_names()]) or []

    def entry_of(self, keyed_digest: str) -> LedgerEntry | None:
        """Return the entry of the release whose certificate says this of its data, or None."""
        return self.store.read(lambda rows: rows.entry_of(keyed_digest))

    def own_names_of_entry(self, entry: LedgerEntry) -> tuple[str, ...]:
        """Return the keyed names of the dataset that an entry is of, whatever account it was merged into since."""
        return own_names_of_entry(self.record(), entry.number) or (entry.account,)

    def record(self) -> LedgerRecord:
        """Return all entries, budgets and links of the chain. Raises DataError if there is no ledger."""
        found = self.store.read(lambda rows: rows.record())
        if found is None:
            raise self.not_begun()
        return found

    def check(self, known_head: str | None = None) -> LedgerCheck:
        """Return whether anything was changed or removed since it was written (check_from_record)."""
        return check_from_record(self.record(), known_head)

    def copied_rows(self) -> "TableRows":
        """Return all rows by table, as they are at one moment. Raises DataError if there is no ledger."""
        found = self.store.read(lambda rows: rows.copied())
        if found is None:
            raise self.not_begun()
        return found

    def begin_with(self, rows: "TableRows") -> None:
        """Begin this ledger with the rows of another, whose keys lie beside it already. Raises DataError if it has any."""
        self.store.write(lambda there: there.begin_with(rows))

    def begin_work(self, folder: Path) -> None:
        """Note that a release is being made for a folder, so that a later start can clear what is left."""
        self.store.write(lambda rows: rows.note_work(folder))

    def end_work(self, folder: Path) -> None:
        """Note that nothing is left of the making of a release."""
        self.store.write(lambda rows: rows.end_work(folder))

    def work(self) -> list[tuple[Path, LedgerEntry | None]]:
        """Return the folders of this machine that releases are, or were, being made for, and their entries so far."""
        return self.store.read(lambda rows: rows.work()) or []

    def _change_budget(self, name_of: "Callable[[LedgerRows], str]", change: BudgetChange) -> None:
        tried = False

        def changed(rows: "LedgerRows") -> None:
            nonlocal tried
            name = name_of(rows)
            if not (tried and rows.budget_changes(name)[-1:] == [change]):  # the answer may have been lost
                tried = True
                rows.change_budget(name, change)

        self.store.write(changed)

    @property
    def store(self) -> "LedgerStore":
        """How the ledger is opened."""
        from privlab.releases.ledger.ledger_stores import store_of

        return store_of(self.place, lambda words: self.told(words))


def _require_cost(epsilon: float, delta: float) -> None:
    require_between("epsilon", epsilon, MIN_EPSILON, MAX_BUDGET)
    require_between("delta", delta, 0, 1)


def _budget(epsilon: float, delta: float, adding: str, who: str | None) -> BudgetChange:
    _require_cost(epsilon, delta)
    if require_choice("adding", adding, ADDED_BY) == "concentrated":
        require_between("delta", delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
    return BudgetChange(
        made=now_in_words(), epsilon=float(epsilon), delta=float(delta), adding=adding, who=who
    )
