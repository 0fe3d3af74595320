"""When Gaussian noise is offered: each condition of the offer alone, by hand."""

from dataclasses import replace

import pytest

from privlab.lab import more_with_gaussian_noise
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
