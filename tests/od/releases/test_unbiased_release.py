"""A noisy total beside the counts: who may move it by how much, and what the estimates give back by it."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from privlab.checks import ParameterError
from privlab.dp.gaussian.discrete_gaussian import UNITS, delta_of_contribution, weight_of_trips
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, accuracies_from_gaussian_parameters
from privlab.figures.wording import outlook_in_words
from privlab.od.expecting import release_outlook_from_trips
from privlab.od.levels.levels import Level, agreed_weeks
from privlab.od.releases import release_noise, release_plan_from_parameters
from privlab.od.releases.release_noise import ReleaseNoise, release_noise_from_parameters
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.releases.secure_release import (
    WeekTotal,
    bounded_counts_from_week,
    rows_of_weeks,
    secure_release_from_settled_trips,
    trips_in_total,
)
from privlab.od.risks import gaussian_risks_from_unique_trips
from privlab.od.usefulness.estimates import clip_ratio, estimates_from_published_counts
from tests.od.by_hand import WEEK, settled, trips_of

N_ZONES = 14
FLOWS = np.array([o * N_ZONES + d for o in range(N_ZONES) for d in range(N_ZONES) if o != d])


def parameters_of(**said: Any) -> SecureReleaseParameters:
    usual: dict[str, Any] = {
        "epsilon": 1.0, "max_trips_per_user": 4, "threshold": 0, "noise": "gaussian", "clip": "l2", "delta": 1e-6,
        "total_share": 0.03,
    }  # fmt: skip
    return SecureReleaseParameters(**(usual | said))


@pytest.mark.parametrize("public", [range(N_ZONES), range(5)])
def test_removing_a_user_moves_counts_and_total_together_by_no_more_than_the_norm(public: range) -> None:
    """Everyone from one trip to all 182; of the total only trips between public zones, of each user 100 at most."""
    promise = parameters_of().guarantee_parameters(1)
    assert isinstance(promise, GaussianParameters)
    rng = np.random.default_rng(3)
    for n in (1, 3, 4, 5, 40, 99, 100, 101, 182):
        people = [rng.choice(FLOWS, n, replace=False).tolist(), FLOWS[:30].tolist(), [FLOWS[0]]]
        worlds = []
        for kept in (people, [[], *people[1:]]):
            user, flow = settled(trips_of(kept, range(N_ZONES))).week_of(WEEK)
            cells, units = bounded_counts_from_week(user, flow, N_ZONES, parameters_of())
            everywhere = np.zeros(N_ZONES**2, dtype=np.int64)
            everywhere[cells] = units
            total = trips_in_total(np.arange(N_ZONES), user, flow, np.asarray(public))
            worlds.append((everywhere, promise.total_units * total))
        (with_one, total), (without, less) = worlds
        inside = sum(flow // N_ZONES in public and flow % N_ZONES in public for flow in people[0])
        assert total - less == promise.total_units * min(inside, 100)
        assert int(((with_one - without) ** 2).sum()) + (total - less) ** 2 <= promise.norm**2


@pytest.mark.parametrize("bound", [1, 4, 20])
def test_the_noise_keeps_the_promise_to_whoever_has_trips_outside_the_public_zones_too(bound: int) -> None:
    """T trips weighted down, of which any number I ≤ T is between public zones and in the total."""
    promise = parameters_of(max_trips_per_user=bound).guarantee_parameters(1)
    assert isinstance(promise, GaussianParameters)
    each = promise.total_units
    trips = np.repeat(np.arange(1, 131), np.arange(1, 131))
    inside = np.concatenate([np.arange(1, n + 1) for n in range(1, 131)])
    weight, in_total = weight_of_trips(trips, bound), each * np.minimum(inside, 100)
    found = delta_of_contribution(
        1.0, promise.sigma, trips * weight**2 + in_total**2, np.gcd(weight, in_total)
    )
    assert found.max() <= 1e-6
    without = parameters_of(max_trips_per_user=bound, total_share=0.0).guarantee_parameters(1)
    assert isinstance(without, GaussianParameters)
    assert (
        1.005 < promise.sigma / without.sigma < 1.03
    )  # 3% of the squared norm: 1.5% of the noise, in whole units


def test_a_total_stands_beside_the_sum_of_all_counts_and_not_of_those_published_by_hand() -> None:
    """Forty go from zone 0 to 1 and three back, no noise at all: of 43 counted the threshold of 5 publishes 40, in one row."""
    trips = settled(trips_of([[1]] * 40 + [[3]] * 3, range(3)))
    plan = release_plan_from_parameters(
        parameters_of(threshold=5), weeks=[WEEK], zones_spec="column", public_zones=[0, 1, 2]
    )
    silent = ReleaseNoise(
        units=UNITS, record={}, noisy=lambda units: units // UNITS, noisy_total=lambda trips: trips
    )
    found = rows_of_weeks(trips, plan, bounded_counts_from_week, silent)
    assert found.count.tolist() == [40]
    assert found.totals == {WEEK: WeekTotal(trips=43, counted=43)}


def test_the_attack_on_a_person_reads_the_total_too() -> None:
    """The normal law: Φ(√(T·w² + (u·T)²)/2σ), and of two people the one with more trips is found more often."""
    people = [FLOWS[:n].tolist() for n in (1, 8, 60)]
    promise = parameters_of(epsilon=4.0, total_share=0.5).guarantee_parameters(1)
    assert isinstance(promise, GaussianParameters)
    each = promise.total_units
    assert each == round(UNITS * math.sqrt(0.5 * 4) / 100) == 14
    expected = [
        norm.cdf(math.sqrt(n * min(1, 4 / n) * UNITS**2 + (each * n) ** 2) / (2 * promise.sigma))
        for n in (1, 8, 60)
    ]
    risks = gaussian_risks_from_unique_trips(trips_of(people, range(N_ZONES)), promise, weeks=[WEEK])
    assert risks.accuracy.tolist() == pytest.approx(expected, rel=1e-3)
    curve = accuracies_from_gaussian_parameters(promise, 60)
    assert [curve[n] for n in (1, 8, 60)] == pytest.approx(expected, rel=1e-3)
    assert expected[2] > expected[1] * 1.001


def test_what_the_limit_takes_is_given_back() -> None:
    """12,000 people make the same 16 trips and L is 4: each is counted as a half. The noise of the total is ±350."""
    people = [FLOWS[:16].tolist()] * 12_000
    trips = settled(trips_of(people, range(N_ZONES)))
    plan = release_plan_from_parameters(
        parameters_of(epsilon=8.0), weeks=[WEEK], zones_spec="column", public_zones=range(N_ZONES)
    )
    made = secure_release_from_settled_trips(trips, plan)
    total = made.totals[WEEK]
    assert total.counted == made.count.sum()
    assert total.trips == pytest.approx(192_000, rel=0.02)
    ratio = clip_ratio(plan.parameters, total)
    found = estimates_from_published_counts(
        plan.parameters, made.mechanism["scale"],
        week=made.week, margins=(made.cell["origin"], made.cell["destination"]), count=made.count,
        n_cells=plan.n_noisy_cells, ratio=np.full(made.count.size, ratio),
    )  # fmt: skip
    assert found.unbiased is not None
    largest = np.argsort(-made.count)[:16]
    assert made.count[largest].mean() == pytest.approx(6_000, rel=0.02)
    assert found.unbiased[largest].mean() == pytest.approx(12_000, rel=0.03)
    assert found.smoothed[largest].mean() == pytest.approx(12_000, rel=0.05)
    outlook = release_outlook_from_trips(trips_of(people, range(N_ZONES)), plan)
    # The total has noise of σ/4, √(0.03·4)·1024/100; each of the cells has σ/1024 and what rounding adds, 1/12.
    deviation = math.sqrt(
        (made.mechanism["scale"] / 4) ** 2 + N_ZONES**2 * ((made.mechanism["scale"] / 1024) ** 2 + 1 / 12)
    )
    assert outlook.given_back_half_width == pytest.approx(norm.isf(0.025) * deviation, abs=1)
    assert "gives back of what the limit takes away" in outlook_in_words(outlook)
    assert "publish it without the total" not in outlook_in_words(outlook)  # half of all trips are taken away


@pytest.mark.parametrize("threshold", [0, 60])
def test_what_is_given_back_is_as_near_the_truth_as_expected_against_draws(threshold: int) -> None:
    """Two of three people have more trips than are counted in full; 200 releases, each time their own total.

    Seven standard errors of their mean: a false alarm comes once in 10^8 runs.
    """
    rng = np.random.default_rng(8)
    people = [rng.choice(FLOWS[:60], n, replace=False).tolist() for n in rng.choice([3, 8, 20], 1_500)]
    plan = release_plan_from_parameters(
        parameters_of(epsilon=2.0, threshold=threshold),
        weeks=[WEEK],
        zones_spec="column",
        public_zones=range(N_ZONES),
    )
    trips = settled(trips_of(people, range(N_ZONES)))
    true = np.bincount(np.concatenate(people), minlength=N_ZONES**2)
    shares = []
    for _ in range(200):
        made = secure_release_from_settled_trips(trips, plan)
        given_back = made.count * clip_ratio(plan.parameters, made.totals[WEEK])
        there = true[made.cell["origin"] * N_ZONES + made.cell["destination"]]
        shares.append(there[np.abs(given_back - there) <= there / 10].sum() / true.sum())
    outlook = release_outlook_from_trips(trips, plan)
    error = np.std(shares, ddof=1) / len(shares) ** 0.5
    assert 0.2 < outlook.share_close < 0.95
    assert outlook.share_close == pytest.approx(np.mean(shares), abs=7 * error)
    raw = release_outlook_from_trips(trips, replace_total(plan)).share_close
    assert raw < outlook.share_close / 2  # the limit takes most of it, which nothing gives back
    assert "In the file of estimates" in outlook_in_words(outlook)


def test_beside_sums_of_districts_it_is_as_expected_too_and_what_agrees_is_as_near() -> None:
    """The same people, and three districts; 100 releases, and seven standard errors of their mean."""
    rng = np.random.default_rng(8)
    people = [rng.choice(FLOWS[:60], n, replace=False).tolist() for n in rng.choice([3, 8, 20], 1_500)]
    level = Level(name="third", of=tuple("abc"[zone % 3] for zone in range(N_ZONES)))
    plan = release_plan_from_parameters(
        replace(parameters_of(epsilon=2.0, threshold=0), levels=1),
        weeks=[WEEK],
        zones_spec="column",
        public_zones=range(N_ZONES),
        levels=[level],
    )
    trips = settled(trips_of(people, range(N_ZONES)))
    true = np.bincount(np.concatenate(people), minlength=N_ZONES**2)
    shares, agreed_shares = [], []
    for _ in range(100):
        made = secure_release_from_settled_trips(trips, plan)
        by = clip_ratio(plan.parameters, made.totals[WEEK])
        added = agreed_weeks(made.levels, made.mechanism["scale"], {WEEK: by})[WEEK].added
        origin, destination = made.cell["origin"], made.cell["destination"]
        pair = level.numbers[origin] * len(level.districts) + level.numbers[destination]
        there = true[origin * N_ZONES + destination]
        for found, into in ((made.count * by, shares), (made.count * by + added[pair], agreed_shares)):
            into.append(there[np.abs(found - there) <= there / 10].sum() / true.sum())
    outlook = release_outlook_from_trips(trips, plan)
    assert 0.2 < outlook.share_close < 0.95
    assert outlook.share_close == pytest.approx(np.mean(shares), abs=7 * np.std(shares, ddof=1) / 10)
    # Variances: v - v/n + U/n² of what agrees, at most v, of 20 cells of a pair hardly less.
    nearer = np.subtract(agreed_shares, shares)
    assert abs(nearer.mean()) < max(7 * nearer.std(ddof=1) / 10, 0.01)
    told = outlook_in_words(outlook)
    assert (
        f"{math.floor(1000 * outlook.share_close) / 10:.1f}% of all trips lie in flows that come within 10% of the truth"
        in told
    )
    assert "those that agree with the sums of districts (agreed_count) are about as near, or nearer" in told


@pytest.mark.parametrize(
    ("trips", "counted", "ratio"),
    [(150, 100, 1.5), (90, 100, 1.0), (300, 100, 2.0), (5, 0, 2.0), (-9, 100, 1.0)],
)
def test_a_total_gives_back_what_a_limit_can_take_and_takes_nothing_itself(
    trips: int, counted: int, ratio: float
) -> None:
    """L = 25 of 100 trips weighs each ½ at least: a ratio below 1, or above 2, is noise alone."""
    total = WeekTotal(trips=trips, counted=counted)
    assert clip_ratio(replace(parameters_of(), max_trips_per_user=25), total) == ratio


@pytest.mark.parametrize(("moved", "trips"), [(-30, 10), (30, 10), (40, 11), (-40, 9)])
def test_a_total_is_the_nearest_number_of_trips_by_hand(
    moved: int, trips: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of the squared norm of 100 trips: each adds 72 units, the root of ½·1024²·100/100² rounded down. The noise is put in by hand."""
    noise = release_noise_from_parameters(parameters_of(max_trips_per_user=100, total_share=0.5))
    assert noise.record["total_units_per_trip"] == 72
    monkeypatch.setattr(release_noise, "noisy_counts_from_counts", lambda true, law: true + moved)
    assert noise.noisy_total is not None
    assert noise.noisy_total(10) == trips


def replace_total(plan: Any) -> Any:
    """Return the plan without a total."""
    parameters = replace(plan.parameters, total_share=0.0)
    return release_plan_from_parameters(
        parameters, weeks=[WEEK], zones_spec="column", public_zones=range(N_ZONES)
    )


def test_a_total_that_the_noise_hides_is_said_to_be_of_no_use() -> None:
    plan = release_plan_from_parameters(
        parameters_of(), weeks=[WEEK], zones_spec="column", public_zones=range(N_ZONES)
    )
    outlook = release_outlook_from_trips(trips_of([[1]] * 50, range(N_ZONES)), plan)
    assert "publish it without the total" in outlook_in_words(outlook)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {"noise": "integer", "clip": "keep", "delta": 0.0},
            "total_share must be left out with noise integer",
        ),
        ({"clip": "keep"}, "total_share must be 0 with clip keep"),
        ({"total_share": 0.6}, "total_share must be between"),
    ],
)
def test_a_total_that_nothing_is_proven_for_is_refused_iv(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=f"^{sentence}"):
        parameters_of(**said)
