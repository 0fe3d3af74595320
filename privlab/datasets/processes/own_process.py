"""Work in a process of its own, which has its own memory, gives way to whoever answers pages, and can be ended at any time.

What that process does stands in work_process.py. A program that serves others may keep one ready, so that work begins at
once: Python and the libraries take a second or two.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from privlab.datasets.folders.private_folders import PrivateFolder, system_figures_mb
from privlab.datasets.processes.work_process import GO_ON, STOP, OwnProgress
from privlab.progress import UNHEARD, Cancelled, Progress

Result = TypeVar("Result")

_NEXT_S = 3.0  # so long after one was taken the next one begins
_LOOK_S = 0.1  # how often who waits asks whether the work is still wanted
# Programs that it starts, such as the browser that prints a PDF, end with it.
_GROUP: dict[str, Any] = {} if os.name == "nt" else {"process_group": 0}
_living: set[int] = set()
_PROGRAM = "privlab.datasets.processes.work_process"


class ProcessEnded(Exception):
    """The process ended before its work."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def own_processes() -> tuple[int, int | None]:
    """Return how many such processes this program has now, the one that waits among them, and the memory they hold in MB.

    What they share is counted for each; None where the system does not tell.
    """
    found = [system_figures_mb(f"/proc/{pid}/status", ("VmRSS",)) for pid in sorted(_living)]
    if any("VmRSS" not in one for one in found):
        return len(found), None
    return len(found), sum(one["VmRSS"] for one in found)


def words_of_end(ended: ProcessEnded) -> str:
    """Return the sentence for whoever asked for the work."""
    return f"The work could not be done: its process ended (code {ended.code}). Is there too little memory for it?"


class ReadyProcess:
    """At most one process that has loaded what its work will need and waits for it; it ends with the program that began it."""

    def __init__(self) -> None:
        self._one = threading.Lock()
        self._load: Callable[[], object] | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_kept(self) -> bool:
        """Whether this program keeps a process ready."""
        return self._load is not None

    def keep(self, load: Callable[[], object]) -> None:
        """Have a process ready from `begin` on, and the next soon after one is taken; each calls `load`, which is pickled, and waits."""
        self._load = load

    def begin(self) -> None:
        """Begin the first, if one is to be kept."""
        with self._one:
            if self._process is None and self._load is not None:
                self._process = _begun(self._load)

    def end(self) -> None:
        """End the one that waits, and keep none any more."""
        with self._one:
            self._load = None
            process, self._process = self._process, None
        if process is not None:
            _ended(process)

    def taken(self) -> "subprocess.Popen[bytes]":
        """Return a process that is to be given its work: the one that waits, or one that begins now."""
        with self._one:
            process, self._process = self._process, None
        if self.is_kept:
            later = threading.Timer(_NEXT_S, self.begin)  # the work that is waited for has the cores first
            later.daemon = True
            later.start()
        if process is not None and process.poll() is not None:  # somebody ended it
            _ended(process)
            process = None
        return process or _begun(bool)


READY = ReadyProcess()
"""The process that this program keeps ready; none unless it asks for one."""


class OwnProcess(Generic[Result]):
    """`work(progress)` in a process of its own, of lower priority; the work and its result are pickled.

    `most_bytes` limits the memory that it may ask for; None does not. `hear` is given what the work says while it goes on.
    Work that is not wanted any more has `grace_s` seconds to end by itself, where it next tells how far it is, and to say
    what it has. Temporary files lie in a private folder, which is gone afterwards, however the process ends.
    """

    def __init__(
        self,
        work: Callable[[OwnProgress], Result],
        *,
        most_bytes: int | None = None,
        hear: Callable[[Any], None] = lambda what: None,
        grace_s: float = 0.0,
    ) -> None:
        self._work, self._most_bytes, self._hear, self._grace_s = work, most_bytes, hear, grace_s
        self._share = 0.0

    def within(self) -> float:
        """Return the share of the present step that is done, in [0, 1]; 0 where the work does not know."""
        return self._share

    def result(self, progress: Progress = UNHEARD) -> Result:
        """Return what the work returned, waiting for it; raise what it raised.

        Where the work tells how far it is it waits until `progress` has been told, so that it can make way for other work
        there. What `progress` raises ends the process: at once, or Cancelled after its grace. Raises ProcessEnded if it ends
        by itself.
        """
        with PrivateFolder("work-") as folder:
            process = READY.taken()
            try:
                return self._worked(process, folder, progress)
            finally:
                _ended(process)

    def _worked(self, process: "subprocess.Popen[bytes]", folder: Path, progress: Progress) -> Result:
        assert process.stdout is not None
        heard: queue.SimpleQueue[tuple[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(process.stdout, heard), daemon=True).start()
        _handed(process, (str(folder), self._most_bytes))
        _handed(process, self._work)
        until: float | None = None
        while True:
            try:
                if until is None:
                    progress.require_running()
                elif time.monotonic() > until:
                    raise Cancelled
                said = heard.get(timeout=_LOOK_S)
                if said is None:
                    raise ProcessEnded(process.wait())
                kind, what = said
                if kind == "told" and until is None:
                    progress.tell(*what)
            except queue.Empty:
                continue
            except Cancelled:
                if until is not None or not self._grace_s:
                    raise
                until = time.monotonic() + self._grace_s
                _told(process, STOP)
                continue
            if kind == "result":
                if until is not None:
                    raise Cancelled
                result: Result = what
                return result
            if kind == "error":
                raise what
            if kind == "said":
                self._hear(what)
            elif kind == "share":
                self._share = what
            else:
                self._share = 0.0
                _told(process, GO_ON)


def _told(process: "subprocess.Popen[bytes]", word: bytes) -> None:
    assert process.stdin is not None
    with suppress(OSError):
        process.stdin.write(word)
        process.stdin.flush()


def _begun(load: Callable[[], object]) -> "subprocess.Popen[bytes]":
    package = str(Path(__file__).parents[3])
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    process = subprocess.Popen(
        [sys.executable, "-m", _PROGRAM],
        env=os.environ | {"PYTHONPATH": paths},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,  # its errors go where the server's go
        **_GROUP,
    )
    _living.add(process.pid)
    _handed(process, load)
    return process


def _handed(process: "subprocess.Popen[bytes]", what: object) -> None:
    """Send it something, whatever its size; if it has ended, that is heard elsewhere."""
    assert process.stdin is not None
    with suppress(OSError):
        pickle.dump(what, process.stdin, protocol=pickle.HIGHEST_PROTOCOL)
        process.stdin.flush()


def _ended(process: "subprocess.Popen[bytes]") -> None:
    if os.name == "nt":
        process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    _living.discard(process.pid)
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with suppress(OSError):
            pipe.close()


def _listen(pipe: IO[bytes], heard: "queue.SimpleQueue[tuple[str, Any] | None]") -> None:
    with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):  # it has ended, or was ended
        while True:
            heard.put(pickle.load(pipe))
    heard.put(None)
