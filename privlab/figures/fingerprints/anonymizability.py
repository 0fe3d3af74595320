"""k-gaps, what they are made of, and unicity → figures. Computes nothing but the steps of the curves."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.figures.drawing.distributions import colours, cumulative_figure
from privlab.figures.drawing.line_names import name_lines, names_in_a_line
from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.fingerprints.anonymizability_words import level_name
from privlab.fingerprints.measures import Dispersion, LevelStudy
from privlab.fingerprints.singling_out import Linkage, PlacesUnicity, Unicity

# The tail weight of known distributions: docs/science.md, section 4.3.
TAIL_WEIGHTS = {
    "uniform": 0.56827,
    "normal": 1.0,
    "exponential": 1.63635,
    "Cauchy": 9.22588,
    "Pareto": 14.2068,
}
_GAP = "k-gap Δ (0: k−1 others alike, 1: far away)"


def kgap_figure(
    study: LevelStudy,
    palette: Palette,
    *,
    k: int,
    faint: Mapping[str, npt.ArrayLike] | None = None,
    low: bool = False,
) -> go.Figure:
    """Return the distribution of the k-gap over users for every k, from small to large; the chosen one stands out.

    Where there is no room for a legend below it, as the figure is `low`, one line above it names the curves.
    """
    curves = {f"k = {one}": study.kgaps.of(one) for one in study.kgaps.ks}
    figure = cumulative_figure(
        curves, palette, x_title=_GAP, x_range=(-0.01, 1), faint=faint, in_order=len(curves) > 1
    )
    figure.update_traces(line={"color": palette.marker, "width": 3}, selector={"name": f"k = {k}"})
    if low and figure.layout.showlegend is not False:
        drawn = [one for one in figure.data if one.name in curves]
        names_in_a_line(
            figure,
            [
                ("━" if one.line.width > 1.7 else "─", one.line.color, one.name.removeprefix("k = "))
                for one in drawn
            ],
            before="k =",
        )
    return figure


def levels_figure(studies: Sequence[LevelStudy], palette: Palette, *, k: int) -> go.Figure:
    """Return the distribution of one k-gap over users for every level."""
    curves = {level_name(study.parameters.level): study.kgaps.of(k) for study in studies}
    return cumulative_figure(
        curves, palette, x_title=f"{k}-gap Δ", x_range=(-0.01, 1), in_order=len(curves) > 1
    )


def anonymous_figure(
    studies: Sequence[LevelStudy],
    palette: Palette,
    *,
    k: int,
    chosen: str | None = None,
    sideways: bool = False,
) -> go.Figure:
    """Return the share of users who are k-anonymous as they are, at every level.

    That of a `chosen` level stands out. Where the figure is narrow, bars that go `sideways` have room for their names.
    """
    # Bars beside one another have room for a name of two lines.
    names = [level_name(one.parameters.level).replace(", ", ", " if sideways else "<br>") for one in studies]
    colours_of = [
        palette.marker if str(one.parameters.level) == chosen else palette.repaired for one in studies
    ]
    shares = [float(np.mean(study.kgaps.of(k) == 0)) for study in studies]
    level, share = ("y", "x") if sideways else ("x", "y")
    beside = "\u00a0" if sideways else ""
    figure = go.Figure(
        go.Bar(
            {level: names, share: shares},
            orientation="h" if sideways else "v",
            marker={"color": colours_of},
            text=[f"{beside}{share:.1%}" for share in shares],
            textposition="outside",
            cliponaxis=False,
            hovertemplate=f"%{{{level}}}: %{{{share}:.2%}} of users<extra></extra>",
        )
    )
    of_shares = {"title": f"users who are {k}-anonymous as they are", "range": [0, 1.05], "tickformat": ".0%"}
    of_levels: dict[str, Any] = {"title": "level: cell and time bin", "type": "category"}
    if not sideways:
        # Names of two lines stand upright on a telephone too, where there is just room; that of the axis stands below them.
        of_levels |= {
            "tickangle": 0,
            "automargin": True,
            "title": {"text": of_levels["title"], "standoff": 12},
        }
    else:
        # From fine to coarse downwards, each with its name: in large type on a low screen plotly would leave out every second.
        of_levels |= {"autorange": "reversed", "dtick": 1}
        of_shares |= {"title": f"users who are {k}-anonymous", "range": [0, 1.2], "tickvals": [0, 0.5, 1]}
    figure.update_layout(
        height=380,
        margin={"l": 100 if sideways else 60, "r": 10, "t": 30, "b": 50 if sideways else 70},
        **{f"{level}axis": of_levels, f"{share}axis": of_shares},
    )
    return figure


def temporal_share_figure(dispersion: Dispersion, palette: Palette, *, k: int) -> go.Figure:
    """Return the distribution of the part that time has in the distance, over users."""
    column = dispersion.ks.index(k)
    return cumulative_figure(
        {f"k = {k}": dispersion.temporal_share[:, column]},
        palette,
        x_title="temporal share (0: all space, 1: all time)",
        x_range=(-0.01, 1.01),
        references={"half time": 0.5, "paper's median": 0.8},
    )


def gini_figure(dispersion: Dispersion, palette: Palette, *, k: int) -> go.Figure:
    """Return the distributions of the Gini coefficients over users: of the whole, of space, of time."""
    column = dispersion.ks.index(k)
    curves = {
        "all": dispersion.gini[:, column],
        "space": dispersion.gini_spatial[:, column],
        "time": dispersion.gini_temporal[:, column],
    }
    return cumulative_figure(
        curves,
        palette,
        x_title="Gini coefficient of the sample distances",
        x_range=(-0.01, 1.01),
        references={"paper": 0.5},
    )


def tail_weight_figure(dispersion: Dispersion, palette: Palette, *, k: int) -> go.Figure:
    """Return the distributions of the tail weights over users, with those of known distributions as lines."""
    column = dispersion.ks.index(k)
    curves = {
        "all": dispersion.tail_weight[:, column],
        "space": dispersion.tail_weight_spatial[:, column],
        "time": dispersion.tail_weight_temporal[:, column],
    }
    return cumulative_figure(
        curves,
        palette,
        x_title="tail weight of the sample distances (log)",
        x_range=(0.1, 100),
        logarithmic=True,
        references=TAIL_WEIGHTS,
    )


def unicity_figure(curves: Mapping[str, Unicity], palette: Palette) -> go.Figure:
    """Return the share of traces that so many of their samples single out, with intervals of 95%."""
    figure = go.Figure()
    for number, (name, one) in enumerate(curves.items()):
        colour = colours(palette)[number % 6]
        figure.add_scatter(
            x=np.concatenate([one.points, one.points[::-1]]),
            y=np.concatenate([one.high, one.low[::-1]]),
            fill="toself",
            fillcolor=rgba(colour, 0.15),
            line={"width": 0},
            hoverinfo="skip",
            showlegend=False,
            name=f"{name}, interval",
        )
        figure.add_scatter(
            x=one.points,
            y=one.share,
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": 2.5},
            marker={"symbol": number % 10, "size": 7},
            customdata=np.stack([one.low, one.high], axis=1),
            meta={"low": one.low.tolist(), "high": one.high.tolist()},
            hovertemplate=f"{name}, samples known %{{x}}: singled out %{{y:.1%}} "
            "(%{customdata[0]:.1%} to %{customdata[1]:.1%})<extra></extra>",
        )
    most = max(int(one.points.max()) for one in curves.values())
    figure.update_layout(
        height=400,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "samples of a trace that someone knows", "dtick": 1, "range": [0.5, most + 0.5]},
        yaxis={"title": "traces singled out", "range": [-0.02, 1.02], "tickformat": ".0%"},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    name_lines(figure)
    return figure


def places_figure(found: Sequence[PlacesUnicity], palette: Palette) -> go.Figure:
    """Return the share of people whom their N most visited places single out, a line per level: in their order, and dotted as a set."""
    figure = go.Figure()
    for number, one in enumerate(found):
        colour = colours(palette)[number % 6]
        for kind, share, dash in (
            ("in their order", one.share_of_lists, "solid"),
            ("in any order", one.share_of_sets, "dot"),
        ):
            figure.add_scatter(
                x=one.places,
                y=share,
                name=f"{level_name(one.level)}, {kind}",
                mode="lines+markers",
                line={"color": colour, "width": 2.5, "dash": dash},
                marker={"symbol": number % 10, "size": 7},
                hovertemplate=f"{level_name(one.level)}, {kind}: %{{y:.1%}} alone in their %{{x}} most visited places<extra></extra>",
            )
    figure.update_layout(
        height=400,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "most visited places that someone knows", "dtick": 1},
        yaxis={"title": "people singled out", "range": [-0.02, 1.02], "tickformat": ".0%"},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


def link_figure(found: Sequence[Linkage], palette: Palette) -> go.Figure:
    """Return the share of people linked right by the days of each half, a line per level, with intervals of 95%."""
    figure = go.Figure()
    for number, level in enumerate(dict.fromkeys(one.level for one in found)):
        own = [one for one in found if one.level == level]
        name, colour = level_name(level), colours(palette)[number % 6]
        figure.add_scatter(
            x=[one.days for one in own],
            y=[one.share for one in own],
            name=name,
            mode="lines+markers",
            line={"color": colour, "width": 2.5},
            marker={"symbol": number % 10, "size": 8},
            error_y={
                "type": "data",
                "array": [one.high - one.share for one in own],
                "arrayminus": [one.share - one.low for one in own],
            },
            customdata=[[one.low, one.high, one.n_sought] for one in own],
            hovertemplate=f"{name}: %{{x}} days find %{{y:.1%}} of %{{customdata[2]:,}} again "
            "(%{customdata[0]:.1%} to %{customdata[1]:.1%})<extra></extra>",
        )
    by_days = {one.days: one.chance for one in sorted(found, key=lambda one: one.days)}
    figure.add_scatter(
        x=list(by_days),
        y=list(by_days.values()),
        name="a blind guess",
        mode="lines+markers",
        line={"color": palette.muted, "dash": "dot", "width": 1.5},
        marker={"size": 4},
        hovertemplate="a blind guess: %{y:.2%}<extra></extra>",
    )
    figure.update_layout(
        height=400,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "days in each half", "range": [0, 1.06 * max(by_days)]},
        yaxis={"title": "people linked right", "range": [-0.02, 1.02], "tickformat": ".0%"},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    name_lines(figure)
    return figure
