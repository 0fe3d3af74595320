"""What is asked of an open ledger, and written into it, in SQLAlchemy's words: the same for a file and for PostgreSQL.

Every call is part of a transaction that whoever opened the ledger begins and ends.
"""

from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, delete, func, insert, select, true, union, update

from privlab.checks import DataError
from privlab.datasets import PeopleDigests
from privlab.releases.accounts.account_choice import ChosenAccount
from privlab.releases.accounts.accounts import (
    Account,
    AccountDataset,
    AccountTitle,
    BudgetChange,
    LedgerEntry,
    account_from_rows,
)
from privlab.releases.accounts.approvals import Approval, LimitChange, approval_for
from privlab.releases.accounts.shared_people import people_from_text, text_from_people
from privlab.releases.ledger.ledger_chain import (
    LedgerRecord,
    Link,
    entry_from_said,
    next_link,
    said_of_approval,
    said_of_budget,
    said_of_dataset,
    said_of_entry,
    said_of_limit,
    said_of_move,
    said_of_note,
    said_of_people,
    said_of_title,
)
from privlab.releases.ledger.ledger_keys import LedgerKeys
from privlab.releases.ledger.ledger_tables import (
    ACCOUNT_TITLE,
    APPROVAL,
    BUDGET_CHANGE,
    DATASET,
    ENTRY,
    LIMIT_CHANGE,
    LINK,
    OF_KEYS,
    TABLES,
    WORK,
    require_own_kinds,
)

Row = TypeVar("Row", LedgerEntry, BudgetChange, LimitChange, Approval, AccountDataset, AccountTitle, Link)
TableRows = dict[str, list[dict[str, Any]]]
"""The rows of a ledger by table."""

_EVERY = true()
_COPIED = tuple(table for table in TABLES.sorted_tables if table not in (OF_KEYS, WORK))

_TABLE_OF: dict[type, Table] = {
    LedgerEntry: ENTRY,
    BudgetChange: BUDGET_CHANGE,
    LimitChange: LIMIT_CHANGE,
    Approval: APPROVAL,
    AccountDataset: DATASET,
    AccountTitle: ACCOUNT_TITLE,
    Link: LINK,
}


class LedgerRows:
    """The rows of an open ledger; `keys` are its own, `machine` whose folders the notes of work name.

    `as_they_are` takes them whatever other hands have made of them; else a row that no ledger writes is refused.
    """

    def __init__(
        self, connection: Connection, keys: LedgerKeys, machine: str, *, as_they_are: bool = False
    ) -> None:
        self.keys = keys
        self._as_they_are = as_they_are
        self._connection = connection
        self._machine = machine

    def account(self, *names: str) -> Account:
        """Return what stands under one name, or several of one dataset."""
        names = tuple(dict.fromkeys(names))
        entries, budgets = [], []
        for name in names:
            entries += self._read(LedgerEntry, ENTRY.c.account == name)
            budgets.append(self.budget_changes(name))
        account = account_from_rows(names[0], sorted(entries, key=lambda entry: entry.number), budgets)
        limits = self.limits()
        return replace(
            account,
            limit_epsilon=limits[-1][1].epsilon if limits else None,
            approvals=tuple(self._read(Approval, APPROVAL.c.account.in_(names))),
            title=self.titles().get(names[0]),
            n_datasets=max(1, self._n_datasets(names[0])),
        )

    def copied(self) -> TableRows:
        """Return all rows by table, but for the mark of the keys and the notes of this machine's work."""
        return {
            table.name: [dict(row._mapping) for row in self._connection.execute(select(table))]
            for table in _COPIED
        }

    def begin_with(self, rows: TableRows) -> None:
        """Write the rows of another ledger with the same keys. Raises DataError if there is anything already."""
        for table in _COPIED:
            if self._connection.execute(select(func.count()).select_from(table)).scalar_one():
                raise DataError("There is something in the ledger already: no row is ever replaced.")
            if rows.get(table.name):
                self._connection.execute(insert(table), rows[table.name])

    def account_names(self) -> list[str]:
        """Return the names that have an entry, a budget or a dataset, or of which a release was asked for."""
        names = union(*(select(table.c.account) for table in (ENTRY, BUDGET_CHANGE, APPROVAL, DATASET)))
        found = self._connection.execute(names).scalars().all()
        if not all(isinstance(name, str) for name in found):
            # One of these refuses the row, and names it.
            _ = (
                self._read(LedgerEntry),
                self._read(BudgetChange),
                self._read(Approval),
                self._read(AccountDataset),
            )
        return sorted(found)

    def budget_changes(self, name: str) -> list[BudgetChange]:
        """Return the budgets that were set for an account, the last one last."""
        return self._read(BudgetChange, BUDGET_CHANGE.c.account == name)

    def entry(self, number: int | None) -> LedgerEntry | None:
        """Return an entry by its number, None if there is none."""
        return None if number is None else next(iter(self._read(LedgerEntry, ENTRY.c.number == number)), None)

    def entry_of(self, keyed_digest: str) -> LedgerEntry | None:
        """Return the entry of the release whose certificate says this of its data, None if there is none."""
        return next(iter(self._read(LedgerEntry, ENTRY.c.keyed_digest == keyed_digest)), None)

    def add_entry(self, entry: LedgerEntry) -> LedgerEntry:
        """Write a new entry, and return it with its number."""
        # Never the number of one that was removed; what is quoted in a link's words has a \ before each ".
        made = select(LINK.c.said).where(LINK.c.said.contains('"act": "entry"', autoescape=True))
        newest = self._connection.execute(made.order_by(LINK.c.number.desc()).limit(1)).scalar()
        chained = (None if newest is None else entry_from_said(newest)) or 0
        entry = replace(entry, number=max(self._next_number(ENTRY), chained + 1))
        self._connection.execute(insert(ENTRY).values(asdict(entry)))
        self._chain(said_of_entry(entry), entry.number)
        return entry

    def note(self, number: int, column: str, said: str) -> None:
        """Write a certificate or a failure under an entry, once; a second time the same changes nothing."""
        open_one = (ENTRY.c.number == number) & ENTRY.c.certificate.is_(None) & ENTRY.c.failure.is_(None)
        changed = self._connection.execute(update(ENTRY).where(open_one).values({column: said}))
        if changed.rowcount != 1:
            entry = self.entry(number)
            if entry is None or getattr(entry, column) != said:
                raise DataError(f"The ledger has no open entry {number}.")
            return
        self._chain(said_of_note(number, column, said), number)

    def change_budget(self, name: str, change: BudgetChange) -> None:
        """Write the budget of an account."""
        number = self._next_number(BUDGET_CHANGE)
        values = {"number": number, "account": name, **asdict(change)}
        self._connection.execute(insert(BUDGET_CHANGE).values(values))
        self._chain(said_of_budget(number, name, change))

    def limits(self) -> list[tuple[int, LimitChange]]:
        """Return the limits that were set, with their numbers, the last one last."""
        return self._numbered(LimitChange)

    def change_limit(self, change: LimitChange) -> None:
        """Write the limit above which a second person must approve; one that holds already is not written again."""
        limits = self.limits()
        if (limits[-1][1].epsilon if limits else None) == change.epsilon:
            return
        number = self._next_number(LIMIT_CHANGE)
        self._connection.execute(insert(LIMIT_CHANGE).values({"number": number, **asdict(change)}))
        self._chain(said_of_limit(number, change))

    def approval(self, number: int) -> Approval | None:
        """Return what was asked for by its number, None if there is none."""
        return next(iter(self._read(Approval, APPROVAL.c.number == number)), None)

    def ask(self, wanted: Approval) -> Approval:
        """Write down what is asked for; what was asked for already, and is not used up, is not asked for again."""
        there = self._read(Approval, APPROVAL.c.account == wanted.account)
        found = approval_for(there, epsilon=wanted.epsilon, delta=wanted.delta, what=wanted.what)
        if found is not None:
            return found
        wanted = replace(wanted, number=self._next_number(APPROVAL))
        self._connection.execute(insert(APPROVAL).values(asdict(wanted)))
        self._chain(said_of_approval("asked", wanted))
        return wanted

    def change_approval(self, act: str, one: Approval) -> Approval:
        """Write that something asked for was "approved", or "used"."""
        self._connection.execute(update(APPROVAL).where(APPROVAL.c.number == one.number).values(asdict(one)))
        self._chain(said_of_approval(act, one), one.entry)
        return one

    def move_account(self, earlier: str, name: str, made: str, who: str | None) -> None:
        """Put what stands under an earlier name of the same data under this one, and its title; the narrower budget stays, set by `who`."""
        if earlier == name:
            return
        both = self.account(name, earlier)
        had_budget = [bool(self.budget_changes(one)) for one in (name, earlier)]
        moved = 0
        for table in (ENTRY, BUDGET_CHANGE, APPROVAL, DATASET):
            change = update(table).where(table.c.account == earlier).values(account=name)
            moved += self._connection.execute(change).rowcount
        if moved:
            self._chain(said_of_move(earlier, name))
            titles = self.titles()
            if earlier in titles and name not in titles:
                self.give_title(name, titles[earlier], made, who)
        if all(had_budget) and both.budget_epsilon is not None and both.budget_delta is not None:
            self.change_budget(
                name,
                BudgetChange(
                    made=made,
                    epsilon=both.budget_epsilon,
                    delta=both.budget_delta,
                    adding=both.adding,
                    who=who,
                ),
            )

    def merge_account(self, earlier: str, name: str, made: str, who: str | None) -> None:
        """Put all of an account into another: its entries, approvals and datasets; the narrower budget stays."""
        for own in (earlier, name):
            self.add_dataset(own, own, made, None, who)
        self.move_account(earlier, name, made, who)

    def datasets(self, account: str | None = None) -> list[AccountDataset]:
        """Return the datasets of an account, or of all accounts, as they came."""
        return self._read(AccountDataset, _EVERY if account is None else DATASET.c.account == account)

    def dataset(self, dataset: str) -> AccountDataset | None:
        """Return a dataset by its keyed name, None where only its entries tell of it, or nothing does."""
        return next(iter(self._read(AccountDataset, DATASET.c.dataset == dataset)), None)

    def account_of(self, dataset: str) -> str:
        """Return the account that a dataset is in, its own where it is in no other."""
        row = self.dataset(dataset)
        return dataset if row is None else row.account

    def add_dataset(self, dataset: str, account: str, made: str, people: str | None, who: str | None) -> None:
        """Write a dataset into an account; of one that is there, the people who were not known before."""
        there = self.dataset(dataset)
        if there is None:
            number = self._next_number(DATASET)
            one = AccountDataset(
                number=number, dataset=dataset, account=account, made=made, people=people, who=who
            )
            self._connection.execute(insert(DATASET).values(asdict(one)))
            self._chain(said_of_dataset(one))
        elif there.people is None and people is not None:
            self._connection.execute(
                update(DATASET).where(DATASET.c.number == there.number).values(people=people)
            )
            self._chain(said_of_people(there.number, people))

    def put_in_account(
        self,
        dataset: str,
        chosen: ChosenAccount,
        made: str,
        people: PeopleDigests | None,
        who: str | None,
    ) -> None:
        """Write a dataset into the account chosen for it, with its people and the account's new name, if there is any.

        Nothing is written of a dataset that stays alone and of whose people nothing is known.
        """
        text = None if people is None else text_from_people(people)
        if chosen.account != self.account_of(dataset):
            self.add_dataset(chosen.account, chosen.account, made, None, who)
            self.move_account(dataset, chosen.account, made, who)  # a budget that was set for it alone
            self.add_dataset(dataset, chosen.account, made, text, who)
        elif text is not None:
            self.add_dataset(dataset, chosen.account, made, text, who)
        if chosen.title is not None:
            self.give_title(chosen.account, chosen.title, made, who)

    def knows_people(self) -> bool:
        """Return whether the people of any dataset are known."""
        some = select(DATASET.c.number).where(DATASET.c.people.is_not(None)).limit(1)
        return self._connection.execute(some).first() is not None

    def people_of_accounts(self) -> dict[str, list[PeopleDigests]]:
        """Return the digests of the people of each account, as far as they are known."""
        found: dict[str, list[PeopleDigests]] = {}
        for one in self.datasets():
            if one.people is not None:
                found.setdefault(one.account, []).append(people_from_text(one.people))
        return found

    def titles(self) -> dict[str, str]:
        """Return what accounts are called, by their keyed names."""
        return {one.account: one.title for one in self._read(AccountTitle)}

    def give_title(self, account: str, title: str, made: str, who: str | None) -> None:
        """Write what an account is called from now on; a name that it has already is not written again."""
        if self.titles().get(account) == title:
            return
        one = AccountTitle(
            number=self._next_number(ACCOUNT_TITLE), account=account, title=title, made=made, who=who
        )
        self._connection.execute(insert(ACCOUNT_TITLE).values(asdict(one)))
        self._chain(said_of_title(one))

    def named_account(self, said: str) -> str | None:
        """Return the account that a text names, by title or keyed name; None if there is none."""
        names, titles = self.account_names(), self.titles()
        if said in names:
            return said
        wanted = said.strip().casefold()
        return next((name for name in names if wanted and titles.get(name, "").casefold() == wanted), None)

    def note_work(self, folder: Path, entry: int | None = None) -> None:
        """Note that a release is being made for a folder of this machine, and its entry once there is one."""
        known = select(WORK.c.folder).where(self._here(folder))
        if self._connection.execute(known).first() is None:
            self._connection.execute(
                insert(WORK).values(machine=self._machine, folder=str(folder), entry=entry)
            )
        elif entry is not None:
            self._connection.execute(update(WORK).where(self._here(folder)).values(entry=entry))

    def end_work(self, folder: Path) -> None:
        """Forget a folder of this machine."""
        self._connection.execute(delete(WORK).where(self._here(folder)))

    def work(self) -> list[tuple[Path, LedgerEntry | None]]:
        """Return the folders of this machine that are noted, and their entries so far."""
        chosen = select(WORK.c.folder, WORK.c.entry).where(WORK.c.machine == self._machine)
        rows = self._connection.execute(chosen.order_by(WORK.c.folder)).all()
        every = self._whatever_they_are()
        return [(Path(folder), every.entry(number)) for folder, number in rows if isinstance(folder, str)]

    def record(self) -> LedgerRecord:
        """Return all entries, budgets and links, whatever other hands have made of them: a check says what."""
        every = self._whatever_they_are()
        accounts = dict(
            self._connection.execute(select(BUDGET_CHANGE.c.number, BUDGET_CHANGE.c.account)).all()
        )
        return LedgerRecord(
            mark=self.keys.mark(),
            public_key=self.keys.public_key,
            entries=tuple(every._read(LedgerEntry)),
            budgets=tuple((number, accounts[number], one) for number, one in every._numbered(BudgetChange)),
            limits=tuple(every.limits()),
            approvals=tuple(every._read(Approval)),
            datasets=tuple(every.datasets()),
            titles=tuple(every._read(AccountTitle)),
            links=tuple(every._read(Link)),
        )

    def _chain(self, said: dict[str, Any], entry: int | None = None) -> None:
        """Add a link that says what was written."""
        newest = select(func.max(LINK.c.number)).scalar_subquery()
        last = next(iter(self._read(Link, LINK.c.number == newest)), None)
        link = next_link(last, self.keys, said, entry)
        self._connection.execute(insert(LINK).values(asdict(link)))

    def _n_datasets(self, account: str) -> int:
        counted = select(func.count()).select_from(DATASET).where(DATASET.c.account == account)
        return int(self._connection.execute(counted).scalar_one())

    def _whatever_they_are(self) -> "LedgerRows":
        return LedgerRows(self._connection, self.keys, self._machine, as_they_are=True)

    def _read(self, kind: type[Row], which: ColumnElement[bool] = _EVERY) -> list[Row]:
        return [one for _, one in self._numbered(kind, which)]

    def _numbered(self, kind: type[Row], which: ColumnElement[bool] = _EVERY) -> list[tuple[int, Row]]:
        """Return rows of one kind with their numbers. Raises DataError for what no ledger writes."""
        table = _TABLE_OF[kind]
        found = []
        for row in self._connection.execute(select(table).where(which).order_by(table.c.number)).mappings():
            if not self._as_they_are:
                require_own_kinds(table, dict(row))
            found.append((row["number"], kind(**{one.name: row[one.name] for one in fields(kind)})))
        return found

    def _here(self, folder: Path) -> ColumnElement[bool]:
        return (WORK.c.machine == self._machine) & (WORK.c.folder == str(folder))

    def _next_number(self, table: Table) -> int:
        """Return the number after the last one; no other process can write meanwhile."""
        return (
            int(self._connection.execute(select(func.coalesce(func.max(table.c.number), 0))).scalar_one()) + 1
        )
