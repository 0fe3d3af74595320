"""The command line of what holds: guarantees, risk per person, plan.

Registered on the same application as cli.py; options mean the same there and here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError, require_choice
from privlab.cli.common_options import (
    Clip,
    Data,
    Delta,
    Engine,
    Json,
    Positions,
    Seed,
    Unbiased,
    Zones,
    cluster_from_spec,
    engine_from_spec,
    gaussian_from_options,
    require_gaussian_for,
    zoned,
)
from privlab.cli.comparison import CombinationAsked, planned_combinations, planned_sizes
from privlab.cli.output import show
from privlab.cli.reading_options import Reading, opened, with_reading
from privlab.cli.risks_told import largest_if_empty, person_told, risks_shown

if TYPE_CHECKING:
    from privlab.dp.gaussian import GaussianParameters
    from privlab.od import UniqueTrips
    from privlab.od.trips import FlowCounts, TripTables

app = typer.Typer()

Bound = Annotated[
    int | None,
    typer.Option("--max-trips-per-user", help="Contribution bound L; noise then is L/epsilon. Default none."),
]
Week = Annotated[str | None, typer.Option(help="Monday of the week (2026-03-02); default the busiest.")]


def _unique_trips(
    data: str, reading: Reading, zones: str | None, positions: Path | None, seed: int
) -> "UniqueTrips | FlowCounts":
    from privlab.lab.loading import trips_from_rows

    with engine_from_spec("duckdb") as workspace:
        rows = zoned(opened(data, reading, workspace, zones), zones, positions)
        return trips_from_rows(*rows, seed=seed)


@contextmanager
def _trips(
    data: str, reading: Reading, zones: str | None, positions: Path | None, seed: int, engine: str
) -> "Iterator[UniqueTrips | FlowCounts | TripTables]":
    """Yield the trips of some data: in memory, or in tables that stay on the cluster."""
    with cluster_from_spec(engine) as cluster:
        if cluster is None:
            yield _unique_trips(data, reading, zones, positions, seed)
            return
        from privlab.lab.loading import trip_source_from_rows

        yield trip_source_from_rows(*zoned(opened(data, reading, cluster, zones), zones, positions))


@app.command()
def guarantee(
    epsilon: Annotated[float, typer.Option(help="Promised to a user's week under a bound, else to a trip.")],
    max_trips_per_user: Bound = None,
    weeks: Annotated[int, typer.Option(help="Weekly releases that one user may be in.")] = 1,
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are not published.")] = 100,
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
    """Say what a release promises a trip, a user's week and a user, and what may honestly be said of it."""
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
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are not published.")] = 100,
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

    With gaussian noise: where no flow of the person is suppressed, which could only lower it. With --engine spark
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
        with _trips(data, reading, zones, zone_positions, seed, engine) as trips:
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
    with _trips(data, reading, zones, zone_positions, seed, engine) as trips:
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


@app.command()
@with_reading
def plan(
    data: Data,
    *,
    reading: Reading,
    max_accuracy: Annotated[
        float | None,
        typer.Option(
            help="Nobody may be guessed right more often than this; a coin: 0.5. Without it and --min-utility: the plan "
            "that the Data page proposes."
        ),
    ] = None,
    min_utility: Annotated[
        float | None, typer.Option(help="Share of trips in flows published close to the truth.")
    ] = None,
    epsilon: Annotated[
        float | None,
        typer.Option(
            help="Instead of --max-accuracy: the best release that keeps this to a user's week, at --delta. With --min-utility "
            "alone: the least epsilon that leaves so much."
        ),
    ] = None,
    tolerance: Annotated[float, typer.Option(help="How close: the relative error allowed.")] = 0.1,
    max_made_up: Annotated[
        float, typer.Option(help="Share of published cells that may have no flow.")
    ] = 0.01,
    max_certainty: Annotated[
        float | None,
        typer.Option(
            help="Nobody may be known to be in with more certainty, in more than --max-cases. Default: no such wish."
        ),
    ] = None,
    max_cases: Annotated[
        float | None, typer.Option(help="Share of cases in which --max-certainty may be exceeded.")
    ] = None,
    weeks: Annotated[int, typer.Option(help="Weekly releases that one user may be in.")] = 1,
    cells: Annotated[
        str, typer.Option(help="public, or discovered: then the threshold also keeps delta at 1e-6 or less.")
    ] = "public",
    total_epsilon: Annotated[
        float | None,
        typer.Option(
            help="Also say the noise of each of --weeks releases that together may cost a person so much, at --delta."
        ),
    ] = None,
    delta: Annotated[
        float, typer.Option(help="The δ of --total-epsilon, or of Gaussian noise with --epsilon.")
    ] = 1e-6,
    zone_sizes: Annotated[
        bool,
        typer.Option(
            "--zone-sizes",
            help="With --epsilon and zones grid:METRES:S,W,N,E: the best release at half, twice, four and eight times the side, too.",
        ),
    ] = False,
    week: Week = None,
    group_size: Annotated[int | None, typer.Option(help="Users sampled into the aggregate.")] = None,
    zones: Zones = None,
    zone_positions: Positions = None,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Find epsilon, bound and threshold that satisfy both wishes; exit code 1 if nothing does. True data.

    With --total-epsilon the wishes are of one week's release, and --weeks says how many there will be. With --epsilon, or
    --min-utility alone, kinds of noise, clips and a total are searched too, and each step from today's release is shown.
    """
    if epsilon is not None or (min_utility is not None and max_accuracy is None and max_certainty is None):
        wishes = {max_accuracy, max_certainty, max_cases, total_epsilon}
        if wishes != {None} or weeks != 1 or cells != "public":
            raise ParameterError(
                "epsilon, or min_utility alone, must be given without max_accuracy, max_certainty, max_cases, total_epsilon, weeks and "
                "discovered cells: it asks for the best release of one week for one promise."
            )
        if zone_sizes and (epsilon is None or week is not None or group_size is not None):
            raise ParameterError(
                "zone_sizes must be given with epsilon, and without week and group_size: each size is judged in the busiest week of everybody."
            )
        if epsilon is not None and min_utility is not None:
            raise ParameterError("epsilon and min_utility must not be given together: one of them is found.")
        asked = CombinationAsked(
            epsilon=epsilon,
            min_utility=min_utility,
            delta=delta,
            tolerance=tolerance,
            max_made_up=max_made_up,
        )
        with engine_from_spec("duckdb") as workspace:
            rows = zoned(opened(data, reading, workspace, zones), zones, zone_positions)
            found = planned_combinations(*rows, asked, week=week, group_size=group_size)
            if zone_sizes:
                found["zone_sizes"] = planned_sizes(*rows, asked)
        show(found, as_json)
        if found["best"] is None:
            raise typer.Exit(1)
        return
    if zone_sizes:
        raise ParameterError(
            "zone_sizes must be given with epsilon, the promise that each size is judged by."
        )
    from privlab.dp.composing import weekly_noises
    from privlab.lab.planning import (
        advice_from_plan_points,
        bound_of_year,
        busiest_week,
        plan_points_from_trips,
        proposed_request,
        use_of_year,
    )
    from privlab.od.planning import PlanRequest
    from privlab.od.trips import TripTables

    if max_accuracy is None and min_utility is None and max_certainty is None and max_cases is None:
        first = proposed_request(is_public=True)
        max_accuracy, min_utility = first.max_accuracy, first.min_utility
        max_certainty, max_cases = first.max_certainty, first.max_cases
    if max_accuracy is None or min_utility is None:
        raise ParameterError("max_accuracy and min_utility must be given together, or neither of all wishes.")
    request = PlanRequest(
        max_accuracy=max_accuracy,
        min_utility=min_utility,
        tolerance=tolerance,
        max_made_up=max_made_up,
        weeks=1 if total_epsilon is not None else weeks,
        max_certainty=max_certainty,
        max_cases=max_cases,
        cells=cells,
    )
    if total_epsilon is not None and engine != "duckdb":
        raise ParameterError(
            "total_epsilon must be left out on a cluster, which does not look a year ahead yet. Use the engine duckdb."
        )
    with _trips(data, reading, zones, zone_positions, 1, engine) as trips:
        chosen = week or busiest_week(trips)
        points = plan_points_from_trips(trips, request, week=chosen, group_size=group_size)
    advice = advice_from_plan_points(points, request)
    result = {
        "request": request,
        "week": chosen,
        "says": advice.statement,
        "recommended": advice.recommended,
        "neighbours": advice.neighbours,
        "best_allowed": advice.best_allowed,
        "least_risky": advice.least_risky,
        "feasible": advice.feasible,
        "frontier": advice.frontier,
    }
    if total_epsilon is not None and not isinstance(trips, TripTables):
        noises = weekly_noises(total_epsilon, delta, max_trips_per_user=bound_of_year(advice), weeks=weeks)
        use = use_of_year(trips, noises, week=chosen, group_size=group_size)
        result["year_ahead"] = [
            asdict(one) | {"within_10_percent": share} for one, share in zip(noises, use, strict=True)
        ]
    show(result, as_json)
    if advice.recommended is None:
        raise typer.Exit(1)
