"""The end of the server by a signal of the system: what sessions have on disk goes before it.

Once it has closed, the web server lets the signal end the process, and Python does not tidy up. Ctrl-C ends it by way of Python, which does;
it is how one closes the lab, so it is not told on as an interruption, which would be a fault to whatever began the server.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from privlab.datasets.folders import remove_own_folders


@contextmanager
def leaving_nothing() -> Iterator[None]:
    """Remove the private folders of this process at the end, where SIGTERM has stopped the server or its terminal was closed (SIGHUP).

    Enter it in the main thread, where the web server listens for SIGTERM; elsewhere, or where nobody does, nothing is changed.
    """
    stop, heard = signal.getsignal(signal.SIGTERM), []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if callable(stop):
            stop(signal.SIGTERM, frame)

    if callable(stop) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, hear)
        closed = getattr(signal, "SIGHUP", None)  # not on Windows
        if closed is not None and signal.getsignal(closed) is signal.SIG_DFL:  # nohup ignores it
            signal.signal(closed, hear)
    server = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    yield
    if heard:
        remove_own_folders()
    if (told := getattr(server, "_captured_signals", None)) == [signal.SIGINT]:
        told.clear()
        print("  The lab is closed.", flush=True)
