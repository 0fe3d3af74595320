"""Traces under controls: changed as visits are, marked, and played as theory has it where theory says anything."""

import gc

import numpy as np
import pytest

from privlab.aggregates.findings import summaries_from_result
from privlab.aggregates.game_rules import (
    GameParameters,
    changed_traces,
    game_parameters_from_dict,
    traces_of_game,
)
from privlab.aggregates.game_rules.changed_traces import traces_under_controls
from privlab.aggregates.traces import Traces
from privlab.checks import ParameterError
from privlab.lab.attacking import play_game
from tests.aggregates.worlds import habitual_traces, traces_of_sets


def pairs(traces: Traces, user: int) -> list[tuple[int, int]]:
    part = slice(int(traces.starts[user]), int(traces.starts[user + 1]))
    return list(zip(traces.epoch[part].tolist(), traces.zone[part].tolist(), strict=True))


@pytest.mark.parametrize("spec", ["thin:0.5", "shuffle-hours", "permute-zones", "users:7", "days:10"])
def test_what_comes_out_are_traces(spec: str) -> None:
    traces = habitual_traces(n_users=12, n_weeks=3)
    changed = traces_under_controls(traces, [spec], seed=4)
    assert changed.controls == f"{spec}, seed 4"
    assert changed.digest != traces.digest  # runs of one are not taken for runs of the other
    assert changed.epoch.dtype == traces.epoch.dtype
    assert set(changed.users.tolist()) <= set(traces.users.tolist())
    for user in range(changed.n_users):
        assert pairs(changed, user) == sorted(set(pairs(changed, user)))
    assert changed.epoch.min() >= 0
    assert changed.epoch.max() < 24 * changed.n_days
    assert changed.n_days == (10 if spec == "days:10" else 21)
    # Once, whoever asks again; and never for something else.
    assert traces_under_controls(changed, [spec], seed=4) is changed
    assert traces_under_controls(traces, [], seed=4) is traces
    with pytest.raises(ParameterError, match="control must change data once"):
        traces_under_controls(changed, [spec], seed=5)


def test_a_first_day_in_the_middle_of_a_week() -> None:
    """Thursday to Wednesday: no report leaves its own calendar week."""
    sets = [{(24 * day + hour, hour % 3) for hour in range(24) for day in (0, 3, 4, 6)} for _ in range(4)]
    monday = traces_of_sets(sets, n_zones=3, n_weeks=1, null_zone=True)
    thursday = Traces(
        **{name: getattr(monday, name) for name in Traces.__dataclass_fields__}
        | {"first_day": monday.first_day.replace(day=5)}
    )
    changed = traces_under_controls(thursday, ["shuffle-hours"], seed=1)
    for user in range(4):
        assert [epoch < 96 for epoch, _ in pairs(changed, user)] == [True] * 48 + [False] * 48


def mean_auc(traces: Traces, **of: object) -> float:
    settings = {"arms": ("cells",), "classifiers": ("lr",), "targets": 6} | of
    result = play_game(traces, GameParameters(**settings)).result  # type: ignore[arg-type]
    return summaries_from_result(result)[0].overall.auc_mean


def test_who_is_told_by_hours_alone_is_told_no_more_once_they_are_shuffled() -> None:
    """One zone and 20 hours a week for all: shuffled, a week of the target's is any other's, so that the AUC is ½."""
    rng = np.random.default_rng(1)
    habits = [rng.choice(168, 20, replace=False) for _ in range(30)]
    sets = [{(int(hour) + 168 * week, 0) for hour in own for week in range(4)} for own in habits]
    traces = traces_of_sets(sets, n_zones=1, n_weeks=4, null_zone=False)
    game = {"prior": "different-groups", "group_size": 3, "train_groups": 40, "test_groups": 30}
    assert mean_auc(traces, **game) > 0.9
    shuffled = mean_auc(
        traces, **game, targets=30, controls=("shuffle-hours",)
    )  # all of them: one is lucky or not
    assert shuffled == pytest.approx(0.5, abs=0.1)


def test_people_who_do_all_the_same_are_told_apart_once_their_zones_are_permuted() -> None:
    """Alike, nobody can be told: ½ exactly. With one of 40 zones each, who is there is: all but 3 in 40 groups at most."""
    sets = [{(9 + 24 * day, 0) for day in range(7)} for _ in range(30)]
    traces = traces_of_sets(sets, n_zones=40, n_weeks=1, null_zone=False)
    game = {"group_size": 3, "train_groups": 40, "test_groups": 40, "prior_share": 0.5}
    assert mean_auc(traces, **game) == 0.5
    assert mean_auc(traces, **game, controls=("permute-zones",)) > 0.9


def test_a_game_is_played_under_its_controls_and_its_runs_are_its_own() -> None:
    parameters = GameParameters(controls=("thin:0.5",), seed=9)
    traces = habitual_traces()
    assert traces_of_game(traces, parameters).controls == "thin:0.5, seed 9"
    assert game_parameters_from_dict(parameters.as_dict()) == parameters
    assert "controls" not in GameParameters().as_dict()  # the keys of older runs stay
    with pytest.raises(ParameterError, match="controls must be written as they are applied"):
        GameParameters(controls=("shuffle-hours", "thin:0.5"))


def test_what_the_last_controls_made_of_traces_is_at_hand_and_goes_with_them() -> None:
    traces, others = habitual_traces(), habitual_traces()
    first = traces_under_controls(traces, ("thin:0.5",), seed=1)
    assert traces_under_controls(traces, ("thin:0.5",), seed=1) is first
    assert traces_under_controls(others, ("thin:0.5",), seed=1) is not first
    again = traces_under_controls(traces, ("thin:0.5",), seed=2)
    assert again is not first
    assert again.controls != first.controls
    held = len(changed_traces._changed)
    del traces
    gc.collect()
    assert len(changed_traces._changed) == held - 1
