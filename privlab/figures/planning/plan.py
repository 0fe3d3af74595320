"""Releases that could be made, and what bounds leave out → figures. Computes nothing."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
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
from privlab.stats import percent_at_most

_Floats = npt.NDArray[np.float64]

_INSIDE = 0.85  # of a figure's height, that is inside its axes
_PHONE_PX, _CHARACTER_PX = 285, 6.3  # how narrow a figure may be, and a letter of a name in it
_NAME_PX, _GAP_PX = 18, 6  # the height of a name, and how far it stands from the lines
_MARK_PX, _CLEAR_PX = (
    8,
    20,
)  # what a large mark takes to each side; other lines farther away are not mistaken for one
_RING = 12  # the size of the smallest of the large marks
_DOT_PX = 8  # how much longer a stroke may be to keep a name off one small mark more
_MOST_HIGH = 5  # heights of names that one may stand farther away than the nearest
_TRIED = 60  # places on a line from which a stroke may lead to its name
_RISK_SHOWN = 0.02  # accuracy beyond the last point that matters
_MOST_USE = 0.95  # of the most that a mechanism leaves: beyond it more risk buys next to nothing


def plan_figure(
    advice: Advice, palette: Palette, *, height: int = 480, made: Sequence[float] = ()
) -> go.Figure:
    """Return utility against the best attack's accuracy for every release that could be made.

    A line for each mechanism, its frontier, is named beside it. What is accepted is shaded; the recommended release and its
    neighbours stand out, or the two nearest misses where nothing is accepted, and are named below. More risk than buys any use is left out.

    A release that was `made` has a mark of its own: it is how often the best attack on anyone is right, and the share of trips near the truth.
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
        _mark_of(made, palette),
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
            "title": "best attack right about anyone (a coin: 50%)",
            "range": [0.49, _right_end(advice, lines, made)],
            "tickformat": ".0%",
        },
        "yaxis": {
            "title": f"trips expected in flows within {wish.tolerance * 100:g}% of the truth",
            "range": [-0.02, 1.1],
            "tickvals": [0, 0.2, 0.4, 0.6, 0.8, 1],
            "tickformat": ".0%",
        },
        "hovermode": "closest",
    }
    figure = go.Figure(data=[one for one in drawn if one is not None], layout=layout)
    name_lines(figure)
    unnamed: set[str] = set()
    if figure.layout.showlegend is not False:
        unnamed = _name_near(figure, lines, colours, palette.muted)
    _name_marked(figure, unnamed)
    return figure


def _lines(points: Sequence[PlanPoint]) -> dict[str, tuple[PlanPoint, ...]]:
    """Return the frontier of each mechanism."""
    named = dict.fromkeys(point.mechanism for point in points)
    return {
        name: frontier_from_points([point for point in points if point.mechanism == name]) for name in named
    }


def _mark_of(made: Sequence[float], palette: Palette) -> dict[str, Any] | None:
    if not made:
        return None
    return {
        "type": "scatter",
        "x": [made[0]],
        "y": [made[1]],
        "mode": "markers",
        "name": "this release",
        "showlegend": False,  # named below the figure, as all marks are: beside the star its name lay on the dots of other releases
        "marker": {
            "color": palette.true,
            "size": 13,
            "symbol": "star",
            "line": {"color": "#FFFFFF", "width": 1},
        },
        "hovertemplate": f"this release<br>guessed right in at most {percent_at_most(made[0])} (a coin: 50%), useful %{{y:.1%}}<extra></extra>",
    }


def _right_end(advice: Advice, lines: Mapping[str, Sequence[PlanPoint]], made: Sequence[float]) -> float:
    """Return the largest accuracy to be shown."""
    last = [advice.request.max_accuracy, *made[:1]]
    last += [one.accuracy for one in (advice.recommended, advice.best_allowed, advice.least_risky) if one]
    for line in lines.values():
        last.append(next(one.accuracy for one in line if one.utility >= _MOST_USE * line[-1].utility))
    return min(max(last) + _RISK_SHOWN, 1.01)


def _name_near(
    figure: go.Figure, lines: Mapping[str, Sequence[PlanPoint]], colours: Sequence[str], stroke: str
) -> set[str]:
    """Write the names of lines that lie close together beyond all of them, each where the stroke to its line is shortest.

    A `stroke` in the colour of its line would be read as a part of it. Return the names that have no room.
    """
    (left, right), pixels = figure.layout.xaxis.range, _pixels_of_share(figure)
    wide = right - left
    across, up = _MARK_PX / _PHONE_PX * wide, _MARK_PX / pixels
    written = [_Box(0.5, 0.5 + 70 / _PHONE_PX * wide, 1.0, 1.1)]  # what is accepted
    for marks in figure.data:
        if marks.mode == "markers" and marks.marker.size >= _RING:
            written += [
                _Box(x - across, x + across, y - up, y + up) for x, y in zip(marks.x, marks.y, strict=True)
            ]
    without = set()
    for (name, line), colour in zip(lines.items(), colours, strict=False):
        text = MECHANISM_NAMES[name]
        others = [one for one in lines.values() if one is not line]
        found = _nearest_room(figure, len(text) * _CHARACTER_PX / _PHONE_PX * wide, line, others, written)
        if found is None:
            without.add(text)
            continue
        at, box = found
        here = float(np.interp(at, *_ends(line)))
        written += [box, _stroke(at, here, box)]
        above = box.bottom > here
        figure.add_annotation(
            x=at, y=here, text=text, font={"size": 12, "color": colour}, showarrow=True,
            arrowhead=0, arrowwidth=1, arrowcolor=stroke, xanchor="left" if at == box.left else "right",
            yanchor="bottom" if above else "top", borderpad=0, ax=0, ay=pixels * (here - (box.bottom if above else box.top)),
        )  # fmt: skip
    return without


@dataclass(frozen=True, slots=True)
class _Box:
    """What a name, a mark or a stroke takes of a figure as narrow as on a telephone, in units of its axes."""

    left: float
    right: float
    bottom: float
    top: float

    def meets(self, other: "_Box") -> bool:
        return (
            self.left <= other.right
            and other.left <= self.right
            and self.bottom < other.top
            and other.bottom < self.top
        )

    def holds(self, points: _Floats) -> int:
        """Return how many of some points lie in it; two columns."""
        x, y = points.T
        inside = (self.left <= x) & (x <= self.right) & (self.bottom <= y) & (y <= self.top)
        return int(inside.sum())


def _stroke(at: float, here: float, box: _Box) -> _Box:
    return _Box(at, at, *((here, box.bottom) if here < box.bottom else (box.top, here)))


def _nearest_room(
    figure: go.Figure,
    long: float,
    line: Sequence[PlanPoint],
    others: Sequence[Sequence[PlanPoint]],
    written: Sequence[_Box],
) -> tuple[float, _Box] | None:
    """Return where on a line a stroke to its name begins, and the room of the name, beyond all lines; None without any.

    The shortest stroke is best, from where no other line is near, to where the name lies on few small marks.
    """
    (left, right), pixels = figure.layout.xaxis.range, _pixels_of_share(figure)
    high, gap, top = _NAME_PX / pixels, _GAP_PX / pixels, figure.layout.yaxis.range[1]
    dots, own, beside = _small_marks(figure), _ends(line), [_ends(one) for one in others]
    drawn = [_drawn(*one) for one in beside]
    free = []
    for at in np.linspace(min(right, line[-1].accuracy), max(left, line[0].accuracy), _TRIED).tolist():
        here = float(np.interp(at, *own))
        away = (np.hypot((x - at) / (right - left) * _PHONE_PX, (y - here) * pixels).min() for x, y in drawn)
        alone = min([_CLEAR_PX, *map(float, away)])  # in pixels of a telephone
        for begin in (at - long, at):
            span = np.linspace(begin, begin + long, 9)
            under = np.array([np.interp(span, *one) for one in (own, *beside)])
            above, below = float(under.max()) + gap, float(under.min()) - gap - high
            for bottom in (one for n in range(_MOST_HIGH) for one in (above + n * high, below - n * high)):
                box = _Box(begin, begin + long, bottom, bottom + high)
                inside = left <= begin and begin + long <= right and 0 <= bottom <= top - high
                if inside and not any(box.meets(one) or _stroke(at, here, box).meets(one) for one in written):
                    length = pixels * abs(bottom + high / 2 - here)
                    hidden = _DOT_PX * box.holds(dots)
                    free.append((length + 2 * (_CLEAR_PX - alone) + hidden, at, box))
    return min(free, key=lambda one: one[0])[1:] if free else None


def _small_marks(figure: go.Figure) -> _Floats:
    """Return where releases lie that are on no line, two columns."""
    small = [one for one in figure.data if one.mode == "markers" and one.marker.size < _RING]
    return np.array([(x, y) for one in small for x, y in zip(one.x, one.y, strict=True)]).reshape(-1, 2)


def _ends(line: Sequence[PlanPoint]) -> tuple[_Floats, _Floats]:
    """Return where the straight pieces of a line begin and end: accuracy and utility."""
    return np.array([one.accuracy for one in line]), np.array([one.utility for one in line])


def _drawn(x: _Floats, y: _Floats) -> tuple[_Floats, _Floats]:
    """Return points along a line of straight pieces, so close that the nearest of them is as far as the line."""
    dense = np.union1d(x, np.linspace(x[0], x[-1], 200))
    return dense, np.interp(dense, x, y)


def _pixels_of_share(figure: go.Figure) -> float:
    """Return the height of a share of 1 in pixels, nearly."""
    bottom, top = figure.layout.yaxis.range
    return float(_INSIDE * figure.layout.height / (top - bottom))


def _name_marked(figure: go.Figure, unnamed: Set[str]) -> None:
    """Write below the figure what its marks are, and lines without a name beside them: there no name lies on another or on a point."""
    right = figure.layout.xaxis.range[1]
    for trace in figure.data:
        seen = any(x <= right for x in trace.x)
        trace.showlegend = (trace.mode == "markers" and seen) or trace.name in unnamed
    figure.update_layout(showlegend=True, legend={"orientation": "h", "x": 0, "y": -0.16, "yanchor": "top"})


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
                point.risk_words,
                point.use_words,
            )
            for point in points
        ],
        "meta": {"customdata": ["ε", "limit on trips (L)", "threshold", "", "mechanism", "", ""]},
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
        "hovertemplate": f"{'' if line else name + '<br>'}%{{customdata[4]}}<br>ε = %{{customdata[0]:~g}}, limit on trips %{{customdata[1]:,}}, "
        "threshold %{customdata[2]:,}<br>guessed right in %{customdata[5]} (a coin: 50%), useful %{customdata[6]}<extra></extra>",
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
            "limit on trips per user %{x:,}: %{y:.2%} of the weight of all trips taken (in trips: %{customdata[0]:,.0f}; ",
        )
        if weighted
        else (
            "trips left uncounted",
            "limit on trips per user %{x:,}: %{y:.2%} of the trips uncounted (trips: %{customdata[0]:,}; ",
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
        hovertemplate=f"{said}people: %{{customdata[1]:,}})<extra></extra>",
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
