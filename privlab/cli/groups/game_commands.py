"""The command line of membership inference on aggregates: who is recognised in a group, and how surely.

Registered on the same application as main.py; options mean the same there and here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.aggregates.game_rules import HALF, GameParameters
from privlab.checks import ParameterError, numbers_from_text, require_between
from privlab.cli.options.common_options import Data, Engine, Json, Positions, Zones, engine_from_spec, zoned
from privlab.cli.options.game_options import GameOptions, games_from_options
from privlab.cli.options.reading_options import Reading, day_from_text, opened, with_box, with_options
from privlab.cli.printing.output import require_parquet_name, show, write_rows
from privlab.cli.printing.progress_lines import terminal_line
from privlab.controls import control_sentence

if TYPE_CHECKING:
    from privlab.aggregates import Traces
    from privlab.aggregates.defences import Defence
    from privlab.aggregates.findings import GameResult, Setting, Summary, TargetOutcome, TradeoffPoint
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
    from privlab.aggregates.findings import summaries_from_result
    from privlab.aggregates.game_rules import traces_of_game
    from privlab.kept import Runs
    from privlab.lab.attacking import games_that_fit, runs_of_data
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
        traces = traces_from_rows(
            dataset, zoning, null_zone=null_zone, first_day=first_day, last_day=last_day
        )
        changed = traces_of_game(traces, games[0])
        with _leading_on(traces, games[0]):
            fitting, left_out = games_that_fit(traces, games)
            games = list(fitting)
            looks = [_looked_at(changed, one) for one in games]  # every complaint comes before the first game
            store = None if fresh else runs_of_data() if runs is None else Runs(runs)
            played = [_played(traces, one, store, workers, workspace) for one in games]
    if out is not None:
        write_rows(out, [row for one in played for row in _target_rows(one)])
    rows = [
        _row(one, summary) | _judged(one.result, at, shares)
        for one in played
        for at, summary in enumerate(summaries_from_result(one.result))
    ]
    _tell_beside_balanced(rows, played)
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
        **_published(played),
        **_marginals(changed, games),
        "notes": [
            *dataset.report.notes,
            *left_out,
            *_notes(games),
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


def _tell_beside_balanced(rows: list[dict[str, Any]], played: "list[PlayedGame]") -> None:
    """Add to each row of other shares of groups with the target how its AUC differs from that of half and half, where that was played."""
    from privlab.aggregates.findings import paired_difference, summaries_from_result

    games = [
        (one.result.parameters, summary) for one in played for summary in summaries_from_result(one.result)
    ]
    even = {(replace(game, balance=HALF), one.setting): one for game, one in games if game.balance == HALF}
    for row, (game, one) in zip(rows, games, strict=True):
        if game.balance == HALF:
            continue
        base = even.get((replace(game, balance=HALF), one.setting))
        if base is not None:
            apart, reach = paired_difference(one.auc, base.auc)
            row["auc_less_even"], row["auc_less_even_half_width"] = apart, reach


def _judged(result: "GameResult", at: int, shares: list[float]) -> dict[str, Any]:
    """Return how many groups are judged right and wrong at each share of false alarms, where any is asked for."""
    from privlab.aggregates.findings import verdicts_from_outcomes

    if not shares:
        return {}
    found = [verdicts_from_outcomes(result.outcomes, at, most_false=one) for one in shares]
    return {"verdicts": [asdict(one) | {"right_share": one.right_share} for one in found]}


def _published(played: "list[PlayedGame]") -> dict[str, Any]:
    """Return the paper's statements on its defences beside what was measured, by prior, size, arm and classifier."""
    from privlab.aggregates.findings import published_shapes_from_points, tradeoff_from_result

    points: dict[tuple[str, int, str, str], list[TradeoffPoint]] = {}
    for one in played:
        parameters = one.result.parameters
        for point in tradeoff_from_result(one.result) if parameters.epsilons else []:
            key = (parameters.prior, parameters.group_size, point.setting.arm, point.setting.classifier)
            points.setdefault(key, []).append(point)
    found = [
        dict(zip(("prior", "group_size", "arm", "classifier"), key, strict=True))
        | {
            one.name: {"measured": one.measured, "holds": one.holds}
            for one in published_shapes_from_points(own)
        }
        for key, own in points.items()
    ]
    return {"published": found} if found else {}


def _key(parameters: GameParameters, setting: Any) -> dict[str, Any]:
    return {
        "prior": parameters.prior,
        **_known(parameters),
        **_balance(parameters),
        "group_size": parameters.group_size,
        "arm": setting.arm,
        "classifier": setting.classifier,
        "defence": "none" if setting.adversary is None else parameters.defence,
        "epsilon": setting.epsilon,
        "adversary": setting.adversary,
    }


def _known(parameters: GameParameters) -> dict[str, Any]:
    """Return the share of the target's trace that is known, where the prior leaves it open."""
    return {"known": parameters.known} if parameters.prior == "zero-knowledge" else {}


def _balance(parameters: GameParameters) -> dict[str, Any]:
    """Return the share of groups with the target, where it is not one half."""
    return {} if parameters.balance == HALF else {"balance": parameters.balance}


def _row(played: "PlayedGame", summary: "Summary") -> dict[str, Any]:
    """Return one row of results: an adversary, what it reached over all targets, and what it could at best."""
    from privlab.aggregates.findings import LEVELS
    from privlab.aggregates.game import arms_beyond_prior

    parameters, overall = played.result.parameters, summary.overall
    bound, proven = played.mean_bound(summary.setting) or (None, None)
    return {
        **_key(parameters, summary.setting),
        "targets": overall.n_targets,
        "auc_mean": overall.auc_mean,
        "auc_low": overall.auc_low,
        "auc_high": overall.auc_high,
        "auc_quantiles": {
            f"{level:g}": value for level, value in zip(LEVELS, overall.auc_quantiles, strict=True)
        },
        "pl_mean": overall.pl_mean,
        "pl_baseline": summary.pl_baseline,
        "pg_mean": summary.pg_mean,
        "pg_interval": summary.pg_interval,
        "pg_literal": summary.pg_literal,
        "mre": summary.mre,
        "auc_bound": bound,
        "bound_proven": proven,
        "tpr_at_fpr_0.01": overall.tpr_1,
        "tpr_at_fpr_0.1": overall.tpr_10,
        "auc_by_mobility": {name: part.auc_mean for name, part in summary.mobility.items()},
        "correlations": summary.correlations,
        "beyond_prior": summary.setting.arm in arms_beyond_prior(parameters),
        "period": parameters.period,
        "seconds": summary.seconds,
        **({} if summary.estimate is None else {"estimate": asdict(summary.estimate)}),
    }


def _target_rows(played: "PlayedGame") -> list[dict[str, Any]]:
    """Return one row per target and adversary."""
    result = played.result
    bounds = {(one.user, one.setting): one.bound.auc for one in played.checks}
    return [
        {
            **_key(result.parameters, score.setting),
            "balance": result.parameters.balance,
            "target": str(outcome.user),
            "mobility": outcome.mobility,
            **asdict(outcome.factors),
            "auc": score.auc,
            "auc_low": score.interval[0],
            "auc_high": score.interval[1],
            "pl": score.privacy_loss,
            "tpr_at_fpr_0.01": score.true_positives(0.01),
            "tpr_at_fpr_0.1": score.true_positives(0.1),
            "mre": dict(outcome.errors).get(score.setting.epsilon),
            "auc_bound": bounds.get((outcome.user, score.setting)),
            **_estimated(outcome, score.setting),
        }
        for outcome in result.outcomes
        for score in outcome.scores
    ]


def _estimated(outcome: "TargetOutcome", setting: "Setting") -> dict[str, Any]:
    """Return what the attacker of zero knowledge took from its one release, beside the truth."""
    found = outcome.estimate(setting)
    return (
        {}
        if found is None
        else {name: value for name, value in asdict(found).items() if name not in ("epsilon", "adversary")}
    )


def _told(traces: "Traces", parameters: GameParameters, plan: "Plan") -> dict[str, Any]:
    """Return what a game took of the data."""
    return {
        "prior": parameters.prior,
        **_known(parameters),
        **_balance(parameters),
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
