"""A simulated release of visits and of flows by slot, against counts by hand and what is expected of the release itself."""

from dataclasses import replace

import numpy as np
import pytest

from privlab.od.expecting import release_outlook_from_trips
from privlab.od.products import product_of
from privlab.od.releases.release_plan import (
    ReleasePlan,
    SecureReleaseParameters,
    release_plan_from_parameters,
)
from privlab.od.settled.settled_trips import CountedCells, SettledCells
from privlab.od.simulating.product_simulation import product_simulation_from_cells

WEEKS = ("2026-03-02", "2026-03-09")


def plan_of(product: str, weeks: tuple[str, ...] = WEEKS, zones: tuple[int, ...] = (1, 2, 3), **more: object) -> ReleasePlan:  # fmt: skip
    asked = {"epsilon": 20.0, "max_trips_per_user": 2, "threshold": 1} | more
    parameters = SecureReleaseParameters(product=product, **asked)  # type: ignore[arg-type]
    return release_plan_from_parameters(parameters, weeks=weeks, zones_spec="column", public_zones=zones)


def cells_of(weeks: list[list[list[int]]], product: str, zones: tuple[int, ...] = (1, 2, 3)) -> CountedCells:
    """Return the cells of each person, for each week: people are numbered alike in all weeks."""
    people = [(user, cell) for week in weeks for user, cells in enumerate(week) for cell in cells]
    sizes = [sum(map(len, week)) for week in weeks]
    return CountedCells(
        zones=np.array(zones),
        weeks=WEEKS[: len(weeks)],
        week_starts=np.cumsum([0, *sizes]),
        user=np.array([user for user, _ in people], dtype=np.int32),
        flow=np.array([cell for _, cell in people], dtype=np.int64),
        product=product_of(product),
    )


def test_with_next_to_no_noise_each_count_is_that_by_hand() -> None:
    # Zone 2 on Monday, 08:00: cell 1·168 + 8; two people in the first week, one in the second. Zone 1 on Sunday, 23:00: 167.
    weeks = [[[176, 167], [176]], [[176], []]]
    found = product_simulation_from_cells(cells_of(weeks, "visits"), plan_of("visits"), seed=1)
    told = {
        (week, int(zone), int(day), int(hour)): int(count)
        for week, zone, day, hour, count in zip(
            found.week,
            found.cell["zone"],
            found.cell["weekday"],
            found.cell["hour"],
            found.count,
            strict=True,
        )
    }
    assert told == {
        (WEEKS[0], 2, 1, 8): 2,
        (WEEKS[0], 1, 7, 23): 1,
        (WEEKS[1], 2, 1, 8): 1,
    }
    assert found.true_week.tolist() == [WEEKS[0], WEEKS[0], WEEKS[1]]
    assert found.true_count.tolist() == [1, 2, 1]
    assert found.n_cells == 3 * 168 * 2
    assert (found.utility.cells_kept, found.utility.cells_lost, found.utility.cells_spurious) == (3, 0, 0)
    assert (found.utility.rmse, found.utility.within_10_percent, found.utility.total_true) == (0, 1, 4)


def test_trips_in_zones_on_no_list_are_not_counted_nor_against_the_limit() -> None:
    # Flow 1 → 2 in slot 0 is cell (0·3 + 1)·8; 1 → 3, which is on no list, comes first in the week and would take the only place.
    cells = cells_of([[[16, 8]] * 5], "flows-by-slot")
    plan = plan_of("flows-by-slot", WEEKS[:1], (1, 2), max_trips_per_user=1)
    found = product_simulation_from_cells(cells, plan, seed=1)
    named = [values.tolist() for values in found.cell.values()]
    assert (named, found.count.tolist()) == ([[1], [2], ["workday 00-06"]], [5])
    assert found.true_count.tolist() == [5]
    assert found.utility.clipping == 0


@pytest.mark.parametrize("noise", ["integer", "gaussian"])
def test_what_a_limit_takes_is_told_apart_from_the_noise(noise: str) -> None:
    # Four visits each, of which a limit of 1 keeps one, or by weight a half of each: 1/√4.
    parameters = {"max_trips_per_user": 1, "threshold": 0, "noise": noise}
    gaussian = {"clip": "l2", "delta": 1e-6} if noise == "gaussian" else {}
    plan = plan_of("visits", WEEKS[:1], **parameters, **gaussian)
    found = product_simulation_from_cells(cells_of([[[5, 6, 7, 8]] * 40], "visits"), plan, seed=1)
    assert found.utility.clipping == pytest.approx(160 * (1 / 2 if noise == "gaussian" else 3 / 4))


@pytest.mark.parametrize(
    "more",
    [
        {"product": "visits", "threshold": 6},
        {"product": "flows-by-slot", "threshold": 6},
        {"product": "visits", "threshold": 6, "noise": "gaussian", "clip": "l2", "delta": 1e-6},
        {"product": "flows-by-slot", "threshold": 6, "noise": "gaussian", "clip": "l2", "delta": 1e-6, "total_share": 0.03},
    ],
)  # fmt: skip
def test_draws_scatter_about_what_is_expected_of_the_release(more: dict[str, object]) -> None:
    product = product_of(str(more["product"]))
    rng = np.random.default_rng(1)
    all_cells = product.all_cells(3)
    people = [rng.choice(all_cells[:60], int(rng.integers(1, 7)), replace=False).tolist() for _ in range(100)]
    cells = cells_of([people], product.name)
    plan = plan_of(weeks=WEEKS[:1], **{**more, "epsilon": 2.0})  # type: ignore[arg-type]
    expected = release_outlook_from_trips(
        SettledCells(**{name: getattr(cells, name) for name in CountedCells.__dataclass_fields__}), plan
    )
    drawn = [product_simulation_from_cells(cells, plan, seed=seed) for seed in range(150)]
    for name, of_draws in {
        "published": [one.count.size for one in drawn],
        "made_up": [one.utility.cells_spurious for one in drawn],
        "close_trips": [
            (one.unbiased or one.utility).within_10_percent * one.utility.total_true for one in drawn
        ],
    }.items():
        error = float(np.std(of_draws)) / np.sqrt(len(of_draws))
        assert np.mean(of_draws) == pytest.approx(getattr(expected, name), abs=4 * error + 1e-9), name


def test_another_seed_draws_anew_and_the_same_one_the_same() -> None:
    cells, plan = cells_of([[[5, 6]] * 30], "visits"), plan_of("visits", WEEKS[:1], epsilon=0.5, threshold=0)
    first, again, other = (product_simulation_from_cells(cells, plan, seed=seed).count for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("product", ["visits", "flows-by-slot"])
def test_a_seed_draws_the_same_in_whatever_order_the_database_hands_over_a_users_rows(product: str) -> None:
    draw = np.random.default_rng(3)
    person = [int(cell) for cell in product_of(product).all_cells(3)[:9]]
    weeks = [[draw.permutation(person).tolist() for _ in range(20)] for _ in WEEKS]
    plan = plan_of(product, epsilon=1.0, threshold=0)
    one, other = (
        product_simulation_from_cells(cells_of(handed_over, product), plan, seed=1)
        for handed_over in (weeks, [[sorted(cells) for cells in week] for week in weeks])
    )
    assert np.array_equal(one.count, other.count)


def test_what_may_be_released_stays_so_where_zones_are_left_out() -> None:
    counted = cells_of([[[16, 8]]], "flows-by-slot")
    settled = SettledCells(**{name: getattr(counted, name) for name in CountedCells.__dataclass_fields__})
    assert type(settled.between([1, 2])) is SettledCells
    assert type(counted.between([1, 2])) is CountedCells
    assert type(replace(settled, n_users=3)) is SettledCells
