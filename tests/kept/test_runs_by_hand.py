"""Runs without a game being played: which are one run, in what order they come, and what goes with one that is deleted."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from privlab.aggregates.findings.outcomes import Factors, Setting, TargetOutcome, TargetScore
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.kept import runs as module
from privlab.kept.runs import Runs
from tests.aggregates.worlds import habitual_traces

PARAMETERS = GameParameters(group_size=4, targets=3, train_groups=10, test_groups=4)


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "runs.sqlite")


def outcome(turn: int, user: int) -> TargetOutcome:
    """Return an outcome that no game gave: the target is told from nobody."""
    setting = Setting(arm="statistics", classifier="lr", epsilon=None, adversary="passive")
    return TargetOutcome(
        turn=turn,
        user=user,
        mobility="low",
        factors=Factors(**dict.fromkeys(Factors.__dataclass_fields__, 0.5)),
        scores=(TargetScore(setting=setting, inside=(3, 3), outside=(3, 3)),),
        errors=(),
        seconds=1.0,
    )


def test_what_an_outcome_may_hang_on_makes_another_run(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed, arm, data, and versions of libraries; not how many targets are asked for. Where zones lie matters to zero knowledge alone."""
    traces = habitual_traces(20)
    first = runs.begin_run(traces, PARAMETERS)
    keys = {first.key}
    for parameters in (replace(PARAMETERS, seed=2), replace(PARAMETERS, arms=("cells",))):
        keys.add(runs.begin_run(traces, parameters).key)
    keys.add(runs.begin_run(habitual_traces(20, seed=9), PARAMETERS).key)
    guessing = replace(PARAMETERS, prior="zero-knowledge")
    here = replace(traces, positions=np.zeros((traces.zones.size, 2)))
    there = replace(traces, positions=np.ones((traces.zones.size, 2)))
    keys |= {runs.begin_run(one, guessing).key for one in (here, there)}
    assert {runs.begin_run(one, PARAMETERS).key for one in (here, there)} == {first.key}
    monkeypatch.setattr(module, "versions_of_runs", lambda: {"numpy": "another"})
    keys.add(runs.begin_run(traces, PARAMETERS).key)
    assert len(keys) == 7
    assert len(runs.all()) == 7


def test_a_run_carried_on_asks_for_as_many_targets_as_it_was_asked_for_last(runs: Runs) -> None:
    traces = habitual_traces(20)
    key = runs.begin_run(traces, PARAMETERS).key
    for turn, user in ((2, 101), (0, 102), (1, 100)):  # as other processes finish
        runs.save_outcome(key, outcome(turn, user))
    assert [one.turn for one in runs.outcomes(key).values()] == [0, 1, 2]
    assert runs.begin_run(traces, replace(PARAMETERS, targets=5)).key == key
    run, result = runs.reopened(key)
    assert (run.parameters.targets, run.n_outcomes, result.n_left) == (5, 3, 2)
    assert [one.user for one in result.outcomes] == [102, 100, 101]
    assert runs.begin_run(traces, replace(PARAMETERS, targets=2)).parameters.targets == 2
    assert runs.reopened(key)[1].n_left == 0


def test_an_outcome_kept_under_another_run_or_name_is_none(runs: Runs) -> None:
    """A row that somebody copied from one run to another, or to another person, is played anew."""
    traces = habitual_traces(20)
    key, other = (runs.begin_run(traces, replace(PARAMETERS, seed=seed)).key for seed in (1, 2))
    runs.save_outcome(key, outcome(0, 100))
    with closing(sqlite3.connect(runs.path)) as connection:
        connection.execute("INSERT INTO outcome SELECT ?, user, body FROM outcome", (other,))
        connection.execute("INSERT INTO outcome SELECT key, '101', body FROM outcome WHERE key = ?", (key,))
        connection.commit()
    assert list(runs.outcomes(key)) == ["100"]
    assert runs.outcomes(other) == {}


def test_the_newest_run_comes_first_whatever_the_clock_said_and_goes_with_its_outcomes(runs: Runs) -> None:
    traces = habitual_traces(20)
    old, new = (runs.begin_run(traces, replace(PARAMETERS, seed=seed)).key for seed in (1, 2))
    for key in (old, new):
        runs.save_outcome(key, outcome(0, 100))
    with closing(sqlite3.connect(runs.path)) as connection:
        connection.execute("UPDATE run SET made = '1999-01-01T00:00:00+00:00' WHERE key = ?", (new,))
        connection.commit()
    assert [run.key for run in runs.all()] == [new, old]
    runs.delete_run(new)
    with closing(sqlite3.connect(runs.path)) as connection:
        assert connection.execute("SELECT key FROM outcome").fetchall() == [(old,)]
    assert [run.key for run in runs.all()] == [old]
