"""Accounts of several datasets, in a file and in PostgreSQL: one budget, chosen and checked in one transaction."""

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets import PeopleDigests
from privlab.releases.accounts.account_choice import AccountRefused, AccountWish, require_title
from privlab.releases.accounts.accounts import BudgetChange, account_from_rows
from privlab.releases.copies.ledger_export import export_ledger
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from privlab.releases.ledger.ledger_keys import key_path_of
from privlab.releases.ledger.ledger_places import FOLDER_VARIABLE, Place
from tests.releases.accounts.test_shared_people import people
from tests.releases.ledger.test_ledger_chain import Changing, changed
from tests.releases.ledger.test_ledger_files import KEPT
from tests.releases.postgres_cluster import Cluster, named, schema_of

ROOT = Path(__file__).parents[3]
ALL, LESS, OTHERS, HALF = people(range(50)), people(range(49)), people(range(100, 150)), people(range(26, 70))

__all__ = ["changed"]


@pytest.fixture
def ledger(ledger_place: Place) -> Ledger:
    return Ledger(ledger_place)


def reserved(
    ledger: Ledger, digest: str, of: PeopleDigests | None, epsilon: float = 0.5, **wish: object
) -> str:
    """Charge a release, and return the keyed name of the account that paid."""
    return ledger.reserve_budget(
        digest, epsilon=epsilon, delta=0, what="", people=of, wish=AccountWish(**wish)
    ).account  # type: ignore[arg-type]


def test_what_people_spend_adds_up_over_all_their_datasets(ledger: Ledger) -> None:
    said: list[str] = []
    ledger.told = said.append
    first = reserved(ledger, "a", ALL, title="transit cards")
    ledger.set_budget_of_account("Transit Cards", epsilon=1.5, delta=0)
    del said[:]
    assert reserved(ledger, "b", LESS) == first
    assert said == [
        "This data is charged to the account “transit cards”: 100% of its people are in it already. If they are other "
        "people, open a new one (--new-account)."
    ]
    assert reserved(ledger, "c", OTHERS) != first
    assert len(said) == 1
    for digest in ("a", "b"):
        account = ledger.account(digest)
        assert (account.name, account.epsilon, account.n_datasets, account.title) == (
            first,
            1.0,
            2,
            "transit cards",
        )
        assert account.left_epsilon == 0.5
    with pytest.raises(BudgetExceeded, match=r"at most 0\.5"):
        reserved(ledger, "new", ALL, 0.6)
    assert ledger.account("new").entries == ()  # what was refused has moved nothing
    assert ledger.account("b").n_datasets == 2
    ledger.set_budget("b", epsilon=9, delta=0)  # of whichever dataset, it is the account's
    assert ledger.account("a").budget_epsilon == 9
    assert len(said) == 1  # once
    assert ledger.check().holds


def test_what_was_charged_meanwhile_is_agreed_to_first(ledger: Ledger) -> None:
    """ε of 0.5 and 0.5 add up to 1; whoever saw the first entry may be charged for a second."""

    def charged(n_seen: int | None) -> int:
        return ledger.reserve_budget("a", epsilon=0.5, delta=0, what="", n_seen=n_seen).number

    assert charged(0) == 1
    with pytest.raises(AccountRefused, match=r"promised ε = 1, not 0\.5\. Nothing was charged"):
        charged(0)
    assert len(ledger.account("a").entries) == 1
    assert charged(1) == 2
    assert charged(None) == 3  # nobody was asked, as by a command
    with pytest.raises(AccountRefused):
        charged(2)
    assert ledger.check().holds


def test_half_of_the_people_are_the_same_people_and_fewer_are_told_of(ledger: Ledger) -> None:
    """24 of 44 are in the first 50, and 24 of 50; then 20 of 50 and 20 of 44."""
    said: list[str] = []
    first = reserved(ledger, "a", ALL)
    ledger.told = said.append
    chosen, account = ledger.chosen_account("b", people=HALF)
    assert (chosen.account, chosen.is_proposed, account.epsilon) == (first, True, 0.5)
    assert chosen.shares[0].people.of_data == 24 / 44
    assert reserved(ledger, "b", people(range(30, 74))) != first
    assert said == [
        f"45% of its people are in the account {first} too: no budget counts what both release of them. `ledger merge` puts "
        "two accounts into one."
    ]


def test_a_budget_that_was_set_for_the_file_alone_goes_with_it_and_the_narrower_holds(ledger: Ledger) -> None:
    first = reserved(ledger, "a", ALL)
    ledger.set_budget("a", epsilon=3, delta=1e-6)
    ledger.set_budget("b", epsilon=1, delta=0)
    asked = ledger.ask_approval("b", epsilon=7, delta=0, what="much", who="anna")
    assert reserved(ledger, "b", LESS) == first
    account = ledger.account("b")
    assert (account.budget_epsilon, account.budget_delta, account.epsilon) == (1, 0, 1)
    assert [one.number for one in account.approvals] == [asked.number]
    assert len(ledger.accounts()) == 1
    assert ledger.check().holds


@pytest.mark.parametrize("added", [("sum", "sum"), ("sum", "concentrated"), ("concentrated", "concentrated")])
def test_of_two_budgets_that_add_up_in_two_ways_the_sum_holds(added: tuple[str, str]) -> None:
    """ε added to ε is what each of them was told at least; ρ alone counts only where both were set so."""
    budgets = [
        [BudgetChange(made=None, epsilon=epsilon, delta=1e-6, adding=adding)]
        for epsilon, adding in zip((5.0, 8.0), added, strict=True)
    ]
    for both in (budgets, budgets[::-1]):
        account = account_from_rows("a", [], both)
        assert account.adding == ("concentrated" if set(added) == {"concentrated"} else "sum")
        assert account.budget_epsilon == 5.0


def test_a_new_account_for_the_same_people_is_refused_unless_they_are_said_to_be_others(
    ledger: Ledger,
) -> None:
    first = reserved(ledger, "a", ALL, title="cards")
    other = reserved(ledger, "x", OTHERS, title="phones")
    for title in ("fresh", "phones"):
        with pytest.raises(
            AccountRefused, match="account must be “cards”, for 100% of its people are in it already"
        ):
            reserved(ledger, "b", LESS, title=title)
    assert reserved(ledger, "b", LESS, title="fresh", is_new=True) not in (first, other)
    with pytest.raises(
        AccountRefused, match=r"account must be “fresh”, which this data is in already, got cards\."
    ):
        reserved(ledger, "b", LESS, title="cards")
    assert ledger.account("b").title == "fresh"
    assert (
        reserved(ledger, "b", LESS, is_new=True) == ledger.account("b").name
    )  # said again: it stays where it is
    with pytest.raises(AccountRefused, match="account must be a new name with new_account, got phones"):
        reserved(ledger, "c", people("xyz"), title="phones", is_new=True)
    assert (
        reserved(ledger, "c", people("xyz"), title="phones") == other
    )  # a steward may add people to an account
    with pytest.raises(
        AccountRefused,
        match=r"^new_account must be left out: the release is charged to “phones”, which this data is in already\.$",
    ):
        reserved(ledger, "c", people("xyz"), is_new=True)
    assert {one.title: (one.epsilon, one.n_datasets) for one in ledger.accounts()} == {
        "cards": (0.5, 1),
        "phones": (1.0, 2),
        "fresh": (1.0, 1),
    }


def test_accounts_are_renamed_and_merged_and_the_chain_tells_of_it(
    ledger: Ledger, changed: Changing, tmp_path: Path
) -> None:
    old = ledger.reserve_budget(
        "old", epsilon=0.25, delta=0, what=""
    ).account  # of whose people nothing is known
    cards = reserved(ledger, "a", ALL, title="cards")
    assert ledger.rename_account("CARDS", " transit cards ", who="anna").title == "transit cards"
    merged = ledger.merge_accounts("transit cards", old, who="anna")
    assert (merged.name, merged.epsilon, merged.title, merged.n_datasets) == (old, 0.75, "transit cards", 2)
    assert ledger.account("a") == ledger.account("old") == merged
    assert reserved(ledger, "b", LESS) == old
    assert [one.name for one in ledger.accounts()] == [old]
    with pytest.raises(ParameterError, match="into must be another account"):
        ledger.merge_accounts("transit cards", old)
    with pytest.raises(DataError, match="has no account"):
        ledger.account_named(cards)
    found = ledger.check()
    assert found.holds, found.faults
    made = export_ledger(ledger, tmp_path / "all.json")
    assert {one["account"] for one in made["entries"]} == {"transit cards"}
    assert [one["title"] for one in made["titles"]] == ["cards", "transit cards", "transit cards"]
    changed("UPDATE dataset SET account = 'x' WHERE number = 1", "DELETE FROM account_title WHERE number = 2")
    assert ledger.check().faults == (
        f"Dataset 1 was changed: account is 'x', and was written as '{old}'.",
        "Title 2 was removed.",
    )
    changed("UPDATE dataset SET people = NULL WHERE number = 1")
    assert any(fault.startswith("Dataset 1 was changed: people is None") for fault in ledger.check().faults)


def test_two_processes_with_two_files_of_the_same_people_cannot_overspend(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither file is in an account yet: whoever comes second finds the first one's people."""
    go = tmp_path / "go"
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "house"))
    script = """
import sys, time
from pathlib import Path
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger
from privlab.releases.ledger.ledger_places import ledger_place_from_text
from tests.releases.accounts.test_shared_people import people
ledger, go, own = Ledger(ledger_place_from_text(sys.argv[1])), Path(sys.argv[2]), sys.argv[3]
while not go.exists():
    time.sleep(0.001)
made = 0
for number in range(10):
    try:
        ledger.reserve_budget(f"{own}{number}", epsilon=0.25, delta=0.0, what="", people=people(range(50)))
        made += 1
    except BudgetExceeded:
        pass
print(made)
"""
    words = [sys.executable, "-c", script, named(ledger.place), str(go)]
    racers = [
        subprocess.Popen([*words, own], cwd=ROOT, stdout=subprocess.PIPE, text=True) for own in ("a", "b")
    ]
    reserved(ledger, "first", people(range(40)), 0.25)
    ledger.set_budget("first", epsilon=3.0, delta=0)
    go.touch()
    assert sum(int(racer.communicate(timeout=900)[0]) for racer in racers) == 11
    (account,) = ledger.accounts()
    assert (account.epsilon, account.n_datasets) == (3.0, 12)
    assert ledger.check().holds


def of_version_6(place: Place, cluster: Cluster) -> None:
    """Put a ledger of before datasets shared accounts into a place, word for word but for SQLite's own ones."""
    text = (KEPT / "version_6.sql").read_text("utf-8")
    lines = [
        line.replace("AUTOINCREMENT", "").replace(" REAL ", " DOUBLE PRECISION ")
        for line in text.splitlines()
        if line.startswith(("CREATE", "INSERT")) and "sqlite_" not in line
    ]
    if isinstance(place, Path):
        import sqlite3

        place.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(place)) as connection, connection:
            connection.executescript(text)
        connection.close()
        key_path_of(place).write_bytes((KEPT / "version_6.key.json").read_bytes())
        return
    place.folder.mkdir(parents=True)
    key_path_of(place.path).write_bytes((KEPT / "version_6.key.json").read_bytes())
    cluster.run(
        f"SET search_path TO {schema_of(place.address)}",
        *lines,
        "CREATE TABLE privlab_ledger (version INTEGER NOT NULL)",
        "INSERT INTO privlab_ledger VALUES (6)",
    )


def test_accounts_of_before_keep_what_they_spent_and_learn_their_people(
    ledger_place: Place, cluster: Cluster
) -> None:
    of_version_6(ledger_place, cluster)
    ledger, one, two = Ledger(ledger_place), "a" * 32, "b" * 32
    head = ledger.check().head
    assert ledger.check().holds
    before = [ledger.account(digest) for digest in (one, two)]
    assert [(a.epsilon, a.delta, a.budget_epsilon, a.adding, a.title, a.n_datasets) for a in before] == [
        (0.75, 1e-6, 2, "sum", None, 1),
        (1.5, 0, 9, "concentrated", None, 1),
    ]
    assert [a.state for a in before[0].approvals + before[1].approvals] == ["asked", "used"]
    assert ledger.limit() == 1.0
    assert not ledger.knows_people()
    assert reserved(ledger, one, ALL) == before[0].name
    assert (
        reserved(ledger, "c" * 32, LESS) == before[0].name
    )  # the first release since then told of its people
    assert reserved(ledger, two, LESS, 0.1) == before[1].name  # has its own account from before, and keeps it
    assert ledger.knows_people()
    assert ledger.account(one).epsilon == 1.75
    assert ledger.check(head).holds


def test_looking_for_an_account_makes_no_ledger(ledger: Ledger, tmp_path: Path) -> None:
    chosen, account = ledger.chosen_account("a", people=ALL, wish=AccountWish(title="cards"))
    assert (chosen.account, chosen.title, account.entries) == ("", "cards", ())
    assert not ledger.knows_people()
    assert not ledger.is_there
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("title", ["", "  ", "x" * 81, "a\x01b", "a\u202eb", "AB" * 16])
def test_what_is_no_name_of_an_account_is_refused_iv(title: str) -> None:
    with pytest.raises(ParameterError, match=r"^account must be a name of 1 to 80 characters"):
        require_title(title)


def test_people_in_the_account_that_pays_are_not_told_of_as_if_they_were_elsewhere(tmp_path: Path) -> None:
    """Data that was charged before anybody's people were known, and shares its account with data of the same people."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    first = reserved(ledger, "a", None, title="transit cards")
    assert reserved(ledger, "b", ALL, title="transit cards") == first
    reserved(ledger, "c", HALF, title="bicycles", is_new=True)
    chosen, _ = ledger.chosen_account("a", people=LESS)
    assert (chosen.account, [one.title for one in chosen.shares]) == (first, ["bicycles"])


def test_numbered_people_whose_first_rows_differ_get_an_account_of_their_own_and_that_is_said(
    ledger: Ledger,
) -> None:
    """The same 50 people, read with another time zone: every first row lies an hour later."""

    def numbered(shift: int) -> PeopleDigests:
        rows = (f"{n}|2026-03-02 {8 + n % 9 + shift:02d}:{n:02d}" for n in range(50))
        return people(range(50), first_rows=rows, running=True)

    # The first has no other to be mistaken for.
    assert not ledger.chosen_account("a", people=numbered(0))[0].unsure
    first = reserved(ledger, "a", numbered(0), title="cards")
    said: list[str] = []
    ledger.told = said.append
    assert reserved(ledger, "b", numbered(0)) == first
    said.clear()
    chosen, _ = ledger.chosen_account("c", people=numbered(1))
    assert chosen.unsure
    assert reserved(ledger, "c", numbered(1)) != first
    assert len(said) == 1
    assert "running numbers, by which nobody is known again" in said[0]
    assert said[0].endswith("name it (--account; `ledger accounts` lists them).")
    said.clear()
    assert reserved(ledger, "d", numbered(2), title="cards") == first  # named, it is charged there
    reserved(ledger, "e", numbered(3), title="phones", is_new=True)  # the steward says that they are others
    assert not said
    assert not ledger.chosen_account("f", people=people("uvw"), wish=AccountWish(is_new=True))[0].unsure


@pytest.mark.parametrize("which", ["here", "there"])
def test_running_numbers_on_either_side_leave_it_open_who_people_are(which: str, tmp_path: Path) -> None:
    """A number names nobody, whether it stands in the data or in what the ledger knows."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    there, here = (replace(one, running=side == which) for one, side in ((ALL, "there"), (OTHERS, "here")))
    reserved(ledger, "a", there)
    chosen, _ = ledger.chosen_account("b", people=here)
    assert chosen.unsure
    assert not chosen.is_known


def test_what_an_older_ledger_knows_by_another_digest_is_known(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    spent = reserved(ledger, "old", None)
    chosen, account = ledger.chosen_account("new", earlier_digest="old")
    assert chosen.is_known
    assert account.epsilon == ledger.account("new", "old").epsilon == 0.5
    assert [one.account for one in account.entries] == [spent]
    assert ledger.account("new").epsilon == 0
    ledger.rename_account(spent, "cards")
    ledger.reserve_budget("new", epsilon=0.5, delta=0, what="", earlier_digest="old")
    assert (ledger.account("new").epsilon, ledger.account("new").title) == (1.0, "cards")
    assert ledger.check().holds


def test_people_with_names_of_their_own_are_sure_to_be_others(ledger: Ledger) -> None:
    reserved(ledger, "a", ALL)
    assert not ledger.chosen_account("x", people=OTHERS)[0].unsure


def test_few_people_out_of_a_large_account_get_one_of_their_own_and_that_is_said(ledger: Ledger) -> None:
    """Of 200,000 people 1,024 are kept: of 60 of them a third of one on average, of 20,000 about a hundred, who are known again."""
    city = reserved(ledger, "city", people(range(200_000)), title="cards")
    said: list[str] = []
    ledger.told = said.append
    assert reserved(ledger, "pilot", people(range(100, 160))) != city
    assert len(said) == 1
    assert said[0].startswith(
        "Too few of this data's people can be looked for in the account “cards” to tell whether they are there"
    )
    assert said[0].endswith("name it (--account; `ledger accounts` lists them).")
    said.clear()
    assert reserved(ledger, "quarter", people(range(20_000))) == city
    assert "this data is charged to the account “cards”" in said[0].lower()
    said.clear()
    assert (
        reserved(ledger, "second pilot", people(range(200, 260)), title="cards") == city
    )  # named, it is charged there
    reserved(
        ledger, "third", people(range(30_100, 30_160)), is_new=True
    )  # the steward says that they are others
    reserved(ledger, "elsewhere", people(range(500_000, 520_000)))  # enough to be sure that they are others
    assert not said


def test_a_name_that_another_account_has_is_given_to_no_second_one_iv(tmp_path: Path) -> None:
    """Who names it afterwards would not know which account pays."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    reserved(ledger, "a", ALL, title="cards")
    reserved(ledger, "x", OTHERS, title="phones")
    for title in ("cards", "CARDS", " cards "):
        with pytest.raises(ParameterError, match="title must be one that no other account has"):
            ledger.rename_account("phones", title)
    assert sorted(str(one.title) for one in ledger.accounts()) == ["cards", "phones"]
