"""What adversaries look at: likelihoods against scipy's laws, the rule by hand, classifiers on toys."""

import numpy as np
import pytest
import scipy.stats

from privlab.aggregates.game.classifiers import scores_from_features
from privlab.aggregates.game.features import (
    Knowledge,
    arms_beyond_prior,
    contradictions_from_aggregates,
    features_from_aggregates,
    likelihoods_from_aggregates,
    scores_with_rule,
)
from privlab.aggregates.game_rules.parameters import (
    ARMS,
    CLASSIFIERS,
    PRIORS,
    ClassifierSettings,
    GameParameters,
)
from privlab.checks import ParameterError


def knowledge(**options: object) -> Knowledge:
    rng = np.random.default_rng(2)
    values = {"presence": rng.random((3, 5)) < 0.4, "share": rng.uniform(0.05, 0.6, (3, 5)), "group_size": 9}
    return Knowledge(**(values | options))


def test_likelihood_against_binomial_laws() -> None:
    known = knowledge()
    aggregates = np.random.default_rng(3).integers(1, 9, size=(20, 3, 5))
    inside = scipy.stats.binom.logpmf(aggregates - known.presence, 8, known.share)
    outside = scipy.stats.binom.logpmf(aggregates, 9, known.share)
    expected = (inside - outside).sum(axis=(1, 2))
    np.testing.assert_allclose(likelihoods_from_aggregates(aggregates, known), expected, rtol=1e-9)


def test_likelihood_under_noise_against_normal_laws() -> None:
    known = knowledge(noise_variance=7.0)
    published = np.random.default_rng(3).normal(3, 4, size=(20, 3, 5))
    deviation = np.sqrt(9 * known.share * (1 - known.share) + 7.0)
    outside = scipy.stats.norm.logpdf(published, 9 * known.share, deviation)
    inside = scipy.stats.norm.logpdf(published, 8 * known.share + known.presence, deviation)
    expected = (inside - outside).sum(axis=(1, 2))
    np.testing.assert_allclose(likelihoods_from_aggregates(published, known), expected, rtol=1e-9)


def test_what_cannot_be_counts_heavily() -> None:
    known = knowledge()
    aggregates = np.full((2, 3, 5), 4)
    aggregates[1, known.presence] = 0
    likely, impossible = likelihoods_from_aggregates(aggregates, known)
    assert impossible < likely - 10


def test_rule_by_hand() -> None:
    presence = np.array([[True, False], [False, True]])
    aggregates = np.array([[[1, 0], [0, 1]], [[0, 5], [5, 5]], [[2, 2], [2, 0]]])
    contradicted = contradictions_from_aggregates(aggregates, presence)
    assert contradicted.tolist() == [False, True, True]
    scores = scores_with_rule(np.array([-3.0, 5.0, 7.0]), contradicted)
    assert scores[0] == -3
    assert scores[1] == scores[2] < -3


def test_features_have_the_shapes_they_say() -> None:
    aggregates = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    assert features_from_aggregates("statistics", aggregates).shape == (2, 21)
    cells = features_from_aggregates("cells", aggregates)
    assert (cells.shape, cells.dtype) == ((2, 12), np.float32)
    assert cells[1].tolist() == list(range(12, 24))


def test_arms_that_know_more_than_their_prior_grants() -> None:
    found = {prior: arms_beyond_prior(GameParameters(prior=prior, arms=ARMS)) for prior in PRIORS}
    assert found == {
        prior: () if prior in ("subset", "zero-knowledge") else ("cells+rule", "likelihood")
        for prior in PRIORS
    }


def toy(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(n) % 2 == 0
    features = rng.normal(size=(n, 30)).astype(np.float32)
    features[:, 3] += 8 * labels
    return features, labels


@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.parametrize("elimination", [False, True])
def test_classifiers_tell_toys_apart_and_look_at_no_other_test_sample(name: str, elimination: bool) -> None:
    rng = np.random.default_rng(1)
    train, labels = toy(20 if elimination else 60, rng)
    test, truth = toy(20, rng)

    def scores(samples: np.ndarray, seed: int = 5) -> np.ndarray:
        return scores_from_features(
            name,
            ClassifierSettings(),
            train,
            labels,
            samples,
            np.random.default_rng(seed),
            feature_elimination=elimination,
        )

    all_scores = scores(test)
    assert all_scores[truth].mean() > all_scores[~truth].mean()
    np.testing.assert_array_equal(scores(test), all_scores)  # the same seed, the same scores
    others = np.concatenate([test[:3], 1000 * test[3:]])  # a scaler that had seen them would change the first
    np.testing.assert_allclose(scores(others)[:3], all_scores[:3], rtol=1e-6)


def test_settings_reach_the_classifiers() -> None:
    rng = np.random.default_rng(1)
    train, labels = toy(60, rng)
    test, _ = toy(20, rng)

    def different(name: str, **options: float) -> bool:
        found = [
            scores_from_features(name, settings, train, labels, test, np.random.default_rng(5))
            for settings in (ClassifierSettings(), ClassifierSettings(**options))
        ]
        return bool((found[0] != found[1]).any())

    assert different("lr", inverse_penalty=0.01)
    assert different("knn", neighbours=15)
    assert different("rf", trees=3)
    assert different("mlp", hidden_units=5)
    assert different("mlp", max_iterations=3)


@pytest.mark.parametrize("options", [{"trees": 0}, {"neighbours": 2.5}, {"inverse_penalty": float("nan")}])
def test_settings_iv(options: dict) -> None:
    with pytest.raises(ParameterError, match=rf"^{next(iter(options))} must be"):
        ClassifierSettings(**options)
