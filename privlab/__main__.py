"""`python -m privlab …`: everything a page shows, without a browser."""

import atexit
import gc
import os
import signal
import sys
import threading
from typing import NoReturn

_NEW_OBJECTS = 50_000  # after which Python looks for objects that only hold each other


def run() -> None:
    """Run the command line; Ctrl-C ends it in one sentence even while it is being loaded."""
    signal.signal(signal.SIGINT, _stop)
    # Commands leave few such objects, and looking takes a seventh of the time that libraries take to load.
    gc.set_threshold(_NEW_OBJECTS)
    from privlab.cli import run as run_command

    try:
        run_command()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            _end(ended.code or 0)
        raise


def _end(code: int) -> NoReturn:
    """End with this code once all is done that was left for the end: without taking Python and its libraries apart.

    That takes time, and threads of libraries that still run then may end a command that did its work with a signal.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or 120  # as Python does where what is said reaches nobody
    os._exit(code)


def _stop(signal_number: int, frame: object) -> None:
    os.write(2, b"Stopped by Ctrl-C. Nothing was begun.\n")
    os._exit(130)


if __name__ == "__main__":
    run()
