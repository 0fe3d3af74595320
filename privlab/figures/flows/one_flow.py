"""One flow in a hundred releases, as dots: what a limit on trips leaves out, and what the noise adds. Computes no noise."""

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.drawing.reference_lines import reference_line

_GOLDEN = (np.sqrt(5) - 1) / 2


def price_figure(
    true: float,
    counted: float,
    noise: npt.NDArray[np.float64],
    palette: Palette,
    *,
    half_width: float,
    height: int = 350,
) -> go.Figure:
    """Return the counts that releases of one flow may hold, a dot for each value of `noise`, shape (n,), and of which trips count.

    `true` are its trips, `counted` those that the limit is expected to leave; some 95 of 100 dots lie within `half_width` of it.
    The axis depends on `true` alone, so that the spread can be compared from limit to limit.
    """
    published = counted + noise
    low, high = counted - half_width, counted + half_width
    figure = go.Figure(
        go.Scatter(
            x=np.arange(noise.size) * _GOLDEN % 1,
            y=published,
            mode="markers",
            name="published in one release",
            marker={"size": 7, "color": palette.repaired},
            hovertemplate="published in one of the releases: %{y:,.0f}<extra></extra>",
        )
    )
    at_true, at_counted = (
        reference_line(value, {"color": colour, "width": 2, "dash": dash}, across="y", name={
            "text": f"{word}: {value:,.0f}", "font": {"color": colour, "size": 13}, "yanchor": side,
        })
        for value, word, colour, dash, side in (
            (true, "true", palette.true, "solid", "bottom"),
            (counted, "counted", palette.true, "dash", "top"),
        )
    )  # fmt: skip
    band = {
        "type": "rect", "xref": "x domain", "yref": "y", "x0": 0, "x1": 0.6, "y0": low, "y1": high,
        "fillcolor": rgba(palette.repaired, 0.12), "line": {"width": 0}, "layer": "below",
    }  # fmt: skip
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        shapes=[band, *at_true["shapes"], *at_counted["shapes"]],
        annotations=[*at_true["annotations"], *at_counted["annotations"]],
        xaxis={"title": "a dot for each of 100 releases", "range": [-0.05, 1.75], "showticklabels": False, "showgrid": False},
        yaxis={"title": "trips of one flow", "range": [0, 1.65 * true]},
        showlegend=False,
    )  # fmt: skip
    return figure


def price_in_words(true: float, counted: float, half_width: float) -> str:
    """Return what the figure shows.

    >>> price_in_words(660, 501.6, 45)
    'Of a flow of 660 trips the limit counts 502 on average, drawn anew each time; about 95 of 100 releases say 457 to 547.'
    """
    return (
        f"Of a flow of {true:,.0f} trips the limit counts {counted:,.0f} on average, drawn anew each time; about 95 of 100 releases say "
        f"{max(0.0, counted - half_width):,.0f} to {counted + half_width:,.0f}."
    )
