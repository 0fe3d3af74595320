"""Heavy work in a process of its own: the same outcomes as in the server's, heard on the way, kept when stopped, and one ready."""

import ast
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privlab
from privlab.aggregates import Traces
from privlab.aggregates.findings import GameResult
from privlab.aggregates.game_rules import GameParameters
from privlab.checks import DataError
from privlab.datasets.processes import READY, OwnProcess, own_processes
from privlab.kept import Runs
from privlab.lab.attacking import play_games_in_turns
from privlab.progress import Cancelled, Progress
from privlab.ui.work import heavy_work
from tests.aggregates.worlds import habitual_traces
from tests.datasets.processes import work_by_hand
from tests.datasets.processes.test_own_process import is_running


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have work done in processes, as a server has; none waits before it is asked for."""
    monkeypatch.delenv(heavy_work.APART_VARIABLE, raising=False)
    monkeypatch.setattr(heavy_work, "_load", work_by_hand.nothing)
    heavy_work.work_apart()
    yield
    READY.end()


def played(traces: Traces, runs: Path) -> tuple[list[GameResult], list[tuple[int, int]]]:
    """Return the results of two games, and how many targets of which were heard of on the way."""
    games = tuple(
        GameParameters(
            group_size=size, targets=4, train_groups=20, test_groups=10, prior_share=0.5,
            arms=("statistics",), classifiers=("lr",),
        )
        for size in (3, 5)
    )  # fmt: skip
    heard: list[tuple[int, int]] = []
    work = heavy_work.apart_and_heard(
        play_games_in_turns,
        lambda number, result: heard.append((number, len(result.outcomes))),
        traces,
        games,
        runs=Runs(runs),
    )
    return work(Progress()), heard


def without_clock(results: list[GameResult]) -> list[object]:
    return [[one.as_dict() | {"seconds": 0} for one in result.outcomes] for result in results]


def test_a_game_in_its_own_process_is_the_game_in_this_one(ready: None, tmp_path: Path) -> None:
    traces = habitual_traces(60)
    apart_results, apart_heard = played(traces, tmp_path / "heavy_work.sqlite")
    READY.end()
    here_results, here_heard = played(traces, tmp_path / "here.sqlite")
    assert without_clock(apart_results) == without_clock(here_results)
    assert apart_heard == here_heard == [(0, 3), (1, 3), (0, 4), (1, 4)]
    assert [run.n_outcomes for run in Runs(tmp_path / "heavy_work.sqlite").all()] == [4, 4]


def test_what_was_finished_is_said_after_a_stop_and_the_process_ends(ready: None, tmp_path: Path) -> None:
    pid, said = tmp_path / "pid", list[str]()
    work = heavy_work.apart_and_heard(work_by_hand.told_until_stopped, said.append, pid)

    class StoppedOnceThere(Progress):
        @property
        def cancelled(self) -> bool:
            return pid.exists()

    with pytest.raises(Cancelled):
        work(StoppedOnceThere())
    assert said == ["finished so far"]
    assert not is_running(int(pid.read_text()))


def test_work_that_does_not_hear_of_the_stop_is_ended_after_its_grace(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    class StoppedOnceThere(Progress):
        @property
        def cancelled(self) -> bool:
            return pid.exists()

    with pytest.raises(Cancelled):
        OwnProcess(partial(work_by_hand.told_and_waits, pid=pid), grace_s=0.2).result(StoppedOnceThere())
    assert not is_running(int(pid.read_text()))


def test_work_that_ends_within_its_grace_returns_nothing_to_whoever_stopped_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    class StoppedOnceThere(Progress):
        @property
        def cancelled(self) -> bool:
            return pid.exists()

    work = partial(work_by_hand.told_once_and_done, pid=pid)
    with pytest.raises(Cancelled):
        OwnProcess(work, grace_s=600).result(StoppedOnceThere())
    assert not is_running(int(pid.read_text()))


def test_a_process_that_ends_before_its_work_is_one_sentence(ready: None) -> None:
    with pytest.raises(
        DataError, match=r"^The work could not be done: its process ended \(code 9\)\. Is there"
    ):
        heavy_work.apart(work_by_hand.died)(Progress())


def test_the_process_that_waits_does_the_work_and_the_next_begins(ready: None) -> None:
    heavy_work.begin_process()
    first = READY._process
    assert first is not None
    assert heavy_work.apart(work_by_hand.who_works)(Progress())[0] == first.pid
    second = _next()
    assert second.pid != first.pid
    second.kill()  # as an operator may
    second.wait()
    third = heavy_work.apart(work_by_hand.who_works)(Progress())[0]
    assert third not in (first.pid, second.pid)
    last = _next()
    n_processes, mb = own_processes()
    assert n_processes == 1
    assert mb is not None
    assert 0 <= mb < 500
    READY.end()
    assert not is_running(last.pid)
    assert own_processes() == (0, 0)


def test_what_takes_no_longer_than_a_process_to_begin_is_done_here(
    ready: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "here")
    assert heavy_work.briefly(work_by_hand.who_works)(Progress())[0] == os.getpid()
    assert own_processes()[0] == 0


def _next() -> "subprocess.Popen[bytes]":
    """Return the process that begins soon after one was taken."""
    while READY._process is None:
        time.sleep(0.05)
    return READY._process


def test_the_operator_may_have_all_work_done_in_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(heavy_work.APART_VARIABLE, "off")
    heavy_work.work_apart()
    heavy_work.begin_process()
    assert READY._process is None
    monkeypatch.setenv("TMPDIR", "here")
    assert heavy_work.apart(work_by_hand.who_works)(Progress())[0] == os.getpid()


@pytest.mark.parametrize(("named", "n_said"), [("yes", 1), ("no", 1), ("", 0), (" off ", 0), (None, 0)])
def test_what_is_not_off_is_said(
    named: str | None, n_said: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(heavy_work, "_load", work_by_hand.nothing)
    if named is None:
        monkeypatch.delenv(heavy_work.APART_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(heavy_work.APART_VARIABLE, named)
    heavy_work.work_apart()
    is_apart = heavy_work.is_apart()
    READY.end()
    assert is_apart == (named != " off ")
    said = f"PRIVLAB_APART must be off, or not be set, got {named!r}: heavy work is done in processes of its own."
    assert caplog.messages == [said] * n_said


COMPILED = """
import gc
import sys

import numpy as np
from numba.core.dispatcher import Dispatcher

from privlab.fingerprints import fingerprints_from_samples
from privlab.fingerprints.measures import StudyParameters, what_if_from_fingerprints
from privlab.lab.fingerprints import compile_measures, kgap_study_from_fingerprints


def compiled():
    own = [one for one in gc.get_objects() if isinstance(one, Dispatcher) and one.__module__.startswith("privlab.")]
    return {(one.__module__, one.__name__): len(one.signatures) for one in own if one.signatures}


compile_measures()
ahead = compiled()
draws = np.random.default_rng(3)
user = np.sort(draws.integers(0, 70, 4_000))
town = fingerprints_from_samples(user, *draws.integers(0, 300, (2, 4_000)), draws.integers(0, 20_000, 4_000))
kgap_study_from_fingerprints(town, StudyParameters(n_query=30))
what_if_from_fingerprints(town, 5)
assert len(ahead) > 5
assert compiled() == ahead
"""


def test_what_is_compiled_ahead_is_all_that_the_page_of_fingerprints_opens_with() -> None:
    """Numba's own record of what it compiled or took from disk: the same after a study of seventy people as after the one of four."""
    subprocess.run([sys.executable, "-c", COMPILED], check=True)


def test_the_process_that_waits_compiles_while_it_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    monkeypatch.setattr("privlab.aggregates.game.load_game", lambda: None)
    monkeypatch.setattr("privlab.lab.fingerprints.compile_measures", begun.set)
    heavy_work._load(compile_after_s=600)
    assert not begun.is_set()
    heavy_work._load()
    assert begun.wait(600)


@pytest.mark.parametrize("n_living", [0, 1])
def test_only_the_first_process_compiles_at_once(n_living: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next begins beside work that may be compiling the same: it did so too, for 15 seconds of the processor."""
    loads: list[Any] = []
    monkeypatch.delenv(heavy_work.APART_VARIABLE, raising=False)
    monkeypatch.setattr(READY, "keep", loads.append)
    monkeypatch.setattr(READY, "_load", bool)
    monkeypatch.setattr(READY, "begin", lambda: loads.append("begun"))
    monkeypatch.setattr(heavy_work, "own_processes", lambda: (n_living, None))
    heavy_work.work_apart()
    heavy_work.begin_process()
    later = partial(heavy_work._load, compile_after_s=heavy_work._IDLE_S)
    told = [
        one if isinstance(one, str) or one is heavy_work._load else (one.func, one.keywords) for one in loads
    ]
    kept = (later.func, later.keywords)
    assert told == ([kept, "begun", kept] if n_living else [kept, heavy_work._load, "begun", kept])


def test_a_large_array_arrives_whole(ready: None) -> None:
    given = np.arange(3_000_000)
    assert np.array_equal(heavy_work.apart(work_by_hand.doubled, given)(Progress()), 2 * given)


def handed_over() -> dict[str, str]:
    """Return every function that a page has done apart, by its module."""
    found = {}
    for path in sorted(Path(privlab.__file__).parent.glob("ui/**/*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        taken = {
            alias.name: node.module or ""
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("apart", "apart_and_heard"):
                name = ast.unparse(node.args[0])
                found[name] = taken.get(name, f"privlab.{path.stem}, where it stands")
    return found


def test_what_is_handed_over_needs_no_streamlit() -> None:
    """Else each of these processes would load it, and say in the log that it finds no server."""
    found = handed_over()
    assert len(found) > 15
    # A report reads the session's own file again by its request.
    assert found.pop("_build") == "privlab.report_downloads, where it stands"
    lines = [f"from {module} import {name}" for name, module in found.items()]
    loaded = "import sys; assert 'streamlit' not in sys.modules"
    subprocess.run([sys.executable, "-c", "\n".join([*lines, loaded])], check=True)
