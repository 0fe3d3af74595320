"""Tests between two worlds: what they prove is proven, all of them together fail as rarely as said, and none is chosen by luck."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from privlab.dp.audit.trade_off import trade_off_from_promise
from privlab.dp.audit.worlds_apart import (
    ACCURATE,
    FIXED,
    PAIRED,
    RARE,
    CountedTest,
    Cut,
    Larger,
    epsilon_lower,
    found_in_worlds,
)
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
from privlab.dp.promise.guarantees import GuaranteeParameters

CURVE = trade_off_from_promise(GuaranteeParameters(epsilon=1.0, max_trips_per_user=1))


def answers(
    truth: float, n: int, rng: np.random.Generator
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Randomised response, right with `truth`, and a second number that says nothing."""
    worlds = [
        {"said": (rng.random(n) < chance).astype(float), "noise": rng.normal(size=n)}
        for chance in (truth, 1 - truth)
    ]
    return worlds[0], worlds[1]


def three_tests(truth: float, n: int, seed: int, may_fail: float = 0.05) -> tuple[CountedTest, ...]:
    inside, without = answers(truth, n, np.random.default_rng(seed))
    fixed = Cut(name="said", sign=">", edge=0.5)
    return found_in_worlds(inside, without, fixed, CURVE, may_fail=may_fail / 2, may_fail_fixed=may_fail / 2)


def test_an_honest_answer_is_rarely_convicted_and_one_of_larger_loss_always() -> None:
    """Randomised response at ε = 1 is as near as can be: of 400 audits at most 5% and some may fail, 1e-6 by chance."""
    honest = math.e / (1 + math.e)
    wrong = sum(any(one.convicted for one in three_tests(honest, 400, seed)) for seed in range(400))
    assert binomtest(wrong, 400, 0.05, alternative="greater").pvalue > 1e-6
    assert all(any(one.convicted for one in three_tests(0.85, 400, seed)) for seed in range(20))


def test_the_ends_are_those_of_clopper_and_pearson_against_scipy() -> None:
    fixed, accurate, rates = three_tests(0.8, 1_000, 3)
    assert [one.kind for one in (fixed, accurate, rates)] == [FIXED, ACCURATE, RARE]
    assert (fixed.n_counted, accurate.n_counted, rates.n_counted) == (1_000, 500, 500)
    right = fixed.n_true + 1_000 - fixed.n_false
    low = binomtest(right, 2_000).proportion_ci(1 - 2 * fixed.may_fail, "exact").low
    assert fixed.found == pytest.approx(low)
    assert fixed.accuracy == right / 2_000
    ends = [
        binomtest(hits, 500).proportion_ci(1 - rates.may_fail, "exact")
        for hits in (rates.n_true, rates.n_false)
    ]
    assert (rates.found, rates.false_rate_high) == pytest.approx((ends[0].low, ends[1].high))
    assert rates.most == pytest.approx(min(math.e * ends[1].high, 1 - (1 - ends[1].high) / math.e))
    assert epsilon_lower(rates, 0.0) == pytest.approx(math.log(ends[0].low / ends[1].high))
    assert sum(one.may_fail for one in (fixed, accurate, rates)) == pytest.approx(0.05)


def test_what_is_chosen_is_counted_on_other_runs() -> None:
    """All is given away in the first half of the runs, and nothing in the second."""
    n = 1_000
    seen = np.where(np.arange(n) < n // 2, 1.0, 0.0)
    tests = found_in_worlds(
        {"x": seen},
        {"x": np.zeros(n)},
        Cut(name="x", sign=">", edge=5.0),
        CURVE,
        may_fail=0.02,
        may_fail_fixed=0.02,
    )
    assert [one.cut for one in tests[1:]] == ["x > 0", "x > 0"]
    assert [(one.n_true, one.n_false) for one in tests] == [(0, 0)] * 3
    assert not any(one.convicted for one in tests)


def test_a_number_that_shows_one_world_alone_is_found() -> None:
    """A value that is only seen without the person: as telling as one that is only seen with them."""
    rng = np.random.default_rng(1)
    inside, without = rng.integers(1, 5, 800), rng.integers(0, 5, 800)
    _, _, rates = found_in_worlds(
        {"x": inside.astype(float)},
        {"x": np.where(rng.random(800) < 0.5, 0, without).astype(float)},
        Cut(name="x", sign=">", edge=9.0),
        CURVE,
        may_fail=0.001,
        may_fail_fixed=0.001,
    )
    assert rates.cut == "x > 0"
    assert rates.convicted


def test_pairs_of_releases_need_no_cut_and_are_rarely_wrong_about_an_honest_one() -> None:
    """Normal numbers with the shift that is promised (10 wider, 3 to the right): of 100 audits at most 5% and some, 1e-6 by chance."""
    promise = GaussianParameters(epsilon=1.0, delta=1e-6, max_trips_per_user=10)
    curve, shift = trade_off_from_promise(promise), 1024 * math.sqrt(10) / promise.sigma
    rng = np.random.default_rng(7)

    def pairs(shift: float) -> CountedTest:
        worlds = [{"sum": 10 * rng.normal(one, size=300) + 3} for one in (shift, 0.0)]
        return found_in_worlds(*worlds, Larger(name="sum"), curve, may_fail=0.01, may_fail_fixed=0.05)[0]

    honest = [pairs(shift) for _ in range(100)]
    assert binomtest(sum(one.convicted for one in honest), 100, 0.05, alternative="greater").pvalue > 1e-6
    broken = pairs(3 * shift)
    assert broken.kind == PAIRED
    assert broken.convicted
    low = binomtest(broken.n_true, 300).proportion_ci(0.9, "exact").low
    assert (broken.found, broken.accuracy) == pytest.approx((low, broken.n_true / 300))
    same = {"sum": np.zeros(300)}
    assert (
        found_in_worlds(same, same, Larger(name="sum"), curve, may_fail=0.01, may_fail_fixed=0.01)[0].n_true
        == 0
    )


def test_what_shows_by_being_there_is_no_proof_of_epsilon_by_hand() -> None:
    """Found in half of the runs at a tenth of false alarms: ε = ln 5; of a promise that gives a fifth of them away, ln 3 from the rest."""
    rates = CountedTest(
        kind=RARE,
        cut="",
        n_true=50,
        n_false=10,
        n_counted=100,
        may_fail=0.01,
        found=0.5,
        most=1.0,
        false_rate_high=0.1,
    )
    assert epsilon_lower(rates, 0.0) == pytest.approx(math.log(5))
    assert epsilon_lower(rates, 0.2) == pytest.approx(math.log(3))
    assert epsilon_lower(rates, 0.5) == 0
    assert epsilon_lower(replace(rates, kind=FIXED), 0.0) == 0  # how often it is right proves no ratio
