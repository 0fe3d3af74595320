"""A second person's approval: above a limit nothing is paid without it, it is of one release, and it is another person's."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from privlab.checks import DataError, ParameterError
from privlab.releases.accounts.approvals import Approval, ApprovalNeeded, approval_for, needs_approval
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_places import LedgerServer, Place
from privlab.releases.writing.secure_files import what_from_plan
from tests.command_line import Answer
from tests.releases.folders.test_release_folders import DIGEST, drawn, plan, released
from tests.releases.postgres_cluster import Cluster, schema_of

OTHER = "f" * 32


@pytest.fixture
def ledger(ledger_place: Place) -> Ledger:
    """A ledger in which one person may release ε = 0.4 alone."""
    made = Ledger(ledger_place)
    made.set_limit(0.4)
    return made


def test_up_to_the_limit_nobody_is_asked_and_above_it_a_second_person(ledger: Ledger) -> None:
    ledger.reserve_budget(DIGEST, epsilon=0.4, delta=0, what="", who="anna")
    with pytest.raises(
        ApprovalNeeded, match=r"^epsilon must be at most 0\.4 where no second person has approved"
    ):
        ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="", who="anna")
    one = ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what="", who="anna")
    assert (one.number, one.state) == (1, "asked")
    assert ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what="", who="carl") == one  # asked for already
    with pytest.raises(ApprovalNeeded):
        ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="", who="anna")
    assert ledger.approve(1, who="ben").approved_by == "ben"
    entry = ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="", who="anna")
    (used,) = ledger.account(DIGEST).approvals
    assert (used.asked_by, used.approved_by, used.entry, used.state) == ("anna", "ben", entry.number, "used")
    with pytest.raises(ApprovalNeeded):  # good for one release
        ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="", who="anna")
    assert ledger.account(DIGEST).epsilon == pytest.approx(0.9)
    assert ledger.check().holds


@pytest.mark.parametrize(
    ("limit", "epsilon", "asks"),
    [
        (0.4, 0.4, False),
        (0.4, 0.1 + 0.2 + 0.1, False),
        (0.4, 0.4004, True),
        (0.0, 0.001, True),
        (None, 50.0, False),
    ],
)
def test_a_thousandth_above_the_limit_is_above_it(limit: float | None, epsilon: float, asks: bool) -> None:
    assert needs_approval(limit, epsilon) is asks


@pytest.mark.parametrize(
    ("digest", "epsilon", "delta", "what"),
    [
        (OTHER, 0.5, 0, "this"),
        (DIGEST, 0.6, 0, "this"),
        (DIGEST, 0.5, 1e-6, "this"),
        (DIGEST, 0.5, 0, "that"),
    ],
)
def test_an_approval_is_of_just_the_release_that_was_asked_for(
    digest: str, epsilon: float, delta: float, what: str, ledger: Ledger
) -> None:
    ledger.approve(
        ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what="this", who="anna").number, who="ben"
    )
    with pytest.raises(ApprovalNeeded):
        ledger.reserve_budget(digest, epsilon=epsilon, delta=delta, what=what)
    assert ledger.account(digest).entries == ()


def test_a_budget_binds_what_is_approved(ledger: Ledger) -> None:
    ledger.set_budget(DIGEST, epsilon=0.45, delta=0)
    ledger.approve(ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what="", who="anna").number, who="ben")
    with pytest.raises(ParameterError, match="what is left of this data's budget"):
        ledger.reserve_budget(DIGEST, epsilon=0.5, delta=0, what="")
    assert ledger.account(DIGEST).approvals[0].state == "approved"  # nothing is used up


def test_who_asks_cannot_approve_and_nobody_can_iv(ledger: Ledger) -> None:
    for nobody in (None, ""):
        with pytest.raises(ParameterError, match=r"^who must be a person who has logged in"):
            ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what="", who=nobody)
    ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what="", who="anna@house")
    for who, sentence in (
        ("anna@house", r"^who must be another person"),
        ("Anna@House", r"^who must be another person"),
        (None, r"^who must be a person who has logged in"),
        ("", r"^who must be a person who has logged in"),
    ):
        with pytest.raises(ParameterError, match=sentence):
            ledger.approve(1, who=who)
    ledger.approve(1, who="ben@house")
    with pytest.raises(ParameterError, match=r"^number must be of a release that waits for approval, got 1"):
        ledger.approve(1, who="carl@house")
    with pytest.raises(DataError, match="has no release 7 that waits"):
        ledger.approve(7, who="ben@house")
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        ledger.set_limit(-1.0)


def test_of_two_that_were_asked_for_alike_the_approved_one_counts_and_a_used_one_does_not() -> None:
    asked = {
        "account": "a",
        "asked": "2026-03-02",
        "asked_by": "ann",
        "epsilon": 2.0,
        "delta": 0.0,
        "what": "{}",
    }
    waits, approved, used = (
        Approval(number=number, approved_by=who, entry=entry, **asked)  # type: ignore[arg-type]
        for number, who, entry in ((2, None, None), (3, "ben", None), (1, "ben", 7))
    )
    found = [
        approval_for(approvals, epsilon=2.0, delta=0.0, what="{}")
        for approvals in ((used, waits, approved), (used, waits), (used,))
    ]
    assert found == [approved, waits, None]


def test_a_limit_can_be_taken_away_and_every_limit_stays_on_record(ledger: Ledger) -> None:
    ledger.set_limit(0.4)  # as it is
    ledger.set_limit(None, who="anna")
    ledger.reserve_budget(DIGEST, epsilon=5, delta=0, what="")
    assert ledger.limit() is None
    assert [change.epsilon for _, change in ledger.record().limits] == [0.4, None]
    assert ledger.check().holds


def test_what_was_asked_for_moves_with_its_account(ledger: Ledger) -> None:
    ledger.approve(ledger.ask_approval(OTHER, epsilon=0.5, delta=0, what="", who="anna").number, who="ben")
    ledger.ask_approval(
        OTHER, epsilon=0.6, delta=0, what="", who="anna"
    )  # waits: no link but the move names it anew
    ledger.reserve_budget(DIGEST, earlier_digest=OTHER, epsilon=0.5, delta=0, what="")
    assert [one.state for one in ledger.account(DIGEST).approvals] == ["used", "asked"]
    assert ledger.account(OTHER).approvals == ()
    assert ledger.check().holds


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        (
            "UPDATE approval SET approved_by = 'ben', approved = 'now' WHERE number = 1",
            "Approval 1 was changed: approved is 'now', and was written as None.",
        ),
        (
            "UPDATE limit_change SET epsilon = 9",
            "Limit 1 was changed: epsilon is 9.0, and was written as 0.4.",
        ),
        ("DELETE FROM limit_change", "Limit 1 was removed."),
    ],
)
def test_an_approval_or_a_limit_by_other_hands_is_named(
    statement: str, fault: str, cluster: Cluster, server: LedgerServer
) -> None:
    ledger = Ledger(server)
    ledger.set_limit(0.4)
    ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what="", who="anna")
    cluster.run(f"SET search_path TO {schema_of(server.address)}", statement)
    assert ledger.check().faults[0] == fault


def test_without_approval_nothing_is_drawn_and_nothing_is_left(ledger: Ledger, tmp_path: Path) -> None:
    def never() -> None:
        raise AssertionError("noise was drawn")

    drawing: Callable[[], object] = never
    with pytest.raises(ApprovalNeeded):
        released(tmp_path / "out", ledger, drawing)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()
    assert ledger.account(DIGEST).entries == ()
    ledger.ask_approval(DIGEST, epsilon=0.5, delta=0, what=what_from_plan(plan()), who="anna")
    ledger.approve(1, who="ben")
    released(tmp_path / "out", ledger, drawn)
    assert ledger.account(DIGEST).entries[0].state == "confirmed"
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert "anna" not in str(certificate)
    assert "ben" not in str(certificate)


def test_the_limit_on_the_command_line(answer: Answer, tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    assert answer("ledger", "set-limit", "--epsilon", 0.4, "--ledger", path, "--json")["limit_epsilon"] == 0.4
    Ledger(path).ask_approval(DIGEST, epsilon=0.5, delta=0, what="", who="anna")
    shown = answer("ledger", "show", "--ledger", path, "--json")
    assert shown["limit_epsilon"] == 0.4
    assert [(one["state"], one["asked_by"], one["epsilon"]) for one in shown["approvals"]] == [
        ("asked", "anna", 0.5)
    ]
    assert answer("ledger", "set-limit", "--ledger", path, "--json")["limit_epsilon"] is None
    assert answer("ledger", "show", "--ledger", path, "--json")["limit_epsilon"] is None
    assert "epsilon must be" in answer("ledger", "set-limit", "--epsilon", "-1", "--ledger", path, fails=True)
