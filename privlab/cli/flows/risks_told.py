"""Risks of people as the commands `risk` and `guarantee` tell them: figures, and the most exposed people without a name."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from privlab.dp.gaussian import GaussianParameters
    from privlab.od import UniqueTrips
    from privlab.od.risks import Exposure, GaussianRisks, PersonRisks
    from privlab.od.simulating import ReleaseParameters
    from privlab.od.trips import FlowCounts, TripTables

UNNAMED = (
    "On a cluster the flows of single people have no names: where one person goes does not leave it. If you may see that, "
    "use the engine duckdb, which names them."
)


def people_told(
    trips: "UniqueTrips | FlowCounts | TripTables",
    parameters: "ReleaseParameters",
    weeks: list[str],
    group_size: int | None,
    users: int,
    seed: int,
    cells: str = "public",
) -> dict[str, Any]:
    """Return the risks of people under Laplace or integer noise, and who is exposed most."""
    from privlab.figures.risks import risks_finding, sums_tell
    from privlab.figures.wording import nothing_published
    from privlab.od.risks import (
        exposures_from_person_risks,
        person_risks_from_trip_tables,
        person_risks_from_unique_trips,
    )
    from privlab.od.trips import TripTables

    if isinstance(trips, TripTables):
        zone_ids = None
        risks = person_risks_from_trip_tables(
            trips, parameters, weeks=weeks, group_size=group_size, n_people=users, seed=seed, cells=cells
        )
    else:
        zone_ids = trips.zones
        risks = person_risks_from_unique_trips(
            trips, parameters, weeks=weeks, group_size=group_size, n_people=users, cells=cells
        )
    empty = largest_if_empty(trips, parameters, weeks, group_size, seed)
    notes = [one for one in (sums_tell(parameters) if cells == "public" else "",) if one]
    if zone_ids is None:
        notes.append(UNNAMED)
    return {
        "says": risks_finding(risks) if empty is None else nothing_published(empty, parameters.threshold),
        **risks_shown(risks),
        "most_exposed": [
            person_told(one, zone_ids, weeks) for one in exposures_from_person_risks(risks, n_most=5)
        ],
        **({"notes": notes} if notes else {}),
    }


def people_told_under_gaussian(
    trips: "UniqueTrips | FlowCounts | TripTables",
    parameters: "GaussianParameters",
    weeks: list[str],
    users: int,
    seed: int,
) -> dict[str, Any]:
    """Return the risks of people under Gaussian noise."""
    from privlab.figures.risks import risks_finding
    from privlab.od.risks import gaussian_risks_from_trip_tables, gaussian_risks_from_unique_trips
    from privlab.od.trips import TripTables

    risks = (
        gaussian_risks_from_trip_tables(trips, parameters, weeks=weeks, n_people=users, seed=seed)
        if isinstance(trips, TripTables)
        else gaussian_risks_from_unique_trips(trips, parameters, weeks=weeks, n_people=users)
    )
    return {
        "says": f"{risks_finding(risks)} That is where all their flows are published; a flow that is left out only lowers it.",
        **risks_shown(risks),
        "notes": [
            f"With Gaussian noise these are the risks without suppression, the same for every threshold: that of {parameters.threshold:,} is not "
            "looked at, and the flows that expose people are not named. What a threshold hides of one person's flows: `certainty --noise "
            "gaussian --threshold … --counts …`."
        ],
    }


def risks_shown(risks: "PersonRisks | GaussianRisks") -> dict[str, Any]:
    """Return the figures of all people judged."""
    import numpy as np

    levels = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1.0)
    return {
        "users_in_release": risks.n_users,
        "users_judged": risks.accuracy.size,
        "mean": float(risks.accuracy.mean()),
        "quantiles": {f"{level:g}": float(np.quantile(risks.accuracy, level)) for level in levels},
        "claimed_bound": risks.claimed_bound,
        "share_above_claim": risks.share_above_claim,
    }


def largest_if_empty(
    trips: "UniqueTrips | FlowCounts | TripTables",
    parameters: "ReleaseParameters",
    weeks: list[str],
    group_size: int | None,
    seed: int,
) -> int | None:
    """Return the people in the largest flow of all weeks if nothing of any week would be published, else None."""
    from privlab.od.expecting import largest_flow_if_nothing_is_published, largest_if_nothing_is_published
    from privlab.od.trips import Asked, TripTables, people_by_week

    if isinstance(trips, TripTables):
        asked = Asked(tables=trips, weeks=tuple(weeks), group_size=group_size, seed=seed)
        counts = people_by_week(asked, parameters.max_trips_per_user)
        largest = [largest_if_nothing_is_published(*counts[week], parameters) for week in weeks]
        return None if None in largest else max(one for one in largest if one is not None)
    found = [
        largest_flow_if_nothing_is_published(trips, parameters, week=week, group_size=group_size)
        for week in weeks
    ]
    known = [one for one in found if one is not None]
    return max(known) if len(known) == len(found) else None


def person_told(one: "Exposure", zones: Any, weeks: list[str]) -> dict[str, Any]:
    """Return a person without a name: how often the best attack is right, and the five most telling flows.

    Without `zones`, of what is on a cluster, the flows have no name either.
    """
    import numpy as np

    if zones is None:
        told = zip([weeks[week] for week in one.week], one.others, one.alone, strict=True)
        unnamed = [{"week": week, "others": int(n), "alone": float(alone)} for week, n, alone in told]
        return {"accuracy": one.accuracy, "trips": one.flow.size, "flows": unnamed[:5]}
    origin, destination = np.divmod(one.flow[:5], zones.size)
    named = [weeks[week] for week in one.week]
    flows = zip(
        named, zones[origin].tolist(), zones[destination].tolist(), one.others, one.alone, strict=False
    )
    return {
        "accuracy": one.accuracy,
        "trips": one.flow.size,
        "flows": [
            {"week": week, "origin": start, "destination": end, "others": int(others), "alone": float(alone)}
            for week, start, end, others, alone in flows
        ],
    }
