"""A year of releases of data with very many zones: the noise is said, and what it leaves is not worked out."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privlab.lab.planning import bounds_of_year, noises_of_year, use_of_year
from privlab.od.planning import PlanPoint, PlanRequest
from privlab.od.planning.planner import advice_from_points
from tests.od.by_hand import trips_of


def test_what_a_week_leaves_is_not_worked_out_for_more_flows_than_are_compared() -> None:
    """5,000 zones make 25 million flows, and 4 million are the most; two zones make two."""
    noises = noises_of_year({"integer": 3, "gaussian": 3}, 2.0, delta=1e-6, weeks=52)
    few = trips_of([[1], [1], [1]], range(2))
    asked = {"week": few.weeks[0], "max_made_up": 1.0}
    assert len(use_of_year(few, noises, **asked)) == len(noises)
    assert use_of_year(replace(few, zones=np.arange(5_000)), noises, **asked) == ()


def test_the_ways_to_a_year_stand_in_the_order_of_their_noise_each_under_its_own_limit() -> None:
    """52 weeks of ε = 2 in all: by ε added to ε a week of integer noise has 2/52 for its limit of 3 trips, which is the most noise."""
    noises = noises_of_year({"integer": 3, "gaussian": 5}, 2.0, delta=1e-6, weeks=52)
    deviations = [one.deviation for one in noises]
    assert len(set(deviations)) > 2
    assert deviations == sorted(deviations, reverse=True)
    a = math.exp(-2 / 52 / 3)
    assert deviations[0] == pytest.approx(math.sqrt(2 * a) / (1 - a), rel=1e-6)


def test_the_limit_of_a_year_is_that_of_the_plan_or_of_what_is_nearest_to_it_by_hand() -> None:
    """Nothing is both safe and useful: the most useful of what is safe counts. A law that nothing was planned of has the other's limit."""

    def point(bound: int, accuracy: float, utility: float, noise: str = "integer") -> PlanPoint:
        return PlanPoint(
            epsilon=1, max_trips_per_user=bound, threshold=1, accuracy=accuracy, utility=utility, clipped=0, made_up=0, noise=noise,
            mechanism="integer" if noise == "integer" else "gaussian, l2", delta=0 if noise == "integer" else 1e-6,
        )  # fmt: skip

    wish = PlanRequest(max_accuracy=0.6, min_utility=0.8)
    safe, useful = (point(2, 0.55, 0.2), point(3, 0.59, 0.5)), point(7, 0.8, 0.9)
    assert bounds_of_year(advice_from_points((*safe, useful), wish)) == {"integer": 3, "gaussian": 3}
    assert bounds_of_year(advice_from_points((useful,), wish)) == {"integer": 7, "gaussian": 7}
    both = advice_from_points((*safe, useful, point(20, 0.58, 0.85, "gaussian")), wish)
    assert bounds_of_year(both) == {"integer": 3, "gaussian": 20}
    assert set(bounds_of_year(advice_from_points((), wish))) == {"integer", "gaussian"}
