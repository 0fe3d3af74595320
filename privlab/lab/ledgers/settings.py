"""What an operator has set, looked at when a server starts: a ledger or other places that cannot be used, folders that are not there."""

import os

from privlab.checks import DataError, ParameterError
from privlab.datasets.folders import folders_not_there
from privlab.kept import places_without_use
from privlab.lab.ledgers.ledger import open_ledger
from privlab.releases.ledger import LEDGER_VARIABLE


def wrong_settings() -> tuple[str, ...]:
    """Return what is wrong with each place that is set, and what does not work until then; a new ledger is not begun."""
    found = []
    try:
        open_ledger()
    except (DataError, ParameterError) as error:
        found.append(f"{error} Nothing is released until then; {LEDGER_VARIABLE} names another place.")
    return (*found, *places_without_use(), *folders_not_there(os.environ))
