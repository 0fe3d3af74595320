"""`python -m privlab …`: everything a page shows, without a browser."""

import os
import signal


def run() -> None:
    """Run the command line; Ctrl-C ends it in one sentence even while it is being loaded."""
    signal.signal(signal.SIGINT, _stop)
    from privlab.cli import run as run_command

    run_command()


def _stop(signal_number: int, frame: object) -> None:
    os.write(2, b"Stopped by Ctrl-C. Nothing was begun.\n")
    os._exit(130)


if __name__ == "__main__":
    run()
