"""Work that all sessions share: it goes on while one of them waits for it, and stops when none does."""

import threading
from pathlib import Path
from typing import Any

import pytest

from privlab.datasets.engines import Interrupted
from privlab.kept.kept_places import CACHE_VARIABLE
from privlab.lab.loading import sample_work
from privlab.progress import Cancelled, Progress
from privlab.ui.work.jobs import Job
from privlab.ui.work.shared_jobs import SharedJobs


class Held:
    """Begins jobs that last until they are let go of, and then tell how far they are."""

    def __init__(self) -> None:
        self.let_go, self.begun = threading.Event(), list[Job[str]]()

    def begin(self) -> Job[Any]:
        self.begun.append(Job(self._work))
        return self.begun[-1]

    def _work(self, progress: Progress) -> str:
        assert self.let_go.wait(600)
        progress.tell(0.5, "Working on")
        return "made"


def test_work_goes_on_for_the_one_who_still_waits() -> None:
    shared, held = SharedJobs(), Held()
    first, second = (shared.waiting("city", held.begin) for _ in range(2))
    assert first.job is second.job
    first.leave()
    first.leave()  # who has left does not leave again for another
    assert not second.job.cancelled
    held.let_go.set()
    assert second.job.result(600) == "made"
    second.leave()
    assert shared.waiting("city", held.begin).job is held.begun[0]  # what is made stays
    assert len(held.begun) == 1


@pytest.mark.parametrize("by_hand", [True, False])
def test_work_that_nobody_waits_for_stops_and_is_begun_anew_by_the_next(by_hand: bool) -> None:
    """Whether its session let go of it, or went with all it held."""
    shared, held = SharedJobs(), Held()
    waiting = shared.waiting("city", held.begin)
    if by_hand:
        waiting.leave()
    del waiting
    assert held.begun[0].cancelled
    assert shared.known("city") is None
    again = shared.waiting("city", held.begin)
    assert again.job is held.begun[1]
    held.let_go.set()
    with pytest.raises(Cancelled):
        held.begun[0].result(600)
    assert again.job.result(600) == "made"


def test_a_query_on_a_sample_is_stopped_at_once_and_nothing_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "kept"))
    begun = threading.Event()

    def endless(dataset: Any, zoning: Any, progress: Progress) -> int:
        begun.set()
        query = "SELECT count(*) FROM range(1000000000000000)"
        return int(dataset.table.get_backend().con.execute(query).fetchone()[0])

    work = sample_work("commuters", "endless", endless)
    job = Job(work, stop=work.stop, within=work.within)
    assert begun.wait(600)
    while not job.wait(0.1):
        job.cancel()  # the query may not have begun at the first time
    with pytest.raises(Interrupted):
        job.result()
    assert not list(tmp_path.glob("kept/*"))
