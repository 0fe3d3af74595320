"""Releases that could be made, and what bounds leave out → figures. Computes nothing."""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.palette import Palette, rgba
from privlab.od.planning import Advice, Clipping, PlanPoint, too_certain


def plan_figure(advice: Advice, palette: Palette, *, height: int = 480) -> go.Figure:
    """Return utility against the best attack's accuracy for every release that could be made.

    What is accepted is shaded; the frontier, the recommended release and its neighbours stand out, or the
    two nearest misses where nothing is accepted.
    """
    wish, figure = advice.request, go.Figure()
    figure.add_shape(
        type="rect",
        x0=0.5,
        x1=wish.max_accuracy,
        y0=wish.min_utility,
        y1=1,
        fillcolor=rgba(palette.repaired, 0.14),
        line={"color": palette.repaired, "width": 1, "dash": "dot"},
        layer="below",
    )
    on_frontier = set(advice.frontier)
    others = [point for point in advice.points if point not in on_frontier]
    _points(figure, others, "releases that could be made", palette.muted, size=4, opacity=0.6)
    certain = [point for point in advice.points if too_certain(point, wish)]
    if certain:
        _points(figure, certain, "an attacker is certain too often", palette.claim, symbol="x", size=5)
    _points(figure, advice.frontier, "frontier", palette.attack, size=6, line=True)
    if advice.recommended is not None:
        neighbours = advice.neighbours
        _points(figure, neighbours, "one step away", palette.claim, symbol="circle-open", size=12)
        _points(
            figure,
            [advice.recommended],
            "recommended",
            palette.repaired,
            symbol="diamond",
            size=16,
            edge=True,
        )
    else:
        for point, name, symbol in (
            (advice.best_allowed, "most useful within the risk", "triangle-up"),
            (advice.least_risky, "least risk of that use", "triangle-left"),
        ):
            if point is not None:
                _points(figure, [point], name, palette.claim, symbol=symbol, size=14, edge=True)
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 110},
        xaxis={
            "title": "accuracy of the best attack on anyone",
            "range": [0.49, 1.01],
            "tickformat": ".0%",
        },
        yaxis={
            "title": f"trips in flows within {wish.tolerance * 100:g} % of the truth",
            "range": [-0.02, 1.02],
            "tickformat": ".0%",
        },
        legend={"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"},
        hovermode="closest",
    )
    return figure


def _points(
    figure: go.Figure,
    points: Sequence[PlanPoint],
    name: str,
    colour: str,
    *,
    size: int,
    symbol: str = "circle",
    opacity: float = 1.0,
    line: bool = False,
    edge: bool = False,
) -> None:
    figure.add_scatter(
        x=[point.accuracy for point in points],
        y=[point.utility for point in points],
        customdata=[(point.epsilon, point.max_trips_per_user, point.threshold) for point in points],
        mode="lines+markers" if line else "markers",
        name=name,
        line={"color": colour, "width": 2},
        marker={
            "color": colour,
            "size": size,
            "symbol": symbol,
            "opacity": opacity,
            "line": {"color": "#FFFFFF" if edge else colour, "width": 1 if edge else 2 * (size == 12)},
        },
        hovertemplate=f"{name}<br>ε = %{{customdata[0]:~g}}, L = %{{customdata[1]:,}}, τ = %{{customdata[2]:,}}<br>"
        "guessed right in %{x:.1%} (a coin: 50 %), useful %{y:.1%}<extra></extra>",
    )


def clipping_figure(
    clipping: Clipping, palette: Palette, *, marked: dict[str, int], height: int = 320
) -> go.Figure:
    """Return the share of trips that each bound leaves uncounted; `marked` bounds stand out, by name."""
    figure = go.Figure()
    figure.add_scatter(
        x=clipping.bounds,
        y=clipping.share_lost,
        customdata=np.stack([clipping.trips_lost, clipping.people_clipped], axis=1),
        mode="lines",
        name="trips left uncounted",
        line={"color": palette.repaired, "width": 3},
        hovertemplate="at most %{x:,} trips per user: %{y:.2%} of the trips uncounted, %{customdata[0]:,} of them, "
        "of %{customdata[1]:,} people<extra></extra>",
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
        yaxis={"title": "trips left uncounted", "range": [-0.02, 1.02], "tickformat": ".0%"},
        legend={"x": 0.99, "y": 0.99, "xanchor": "right", "yanchor": "top"},
    )
    name_lines(figure, towards_end=False)
    return figure
