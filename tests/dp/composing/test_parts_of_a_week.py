"""What a promise to a user's week is to a trip or a day of it: by enumeration of all outputs, by weights drawn, by dp-accounting."""

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as some

from privlab.checks import ParameterError
from privlab.dp.composing import KnownPromise, part_of_promise, spending_from_promises
from privlab.dp.composing.parts_of_a_week import (
    MOST_PARTS,
    PartPromise,
    chances_of_changes,
    contributions_of_part,
    deltas_of_part,
    greatest_loss,
    log_unseen_of_part,
)
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.gaussian.level_weights import weight_with_levels
from privlab.dp.promise import GuaranteeParameters

Floats = npt.NDArray[np.float64]


def output_law(n_cells: int, trips: list[int], bound: int, per_cell: float) -> Floats:
    """The law of all counts: `bound` of the trips at random, one to each cell, and integer noise whose far tails are put together."""
    a, reach = math.exp(-per_cell), 7

    def beyond(least: int) -> float:
        """P(noise ≥ least)."""
        return a**least / (1 + a) if least > 0 else 1 - a ** (1 - least) / (1 + a)

    def seen(count: int) -> list[float]:
        """The law of a noisy count: −7 or less, −6, … 7, 8 or more."""
        tails = [1.0, *(beyond(v - count) for v in range(1 - reach, reach + 2)), 0.0]
        return [high - low for high, low in itertools.pairwise(tails)]

    counted = [np.array(seen(1)), np.array(seen(0))]
    choices = list(itertools.combinations(trips, min(bound, len(trips))))
    law = np.zeros((counted[0].size,) * n_cells)
    for kept in choices:
        whole = np.ones(())
        for cell in range(n_cells):
            whole = np.multiply.outer(whole, counted[0] if cell in kept else counted[1])
        law += whole / len(choices)
    return law


@pytest.mark.parametrize("bound", [1, 2])
def test_any_number_of_trips_out_against_all_outputs(bound: int) -> None:
    """Up to four trips of a user, any number of them taken out: no δ of either direction is above the curve."""
    per_cell, grid = 0.7, np.linspace(0, 3, 12)
    part = PartPromise(
        promise=GuaranteeParameters(epsilon=per_cell * bound, max_trips_per_user=bound), n=None
    )
    curve, greatest = deltas_of_part(part, grid), np.zeros(grid.size)
    for trips, others in ((whole, rest) for whole in range(1, 5) for rest in range(whole)):
        inside = output_law(4, list(range(trips)), bound, per_cell)
        without = output_law(4, list(range(others)), bound, per_cell)
        for one, other in ((inside, without), (without, inside)):
            greatest = np.maximum(
                greatest, [float(np.maximum(one - np.exp(e) * other, 0).sum()) for e in grid]
            )
    assert (greatest <= curve + 1e-9).all()
    assert deltas_of_part(part, np.array([greatest_loss(part, per_cell) + 1e-9]))[0] < 1e-12


@pytest.mark.parametrize(("bound", "n"), [(1, 1), (2, 1), (1, 2), (2, 2)])
def test_integer_noise_against_all_outputs(bound: int, n: int) -> None:
    """Up to four trips of a user, n of them taken out: no δ of either direction is above the curve, and at ε = 0 and n = 1 one meets it."""
    per_cell = 0.7
    part = PartPromise(promise=GuaranteeParameters(epsilon=per_cell * bound, max_trips_per_user=bound), n=n)
    grid = np.linspace(0, 2.2, 12)
    curve, greatest = deltas_of_part(part, grid), np.zeros(grid.size)
    for others in range(4 - n + 1):
        inside = output_law(4, list(range(others + n)), bound, per_cell)
        without = output_law(4, list(range(others)), bound, per_cell)
        for one, other in ((inside, without), (without, inside)):
            deltas = [float(np.maximum(one - np.exp(e) * other, 0).sum()) for e in grid]
            greatest = np.maximum(greatest, deltas)
    assert (greatest <= curve + 1e-9).all()
    if (
        n == 1 and bound == 1
    ):  # one other in the trip's place: two counts change, and nothing is left to a bound
        assert greatest == pytest.approx(curve, abs=2e-3)
    assert deltas_of_part(part, np.array([greatest_loss(part, per_cell) + 1e-9]))[0] < 1e-12


def test_a_trip_alone_and_beside_another_against_hand() -> None:
    """L = 1: alone its count changes, ε = ln 2; beside another it counts half the time: e^ε′ = 1 + ½(e^{2 ln 2} − 1) = 2.5."""
    part = PartPromise(promise=GuaranteeParameters(epsilon=math.log(2), max_trips_per_user=1), n=1)
    assert greatest_loss(part, math.log(2)) == pytest.approx(math.log(2.5))
    assert chances_of_changes(2, 1).tolist() == [
        [0, 1, 0],
        [0, 1, 0],
        [pytest.approx(1 / 3), 0, pytest.approx(2 / 3)],
    ]


@given(
    bound=some.integers(1, 40),
    n=some.integers(1, MOST_PARTS),
    others=some.integers(0, 900),
    share=some.sampled_from((0.0, 0.03)),
)
def test_weights_move_by_no_more_than_is_said(bound: int, n: int, others: int, share: float) -> None:
    """Units of all cells and of the total, with n trips of a user and without, by the weights that a release takes."""
    promise = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=bound, total_share=share)
    before, after = (min(1024, math.isqrt(1024**2 * bound // max(t, 1))) for t in (others + n, others))
    in_total = promise.total_units * (min(others + n, 100) - min(others, 100))
    square = n * before**2 + others * (after - before) ** 2 * (others > 0) + in_total**2
    assert square <= contributions_of_part(promise, n)[0].max()


@given(
    bound=some.integers(1, 40),
    n=some.integers(1, 999),
    others=some.integers(0, 999),
    share=some.sampled_from((0.0, 0.03)),
)
def test_weights_move_by_no_more_than_is_said_of_any_number(
    bound: int, n: int, others: int, share: float
) -> None:
    """A person with 100 trips of a file on one day and 10 on the next: no vote keeps a day of trips to 24."""
    promise = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=bound, total_share=share)
    before, after = (min(1024, math.isqrt(1024**2 * bound // max(t, 1))) for t in (others + n, others))
    in_total = promise.total_units * (min(others + n, 100) - min(others, 100))
    square = n * before**2 + others * (after - before) ** 2 * (others > 0) + in_total**2
    assert square <= contributions_of_part(promise, None)[0].max()


def test_a_day_of_hundred_trips_costs_more_than_one_of_24() -> None:
    """L = 5, by hand: 100 of 110 trips out move the counts by 100·5/110 + 10·(√½ − √(5/110))² = 6.98, more than the week's 5."""
    promise = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=5)
    moved = 100 * 5 / 110 + 10 * (math.sqrt(5 / 10) - math.sqrt(5 / 110)) ** 2
    assert moved > contributions_of_part(promise, 24)[0].max() / 1024**2
    assert moved < contributions_of_part(promise, None)[0].max() / 1024**2 <= 10
    day, week = (
        spending_from_promises([one], 1e-6).epsilon for one in (part_of_promise(promise, None), promise)
    )
    from dp_accounting.pld import privacy_loss_distribution

    peer = privacy_loss_distribution.from_gaussian_mechanism(promise.sigma / 1024 / math.sqrt(moved))
    assert week < peer.get_epsilon_for_delta(1e-6) < day


@given(
    bound=some.integers(1, 40),
    pairs=some.lists(some.tuples(some.integers(0, 60), some.integers(0, 6)), min_size=1, max_size=5),
)
def test_weights_with_levels_move_by_no_more_than_is_said(bound: int, pairs: list[tuple[int, int]]) -> None:
    """Trips by pair of districts, some of each taken out: a trip adds its weight to its cell, and a quarter of it to its pair."""
    n = min(sum(out for _, out in pairs), MOST_PARTS)
    if not n or sum(out for _, out in pairs) > MOST_PARTS:
        return
    promise = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=bound, levels=1)
    stay = np.array([inside for inside, _ in pairs])
    out = np.array([outside for _, outside in pairs])
    weights = [
        int(weight_with_levels([int(k.sum())], [[int((k**2).sum())]], bound)[0]) for k in (stay + out, stay)
    ]
    moved = int(out.sum()) * weights[0] ** 2 + int(stay.sum()) * (weights[1] - weights[0]) ** 2
    moved += int((((stay + out) * weights[0] - stay * weights[1]) ** 2).sum()) // 16
    assert moved <= contributions_of_part(promise, n)[0].max()


def test_a_year_of_trips_against_dp_accounting() -> None:
    """A trip in each of 52 Gaussian releases of one week, as many continuous Gaussians of sensitivity 1: alike to a hundredth."""
    from dp_accounting.pld import privacy_loss_distribution

    week = GaussianParameters(epsilon=0.5, delta=1e-6, max_trips_per_user=20)
    found = spending_from_promises([part_of_promise(week, 1)] * 52, 1e-6)
    peer = privacy_loss_distribution.from_gaussian_mechanism(
        week.sigma / 1024, value_discretization_interval=1e-4
    ).self_compose(52)
    assert found.epsilon == pytest.approx(peer.get_epsilon_for_delta(1e-6), rel=0.01)
    assert found.rho == pytest.approx(52 / 2 * (1024 / week.sigma) ** 2, rel=1e-9)


@pytest.mark.parametrize(
    ("epsilon", "bound", "threshold", "n", "times"), [(0.1, 1000, 2000, 1, 2), (1.0, 2, 1, None, 1)]
)
def test_cells_that_show_often_cost_no_more_than_their_parts_added_up(
    epsilon: float, bound: int, threshold: int, n: int | None, times: int
) -> None:
    """The normal law by scipy and dp-accounting: ln of the chance that no cell shows, and the ε of the noise, for each release."""
    from dp_accounting.pld import privacy_loss_distribution

    week = GaussianParameters(
        epsilon=epsilon,
        delta=1e-6,
        max_trips_per_user=bound,
        clip="keep",
        threshold=threshold,
        cells="discovered",
    )
    found = spending_from_promises([part_of_promise(week, n)] * times, 1e-6)
    changes, deviation = 2 * (n or bound), week.sigma / 1024
    unseen = changes * scipy.stats.norm.logcdf((threshold - 1.5) / deviation)
    noise = privacy_loss_distribution.from_gaussian_mechanism(
        deviation / math.sqrt(changes), value_discretization_interval=1e-4
    ).get_epsilon_for_delta(1e-6 / times)
    assert found.delta == pytest.approx(times * -math.expm1(unseen) + 1e-6, rel=0.01)
    assert -unseen < found.epsilon <= times * (noise - unseen) * 1.01


def test_what_is_not_known_is_the_worst_that_it_allows() -> None:
    found = part_of_promise(KnownPromise(epsilon=1.0, delta=1e-3), 1)
    assert isinstance(found, KnownPromise)
    assert (found.epsilon, found.delta) == (2.0, pytest.approx(1e-3 * (1 + math.e)))
    with pytest.raises(ParameterError, match="max_trips_per_user must be given"):
        PartPromise(promise=GuaranteeParameters(epsilon=1.0), n=1)


def test_of_more_trips_than_are_weighted_another_takes_the_place_of_one_taken_out() -> None:
    """L = 800, 1,100 trips: each of 1,000 chosen ones weighs √0.8. Five of them out, five others in: ten counts move by 0.8 squared."""
    promise = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=800)
    weight = math.isqrt(1024**2 * 800 // 1000)
    assert contributions_of_part(promise, 5)[0].max() >= 10 * weight**2 > 5 * 1024**2


def test_cells_of_those_that_come_in_for_others_show_too() -> None:
    """Of 1,001 trips, L = 1,000, one is left out at random: another out lets it in, and both may be alone in their cells."""
    week = GaussianParameters(
        epsilon=0.5, delta=1e-6, max_trips_per_user=1000, threshold=200, cells="discovered"
    )
    cell = scipy.stats.norm.logcdf((week.threshold - 1.5) / (week.sigma / 1024))
    assert log_unseen_of_part(PartPromise(promise=week, n=1)) <= 2 * cell * 0.999 < 0


def test_a_total_adds_its_own_square_where_sums_of_districts_are_paid_for() -> None:
    """Each of the trips taken out counts in the total too, up to its cap: (units · n)² more."""
    weighted = {"epsilon": 1.0, "delta": 1e-6, "max_trips_per_user": 10, "levels": 1}
    bare, beside = GaussianParameters(**weighted), GaussianParameters(**weighted, total_share=0.1)  # type: ignore[arg-type]
    assert beside.total_units > 0
    for n in (1, 5, 24):
        square, _ = contributions_of_part(beside, n)
        assert (
            int(square.max()) - int(contributions_of_part(bare, n)[0].max()) == (beside.total_units * n) ** 2
        )
