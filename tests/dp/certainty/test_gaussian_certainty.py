"""Certainty with Gaussian noise: against the normal law, enumeration, and the curve of mean accuracy worked out another way."""

import math

import numpy as np
import pytest
import scipy.stats

from privlab.checks import ParameterError
from privlab.dp.certainty.gaussian_certainty import GaussianQuestion, posterior_law_from_gaussian_question
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, accuracies_from_gaussian_parameters

RELEASE = GaussianParameters(epsilon=2.0, delta=1e-6, max_trips_per_user=5)


@pytest.mark.parametrize("trips", [1, 4, 12])
@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_the_law_against_the_normal_one(trips: int, prior: float) -> None:
    """Of the continuous law the loss is normal, of mean ±m and variance 2m, m = Σa²/2σ²."""
    of_coin = 1 / (1 + math.exp(-2.0))  # asked is what ε claims of who holds both for equally likely
    question = GaussianQuestion(release=RELEASE, trips=trips, prior=prior, above=of_coin)
    law = posterior_law_from_gaussian_question(question)
    weight = 1.0 if trips <= 5 else math.floor(1024 * math.sqrt(5 / trips)) / 1024
    m = trips * weight**2 / (2 * (RELEASE.sigma / 1024) ** 2)
    least = 2.0 - math.log(prior / (1 - prior))
    for found, mean in ((law.certainty.in_above, m), (law.certainty.out_above, -m)):
        assert found == pytest.approx(scipy.stats.norm.sf(least, mean, math.sqrt(2 * m)), rel=2e-3, abs=1e-12)
    right = scipy.stats.norm.sf(-math.log(prior / (1 - prior)), [m, -m], math.sqrt(2 * m))
    accuracy = max(prior * right[0] + (1 - prior) * (1 - right[1]), 1 - prior)
    assert law.certainty.accuracy == pytest.approx(accuracy, abs=1e-5)
    found = scipy.stats.norm.cdf(scipy.stats.norm.ppf(0.01) + math.sqrt(2 * m))
    assert law.certainty.tpr_at[0.01] == pytest.approx(found, rel=1e-3)
    assert law.in_share.sum() == pytest.approx(1)
    assert law.out_share.sum() == pytest.approx(1)
    assert law.certainty.largest == 1.0


def test_what_the_claim_comes_to_from_a_prior_is_the_loss_of_epsilon_itself() -> None:
    """Where nothing is asked, the chance to be beyond the claim hangs on no prior: it is that of a loss beyond ε."""
    found = [
        posterior_law_from_gaussian_question(GaussianQuestion(release=RELEASE, trips=12, prior=prior))
        for prior in (0.01, 0.5, 0.99)
    ]
    assert found[0].certainty.in_above == pytest.approx(found[1].certainty.in_above, rel=1e-6)
    assert found[2].certainty.in_above == pytest.approx(found[1].certainty.in_above, rel=1e-6)


def test_mean_accuracy_is_that_of_the_curve() -> None:
    curve = accuracies_from_gaussian_parameters(RELEASE, 12)
    found = [
        posterior_law_from_gaussian_question(GaussianQuestion(release=RELEASE, trips=k)).certainty.accuracy
        for k in range(13)
    ]
    assert found == pytest.approx(curve.tolist(), abs=1e-9)


def test_nobody_is_certain_of_someone_without_a_trip() -> None:
    law = posterior_law_from_gaussian_question(GaussianQuestion(release=RELEASE, trips=0, prior=0.3))
    assert (law.certainty.in_above, law.certainty.out_above) == (0, 0)
    assert law.certainty.largest == pytest.approx(0.3)
    assert law.in_share[np.searchsorted(law.edges, 0.3, side="left") - 1] == pytest.approx(1)


def test_questions_iv() -> None:
    with pytest.raises(ParameterError, match=r"^trips must be"):
        GaussianQuestion(release=RELEASE, trips=-1)
    with pytest.raises(ParameterError, match=r"^prior must be"):
        GaussianQuestion(release=RELEASE, trips=1, prior=0.0)
