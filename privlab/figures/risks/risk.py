"""Risks of single people → figures. Computes nothing but the bars."""

import numpy as np
import plotly.graph_objects as go

from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.palette import Palette
from privlab.figures.drawing.reference_lines import reference_line
from privlab.figures.drawing.whole_ticks import whole_ticks
from privlab.figures.risks.risk_words import is_claimed
from privlab.od.risks import GaussianRisks, PersonRisks, RiskCurve, Value
from privlab.stats import percent_at_most

_AXIS = {
    "epsilon": "privacy loss ε",
    "threshold": "threshold τ",
    "max_trips_per_user": "unique trips per user, at most (L)",
    "group_size": "users in the aggregate",
    "n_weeks": "weekly releases put together",
}
_BARS = np.linspace(0.5, 1.0, 51)


def risk_histogram(risks: PersonRisks | GaussianRisks, palette: Palette, *, height: int = 360) -> go.Figure:
    """Return how many people are guessed right how often, with the claimed bound as a line."""
    counts, edges = np.histogram(np.clip(risks.accuracy, 0.5, 1.0), bins=_BARS)
    middles = (edges[:-1] + edges[1:]) / 2
    above = edges[:-1] >= risks.claimed_bound - 1e-9
    bars = {
        "type": "bar",
        "x": middles,
        "y": counts,
        "width": edges[1] - edges[0],
        "marker": {"color": [palette.attack if over else palette.muted for over in above]},
        "customdata": np.stack([edges[:-1], edges[1:]], axis=1),
        "hovertemplate": "people guessed right in %{customdata[0]:.0%} to %{customdata[1]:.0%}: %{y:,}<extra></extra>",
    }
    claim = {"color": palette.claim, "width": 2, "dash": "dash"}
    named = {
        "text": ("claimed bound " if is_claimed(risks.claimed_bound) else "e^ε/(1+e^ε): ")
        + percent_at_most(risks.claimed_bound),
        "yanchor": "bottom",  # above the bars
        "xanchor": "left" if risks.claimed_bound < 0.75 else "right",
    }
    layout = {
        **reference_line(risks.claimed_bound, claim, name=named),
        "height": height,
        "margin": {"l": 60, "r": 10, "t": 30, "b": 50},
        "xaxis": {
            "title": "best attack right about the person (a coin: 50%)",
            "range": [0.49, 1.01],
            "tickformat": ".0%",
        },
        "yaxis": {"title": "people", **whole_ticks(int(counts.max()))},
        "bargap": 0.05,
        "showlegend": False,
    }
    return go.Figure(data=[bars], layout=layout)


def risk_curve_figure(curve: RiskCurve, palette: Palette, *, present: Value, height: int = 440) -> go.Figure:
    """Return how the risk of the people judged moves with one parameter; its `present` value is marked.

    Accuracies, from a coin's 50% on, stand above; the share of people beyond the claim has an axis of its own below.
    """
    steps = [_step(value, curve.varied) for value in curve.values]
    figure = go.Figure()
    for values, name, colour, dash, width, axis in (
        (curve.highest, "highest accuracy", palette.attack, "solid", 3, "y"),
        (curve.median, "median accuracy", palette.attack, "dot", 2, "y"),
        (curve.claimed_bound, "claimed bound", palette.claim, "dash", 2, "y"),
        (curve.share_above_claim, "people above the claim", palette.simulated, "solid", 2, "y2"),
    ):
        figure.add_scatter(
            x=steps,
            y=values,
            mode="lines+markers",
            name=name,
            yaxis=axis,
            showlegend=axis == "y",
            line={"color": colour, "width": width, "dash": dash},
            marker={"size": 5},
            hovertemplate=f"%{{x}}: {name}%{{y:.2%}}<extra></extra>",
        )
    mark = {}
    if present in curve.values:
        line = {"color": palette.marker, "width": 1, "dash": "dot"}
        mark = reference_line(curve.values.index(present), line)
        mark["shapes"][0]["yref"] = "paper"  # through both parts
    figure.update_layout(
        mark,
        meta={"columns": {"y2": "share of people"}},  # in its table of numbers
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={
            "title": _AXIS[curve.varied],
            "type": "category",
            "range": [-0.5, len(steps) - 0.5],
            "anchor": "y2",
        },
        yaxis={
            "title": "guessed right (a coin: 50%)",
            "range": [0.47, 1.06],
            "tickformat": ".0%",
            "domain": [0.4, 1],
        },
        yaxis2={
            "title": "share",
            "range": [-0.06, 1.06],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".0%",
            "domain": [0, 0.27],
        },
        legend={"orientation": "h", "x": 0, "y": -0.25, "yanchor": "top"},
    )
    name_lines(figure)
    figure.add_annotation(
        text="people above the claim", showarrow=False, font={"size": 12, "color": palette.simulated},
        xref="x domain", x=0, xanchor="left", yref="y2 domain", y=1, yanchor="bottom", borderpad=0,
    )  # fmt: skip
    return figure


def _step(value: Value, varied: str) -> str:
    if value is None:
        return "everyone" if varied == "group_size" else "no bound"
    return f"{value:g}" if varied == "epsilon" else f"{value:,}"
