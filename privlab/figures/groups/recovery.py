"""Trails put together from counts → figures: how many steps are right beside what takes no attack, and one trail. Computes nothing."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.aggregates.recovery import Recovery, RecoveryPoint, over_of_points, steps_from_followed
from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.fingerprints.trails import KM_OF_HOME, add_player, ends_of_axis
from privlab.figures.groups.recovery_words import BASELINES, point_name

Floats = npt.NDArray[np.float64]
_MOST_FRAMES = 31
_ATTACK = "put together from counts"


def recovery_figure(found: Recovery, palette: Palette) -> go.Figure:
    """Return the share of steps put in the right zone by the attack and by each baseline, as bars."""
    own, low_high = found.score.accuracy, found.score.accuracy_interval
    error = {
        "type": "data",
        "symmetric": False,
        "array": [low_high[1] - own],
        "arrayminus": [own - low_high[0]],
        "color": palette.marker,
    }
    baselines = {BASELINES[name]: one.accuracy for name, one in found.baselines.items()}
    figure = go.Figure(
        [
            _bars({_ATTACK: own}, palette.attack, error_x=error),
            _bars(baselines, palette.muted),
        ]
    )
    names = [_ATTACK, *baselines]
    figure.update_layout(
        meta={"columns": {"y": "how trails come about"}},  # in its table of numbers
        height=290,
        margin={"l": 30, "r": 20, "t": 10, "b": 45},
        xaxis={"title": "share of steps in the right zone", "tickformat": ".0%", "range": [0, 1.02]},
        yaxis={"visible": False, "categoryorder": "array", "categoryarray": names[::-1]},
        bargap=0.6,
        annotations=[
            {"text": name, "x": 0, "y": name, "yshift": 20, "xanchor": "left", "showarrow": False}
            | {"font": {"size": 12, "color": palette.true}}
            for name in names
        ],
    )
    return figure


def _bars(shares: dict[str, float], colour: str, **more: object) -> go.Bar:
    return go.Bar(
        x=list(shares.values()),
        y=list(shares),
        orientation="h",
        marker={"color": colour},
        hovertemplate="%{y}: %{x:.1%} of the steps right<extra></extra>",
        showlegend=False,
        **more,
    )


def compared_recoveries_figure(points: Sequence[RecoveryPoint], palette: Palette) -> go.Figure:
    """Return, for each of several recoveries, the share of steps right with its interval, beside each baseline."""
    over = over_of_points(points)
    names = [point_name(one, over) for one in points]
    figure = go.Figure()
    for name, symbol in (("drawn", "x-thin-open"), ("crowd", "triangle-up-open"), ("still", "square-open")):
        figure.add_scatter(
            x=[one.baselines[name] for one in points], y=names, name=BASELINES[name], mode="markers",
            marker={"symbol": symbol, "size": 10, "color": palette.muted, "line": {"width": 2, "color": palette.muted}},
            hovertemplate=f"%{{y}}, {BASELINES[name]}: %{{x:.1%}} of the steps right<extra></extra>",
        )  # fmt: skip
    figure.add_scatter(
        x=[one.accuracy for one in points], y=names, name=_ATTACK, mode="markers",
        marker={"symbol": "circle", "size": 11, "color": palette.attack},
        error_x={
            "type": "data", "symmetric": False, "color": palette.attack,
            "array": [one.high - one.accuracy for one in points],
            "arrayminus": [one.accuracy - one.low for one in points],
        },
        hovertemplate="%{y}: %{x:.1%} of the steps right<extra></extra>",
    )  # fmt: skip
    figure.update_layout(
        meta={"columns": {"y": over}},  # in its table of numbers
        height=150 + 44 * len(points),
        margin={"l": 30, "r": 20, "t": 10, "b": 45},
        xaxis={"title": "share of steps in the right zone", "tickformat": ".0%", "range": [-0.02, 1.02]},
        yaxis={
            "categoryorder": "array",
            "categoryarray": names[::-1],
            "showticklabels": False,
            "range": [-0.5, len(points) - 0.25],
        },
        legend={"orientation": "h", "y": -70 / (44 * len(points)), "yanchor": "top"},
        annotations=[
            {"text": name, "x": -0.015, "y": name, "yshift": 16, "xanchor": "left", "showarrow": False}
            | {"font": {"size": 12, "color": palette.true}}
            for name in names
        ],
    )
    return figure


def recovered_trail_figure(found: Recovery, person: int, palette: Palette, *, days: int) -> go.Figure:
    """Return the first `days` days of one person's true trail and of the one put together; the axes stay.

    Play draws them day by day, where they are few enough.
    """
    followed = found.followed
    home = int(np.bincount(followed.zone[person]).argmax())
    at_km = followed.at_km - followed.at_km[home]
    when = steps_from_followed(followed)
    true, put = at_km[followed.zone[person]], at_km[found.zone[person]]
    figure = go.Figure(_trails(true, put, when, palette, days * followed.steps_a_day))
    both = np.concatenate([true, put])
    figure.update_layout(
        height=460,
        margin={"l": 60, "r": 10, "t": 50, "b": 50},
        meta={"columns": KM_OF_HOME},
        xaxis={"title": "km west or east of home", "zeroline": False, "range": ends_of_axis(both[:, 0])},
        yaxis={
            "title": "km south or north of home",
            "zeroline": False,
            "scaleanchor": "x",
            "scaleratio": 1,
            "range": ends_of_axis(both[:, 1]),
        },
        legend={"orientation": "h", "y": -0.18, "yanchor": "top"},
    )
    n_days = followed.n_steps // followed.steps_a_day
    if 1 < n_days <= _MOST_FRAMES:
        frames = [
            _trails(true, put, when, palette, (day + 1) * followed.steps_a_day) for day in range(n_days)
        ]
        add_player(figure, frames)
    return figure


def _trails(true: Floats, put: Floats, when: list[str], palette: Palette, until: int) -> list[go.Scatter]:
    gap = np.full((until, 2), np.nan)
    x, y = np.stack([true[:until], put[:until], gap], axis=1).reshape(-1, 2).T
    return [
        go.Scatter(
            x=x, y=y, mode="lines", name="the same step", hoverinfo="skip",
            line={"color": rgba(palette.muted, 0.6), "width": 1},
        ),
        _trail(put[:until], when, "put together from counts", palette.claim, {"symbol": "square-open", "size": 14}),
        _trail(true[:until], when, "this person", palette.attack, {"symbol": "circle", "size": 7}),
        go.Scatter(
            x=[0], y=[0], mode="markers", name="home: where this person is most", hoverinfo="name",
            marker={"symbol": "star-open", "size": 22, "color": palette.marker},
        ),
    ]  # fmt: skip


def _trail(at_km: Floats, when: list[str], name: str, colour: str, marker: dict[str, object]) -> go.Scatter:
    away = [f"{one:.1f}" for one in np.hypot(at_km[:, 0], at_km[:, 1])]
    return go.Scatter(
        x=at_km[:, 0],
        y=at_km[:, 1],
        mode="lines+markers",
        name=name,
        customdata=np.stack([when[: at_km.shape[0]], away], axis=1),
        meta={"customdata": ["when"]},
        line={"color": colour, "width": 1.5},
        marker=marker,
        hovertemplate=f"{name}, %{{customdata[0]}}: %{{customdata[1]}} km from home<extra></extra>",
    )
