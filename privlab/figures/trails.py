"""One person and the nearest other → their trails day by day, in kilometres from the person's home. Computes no distance."""

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.figures.palette import Palette, rgba
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import WhatIf

Floats = npt.NDArray[np.float64]
_DAY = 1440


def home_of(fingerprints: Fingerprints, user: int) -> tuple[int, int]:
    """Return the cell in which a person has most samples, the first of equals: taken to be home."""
    part = slice(int(fingerprints.offsets[user]), int(fingerprints.offsets[user + 1]))
    cells, times = np.unique(
        np.stack([fingerprints.x[part], fingerprints.y[part]]), axis=1, return_counts=True
    )
    x, y = cells[:, int(np.argmax(times))]
    return int(x), int(y)


def km_from_home(fingerprints: Fingerprints, rows: npt.NDArray[np.int64], home: tuple[int, int]) -> Floats:
    """Return how far samples are from home, east and north, in km: shape (2, n)."""
    return np.stack(
        [
            (axis[rows].astype(np.float64) - at) * fingerprints.cell_m / 1000
            for axis, at in ((fingerprints.x, home[0]), (fingerprints.y, home[1]))
        ]
    )


def n_days_of(fingerprints: Fingerprints, found: WhatIf) -> int:
    """Return the number of days from the first of the person's samples to the last, both counted."""
    t = fingerprints.t[found.at]
    return int(t.max() // _DAY - t.min() // _DAY) + 1


def trails_figure(
    fingerprints: Fingerprints, found: WhatIf, palette: Palette, *, days: int, height: int = 520
) -> go.Figure:
    """Return the first `days` days of a person's trail beside that of the nearest other; matched samples are joined."""
    home = home_of(fingerprints, found.user)
    until = (fingerprints.t[found.at].min() // _DAY + days) * _DAY
    own = found.at[fingerprints.t[found.at] < until]
    figure = go.Figure()
    if found.other.size:
        matched = found.nearest[: own.size, 0]
        both = np.stack([km_from_home(fingerprints, rows, home) for rows in (own, matched)], axis=2)
        gap = np.full((2, own.size, 1), np.nan)
        x, y = np.concatenate([both, gap], axis=2).reshape(2, -1)
        figure.add_scatter(
            x=x, y=y, mode="lines", name="matched samples", hoverinfo="skip",
            line={"color": rgba(palette.muted, 0.6), "width": 1},
        )  # fmt: skip
        other = int(found.other[0])
        rows = np.arange(fingerprints.offsets[other], fingerprints.offsets[other + 1])
        _trail(
            figure, fingerprints, rows[fingerprints.t[rows] < until], home, "the nearest other", palette.claim
        )
    _trail(figure, fingerprints, own, home, "this person", palette.attack)
    figure.add_scatter(
        x=[0], y=[0], mode="markers", name="home of this person", hoverinfo="name",
        marker={"symbol": "star", "size": 15, "color": palette.marker},
    )  # fmt: skip
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "km west or east of home", "zeroline": False},
        yaxis={"title": "km south or north of home", "zeroline": False, "scaleanchor": "x", "scaleratio": 1},
        legend={"orientation": "h", "y": -0.14, "yanchor": "top"},
    )
    return figure


def _trail(
    figure: go.Figure,
    fingerprints: Fingerprints,
    rows: npt.NDArray[np.int64],
    home: tuple[int, int],
    name: str,
    colour: str,
) -> None:
    x, y = km_from_home(fingerprints, rows, home)
    when = [str(np.datetime64(int(t), "m")).replace("T", " ") for t in fingerprints.t[rows]]
    figure.add_scatter(
        x=x, y=y, mode="lines+markers", name=name, customdata=np.stack([when, [f"{one:.1f}" for one in np.hypot(x, y)]], axis=1),
        line={"color": colour, "width": 2}, marker={"size": 6},
        hovertemplate=f"{name}, %{{customdata[0]}}: %{{customdata[1]}} km from home<extra></extra>",
    )  # fmt: skip
