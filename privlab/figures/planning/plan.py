"""Releases that could be made, and what bounds leave out → figures. Computes nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.palette import Palette, rgba
from privlab.od.planning import (
    MECHANISM_NAMES,
    Advice,
    Clipping,
    PlanPoint,
    frontier_from_points,
    too_certain,
)

_NAME = 0.3  # of a figure's width, that the longest name of a line takes
_INSIDE = 0.85  # of a figure's height, that is inside its axes
_APART = 0.36  # of a figure's width, between two names: as long as a name on a telephone
_LOW = 0.55  # below it there is more room above lines than below them
_RISK_SHOWN = 0.02  # accuracy beyond the last point that matters
_MOST_USE = 0.95  # of the most that a mechanism leaves: beyond it more risk buys next to nothing


def plan_figure(advice: Advice, palette: Palette, *, height: int = 480) -> go.Figure:
    """Return utility against the best attack's accuracy for every release that could be made.

    A line for each mechanism, its frontier, is named beside it. What is accepted is shaded; the recommended release and its
    neighbours stand out, or the two nearest misses where nothing is accepted, and are named below. More risk than buys any use is left out.
    """
    wish, lines = advice.request, _lines(advice.points)
    on_lines = {point for line in lines.values() for point in line}
    others = [point for point in advice.points if point not in on_lines]
    certain = [point for point in advice.points if too_certain(point, wish)]
    colours = (palette.attack, palette.proven, palette.repaired)
    marked = [(advice.recommended, "recommended", "diamond", palette.marker)]
    if advice.recommended is None:
        marked = [
            (advice.best_allowed, "most useful within the risk", "triangle-up", palette.claim),
            (advice.least_risky, "least risk of that use", "triangle-left", palette.claim),
        ]
    drawn = [
        _points(others, "another release", palette.muted, size=4, opacity=0.6),
        _points(certain, "an attacker is certain too often", palette.claim, symbol="x", size=5),
        *(
            _points(line, MECHANISM_NAMES[name], colour, size=5, line=True)
            for (name, line), colour in zip(lines.items(), colours, strict=False)
        ),
        _points(advice.neighbours, "one step away", palette.marker, symbol="circle-open", size=12),
        *(
            _points([point], name, colour, symbol=symbol, size=14, edge=True)
            for point, name, symbol, colour in marked
            if point is not None
        ),
    ]
    layout = {
        "shapes": [
            {
                "type": "rect",
                "x0": 0.5,
                "x1": wish.max_accuracy,
                "y0": wish.min_utility,
                "y1": 1,
                "fillcolor": rgba(palette.repaired, 0.14),
                "line": {"color": palette.repaired, "width": 1, "dash": "dot"},
                "layer": "below",
            }
        ],
        "annotations": [
            {
                "x": 0.5,
                "y": 1,
                "text": "accepted",
                "font": {"size": 12, "color": palette.repaired},
                "showarrow": False,
                "xanchor": "left",
                "yanchor": "bottom",
            }
        ],
        "height": height,
        "margin": {"l": 60, "r": 10, "t": 10, "b": 60},
        "xaxis": {
            "title": "accuracy of the best attack on anyone",
            "range": [0.49, _right_end(advice, lines)],
            "tickformat": ".0%",
        },
        "yaxis": {
            "title": f"trips in flows within {wish.tolerance * 100:g}% of the truth",
            "range": [-0.02, 1.1],
            "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1],
            "tickformat": ".0%",
        },
        "hovermode": "closest",
    }
    figure = go.Figure(data=[one for one in drawn if one is not None], layout=layout)
    name_lines(figure)
    if figure.layout.showlegend is not False:
        _name_at_right(figure, lines, colours)
    _name_marked(figure, {name for point, name, *_ in marked if point is not None})
    return figure


def _lines(points: Sequence[PlanPoint]) -> dict[str, tuple[PlanPoint, ...]]:
    """Return the frontier of each mechanism."""
    named = dict.fromkeys(point.mechanism for point in points)
    return {
        name: frontier_from_points([point for point in points if point.mechanism == name]) for name in named
    }


def _right_end(advice: Advice, lines: Mapping[str, Sequence[PlanPoint]]) -> float:
    """Return the largest accuracy to be shown."""
    last = [advice.request.max_accuracy]
    last += [one.accuracy for one in (advice.recommended, advice.best_allowed, advice.least_risky) if one]
    for line in lines.values():
        last.append(next(one.accuracy for one in line if one.utility >= _MOST_USE * line[-1].utility))
    return min(max(last) + _RISK_SHOWN, 1.01)


def _name_at_right(
    figure: go.Figure, lines: Mapping[str, Sequence[PlanPoint]], colours: Sequence[str]
) -> None:
    """Write the names of lines that lie close together near their right ends, with a stroke to each.

    The highest line's name stands above it, the others below all lines; where lines stay low, all names stand above them.
    """
    left, right = figure.layout.xaxis.range
    wide, pixels = right - left, _pixels_of_share(figure)
    coloured = dict(zip(lines, colours, strict=False))
    last = right - 0.06 * wide
    order = sorted(lines, key=lambda name: _height(lines[name], last))
    low = _height(lines[order[-1]], last) < _LOW
    if low:
        order.reverse()
    at = last + _APART * wide
    for number, name in enumerate(order):
        above = low or (number > 0 and name == order[-1])
        # Each name a name's length left of the one before, also where that one's line ends early.
        at = min(last if above and not low else at - _APART * wide, lines[name][-1].accuracy)
        here, clear = _height(lines[name], at), at if above else at - _APART * wide
        if low:  # one above the other, the rightmost on top: however narrow the figure is, none lies on another or on a stroke
            clear = last
        others = [_height(line, clear) for line in lines.values()]
        off = max(others) - here if above else here - min(others)
        figure.add_annotation(
            x=at, y=here, text=MECHANISM_NAMES[name], font={"size": 12, "color": coloured[name]}, showarrow=True,
            arrowhead=0, arrowwidth=1, arrowcolor=coloured[name], xanchor="left" if at < left + _NAME * wide else "right", ax=0,
            ay=-16 - 18 * (len(order) - 1 - number) * low - off * pixels if above else 24 + off * pixels,
        )  # fmt: skip
    figure.update_layout(showlegend=False)


def _pixels_of_share(figure: go.Figure) -> float:
    """Return the height of a share of 1 in pixels, nearly."""
    bottom, top = figure.layout.yaxis.range
    return float(_INSIDE * figure.layout.height / (top - bottom))


def _height(line: Sequence[PlanPoint], accuracy: float) -> float:
    """Return the utility of a line at an accuracy."""
    return float(np.interp(accuracy, [one.accuracy for one in line], [one.utility for one in line]))


def _name_marked(figure: go.Figure, names: set[str]) -> None:
    """Write below the figure what the large marks are, where no name lies on another or on a point, however narrow the figure is."""
    for trace in figure.data:
        trace.showlegend = trace.name in names
    figure.update_layout(
        showlegend=bool(names), legend={"orientation": "h", "x": 0, "y": -0.16, "yanchor": "top"}
    )


def _points(
    points: Sequence[PlanPoint],
    name: str,
    colour: str,
    *,
    size: int,
    symbol: str = "circle",
    opacity: float = 1.0,
    line: bool = False,
    edge: bool = False,
) -> dict[str, Any] | None:
    """Return the trace of some releases, None where there is none."""
    if not points:
        return None
    return {
        "type": "scatter",
        "x": [point.accuracy for point in points],
        "y": [point.utility for point in points],
        "customdata": [
            (
                point.epsilon,
                point.max_trips_per_user,
                point.threshold,
                point.mechanism,
                MECHANISM_NAMES[point.mechanism],
            )
            for point in points
        ],
        "meta": {"customdata": ["ε", "limit on trips (L)", "threshold", "", "mechanism"]},
        "mode": "lines+markers" if line else "markers",
        "name": name,
        "showlegend": line,
        "line": {"color": colour, "width": 2},
        "marker": {
            "color": colour,
            "size": size,
            "symbol": symbol,
            "opacity": opacity,
            "line": {"color": "#FFFFFF" if edge else colour, "width": 1 if edge else 2 * (size == 12)},
        },
        "hovertemplate": f"{'' if line else name + '<br>'}%{{customdata[4]}}<br>ε = %{{customdata[0]:~g}}, limit %{{customdata[1]:,}} trips, "
        "threshold %{customdata[2]:,}<br>guessed right in %{x:.1%} (a coin: 50%), useful %{y:.1%}<extra></extra>",
    }


def clipping_figure(
    clipping: Clipping, palette: Palette, *, marked: dict[str, int], weighted: bool = False, height: int = 320
) -> go.Figure:
    """Return the share of trips that each bound leaves uncounted; `marked` bounds stand out, by name.

    Where all trips are `weighted`, it is the share of their weight that each bound takes.
    """
    taken, said = (
        (
            "weight taken from trips",
            "a limit of %{x:,} trips per user: %{y:.2%} of the weight of all trips taken, %{customdata[0]:,.0f} trips' worth, ",
        )
        if weighted
        else (
            "trips left uncounted",
            "at most %{x:,} trips per user: %{y:.2%} of the trips uncounted, %{customdata[0]:,} of them, ",
        )
    )
    figure = go.Figure()
    figure.add_scatter(
        x=clipping.bounds,
        y=clipping.share_lost,
        customdata=np.stack([clipping.trips_lost, clipping.people_clipped], axis=1),
        mode="lines",
        name=taken,
        line={"color": palette.repaired, "width": 3},
        hovertemplate=f"{said}of %{{customdata[1]:,}} people<extra></extra>",
    )
    for (name, bound), symbol, colour in zip(
        marked.items(), ("diamond", "circle-open"), (palette.marker, palette.claim), strict=False
    ):
        lost = clipping.at(bound)[0] / max(clipping.n_trips, 1)
        figure.add_scatter(
            x=[bound],
            y=[lost],
            mode="markers",
            name=name,
            marker={"symbol": symbol, "size": 13, "color": colour, "line": {"width": 2, "color": colour}},
            hovertemplate=f"{name}: %{{y:.2%}}<extra></extra>",
        )
    most = max([int(clipping.bounds[-1]), *marked.values()])
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={
            "title": "unique trips per user, at most (L)",
            "type": "log",
            "range": [-0.05, float(np.log10(max(most, 2))) + 0.05],
            "tickvals": [1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000],
        },
        yaxis={"title": taken, "range": [-0.02, 1.02], "tickformat": ".0%"},
        legend={"x": 0.99, "y": 0.99, "xanchor": "right", "yanchor": "top"},
    )
    name_lines(figure, towards_end=False)
    return figure
