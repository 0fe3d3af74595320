"""What each way to keep one promise would leave of the flows, on the page Plan, each to be taken by one click."""

import streamlit as st

from privlab.dp.promise import delta_words
from privlab.figures import mechanisms_figure, mechanisms_in_words, mechanisms_rows, plain
from privlab.lab import WANTED_DELTA, comparison_from_trips
from privlab.limits import MAX_EPSILON, MIN_EPSILON
from privlab.od.comparing import ComparedMechanism, ComparisonParameters
from privlab.od.planning import Advice
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.waiting import awaited

_DRAWS = 3
# What of a mechanism a release on Publish can have: its name for the button, and the settings.
_RELEASES: dict[str, tuple[str, dict[str, object]]] = {
    "laplace": ("integer noise", {"publish_noise": "integer", "publish_unbiased": False}),
    "gaussian, l2": ("Gaussian noise", {"publish_noise": "gaussian", "publish_unbiased": False}),
    "gaussian, l2, unbiased": (
        "Gaussian noise and a total",
        {"publish_noise": "gaussian", "publish_unbiased": True},
    ),
}


def mechanisms(plan: Plan, advice: Advice) -> None:
    """Compare six mechanisms under one promise once asked to, and offer to take those that can be released."""
    st.subheader("The same promise, more use")
    best, state = advice.recommended, st.session_state
    with st.container(horizontal=True, vertical_alignment="bottom"):
        epsilon = st.number_input(
            "ε to a person's week", MIN_EPSILON, MAX_EPSILON, best.epsilon if best else plan.release.epsilon,
            key="compare_epsilon", bind="query-params", width=220,
            help="The promise that every mechanism keeps. It begins with that of the plan above.",
        )  # fmt: skip
        asked = st.button(
            "Compare mechanisms", key="compare", icon=":material/bar_chart:",
            help="Finds the best limit on trips for each mechanism on this data, and draws each three times. Some seconds.",
        )  # fmt: skip
    if not asked and state.get("compare_asked") != plan.prepared.key:
        st.caption("Other noise for the same ε may leave far more of the flows: compare before you publish.")
        return
    state["compare_asked"] = plan.prepared.key
    threshold = max(best.threshold if best else plan.release.threshold, 1)
    parameters = ComparisonParameters(
        epsilon=float(epsilon), delta=WANTED_DELTA, threshold=threshold, draws=_DRAWS
    )
    found = awaited(
        "compare",
        (plan.prepared.key, plan.week, plan.group_size, parameters),
        lambda progress: comparison_from_trips(
            plan.prepared.trips, plan.prepared.zone_map, parameters,
            week=plan.week, group_size=plan.group_size, progress=progress,
        ),
    )  # fmt: skip
    if found is not None:
        _shown(plan, found, threshold)


def _shown(plan: Plan, found: tuple[ComparedMechanism, ...], threshold: int) -> None:
    sentence = mechanisms_in_words(found)
    st.markdown(plain(sentence))
    parts.chart(
        mechanisms_figure(found, palette()),
        key="compare_chart",
        alt=sentence,
        options={
            "ε": found[0].epsilon,
            "δ": delta_words(WANTED_DELTA),
            "threshold": threshold,
            "draws": _DRAWS,
        },
        about="people",
    )
    parts.table(mechanisms_rows(found), key="compare_table")
    st.caption(
        "A simulation on true data, for you alone. Bars 3 to 6 promise ε at δ = 10⁻⁶. Bars 1, 4 and 5 can be released, for zones "
        "known without the data; 5 and 6 stand beside the noisy counts in the file of estimates."
    )
    with st.container(horizontal=True):
        for one in found:
            if one.name in _RELEASES:
                name, settings = _RELEASES[one.name]
                parts.setting_button(
                    f"Take {name}, at most {one.max_trips_per_user:,} trips",
                    key=f"take_mechanism_{settings['publish_noise']}_{settings['publish_unbiased']}",
                    epsilon=f"{one.epsilon:g}",
                    bound=str(one.max_trips_per_user),
                    threshold=str(threshold),
                    **settings,
                )
        parts.way_on("publish", "Make it for good")
