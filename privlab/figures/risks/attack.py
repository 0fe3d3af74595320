"""Attack results → figures: accuracy against unique trips, and who has how many. Computes nothing."""

from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.figures.drawing.palette import TRIPS_OF_THE_AUTHOR, Palette, rgba
from privlab.figures.drawing.reference_lines import reference_line
from privlab.od.attack import AttackCurve, BoundedAttack

_MOST_BARS = 160
_AUTHOR = "the paper's author: 32 trips"


def attack_figure(
    curve: AttackCurve,
    palette: Palette,
    *,
    your_trips: int,
    own_week: int | None = None,
    bounded: BoundedAttack | None = None,
    height: int = 430,
    until: int | None = None,
) -> go.Figure:
    """Return accuracy against unique trips (both axes fixed), with the bounds that are claimed and proven.

    `bounded` adds the same promise kept by a bound on each user's trips; "your k" then lies on its curve, as does the mark
    of `own_week`, the unique trips of the reader's own week. Lines are named where they are, not in a legend. With `until`
    they are drawn up to so many trips only.
    """
    k, claim = curve.n_trips, np.full(curve.n_trips.size, curve.claimed_bound)
    drawn = [
        _line(k, curve.user_level_bound, "proven bound (composition)", palette.proven, width=2),
        _line(k, curve.optimal, "best attack, exact", palette.attack, width=3),
        *_simulated(curve, palette),
    ]
    if bounded is not None:
        name = f"best attack, limit of {bounded.max_trips_per_user} trips per user"
        drawn.append(
            _line(k, bounded.proven_bound, "its proven bound", palette.repaired, width=1, dash="dot")
        )
        drawn.append(_line(k, bounded.optimal, name, palette.repaired, width=3))
    drawn.append(_line(k, claim, "claimed bound", palette.claim, width=2, dash="dash"))
    drawn += _mark(curve.optimal, TRIPS_OF_THE_AUTHOR, _AUTHOR, "triangle-up", palette.attack)
    applies = curve.optimal if bounded is None else bounded.optimal
    if own_week != your_trips:
        drawn += _mark(applies, your_trips, f"k = {your_trips}", "diamond", palette.marker)
    if own_week is not None:
        drawn += _mark(applies, own_week, f"your week, k = {own_week}", "star", palette.spurious)
    layout: dict[str, Any] = {
        "height": height,
        "margin": {"l": 60, "r": 10, "t": 10, "b": 50},
        "xaxis": {"title": "unique trips of the target in the week (k)", "range": [-0.8, k[-1] + 0.8]},
        "yaxis": {"title": "attacker right, in 100 tries", "range": [0.48, 1.02], "tickformat": ".0%"},
        "showlegend": False,
        "hovermode": "closest",
    }
    if until is None:
        layout["annotations"] = _names(curve, bounded, (your_trips, own_week), palette)
    figure = go.Figure(data=drawn, layout=layout)
    if until is not None:
        _told_until(figure, until, k[-1], palette)
    return figure


def _simulated(curve: AttackCurve, palette: Palette) -> list[dict[str, Any]]:
    """Return the share of simulated games won, where some were played."""
    if curve.simulated is None or curve.low is None or curve.high is None:
        return []
    return [
        {
            "type": "scatter",
            "x": curve.n_trips,
            "y": curve.simulated,
            "mode": "markers",
            "name": "simulated attack, 95% interval",
            "marker": {"color": palette.simulated, "size": 5},
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": curve.high - curve.simulated,
                "arrayminus": curve.simulated - curve.low,
                "thickness": 1,
                "width": 0,
                "color": rgba(palette.simulated, 0.7),
            },
            "hovertemplate": "%{x} unique trips: %{y:.1%} of the games won<extra></extra>",
        }
    ]


def _names(
    curve: AttackCurve, bounded: BoundedAttack | None, marked: tuple[int, int | None], palette: Palette
) -> list[dict[str, Any]]:
    """Return the name of each line and mark, beside it and clear of the others."""
    last, shown = int(curve.n_trips[-1]), curve.optimal if bounded is None else bounded.optimal
    risen = int(np.argmax(curve.user_level_bound > 0.97))
    right = {"xanchor": "right", "x": last}
    found = [
        {**right, "y": curve.claimed_bound, "yanchor": "bottom", "color": palette.claim}
        | {"text": f"claimed bound: {curve.claimed_bound:.1%}"},
        {**right, "y": curve.optimal[-1], "yanchor": "top", "yshift": -8, "color": palette.attack}
        | {"text": "best attack, exact"},
        {"x": risen, "xanchor": "left", "xshift": 6, "y": curve.user_level_bound[risen], "yanchor": "top"}
        | {"color": palette.proven, "text": "proven bound"},
    ]
    if curve.simulated is not None:  # above the claim's name, where curves that exceed the claim leave room
        found.append(
            {**right, "y": curve.claimed_bound, "yanchor": "bottom", "yshift": 16, "color": palette.simulated}
            | {"text": "● simulated games"}
        )
    if bounded is not None:
        text = f"best attack, limit of {bounded.max_trips_per_user} trips per user"
        near = curve.claimed_bound - bounded.optimal[-1] < 0.06  # the claim's name is above its line
        side = {"yanchor": "top", "yshift": -14} if near else {"yanchor": "bottom", "yshift": 2}
        found.append({**right, **side, "y": bounded.optimal[-1], "color": palette.repaired, "text": text})
        half = bounded.max_trips_per_user // 2
        if 2 <= half <= 15:  # room for a name at its right, below the claim
            found.append(
                {"x": half, "xanchor": "left", "xshift": 8, "y": bounded.proven_bound[half]}
                | {"yanchor": "middle", "color": palette.repaired, "text": "its proven bound"}
            )
    beside = {"xanchor": "left", "xshift": 10, "yanchor": "top", "yshift": -2, "color": palette.true}
    your_trips, own_week = marked
    near = [one for one in marked if one is not None and abs(one - TRIPS_OF_THE_AUTHOR) <= 5]
    if not near and curve.optimal.size > TRIPS_OF_THE_AUTHOR:
        at = curve.optimal[TRIPS_OF_THE_AUTHOR]
        found.append({**beside, "x": TRIPS_OF_THE_AUTHOR, "y": at, "text": _AUTHOR})
    named = [] if own_week is None else [(own_week, f"your week, k = {own_week}", -2)]
    if own_week is None or own_week != your_trips:
        close = own_week is not None and abs(own_week - your_trips) <= 5
        named.append((your_trips, f"k = {your_trips}", -18 if close else -2))
    for k, words, shift in named:
        if k < shown.size:
            side = {"xanchor": "right", "yshift": shift - 44} if k > 0.75 * last else {"yshift": shift}
            found.append({**beside, **side, "x": k, "y": shown[k], "text": f"{words}: {shown[k]:.1%}"})
    return [{"showarrow": False, "font": {"size": 12, "color": one.pop("color")}, **one} for one in found]


def _told_until(figure: go.Figure, until: int, last: int, palette: Palette) -> None:
    """Cut the curves of risk after so many trips, and name each line where it ends."""
    end = max(1, until)
    names = {
        "proven bound (composition)": ("proven bound", 9),
        "best attack, exact": ("best attack", -9),
        "claimed bound": ("the claim", 0),
    }
    figure.data = [
        one for one in figure.data if (one.mode == "lines" or one.x[0] <= until) and one.line.dash != "dot"
    ]  # a line without a name tells a class nothing
    for trace in figure.data:
        if trace.mode != "lines":
            continue
        cut = last if trace.name == "claimed bound" else end
        trace.x, trace.y = trace.x[: cut + 1], trace.y[: cut + 1]
        bounded = trace.line.color == palette.repaired and trace.line.dash == "solid"
        text, shift = ("best attack, bounded", 12) if bounded else names.get(trace.name, ("", 0))
        if text:
            figure.add_annotation(
                x=trace.x[-1], y=trace.y[-1], text=text, xanchor="left", xshift=10, yshift=shift, showarrow=False,
                font={"color": trace.line.color, "size": 13},
            )  # fmt: skip
    figure.update_layout(
        xaxis={"range": [-0.8, 1.35 * last], "tickvals": [*range(0, last + 1, 10)]},
    )


def trips_histogram(
    n_unique_trips: npt.NDArray[np.int64], palette: Palette, *, first_above: int | None, height: int = 320
) -> go.Figure:
    """Return how many users have how many unique trips; those above the claim stand out."""
    most = int(max(n_unique_trips.max(initial=0), 10))
    width = 1 + most // _MOST_BARS
    counts = np.bincount(n_unique_trips // width, minlength=most // width + 1)
    start = np.arange(counts.size) * width
    limit = most + width if first_above is None else first_above
    colours = [palette.muted if k < limit else palette.attack for k in start.tolist()]
    bars = {
        "type": "bar",
        "x": start + (width - 1) / 2,
        "y": counts,
        "customdata": [f"{k}" if width == 1 else f"{k} to {k + width - 1}" for k in start.tolist()],
        "marker": {"color": colours, "line": {"width": 0}},
        "hovertemplate": "%{y:,} users with %{customdata} unique trips<extra></extra>",
        "showlegend": False,
    }
    claim = {}
    if first_above is not None:
        line = {"color": palette.claim, "width": 2, "dash": "dash"}
        name = {"text": f"from {first_above} trips on, the claim fails", "yanchor": "bottom"}
        claim = reference_line(first_above - 0.5, line, name=name)
    layout = {
        **claim,
        "height": height,
        "margin": {"l": 60, "r": 10, "t": 30, "b": 50},
        "xaxis": {"title": "unique trips in the week", "range": [-0.8, most + 0.8]},
        "yaxis": {"title": "users"},
        "bargap": 0.05,
    }
    return go.Figure(data=[bars], layout=layout)


def _line(
    k: npt.NDArray[np.int64],
    accuracy: npt.NDArray[np.float64],
    name: str,
    colour: str,
    *,
    width: int,
    dash: str = "solid",
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": k,
        "y": accuracy,
        "mode": "lines",
        "name": name,
        "line": {"color": colour, "width": width, "dash": dash},
        "hovertemplate": f"{name}, %{{x}} unique trips: %{{y:.2%}}<extra></extra>",
    }


def _mark(
    accuracy: npt.NDArray[np.float64], trips: int, name: str, symbol: str, colour: str
) -> list[dict[str, Any]]:
    """Return the mark of someone with so many trips, nothing where the curve ends before."""
    if trips >= accuracy.size:
        return []
    return [
        {
            "type": "scatter",
            "x": [trips],
            "y": [accuracy[trips]],
            "mode": "markers",
            "name": name,
            "marker": {
                "symbol": symbol,
                "size": 14,
                "color": colour,
                "line": {"width": 1, "color": "#FFFFFF"},
            },
            "cliponaxis": False,  # whole at both ends of the axis
            "hovertemplate": f"{name}: %{{y:.1%}}<extra></extra>",
        }
    ]
