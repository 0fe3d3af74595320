"""Sums of districts beside cells: who may move them by how much, least squares against scipy, and nothing but what is published."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

from privlab.checks import ParameterError
from privlab.dp.gaussian.discrete_gaussian import UNITS
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters
from privlab.od.expecting import release_outlook_from_trips
from privlab.od.levels.levels import (
    Level,
    LevelSums,
    PublishedLevels,
    agreed_counts,
    agreed_weeks,
    level_deviation,
    pairs_of_cells,
    require_sound_levels,
)
from privlab.od.levels.trip_weights import districts_of_zones, squares_of_levels
from privlab.od.releases import release_plan_from_parameters
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters
from privlab.od.releases.secure_release import bounded_counts_from_week, secure_release_from_settled_trips
from tests.od.by_hand import WEEK, settled, trips_of

N_ZONES = 12
DISTRICT = Level(name="district", of=tuple("aaabbbbcccde"))
REGION = Level(name="region", of=tuple("nnnnnnnsssss"))
FLOWS = np.array([o * N_ZONES + d for o in range(N_ZONES) for d in range(N_ZONES) if o != d])


def parameters_of(**said: Any) -> SecureReleaseParameters:
    usual: dict[str, Any] = {
        "epsilon": 1.0, "max_trips_per_user": 4, "threshold": 0, "noise": "gaussian", "clip": "l2", "delta": 1e-6,
        "levels": 2,
    }  # fmt: skip
    return SecureReleaseParameters(**(usual | said))


def plan_of(levels: tuple[Level, ...] = (DISTRICT, REGION), **said: Any) -> ReleasePlan:
    return release_plan_from_parameters(
        parameters_of(levels=len(levels), **said),
        weeks=[WEEK],
        zones_spec="column",
        public_zones=range(N_ZONES),
        levels=levels,
    )


@pytest.mark.parametrize("public", [range(N_ZONES), range(7)])
def test_removing_a_user_moves_cells_and_sums_together_by_no_more_than_the_norm(public: range) -> None:
    levels = [Level(name=one.name, of=one.of[: len(public)]) for one in (DISTRICT, REGION)]
    groups = districts_of_zones(levels, public, np.arange(N_ZONES))
    promise = parameters_of().guarantee_parameters(1)
    assert isinstance(promise, GaussianParameters)
    rng = np.random.default_rng(5)
    origin, destination = np.divmod(np.arange(N_ZONES**2), N_ZONES)
    inside = (origin < len(public)) & (destination < len(public))
    for n in (1, 2, 4, 5, 30, 132):
        people = [rng.choice(FLOWS, n, replace=False).tolist(), FLOWS[:30].tolist(), [FLOWS[0]]]
        worlds = []
        for kept in (people, [[], *people[1:]]):
            user, flow = settled(trips_of(kept, range(N_ZONES))).week_of(WEEK)
            cells, units = bounded_counts_from_week(user, flow, N_ZONES, parameters_of(), groups)
            everywhere = np.zeros(N_ZONES**2, dtype=np.int64)
            everywhere[cells] = units
            sums = []
            for level, shift in zip(levels, (2, 3), strict=True):
                total = np.zeros(level.n_pairs, dtype=np.int64)
                np.add.at(
                    total, pairs_of_cells(level, origin[inside], destination[inside]), everywhere[inside]
                )
                assert not (total % 2**shift).any()
                sums.append(total >> shift)
            worlds.append(np.concatenate([everywhere, *sums]))
        moved = worlds[0] - worlds[1]
        assert int((moved**2).sum()) <= promise.norm**2
        assert (moved >= 0).all()


def random_tree(seed: int) -> tuple[Any, ...]:
    """Return counted, n_cells, noisy, parents, variances, and each cell's and pair's number for a design matrix."""
    rng = np.random.default_rng(seed)
    zones = np.arange(N_ZONES)
    origin, destination = (ends.ravel() for ends in np.meshgrid(zones, zones, indexing="ij"))
    apart = origin != destination
    pairs = [pairs_of_cells(level, origin[apart], destination[apart]) for level in (DISTRICT, REGION)]
    cells = rng.normal(50, 30, pairs[0].size)
    noisy = [rng.normal(300, 200, level.n_pairs) for level in (DISTRICT, REGION)]
    return cells, pairs, noisy


@pytest.mark.parametrize("variances", [(16.0, 64.0), (0.5, 900.0), (5000.0, 0.01)])
def test_two_passes_are_the_weighted_least_squares_of_scipy(variances: tuple[float, float]) -> None:
    """Unknown are all cells; seen are each cell, each pair of districts and of regions, each with its variance."""
    cells, pairs, noisy = random_tree(7)
    seen, rows = [cells / np.sqrt(9.0)], [scipy.sparse.identity(cells.size, format="csr") / np.sqrt(9.0)]
    for pair, own, variance in zip(pairs, noisy, variances, strict=True):
        sums = scipy.sparse.csr_matrix(
            (np.ones(pair.size), (pair, np.arange(pair.size))), shape=(own.size, pair.size)
        )
        rows.append(sums / np.sqrt(variance))
        seen.append(own / np.sqrt(variance))
    expected = scipy.sparse.linalg.lsqr(
        scipy.sparse.vstack(rows), np.concatenate(seen), atol=1e-14, btol=1e-14, iter_lim=5_000
    )[0]
    parent = np.full(DISTRICT.n_pairs, -1)
    parent[pairs[0]] = pairs[1]
    counted = np.bincount(pairs[0], weights=cells, minlength=DISTRICT.n_pairs)
    n_cells = np.bincount(pairs[0], minlength=DISTRICT.n_pairs)
    found = agreed_counts(counted, n_cells, noisy, [parent], 9.0, variances)
    agreed = cells + found.added[pairs[0]]
    assert agreed == pytest.approx(expected, abs=1e-6)
    for pair, own in zip(pairs, found.sums, strict=True):  # sums that agree, to the last
        assert own == pytest.approx(np.bincount(pair, weights=agreed, minlength=own.size), abs=1e-9)
    # A district of one zone has no cell to itself: 0, whatever its noise.
    assert not found.sums[0][n_cells == 0].any()


def test_one_pair_of_districts_by_hand() -> None:
    """Two cells of 10 and 20 with variance 1, their sum seen as 36 with variance 4: (30·4 + 36·2)/6 = 32, one more each."""
    found = agreed_counts(np.array([30.0]), np.array([2]), [np.array([36.0])], [], 1.0, [4.0])
    assert found.sums[0].tolist() == [32.0]
    assert found.added.tolist() == [1.0]


def test_what_agrees_is_a_function_of_what_is_published_alone() -> None:
    """A release is read from its own numbers: the same sums give the same counts, and nothing of the trips is looked at."""
    made = secure_release_from_settled_trips(
        settled(trips_of([FLOWS[:3].tolist()] * 9, range(N_ZONES))), plan_of()
    )
    assert made.levels is not None
    scale = made.mechanism["scale"]
    copy = PublishedLevels(
        zones=tuple(range(N_ZONES)),
        levels=(DISTRICT, REGION),
        sums={
            WEEK: tuple(
                LevelSums(noisy=one.noisy.copy(), counted=one.counted.copy())
                for one in made.levels.sums[WEEK]
            )
        },
    )
    one, other = (agreed_weeks(published, scale)[WEEK] for published in (made.levels, copy))
    assert one.added.tolist() == other.added.tolist()
    # With threshold 0 every cell is there, and its sums with what is added are those of the districts.
    pair = pairs_of_cells(
        DISTRICT, made.cell["origin"].astype(np.int64), made.cell["destination"].astype(np.int64)
    )
    agreed = made.count + one.added[pair]
    assert np.bincount(pair, weights=agreed, minlength=25) == pytest.approx(one.sums[0])
    twice = agreed_weeks(made.levels, scale, {WEEK: 2.0})[WEEK]
    assert twice.sums[1] == pytest.approx(2 * one.sums[1])


def test_sums_of_a_release_are_the_sums_of_its_cells_and_truth_with_their_own_noise() -> None:
    """4,000 people make 3 trips each within district a, L = 30 so that nobody is weighted down."""
    plan = plan_of(epsilon=8.0, max_trips_per_user=30)
    trips = trips_of([[1, 2, N_ZONES]] * 4_000, range(N_ZONES))
    made = secure_release_from_settled_trips(settled(trips), plan)
    assert made.levels is not None
    districts, regions = made.levels.sums[WEEK]
    pair = pairs_of_cells(
        DISTRICT, made.cell["origin"].astype(np.int64), made.cell["destination"].astype(np.int64)
    )
    assert districts.counted.tolist() == np.bincount(pair, weights=made.count, minlength=25).tolist()
    assert int(regions.counted.sum()) == int(made.count.sum())
    scale = made.mechanism["scale"]
    assert made.mechanism["level_units_per_trip"] == [UNITS // 4, UNITS // 8]
    for level, (sums, true) in enumerate(((districts, [12_000, *[0] * 24]), (regions, [12_000, 0, 0, 0]))):
        off = (sums.noisy - np.array(true)) / level_deviation(scale, level)
        assert np.abs(off).max() < 6
        assert np.abs(off).max() > 0.01
    outlook = release_outlook_from_trips(trips, plan)
    assert outlook.counted_trips == pytest.approx(12_000)


def test_the_outlook_knows_that_levels_make_trips_weigh_less() -> None:
    """9 trips from a to b, L = 9: with levels 9 + 81/16 + 81/64 fit into 9 at a weight of √(9/15.33), in 1/128."""
    people = [[o * N_ZONES + d for o in (0, 1, 2) for d in (3, 4, 5)]]
    outlook = release_outlook_from_trips(
        trips_of(people, range(N_ZONES)), plan_of(max_trips_per_user=9, threshold=5)
    )
    assert outlook.counted_trips == pytest.approx(
        9 * np.floor(128 * np.sqrt(9 / (9 + 81 / 16 + 81 / 64))) / 128
    )


@pytest.mark.parametrize(
    ("levels", "sentence"),
    [
        ((REGION, DISTRICT), "levels must go from small to large"),
        ((DISTRICT, DISTRICT), "levels must be named once each"),
        ((Level(name="one", of=("a",) * N_ZONES),), "must be"),
        ((Level(name="short", of=("a", "b")),), "for each of the 12 zones"),
        ((Level(name="", of=tuple("ab" * 6)),), "at most 100 letters"),
        ((Level(name="half a letter", of=("\ud800", *"ab" * 5, "c")),), "can be printed"),
    ],
)
def test_levels_that_are_none_are_refused(levels: tuple[Level, ...], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        plan_of(levels)


def test_levels_without_gaussian_noise_are_refused() -> None:
    with pytest.raises(ParameterError, match="levels must be left out with noise integer"):
        SecureReleaseParameters(epsilon=1.0, max_trips_per_user=4, levels=1)
    with pytest.raises(ParameterError, match="as many as the parameters pay for"):
        release_plan_from_parameters(
            parameters_of(levels=2),
            weeks=[WEEK],
            zones_spec="column",
            public_zones=range(N_ZONES),
            levels=[DISTRICT],
        )


def test_the_noise_on_sums_has_the_width_that_the_promise_needs() -> None:
    """29 sums of each of 40 releases of one trip: their mean square, over that of the law, is 1 within six standard errors."""
    plan = plan_of()
    one_trip = settled(trips_of([[1]], range(N_ZONES)))
    squares = []
    for _ in range(40):
        made = secure_release_from_settled_trips(one_trip, plan)
        assert made.levels is not None
        for level, sums in enumerate(made.levels.sums[WEEK]):
            off = sums.noisy - np.eye(1, sums.noisy.size)[0]  # the one trip is within the first district
            squares.append((off / level_deviation(made.mechanism["scale"], level)) ** 2)
    found = np.concatenate(squares)
    assert found.mean() == pytest.approx(1, abs=6 * np.sqrt(2 / found.size))


def test_pairs_of_districts_are_counted_in_every_week_that_is_published() -> None:
    """Of 250 zones in 250 districts 62,500 pairs: one week fits into 100,000, two do not."""
    each = (Level(name="own", of=tuple(f"{zone:03}" for zone in range(250))),)
    require_sound_levels(each, 250, 1)
    with pytest.raises(
        ParameterError, match="at most 100,000 pairs of districts over all weeks, got 125,000"
    ):
        require_sound_levels(each, 250, 2)


def test_what_a_total_gives_back_is_given_to_sums_and_cells_alike_by_hand() -> None:
    """Two zones to and fro, a district each: all of the sum is one cell, so that what is added to the cell is sum less cell, times 1.5."""
    level = Level(name="own", of=("a", "b"))
    counted, noisy = np.array([0, 10, 20, 0]), np.array([3, 16, 20, -4])
    told = PublishedLevels(
        zones=(0, 1), levels=(level,), sums={WEEK: (LevelSums(noisy=noisy, counted=counted),)}
    )
    plain, back = agreed_weeks(told, 2048.0)[WEEK], agreed_weeks(told, 2048.0, {WEEK: 1.5})[WEEK]
    assert plain.sums[0] == pytest.approx(counted + plain.added)
    assert 0 < plain.added[1] < 6  # on the way from 10 to 16
    assert plain.added[[0, 2, 3]] == pytest.approx(
        [0, 0, 0]
    )  # no cell within a district; nothing to add to 20
    assert back.sums[0] == pytest.approx(1.5 * plain.sums[0])
    assert back.added == pytest.approx(1.5 * plain.added)


def test_zones_that_are_not_public_lie_in_no_district_by_hand() -> None:
    """Of zones 5, 6 and 7 the list has 7 and 5: whoever goes to 6 adds to no sum, and weighs no less for it."""
    level = Level(name="own", of=("s", "n"))  # of 5 and 7
    (group,) = districts_of_zones([level], [5, 7], np.array([5, 6, 7]))
    assert group.tolist() == [1, -1, 0]
    cells = np.array([0 * 3 + 2, 2 * 3 + 0, 0 * 3 + 1, 1 * 3 + 2])  # 5 to 7, back, 5 to 6, 6 to 7
    (squares,) = squares_of_levels(np.zeros(4, dtype=np.int32), cells, 3, [group])
    assert squares.tolist() == [2]  # one trip each way between s and n
    assert districts_of_zones([level], None, np.array([5])) == ()
