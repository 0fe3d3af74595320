"""What an account keeps whatever is done later: its people, its name, the datasets it is of, and what was approved for it."""

import hashlib
import math
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import dp_accounting
import numpy as np
import pytest
from dp_accounting import rdp

from privlab.datasets import PeopleDigests, people_digests_from_dataset, read_dataset
from privlab.datasets.engines import Workspace
from privlab.releases.accounts.account_choice import AccountWish
from privlab.releases.accounts.accounts import (
    BudgetChange,
    BudgetExceeded,
    LedgerEntry,
    account_from_rows,
)
from privlab.releases.accounts.approvals import ApprovalNeeded
from privlab.releases.accounts.entry_costs import cost_from_entry
from privlab.releases.accounts.shared_people import is_open, number_of_people
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_places import Place
from tests.releases.accounts.test_accounts import ALL, LESS, OTHERS, reserved
from tests.releases.accounts.test_shared_people import people


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


def test_people_who_are_known_are_not_taken_back_by_another_look_at_the_same_file(ledger: Ledger) -> None:
    """Read by another column the same bytes name other people: those of the first release have paid, and are known again."""
    first = reserved(ledger, "a", ALL)
    assert reserved(ledger, "a", OTHERS) == first
    assert ledger.people_of_accounts() == {first: [ALL]}
    assert reserved(ledger, "b", LESS) == first
    assert ledger.account("b").epsilon == 1.5


def test_of_two_accounts_that_have_names_the_one_that_takes_all_keeps_its_own(ledger: Ledger) -> None:
    reserved(ledger, "a", ALL, title="cards")
    phones = reserved(ledger, "b", OTHERS, title="phones")
    merged = ledger.merge_accounts("cards", "phones")
    assert (merged.name, merged.title, merged.epsilon, merged.n_datasets) == (phones, "phones", 1.0, 2)
    assert ledger.check().holds


def test_a_dataset_of_whose_people_nothing_is_known_counts_among_those_of_its_account(ledger: Ledger) -> None:
    """It has entries alone until another one joins it."""
    first = reserved(ledger, "a", None)
    ledger.rename_account(first, "cards")
    assert reserved(ledger, "b", None, title="cards") == first
    assert ledger.account_named("cards").n_datasets == 2


def test_an_approval_is_of_the_account_that_pays(ledger: Ledger) -> None:
    """A file that will be charged to an account which it is not in yet: what is asked for stands there, and is found there."""
    cards = reserved(ledger, "a", None, title="cards")
    ledger.set_limit(0.4)
    asked = ledger.ask_approval("b", epsilon=0.5, delta=0, what="", who="anna", account=cards)
    assert asked.account == cards
    ledger.approve(asked.number, who="ben")
    with pytest.raises(ApprovalNeeded):  # of an account of its own nobody has asked
        ledger.reserve_budget("b", epsilon=0.5, delta=0, what="", who="anna")
    entry = ledger.reserve_budget(
        "b", epsilon=0.5, delta=0, what="", who="anna", wish=AccountWish(title="cards")
    )
    assert entry.account == cards
    assert [one.state for one in ledger.account("b").approvals] == ["used"]


@pytest.mark.parametrize("adding", ["sum", "concentrated"])
def test_a_thousandth_above_a_budget_is_above_it(adding: str) -> None:
    """What is off by adding up numbers of a computer is far less: 0.1 + 0.2 is not beyond 0.3. With a δ, however small, ρ alone counts."""
    spent = LedgerEntry(
        number=1, account="a", made="", epsilon=0.1, delta=1e-15, what="", salt=None, keyed_digest="", certificate=None,
        failure=None,
    )  # fmt: skip
    cost = cost_from_entry(0.2, 0.0, "")
    # By ρ: of the two promises 0.1²/2 and 0.2²/2 together, turned into ε by dp-accounting.
    peer = rdp.RdpAccountant(orders=[1 + 10**order for order in np.linspace(-2, 4, 2_000)])
    peer.compose(dp_accounting.GaussianDpEvent(1 / math.sqrt(2 * 0.025)))
    whole = 0.3 if adding == "sum" else peer.get_epsilon(1e-6)
    for budget, fits in ((whole * 1.00001, True), (whole / 1.0005, False)):
        change = BudgetChange(made=None, epsilon=budget, delta=1e-6, adding=adding)
        account = account_from_rows("a", [spent], [[change]])
        assert (account.reason_against(cost) is None) == fits
    just = BudgetChange(made=None, epsilon=0.3, delta=0.0)
    assert account_from_rows("a", [spent], [[just]]).reason_against(cost) is None


def test_what_costs_no_delta_fits_into_a_budget_that_has_none_left(ledger: Ledger) -> None:
    """The budget was set anew below what is spent: a release that needs a δ is refused, one that needs none is not."""
    ledger.reserve_budget("a", epsilon=0.5, delta=1e-6, what="")
    ledger.set_budget("a", epsilon=2, delta=1e-7)
    with pytest.raises(BudgetExceeded, match=r"^delta must be at most 0,"):
        ledger.reserve_budget("a", epsilon=0.5, delta=1e-9, what="")
    assert ledger.reserve_budget("a", epsilon=0.5, delta=0, what="").epsilon == 0.5
    with pytest.raises(BudgetExceeded, match=r"^epsilon must be at most 1,"):
        ledger.reserve_budget("a", epsilon=1.001, delta=0, what="")


def test_a_budget_that_goes_with_its_account_was_set_once(ledger: Ledger) -> None:
    """Nobody set one when the two became one: the record names who did, and when."""
    cards = reserved(ledger, "a", ALL, title="cards")
    reserved(ledger, "b", OTHERS, title="phones")
    ledger.set_budget_of_account(cards, epsilon=3, delta=0, who="anna")
    merged = ledger.merge_accounts("cards", "phones", who="ben")
    assert merged.budget_epsilon == 3
    assert [one.who for one in merged.budget_changes] == ["anna"]


def test_no_entry_gets_the_number_of_one_that_was_taken_out_of_the_file(ledger: Ledger) -> None:
    """The chain knows it still, whatever was written since: its certificate was noted, and who reads of entry 1 means that one."""
    entry = ledger.reserve_budget("a", epsilon=0.5, delta=0, what="")
    ledger.record_certificate(entry.number, "c" * 64)
    ledger.set_budget("a", epsilon=3, delta=0)
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute("DELETE FROM entry")
    assert ledger.reserve_budget("a", epsilon=0.5, delta=0, what="").number == entry.number + 1
    assert ledger.check().faults == ("Entry 1 was removed.",)


def test_of_two_accounts_that_hold_the_same_people_either_may_pay(ledger: Ledger) -> None:
    """The second one was opened for others, as it was said: whose data this is the steward says, too."""
    cards = reserved(ledger, "a", ALL, epsilon=2, title="cards")
    phones = reserved(ledger, "b", ALL, title="phones", is_new=True)
    assert phones != cards
    assert reserved(ledger, "c", LESS, title="phones") == phones
    assert reserved(ledger, "d", LESS, title="cards") == cards


def test_of_a_handful_out_of_thousands_it_stays_open_whether_they_are_there() -> None:
    """Of 20,000 people the ledger keeps a twentieth: of 40 others two or so can be looked for, and half of all may be there for all that."""
    many, few = people(range(20_000)), people(range(50_000, 50_040))
    looked_for = sum(one <= many.by_id[-1] for one in few.by_id)
    assert 1 <= looked_for <= 4  # the upper end of none among so many is above one half: 1 − 0.025^(1/n)
    assert is_open(few, [many])
    # Of a thousand some fifty can: none of them there is less than half of all.
    assert not is_open(people(range(50_000, 51_000)), [many])


def test_people_of_padded_ids_in_a_ledger_of_before_are_known_again_and_their_budget_holds(
    ledger_place: Place, tmp_path: Path
) -> None:
    """It has SHA-256 of the ids as they were written (until 29 November 2026), here worked out by hand; the later file is another month."""
    ledger, path, cards = (
        Ledger(ledger_place),
        tmp_path / "april.csv",
        [f"{83_417 * n:010d}" for n in range(1, 60)],
    )
    key = ledger.people_key()
    rows = [f"{card},2026-04-06 {hour:02d}:00,{hour}" for card in cards for hour in (8, 9)]
    path.write_text("\n".join(["user,time,zone", *rows]))
    with Workspace() as workspace:
        april = people_digests_from_dataset(read_dataset(path, workspace=workspace), key)

    def digests(texts: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(hashlib.sha256(f"{key}|{text}".encode()).hexdigest()[:16] for text in texts))

    kept = PeopleDigests(
        by_id=digests(cards),
        by_first_row=digests(f"{card}|2026-03-02 08:00" for card in cards),
        running=False,
    )
    ledger.reserve_budget("march", epsilon=0.5, delta=0, what="", people=kept)
    ledger.set_budget("march", epsilon=0.75, delta=0)
    with pytest.raises(BudgetExceeded, match=r"at most 0\.25"):
        ledger.reserve_budget("april", epsilon=0.5, delta=0, what="", people=april)
    one = ledger.reserve_budget("april", epsilon=0.25, delta=0, what="", people=april)
    assert one.account == ledger.account("march").name
    assert number_of_people(ledger.people_of_accounts()[one.account]).n == len(cards)
    # A file of May that writes the same cards without zeros is known again by the list of April.
    may = PeopleDigests(
        by_id=digests(card.lstrip("0") for card in cards), by_first_row=digests(cards), running=False
    )
    with pytest.raises(BudgetExceeded):
        ledger.reserve_budget("may", epsilon=0.1, delta=0, what="", people=may)
    assert ledger.check().holds
