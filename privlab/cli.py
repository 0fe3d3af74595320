"""The command line: the calls behind the pages, as tables to read or as one JSON object.

Bad input ends with exit code 2 and one sentence on standard error.
"""

import sys
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from privlab import cli_fingerprints, cli_game, cli_guarantees, cli_release, cli_remedies, cli_report
from privlab.checks import DataError, ParameterError
from privlab.cli_options import (
    CommandFailed,
    counted,
    counts_from_text,
    engine_from_spec,
    zoned,
)
from privlab.cli_output import account, notes_on, require_parquet_name, show, write_simulation
from privlab.cli_reading import Reading, opened, with_reading
from privlab.datasets.engine import Workspace
from privlab.datasets.profile import profiled
from privlab.datasets.synthetic.sample_files import write_sample
from privlab.dp.suppressed_cells import accuracy_from_cells
from privlab.limits import MAX_SEED
from privlab.od.attack import AttackParameters, attack_curve_from_parameters
from privlab.od.release import ReleaseParameters
from privlab.od.simulation import (
    od_simulation_from_flow_counts,
    od_simulation_from_trip_tables,
    trip_counts_from_trip_tables,
)
from privlab.od.tables import TripTables, why_no_trips
from privlab.seeds import generator

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="privlab: what publishing mobility data costs its people.",
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of every random choice.")]
Data = Annotated[
    str,
    typer.Argument(
        help="A CSV, Parquet or Arrow file, a zip archive, a folder or a pattern of them; for Spark also a URI."
    ),
]
Engine = Annotated[
    str, typer.Option(help="duckdb, spark, spark://HOST:PORT or spark:MASTER, such as spark:local[4].")
]
Zones = Annotated[
    str | None,
    typer.Option(help="grid:METRES, box:S,W,N,E:RxC, h3:RESOLUTION, column, or a GeoJSON file."),
]
Positions = Annotated[
    Path | None, typer.Option("--zone-positions", help="Where the file's own zones lie: zone, lat, lon.")
]


@app.command()
def generate(
    name: Annotated[str, typer.Argument(help="city, commuters, cabs or subscribers.")],
    out: Annotated[Path, typer.Option(help="Parquet file to write.")],
    users: Annotated[int | None, typer.Option(help="How many users; default as in the sample.")] = None,
    seed: Seed = 1,
) -> None:
    """Write a sample dataset of any number of users."""
    require_parquet_name(out)
    try:
        rows = write_sample(name, out, n_users=users, seed=seed)
    except OSError as error:
        raise DataError(f"Could not write {out}: {error.strerror or error}.") from None
    typer.echo(f"{rows:,} rows written to {out}")


@app.command()
@with_reading
def describe(
    data: Data,
    *,
    reading: Reading,
    zones: Zones = None,
    zone_positions: Positions = None,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Say what is in a file: records, users, period, what was dropped and why; with zones, trips."""
    with engine_from_spec(engine) as workspace:
        dataset = opened(data, reading, workspace, zones)
        if isinstance(workspace, Workspace):
            dataset = profiled(dataset, now=datetime.now())
        report, mapping = dataset.report, asdict(dataset.mapping)
        result: dict[str, Any] = {
            "name": dataset.name,
            "kind": dataset.kind,
            "place": dataset.place,
            "rows": report.rows,
            "records": report.kept,
            "users": None if dataset.kind == "counts" else report.users,
            "first": report.first,
            "last": report.last,
            "timezone": report.timezone,
            "dropped": report.dropped,
            "dropped_examples": {reason: list(some) for reason, some in report.examples.items()},
            "profile": report.profile,
            "notes": list(report.notes),
            "columns": {key: value for key, value in mapping.items() if value is not None},
        }
        if zones is not None:
            dataset, zoning = zoned(dataset, zones, zone_positions)
            source = counted(dataset, zoning)
            result["notes"] = list(dataset.report.notes)
            result |= {"zones": zoning.spec, **account(source), "unique_trips_per_user_and_week": None}
            result["notes"] += notes_on(source)
            if isinstance(source, TripTables):
                if source.n_unique_trips:
                    result["unique_trips_per_user_and_week"] = trip_counts_from_trip_tables(source)
                else:
                    result["notes"].append(why_no_trips(source))
    show(result, as_json)


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


@app.command()
@with_reading
def od(
    data: Data,
    *,
    reading: Reading,
    out: Annotated[Path, typer.Option(help="Folder for od_matrix.parquet and simulated_release.parquet.")],
    zones: Zones = None,
    zone_positions: Positions = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Simulate a release with this privacy loss; without it, count only.")
    ] = None,
    threshold: Annotated[int, typer.Option(help="Noisy counts below it are not published.")] = 100,
    max_trips_per_user: Annotated[
        int | None, typer.Option(help="Contribution bound L; noise then is L/epsilon. Default none.")
    ] = None,
    group_size: Annotated[int | None, typer.Option(help="Users sampled into the aggregate.")] = None,
    noise: Annotated[str, typer.Option(help="laplace or integer.")] = "laplace",
    seed: Seed = 1,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Count origin–destination flows per week, and simulate their release."""
    parameters = None
    if epsilon is not None:
        parameters = ReleaseParameters(
            epsilon=epsilon, threshold=threshold, max_trips_per_user=max_trips_per_user, noise=noise
        )
    with engine_from_spec(engine) as workspace:
        dataset = opened(data, reading, workspace, zones)
        dataset, zoning = zoned(dataset, zones, zone_positions)
        source = counted(dataset, zoning, group_size=group_size, max_trips_per_user=max_trips_per_user)
        simulation = (
            od_simulation_from_trip_tables(source, parameters, group_size=group_size, seed=seed)
            if isinstance(source, TripTables)
            else od_simulation_from_flow_counts(source, parameters, group_size=group_size, seed=seed)
        )
    write_simulation(out, simulation)
    published = [release.flow.size for release in simulation.releases.values()]
    result = {
        **account(source),
        "zones": zoning.spec,
        "group_size": simulation.n_users,
        "weeks": sorted(simulation.matrices),
        "flows": sum(matrix.count.size for matrix in simulation.matrices.values()),
        "published_flows": sum(published) if parameters else None,
        "parameters": parameters,
        "privacy_unit": None if parameters is None else parameters.privacy_unit,
        "utility": simulation.utility,
        "seed": seed,
        "notes": [*dataset.report.notes, *notes_on(source)],
    }
    show(result, as_json)


app.add_typer(cli_guarantees.app)
app.add_typer(cli_release.app)
app.add_typer(cli_fingerprints.app)
app.add_typer(cli_remedies.app)
app.add_typer(cli_report.app)
app.add_typer(cli_game.app)


def run() -> None:
    """Run the command line; one sentence and exit code 2 on bad input."""
    try:
        sys.exit(app(standalone_mode=False))
    except (DataError, ParameterError, CommandFailed) as error:
        print(getattr(error, "format_message", error.__str__)(), file=sys.stderr)
        sys.exit(2)
    except OSError as error:  # a full disk, a name too long, a folder that may not be written
        print(f"{str(error.filename or 'Files')[-200:]}: {error.strerror or error}.", file=sys.stderr)
        sys.exit(2)
