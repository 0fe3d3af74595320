"""Work side by side: what the progress raises ends parts that have begun."""

import threading
import time

import pytest

from privlab.fingerprints.search.workers import Stop, results_of_parts
from privlab.progress import Progress


class GivenUp(Exception):
    pass


def test_parts_that_have_begun_see_that_they_are_to_stop() -> None:
    begun, stopped = threading.Event(), threading.Event()

    def work(part: int, stop: Stop) -> None:
        begun.set()
        for _ in range(30_000):  # it ends by itself, long after
            if stop[0]:
                stopped.set()
                return
            time.sleep(0.001)

    def give_up(share: float, words: str) -> None:
        if begun.is_set():
            raise GivenUp

    with pytest.raises(GivenUp):
        results_of_parts(work, [1], 1, Progress(give_up), "Working")
    assert stopped.is_set()
