"""What a script goes by: the code that a command of the ledger ends with, where something in it was changed, and what goes where."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from privlab.releases.ledger.ledger import Ledger
from tests.command_line import Run


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    made = Ledger(tmp_path / "ledger" / "ledger.sqlite")
    made.reserve_budget("a", epsilon=0.5, delta=0, what="")
    return made


def test_an_export_of_a_changed_ledger_is_written_and_ends_with_1(
    ledger: Ledger, cli: Run, tmp_path: Path
) -> None:
    words = ("ledger", "export", "--ledger", ledger.path, "--json", "--out")
    code, out, err = cli(*words, tmp_path / "sound.json")
    assert (code, json.loads(out)["holds"], err) == (0, True, "")
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("UPDATE entry SET epsilon = 0.1")
    code, out, err = cli(*words, tmp_path / "changed.json")
    assert (code, json.loads(out)["holds"]) == (1, False)
    assert err == "Entry 1 was changed: epsilon is 0.1, and was written as 0.5.\n"
    assert json.loads((tmp_path / "changed.json").read_text("utf-8"))["holds"] is False
    code, out, err = cli("ledger", "check", "--ledger", ledger.path, "--json")
    assert (code, json.loads(out)["holds"], err) == (1, False, "")


def test_what_is_shown_of_accounts_by_hand(ledger: Ledger, cli: Run, tmp_path: Path) -> None:
    """One release that failed and one of which nobody knows; δ of both together is no more than all, and where ρ adds up no ε is left over."""
    ledger.record_failure(1, "a test")
    ledger.reserve_budget("a", epsilon=0.25, delta=0.9, what="")
    ledger.reserve_budget("a", epsilon=0.25, delta=0.9, what="")
    ledger.set_budget("a", epsilon=2, delta=0.5)
    ledger.set_limit(0.75)
    words = ("ledger", "show", "--ledger", ledger.path, "--json")
    code, out, _ = cli(*words)
    (account,) = json.loads(out)["datasets"]
    assert code == 0
    assert [account[name] for name in ("releases", "unconfirmed", "failed")] == [3, 2, 1]
    assert (account["spent_epsilon"], account["spent_delta"], account["left_epsilon"]) == (1.0, 1.0, 1.0)
    assert json.loads(out)["limit_epsilon"] == 0.75
    ledger.set_budget("a", epsilon=2, delta=1e-6, adding="concentrated")
    (account,) = json.loads(cli(*words)[1])["datasets"]
    assert (account["left_epsilon"], account["adding"]) == (None, "concentrated")
