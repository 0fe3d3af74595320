"""A mechanism as it runs -> a lower bound on its ε, beside what was proven; three broken ones to be caught.

Uses attack, promise and dp's mechanisms.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.audit.auditing import (
        MECHANISMS,
        REAL,
        Audit,
        AuditParameters,
        audit_from_parameters,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "MECHANISMS",
    "REAL",
    "Audit",
    "AuditParameters",
    "audit_from_parameters",
]
