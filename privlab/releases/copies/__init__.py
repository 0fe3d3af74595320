"""A ledger written out in whole: a backup that can be put back, a file for auditors.

Uses ledger and folders.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.releases.copies.ledger_backup import LedgerBackup, back_up_ledger, restore_ledger
    from privlab.releases.copies.ledger_export import export_ledger
else:
    __getattr__ = door(__name__)

__all__ = [
    "LedgerBackup",
    "back_up_ledger",
    "export_ledger",
    "restore_ledger",
]
