"""The command line of a plan: what a steward accepts, or one promise → which release to make.

Registered on the same application as main.py; options mean the same there and here.
"""

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError
from privlab.cli.flows.comparison import CombinationAsked, planned_combinations, planned_sizes
from privlab.cli.options.common_options import (
    Data,
    Engine,
    Json,
    Positions,
    Week,
    Zones,
    engine_from_spec,
    zoned,
)
from privlab.cli.options.opened_trips import cells_or_usual, zoned_trips
from privlab.cli.options.reading_options import Reading, opened, with_reading
from privlab.cli.printing.output import show
from privlab.defaults import USUAL_DELTA

if TYPE_CHECKING:
    from privlab.od import UniqueTrips
    from privlab.od.planning import Advice, PlanRequest
    from privlab.od.trips import FlowCounts, TripTables

app = typer.Typer()

_NO_SUCH_RELEASE = (
    "The zones are known from the data only, and `release` makes no release of public cells of them: name them by a box, a zone file or "
    "zone positions, or leave cells out."
)


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
        str | None,
        typer.Option(
            help="public, or discovered: then the threshold also keeps delta at 1e-6 or less. Default: public, but discovered for data whose "
            "zones are known from the data only, of which no other release can be made."
        ),
    ] = None,
    noise: Annotated[
        str,
        typer.Option(
            help="integer, gaussian, or any: whichever leaves more within the risk. Not with --epsilon."
        ),
    ] = "any",
    total_epsilon: Annotated[
        float | None,
        typer.Option(
            help="Also say the noise of each of --weeks releases that together may cost a person so much, at --delta."
        ),
    ] = None,
    delta: Annotated[
        float, typer.Option(help="The δ of --total-epsilon, or of Gaussian noise with --epsilon.")
    ] = USUAL_DELTA,
    zone_sizes: Annotated[
        bool,
        typer.Option(
            "--zone-sizes",
            help="With --epsilon, and zones grid or h3 over a box, or the file's own with --zone-positions: the best release in larger and smaller "
            "zones, too.",
        ),
    ] = False,
    week: Week = None,
    group_size: Annotated[int | None, typer.Option(help="Users sampled into the aggregate.")] = None,
    zones: Zones = None,
    zone_positions: Positions = None,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Find noise, epsilon, bound and threshold that satisfy both wishes; exit code 1 if nothing does. True data.

    The noise is integer, or Gaussian on weighted trips with a total (--unbiased) or without; for discovered cells
    without. On a cluster, and for public cells of zones that only the data knows, it is integer. With --total-epsilon
    the wishes are of one week's release, and --weeks says how many there will be. With --epsilon, or
    --min-utility alone, kinds of noise, clips and a total are searched too, and each step from today's release is shown.
    """
    if epsilon is not None or (min_utility is not None and max_accuracy is None and max_certainty is None):
        wishes = {max_accuracy, max_certainty, max_cases, total_epsilon}
        if wishes != {None} or weeks != 1 or cells not in (None, "public") or noise != "any":
            raise ParameterError(
                "epsilon, or min_utility alone, must be given without max_accuracy, max_certainty, max_cases, total_epsilon, weeks, noise "
                "and discovered cells: it asks for the best release of one week for one promise."
            )
        if engine != "duckdb":
            raise ParameterError(
                "epsilon, and min_utility alone, must be left out on a cluster, which does not search all kinds of noise yet. Use the "
                "engine duckdb."
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
        _shown(found, found["best"], as_json)
        return
    if zone_sizes:
        raise ParameterError(
            "zone_sizes must be given with epsilon, the promise that each size is judged by."
        )
    if total_epsilon is not None and engine != "duckdb":
        raise ParameterError(
            "total_epsilon must be left out on a cluster, which does not look a year ahead yet. Use the engine duckdb."
        )
    from privlab.lab.planning import advice_from_plan_points, busiest_week, plan_points_from_trips

    request = replace(
        _wished(max_accuracy, min_utility, max_certainty, max_cases),
        tolerance=tolerance,
        max_made_up=max_made_up,
        weeks=1 if total_epsilon is not None else weeks,
        cells=cells or "public",
        noise=noise,
    )
    with zoned_trips(data, reading, zones, zone_positions, 1, engine) as (trips, is_public):
        request = replace(request, cells=cells_or_usual(cells, is_public=is_public))
        chosen, notes = week or busiest_week(trips), _notes(request, trips, is_public=is_public)
        points = plan_points_from_trips(
            trips, request, is_public=is_public, week=chosen, group_size=group_size
        )
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
        "notes": notes,
    }
    if total_epsilon is not None:
        result |= _year_ahead(
            advice, trips, total_epsilon, delta=delta, weeks=weeks, week=chosen, group_size=group_size
        )
    _shown(result, advice.recommended, as_json)


def _notes(
    request: "PlanRequest", trips: "UniqueTrips | FlowCounts | TripTables", *, is_public: bool
) -> list[str]:
    """Return what a reader of a plan must know of the cells and the noise that were looked at."""
    from privlab.lab.planning import NO_GAUSSIAN_ON_CLUSTER
    from privlab.od.combining import reason_against_gaussian_plan
    from privlab.od.planning import ANY_NOISE
    from privlab.od.trips import TripTables

    notes = []
    if request.cells == "public" and not is_public:
        notes.append(_NO_SUCH_RELEASE)
    if request.noise != ANY_NOISE:
        return notes
    if isinstance(trips, TripTables):
        return [*notes, NO_GAUSSIAN_ON_CLUSTER]
    reason = reason_against_gaussian_plan(request, is_public=is_public, n_zones=trips.zones.size)
    return notes if reason is None else [*notes, f"Planned with integer noise. {reason}"]


def _wished(
    max_accuracy: float | None,
    min_utility: float | None,
    max_certainty: float | None,
    max_cases: float | None,
) -> "PlanRequest":
    """Return what is accepted; without a single wish, what the Data page proposes."""
    from privlab.lab.proposing import proposed_request
    from privlab.od.planning import PlanRequest

    if {max_accuracy, min_utility, max_certainty, max_cases} == {None}:
        return proposed_request(is_public=True)
    if max_accuracy is None or min_utility is None:
        raise ParameterError("max_accuracy and min_utility must be given together, or neither of all wishes.")
    return PlanRequest(
        max_accuracy=max_accuracy, min_utility=min_utility, max_certainty=max_certainty, max_cases=max_cases
    )


def _year_ahead(
    advice: "Advice",
    trips: "UniqueTrips | FlowCounts | TripTables",
    total_epsilon: float,
    *,
    delta: float,
    weeks: int,
    week: str,
    group_size: int | None,
) -> dict[str, Any]:
    """Return the noise of each of so many weeks that together cost a person `total_epsilon`, and the use of one; {} for stored tables."""
    from privlab.figures.planning import year_in_words
    from privlab.lab.planning import bounds_of_year, noises_of_year, use_of_year
    from privlab.od.trips import TripTables

    if isinstance(trips, TripTables):
        return {}
    noises = noises_of_year(bounds_of_year(advice), total_epsilon, delta=delta, weeks=weeks)
    use = use_of_year(trips, noises, week=week, group_size=group_size, max_made_up=advice.request.max_made_up)
    return {
        "year_says": year_in_words(noises, use),
        "year_ahead": [
            asdict(one) | {"within_10_percent": share}
            for one, share in zip(noises, use or [None] * len(noises), strict=True)
        ],
    }


def _shown(result: dict[str, Any], found: object, as_json: bool) -> None:
    """Show a result; exit code 1 if what was looked for is not found."""
    show(result, as_json)
    if found is None:
        raise typer.Exit(1)
