"""The ledger's export holds all that was written into it, each under its name, and says of each entry what its chain says."""

import csv
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError
from privlab.releases.copies.ledger_export import COLUMNS, export_ledger
from privlab.releases.ledger.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    """Two datasets, a budget and a limit, one release that was approved, one that failed and one that waits for approval."""
    made = Ledger(tmp_path / "house" / "ledger.sqlite")
    made.set_limit(0.5, who="anna")
    made.set_budget("a" * 32, epsilon=9, delta=1e-6, adding="concentrated", who="anna")
    asked = made.ask_approval("a" * 32, epsilon=0.75, delta=0, what="large", who="ben")
    made.approve(asked.number, who="carl")
    made.reserve_budget("a" * 32, epsilon=0.75, delta=0, what="large", who="ben")
    made.record_certificate(1, "c" * 64)
    made.reserve_budget("b" * 32, epsilon=0.25, delta=0, what="small", who="dora")
    made.record_failure(2, "no room")
    made.ask_approval("b" * 32, epsilon=2, delta=0, what="larger", who="dora")
    return made


def exported(ledger: Ledger, out: Path) -> dict[str, Any]:
    made = export_ledger(ledger, out, [{"data": "x", "user": 1.5}])
    said: dict[str, Any] = json.loads(out.read_text("utf-8"))
    assert said == made
    return said


def test_all_that_was_written_is_in_it_by_hand(ledger: Ledger, tmp_path: Path) -> None:
    first, second = (ledger.account(digest * 32).name for digest in "ab")
    ledger.rename_account(second, "buses", who="anna")
    said = exported(ledger, tmp_path / "all.json")
    assert (said["what"], said["format"], said["ledger"]) == ("privlab ledger", 1, "ledger.sqlite")
    assert (said["holds"], said["faults"]) == (True, [])
    assert said["together"] == [{"data": "x", "user": 1.5}]
    keys = ledger.keys()
    assert said["public_key"] == keys.public_key
    assert [(one["data"], one["account"]) for one in said["entries"]] == [(first, None), (second, "buses")]
    assert [
        (
            one["entry"],
            one["who"],
            one["epsilon"],
            one["what"],
            one["state"],
            one["failure"],
            one["certificate"],
        )
        for one in said["entries"]
    ] == [
        (1, "ben", 0.75, "large", "confirmed", None, "c" * 64),
        (2, "dora", 0.25, "small", "failed", "no room", None),
    ]
    assert [
        (one["data"], one["epsilon"], one["delta"], one["adding"], one["who"]) for one in said["budgets"]
    ] == [(first, 9, 1e-6, "concentrated", "anna")]
    assert [(one["number"], one["epsilon"], one["who"]) for one in said["limits"]] == [(1, 0.5, "anna")]
    assert [
        (one["account"], one["asked_by"], one["approved_by"], one["epsilon"], one["entry"])
        for one in said["approvals"]
    ] == [(first, "ben", "carl", 0.75, 1), (second, "dora", None, 2, None)]
    assert [(one["title"], one["who"]) for one in said["titles"]] == [("buses", "anna")]
    digests = {link["number"]: link["digest"] for link in said["links"]}
    assert [one["digest"] for one in said["entries"]] == [digests[one["link"]] for one in said["entries"]]
    assert said["head"] == digests[max(digests)]


def test_which_data_is_in_which_account_is_said_with_who_put_it_there_and_nothing_of_its_people(
    ledger: Ledger, tmp_path: Path
) -> None:
    first, second = (ledger.account(digest * 32).name for digest in "ab")
    ledger.merge_accounts(second, first, who="anna")
    said = exported(ledger, tmp_path / "all.json")
    assert {one["data"] for one in said["entries"]} == {first}
    moved = {one["dataset"]: one for one in said["datasets"]}
    one = moved[ledger.keys().account_name("b" * 32)]
    assert (one["data"], one["who"]) == (first, "anna")
    assert all(set(one) == {"number", "dataset", "data", "made", "who"} for one in said["datasets"])


def test_a_ledger_that_was_tampered_with_is_exported_with_what_is_wrong(
    ledger: Ledger, tmp_path: Path
) -> None:
    """JSON has no words for infinity and bytes, and a row from other hands may hold both: they are written out, and said to be faults."""
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("UPDATE entry SET epsilon = 9e999, failure = x'00ff' WHERE number = 2")
        connection.execute(
            "INSERT INTO entry (number, account, made, epsilon, delta, what, keyed_digest) VALUES (3, 'a', 'b', 1, 0, 'c', 'd')"
        )
    connection.close()
    said = exported(ledger, tmp_path / "all.json")
    assert said["holds"] is False
    assert any(fault.startswith("Entry 2 was changed") for fault in said["faults"])
    assert any(fault.startswith("Entry 3 is not in the chain") for fault in said["faults"])
    assert [one["epsilon"] for one in said["entries"]] == [0.75, "inf", 1]
    assert said["entries"][1]["failure"] == r"b'\x00\xff'"
    assert [(one["chained"], one["link"] is None, one["digest"] is None) for one in said["entries"]] == [
        ("when made", False, False),
        ("when made", False, False),
        ("no", True, True),
    ]


def test_as_csv_it_has_all_columns_and_no_formula_in_any(ledger: Ledger, tmp_path: Path) -> None:
    ledger.rename_account(ledger.account("b" * 32).name, "=1+1", who="anna")
    export_ledger(ledger, tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    assert tuple(head) == COLUMNS
    assert [dict(zip(head, row, strict=True))["account"] for row in rows] == ["", "'=1+1"]
    assert [dict(zip(head, row, strict=True))["failure"] for row in rows] == ["", "no room"]


def test_a_link_is_not_followed_to_another_place(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "all.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(DataError, match=r"all\.json is there already\. Choose another name"):
        export_ledger(ledger, tmp_path / "all.json")
    assert not (tmp_path / "elsewhere.json").exists()
