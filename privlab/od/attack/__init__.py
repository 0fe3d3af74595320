"""The membership attack on origin-destination counts, worked out from parameters alone.

Uses simulating and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.attack.attack import (
        AttackCurve,
        AttackParameters,
        BoundedAttack,
        attack_curve_from_parameters,
        bounded_attack_from_gaussian_parameters,
        bounded_attack_from_release_parameters,
        share_above_claim,
    )
    from privlab.od.attack.attack_by_epsilon import (
        NEGLIGIBLE,
        WeekWithDelta,
        accuracies_by_epsilon,
        week_with_delta,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "NEGLIGIBLE",
    "AttackCurve",
    "AttackParameters",
    "BoundedAttack",
    "WeekWithDelta",
    "accuracies_by_epsilon",
    "attack_curve_from_parameters",
    "bounded_attack_from_gaussian_parameters",
    "bounded_attack_from_release_parameters",
    "share_above_claim",
    "week_with_delta",
]
