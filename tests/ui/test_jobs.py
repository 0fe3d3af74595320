"""Jobs: results, errors, progress and cancelling, in real threads."""

import threading

import pytest

from privlab.checks import DataError
from privlab.progress import Cancelled
from privlab.ui.work.jobs import Job


def test_result_and_progress() -> None:
    told, go_on = threading.Event(), threading.Event()

    def work(progress):
        progress.tell(0.25, "Counting")
        told.set()
        assert go_on.wait(600)
        return 42

    job = Job(work)
    assert told.wait(600)
    assert (job.done, job.share, job.words, job.error) == (False, 0.25, "Counting", None)
    go_on.set()
    assert job.result(600) == 42
    assert job.done
    assert job.error is None


def test_the_bar_moves_within_a_step_whose_end_is_known_by_hand() -> None:
    """Half of a step from 40% to 80%, then a fifth of one of unknown length, which is taken for 20%: 60% and 84%."""
    told, go_on = (threading.Event(), threading.Event()), (threading.Event(), threading.Event())

    def work(progress):
        progress.tell(0.4, "Sorting", until=0.8)
        progress.watch(lambda: 0.5)
        told[0].set()
        assert go_on[0].wait(600)
        progress.watch(lambda: 0.2)
        progress.tell(0.8)
        told[1].set()
        assert go_on[1].wait(600)

    job = Job(work)
    assert told[0].wait(600)
    assert job.share == pytest.approx(0.6)
    go_on[0].set()
    assert told[1].wait(600)
    assert job.share == pytest.approx(0.84)
    go_on[1].set()
    job.result(600)


def test_an_error_is_kept_and_raised_again() -> None:
    def work(progress):
        raise DataError("The file is empty.")

    job = Job(work)
    with pytest.raises(DataError, match="empty"):
        job.result(600)
    assert isinstance(job.error, DataError)


def test_cancel_stops_the_work_at_its_next_report() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(progress):
        progress.tell(0.1, "Reading")
        begun.set()
        assert stopped.wait(600)
        progress.tell(0.2, "Reading on")
        return "never"

    job = Job(work, stop=stopped.set)
    assert begun.wait(600)
    job.cancel()
    with pytest.raises(Cancelled):
        job.result(600)
    assert job.cancelled
    assert job.words == "Reading"


def test_time_left_is_unknown_at_first() -> None:
    hold = threading.Event()
    job = Job(lambda progress: hold.wait(600))
    assert job.seconds_left is None
    hold.set()
    job.result(600)
