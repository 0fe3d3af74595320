"""The command line of what holds: guarantees, risk per person.

Registered on the same application as main.py; options mean the same there and here.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError
from privlab.cli.flows.risks_told import (
    people_told,
    people_told_under_gaussian,
)
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
from privlab.cli.options.opened_trips import cells_or_usual, zoned_trips
from privlab.cli.options.reading_options import Reading, with_reading
from privlab.cli.printing.output import show
from privlab.defaults import MOST_PEOPLE, USUAL_DELTA, USUAL_EPSILON, USUAL_THRESHOLD

if TYPE_CHECKING:
    from privlab.dp.gaussian import GaussianParameters
    from privlab.dp.promise import GuaranteeParameters
    from privlab.od import UniqueTrips
    from privlab.od.simulating import ReleaseParameters
    from privlab.od.trips import FlowCounts, TripTables

app = typer.Typer()


Week = Annotated[
    list[str] | None,
    typer.Option(metavar="DATE", help="Monday of a released week, repeatable; default the busiest."),
]
Cells = Annotated[
    str | None,
    typer.Option(
        help="public: all possible flows get noise. discovered: those found in the data. Default: public, but discovered for data whose zones "
        "are known from the data only, of which no other release can be made."
    ),
]
Users = Annotated[int, typer.Option(help="How many people to judge, drawn by the seed.")]


@app.command()
@with_reading
def guarantee(
    *,
    reading: Reading,
    epsilon: Annotated[float, typer.Option(help="Promised to a user's week under a bound, else to a trip.")],
    max_trips_per_user: Bound = None,
    weeks: Annotated[
        int | None,
        typer.Option(help="Weekly releases that one user may be in; default as many as are named, else 1."),
    ] = None,
    threshold: Annotated[
        int, typer.Option(help="Noisy counts below it are not published.")
    ] = USUAL_THRESHOLD,
    cells: Cells = None,
    noise: Annotated[str, typer.Option(help="integer, laplace, or gaussian (with a bound).")] = "integer",
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    target_delta: Annotated[
        float | None,
        typer.Option(
            help=f"What the privacy loss distribution may spend, default {USUAL_DELTA:g}; not with gaussian."
        ),
    ] = None,
    data: Annotated[
        str | None, typer.Option(help="Say too what it means for the people in this data, as risk does.")
    ] = None,
    zones: Zones = None,
    zone_positions: Positions = None,
    week: Week = None,
    users: Users = MOST_PEOPLE,
    seed: Seed = 1,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Say what a release promises a trip, a user's week and a user, whatever the data, and what may honestly be said of it.

    With --data also what is left of the people in some data in the weeks named, by default the busiest one. True data.
    """
    n_weeks = _weekly_releases(weeks, week)

    def promised(cells: str) -> "tuple[GaussianParameters | GuaranteeParameters, dict[str, Any]]":
        if noise == "gaussian":
            if target_delta is not None:
                raise ParameterError(
                    "target_delta does not go with Gaussian noise: name its δ with delta, or leave it out."
                )
            gaussian = gaussian_from_options(
                epsilon,
                max_trips_per_user,
                clip,
                delta,
                weeks=n_weeks,
                threshold=threshold,
                unbiased=unbiased,
                cells=cells,
            )
            return gaussian, _gaussian_guarantee(gaussian)
        require_gaussian_for(clip=clip, delta=delta, unbiased=unbiased)
        parameters = _promised(
            epsilon=epsilon,
            max_trips_per_user=max_trips_per_user,
            weeks=n_weeks,
            threshold=threshold,
            cells=cells,
            noise=noise,
            target_delta=USUAL_DELTA if target_delta is None else target_delta,
        )
        return parameters, _guarantee(parameters)

    parameters, result = promised(
        cells or "public"
    )  # refuses, before anything is read, what no data makes right
    if data is not None:
        with zoned_trips(data, reading, zones, zone_positions, seed, engine) as (trips, is_public):
            cells = cells_or_usual(cells, is_public=is_public)
            parameters, result = promised(cells)
            result["people"] = _people(trips, _as_released(parameters), week, None, users, seed, cells)
    elif engine != "duckdb" or reading != Reading() or zones or zone_positions or week:
        raise ParameterError("data must be named for zones, week, engine and the options of reading.")
    show(result, as_json)


def _weekly_releases(weeks: int | None, named: list[str] | None) -> int:
    """Return how many releases the promise is for: no fewer than the people are judged in."""
    least = len(set(named or ())) or 1
    if weeks is not None and least > max(weeks, 1):
        raise ParameterError(
            f"weeks must be at least {least}, as many as are named by week, got {weeks}. Leave it out, or name fewer weeks."
        )
    return least if weeks is None else weeks


def _promised(**given: Any) -> "GuaranteeParameters":
    from privlab.dp.promise import GuaranteeParameters

    return GuaranteeParameters(**given)


def _guarantee(parameters: "GuaranteeParameters") -> dict[str, Any]:
    from privlab.dp.promise import guarantee_from_parameters

    promise = guarantee_from_parameters(parameters)
    return {
        "parameters": parameters,
        "scale": parameters.mechanism.scale,
        "guarantees": promise.as_dict(),
        "statement": promise.statement,
    }


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


def _as_released(
    parameters: "GaussianParameters | GuaranteeParameters",
) -> "GaussianParameters | ReleaseParameters":
    """Return the release of one week that a guarantee is of."""
    from privlab.dp.gaussian import GaussianParameters

    if isinstance(parameters, GaussianParameters):
        return parameters
    return _released(
        epsilon=parameters.epsilon,
        threshold=parameters.threshold,
        max_trips_per_user=parameters.max_trips_per_user,
        noise=parameters.noise,
    )


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
    ] = USUAL_EPSILON,
    threshold: Annotated[
        int, typer.Option(help="Noisy counts below it are not published.")
    ] = USUAL_THRESHOLD,
    max_trips_per_user: Bound = None,
    noise: Annotated[str, typer.Option(help="laplace, integer, or gaussian (with a bound).")] = "laplace",
    cells: Cells = None,
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    week: Week = None,
    group_size: Annotated[int | None, typer.Option(help="Users sampled into the aggregate.")] = None,
    users: Users = MOST_PEOPLE,
    seed: Seed = 1,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Compute how often the best attack guesses right about each person in the data. True data.

    With Gaussian noise: where no flow of the person is suppressed, which could only lower it. With --engine spark
    the trips stay on the cluster: which flows the most exposed people have is not told.
    """

    def judged(cells: str) -> "GaussianParameters | ReleaseParameters":
        if noise == "gaussian":
            if group_size is not None:
                raise ParameterError(
                    "group_size must not be given with noise gaussian, which judges everybody's release."
                )
            return gaussian_from_options(
                epsilon,
                max_trips_per_user,
                clip,
                delta,
                weeks=_weekly_releases(None, week),
                threshold=threshold,
                unbiased=unbiased,
                cells=cells,
            )
        require_gaussian_for(clip=clip, delta=delta, unbiased=unbiased)
        return _released(
            epsilon=epsilon, threshold=threshold, max_trips_per_user=max_trips_per_user, noise=noise
        )

    judged(cells or "public")  # refuses, before anything is read, what no data makes right
    with zoned_trips(data, reading, zones, zone_positions, seed, engine) as (trips, is_public):
        cells = cells_or_usual(cells, is_public=is_public)
        parameters = judged(cells)
        people = _people(trips, parameters, week, group_size, users, seed, cells)
    show({"parameters": parameters, "cells": cells, **people, "seed": seed}, as_json)


def _released(**given: Any) -> "ReleaseParameters":
    from privlab.od.simulating import ReleaseParameters

    return ReleaseParameters(**given)


def _people(
    trips: "UniqueTrips | FlowCounts | TripTables",
    parameters: "GaussianParameters | ReleaseParameters",
    week: list[str] | None,
    group_size: int | None,
    users: int,
    seed: int,
    cells: str,
) -> dict[str, Any]:
    """Return what a release of the weeks named, by default the busiest one, leaves of the people in some data."""
    from privlab.lab.planning import busiest_week
    from privlab.od.simulating import ReleaseParameters

    chosen = week or [busiest_week(trips)]
    if isinstance(parameters, ReleaseParameters):
        told = people_told(trips, parameters, chosen, group_size, users, seed, cells)
    else:
        told = people_told_under_gaussian(trips, parameters, chosen, users, seed)
    return {"weeks": chosen, **told}
