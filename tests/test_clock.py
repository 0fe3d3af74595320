"""The clock of the machine may jump: it dates what is recorded, and decides nothing else."""

import ast
from dataclasses import replace
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from types import ModuleType

import pytest

from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.kept import runs
from privlab.kept.runs import Runs
from privlab.releases.ledger import ledger_accounts
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from tests.aggregates.worlds import habitual_traces

ROOT = Path(__file__).parents[1]
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
# Where the clock of the day is read: each date stands beside what it dates, or in a question about the data.
DATED = {
    "privlab/releases/ledger/ledger_accounts.py": "an entry of the ledger",
    "privlab/kept/runs.py": "a run",
    "privlab/releases/writing/secure_files.py": "a certificate",
    "privlab/releases/copies/ledger_backup.py": "a backup",
    "privlab/lab/reporting/put_together.py": "a report",
    "privlab/lab/loading/load.py": "whether the last record lies in the future",
}


def jumped(monkeypatch: pytest.MonkeyPatch, module: ModuleType, days: int) -> None:
    class Jumped(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
            return NOON + timedelta(days=days)

    monkeypatch.setattr(module, "datetime", Jumped)


def readings(path: Path) -> set[str]:
    """Return the calls of a module that read the clock of the day."""
    names = {
        ast.unparse(node.func)
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call)
    }
    ends = (
        "time.time",
        "time.time_ns",
        ".now",
        ".utcnow",
        ".today",
        "time.localtime",
        "time.gmtime",
        "time.ctime",
    )
    return {name for name in names if name.endswith(ends)}


def test_durations_and_waits_never_go_by_the_clock_of_the_day() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): readings(path)
        for folder in ("privlab", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if readings(path)
    }
    assert found == {path: {"datetime.now"} for path in DATED}


@pytest.mark.parametrize("days", [-1, 1])
def test_the_ledger_keeps_its_order_and_its_budget_when_the_clock_jumps(
    days: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = Ledger(tmp_path / "ledger.sqlite")
    book.set_budget("d", epsilon=3, delta=0)
    jumped(monkeypatch, ledger_accounts, 0)
    book.reserve_budget("d", epsilon=1, delta=0, what="before")
    jumped(monkeypatch, ledger_accounts, days)
    book.reserve_budget("d", epsilon=2, delta=0, what="after")
    account = book.account("d")
    assert [entry.what for entry in account.entries] == ["before", "after"]
    assert [entry.made[:10] for entry in account.entries] == ["2026-03-04", f"2026-03-0{4 + days}"]
    assert account.epsilon == 3
    with pytest.raises(BudgetExceeded):
        book.reserve_budget("d", epsilon=0.1, delta=0, what="too much")


@pytest.mark.parametrize("days", [-1, 1])
def test_runs_are_listed_as_they_were_made_when_the_clock_jumps(
    days: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, traces = Runs(tmp_path / "runs.sqlite"), habitual_traces(20)
    parameters = GameParameters(
        group_size=3, targets=3, train_groups=40, prior_share=0.5, classifiers=("lr",)
    )
    made = []
    for seed, at in ((1, 0), (2, days), (3, 0)):
        jumped(monkeypatch, runs, at)
        made.append(kept.begin_run(traces, replace(parameters, seed=seed)).key)
    assert [run.key for run in kept.all()] == made[::-1]
