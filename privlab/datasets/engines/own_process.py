"""Work in a process of its own, which has its own memory, gives way to whoever answers pages, and can be ended at any time.

The process is this module itself: python -m privlab.datasets.engines.own_process MOST_BYTES. It is handed its work through a pipe,
tells through another how far it is, and ends when the process that began it has ended. Knows nothing of what the work is.
"""

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from privlab.checks import BoundViolation, DataError, ParameterError
from privlab.datasets.engines.private_folders import PrivateFolder
from privlab.progress import UNHEARD, Cancelled, Heard, Progress

Result = TypeVar("Result")

_NICE = 10  # a core that others want as well is theirs: answers to sliders take milliseconds, this work takes seconds
_LOOK_S = 0.1  # how often who waits asks whether the work is still wanted
_TOLD_S, _SHARE_S = 0.05, 0.4  # between two reports of the same step; between two of the share of a query
_GO_ON = b"."
_SAID = (DataError, ParameterError, BoundViolation, Cancelled, MemoryError)  # the caller has words for these


class ProcessEnded(Exception):
    """The process ended before its work."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class OwnProgress(Progress):
    """The progress of work in a process of its own; `within()`, which the work may set, is the share of its present step."""

    def __init__(self, heard: Heard) -> None:
        super().__init__(heard)
        self.within: Callable[[], float] = float


class OwnProcess(Generic[Result]):
    """`work(progress)` in a process of its own, of lower priority; the work and its result are pickled.

    `most_bytes` limits the memory that it may ask for; None does not. Temporary files lie in a private folder, which is gone
    afterwards, however the process ends.
    """

    def __init__(self, work: Callable[[OwnProgress], Result], *, most_bytes: int | None = None) -> None:
        self._work, self._most_bytes, self._share = work, most_bytes, 0.0

    def within(self) -> float:
        """Return the share of the present step that is done, in [0, 1]; 0 where the work does not know."""
        return self._share

    def result(self, progress: Progress = UNHEARD) -> Result:
        """Return what the work returned, waiting for it; raise what it raised.

        Where the work tells how far it is it waits until `progress` has been told, so that it can make way for other work
        there. What `progress` raises ends the process at once. Raises ProcessEnded if it ends by itself.
        """
        with PrivateFolder("work-") as folder:
            process = _begun(folder, self._most_bytes)
            try:
                return self._worked(process, progress)
            finally:
                process.kill()
                process.wait()
                for pipe in (process.stdin, process.stdout):
                    assert pipe is not None
                    with suppress(OSError):
                        pipe.close()

    def _worked(self, process: "subprocess.Popen[bytes]", progress: Progress) -> Result:
        assert process.stdin is not None
        assert process.stdout is not None
        heard: queue.SimpleQueue[tuple[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(process.stdout, heard), daemon=True).start()
        with suppress(OSError):  # it ended already, which is heard
            process.stdin.write(pickle.dumps(self._work))
            process.stdin.flush()
        while True:
            progress.require_running()
            try:
                said = heard.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            if said is None:
                raise ProcessEnded(process.wait())
            kind, what = said
            if kind == "result":
                result: Result = what
                return result
            if kind == "error":
                raise what
            if kind == "share":
                self._share = what
            else:
                self._share = 0.0
                progress.tell(*what)
                with suppress(OSError):
                    process.stdin.write(_GO_ON)
                    process.stdin.flush()


def _begun(folder: Path, most_bytes: int | None) -> "subprocess.Popen[bytes]":
    package = str(Path(__file__).parents[3])
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-m", __name__, str(most_bytes or 0)],
        env=os.environ | {"PYTHONPATH": paths, "TMPDIR": str(folder)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,  # its errors go where the server's go
    )


def _listen(pipe: IO[bytes], heard: "queue.SimpleQueue[tuple[str, Any] | None]") -> None:
    with suppress(EOFError, OSError, ValueError, pickle.UnpicklingError):  # it has ended, or was ended
        while True:
            heard.put(pickle.load(pipe))
    heard.put(None)


class _Way:
    """The way back to who began this process: one message at a time, and the word to go on."""

    def __init__(self, said: IO[bytes], heard: IO[bytes]) -> None:
        self._said, self._heard, self._one = said, heard, threading.Lock()
        self._may_go_on = threading.Semaphore(0)
        self._last, self._words = 0.0, ""

    def send(self, kind: str, what: object) -> None:
        content = pickle.dumps((kind, what))
        with self._one:
            self._said.write(content)
            self._said.flush()

    def tell(self, share: float, words: str) -> None:
        now = time.monotonic()
        if words != self._words or now - self._last > _TOLD_S:
            self._last, self._words = now, words
            self.send("told", (share, words or None))
            self._may_go_on.acquire()

    def listen(self) -> None:
        while self._heard.read(1):
            self._may_go_on.release()
        os._exit(1)  # who began this process has ended


def main(most_bytes: int) -> None:
    """Do the work that stands on the standard input; send what comes of it to the standard output."""
    with suppress(AttributeError, OSError):  # there is none on Windows
        os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who began it
    _limit_memory(most_bytes)
    said = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no message
    heard = sys.stdin.buffer
    way = _Way(said, heard)
    progress = OwnProgress(way.tell)
    try:
        work = pickle.load(heard)
        threading.Thread(target=way.listen, daemon=True).start()
        threading.Thread(target=_tell_share, args=(way, progress), daemon=True).start()
        way.send("result", work(progress))
    except Exception as error:
        if not isinstance(error, _SAID):
            _say_where(error)
        way.send("error", _sendable(error))


def _tell_share(way: _Way, own: OwnProgress) -> None:
    while True:
        time.sleep(_SHARE_S)
        if share := own.within():
            way.send("share", share)


def _say_where(error: Exception) -> None:
    """Print the lines of code that an error came from, and its kind; its words may come from somebody's row."""
    lines = traceback.format_list(traceback.extract_tb(error.__traceback__))
    sys.stderr.write("".join([*lines, type(error).__name__, "\n"]))


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # of any kind: it says how to be pickled itself
        return RuntimeError(type(error).__name__)
    return error


def _limit_memory(most_bytes: int) -> None:
    # There are no limits on Windows; elsewhere it may be less already.
    with suppress(ImportError, OSError, ValueError):
        import resource

        if most_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


if __name__ == "__main__":
    main(int(sys.argv[1]))
