"""What sums of districts are expected to be worth: by hand without noise, and against real draws."""

from dataclasses import replace

import numpy as np
import pytest

from privlab.figures.wording import outlook_in_words
from privlab.od.expecting import release_outlook_from_trips
from privlab.od.expecting.level_outlook import LevelOutlook
from privlab.od.levels.levels import Level, agreed_weeks, variances_of_levels
from privlab.od.releases import release_plan_from_parameters
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from tests.od.by_hand import WEEK, settled, trips_of

N_ZONES = 12
QUARTER = Level(name="quarter", of=tuple("aaabbbcccddd"))
HALF = Level(name="half", of=tuple("nnnnnnssssss"))


def plan_of(*levels: Level, epsilon: float, bound: int):
    parameters = SecureReleaseParameters(
        epsilon=epsilon, max_trips_per_user=bound, threshold=0, noise="gaussian", clip="l2", delta=1e-6,
        levels=len(levels),
    )  # fmt: skip
    return release_plan_from_parameters(
        parameters, weeks=[WEEK], zones_spec="column", public_zones=range(N_ZONES), levels=levels
    )


def test_variances_by_hand() -> None:
    """σ one trip, rounding aside: 9 cells from a to b have 9, their sum alone 16, both together 9·16/25; 6 cells within a district."""
    (quarter,) = variances_of_levels([QUARTER], 1024.0)
    n_cells, agreed, alone = quarter
    assert n_cells.reshape(4, 4).tolist() == (9 * np.ones((4, 4)) - 3 * np.eye(4)).astype(int).tolist()
    own, cell = 16 + 1 / 12, 1 + 1 / 12
    assert alone[1] == pytest.approx(9 * cell)
    assert agreed[1] == pytest.approx(9 * cell * own / (9 * cell + own))
    assert agreed[0] == pytest.approx(6 * cell * own / (6 * cell + own))
    half = variances_of_levels([QUARTER, HALF], 1024.0)[1]
    parts = 4 * agreed[1]  # from one half to the other: 4 pairs of quarters
    assert half[1][1] == pytest.approx(parts * (64 + 1 / 12) / (parts + 64 + 1 / 12))


def test_the_error_is_that_of_many_draws() -> None:
    """600 people, each with 20 trips of their own, L = 4: the mean of what 60 releases are off, against what is expected."""
    rng = np.random.default_rng(2)
    cells = np.array([o * N_ZONES + d for o in range(N_ZONES) for d in range(N_ZONES) if o != d])
    people = [rng.choice(cells, 20, replace=False).tolist() for _ in range(600)]
    trips = trips_of(people, range(N_ZONES))
    plan = plan_of(QUARTER, epsilon=1.0, bound=4)
    outlook = release_outlook_from_trips(trips, plan)
    true = np.zeros(16)
    for person in people:
        origin, destination = np.divmod(np.array(person), N_ZONES)
        np.add.at(true, origin // 3 * 4 + destination // 3, 1)
    by = true.sum() / outlook.counted_trips
    found = []
    for _ in range(60):
        made = secure_release_from_settled_trips(settled(trips), plan)
        assert made.levels is not None
        (sums,) = agreed_weeks(made.levels, made.mechanism["scale"], {WEEK: by})[WEEK].sums
        found.append(np.abs(sums - true).sum() / true.sum())
    (level,) = outlook.levels
    # Of 60 releases: seven standard errors of their mean, as they spread.
    assert np.mean(found) == pytest.approx(level.error, abs=7 * np.std(found) / np.sqrt(60))
    assert np.std(found) < level.error
    assert level.error < level.without_levels


def test_words_say_whether_levels_are_of_use() -> None:
    """Everyone goes one way: with levels that one sum is as near, and each flow has more noise; said so."""
    same = trips_of([[1, 2, 14, 25]] * 50, range(N_ZONES))
    told = outlook_in_words(release_outlook_from_trips(same, plan_of(QUARTER, epsilon=1.0, bound=1)))
    assert "Sums from district to district are expected to be off by" in told
    assert "hardly of use here" in told
    spread = trips_of([[cell] for cell in (1, 40, 77, 100)] * 200, range(N_ZONES))
    large = plan_of(HALF, epsilon=1.0, bound=4)
    outlook = release_outlook_from_trips(spread, large)
    assert outlook.levels_are_worth_it
    assert "hardly of use" not in outlook_in_words(outlook)


def test_how_much_wider_noise_is_for_levels_by_hand() -> None:
    """Four trips within one quarter, L = 1: each weighs √(1/4), and √(1/(4 + 4²/16)) beside their sum, which has a 16th of the norm."""
    same = trips_of([[1, 2, 14, 25]] * 50, range(N_ZONES))
    outlook = release_outlook_from_trips(same, plan_of(QUARTER, epsilon=1.0, bound=1))
    assert outlook.noise_of_cells == pytest.approx(
        np.sqrt(5 / 4), rel=0.01
    )  # weights are whole units of 4/1024


def test_levels_are_worth_it_where_one_of_them_is() -> None:
    same = trips_of([[1]] * 50, range(N_ZONES))
    outlook = release_outlook_from_trips(same, plan_of(QUARTER, epsilon=1.0, bound=1))
    gains, hardly = (
        LevelOutlook(name=name, error=error, without_levels=0.1) for name, error in (("a", 0.05), ("b", 0.09))
    )
    for levels, worth in (((gains, hardly), True), ((hardly, gains), True), ((hardly,), False)):
        assert replace(outlook, levels=levels, noise_of_cells=1.05).levels_are_worth_it is worth
    assert not replace(outlook, levels=(gains,), noise_of_cells=1.2).levels_are_worth_it


def test_noise_on_a_count_grows_by_what_a_total_gives_back() -> None:
    """Of 200 trips the limit leaves 80: counts are multiplied by 2.5, and so is their noise of 15; without a total it stays."""
    same = trips_of([[1]] * 50, range(N_ZONES))
    outlook = release_outlook_from_trips(same, plan_of(QUARTER, epsilon=1.0, bound=1))
    for total, wide in ((None, 15), (40, 38)):
        told = replace(
            outlook, half_width=15, true_trips=200, counted_trips=80.0, given_back_half_width=total
        )
        assert told.used_half_width == wide
