"""A mechanism as it runs -> a lower bound on its ε, beside what was proven; broken ones to be caught.

Uses attack, gaussian, promise and dp's mechanisms.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.audit.auditing import (
        GAUSSIAN,
        MECHANISMS,
        REAL,
        Audit,
        AuditParameters,
        audit_from_parameters,
    )
    from privlab.dp.audit.broken_mechanisms import NOT_ROOTED
    from privlab.dp.audit.trade_off import (
        TradeOff,
        trade_off_from_promise,
    )
    from privlab.dp.audit.worlds_apart import (
        PAIRED,
        RARE,
        CountedTest,
        Cut,
        Larger,
        epsilon_lower,
        found_in_worlds,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "GAUSSIAN",
    "MECHANISMS",
    "NOT_ROOTED",
    "PAIRED",
    "RARE",
    "REAL",
    "Audit",
    "AuditParameters",
    "CountedTest",
    "Cut",
    "Larger",
    "TradeOff",
    "audit_from_parameters",
    "epsilon_lower",
    "found_in_worlds",
    "trade_off_from_promise",
]
