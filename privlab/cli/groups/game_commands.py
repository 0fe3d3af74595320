"""The command line of membership inference on aggregates: who is recognised in a group, and how surely.

Registered on the same application as main.py; options mean the same there and here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.aggregates.game_rules import GameParameters
from privlab.checks import ParameterError, day_from_text, numbers_from_text, require_between
from privlab.cli.groups.game_rows import (
    balance_share,
    known_share,
    published_beside,
    result_rows,
    target_rows,
    tell_of_those_seen,
)
from privlab.cli.options.common_options import Data, Engine, Json, Positions, Zones, engine_from_spec, zoned
from privlab.cli.options.game_options import GameOptions, games_from_options
from privlab.cli.options.reading_options import Reading, opened, with_box, with_options
from privlab.cli.printing.output import require_parquet_name, show, write_rows
from privlab.cli.printing.progress_lines import lines_of_steps, terminal_line
from privlab.controls import control_sentence

if TYPE_CHECKING:
    from privlab.aggregates import Traces
    from privlab.aggregates.defences import Defence
    from privlab.aggregates.game_rules import Plan
    from privlab.datasets.engines import SparkWorkspace, Workspace
    from privlab.kept import Runs
    from privlab.lab.attacking import PlayedGame

app = typer.Typer()
_MOST_ZONES_TOLD = 10  # of the most visited, each with what was estimated of it


@app.command()
@with_box
@with_options(options=GameOptions, reading=Reading)
def game(
    data: Data,
    *,
    options: GameOptions,
    reading: Reading,
    zones: Zones = None,
    zone_positions: Positions = None,
    null_zone: Annotated[
        bool, typer.Option("--null-zone/--no-null-zone", help="A zone of its own for who is seen nowhere.")
    ] = True,
    first: Annotated[str | None, typer.Option("--from", help="First day; default the file's.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day, included; default the file's.")] = None,
    workers: Annotated[int, typer.Option(help="Processes that play; the result is the same.")] = 1,
    engine: Engine = "duckdb",
    runs: Annotated[Path | None, typer.Option(help="File that keeps what was played, to go on from.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Neither go on from such a file nor write it.")
    ] = False,
    false_alarms: Annotated[
        str,
        typer.Option(
            help="Shares of false alarms accepted, as 0.01,0.1: groups judged right and wrong at each."
        ),
    ] = "",
    out: Annotated[Path | None, typer.Option(help="Parquet file for one row per target and result.")] = None,
    as_json: Json = False,
) -> None:
    """Attack people through aggregates of groups: who is recognised, and how surely. True data."""
    from privlab.aggregates.defences import sentence_from_defence, settings_from_defence
    from privlab.aggregates.game_rules import traces_of_game
    from privlab.figures.groups import unseen_words
    from privlab.kept import Runs, path_from_setting
    from privlab.lab.attacking import games_that_fit, runs_of_data, seen_of_played
    from privlab.lab.loading import traces_from_rows

    if out is not None:
        require_parquet_name(out)
    games = games_from_options(options)
    shares = [
        require_between("false_alarms", one, 0, 1) for one in numbers_from_text("false_alarms", false_alarms)
    ]
    first_day, last_day = day_from_text("from", first), day_from_text("to", last)
    with engine_from_spec(engine) as workspace:
        source = opened(data, reading, workspace, zones, by_content=not fresh)
        dataset, zoning = zoned(source, zones, zone_positions)
        with lines_of_steps(workspace.query_share) as progress:
            traces = traces_from_rows(
                dataset, zoning, progress, null_zone=null_zone, first_day=first_day, last_day=last_day
            )
        changed = traces_of_game(traces, games[0])
        with _leading_on(traces, games[0]):
            fitting, left_out = games_that_fit(traces, games)
            games = list(fitting)
            looks = [_looked_at(changed, one) for one in games]  # every complaint comes before the first game
            store = None if fresh else runs_of_data() if runs is None else Runs(path_from_setting(str(runs)))
            played = [_played(traces, one, store, workers, workspace) for one in games]
    if out is not None:
        write_rows(out, [row for one in played for row in target_rows(one)])
    rows = result_rows(played, shares)
    tell_of_those_seen(rows, played, shares)
    is_unseen = any(unseen_words.n_unseen(one.result) for one in played)
    defences = {key: one for _, some in looks for key, one in some.items()}
    result = {
        "name": traces.name,
        "controls": games[0].controls,
        "users": changed.n_users,
        "zones": zoning.spec,
        "null_zone": null_zone,
        "days": [changed.first_day, changed.last_day],
        "results": rows,
        "plans": [_told(changed, one, plan) for one, (plan, _) in zip(games, looks, strict=True)],
        "defences": [{"epsilon": key[0], **settings_from_defence(one)} for key, one in defences.items()],
        "parameters": games[0].as_dict(),
        **published_beside(played, "published"),
        **(published_beside(list(map(seen_of_played, played)), "published_seen") if is_unseen else {}),
        **_marginals(changed, games),
        "notes": [
            *dataset.report.notes,
            *left_out,
            *_notes(games),
            *([unseen_words.not_seen([one.result for one in played])] if is_unseen else []),
            *map(sentence_from_defence, defences.values()),
        ],
        "seed": options.seed,
    }
    show(result, as_json)


@contextmanager
def _leading_on(traces: "Traces", asked: GameParameters) -> Iterator[None]:
    """Add to a refusal which game this data can be played with, or what it lacks for any."""
    try:
        yield
    except ParameterError as error:
        from privlab.lab.attacking import nothing_playable_in_words, playable_game

        found = playable_game(asked, traces)
        said = nothing_playable_in_words(traces) if found is None else _can_be_played(found, asked)
        raise (ParameterError(f"{error} {said}") if said else error) from None


def _can_be_played(found: GameParameters, asked: GameParameters) -> str:
    """Return in words of options what can be asked for instead; nothing if it is what was asked for."""
    of = (
        ("prior", found.prior, asked.prior),
        ("group-size", str(found.group_size), str(asked.group_size)),
        ("targets", str(found.targets), str(asked.targets)),
        ("arm", ",".join(found.arms), ",".join(asked.arms)),
        ("period", found.period, asked.period),
        ("balance", found.balance, asked.balance),
    )
    changed = " ".join(f"--{name} {value}" for name, value, before in of if value != before)
    without = {"control": asked.controls, "test-groups": asked.test_groups != found.test_groups}
    left_out = " and ".join(f"--{name}" for name, is_left_out in without.items() if is_left_out)
    said = ", ".join(one for one in (changed, left_out and f"without {left_out}") if one)
    return f"This can be played here: {said}." if said else ""


def _looked_at(
    traces: "Traces", parameters: GameParameters
) -> "tuple[Plan, dict[tuple[float | None, str], Defence]]":
    """Return what a game takes of the data, and its defences by ε and name."""
    from privlab.aggregates.game import Game

    game = Game(traces, parameters)
    return game.plan, {(epsilon, one.name): one for epsilon, one in game.defences.items()}


def _played(
    traces: "Traces",
    parameters: GameParameters,
    store: "Runs | None",
    workers: int,
    workspace: "Workspace | SparkWorkspace",
) -> "PlayedGame":
    from privlab.datasets.engines import SparkWorkspace
    from privlab.lab.attacking import play_game

    progress = terminal_line(
        lambda share, words: f"{parameters.prior}, groups of {parameters.group_size}: {words}"
    )
    cluster = workspace if isinstance(workspace, SparkWorkspace) else None
    return play_game(traces, parameters, runs=store, workers=workers, cluster=cluster, progress=progress)


def _told(traces: "Traces", parameters: GameParameters, plan: "Plan") -> dict[str, Any]:
    """Return what a game took of the data."""
    return {
        "prior": parameters.prior,
        **known_share(parameters),
        **balance_share(parameters),
        "group_size": parameters.group_size,
        "train_groups": plan.n_train,
        "test_groups": plan.n_test,
        "same_groups": plan.same_groups,
        "known_users": plan.n_known,
        "train_weeks": [traces.mondays[week] for week in plan.train_weeks],
        "test_week": traces.mondays[plan.test_week],
    }


def _marginals(traces: "Traces", games: list[GameParameters]) -> dict[str, Any]:
    """Return the laws of hours and zones that one release of each game told, beside the true ones; of the first target."""
    from privlab.aggregates.game import marginals_from_traces

    found = []
    for game in games:
        if game.prior == "zero-knowledge":
            estimate, true = marginals_from_traces(traces, game, turn=0)
            zones = sorted(range(true.space.size), key=lambda zone: -true.space[zone])[:_MOST_ZONES_TOLD]
            found.append(
                {
                    "group_size": game.group_size,
                    "defence": game.defence,
                    "visits": [estimate.visits, true.visits],
                    "epochs": {"estimated": estimate.time.tolist(), "true": true.time.tolist()},
                    "zones": [
                        {
                            "zone": traces.zones[zone : zone + 1].tolist()[0],
                            "estimated": float(estimate.space[zone]),
                            "true": float(true.space[zone]),
                        }
                        for zone in zones
                    ],
                }
            )
    return {"marginals": found} if found else {}


def _notes(games: list[GameParameters]) -> list[str]:
    """Return what must be said of the adversaries."""
    from privlab.aggregates.game import arms_beyond_prior

    notes = []
    for prior in dict.fromkeys(one.prior for one in games):
        beyond = arms_beyond_prior(next(one for one in games if one.prior == prior))
        if beyond:
            notes.append(
                f"{' and '.join(beyond)}: knows where the target was in the released hours, more than the "
                f"prior {prior} grants; a stronger adversary than the paper's."
            )
    if any(one.prior == "zero-knowledge" for one in games):
        notes.append(
            "zero-knowledge: learned from one release and people invented after it; estimate says what it took from that "
            "release (visits per user, and how far its laws of zones and hours lie from the true ones, 0 to 1)."
        )
    if games[0].controls:
        notes.append(control_sentence(games[0].controls, measure="AUC"))
    if any(one.random_labels for one in games):
        notes.append("The labels are drawn at random: a control, which no attack can pass.")
    return notes
