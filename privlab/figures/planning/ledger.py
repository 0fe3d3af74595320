"""What releases have cost, and may cost in a year → a figure, sentences and a table. Computes nothing."""

from collections.abc import Sequence

import plotly.graph_objects as go

from privlab.defaults import CLOSE
from privlab.dp.composing import WeeklyNoise
from privlab.dp.gaussian import UNITS
from privlab.dp.promise import delta_words
from privlab.figures.drawing.palette import Palette
from privlab.figures.wording.words import number_of
from privlab.od.combining import USELESS
from privlab.od.releases import published_half_width
from privlab.releases.accounts import Account
from privlab.stats import percent_at_least

_LEGEND_HEIGHT = 45  # of two lines, in pixels
_LAWS = {"integer": "Integer noise", "gaussian": "Gaussian noise"}
_ADDINGS = {
    "sum": "each week's ε added up",
    "concentrated": "more closely, as the ledger can (ρ)",
    "together": "all weeks fixed at the start",
}


def account_figure(
    account: Account, palette: Palette, *, next_epsilon: float | None, height: int = 190
) -> go.Figure:
    """Return the ε of every release so far as one bar, the next one's beside it, the budget as a line."""
    figure = go.Figure()
    for entry in account.entries:
        figure.add_bar(
            x=[entry.epsilon],
            y=["ε"],
            orientation="h",
            name="spent",
            meta={"release": str(entry.number), "made (UTC)": entry.made},
            showlegend=entry is account.entries[0],
            marker={"color": palette.attack, "line": {"color": palette.marker, "width": 0.5}},
            hovertemplate=f"release {entry.number}, {entry.made[:10]}: ε = {entry.epsilon:g}<extra></extra>",
        )
    if next_epsilon is not None:
        figure.add_bar(
            x=[next_epsilon],
            y=["ε"],
            orientation="h",
            name="one more release would add" if account.entries else "this release would add",
            marker={"color": palette.repaired, "pattern": {"shape": "/"}},
            hovertemplate=f"the next release: ε = {next_epsilon:g}<extra></extra>",
        )
    if account.budget_epsilon is not None:
        figure.add_vline(
            x=account.budget_epsilon,
            line={"color": palette.claim, "width": 2, "dash": "dash"},
            annotation={"text": f"budget {account.budget_epsilon:g}", "xanchor": "right"},
            annotation_position="top left",
        )
    is_named = bool(account.entries) or next_epsilon is not None
    most = max(account.epsilon + (next_epsilon or 0), account.budget_epsilon or 0, 1e-9)
    figure.update_layout(
        meta={"columns": {"curve": "what", "x": "ε, spent by one user", "y": ""}},  # in its table of numbers
        height=height + (_LEGEND_HEIGHT if is_named else 0),
        barmode="stack",
        bargap=0.5,  # the name of the budget stands above the bar
        margin={"l": 60, "r": 10, "t": 30, "b": 50 + (_LEGEND_HEIGHT if is_named else 0)},
        xaxis={"title": "ε spent by one user, all releases added up", "range": [0, most * 1.08]},
        yaxis={"title": ""},
        showlegend=is_named,
        # Below all, for above it stands the title, and on a telephone it has two lines.
        legend={
            "orientation": "h",
            "x": 0,
            "y": 0,
            "yref": "container",
            "yanchor": "bottom",
            "traceorder": "normal",
        },
    )
    return figure


def year_rows(noises: Sequence[WeeklyNoise], use: Sequence[float] = ()) -> list[dict[str, str]]:
    """Return the noise of each week of a year ahead as rows, most noise first; with `use`, what each would leave."""
    shares = [percent_at_least(share) for share in use] or [""] * len(noises)
    return [
        {
            "noise": _LAWS[one.noise],
            "how the weeks add up": _ADDINGS[one.adding],
            **({f"trips within {CLOSE:.0%}": share} if use else {}),
            "L": f"{one.max_trips_per_user:,}",
            "ε of one week": f"{one.epsilon:g}",
            "noise, in 95 of 100 flows": f"±{_half_width(one):,} trips",
        }
        for one, share in sorted(zip(noises, shares, strict=True), key=lambda pair: -pair[0].deviation)
    ]


def year_in_words(noises: Sequence[WeeklyNoise], use: Sequence[float] = ()) -> str:
    """Return what a year of releases takes, by the plain sum and by the best way that a ledger can keep.

    `use` is what each noise is expected to leave: noise alone does not tell, since a limit on trips takes more the lower it is.
    """
    kept = [one for one in noises if one.adding == "concentrated"]
    summed = [one for one in noises if one.adding == "sum"]
    if not kept and not summed:
        return "No week can have so little of it. Allow a larger ε for all weeks, or fewer weeks."
    first = noises[0]
    budget = (
        f"{first.weeks} weekly releases that together cost a person at most ε = {first.total_epsilon:g} at "
        f"δ = {delta_words(first.delta)}"
    )
    shares = dict(zip(noises, use, strict=True)) if use else {}
    if not kept:
        return (
            f"{budget}: each week has integer noise of up to ±{_half_width(summed[0]):,} trips in 95 of 100 flows, under a limit of "
            f"{number_of('trip', summed[0].max_trips_per_user)} of a person and week, with ε added to ε; with ρ added to ρ a week's ε would be too "
            f"small to release with.{_left_in_words(summed[0], (), shares)}"
        )
    best = max(kept, key=lambda one: (shares.get(one, 0.0), -one.deviation))
    beside = (
        f", instead of ±{_half_width(summed[0]):,} (a limit of {number_of('trip', summed[0].max_trips_per_user)}) with ε added to ε"
        if summed
        else "; with ε added to ε a week's ε would be too small to release with"
    )
    return (
        f"{budget}: each week has {_LAWS[best.noise].replace('Integer', 'integer')} of up to "
        f"±{_half_width(best):,} trips in 95 of 100 flows, "
        f"under a limit of {number_of('trip', best.max_trips_per_user)} of a person and week{beside}.{_left_in_words(best, summed, shares)}"
    )


def _left_in_words(best: WeeklyNoise, summed: Sequence[WeeklyNoise], shares: dict[WeeklyNoise, float]) -> str:
    """Say what the best way leaves of the flows, beside what the plain sum leaves; nothing where that is not known."""
    if not shares:
        return ""
    if max(shares.values()) < USELESS:
        return f" **Nothing useful is left in any week**: less than {USELESS:.0%} of all trips in flows within {CLOSE:.0%} of the truth."
    beside = (
        f", where ε added to ε leaves {percent_at_least(max(shares[one] for one in summed))}"
        if summed
        else ""
    )
    return f" That is expected to leave {percent_at_least(shares[best])} of all trips in flows within {CLOSE:.0%} of the truth{beside}."


def _half_width(one: WeeklyNoise) -> int:
    """Return within how many trips the noise of a noisy count stays in 95 of 100, as for a release."""
    scale = one.deviation * UNITS if one.noise == "gaussian" else one.max_trips_per_user / one.epsilon
    return published_half_width(one.noise, scale)
