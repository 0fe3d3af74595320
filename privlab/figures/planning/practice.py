"""What others promised → a figure of the attack over ε with their marks, and rows of a table. Computes nothing."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.dp.certainty import claimed_bound
from privlab.dp.promise import PublishedPractice, delta_words
from privlab.figures.drawing.palette import Palette
from privlab.od.attack import NEGLIGIBLE, WeekWithDelta

NOT_STATED = "not stated"


def practice_figure(
    epsilon: npt.NDArray[np.float64],
    accuracy: npt.NDArray[np.float64],
    marks: Sequence[tuple[PublishedPractice, float]],
    n_trips: int,
    palette: Palette,
) -> go.Figure:
    """Return the attack's accuracy over ε (E,), the claim e^ε/(1+e^ε), and a mark on the curve for each published ε."""
    figure = go.Figure()
    figure.add_scatter(
        x=epsilon,
        y=accuracy,
        name=f"best attack on someone with {n_trips} unique trips",
        mode="lines",
        line={"color": palette.attack, "width": 3},
        hovertemplate="ε = %{x:.3g}: right in %{y:.1%}<extra></extra>",
    )
    figure.add_scatter(
        x=epsilon,
        y=[claimed_bound(float(one)) for one in epsilon],
        name="what ε is said to allow: e^ε/(1 + e^ε)",
        mode="lines",
        line={"color": palette.claim, "width": 2, "dash": "dash"},
        hovertemplate="ε = %{x:.3g}: %{y:.1%} claimed<extra></extra>",
    )
    figure.add_scatter(
        x=[one.epsilon for one, _ in marks],  # of those that state one
        y=[height for _, height in marks],
        text=[one.name for one, _ in marks],
        name="published, or tried",
        mode="markers",
        marker={"color": palette.muted, "size": 11, "symbol": "diamond"},
        hovertemplate="%{text}, ε = %{x:g}: right in %{y:.1%} if it were the noise of trips<extra></extra>",
    )
    figure.update_layout(
        height=400,
        margin={"l": 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "ε of one trip (log)", "type": "log"},
        yaxis={"title": "guessed right", "tickformat": ".0%", "range": [0.49, 1.01]},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
    return figure


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


def practice_rows(practice: Sequence[PublishedPractice]) -> list[dict[str, str]]:
    """Return each published ε in the same columns, "not stated" where its source does not say."""
    return [
        {
            "who": one.name,
            "what": one.what,
            "ε": NOT_STATED if one.epsilon is None else f"{one.epsilon:g}",
            "δ": NOT_STATED if one.delta is None else delta_words(one.delta),
            "protects": one.unit,
            "limit on a person": one.bound or NOT_STATED,
            "ε of a person: a day": _amount(one.day, None),
            "a week": _amount(one.week, one.added_week),
            "a year": _amount(one.year, one.added_year),
            "note": one.note,
            "source": one.source,
        }
        for one in practice
    ]


def _amount(stated: float | None, added: float | None) -> str:
    if stated is not None:
        return f"{stated:g}"
    return NOT_STATED if added is None else f"{NOT_STATED}; {added:,.4g} added up"
