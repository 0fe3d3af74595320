"""The most exposed people as `risk` tells them: five flows at most, and on a cluster none of them by name."""

import numpy as np
import pytest

from privlab.cli.flows.risks_told import person_told
from privlab.od.risks import Exposure


@pytest.mark.parametrize("zones", [None, np.array(["a", "b", "c"])])
def test_of_seven_flows_the_five_most_telling_are_told(zones: "np.ndarray | None") -> None:
    seven = np.arange(7)
    one = Exposure(
        person=3, accuracy=0.9, week=seven % 2, flow=seven, others=10 * seven, alone=1 - seven / 10
    )
    told = person_told(one, zones, ["2026-03-02", "2026-03-09"])
    assert (told["accuracy"], told["trips"]) == (0.9, 7)
    assert [flow["others"] for flow in told["flows"]] == [0, 10, 20, 30, 40]
    assert [flow["week"][-1] for flow in told["flows"]] == ["2", "9", "2", "9", "2"]
    names = [(flow.get("origin"), flow.get("destination")) for flow in told["flows"]]
    assert names == (
        [(None, None)] * 5
        if zones is None
        else [("a", "a"), ("a", "b"), ("a", "c"), ("b", "a"), ("b", "b")]  # origin · 3 + destination
    )
