"""Outcomes of the game → figures: who is recognised, in which groups, at what price. Computes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.aggregates.findings import FALSE_RATES, GameResult, Summary, Verdicts
from privlab.aggregates.game import Estimate
from privlab.aggregates.game_rules import HALF
from privlab.figures.drawing.distributions import colours, cumulative_figure
from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.log_axis import log_axis
from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.drawing.reference_lines import reference_line
from privlab.figures.groups.defence_words import defence_name

_LEAST_ERROR = 1e-4  # no error at all has no place on a logarithmic axis
_ERROR = "mean relative error of the published counts"
REPORTS = {"low": "few reports", "middle": "middle", "high": "many reports"}
"""The thirds of the targets by how many reports they make, as figures and their tables name them."""
SIGNS = dict(zip(REPORTS.values(), ("●", "■", "◆"), strict=True))
"""What marks each of them where a figure draws targets one by one."""
_UNSEEN = "rgba(0,0,0,0)"
_LEAST_OF_A_BOX = 10  # targets: the quarters of fewer are those of hardly anybody


def auc_figure(
    curves: Mapping[str, npt.ArrayLike], palette: Palette, *, faint: Mapping[str, npt.ArrayLike] | None = None
) -> go.Figure:
    """Return the distribution of the AUC over targets, one curve per group size."""
    return cumulative_figure(
        curves,
        palette,
        x_title="AUC of the attack (1: certainty)",
        y_title="targets with at most this AUC",
        x_range=(0.28, 1.01),
        references={"a blind guess": 0.5},
        faint=faint,
    )


def loss_figure(results: Sequence[tuple[GameResult, int]], baseline: float, palette: Palette) -> go.Figure:
    """Return the privacy loss of targets by group size and mobility; each result with the place of its setting."""
    figure = go.Figure()
    for number, (name, words) in enumerate(REPORTS.items()):
        xs: list[str] = []
        ys: list[float] = []
        for result, at in results:
            for outcome in result.outcomes:
                if outcome.mobility == name:
                    xs.append(group_label(result))
                    ys.append(outcome.scores[at].privacy_loss)
        figure.add_box(
            x=xs,
            y=ys,
            name=words,
            marker={"color": colours(palette)[number]},
            jitter=0.4,
            line={"width": 1.5},
            **points_and_box(max((xs.count(one) for one in xs), default=0)),
            hovertemplate=f"{words}, groups of %{{x}}: PL %{{y:.2f}}<extra></extra>",
        )
    figure.add_hline(
        y=baseline,
        line={"color": palette.muted, "width": 1.5, "dash": "dash"},
        annotation={"text": f"a blind guess reads {baseline:.3f}", "font": {"size": 12}},
        annotation_position="top right",
    )
    figure.update_layout(
        height=420,
        boxmode="group",
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "people in a group (m)", "type": "category"},
        yaxis={"title": "PL of the game, of a target", "range": [-0.03, 1.03]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


def points_and_box(n_targets: int) -> dict[str, Any]:
    """Return how the targets of one group size are drawn: points, and from ten of them on a box."""
    points = {"boxpoints": "all", "pointpos": 0}
    if n_targets >= _LEAST_OF_A_BOX:
        return points | {"marker_size": 3}
    return points | {"marker_size": 8, "line_color": _UNSEEN, "fillcolor": _UNSEEN, "hoveron": "points"}


def group_label(result: GameResult) -> str:
    """Return what stands below a game on an axis of group sizes."""
    parameters = result.parameters
    open_share = parameters.prior == "zero-knowledge"
    known = f"<br>known: {parameters.known}" if open_share else ""
    other = "" if parameters.balance == HALF else f"<br>with the target: {parameters.balance}"
    return f"{parameters.group_size:,}{known}{other}"


def share_figure(
    results: Sequence[GameResult], summaries: Sequence[Summary], names: Mapping[str, str], palette: Palette
) -> go.Figure:
    """Return mean AUC with its interval by how much of the trace is known (`names` of each), a line per group size."""
    figure = go.Figure()
    sizes = list(dict.fromkeys(result.parameters.group_size for result in results))
    for number, size in enumerate(sizes):
        part = [
            (names[result.parameters.known], one.overall)
            for result, one in zip(results, summaries, strict=True)
            if result.parameters.group_size == size
        ]
        figure.add_scatter(
            x=[name for name, _ in part],
            y=[one.auc_mean for _, one in part],
            error_y={
                "array": [one.auc_high - one.auc_mean for _, one in part],
                "arrayminus": [one.auc_mean - one.auc_low for _, one in part],
            },
            name=f"groups of {size:,}",
            mode="lines+markers",
            line={"color": colours(palette)[number % 6], "width": 2.5},
            marker={"symbol": number, "size": 9},
            hovertemplate=f"groups of {size:,}, %{{x}}: mean AUC %{{y:.3f}}<extra></extra>",
        )
    figure.add_hline(y=0.5, line={"color": palette.muted, "width": 1, "dash": "dash"})
    figure.update_layout(
        height=360,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "known of the target", "type": "category", "range": [-0.5, len(names) - 0.5]},
        yaxis={"title": "mean AUC (0.5: a blind guess)", "range": [0.38, 1.03]},
        legend={"orientation": "h", "y": -0.25, "yanchor": "top"},
    )
    name_lines(figure)
    return figure


def marginals_figure(estimated: Estimate, true: Estimate, over: str, palette: Palette) -> go.Figure:
    """Return shares of visits over "hours" or "zones" as estimated from one release, beside the true ones."""
    if over == "hours":
        title, pair = "hour of the period", (true.time, estimated.time)
    else:
        order = np.argsort(-true.space, kind="stable")
        title, pair = "zones, the most visited first", (true.space[order], estimated.space[order])
    figure = go.Figure()
    n, most = pair[0].size, max(*(float(one.max()) for one in pair), 0.01)
    for name, shares, colour, dash in (
        ("true", pair[0], palette.muted, "solid"),
        ("estimated from one release", pair[1], palette.attack, "dot"),
    ):
        figure.add_scatter(
            x=list(range(1, n + 1)), y=shares, name=name, mode="lines", line={"color": colour, "width": 2, "dash": dash},
            hovertemplate=f"{name}: %{{y:.2%}}<extra></extra>",
        )  # fmt: skip
    figure.update_layout(
        height=280,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": title, "range": [0, n + 1]},
        yaxis={"title": "share of visits", "tickformat": ".1%", "range": [0, 1.08 * most]},
        legend={"orientation": "h", "y": -0.35, "yanchor": "top"},
    )
    name_lines(figure)
    return figure


def roc_figure(
    curves: Mapping[str, Summary], palette: Palette, *, verdicts: Mapping[str, Verdicts] | None = None
) -> go.Figure:
    """Return the mean true positive rate at every false positive rate, with a mark on each curve.

    The mark stands where the `verdicts` are reached, at one false alarm in a hundred where there are none.
    """
    marks = {
        name: (one.accused / (one.accused + one.cleared), one.found / (one.found + one.missed))
        for name, one in (verdicts or {}).items()
    }
    figure = go.Figure()
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": palette.muted, "dash": "dot"}, name="a blind guess"
    )
    for number, (name, summary) in enumerate(curves.items()):
        figure.add_scatter(
            x=FALSE_RATES,
            y=summary.roc,
            name=name,
            mode="lines",
            line={"color": colours(palette)[number % 6], "width": 2.5},
            hovertemplate=f"{name}: %{{y:.1%}} of those in are found, %{{x:.0%}} false alarms<extra></extra>",
        )
        false, true = marks.get(name, (0.01, summary.overall.tpr_1))
        figure.add_scatter(
            x=[false],
            y=[true],
            mode="markers",
            marker={"color": colours(palette)[number % 6], "size": 11, "symbol": "diamond"},
            showlegend=False,
            name=f"{name}, at the threshold",
            hovertemplate=f"{name}: %{{y:.1%}} found at %{{x:.1%}} false alarms<extra></extra>",
        )
    figure.update_layout(
        height=420,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={
            "title": "false alarms among groups without the target",
            "range": [-0.01, 1.01],
            "tickformat": ".0%",
        },
        yaxis={"title": "groups with the target found", "range": [-0.01, 1.01], "tickformat": ".0%"},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    name_lines(figure, towards_end=False)
    return figure


def factors_figure(
    result: GameResult, at: int, factor: str, title: str, palette: Palette, *, legend: bool = True
) -> go.Figure:
    """Return each target's AUC against one of its factors, by how many reports they make; `legend`: nothing beside it says who is who."""
    figure = go.Figure()
    for number, (name, words) in enumerate(REPORTS.items()):
        part = [outcome for outcome in result.outcomes if outcome.mobility == name]
        figure.add_scatter(
            x=[getattr(outcome.factors, factor) for outcome in part],
            y=[outcome.scores[at].auc for outcome in part],
            mode="markers",
            name=words,
            marker={"color": colours(palette)[number], "symbol": number, "size": 8, "opacity": 0.8},
            showlegend=legend,
            hovertemplate=f"{title}%{{x:.3g}}: AUC %{{y:.2f}}<extra></extra>",
        )
    named = {"text": "a blind guess", "font": {"size": 12}}
    figure.update_layout(
        **reference_line(0.5, {"color": palette.muted, "width": 1, "dash": "dash"}, across="y", name=named),
        height=340,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": title},
        yaxis={"title": f"AUC in groups of {result.parameters.group_size:,}", "range": [0.28, 1.03]},
        legend={"orientation": "h", "y": -0.25, "yanchor": "top"},
    )
    return figure


def trade_off_figure(points: Sequence[tuple[str, str, float, float, float]], palette: Palette) -> go.Figure:
    """Return privacy gain against error: points (mechanism, adversary, ε, PG, MRE), a line per mechanism and adversary.

    Each point says its ε, once where both adversaries face the same counts.
    """
    figure = go.Figure()
    lines = list(dict.fromkeys((mechanism, adversary) for mechanism, adversary, *_ in points))
    mechanisms = list(dict.fromkeys(mechanism for mechanism, _ in lines))
    for mechanism, adversary in lines:
        is_named = adversary == "strategic" or (mechanism, "strategic") not in lines
        part = sorted((p for p in points if p[:2] == (mechanism, adversary)), key=lambda p: p[2])
        number = mechanisms.index(mechanism)
        colour = colours(palette)[number % 6]
        figure.add_scatter(
            x=[max(mre, _LEAST_ERROR) for *_, mre in part],
            y=[gain for *_, gain, _ in part],
            name=f"{defence_name(mechanism)}, {adversary}",
            mode="lines+markers+text",
            text=[f"ε = {epsilon:g}" if is_named and epsilon else "" for _, _, epsilon, *_ in part],
            textposition="top center",
            textfont={"size": 11, "color": colour},
            cliponaxis=False,
            line={"color": colour, "dash": "solid" if adversary == "strategic" else "dot"},
            marker={"size": 9, "symbol": number if adversary == "strategic" else 100 + number},
            customdata=[(epsilon, mre) for _, _, epsilon, _, mre in part],
            meta={"customdata": ["ε", _ERROR]},  # an error of 0 is 0, wherever it is drawn
            hovertemplate=f"{defence_name(mechanism)}, {adversary}, ε = %{{customdata[0]:g}}: gain %{{y:.2f}}, "
            "error %{customdata[1]:.3g}<extra></extra>",
        )
    errors = [max(mre, _LEAST_ERROR) for *_, mre in points] or [1.0]
    figure.update_layout(
        height=440,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis=log_axis(f"{_ERROR} (log)", 0.8 * min(errors), 1.25 * max(errors)),
        yaxis={"title": "privacy gain (1: all protection, 0: none)", "range": [-0.03, 1.1]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


def heat_figure(
    counts: npt.NDArray[np.float64],
    visited: npt.NDArray[np.bool_],
    palette: Palette,
    *,
    ordered_by: npt.NDArray[np.float64] | None = None,
    most_rows: int = 60,
) -> go.Figure:
    """Return an aggregate (zones, epochs) as a heat map, busiest zones first, with the target's visits marked.

    `ordered_by` are the counts that say which zones are busy, where not those shown: with them two figures have the same rows.
    """
    busy = (counts if ordered_by is None else ordered_by).sum(axis=1)
    order = np.lexsort((-busy, -visited.sum(axis=1)))[:most_rows]
    shown, seen = counts[order], visited[order]
    figure = go.Figure(
        go.Heatmap(
            name="people",
            z=shown,
            # Nobody is of the page's colour, dark or light.
            colorscale=[[0, rgba(palette.attack, 0.06)], [1, palette.attack]],
            colorbar={"title": "people", "thickness": 12},
            customdata=np.tile(np.arange(1, shown.shape[0] + 1)[:, None], shown.shape[1]),
            hovertemplate="hour %{x}, zone of rank %{customdata}, people: %{z:.3g}<extra></extra>",
        )
    )
    row, column = np.nonzero(seen)
    ranks = [1, *range(10, shown.shape[0] + 1, 10)]
    figure.add_scatter(
        x=column,
        y=row,
        mode="markers",
        name="the target was here",
        marker={
            "color": palette.claim,
            "size": 6,
            "symbol": "x-thin",
            "line": {"width": 2, "color": palette.claim},
        },
        hovertemplate="the target, hour %{x}<extra></extra>",
    )
    figure.update_layout(
        height=460,
        margin={"l": 60, "r": 10, "t": 40, "b": 50},
        xaxis={"title": "hour of the period"},
        yaxis={
            "title": "zones by rank, those the target visits first",
            "tickvals": [one - 1 for one in ranks],
            "ticktext": [f"{one}" for one in ranks],
            "autorange": "reversed",
        },
        showlegend=True,  # plotly leaves out one of a single entry
        legend={"orientation": "h", "y": -0.18, "yanchor": "top"},
    )
    return figure
