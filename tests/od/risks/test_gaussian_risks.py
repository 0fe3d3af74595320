"""The risk of people in a release with Gaussian noise, against the continuous normal law and the promise."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise.gaussian_guarantee import guarantee_from_gaussian_parameters
from privlab.od.risks import gaussian_risks_from_unique_trips
from tests.od.by_hand import WEEK, trips_of

PEOPLE = [[], [1], [1, 2], [1, 2, 3], list(range(1, 9)), [7]]


@pytest.mark.parametrize(("clip", "moved"), [("l2", [0, 1, 2, 2, 2, 1]), ("keep", [0, 1, 2, 2, 2, 1])])
def test_each_person_against_the_normal_law(clip: str, moved: list[int]) -> None:
    """Best test between two normals that are √(sum of squares) apart: Φ(√s/2σ). Beyond two trips, s stays at two."""
    parameters = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=2, clip=clip)
    found = gaussian_risks_from_unique_trips(trips_of(PEOPLE), parameters, weeks=[WEEK])
    sigma = parameters.sigma / 1024
    np.testing.assert_allclose(found.accuracy, norm.cdf(np.sqrt(moved) / (2 * sigma)), atol=2e-4)
    assert found.n_trips.tolist() == ([0, 1, 2, 3, 8, 1] if clip == "l2" else [0, 1, 2, 2, 2, 1])
    assert found.accuracy[0] == 0.5
    user = guarantee_from_gaussian_parameters(parameters).user
    assert user is not None
    assert found.accuracy.max() <= user.optimal_accuracy
    assert found.share_above_claim == 0
    part = gaussian_risks_from_unique_trips(trips_of(PEOPLE), parameters, weeks=[WEEK], n_people=3)
    assert part.accuracy.tolist() == found.accuracy[:3].tolist()


def test_the_claim_is_that_of_the_stated_epsilon_however_many_weeks() -> None:
    """e^ε/(1 + e^ε) of the ε that is published, as docs/glossary.md has it: 0.731059 for ε = 1; ε = 20 in two weeks is no ε of 40."""
    once = trips_of(PEOPLE)
    twice = {name: np.tile(getattr(once, name), 2) for name in ("user", "flow", "trip_rank")}
    trips = replace(once, **twice, weeks=(WEEK, "2026-03-09"), week_starts=np.arange(3) * once.user.size)
    for epsilon, claim in ((1.0, 0.731059), (20.0, 1.0)):
        parameters = GaussianParameters(epsilon=epsilon, delta=1e-6, max_trips_per_user=2)
        found = gaussian_risks_from_unique_trips(trips, parameters, weeks=trips.weeks)
        assert found.claimed_bound == pytest.approx(claim, abs=5e-7)


def test_whoever_is_alone_in_a_flow_of_two_weeks_is_told_by_both_against_the_law_of_the_noise() -> None:
    """A lone count of one passes a threshold of 1 where the noise is at least a half below none: with p = Φ(½/σ). It is then the only
    one who can have been there, so that two weeks tell of them with 1 − (1 − p)²; a threshold keeps no more than that from the attacker."""
    once = trips_of([[7]])
    twice = {name: np.tile(getattr(once, name), 2) for name in ("user", "flow", "trip_rank")}
    trips = replace(once, **twice, weeks=(WEEK, "2026-03-09"), week_starts=np.arange(3) * once.user.size)
    release = GaussianParameters(
        epsilon=1, delta=1e-6, max_trips_per_user=1, clip="keep", threshold=1, cells="discovered"
    )
    passes = norm.cdf(0.5 * 1024 / release.sigma)
    for weeks in (1, 2, 52):  # those of the promise: who is judged is judged in the weeks that are named
        promise = replace(release, weeks=weeks)
        both = gaussian_risks_from_unique_trips(trips, promise, weeks=trips.weeks)
        one = gaussian_risks_from_unique_trips(trips, promise, weeks=[WEEK])
        assert both.n_alone == one.n_alone == 1
        assert both.accuracy[0] >= 1 - (1 - passes) ** 2 / 2
        assert 1 - (1 - passes) / 2 <= one.accuracy[0] < both.accuracy[0]
