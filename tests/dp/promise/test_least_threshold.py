"""The least threshold for a wanted δ, against every threshold tried one after the other."""

from dataclasses import replace

import pytest

from privlab.checks import ParameterError
from privlab.dp.promise.guarantees import GuaranteeParameters, log10_discovery_delta
from privlab.dp.promise.least_threshold import least_threshold_for_delta

ONE = GuaranteeParameters(epsilon=1, max_trips_per_user=2, cells="discovered", threshold=1)


def delta_at(parameters: GuaranteeParameters, threshold: int, n_cells: int) -> float:
    found = log10_discovery_delta(replace(parameters, threshold=threshold), n_cells)
    assert found is not None
    return float(10**found)


@pytest.mark.parametrize("noise", ["laplace", "integer"])
@pytest.mark.parametrize("n_cells", [1, 30])
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 3.7e-9])
def test_it_is_the_first_that_keeps_to_delta_against_brute_force(
    noise: str, n_cells: int, delta: float
) -> None:
    asked = replace(ONE, noise=noise)
    first = next(t for t in range(1, 1_000) if delta_at(asked, t, n_cells) <= delta)
    assert least_threshold_for_delta(asked, n_cells, delta) == first


@pytest.mark.parametrize("threshold", [5, 17, 40])
@pytest.mark.parametrize(("wanted", "more"), [(1 + 1e-9, 0), (1 - 1e-10, 1), (1 - 1e-6, 1)])
def test_a_delta_just_below_that_of_a_threshold_takes_the_next_one(
    threshold: int, wanted: float, more: int
) -> None:
    found = least_threshold_for_delta(ONE, 10, wanted * delta_at(ONE, threshold, 10))
    assert found == threshold + more


def test_where_none_is_high_enough_there_is_none_and_public_cells_cost_no_delta_iv() -> None:
    wide = replace(ONE, epsilon=0.01, max_trips_per_user=500)
    assert least_threshold_for_delta(wide, 10**6, 1e-300) is None
    with pytest.raises(ParameterError, match=r"^cells must be discovered to cost a delta, got 'public'\.$"):
        least_threshold_for_delta(replace(ONE, cells="public"), 10, 1e-6)
