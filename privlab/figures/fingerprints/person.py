"""One fingerprint among its nearest others → figures in space, in time, and sample by sample; how the samples lie apart in words."""

from collections.abc import Mapping

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from privlab.figures.drawing.distributions import colours, cumulative_steps
from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.palette import Palette
from privlab.figures.fingerprints.anonymizability_words import nothing_apart
from privlab.figures.fingerprints.trails import home_of, km_from_home
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import PARTS, PooledParts, WhatIf

_MOST_OTHERS = 4
_MOST_SAMPLES = 600


def space_time_figure(fingerprints: Fingerprints, found: WhatIf, palette: Palette) -> go.Figure:
    """Return the person's samples and those of the nearest others: where they are, and when."""
    figure = make_subplots(cols=2, subplot_titles=("where", "when"), horizontal_spacing=0.06)
    people = [("this person", found.user), *_others(found)]
    home = home_of(fingerprints, found.user)
    origin = fingerprints.t[fingerprints.offsets[found.user]] // 1440 * 1440
    for number, (name, user) in reversed(list(enumerate(people))):
        part = slice(
            fingerprints.offsets[user],
            min(fingerprints.offsets[user + 1], fingerprints.offsets[user] + _MOST_SAMPLES),
        )
        rows = np.arange(part.start, part.stop)
        x, y = km_from_home(fingerprints, rows, home)
        days, away = (fingerprints.t[part] - origin) / 1440, np.hypot(x, y)
        colour = colours(palette)[number % 6]
        look = {
            "color": colour,
            "size": 9 if number == 0 else 6,
            "symbol": number,
            "opacity": 1 if number == 0 else 0.6,
        }
        for column, (first, second, words) in enumerate(
            (
                (x, y, "%{x:.1f} km east, %{y:.1f} km north of this person's home"),
                (days, away, "day %{x:.2f}, %{y:.1f} km from this person's home"),
            ),
            start=1,
        ):
            figure.add_scatter(
                x=first,
                y=second,
                mode="markers" if column == 1 else "lines+markers",
                name=name,
                meta={"panel": ("where", "when")[column - 1]},
                legendgroup=name,
                showlegend=column == 1,
                marker=look,
                line={"color": colour, "width": 1, "dash": "solid" if number == 0 else "dot"},
                hovertemplate=f"{name}: {words}<extra></extra>",
                row=1,
                col=column,
            )
    figure.update_layout(
        height=440,
        margin={"l": 60, "r": 50, "t": 40, "b": 50},
        xaxis={"title": "km east of home"},
        # One scale for both, however narrow the figure is: a place twice as far is drawn twice as far.
        yaxis={"title": "km north of home", "scaleanchor": "x", "scaleratio": 1},
        xaxis2={"title": "days since the first"},
        # At the right: between the two it would be written across the left one on a telephone.
        yaxis2={"title": "km from home", "side": "right"},
        legend={"orientation": "h", "y": -0.18, "yanchor": "top"},
    )
    return figure


def parts_figure(found: WhatIf, palette: Palette) -> go.Figure:
    """Return, for each of the person's samples, the parts of space and time in its distance to the nearest other."""
    longer = found.spatial.mean(axis=1), found.temporal.mean(axis=1)
    figure = go.Figure(
        go.Scatter(
            x=longer[0],
            y=longer[1],
            mode="markers",
            marker={"color": palette.attack, "size": 8, "opacity": 0.7},
            name="samples",
            hovertemplate="space %{x:.3f}, time %{y:.3f}<extra></extra>",
        )
    )
    most = float(max(longer[0].max(initial=0), longer[1].max(initial=0), 0.05)) * 1.05
    figure.add_scatter(
        x=[0, most],
        y=[0, most],
        mode="lines",
        line={"color": palette.muted, "dash": "dot"},
        name="equal parts",
    )
    figure.update_layout(
        height=380,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "part of space", "range": [-0.02 * most, most]},
        yaxis={"title": "part of time", "range": [-0.02 * most, most]},
        legend={"orientation": "h", "y": -0.22, "yanchor": "top"},
    )
    return figure


SAMPLES_COMPARED = "samples compared"
LAWS_MEAN = {
    SAMPLES_COMPARED: "Samples whose distance is taken: of this person, or of each nearest other who has more."
}


def laws_rows(people: Mapping[str, PooledParts]) -> list[dict[str, str]]:
    """Return how unevenly samples carry the distance of each person: medians, Gini coefficients and tail weights."""
    return [
        {
            "person": name,
            "part": part,
            SAMPLES_COMPARED: f"{one.spatial.size:,}",
            "median distance": f"{np.median(one.of(part)):.3f}" if one.spatial.size else "–",
            "99% within": f"{np.quantile(one.of(part), 0.99, method='inverted_cdf'):.3f}"
            if one.spatial.size
            else "–",
            "Gini": f"{one.gini[part]:.2f}",
            "tail weight (1: normal)": "not defined"
            if np.isnan(one.tail_weight[part])
            else f"{one.tail_weight[part]:.2f}",
        }
        for name, one in people.items()
        for part in PARTS
    ]


def laws_finding(found: Mapping[str, PooledParts], k: int) -> str:
    """Return whose samples are drawn, and how long the tails of the first person's are."""
    name, one = next(iter(found.items()))
    tails = {part: one.tail_weight[part] for part in ("spatial", "temporal")}
    nearest = "the nearest other person" if k == 2 else f"the {k - 1:,} nearest people"
    return (
        f"How far single samples of {name} are from {nearest}; two other people stand beside. Person 1 is the easiest to hide. "
        "Two people are compared by the samples of whoever has more of them: the table counts these. "
        + (
            f"Tail weight of space {tails['spatial']:.2f}, of time {tails['temporal']:.2f} (1: normal)."
            if np.isfinite(list(tails.values())).all()
            else "Not every tail weight is defined."
        )
    )


def laws_figure(people: Mapping[str, PooledParts], palette: Palette) -> go.Figure:
    """Return the distribution functions of sample distances of some people: in all, of space and of time."""
    titles = ("in all", "space", "time")
    figure = make_subplots(cols=3, subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.04)
    for number, (name, one) in enumerate(people.items()):
        for column, part in enumerate(PARTS, start=1):
            x, share = cumulative_steps(one.of(part))
            figure.add_scatter(
                x=x,
                y=share,
                name=name,
                meta={"panel": titles[column - 1]},
                legendgroup=name,
                showlegend=column == 1,
                mode="lines",
                line={
                    "color": colours(palette)[number % 6],
                    "width": 3 if number == 0 else 1.5,
                    "shape": "hv",
                    "dash": "solid" if number == 0 else "dot",
                },
                hovertemplate=f"{name}: %{{y:.0%}} of samples are at most %{{x:.3f}} away<extra></extra>",
                row=1,
                col=column,
            )
    figure.update_layout(
        height=380,
        margin={"l": 60, "r": 10, "t": 40, "b": 50},
        yaxis={"title": "share of samples", "tickformat": ".0%", "range": [0, 1.02]},
        legend={"orientation": "h", "y": -0.22, "yanchor": "top"},
    )
    figure.update_xaxes(rangemode="tozero", matches="x")  # one scale: what is longer is seen to be
    figure.update_layout(
        xaxis2={"title": "distance of a sample"}
    )  # said once: three would not stand side by side on a telephone
    return figure


def giveaway_figure(found: WhatIf, palette: Palette) -> go.Figure:
    """Return how much of the whole distance the most telling samples make up: the long tail. Where there is no distance, that is said."""
    n = found.cumulative_share.size
    figure = go.Figure(
        go.Scatter(
            x=np.arange(n + 1) / n,
            y=np.append(0, found.cumulative_share),
            mode="lines",
            line={"color": palette.attack, "width": 2.5},
            name="this person",
            hovertemplate="the %{x:.0%} most telling samples make %{y:.0%} of the distance<extra></extra>",
        )
    )
    figure.add_scatter(
        x=[0, 1], y=[0, 1], mode="lines", line={"color": palette.muted, "dash": "dot"}, name="all alike"
    )
    figure.update_layout(
        height=380,
        margin={"l": 60, "r": 25, "t": 10, "b": 50},  # with room for the last mark of the axis
        xaxis={
            "title": "samples, the most telling first",
            "tickformat": ".0%",
            "range": [0, 1],
            "dtick": 0.25,
        },
        yaxis={"title": "share of the distance", "tickformat": ".0%", "range": [0, 1.02]},
        legend={"orientation": "h", "y": -0.22, "yanchor": "top"},
    )
    name_lines(figure, towards_end=False)
    if nothing_apart(found):
        figure.data = figure.data[1:]
        figure.layout.annotations = []
        figure.add_annotation(
            xref="x domain", yref="y domain", x=0.02, y=0.98, showarrow=False, font={"size": 12},
            xanchor="left", yanchor="top", align="left", text="no sample gives anything away:<br>others have the same ones",
        )  # fmt: skip
    return figure


def _others(found: WhatIf) -> list[tuple[str, int]]:
    names = ("nearest", "second", "third", "fourth")
    return [
        (f"{name} other", int(user)) for name, user in zip(names, found.other[:_MOST_OTHERS], strict=False)
    ]
