"""Outcomes of many games → one figure: AUC by group size, privacy gain over ε. Computes nothing."""

import math
from collections.abc import Sequence

import plotly.graph_objects as go

from privlab.aggregates.findings import GameResult, Summary, TradeoffPoint
from privlab.figures.drawing.distributions import colours
from privlab.figures.drawing.log_axis import log_axis
from privlab.figures.drawing.palette import Palette
from privlab.figures.groups.defence_words import defence_name, gains_alike
from privlab.figures.groups.groups import group_label, points_and_box

_DASHES = {"strategic": "solid", "passive": "dot"}
_APART = 0.03  # of a power of ten: how far the lines of one ε stand beside one another, so that all intervals are seen


def size_figure(results: Sequence[GameResult], summaries: Sequence[Summary], palette: Palette) -> go.Figure:
    """Return the AUC by group size: the distribution over targets, and the mean with its 95% interval."""
    figure = go.Figure()
    for number, (result, one) in enumerate(zip(results, summaries, strict=True)):
        figure.add_box(
            x=[group_label(result)] * one.auc.size,
            y=one.auc,
            name="a target",
            legendgroup="targets",
            showlegend=number == 0,
            jitter=0.5,
            marker={"color": colours(palette)[0], "opacity": 0.5},
            line={"width": 1},
            **{"fillcolor": "rgba(0,0,0,0)", **points_and_box(one.auc.size)},
            hovertemplate="AUC %{y:.3f}<extra></extra>",
        )
    labels = [group_label(result) for result in results]
    spreads = [one.overall for one in summaries]
    figure.add_scatter(
        x=labels,
        y=[one.auc_mean for one in spreads],
        error_y={
            "array": [one.auc_high - one.auc_mean for one in spreads],
            "arrayminus": [one.auc_mean - one.auc_low for one in spreads],
            "thickness": 2.5,
        },
        name="mean, with its 95% interval",
        mode="lines+markers",
        line={"color": palette.attack, "width": 2.5},
        marker={"size": 9, "symbol": "diamond"},
        hovertemplate="groups of %{x}: mean AUC %{y:.3f}<extra></extra>",
    )
    figure.add_hline(y=0.5, line={"color": palette.muted, "width": 1, "dash": "dash"})
    figure.update_layout(
        height=420,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "people in a group (m)", "type": "category"},
        yaxis={"title": "AUC of the attack (0.5: a blind guess)", "range": [0.28, 1.03]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


def gain_figure(points: Sequence[TradeoffPoint], palette: Palette) -> go.Figure:
    """Return the privacy gain over ε with its 95% interval, a line per mechanism and adversary.

    Defences that take no ε are left out: they have no place on the axis. The lines of one ε stand a little beside one another.
    """
    figure = go.Figure()
    noisy = [one for one in points if one.setting.epsilon is not None]
    published = [one.setting.epsilon for one in noisy if one.setting.epsilon is not None] or [1.0]
    # In the order of the figure of gain against error, beside it.
    mechanisms = list(dict.fromkeys(one.defence for one in points))
    lines = list(dict.fromkeys((one.defence, str(one.setting.adversary)) for one in noisy))
    for at, (mechanism, adversary) in enumerate(lines):
        aside = 10 ** (_APART * (at - (len(lines) - 1) / 2))
        part = sorted(
            (one for one in noisy if (one.defence, one.setting.adversary) == (mechanism, adversary)),
            key=lambda one: one.setting.epsilon or 0.0,
        )
        number = mechanisms.index(mechanism)
        figure.add_scatter(
            x=[(one.setting.epsilon or 0.0) * aside for one in part],
            y=[one.pg_mean for one in part],
            error_y={
                "array": [_reach(one, one.pg_high - one.pg_mean) for one in part],
                "arrayminus": [_reach(one, one.pg_mean - one.pg_low) for one in part],
            },
            name=f"{defence_name(mechanism)}, {adversary}",
            mode="lines+markers",
            line={"color": colours(palette)[number % 6], "dash": _DASHES.get(adversary, "solid"), "width": 2},
            marker={"size": 9, "symbol": number if adversary == "strategic" else 100 + number},
            customdata=[(one.setting.epsilon,) for one in part],
            meta={"customdata": ["ε"]},
            hovertemplate=f"{defence_name(mechanism)}, {adversary}, ε = %{{customdata[0]:g}}: gain %{{y:.2f}}<extra></extra>",
        )
    figure.update_layout(
        height=440,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        meta={"columns": {"x": ""}},  # the numbers have ε itself
        xaxis=log_axis("ε of the mechanism (log)", 0.7 * min(published), 1.4 * max(published)),
        yaxis={"title": "privacy gain (1: all protection, 0: none)", "range": [-0.03, 1.08]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


def _reach(point: TradeoffPoint, reach: float) -> float:
    """Return how far an interval reaches, NaN where there is none."""
    return math.nan if gains_alike(point) else reach
