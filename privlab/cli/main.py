"""The command line: the calls behind the pages, as tables to read or as one JSON object.

Bad input ends with exit code 2 and one sentence on standard error.
"""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from privlab.checks import DataError, ParameterError, UnlikeFilesError, UnnamedColumnsError
from privlab.cli import report_command
from privlab.cli.fingerprints import fingerprint_commands, link_command, remedy_commands
from privlab.cli.flows import (
    attack_commands,
    audit_command,
    guarantee_commands,
    judge_command,
    plan_command,
    practice_command,
)
from privlab.cli.flows.comparison import ComparisonAsked, compared, require_nothing_else
from privlab.cli.flows.simulation import (
    SimulationAsked,
    require_product,
    simulated,
    simulated_product,
    write_product_simulation,
    write_simulation,
)
from privlab.cli.groups import game_commands, recovery_command
from privlab.cli.options.command_list import CommandsInSections, all_missing
from privlab.cli.options.common_options import (
    Clip,
    CommandFailed,
    Engine,
    Json,
    Levels,
    Positions,
    Seed,
    Unbiased,
    Zones,
    engine_from_spec,
    zoned,
)
from privlab.cli.options.reading_options import Reading, opened, with_reading
from privlab.cli.printing.output import (
    account,
    notes_on,
    print_any_sign,
    require_parquet_name,
    say,
    show,
    write_text,
)
from privlab.cli.printing.progress_lines import lines_of_steps
from privlab.cli.printing.stopped import stopped_in_one_sentence
from privlab.cli.releases import health_command, release_commands
from privlab.datasets.folders import remove_left_behind
from privlab.defaults import USUAL_DELTA
from privlab.limits import MAX_SEED

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.datasets.cleaning import Rhythm
    from privlab.datasets.zones import Zoning

app = typer.Typer(
    cls=CommandsInSections,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="privlab: what publishing mobility data costs its people.",
)

Anything = Annotated[
    str,
    typer.Argument(
        help="A CSV, Excel, Parquet or Arrow file, a zip archive, a folder or a pattern of them; for Spark also a URI."
    ),
]


@app.command()
def generate(
    name: Annotated[str, typer.Argument(help="city, commuters, cabs or subscribers.")],
    out: Annotated[Path, typer.Option(help="Parquet file to write.")],
    users: Annotated[int | None, typer.Option(help="How many users; default as in the sample.")] = None,
    seed: Seed = 1,
) -> None:
    """Write a sample dataset of any number of users."""
    from privlab.datasets.synthetic import write_sample

    require_parquet_name(out)
    try:
        rows = write_sample(name, out, n_users=users, seed=seed)
    except OSError as error:
        raise DataError(f"Could not write {out}: {error.strerror or error}.") from None
    typer.echo(f"{rows:,} row{'' if rows == 1 else 's'} written to {out}")


@app.command()
@with_reading
def describe(
    data: Anything,
    *,
    reading: Reading,
    zones: Zones = None,
    zone_positions: Positions = None,
    ids_in_zones: Annotated[
        Path | None,
        typer.Option(help="CSV file to write: which of the file's own zone ids lies in which larger zone."),
    ] = None,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Say what is in a file: records, users, period, what was dropped and why; with zones, trips."""
    from privlab.datasets.cleaning import rhythm_from_rows
    from privlab.datasets.engines import Workspace
    from privlab.lab.loading import profiled_dataset

    if ids_in_zones is not None and zones is None:
        raise ParameterError(_NOT_JOINED)
    with engine_from_spec(engine) as workspace:
        dataset = opened(data, reading, workspace, zones)
        if isinstance(workspace, Workspace):
            with lines_of_steps(workspace.query_share) as progress:
                dataset = profiled_dataset(dataset, progress=progress)
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
            "dropped_examples": {
                reason: [one.as_dict() for one in some] for reason, some in report.examples.items()
            },
            "profile": report.profile,
            "notes": list(report.notes),
            "columns": {key: value for key, value in mapping.items() if value is not None},
        }
        if as_json and dataset.kind != "counts":
            result |= _when("records", rhythm_from_rows(dataset.table))
        if zones is not None:
            dataset, zoning = zoned(dataset, zones, zone_positions)
            if ids_in_zones is not None:
                _write_ids_in_zones(ids_in_zones, zoning)
            result |= _trips_described(dataset, zoning, as_json=as_json)
    show(result, as_json)


_NOT_JOINED = (
    "ids-in-zones must stand beside zones that join the file's own ids: --zones grid:METRES or h3:RESOLUTION, with --box and "
    "--zone-positions."
)


def _write_ids_in_zones(path: Path, zoning: "Zoning") -> None:
    """Write which of the file's own ids lies in which zone."""
    from privlab.datasets.zone_kinds import JoinedZoning, csv_of_joined_ids

    if not isinstance(zoning, JoinedZoning):
        raise ParameterError(_NOT_JOINED)
    write_text(path, csv_of_joined_ids(zoning))


def _when(what: str, rhythm: "Rhythm") -> dict[str, Any]:
    """Return when rows or trips were, for those who draw it: too long to be read as a table."""
    return {
        f"{what}_by_day": {f"{day:%Y-%m-%d}": n for day, n in rhythm.by_day},
        f"{what}_by_weekday_and_hour": rhythm.by_weekday_and_hour,
    }


def _trips_described(dataset: "Dataset", zoning: "Zoning", *, as_json: bool) -> dict[str, Any]:
    """Return what zones add to a description; what it takes is loaded for it alone."""
    from privlab.lab.loading import trip_source_from_rows
    from privlab.od.simulating import trip_counts_from_trip_tables
    from privlab.od.trips import TripTables, funnel_rows, why_no_trips

    with lines_of_steps(dataset.workspace.query_share) as progress:
        source = trip_source_from_rows(dataset, zoning, with_rhythm=as_json, progress=progress)
    found: dict[str, Any] = {
        "notes": [*dataset.report.notes, *notes_on(source)],
        "zones": zoning.spec,
        **account(source),
        "unique_trips_per_user_and_week": None,
        "funnel": [],
    }
    if isinstance(source, TripTables):
        found["funnel"] = funnel_rows(source.funnel)
        if source.rhythm is not None:
            found |= _when("trips", source.rhythm)
        if source.n_unique_trips:
            found["unique_trips_per_user_and_week"] = trip_counts_from_trip_tables(source)
        else:
            found["notes"].append(why_no_trips(source))
    return found


@app.command()
@with_reading
def od(
    data: Anything,
    *,
    reading: Reading,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder for od_matrix.parquet (with --product true_counts.parquet) and simulated_release.parquet; not needed "
            "with --compare."
        ),
    ] = None,
    product: Annotated[
        str,
        typer.Option(
            help="What is counted: flows; flows-by-slot or visits, simulated by the steps of `release`, with --epsilon and "
            "--max-trips-per-user."
        ),
    ] = "flows",
    zones: Zones = None,
    zone_positions: Positions = None,
    epsilon: Annotated[
        float | None, typer.Option(help="Simulate a release with this privacy loss; without it, count only.")
    ] = None,
    threshold: Annotated[
        int | None,
        typer.Option(help="Noisy counts below it are not published; default 100, with --compare 1."),
    ] = None,
    max_trips_per_user: Annotated[
        int | None, typer.Option(help="Contribution bound L; noise then is L/epsilon. Default none.")
    ] = None,
    group_size: Annotated[int | None, typer.Option(help="Users sampled into the aggregate.")] = None,
    noise: Annotated[
        str | None,
        typer.Option(
            help="laplace (the default), integer, or gaussian (with a bound; every pair of zones gets noise). With --product "
            "integer (the default) or gaussian."
        ),
    ] = None,
    clip: Clip = None,
    unbiased: Unbiased = False,
    levels: Levels = None,
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Simulate the same promise ε to a person's week by six mechanisms, each at its best bound, and say "
            "what each leaves of the flows; nothing else is written.",
        ),
    ] = False,
    delta: Annotated[
        float | None,
        typer.Option(help="With gaussian, or --compare: δ that Gaussian noise may spend; default 1e-6."),
    ] = None,
    draws: Annotated[int, typer.Option(help="With --compare: draws of each mechanism.")] = 10,
    mechanism: Annotated[
        str | None,
        typer.Option(
            help="With --compare: this one alone, at --max-trips-per-user, as the page Release simulates it. "
            "integer; gaussian; gaussian, l2; and with “, unbiased”, “, unbiased, levels” or “, unbiased, smoothed” after that."
        ),
    ] = None,
    week: Annotated[
        str | None,
        typer.Option(
            help="With --compare: Monday of the week; default the busiest. With --product: the week; default all."
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            min=0,
            max=MAX_SEED,
            help="Seed of the noise; with --product of what a limit keeps, too. Who is in a group hangs on no seed.",
        ),
    ] = 1,
    engine: Engine = "duckdb",
    as_json: Json = False,
) -> None:
    """Count origin–destination flows per week, and simulate their release."""
    if compare:
        asked = ComparisonAsked(
            epsilon=epsilon,
            delta=USUAL_DELTA if delta is None else delta,
            threshold=threshold,
            draws=draws,
            week=week,
            mechanism=mechanism,
            max_trips_per_user=max_trips_per_user,
        )
        require_nothing_else(
            asked,
            out=out,
            noise=noise or "laplace",
            clip=clip,
            unbiased=unbiased,
            levels=levels,
            product=product,
        )
        with engine_from_spec(engine) as workspace:
            dataset = opened(data, reading, workspace, zones)
            show(
                compared(*zoned(dataset, zones, zone_positions), asked, group_size=group_size, seed=seed),
                as_json,
            )
        return
    if mechanism is not None:
        raise ParameterError(
            f"mechanism goes with --compare: add it, or leave mechanism out, got {mechanism!r}."
        )
    if out is None:
        raise ParameterError("out must be a folder to write to, got none; only --compare writes nothing.")
    plain = SimulationAsked(
        epsilon=epsilon,
        threshold=threshold,
        max_trips_per_user=max_trips_per_user,
        noise=noise,
        clip=clip,
        delta=delta,
        unbiased=unbiased,
        levels=levels,
        product=product,
    )
    if product != "flows":
        require_product(plain, group_size=group_size, engine=engine)
        with engine_from_spec(engine) as workspace:
            rows = zoned(opened(data, reading, workspace, zones), zones, zone_positions)
            drawn, result = simulated_product(*rows, plain, week=week, seed=seed)
        write_product_simulation(out, drawn)
        show(result, as_json)
        return
    parameters = plain.parameters()
    with engine_from_spec(engine) as workspace:
        dataset, zoning = zoned(opened(data, reading, workspace, zones), zones, zone_positions)
        simulation, result = simulated(dataset, zoning, plain, parameters, group_size=group_size, seed=seed)
    write_simulation(out, simulation)
    show(result, as_json)


app.add_typer(attack_commands.app)
app.add_typer(guarantee_commands.app)
app.add_typer(plan_command.app)
app.add_typer(practice_command.app)
app.add_typer(audit_command.app)
app.add_typer(release_commands.app)
app.add_typer(judge_command.app)
app.add_typer(fingerprint_commands.app)
app.add_typer(remedy_commands.app)
app.add_typer(link_command.app)
app.add_typer(report_command.app)
app.add_typer(game_commands.app)
app.add_typer(recovery_command.app)
app.add_typer(health_command.app)


def run() -> None:
    """Run the command line; one sentence and exit code 2 on bad input, or 128 and the number of the signal that stopped it."""
    print_any_sign()
    with stopped_in_one_sentence() as stopped:
        try:
            remove_left_behind()
            sys.exit(app(standalone_mode=False))
        except UnnamedColumnsError as error:
            _end(f"{error} To name a column: --column MEANING=COLUMN, as in --column user_id=who.", stopped)
        except UnlikeFilesError as error:
            _end(
                f"{error} Where one says more of the other's rows: FILE --join OTHER --join-on COLUMN=COLUMN.",
                stopped,
            )
        except (DataError, ParameterError, CommandFailed) as error:
            _end(
                all_missing(error, sys.argv[1:]) or getattr(error, "format_message", error.__str__)(), stopped
            )
        except OSError as error:  # a full disk, a name too long, a folder that may not be written
            _end(f"{str(error.filename or 'Files')[-200:]}: {error.strerror or error}.", stopped)


def _end(sentence: str, stopped: list[int]) -> NoReturn:
    if not stopped:
        say(sentence)
    sys.exit(2)
