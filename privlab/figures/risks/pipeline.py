"""The audit of the whole way → the trade-off curve of the promise, and every test beside it. Computes nothing but the curve's points."""

import numpy as np
import plotly.graph_objects as go

from privlab.dp.audit import PAIRED, CountedTest
from privlab.figures.drawing.palette import Palette
from privlab.figures.risks.pipeline_words import who_in_words
from privlab.od.auditing import CanaryFound, PipelineAudit

_POINTS = 401
_SYMBOLS = ("circle", "square", "diamond", "cross", "triangle-up", "star")


def pipeline_figure(found: PipelineAudit, palette: Palette) -> go.Figure:
    """Return the most that any test may find at each share of false alarms, and where the tests of single releases are."""
    rate = np.linspace(0.0, 1.0, _POINTS)
    figure = go.Figure(
        [
            _line(
                rate,
                found.curve.most_true_positives(rate),
                "the most that is promised",
                palette.proven,
                "solid",
            ),
            _line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "a coin", palette.muted, "dot"),
            *(
                _points(who_in_words(found, canary), canary, symbol, palette)
                for canary, symbol in zip(found.canaries, _SYMBOLS, strict=False)
                if canary.tests
            ),
        ]
    )
    figure.update_layout(
        height=420,
        margin={"l": 60, "r": 10, "t": 20, "b": 50},
        xaxis={"title": "said to be in though not there", "tickformat": ".0%", "range": [-0.01, 1.01]},
        yaxis={"title": "said to be in, and there", "tickformat": ".0%", "range": [-0.01, 1.02]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


def _line(x: object, y: object, name: str, colour: str, dash: str) -> go.Scatter:
    return go.Scatter(x=x, y=y, name=name, mode="lines", line={"color": colour, "dash": dash})


def _points(name: str, canary: CanaryFound, symbol: str, palette: Palette) -> go.Scatter:
    def share(test: CountedTest) -> tuple[float, float]:
        return test.n_false / test.n_counted, test.n_true / test.n_counted

    tests = [
        test for test in canary.tests if test.kind != PAIRED
    ]  # two releases are more than one: another curve
    x, y = zip(*map(share, tests), strict=True)
    return go.Scatter(
        x=x,
        y=y,
        name=name,
        mode="markers",
        text=[test.cut for test in tests],
        marker={
            "symbol": symbol,
            "size": 9,
            "color": [palette.attack if test.convicted else palette.marker for test in tests],
        },
        hovertemplate="%{text}: %{y:.1%} found at %{x:.1%} false alarms<extra></extra>",
    )
