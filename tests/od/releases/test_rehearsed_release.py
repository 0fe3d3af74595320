"""Rehearsed releases are releases: the same steps, the same law from a seed, and nothing that could be published."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare, norm

from privlab.od.releases import secure_release
from privlab.od.releases.rehearsed_release import (
    RehearsedSteps,
    rehearsed_counts_from_settled_trips,
    seeded_gaussian,
    seeded_laplace,
    seeded_steps,
)
from privlab.od.releases.release_noise import ReleaseNoise
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import (
    SecureRelease,
    bounded_counts_from_week,
    secure_release_from_settled_trips,
)
from tests.od.by_hand import WEEK, settled, trips_of

PEOPLE = [[1, 2, 3], [1], [2, 7], [1, 2]]


def plan_of(**said: Any) -> secure_release.ReleasePlan:
    parameters = SecureReleaseParameters(**({"epsilon": 1.0, "max_trips_per_user": 2, "threshold": 2} | said))
    public = None if parameters.cells == "discovered" else list(range(4))
    return release_plan_from_parameters(parameters, weeks=[WEEK], zones_spec="column", public_zones=public)


@pytest.mark.parametrize("cells", ["public", "discovered"])
def test_without_noise_and_choice_both_ways_publish_the_same_rows(
    cells: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The release's own function with its noise taken away, and the rehearsal with none: cell by cell alike."""
    none = ReleaseNoise(units=1, record={"scale": 1.0}, noisy=lambda counts: counts)
    monkeypatch.setattr("privlab.od.releases.release_noise.release_noise_from_parameters", lambda _: none)
    plan, trips = plan_of(max_trips_per_user=5, cells=cells), settled(trips_of(PEOPLE, range(4)))
    steps = RehearsedSteps(bounded=bounded_counts_from_week, noise=none)
    made, rehearsed = (
        secure_release_from_settled_trips(trips, plan),
        rehearsed_counts_from_settled_trips(trips, plan, steps),
    )
    for name in ("week", "count"):
        assert getattr(made, name).tolist() == getattr(rehearsed, name).tolist()
    for name in ("origin", "destination"):
        assert made.cell[name].tolist() == rehearsed.cell[name].tolist()
    assert rehearsed.count.tolist() == [3, 3]  # 0→1 and 0→2 alone reach the threshold
    assert not isinstance(rehearsed, SecureRelease)


def test_seeded_laplace_follows_the_discrete_law() -> None:
    """P(x) = (1 − a)/(1 + a)·a^|x|, a = e^{−1/scale}."""
    drawn = seeded_laplace(2.0, np.random.default_rng(1)).noisy(np.full(40_000, 3, dtype=np.int64)) - 3
    a, x = np.exp(-0.5), np.arange(-9, 10)
    expected = 40_000 * (1 - a) / (1 + a) * a ** np.abs(x)
    seen = [(drawn == one).sum() for one in x]
    rest = [40_000 - sum(seen)], [40_000 - expected.sum()]
    assert chisquare([*seen, *rest[0]], [*expected, *rest[1]]).pvalue > 1e-6
    assert drawn.dtype == np.int64


def test_seeded_gaussian_is_rounded_to_whole_trips() -> None:
    drawn = (
        seeded_gaussian(2 * 1024.0, np.random.default_rng(1)).noisy(np.full(40_000, 5 * 1024, dtype=np.int64))
        - 5
    )
    x = np.arange(-6, 7)
    expected = 40_000 * (norm.cdf(x + 0.5, scale=2) - norm.cdf(x - 0.5, scale=2))
    seen = [(drawn == one).sum() for one in x]
    rest = [40_000 - sum(seen)], [40_000 - expected.sum()]
    assert chisquare([*seen, *rest[0]], [*expected, *rest[1]]).pvalue > 1e-6


def test_the_seeded_choice_keeps_as_many_as_the_bound_each_as_likely_as_any() -> None:
    """One user with four trips under a bound of two: each trip is kept in half of the cases."""
    parameters = plan_of().parameters
    steps = seeded_steps(parameters, np.random.default_rng(3))
    kept = np.zeros(16, dtype=int)
    for _ in range(2_000):
        cells, count = steps.bounded(np.zeros(4, np.int32), np.array([1, 2, 3, 7]), 4, parameters)
        assert count.tolist() == [1, 1]
        kept[cells] += 1
    assert chisquare(kept[[1, 2, 3, 7]]).pvalue > 1e-6


def test_the_same_seed_gives_the_same_counts() -> None:
    plan, trips = plan_of(threshold=0), settled(trips_of(PEOPLE, range(4)))
    made = [
        rehearsed_counts_from_settled_trips(
            trips, plan, seeded_steps(plan.parameters, np.random.default_rng(seed))
        )
        for seed in (1, 1, 2)
    ]
    assert made[0].count.tolist() == made[1].count.tolist() != made[2].count.tolist()
