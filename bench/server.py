"""The lab, running for a measurement, with a ledger and runs of its own."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from privlab.kept.kept_places import RUNS_VARIABLE
from privlab.releases.ledger.ledger import LEDGER_VARIABLE
from tests.browser.lab import free_port, started, stopped


@contextmanager
def running_lab(**environment: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Yield the server's process and its address; `environment` is set for it, and from then on."""
    with TemporaryDirectory(prefix="bench-") as folder:
        os.environ |= {
            LEDGER_VARIABLE: str(Path(folder, "ledger.sqlite")),
            RUNS_VARIABLE: str(Path(folder, "runs.sqlite")),
            **environment,
        }
        port = free_port()
        process = started(port)
        try:
            yield process, f"http://127.0.0.1:{port}"
        finally:
            stopped(process)
