"""Commands as processes: killed with SIGKILL, stopped by Ctrl-C, and with nobody at the other end of the pipe."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from privlab.releases.folders.release_folders import clear_left_overs
from privlab.releases.ledger.ledger import LEDGER_VARIABLE, Ledger
from privlab.releases.reading.verification import verification_from_certificate
from privlab.ui.sessions import sessions
from tests.releases.folders.test_release_folders import DIGEST

ROOT = Path(__file__).parents[2]
WHOLE = {"README.txt", "release.csv", "release.parquet", "estimates.csv", "certificate.json"}
N_KILLED = 24


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "records.csv"
    rows = [f"{user},2026-03-02 {8 + user % 3:02d}:05,{user % 9}" for user in range(200)]
    more = [f"{user},2026-03-02 {9 + user % 3:02d}:05,{(user + 1) % 9}" for user in range(200)]
    path.write_text("user,time,zone\n" + "\n".join(rows + more) + "\n")
    return path


def words(data: Path, out: Path, ledger: Path) -> list[str]:
    positions = data.with_name("zones.csv")
    positions.write_text("zone,lat,lon\n" + "".join(f"{zone},45.{zone},8\n" for zone in range(9)))
    return [
        *(
            sys.executable,
            "-m",
            "privlab",
            "release",
            str(data),
            "--zones",
            "column",
            "--ids",
            "number",
            "--epsilon",
            "1",
        ),
        *("--zone-positions", str(positions), "--max-trips-per-user", "2", "--week", "2026-03-02"),
        *("--threshold", "0", "--out", str(out), "--ledger", str(ledger), "--json"),
    ]


def environment(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "tmp").mkdir(exist_ok=True)
    return {**os.environ, "TMPDIR": str(tmp_path / "tmp")}


def finished_certificates(folder: Path) -> list[Path]:
    """Return the files anywhere below a folder that could pass for a certificate."""
    found = []
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix not in (".sqlite", ".parquet"):
            try:
                if "signature" in json.loads(path.read_bytes()):
                    found.append(path)
            except (ValueError, TypeError):
                pass
    return found


# For each line and place that are named on standard input, a child that makes a release there and stops at that line of
# the files' code: all is imported once. It says how many lines it came to.
STOPPED = """
import os, sys, time
from pathlib import Path
from privlab.releases.folders import release_folders
from privlab.releases.writing import secure_files
from privlab.releases.ledger.ledger import Ledger
from tests.releases.folders.test_release_folders import DIGEST, drawn, plan

def stopping(frame, event, argument):
    global n_lines
    if frame.f_code.co_filename in (release_folders.__file__, secure_files.__file__):
        n_lines += 1
        if n_lines == last:
            wait_for_the_end()
        return stopping

def wait_for_the_end():
    print(os.getpid(), n_lines, flush=True)
    time.sleep(900)

drawn()  # so that no child has to load what it needs
for asked in sys.stdin:
    line, place = asked.split(maxsplit=1)
    n_lines, last = 0, int(line)
    child = os.fork()
    if not child:
        ledger = Ledger(Path(sys.argv[1]))
        sys.settrace(stopping)
        secure_files.write_release(Path(place.strip()), ledger, digest=DIGEST, plan=plan(), release=drawn)
        sys.settrace(None)
        wait_for_the_end()
    os.waitpid(child, 0)
    print("gone", flush=True)
"""


@pytest.fixture
def stopped(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-W", "ignore", "-c", STOPPED, str(tmp_path / "ledger.sqlite")]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def test_killed_at_any_moment_no_release_is_without_its_cost_and_the_next_start_clears_up(
    tmp_path: Path, stopped: subprocess.Popen[str]
) -> None:
    """From the first line to the last but one, and when all is done: the first release is let through and tells how many."""
    ledger, n_left, n_made, n_lines = Ledger(tmp_path / "ledger.sqlite"), 0, 0, 0
    assert stopped.stdin is not None
    assert stopped.stdout is not None
    for turn in range(N_KILLED):
        place = tmp_path / str(turn)
        place.mkdir()
        n_entries = len(ledger.account(DIGEST).entries)
        stopped.stdin.write(f"{n_lines * turn // N_KILLED} {place / 'out'}\n")
        process, n_seen = map(int, stopped.stdout.readline().split())
        n_lines = n_lines or n_seen
        os.kill(process, signal.SIGKILL)
        assert stopped.stdout.readline() == "gone\n"
        # Before anything is cleared: what lies there is paid, and no left-over holds a finished certificate.
        paid = ledger.account(DIGEST).entries[n_entries:]
        left = {path.name for path in place.iterdir()} - {"out"}
        assert paid or not (place / "out").exists() or not any((place / "out").iterdir())
        for path in finished_certificates(place):
            assert path == place / "out" / "certificate.json"
        n_left += bool(left)
        clear_left_overs(Ledger(ledger.path))
        assert {path.name for path in place.iterdir()} <= {"out"}
        if (place / "out").exists() and any((place / "out").iterdir()):
            n_made += 1
            assert {path.name for path in (place / "out").iterdir()} == WHOLE
            found = verification_from_certificate(place / "out" / "certificate.json", ledger=ledger)
            failures = {check.what for check in found.checks if not check.holds}
            assert failures <= {"the ledger has this very certificate"}  # not confirmed
        else:
            assert {entry.state for entry in ledger.account(DIGEST).entries[n_entries:]} <= {"failed"}
    assert ledger.work() == []
    assert n_left > 0
    assert 0 < n_made < N_KILLED


def test_the_next_command_clears_what_a_killed_command_left(data: Path, tmp_path: Path) -> None:
    ledger, out = tmp_path / "ledger.sqlite", tmp_path / "out"
    book = Ledger(ledger)
    killed = subprocess.Popen(
        [
            sys.executable,
            "-W",
            "ignore",
            "-c",
            LEAVING,
            str(ledger),
            str(tmp_path / "other"),
            str(tmp_path / "tmp"),
        ],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert killed.stdout is not None
    assert killed.stdout.readline() == "ready\n"
    hidden = [path for path in tmp_path.iterdir() if path.suffix == ".partial"]
    kinds = {path.name.split("-")[1] for path in (tmp_path / "tmp").iterdir()}
    assert len(hidden) == 1
    assert kinds == {"print", "work"}
    killed.kill()
    killed.wait(timeout=900)
    killed.stdout.close()
    ended = subprocess.run(
        words(data, out, ledger),
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert not hidden[0].exists()
    assert list((tmp_path / "tmp").iterdir()) == []
    assert sorted(entry.state for one in book.accounts() for entry in one.entries) == ["confirmed", "failed"]


def test_a_server_that_starts_clears_what_a_killed_command_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "ledger.sqlite"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    book = Ledger(tmp_path / "ledger.sqlite")
    killed = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", LEAVING, str(book.path), str(tmp_path / "other")],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert killed.stdout is not None
    assert killed.stdout.readline() == "ready\n"

    async def start() -> None:
        async with sessions.tidy(st.App("privlab/ui/main.py")):
            pass

    def left() -> int:
        return len(list(tmp_path.glob("*.partial"))) + len(list(tmp_path.glob("privlab-*")))

    asyncio.run(start())
    assert left() == 3  # a living process keeps what is its own
    killed.kill()
    killed.wait(timeout=900)
    killed.stdout.close()
    asyncio.run(start())
    assert left() == 0
    assert [entry.state for one in book.accounts() for entry in one.entries] == ["failed"]
    book.path.write_bytes(b"")  # a ledger that is none does not stop the server
    asyncio.run(start())


LEAVING = """
import sys, time
from pathlib import Path
from privlab.datasets.folders.private_folders import PrivateFolder
from privlab.releases.writing import secure_files
from privlab.releases.ledger.ledger import Ledger
from tests.releases.folders.test_release_folders import DIGEST, plan
kept = PrivateFolder("print-"), PrivateFolder("work-")
def waiting():
    print("ready", flush=True)
    time.sleep(600)
secure_files.write_release(Path(sys.argv[2]), Ledger(Path(sys.argv[1])), digest=DIGEST, plan=plan(), release=waiting)
"""


@pytest.mark.parametrize("to", ["closed", "/dev/full"])
def test_a_release_whose_result_nobody_reads_is_made_and_on_record(
    to: str, data: Path, tmp_path: Path
) -> None:
    ledger, out = tmp_path / "ledger.sqlite", tmp_path / "out"
    if to == "closed":  # release … | head -0
        reading, writing = os.pipe()
        os.close(reading)
    else:
        writing = os.open(to, os.O_WRONLY)
    ended = subprocess.run(
        words(data, out, ledger), cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.splitlines()[0] == f"A new ledger was begun: {ledger}."
    assert ended.stderr.splitlines()[1].startswith(
        "It is done and on record, but the result could not be shown: "
    )
    assert len(ended.stderr.splitlines()) == 2
    assert verification_from_certificate(out / "certificate.json", ledger=Ledger(ledger)).holds


# Loaded by Python before anything else: the command stops where it begins to load NumPy.
LOADING = """
import sys, time
from importlib.abc import MetaPathFinder
from pathlib import Path

class Waiting(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "numpy":
            Path(__file__).with_name("loading").touch()
            time.sleep(900)

sys.meta_path.insert(0, Waiting())
"""
INTERRUPTED = {
    "while it is loaded": ("attack-curve", "--epsilon", "1", "--max-trips", "3"),
    "in the database": ("describe", "BIG", "--zones", "column"),
    "with workers": ("game", "BIG", "--zones", "column", "--targets", "30", "--group-size", "20", "--workers", "2", "--fresh"),
}  # fmt: skip


@pytest.mark.parametrize("name", INTERRUPTED)
def test_ctrl_c_ends_a_command_in_one_line(name: str, tmp_path: Path) -> None:
    big = tmp_path / "big.csv"
    if "BIG" in INTERRUPTED[name]:
        rows = range(400_000 if name == "in the database" else 60_000)
        lines = (
            f"{n % 500},2026-03-{2 + n % 20:02d} {n % 24:02d}:{n % 60:02d},{n * 7919 % 50}\n" for n in rows
        )
        with big.open("w") as file:
            file.write("user,time,zone\n")
            file.writelines(lines)
    outside = environment(tmp_path)
    if name == "while it is loaded":
        (tmp_path / "first").mkdir()
        (tmp_path / "first" / "sitecustomize.py").write_text(LOADING)
        outside["PYTHONPATH"] = str(tmp_path / "first")
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "privlab",
            *(str(big) if word == "BIG" else word for word in INTERRUPTED[name]),
        ],
        cwd=ROOT,
        env=outside,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    begun = {
        "while it is loaded": (tmp_path / "first" / "loading").exists,
        "in the database": lambda: any((tmp_path / "tmp").glob("*/tables.duckdb")),
        "with workers": lambda: len(children(process.pid)) >= 2,
    }[name]
    while not begun():
        assert process.poll() is None, "it ended before it was stopped"
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all processes of the command
    _, err = process.communicate(timeout=900)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert err.splitlines()[-1].startswith("Stopped by Ctrl-C."), err
    assert err.count("Stopped by Ctrl-C.") == 1
    assert list((tmp_path / "tmp").iterdir()) == []


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


# The command line as it is, with one command in the place of all: it has rows in a working folder, and goes on.
WORKING = """
import time
from privlab.cli import main
from privlab.datasets.folders import PrivateFolder

def working(**settings):
    own = PrivateFolder("work-")
    (own.path / "rows.csv").write_text("mine")
    print("ready", flush=True)
    time.sleep(900)

main.app = working
main.run()
"""


@pytest.mark.parametrize(
    ("how", "words"),
    [(signal.SIGTERM, "the system"), (signal.SIGHUP, "its terminal"), (signal.SIGINT, "Ctrl-C")],
)
def test_a_command_that_is_stopped_leaves_no_rows(tmp_path: Path, how: signal.Signals, words: str) -> None:
    """Begun as from a terminal, even where the tests are under nohup."""
    with subprocess.Popen(
        [sys.executable, "-c", "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)" + WORKING],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert [path.read_text() for path in (tmp_path / "tmp").rglob("rows.csv")] == ["mine"]
        process.send_signal(how)
        _, err = process.communicate(timeout=900)
    assert (process.returncode, list((tmp_path / "tmp").iterdir())) == (128 + how, [])
    (line,) = err.splitlines()
    assert line.startswith(f"Stopped by {words}")


def test_a_command_under_nohup_outlives_its_terminal(tmp_path: Path) -> None:
    """As nohup does it: SIGHUP is ignored before the command begins."""
    process = subprocess.Popen(
        [sys.executable, "-c", "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)" + WORKING],
        cwd=ROOT,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGHUP)
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=900)
    assert process.returncode == 128 + signal.SIGTERM
    assert err.startswith("Stopped by the system")
