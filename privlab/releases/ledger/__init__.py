"""The ledger: its tables and steps, its chain and keys, where it lies.

Uses accounts, folders and kept.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.releases.ledger.ledger import Ledger
    from privlab.releases.ledger.ledger_keys import (
        public_key_from_text,
        public_key_from_text_or_file,
        public_key_path_of,
    )
    from privlab.releases.ledger.ledger_places import (
        LEDGER_VARIABLE,
        Place,
        ledger_place_from_environment,
        ledger_place_from_text,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "LEDGER_VARIABLE",
    "Ledger",
    "Place",
    "ledger_place_from_environment",
    "ledger_place_from_text",
    "public_key_from_text",
    "public_key_from_text_or_file",
    "public_key_path_of",
]
