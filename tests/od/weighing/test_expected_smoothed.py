"""What smoothed counts are expected to be worth, against many draws of the noise, where people go back the way they came."""

import numpy as np
import pytest

from privlab.dp.gaussian import UNITS
from privlab.od.products import FLOWS
from privlab.od.smoothing.margins import margins_of_cells
from privlab.od.smoothing.week_model import smoothed_counts
from privlab.od.weighing.expected_counts import Law
from privlab.od.weighing.expected_smoothed import expected_smoothed_use

N, DEVIATION, TOLERANCE = 30, 40.0, 0.1


@pytest.mark.parametrize("threshold", [0, 60])
def test_expected_and_drawn_where_flows_and_those_back_are_alike(threshold: int) -> None:
    rng = np.random.default_rng(3)
    size = rng.lognormal(0, 0.4, N)
    both = rng.lognormal(0, 0.4, (N, N))
    counts = np.rint(150 * np.outer(size, size) * np.sqrt(both * both.T))
    people = counts[~np.eye(N, dtype=bool)]
    margins = margins_of_cells(FLOWS, N, None)
    law = Law(
        noise="gaussian",
        scale=DEVIATION * UNITS,
        threshold=threshold,
        mean=people,
        spread=None,
        deviation=DEVIATION,
        n_cells=people.size,
    )
    close, error = expected_smoothed_use(people, people, margins, law, TOLERANCE)
    drawn, squares = [], []
    for _ in range(150):
        noisy = np.rint(people + rng.normal(0, DEVIATION, people.size))
        shown = noisy >= threshold if threshold else np.ones(people.size, dtype=bool)
        read = np.where(shown, smoothed_counts(noisy, margins, DEVIATION**2, shown), 0.0)
        drawn.append(people[shown & (np.abs(read - people) <= TOLERANCE * people)].sum() / people.sum())
        squares.append(((read - people) ** 2).sum())
    spread = np.std(drawn) / np.sqrt(150) + np.std(drawn) / np.sqrt(32)
    assert close == pytest.approx(np.mean(drawn), abs=4 * spread)
    assert error == pytest.approx(np.sqrt(np.mean(squares) / people.size), rel=0.03)
