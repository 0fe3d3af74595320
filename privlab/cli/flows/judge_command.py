"""The command `judge`: what the analyses that flows are published for would find in a release, before and after.

Registered on the same application as main.py; options mean the same there and here.
"""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError
from privlab.cli.options.common_options import (
    Clip,
    Data,
    Delta,
    Json,
    Positions,
    Seed,
    Unbiased,
    Zones,
    engine_from_spec,
    gaussian_from_options,
    require_gaussian_for,
    zoned,
)
from privlab.cli.options.reading_options import Reading, opened, with_reading
from privlab.cli.printing.output import show
from privlab.cli.printing.progress_lines import lines_of_steps
from privlab.defaults import USUAL_EPSILON, USUAL_THRESHOLD

if TYPE_CHECKING:
    from privlab.dp.gaussian import GaussianParameters

app = typer.Typer()


@app.command()
@with_reading
def judge(
    data: Data,
    *,
    reading: Reading,
    on_release: Annotated[
        Path | None,
        typer.Option(help="The folder of a release made from this data; without it, one is simulated."),
    ] = None,
    zones: Zones = None,
    zone_positions: Positions = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Of a simulated release: the privacy loss. Default 0.66.")
    ] = None,
    threshold: Annotated[
        int | None, typer.Option(help="Noisy counts below it are not published. Default 100.")
    ] = None,
    max_trips_per_user: Annotated[
        int | None, typer.Option(help="Contribution bound L; noise then is L/epsilon. Default none.")
    ] = None,
    noise: Annotated[
        str | None, typer.Option(help="laplace, integer, or gaussian (with a bound). Default laplace.")
    ] = None,
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    week: Annotated[str | None, typer.Option(help="Monday of the week; default the busiest.")] = None,
    group_size: Annotated[int | None, typer.Option(help="Users sampled into the aggregate.")] = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Say what analyses find in the true counts and in the published ones, and how far off they are. True data.

    Trips by origin and from district to district (3 by 3 districts of neighbouring zones), the largest flows and their
    order, how far trips go, a gravity model's exponents, and the order in which an epidemic arrives. With --unbiased in the counts that the
    noisy total gives back.
    """
    from privlab.figures.flows import analyses_in_words
    from privlab.lab.comparing import analyses_from_released_counts, simulated_analyses_from_trips
    from privlab.lab.loading import prepared_trips_from_rows
    from privlab.od.simulating import ReleaseParameters
    from privlab.releases.reading import released_counts_from_folder, require_flows_of_weeks

    asked = {
        "epsilon": epsilon,
        "threshold": threshold,
        "max_trips_per_user": max_trips_per_user,
        "noise": noise,
        "clip": clip,
        "delta": delta,
        "unbiased": unbiased or None,
    }
    given = {name: value for name, value in asked.items() if value is not None}
    alone = [
        name for name, value in {**given, "week": week, "group_size": group_size}.items() if value is not None
    ]
    if on_release is not None and alone:
        raise ParameterError(
            f"{alone[0]} must not be given with --on-release, whose certificate says how it was made."
        )
    released = None if on_release is None else released_counts_from_folder(on_release)
    if released is not None:
        require_flows_of_weeks(released.plan)  # before the data is read, which may take long
    parameters: ReleaseParameters | GaussianParameters
    if noise == "gaussian":
        parameters = gaussian_from_options(
            USUAL_EPSILON if epsilon is None else epsilon,
            max_trips_per_user,
            clip,
            delta,
            threshold=USUAL_THRESHOLD if threshold is None else threshold,
            unbiased=unbiased,
        )
    else:
        require_gaussian_for(clip=clip, delta=delta, unbiased=unbiased)
        parameters = ReleaseParameters(**given)  # type: ignore[arg-type]
    with engine_from_spec("duckdb") as workspace:
        rows = zoned(opened(data, reading, workspace, zones), zones, zone_positions)
        with lines_of_steps(workspace.query_share) as progress:
            prepared = prepared_trips_from_rows(*rows, progress)
    result: dict[str, Any] = {"zones": prepared.zones_spec}
    if released is not None:
        found = analyses_from_released_counts(prepared, released)
        result |= {"release": released.digest, "weeks": list(released.plan.weeks)}
    else:
        trips = prepared.trips
        chosen = week or trips.weeks[trips.busiest_week]
        found = (
            simulated_analyses_from_trips(
                prepared, parameters, week=chosen, group_size=group_size, seed=seed
            ),
        )
        result |= {"parameters": parameters, "week": chosen, "seed": seed}
    result["says"] = [f"{one.week}, {one.counts}: {analyses_in_words(one.analyses)}" for one in found]
    result["analyses"] = [
        {"week": one.week, "counts": one.counts, **asdict(analysis)}
        for one in found
        for analysis in one.analyses
    ]
    result["notes"] = [
        "True data, for internal eyes: what is found in the true counts is not to be published."
    ]
    show(result, as_json)
