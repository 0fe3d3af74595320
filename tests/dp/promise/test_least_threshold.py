"""The least threshold for a δ that is hardly less than that of a threshold; brute force: tests/lab/judging/test_release_gates.py."""

from dataclasses import replace

import pytest

from privlab.dp.promise.guarantees import GuaranteeParameters, log10_discovery_delta
from privlab.dp.promise.least_threshold import least_threshold_for_delta

ONE = GuaranteeParameters(epsilon=1, max_trips_per_user=2, cells="discovered", threshold=1)


def delta_at(parameters: GuaranteeParameters, threshold: int, n_cells: int) -> float:
    found = log10_discovery_delta(replace(parameters, threshold=threshold), n_cells)
    assert found is not None
    return float(10**found)


@pytest.mark.parametrize("threshold", [5, 17, 40])
@pytest.mark.parametrize(("wanted", "more"), [(1 + 1e-9, 0), (1 - 1e-10, 1), (1 - 1e-6, 1)])
def test_a_delta_just_below_that_of_a_threshold_takes_the_next_one(
    threshold: int, wanted: float, more: int
) -> None:
    found = least_threshold_for_delta(ONE, 10, wanted * delta_at(ONE, threshold, 10))
    assert found == threshold + more
