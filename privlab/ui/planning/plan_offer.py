"""A release of a plan in words, with the button that takes it into the settings of every page."""

from collections.abc import Mapping

import streamlit as st

from privlab.od.planning import Advice, PlanPoint, certainty_sentence, too_certain
from privlab.ui.data.own_file import has_other_sizes
from privlab.ui.settings_of_release import choose_point, is_taken
from privlab.ui.shell import parts
from privlab.ui.state import OWN, Plan

TAKE = "Sets ε, the bound, the threshold and the noise on every page, so that Release shows and Publish makes this release."
SMALLER_BOUND = (
    "**Why may a smaller bound be riskier?** At the same ε a bound of L trips lets each trip give away ε/L. With fewer trips "
    "each of them tells more, and there is less noise: a few strong clues are easier to read than many weak ones. The "
    "proven limit, e^ε/(1+e^ε), is the same for every bound; only the attack as it is differs. To make a small bound "
    "safer, take a smaller ε with it."
)


def judged(advice: Advice, point: PlanPoint) -> str:
    """Return what a release would give away, what it would be good for, and what of the wishes it misses."""
    return (
        f"{point.in_words}: guessed right in {point.risk_words} (a coin: 50%), useful {point.use_words}; "
        f"{verdict(advice, point)}. {certainty_sentence(point, advice.request)}"
    )


def verdict(advice: Advice, point: PlanPoint) -> str:
    """Return which of the wishes a release misses."""
    wish = advice.request
    missing = [
        *(["too risky"] if point.accuracy > wish.max_accuracy else []),
        *(["too certain"] if too_certain(point, wish) else []),
        *(["too little use"] if point.utility < wish.min_utility else []),
    ]
    return " and ".join(missing) or "accepted"


def shortfall(advice: Advice, point: PlanPoint) -> float:
    """Return how far a release is from what is wished: what is missing of the use and what is too much of the risk, as shares."""
    wish = advice.request
    return max(0.0, wish.min_utility - point.utility) + max(0.0, point.accuracy - wish.max_accuracy)


def smaller_is_riskier(point: PlanPoint, others: tuple[PlanPoint, ...]) -> bool:
    """Return whether one of the others has the same ε and a smaller bound, and is riskier all the same."""
    return any(
        one.noise == "integer"
        and one.epsilon == point.epsilon
        and one.max_trips_per_user < point.max_trips_per_user
        and one.accuracy > point.accuracy
        for one in others
    )


def take_button(
    plan: Plan, point: PlanPoint, *, key: str, primary: bool = False, words: str = "Take this plan"
) -> None:
    """Show the button that takes a release, or that it is taken and where to go with it."""
    taken = is_taken(plan.release, point)
    st.button(
        "This plan is taken" if taken else words,
        key=key,
        type="primary" if primary else "secondary",
        icon=":material/check:" if taken else ":material/input:",
        disabled=taken,
        help=TAKE,
        on_click=choose_point,
        args=(point,),
    )


def where_to_go(plan: Plan, points: Mapping[str, PlanPoint]) -> None:
    """Say where to go with a plan that is taken."""
    if any(is_taken(plan.release, point) for point in points.values()):
        with st.container(horizontal=True):
            parts.way_on("release", "See it on the map")
            parts.way_on("publish", "Make it for good")


def neighbours(plan: Plan, advice: Advice) -> None:
    """Say what changes one step away from the recommended release, or what the two nearest misses are."""
    best = advice.recommended
    if best is not None:
        st.markdown("**One step away**, against the recommended release")
        for one in advice.neighbours:
            st.markdown(f"- {_change(advice, best, one)}")
        if smaller_is_riskier(best, advice.neighbours):
            st.markdown(SMALLER_BOUND)
        return
    if advice.best_allowed is None and advice.least_risky is None:
        st.markdown(
            "No setting leaves anything of use within that risk, and none reaches that use at any risk: there are too few trips for "
            "their zones. Larger zones may help, more people, or a week with more trips."
        )
        _larger_zones(plan)
        return
    st.markdown("**The nearest misses**")
    misses = (
        (
            "take_useful",
            "The most useful within the risk",
            "No setting within the risk is of any use",
            advice.best_allowed,
        ),
        ("take_safe", "The least risk of that use", "No setting reaches that use", advice.least_risky),
    )
    for key, name, none, point in misses:
        if point is None:
            st.markdown(f"- {none}. Ask for less in the sentence above.")
            continue
        st.markdown(f"- {name}: {judged(advice, point)}")
        take_button(plan, point, key=key)
    st.markdown("Larger zones leave more of the flows, at the same risk.")
    _larger_zones(plan)


def _larger_zones(plan: Plan) -> None:
    """Lead on to larger zones, the strongest lever where little is left."""
    if plan.data == OWN and has_other_sizes(plan):
        parts.setting_button(
            "Try other sizes of zones", key="try_sizes_now", zone_sizes_asked=plan.prepared.key
        )
    elif plan.data == OWN:
        parts.way_on("data", "Choose larger zones")
    else:
        parts.way_on("data", "Choose other data")


def _change(advice: Advice, point: PlanPoint, other: PlanPoint) -> str:
    """Return in a sentence what one step costs and brings."""
    step = f"ε = {other.epsilon:g}"
    taken = ""
    if point.epsilon == other.epsilon:
        step = other.limit_words
        taken = f", and the limit takes {other.clipped:.0%} of all trips (instead of {point.clipped:.0%})"
    # Of what stands on the page, not of what was rounded away.
    risk, use = other.risk_per_cent - point.risk_per_cent, other.use_per_cent - point.use_per_cent
    moved = "" if other.threshold == point.threshold else f" (threshold {other.threshold:,})"
    return (
        f"**{step}**{moved}: guessed right in {other.risk_words} ({_signed(risk)}), useful {other.use_words} "
        f"({_signed(use)}){taken}; {verdict(advice, other)}."
    )


def _signed(change: float) -> str:
    return "unchanged" if abs(change) < 0.05 else f"{change:+.1f}".replace("-", "−")
