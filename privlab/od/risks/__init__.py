"""A release and whose trips are in it -> what an attacker learns of anyone, exactly.

Uses counting, releases and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.risks.attack import (
        AttackCurve,
        AttackParameters,
        BoundedAttack,
        attack_curve_from_parameters,
        bounded_attack_from_gaussian_parameters,
        bounded_attack_from_release_parameters,
        share_above_claim,
    )
    from privlab.od.risks.attack_by_epsilon import (
        NEGLIGIBLE,
        WeekWithDelta,
        accuracies_by_epsilon,
        week_with_delta,
    )
    from privlab.od.risks.exposed_flows import (
        ExposedFlows,
        exposed_flows_from_person_risks,
    )
    from privlab.od.risks.gaussian_risks import (
        GaussianRisks,
        gaussian_risks_from_trip_tables,
        gaussian_risks_from_unique_trips,
    )
    from privlab.od.risks.person_risks import (
        Exposure,
        PersonRisks,
        exposures_from_person_risks,
        person_risks_from_trip_tables,
        person_risks_from_unique_trips,
    )
    from privlab.od.risks.risk_curve import (
        RiskCurve,
        Value,
        risk_curve_from_unique_trips,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "NEGLIGIBLE",
    "AttackCurve",
    "AttackParameters",
    "BoundedAttack",
    "ExposedFlows",
    "Exposure",
    "GaussianRisks",
    "PersonRisks",
    "RiskCurve",
    "Value",
    "WeekWithDelta",
    "accuracies_by_epsilon",
    "attack_curve_from_parameters",
    "bounded_attack_from_gaussian_parameters",
    "bounded_attack_from_release_parameters",
    "exposed_flows_from_person_risks",
    "exposures_from_person_risks",
    "gaussian_risks_from_trip_tables",
    "gaussian_risks_from_unique_trips",
    "person_risks_from_trip_tables",
    "person_risks_from_unique_trips",
    "risk_curve_from_unique_trips",
    "share_above_claim",
    "week_with_delta",
]
