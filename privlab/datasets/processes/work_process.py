"""The process that does work of its own for another: python -m privlab.datasets.processes.work_process.

It is handed through a pipe what to load, and then, when there is work, where it may put files, how much memory it may ask
for, and the work; tells through another how far it is, and ends when the process that began it has ended. Knows nothing of
what the work is.
"""

import os
import pickle
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import IO

from privlab.checks import BoundViolation, DataError, ParameterError
from privlab.progress import Cancelled, Heard, Progress

GO_ON, STOP = b".", b"x"  # what it is told while it works
_NICE = 10  # a core that others want as well is theirs: answers to sliders take milliseconds, this work takes seconds
_TOLD_S, _SHARE_S = 0.05, 0.4  # between two reports of the same step; between two of the share of a query
_SAID = (DataError, ParameterError, BoundViolation, Cancelled, MemoryError)  # the caller has words for these


class OwnProgress(Progress):
    """The progress of work in a process of its own.

    `say(what)` sends what it has so far to its caller.
    """

    def __init__(self, heard: Heard, say: Callable[[object], None]) -> None:
        super().__init__(heard)
        self.say = say


class _Way:
    """The way back to who began this process: one message at a time, and the word to go on or to stop."""

    def __init__(self, said: IO[bytes], heard: IO[bytes]) -> None:
        self._said, self._heard, self._one = said, heard, threading.Lock()
        self._may_go_on = threading.Semaphore(0)
        self._last, self._words = 0.0, ""
        self.progress = OwnProgress(self._tell, self._say)

    def send(self, kind: str, what: object) -> None:
        content = pickle.dumps((kind, what), protocol=pickle.HIGHEST_PROTOCOL)
        with self._one:
            self._said.write(content)
            self._said.flush()

    def _tell(self, share: float, words: str) -> None:
        now = time.monotonic()
        if words != self._words or now - self._last > _TOLD_S:
            self._last, self._words = now, words
            self.send("told", (share, words or None))
            self._may_go_on.acquire()

    def _say(self, what: object) -> None:
        self.send("said", what)

    def listen(self) -> None:
        """Hear the words until who began this process has ended; then end."""
        while word := self._heard.read(1):
            if word == STOP:
                self.progress.cancel()
            self._may_go_on.release()
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)  # with what it began itself
        os._exit(1)


def main() -> None:
    """Do the work that stands on the standard input; send what comes of it to the standard output."""
    with suppress(AttributeError, OSError):  # there is none on Windows
        os.nice(_NICE)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who began it
    said = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no message
    heard = sys.stdin.buffer
    way = _Way(said, heard)
    try:
        pickle.load(heard)()
        folder, most_bytes = pickle.load(heard)
    except EOFError:
        return  # there was no work
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    _limit_memory(most_bytes)
    try:
        work = pickle.load(heard)
        threading.Thread(target=way.listen, daemon=True).start()
        threading.Thread(target=_tell_share, args=(way,), daemon=True).start()
        way.send("result", work(way.progress))
    except Exception as error:
        if not isinstance(error, _SAID):
            _say_where(error)
        way.send("error", _sendable(error))


def _tell_share(way: _Way) -> None:
    while True:
        time.sleep(_SHARE_S)
        if share := way.progress.within():
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


def _limit_memory(most_bytes: int | None) -> None:
    # There are no limits on Windows; elsewhere it may be less already.
    with suppress(ImportError, OSError, ValueError):
        import resource

        if most_bytes:
            resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


if __name__ == "__main__":
    main()
