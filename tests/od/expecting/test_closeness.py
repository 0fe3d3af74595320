"""How likely a published count is near the true one, and its moments: against the noise's own law, summed count by count."""

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats

from privlab.dp.gaussian.discrete_gaussian import UNITS
from privlab.od.expecting.closeness import (
    chance_close,
    expected_square_errors,
    integer_counts_above,
    normal_moments_above,
)


@pytest.mark.parametrize(("threshold", "factor"), [(0, 1.0), (9, 1.0), (13, 1.0), (0, 0.8)])
def test_rounded_gaussian_counts_near_the_truth_against_a_sum_over_counts(
    threshold: int, factor: float
) -> None:
    """Of 12 people weights leave 11; the noise has a deviation of 1.5 trips, and what is published is rounded."""
    law = scipy.stats.norm(11.0, 1.5)
    near = [
        count
        for count in range(-20, 60)
        if abs(factor * count - 12) <= 0.1 * 12 and count >= (threshold or -99)
    ]
    expected = sum(law.cdf(count + 0.5) - law.cdf(count - 0.5) for count in near)
    found = chance_close(
        np.array([12]),
        np.array([11.0]),
        None,
        noise="gaussian",
        scale=1.5 * UNITS,
        threshold=threshold,
        factor=factor,
    )
    assert found == pytest.approx([expected], rel=1e-9)


@pytest.mark.parametrize(("scale", "factor"), [(0.5, 1.0), (3.0, 1.0), (3.0, 1.25)])
def test_integer_counts_near_the_truth_against_a_sum_over_counts(scale: float, factor: float) -> None:
    """Each whole number n of noise has the chance (1 − a)/(1 + a) · a^|n|, a = e^(−1/scale)."""
    a = np.exp(-1 / scale)
    noise = np.arange(-400, 401)
    chance = (1 - a) / (1 + a) * a ** np.abs(noise)
    near = (np.abs(factor * (20 + noise) - 22) <= 2.2 + 1e-9) & (20 + noise >= 19)
    found = chance_close(
        np.array([22]), np.array([20.0]), None, noise="integer", scale=scale, threshold=19, factor=factor
    )
    assert found == pytest.approx([chance[near].sum()], rel=1e-9)


@pytest.mark.parametrize(("threshold", "factor"), [(0, 1.0), (37, 1.0), (60, 1.0), (0, 1.4)])
def test_integer_counts_under_a_bound_near_the_truth_against_a_sum_over_both(
    threshold: int, factor: float
) -> None:
    """What a bound leaves of 40 people is taken to be normal, mean 30 and variance 6; the chances of both are added up."""
    noise, left = np.arange(-400, 401), np.arange(0, 41)
    a = np.exp(-1 / 4.0)
    chance = (1 - a) / (1 + a) * a ** np.abs(noise)
    kept = np.diff(scipy.stats.norm(30.0, 6**0.5).cdf(np.arange(-0.5, 41)))
    count = left[:, None] + noise
    near = (np.abs(factor * count - 40) <= 4 + 1e-9) & (count >= (threshold or -999))
    found = chance_close(
        np.array([40]),
        np.array([30.0]),
        np.array([6.0]),
        noise="integer",
        scale=4.0,
        threshold=threshold,
        factor=factor,
    )
    assert found == pytest.approx([kept @ (near * chance).sum(axis=1)], abs=2e-3)


@pytest.mark.parametrize("threshold", [0, 1, 2, 4])
@pytest.mark.parametrize(
    "chances",
    [
        [0.05],
        [1.0, 0.05],
        [0.02] * 40,
        [0.5, 0.5],
        [1.0, 0.5, 0.25],
        [1.0] * 3 + [0.2] * 6,
        [0.7] * 12,
        [1.0] * 5,
    ],
)
def test_integer_counts_of_few_people_under_a_bound_against_each_way_they_are_counted(
    chances: list[float], threshold: int
) -> None:
    """How many of them are counted is added up person by person: whoever has few trips for certain, others rarely."""
    scale, n = 0.4, len(chances)
    left = np.ones(1)
    for chance in chances:
        left = np.append(left * (1 - chance), 0) + np.append(0, left * chance)
    noise = np.arange(-60, 61)
    a = np.exp(-1 / scale)
    count = np.arange(n + 1)[:, None] + noise
    both = left[:, None] * (1 - a) / (1 + a) * a ** np.abs(noise)
    shown = both * ((count >= threshold) if threshold else True)
    p = np.array(chances)
    people, mean, spread = np.array([n]), np.array([p.sum()]), np.array([p @ (1 - p)])
    near = chance_close(people, mean, spread, noise="integer", scale=scale, threshold=threshold)
    assert near == pytest.approx([shown[np.abs(count - n) <= 0.1 * n].sum()], abs=0.005)
    square = expected_square_errors(people, mean, spread, noise="integer", scale=scale, threshold=threshold)
    assert square == pytest.approx([(shown * (count**2 - 2 * n * count)).sum() + n**2], rel=0.002)
    if threshold:
        found = integer_counts_above(people, mean, spread, scale=scale, threshold=threshold)
        assert np.ravel(found) == pytest.approx([shown.sum(), (shown * count).sum()], rel=0.05, abs=0.002)


def test_a_count_s_chance_hangs_on_no_other_count() -> None:
    """Of one alone, of many in blocks, and of counts so far apart that no table of the noise's tail is made."""
    people = np.array([1, 5, 40, 700, 12_000_000, 0])
    mean, spread = people * 0.7, people * 0.21

    def found(part: slice | npt.NDArray[np.int64], threshold: int) -> npt.NDArray[np.float64]:
        return chance_close(
            people[part], mean[part], spread[part], noise="integer", scale=8.0, threshold=threshold
        )

    for threshold in (0, 3, 900):
        alone = np.concatenate([found(slice(i, i + 1), threshold) for i in range(people.size)])
        assert found(slice(None), threshold) == pytest.approx(alone, rel=1e-12, abs=1e-15)
        many = np.arange(30_000) % 4
        assert found(many, threshold) == pytest.approx(alone[many], rel=1e-12, abs=1e-15)
    assert found(slice(0, 0), 0).size == 0


@pytest.mark.parametrize(("threshold", "within"), [(0, 2e-4), (3, 3e-4), (12, 2e-3)])
def test_moments_of_rounded_normal_counts_against_a_sum_over_counts(threshold: int, within: float) -> None:
    """A number rounded to whole trips has a twelfth more variance, where the deviation is a few trips or more."""
    law, counts = scipy.stats.norm(5.0, 8.0), np.arange(-100, 111)
    chance = law.cdf(counts + 0.5) - law.cdf(counts - 0.5)
    kept = counts >= threshold if threshold else np.ones(counts.size, dtype=bool)
    once, twice = normal_moments_above(np.array([5.0]), np.array([8.0]), threshold)
    assert once == pytest.approx([(chance * counts)[kept].sum()], rel=2e-3)
    assert twice == pytest.approx([(chance * counts**2)[kept].sum()], rel=within)
