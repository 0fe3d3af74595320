"""An entry of the ledger → what was released: which weeks, and of what, so that two releases can be told apart."""

from dataclasses import dataclass
from pathlib import Path

from privlab.checks import DataError
from privlab.lab.ledgers.spending import details_from_entry
from privlab.od import FLOWS
from privlab.releases.accounts import LedgerEntry
from privlab.releases.folders import CERTIFICATE
from privlab.releases.reading import certificate_from_file


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedWeeks:
    """The weeks of a release, by their Mondays, and the name of the product."""

    weeks: tuple[str, ...]
    product: str


def released_from_entry(entry: LedgerEntry, folder: Path | None) -> ReleasedWeeks | None:
    """Return what an entry is of, by what it says, or else by the certificate in the folder kept of it; None where neither tells."""
    details = details_from_entry(entry)
    if details is not None:
        parameters, weeks = details
        return ReleasedWeeks(weeks=tuple(weeks), product=parameters.product)
    if folder is None:
        return None
    try:
        certificate, _ = certificate_from_file(folder / CERTIFICATE)
    except DataError:
        return None
    return ReleasedWeeks(
        weeks=tuple(certificate["weeks"]), product=certificate["parameters"].get("product", FLOWS.name)
    )
