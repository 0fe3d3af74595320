"""The steps from today's release to the best one: what each decides, and what agreeing with sums of districts does to noise, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from privlab.od.combining.combinations import combination_of_parameters
from privlab.od.levels.levels import Level
from privlab.od.weighing.mechanism_steps import AGREED, STEPS, parameters_of_step
from privlab.od.weighing.weighed_week import weighed_week_from_unique_trips
from tests.od.by_hand import WEEK, trips_of


def test_each_step_adds_what_its_name_says() -> None:
    """Noise, clip, δ, the share of a total and sums of districts; the last is a column of the release with a total."""
    found = {name: parameters_of_step(name, epsilon=1.0, delta=1e-6, bound=3, threshold=1) for name in STEPS}
    assert {
        name: (one.noise, one.clip, one.delta, one.total_share, one.levels) for name, one in found.items()
    } == {
        "integer": ("integer", "keep", 0, 0, 0),
        "gaussian": ("gaussian", "keep", 1e-6, 0, 0),
        "gaussian, l2": ("gaussian", "l2", 1e-6, 0, 0),
        "gaussian, l2, unbiased": ("gaussian", "l2", 1e-6, 0.03, 0),
        "gaussian, l2, unbiased, levels": ("gaussian", "l2", 1e-6, 0.03, 1),
        "gaussian, l2, unbiased, smoothed": ("gaussian", "l2", 1e-6, 0.03, 0),
    }


def test_the_error_of_counts_that_agree_with_sums_is_that_of_least_squares() -> None:
    """Four zones in two districts, 20 people with one trip each in each of the 12 cells: all weigh 1 under L = 2, and all is published.

    Noise on a cell has the variance c, that on a sum s: of n cells least squares leave c − c²/(c·n + s) each.
    """
    cells = [start * 4 + end for start in range(4) for end in range(4) if start != end]
    trips = trips_of([[cell] for cell in cells] * 20, range(4))
    levels = (Level(name="half", of=("n", "n", "s", "s")),)
    week = weighed_week_from_unique_trips(trips, week=WEEK, bounds=[2], levels=levels)
    parameters = replace(
        parameters_of_step(AGREED, epsilon=1.0, delta=1e-6, bound=2, threshold=0), total_share=0.0
    )
    found = combination_of_parameters(week, AGREED, parameters, tolerance=0.1)
    sigma = parameters.guarantee_parameters(1).sigma / 1024
    cell, own = sigma**2 + 1 / 12, 16 * sigma**2 + 1 / 12  # a sum takes a quarter of the weight
    left = {n: cell - cell**2 / (cell * n + own) for n in (2, 4)}
    variance = (4 * left[2] + 8 * left[4]) / 12  # 2 pairs of 2 cells within a half, 2 pairs of 4 between them
    assert found.rmse == pytest.approx(np.sqrt(variance), rel=1e-3)
