"""How a budget counts releases, by sums or in ρ: by hand and against the closed forms."""

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from privlab.checks import ParameterError
from privlab.dp.composing import Concentrated, epsilon_from_concentrated
from privlab.releases.accounts.entry_costs import Cost, cost_from_entry
from privlab.releases.ledger.ledger import BudgetExceeded, Ledger


def what(epsilon: float, bound: int, weeks: tuple[str, ...], **more: object) -> str:
    """Return what a ledger says of a release."""
    parameters = {
        "epsilon": epsilon,
        "max_trips_per_user": bound,
        "threshold": 20,
        "cells": "public",
        **more,
    }
    return json.dumps({"parameters": parameters, "weeks": weeks, "zones": "column"})


def spend(ledger: Ledger, epsilon: float, bound: int, *weeks: str, **more: object) -> None:
    delta = float(more.get("delta", 0.0))  # type: ignore[arg-type]
    said = what(epsilon, bound, weeks, **more)
    ledger.reserve_budget("a", epsilon=epsilon * len(weeks), delta=delta * len(weeks), what=said)


def rho_of(ledger: Ledger) -> float:
    entries = ledger.account("a").entries
    return sum(cost_from_entry(one.epsilon, one.delta, one.what).concentrated.rho for one in entries)


def test_integer_releases_count_by_their_cells(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    for weeks in (("2026-03-02",), ("2026-03-09",), ("2026-03-16", "2026-03-23")):
        spend(ledger, 0.5, 10, *weeks)
    assert rho_of(ledger) == pytest.approx(4 * 0.5**2 / (2 * 10))


def test_gaussian_entries_count_by_their_noise_and_need_no_delta_of_their_own(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    for week in range(20):
        spend(ledger, 0.3, 10, f"week {week}", noise="gaussian", clip="l2", delta=1e-6)
    # Twenty weeks of the same noise: the square root of twenty, and not twenty, times one week's ε.
    found = epsilon_from_concentrated(Concentrated(rho=rho_of(ledger)), 1e-6)
    assert 0.3 * math.sqrt(20) < found < 0.3 * math.sqrt(20) * 1.25


@pytest.mark.parametrize(
    "said",
    [
        "not JSON",
        "{}",
        what(0.5, 10, ("2026-03-02",)),  # another ε than the entry's
        what(1.0, 10, ("2026-03-02",), noise="gaussian", clip="l2", delta=1e-3),  # more δ than the entry's
        # One week's δ for two weeks.
        what(0.5, 10, ("2026-03-02", "2026-03-09"), noise="gaussian", clip="l2", delta=1e-7),
        what(1.0, 10, ("2026-03-02",), noise="unheard of"),
    ],
)
def test_an_entry_that_says_nothing_sound_counts_as_its_epsilon_and_delta(said: str) -> None:
    cost = cost_from_entry(1.0, 1e-7, said)
    assert cost.concentrated == Concentrated(rho=0.5, delta=1e-7)


def test_a_budget_in_rho_lasts_a_year_where_the_sum_ends_in_the_eighth_week(tmp_path: Path) -> None:
    by_sum, by_rho = Ledger(tmp_path / "sum.sqlite"), Ledger(tmp_path / "rho.sqlite")
    by_sum.set_budget("a", epsilon=2, delta=1e-6)
    by_rho.set_budget("a", epsilon=2, delta=1e-6, adding="concentrated")
    # docs/science.md 5.3: L = 20, 52 weeks, ε = 2 in all: 0.2604 a week.
    for week in range(7):
        spend(by_sum, 0.2604, 20, f"week {week}")
    with pytest.raises(BudgetExceeded, match=r"^epsilon must be at most 0\.1772"):
        spend(by_sum, 0.2604, 20, "week 7")
    for week in range(52):
        spend(by_rho, 0.2604, 20, f"week {week}")
    with pytest.raises(BudgetExceeded, match=r"come to 2\.021 at delta 1e-06, more than its budget of 2"):
        spend(by_rho, 0.2604, 20, "week 52")
    assert len(by_rho.account("a").entries) == 52
    assert epsilon_from_concentrated(Concentrated(rho=rho_of(by_rho)), 1e-6) <= 2


def test_what_is_spent_of_a_budget_is_what_it_is_held_against_against_theory(tmp_path: Path) -> None:
    """ρ = 1/(2·10) is 1.47 at δ = 10⁻⁶, more than the sum of one release; 20 of ε = 0.2 have ρ = 0.04, less than their sum, 4."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    spend(ledger, 1.0, 10, "2026-03-02")
    assert ledger.account("a").spent_of_budget == 1
    ledger.set_budget("a", epsilon=1.2, delta=1e-6, adding="concentrated")
    assert epsilon_from_concentrated(Concentrated(rho=0.05), 1e-6) > 1.2
    assert ledger.account("a").spent_of_budget == 1
    assert ledger.account("a").reason_against(cost_from_entry(0.2, 0.0, what(0.2, 10, ("x",)))) is None
    assert ledger.account("a").reason_against(cost_from_entry(0.21, 0.0, what(0.21, 10, ("x",)))) is not None
    # With a δ, of however small a release, the sum of ε says nothing at the budget's δ alone.
    small = cost_from_entry(0.01, 1e-9, what(0.01, 10, ("x",), noise="gaussian", clip="l2", delta=1e-9))
    assert ledger.account("a").epsilon_with(small) > 1.47
    other = Ledger(tmp_path / "other.sqlite")
    assert other.account("a").spent_of_budget == 0
    other.set_budget("a", epsilon=3, delta=1e-6, adding="concentrated")
    for week in range(20):
        spend(other, 0.2, 10, f"week {week}")
    many = epsilon_from_concentrated(Concentrated(rho=0.04), 1e-6)
    assert other.account("a").spent_of_budget == pytest.approx(many)
    assert many < 1.5


@pytest.mark.parametrize("delta", [0.01, 0.1])
def test_a_steward_who_chooses_as_the_last_release_came_out_keeps_to_the_budget_by_brute_force(
    delta: float, tmp_path: Path
) -> None:
    """Answers that are right with e^ε/(1 + e^ε): two worlds, every outcome. One more while the budget allows it, ε by the last answer."""
    ledger, budget = Ledger(tmp_path / "ledger.sqlite"), 1.0
    ledger.set_budget("a", epsilon=budget, delta=delta, adding="concentrated")
    account = ledger.account("a")
    chances: list[tuple[float, float, float]] = []

    def go_on(costs: list[Cost], right: float, wrong: float, answer: bool) -> None:
        epsilon = 0.6 if answer and not costs else 0.16 if answer else 0.4
        new = cost_from_entry(epsilon, 0.0, what(epsilon, 1, ("x",)))
        together = account._epsilon_of_all([new, *costs])  # as reason_against holds it to the budget
        if together > budget or len(costs) == 12:
            chances.append((right, wrong, together))
            return
        true = math.exp(epsilon) / (1 + math.exp(epsilon))
        go_on([*costs, new], right * true, wrong * (1 - true), True)
        go_on([*costs, new], right * (1 - true), wrong * true, False)

    go_on([], 1.0, 1.0, True)
    assert sum(one for one, *_ in chances) == pytest.approx(1)
    beyond = sum(max(one - math.exp(budget) * other, 0.0) for one, other, _ in chances)
    assert beyond <= delta


def test_what_fits_is_said_and_fits(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("a", epsilon=2, delta=1e-6, adding="concentrated")
    spend(ledger, 1.0, 10, "2026-03-02")
    account = ledger.account("a")
    for more in ({}, {"noise": "gaussian", "clip": "l2", "delta": 1e-6}):

        def cost_at(epsilon: float, more: dict[str, object] = more) -> Cost:
            delta = float(more.get("delta", 0.0))  # type: ignore[arg-type]
            return cost_from_entry(epsilon, delta, what(epsilon, 10, ("2026-03-09",), **more))

        fitting = account.fitting_epsilon(cost_at, 3.0)
        assert account.reason_against(cost_at(fitting)) is None
        assert account.reason_against(cost_at(fitting * 1.002)) is not None
    other = Ledger(tmp_path / "other.sqlite")
    assert other.account("a").fitting_epsilon(cost_at, 3.0) > 2.99
    other.set_budget("a", epsilon=0.011, delta=0)  # little above the least ε there is
    assert (
        0.0109 < other.account("a").fitting_epsilon(lambda one: cost_from_entry(one, 0.0, ""), 0.5) <= 0.011
    )
    assert other.account("a").fitting_epsilon(lambda one: cost_from_entry(one, 1e-9, ""), 0.5) == 0


def test_one_rule_decides_and_delta_is_not_spent_twice(tmp_path: Path) -> None:
    """A release with a δ that the sum would let through is refused where ρ adds up, and the other way round."""
    gaussian = {"noise": "gaussian", "clip": "l2", "delta": 1e-6}
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("a", epsilon=1.0, delta=1e-6, adding="concentrated")
    with pytest.raises(BudgetExceeded):
        spend(ledger, 1.0, 10, "2026-03-02", **gaussian)
    ledger.set_budget("a", epsilon=1.0, delta=1e-6)
    spend(ledger, 1.0, 10, "2026-03-02", **gaussian)


@pytest.mark.parametrize("budgets", [(2.0, 5.0), (5.0, 2.0)])
def test_the_narrower_budget_stays_whichever_was_set_last(
    budgets: tuple[float, float], tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    for data, epsilon in zip("ab", budgets, strict=True):
        ledger.set_budget(data, epsilon=epsilon, delta=1e-6)
    assert ledger.merge_accounts(ledger.account("a").name, ledger.account("b").name).budget_epsilon == 2.0


def test_two_accounts_that_add_up_by_rho_do_so_when_they_are_one(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    for data, epsilon in (("a", 5.0), ("b", 2.0)):
        ledger.set_budget(data, epsilon=epsilon, delta=1e-6, adding="concentrated")
    merged = ledger.merge_accounts(ledger.account("a").name, ledger.account("b").name)
    assert (merged.budget_epsilon, merged.budget_delta, merged.adding) == (2.0, 1e-6, "concentrated")


@pytest.mark.parametrize("delta", [0.0, 0.9])
def test_a_budget_in_rho_needs_a_delta_that_promises_something_iv(delta: float, tmp_path: Path) -> None:
    """ρ becomes no ε at δ = 0, and one of nearly nothing near 1: either would refuse all, or nothing."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    with pytest.raises(ParameterError, match=r"^delta must be between"):
        ledger.set_budget("a", epsilon=2, delta=delta, adding="concentrated")
    ledger.set_budget("a", epsilon=2, delta=delta)
    assert ledger.account("a").budget_delta == delta


def test_what_is_missing_is_named_apart(tmp_path: Path) -> None:
    """By hand: of ε = 2 and δ = 10⁻⁶, ε = 1.5 and δ = 10⁻⁶ are spent."""
    ledger = Ledger(tmp_path / "ledger.sqlite")
    assert ledger.account("a").missing(cost_from_entry(9.0, 0.5, "")) == (False, False)  # no budget
    ledger.set_budget("a", epsilon=2, delta=1e-6)
    ledger.reserve_budget("a", epsilon=1.5, delta=1e-6, what="")
    account = ledger.account("a")
    assert (account.left_epsilon, account.left_delta) == (0.5, 0.0)
    for epsilon, delta, missing in (
        (0.5, 0.0, (False, False)),
        (0.6, 0.0, (True, False)),
        (0.5, 1e-6, (False, True)),
        (0.6, 1e-6, (True, True)),
    ):
        cost = cost_from_entry(epsilon, delta, "")
        assert account.missing(cost) == missing
        assert (account.reason_against(cost) is not None) == any(missing)
    assert not account.allows_nothing_more
    ledger.set_budget("a", epsilon=1.5, delta=1)
    assert ledger.account("a").allows_nothing_more
    ledger.set_budget("a", epsilon=5, delta=1e-7, adding="concentrated")
    assert ledger.account("a").missing(cost_from_entry(0.1, 0.0, "")) == (False, True)  # 10⁻⁶ is in it


def test_a_ledger_of_before_there_were_rules_keeps_its_budget_and_entries(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite"
    ledger = Ledger(path)
    ledger.set_budget("a", epsilon=3.0, delta=1e-6)
    spend(ledger, 0.5, 10, "2026-03-02")
    before = ledger.account("a")
    with closing(sqlite3.connect(path)) as old, old:  # as ledgers were laid out with two steps
        for table, column in (("budget_change", "adding"), ("budget_change", "who"), ("entry", "who")):
            old.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        old.executescript(
            "DROP TABLE link; DROP TABLE limit_change; DROP TABLE approval; DROP TABLE work; DROP TABLE dataset; DROP TABLE account_title;"
            "CREATE TABLE work (folder TEXT PRIMARY KEY, entry INTEGER)"
        )
        old.execute("PRAGMA user_version = 2")
    old.close()
    after = Ledger(path).account("a")
    assert after == before
    assert after.adding == "sum"
