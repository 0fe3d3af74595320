"""The law of the posterior → a figure, and in words: how certain an attacker ends. Computes nothing."""

from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from privlab.defaults import PUBLISHED_EPSILON
from privlab.dp.certainty import Certainty, PosteriorLaw
from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.drawing.reference_lines import reference_line
from privlab.figures.wording.words import chance_in_hundred, in_hundred, trips
from privlab.stats import percent_at_most

PUBLISHER = "Bassolas et al. 2019"
_COIN = 0.5
_CASES = "cases in 100"


def posterior_figure(law: PosteriorLaw, palette: Palette, *, height: int = 420) -> go.Figure:
    """Return where the attacker's certainty ends for 100 who are in (upwards) and 100 who are not (downwards).

    What lies beyond the claim stands out. The axis of certainty is fixed, so that bars can be followed as a control moves.
    """
    asked, edges = law.certainty.parameters.asked, law.edges
    beyond = edges[:-1] >= asked - 1e-12
    sides = (
        (law.in_share, "someone who is in", 1, palette.attack),
        (law.out_share, "someone who is not", -1, palette.simulated),
    )
    bars = [
        {
            "type": "bar",
            "x": (edges[:-1] + edges[1:]) / 2,
            "y": 100 * sign * share,
            "width": np.diff(edges),
            "name": name,
            "marker": {"color": [rgba(colour, 1.0 if over else 0.4) for over in beyond]},
            "customdata": np.stack([100 * edges[:-1], 100 * edges[1:], 100 * share + 0.0], axis=1),
            "meta": {"customdata": ["above (%)", "at most (%)", _CASES]},  # in its table of numbers
            "hovertemplate": f"{name}: the attacker ends above %{{customdata[0]:.1f}}% and at most "
            "%{customdata[1]:.1f}% certain in %{customdata[2]:.2f} of 100 cases<extra></extra>",
        }
        for share, name, sign, colour in sides
    ]
    claim = {"color": palette.claim, "width": 2, "dash": "dash"}
    prior = law.certainty.parameters.prior
    epsilon = law.certainty.parameters.epsilon
    whose = "the publisher's claim" if epsilon == PUBLISHED_EPSILON else f"the claim at ε = {epsilon:g}"
    words = (
        f"{whose}: at most {percent_at_most(asked)}"
        if prior == _COIN
        else f"the claim, from {prior:.0%} beforehand: at most {percent_at_most(asked)}"
    )
    # Above the bars, and within a telephone's width.
    named = {"text": words, "xanchor": "right", "yanchor": "bottom"}
    lines = reference_line(asked, claim, name=named)
    lines["annotations"] += [
        _named(name, share, edges, upwards=sign > 0, colour=colour) for share, name, sign, colour in sides
    ]
    layout = {
        **lines,
        "height": height,
        "barmode": "overlay",
        "bargap": 0,
        "margin": {"l": 60, "r": 10, "t": 30, "b": 50},
        "xaxis": {
            "title": "how sure the attacker ends that the person is in",
            "range": [-0.01, 1.01],
            "tickformat": ".0%",
        },
        "yaxis": {"title": _CASES, "zeroline": True, **_both_ways(law)},
        "showlegend": False,
    }
    return go.Figure(data=bars, layout=layout)


def _named(
    name: str, share: npt.NDArray[np.float64], edges: npt.NDArray[np.float64], *, upwards: bool, colour: str
) -> dict[str, Any]:
    """Return whose bars these are, written at the end of the figure where they are lower."""
    at_left, at_right = (share[one].max(initial=0.0) for one in (edges[1:] <= 0.4, edges[:-1] >= 0.6))
    left = at_left <= at_right
    place = {"x": 0.01, "xanchor": "left"} if left else {"x": 0.99, "xanchor": "right"}
    place |= {"y": 1, "yanchor": "top"} if upwards else {"y": 0, "yanchor": "bottom"}
    return {
        **place,
        "xref": "x domain",
        "yref": "y domain",
        "text": name.removeprefix("someone "),  # short enough for a telephone, beside the line of the claim
        "showarrow": False,
        "font": {"size": 12, "color": colour},
    }


def _both_ways(law: PosteriorLaw) -> dict[str, Any]:
    """Return the ticks of an axis that counts cases upwards and downwards: none of them is a number below 0."""
    most = 100 * float(max(law.in_share.max(initial=0.0), law.out_share.max(initial=0.0)))
    step = next((one for one in (1, 2, 5, 10, 20) if one * 5 >= most), 25)
    end = 1.15 * most  # what lies beyond the last tick is room for the names of the bars
    ticks = [one for one in range(-100, 101, step) if abs(one) <= 1.02 * most]
    return {"tickvals": ticks, "ticktext": [f"{abs(one)}" for one in ticks], "range": [-end, end]}


def claim_readings(
    certain_from: int | None,
    accurate_from: int | None,
    epsilon: float,
    bound: int | None = None,
    *,
    beyond: float = 0.0,
) -> str:
    """Return from how many trips on the publisher's claim fails, read as certainty and as mean accuracy.

    It was made for one ε, without a bound; at another it is read anew, and a `bound` is what it is held against.
    `beyond` is how often at most it is passed by noise whose loss has no largest value: then the claim holds but for that.
    """
    whose = f"The claim is the publisher's ({PUBLISHER}), made for ε = {PUBLISHED_EPSILON:g} without a bound on a person's trips"
    here = [f"read at ε = {epsilon:g}"] if epsilon != PUBLISHED_EPSILON else []
    if bound is not None:
        here.append(f"held against a bound of {trips(bound)} per person")
    if here:
        whose += f", here {' and '.join(here)}"
    if beyond:
        return (
            f"{whose}. As mean accuracy it holds. As certainty it is passed in {chance_in_hundred(beyond)} of 100 releases and holds in all "
            "others, whatever the person did in the week."
        )
    if certain_from is None and accurate_from is None:
        return f"{whose}: it holds, as certainty and as mean accuracy."
    as_certainty = "it holds" if certain_from is None else f"it fails from k = {certain_from}"
    if accurate_from is None:
        return f"{whose}: as certainty {as_certainty}, as mean accuracy it holds."
    return f"{whose}: as certainty {as_certainty}, as mean accuracy from k = {accurate_from}."


def certainty_words(found: Certainty) -> str:
    """Return how certain an attacker ends of someone with so many trips, in words."""
    asked = found.parameters
    held = (
        ""
        if asked.prior == _COIN
        else f"Beforehand the attacker holds it {asked.prior:.0%} likely, and may end {percent_at_most(asked.asked)} certain by the claim. "
    )
    return (
        f"{held}In {chance_in_hundred(found.in_above)} of 100 releases that count someone with {trips(asked.trips)}, the attacker ends "
        f"more than {asked.asked:.1%} certain of it; in {chance_in_hundred(found.out_above)} of 100 releases without that person "
        "just as certain, and wrong."
    )


def certainty_after_weeks(
    found: Certainty, n_weeks: int, *, with_others: bool = False, to_everyone: bool = True
) -> str:
    """Return what many weekly releases make of someone with so many trips in each, beside the ε that they promise everyone.

    `with_others`: it is said of someone all of whose flows others make too. `to_everyone`: False where the ε is of one trip alone.
    """
    asked = found.parameters
    # No noise tells for certain: what is rounded to 1 is said as almost.
    right, in_above, out_above = (
        min(one, 0.9999) for one in (found.accuracy, found.in_above, found.out_above)
    )
    weeks = "one weekly release" if n_weeks == 1 else f"each of {n_weeks:,} weekly releases"
    whose = ", which others make too," if with_others else ","
    promised = f"The ε of {_weeks(n_weeks)} is promised to everyone. " if to_everyone else ""
    return (
        f"{promised}About someone with {trips(asked.trips)} in {weeks}{whose} all of them "
        f"published, the best attack is right in {in_hundred(right)} of 100 cases (a coin: 50). In {chance_in_hundred(in_above)} of 100 "
        f"cases in which the person is in, it ends more than {asked.asked:.0%} certain of it; in {chance_in_hundred(out_above)} of 100 in "
        "which the person is not, just as certain, and wrong. Beforehand it holds both for equally likely."
    )


def _weeks(n_weeks: int) -> str:
    return "the week" if n_weeks == 1 else f"all {n_weeks:,} weeks"
