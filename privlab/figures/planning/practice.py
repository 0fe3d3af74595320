"""What others promised → a figure of the attack over ε with their marks, and rows of a table. Computes nothing."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.dp.certainty import claimed_bound
from privlab.dp.promise import PublishedPractice, delta_words
from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.log_axis import log_axis
from privlab.figures.drawing.palette import Palette
from privlab.figures.drawing.titles import DRAWN_TYPE
from privlab.figures.wording.words import trips
from privlab.od.attack import NEGLIGIBLE, WeekWithDelta
from privlab.stats import percent_at_most

NOT_STATED = "not stated"
A_TRIP, A_DAY, A_WEEK, A_RELEASE = "one trip", "a day", "a week", "a release"
_SOURCE = "whose"
_ROWS = (A_DAY, A_WEEK, A_RELEASE)
# The height of the curve's part, what lies between, and the height of each line below.
_CURVE_PX, _BETWEEN_PX, _LINE_PX = 255, 25, 17
_MIDDLE = -0.35  # of the axis of ε, in powers of ten: names stand on the side that has more room
WIDTHS = {
    "who": 200,
    "ε": 50,
    "protects": 225,
    "limit on a person": 240,
    "ε a day": 80,
    "ε a week": 115,
    "ε a year": 120,
}
"""Of the columns that tell most, in pixels: unit, limit and the ε of a day are seen at once, those of a week and a year behind them."""
ONLY_WHAT_IS_STATED = (
    "ε a day, a week, a year: of all that one person does in it. Only what a source states; “added up” is the sum over days or weeks "
    "(basic composition), which no source states. Where a paper could not be read itself, the source is a list or registry that says what "
    "stands in it, and is named."
)


def practice_figure(
    epsilon: npt.NDArray[np.float64],
    accuracy: npt.NDArray[np.float64],
    marks: Sequence[tuple[PublishedPractice, float]],
    n_trips: int,
    palette: Palette,
) -> go.Figure:
    """Return the attack's accuracy over ε (E,), the claim e^ε/(1+e^ε), and each published ε where its unit allows it.

    The curve is of the ε of one trip. An ε of a trip is a diamond on it; any other is a dot in a line of its own below, under what it
    protects, with its name beside it: it has no height.
    """
    figure = go.Figure()
    claimed = [claimed_bound(float(one)) for one in epsilon]
    figure.add_scatter(
        x=epsilon,
        y=accuracy,
        name=f"best attack, k = {n_trips}",
        mode="lines",
        line={"color": palette.attack, "width": 3},
        hovertext=[percent_at_most(one) for one in accuracy],  # what is in doubt is never 100%
        hovertemplate="ε of one trip = %{x:.3g}: right in %{hovertext}<extra></extra>",
    )
    figure.add_scatter(
        x=epsilon,
        y=claimed,
        name="claimed: e^ε/(1+e^ε)",
        mode="lines",
        line={"color": palette.claim, "width": 2, "dash": "dash"},
        hovertext=[percent_at_most(one) for one in claimed],
        hovertemplate="ε of one trip = %{x:.3g}: %{hovertext} claimed<extra></extra>",
    )
    of_trips = [(one, height) for one, height in marks if protected(one) == A_TRIP]
    figure.add_scatter(
        x=[one.epsilon for one, _ in of_trips],
        y=[height for _, height in of_trips],
        text=[one.name for one, _ in of_trips],
        name="ε of one trip",
        meta={"text": _SOURCE},
        mode="markers",
        showlegend=False,
        marker={"color": palette.marker, "size": 11, "symbol": "diamond"},
        hovertext=[percent_at_most(height) for _, height in of_trips],
        hovertemplate="%{text}, ε of one trip = %{x:g}: right in %{hovertext}<extra></extra>",
    )
    names = [
        {
            "x": math.log10(one.epsilon or 1.0), "y": height, "text": one.name, "xref": "x", "showarrow": False,
            "xanchor": "right", "yanchor": "middle", "xshift": -10, "font": {"size": 12, "family": DRAWN_TYPE},
        }
        for one, height in of_trips
    ]  # fmt: skip
    figure.update_layout(
        meta={"columns": {"x": "ε", "y2": _SOURCE}},  # in its table of numbers
        margin={"l": 75, "r": 10, "t": 10, "b": 50},
        xaxis=log_axis("ε of one trip above, of what is named below (log)", 0.008, 25) | {"anchor": "y2"},
        yaxis={"title": "guessed right (a coin: 50%)", "tickformat": ".0%", "range": [0.49, 1.01]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    names += _add_band(figure, [one for one, _ in marks], palette)
    figure.layout.annotations = names  # at once: one by one plotly makes anew all that are there, at each
    name_lines(figure, towards_end=False)
    return figure


def _add_band(
    figure: go.Figure, published: Sequence[PublishedPractice], palette: Palette
) -> list[dict[str, Any]]:
    """Add a line for each published ε that protects more than a trip, under the name of what it protects; return what is written there."""
    lines: list[str] = []
    names: list[dict[str, Any]] = []
    for unit in _ROWS:
        own = [
            one
            for one in sorted(published, key=lambda one: one.epsilon or 0.0)
            if one.epsilon is not None and protected(one) == unit
        ]
        if not own:
            continue
        heading = f"ε of all that a person does in {unit}"
        lines += [heading, *(one.name for one in own)]
        names.append({
            "xref": "x domain", "x": 0, "xanchor": "left", "yref": "y2", "y": heading, "showarrow": False,
            "text": f"<b>{heading}</b>", "font": {"size": 12, "color": palette.true},
        })  # fmt: skip
        figure.add_scatter(
            x=[one.epsilon for one in own],
            y=[one.name for one in own],
            customdata=[one.unit for one in own],
            name=f"ε of {unit}",
            meta={"protected": unit},
            mode="markers",
            yaxis="y2",
            showlegend=False,
            marker={"color": palette.true, "size": 7},
            hovertemplate="ε = %{x:g}: %{y} (%{customdata})<extra></extra>",
        )
        for one in own:
            at = math.log10(one.epsilon or 1.0)
            side, shift = ("right", -8) if at > _MIDDLE else ("left", 8)
            names.append({
                "x": at, "y": one.name, "xref": "x", "yref": "y2", "text": one.name, "showarrow": False, "xanchor": side,
                "xshift": shift, "font": {"size": 12, "color": palette.true, "family": DRAWN_TYPE},
            })  # fmt: skip
    below = _LINE_PX * len(lines)
    inside = _CURVE_PX + _BETWEEN_PX + below
    figure.update_layout(
        height=inside + figure.layout.margin.t + figure.layout.margin.b,
        yaxis={"domain": [1 - _CURVE_PX / inside, 1]},
        yaxis2={
            "domain": [0, max(below, 1) / inside],
            "type": "category",
            "categoryorder": "array",
            "categoryarray": list(reversed(lines)),
            "range": [-0.5, max(len(lines), 1) - 0.5],
            "showticklabels": False,
            "showgrid": False,
        },
    )
    return names


def protected(one: PublishedPractice) -> str:
    """Return what the stated ε protects, as a row of the figure names it: one trip, or all of a person's day, week or release."""
    if "trip" in one.unit:
        return A_TRIP
    return A_DAY if one.day is not None else A_WEEK if one.week is not None else A_RELEASE


def practice_sentence(marks: Sequence[tuple[PublishedPractice, float]], n_trips: int) -> str:
    """Return how often the best attack would be right at the first mark's ε, if that protected one trip of a week."""
    first, reached = marks[0]
    return (
        f"An ε says nothing without its unit. If ε protected one trip of a week, as the {first.epsilon:g} of {first.name} does, "
        f"someone with {trips(n_trips)} would be guessed right in {reached:.1%} of cases at {first.epsilon:g} (a coin: 50%). "
        "That ε alone lies on the curve. The dots below it are the ε of others, of all that a person does in a day, in a week "
        "or in a whole release: the curve says nothing of these. The table says more of each."
    )


def delta_sentence(found: WeekWithDelta, *, of: int | None = None) -> str:
    """Return what a δ beside ε would have to be for all of a person's week, and which ε a negligible one leaves.

    `of`: how many unique trips a person makes of whom a limit counts those of `found`.
    """
    whole = found.n_trips * found.epsilon_trip
    tried = {epsilon: delta_words(delta) for epsilon, delta in found.delta.items() if epsilon < whole}
    first_without = next((epsilon for epsilon, delta in tried.items() if delta == "0"), whole)
    said = ", or ".join(
        f"with ε = {epsilon:.6g} at δ = {delta}"
        for epsilon, delta in (tried | {whole: "0"}).items()
        if epsilon <= first_without
    )
    helps_little = found.epsilon > max(2 * found.epsilon_trip, whole / 2)
    lead = "A δ beside ε does not help. " if helps_little else ""
    who = f"someone with {trips(found.n_trips)}"
    if of is not None and of > found.n_trips:
        who = f"someone with {trips(of)}, of which {found.n_trips} {'counts' if found.n_trips == 1 else 'count'},"
    return (
        f"{lead}Noise of ε = {found.epsilon_trip:.6g} for each trip protects all that {who} does in a week "
        f"{said}. At a δ small enough to neglect, {delta_words(NEGLIGIBLE)}, that ε is {_three_digits(found.epsilon)}."
    )


def _three_digits(epsilon: float) -> str:
    """Return an ε to three digits, and as a whole number where it has more.

    >>> _three_digits(2.345), _three_digits(1384.2)
    ('2.35', '1,384')
    """
    return f"{epsilon:.3g}" if epsilon < 1000 else f"{epsilon:,.0f}"


def practice_rows(practice: Sequence[PublishedPractice], *, narrow: bool = False) -> list[dict[str, str]]:
    """Return each published ε in the same columns, "not stated" where its source does not say; `narrow` ones fit a page of paper."""
    if narrow:
        return [
            {
                "who": f"{one.name}: {one.what}",
                "what is protected": one.unit
                if one.epsilon is None
                else f"{one.unit}, with ε = {one.epsilon:g}"
                + ("" if one.delta is None else f" and δ = {delta_words(one.delta)}"),
                "ε of a person by day, week, year": _spans(one),
                "source": f"{one.source}. {one.note}".strip(),
            }
            for one in practice
        ]
    return [
        {
            "who": one.name,
            "ε": NOT_STATED if one.epsilon is None else f"{one.epsilon:g}",
            "protects": one.unit,
            "limit on a person": one.bound or NOT_STATED,
            "ε a day": _amount(one.day, None),
            "ε a week": _amount(one.week, one.added_week),
            "ε a year": _amount(one.year, one.added_year),
            "δ": NOT_STATED if one.delta is None else delta_words(one.delta),
            "what": one.what,
            "note": one.note,
            "source": one.source,
        }
        for one in practice
    ]


def _spans(one: PublishedPractice) -> str:
    """Return the ε of all that one person does in a day, a week, a year, as far as it is stated or follows."""
    known = [
        f"a {span}: {_amount(stated, added)}"
        for span, stated, added in (
            ("day", one.day, None),
            ("week", one.week, one.added_week),
            ("year", one.year, one.added_year),
        )
        if stated is not None or added is not None
    ]
    return "; ".join(known) or NOT_STATED


def _amount(stated: float | None, added: float | None) -> str:
    if stated is not None:
        return f"{stated:g}"
    return NOT_STATED if added is None else f"{added:,.4g} added up"
