"""Heavy work of the walk: what a step shows of it, and that the next step's begins while one is still being read."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from privlab.lab.loading import Making
from privlab.progress import Progress
from privlab.ui.derived import once_of_sample, ready_of_sample
from privlab.ui.samples import job_of_session
from privlab.ui.work.heavy_work import is_apart
from privlab.ui.work.jobs import Job
from privlab.ui.work.waiting import any_is_running, awaited, begun_ahead

Work = Callable[[Progress], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One piece of work on what is made of a sample: `work_on(made)` is done once for all sessions, by `once`.

    A session keeps one piece under `slot` at a time, by its `key`; `made_from` and `making` name and make what it works on.
    """

    slot: str
    key: Hashable
    once: Hashable
    sample: str
    made_from: str
    making: Making[Any]
    work_on: Callable[[Any], Work]
    seconds: float = 1.5


def result_of(piece: Piece) -> Any:
    """Return the result of a piece; None, with its progress, until it is there."""
    made = ready_of_sample(piece.sample, piece.made_from, piece.making)
    if made is None:
        return None
    work = once_of_sample(piece.sample, piece.once, piece.work_on(made))
    return awaited(piece.slot, piece.key, work, seconds=piece.seconds)


def begin_ahead(pieces: Iterable[Piece]) -> None:
    """Begin pieces that the next step will ask for, where a process apart does them and this session waits for nothing."""
    if is_apart() and not any_is_running():
        for piece in pieces:
            job = job_of_session(piece.sample, piece.made_from, piece.making)
            if job is not None:
                work = once_of_sample(piece.sample, piece.once, _after_making(piece, job))
                begun_ahead(piece.slot, piece.key, work)


def _after_making(piece: Piece, job: Job[Any]) -> Work:
    return lambda progress: piece.work_on(job.result())(progress)
