"""Flows before and after → two flat maps side by side, to be printed. Computes nothing but lines and widths."""

from collections.abc import Sequence, Set

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.maps.flow_map import SERIES_IN_WORDS, totals_of_zones
from privlab.od.usefulness import FlowComparison
from privlab.safe_text import figure_text, label

Floats = npt.NDArray[np.float64]
Rings = Sequence[Sequence[tuple[float, float]]] | None
_WIDTHS = (0.8, 1.6, 2.8, 4.5, 7.0)  # pixels, from the least to the largest flows
_MOST_LINES = 4  # of a zone on average, that are drawn so wide; more are drawn thinner
_THINNEST = 0.3
_LARGEST_ZONE, _LEAST_ZONE = 16.0, 4.0  # pixels across
_LARGEST_DOT = 34.0  # pixels across on paper
_ROUND = np.linspace(0, 2 * np.pi, 25)  # the corners of what is drawn as a circle
_MAP_PX = 385  # how wide each map is on paper
_AROUND_PX = 105  # what stands above and below the maps
_LEAST_HEIGHT, _MOST_HEIGHT = 240, 520  # pixels of a figure
_PAPER = "white"
_BEND = np.linspace(0, 1, 9)
_MOST_OUTLINES = 1_500
_KM_PER_DEGREE = 111.2


def flow_maps_figure(
    flows: FlowComparison,
    *,
    lat: Floats,
    lon: Floats,
    outlines: Sequence[Rings],
    palette: Palette,
    n_top: int = 120,
    after: str = "after: as published",
    height: int = _MOST_HEIGHT,
) -> go.Figure | None:
    """Return the `n_top` largest true flows beside the `n_top` largest published ones, and a quarter as many of those left out and made
    up; None without positions.

    `lat`, `lon` : degrees, shape (Z,), NaN where unknown; `outlines` the rings of each zone as (lon, lat), or None.
    Both maps have one scale of widths; a line is bent to its right, so that the two directions lie apart. The figure is as high as the
    maps need on paper, `height` pixels at most.
    """
    if not np.isfinite(lat).any():
        return None
    published = np.nan_to_num(flows.published, nan=0.0)
    shown = [
        np.union1d(_largest(size, flows, lat, n_top), _largest(size * odd, flows, lat, n_top // 4))
        for size, odd in ((flows.true, flows.lost), (published, flows.spurious))
    ]
    edges = _edges(np.concatenate([flows.true[shown[0]], published[shown[1]]]))
    widths = _widths([flows.flow[cells] for cells in shown], lat.size)
    figure = make_subplots(cols=2, subplot_titles=("before: true", after), horizontal_spacing=0.02)
    stretch = float(np.cos(np.radians(np.nanmean(lat))))
    x, y = lon * stretch, lat
    sides = (
        (
            shown[0],
            flows.true,
            ((flows.lost, "lost", palette.claim), (flows.kept, "true", palette.true)),
        ),
        (
            shown[1],
            published,
            ((flows.spurious, "false", palette.spurious), (flows.kept, "published", palette.attack)),
        ),
    )
    totals = [totals_of_zones(flows.flow, np.maximum(size, 0), lat.size) for size in (flows.true, published)]
    most = max(float(one.max(initial=0.0)) for one in totals) or 1.0
    drawn = set()
    for column, (cells, size, kinds) in enumerate(sides, start=1):
        _outlines(figure, outlines, stretch, palette, column)
        for which, name, colour in kinds:
            if which[cells].any():
                drawn.add(colour)
            _lines(figure, cells[which[cells]], size, flows.flow, (x, y), edges, widths, colour, name, column)
        colour = palette.true if column == 1 else palette.attack
        _zones(figure, totals[column - 1], most, (x, y), colour, _PAPER, column)
    _legend(figure, edges, widths, palette, drawn)
    cells = np.concatenate(shown)
    ends = np.concatenate(np.divmod(flows.flow[cells], lat.size))
    _lay_out(figure, *_spans(x, y, ends, outlines, stretch), height)
    _name_columns(figure, stretch)
    return figure


def visit_maps_figure(
    true: Floats,
    published: Floats,
    *,
    lat: Floats,
    lon: Floats,
    outlines: Sequence[Rings],
    palette: Palette,
    names: Sequence[str],
    after: str = "after: as released",
    height: int = _MOST_HEIGHT,
) -> go.Figure | None:
    """Return a map of the people in each zone in one hour beside a map of what is published; None without positions.

    All arrays have shape (Z,); `published` is NaN where nothing is. The area of a dot is the count, on one scale; zones whose
    published count is 0 or less have none. Dots grow and shrink with the map: of a fixed size they lay on one another on a telephone.
    """
    if not np.isfinite(lat).any():
        return None
    figure = make_subplots(cols=2, subplot_titles=("before: true", after), horizontal_spacing=0.02)
    stretch = float(np.cos(np.radians(np.nanmean(lat))))
    x, y = lon * stretch, lat
    seen = np.nan_to_num(published, nan=0.0)
    top = max(float(true.max(initial=0.0)), float(seen.max(initial=0.0)), 1.0)
    kinds = (
        ((true, (true > 0) & np.isnan(published), "lost", palette.claim), (true, (true > 0) & ~np.isnan(published), "true", palette.true)),
        ((seen, (seen > 0) & (true == 0), "false", palette.spurious), (seen, (seen > 0) & (true > 0), "published", palette.attack)),
    )  # fmt: skip
    drawn = {colour for sides in kinds for _, which, _, colour in sides if (which & np.isfinite(lat)).any()}
    spans, room = _spans(x, y, np.flatnonzero(np.isfinite(lat)), outlines, stretch)
    largest = _LARGEST_DOT / 2 * (max(high - low for low, high in spans) + 2 * room) / _MAP_PX
    for column, sides in enumerate(kinds, start=1):
        _outlines(figure, outlines, stretch, palette, column)
        for size, which, name, colour in sides:
            shown = np.flatnonzero(which & np.isfinite(lat))
            radius = largest * np.sqrt(size[shown] / top)
            figure.add_scatter(
                x=_circles(x[shown], radius, np.cos(_ROUND)), y=_circles(y[shown], radius, np.sin(_ROUND)),
                mode="lines", line={"width": 0.5, "color": _PAPER}, fill="toself", fillcolor=rgba(colour, 0.6),
                name=name, hoverinfo="skip", showlegend=False, row=1, col=column,
            )  # fmt: skip
            figure.add_scatter(  # what is said of a dot, where one points at its middle
                x=x[shown], y=y[shown], mode="markers", name=name, showlegend=False, row=1, col=column,
                text=[figure_text(label(names[place])) for place in shown.tolist()], customdata=size[shown],
                hovertemplate=f"zone %{{text}}, people, {name}: %{{customdata:,.0f}}<extra></extra>",
                marker={"size": 8, "color": colour, "opacity": 0},
            )  # fmt: skip
    for name, colour in _kinds(palette, drawn):
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name=name, marker={"color": colour, "size": 10}
        )
    _lay_out(figure, spans, room, height)
    _name_columns(figure, stretch)
    return figure


def _circles(middle: Floats, radius: Floats, around: Floats) -> Floats:
    """Return one coordinate of circles, with a gap after each."""
    line = middle[:, None] + radius[:, None] * around
    return np.concatenate([line, np.full((middle.size, 1), np.nan)], axis=1).ravel()


def _largest(size: Floats, flows: FlowComparison, lat: Floats, n_top: int) -> npt.NDArray[np.int64]:
    order = np.argsort(-size, kind="stable")
    ends = np.divmod(flows.flow[order], lat.size)
    located = np.isfinite(lat[ends[0]]) & np.isfinite(lat[ends[1]]) & (size[order] > 0)
    return order[located][:n_top].astype(np.int64)


def _edges(size: Floats) -> Floats:
    """Return where one class of width ends and the next begins: equal steps of the square root, to two digits.

    >>> _edges(np.array([7_435.0])).tolist(), _edges(np.array([3.0])).tolist()
    ([0.0, 300.0, 1200.0, 2700.0, 4800.0, 7500.0], [0.0, 1.0, 1.0, 2.0, 2.0, 3.0])
    """
    edges = np.square(np.linspace(0, np.sqrt(float(size.max(initial=1.0))), len(_WIDTHS) + 1))
    unit = 10.0 ** np.maximum(np.floor(np.log10(np.maximum(edges, 1.0))) - 1, 0)
    return np.asarray(np.abs(np.ceil(edges / unit - 1e-9) * unit))


def _widths(drawn: Sequence[npt.NDArray[np.int64]], n_zones: int) -> tuple[float, ...]:
    """Return the widths of lines: thinner where many go between few zones, which would cover each other."""
    crowd = max(
        (flow.size / np.unique(np.divmod(flow, n_zones)).size for flow in drawn if flow.size), default=1.0
    )
    share = float(np.clip(_MOST_LINES / crowd, _THINNEST, 1.0))
    return tuple(round(share * width, 2) for width in _WIDTHS)


def _lines(
    figure: go.Figure,
    cells: npt.NDArray[np.int64],
    size: Floats,
    flow: npt.NDArray[np.int64],
    at: tuple[Floats, Floats],
    edges: Floats,
    widths: Sequence[float],
    colour: str,
    name: str,
    column: int,
) -> None:
    x, y = at
    classes = np.clip(np.searchsorted(edges, size[cells], side="left") - 1, 0, len(_WIDTHS) - 1)
    for n, width in enumerate(widths):
        origin, destination = np.divmod(flow[cells[classes == n]], x.size)
        if not origin.size:
            continue
        bent = [_bent(one, x, y, origin, destination) for one in (0, 1)]
        figure.add_scatter(
            x=bent[0], y=bent[1], mode="lines", name=name, line={"width": width, "color": rgba(colour, 0.35 + 0.12 * n)},
            hoverinfo="skip", showlegend=False, row=1, col=column,
        )  # fmt: skip


def _bent(
    axis: int, x: Floats, y: Floats, origin: npt.NDArray[np.int64], destination: npt.NDArray[np.int64]
) -> Floats:
    """Return one coordinate of every line, with a gap after each: bent to the right by an eighth of its length."""
    one, other = (x, y) if axis == 0 else (y, x)
    start, end = one[origin], one[destination]
    aside = (other[destination] - other[origin]) * (1 if axis == 0 else -1) / 4
    t = _BEND[None, :]
    middle = ((start + end) / 2 + aside)[:, None]
    line = (1 - t) ** 2 * start[:, None] + 2 * t * (1 - t) * middle + t**2 * end[:, None]
    return np.concatenate([line, np.full((origin.size, 1), np.nan)], axis=1).ravel()


def _outlines(
    figure: go.Figure, outlines: Sequence[Rings], stretch: float, palette: Palette, column: int
) -> None:
    x: list[float | None] = []
    y: list[float | None] = []
    for rings in [one for one in outlines if one is not None][:_MOST_OUTLINES]:
        for ring in rings:
            x += [*(lon * stretch for lon, _ in ring), None]
            y += [*(lat for _, lat in ring), None]
    figure.add_scatter(
        x=x, y=y, mode="lines", line={"width": 0.6, "color": rgba(palette.muted, 0.45)}, hoverinfo="skip",
        showlegend=False, row=1, col=column,
    )  # fmt: skip


def _kinds(palette: Palette, drawn: Set[str]) -> tuple[tuple[str, str], ...]:
    """Return what lines and dots are, in the colours of the lab's own maps: those of the colours that are `drawn`, all where none is."""
    kinds = (
        ("true", palette.true),
        (SERIES_IN_WORDS["lost"], palette.claim),
        ("published", palette.attack),
        (SERIES_IN_WORDS["false"], palette.spurious),
    )
    return tuple((name, colour) for name, colour in kinds if colour in drawn or not drawn)


def _zones(
    figure: go.Figure,
    totals: Floats,
    most: float,
    at: tuple[Floats, Floats],
    colour: str,
    ground: str,
    column: int,
) -> None:
    """Draw a dot for each zone; its area is the trips that begin or end there."""
    there = np.flatnonzero((totals > 0) & np.isfinite(at[0]))
    size = np.maximum(_LARGEST_ZONE * np.sqrt(totals[there] / most), _LEAST_ZONE)
    figure.add_scatter(
        x=at[0][there], y=at[1][there], mode="markers", hoverinfo="skip", showlegend=False, row=1, col=column,
        marker={"size": size, "color": ground, "line": {"width": 1.2, "color": colour}},
    )  # fmt: skip


def _legend(
    figure: go.Figure, edges: Floats, widths: Sequence[float], palette: Palette, drawn: Set[str]
) -> None:
    """Say what the colours that are `drawn` mean, and how wide is how many."""
    for name, colour in _kinds(palette, drawn):
        figure.add_scatter(x=[None], y=[None], mode="lines", name=name, line={"color": colour, "width": 4})
    for n, width in enumerate(widths):
        words = f"up to {edges[n + 1]:,.0f} trips"
        if n and f"{edges[n]:,.0f}" == f"{edges[n + 1]:,.0f}":
            continue
        figure.add_scatter(
            x=[None], y=[None], mode="lines", name=words, line={"color": palette.muted, "width": width}
        )


def _spans(
    x: Floats, y: Floats, ends: npt.NDArray[np.int64], outlines: Sequence[Rings], stretch: float
) -> tuple[list[tuple[float, float]], float]:
    """Return from where to where zones and their outlines reach along both axes, all zones where there are no `ends`, and the room around."""
    ends = ends if ends.size else np.flatnonzero(np.isfinite(x))
    rings = [ring for zone in np.unique(ends).tolist() for ring in outlines[zone] or ()]
    corners = np.array([(lon * stretch, lat) for ring in rings for lon, lat in ring]).reshape(-1, 2)
    along = [np.concatenate([one[ends], corners[:, n]]) for n, one in enumerate((x, y))]
    spans = [(float(one.min()), float(one.max())) for one in along]
    return spans, 0.07 * max(high - low for low, high in spans) or 0.01


def _lay_out(figure: go.Figure, spans: list[tuple[float, float]], room: float, height: int) -> None:
    (west, east), (south, north) = [(low - room, high + room) for low, high in spans]
    hidden = {"visible": False, "showgrid": False, "zeroline": False}
    for number, anchor in (("", "x"), ("2", "x2")):
        figure.update_layout(
            {
                f"xaxis{number}": {**hidden, "range": [west, east]},
                f"yaxis{number}": {
                    **hidden,
                    "range": [south, north],
                    "scaleanchor": anchor,
                    "scaleratio": 1,
                },
            }
        )
    _scale_bar(figure, spans, room)
    needed = _AROUND_PX + round(_MAP_PX * (north - south) / (east - west))
    figure.update_layout(
        height=min(height, max(needed, _LEAST_HEIGHT)),
        margin={"l": 10, "r": 10, "t": 40, "b": 10},
        legend={"orientation": "h", "x": 0, "y": -0.02, "yanchor": "top", "font": {"size": 12}},
    )


def _name_columns(figure: go.Figure, stretch: float) -> None:
    """Say in the table of the figure's numbers what places are in: a line to the east is drawn as long as one to the north."""
    x, y = f"longitude (degrees, times {stretch:.4f} as drawn)", "latitude (degrees)"
    figure.update_layout(meta={"columns": {"x": x, "x2": x, "y": y, "y2": y}})


def _scale_bar(figure: go.Figure, spans: list[tuple[float, float]], room: float) -> None:
    """Draw how long some round number of kilometres is, in the lower left of the first map."""
    km = (spans[0][1] - spans[0][0]) * _KM_PER_DEGREE / 4
    if km <= 0:
        return
    size = 10.0 ** np.floor(np.log10(km))
    round_km = float(size * max(one for one in (1, 2, 5) if one * size <= km))
    x, y = spans[0][0], spans[1][0] - room / 2
    figure.add_shape(
        type="line", x0=x, x1=x + round_km / _KM_PER_DEGREE, y0=y, y1=y, line={"width": 2}, xref="x", yref="y"
    )
    figure.add_annotation(
        x=x + round_km / _KM_PER_DEGREE, y=y, xref="x", yref="y", text=f"{round_km:g} km", showarrow=False, xshift=4,
        xanchor="left", yanchor="middle", borderpad=0, font={"size": 12},
    )  # fmt: skip
