"""Releases that keep one promise, step by step → how much of the flows each leaves, as bars, a table and sentences. Computes nothing."""

from collections.abc import Sequence

import plotly.graph_objects as go

from privlab.defaults import CLOSE
from privlab.dp.promise import delta_words
from privlab.figures.drawing.palette import Palette
from privlab.figures.wording.words import capital, number_of, people, share_of
from privlab.od.combining import USELESS, Combination, best_combination
from privlab.od.comparing import SimulatedStep
from privlab.od.planning import MECHANISM_NAMES
from privlab.stats import percent_at_least

# What a steward reads for each step.
_WORDS = {
    "integer": "integer noise, L trips at random",
    "gaussian": "Gaussian noise, L trips at random",
    "gaussian, l2": "Gaussian noise, all trips weighted",
    "gaussian, l2, unbiased": "… given back by a total",
    "gaussian, l2, unbiased, levels": "… and made to agree with sums of districts",
    "gaussian, l2, unbiased, smoothed": "… by a total, and smoothed",
}
_SHOWN = {  # what of a release the numbers are, where they are not the noisy counts
    "gaussian, l2, unbiased": "scaled up by the published total, which gives back what the limit takes",
    "gaussian, l2, unbiased, levels": "made to agree with the sums of districts, and scaled up by the published total",
    "gaussian, l2, unbiased, smoothed": "smoothed, and scaled up by the published total",
}


def mechanisms_figure(
    steps: Sequence[Combination], palette: Palette, *, tolerance: float = CLOSE
) -> go.Figure:
    """Return a bar for each step: the share of all trips in flows within the tolerance, and what it gains over the one before.

    A step that adds to an earlier one says to which.
    """
    names = [f"{i}. {_WORDS[one.name]}" for i, one in enumerate(steps, 1)]
    figure = go.Figure(
        go.Bar(
            x=[one.within for one in steps],
            y=names,
            orientation="h",
            width=0.4,
            marker={"color": [palette.muted if one.delta == 0 else palette.repaired for one in steps]},
            customdata=[percent_at_least(one.within) for one in steps],
            hovertemplate="%{y}: %{customdata} of all trips<extra></extra>",
        )
    )
    for i, (name, one) in enumerate(
        zip(names, steps, strict=True)
    ):  # above its bar: a telephone has no room beside it
        before = _built_on(one, steps[:i])
        of = "" if before is None or before is steps[i - 1] else f" on step {steps.index(before) + 1}"
        gain = "" if before is None else f" ({_points(one.within - before.within)}{of})"
        figure.add_annotation(
            x=0, y=name, xanchor="left", yshift=21, showarrow=False,
            text=f"{name}: {percent_at_least(one.within)}{gain}, RMSE {_trips(one.rmse)}", font={"size": 12, "color": palette.true},
        )  # fmt: skip
    figure.update_layout(
        meta={"columns": {"y": "step"}},  # in its table of numbers
        height=400,
        margin={"l": 15, "r": 20, "t": 10, "b": 60},
        xaxis={
            "title": f"trips expected in flows within {100 * tolerance:g}% of the truth",
            "range": [0, 1],
            "tickformat": ".0%",
        },
        yaxis={"range": [len(names) - 0.6, -0.8], "showticklabels": False},
        showlegend=False,
    )
    return figure


def _built_on(one: Combination, before: Sequence[Combination]) -> Combination | None:
    """Return the step that one adds to: that before it, but of the smoothed counts those with a total alone."""
    total = one.name.removesuffix(", smoothed")
    named = [other for other in before if other.name == total]
    return named[0] if named else before[-1] if before else None


def _points(gain: float) -> str:
    """Return a difference of shares in percentage points."""
    return f"{100 * gain:+.1f}".replace("-", "−")


def _trips(rmse: float) -> str:
    return f"{rmse:,.1f}" if rmse < 100 else f"{rmse:,.0f}"


def mechanisms_rows(steps: Sequence[Combination], *, tolerance: float = CLOSE) -> list[dict[str, str]]:
    """Return what a table of the steps says, a row each."""
    return [
        {
            "step": f"{i}. {_WORDS[one.name]}",
            "L": f"{one.max_trips_per_user:,}",
            "threshold": f"{one.threshold:,}",
            f"within {100 * tolerance:g}%": percent_at_least(one.within),
            "RMSE (trips)": f"{one.rmse:,.1f}",
            "false flows": f"{one.made_up_share:.1%}",
            "noise on a flow (standard deviation)": f"{one.noise_deviation:,.1f}",
        }
        for i, one in enumerate(steps, 1)
    ]


def mechanism_name(one: Combination) -> str:
    """Return what a release is called where it is offered.

    A button says it with its limit and threshold.
    """
    most = one.max_trips_per_user
    trips = "1 trip" if most == 1 else f"{most:,} trips"
    return f"{MECHANISM_NAMES[one.name]}, at most {trips}, threshold {one.threshold:,}"


def step_name(name: str) -> str:
    """Return what a step is called where one of them is chosen.

    >>> step_name("gaussian, l2, unbiased")
    'Gaussian noise and a total'
    """
    return MECHANISM_NAMES[name]


def step_finding(step: SimulatedStep, *, tolerance: float = CLOSE) -> str:
    """Return what one draw of a release by a step keeps, what was expected of it, and what it promises to whom."""
    use, expected, n_users = step.review.utility, step.expected, step.review.n_users
    flows = use.cells_kept + use.cells_lost
    made_up = f", and {number_of('false flow', use.cells_spurious)}" if use.cells_spurious else ""
    beside = f", with δ = {delta_words(step.delta)} beside it," if step.delta else ""
    shown = _SHOWN.get(expected.name)
    numbers = (
        f" The numbers shown are {shown}; the noisy counts stand beside them in a release." if shown else ""
    )
    return (
        f"From {people(n_users)}, **{use.cells_kept:,} of {number_of('flow', flows)}** would be published{made_up}. "
        f"**{capital(percent_at_least(expected.within))}** of all trips are expected in flows within {100 * tolerance:g}% of the truth, "
        f"and this draw has {share_of(step.within)} there. "
        f"The promise ε = {expected.epsilon:g}{beside} covers all that one person does in a week.{numbers}"
    )


def mechanisms_in_words(steps: Sequence[Combination], *, tolerance: float = CLOSE) -> str:
    """Return what the best release leaves against today's, for the same promise."""
    first, best = steps[0], best_combination(steps)
    assert best is not None
    if best.within < USELESS:
        return (
            f"With ε = {first.epsilon:g} to everything a person does in a week, no release leaves even {USELESS:.0%} of all trips in flows within "
            f"{100 * tolerance:g}% of the truth: what would be published is noise, or nothing. Larger zones help, more people, and a larger ε."
        )
    start = (
        f"With ε = {first.epsilon:g} to everything a person does in a week, {MECHANISM_NAMES[first.name]} with at most "
        f"{number_of('trip', first.max_trips_per_user)} leaves {percent_at_least(first.within)} of all trips in flows within "
        f"{100 * tolerance:g}% of the truth (RMSE {_trips(first.rmse)} trips)"
    )
    if best is first:
        return f"{start}; no other release leaves more here."
    beside = "" if first.delta else f", with δ = {delta_words(best.delta)} beside it"
    return (
        f"{start}; {MECHANISM_NAMES[best.name]}, at most {number_of('trip', best.max_trips_per_user)} and threshold {best.threshold:,} leave "
        f"**{percent_at_least(best.within)}** (RMSE {_trips(best.rmse)}){beside}."
    )


def no_mechanism_in_words(min_utility: float | None, *, max_made_up: float) -> str:
    """Return why nothing is offered."""
    if min_utility is None:
        return f"No threshold keeps false flows to {max_made_up:.1%} of those published under this promise."
    return f"No ε leaves {100 * min_utility:g}% of all trips in flows that near the truth. Ask for less, or take larger zones."
