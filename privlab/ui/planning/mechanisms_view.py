"""The best release for one promise, or the least ε for one use, on the page Plan: step by step, each to be taken by one click."""

import streamlit as st

from privlab.dp.promise import delta_words
from privlab.figures.planning import (
    mechanism_name,
    mechanisms_figure,
    mechanisms_in_words,
    mechanisms_rows,
    no_mechanism_in_words,
)
from privlab.figures.wording import plain
from privlab.lab.comparing import combinations_from_week, reason_against_combinations, weighed_week_from_trips
from privlab.lab.judging import WANTED_DELTA
from privlab.limits import MAX_EPSILON, MIN_EPSILON
from privlab.od.combining import USELESS, Combination, CombinationRequest, best_combination
from privlab.od.planning import Advice
from privlab.od.weighing import WeighedWeek
from privlab.ui.derived import once_as_it_opens, opens_with_week
from privlab.ui.report.report_state import add_button
from privlab.ui.settings_of_release import PUBLISHED, is_taken, settings_of_mechanism
from privlab.ui.shell import parts
from privlab.ui.shell.addresses import words_in_address
from privlab.ui.shell.parts import palette
from privlab.ui.sliders import follow
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited

_WISHES = {"promise": "a promise", "use": "a use"}


def mechanisms(plan: Plan, advice: Advice) -> None:
    """Find the best release under one promise, or the least ε for one use, once asked to; offer to take it."""
    st.subheader("The same promise, more use")
    state, wish = st.session_state, advice.request
    epsilon, min_utility, asked = _asked(plan, advice)
    if not asked and state.get("compare_asked") != plan.prepared.key:
        st.caption("Other noise for the same ε may leave far more of the flows: look before you publish.")
        return
    state["compare_asked"] = plan.prepared.key
    week = _weighed(plan)
    if week is None:
        return
    request = CombinationRequest(
        epsilon=epsilon, delta=WANTED_DELTA, tolerance=wish.tolerance, max_made_up=wish.max_made_up
    )
    found = awaited(
        "compare",
        (plan.prepared.key, plan.week, plan.group_size, request, min_utility),
        apart(combinations_from_week, week, request, min_utility=min_utility),
    )
    if found is None:
        return
    if not found:
        st.warning(no_mechanism_in_words(min_utility, max_made_up=wish.max_made_up))
        parts.way_on("data", "Choose other zones on the page Data")
        return
    _shown(plan, found, request, min_utility)


def _asked(plan: Plan, advice: Advice) -> tuple[float, float | None, bool]:
    """Show what is wished for; return ε, the use wished for instead of it or None, and whether the search was asked for."""
    best = advice.recommended
    words_in_address("compare_wish", _WISHES)
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_controls"):
        wish = st.segmented_control(
            "Begin with", tuple(_WISHES), format_func=_WISHES.__getitem__, default="promise",
            key="compare_wish", bind="query-params", required=True,
            help="a promise: the release that leaves most of the flows for this ε. a use: the least ε that leaves so many.",
        )  # fmt: skip
        epsilon, min_utility = best.epsilon if best else plan.release.epsilon, None
        if wish == "use":
            use = min(max(round(100 * advice.request.min_utility), 1), 99)
            follow("compare_use", use)
            share = st.number_input(
                "Trips in flows near the truth, % at least", 1, 99, use,
                key="compare_use", bind="query-params", width=260,
                help="How near is said above: within so many % of the truth.",
            )  # fmt: skip
            min_utility = int(share) / 100
        else:
            follow("compare_epsilon", epsilon)
            epsilon = st.number_input(
                "ε to a person's week", MIN_EPSILON, MAX_EPSILON, epsilon,
                key="compare_epsilon", bind="query-params", width=220,
                help="The promise that every step keeps. It begins with that of the plan above.",
            )  # fmt: skip
        asked = st.button(
            "Find the best release", key="compare", icon=":material/bar_chart:",
            help="Tries kinds of noise, limits on trips and thresholds, and works out what each leaves of this data, without "
            "drawing noise. Some seconds the first time.",
        )  # fmt: skip
    return float(epsilon), min_utility, bool(asked)


def _weighed(plan: Plan) -> WeighedWeek | None:
    """Return what every limit leaves of the plan's week, or show how far that is, or why it cannot be said."""
    prepared = plan.prepared
    if reason := reason_against_combinations(prepared.trips, prepared.public_zones):
        st.warning(plain(reason))
        parts.way_on("data", "Choose other zones on the page Data")
        return None
    work = apart(
        weighed_week_from_trips, prepared.trips, prepared.zone_map, prepared.public_zones,
        week=plan.week, group_size=plan.group_size,
    )  # fmt: skip
    return awaited(
        "weighed",
        (prepared.key, plan.week, plan.group_size),
        once_as_it_opens(plan, "weighed", work, opens=opens_with_week(plan)),
        kept=1,
    )


def _shown(
    plan: Plan, found: tuple[Combination, ...], request: CombinationRequest, min_utility: float | None
) -> None:
    sentence = mechanisms_in_words(found, tolerance=request.tolerance)
    st.markdown(sentence)
    parts.chart(
        mechanisms_figure(found, palette(), tolerance=request.tolerance),
        key="compare_chart",
        alt=sentence.replace("*", ""),
        options={"ε": found[0].epsilon, "δ": delta_words(WANTED_DELTA), "false flows": request.max_made_up},
        about="people",
    )
    asked = {"ε": request.epsilon} if min_utility is None else {"use": round(100 * min_utility)}
    add_button("mechanisms", tolerance=request.tolerance, false_flows=request.max_made_up, **asked)
    parts.table(mechanisms_rows(found, tolerance=request.tolerance), key="compare_table")
    st.caption(
        f"Expected of true data, for you alone; the choice looks at it too. Gaussian noise promises ε at δ = {delta_words(WANTED_DELTA)}. "
        "What a total gives back, what agrees with sums of districts, and what is smoothed stand beside the noisy counts, in the file of estimates."
    )
    best = best_combination([one for one in found if one.name in PUBLISHED])
    if best is None or best.within < USELESS:
        parts.way_on("data", "Choose other zones or data")
        return
    with st.container(horizontal=True):
        for one in sorted(found, key=lambda one: one is not best):
            if one.name in PUBLISHED:
                _take_button(one)
    taken = [one for one in found if one.name in PUBLISHED and is_taken(plan.release, one)]
    if taken:
        st.markdown(f"**Taken: {mechanism_name(taken[0])}**")
        with st.container(horizontal=True):
            parts.way_on("release", "See it on the map")
            parts.way_on("publish", "Make it for good")
    else:
        st.caption("What is taken can be seen on the map and made for good.")


def _take_button(one: Combination) -> None:
    parts.setting_button(
        f"Take {mechanism_name(one)}",
        key=f"take_mechanism_{one.name}",
        epsilon=f"{one.epsilon:g}",
        bound=str(one.max_trips_per_user),
        threshold=str(one.threshold),
        noise="integer",
        **settings_of_mechanism(one.name),
    )
