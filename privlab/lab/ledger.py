"""The ledger of this machine, or of its house, ready for use: what releases that were killed left behind is cleared first."""

from collections.abc import Callable

from privlab.releases import (
    Ledger,
    Place,
    clear_left_overs,
    clear_partial_copies,
    ledger_place_from_environment,
)


def open_ledger(place: Place | None = None, *, told: Callable[[str], None] = lambda words: None) -> Ledger:
    """Open a ledger, by default that of this machine or house, and clear what killed releases left.

    `told` hears what the steward must know. Raises DataError if there is none that can be opened.
    """
    book = Ledger(place or ledger_place_from_environment(), told=told)
    clear_left_overs(book)
    clear_partial_copies(book)
    return book
