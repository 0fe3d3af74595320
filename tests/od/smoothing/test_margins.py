"""The parts that counts are added up in: by hand on few zones, and against a loop over all cells."""

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.od.products import FLOWS, FLOWS_BY_SLOT, VISITS
from privlab.od.smoothing.margins import CLASSES, ZonePositions, margins_of_cells

# Zones on a meridian, one degree apart: 111 km from each to the next.
LINE = ZonePositions(lat=(0.0, 1.0, 2.0), lon=(5.0, 5.0, 5.0))


def test_flows_between_three_zones_by_hand() -> None:
    """Cells 0→1, 0→2, 1→0, 1→2, 2→0, 2→1; two thirds of the pairs are one degree apart, the others two."""
    found = margins_of_cells(FLOWS, 3, LINE)
    assert found.sizes == (3, 3, CLASSES)
    assert found.numbers[0].tolist() == [0, 0, 1, 1, 2, 2]
    assert found.numbers[1].tolist() == [1, 2, 0, 2, 0, 1]
    near, far = found.numbers[2][0], found.numbers[2][1]
    assert found.numbers[2].tolist() == [near, far, near, near, far, near]
    assert near < far
    sums = found.sums_of(np.array([1, 2, 4, 8, 16, 32]))
    assert [one.tolist() for one in sums[:2]] == [[3, 12, 48], [20, 33, 10]]
    assert (sums[2][near], sums[2][far]) == (45, 18)


@pytest.mark.parametrize("product", [FLOWS_BY_SLOT, VISITS])
def test_slots_are_parts_by_themselves(product) -> None:
    """Against a loop: a cell's part is named by what the table says of it."""
    found = margins_of_cells(product, 3, LINE)
    named = product.named(product.all_cells(3), np.arange(3))
    columns = (
        [("zone",), ("weekday", "hour")]
        if product is VISITS
        else [("origin", "slot"), ("destination", "slot")]
    )
    for names, number in zip(columns, found.numbers, strict=False):
        parts = list(zip(*(named[name].tolist() for name in names), strict=True))
        assert (
            len(set(zip(parts, number.tolist(), strict=True))) == len(set(parts)) == len(set(number.tolist()))
        )


def test_without_positions_distance_is_left_out() -> None:
    assert margins_of_cells(FLOWS, 3, None).sizes == (3, 3)


def grid(side: int) -> ZonePositions:
    lat, lon = np.divmod(np.arange(side * side), side)
    return ZonePositions(lat=tuple((lat / 100).tolist()), lon=tuple((lon / 100).tolist()))


def test_classes_are_put_together_until_noise_leaves_each_known_to_five_per_cent() -> None:
    """Of 90 cells with noise of variance v a mean class of n has T/n trips, and noise of √(90·v/n)."""
    margins = margins_of_cells(FLOWS, 10, ZonePositions(lat=tuple(range(10)), lon=(0.0,) * 10))
    for variance in (1.0, 30.0, 200.0, 1e9):
        found = margins.known(10_000.0, variance)
        n = found.sizes[2] if found.distance else 1
        assert n == 1 or np.sqrt(90 * variance / n) <= 0.05 * 10_000 / n
        more = [one for one in (24, 12, 8, 6, 4, 3, 2) if one > n]
        assert all(np.sqrt(90 * variance / one) > 0.05 * 10_000 / one for one in more)


@pytest.mark.parametrize("product", [FLOWS, FLOWS_BY_SLOT])
def test_sums_of_coarser_classes_are_those_of_their_cells(product) -> None:
    margins = margins_of_cells(product, 16, grid(4))
    counts = np.random.default_rng(1).integers(0, 50, margins.n_cells)
    total = float(counts.sum())
    coarser = margins.known(total, variance=(0.05 * total) ** 2 / (7 * margins.n_cells * margins.n_slots))
    assert coarser.sizes[2] == 6 * margins.n_slots
    expected = coarser.sums_of(counts)
    for one, other in zip(coarser.coarser_sums(margins.sums_of(counts)), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_positions_iv() -> None:
    with pytest.raises(ParameterError, match=r"^latitude must be between -90 and 90, got 91"):
        ZonePositions(lat=(91.0,), lon=(0.0,))
    with pytest.raises(ParameterError, match=r"^longitude must be"):
        ZonePositions(lat=(0.0,), lon=(float("nan"),))
    with pytest.raises(ParameterError, match=r"^positions must be as many"):
        ZonePositions(lat=(0.0,), lon=())
    with pytest.raises(ParameterError, match=r"^positions must be those of 4 zones, got 3"):
        margins_of_cells(FLOWS, 4, LINE)
