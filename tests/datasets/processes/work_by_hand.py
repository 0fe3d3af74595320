"""Work that tests have done in a process of its own; it imports little, for each process imports it."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from privlab.checks import DataError
from privlab.progress import Cancelled, Progress


def nothing(compile_after_s: float = 0.0) -> None:
    """Load nothing, in place of what heavy work needs."""


def who_works(progress: Progress) -> tuple[int, int, str]:
    """Return process, priority and temporary folder of whoever does this, having printed something."""
    os.write(1, b"a library says something\n")
    return os.getpid(), os.getpriority(os.PRIO_PROCESS, 0), os.environ["TMPDIR"]


def steps(progress: Progress, done: Path) -> str:
    """Tell three steps, and write each down once it has been heard."""
    for step in (1, 2, 3):
        progress.tell(step / 4, f"step {step}")
        with done.open("a") as file:
            file.write(f"{step} ")
    return "done"


def refused(progress: Progress) -> None:
    raise DataError("Row 7 has no user.", row=7, column="who")


def failed(progress: Progress) -> None:
    raise KeyError("-".join(["user", "4711"]))


def died(progress: Progress) -> None:
    os._exit(9)


class TwoParts(Exception):
    """An error that cannot be made again from what it says: it is asked for two parts, and keeps them as one."""

    def __init__(self, first: str, second: str) -> None:
        super().__init__(f"{first} {second}")


def failed_in_two_parts(progress: Progress) -> None:
    raise TwoParts("user", "4711")


def address_space(progress: Progress) -> int:
    """Return how many bytes this process may ask for."""
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0]


def told_and_waits(progress: Progress, pid: Path) -> None:
    """Write down which process this is, and work for longer than any test."""
    pid.with_suffix(".part").write_text(str(os.getpid()))
    pid.with_suffix(".part").rename(pid)
    time.sleep(3600)


def told_until_stopped(pid: Path, *, progress: Progress, heard: Callable[[str], None]) -> None:
    """Write down which process this is, and tell how far it is until it is stopped; then say what there is."""
    pid.with_suffix(".part").write_text(str(os.getpid()))
    pid.with_suffix(".part").rename(pid)
    try:
        while True:
            progress.tell(0.5, "going on")
            time.sleep(0.01)
    except Cancelled:
        heard("finished so far")
        raise


def told_once_and_done(progress: Progress, pid: Path) -> str:
    """Write down which process this is, and return something once it was told to stop, as work does that was all but through."""
    pid.with_suffix(".part").write_text(str(os.getpid()))
    pid.with_suffix(".part").rename(pid)
    while not progress.cancelled:
        time.sleep(0.01)
    return "done all the same"


def told_with_another(progress: Progress, pid: Path) -> None:
    """Begin another process, write down which, and work for longer than any test."""
    other = subprocess.Popen(["sleep", "3600"])
    pid.with_suffix(".part").write_text(str(other.pid))
    pid.with_suffix(".part").rename(pid)
    time.sleep(3600)


def doubled(numbers: Any, *, progress: Progress) -> Any:
    return 2 * numbers
