"""A ledger and the runs of the game into one file, and back: what commands do to keep them safe."""

from pathlib import Path

from privlab.kept import runs_path_from_environment
from privlab.releases.copies import LedgerBackup, back_up_ledger, restore_ledger
from privlab.releases.ledger import Ledger


def back_up(ledger: Ledger, out: Path, *, with_runs: bool) -> LedgerBackup:
    """Write a ledger, and the runs of this machine, into a new file. Raises DataError as back_up_ledger does."""
    return back_up_ledger(ledger, out, runs=runs_path_from_environment() if with_runs else None)


def restore(backup: Path, ledger: Ledger, *, with_runs: bool) -> LedgerBackup:
    """Put a ledger back where there is none, and the runs of this machine. Raises DataError as restore_ledger does."""
    return restore_ledger(backup, ledger, runs=runs_path_from_environment() if with_runs else None)
