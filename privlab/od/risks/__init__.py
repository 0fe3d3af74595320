"""Risk of the single people in the loaded data, exact, and of the flows that give them away.

Uses trips, simulating and dp.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.od.risks.exposed_flows import ExposedFlows, exposed_flows_from_person_risks
    from privlab.od.risks.gaussian_risks import (
        GaussianRisks,
        gaussian_risks_from_trip_tables,
        gaussian_risks_from_unique_trips,
    )
    from privlab.od.risks.person_risks import (
        CountedTrips,
        Exposure,
        PersonRisks,
        counted_trips_from_unique_trips,
        exposures_from_person_risks,
        person_risks_from_trip_tables,
        person_risks_from_unique_trips,
        risks_with_all_published,
    )
    from privlab.od.risks.risk_curve import RiskCurve, Value, risk_curve_from_unique_trips
else:
    __getattr__ = door(__name__)

__all__ = [
    "CountedTrips",
    "ExposedFlows",
    "Exposure",
    "GaussianRisks",
    "PersonRisks",
    "RiskCurve",
    "Value",
    "counted_trips_from_unique_trips",
    "exposed_flows_from_person_risks",
    "exposures_from_person_risks",
    "gaussian_risks_from_trip_tables",
    "gaussian_risks_from_unique_trips",
    "person_risks_from_trip_tables",
    "person_risks_from_unique_trips",
    "risk_curve_from_unique_trips",
    "risks_with_all_published",
]
