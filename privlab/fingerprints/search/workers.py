"""Compiled work side by side in threads, with progress and a way to stop it."""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from privlab.checks import require_whole
from privlab.limits import MAX_WORKERS
from privlab.progress import Progress

Part = TypeVar("Part")
Result = TypeVar("Result")
Stop = npt.NDArray[np.bool_]


def workers_or_all(n_workers: int | None) -> int:
    """Return the number of threads to use, by default one per processor. Raises ParameterError."""
    return require_whole("workers", os.cpu_count() or 1 if n_workers is None else n_workers, 1, MAX_WORKERS)


def results_of_parts(
    work: Callable[[Part, Stop], Result],
    parts: Iterable[Part],
    n_workers: int,
    progress: Progress,
    words: str,
) -> list[Result]:
    """Return what `work` makes of each part, side by side in threads; `progress` is told, in these words.

    What that raises stops the work: it is handed an array whose only element is then true.
    """
    stop = np.zeros(1, dtype=np.bool_)
    with ThreadPoolExecutor(max_workers=n_workers, thread_name_prefix="privlab-search") as workers:
        futures: list[Future[Result]] = [workers.submit(work, part, stop) for part in parts]
        try:
            pending = set(futures)
            while pending:
                progress.tell(1 - len(pending) / len(futures), words)
                done, pending = wait(pending, timeout=0.5, return_when=FIRST_COMPLETED)
                for one in done:
                    one.result()
            progress.tell(1.0, words)
        except BaseException:
            stop[0] = True
            for one in futures:
                one.cancel()
            raise
    return [future.result() for future in futures]
