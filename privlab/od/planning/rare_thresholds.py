"""The law of a release and its counts → the least threshold of two digits that keeps made-up cells rare."""

import math
from bisect import bisect_left
from collections.abc import Callable

from privlab.limits import MAX_THRESHOLD


def least_rare_threshold(
    n_empty: int,
    max_made_up: float,
    *,
    empty_passes: Callable[[int], float],
    expected_kept: Callable[[int], float],
    at_least: float,
) -> tuple[int, float] | None:
    """Return the least readable threshold from `at_least` on, in steps of a tenth, that keeps made-up cells rare, and how many
    are then expected.

    `empty_passes` says how likely an empty cell reaches a threshold, `expected_kept` how many cells with a trip do. None where
    even the largest threshold does not keep made-up cells to `max_made_up` of those published. Noise that gets rarer ever faster,
    as all noise here does, keeps made-up cells rare from one threshold on, so that not each of them is tried.
    """
    steps = [readable(at_least)]

    def is_rare(threshold: int) -> bool:
        made_up = n_empty * empty_passes(threshold)
        return made_up <= max_made_up * (expected_kept(threshold) + made_up)

    too_low, tried = 0, 0  # all before are; mostly the first is enough, or one soon after it
    while True:
        while len(steps) <= tried and steps[-1] < MAX_THRESHOLD:
            steps.append(min(readable(steps[-1] * 1.1 + 1), MAX_THRESHOLD))
        if tried >= len(steps) or is_rare(steps[tried]):
            break
        too_low, tried = tried + 1, 2 * tried + 1
    first = bisect_left(steps, True, too_low, min(tried, len(steps)), key=is_rare)
    return None if first == len(steps) else (steps[first], n_empty * empty_passes(steps[first]))


def readable(value: float) -> int:
    """Return the next whole number of two significant digits, at most MAX_THRESHOLD.

    >>> readable(3.2), readable(1013)
    (4, 1100)
    """
    size = int(10 ** max(len(str(int(value))) - 2, 0))
    return min(math.ceil(value / size - 1e-9) * size, MAX_THRESHOLD)
