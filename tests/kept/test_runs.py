"""Runs of the game: stopped, killed and gone on with, they come out as if nothing had happened."""

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from privlab.aggregates.findings.outcomes import TargetOutcome
from privlab.aggregates.findings.summaries import GameResult, summaries_from_result
from privlab.aggregates.game_rules.parameters import ClassifierSettings, GameParameters
from privlab.checks import DataError, ParameterError
from privlab.kept.kept_places import RUNS_VARIABLE, runs_path_from_environment
from privlab.kept.runs import Runs
from privlab.lab.attacking.play import play_game
from privlab.progress import Progress
from tests.aggregates.worlds import habitual_traces

ROOT = Path(__file__).parents[2]
PARAMETERS = GameParameters(
    group_size=3,
    targets=6,
    train_groups=40,
    prior_share=0.5,
    classifiers=("lr", "rf"),
    settings=ClassifierSettings(trees=5),
)


def plain(result: GameResult) -> str:
    """Return all of a result but the time it took."""
    return json.dumps([replace(outcome, seconds=0.0).as_dict() for outcome in result.outcomes])


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "deep" / "runs.sqlite")


class Stopped(Exception):
    pass


def test_stopped_and_gone_on_with_equals_uninterrupted(runs: Runs) -> None:
    traces = habitual_traces(60)
    whole = play_game(traces, PARAMETERS).result
    played: list[TargetOutcome] = []

    def stop(share: float, words: str) -> None:
        if len(played) == 2:
            raise Stopped

    with pytest.raises(Stopped):
        play_game(traces, PARAMETERS, runs=runs, progress=Progress(stop), heard=played.append)
    (run,) = runs.all()
    assert run.n_outcomes == 2
    _, partial = runs.reopened(run.key)
    assert (len(partial.outcomes), partial.n_left) == (2, 4)
    assert summaries_from_result(partial)[0].overall.n_targets == 2
    told: list[tuple[float, str]] = []
    again: list[TargetOutcome] = []
    result = play_game(
        traces,
        PARAMETERS,
        runs=runs,
        progress=Progress(lambda *words: told.append(words)),
        heard=again.append,
    ).result
    assert plain(result) == plain(whole)
    assert [one.seconds for one in result.outcomes[:2]] == [one.seconds for one in played]
    assert len(again) == 6
    assert told[0] == (pytest.approx(2 / 6), "2 of 6 targets")
    assert told[-1] == (1.0, "6 of 6 targets")
    assert any("left" in words for _, words in told)
    run, reopened = runs.reopened(run.key)
    assert plain(reopened) == plain(whole)
    assert (run.n_outcomes, reopened.n_left) == (6, 0)
    assert {"privlab", "game", "numpy", "scikit-learn"} <= set(run.versions)
    assert (run.parameters, run.data["digest"]) == (PARAMETERS, traces.digest)


SCRIPT = """
import sys
from pathlib import Path
from privlab.lab.attacking.play import play_game
from privlab.kept.runs import Runs
from tests.aggregates.worlds import habitual_traces
from tests.kept.test_runs import PARAMETERS
if __name__ == "__main__":
    print("ready", flush=True)
    play_game(
        habitual_traces(60), PARAMETERS, runs=Runs(Path(sys.argv[1])), workers=int(sys.argv[2]),
        heard=lambda outcome: (print(outcome.turn, flush=True), sys.stdin.readline()),
    )
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_in_mid_run_loses_nothing_that_was_played(runs: Runs, tmp_path: Path, workers: int) -> None:
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(runs.path), str(workers)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        process.stdout.readline()
        process.stdin.write("\n")
        process.stdin.flush()
        process.stdout.readline()  # the second outcome is kept; the process waits for a word
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=900)
    (run,) = runs.all()
    assert run.n_outcomes == 2
    traces = habitual_traces(60)
    result = play_game(traces, replace(PARAMETERS, targets=3), runs=runs).result
    assert plain(result) == plain(play_game(traces, replace(PARAMETERS, targets=3)).result)


def test_workers_end_with_the_process_that_started_them(tmp_path: Path) -> None:
    script = tmp_path / "play.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "runs.sqlite"), "2"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    with process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.readline()  # workers are at work
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        assert len(children) >= 2
        process.kill()
        process.wait(timeout=900)
    end = time.monotonic() + 900
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_runs_are_apart_by_seed_data_and_parameters_and_listed(runs: Runs) -> None:
    traces, small = habitual_traces(60), replace(PARAMETERS, targets=1, classifiers=("lr",))
    play_game(traces, small, runs=runs)
    play_game(traces, replace(small, seed=2), runs=runs)
    play_game(habitual_traces(60, seed=8), small, runs=runs)
    assert len({run.key for run in runs.all()}) == 3
    more = play_game(traces, replace(small, targets=2), runs=runs).result
    assert len(runs.all()) == 3  # more targets carry a run on
    assert sorted(run.n_outcomes for run in runs.all()) == [1, 1, 2]
    assert len(more.outcomes) == 2
    fewer = play_game(traces, small, runs=runs).result
    assert plain(fewer) == plain(replace(more, outcomes=more.outcomes[:1]))
    gone = runs.all()[0].key
    runs.delete_run(gone)
    assert gone not in {run.key for run in runs.all()}
    with pytest.raises(ParameterError, match="run must be one of the 2 that are kept"):
        runs.reopened(gone)


def test_path_of_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(RUNS_VARIABLE, str(tmp_path / "mine.sqlite"))
    assert runs_path_from_environment() == tmp_path / "mine.sqlite"
    monkeypatch.delenv(RUNS_VARIABLE)
    assert runs_path_from_environment().name == "runs.sqlite"


def test_file_that_holds_no_runs_iv(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_text("this is no database, but long enough to be taken for one" * 40)
    with pytest.raises(DataError, match=r"The runs .* could not be read or written"):
        Runs(path).all()


def worse(body: str) -> str:
    """Return an outcome with one rank changed, under the digest of what it was."""
    said = json.loads(body)
    said["scores"][0]["inside"][0] += 1
    return json.dumps(said)


DAMAGED = {
    "no outcome": lambda body: "{}",
    "no JSON": lambda body: body[:40],
    "bytes": lambda body: b"\xff\x00",
    "a number": lambda body: 7,
    "a list": lambda body: "[]",
    "without factors": lambda body: json.dumps(json.loads(body) | {"factors": {}}),
    "without scores": lambda body: json.dumps(
        {name: value for name, value in json.loads(body).items() if name != "digest"} | {"scores": []}
    ),
    "another turn": lambda body: json.dumps(
        {name: value for name, value in json.loads(body).items() if name != "digest"} | {"turn": "first"}
    ),
    "another rank": worse,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_an_outcome_that_was_changed_is_played_anew(
    damage: str, runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    traces, small = habitual_traces(60), replace(PARAMETERS, targets=2, classifiers=("lr",))
    whole = play_game(traces, small, runs=runs).result
    with closing(sqlite3.connect(runs.path)) as connection:
        user, body = connection.execute("SELECT user, body FROM outcome ORDER BY rowid LIMIT 1").fetchone()
        connection.execute("UPDATE outcome SET body = ? WHERE user = ?", (DAMAGED[damage](body), user))
        connection.commit()
    (run,) = runs.all()
    assert len(runs.reopened(run.key)[1].outcomes) == 1
    assert "An outcome of the run" in caplog.text
    caplog.clear()
    assert plain(play_game(traces, small, runs=runs).result) == plain(whole)
    caplog.clear()
    assert plain(runs.reopened(run.key)[1]) == plain(whole)
    assert caplog.text == ""


def test_outcomes_of_before_there_were_digests_stay(runs: Runs) -> None:
    traces, small = habitual_traces(60), replace(PARAMETERS, targets=2, classifiers=("lr",))
    whole = play_game(traces, small, runs=runs).result
    with closing(sqlite3.connect(runs.path)) as connection:
        for outcome in whole.outcomes:
            body = (json.dumps(outcome.as_dict(), sort_keys=True), str(outcome.user))
            connection.execute("UPDATE outcome SET body = ? WHERE user = ?", body)
        connection.commit()
    assert runs.reopened(runs.all()[0].key)[1].outcomes == whole.outcomes


@pytest.mark.parametrize("column", ["parameters", "data", "versions"])
def test_a_run_that_was_changed_is_left_out_until_it_is_played_again(column: str, runs: Runs) -> None:
    traces, small = habitual_traces(60), replace(PARAMETERS, targets=1, classifiers=("lr",))
    play_game(traces, small, runs=runs)
    (run,) = runs.all()
    with closing(sqlite3.connect(runs.path)) as connection:
        connection.execute(f"UPDATE run SET {column} = '{{'")
        connection.commit()
    assert runs.all() == []
    play_game(traces, small, runs=runs)
    assert runs.all() == [run]
