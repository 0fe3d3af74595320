"""The audit of Gaussian noise: the honest one passes, half the σ and a clip without a root are caught, and its bounds are bounds."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats

from privlab.checks import ParameterError
from privlab.dp.audit import auditing, gaussian_runs
from privlab.dp.audit.auditing import GAUSSIAN, AuditParameters, _epsilon_lower, audit_from_parameters
from privlab.dp.audit.broken_mechanisms import BROKEN_GAUSSIAN, NOT_ROOTED

Ints = npt.NDArray[np.int64]
# No seed can be fixed; the level makes a false conviction one in a thousand million runs. Of 2 × 8,000 answers 54.7% are right, and 52.5%
# show more than a coin at that level: 5.6 standard deviations apart (of 2 × 6,000 it would be 4, once in 28,000 runs too few).
STRICT = AuditParameters(epsilon=1.0, max_trips_per_user=5, trials=8_000, level=1 - 1e-9)


def test_opendps_gaussian_noise_passes_and_the_bound_comes_near() -> None:
    found = audit_from_parameters(STRICT, GAUSSIAN)
    assert not found.convicted
    assert (found.proven_epsilon, found.delta) == (1.0, 1e-6)
    # Φ(√L/2σ) with the σ of ε = 1 and δ = 10⁻⁶ by the closed form of Balle and Wang (2018): σ/√L = 4.2247.
    assert found.proven_accuracy == pytest.approx(scipy.stats.norm.cdf(1 / (2 * 4.2247)), abs=1e-4)
    assert 0.5 < found.accuracy_lower <= found.proven_accuracy


@pytest.mark.parametrize("mechanism", BROKEN_GAUSSIAN)
def test_half_the_sigma_and_a_clip_without_the_root_are_caught(mechanism: str) -> None:
    # Either way twice as far apart as promised (twenty trips of weight 1 have a norm of 2·√5): right in Φ(1/4.2247) = .594, not .547.
    parameters = AuditParameters(epsilon=1.0, max_trips_per_user=5, trials=8_000, level=1 - 1e-6)
    found = audit_from_parameters(parameters, mechanism)
    assert found.convicted, found
    assert found.accuracy_lower < 0.63


class Seeded:
    """Gaussian noise from a seed in place of OpenDP's, of a share of the σ that is asked for."""

    def __init__(self, share: float) -> None:
        self.share, self.rng = share, np.random.default_rng(5)

    def __call__(self, sigma: float, norm: float) -> Callable[[Ints], Ints]:
        wide = sigma * self.share
        return lambda units: units + np.rint(self.rng.normal(0, wide, units.shape)).astype(np.int64)


@pytest.mark.parametrize(("share", "caught"), [(1.0, False), (0.5, True)])
def test_who_is_caught_with_seeded_noise_and_the_cut_against_the_normal_law(
    share: float, monkeypatch: pytest.MonkeyPatch, *, caught: bool
) -> None:
    """Twenty cells of weight ½ and a bound of 5: a sum of ten trips, noise of σ·√20, cut at five."""
    monkeypatch.setattr(gaussian_runs, "secure_gaussian_from_sigma", Seeded(share))
    monkeypatch.setattr(gaussian_runs, "noisy_counts_from_counts", lambda units, noise: noise(units))
    parameters = AuditParameters(epsilon=1.0, max_trips_per_user=5, trials=20_000, level=0.99)
    found = audit_from_parameters(parameters, GAUSSIAN)
    assert found.convicted is caught
    truth = scipy.stats.norm.cdf(1 / (2 * 4.2247 * share))
    right = scipy.stats.binom(2 * 20_000, truth)
    low = scipy.stats.binomtest(int(right.mean()), 40_000).proportion_ci(0.998).low
    assert found.accuracy_lower == pytest.approx(low, abs=0.01)


def test_epsilon_lower_takes_delta_off_by_hand() -> None:
    low = scipy.stats.binomtest(700, 1000).proportion_ci(0.95, "exact").low
    high = scipy.stats.binomtest(300, 1000).proportion_ci(0.95, "exact").high
    assert _epsilon_lower(700, 300, 1000, 0.95, 0.1) == pytest.approx(math.log((low - 0.1) / high))
    assert _epsilon_lower(300, 100, 1000, 0.95, 0.3) == 0


def test_a_mechanism_that_tells_with_chance_delta_alone_is_not_convicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It shows counts as they are in every fiftieth run, which δ = 0.05 allows and δ = 10⁻⁶ does not."""
    rng = np.random.default_rng(8)

    def runs(*_: object, **__: object) -> gaussian_runs.GaussianRuns:
        def published(units: Ints) -> Ints:
            shown = rng.random(units.shape[0]) < 0.02
            return np.where(shown[:, None], units, 0)

        return gaussian_runs.GaussianRuns(n_cells=4, weight=512, published=published)

    monkeypatch.setattr(auditing, "gaussian_runs_from_promise", runs)
    strict = {"epsilon": 1.0, "trials": 8_000, "level": 0.999}
    assert audit_from_parameters(AuditParameters(**strict, delta=1e-6), GAUSSIAN).epsilon_lower > 1  # type: ignore[arg-type]
    assert audit_from_parameters(AuditParameters(**strict, delta=0.05), GAUSSIAN).epsilon_lower == 0  # type: ignore[arg-type]


def test_what_makes_no_sense_is_refused_iv() -> None:
    with pytest.raises(ParameterError, match=r"^max_trips_per_user must be at least 2 with mechanism"):
        audit_from_parameters(AuditParameters(epsilon=1.0), NOT_ROOTED)
    with pytest.raises(ParameterError, match=r"^delta goes with Gaussian noise: leave it out"):
        audit_from_parameters(AuditParameters(epsilon=1.0, delta=1e-6), "half-scale")
    with pytest.raises(ParameterError, match=r"^delta must be"):
        AuditParameters(epsilon=1.0, delta=0.9)
