"""The command recover: whole trails put together from counts, and how many of them are true.

Registered on the same application as main.py; options mean the same there and here.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError, day_from_text
from privlab.cli.options.common_options import Data, Json, Positions, Seed, Zones, engine_from_spec, zoned
from privlab.cli.options.reading_options import Reading, opened, with_reading
from privlab.cli.printing.output import require_parquet_name, show, write_rows
from privlab.cli.printing.progress_lines import lines_of_steps, progress_lines

if TYPE_CHECKING:
    from privlab.aggregates.recovery import Recovery, RecoveryPoint

app = typer.Typer()

_NOT_WHO = "A recovered trail says where someone was, not who it was: recovered is not identified."
_STAYED = (
    "Who is not seen in a step is taken to stay where last seen, so that everybody is counted in every step."
)


@app.command()
@with_reading
def recover(
    data: Data,
    *,
    reading: Reading,
    zones: Zones = None,
    zone_positions: Positions = None,
    users: Annotated[int, typer.Option(help="People counted, drawn by the seed.")] = 100,
    days: Annotated[int, typer.Option(help="Days counted.")] = 7,
    step: Annotated[int, typer.Option(help="Minutes of a step: 60, 120, 180, 240 or 360.")] = 60,
    first: Annotated[
        str | None, typer.Option("--from", help="First day; default the data's first Monday.")
    ] = None,
    defence: Annotated[str, typer.Option(help="What is done to the counts, as for game.")] = "none",
    epsilon: Annotated[
        float | None,
        typer.Option(help="Privacy loss of a defence that adds noise; with --over defences of all that do."),
    ] = None,
    improve: Annotated[
        str,
        typer.Option(
            help="Improvements of the attack, with commas: midnight, habits, lookback, or all (docs/recovery.md)."
        ),
    ] = "",
    over: Annotated[
        str | None,
        typer.Option(
            help="Compare, too, over people, steps or defences: the same but for that (“compared”)."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Parquet file for every trail, recovered and true, step by step.")
    ] = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Put trails of people together from counts by zone and step, and say how many are true. True data."""
    from privlab.aggregates.defences import takes_epsilon
    from privlab.aggregates.recovery import RecoveryParameters, recoveries_over
    from privlab.lab.attacking import (
        placed_traces_from_rows,
        recovery_from_traces,
        recovery_points_from_traces,
    )

    if out is not None:
        require_parquet_name(out)
    if "," in defence:
        raise ParameterError(f"defence must be one defence, got {defence!r}.")
    # The ε is of those that are compared: what is at hand takes none.
    of_compared = over == "defences" and not takes_epsilon(defence)
    parameters = RecoveryParameters(
        users=users,
        days=days,
        step_min=step,
        first_day=day_from_text("from", first),
        defence=defence,
        epsilon=None if of_compared else epsilon,
        improvements=_improvements(improve),
        seed=seed,
    )
    with engine_from_spec("duckdb") as workspace:
        dataset, zoning = zoned(opened(data, reading, workspace, zones), zones, zone_positions)
        with lines_of_steps(workspace.query_share) as progress:
            traces, zone_map = placed_traces_from_rows(dataset, zoning, progress)
    settings = (
        () if over is None else recoveries_over(parameters, over, n_users=traces.n_users, epsilon=epsilon)
    )
    found = recovery_from_traces(traces, zone_map, parameters, progress=progress_lines())
    compared = recovery_points_from_traces(traces, zone_map, settings, progress=progress_lines())
    if out is not None:
        write_rows(out, _rows(found))
    head = {"name": traces.name, "zones": zoning.spec, "first_day": found.followed.first_day}
    notes = [*dataset.report.notes, *_notes(found)]
    show(
        {
            **head,
            **_result(found, as_json),
            **_compared(compared),
            "notes": notes,
            "seed": seed,
        },
        as_json,
    )


def _improvements(text: str) -> tuple[str, ...]:
    """Return the improvements that are named, all of them for "all"."""
    from privlab.aggregates.recovery import IMPROVEMENTS

    words = tuple(word.strip() for word in text.split(",") if word.strip())
    return IMPROVEMENTS if words == ("all",) else words


def _result(found: "Recovery", as_json: bool) -> dict[str, Any]:
    score, best = found.score, found.baselines[found.best_baseline]
    low, high = score.accuracy_interval
    error_low, error_high = score.error_interval_km
    baselines = {
        name: {"accuracy": one.accuracy, "error_km": one.mean_error_km}
        for name, one in found.baselines.items()
    }
    unique = {
        name: {str(k): share for k, share in shares.items()} for name, shares in found.uniqueness.items()
    }
    return {
        "users": found.followed.n_people,
        "steps": found.followed.n_steps,
        "step_min": found.parameters.step_min,
        "defence": found.defence.name,
        "epsilon_user": found.defence.epsilon_user,
        "improvements": list(found.parameters.improvements),
        "accuracy": score.accuracy,
        "accuracy_low": low,
        "accuracy_high": high,
        "baseline": found.best_baseline,
        "baseline_accuracy": best.accuracy,
        "error_km": score.mean_error_km,
        "error_km_low": error_low,
        "error_km_high": error_high,
        "baseline_error_km": best.mean_error_km,
        "seen_share": found.seen_share,
        "accuracy_where_seen": score.right_seen,
        "baseline_accuracy_where_seen": best.right_seen,
        "baselines": baselines if as_json else [{"baseline": name, **one} for name, one in baselines.items()],
        "uniqueness": unique if as_json else [{"trails": name, **one} for name, one in unique.items()],
    }


def _compared(points: "list[RecoveryPoint]") -> dict[str, Any]:
    """Return one row per compared recovery, none where none was asked for."""
    rows = [
        {
            "users": one.parameters.users,
            "step_min": one.parameters.step_min,
            "defence": one.parameters.defence,
            "epsilon": one.parameters.epsilon,
            "accuracy": one.accuracy,
            "accuracy_low": one.low,
            "accuracy_high": one.high,
            "error_km": one.error_km,
            "baseline": one.best_baseline,
            "baseline_accuracy": one.baselines[one.best_baseline],
        }
        for one in points
    ]
    return {"compared": rows} if rows else {}


def _notes(found: "Recovery") -> list[str]:
    from privlab.aggregates.defences import sentence_from_defence

    defence = [] if found.parameters.defence == "none" else [sentence_from_defence(found.defence)]
    return [_NOT_WHO, _STAYED, *defence]


def _rows(found: "Recovery") -> list[dict[str, Any]]:
    """Return one row per trail and step; trails are numbered, and people are not named."""
    from privlab.aggregates.recovery import steps_from_followed

    followed, when = found.followed, steps_from_followed(found.followed)
    names = followed.zones.tolist()
    return [
        {
            "trail": trail,
            "time": when[step],
            "recovered": names[int(found.zone[trail, step])],
            "true": names[int(followed.zone[trail, step])],
            "seen": bool(followed.seen[trail, step]),
        }
        for trail in range(followed.n_people)
        for step in range(followed.n_steps)
    ]
