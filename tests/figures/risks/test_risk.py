"""The claimed bound in the figure of the risks: its name stands above the bars, and inside the figure. What each axis holds."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.figures.drawing.numbers_of_figure import table_from_figure
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.risks.risk import risk_curve_figure, risk_histogram
from privlab.figures.risks.risk_words import moves_finding


@pytest.mark.parametrize(("claimed", "side"), [(0.66, "left"), (0.9, "right")])
def test_the_claimed_bound_is_named_clear_of_the_bars(claimed: float, side: str) -> None:
    risks: Any = SimpleNamespace(accuracy=np.array([0.7, 0.8]), claimed_bound=claimed)
    (name,) = risk_histogram(risks, LIGHT).layout.annotations
    assert (name.yanchor, name.xanchor) == ("bottom", side)


def test_bars_stand_out_of_those_whom_the_claim_does_not_cover() -> None:
    """Of three people one is guessed right in 70%, two in 65%: of a claim of 66% the bar of the first alone is beyond it."""
    risks: Any = SimpleNamespace(accuracy=np.array([0.655, 0.655, 0.705]), claimed_bound=0.66)
    figure = risk_histogram(risks, LIGHT)
    assert "(a coin: 50%)" in figure.layout.xaxis.title.text  # a picture is seen without the page
    (bars,) = figure.data
    seen = {
        round(float(x), 3): (int(n), colour)
        for x, n, colour in zip(bars.x, bars.y, bars.marker.color, strict=True)
    }
    assert seen[0.655] == (2, LIGHT.muted)
    assert seen[0.665][1] == LIGHT.attack
    assert seen[0.705] == (1, LIGHT.attack)
    assert sum(n for n, _ in seen.values()) == 3


@pytest.mark.parametrize(
    ("highest", "above", "said"),
    [
        ([0.503, 0.917], [0.0, 0.0], "in 50.3% to 91.7%; nobody judged is above the claim."),
        (
            [0.7072, 0.70721],
            [0.2, 0.35],
            "in 70.7%; 20.0% to 35.0% of the people judged are above the claim.",
        ),
        (
            [0.917, 1.0],
            [1.0, 1.0],
            "in 91.7% to more than 99.9%; 100.0% of the people judged are above the claim.",
        ),
    ],
)
def test_what_does_not_move_is_said_once_by_hand(highest: list[float], above: list[float], said: str) -> None:
    curve: Any = SimpleNamespace(highest=np.array(highest), share_above_claim=np.array(above))
    assert moves_finding(curve) == f"The most exposed person is guessed right {said}"


def test_accuracies_and_shares_of_people_have_an_axis_each_that_says_so() -> None:
    curve: Any = SimpleNamespace(
        varied="epsilon",
        values=(0.1, 1.0),
        highest=np.array([0.52, 0.7]),
        median=np.array([0.51, 0.6]),
        claimed_bound=np.array([0.525, 0.731]),
        share_above_claim=np.array([0.0, 0.25]),
    )
    figure = risk_curve_figure(curve, LIGHT, present=1.0)
    axes = {one.name: one.yaxis for one in figure.data}
    assert [name for name, axis in axes.items() if axis == "y2"] == ["people above the claim"]
    assert figure.layout.yaxis.title.text == "guessed right (a coin: 50%)"
    assert figure.layout.yaxis2.domain[1] < figure.layout.yaxis.domain[0]
    assert [one.text for one in figure.layout.annotations if one.yref == "y2 domain"] == [
        "people above the claim"
    ]
    table = table_from_figure(figure)
    shares = table[table["curve"] == "people above the claim"]["share of people"]
    assert shares.tolist() == [0.0, 0.25]
