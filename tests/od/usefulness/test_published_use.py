"""What published counts are good for, by hand on five cells; cells of a release put beside the true ones."""

import math

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.od.matrix import ODMatrix
from privlab.od.usefulness.published_use import (
    PublishedUse,
    flow_comparison_from_published_counts,
    published_use_from_flow_comparison,
)
from privlab.od.usefulness.utility import FlowComparison

NAN = float("nan")


def use_of(true: list[float], published: list[float], tolerance: float = 0.1) -> PublishedUse:
    flows = FlowComparison(
        flow=np.arange(len(true)),
        true=np.array(true, dtype=float),
        bounded=np.array(true, dtype=float),
        published=np.array(published, dtype=float),
    )
    return published_use_from_flow_comparison(flows, week="2026-03-02", tolerance=tolerance)


def test_five_cells_by_hand() -> None:
    """100 as 96, 20 left out, 40 as 44 (just a tenth off), nobody as 8, 10 as 30."""
    found = use_of([100, 20, 40, 0, 10], [96, NAN, 44, 8, 30])
    assert (found.kept, found.lost, found.made_up, found.share_made_up) == (3, 1, 1, 0.25)
    assert found.share_kept == pytest.approx(150 / 170)
    assert found.share_close == pytest.approx(140 / 170)
    assert found.error == 4  # of 4, 4 and 20: what is made up has no true count to be off from
    assert found.share_counted == pytest.approx((96 + 44 + 8 + 30) / 170)  # what is made up is counted, too
    assert found.n_true == 170
    assert found.common_part == pytest.approx(2 * (96 + 40 + 10) / (170 + 178))
    assert use_of([100, 20, 40, 0, 10], [96, NAN, 44, 8, 30], 0.05).share_close == pytest.approx(100 / 170)


@pytest.mark.parametrize("percent", [1, 7, 10, 15, 29, 57, 58, 99])
def test_just_so_far_off_is_near_and_one_further_is_not_whatever_the_count(percent: int) -> None:
    """In whole numbers: percent times the count is a hundred times what it is off."""
    counts = [count for count in range(100, 3_000) if percent * count % 100 == 0]
    off = [count + (-1) ** count * (percent * count // 100) for count in counts]
    assert use_of(counts, off, percent / 100).share_close == 1
    further = [seen + (1 if seen > count else -1) for seen, count in zip(off, counts, strict=True)]
    assert use_of(counts, further, percent / 100).share_close == 0


def test_of_a_week_without_trips_nothing_is_known_and_it_ranks_last() -> None:
    nobody, nothing, useless = use_of([0], [5]), use_of([10], [NAN]), use_of([10], [90])
    assert all(map(math.isnan, (nobody.share_kept, nobody.share_close, nobody.share_counted, nobody.error)))
    assert (nobody.made_up, nobody.share_made_up) == (1, 1)
    assert math.isnan(nothing.share_made_up)
    best = use_of([10], [10])
    assert sorted([best, useless, nobody, nothing], key=lambda one: one.rank) == [
        nobody,
        nothing,
        useless,
        best,
    ]


def true_counts() -> ODMatrix:
    """Two people go from a to b, three back."""
    return ODMatrix(
        zones=np.array(["a", "b"]),
        week="2026-03-02",
        origin=np.array([0, 1]),
        destination=np.array([1, 0]),
        count=np.array([2, 3]),
        n_users=3,
        max_trips_per_user=None,
    )


def test_cells_of_a_release_stand_beside_the_true_ones_by_hand() -> None:
    """Of three zones c is in the release alone. Published: a to b as 4, c to a as 7; b to a is left out. Flows are origin times 3 and more."""
    zones = np.array(["a", "b", "c"], dtype=object)
    found = flow_comparison_from_published_counts(
        true_counts(), zones, origin=np.array([2, 0]), destination=np.array([0, 1]), count=np.array([7, 4])
    )
    assert found.flow.tolist() == [1, 3, 6]
    assert found.true.tolist() == [2, 3, 0]
    assert found.published.tolist() == pytest.approx([4, NAN, 7], nan_ok=True)
    empty = flow_comparison_from_published_counts(
        None, zones, origin=np.array([2]), destination=np.array([0]), count=np.array([7])
    )
    assert (empty.flow.tolist(), empty.true.tolist(), empty.published.tolist()) == ([6], [0], [7])


def test_a_cell_that_stands_twice_is_refused_iv() -> None:
    zones, twice = np.array(["a", "b"], dtype=object), np.array([0, 0])
    with pytest.raises(ParameterError, match="once each"):
        flow_comparison_from_published_counts(
            true_counts(), zones, origin=twice, destination=twice + 1, count=np.array([1, 2])
        )
