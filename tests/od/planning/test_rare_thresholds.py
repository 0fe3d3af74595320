"""The least threshold that keeps made-up cells rare: by hand, the share of all that are published."""

import math

import pytest

from privlab.limits import MAX_THRESHOLD
from privlab.od.planning.rare_thresholds import least_rare_threshold, readable


def test_the_least_threshold_by_hand() -> None:
    """Of 100 empty cells 100/τ are published beside 90 true ones: at τ = 10 ten of a hundred, and at 8 or 9 more than a tenth."""
    found = least_rare_threshold(
        100, 0.1, empty_passes=lambda threshold: 1 / threshold, expected_kept=lambda _: 90.0, at_least=8.0
    )
    assert found == (10, 10.0)


def test_none_where_no_threshold_keeps_them_rare() -> None:
    asked: list[int] = []

    def always(threshold: int) -> float:
        asked.append(threshold)
        return 1.0

    found = least_rare_threshold(100, 0.1, empty_passes=always, expected_kept=lambda _: 90.0, at_least=5.0)
    assert found is None
    assert asked[-1] == MAX_THRESHOLD  # the largest was tried too


def plain_tail(scale: float, value: int) -> float:
    """Return P(noise ≥ value) of integer noise, summed up from its law: (1 − a)/(1 + a) · a^|v|."""
    a = math.exp(-1 / scale)
    above = sum(a ** abs(one) for one in range(value, value + 1500))
    return (1 - a) / (1 + a) * above


@pytest.mark.parametrize("counts", [(1, 2, 3), (5, 40), (1,) * 30 + (90,)])
@pytest.mark.parametrize(("scale", "max_made_up"), [(0.7, 0.01), (4.0, 0.01), (9.0, 0.3)])
def test_it_is_the_first_of_all_that_keep_them_rare(
    counts: tuple[int, ...], scale: float, max_made_up: float
) -> None:
    """Against a look at each readable threshold, one after the other, with a tail that is summed up."""

    def kept(threshold: int) -> float:
        return sum(plain_tail(scale, threshold - count) for count in counts)

    def empty(threshold: int) -> float:
        return plain_tail(scale, threshold)

    steps = [1]
    while steps[-1] < 300:
        steps.append(readable(steps[-1] * 1.1 + 1))
    rare = [50 * empty(one) <= max_made_up * (kept(one) + 50 * empty(one)) for one in steps]
    found = least_rare_threshold(50, max_made_up, empty_passes=empty, expected_kept=kept, at_least=1.0)
    if True in rare:
        assert found == (steps[rare.index(True)], 50 * empty(steps[rare.index(True)]))
    else:
        assert found is None or found[0] > steps[-1]
