"""The command line of the attack on noisy counts, as it is without any data.

Registered on the same application as cli.py; options mean the same there and here.
"""

from typing import Annotated

import typer

from privlab.cli_options import Json, Seed, counts_from_text
from privlab.cli_output import show
from privlab.dp.suppressed_cells import accuracy_from_cells
from privlab.od.attack import AttackParameters, attack_curve_from_parameters
from privlab.seeds import generator

app = typer.Typer()


@app.command("attack-curve")
def attack_curve(
    epsilon: Annotated[float, typer.Option(help="Privacy loss per flow.")],
    max_trips: Annotated[int, typer.Option(help="Largest number of unique trips K.")] = 70,
    repetitions: Annotated[int, typer.Option(help="Simulated games; 0 for none.")] = 0,
    seed: Seed = 1,
    noise: Annotated[str, typer.Option(help="laplace or integer.")] = "laplace",
    as_json: Json = False,
) -> None:
    """Compute the membership attack's exact accuracy for k = 0..K unique trips, beside its bounds."""
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


@app.command("cell-attack")
def cell_attack(
    epsilon: Annotated[float, typer.Option(help="Privacy loss per flow.")],
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are suppressed.")],
    counts: Annotated[str, typer.Option(help="Others in each of the target's flows: c1,c2,…")],
    noise: Annotated[str, typer.Option(help="laplace or integer.")] = "laplace",
    as_json: Json = False,
) -> None:
    """Compute the exact accuracy against a target in given flows, suppression included."""
    accuracy = accuracy_from_cells(noise, epsilon, threshold, counts_from_text(counts))
    show({"epsilon": epsilon, "threshold": threshold, "noise": noise, "optimal": accuracy}, as_json)
