"""Mechanisms that keep one promise → how much of the flows each leaves, as bars, a table and a sentence. Computes nothing."""

from collections.abc import Sequence

import plotly.graph_objects as go

from privlab.figures.palette import Palette
from privlab.od.comparing import ComparedMechanism

# What a steward reads for each name of a mechanism, in the order of its steps.
_WORDS = {
    "laplace": "integer noise, L trips at random",
    "laplace, unbiased": "… given back by a total",
    "gaussian": "Gaussian noise, L trips at random",
    "gaussian, l2": "Gaussian noise, all trips weighted",
    "gaussian, l2, unbiased": "… given back by a total",
    "gaussian, l2, unbiased, smoothed": "… and smoothed",
}


def mechanisms_figure(compared: Sequence[ComparedMechanism], palette: Palette) -> go.Figure:
    """Return a bar for each mechanism: the share of all trips in flows published within 10 % of the truth."""
    names = [f"{i}. {_WORDS[one.name]}" for i, one in enumerate(compared, 1)]
    figure = go.Figure(
        go.Bar(
            x=[one.within for one in compared],
            y=names,
            orientation="h",
            width=0.4,
            marker={"color": [palette.muted if one.delta == 0 else palette.repaired for one in compared]},
            hovertemplate="%{y}: %{x:.1%} of all trips<extra></extra>",
        )
    )
    for name, one in zip(names, compared, strict=True):  # above its bar: a telephone has no room beside it
        figure.add_annotation(
            x=0, y=name, xanchor="left", yshift=21, showarrow=False,
            text=f"{name}: {one.within:.0%}, RMSE {one.rmse:,.0f}", font={"size": 12, "color": palette.true},
        )  # fmt: skip
    figure.update_layout(
        height=400,
        margin={"l": 15, "r": 20, "t": 10, "b": 60},
        xaxis={"title": "trips in flows within 10 % of the truth", "range": [0, 1], "tickformat": ".0%"},
        yaxis={"range": [len(names) - 0.6, -0.8], "showticklabels": False},
        showlegend=False,
    )
    return figure


def mechanisms_rows(compared: Sequence[ComparedMechanism]) -> list[dict[str, str]]:
    """Return what a table of the mechanisms says, a row each."""
    return [
        {
            "mechanism": f"{i}. {_WORDS[one.name]}",
            "L": f"{one.max_trips_per_user:,}",
            "within 10 %": f"{one.within:.1%}",
            "RMSE (trips)": f"{one.rmse:,.1f}",
            "noise on a flow (standard deviation)": f"±{one.noise_deviation:,.1f}",
            "false flows": f"{one.made_up_share:.1%}",
            "total off by": f"{one.bias:+.1%}".replace("-", "−"),
        }
        for i, one in enumerate(compared, 1)
    ]


def mechanisms_in_words(compared: Sequence[ComparedMechanism]) -> str:
    """Return what the best mechanism leaves against the first, for the same promise."""
    first, best = compared[0], max(compared, key=lambda one: one.within)
    start = f"With ε = {first.epsilon:g} to everything a person does in a week, integer noise leaves {first.within:.0%} of all "
    start += f"trips in flows within 10 % of the truth (RMSE {first.rmse:,.0f} trips)"
    if best is first:
        return f"{start}; no other mechanism leaves more here."
    return f"{start}; with a δ beside it {best.within:.0%} (RMSE {best.rmse:,.0f}) are possible."
