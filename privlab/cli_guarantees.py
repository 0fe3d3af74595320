"""The command line of what holds: guarantees, risk per person, secure releases, ledger, audit, plan.

Registered on the same application as cli.py; options mean the same there and here.
"""

from typing import Annotated, Any

import typer

from privlab.cli_output import show
from privlab.dp.guarantees import GuaranteeParameters, guarantee_from_parameters

app = typer.Typer()

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Bound = Annotated[
    int | None,
    typer.Option("--max-trips-per-user", help="Contribution bound L; noise then is L/epsilon. Default none."),
]


@app.command()
def guarantee(
    epsilon: Annotated[float, typer.Option(help="Promised to a user's week under a bound, else to a trip.")],
    max_trips_per_user: Bound = None,
    weeks: Annotated[int, typer.Option(help="Weekly releases that one user may be in.")] = 1,
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are not published.")] = 100,
    cells: Annotated[str, typer.Option(help="public or discovered.")] = "public",
    noise: Annotated[str, typer.Option(help="integer or laplace.")] = "integer",
    target_delta: Annotated[float, typer.Option(help="What the privacy loss distribution may spend.")] = 1e-6,
    as_json: Json = False,
) -> None:
    """Say what a release promises a trip, a user's week and a user, and what may honestly be said of it."""
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
