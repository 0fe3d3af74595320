"""The paper's statements on its defences, held against points written by hand."""

import math
from dataclasses import replace

from privlab.aggregates.findings.outcomes import Setting
from privlab.aggregates.findings.published_shapes import published_shapes_from_points
from privlab.aggregates.findings.tradeoff import TradeoffPoint

# Gains at ε = 0.1, 1 and 10 against the strategic adversary, as the paper draws them; errors beside.
PAPER = {
    "lpa": ((0.9, 0.7, 0.5), 40.0),
    "lpa-event": ((0.8, 0.3, 0.0), 1.0),
    "gaussian:1e-05": ((0.9, 0.7, 0.5), 4.0),
    "fpa": ((0.8, 0.6, 0.3), 10.0),
    "efpag": ((0.8, 0.6, 0.3), 2.0),
}


def points() -> list[TradeoffPoint]:
    found = []
    for name, (gains, error) in PAPER.items():
        for epsilon, gain in zip((0.1, 1.0, 10.0), gains, strict=True):
            for adversary, own in (("strategic", gain), ("passive", 1.0)):
                setting = Setting(arm="statistics", classifier="mlp", epsilon=epsilon, adversary=adversary)
                found.append(
                    TradeoffPoint(
                        defence=name, setting=setting, n_targets=30, auc_raw=1.0, auc=0.5, auc_low=0.4, auc_high=0.6,
                        pg_mean=own, pg_low=own, pg_high=own, pg_literal=own, mre=error / epsilon,
                    )
                )  # fmt: skip
    return found


def told(given: list[TradeoffPoint]) -> dict[str, tuple[float, bool | None]]:
    return {one.name: (round(one.measured, 6), one.holds) for one in published_shapes_from_points(given)}


def test_points_of_the_papers_shape() -> None:
    assert told(points()) == {
        "passive protects": (1.0, True),
        "strategic falls": (0.4, True),  # lpa and Gaussian, from 0.9 to 0.5
        "event least": (0.2, True),  # FPA's mean 17/30 beside 11/30
        "fourier error": (0.5, True),  # EFPAG 2 beside 4
        "fourier privacy": (round(17 / 30 - 0.7, 6), True),
    }


def test_points_of_another_shape() -> None:
    flat = [
        replace(one, pg_mean=1.0)
        if one.setting.adversary == "strategic"
        else replace(one, pg_mean=0.2, mre=1.0)
        for one in points()
    ]
    assert told(flat) == {
        "passive protects": (0.2, False),
        "strategic falls": (0.0, False),
        "event least": (0.0, False),
        "fourier error": (1.0, False),
        "fourier privacy": (0.0, False),
    }


def test_what_was_not_played_is_not_judged() -> None:
    alone = [one for one in points() if one.defence == "lpa" and one.setting.epsilon == 10]
    found = published_shapes_from_points(alone)
    assert [one.holds for one in found] == [None] * 5
    assert all(math.isnan(one.measured) for one in found)
