"""The plan page's own controls, tables and sentences, and what a bound on trips per user leaves uncounted."""

from dataclasses import asdict

import streamlit as st

from privlab.figures import clipping_figure, flow_label, plan_figure
from privlab.lab import advice_from_plan_points, plan_points_from_trips, reason_against_plan
from privlab.od.planning import Advice, PlanPoint, PlanRequest, certainty_sentence, too_certain
from privlab.od.releases import ReleaseParameters
from privlab.ui import cached, inputs
from privlab.ui.flows import people_view
from privlab.ui.shell import parts
from privlab.ui.shell.command_line import command_from_plan
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.waiting import awaited

_TOLERANCES = ["1", "2", "5", "10", "20", "30", "50"]
_CASES = ["0.1", "1", "5", "10", "any"]
_MADE_UP = ["0.1", "1", "5", "10", "50"]


def wishes(plan: Plan) -> PlanRequest:
    """Show what a steward may ask for; return it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        accuracy = st.slider(
            "Nobody guessed right in more than (%)",
            51,
            99,
            60,
            key="max_accuracy",
            bind="query-params",
            help="How often the best attack may be right on anyone who is in the data or not; a coin is right in 50 %. A mean over all that may be published: certainty is the next wish.",
        )
        utility = st.slider(
            "At least so much of all trips (%)",
            0,
            100,
            80,
            key="min_utility",
            bind="query-params",
            help="Expected share of all unique trips that lie in flows published close to the truth.",
        )
    certainty, cases = _certainty_wish()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        tolerance = st.segmented_control(
            "… in flows within (%) of the truth",
            _TOLERANCES,
            default="10",
            key="tolerance",
            bind="query-params",
            required=True,
        )
        made_up = st.segmented_control(
            "Published flows that do not exist, at most (%)",
            _MADE_UP,
            default="1",
            key="made_up",
            bind="query-params",
            required=True,
            help="Expected; the threshold is the least that keeps to it.",
        )
        weeks = inputs.weekly_releases_control()
        cells = inputs.cells_control(plan.prepared)
    return PlanRequest(
        max_accuracy=accuracy / 100,
        min_utility=utility / 100,
        tolerance=float(tolerance or "10") / 100,
        max_made_up=float(made_up or "1") / 100,
        weeks=weeks,
        max_certainty=certainty,
        max_cases=cases,
        cells=cells,
    )


def _certainty_wish() -> tuple[float | None, float | None]:
    """Show how certain an attacker may become, and how often; return both, or None twice where any may be."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        certainty = st.slider(
            "Nobody known to be in with more certainty than (%)",
            51,
            99,
            95,
            key="max_certainty",
            bind="query-params",
            help="How sure an attacker may end of someone who is in, having held both answers for equally likely.",
        )
        cases = st.segmented_control(
            "… in more than (% of cases)",
            _CASES,
            default="5",
            key="max_cases",
            bind="query-params",
            required=True,
            help="“any” switches this wish off. Counted over the noise, for someone whose flows are all published.",
        )
    return (None, None) if cases in (None, "any") else (certainty / 100, float(cases) / 100)


def advice_of(plan: Plan, request: PlanRequest) -> Advice | None:
    """Return the advice for the plan's data, or show why there is none, or how far the search is."""
    trips = plan.prepared.trips
    if reason := reason_against_plan(trips):
        st.info(reason)
        people_view.nobody_named()
        return None
    points = awaited(
        "plan",
        (
            plan.prepared.key,
            plan.week,
            plan.group_size,
            request.tolerance,
            request.max_made_up,
            request.weeks,
            request.cells,
        ),
        lambda progress: plan_points_from_trips(
            trips, request, week=plan.week, group_size=plan.group_size, progress=progress
        ),
    )
    return None if points is None else advice_from_plan_points(points, request)


def parameters_of(point: PlanPoint) -> ReleaseParameters:
    """Return the release that a point stands for; plans are made for integer noise."""
    return ReleaseParameters(
        epsilon=point.epsilon,
        threshold=point.threshold,
        max_trips_per_user=point.max_trips_per_user,
        noise="integer",
    )


def adopt_button(plan: Plan, advice: Advice) -> None:
    """Offer to carry the recommended parameters into the settings that all pages share."""
    if advice.recommended is None:
        return
    there = plan.release == parameters_of(advice.recommended)
    st.button(
        "These are the settings on the left" if there else "Use these on every page",
        key="use_plan",
        type="primary",
        icon=":material/check:" if there else ":material/input:",
        disabled=there,
        on_click=_adopt,
        args=(parameters_of(advice.recommended),),
    )


def _adopt(release: ReleaseParameters) -> None:
    state = st.session_state
    state["epsilon"] = f"{release.epsilon:g}"
    state["threshold"] = str(release.threshold)
    state["bound"] = str(release.max_trips_per_user)
    state["noise"] = release.noise


def figure(advice: Advice) -> None:
    """Show every release that could be made, what is accepted, and what is recommended."""
    parts.chart(
        plan_figure(advice, palette()),
        key="plan_frontier",
        alt=advice.statement,
        options=asdict(advice.request),
        about="people",
    )
    st.caption(
        "Each point is a release: ε, a bound L, and the least threshold τ that keeps made-up flows rare. The attack is on "
        "the worst-placed person of any data; utility is of this data, expected over the noise. The choice looks at true data "
        "and is covered by no guarantee: plan on an earlier week or on a sample where that matters."
    )


def neighbours(advice: Advice) -> None:
    """Say what changes one step away from the recommended release, or what the two nearest misses are."""
    if advice.recommended is not None:
        st.markdown("**One step away**, against the recommended release")
        for one in advice.neighbours:
            st.markdown(f"- {_change(advice, advice.recommended, one)}")
        return
    st.markdown("**The nearest misses**")
    misses = (
        ("The most useful within the risk", advice.best_allowed),
        ("The least risk of that use", advice.least_risky),
    )
    for name, point in misses:
        if point is None:
            st.markdown(f"- {name}: there is none.")
        else:
            st.markdown(
                f"- {name}: ε = {point.epsilon:g}, at most {point.max_trips_per_user:,} trips, threshold "
                f"{point.threshold:,}: guessed right in {point.accuracy:.1%} (a coin: 50 %), useful "
                f"{point.utility:.1%}. {certainty_sentence(point, advice.request)}"
            )


def _change(advice: Advice, point: PlanPoint, other: PlanPoint) -> str:
    """Return in a sentence what one step costs and brings."""
    step = f"ε = {other.epsilon:g}"
    if point.epsilon == other.epsilon:
        step = f"at most {other.max_trips_per_user:,} trips"
    risk, use = other.accuracy - point.accuracy, other.utility - point.utility
    moved = "" if other.threshold == point.threshold else f" (threshold {other.threshold:,})"
    return (
        f"**{step}**{moved}: guessed right in {other.accuracy:.1%} ({_signed(risk)}), useful {other.utility:.1%} "
        f"({_signed(use)}); {_verdict(advice, other)}."
    )


def _verdict(advice: Advice, point: PlanPoint) -> str:
    wish = advice.request
    missing = [
        *(["too risky"] if point.accuracy > wish.max_accuracy else []),
        *(["too certain"] if too_certain(point, wish) else []),
        *(["too little use"] if point.utility < wish.min_utility else []),
    ]
    return " and ".join(missing) or "accepted"


def _signed(change: float) -> str:
    return "unchanged" if abs(change) < 5e-4 else f"{100 * change:+.1f}".replace("-", "−")


def frontier_table(plan: Plan, advice: Advice) -> None:
    """Show the releases that no other beats, and offer them as a file."""
    points = advice.frontier
    percent = st.column_config.NumberColumn(format="percent")
    st.markdown("**The frontier in numbers**: the releases that no other beats")
    parts.columns_table(
        {
            "ε": [point.epsilon for point in points],
            "L": [point.max_trips_per_user for point in points],
            "τ": [point.threshold for point in points],
            "guessed right": [round(point.accuracy, 6) for point in points],
            "useful": [round(point.utility, 6) for point in points],
            "uncounted": [round(point.clipped, 6) for point in points],
            "made-up flows": [round(point.made_up, 4) for point in points],
            "verdict": [_verdict(advice, point) for point in points],
        },
        key="plan_table",
        config=dict.fromkeys(("guessed right", "useful", "uncounted"), percent),
        file_name=f"plan_{plan.week}.csv",
    )


def on_the_command_line(plan: Plan, request: PlanRequest) -> None:
    """Show the command that gives the same advice."""
    with st.expander("The same on the command line"):
        st.code(command_from_plan(plan, request), language="bash", wrap_lines=True)


def formula() -> None:
    """Show how the plan is computed."""
    with st.expander("How this is computed"):
        st.markdown(
            r"""
**Risk.** Integer noise of scale $L/\epsilon$ on every cell. The worst-placed person has $L$ counted trips in each of the
$W$ weeks: the best attack is a majority vote over $LW$ cells, each right with probability
$e^{\epsilon/L}/(1+e^{\epsilon/L})$. It is exact, whatever the data. A coin is right in half.

**Certainty.** How often the $J$ right ones of $n$ cells give $(2J-n)\,\epsilon/L > \ln\frac{c}{1-c}$ : the attacker then
ends more than $c$ sure. The greatest chance of anybody is that at $n = LW$ or $n = LW - 1$.

**Use.** The expected share of all unique trips in flows whose published count lies within the tolerance of the true one,
clipping included; exact for each flow, from the tails of the noise.

**Threshold.** The least of two digits for which flows that do not exist are expected to be at most the given share of what
is published.

**Uncounted trips.** $\sum_u \max(T_u-L,0)/\sum_u T_u$ over the people's numbers of unique trips $T_u$. A flow loses in
expectation $\sum_u (1-L/T_u)$ over the people in it who have more than $L$.
"""
        )


_FLOWS_SHOWN = 50


def clipping(plan: Plan, advice: Advice) -> None:
    """Show how many trips each bound leaves uncounted, and the flows that lose most to one of them."""
    left_bound, best = plan.release.max_trips_per_user, advice.recommended
    marked = {} if left_bound is None else {f"on the left: {left_bound:,}": left_bound}
    if best is not None and best.max_trips_per_user != left_bound:
        marked[f"recommended: {best.max_trips_per_user:,}"] = best.max_trips_per_user
    found = cached.clipping(plan.prepared.key, plan.prepared, plan.week, plan.group_size)
    if found is None:
        return
    bound = left_bound or (best.max_trips_per_user if best is not None else None)
    if bound is None:
        sentence = f"Choose a bound on the left to see what it takes from {found.n_trips:,} unique trips."
    else:
        trips, people = found.at(bound)
        sentence = (
            f"At most {bound:,} trips per user leave **{trips:,} of {found.n_trips:,} unique trips uncounted "
            f"({trips / max(found.n_trips, 1):.1%})**, of {people:,} of {found.n_people:,} people."
        )
    st.markdown(f"{sentence} Noise comes on top; this loss is the same in every release.")
    figure_, flows = st.columns([3, 2], gap="large")
    with figure_:
        parts.chart(
            clipping_figure(found, palette(), marked=marked),
            key="plan_clipping",
            alt=sentence.replace("*", ""),
            about="people",
        )
    if bound is not None:
        with flows:
            _flows_losing_most(plan, bound)


def _flows_losing_most(plan: Plan, bound: int) -> None:
    bias = cached.flow_bias(plan.prepared.key, plan.prepared, plan.week, plan.group_size, bound)
    if bias is None:
        return
    zones, n_zones = plan.prepared.zone_map, plan.prepared.trips.zones.size
    st.markdown(f"**Flows that lose most to a bound of {bound:,}**, expected over which trips are counted")
    rows = []
    for i in range(min(_FLOWS_SHOWN, bias.flow.size)):
        origin, destination = divmod(int(bias.flow[i]), n_zones)
        rows.append(
            {
                "flow": flow_label(zones, origin, destination),
                "true": f"{bias.true[i]:,}",
                "uncounted": f"{bias.lost[i]:,.1f}",
                "share": f"{bias.share_lost[i]:.1%}",
            }
        )
    parts.table(rows, key="plan_bias")
