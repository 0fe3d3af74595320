"""Six mechanisms, one promise: drawn figures against expected ones, today's release against the planner's, by hand."""

import math

import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.od.comparing import ComparedMechanism, ComparisonParameters, comparison_from_unique_trips
from privlab.od.comparing.candidates import FAMILIES, best_candidates, counts_of_group
from privlab.od.matrix import UniqueTrips
from privlab.od.planning.expected_utility import bounded_cells_from_unique_trips, expected_utility
from tests.od.by_hand import WEEK, trips_of

NAMES = [
    "integer",
    "integer, unbiased",
    "gaussian",
    "gaussian, l2",
    "gaussian, l2, unbiased",
    "gaussian, l2, unbiased, smoothed",
]


def crowd() -> UniqueTrips:
    """3,000 people in 6 zones with 1 to 12 trips each, most of them along a few flows."""
    rng = np.random.default_rng(5)
    cells = np.array([o * 6 + d for o in range(6) for d in range(6) if o != d])
    popularity = np.arange(cells.size, 0, -1.0) ** 2
    return trips_of(
        [
            rng.choice(
                cells, size=rng.integers(1, 13), replace=False, p=popularity / popularity.sum()
            ).tolist()
            for _ in range(3000)
        ],
        range(6),
    )


def compared(trips: UniqueTrips, **changes: float) -> tuple[ComparedMechanism, ...]:
    parameters = ComparisonParameters(**{"epsilon": 0.3, "draws": 200, **changes})  # type: ignore[arg-type]
    return comparison_from_unique_trips(trips, parameters, week=WEEK, rng=np.random.default_rng(1))


def test_drawn_shares_are_those_expected() -> None:
    found = compared(crowd())
    assert [one.name for one in found] == NAMES
    for one in found:
        # 200 draws of a share, which moves by less than 0.5 in one draw: six standard errors at most. What is expected of smoothed
        # counts has itself 32 draws of their model in it.
        n = 200 if one.name in NAMES[:5] else 200 * 32 / 232
        assert one.within == pytest.approx(one.expected_within, abs=6 * 0.25 / n**0.5)


def test_today_is_what_the_planner_expects() -> None:
    trips = crowd()
    today = compared(trips, draws=1)[0]
    cells = bounded_cells_from_unique_trips(trips, week=WEEK)
    best = max(
        expected_utility(bound / 0.3, 1, cells.true, bounded, 1.0, 0.1)
        for bound, bounded in zip(cells.bounds, cells.bounded, strict=True)
    )
    assert today.expected_within == pytest.approx(best, abs=1e-12)


def test_gaussian_noise_spends_delta_and_laplace_none() -> None:
    found = compared(crowd(), draws=1)
    assert [one.delta for one in found] == [0.0, 0.0, 1e-6, 1e-6, 1e-6, 1e-6]


def test_a_large_budget_gives_everything_back() -> None:
    for one in compared(crowd(), epsilon=20.0, draws=3):
        if "unbiased" in one.name or "l2" not in one.name:
            assert one.within > 0.99
            assert abs(one.bias) < 0.01


def test_the_least_epsilon_is_compared_too_with_what_is_left_beside_a_total_against_the_law() -> None:
    """ε = 0.01 less a total's share of it; noise of scale b = L/ε' has the variance 2a/(1 − a)², a = e^(−1/b)."""
    found = {one.name: one for one in compared(crowd(), epsilon=0.01, threshold=0, draws=20)}
    assert list(found) == NAMES
    one = found["integer, unbiased"]
    epsilon, bound = 0.01, one.max_trips_per_user
    shares = (0.003, 0.01, 0.03, 0.1, 0.3)  # that may go to a total
    decays = [np.exp(-epsilon * (1 - share) / bound) for share in shares]
    laws = [np.sqrt(2 * a) / (1 - a) for a in decays]
    assert min(abs(law / one.noise_deviation - 1) for law in laws) < 1e-9
    assert (
        one.noise_deviation > found["integer"].noise_deviation * bound / found["integer"].max_trips_per_user
    )


def test_without_a_threshold_every_cell_is_published_in_each_draw() -> None:
    """Three zones, two people on one flow: 5 of the 6 cells are false, and no noise below 1 takes the flow out."""
    for one in compared(trips_of([[1], [1]], range(3)), threshold=0, draws=50):
        assert one.made_up_share == pytest.approx(5 / 6)
    for one in compared(crowd(), threshold=0):
        n = 200 if one.name in NAMES[:5] else 200 * 32 / 232
        assert one.within == pytest.approx(one.expected_within, abs=6 * 0.25 / n**0.5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [({"epsilon": 0.0}, "epsilon must be"), ({"delta": 0.0}, "delta must be"),
     ({"threshold": -1}, "threshold must be"), ({"draws": 0}, "draws must be")],
)  # fmt: skip
def test_absurd_parameters_are_refused(changes: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        compared(crowd(), **changes)


def test_nobody_in_the_group_is_said() -> None:
    trips = trips_of([[], [1]])
    with pytest.raises(DataError, match="Nobody in this group"):
        comparison_from_unique_trips(
            trips, ComparisonParameters(epsilon=1.0), week=WEEK, group_size=1, rng=np.random.default_rng(1)
        )


def test_what_is_published_is_whole_and_what_is_left_out_counts_for_nothing_by_hand() -> None:
    """100 people go from 0 to 1 and two back, one trip each, ε = 20 at δ = 0.1: noise of σ < 0.2 is rounded away, and 10 leaves two out."""
    trips = trips_of([[1]] * 100 + [[2]] * 2, range(2))
    for one in compared(trips, epsilon=20.0, delta=0.1, threshold=10, draws=1):
        if one.name in ("gaussian", "gaussian, l2"):
            assert one.max_trips_per_user == 1
            assert one.noise_deviation < 0.2
            assert one.bias == pytest.approx(-2 / 102, abs=1e-12)
            assert one.rmse == pytest.approx(2 / 2**0.5, abs=1e-12)


def test_the_noise_on_a_total_is_that_of_the_part_of_epsilon_that_pays_for_it() -> None:
    """A person adds 100 to a total at most: Laplace noise of scale 100/ε″ has the standard deviation √2·100/ε″; cells have the rest of ε."""
    counts = counts_of_group(crowd(), week=WEEK, group_size=None)
    family = next(one for one in FAMILIES if one.name == "integer, unbiased")
    for one in best_candidates(counts, ComparisonParameters(epsilon=2.0), family):
        on_total = math.sqrt(2) * 100 / one.law.total_deviation
        on_cells = one.bound / one.law.scale
        assert on_total + on_cells == pytest.approx(2.0)
        assert any(on_total == pytest.approx(2.0 * share) for share in (0.003, 0.01, 0.03, 0.1, 0.3))


def test_a_total_counts_a_hundred_trips_of_a_person_at_most_by_hand() -> None:
    """150 trips of one and three of another: 103, and all 153 are true. Cell o·14 + d is the (13·o + d)th off the diagonal, one less behind it."""
    many = [origin * 14 + end for origin in range(14) for end in range(14) if origin != end][:150]
    counts = counts_of_group(trips_of([many, many[:3]], range(14)), week=WEEK, group_size=None)
    assert counts.capped_total == 103
    assert counts.true.sum() == 153
    assert counts.place.tolist() == list(range(150))
    assert (counts.n_cells, counts.n_true, counts.n_empty) == (182, 150, 32)


def test_more_cells_than_can_be_published_are_not_compared_iv() -> None:
    """2,001 zones make 2,001 · 2,000 = 4,002,000 cells."""
    with pytest.raises(ParameterError, match=r"at most 4,000,000 cells to be compared, got 4,002,000"):
        counts_of_group(trips_of([[1]], range(2_001)), week=WEEK, group_size=None)
