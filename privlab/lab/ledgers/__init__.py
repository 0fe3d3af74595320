"""The ledger ready for use, what its accounts have spent, its backup, and how the machine is.

Uses judging, releases and kept.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.lab.ledgers.backup import (
        back_up,
        restore,
    )
    from privlab.lab.ledgers.health import (
        Health,
        health_of_machine,
    )
    from privlab.lab.ledgers.ledger import (
        open_ledger,
        people_of_accounts,
    )
    from privlab.lab.ledgers.released import (
        ReleasedWeeks,
        released_from_entry,
    )
    from privlab.lab.ledgers.settings import (
        wrong_settings,
    )
    from privlab.lab.ledgers.spending import (
        WHAT_UNITS_MEAN,
        spending_from_account,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "WHAT_UNITS_MEAN",
    "Health",
    "ReleasedWeeks",
    "back_up",
    "health_of_machine",
    "open_ledger",
    "people_of_accounts",
    "released_from_entry",
    "restore",
    "spending_from_account",
    "wrong_settings",
]
