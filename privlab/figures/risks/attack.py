"""Attack results → figures: accuracy against unique trips, and who has how many. Computes nothing."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.defaults import TRIPS_OF_THE_AUTHOR
from privlab.dp.promise import delta_words
from privlab.figures.drawing.line_names import Name, names_beside
from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.drawing.reference_lines import reference_line
from privlab.figures.drawing.whole_ticks import room_of_counts, whole_ticks
from privlab.figures.wording.option_words import noise_name
from privlab.od.attack import AttackCurve, BoundedAttack
from privlab.stats import percent_at_most

_MOST_BARS = 160
_AUTHOR = "the paper's author: 32 trips"
_BEST, _PROVEN, _SIMULATED = "best attack", "proven bound", "simulated attack, 95% interval"
# Trips at half the limit, from which on the two proven bounds lie too close for a name between them.
_FAR_ENOUGH = 15


def attack_figure(
    curve: AttackCurve,
    palette: Palette,
    *,
    your_trips: int,
    own_week: int | None = None,
    bounded: BoundedAttack | None = None,
    height: int = 430,
    until: int | None = None,
) -> go.Figure:
    """Return accuracy against unique trips (both axes fixed), with the bounds that are claimed and proven.

    `bounded` adds the same promise kept by a bound on each user's trips; "your k" then lies on its curve, as does the mark
    of `own_week`, the unique trips of the reader's own week, and all of the curve without it is said to have no limit. Lines are
    named where they are, not in a legend. With `until` they are drawn up to so many trips only.
    """
    k, claim = curve.n_trips, np.full(curve.n_trips.size, curve.claimed_bound)
    best, proven, dots = (_unlimited(one, bounded) for one in (_BEST, _PROVEN, _SIMULATED))
    author = _AUTHOR if bounded is None else f"{_AUTHOR}, no limit"
    drawn = [
        _line(k, curve.user_level_bound, proven, palette.proven, width=2),
        _line(k, curve.optimal, best, palette.attack, width=3),
        *_simulated(curve, dots, palette),
    ]
    if bounded is not None:
        limit = bounded.max_trips_per_user
        # A broad band: the claim lies on it from the limit on, and both are seen.
        drawn.append(_line(k, bounded.proven_bound, _limited(_PROVEN, limit), _band(palette), width=8))
        drawn.append(_line(k, bounded.optimal, _limited(_BEST, limit), palette.repaired, width=3))
    drawn.append(_line(k, claim, "claimed bound", palette.claim, width=2, dash="dash"))
    drawn += _mark(curve.optimal, TRIPS_OF_THE_AUTHOR, author, "triangle-up", palette.attack)
    applies = curve.optimal if bounded is None else bounded.optimal
    marked = []
    if own_week != your_trips:
        marked.append((your_trips, f"k = {your_trips}"))
        drawn += _mark(applies, your_trips, marked[-1][1], "diamond", palette.marker)
    if own_week is not None:
        marked.append((own_week, f"your week, k = {own_week}"))
        drawn += _mark(applies, own_week, marked[-1][1], "star", palette.spurious)
    layout: dict[str, Any] = {
        "height": height,
        "margin": {"l": 60, "r": 10, "t": 10, "b": 50},
        "xaxis": {"title": "unique trips of the target in the week (k)", "range": [-0.8, k[-1] + 0.8]},
        "yaxis": {"title": "attacker right (a coin: 50%)", "range": [0.45, 1.02], "tickformat": ".0%"},
        "showlegend": False,
        "hovermode": "closest",
    }
    figure = go.Figure(data=drawn, layout=layout)
    if until is None:
        lines = tuple(one["name"] for one in drawn if "lines" in one["mode"] or one["name"] == dots)
        marks = _names_of_marks(curve, applies, marked, lines, palette, author)
        first, *others = _names(curve, bounded, palette)
        own = [one for one in marks if one.trace != author]
        names = [*own, first, *(one for one in marks if one.trace == author), *others]
        figure.layout.annotations = names_beside(figure, names)
    else:
        _told_until(figure, until, k[-1], palette)
    return figure


def attack_settings(
    curve: AttackCurve,
    bounded: BoundedAttack | None,
    *,
    noise: str,
    delta: float = 0.0,
    seed: int | None = None,
) -> str:
    """Return of which settings the curves of the attack are, each where one has a limit.

    `noise` is that of the curve with the limit, with its `delta`; `seed` that of the simulated games, which have no limit.
    """
    drawn = "" if seed is None or curve.simulated is None else f", seed {seed}"
    own = f"{noise_name(curve.parameters.noise)} noise{drawn}"
    if bounded is None:
        return f"ε = {curve.parameters.epsilon:g}, no bound on trips per user, {own}"
    trips = f"{bounded.max_trips_per_user} trip{'s' if bounded.max_trips_per_user != 1 else ''}"
    beside = f" with δ = {delta_words(delta)}" if delta else ""
    return (
        f"ε = {curve.parameters.epsilon:g}; no limit: {own}; "
        f"limit: at most {trips} per user, {noise_name(noise)} noise{beside}"
    )


def _unlimited(name: str, bounded: BoundedAttack | None) -> str:
    """Return the name of what has no limit: beside a curve with one it says so."""
    if bounded is not None:
        first, comma, rest = name.partition(",")
        return f"{first}, no limit{comma}{rest}"
    return {_BEST: f"{name}, exact", _PROVEN: f"{name} (composition)"}.get(name, name)


def _limited(name: str, limit: int) -> str:
    return f"{name}, limit of {limit} trip{'s' if limit != 1 else ''} per user"


def _band(palette: Palette) -> str:
    """Return the colour of what the limit proves."""
    return rgba(palette.repaired, 0.3)


def _simulated(curve: AttackCurve, name: str, palette: Palette) -> list[dict[str, Any]]:
    """Return the share of simulated games won, where some were played."""
    if curve.simulated is None or curve.low is None or curve.high is None:
        return []
    return [
        {
            "type": "scatter",
            "x": curve.n_trips,
            "y": curve.simulated,
            "mode": "markers",
            "name": name,
            "marker": {"color": palette.simulated, "size": 5},
            "error_y": {
                "type": "data",
                "symmetric": False,
                "array": curve.high - curve.simulated,
                "arrayminus": curve.simulated - curve.low,
                "thickness": 1,
                "width": 0,
                "color": rgba(palette.simulated, 0.7),
            },
            "hovertemplate": "unique trips: %{x}, games won: %{y:.1%}<extra></extra>",
        }
    ]


def _names(curve: AttackCurve, bounded: BoundedAttack | None, palette: Palette) -> list[Name]:
    """Return the names of the lines and of the dots, those that matter most first."""
    best, proven, dots = (_unlimited(one, bounded) for one in (_BEST, _PROVEN, _SIMULATED))
    limit = 0 if bounded is None else bounded.max_trips_per_user
    its_bound = _limited(_PROVEN, limit)
    shorter = "no limit" if limit else "best attack"
    found = [
        Name(trace=best, texts=(best, shorter), colour=palette.attack, along=(dots,)),
        Name(
            trace="claimed bound",
            texts=(f"claimed bound: {percent_at_most(curve.claimed_bound)}", "claimed bound"),
            colour=palette.claim,
            along=(its_bound,),  # which ends on it
        ),
    ]
    if bounded is not None:
        name = _limited(_BEST, limit)
        own = (name, f"best attack, limit of {limit}", f"limit of {limit}")
        found.insert(0, Name(trace=name, texts=own, colour=palette.repaired))  # the reader's own plan
    texts = (proven, "proven bound") if limit else ("proven bound",)
    found.append(Name(trace=proven, texts=texts, colour=palette.proven, near=0.25))
    if bounded is not None and 2 <= bounded.max_trips_per_user <= 2 * _FAR_ENOUGH:
        # The bound of a higher limit runs beside that of none.
        half = bounded.max_trips_per_user / 2 / float(curve.n_trips[-1])
        found.append(Name(trace=its_bound, texts=("its proven bound",), colour=palette.repaired, near=half))
    if curve.simulated is not None:
        found.append(
            Name(
                trace=dots,
                texts=(
                    *(["dots: simulated games, no limit"] if limit else []),
                    "dots: simulated games",
                    "dots: simulated",
                ),
                colour=palette.simulated,
                near=0.7,
                along=(best,),
            )
        )
    return found


def _names_of_marks(
    curve: AttackCurve,
    applies: npt.NDArray[np.float64],
    marked: Sequence[tuple[int, str]],
    lines: tuple[str, ...],
    palette: Palette,
    author: str,
) -> list[Name]:
    """Return the names of the reader's marks, each with its height, and of the author where neither is close by; they lie on `lines`."""
    last = float(curve.n_trips[-1])
    found = [
        Name(
            trace=name, texts=(f"{name}: {applies[k]:.1%}",), colour=palette.true, near=k / last, along=lines
        )
        for k, name in marked
        if k < applies.size
    ]
    if (
        not any(abs(k - TRIPS_OF_THE_AUTHOR) <= 5 for k, _ in marked)
        and curve.optimal.size > TRIPS_OF_THE_AUTHOR
    ):
        near = TRIPS_OF_THE_AUTHOR / last
        found.append(
            Name(
                trace=author,
                texts=(_AUTHOR, "the author: 32 trips"),
                colour=palette.true,
                near=near,
                along=lines,
            )
        )
    return found


def _told_until(figure: go.Figure, until: int, last: int, palette: Palette) -> None:
    """Cut the curves of risk after so many trips, and name each line where it ends."""
    end = max(1, until)
    names = {
        "proven bound (composition)": ("proven bound", 9),
        "proven bound, no limit": ("proven bound", 9),
        "best attack, exact": ("best attack", -9),
        "best attack, no limit": ("best attack,<br>no limit", -20),
        "claimed bound": ("the claim", 0),
    }
    figure.data = [
        one
        for one in figure.data
        if (one.mode == "lines" or one.x[0] <= until) and one.line.color != _band(palette)
    ]  # a line without a name tells a class nothing
    for trace in figure.data:
        if trace.mode != "lines":
            continue
        cut = last if trace.name == "claimed bound" else end
        trace.x, trace.y = trace.x[: cut + 1], trace.y[: cut + 1]
        bounded = trace.line.color == palette.repaired and trace.line.dash == "solid"
        limited = trace.name.replace(", ", ",<br>").partition(" trip")[0]  # in two lines, for a telephone
        text, shift = (limited, 18) if bounded else names.get(trace.name, ("", 0))
        if text:
            figure.add_annotation(
                x=trace.x[-1], y=trace.y[-1], text=text, xanchor="left", xshift=10, yshift=shift, showarrow=False, align="left",
                font={"color": trace.line.color, "size": 13},
            )  # fmt: skip
    figure.update_layout(
        xaxis={"range": [-0.8, 1.35 * last], "tickvals": [*range(0, last + 1, 10)]},
    )


def trips_histogram(
    n_unique_trips: npt.NDArray[np.int64],
    palette: Palette,
    *,
    first_above: int | None,
    limit: int | None = None,
    height: int = 320,
) -> go.Figure:
    """Return how many users have how many unique trips; those above the claim stand out, with a `limit` those above it."""
    most = int(max(n_unique_trips.max(initial=0), 10))
    width = 1 + most // _MOST_BARS
    counts = np.bincount(n_unique_trips // width, minlength=most // width + 1)
    start = np.arange(counts.size) * width
    first = first_above if limit is None else limit + 1
    above = palette.attack if limit is None else palette.repaired
    colours = [palette.muted if first is None or k < first else above for k in start.tolist()]
    bars = {
        "type": "bar",
        "x": start + (width - 1) / 2,
        "y": counts,
        "customdata": [f"{k}" if width == 1 else f"{k} to {k + width - 1}" for k in start.tolist()],
        "marker": {"color": colours, "line": {"width": 0}},
        "hovertemplate": "unique trips: %{customdata}, users: %{y:,}<extra></extra>",
        "showlegend": False,
    }
    told: dict[str, Any] = {}
    if first is not None:
        colour = palette.claim if limit is None else palette.repaired
        words = (
            f"from {first} trips on, the claim fails" if limit is None else _over_limit(n_unique_trips, limit)
        )
        drawn = {"color": colour, "width": 2 if first <= most + 1 else 0, "dash": "dash"}
        at = min(first - 0.5, most + 0.5)
        side = "left" if at < 0.5 * most else "right"  # within the figure
        told = reference_line(at, drawn, name={"text": words, "yanchor": "bottom", "xanchor": side})
    layout = {
        **told,
        "height": height,
        "margin": {"l": room_of_counts(int(counts.max())), "r": 10, "t": 30, "b": 50},
        "xaxis": {"title": "unique trips in the week", "range": [-0.8, most + 0.8]},
        "yaxis": {"title": "users", **whole_ticks(int(counts.max()))},
        "bargap": 0.05,
    }
    return go.Figure(data=[bars], layout=layout)


def _over_limit(n_unique_trips: npt.NDArray[np.int64], limit: int) -> str:
    """Return how many users have more trips than the limit."""
    over = int((n_unique_trips > limit).sum())
    return (
        f"{over:,} of {n_unique_trips.size:,} above the limit of {limit}"
        if over
        else f"nobody above the limit of {limit}"
    )


def _line(
    k: npt.NDArray[np.int64],
    accuracy: npt.NDArray[np.float64],
    name: str,
    colour: str,
    *,
    width: int,
    dash: str = "solid",
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": k,
        "y": accuracy,
        "mode": "lines",
        "name": name,
        "line": {"color": colour, "width": width, "dash": dash},
        "hovertext": [percent_at_most(float(one), 2) for one in accuracy],  # what is in doubt is never 100%
        "hovertemplate": f"{name}, unique trips %{{x}}: %{{hovertext}}<extra></extra>",
    }


def _mark(
    accuracy: npt.NDArray[np.float64], trips: int, name: str, symbol: str, colour: str
) -> list[dict[str, Any]]:
    """Return the mark of someone with so many trips, nothing where the curve ends before."""
    if trips >= accuracy.size:
        return []
    return [
        {
            "type": "scatter",
            "x": [trips],
            "y": [accuracy[trips]],
            "mode": "markers",
            "name": name,
            "marker": {
                "symbol": symbol,
                "size": 14,
                "color": colour,
                "line": {"width": 1, "color": "#FFFFFF"},
            },
            "cliponaxis": False,  # whole at both ends of the axis
            "hovertemplate": f"{name}: {percent_at_most(float(accuracy[trips]))}<extra></extra>",
        }
    ]
