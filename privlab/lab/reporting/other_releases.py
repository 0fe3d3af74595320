"""A release and the ledger → what all releases of the same people together promise, for the report on one of them, and of which data it is."""

from collections.abc import Mapping
from typing import Any

from privlab.checks import DataError
from privlab.lab.ledgers import spending_from_account
from privlab.od.trips import PreparedTrips
from privlab.releases.accounts import Account
from privlab.releases.ledger import Ledger
from privlab.releases.reading import ReleasedCounts, is_of_data
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


def require_of_data(book: Ledger, released: ReleasedCounts, prepared: PreparedTrips) -> None:
    """Raise DataError if a release was made of other data, as far as a ledger knows: where none is, or it has no such release, nothing is known."""
    if _account_of(book, released.certificate) is None:
        return
    if not is_of_data(released.certificate, book, prepared.source_digest, prepared.earlier_digest):
        raise DataError(
            f"The release of {released.certificate['made'][:10]} was made of other data than {prepared.name}, or of an earlier state of it: the "
            "ledger knows it by another digest. A report would mix both. Load the data of the release."
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
