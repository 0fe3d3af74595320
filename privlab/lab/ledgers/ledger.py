"""The ledger of this machine, or of its house, ready for use: what releases that were killed left behind is cleared first.

And its accounts, with how many people they are of and share.
"""

from collections.abc import Callable
from dataclasses import dataclass

from privlab.releases.accounts import (
    Account,
    AccountShare,
    NumberOfPeople,
    number_of_people,
    shared_people_from_account,
)
from privlab.releases.folders import clear_left_overs, clear_partial_copies
from privlab.releases.ledger import Ledger, Place, ledger_place_from_environment


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPeople:
    """An account, how many people it is of (None: not known), and the other accounts that some of them are in."""

    account: Account
    people: NumberOfPeople | None
    shares: tuple[AccountShare, ...]


def people_of_accounts(book: Ledger) -> list[AccountPeople]:
    """Return every account of a ledger with its people."""
    accounts, people = book.accounts(), book.people_of_accounts()
    return [
        AccountPeople(
            account=one,
            people=number_of_people(people[one.name]) if one.name in people else None,
            shares=tuple(
                AccountShare(account=other.name, title=other.title, epsilon=other.epsilon, people=shared)
                for other in accounts
                if other.name != one.name
                and (
                    shared := shared_people_from_account(people.get(one.name, []), people.get(other.name, []))
                )
                and shared.is_any
            ),
        )
        for one in accounts
    ]


def open_ledger(place: Place | None = None, *, told: Callable[[str], None] = lambda words: None) -> Ledger:
    """Open a ledger, by default that of this machine or house, and clear what killed releases left, if it can be written.

    `told` hears what the steward must know. Raises DataError if there is none that can be opened.
    """
    book = Ledger(place or ledger_place_from_environment(), told=told)
    if book.can_be_written or not book.is_there:
        clear_left_overs(book)
        clear_partial_copies(book)
    return book
