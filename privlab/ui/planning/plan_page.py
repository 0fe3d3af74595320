"""The plan page's own controls, tables and sentences, and what a limit on trips per user takes."""

from dataclasses import asdict
from typing import Any

import streamlit as st

from privlab.defaults import USUAL_BOUND
from privlab.figures.maps import flow_label
from privlab.figures.planning import clipping_figure, plan_figure
from privlab.figures.wording import options_in_words, words
from privlab.lab.planning import (
    advice_from_plan_points,
    plan_points_from_trips,
    reason_against_plan,
)
from privlab.od.planning import MECHANISM_NAMES, Advice, Clipping, PlanPoint, PlanRequest
from privlab.ui import cached
from privlab.ui.attack import people_view
from privlab.ui.data.own_file import loaded_request
from privlab.ui.derived import once_as_it_opens, opens_with_week
from privlab.ui.planning import plan_offer
from privlab.ui.planning.plan_wishes import first_wishes, request_as_wished
from privlab.ui.settings_of_release import chosen_mechanism, gives_back, is_taken, weighs_trips
from privlab.ui.shell import parts
from privlab.ui.shell.command_line import command_from_plan
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart, briefly
from privlab.ui.work.kept_results import kept
from privlab.ui.work.waiting import awaited

_OTHER_WISH = "Wish for something else on the page Plan"
_LETTER_PX = 7  # as wide as a letter in a table is at most, on average


def advice_of(plan: Plan, request: PlanRequest) -> Advice | None:
    """Return the advice for the plan's data, or show why there is none, or how far the search is."""
    if reason := reason_against_plan(plan.prepared.trips):
        st.warning(reason)
        parts.other_data("Load data that says whose trips they are", sample="city")
        people_view.nobody_named()
        return None
    points = points_of(plan, request)
    if points is None:
        return None
    return kept("advice", (points, request), lambda: advice_from_plan_points(points, request))


def points_of(plan: Plan, request: PlanRequest) -> tuple[PlanPoint, ...] | None:
    """Return every release that could be made of the plan's data; None while they are looked for, which is shown."""
    asked = (
        request.tolerance,
        request.max_made_up,
        request.weeks,
        request.cells,
        request.noise,
    )
    work, brief = (
        way(
            plan_points_from_trips,
            plan.prepared.trips,
            request,
            is_public=plan.prepared.public_zones is not None,
            week=plan.week,
            group_size=plan.group_size,
        )
        for way in (apart, briefly)
    )
    return awaited(
        "plan",
        (plan.prepared.key, plan.week, plan.group_size, *asked),
        once_as_it_opens(
            plan,
            ("plan", *asked),
            work,
            opens=opens_with_week(plan) and request == first_wishes(plan),
            keep="plan",
            brief=brief,
        ),
    )


def offer(plan: Plan) -> None:
    """Offer, where no plan is chosen, the one that does what was last wished for on the page Plan, to be taken at once."""
    advice = advice_of(plan, request_as_wished(plan))
    if advice is None:
        parts.way_on("plan", _OTHER_WISH)
        return
    best = advice.recommended or advice.best_allowed or advice.least_risky
    parts.true_data()
    st.markdown(advice.statement)
    if best is not None:
        if best is not advice.recommended:
            st.markdown(f"The nearest miss: {plan_offer.judged(advice, best)}")
        plan_offer.take_button(plan, best, key="take_offer", primary=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        if best is None:
            parts.setting_button(
                f"Count at most {USUAL_BOUND} trips of a person",
                key="bound_for_publish",
                bound=str(USUAL_BOUND),
            )
        parts.way_on("plan", _OTHER_WISH)


def adopt_button(plan: Plan, advice: Advice) -> None:
    """Offer to carry the recommended parameters into the settings that all pages share."""
    if advice.recommended is not None:
        plan_offer.take_button(
            plan, advice.recommended, key="use_plan", primary=True, words="Take the recommended plan"
        )
        if not is_taken(plan.release, advice.recommended):
            st.caption("Until it is taken, the other pages go on with the settings as they are.")
    plan_offer.where_to_go(plan, _by_name(advice.points))


def _by_name(points: tuple[PlanPoint, ...]) -> dict[str, PlanPoint]:
    """Return releases by a name that their mechanism, ε and bound make."""
    return {_name(point.mechanism, point.epsilon, point.max_trips_per_user): point for point in points}


def _name(mechanism: str, epsilon: float, bound: float) -> str:
    return f"{mechanism}: {epsilon:g}, {bound:g}"


def figure(plan: Plan, advice: Advice) -> None:
    """Show every release that could be made, what is accepted, and what is recommended; each can be picked and taken."""
    parts.chart(
        lambda: plan_figure(advice, palette()),
        key="plan_frontier",
        alt=advice.statement,
        options=asdict(advice.request),
        about="people",
        on_pick=_pick,
        made_of=(advice,),
    )
    _picked(plan, advice)
    st.caption(
        "Each point is a release: a kind of noise, ε, a limit on trips, and the least threshold that keeps false flows rare. Rings are one "
        "step from the recommended release; at crosses an attacker is certain too often. The attack is on the worst-placed person of "
        "any data; utility is of this data, expected over the noise. The choice looks at true data and is covered by no guarantee: "
        "plan on an earlier week or on a sample where that matters."
    )


def _pick() -> None:
    """Remember the release whose point was clicked."""
    points = st.session_state["plan_frontier"]["selection"]["points"]
    if points and points[0].get("customdata"):
        epsilon, bound, _, mechanism = points[0]["customdata"][:4]
        st.session_state["plan_point"] = _name(str(mechanism), float(epsilon), float(bound))


def _picked(plan: Plan, advice: Advice) -> None:
    """Show the release that was clicked, or chosen from the list, and offer to take it."""
    state, points = st.session_state, _by_name(advice.points)
    if state.get("plan_point") not in points:
        state["plan_point"] = None
    names = list(_by_name(advice.frontier))
    if state["plan_point"] is not None and state["plan_point"] not in names:
        names.append(state["plan_point"])
    chosen = st.selectbox(
        "Look at one of these releases",
        names,
        None,
        key="plan_point",
        persist_state="session",
        placeholder="Click a point, or choose one here",
        format_func=lambda name: points[name].in_words,
        help="The list holds the frontier: the releases that no other beats. In the figure every point can be clicked.",
    )
    if chosen is None:
        return
    with st.container(border=True):
        st.markdown(plan_offer.judged(advice, points[chosen]))
        best = advice.recommended
        if best is not None and plan_offer.smaller_is_riskier(best, (points[chosen],)):
            st.markdown(plan_offer.SMALLER_BOUND)
        plan_offer.take_button(plan, points[chosen], key="take_picked")


def frontier_table(plan: Plan, advice: Advice) -> None:
    """Show the releases that no other beats, and offer them as a file."""
    # What does all that is wished comes first: the least risky of the frontier are the least useful.
    # Of releases that look alike as printed another may stand for the recommended one.
    points = sorted(
        {*advice.frontier, *filter(None, [advice.recommended])},
        key=lambda point: (
            point != advice.recommended,
            plan_offer.verdict(advice, point) != "accepted",
            plan_offer.shortfall(advice, point),
            point.accuracy,
            -point.utility,
        ),
    )

    def percent(width: int, label: str | None = None) -> Any:
        return st.column_config.NumberColumn(label, format="percent", width=width)

    st.markdown(
        "**The frontier in numbers**: the releases that no other beats as printed here, the recommended one first, then others that are "
        "accepted, the least risky of them first, then the nearest misses"
    )
    verdicts = [
        "recommended" if one == advice.recommended else plan_offer.verdict(advice, one) for one in points
    ]
    parts.columns_table(
        {
            "guessed right": [round(point.accuracy, 6) for point in points],
            "useful": [round(point.utility, 6) for point in points],
            "ε": [point.epsilon for point in points],
            "L": [point.max_trips_per_user for point in points],
            "τ": [point.threshold for point in points],
            "noise": [MECHANISM_NAMES[point.mechanism] for point in points],
            "taken by the limit": [round(point.clipped, 6) for point in points],
            "false flows expected": [round(point.made_up, 1) for point in points],
            "verdict": verdicts,
        },
        key="plan_table",
        config={
            "guessed right": percent(98),
            "useful": percent(60),
            "ε": st.column_config.Column(width=46),
            "L": st.column_config.Column(width=36),
            "τ": st.column_config.NumberColumn(format="localized", width=52),
            "noise": st.column_config.Column(width=165),
            "taken by the limit": percent(80, "limit takes"),
            "false flows expected": st.column_config.Column("false flows (number)", width=134),
            "verdict": st.column_config.Column(
                width=max(167, _LETTER_PX * max(map(len, verdicts), default=0))
            ),
        },
        file_name=f"plan_{plan.week}.csv",
        about=(
            "Releases that could be made",
            f"{plan.prepared.name}: {plan.who}; {', '.join(options_in_words(asdict(advice.request)))}",
            "Expected of the true data, nothing is drawn. Shares are of 1: 0.6 is 60%. guessed right: of all cases, about the worst-placed "
            f"person (a coin: 0.5); useful: of all trips, in flows within {advice.request.tolerance * 100:g}% of the truth; ε, L, τ: promised "
            "to a person's week, trips counted of a person and week at most, threshold; taken by the limit: of all trips",
        ),
    )


def on_the_command_line(plan: Plan, request: PlanRequest) -> None:
    """Show the command that gives the same advice."""
    with st.expander("The same on the command line"):
        st.code(command_from_plan(plan, request, loaded_request()), language=None, wrap_lines=True)


def formula() -> None:
    """Show how the plan is computed."""
    with st.expander("How this is computed"):
        st.markdown(
            r"""
**Risk.** With integer noise of scale $L/\epsilon$ on every cell the worst-placed person has $L$ counted trips in each of the
$W$ weeks: the best attack is a majority vote over $LW$ cells, each right with probability
$e^{\epsilon/L}/(1+e^{\epsilon/L})$. With Gaussian noise of standard deviation $\sigma$ it weighs all cells, and is right with
about $\Phi(\sqrt{LW}/2\sigma)$ (shown is the exact figure of the discrete law). Whatever the data; a coin is right in half.

**Certainty.** How often the $J$ right ones of $n$ cells give $(2J-n)\,\epsilon/L > \ln\frac{c}{1-c}$ : the attacker then
ends more than $c$ sure. The greatest chance of anybody is that at $n = LW$ or $n = LW - 1$. With Gaussian noise the loss has the
normal law of mean $LW/2\sigma^2$ and twice that variance, nearly.

**Use.** The expected share of all unique trips in flows whose published count lies within the tolerance of the true one,
trips over the limit included; exact for each flow, from the tails of the noise. With a total: of the counts times what it gives back.

**Threshold.** The least of two digits for which flows that do not exist are expected to be at most the given share of what
is published.

**Uncounted trips.** $\sum_u \max(T_u-L,0)/\sum_u T_u$ over the people's numbers of unique trips $T_u$. A flow loses in
expectation $\sum_u (1-L/T_u)$ over the people in it who have more than $L$. Where all trips are weighted, each of them loses
$1-\sqrt{L/T_u}$ of its weight; a published total multiplies all counts by what undoes this on average.
"""
        )


_FLOWS_SHOWN = 50


def clipping(plan: Plan, advice: Advice) -> None:
    """Show what each limit takes, by the noise that is chosen, and the flows that lose most to one of them."""
    left_bound, best = plan.release.max_trips_per_user, advice.recommended
    mechanism = chosen_mechanism()
    if left_bound is None and best is not None:
        mechanism = best.mechanism
    weighted, alike = weighs_trips(mechanism), best is not None and weighs_trips(best.mechanism)
    marked = {} if left_bound is None else {f"in the settings: {left_bound:,}": left_bound}
    if best is not None and best.max_trips_per_user != left_bound and weighted == alike:
        marked[f"recommended: {best.max_trips_per_user:,}"] = best.max_trips_per_user
    clip = "l2" if weighted else "keep"
    found = cached.clipping(plan.prepared.key, plan.prepared, plan.week, plan.group_size, clip)
    if found is None:
        return
    bound = left_bound or (best.max_trips_per_user if best is not None else None)
    if bound is None:
        sentence = f"Choose a limit in the settings to see what it takes from {found.n_trips:,} unique trips."
    else:
        sentence = _taken_in_words(found, bound, weighted=weighted)
        if found.at(bound)[1]:
            sentence += f" {_GIVEN_BACK if gives_back(mechanism) else 'Noise comes on top; this loss is the same in every release.'}"
    st.markdown(sentence)
    parts.chart(
        lambda: clipping_figure(found, palette(), marked=marked, weighted=weighted),
        key="plan_clipping",
        alt=sentence.replace("*", ""),
        about="people",
        made_of=(plan.prepared.key, plan.week, plan.group_size, weighted, tuple(marked.items())),
    )
    if bound is not None:
        left = found.n_trips - found.at(bound)[0]
        _flows_losing_most(
            plan, bound, clip, found.n_trips / left if gives_back(mechanism) and left else None
        )


_GIVEN_BACK = (
    "The published total gives it back to all flows alike, on average: what stays is that flows of people who travel much are too "
    "low, and the others too high. Noise comes on top."
)


def _taken_in_words(found: Clipping, bound: int, *, weighted: bool) -> str:
    trips, people = found.at(bound)
    share = trips / max(found.n_trips, 1)
    if not people:
        return f"Nobody makes more than {words.number_of('unique trip', bound)} in this week: the limit takes nothing."
    if not weighted:
        return (
            f"At most {words.number_of('trip', bound)} per user {'leaves' if bound == 1 else 'leave'} **{trips:,} of {found.n_trips:,} unique trips "
            f"uncounted "
            f"({share:.1%})**, of {people:,} of {found.n_people:,} people."
        )
    return (
        f"With a limit of {bound:,} no trip is left out. {people:,} of {found.n_people:,} people have more, and each of their trips "
        f"counts for less than one: **together {share:.1%} of the weight of all {found.n_trips:,} unique trips is taken**."
    )


def _flows_losing_most(plan: Plan, bound: int, clip: str, given_back: float | None) -> None:
    """Show the flows that lose most; `given_back` is what a total multiplies counts with, None without one."""
    bias = cached.flow_bias(plan.prepared.key, plan.prepared, plan.week, plan.group_size, bound, clip)
    if bias is None:
        return
    zones, n_zones = plan.prepared.zone_map, plan.prepared.trips.zones.size
    over = ", expected over which trips are counted" if clip == "keep" else ""
    st.markdown(f"**Flows that lose most to a limit of {bound:,}**{over}")
    rows = []
    for i in range(min(_FLOWS_SHOWN, bias.flow.size)):
        origin, destination = divmod(int(bias.flow[i]), n_zones)
        row = {
            "flow": flow_label(zones, origin, destination),
            "true": f"{bias.true[i]:,}",
            "uncounted" if clip == "keep" else "taken": f"{bias.lost[i]:,.1f}",
            "share": f"{bias.share_lost[i]:.1%}",
        }
        if given_back is not None:
            off = (bias.true[i] - bias.lost[i]) * given_back / bias.true[i] - 1
            row["off after the total"] = f"{off:+.1%}".replace("-", "−")
        rows.append(row)
    parts.table(rows, key="plan_bias")
