"""A full disk, and a home that cannot be written: one sentence, and nothing that was recorded is lost.

A disk is full here at the size that a process may give its files, which the system sees to.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from privlab.releases.ledger.ledger import LEDGER_VARIABLE, Ledger

ROOT = Path(__file__).parents[2]
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"


def run(code: str, size: int, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python whose files may not grow beyond so many bytes."""
    return subprocess.run(
        [sys.executable, "-c", LIMITED.format(size=size) + code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_a_ledger_on_a_full_disk_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "ledger.sqlite")
    book.set_budget("d", epsilon=9, delta=0)
    book.reserve_budget("d", epsilon=1, delta=0, what="the first")
    reserve = (
        "from pathlib import Path\nfrom privlab.releases.ledger.ledger import Ledger\nfrom privlab.checks import DataError\n"
        f"book = Ledger(Path({str(book.path)!r}))\n"
        "try:\n    book.reserve_budget('d', epsilon=2, delta=0, what='w' * 9000)\n"
        "except DataError as error:\n    print(error)\n"
    )
    ended = run(reserve, 4096)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith(f"The ledger {book.path} could not be read or written: ")
    account = book.account("d")
    assert [(entry.epsilon, entry.what) for entry in account.entries] == [(1.0, "the first")]
    assert account.budget_epsilon == 9
    assert book.reserve_budget("d", epsilon=2, delta=0, what="room again").number == 2


def test_an_export_on_a_full_disk_leaves_nothing_that_blocks_the_next(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "ledger.sqlite")
    book.set_budget("d", epsilon=9, delta=0)
    book.reserve_budget("d", epsilon=1, delta=0, what="w" * 60_000)
    out = tmp_path / "out" / "all.json"
    export = (
        "from privlab.__main__ import run\nimport sys\n"
        f"sys.argv = ['', 'ledger', 'export', '--out', {str(out)!r}, '--ledger', {str(book.path)!r}]\nrun()"
    )
    ended = run(export, 40_000)
    assert (ended.returncode, ended.stderr) == (2, f"Could not write {out}: File too large.\n")
    assert list(out.parent.iterdir()) == []
    ended = run(export, 10**7)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [path.name for path in out.parent.iterdir()] == ["all.json"]


def test_no_room_for_the_database_is_one_sentence_and_leaves_no_folder(tmp_path: Path) -> None:
    data = tmp_path / "trips.csv"
    data.write_text("user,time,origin,destination\na,2026-03-02 08:00,1,2\n")
    describe = (
        f"from privlab.__main__ import run\nimport sys\nsys.argv = ['', 'describe', {str(data)!r}]\nrun()"
    )
    (tmp_path / "tmp").mkdir()
    ended = run(describe, 1024, TMPDIR=str(tmp_path / "tmp"))
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.startswith("There was not enough room to work, on disk or in memory: ")
    assert ended.stderr.count("\n") == 1
    assert str(tmp_path) not in ended.stderr
    assert list((tmp_path / "tmp").iterdir()) == []


def test_no_room_for_results_is_one_sentence(tmp_path: Path) -> None:
    generate = (
        "from privlab.__main__ import run\nimport sys\n"
        f"sys.argv = ['', 'generate', 'cabs', '--users', '20', '--out', {str(tmp_path / 'cabs.parquet')!r}]\nrun()"
    )
    ended = run(generate, 1024)
    assert ended.returncode == 2, ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize("home", ["file/home", "nowhere"])
def test_a_home_that_cannot_be_written_stops_no_reading(home: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    away = {"HOME": str(tmp_path / home), "XDG_DATA_HOME": "", LEDGER_VARIABLE: ""}
    command = "from privlab.__main__ import run\nimport sys\nsys.argv = ['', {}]\nrun()"
    ended = run(command.format("'attack-curve', '--epsilon', '1', '--max-trips', '3'"), 10**7, **away)
    assert ended.returncode == 0, ended.stderr
    ended = run(command.format("'ledger', 'show'"), 10**7, **away)
    assert ended.returncode in (0, 2)
    assert "Traceback" not in ended.stderr
