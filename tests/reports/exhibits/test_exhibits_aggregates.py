"""Parts about one aggregate say what suppression and shares are, by their definitions, on people made by hand."""

from typing import Any

import numpy as np
import pytest

from privlab.aggregates import Traces
from privlab.od.simulating import ReleaseParameters
from privlab.reports.exhibits import EXHIBITS
from privlab.reports.exhibits.exhibits import Content
from privlab.reports.report_plan import View
from tests.aggregates.worlds import habitual_traces


class Habits:
    """Material that has traces and nothing else."""

    def traces(self) -> Traces:
        """Return some people with habits."""
        return habitual_traces(300, n_zones=2, n_weeks=2)


def made(name: str, **options: Any) -> Content:
    return EXHIBITS[name].make(
        Habits(), View(release=ReleaseParameters(epsilon=0.66), options=tuple(options.items()))
    )


def drawn(part: Content) -> np.ndarray[Any, Any]:
    assert part.figure is not None
    heat = next(trace for trace in part.figure.data if trace.type == "heatmap")
    return np.nan_to_num(np.asarray(heat.z, dtype=float))


def test_the_defended_aggregate_is_the_one_before_with_its_small_counts_left_out() -> None:
    options = {"prior": "subset", "group_size": 20, "targets": 3, "target": 1}
    before = drawn(made("groups_aggregate", **options))
    part = made("groups_defended", **options, defence="suppress:2", epsilon=None)
    assert "20 people: after suppress:2." in part.sentence
    after = drawn(part)
    assert before.max() >= 2 > before[before > 0].min()
    assert np.array_equal(after, np.where(before >= 2, before, 0))
    noisy = made("groups_defended", **options, defence="lpa", epsilon=1.0)
    assert "after Laplace, all of a user (LPA Δ/ε), ε = 1." in noisy.sentence


@pytest.mark.parametrize(("over", "axis"), [("hours", 0), ("zones", 1)])
def test_true_shares_of_visits_against_counting(over: str, axis: int) -> None:
    part = made(f"groups_{over}", prior="zero-knowledge", group_sizes="10", targets=3, arm="cells", known="1")
    assert part.figure is not None
    true = next(trace for trace in part.figure.data if trace.name == "true")
    traces = Habits().traces()
    first_week = traces.epoch < 168
    counted = np.zeros((2, 168))
    np.add.at(counted, (traces.zone[first_week], traces.epoch[first_week]), 1)
    shares = counted.sum(axis=axis) / counted.sum()
    expected = shares if over == "hours" else np.sort(shares)[::-1]
    assert np.asarray(true.y) == pytest.approx(expected)
    assert "taken from one release of 10 people" in part.sentence
