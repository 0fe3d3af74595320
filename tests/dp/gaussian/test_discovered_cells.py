"""Cells found in the data with Gaussian noise: every outcome counted, another library's δ, and releases as they run."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from dp_accounting.pld import privacy_loss_distribution
from scipy.stats import binomtest, norm

from privlab.checks import ParameterError
from privlab.dp.audit.trade_off import trade_off_from_promise
from privlab.dp.composing.concentrated import concentrated_from_parameters
from privlab.dp.composing.parts_of_a_week import PartPromise
from privlab.dp.composing.spending import spending_from_promises
from privlab.dp.gaussian.discovered_cells import Contributions, contributions_alone, log_chances_seen
from privlab.dp.gaussian.discrete_gaussian import UNITS
from privlab.dp.gaussian.gaussian_parameters import (
    GaussianParameters,
    contributions_at_most,
    contributions_of_one_week,
    delta_of_week,
    least_threshold,
)
from privlab.dp.promise import guarantee_from_gaussian_parameters
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells

Floats = npt.NDArray[np.float64]
FOUND = GaussianParameters(
    epsilon=1, delta=1e-5, max_trips_per_user=3, threshold=20, clip="keep", cells="discovered"
)


def law(x: npt.NDArray[np.int64], sigma: float, mean: int) -> Floats:
    """Return the chances of whole numbers that reach far enough, from the definition."""
    mass = np.exp(-((x - mean).astype(np.float64) ** 2) / (2 * sigma**2))
    return np.asarray(mass / mass.sum())


def every_outcome(
    weight: int, sigma: float, cut: int, n_others: int, n_own: int
) -> tuple[Floats, Floats, float]:
    """Return the chance of every output of all cells with and without someone, and ln of the chance that no own cell shows.

    A cell of others shows its noisy count; one that is the person's alone shows it from `cut` on, and nothing else ever.
    """
    reach = math.ceil(10 * sigma)
    x = np.arange(-reach, reach + weight + 1)
    with_one, without = np.ones(1), np.ones(1)
    for _ in range(n_others):
        with_one = np.multiply.outer(with_one, law(x, sigma, weight)).ravel()
        without = np.multiply.outer(without, law(x, sigma, 0)).ravel()
    own = law(x, sigma, weight)
    shown = np.append(own[x >= cut], own[x < cut].sum())
    nothing = np.append(np.zeros(int((x >= cut).sum())), 1.0)
    for _ in range(n_own):
        with_one = np.multiply.outer(with_one, shown).ravel()
        without = np.multiply.outer(without, nothing).ravel()
    return with_one, without, n_own * math.log(own[x < cut].sum())


@pytest.mark.parametrize("epsilon", [0.0, 1e-3, 0.3, 1.0])
@pytest.mark.parametrize(
    ("weight", "sigma", "cut", "n_others", "n_own"),
    [(3, 5.0, 12, 1, 1), (3, 5.0, 12, 1, 2), (5, 6.0, 8, 2, 1), (2, 4.0, 5, 0, 2), (4, 4.0, 30, 2, 0)],
)
def test_delta_and_chances_against_all_outcomes(
    epsilon: float, weight: int, sigma: float, cut: int, n_others: int, n_own: int
) -> None:
    """δ = Σ max(0, P − e^ε·Q) by its definition, of coming in and of going out."""
    inside, outside, unseen = every_outcome(weight, sigma, cut, n_others, n_own)
    added = Contributions(
        square=np.array([n_others * weight**2]),
        divisor=np.array([weight if n_others else 1]),
        log_unseen=np.array([unseen]),
    )
    coming = np.maximum(inside - math.exp(epsilon) * outside, 0).sum()
    going = np.maximum(outside - math.exp(epsilon) * inside, 0).sum()
    assert added.deltas(epsilon, sigma) == pytest.approx([max(coming, going)], abs=1e-12)
    if epsilon:
        with np.errstate(divide="ignore"):
            beyond = inside[np.log(inside) - np.log(outside) >= epsilon - 1e-12].sum()
        assert added.chances_of_loss(epsilon, sigma) == pytest.approx([beyond], abs=1e-12)


@pytest.mark.parametrize(("sigma", "weight", "threshold"), [(800.0, 1024, 3), (3000.0, 324, 7)])
def test_a_lone_cell_is_published_where_it_is_rounded_to_the_threshold(
    sigma: float, weight: int, threshold: int
) -> None:
    x = np.arange(-int(12 * sigma), int(12 * sigma) + weight + 1)
    published = np.floor(x / UNITS + 0.5) >= threshold
    expected = law(x, sigma, weight)[published].sum()
    assert float(np.exp(log_chances_seen(sigma, threshold, weight))) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("threshold", [12, 20, 26, 40])
def test_the_delta_of_a_week_is_that_of_the_worst_split_against_dp_accounting(threshold: int) -> None:
    """L = 3: none to three cells alone; what the others tell is composed by another library."""
    asked = replace(FOUND, threshold=threshold)
    sigma = asked.sigma
    seen = norm.sf((UNITS * threshold - UNITS // 2 - UNITS - 0.5) / sigma)
    expected = []
    for n_own in range(4):
        unseen = (1 - seen) ** n_own
        more, less = 1 - math.log(unseen), 1 + math.log(unseen)
        of_others = [0.0, 0.0]
        if n_own < 3:
            peer = privacy_loss_distribution.from_discrete_gaussian_mechanism(
                sigma=sigma, sensitivity=UNITS, value_discretization_interval=1e-4
            ).self_compose(3 - n_own)
            of_others = [peer.get_delta_for_epsilon(one) for one in (more, less)]
        expected.append(max(1 - unseen + unseen * of_others[0], of_others[1]))
    assert delta_of_week(asked) == pytest.approx(max(expected), rel=5e-3)
    assert (threshold == 40) == (delta_of_week(asked) == asked.delta)


@pytest.mark.parametrize("weeks", [1, 4])
@pytest.mark.parametrize("threshold", [8, 15, 30])
def test_bounds_of_weighted_trips_and_of_weeks_are_never_below_any_split(threshold: int, weeks: int) -> None:
    asked = replace(FOUND, clip="l2", threshold=threshold, weeks=weeks)
    sigma = asked.sigma
    bound = [contributions_at_most(asked, sigma=sigma).deltas(one, sigma).max() for one in (0.0, 1.0)]
    quick = [contributions_of_one_week(asked).deltas(one, sigma).max() for one in (0.0, 1.0)]
    for trips in (2, 3, 5, 40):
        weight = math.floor(UNITS * min(1.0, math.sqrt(3 / trips)))
        each = contributions_alone(trips, weight, sigma, threshold)
        splits = Contributions(
            square=each.square * weeks, divisor=each.divisor, log_unseen=each.log_unseen * weeks
        )
        for at, epsilon in enumerate((0.0, 1.0)):
            assert splits.deltas(epsilon, sigma).max() <= bound[at] * (1 + 1e-9)
            assert each.deltas(epsilon, sigma).max() <= quick[at] * (1 + 1e-9)


@pytest.mark.parametrize("weeks", [1, 4])
def test_who_is_alone_shows_in_any_of_the_weeks_against_the_normal_law(weeks: int) -> None:
    """L = 3 cells of one's own a week, each hidden with 1 − s: none of all shows with (1 − s)^(3·weeks)."""
    asked = replace(FOUND, threshold=16, weeks=weeks)
    seen = float(norm.sf((UNITS * 14.5 - 0.5) / asked.sigma))
    expected = 1 - (1 - seen) ** (3 * weeks)
    assert expected > 1e-3  # nobody overlooks it
    assert contributions_at_most(asked).most_seen == pytest.approx(expected, rel=1e-6)
    user = guarantee_from_gaussian_parameters(asked).user
    assert user is not None
    assert user.certain_share >= expected * (1 - 1e-6)


def test_the_least_threshold_of_one_trip_against_the_normal_law() -> None:
    """L = 1: alone or not at all; from the least τ on that shows a lone trip with δ or less there is nothing more to lose."""
    asked = replace(FOUND, max_trips_per_user=1)
    sigma = asked.sigma
    shown = [norm.sf((UNITS * (tau - 1.5) - 0.5) / sigma) for tau in range(1, 60)]
    assert least_threshold(asked) == 1 + next(at for at, one in enumerate(shown) if one <= asked.delta)
    assert least_threshold(replace(asked, epsilon=0.0101, delta=1e-10, max_trips_per_user=1000)) is None


def test_a_promise_adds_what_shows_someone_alone() -> None:
    """One cell of one's own: seen for certain where it is published, and else δ(0) of nothing."""
    asked = replace(FOUND, max_trips_per_user=1, threshold=3)
    found = guarantee_from_gaussian_parameters(asked)
    seen = float(norm.sf((UNITS * 1.5 - 0.5) / asked.sigma))
    assert seen > 0.2  # nobody overlooks it
    assert found.trip.delta == pytest.approx(seen, rel=1e-6)
    assert found.user_week is not None
    assert found.user_week.certain_share == pytest.approx(seen, rel=1e-6)
    shared = 2 * norm.cdf(UNITS / asked.sigma / 2) - 1
    assert found.user_week.optimal_accuracy == pytest.approx(0.5 + max(seen, shared) / 2, rel=1e-4)
    public = guarantee_from_gaussian_parameters(replace(asked, cells="public"))
    assert public.user_week is not None
    assert public.user_week.delta == 1e-5


def test_what_is_seen_stands_apart_where_weeks_are_composed() -> None:
    asked = replace(FOUND, threshold=16)
    seen = 1 - (1 - float(norm.sf((UNITS * 14.5 - 0.5) / asked.sigma))) ** 3
    found = spending_from_promises([asked] * 2, 1e-6)
    assert found.delta == pytest.approx(1e-6 + 2 * seen, rel=1e-6)
    assert found.rho is None
    assert found.added_epsilon == 2
    public = replace(asked, cells="public")
    rare = spending_from_promises([replace(asked, threshold=60)] * 2, 1e-6)
    assert rare.epsilon == pytest.approx(spending_from_promises([public] * 2, 1e-6).epsilon, rel=1e-3)
    spent = concentrated_from_parameters(replace(asked, weeks=2))
    assert spent.rho == pytest.approx(concentrated_from_parameters(replace(public, weeks=2)).rho)
    assert spent.delta == pytest.approx(2 * seen, rel=1e-6)


def test_a_trip_taken_out_of_two_lone_ones_against_all_outcomes() -> None:
    """L = 1 and two trips nobody else makes: one of them at random, or the other for certain; each seen or not."""
    asked = replace(FOUND, epsilon=20.0, max_trips_per_user=1, threshold=2)
    sigma = asked.sigma
    x = np.arange(-int(12 * sigma), int(12 * sigma) + UNITS + 1)
    own = law(x, sigma, UNITS)
    shown, hidden = own[x >= 1.5 * UNITS], own[x < 1.5 * UNITS].sum()
    before = np.concatenate([[hidden], shown / 2, shown / 2])
    after = np.concatenate([[hidden], np.zeros(shown.size), shown])
    for epsilon in (0.1, 1.0, 5.0):
        truth = max(
            np.maximum(one - math.exp(epsilon) * other, 0).sum()
            for one, other in ((before, after), (after, before))
        )
        spent = spending_from_promises([PartPromise(promise=asked, n=1)], 1e-6)
        assert truth <= spent.delta or epsilon < spent.epsilon


def test_the_trade_off_begins_with_what_is_seen() -> None:
    asked = replace(FOUND, threshold=12)
    seen = 1 - (1 - float(norm.sf((UNITS * 10.5 - 0.5) / asked.sigma))) ** 3
    curve, public = (trade_off_from_promise(replace(asked, cells=one)) for one in ("discovered", "public"))
    assert float(curve.most_true_positives(0.0)) == pytest.approx(seen, rel=0.05)
    rates = np.array([0.01, 0.1, 0.5])
    assert (curve.most_true_positives(rates) >= public.most_true_positives(rates) - 1e-6).all()
    assert (curve.most_true_positives(rates) <= public.most_true_positives(rates) + 1.1 * seen).all()


def test_a_lone_trip_is_published_as_often_as_stated() -> None:
    """400 releases of one trip of one person, nothing else in the data: all that is run when a release is made."""
    weeks = ("2026-03-02",)
    plan = release_plan_from_parameters(
        SecureReleaseParameters(
            epsilon=2,
            delta=1e-5,
            max_trips_per_user=1,
            threshold=3,
            noise="gaussian",
            clip="l2",
            cells="discovered",
        ),
        weeks=weeks,
        zones_spec="column",
        public_zones=None,
    )
    trips = SettledCells(
        zones=np.arange(2),
        weeks=weeks,
        week_starts=np.array([0, 1]),
        user=np.zeros(1, dtype=np.int32),
        flow=np.ones(1, dtype=np.int64),
    )
    published = sum(secure_release_from_settled_trips(trips, plan).count.size for _ in range(400))
    promise = plan.parameters.guarantee_parameters(1)
    assert isinstance(promise, GaussianParameters)
    seen = float(np.exp(log_chances_seen(promise.sigma, 3, UNITS)))
    assert 0.1 < seen < 0.5
    assert binomtest(published, 400, seen).pvalue > 1e-10
    assert plan.delta >= seen


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"threshold": 0}, "threshold must be at least 1 where only discovered cells are published, got 0."),
        ({"clip": "l2", "total_share": 0.03}, "cells must be public with a total or levels"),
        ({"clip": "l2", "levels": 1}, "cells must be public with a total or levels"),
        ({"cells": "all"}, "cells must be one of public, discovered, got 'all'."),
    ],
)
def test_what_has_no_promise_is_refused_iv(said: dict[str, object], sentence: str) -> None:
    with pytest.raises(ParameterError) as error:
        replace(FOUND, **said)  # type: ignore[arg-type]
    assert str(error.value).startswith(sentence)
