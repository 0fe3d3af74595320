"""Aggregates against sums of presence matrices, statistics against numpy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.aggregates.counting import STATISTICS, aggregates_from_groups, statistics_from_aggregates
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import presence_from_window, window_from_traces
from tests.aggregates.worlds import habitual_traces


@pytest.mark.parametrize("null_zone", [True, False])
@pytest.mark.parametrize("spec", ["week", "day:tue", "hours:fri:7-12"])
def test_aggregates_against_brute_force(null_zone: bool, spec: str) -> None:
    traces = habitual_traces(null_zone=null_zone)
    window = window_from_traces(traces, week=1, period=period_from_spec(spec))
    rng = np.random.default_rng(5)
    member = rng.random((30, traces.n_users)) < np.linspace(0, 1, 30)[:, None]  # from nobody to everybody
    seen = np.stack([presence_from_window(window, user) for user in range(traces.n_users)])
    expected = np.einsum("gu,uzt->gzt", member.astype(int), seen.astype(int))
    np.testing.assert_array_equal(aggregates_from_groups(member, window), expected)
    if null_zone:
        assert (aggregates_from_groups(member, window).sum(axis=1) >= member.sum(axis=1)[:, None]).all()


def numpy_statistics(aggregates: np.ndarray) -> np.ndarray:
    named = {
        "mean": aggregates.mean(axis=2),
        "variance": aggregates.var(axis=2),
        "standard deviation": aggregates.std(axis=2),
        "median": np.median(aggregates, axis=2),
        "min": aggregates.min(axis=2),
        "max": aggregates.max(axis=2),
        "sum": aggregates.sum(axis=2),
    }
    return np.stack([named[name] for name in STATISTICS], axis=2).reshape(aggregates.shape[0], -1)


@settings(max_examples=60)
@given(st.integers(1, 40), st.sampled_from([2, 9, 300, 20_000]), st.booleans(), st.integers(0, 2**32 - 1))
def test_statistics_against_numpy(n_epochs: int, most: int, whole: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(-most // 3, most, size=(3, 4, n_epochs)).astype(np.int32)
    aggregates = counts if whole else counts + rng.normal(size=counts.shape)
    np.testing.assert_allclose(
        statistics_from_aggregates(aggregates), numpy_statistics(aggregates), rtol=1e-9, atol=1e-9
    )


def test_counts_and_reals_agree() -> None:
    counts = np.random.default_rng(1).integers(0, 7, size=(5, 3, 168)).astype(np.int32)
    both = statistics_from_aggregates(counts), statistics_from_aggregates(counts.astype(np.float64))
    np.testing.assert_array_equal(*both)
