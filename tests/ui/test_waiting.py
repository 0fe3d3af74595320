"""Work of a session: it stops when nobody holds it any more."""

import gc
import threading

import pytest

from privlab.ui.jobs import Job, JobCancelled, Report
from privlab.ui.waiting import Held


def test_work_of_a_session_that_is_gone_stops() -> None:
    begun, let_go = threading.Event(), threading.Event()

    def work(report: Report) -> None:
        report(0.1, "Working")
        begun.set()
        assert let_go.wait(10)
        report(0.2, "Working on")

    job = Job(work)
    held = Held(key=1, job=job)
    assert begun.wait(10)
    assert not job.wait(0)
    assert not held.job.cancelled
    del held
    gc.collect()
    let_go.set()
    with pytest.raises(JobCancelled):
        job.result(10)
