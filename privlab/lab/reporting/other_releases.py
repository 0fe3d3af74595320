"""A release and the ledger → what all releases of the same people together promise, for the report on one of them."""

from collections.abc import Mapping
from typing import Any

from privlab.checks import DataError
from privlab.lab.ledgers import spending_from_account
from privlab.releases.accounts import Account
from privlab.releases.ledger import Ledger
from privlab.reports import ReleasesTogether


def together_from_ledger(book: Ledger, certificate: Mapping[str, Any]) -> ReleasesTogether | None:
    """Return what all releases of the account that paid for the one of a certificate promise; None where no ledger is, or it does not
    know it.

    Releases that failed, or were never confirmed, are charged and count.
    """
    account = _account_of(book, certificate)
    if account is None:
        return None
    user = spending_from_account(account).user
    return ReleasesTogether(
        n=len(account.entries), epsilon=user.epsilon, delta=user.delta, added=user.added_epsilon
    )


def _account_of(book: Ledger, certificate: Mapping[str, Any]) -> Account | None:
    try:
        if not book.is_there:
            return None
        entry = book.entry_of(certificate["data"]["keyed_digest"])
        accounts = [] if entry is None else book.accounts()
    except DataError:
        return None  # the ledger cannot be read: what it would say is not known
    return next((one for one in accounts if entry in one.entries), None)
