"""A release of visits played as a defence: the same noise and weights as Publish, and a bound that attacks keep."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from privlab.aggregates.counting import aggregates_from_groups, weighted_aggregates_from_groups
from privlab.aggregates.defences.bounds import bound_from_window
from privlab.aggregates.defences.defence import defence_facts_from_window
from privlab.aggregates.defences.named_defences import defence_from_spec, sentence_from_defence
from privlab.aggregates.traces import Window
from privlab.checks import ParameterError
from privlab.od.releases.release_noise import release_noise_from_parameters
from privlab.od.releases.release_plan import SecureReleaseParameters


def a_window(rng: np.random.Generator, *, null_zone: bool) -> Window:
    """Seven users with 1 to 60 visits to 9 zones in 24 hours."""
    n_zones, n_epochs = 9 + null_zone, 24
    cells = [np.sort(rng.choice(9 * n_epochs, size, replace=False)) for size in (1, 2, 3, 8, 20, 40, 60)]
    if null_zone:  # the hours in which someone was seen anywhere are stored for it
        cells = [np.concatenate([one, 9 * n_epochs + np.unique(one % n_epochs)]) for one in cells]
    starts = np.concatenate([[0], np.cumsum([one.size for one in cells])])
    return Window(
        starts=starts,
        cell=np.concatenate(cells).astype(np.int32),
        n_zones=n_zones,
        n_epochs=n_epochs,
        null_zone=null_zone,
    )


def a_defence(window: Window, bound: int = 8, epsilon: float = 1.0):
    return defence_from_spec(f"release:{bound}", epsilon=epsilon, facts=defence_facts_from_window(window))


@pytest.mark.parametrize("null_zone", [False, True])
def test_weighted_counts_against_adding_up_by_hand(null_zone: bool) -> None:
    rng = np.random.default_rng(5)
    window = a_window(rng, null_zone=null_zone)
    member = rng.random((5, 7)) < 0.5
    weights = rng.random(7)
    found = weighted_aggregates_from_groups(member, window, weights)
    for group in range(5):
        by_hand = np.zeros((window.n_zones, window.n_epochs))
        for user in np.flatnonzero(member[group]):
            seen = np.zeros(by_hand.shape)
            seen.reshape(-1)[window.cell[window.starts[user] : window.starts[user + 1]]] = weights[user]
            if null_zone:
                seen[-1] = weights[user] - seen[-1]
            by_hand += seen
        np.testing.assert_allclose(found[group], by_hand, atol=1e-12)
    np.testing.assert_allclose(
        weighted_aggregates_from_groups(member, window, np.ones(7)), aggregates_from_groups(member, window)
    )


def test_the_variance_said_is_that_of_whole_counts_against_draws() -> None:
    """Of small noise the rounding to whole visits is a good part: 1/12, that of a number evenly spread over one visit."""
    rng = np.random.default_rng(11)
    defence = a_defence(a_window(rng, null_zone=False), bound=1, epsilon=8.0)
    drawn = defence.defended(np.zeros((40, 100, 100)), rng)
    assert np.array_equal(drawn, np.rint(drawn))
    # Of 400,000 draws the deviation of a variance is 0.3% of it; the rounding is more than a tenth of it.
    assert 0.1 * drawn.var() < 1 / 12
    assert drawn.var() == pytest.approx(defence.noise_variance, rel=0.02)


def test_noise_and_weights_are_those_of_a_release() -> None:
    window = a_window(np.random.default_rng(1), null_zone=True)
    defence = a_defence(window)
    release = SecureReleaseParameters(
        epsilon=1.0, max_trips_per_user=8, noise="gaussian", clip="l2", delta=1e-6, product="visits"
    )
    scale = release_noise_from_parameters(release).record[
        "scale"
    ]  # a release draws with the next σ of 20 bits
    assert defence.sigma <= scale <= defence.sigma * (1 + 2**-18)
    visits = np.array([1, 2, 3, 8, 20, 40, 60])
    expected = np.floor(1024 * np.sqrt(np.minimum(1, 8 / visits))) / 1024
    np.testing.assert_allclose(defence.weights(window), expected, atol=1e-12)
    norms = visits * defence.weights(window) ** 2
    assert (norms <= 8).all()


def test_what_is_published_has_the_mean_and_spread_that_are_said() -> None:
    window = a_window(np.random.default_rng(1), null_zone=True)
    defence, rng = a_defence(window), np.random.default_rng(2)
    true = weighted_aggregates_from_groups(np.ones((1, 7), dtype=bool), window, defence.weights(window))
    drawn = np.concatenate([defence.defended(true, rng) for _ in range(400)])
    assert (drawn == np.rint(drawn)).all()
    assert not drawn[:, -1].any()  # no release publishes who was seen nowhere
    off = (drawn - true)[:, :-1]
    n = off.size
    deviation = math.sqrt(defence.noise_variance)
    assert abs(off.mean()) < 5 * deviation / math.sqrt(n)
    assert abs(off.std() / deviation - 1) < 5 / math.sqrt(2 * n)


def test_the_bound_is_that_of_two_people_with_nothing_in_common_and_no_attack_passes_it() -> None:
    """Worked by hand: two unit vectors of norm √8 apart are √16 apart, the AUC of the best test is Φ(d/(σ√2))."""
    window = a_window(np.random.default_rng(1), null_zone=False)
    defence = a_defence(window, epsilon=4.0)
    bound = bound_from_window(window, 6, np.arange(7) != 6, defence)
    sigma = defence.sigma / 1024
    assert bound.auc == pytest.approx(NormalDist().cdf(4 / sigma / math.sqrt(2)), abs=1e-12)
    assert bound.accuracy_alone == pytest.approx(NormalDist().cdf(math.sqrt(8) / sigma / 2), abs=1e-12)
    # The strongest attack there is, which knows all but who of two people is in: its AUC over 4,000 pairs.
    member = np.zeros((2, 7), dtype=bool)
    member[0, 6] = member[1, 5] = True
    before = weighted_aggregates_from_groups(member, window, defence.weights(window))
    direction, rng = (before[0] - before[1]).ravel(), np.random.default_rng(3)
    score = [
        np.array([defence.defended(one[None], rng).ravel() @ direction for _ in range(4_000)])
        for one in before
    ]
    auc = (score[0][:, None] > score[1][None, :]).mean()
    distance = np.linalg.norm(direction)
    assert distance <= 4
    assert auc == pytest.approx(NormalDist().cdf(distance / sigma / math.sqrt(2)), abs=0.02)
    assert auc <= bound.auc + 0.02


def test_its_promise_is_said_and_nonsense_refused() -> None:
    window = a_window(np.random.default_rng(1), null_zone=True)
    said = sentence_from_defence(a_defence(window, 20))
    assert "ε = 1, δ = 10⁻⁶ for a user's whole week, whoever it is" in said
    facts = defence_facts_from_window(window)
    for spec in ("release", "release:0", "release:2.5", "release:5:2", "release:5:1e-6:3"):
        with pytest.raises(ParameterError):
            defence_from_spec(spec, epsilon=1.0, facts=facts)
    with pytest.raises(ParameterError, match="epsilon must be given"):
        defence_from_spec("release:5", epsilon=None, facts=facts)
