"""What others promised → a figure of the attack over ε with their marks, and rows of a table. Computes nothing."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.dp.certainty import claimed_bound
from privlab.dp.promise import PublishedPractice, delta_words
from privlab.figures.drawing.line_names import name_lines
from privlab.figures.drawing.log_axis import log_axis
from privlab.figures.drawing.palette import Palette
from privlab.od.attack import NEGLIGIBLE, WeekWithDelta

NOT_STATED = "not stated"
WIDTHS = {"who": 240, "ε": 50, "protects": 175, "ε a day": 80, "ε a week": 115, "ε a year": 120}
"""Of the columns that are seen at once, in pixels: unit and ε of a day, a week, a year stand side by side."""
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
    """Return the attack's accuracy over ε (E,), the claim e^ε/(1+e^ε), and a mark on the curve for each published ε.

    The first mark is named; a pointer, and the table beside the figure, name the others.
    """
    figure = go.Figure()
    figure.add_scatter(
        x=epsilon,
        y=accuracy,
        name=f"best attack, k = {n_trips}",
        mode="lines",
        line={"color": palette.attack, "width": 3},
        hovertemplate="ε = %{x:.3g}: right in %{y:.1%}<extra></extra>",
    )
    figure.add_scatter(
        x=epsilon,
        y=[claimed_bound(float(one)) for one in epsilon],
        name="claimed: e^ε/(1+e^ε)",
        mode="lines",
        line={"color": palette.claim, "width": 2, "dash": "dash"},
        hovertemplate="ε = %{x:.3g}: %{y:.1%} claimed<extra></extra>",
    )
    for part, name, colour in (
        (marks[1:], "others", palette.muted),
        (marks[:1], "the first", palette.marker),
    ):
        figure.add_scatter(
            x=[one.epsilon for one, _ in part],  # of those that state one
            y=[height for _, height in part],
            text=[one.name for one, _ in part],
            name=name,
            mode="markers",
            showlegend=False,
            marker={"color": colour, "size": 11, "symbol": "diamond"},
            hovertemplate="%{text}, ε = %{x:g}: right in %{y:.1%} if it were the noise of trips<extra></extra>",
        )
    for one, height in marks[:1]:
        figure.add_annotation(
            x=math.log10(one.epsilon or 1.0), y=height, text=one.name, xref="x", showarrow=False,
            xanchor="right", yanchor="middle", xshift=-10, font={"size": 12},
        )  # fmt: skip
    figure.update_layout(
        height=400,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis=log_axis("ε of one trip (log)", 0.008, 25),
        yaxis={"title": "guessed right", "tickformat": ".0%", "range": [0.49, 1.01]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    name_lines(figure, towards_end=False)
    return figure


def practice_sentence(marks: Sequence[tuple[PublishedPractice, float]], n_trips: int) -> str:
    """Return how often the best attack would be right at the first mark's ε, if that protected one trip of a week."""
    first, reached = marks[0]
    return (
        f"An ε says nothing without its unit. If ε protected one trip of a week, as the {first.epsilon:g} of {first.name} does, "
        f"someone with {n_trips} unique trips would be guessed right in {reached:.1%} of cases at {first.epsilon:g} (a coin: 50%). "
        "Each diamond is an ε that others published or tried; the table below names them."
    )


def delta_sentence(found: WeekWithDelta) -> str:
    """Return what a δ beside ε would have to be for all of a person's week, and which ε a negligible one leaves."""
    said = ", ".join(
        f"ε = {epsilon:g} with δ = {delta_words(delta)}" for epsilon, delta in found.delta.items()
    )
    lead = "A δ is no way out: with" if found.epsilon > 2 * found.epsilon_trip else "With"
    return (
        f"{lead} noise of ε = {found.epsilon_trip:g} for each trip, everything that someone with {found.n_trips} unique trips "
        f"does in a week keeps {said}; beside a δ that may be neglected, {delta_words(NEGLIGIBLE)}, its ε is {found.epsilon:.3g}."
    )


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
                "ε of a person": _spans(one),
                "source": f"{one.source}. {one.note}".strip(),
            }
            for one in practice
        ]
    return [
        {
            "who": one.name,
            "ε": NOT_STATED if one.epsilon is None else f"{one.epsilon:g}",
            "protects": one.unit,
            "ε a day": _amount(one.day, None),
            "ε a week": _amount(one.week, one.added_week),
            "ε a year": _amount(one.year, one.added_year),
            "limit on a person": one.bound or NOT_STATED,
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
