"""A ledger in a file into which other hands have put what no ledger writes: the row is named, whatever is asked, without a traceback."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from privlab.datasets import PeopleDigests
from privlab.releases.accounts.account_choice import AccountWish
from privlab.releases.ledger.ledger import Ledger
from tests.command_line import Run

DIGEST = "0123456789abcdef0123456789abcdef"
PEOPLE = PeopleDigests(by_id=("a" * 16,), by_first_row=("b" * 16,), running=False)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """A ledger with a row of each kind: links 1 to 7 are a limit, a dataset, its title, a budget, what was asked for, and two entries."""
    made = Ledger(tmp_path / "ledger.sqlite")
    made.set_limit(4)
    wish = AccountWish(title="cards")
    made.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="one", who="ann@house", people=PEOPLE, wish=wish)
    made.set_budget(DIGEST, epsilon=8, delta=0)
    made.ask_approval(DIGEST, epsilon=5, delta=0, what="large", who="ann@house")
    made.reserve_budget(DIGEST, epsilon=0.25, delta=0, what="two")
    assert made.check().holds
    return made


def change(ledger: Ledger, statement: str) -> None:
    with closing(sqlite3.connect(ledger.path)) as connection:
        connection.execute(statement)
        connection.commit()


TAMPERED = [
    ("UPDATE link SET signature = x'ff00' WHERE number = 1", "Link 1 is not signed with this ledger's key."),
    ("UPDATE link SET signature = CAST(x'ff00' AS TEXT) WHERE number = 1", "Link 1 is not signed with"),
    ("UPDATE link SET digest = x'ff00'", "Link 1 does not follow from the one before"),
    ("UPDATE link SET said = x'ff00' WHERE number = 2", "Link 2 does not follow from the one before"),
    ("UPDATE link SET said = CAST(said AS BLOB) WHERE number = 2", "Link 2 does not follow from the one"),
    (
        "UPDATE link SET entry = x'ff00' WHERE number = 1",
        "Link 1 was changed: entry is b'\\xff\\x00', and was",
    ),
    ("UPDATE dataset SET people = x'ff00'", "Dataset 1 was changed: people is b'\\xff\\x00', and was"),
    ("UPDATE dataset SET dataset = x'ff00'", "Dataset 1 was changed: dataset is b'\\xff\\x00', and was"),
    (
        "UPDATE entry SET account = x'ff00' WHERE number = 2",
        "Entry 2 was changed: account is b'\\xff\\x00', and",
    ),
    ("UPDATE entry SET what = CAST(x'ff00' AS TEXT)", "Entry 1 was changed: what is '\\\\xff\\x00', and was"),
    ("UPDATE entry SET epsilon = 'much' WHERE number = 2", "Entry 2 was changed: epsilon is 'much', and was"),
    ("UPDATE entry SET epsilon = 9e999 WHERE number = 2", "Entry 2 was changed: epsilon is inf, and was"),
    ("UPDATE budget_change SET epsilon = 'much'", "Budget 1 was changed: epsilon is 'much', and was"),
    ("UPDATE limit_change SET epsilon = x'ff00'", "Limit 1 was changed: epsilon is b'\\xff\\x00', and was"),
    ("UPDATE approval SET epsilon = x'ff00'", "Approval 1 was changed: epsilon is b'\\xff\\x00', and was"),
    ("UPDATE account_title SET title = x'ff00'", "Title 1 was changed: title is b'\\xff\\x00', and was"),
]


@pytest.mark.parametrize(("statement", "fault"), TAMPERED)
def test_check_health_and_export_name_the_row_iv(
    statement: str, fault: str, ledger: Ledger, cli: Run, tmp_path: Path
) -> None:
    change(ledger, statement)
    code, out, err = cli("ledger", "check", "--ledger", ledger.path, "--json")
    found = json.loads(out)
    assert (code, found["holds"], err) == (1, False, "")
    assert found["faults"][0].startswith(fault)
    code, out, _ = cli("health", "--ledger", ledger.path, "--json")
    assert code == 1
    assert json.loads(out)["ledger"]["says"].startswith(f"The ledger's chain does not check: {fault}")
    for name in ("all.json", "all.csv"):
        code, out, err = cli("ledger", "export", "--out", tmp_path / name, "--ledger", ledger.path, "--json")
        assert (code, json.loads(out)["holds"]) == (1, False)
        assert err.startswith(fault)
    made = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert made["faults"] == found["faults"]


@pytest.mark.parametrize(("statement", "fault"), TAMPERED)
def test_what_cannot_be_read_is_one_sentence_and_the_rest_goes_on_iv(
    statement: str, fault: str, ledger: Ledger, cli: Run
) -> None:
    """What such a row takes no part in is shown; nothing ends with more than a sentence, and what names a row names the tampered one."""
    change(ledger, statement)
    for words in (("show",), ("accounts",), ("set-budget", "cards", "--epsilon", "7")):
        code, _, err = cli("ledger", *words, "--ledger", ledger.path)
        assert code in (0, 2)
        assert err.count("\n") <= 1
        row = " ".join(fault.split()[:2])
        assert code == 0 or err.startswith(
            (f"{row} of the ledger was changed: ", "Link 7 ", "The digests of")
        )
