"""A year of releases of data with very many zones: the noise is said, and what it leaves is not worked out."""

import math
from dataclasses import replace

import numpy as np
import pytest

from privlab.lab.planning import noises_of_year, use_of_year
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
