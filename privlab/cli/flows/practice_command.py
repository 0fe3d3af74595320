"""The command practice: the ε that others have published or tried, each with its unit and its source.

Registered on the same application as main.py; options mean the same there and here.
"""

from dataclasses import asdict
from typing import Annotated

import typer

from privlab.cli.options.common_options import Json
from privlab.cli.printing.output import show
from privlab.defaults import USUAL_EPSILON

app = typer.Typer()


@app.command()
def practice(
    trips: Annotated[
        int, typer.Option(help="Unique trips of the target, if ε were that of one trip in a week.")
    ] = 12,
    epsilon: Annotated[
        float, typer.Option(help="ε of each trip, for which (ε, δ) the week keeps.")
    ] = USUAL_EPSILON,
    noise: Annotated[str, typer.Option(help="laplace or integer.")] = "laplace",
    as_json: Json = False,
) -> None:
    """List what others have promised: unit, limit, ε of a day, a week, a year, and the source; null where it is not stated."""
    from privlab.dp.promise import PUBLISHED_PRACTICE, STATED_PRACTICE
    from privlab.figures.planning import delta_sentence
    from privlab.od.attack import accuracies_by_epsilon, week_with_delta

    _, accuracy = accuracies_by_epsilon(
        trips, noise=noise, epsilons=[epsilon for _, epsilon in STATED_PRACTICE]
    )
    reached = {one.name: float(value) for (one, _), value in zip(STATED_PRACTICE, accuracy, strict=True)}
    rows = [asdict(one) | {"accuracy_if_of_a_trip": reached.get(one.name)} for one in PUBLISHED_PRACTICE]
    week = week_with_delta(trips, epsilon, noise=noise)
    show(
        {
            "trips": trips,
            "noise": noise,
            "says": delta_sentence(week),
            "delta_of_a_week": {f"{one:g}": delta for one, delta in week.delta.items()},
            "epsilon_of_a_week": week.epsilon,
            "published": rows,
        },
        as_json,
    )
