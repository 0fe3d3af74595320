"""The chain of the ledger: what was changed or removed is named, and anyone with the public key can check an export."""

import csv
import hashlib
import json
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from dataclasses import fields, replace
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from privlab.checks import DataError, ParameterError
from privlab.releases.copies.ledger_export import export_ledger
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_chain import LedgerRecord, check_from_record
from privlab.releases.ledger.ledger_keys import key_path_of
from privlab.releases.ledger.ledger_places import LedgerServer, Place
from tests.command_line import Run
from tests.releases.ledger.test_ledger_files import KEPT, kept_ledger
from tests.releases.postgres_cluster import Cluster, schema_of

DIGEST, EARLIER = "0123456789abcdef0123456789abcdef", "e" * 32
Changing = Callable[..., None]


@pytest.fixture
def ledger(ledger_place: Place) -> Ledger:
    """A ledger with five entries of one person's making and one of another's, and three budgets."""
    made = Ledger(ledger_place)
    made.set_budget(EARLIER, epsilon=9, delta=1e-6, who="anna@house")
    for what in ("one", "two"):
        made.reserve_budget(EARLIER, epsilon=0.1, delta=1e-9, what=what, who="anna@house")
    made.set_budget(DIGEST, epsilon=8, delta=1e-6)
    made.reserve_budget(DIGEST, earlier_digest=EARLIER, epsilon=0.2, delta=0, what="three", who="ben@house")
    made.record_certificate(1, "c" * 64)
    made.record_failure(2, "no room")
    for what in ("four", "five"):
        made.reserve_budget(DIGEST, epsilon=0.3, delta=0, what=what)
    return made


@pytest.fixture
def changed(ledger: Ledger, request: pytest.FixtureRequest) -> Changing:
    """Return a function that runs statements on the ledger's database, past the ledger."""

    def on_file(*statements: str) -> None:
        with closing(sqlite3.connect(ledger.path)) as connection, connection:
            for statement in statements:
                connection.execute(statement)
        connection.close()

    def on_server(*statements: str) -> None:
        assert isinstance(ledger.place, LedgerServer)
        cluster: Cluster = request.getfixturevalue("cluster")
        cluster.run(f"SET search_path TO {schema_of(ledger.place.address)}", *statements)

    return on_file if isinstance(ledger.place, Path) else on_server


def test_a_ledger_that_nobody_touched_holds(ledger: Ledger) -> None:
    found = ledger.check()
    assert found.holds, found.faults
    # Two budgets and five entries, the move of an account and the narrower budget after it, a certificate, a failure.
    assert (found.n_entries, found.n_links, found.chained_later) == (5, 2 + 5 + 2 + 2, ())
    assert [entry.who for entry in ledger.account(DIGEST).entries] == ["anna@house"] * 2 + [
        "ben@house",
        None,
        None,
    ]
    assert ledger.check(found.head).holds
    ledger.reserve_budget(DIGEST, epsilon=0.1, delta=0, what="six")
    later = ledger.check(found.head)
    assert later.holds
    assert later.head != found.head


@pytest.mark.parametrize(
    ("statements", "faults"),
    [
        (
            ["UPDATE entry SET epsilon = 0.01 WHERE number = 3"],
            ["Entry 3 was changed: epsilon is 0.01, and was written as 0.2."],
        ),
        (
            ["UPDATE entry SET who = 'carl@house' WHERE number = 3"],
            ["Entry 3 was changed: who is 'carl@house', and was written as 'ben@house'."],
        ),
        (["DELETE FROM entry WHERE number = 2"], ["Entry 2 was removed."]),
        (["DELETE FROM entry WHERE number = 5"], ["Entry 5 was removed."]),
        (
            ["UPDATE entry SET certificate = NULL WHERE number = 1"],
            [f"Entry 1 was changed: certificate is None, and was written as '{'c' * 64}'."],
        ),
        (
            [
                "INSERT INTO entry (number, account, made, epsilon, delta, what, keyed_digest) "
                "VALUES (6, 'a', 'b', 1, 0, 'c', 'd')"
            ],
            ["Entry 6 is not in the chain: it was put there by other hands."],
        ),
        (
            ["UPDATE budget_change SET epsilon = 90 WHERE number = 3"],
            ["Budget 3 was changed: epsilon is 90.0, and was written as 8.0."],
        ),
        (["DELETE FROM budget_change WHERE number = 3"], ["Budget 3 was removed."]),
        (
            ["DELETE FROM link WHERE number = 9"],
            [
                "Links 9 to 9 are missing.",
                "Link 10 does not follow from the one before: one of them was changed.",
                "Entry 2 was changed: failure is 'no room', and was written as None.",
            ],
        ),
        (
            ["UPDATE link SET said = replace(said, '0.2', '0.1') WHERE number = 7"],
            [
                "Link 7 does not follow from the one before: one of them was changed.",
                "Entry 3 was changed: epsilon is 0.2, and was written as 0.1.",
            ],
        ),
        (
            ["UPDATE link SET said = '[' WHERE number = 11"],
            [
                "Link 11 does not follow from the one before: one of them was changed.",
                "Link 11 says nothing that can be read.",
                "Entry 5 is not in the chain: it was put there by other hands.",
            ],
        ),
        # Which entry a link is about stands in what is signed too: links 2, 10 and 11 are of entry 1, of none (a budget) and of 5.
        (
            [
                "UPDATE link SET entry = 1 WHERE number = 11",
                "UPDATE link SET entry = 5 WHERE number = 1",
                "UPDATE link SET entry = NULL WHERE number = 8",
            ],
            [
                "Link 1 was changed: entry is 5, and was written as None.",
                "Link 8 was changed: entry is None, and was written as 1.",
                "Link 11 was changed: entry is 1, and was written as 5.",
            ],
        ),
    ],
)
def test_what_was_changed_or_removed_is_named(
    statements: list[str], faults: list[str], ledger: Ledger, changed: Changing
) -> None:
    changed(*statements)
    found = ledger.check()
    assert not found.holds
    assert found.faults == tuple(faults)


def test_who_writes_past_the_ledger_can_make_no_link_without_its_key(
    ledger: Ledger, changed: Changing
) -> None:
    """Row, links and digests all made to fit: the signatures do not."""
    links = list(ledger.record().links)
    before, forged = links[9].digest, json.loads(links[10].said)
    forged["epsilon"] = 0.01
    said = json.dumps(forged, sort_keys=True)
    digest = hashlib.sha256(f"{before}\n{said}".encode()).hexdigest()
    changed(
        "UPDATE entry SET epsilon = 0.01 WHERE number = 5",
        f"UPDATE link SET said = '{said}', digest = '{digest}' WHERE number = 11",
    )
    assert ledger.check().faults == ("Link 11 is not signed with this ledger's key.",)


@pytest.mark.parametrize(
    "said",
    [
        "5",
        "null",
        "[]",
        '"text"',
        '{"act": "entry", "number": "a"}',
        '{"act": "entry", "number": true}',
        '{"act": "title", "number": 1.5}',
        '{"act": "note", "entry": [], "column": "state", "text": ""}',
        '{"act": "note", "entry": "1", "column": "state", "text": ""}',
        '{"number": 3}',
        '{"act": "dream", "number": 3}',
    ],
)
def test_a_link_that_no_ledger_writes_is_named_iv(ledger: Ledger, changed: Changing, said: str) -> None:
    changed(f"UPDATE link SET said = '{said}' WHERE number = 11")
    assert "Link 11 says nothing that can be read." in ledger.check().faults


def test_what_is_taken_from_the_end_is_seen_by_who_kept_the_head(ledger: Ledger, changed: Changing) -> None:
    head = ledger.check().head
    changed("DELETE FROM entry WHERE number = 5", "DELETE FROM link WHERE number = 11")
    assert ledger.check().holds  # a chain that is shorter is a chain
    (fault,) = ledger.check(head).faults
    assert fault.startswith(f"The head {head} is not in the chain: what was written last was taken away")


def test_the_number_of_an_entry_that_was_removed_is_not_given_again(
    ledger: Ledger, changed: Changing
) -> None:
    changed("DELETE FROM entry WHERE number = 5", "UPDATE link SET entry = NULL WHERE number = 11")
    quoted = '{"act": "entry", "number": 99}'
    assert ledger.reserve_budget(DIGEST, epsilon=0.1, delta=0, what=quoted).number == 6
    assert ledger.reserve_budget(DIGEST, epsilon=0.1, delta=0, what="").number == 7
    assert ledger.check().faults == (
        "Link 11 was changed: entry is None, and was written as 5.",
        "Entry 5 was removed.",
    )


def test_an_export_takes_from_what_is_signed_which_link_an_entry_has(
    ledger: Ledger, changed: Changing, tmp_path: Path
) -> None:
    whole = export_ledger(ledger, tmp_path / "whole.json")
    changed("UPDATE link SET entry = 5 - entry", "UPDATE link SET entry = 5 WHERE number = 1")
    made = export_ledger(ledger, tmp_path / "changed.json")
    assert not made["holds"]
    assert made["entries"] == whole["entries"]
    said = {link["number"]: json.loads(link["said"]) for link in made["links"]}
    assert [
        (said[one["link"]]["act"], said[one["link"]]["number"], one["chained"]) for one in made["entries"]
    ] == [("entry", number, "when made") for number in (1, 2, 3, 4, 5)]


def test_a_link_of_another_ledger_is_none_of_this(ledger: Ledger, tmp_path: Path) -> None:
    other = Ledger(tmp_path / "other.sqlite")
    other.set_budget(DIGEST, epsilon=1, delta=0)
    record, foreign = ledger.record(), other.record().links[0]
    found = check_from_record(replace(record, links=(*record.links[:0], foreign), entries=(), budgets=()))
    assert "Link 1 is not signed with this ledger's key." in found.faults
    assert "Link 1 does not follow from the one before: one of them was changed." in found.faults


def test_an_export_can_be_checked_by_hand_with_the_public_key_alone(ledger: Ledger, tmp_path: Path) -> None:
    """docs/reliability.md says how: no code of the ledger's is used here."""
    out = tmp_path / "audit" / "ledger.json"
    export_ledger(ledger, out)
    made = json.loads(out.read_text("utf-8"))
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(ledger.keys().public_key))
    before = made["mark"]
    for link in made["links"]:
        before = hashlib.sha256(f"{before}\n{link['said']}".encode()).hexdigest()
        assert before == link["digest"]
        key.verify(bytes.fromhex(link["signature"]), f"privlab ledger link {before}".encode())
        with pytest.raises(InvalidSignature):
            key.verify(bytes.fromhex(link["signature"]), f"privlab ledger link {before[::-1]}".encode())
    assert made["head"] == before
    assert made["holds"] is True
    assert [one["entry"] for one in made["entries"]] == [1, 2, 3, 4, 5]
    assert {one["data"] for one in made["entries"]} == {ledger.account(DIGEST).name}
    assert [(one["who"], one["epsilon"]) for one in made["budgets"]] == [
        ("anna@house", 9),
        (None, 8),
        ("ben@house", 8),  # the narrower one stays when ben's release brings the data into the account
    ]
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_an_export_as_csv_has_a_row_for_each_entry_and_runs_nothing(ledger: Ledger, tmp_path: Path) -> None:
    ledger.reserve_budget(DIGEST, epsilon=0.1, delta=0, what="six", who="=HYPERLINK(1)")
    export_ledger(ledger, tmp_path / "ledger.csv")
    with (tmp_path / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(one["entry"], one["who"], one["epsilon"], one["state"], one["chained"]) for one in rows] == [
        ("1", "anna@house", "0.1", "confirmed", "when made"),
        ("2", "anna@house", "0.1", "failed", "when made"),
        ("3", "ben@house", "0.2", "unconfirmed", "when made"),
        ("4", "", "0.3", "unconfirmed", "when made"),
        ("5", "", "0.3", "unconfirmed", "when made"),
        ("6", "'=HYPERLINK(1)", "0.1", "unconfirmed", "when made"),
    ]
    links = {link.digest: link.number for link in ledger.record().links}
    assert all(links[one["digest"]] == int(one["link"]) for one in rows)


def test_what_cannot_be_exported_iv(ledger: Ledger, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"^out must end in \.csv or \.json, got 'audit'"):
        export_ledger(ledger, tmp_path / "audit")
    (tmp_path / "old.csv").write_text("mine")
    with pytest.raises(DataError, match="is there already"):
        export_ledger(ledger, tmp_path / "old.csv")
    assert (tmp_path / "old.csv").read_text() == "mine"
    with pytest.raises(DataError, match="There is no ledger"):
        export_ledger(Ledger(tmp_path / "none.sqlite"), tmp_path / "new.csv")
    assert not (tmp_path / "new.csv").exists()


def of_version_3(place: Place, cluster: Cluster) -> None:
    """Put the ledger of an earlier version into a place, word for word but for what PostgreSQL calls its types."""
    if isinstance(place, Path):
        place.parent.mkdir(parents=True, exist_ok=True)
        kept_ledger(place)
        return
    place.folder.mkdir(parents=True)
    key_path_of(place.path).write_bytes((KEPT / "version_3.key.json").read_bytes())
    text = (KEPT / "version_3.sql").read_text("utf-8")
    lines = [
        line for line in text.splitlines() if line.startswith(("CREATE", "INSERT")) and "sqlite_" not in line
    ]
    for old, new in (("AUTOINCREMENT", ""), (" REAL ", " DOUBLE PRECISION ")):
        lines = [line.replace(old, new) if line.startswith("CREATE") else line for line in lines]
    cluster.run(
        f"SET search_path TO {schema_of(place.address)}",
        *lines,
        "CREATE TABLE privlab_ledger (version INTEGER NOT NULL)",
        "INSERT INTO privlab_ledger VALUES (3)",
    )


def test_entries_of_before_the_chain_are_chained_and_said_to_be_so(
    ledger_place: Place, cluster: Cluster, tmp_path: Path
) -> None:
    of_version_3(ledger_place, cluster)
    ledger = Ledger(ledger_place)
    found = ledger.check()  # looking is enough to bring it up to date
    assert found.holds, found.faults
    assert (found.n_links, found.chained_later) == (6, (1, 2, 3))
    assert ledger.account("b" * 32).entries[0].epsilon == 0.1 + 0.2
    assert ledger.reserve_budget("a" * 32, epsilon=0.1, delta=0, what="").number == 4
    ledger.record_certificate(3, "d" * 64)
    assert ledger.check().holds
    made = export_ledger(ledger, tmp_path / "ledger.json")
    assert [one["chained"] for one in made["entries"]] == ["later"] * 3 + ["when made"]


def test_check_and_export_on_the_command_line(cli: Run, tmp_path: Path) -> None:
    path = kept_ledger(tmp_path / "ledger.sqlite")
    code, out, err = cli("ledger", "check", "--ledger", path, "--json")
    first = json.loads(out)
    assert (code, first["holds"], first["entries"], first["chained_later"]) == (0, True, 3, [1, 2, 3])
    assert err.endswith(
        "Older than the chain: entries 1, 2, 3. What became of them before it began, nobody knows.\n"
    )
    assert cli("ledger", "check", "--head", first["head"], "--ledger", path, "--json")[0] == 0
    code, out, _ = cli("ledger", "check", "--head", "0" * 64, "--ledger", path, "--json")
    assert code == 1
    assert json.loads(out)["faults"][0].startswith(f"The head {'0' * 64} is not in the chain")
    code, out, _ = cli("ledger", "export", "--out", tmp_path / "all.json", "--ledger", path, "--json")
    assert json.loads(out) == {"file": str(tmp_path / "all.json"), "entries": 3, "holds": True}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM entry WHERE number = 1")
    connection.close()
    code, out, _ = cli("ledger", "check", "--ledger", path)
    assert code == 1
    assert "Entry 1 was removed." in out
    code, _, err = cli("ledger", "check", "--ledger", tmp_path / "none.sqlite")
    assert code == 2
    assert "There is no ledger" in err


def test_a_head_that_is_kept_tells_that_all_was_taken_away(tmp_path: Path) -> None:
    """Of a ledger that another hand has emptied nothing is left that could be wrong: only who kept a head sees it."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.reserve_budget(DIGEST, epsilon=0.2, delta=0, what="")
    head = ledger.check().head
    nothing = LedgerRecord(
        **{one.name: () for one in fields(LedgerRecord)}
        | {"mark": ledger.keys().mark(), "public_key": ledger.keys().public_key}
    )
    assert check_from_record(nothing).holds
    (fault,) = check_from_record(nothing, head).faults
    assert fault.startswith(f"The head {head} is not in the chain")
