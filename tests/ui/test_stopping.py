"""A server that a signal stops: nothing of its sessions stays on disk."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

# Those who run the tests may have begun them under nohup, which all they start would ignore SIGHUP by.
SERVER = """
import signal, socket, sys
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from contextlib import asynccontextmanager
from pathlib import Path
import uvicorn
from starlette.applications import Starlette
from privlab.datasets.folders import PrivateFolder
from privlab.ui.sessions import tidy
own = PrivateFolder("session-", Path(sys.argv[1]))
(own.path / "mine.csv").write_text("secret")

@asynccontextmanager
async def while_it_serves(app):
    async with tidy(app):
        print("ready", flush=True)
        yield

uvicorn.Server(uvicorn.Config(Starlette(lifespan=while_it_serves), port=0, log_level="error")).run()
"""


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_stopped_server_leaves_no_rows_of_its_sessions(tmp_path: Path, how: signal.Signals) -> None:
    """By an operator or the system, by a terminal that is closed, by Ctrl-C; the web server itself is uvicorn, as it is for the lab."""
    place = tmp_path / "temporary"
    place.mkdir()
    own = {"TMPDIR": str(place), "PRIVLAB_LEDGER": str(tmp_path / "ledger.sqlite")}
    with subprocess.Popen(
        [sys.executable, "-c", SERVER, str(place)], env=os.environ | own, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        assert [path.read_text() for path in place.rglob("mine.csv")] == ["secret"]
        server.send_signal(how)
        server.wait(timeout=900)
        assert server.stdout.read().strip() == ("The lab is closed." if how == signal.SIGINT else "")
    assert list(place.iterdir()) == []
    assert server.returncode == (0 if how == signal.SIGINT else -signal.SIGTERM)  # Ctrl-C is no fault
