"""Audits one after the other, as another process does them for the page: no page is known here."""

from privlab.dp.audit import Audit, AuditParameters, audit_from_parameters
from privlab.progress import Progress

AuditsFound = tuple[tuple[str, Audit], ...]
"""What was found, by the name of the mechanism."""


def audits(names: tuple[str, ...], parameters: AuditParameters, *, progress: Progress) -> AuditsFound:
    """Audit mechanisms, given by their names."""
    found = []
    for place, name in enumerate(names):
        part = progress.part(place / len(names), (place + 1) / len(names))
        found.append((name, audit_from_parameters(parameters, name, progress=part)))
    return tuple(found)
