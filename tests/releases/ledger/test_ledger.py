"""The ledger: budgets, two processes at once, and death at every single line of a release."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError, ParameterError
from privlab.releases.folders.release_folders import clear_left_overs
from privlab.releases.ledger.ledger import (
    LEDGER_VARIABLE,
    BudgetExceeded,
    Ledger,
    ledger_place_from_environment,
)
from privlab.releases.ledger.ledger_places import FOLDER_VARIABLE, Place
from tests.releases.postgres_cluster import named

ROOT = Path(__file__).parents[3]
WHOLE = {"README.txt", "release.csv", "release.parquet", "estimates.csv", "certificate.json"}


def test_spends_add_up_per_dataset(ledger_place: Place) -> None:
    ledger = Ledger(ledger_place)
    first = ledger.reserve_budget("a", epsilon=0.5, delta=1e-6, what="one")
    ledger.reserve_budget("a", epsilon=0.25, delta=0.0, what="two")
    ledger.reserve_budget("b", epsilon=2.0, delta=0.0, what="three")
    ledger.record_certificate(first.number, "digest")
    account = ledger.account("a")
    assert (account.epsilon, account.delta, account.budget_epsilon) == (0.75, 1e-6, None)
    assert [entry.certificate for entry in account.entries] == ["digest", None]
    assert {one.name: one.epsilon for one in ledger.accounts()} == {
        ledger.account("a").name: 0.75,
        ledger.account("b").name: 2.0,
    }
    assert len({entry.salt for one in ledger.accounts() for entry in one.entries}) == 3
    assert len({entry.keyed_digest for one in ledger.accounts() for entry in one.entries}) == 3


def test_budget_is_kept_and_refused_past_it(ledger_place: Place) -> None:
    ledger = Ledger(ledger_place)
    ledger.set_budget("a", epsilon=1.0, delta=1e-6)
    for _ in range(10):
        ledger.reserve_budget("a", epsilon=0.1, delta=0.0, what="")  # ten tenths are one, whatever floats say
    with pytest.raises(
        BudgetExceeded, match=r"^epsilon must be at most 0, what is left of this data's budget"
    ):
        ledger.reserve_budget("a", epsilon=0.01, delta=0.0, what="")
    ledger.set_budget("a", epsilon=2.0, delta=1e-6)
    with pytest.raises(BudgetExceeded, match=r"^delta must be at most 1e-06"):
        ledger.reserve_budget("a", epsilon=0.01, delta=1e-5, what="")
    assert len(ledger.account("a").entries) == 10
    assert ledger.account("a").left_epsilon == pytest.approx(1)


@pytest.mark.parametrize(
    ("budget", "spent", "wished"),
    [
        ({"epsilon": 2.5, "delta": 1e-6, "adding": "sum"}, (2.5, 0.0), (0.25, 0.0)),
        ({"epsilon": 2.5, "delta": 0.0, "adding": "sum"}, (2.5, 0.0), (0.133, 0.0)),
        ({"epsilon": 2.5, "delta": 1e-6, "adding": "sum"}, (1.0, 7e-7), (0.5, 6e-7)),
        ({"epsilon": 2.5, "delta": 0.0, "adding": "sum"}, (1.0, 0.0), (0.5, 6e-7)),
        ({"epsilon": 1.0, "delta": 1e-6, "adding": "concentrated"}, (1.5, 0.0), (0.5, 0.0)),
    ],
)
def test_where_a_budget_leaves_nothing_the_refusal_says_the_command_after_which_the_release_is_made(
    ledger_place: Place,
    budget: dict[str, Any],
    spent: tuple[float, float],
    wished: tuple[float, float],
) -> None:
    ledger = Ledger(ledger_place)
    ledger.reserve_budget("a", epsilon=spent[0], delta=spent[1], what="")
    ledger.set_budget("a", **budget)
    with pytest.raises(BudgetExceeded) as refused:
        ledger.reserve_budget("a", epsilon=wished[0], delta=wished[1], what="")
    said = re.search(
        r"`ledger set-budget … ([^`]+)`, or under “Set a budget” on the page Publish\.$", str(refused.value)
    )
    assert said is not None
    words = said[1].split()
    options = dict(zip(words[::2], words[1::2], strict=True))
    new = {"epsilon": float(options["--epsilon"]), "delta": float(options.get("--delta", 0))}
    assert (new["epsilon"] >= budget["epsilon"], new["delta"] >= budget["delta"]) == (
        True,
        True,
    )  # nothing is taken away
    ledger.set_budget("a", **new, adding=options.get("--adding", "sum"))
    assert ledger.account("a").adding == budget["adding"]
    ledger.reserve_budget("a", epsilon=wished[0], delta=wished[1], what="")


def test_two_processes_at_once_cannot_overspend(
    ledger_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = tmp_path / "go"
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "house"))
    script = """
import sys, time
from pathlib import Path
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from privlab.releases.ledger.ledger_places import ledger_place_from_text
ledger, go = Ledger(ledger_place_from_text(sys.argv[1])), Path(sys.argv[2])
while not go.exists():
    time.sleep(0.001)
made = 0
for _ in range(20):
    try:
        ledger.reserve_budget("a", epsilon=0.25, delta=0.0, what="")
        made += 1
    except BudgetExceeded:
        pass
print(made)
"""
    words = [sys.executable, "-c", script, named(ledger_place), str(go)]
    racers = [subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    Ledger(ledger_place).set_budget("a", epsilon=5.0, delta=0)
    go.touch()
    made = [int(racer.communicate(timeout=900)[0]) for racer in racers]
    assert sum(made) == 20
    assert Ledger(ledger_place).account("a").epsilon == 5.0
    assert [entry.number for entry in Ledger(ledger_place).account("a").entries] == list(range(1, 21))


# Makes a release and stops at every line of the ledger and of the files, until it is told to go on.
LINE_BY_LINE = """
import sys
from pathlib import Path
import numpy as np
from privlab.kept import databases as kept_databases
from privlab.releases.ledger import ledger as store
from privlab.od.settled.settled_trips import SettledCells
from privlab.od.releases import release_plan as asked
from privlab.od.releases import secure_release as od
from privlab.releases.folders import release_folders
from privlab.releases.ledger import ledger_rows, ledger_stores
from privlab.releases.writing import secure_files

trips = SettledCells(zones=np.array([1, 2]), weeks=("2026-03-02",), week_starts=np.array([0, 1]),
    user=np.zeros(1, np.int32), flow=np.array([1]))
plan = asked.release_plan_from_parameters(asked.SecureReleaseParameters(epsilon=0.5, max_trips_per_user=1, threshold=0),
    weeks=["2026-03-02"], zones_spec="box", public_zones=[1, 2])
here = Path(sys.argv[1])
watched = (store.__file__, ledger_stores.__file__, ledger_rows.__file__, secure_files.__file__, release_folders.__file__, kept_databases.__file__)

def stopping(frame, event, _):
    if frame.f_code.co_filename not in watched:
        return None
    if event == "line":
        print(frame.f_lineno, flush=True)
        sys.stdin.readline()
    return stopping

ledger = store.Ledger(here / "ledger.sqlite")
sys.settrace(stopping)
secure_files.write_release(here / "out", ledger, digest="a", plan=plan,
    release=lambda: od.secure_release_from_settled_trips(trips, plan))
sys.settrace(None)
"""


def content(folder: Path) -> dict[Path, bytes | None]:
    """Return all that lies in a folder: the bytes of files, None for folders."""
    return {path: None if path.is_dir() else path.read_bytes() for path in sorted(folder.rglob("*"))}


def states_of_a_release(here: Path, kept: Path) -> tuple[int, int]:
    """Make a release and keep a copy of each state of the disk; return the number of lines that were run, and of states.

    What a process leaves behind that is killed at a line is the disk as it is at that line: its locks end with it.
    Lines between which nothing on disk changes leave the same.
    """
    here.mkdir()
    n_lines, n_states, last = 0, 0, None
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", LINE_BY_LINE, str(here)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in process.stdout:
            n_lines, now = n_lines + 1, content(here)
            if now != last:
                shutil.copytree(here, kept / str(n_states))
                n_states, last = n_states + 1, now
            process.stdin.write("\n")
    assert process.returncode == 0
    shutil.move(here, kept / str(n_states))
    return n_lines, n_states + 1


def test_killed_at_any_line_there_is_never_a_release_without_its_cost(tmp_path: Path) -> None:
    here, kept = tmp_path / "here", tmp_path / "kept"
    n_lines, n_states = states_of_a_release(here, kept)
    assert n_lines > 300
    assert n_states > 20
    seen = set()
    for number in range(n_states):
        shutil.move(kept / str(number), here)  # the ledger names its folders by their whole paths
        ledger = Ledger(here / "ledger.sqlite")
        entries = ledger.account("a").entries  # opens whatever the death left behind
        assert len(entries) <= 1
        files = [path for path in here.rglob("*") if path.suffix in (".csv", ".parquet", ".json")]
        assert len(entries) == 1 or not files, f"a release without its cost in state {number}"
        written = [path for path in files if path.suffix == ".json" and path.stat().st_size]
        certificates = [path for path in written if path.parent == here / "out"]
        # None in what is left over, and a copy beside the ledger only of what was handed over.
        copies = {path for path in written if path.is_relative_to(here / "releases")}
        assert set(written) == {*certificates, *copies}
        assert certificates or not copies
        clear_left_overs(ledger)
        assert not list(here.glob("*.partial"))
        assert not list(here.glob("*.probe"))
        handed = {path.name for path in (here / "out").glob("*")}
        assert handed in (set(), WHOLE)
        assert bool(handed) == bool(certificates)
        (entry,) = ledger.account("a").entries or (None,)
        assert entry is None or (entry.state == "failed") == (not handed)
        ledger.reserve_budget("a", epsilon=1, delta=0, what="next")
        seen.add((len(entries), bool(files), bool(handed)))
        shutil.rmtree(here)
    # Deaths before the cost, between cost and files, between files and hand-over, and after it all happened.
    assert seen == {(0, False, False), (1, False, False), (1, True, False), (1, True, True)}


def test_where_the_ledger_lives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(LEDGER_VARIABLE, str(tmp_path / "here.sqlite"))
    assert ledger_place_from_environment() == tmp_path / "here.sqlite"
    monkeypatch.delenv(LEDGER_VARIABLE)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert ledger_place_from_environment() == tmp_path / "privlab" / "ledger.sqlite"


@pytest.mark.parametrize("epsilon", [float("nan"), -1, 0, float("inf")])
def test_costs_and_budgets_iv(epsilon: float, ledger_place: Place) -> None:
    ledger = Ledger(ledger_place)
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        ledger.reserve_budget("a", epsilon=epsilon, delta=0, what="")
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        ledger.set_budget("a", epsilon=epsilon, delta=0)


def test_what_is_no_ledger_is_refused_iv(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(b"this is no database, and longer than a header of a hundred bytes " * 9)
    with pytest.raises(DataError, match="could not be read or written"):
        Ledger(path).account("a")
    with pytest.raises(DataError, match="no open entry 7"):
        Ledger(tmp_path / "other.sqlite").record_certificate(7, "x")
    with pytest.raises(DataError, match="Could not open the ledger"):
        Ledger(path / "below").account("a")
