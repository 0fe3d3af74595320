"""Work in a process of its own: the same results, errors and reports as in this one, and an end whatever becomes of either."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.processes.own_process import OwnProcess, ProcessEnded, own_processes
from privlab.datasets.processes.workspace_work import WorkspaceWork
from privlab.progress import UNHEARD, Cancelled, Progress
from tests.datasets.processes import work_by_hand


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2]
    except FileNotFoundError:
        return False
    return not state.startswith("Z")


def test_it_is_another_process_of_lower_priority_whose_folder_is_gone_afterwards() -> None:
    pid, priority, folder = OwnProcess(work_by_hand.who_works).result()
    assert pid != os.getpid()
    assert priority == min(19, os.getpriority(os.PRIO_PROCESS, 0) + 10)
    assert not Path(folder).exists()


def test_the_work_goes_on_once_its_report_has_been_heard(tmp_path: Path) -> None:
    heard, done = [], tmp_path / "done"

    def hear(share: float, words: str) -> None:
        time.sleep(0.05)  # whoever did not wait would be through by then
        heard.append((share, words, done.read_text() if done.exists() else ""))

    assert OwnProcess(partial(work_by_hand.steps, done=done)).result(Progress(hear)) == "done"
    assert heard == [(0.25, "step 1", ""), (0.5, "step 2", "1 "), (0.75, "step 3", "1 2 ")]


def test_a_refusal_comes_back_as_it_was_said() -> None:
    with pytest.raises(DataError, match=r"^Row 7 has no user\.$") as caught:
        OwnProcess(work_by_hand.refused).result()
    assert (caught.value.row, caught.value.column) == (7, "who")


def test_a_fault_comes_back_and_the_log_has_its_lines_without_its_words(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(KeyError, match="user-4711"):
        OwnProcess(work_by_hand.failed).result()
    said = capfd.readouterr().err
    assert "work_by_hand.py" in said
    assert said.endswith("KeyError\n")
    assert "user-4711" not in said


def test_a_process_that_dies_is_noticed() -> None:
    with pytest.raises(ProcessEnded) as ended:
        OwnProcess(work_by_hand.died).result()
    assert ended.value.code == 9


@pytest.mark.parametrize("work", [work_by_hand.told_and_waits, work_by_hand.told_with_another])
def test_work_that_is_cancelled_ends_whatever_it_is_at_and_what_it_began(work: Any, tmp_path: Path) -> None:
    pid = tmp_path / "pid"

    class CancelledLater(Progress):
        @property
        def cancelled(self) -> bool:
            return pid.exists()

    with pytest.raises(Cancelled):
        OwnProcess(partial(work, pid=pid)).result(CancelledLater())
    end = time.monotonic() + 900
    while is_running(int(pid.read_text())):  # whoever takes over orphans sees to its end
        assert time.monotonic() < end
        time.sleep(0.01)
    assert not is_running(int(pid.read_text()))


def test_it_ends_with_the_process_that_began_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = (
        "from functools import partial; from pathlib import Path\n"
        "from privlab.datasets.processes.own_process import OwnProcess\n"
        "from tests.datasets.processes import work_by_hand\n"
        f"OwnProcess(partial(work_by_hand.told_with_another, pid=Path({str(pid)!r}))).result()"
    )
    beginner = subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(tmp_path)})
    while not pid.exists():
        assert beginner.poll() is None
        time.sleep(0.01)
    os.kill(beginner.pid, signal.SIGKILL)
    beginner.wait()
    end = time.monotonic() + 900
    while is_running(int(pid.read_text())):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_an_error_that_cannot_be_made_again_comes_back_by_its_name() -> None:
    """Who waits would wait for ever for an error that it cannot read."""
    with pytest.raises(RuntimeError, match=r"^TwoParts$"):
        OwnProcess(work_by_hand.failed_in_two_parts).result()


def test_it_may_ask_for_as_much_memory_as_it_was_given_and_is_gone_from_those_that_are_counted() -> None:
    n_before, _ = own_processes()
    assert OwnProcess(work_by_hand.address_space, most_bytes=40_000_000_000).result() == 40_000_000_000
    assert own_processes()[0] == n_before


def test_of_work_in_a_workspace_apart_the_end_of_its_process_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def ended(*_: Any) -> None:
        raise ProcessEnded(9)

    monkeypatch.setattr(OwnProcess, "result", ended)
    with pytest.raises(
        DataError, match=r"its process ended \(code 9\)\. Is there too little memory for it\?"
    ):
        WorkspaceWork(lambda workspace, progress: None, apart=lambda: True)(UNHEARD)


def test_work_in_a_workspace_here_is_stopped_by_its_query(monkeypatch: pytest.MonkeyPatch) -> None:
    stopped = list[Workspace]()
    monkeypatch.setattr(Workspace, "interrupt", lambda workspace: stopped.append(workspace))
    work = WorkspaceWork(lambda workspace, progress: (work.stop(), workspace))
    work.stop()  # before it has begun there is no query
    assert stopped == []
    _, workspace = work(UNHEARD)
    assert stopped == [workspace]
