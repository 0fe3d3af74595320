"""The command line of what holds: guarantees, risk per person.

Registered on the same application as cli.py; options mean the same there and here.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError, require_choice
from privlab.cli.flows.risks_told import largest_if_empty, person_told, risks_shown
from privlab.cli.options.common_options import (
    Bound,
    Clip,
    Data,
    Delta,
    Engine,
    Json,
    Positions,
    Seed,
    Unbiased,
    Zones,
    gaussian_from_options,
    require_gaussian_for,
)
from privlab.cli.options.opened_trips import opened_trips
from privlab.cli.options.reading_options import Reading, with_reading
from privlab.cli.printing.output import show
from privlab.limits import USUAL_THRESHOLD

if TYPE_CHECKING:
    from privlab.dp.gaussian import GaussianParameters
    from privlab.od import UniqueTrips
    from privlab.od.trips import FlowCounts, TripTables

app = typer.Typer()


@app.command()
def guarantee(
    epsilon: Annotated[float, typer.Option(help="Promised to a user's week under a bound, else to a trip.")],
    max_trips_per_user: Bound = None,
    weeks: Annotated[int, typer.Option(help="Weekly releases that one user may be in.")] = 1,
    threshold: Annotated[
        int, typer.Option(help="Noisy counts below it are not published.")
    ] = USUAL_THRESHOLD,
    cells: Annotated[str, typer.Option(help="public or discovered.")] = "public",
    noise: Annotated[
        str, typer.Option(help="integer, laplace, or gaussian (with a bound, on public cells).")
    ] = "integer",
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    target_delta: Annotated[float, typer.Option(help="What the privacy loss distribution may spend.")] = 1e-6,
    as_json: Json = False,
) -> None:
    """Say what a release promises a trip, a user's week and a user, whatever the data, and what may honestly be said of it."""
    if noise == "gaussian":
        require_choice("cells", cells, ("public",))
        asked = gaussian_from_options(
            epsilon, max_trips_per_user, clip, delta, weeks=weeks, threshold=threshold, unbiased=unbiased
        )
        show(_gaussian_guarantee(asked), as_json)
        return
    require_gaussian_for(clip=clip, delta=delta, unbiased=unbiased)
    from privlab.dp.promise import GuaranteeParameters, guarantee_from_parameters

    parameters = GuaranteeParameters(
        epsilon=epsilon,
        max_trips_per_user=max_trips_per_user,
        weeks=weeks,
        threshold=threshold,
        cells=cells,
        noise=noise,
        target_delta=target_delta,
    )
    promise = guarantee_from_parameters(parameters)
    result: dict[str, Any] = {
        "parameters": parameters,
        "scale": parameters.mechanism.scale,
        "guarantees": promise.as_dict(),
        "statement": promise.statement,
    }
    show(result, as_json)


def _gaussian_guarantee(parameters: "GaussianParameters") -> dict[str, Any]:
    from privlab.dp.gaussian import UNITS
    from privlab.dp.promise import guarantee_from_gaussian_parameters

    promise = guarantee_from_gaussian_parameters(parameters)
    return {
        "parameters": parameters,
        "standard_deviation": parameters.sigma / UNITS,
        "guarantees": promise.as_dict(),
        "statement": promise.statement,
    }


@app.command()
@with_reading
def risk(
    data: Data,
    *,
    reading: Reading,
    zones: Zones = None,
    zone_positions: Positions = None,
    epsilon: Annotated[
        float, typer.Option(help="Promised to a user's week under a bound, else to a trip.")
    ] = 0.66,
    threshold: Annotated[
        int, typer.Option(help="Noisy counts below it are not published.")
    ] = USUAL_THRESHOLD,
    max_trips_per_user: Bound = None,
    noise: Annotated[
        str, typer.Option(help="laplace, integer, or gaussian (with a bound, on public cells).")
    ] = "laplace",
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    week: Annotated[
        list[str] | None, typer.Option(help="Monday of a released week, repeatable; default the busiest.")
    ] = None,
    group_size: Annotated[int | None, typer.Option(help="Users sampled into the aggregate.")] = None,
    users: Annotated[int, typer.Option(help="How many people to judge, drawn by the seed.")] = 1000,
    seed: Seed = 1,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Compute how often the best attack guesses right about each person in the data. True data.

    With Gaussian noise: where no flow of the person is suppressed, which could only lower it. With --engine spark
    the trips stay on the cluster: which flows the most exposed people have is not told.
    """
    from privlab.lab.planning import busiest_week

    if noise == "gaussian":
        if group_size is not None:
            raise ParameterError(
                "group_size must not be given with noise gaussian, which judges everybody's release."
            )
        asked = gaussian_from_options(
            epsilon, max_trips_per_user, clip, delta, threshold=threshold, unbiased=unbiased
        )
        with opened_trips(data, reading, zones, zone_positions, seed, engine) as trips:
            show(_gaussian_risk(trips, asked, week or [busiest_week(trips)], users, seed), as_json)
        return
    require_gaussian_for(clip=clip, delta=delta, unbiased=unbiased)
    from privlab.figures.risks import risks_finding
    from privlab.figures.wording import nothing_published
    from privlab.od.risks import (
        exposures_from_person_risks,
        person_risks_from_trip_tables,
        person_risks_from_unique_trips,
    )
    from privlab.od.simulating import ReleaseParameters
    from privlab.od.trips import TripTables

    parameters = ReleaseParameters(
        epsilon=epsilon, threshold=threshold, max_trips_per_user=max_trips_per_user, noise=noise
    )
    with opened_trips(data, reading, zones, zone_positions, seed, engine) as trips:
        chosen = week or [busiest_week(trips)]
        if isinstance(trips, TripTables):
            zone_ids = None
            risks = person_risks_from_trip_tables(
                trips, parameters, weeks=chosen, group_size=group_size, n_people=users, seed=seed
            )
        else:
            zone_ids = trips.zones
            risks = person_risks_from_unique_trips(
                trips, parameters, weeks=chosen, group_size=group_size, n_people=users
            )
        empty = largest_if_empty(trips, parameters, chosen, group_size, seed)
    result = {
        "parameters": parameters,
        "weeks": chosen,
        "says": risks_finding(risks) if empty is None else nothing_published(empty, threshold),
        **risks_shown(risks),
        "most_exposed": [
            person_told(one, zone_ids, chosen) for one in exposures_from_person_risks(risks, n_most=5)
        ],
        "seed": seed,
    }
    show(result, as_json)


def _gaussian_risk(
    trips: "UniqueTrips | FlowCounts | TripTables",
    parameters: "GaussianParameters",
    weeks: list[str],
    users: int,
    seed: int,
) -> dict[str, Any]:
    from privlab.figures.risks import risks_finding
    from privlab.od.risks import gaussian_risks_from_trip_tables, gaussian_risks_from_unique_trips
    from privlab.od.trips import TripTables

    risks = (
        gaussian_risks_from_trip_tables(trips, parameters, weeks=weeks, n_people=users, seed=seed)
        if isinstance(trips, TripTables)
        else gaussian_risks_from_unique_trips(trips, parameters, weeks=weeks, n_people=users)
    )
    return {
        "parameters": parameters,
        "weeks": weeks,
        "says": f"{risks_finding(risks)} That is where all their flows are published; a flow that is left out only lowers it.",
        **risks_shown(risks),
        "seed": seed,
    }
