"""The auditor: the real mechanism passes, three broken ones are caught, and its bound is a bound."""

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats

from privlab.checks import ParameterError
from privlab.dp.audit.auditing import (
    Audit,
    AuditParameters,
    _accuracy_lower,
    _epsilon_lower,
    audit_from_mechanism,
    audit_from_parameters,
)
from privlab.dp.audit.broken_mechanisms import BROKEN
from privlab.progress import Progress

Ints = npt.NDArray[np.int64]
PARAMETERS = AuditParameters(epsilon=1.0, max_trips_per_user=2, trials=6_000)


def discrete_laplace(scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Ints:
    """Difference of two geometric draws: the definition, apart from OpenDP and from the library's own draws."""
    chance = 1 - math.exp(-1 / scale)
    return rng.geometric(chance, shape) - rng.geometric(chance, shape)


def half_the_scale(counts: Ints, rng: np.random.Generator) -> Ints:
    return counts + discrete_laplace(1.0, counts.shape, rng)  # L/ε is 2


def noise_on_non_zero_cells_only(counts: Ints, rng: np.random.Generator) -> Ints:
    return np.where(counts > 0, counts + discrete_laplace(2.0, counts.shape, rng), 0)


def shared_noise(counts: Ints, rng: np.random.Generator) -> Ints:
    return counts + discrete_laplace(2.0, (1,), rng)


@pytest.mark.parametrize("broken", [half_the_scale, noise_on_non_zero_cells_only, shared_noise])
def test_broken_mechanisms_are_caught(broken: Callable[[Ints, np.random.Generator], Ints]) -> None:
    rng = np.random.default_rng(4)
    found = audit_from_mechanism(lambda counts: broken(counts, rng), PARAMETERS, proven_epsilon=1.0)
    assert found.convicted, found
    assert found.epsilon_lower > 1.0


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_the_honest_law_passes_and_the_bound_comes_near(epsilon: float) -> None:
    rng = np.random.default_rng(9)
    parameters = AuditParameters(epsilon=epsilon, trials=8_000)
    found = audit_from_mechanism(
        lambda counts: counts + discrete_laplace(1 / epsilon, counts.shape, rng),
        parameters,
        proven_epsilon=epsilon,
    )
    assert not found.convicted
    assert found.epsilon_lower > 0.49 * epsilon


def test_opendp_itself_passes() -> None:
    # No seed can be fixed; the level makes a false conviction one in a thousand million runs.
    found = audit_from_parameters(AuditParameters(epsilon=1.0, trials=3_000, level=1 - 1e-9))
    assert found.proven_epsilon == pytest.approx(1.0)
    assert 0.3 < found.epsilon_lower <= 1.0
    assert not found.convicted


@pytest.mark.parametrize("mechanism", BROKEN)
def test_the_broken_ones_for_teaching_are_caught(mechanism: str) -> None:
    # They have no seed; of an honest mechanism one audit in a million would say the same.
    found = audit_from_parameters(AuditParameters(epsilon=1.0, trials=4_000, level=1 - 1e-6), mechanism)
    assert found.proven_epsilon == 1.0
    assert found.convicted, found


@pytest.mark.parametrize("trials", [2_000, AuditParameters(epsilon=1.0).trials])
@pytest.mark.parametrize(("scale", "caught"), [(10.0, True), (20.0, False)])
def test_half_the_scale_at_twenty_flows_is_caught_issue_16(
    scale: float, trials: int, *, caught: bool
) -> None:
    """A majority vote over 20 flows: right in .5440 of cases at scale 20, in .5874 at scale 10."""
    rng, right = np.random.default_rng(3), scipy.stats.binom(20, 1 / (1 + math.exp(-1 / 20)))
    exact = float(right.sf(10) + right.pmf(10) / 2)
    assert exact == pytest.approx(0.5440, abs=5e-5)
    found = audit_from_mechanism(
        lambda counts: counts + discrete_laplace(scale, counts.shape, rng),
        AuditParameters(epsilon=1.0, max_trips_per_user=20, trials=trials),
        proven_epsilon=1.0,
    )
    assert found.proven_accuracy == pytest.approx(exact, abs=1e-9)
    assert found.epsilon_lower < 1.0  # no rare event shows it
    assert found.convicted is caught
    assert (found.accuracy_lower > exact) is caught


def test_accuracy_lower_covers_against_theory() -> None:
    """Two worlds of unequal shares, .7 and .5 right of 60: the bound may exceed .6 in 1 − level of cases."""
    n, level, wrong = 60, 0.9, 0.0
    inside, without = (scipy.stats.binom(n, p) for p in (0.7, 0.5))
    for hits in range(n + 1):
        for misses in range(n + 1):
            votes = np.repeat([1, 0], [hits, n - hits]), np.repeat([0, 1], [misses, n - misses])
            if _accuracy_lower(*votes, 1, level) > 0.6:
                wrong += inside.pmf(hits) * without.pmf(misses)
    assert 0.01 < wrong <= 0.1


def test_an_audit_tells_how_far_it_is_and_stops() -> None:
    told: list[float] = []

    def report(share: float, words: str) -> None:
        told.append(share)
        if share > 0.6:
            raise InterruptedError(words)

    with pytest.raises(InterruptedError, match="Running the mechanism"):
        audit_from_parameters(AuditParameters(epsilon=1.0, trials=2_000), progress=Progress(report))
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 0.625)  # five hundred runs at a time


def test_epsilon_lower_against_scipy() -> None:
    low = scipy.stats.binomtest(700, 1000).proportion_ci(0.95, "exact").low
    high = scipy.stats.binomtest(300, 1000).proportion_ci(0.95, "exact").high
    assert _epsilon_lower(700, 300, 1000, 0.95) == pytest.approx(math.log(low / high))
    assert _epsilon_lower(0, 0, 1000, 0.95) == 0
    assert _epsilon_lower(300, 700, 1000, 0.95) == 0


def test_epsilon_lower_covers_against_theory() -> None:
    """Randomised response of ε = 1: the bound may exceed 1 at most as often as its level allows."""
    truth, n, level = math.e / (1 + math.e), 100, 0.9
    values = np.arange(n + 1)
    pmf_in, pmf_out = (scipy.stats.binom.pmf(values, n, p) for p in (truth, 1 - truth))
    wrong = 0.0
    for likely in np.flatnonzero(pmf_in > 1e-7).tolist():
        for unlikely in np.flatnonzero(pmf_out > 1e-7).tolist():
            if _epsilon_lower(likely, unlikely, n, level) > 1:
                wrong += pmf_in[likely] * pmf_out[unlikely]
    assert 0 < wrong <= 0.1


@pytest.mark.parametrize(
    ("wrong", "name"),
    [({"epsilon": 0}, "epsilon"), ({"trials": 10}, "trials"), ({"max_trips_per_user": 101}, "max_trips_per_user"),
     ({"level": 1}, "level")],
)  # fmt: skip
def test_parameters_iv(wrong: dict[str, float], name: str) -> None:
    with pytest.raises(ParameterError, match=rf"^{name} must be .*, got .*\.$"):
        AuditParameters(**{"epsilon": 1.0} | wrong)  # type: ignore[arg-type]


def test_the_event_is_counted_on_other_runs_than_it_was_chosen_on() -> None:
    """A mechanism that gives everything away in the first half of its runs, and nothing at all in the second."""
    parameters = AuditParameters(epsilon=1.0, trials=1_000)
    calls = 0

    def counts(world: Ints) -> Ints:
        nonlocal calls
        calls += 1
        return world if (calls - 1) % 1_000 < 500 else np.zeros_like(world)

    found = audit_from_mechanism(counts, parameters, proven_epsilon=1.0)
    assert calls == 2_000
    assert found.n_counted == 500
    assert found.n_with == found.n_without
    assert found.epsilon_lower == 0.0
    assert not found.convicted


def test_which_event_is_counted_hangs_on_the_first_half_of_the_runs_alone() -> None:
    """The same noise in the first half; in the second once more of it, or none at all, by which another event would prove more."""

    def audited(*, gives_away: bool) -> Audit:
        first, second = (np.random.default_rng(seed) for seed in (5, 6))
        calls = 0

        def counts(world: Ints) -> Ints:
            nonlocal calls
            calls += 1
            if (calls - 1) % 1_000 < 500:
                return world + discrete_laplace(2.0, world.shape, first)
            return world if gives_away else world + discrete_laplace(2.0, world.shape, second)

        parameters = AuditParameters(epsilon=1.0, max_trips_per_user=2, trials=1_000)
        return audit_from_mechanism(counts, parameters, proven_epsilon=1.0)

    broken, honest = audited(gives_away=True), audited(gives_away=False)
    assert broken.event == honest.event
    assert (broken.n_with, broken.n_without) != (honest.n_with, honest.n_without)


def test_both_bounds_share_the_chance_to_fail_by_hand() -> None:
    """No noise at all: n right of n have the lower end α^(1/n). Accuracy may fail in a tenth of 1 − level, each end of ε in 0.45."""
    parameters = AuditParameters(epsilon=1.0, trials=1_000, level=0.99)
    found = audit_from_mechanism(lambda counts: counts, parameters, proven_epsilon=1.0)
    assert (found.n_with, found.n_without, found.n_counted) in ((500, 0, 500), (0, 500, 500))
    assert found.accuracy_lower == pytest.approx(0.001 ** (1 / 2_000), abs=1e-12)
    low = 0.0045 ** (1 / 500)
    assert found.epsilon_lower == pytest.approx(math.log(low / (1 - low)), rel=1e-9)
