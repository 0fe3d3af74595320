"""What the page Plan says of a release beside the wishes, and of one step away, by hand."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from privlab.od.planning import Advice, PlanPoint, PlanRequest
from privlab.ui.planning import plan_offer, plan_page

WISH = PlanRequest(max_accuracy=0.7, min_utility=0.5, max_certainty=0.9, max_cases=0.05)
# With L = 1 trip and ε = 1 the attacker ends 73.1% certain at most, and with ε = 5 99.3%, right in all but 1 of 150 cases.
POINT = PlanPoint(
    epsilon=1.0, max_trips_per_user=1, threshold=20, accuracy=0.68, utility=0.55, clipped=0.3, made_up=1.0
)


def advice_of(*points: PlanPoint) -> Advice:
    return Advice(
        request=WISH, points=points, frontier=points, recommended=None, neighbours=points, best_allowed=None, least_risky=None
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, "accepted"),
        ({"accuracy": 0.7, "utility": 0.5}, "accepted"),
        ({"accuracy": 0.701}, "too risky"),
        ({"utility": 0.499}, "too little use"),
        ({"epsilon": 5.0}, "too certain"),
        ({"epsilon": 5.0, "accuracy": 0.9, "utility": 0.1}, "too risky and too certain and too little use"),
    ],
)
def test_each_wish_that_a_release_misses_is_named(changed: dict[str, float], verdict: str) -> None:
    assert plan_offer.verdict(advice_of(), replace(POINT, **changed)) == verdict


def test_how_far_a_release_is_from_the_wishes_is_what_it_lacks_of_each() -> None:
    """12 of 100 cases too many and 20 of 100 trips too few; more use or less risk than was wished makes up for nothing."""
    advice = advice_of()
    assert plan_offer.shortfall(advice, POINT) == 0
    assert plan_offer.shortfall(advice, replace(POINT, accuracy=0.82, utility=0.3)) == pytest.approx(0.32)
    assert plan_offer.shortfall(advice, replace(POINT, accuracy=0.5, utility=0.4)) == pytest.approx(0.1)
    assert plan_offer.shortfall(advice, replace(POINT, accuracy=0.8, utility=1.0)) == pytest.approx(0.1)


def test_one_step_is_told_from_the_recommended_release_on() -> None:
    more = replace(POINT, epsilon=1.5, accuracy=0.75, utility=0.6, threshold=15)
    assert plan_offer._change(advice_of(), POINT, more) == (
        "**ε = 1.5** (threshold 15): guessed right in 75.0% (+7.0), useful 60.0% (+5.0); too risky."
    )
    wider = replace(POINT, max_trips_per_user=2, accuracy=0.66, utility=0.55, clipped=0.1)
    assert plan_offer._change(advice_of(), POINT, wider) == (
        "**at most 2 trips**: guessed right in 66.0% (−2.0), useful 55.0% (unchanged), and the limit takes 10% of all trips (instead of "
        "30%); accepted."
    )


def test_a_smaller_limit_is_called_riskier_only_where_it_is() -> None:
    """At the same ε, of integer noise, with a smaller limit, and guessed right more often."""
    point = replace(POINT, max_trips_per_user=5)
    riskier = replace(POINT, max_trips_per_user=2, accuracy=0.69)
    assert plan_offer.smaller_is_riskier(point, (riskier,))
    for changed in ({"max_trips_per_user": 8}, {"accuracy": 0.68}, {"epsilon": 0.5}, {"noise": "gaussian"}):
        assert not plan_offer.smaller_is_riskier(point, (replace(riskier, **changed),))


def test_the_file_of_the_frontier_says_the_wishes_and_what_its_shares_are_of(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A verdict is one on wishes, and 0.55 of nothing named may be taken for trips that were counted."""
    given: dict[str, Any] = {}
    monkeypatch.setattr(plan_page.parts, "columns_table", lambda _, **told: given.update(told))
    plan: Any = SimpleNamespace(prepared=SimpleNamespace(name="city"), who="week of W, 5 people", week="W")
    plan_page.frontier_table(plan, advice_of(POINT))
    title, settings, read = given["about"]
    assert title == "Releases that could be made"
    assert settings.startswith("city: week of W, 5 people; max accuracy: 0.7, min utility: 0.5,")
    assert "guessed right: of all cases, about the worst-placed person (a coin: 0.5)" in read
    assert "useful: of all trips, in flows within 10% of the truth" in read
    assert "nothing is drawn" in read
