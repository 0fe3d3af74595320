"""What a ledger knows of accounts: which one data is charged to, what they are called, and which become one."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from privlab.checks import DataError, ParameterError
from privlab.datasets import PeopleDigests
from privlab.releases.accounts.account_choice import (
    RUNNING,
    AccountShare,
    AccountWish,
    ChosenAccount,
    require_title,
    share_in_words,
    too_few_in_words,
)
from privlab.releases.accounts.accounts import Account, account_called, account_from_rows
from privlab.releases.accounts.shared_people import is_open, shared_people_from_account

if TYPE_CHECKING:
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
        self.require_begun()

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
        self.require_begun()

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
            raise self.not_begun()
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
            raise DataError(
                f"The ledger {self.name} has no account {said}. The command `ledger accounts` lists those that it has."
            )
        return name

    def require_begun(self) -> None:
        """Raise DataError if there is no ledger: what changes an account begins none."""
        if not self.store.is_there():
            raise self.not_begun()

    def not_begun(self) -> DataError:
        """Return the refusal of what needs a ledger where none is."""
        return DataError(f"There is no ledger {self.name}. The first release, budget or limit begins one.")


def chosen_account(
    rows: "LedgerRows",
    dataset: str,
    people: PeopleDigests | None,
    wish: AccountWish,
    *,
    is_known: bool = False,
) -> ChosenAccount:
    """Return the account that a dataset is charged to, by its keyed name.

    `is_known` says that the ledger has entries of it under an earlier name. Raises ParameterError for a title that is none.
    """
    own = rows.account_of(dataset)
    row = rows.dataset(dataset)
    is_known = is_known or row is not None or bool(rows.account(own).entries)
    titles = rows.titles()
    wished = None if wish.title is None else rows.named_account(wish.title)
    new_title = None if wish.title is None or wished is not None else require_title(wish.title)
    looked = people if row is None or row.people is None else None  # what was said once is not said again
    shares = () if looked is None else _shares(rows, looked, without=own if is_known else None)
    if is_known:
        titled = titles.get(own)
        refusal = None
        there = f"{account_called(own, titled)}, which this data is in already"
        if wished not in (None, own) or (new_title is not None and titled is not None):
            refusal = f"account must be {there}, got {wish.title}. `ledger rename` and `ledger merge` change accounts."
        elif wish.is_new and (own != dataset or (new_title is not None and rows.account(own).entries)):
            # Said again of its own account, which has that name or none is asked for, it changes nothing.
            refusal = f"new_account must be left out: the release is charged to {there}."
        return ChosenAccount(account=own, title=new_title, is_known=True, shares=shares, refusal=refusal)
    mostly = [one for one in shares if one.people.is_mostly]
    if wish == AccountWish() and mostly:
        return ChosenAccount(account=mostly[0].account, is_proposed=True, shares=shares)
    refusal = None
    if wished is not None and wish.is_new:
        refusal = f"account must be a new name with new_account, got {wish.title}, which is there already."
    elif mostly and not wish.is_new and wished not in [one.account for one in mostly]:
        first = mostly[0]
        refusal = (
            f"account must be {first.called}, for {share_in_words(first.people)} in it already, at ε = "
            f"{first.epsilon:g}, got {wish.title}. If they are other people, open a new one (--new-account)."
        )
    return ChosenAccount(
        account=wished or dataset,
        title=new_title,
        shares=shares,
        unsure="" if wished is not None or mostly or wish.is_new or looked is None else _unsure(rows, looked),
        refusal=refusal,
    )


def _unsure(rows: "LedgerRows", people: PeopleDigests) -> str:
    """Return why people of the ledger might not be known again in some data, empty where they would: ids there or here are running
    numbers, or too few can be compared."""
    there = rows.people_of_accounts()
    if there and (people.running or any(one.running for digests in there.values() for one in digests)):
        return RUNNING
    titles = rows.titles()
    few = [account_called(one, titles.get(one)) for one, digests in there.items() if is_open(people, digests)]
    return too_few_in_words(few) if few else ""


def _shares(rows: "LedgerRows", people: PeopleDigests, *, without: str | None) -> tuple[AccountShare, ...]:
    """Return the accounts that hold people of this data, those with most of them first."""
    titles = rows.titles()
    found = [
        AccountShare(
            account=account,
            title=titles.get(account),
            epsilon=rows.account(account).epsilon,
            people=shared,
        )
        for account, digests in rows.people_of_accounts().items()
        if account != without
        and (shared := shared_people_from_account([people], digests)) is not None
        and shared.is_any
    ]
    return tuple(sorted(found, key=_most_shared, reverse=True))


def _most_shared(one: AccountShare) -> tuple[float, float]:
    return max(one.people.of_data, one.people.of_others), one.epsilon
