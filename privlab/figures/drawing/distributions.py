"""Values of many people → cumulative distributions side by side. Computes nothing but the steps."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.log_axis import log_axis
from privlab.figures.drawing.palette import Palette, steps_of_order

_MOST_STEPS = 400  # per curve: more could not be told apart
_THICK, _THIN = 2.2, 1.2  # the first and the last of them
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def cumulative_steps(values: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return x and the share of values ≤ x, from 0 on, NaN left out; thinned to what can be drawn.

    >>> x, share = cumulative_steps([1, 3, 3, float("nan")])
    >>> x.tolist(), share.round(2).tolist()
    ([1.0, 1.0, 3.0], [0.0, 0.33, 1.0])
    """
    known = np.asarray(values, dtype=np.float64)
    known = np.sort(known[~np.isnan(known)])
    if not known.size:
        return known, known
    last = np.flatnonzero(np.append(np.diff(known) != 0, True))
    if last.size > _MOST_STEPS:
        last = last[np.unique(np.linspace(0, last.size - 1, _MOST_STEPS).round().astype(int))]
    x, share = known[last], (last + 1) / known.size
    return np.append(x[:1], x), np.append(0.0, share)


def colours(palette: Palette) -> tuple[str, ...]:
    """Return the colours of curves beside each other, in the order in which they are used."""
    return (
        palette.attack,
        palette.claim,
        palette.repaired,
        palette.proven,
        palette.spurious,
        palette.simulated,
    )


def cumulative_figure(
    curves: Mapping[str, npt.ArrayLike],
    palette: Palette,
    *,
    x_title: str,
    y_title: str = "share of users",
    x_range: Sequence[float] | None = None,
    logarithmic: bool = False,
    references: Mapping[str, float] | None = None,
    faint: Mapping[str, npt.ArrayLike] | None = None,
    in_order: bool = False,
    height: int = 380,
) -> go.Figure:
    """Return the distribution function of each named set of values, with reference lines.

    `faint` curves are drawn thin and grey, to compare with. Both colour and dash tell the curves apart; curves that stand
    `in_order`, as of a growing number, have the colours of one scale, and get thinner. With an `x_range` they are named where they are.
    """
    figure = go.Figure()
    for name, values in (faint or {}).items():
        _curve(figure, values, name, {"color": palette.muted, "width": 1})
    for number, (name, values) in enumerate(curves.items()):
        line = {
            "color": colours(palette)[number % 6],
            "width": 2.5,
            "dash": _DASHES[number % len(_DASHES)],
        }
        if in_order:
            part = number / max(len(curves) - 1, 1)
            line = {
                "color": steps_of_order(len(curves), palette)[number],
                "width": _THICK - (_THICK - _THIN) * part,
            }
        _curve(figure, values, name, line)
    for name, at in (references or {}).items():
        figure.add_vline(x=at, line={"color": palette.muted, "width": 1, "dash": "dash"})
        above = _has_more_room_above(curves, at)
        figure.add_annotation(
            x=np.log10(at) if logarithmic else at,
            y=0.98 if above else 0.02,
            yref="paper",
            text=name,
            textangle=-90,
            showarrow=False,
            xanchor="right",
            yanchor="top" if above else "bottom",
            font={"size": 12},
        )
    axis: dict[str, Any] = {"title": x_title}
    if x_range is not None:
        axis = log_axis(x_title, *x_range) if logarithmic else axis | {"range": list(x_range)}
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis=axis,
        yaxis={"title": y_title, "range": [-0.01, 1.01], "tickformat": ".0%"},
        legend={"orientation": "h", "y": -0.22, "yanchor": "top", "x": 0},
        hovermode="closest",
    )
    if x_range is not None:
        name_lines(figure, towards_end=False)
    return figure


def _has_more_room_above(curves: Mapping[str, npt.ArrayLike], at: float) -> bool:
    """Return whether a line upright at a value is longer above the highest of the curves that cross it than below the lowest."""
    known = [
        values[~np.isnan(values)] for values in (np.asarray(one, dtype=np.float64) for one in curves.values())
    ]
    shares = [float(np.mean(values <= at)) for values in known if values.size and values.min() <= at]
    return bool(shares) and 1 - max(shares) > min(shares)


def _curve(figure: go.Figure, values: npt.ArrayLike, name: str, line: dict[str, Any]) -> None:
    x, share = cumulative_steps(values)
    figure.add_scatter(
        x=x,
        y=share,
        name=name,
        mode="lines",
        line={"shape": "hv", **line},
        hovertemplate=f"{name}: %{{y:.1%}} at most %{{x:.4g}}<extra></extra>",
    )
