"""What a week of a year ahead would leave of the flows: against draws of the noise, written out by hand."""

import numpy as np
import pytest
from scipy.stats import norm

from privlab.dp.composing import WeeklyNoise, weekly_noises
from privlab.dp.gaussian import TOTAL_SHARE, GaussianParameters
from privlab.od.comparing import use_of_weekly_noises, year_of_releases
from tests.od.by_hand import WEEK, trips_of

N_ZONES = 5
FLOWS = [o * N_ZONES + d for o in range(N_ZONES) for d in range(N_ZONES) if o != d]
DRAWS = 4_000


def test_the_use_of_each_noise_is_that_of_draws() -> None:
    """400 people make 2 to 12 of twenty trips, the first ones most often; two weeks at ε = 6 and at most 4 trips."""
    rng = np.random.default_rng(5)
    weights = np.linspace(3, 0.2, len(FLOWS))
    people = [
        rng.choice(FLOWS, rng.integers(2, 13), replace=False, p=weights / weights.sum()).tolist()
        for _ in range(400)
    ]
    noises = weekly_noises(6.0, 1e-6, max_trips_per_user=4, weeks=2)
    assert {one.noise for one in noises} == {"integer", "gaussian"}
    found = use_of_weekly_noises(trips_of(people, range(N_ZONES)), noises, week=WEEK)
    true, kept, weighted = (np.zeros(N_ZONES**2) for _ in range(3))
    for flows in people:
        true[flows] += 1
        kept[flows[:4]] += 1
        weighted[flows] += min(1, np.sqrt(4 / len(flows)))
    true, kept, weighted = true[FLOWS], kept[FLOWS], weighted[FLOWS]
    for one, share in zip(noises, found, strict=True):
        if one.noise == "integer":
            p = 1 - np.exp(-one.epsilon / 4)
            drawn = kept + rng.geometric(p, (DRAWS, 20)) - rng.geometric(p, (DRAWS, 20))
        else:  # the noise of the counts is 1.5% wider for the total, in which each trip counts for 4 units of 1/1024
            sigma = one.deviation * np.sqrt(1.03)
            total = true.sum() + rng.normal(0, sigma * 1024 / 4, (DRAWS, 1))
            drawn = (weighted + rng.normal(0, sigma, (DRAWS, 20))) * total / weighted.sum()
            alone = weighted + rng.normal(0, one.deviation, (DRAWS, 20))
            assert (
                _near(drawn, true) > _near(alone, true) + 0.02
            )  # the limit takes so much that the total pays
        assert share == pytest.approx(_near(drawn, true), abs=0.02), one


def test_without_a_total_where_its_noise_would_scatter_all_counts() -> None:
    """2,000 people of one trip each in twelve flows, 52 weeks at ε = 2: the limit takes nothing that a total could give back.

    By the normal law alone: noise of σ leaves a flow of n people within 10% in 2Φ(n/10σ) − 1 of cases.
    """
    flows = [o * 4 + d for o in range(4) for d in range(4) if o != d]
    sizes = [166] * 8 + [168] * 4
    trips = trips_of([[flow] for flow, size in zip(flows, sizes, strict=True) for _ in range(size)], range(4))
    noises = weekly_noises(2.0, 1e-6, max_trips_per_user=1, weeks=52)
    shares = dict(zip(noises, use_of_weekly_noises(trips, noises, week=WEEK, max_made_up=0.01), strict=True))
    n = np.array(sizes)
    for one in (one for one in noises if one.noise == "gaussian"):
        by_hand = (n * (2 * norm.cdf((np.floor(n / 10) + 0.5) / one.deviation) - 1)).sum() / n.sum()
        assert shares[one] == pytest.approx(by_hand, abs=0.01)
        beside = next(other for other in noises if other.adding == one.adding and other.noise == "integer")
        assert shares[one] > shares[beside]  # ±34 against ±51 in 95 of 100 flows


def _near(drawn: np.ndarray, true: np.ndarray) -> float:
    close = (np.abs(drawn - true) <= 0.1 * true) & (drawn >= 1)
    return float((close * true).sum(axis=1).mean() / true.sum())


def test_false_flows_are_kept_as_rare_as_a_plan_keeps_them() -> None:
    """Twenty flows of 22 people among 380, noise of ±30: from 1 on small counts come near by chance, among hundreds of false flows."""
    n_zones = 20
    flows = [one * n_zones + one + 1 for one in range(n_zones - 1)]
    trips = trips_of([[flow] for flow in flows for _ in range(22)], range(n_zones))
    noises = [one for one in weekly_noises(2.0, 1e-6, max_trips_per_user=10, weeks=52) if one.adding != "sum"]
    loose = use_of_weekly_noises(trips, noises, week=WEEK)
    strict = use_of_weekly_noises(trips, noises, week=WEEK, max_made_up=0.01)
    assert min(loose) > 0.01
    # Even if all 19 true flows passed 25, more than 1% would be false; and from 25 on nothing published of 22 lies within 10%.
    for one, share in zip(noises, strict, strict=True):
        scale = one.max_trips_per_user / one.epsilon

        def tail(x: int, one: WeeklyNoise = one, scale: float = scale) -> float:
            return float(np.exp(-x / scale) / 2 if one.noise == "integer" else norm.sf(x / one.deviation))

        assert 361 * tail(25) > 0.01 * (19 + 361 * tail(25))
        assert share < 1e-3, one


def test_the_noise_beside_a_total_is_that_of_the_release_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a week is worked out with, against the σ that a release with a total finds for the same ε: 1.5% above the year's."""
    noises = [
        one for one in weekly_noises(6.0, 1e-6, max_trips_per_user=4, weeks=2) if one.noise == "gaussian"
    ]
    scales, law = [], year_of_releases.law_of_family
    monkeypatch.setattr(
        year_of_releases,
        "law_of_family",
        lambda *words, **more: scales.append(words[3]) or law(*words, **more),
    )
    use_of_weekly_noises(trips_of([FLOWS[:3]] * 9, range(N_ZONES)), noises, week=WEEK)
    of_release = [
        GaussianParameters(
            epsilon=one.epsilon, delta=1e-6, max_trips_per_user=4, total_share=TOTAL_SHARE
        ).sigma
        for one in noises
    ]
    assert len(scales) == 4  # each without a total first
    assert scales[1::2] == pytest.approx(of_release, rel=6e-3)  # a total counts whole units for each trip


def test_where_few_made_up_flows_take_a_threshold_far_above_all_counts_nothing_is_of_use() -> None:
    """Ten people in one of twenty flows, noise of 200 trips: from 1 on mostly made up, from where that is rare on nothing near ten."""
    trips = trips_of([[1]] * 10, range(N_ZONES))
    noise = WeeklyNoise(
        noise="gaussian", adding="concentrated", epsilon=0.01, deviation=200.0, total_epsilon=1.0, delta=1e-6,
        weeks=52, max_trips_per_user=1,
    )  # fmt: skip
    assert use_of_weekly_noises(trips, [noise], week=WEEK, max_made_up=0.001) == (0.0,)
    assert use_of_weekly_noises(trips, [noise], week=WEEK)[0] > 0


def test_a_group_is_weighed_as_if_nobody_else_were_in_the_file() -> None:
    people = [[FLOWS[n % 3]] for n in range(60)]
    noises = weekly_noises(20.0, 1e-6, max_trips_per_user=1, weeks=2)
    of_group = use_of_weekly_noises(trips_of(people, range(N_ZONES)), noises, week=WEEK, group_size=6)
    assert of_group == use_of_weekly_noises(trips_of(people[:6], range(N_ZONES)), noises, week=WEEK)
    assert of_group != use_of_weekly_noises(trips_of(people, range(N_ZONES)), noises, week=WEEK)
