"""Flow comparisons → charts: what is kept, suppressed, and made up. Computes no statistics.

A figure is given its traces and layout at once, as dictionaries: each added afterwards costs plotly a search through all of it,
and these are drawn anew with each move of a slider.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.log_axis import log_axis
from privlab.figures.drawing.palette import Palette
from privlab.figures.drawing.reference_lines import reference_line
from privlab.od.usefulness import DistanceDecay, FlowComparison, Utility

LEAST_DRAWN = 0.7  # where a count of 0 stands on a logarithmic axis
_PUBLISHED = "published count (simulated)"
MOST_POINTS = 300  # points a scatter shows of each kind; 600 cost a sixth of the time to redraw the page, and show no more


def scatter_figure(
    flows: FlowComparison, palette: Palette, *, threshold: int, height: int = 360
) -> go.Figure:
    """Return published against true counts on logarithmic axes, at most `MOST_POINTS` cells of each kind."""
    kept, spurious = np.flatnonzero(flows.kept), np.flatnonzero(flows.spurious)
    seen = np.nan_to_num(flows.published, nan=0.0)
    top = 1.5 * max(10.0, float(flows.true.max(initial=1.0)), float(seen.max(initial=1.0)), float(threshold))
    drawn = [
        {
            "type": "scatter",
            "x": [1, top],
            "y": [1, top],
            "mode": "lines",
            "name": "no error",
            "line": {"color": palette.muted, "width": 1},
        },
        _cloud(flows, kept, "kept", palette.attack),
    ]
    if spurious.size:
        drawn.append(_cloud(flows, spurious, "false flows (true 0)", palette.spurious))
    limit = {}
    if threshold >= 1:
        line = {"color": palette.claim, "dash": "dash"}
        # Below its line: nothing is published there.
        name, named_at = {"text": "threshold", "yanchor": "top"}, float(np.log10(threshold))
        limit = reference_line(threshold, line, across="y", name=name, named_at=named_at)
    layout = {
        **limit,
        "height": height,
        "margin": {"l": 60, "r": 10, "t": 10, "b": 50},
        "xaxis": log_axis("true count", 0.5, top),
        "yaxis": log_axis(_PUBLISHED, 0.5, top),
        "legend": {"x": 0.01, "y": 0.99, "xanchor": "left", "yanchor": "top"},
    }
    return go.Figure(data=drawn, layout=layout)


def _cloud(flows: FlowComparison, cells: npt.NDArray[np.int64], name: str, colour: str) -> dict[str, Any]:
    step = max(1, -(-cells.size // MOST_POINTS))
    part = cells[::step]
    label = name if step == 1 else f"{name}, one flow in {step:,}"
    return {
        "type": "scatter",
        "x": np.maximum(flows.true[part], LEAST_DRAWN),
        "y": np.maximum(flows.published[part], LEAST_DRAWN).round(1),
        # What they are, not where there is room for them on such an axis.
        "customdata": np.stack([flows.true[part], flows.published[part].round(1)], axis=1),
        "meta": {"customdata": ["true count", _PUBLISHED]},
        "mode": "markers",
        "name": label,
        "marker": {"color": colour, "size": 5, "opacity": 0.5},
        "hovertemplate": "true %{customdata[0]:,.0f}, published %{customdata[1]:,.0f}<extra></extra>",
    }


def error_figure(utility: Utility, palette: Palette, *, height: int = 200) -> go.Figure:
    """Return where the error comes from, as shares of all true trips."""
    parts = (
        ("trips over the limit", utility.clipping, palette.repaired),
        ("noise", utility.noise, palette.attack),
        ("suppression", utility.suppression, palette.claim),
        ("false flows", utility.spurious, palette.spurious),
    )
    names = [name for name, _, _ in parts]
    shares = [amount / utility.total_true if utility.total_true else np.nan for _, amount, _ in parts]
    bars = {
        "type": "bar",
        "x": shares,
        "y": names,
        "orientation": "h",
        "marker": {"color": [colour for _, _, colour in parts]},
        # Plotly alone leaves the width of a stroke beside a bar.
        "text": [f"\u00a0{share:.1%}" for share in shares],
        "textposition": "outside",
        "cliponaxis": False,
        "hovertemplate": "%{y}: %{x:.2%} of all true trips<extra></extra>",
    }
    layout = {
        "meta": {"columns": {"y": "where the error comes from"}},  # in its table of numbers
        "height": height,
        "margin": {"l": 130, "r": 50, "t": 10, "b": 50},
        "xaxis": {
            "title": "simulated error, as a share of all true trips",
            "tickformat": ".0%",
            "rangemode": "tozero",
        },
        "yaxis": {"autorange": "reversed"},
        "showlegend": False,
    }
    return go.Figure(data=[bars], layout=layout)


def decay_figure(decay: DistanceDecay, palette: Palette, *, height: int = 260) -> go.Figure:
    """Return the share of trips by distance, before and after."""
    middle = (decay.edge_km[1:] + decay.edge_km[:-1]) / 2
    most = float(max(np.nanmax(decay.true, initial=0.01), np.nanmax(decay.published, initial=0.01)))
    lines = [
        {
            "type": "scatter",
            "x": middle,
            "y": share,
            "mode": "lines+markers",
            "name": name,
            "line": {"color": colour, "width": 2},
            "hovertemplate": "about %{x:.1f} km: %{y:.1%}<extra></extra>",
        }
        for share, name, colour in (
            (decay.true, "true", palette.true),
            (decay.published, "published (simulated)", palette.attack),
        )
    ]
    layout = {
        "height": height,
        "margin": {"l": 60, "r": 10, "t": 10, "b": 50},
        "xaxis": {"title": "distance between zone centres (km)", "range": [0, decay.edge_km[-1]]},
        "yaxis": {"title": "share of trips", "tickformat": ".0%", "range": [0, 1.12 * most]},
        "legend": {"x": 0.99, "y": 0.99, "xanchor": "right", "yanchor": "top"},
    }
    figure = go.Figure(data=lines, layout=layout)
    name_lines(figure, towards_end=False)
    if figure.layout.showlegend is not False:  # no room within: above the plot, where no line is covered
        figure.update_layout(
            margin_t=30,
            legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.02, "yanchor": "bottom"},
        )
    return figure
