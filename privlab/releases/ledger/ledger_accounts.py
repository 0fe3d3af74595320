"""What a ledger knows of accounts: which one data is charged to, what they are called, and which become one."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from privlab.checks import DataError, ParameterError
from privlab.releases.accounts.account_choice import AccountWish, ChosenAccount, chosen_account, require_title
from privlab.releases.accounts.accounts import Account, account_from_rows

if TYPE_CHECKING:
    from privlab.datasets import PeopleDigests
    from privlab.releases.ledger.ledger_rows import LedgerRows
    from privlab.releases.ledger.ledger_stores import LedgerStore

NO_WISH = AccountWish()


def now_in_words() -> str:
    """Return the time as a ledger writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class LedgerAccounts:
    """A ledger as far as its accounts go. Every call is one transaction of its own."""

    @property
    def name(self) -> str:
        """What may be said of the ledger's place."""
        raise NotImplementedError

    @property
    def store(self) -> "LedgerStore":
        """How the ledger is opened."""
        raise NotImplementedError

    def chosen_account(
        self,
        digest: str,
        *,
        earlier_digest: str | None = None,
        people: "PeopleDigests | None" = None,
        wish: AccountWish = NO_WISH,
    ) -> tuple[ChosenAccount, Account]:
        """Return the account that a release would be charged to, and what it has spent; nothing is written."""

        def found(rows: "LedgerRows") -> tuple[ChosenAccount, Account]:
            dataset = rows.keys.account_name(digest)
            names = [rows.account_of(rows.keys.account_name(one)) for one in (digest, earlier_digest) if one]
            if rows.account(*names).entries:  # an older ledger knows it by another digest
                chosen = chosen_account(rows, dataset, people, wish, is_known=True)
                return chosen, rows.account(*names)
            chosen = chosen_account(rows, dataset, people, wish)
            return chosen, rows.account(chosen.account)

        there = self.store.read(found)
        if there is not None:
            return there
        title = None if wish.title is None else require_title(wish.title)
        return ChosenAccount(account="", title=title), account_from_rows("", [], [])

    def people_key(self) -> str:
        """Return what ids of people are digested with for `people`. Begins the ledger where there is none."""
        return self.store.write(lambda rows: rows.keys.people_key())

    def rename_account(self, account: str, title: str, *, who: str | None = None) -> Account:
        """Give an account, by its title or keyed name, another title.

        Raises DataError if there is no such account, ParameterError if the title is none or another account's.
        """
        made, title = now_in_words(), require_title(title)

        def renamed(rows: "LedgerRows") -> Account:
            name = self.require_account(rows, account)
            if rows.named_account(title) not in (None, name):
                raise ParameterError(f"title must be one that no other account has, got {title}.")
            rows.give_title(name, title, made, who)
            return rows.account(name)

        return self.store.write(renamed)

    def merge_accounts(self, earlier: str, into: str, *, who: str | None = None) -> Account:
        """Put all of one account into another, by titles or keyed names: their costs add up, the narrower budget stays.

        It cannot be undone. Raises DataError if there is no such account, ParameterError if both are one.
        """
        made, moved = now_in_words(), None

        def merged(rows: "LedgerRows") -> Account:
            nonlocal moved
            name = self.require_account(rows, into)
            if (
                moved is None or rows.account_of(moved) != name
            ):  # else written already, but the answer was lost
                moved = self.require_account(rows, earlier)
                if moved == name:
                    raise ParameterError(
                        f"into must be another account than the one that is merged, got {into}."
                    )
                rows.merge_account(moved, name, made, who)
            return rows.account(name)

        return self.store.write(merged)

    def account_named(self, said: str) -> Account:
        """Return an account by its title or keyed name. Raises DataError if there is none."""
        found = self.store.read(lambda rows: rows.account(self.require_account(rows, said)))
        if found is None:
            raise DataError(f"There is no ledger {self.name}. The first release or budget begins one.")
        return found

    def knows_people(self) -> bool:
        """Return whether the people of any dataset are known, so that others can be held against them."""
        return bool(self.store.read(lambda rows: rows.knows_people()))

    def people_of_accounts(self) -> dict[str, list["PeopleDigests"]]:
        """Return the digests of the people of each account, by keyed name, as far as they are known."""
        return self.store.read(lambda rows: rows.people_of_accounts()) or {}

    def require_account(self, rows: "LedgerRows", said: str) -> str:
        """Return the keyed name of an account by its title or keyed name. Raises DataError if there is none."""
        name = rows.named_account(said)
        if name is None:
            raise DataError(f"The ledger {self.name} has no account {said}. Name the data file instead.")
        return name
