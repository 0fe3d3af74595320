"""When Gaussian noise is offered: each condition of the offer alone, by hand."""

from dataclasses import replace

import pytest

from privlab.lab.noise_offer import less_error_with_both, more_with_gaussian_noise, worth_a_total
from privlab.od.releases import ReleaseOutlook

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
    found = replace(GAUSSIAN, counted_trips=counted, total_half_width=half_width, n_weeks=n_weeks)
    assert worth_a_total(found) is offered
    assert not worth_a_total(replace(found, published=0.0, made_up=0.0))


def test_wider_noise_is_offered_where_the_limit_takes_more_than_it() -> None:
    """1,000 trips in 100 flows, 10 each. Off with integer noise by (2² + (10·taken)²)^½; with a total by 4/(1 − ½) = 8."""
    with_total = replace(INTEGER, counted_trips=500.0, half_width=4, total_half_width=9)
    assert less_error_with_both(replace(INTEGER, counted_trips=100.0, half_width=2), with_total)  # 9.2
    assert not less_error_with_both(replace(INTEGER, counted_trips=200.0, half_width=2), with_total)  # 8.2
