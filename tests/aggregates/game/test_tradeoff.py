"""The trade-off: one point per defence, ε, adversary; gains against their formula, shapes that must hold."""

import numpy as np
import pytest

from privlab.aggregates.findings.summaries import privacy_gain
from privlab.aggregates.findings.tradeoff import TradeoffPoint
from privlab.aggregates.game.play import tradeoff_from_traces
from privlab.aggregates.game_rules.parameters import GameParameters
from tests.aggregates.worlds import habitual_traces


@pytest.fixture(scope="module")
def points() -> list[TradeoffPoint]:
    parameters = GameParameters(
        prior="perfect", group_size=6, targets=6, train_groups=60, arms=("cells",), classifiers=("lr",)
    )
    return tradeoff_from_traces(
        habitual_traces(60), parameters, ["lpa", "lpa-event", "gaussian", "fpa", "suppress:3"], [0.1, 10.0]
    )


def point(points: list[TradeoffPoint], defence: str, epsilon: float | None, adversary: str) -> TradeoffPoint:
    (found,) = [
        one
        for one in points
        if one.defence == defence and (one.setting.epsilon, one.setting.adversary) == (epsilon, adversary)
    ]
    return found


def test_one_point_each(points: list[TradeoffPoint]) -> None:
    assert len(points) == 4 * 2 * 2 + 2
    assert all(one.n_targets == 6 and one.auc_raw == 1.0 for one in points)
    for one in points:
        assert 0 <= one.pg_literal <= one.pg_mean <= 1
        assert one.mre > 0


def test_shapes_of_the_paper(points: list[TradeoffPoint]) -> None:
    for adversary in ("passive", "strategic"):
        strong = point(points, "lpa", 0.1, adversary)
        weak = point(points, "lpa-event", 10.0, adversary)
        assert strong.pg_mean > 0.8
        assert weak.pg_mean < 0.1
        assert strong.mre > 50 * weak.mre
    for defence in ("lpa", "gaussian", "fpa", "lpa-event"):
        assert point(points, defence, 0.1, "passive").mre > point(points, defence, 10.0, "passive").mre
    assert point(points, "gaussian", 0.1, "passive").mre < point(points, "lpa", 0.1, "passive").mre


def test_literal_gain_counts_perfect_protection_for_nothing() -> None:
    """AUCs that scatter around ½, as under perfect protection: literal PG reads half of what there is."""
    aucs = np.linspace(0.45, 0.55, 21)
    clipped = np.mean([privacy_gain(1.0, auc, literal=False) for auc in aucs])
    literal = np.mean([privacy_gain(1.0, auc, literal=True) for auc in aucs])
    assert clipped == pytest.approx(1 - 2 * 0.05 * 10 * 11 / 20 / 21)  # mean of 2·(AUC − ½) over those above
    assert literal == pytest.approx(clipped - 10 / 21)
