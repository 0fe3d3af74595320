"""What Gaussian noise promises, against dp-accounting's continuous Gaussian and the closed forms."""

import math

import pytest
import scipy.special
from dp_accounting.pld.privacy_loss_distribution import from_gaussian_mechanism

from privlab.checks import ParameterError
from privlab.dp.gaussian.gaussian_parameters import (
    GaussianParameters,
    accuracies_from_gaussian_parameters,
)
from privlab.dp.promise.gaussian_guarantee import chance_beyond_promise, guarantee_from_gaussian_parameters


@pytest.mark.parametrize("clip", ["keep", "l2"])
@pytest.mark.parametrize("weeks", [1, 4])
def test_epsilon_at_delta_is_that_of_dp_accounting(clip: str, weeks: int) -> None:
    """L trips of weight 1, or T trips of norm √L, are one Gaussian of σ/√L; so are W weeks of σ/√(WL)."""
    parameters = GaussianParameters(
        epsilon=0.8, delta=1e-6, max_trips_per_user=9, clip=clip, weeks=weeks, threshold=0
    )
    found = guarantee_from_gaussian_parameters(parameters)
    assert found.user is not None
    assert found.user_week is not None
    one = from_gaussian_mechanism(parameters.sigma / 1024 / 3, value_discretization_interval=1e-4)
    assert one.get_epsilon_for_delta(1e-6) == pytest.approx(0.8, rel=2e-3)
    composed = one.self_compose(weeks)
    assert found.user.epsilon_by_losses == pytest.approx(
        composed.get_epsilon_for_delta(weeks * 1e-6), rel=2e-3
    )
    assert (found.user.epsilon, found.user.delta) == (0.8 * weeks, pytest.approx(weeks * 1e-6))
    # The best test of two normals: Φ(norm / 2σ).
    norm = 3 * math.sqrt(weeks) * 1024 / parameters.sigma
    assert found.user.optimal_accuracy == pytest.approx(scipy.special.ndtr(norm / 2), abs=1e-4)
    # Loss is normal of mean norm²/2 and deviation norm.
    beyond = scipy.special.ndtr((norm**2 / 2 - 0.8 * weeks) / norm)
    assert chance_beyond_promise(parameters) == pytest.approx(beyond, rel=0.02)
    certain = scipy.special.ndtr((norm**2 / 2 - math.log(19)) / norm)
    assert found.user.certain_share == pytest.approx(certain, rel=0.02)


def test_what_is_proven_of_one_trip_is_by_its_own_epsilon() -> None:
    """(ε, δ) leaves the best test right in (e^ε + δ)/(1 + e^ε) of cases (Kairouz, Oh, Viswanath 2015); one of ten trips, a norm of 1, not √10."""
    found = guarantee_from_gaussian_parameters(
        GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10)
    )
    assert found.user_week is not None
    assert found.trip.epsilon < 0.3
    for unit in (found.trip, found.user_week):
        e = math.exp(unit.epsilon)
        assert unit.proven_accuracy == pytest.approx((e + 1e-6) / (1 + e), abs=1e-12)


def test_the_statement_says_epsilon_delta_and_what_is_counted() -> None:
    parameters = GaussianParameters(epsilon=0.3, delta=1e-6, max_trips_per_user=10)
    said = guarantee_from_gaussian_parameters(parameters).statement
    assert "ε = 0.3, δ = 10⁻⁶ private for that week" in said
    assert "more than 95% certain in at most 0.1% of cases" in said  # some 10⁻³⁰, never said to be 0
    assert (
        "up to 1,000 different trips of one person are counted; where someone has more than 10, each of them weighs less"
        in said
    )


@pytest.mark.parametrize(("name", "value"), [("clip", "l1"), ("delta", 0.0), ("max_trips_per_user", 1001)])
def test_parameters_iv(name: str, value: object) -> None:
    usual = {"epsilon": 1.0, "delta": 1e-6, "max_trips_per_user": 10}
    with pytest.raises(ParameterError, match=f"^{name} must be"):
        GaussianParameters(**(usual | {name: value}))


@pytest.mark.parametrize("threshold", [4, 8, 15])
def test_a_trip_of_whoever_makes_one_is_all_of_their_week_where_cells_are_found_too(threshold: int) -> None:
    """One trip, alone in its flow or beside others: what a week of one trip loses, a trip does."""
    found = guarantee_from_gaussian_parameters(
        GaussianParameters(
            epsilon=1, delta=1e-6, max_trips_per_user=1, clip="keep", threshold=threshold, cells="discovered"
        )
    )
    assert found.user_week is not None
    for name in ("delta", "epsilon_by_losses", "optimal_accuracy", "certain_share"):
        assert getattr(found.trip, name) == pytest.approx(getattr(found.user_week, name), rel=1e-9), name
    assert found.trip.certain_share > 1e-6


def test_trips_that_a_limit_leaves_out_tell_nothing_of_whoever_makes_them() -> None:
    """With three trips kept of each person, whoever makes five, or fifty, is guessed right as often as whoever makes three."""
    parameters = GaussianParameters(epsilon=3, delta=1e-3, max_trips_per_user=3, clip="keep")
    found = accuracies_from_gaussian_parameters(parameters, 50)
    sigma = parameters.sigma / 1024
    assert found[:4] == pytest.approx(
        [0.5, *scipy.special.ndtr([math.sqrt(k) / (2 * sigma) for k in (1, 2, 3)])]
    )
    assert (found[3:] == found[3]).all()
