"""Heavy work takes turns: so many at once, in order, none held up by another's length, and it can be cancelled."""

import threading
import time

import pytest

from privlab.progress import Cancelled, Progress
from privlab.ui.work.fair_turns import TURNS_VARIABLE, Turns, turns_from_environment
from privlab.ui.work.jobs import WAITING, Job


def until(true, seconds: float = 600) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def held(turns: Turns) -> tuple[Job[str], threading.Event]:
    """Return work that has its turn until the event is set, and the event."""
    go_on = threading.Event()

    def work(progress: Progress) -> str:
        progress.tell(0.1, "Reading")
        assert go_on.wait(600)
        return "done"

    job = Job(work, turns=turns)
    until(lambda: job.words == "Reading")
    return job, go_on


def test_at_most_so_many_work_at_once_and_all_get_their_turn() -> None:
    turns, lock, at_once, most = Turns(2), threading.Lock(), 0, 0
    both = threading.Barrier(2)  # nobody goes on before another is at work too

    def work(progress: Progress) -> int:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        both.wait(600)
        time.sleep(0.01)
        with lock:
            at_once -= 1
        return 1

    jobs = [Job(work, turns=turns) for _ in range(12)]
    assert sum(job.result(600) for job in jobs) == 12
    assert most == 2


def test_who_waits_is_told_and_comes_next() -> None:
    turns = Turns(1)
    _, go_on = held(turns)
    second = Job(lambda progress: "mine", turns=turns)
    until(lambda: second.words == WAITING)
    assert second.share == 0.0
    go_on.set()
    assert second.result(600) == "mine"


def test_work_without_turns_does_not_wait() -> None:
    _, go_on = held(Turns(1))
    assert Job(lambda progress: "at once").result(600) == "at once"
    go_on.set()


def test_cancelled_while_waiting_it_never_begins() -> None:
    turns, begun = Turns(1), threading.Event()
    first, go_on = held(turns)
    second = Job(lambda progress: begun.set(), turns=turns)
    until(lambda: second.words == WAITING)
    second.cancel()
    with pytest.raises(Cancelled):
        second.result(600)
    go_on.set()
    assert first.result(600) == "done"
    assert not begun.is_set()
    assert Job(lambda progress: "free again", turns=turns).result(600) == "free again"


def test_long_work_makes_way_for_others_at_its_reports() -> None:
    turns = Turns(1, seconds=0.0)
    other_done = threading.Event()

    def long(progress: Progress) -> str:
        until(
            lambda: other_done.is_set() or progress.tell(0.5, "Playing")
        )  # would never end without making way
        return "long"

    first = Job(long, turns=turns)
    until(lambda: first.words == "Playing")
    second = Job(lambda progress: other_done.set(), turns=turns)
    second.result(600)
    assert first.result(600) == "long"


def test_cancelled_while_making_way_it_gives_no_turn_twice() -> None:
    turns = Turns(1, seconds=0.0)

    def long(progress: Progress) -> None:
        while True:
            progress.tell(0.5, "Playing")
            time.sleep(0.001)

    first = Job(long, turns=turns)
    until(lambda: first.words == "Playing")
    second, go_on = held(turns)
    until(lambda: first.words == WAITING)
    first.cancel()
    with pytest.raises(Cancelled):
        first.result(600)
    third = Job(lambda progress: "third", turns=turns)
    until(lambda: third.words == WAITING)  # the only turn is still the second's
    go_on.set()
    assert (second.result(600), third.result(600)) == ("done", "third")


def test_errors_give_the_turn_back() -> None:
    turns = Turns(1)

    def fails(progress: Progress) -> None:
        raise ValueError

    assert isinstance(_error(Job(fails, turns=turns)), ValueError)
    assert Job(lambda progress: 1, turns=turns).result(600) == 1


def _error(job: Job[None]) -> BaseException | None:
    job.wait(600)
    return job.error


def test_what_is_kept_goes_when_the_work_has_ended() -> None:
    class Folder:
        gone = False

        def __del__(self) -> None:
            Folder.gone = True

    go_on = threading.Event()

    def fails(progress: Progress) -> None:
        assert go_on.wait(600)
        raise ValueError

    job = Job(fails, keeping=Folder())
    assert not Folder.gone
    go_on.set()
    assert isinstance(_error(job), ValueError)
    until(lambda: Folder.gone)  # though the job and its error are still there


@pytest.mark.parametrize("named", ["", " ", "0", "-1", "-3", "abc", "²", "1.5", "9" * 5_000, "3", " 3 "])
def test_number_of_turns_from_the_environment(
    named: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(TURNS_VARIABLE, named)
    monkeypatch.setattr("os.cpu_count", lambda: 5)
    assert turns_from_environment()._n_free == (3 if named.strip() == "3" else 5)
    said = f"PRIVLAB_JOBS must be a whole number from 1 on, got {named[:40]!r}: as many as there are cores."
    assert caplog.messages == ([] if named.strip() in ("", "3") else [said])


def looked_at(turns: Turns, gone: threading.Event, end: threading.Event) -> Job[str]:
    """Return work that tells how far it is again and again until `end`, at which nobody looks while `gone` is set."""

    def work(progress: Progress) -> str:
        while not end.is_set():
            progress.tell(0.1, "Reading")
            time.sleep(0.001)
        return "done"

    job = Job(work, turns=turns, away=gone.is_set)
    until(lambda: job.words == "Reading")
    return job


def test_work_that_nobody_looks_at_pauses_while_there_is_other_work() -> None:
    """Whoever loads a page anew does not wait for what the page of before had begun, though there is room for both."""
    turns, gone, end = Turns(2), threading.Event(), threading.Event()
    left = looked_at(turns, gone, end)
    gone.set()
    time.sleep(0.02)
    assert left.words == "Reading"  # alone it goes on
    _, go_on = held(turns)
    until(lambda: left.words == WAITING)
    assert turns.counts() == (1, 1)
    go_on.set()
    until(lambda: left.words == "Reading")
    end.set()
    assert left.result(600) == "done"


def test_work_goes_on_when_its_browser_is_back() -> None:
    turns, gone, end = Turns(2), threading.Event(), threading.Event()
    left = looked_at(turns, gone, end)
    _, go_on = held(turns)
    gone.set()
    until(lambda: left.words == WAITING)
    gone.clear()
    until(lambda: left.words == "Reading")
    for event in (go_on, end):
        event.set()
    assert left.result(600) == "done"


def test_nobody_makes_way_for_work_that_nobody_looks_at_nor_waits_behind_it() -> None:
    turns, gone, here, end = Turns(1, seconds=0.0), threading.Event(), threading.Event(), threading.Event()
    present = looked_at(turns, here, end)
    gone.set()
    began: list[str] = []
    left = Job(lambda progress: began.append("left"), turns=turns, away=gone.is_set)
    until(lambda: left.words == WAITING)
    until(lambda: turns.counts() == (1, 1))
    time.sleep(0.05)
    assert (began, present.words) == ([], "Reading")
    second = Job(lambda progress: began.append("second"), turns=turns)
    second.result(600)  # past the one that waits longer
    assert began == ["second"]
    end.set()
    assert present.result(600) == "done"
    left.result(600)
    assert began == ["second", "left"]


def test_work_waiting_for_its_browser_can_be_cancelled() -> None:
    turns, gone, end = Turns(2), threading.Event(), threading.Event()
    left = looked_at(turns, gone, end)
    _, go_on = held(turns)
    gone.set()
    until(lambda: left.words == WAITING)
    left.cancel()
    with pytest.raises(Cancelled):
        left.result(600)
    go_on.set()
