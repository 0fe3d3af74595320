"""The ledger of this machine, ready for use: what releases that were killed left behind is cleared first."""

from collections.abc import Callable
from pathlib import Path

from privlab.releases import Ledger, clear_left_overs, clear_partial_copies, ledger_path_from_environment


def open_ledger(path: Path | None = None, *, told: Callable[[str], None] = lambda words: None) -> Ledger:
    """Open a ledger, by default that of this machine, and clear what killed releases left.

    `told` hears what the steward must know. Raises DataError if the file is no ledger.
    """
    book = Ledger(path or ledger_path_from_environment(), told=told)
    clear_left_overs(book)
    clear_partial_copies(book)
    return book
