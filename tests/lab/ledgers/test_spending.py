"""What an account has lost in all: from entries as they are written today, and from those that say less."""

import json
from pathlib import Path

import pytest

from privlab.dp.composing import KnownPromise, part_of_promise, spending_from_promises
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import GuaranteeParameters
from privlab.lab.ledgers import spending_from_account
from privlab.releases.ledger import Ledger

# As ledgers hold them since the first release of each kind.
INTEGER = {
    "parameters": {"epsilon": 0.5, "max_trips_per_user": 4, "threshold": 100, "cells": "public"},
    "weeks": ["2026-03-02", "2026-03-09"],
    "zones": "h3:7",
}
GAUSSIAN = {
    "parameters": {
        "epsilon": 0.25, "max_trips_per_user": 10, "threshold": 5, "cells": "public",
        "noise": "gaussian", "clip": "l2", "delta": 1e-6,
    },
    "weeks": ["2026-03-09", "2026-03-16"],
    "zones": "h3:7",
}  # fmt: skip
WEEK_OF_INTEGER = GuaranteeParameters(epsilon=0.5, max_trips_per_user=4)
WEEK_OF_GAUSSIAN = GaussianParameters(epsilon=0.25, delta=1e-6, max_trips_per_user=10)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


def test_releases_of_two_kinds_meet_in_one_week(ledger: Ledger) -> None:
    ledger.reserve_budget("a", epsilon=1.0, delta=0.0, what=json.dumps(INTEGER))
    ledger.reserve_budget("a", epsilon=0.5, delta=2e-6, what=json.dumps(GAUSSIAN))
    found = spending_from_account(ledger.account("a"))
    both = spending_from_promises([WEEK_OF_INTEGER, WEEK_OF_GAUSSIAN], 1e-6)
    all_of_it = spending_from_promises([WEEK_OF_INTEGER] * 2 + [WEEK_OF_GAUSSIAN] * 2, 1e-6)
    assert found.user_week.epsilon == pytest.approx(both.epsilon, rel=1e-9)
    assert found.user.epsilon == pytest.approx(all_of_it.epsilon, rel=1e-9)
    assert (found.user.added_epsilon, found.user.added_delta) == pytest.approx((1.5, 2e-6))
    assert found.user_week.added_epsilon == pytest.approx(0.75)
    assert found.user.epsilon < 1.5
    parts = spending_from_promises(
        [part_of_promise(one, 1) for one in (WEEK_OF_INTEGER, WEEK_OF_GAUSSIAN)], 1e-6
    )
    assert found.trip.epsilon == pytest.approx(parts.epsilon, rel=1e-9)
    assert found.trip.epsilon < found.user_week.epsilon < found.user.epsilon
    assert list(found.by_unit()) == ["user", "user-week", "user-day", "trip"]
    assert found.user.delta == 1e-6


@pytest.mark.parametrize(
    "what",
    ["one", "null", json.dumps({**INTEGER, "weeks": ["2026-03-02"]}), json.dumps({**INTEGER, "weeks": 2})],
)
def test_an_entry_that_does_not_say_how_keeps_its_epsilon_and_delta(ledger: Ledger, what: str) -> None:
    """No details, or details that are not what it cost: the worst that (1, 10⁻³) allows, in every week."""
    ledger.reserve_budget("a", epsilon=1.0, delta=1e-3, what=what)
    ledger.reserve_budget("a", epsilon=1.0, delta=0.0, what=json.dumps(INTEGER))
    found = spending_from_account(ledger.account("a"))
    known = KnownPromise(epsilon=1.0, delta=1e-3)
    week = spending_from_promises([WEEK_OF_INTEGER, known], 1e-6)
    assert found.user_week.epsilon == pytest.approx(week.epsilon, rel=1e-9)
    assert found.user_week.delta == pytest.approx(1e-3 + 1e-6)
    assert found.user.added_epsilon == pytest.approx(2)
    assert found.user.rho is None


def test_nothing_released_costs_nothing_and_a_bare_entry_all_it_says(ledger: Ledger) -> None:
    none = spending_from_account(ledger.account("a")).user
    assert (none.epsilon, none.delta) == (0, 0)
    ledger.reserve_budget("a", epsilon=0.7, delta=0.0, what="")
    found = spending_from_account(ledger.account("a"))
    assert found.user == found.user_week
    assert found.user.epsilon == pytest.approx(0.7, rel=1e-5)  # δ = 10⁻⁶ buys that little


def test_flows_with_a_total_and_sums_and_visits_against_dp_accounting(ledger: Ledger) -> None:
    """All that a release can hold, in one week and two: five cells of discrete Laplace, and two normal laws of what a person adds."""
    from dp_accounting.pld import privacy_loss_distribution as losses

    both = {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "threshold": 5, "cells": "public"}
    flows = {"epsilon": 0.66, "max_trips_per_user": 3, "total_share": 0.03, "levels": 1, **both}
    visits = {"epsilon": 0.5, "max_trips_per_user": 20, "product": "visits", **both}
    integer = {"epsilon": 0.5, "max_trips_per_user": 5, "threshold": 60, "cells": "public"}
    weeks = ["2026-03-02", "2026-03-09"]
    for parameters in (flows, visits, integer):
        what = json.dumps({"parameters": parameters, "weeks": weeks, "zones": "area.geojson"})
        delta = 2 * parameters.get("delta", 0.0)
        ledger.reserve_budget("a", epsilon=2 * parameters["epsilon"], delta=delta, what=what)
    found = spending_from_account(ledger.account("a"))
    promises = [
        GaussianParameters(
            epsilon=0.66, delta=1e-6, max_trips_per_user=3, total_share=0.03, levels=1, threshold=5
        ),
        GaussianParameters(epsilon=0.5, delta=1e-6, max_trips_per_user=20, counted="visits", threshold=5),
    ]
    law = losses.from_discrete_laplace_mechanism(0.1, value_discretization_interval=1e-4).self_compose(5)
    for one in promises:
        wide = one.sigma / one.greatest_square**0.5
        law = law.compose(losses.from_gaussian_mechanism(wide, value_discretization_interval=1e-4))
    assert found.user_week.epsilon == pytest.approx(law.get_epsilon_for_delta(1e-6), rel=2e-3)
    assert found.user.epsilon == pytest.approx(law.self_compose(2).get_epsilon_for_delta(1e-6), rel=2e-3)
    assert found.user.epsilon < 2 * found.user_week.epsilon < found.user.added_epsilon == pytest.approx(3.32)


def test_a_trip_is_a_visit_at_each_of_its_ends(ledger: Ledger) -> None:
    """Taken out, it changes two counts of visits where it changed one of flows: it costs what two visits of the week cost."""
    visits = {**INTEGER, "parameters": INTEGER["parameters"] | {"product": "visits"}}
    ledger.reserve_budget("a", epsilon=1.0, delta=0.0, what=json.dumps(visits))
    trip = spending_from_account(ledger.account("a")).trip
    one, two = (spending_from_promises([part_of_promise(WEEK_OF_INTEGER, n)], 1e-6) for n in (1, 2))
    assert trip.epsilon == pytest.approx(two.epsilon, rel=1e-9)
    assert trip.epsilon > 1.5 * one.epsilon


def test_of_a_release_that_says_only_what_it_cost_a_day_may_cost_twice_as_much_by_hand(
    ledger: Ledger,
) -> None:
    """(1, 0) to a whole week: all of it out, and all but one day in again."""
    ledger.reserve_budget("a", epsilon=1.0, delta=0.0, what="one")
    found = spending_from_account(ledger.account("a"))
    assert (found.user.added_epsilon, found.user_week.added_epsilon) == (1.0, 1.0)
    assert (found.user_day.added_epsilon, found.trip.added_epsilon) == (2.0, 2.0)


def test_all_is_said_at_the_largest_delta_that_a_week_was_promised(ledger: Ledger) -> None:
    wide = {**GAUSSIAN, "parameters": GAUSSIAN["parameters"] | {"delta": 1e-4}}
    ledger.reserve_budget("a", epsilon=0.5, delta=2e-6, what=json.dumps(GAUSSIAN))
    assert spending_from_account(ledger.account("a")).user.delta == 1e-6
    ledger.reserve_budget("a", epsilon=0.5, delta=2e-4, what=json.dumps(wide))
    assert spending_from_account(ledger.account("a")).user.delta == 1e-4
