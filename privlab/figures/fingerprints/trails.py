"""One person and the nearest other → their trails day by day, in kilometres from the person's home. Computes no distance."""

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.figures.drawing.line_names import names_in_a_line
from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.fingerprints.ground import Ground, PlacedGround
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import WhatIf

Floats = npt.NDArray[np.float64]
# What the axes of a trail are called in its table of numbers.
KM_OF_HOME = {"x": "km east of home (west: below 0)", "y": "km north of home (south: below 0)"}
_DAY = 1440
_MOST_FRAMES = 62
_LEGIBLE = 400  # samples
_WIDEST = 5  # times its height
_UNSEEN = "rgba(0,0,0,0)"
_MOST_SENT = 20_000  # samples in all frames together


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


def days_at_first(fingerprints: Fingerprints, found: WhatIf) -> int:
    """Return how many days of the person can be told apart in one picture: as many as hold at most _LEGIBLE samples, 1 at least."""
    t = np.sort(fingerprints.t[found.at])
    if t.size <= _LEGIBLE:
        return n_days_of(fingerprints, found)
    return max(1, int(t[_LEGIBLE] // _DAY - t[0] // _DAY))


def share_a_day(fingerprints: Fingerprints, found: WhatIf) -> bool:
    """Return whether the person and the nearest other were seen on one day; False where there is no other."""
    if not found.other.size:
        return False
    rows = _rows_of(fingerprints, int(found.other[0]))
    return bool(np.intersect1d(fingerprints.t[found.at] // _DAY, fingerprints.t[rows] // _DAY).size)


def trails_figure(
    fingerprints: Fingerprints,
    found: WhatIf,
    palette: Palette,
    *,
    days: int,
    height: int = 420,
    playing: bool = True,
    low: bool = False,
    ground: Ground | None = None,
) -> go.Figure:
    """Return the first `days` days of a person's trail beside that of the nearest other; matched samples are joined.

    Of the other also samples of later days are drawn that a line leads to; an other never seen on a day of this person is said to be so.
    Play draws them day by day, where they are few enough to be sent all at once, unless `playing` is False. The axes stay.
    Where there is no room for a legend below it, as the figure is `low`, one line above it says what is what. On the `ground`, where it
    is known, zones and water lie below, and each sample says which zone it is near.
    """
    home = home_of(fingerprints, found.user)
    below = None if ground is None else PlacedGround(ground, fingerprints, home)

    def until(day: int) -> list[go.Scatter]:
        return _traces(fingerprints, found, palette, home, day, below)

    figure = go.Figure(until(days))
    other = found.other[:1]
    rows = np.concatenate([found.at, *(_rows_of(fingerprints, int(one)) for one in other)])
    x, y = km_from_home(fingerprints, rows, home)
    figure.update_layout(
        height=height,
        margin={"l": 60, "r": 10, "t": 10, "b": 80},
        meta={"columns": KM_OF_HOME},
        xaxis={"title": "km west or east of home", "zeroline": False, "range": ends_of_axis(x)},
        yaxis={
            "title": "km south or north of home",
            "zeroline": False,
            "scaleanchor": "x",
            "scaleratio": 1,
            "range": ends_of_axis(y),
        },
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},  # below the name of the axis
    )
    if below is not None:
        figure.update_layout(shapes=below.shapes(_in_window(ends_of_axis(x), ends_of_axis(y)), palette))
    if low:
        figure.layout.margin.b = 50
        names_in_a_line(figure, _signs(palette, with_other=bool(other.size)))
    if other.size and not share_a_day(fingerprints, found):
        figure.add_annotation(
            xref="x domain", yref="y domain", x=0.01, y=0.99, xanchor="left", yanchor="top", showarrow=False,
            text="the nearest other: on other days only", font={"size": 12, "color": palette.claim},
        )  # fmt: skip
    n_days = n_days_of(fingerprints, found)
    if playing and 1 < n_days <= _MOST_FRAMES and n_days * rows.size <= _MOST_SENT:
        add_player(figure, [until(day + 1) for day in range(n_days)])
    return figure


def _signs(palette: Palette, *, with_other: bool) -> list[tuple[str, str, str]]:
    other = [("■", palette.claim, "nearest other"), ("━", palette.muted, "matched")]
    return [("●", palette.attack, "person"), ("★", palette.marker, "home"), *(other if with_other else ())]


def _traces(
    fingerprints: Fingerprints,
    found: WhatIf,
    palette: Palette,
    home: tuple[int, int],
    days: int,
    below: PlacedGround | None,
) -> list[go.Scatter]:
    until = (fingerprints.t[found.at].min() // _DAY + days) * _DAY
    own = found.at[fingerprints.t[found.at] < until]
    traces = []
    if found.other.size:
        matched = found.nearest[: own.size, 0]
        both = np.stack([km_from_home(fingerprints, rows, home) for rows in (own, matched)], axis=2)
        gap = np.full((2, own.size, 1), np.nan)
        x, y = np.concatenate([both, gap], axis=2).reshape(2, -1)
        traces.append(go.Scatter(
            x=x, y=y, mode="lines", name="matched samples", hoverinfo="skip",
            line={"color": rgba(palette.muted, 0.6), "width": 1},
        ))  # fmt: skip
        rows = _rows_of(fingerprints, int(found.other[0]))
        # Those that a line leads to are drawn too: they may be of another day, and of none of this person's.
        rows = rows[(fingerprints.t[rows] < until) | np.isin(rows, matched)]
        traces.append(_trail(fingerprints, rows, home, below, "the nearest other", palette.claim, "square"))
    traces.append(_trail(fingerprints, own, home, below, "this person", palette.attack, "circle"))
    traces.append(go.Scatter(
        x=[0], y=[0], mode="markers", name="home of this person", hoverinfo="name",
        marker={"symbol": "star", "size": 15, "color": palette.marker},
    ))  # fmt: skip
    return traces


def _trail(
    fingerprints: Fingerprints,
    rows: npt.NDArray[np.int64],
    home: tuple[int, int],
    below: PlacedGround | None,
    name: str,
    colour: str,
    symbol: str,
) -> go.Scatter:
    x, y = km_from_home(fingerprints, rows, home)
    when = [fingerprints.time_of(row) for row in rows.tolist()]
    near = [""] * rows.size if below is None else below.near(np.stack([x, y]))
    away = [f"{one:.1f}" for one in np.hypot(x, y)]
    return go.Scatter(
        x=x, y=y, mode="lines+markers", name=name, customdata=np.stack([when, away, near], axis=1),
        meta={"customdata": ["when"]},
        line={"color": colour, "width": 2}, marker={"size": 8, "symbol": symbol},
        hovertemplate=f"{name}, %{{customdata[0]}}: %{{customdata[1]}} km from home%{{customdata[2]}}<extra></extra>",
    )  # fmt: skip


def _rows_of(fingerprints: Fingerprints, user: int) -> npt.NDArray[np.int64]:
    return np.arange(fingerprints.offsets[user], fingerprints.offsets[user + 1])


def _in_window(x: list[float], y: list[float]) -> tuple[list[float], list[float]]:
    """Return what may be seen of two axes of one scale, whose figure is as wide as it is high, or up to five times as wide."""
    across, up = x[1] - x[0], y[1] - y[0]
    more = [max(0.0, _WIDEST * up - across) / 2, max(0.0, across - up) / 2]
    return [x[0] - more[0], x[1] + more[0]], [y[0] - more[1], y[1] + more[1]]


def ends_of_axis(values: Floats) -> list[float]:
    """Return the ends of an axis: all values and a margin, half a kilometre at least."""
    margin = max(0.25, 0.06 * float(np.ptp(values)))
    return [float(values.min()) - margin, float(values.max()) + margin]


def add_player(figure: go.Figure, days: list[list[go.Scatter]]) -> None:
    """Add a button that draws the days one after the other, in the browser, in a row of its own above the picture.

    It has no colour of its own: rules of style show it where it can be pressed (`rules_without_parameters`), so that no picture has it.
    """
    figure.layout.margin.t = max(figure.layout.margin.t or 0, 50)
    figure.frames = [go.Frame(data=traces, name=str(day)) for day, traces in enumerate(days, start=1)]
    still = {"mode": "immediate", "transition": {"duration": 0}, "fromcurrent": False}
    figure.update_layout(
        updatemenus=[
            {
                "type": "buttons",
                "direction": "left",
                "x": 1,
                "xanchor": "right",
                "y": 1.02,
                "yanchor": "bottom",
                "pad": {"t": 0, "b": 0},
                "showactive": False,
                "bgcolor": _UNSEEN,
                "bordercolor": _UNSEEN,
                "font": {"color": _UNSEEN},
                "buttons": [
                    {
                        "label": "▶ Play the days",
                        "method": "animate",
                        "args": [None, still | {"frame": {"duration": 700, "redraw": False}}],
                    },
                    {
                        "label": "■ Stop",
                        "method": "animate",
                        "args": [[None], still | {"frame": {"duration": 0, "redraw": False}}],
                    },
                ],
            }
        ]
    )
