"""When Gaussian noise is offered: each condition of the offer alone, by hand."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from privlab.datasets.zones import ZoneMap
from privlab.lab.previewing import offer_in_words
from privlab.lab.previewing.noise_offer import (
    better_releases,
    less_error_with_both,
    more_with_gaussian_noise,
    worth_a_total,
)
from privlab.lab.publishing import release_parameters_from_wishes
from privlab.od import product_of
from privlab.od.expecting import ReleaseOutlook, release_outlook_from_trips
from privlab.od.expecting.level_outlook import LevelOutlook
from privlab.od.releases import ReleasePlan, release_plan_from_parameters
from privlab.od.settled import SettledCells

INTEGER = ReleaseOutlook(
    threshold=10,
    complete=False,
    n_true_flows=100,
    published=50.0,
    made_up=1.0,
    true_trips=1_000,
    published_trips=800.0,
    largest_true=90,
    half_width=20,
    weeks_without_trips=(),
    counted_trips=800.0,
    n_weeks=1,
)
GAUSSIAN = replace(INTEGER, half_width=10, published_trips=850.0)


@pytest.mark.parametrize(
    ("change", "offered"),
    [
        ({}, True),
        ({"half_width": 20}, False),  # no narrower
        ({"published_trips": 799.0}, False),  # fewer trips
        ({"made_up": 49.0}, False),  # mostly false
        ({"published": 0.0, "made_up": 0.0, "published_trips": 800.0}, False),  # nothing is published
        ({"weeks_without_trips": ("2026-03-02",)}, False),
    ],
)
def test_gaussian_noise_is_offered_where_it_gives_more(change: dict[str, object], offered: bool) -> None:
    assert more_with_gaussian_noise(INTEGER, replace(GAUSSIAN, **change)) is offered


@pytest.mark.parametrize(
    ("counted", "half_width", "n_weeks", "offered"),
    [
        (800.0, 99, 1, True),  # 200 of 1,000 trips are lost, the total is 99 off
        (800.0, 101, 1, False),
        (800.0, 60, 2, False),  # of 500 trips a week 100 are lost, and 60 is more than half
        (1_000.0, 1, 1, False),  # nothing is lost
        (800.0, None, 1, False),
    ],
)
def test_a_total_is_offered_where_it_gives_back_twice_what_it_may_be_off(
    counted: float, half_width: int | None, n_weeks: int, offered: bool
) -> None:
    found = replace(GAUSSIAN, counted_trips=counted, given_back_half_width=half_width, n_weeks=n_weeks)
    assert worth_a_total(found) is offered
    assert not worth_a_total(replace(found, published=0.0, made_up=0.0))


def test_wider_noise_is_offered_where_the_limit_takes_more_than_it() -> None:
    """1,000 trips in 100 flows, 10 each. Off with integer noise by (2² + (10·taken)²)^½; with a total by 4/(1 − ½) = 8."""
    with_total = replace(INTEGER, counted_trips=500.0, half_width=4, given_back_half_width=9)
    assert less_error_with_both(replace(INTEGER, counted_trips=100.0, half_width=2), with_total)  # 9.2
    assert not less_error_with_both(replace(INTEGER, counted_trips=200.0, half_width=2), with_total)  # 8.2


ZONES = 30
ON_A_LINE = ZoneMap(
    zones=np.arange(ZONES),
    lat=np.repeat(np.arange(6.0), 5),
    lon=np.tile(np.arange(5.0), 6),
    outlines=(None,) * ZONES,
    names=("",) * ZONES,
)


def gaussian_plan(n_zones: int = ZONES, *, total: bool = True) -> ReleasePlan:
    parameters = release_parameters_from_wishes(
        epsilon=1.0, max_trips_per_user=5, threshold=0, cells="public", noise="gaussian", unbiased=total
    )
    return release_plan_from_parameters(
        parameters, weeks=["2026-03-02"], zones_spec="column", public_zones=range(n_zones)
    )


@pytest.mark.parametrize(
    ("plan", "error", "wider", "offered"),
    [
        (gaussian_plan(), 79.0, 1.05, True),
        (gaussian_plan(), 81.0, 1.05, False),  # hardly nearer
        (gaussian_plan(), 10.0, 1.2, False),  # at too high a price for each flow
        (gaussian_plan(total=False), 10.0, 1.0, False),  # a total is offered first
        (gaussian_plan(26), 10.0, 1.0, False),  # too few zones
    ],
)
def test_sums_of_districts_are_offered_where_they_help(
    plan: ReleasePlan, error: float, wider: float, offered: bool
) -> None:
    found = replace(
        GAUSSIAN,
        complete=True,
        noise_of_cells=wider,
        levels=(LevelOutlook(name="blocks:3", error=error, without_levels=100.0),),
    )
    better = better_releases(plan, GAUSSIAN, lambda other: found if other.levels else None, ON_A_LINE)
    assert [one.kind for one in better] == (["levels"] if offered else [])
    if offered:
        assert offer_in_words(GAUSSIAN, better[0]).startswith(
            "Sums from district to district (3 × 3 blocks of zones)"
        )
        assert len(set(better[0].plan.levels[0].of)) == 9
    assert not better_releases(plan, GAUSSIAN, lambda other: None)


def test_of_visits_the_limit_that_leaves_most_near_the_truth_is_offered_issue_18() -> None:
    """300 people in all 12 zones in each of 5 hours: 60 visits each. A limit of 10 weighs each √(1/6), 80 none."""
    product = product_of("visits")
    user = np.repeat(np.arange(300, dtype=np.int32), 60)
    zone, hour = np.tile(np.repeat(np.arange(12), 5), 300), np.tile(np.arange(5), 12 * 300)
    trips = SettledCells(
        zones=np.arange(12), weeks=("2026-03-02",), week_starts=np.array([0, user.size]), user=user,
        flow=product.cell_of((zone,), hour, 12), product=product,
    )  # fmt: skip

    def plan_of(bound: int) -> ReleasePlan:
        wishes = release_parameters_from_wishes(
            epsilon=10.0,
            max_trips_per_user=bound,
            threshold=20,
            cells="public",
            noise="gaussian",
            product="visits",
        )
        return release_plan_from_parameters(
            wishes, weeks=trips.weeks, zones_spec="column", public_zones=range(12)
        )

    expected = release_outlook_from_trips(trips, plan_of(10))
    assert expected.share_close < 1e-6  # 122 of 300
    (offer,) = better_releases(plan_of(10), expected, lambda one: release_outlook_from_trips(trips, one))
    assert offer.plan.parameters.max_trips_per_user == 80
    sigma = plan_of(80).guarantee.parameters.sigma / 1024
    # Each count is 300 with noise of σ: within 270 to 330 after rounding.
    assert offer.outlook.share_close == pytest.approx(1 - 2 * NormalDist().cdf(-30.5 / sigma), abs=1e-9)
    assert "With a limit of 80 visits of a person" in offer_in_words(expected, offer)
    assert (
        better_releases(plan_of(80), offer.outlook, lambda one: release_outlook_from_trips(trips, one)) == ()
    )
