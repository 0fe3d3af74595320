"""The command line of the attack on noisy counts, as it is without any data.

Registered on the same application as main.py; options mean the same there and here.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError, counts_from_text, require_whole
from privlab.cli.options.common_options import (
    Clip,
    Delta,
    Json,
    Seed,
    Unbiased,
    gaussian_from_options,
    require_gaussian_for,
)
from privlab.cli.printing.output import show
from privlab.defaults import MOST_TRIPS, USUAL_EPSILON
from privlab.limits import MAX_TRIPS

if TYPE_CHECKING:
    from privlab.dp.certainty import Certainty
    from privlab.dp.gaussian import GaussianParameters

app = typer.Typer()


@app.command("attack-curve")
def attack_curve(
    epsilon: Annotated[float, typer.Option(help="Privacy loss per flow.")],
    max_trips: Annotated[int, typer.Option(help="Largest number of unique trips K.")] = MOST_TRIPS,
    repetitions: Annotated[int, typer.Option(help="Simulated games; 0 for none.")] = 0,
    seed: Seed = 1,
    noise: Annotated[str, typer.Option(help="laplace, integer, or gaussian (with a bound).")] = "laplace",
    max_trips_per_user: Annotated[
        int | None, typer.Option(help="With gaussian: the contribution bound L.")
    ] = None,
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    as_json: Json = False,
) -> None:
    """Compute the membership attack's exact accuracy for k = 0..K unique trips, beside its bounds."""
    if noise == "gaussian":
        asked = gaussian_from_options(epsilon, max_trips_per_user, clip, delta, unbiased=unbiased)
        show(_gaussian_curve(asked, require_whole("max_trips", max_trips, 0, MAX_TRIPS)), as_json)
        return
    require_gaussian_for(max_trips_per_user=max_trips_per_user, clip=clip, delta=delta, unbiased=unbiased)
    from privlab.od.attack import AttackParameters, attack_curve_from_parameters
    from privlab.seeds import generator

    parameters = AttackParameters(epsilon=epsilon, max_trips=max_trips, noise=noise, repetitions=repetitions)
    curve = attack_curve_from_parameters(parameters, generator(seed, "attack games"))
    columns = {
        "trips": curve.n_trips,
        "optimal": curve.optimal,
        "simulated": curve.simulated,
        "low": curve.low,
        "high": curve.high,
        "user_level_bound": curve.user_level_bound,
    }
    rows = [
        {name: None if values is None else values[k].item() for name, values in columns.items()}
        for k in curve.n_trips
    ]
    result = {
        "epsilon": parameters.epsilon,
        "noise": parameters.noise,
        "repetitions": parameters.repetitions,
        "claimed_bound": curve.claimed_bound,
        "first_trips_above_claim": curve.first_trips_above_claim,
        "curve": rows,
    }
    show(result, as_json)


def _gaussian_curve(parameters: "GaussianParameters", max_trips: int) -> dict[str, Any]:
    """Return the attack on a release under a bound, where all of the target's flows are published."""
    from privlab.dp.attack import accuracy_from_promise
    from privlab.dp.certainty import claimed_bound
    from privlab.dp.gaussian import UNITS, accuracies_from_gaussian_parameters

    accuracies = accuracies_from_gaussian_parameters(parameters, max_trips).tolist()
    claim = claimed_bound(parameters.epsilon)
    proven = accuracy_from_promise(parameters.epsilon, parameters.delta)
    return {
        "parameters": parameters,
        "standard_deviation": parameters.sigma / UNITS,
        "claimed_bound": claim,
        "first_trips_above_claim": next((k for k, one in enumerate(accuracies) if one > claim), None),
        "curve": [
            {"trips": k, "optimal": one, "user_level_bound": 0.5 if k == 0 else proven}
            for k, one in enumerate(accuracies)
        ],
    }


@app.command("cell-attack")
def cell_attack(
    epsilon: Annotated[float, typer.Option(help="Privacy loss per flow.")],
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are suppressed.")],
    counts: Annotated[str, typer.Option(help="Others in each of the target's flows: c1,c2,…")],
    noise: Annotated[str, typer.Option(help="laplace, integer, or gaussian (with a bound).")] = "laplace",
    max_trips_per_user: Annotated[
        int | None, typer.Option(help="With gaussian: the contribution bound L.")
    ] = None,
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    as_json: Json = False,
) -> None:
    """Compute the exact accuracy against a target in given flows, suppression included.

    With Gaussian noise of what is published, counts rounded to whole trips; the others count as they are weighted.
    """
    others = counts_from_text(counts)
    if noise == "gaussian":
        asked = gaussian_from_options(
            epsilon, max_trips_per_user, clip, delta, threshold=threshold, unbiased=unbiased
        )
        found = _gaussian_certainty(asked, trips=len(others), threshold=threshold, counts=tuple(others))
        told = {"parameters": asked, "sees": found["sees"], "optimal": found["accuracy"]}
        show({"epsilon": epsilon, "threshold": threshold, "noise": noise, **told}, as_json)
        return
    require_gaussian_for(max_trips_per_user=max_trips_per_user, clip=clip, delta=delta, unbiased=unbiased)
    from privlab.dp.attack import accuracy_from_cells

    accuracy = accuracy_from_cells(noise, epsilon, threshold, others)
    show({"epsilon": epsilon, "threshold": threshold, "noise": noise, "optimal": accuracy}, as_json)


@app.command()
def triangle(
    file: Annotated[
        Path, typer.Argument(help="Your Google Timeline: a JSON export of a phone or of Takeout.")
    ],
    epsilon: Annotated[
        float, typer.Option(help="Promised to each trip; the publisher took 0.66.")
    ] = USUAL_EPSILON,
    resolution: Annotated[int, typer.Option(help="H3 resolution of the zones; 8: 0.7 km².")] = 8,
    noise: Annotated[str, typer.Option(help="laplace or integer.")] = "laplace",
    timezone: Annotated[
        str | None,
        typer.Option(help="Zone of your clock, such as Europe/Berlin, for files with times in UTC alone."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Count your own unique trips, week by week, and how often an attack on them is right. Nothing is kept."""
    from privlab.datasets.files import timeline_from_path
    from privlab.lab.attacking import own_weeks_from_timeline
    from privlab.od.attack import AttackParameters, attack_curve_from_parameters

    own = own_weeks_from_timeline(timeline_from_path(file), resolution=resolution, home_zone=timezone)
    counts = dict(own.unique_trips)
    most = min(max(counts.values()), MAX_TRIPS)
    curve = attack_curve_from_parameters(AttackParameters(epsilon=epsilon, max_trips=most, noise=noise))
    weeks = [
        {"week": week, "unique_trips": n, "accuracy": curve.optimal[min(n, most)].item()}
        for week, n in own.unique_trips
    ]
    result = {
        "epsilon": epsilon,
        "noise": noise,
        "resolution": resolution,
        "clock": own.clock,
        "left_out": own.left_out or None,
        "trips": own.n_trips,
        "claimed_bound": curve.claimed_bound,
        "median_unique_trips": own.median,
        "heaviest": next(one for one in weeks if one["week"] == own.heaviest),
        "weeks": weeks,
    }
    show(result, as_json)


@app.command()
def certainty(
    epsilon: Annotated[
        float, typer.Option(help="Promised to a person's week under a bound, else to a trip.")
    ],
    trips: Annotated[
        int | None,
        typer.Option(help="Unique trips of the person in each week; with --counts as many as these."),
    ] = None,
    noise: Annotated[str, typer.Option(help="laplace, integer, or gaussian (with a bound).")] = "laplace",
    max_trips_per_user: Annotated[
        int | None,
        typer.Option(
            help="Contribution bound L: noise is L/epsilon, and at most L trips of a week are counted."
        ),
    ] = None,
    weeks: Annotated[int, typer.Option(help="Weekly releases that the person is in.")] = 1,
    threshold: Annotated[
        int | None, typer.Option(help="Noisy counts below it are suppressed; default none. Needs --counts.")
    ] = None,
    counts: Annotated[
        str | None, typer.Option(help="Others in each of the person's flows, the same every week: c1,c2,…")
    ] = None,
    prior: Annotated[float, typer.Option(help="How likely the person is to be in, beforehand.")] = 0.5,
    above: Annotated[
        float | None,
        typer.Option(
            help="Certainty asked about; default the claim, e^epsilon/(1+e^epsilon) from a prior of 0.5."
        ),
    ] = None,
    clip: Clip = None,
    delta: Delta = None,
    unbiased: Unbiased = False,
    as_json: Json = False,
) -> None:
    """Compute how certain the best attacker becomes that someone is in a release, exactly.

    With Gaussian noise and no threshold the attacker sees counts before they are rounded to whole trips, which tells a little more than
    what is published; with a threshold what is published. The person's weight and the others, as they are weighted, are the same every week.
    """
    if noise != "gaussian":
        require_gaussian_for(clip=clip, delta=delta, unbiased=unbiased)
    others = None if counts is None else tuple(counts_from_text(counts))
    if trips is None and others is None:
        raise ParameterError("trips must be given, or counts with a threshold, got neither.")
    given: dict[str, Any] = {
        "trips": len(others or ()) if trips is None else trips,
        "weeks": weeks,
        "threshold": threshold,
        "counts": others,
        "prior": prior,
        "above": above,
    }
    if noise == "gaussian":
        asked = gaussian_from_options(epsilon, max_trips_per_user, clip, delta, unbiased=unbiased)
        show(_gaussian_certainty(asked, **given), as_json)
        return
    from privlab.dp.certainty import CertaintyParameters, certainty_from_parameters

    parameters = CertaintyParameters(
        epsilon=epsilon, noise=noise, max_trips_per_user=max_trips_per_user, **given
    )
    show(_certainty_shown(certainty_from_parameters(parameters)), as_json)


def _gaussian_certainty(parameters: "GaussianParameters", **asked: Any) -> dict[str, Any]:
    """Return how certain an attacker becomes of someone, and what the attacker sees."""
    from privlab.dp.certainty import GaussianQuestion, posterior_law_from_gaussian_question

    question = GaussianQuestion(release=parameters, **asked)
    return {
        **_certainty_shown(posterior_law_from_gaussian_question(question).certainty),
        "sees": "counts before they are rounded to whole trips"
        if not question.threshold
        else "counts as published, rounded to whole trips",
    }


def _certainty_shown(found: "Certainty") -> dict[str, Any]:
    return {
        "prior": found.parameters.prior,
        "above": found.parameters.asked,
        "accuracy": found.accuracy,
        "in_above": found.in_above,
        "out_above": found.out_above,
        "either_way": found.either_way,
        "largest": found.largest,
        "tpr_at": {f"{rate:g}": share for rate, share in found.tpr_at.items()},
    }
