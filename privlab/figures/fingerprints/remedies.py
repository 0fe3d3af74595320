"""Fingerprints before and after generalisation → figures. Computes nothing but corners and steps."""

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from privlab.figures.drawing.palette import Palette
from privlab.fingerprints.glove import GRID_M, Accuracy, HiddenGroups

_MOST_SAMPLES = 1_500
_MOST_BOXES = 800


def accuracy_figure(accuracy: Accuracy, palette: Palette, *, height: int = 380) -> go.Figure:
    """Return the share of published samples known to within a distance, and to within a time."""
    figure = make_subplots(cols=2, shared_yaxes=True, horizontal_spacing=0.06)
    drawn = (
        (1, accuracy.side_km, accuracy.share_within_km, palette.attack, "space", "km"),
        (2, accuracy.duration_min / 60, accuracy.share_within_min, palette.claim, "time", "h"),
    )
    for column, sizes, shares, colour, name, unit in drawn:
        figure.add_scatter(
            x=np.append(0, sizes),
            y=np.append(0, shares),
            name=name,
            meta={"panel": name},
            line={"color": colour, "width": 2.5, "shape": "hv"},
            hovertemplate=f"%{{y:.1%}} of samples known to within %{{x:.3g}} {unit}<extra></extra>",
            row=1,
            col=column,
        )
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        showlegend=False,
        xaxis={
            "title": "side of the box (km)",
            "range": [0, _most(accuracy.side_km, accuracy.share_within_km)],
        },
        xaxis2={
            "title": "length of the box (h)",
            "range": [0, _most(accuracy.duration_min, accuracy.share_within_min) / 60],
        },
        yaxis={"title": "published samples", "range": [-0.01, 1.02], "tickformat": ".0%"},
    )
    return figure


def _most(sizes: npt.NDArray[np.float64], shares: npt.NDArray[np.float64]) -> float:
    """Return the size that all but one in a hundred are within."""
    return float(sizes[np.searchsorted(shares, 0.99)]) * 1.05 if sizes.size else 1.0


def before_and_after_figure(groups: HiddenGroups, palette: Palette, *, height: int = 440) -> go.Figure:
    """Return where samples of the first users were, beside the boxes that are published of them."""
    before, after = _first_samples(groups), _first_boxes(groups)
    # In two lines, for a telephone.
    part = "<br>of the first users" if groups.fingerprints.x.size > _MOST_SAMPLES else ""
    panels = (f"before: samples{part}", f"after: boxes{part}")
    figure = make_subplots(cols=2, subplot_titles=panels, shared_yaxes=True, horizontal_spacing=0.04)
    figure.add_scatter(
        x=before[0],
        y=before[1],
        mode="markers",
        marker={"color": palette.claim, "size": 4, "opacity": 0.6},
        name="samples",
        meta={"panel": panels[0].replace("<br>", " ")},
        hovertemplate="%{x:.1f} km east, %{y:.1f} km north<extra></extra>",
        row=1,
        col=1,
    )
    figure.add_scatter(
        x=after[0],
        y=after[1],
        mode="lines",
        line={"color": palette.repaired, "width": 1},
        name="boxes",
        meta={"panel": panels[1].replace("<br>", " ")},
        hoverinfo="skip",
        row=1,
        col=2,
    )
    span = _span(before)
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 56, "b": 50},
        showlegend=False,
        xaxis={"title": "km east", "range": span[0]},
        xaxis2={"title": "km east", "range": span[0], "matches": "x"},
        # One scale for both: places twice as far apart are drawn twice as far.
        yaxis={"title": "km north", "range": span[1], "scaleanchor": "x", "scaleratio": 1},
        yaxis2={"range": span[1]},
    )
    return figure


def _first_samples(groups: HiddenGroups) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    part = slice(0, _MOST_SAMPLES)
    step = groups.fingerprints.cell_m / 1000
    x, y = (axis[part].astype(np.float64) for axis in (groups.fingerprints.x, groups.fingerprints.y))
    return (x + 0.5) * step, (y + 0.5) * step


def _first_boxes(groups: HiddenGroups) -> tuple[list[float | None], list[float | None]]:
    """Return the outlines of the boxes that hold the same samples, each followed by a gap."""
    homes = groups.home[:_MOST_SAMPLES]
    held = np.unique(homes[homes >= 0])[:_MOST_BOXES]
    xs: list[float | None] = []
    ys: list[float | None] = []
    for x, x_end, y, y_end in (groups.boxes[held, :4] * (GRID_M / 1000)).tolist():
        xs += [x, x_end, x_end, x, x, None]
        ys += [y, y, y_end, y_end, y, None]
    return xs, ys


def _span(
    points: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
) -> tuple[list[float], list[float]]:
    spans = []
    for axis in points:
        low, high = (float(axis.min()), float(axis.max())) if axis.size else (0.0, 1.0)
        room = 0.08 * (high - low) + 1
        spans.append([low - room, high + room])
    return spans[0], spans[1]
