"""A year of weekly releases, on the page Plan: the noise that each week needs, what it would leave, and the budget to take."""

import streamlit as st

from privlab.defaults import CLOSE, USUAL_BOUND
from privlab.dp.composing import WeeklyNoise
from privlab.figures.planning import year_in_words, year_rows
from privlab.lab.judging import WANTED_DELTA
from privlab.lab.planning import bounds_of_year
from privlab.limits import MAX_BUDGET, MAX_WEEKS, MIN_EPSILON
from privlab.od.combining import USELESS
from privlab.od.planning import Advice
from privlab.progress import UNHEARD, Progress
from privlab.ui import cached
from privlab.ui.derived import once_as_it_opens, opens_with_week
from privlab.ui.planning.plan_wishes import first_wishes
from privlab.ui.sessions import access
from privlab.ui.shell import parts
from privlab.ui.state import Plan
from privlab.ui.work.kept_results import kept

_WEEKS, _EPSILON = 52, 2.0  # what the page opens with


def year_ahead(plan: Plan, advice: Advice) -> None:
    """Say what noise each of many weekly releases needs that together may cost a person so much."""
    st.subheader("A year ahead")
    with st.container(horizontal=True, vertical_alignment="bottom", key="year_controls"):
        weeks = st.number_input(
            "Weekly releases ahead",
            1,
            MAX_WEEKS,
            _WEEKS,
            key="year_weeks",
            bind="query-params",
            width=220,
            help="How many weeks you will publish. A person may be in all of them.",
        )
        total = st.number_input(
            "All together may cost a person ε",
            MIN_EPSILON,
            MAX_BUDGET,
            _EPSILON,
            key="year_epsilon",
            bind="query-params",
            width=260,
            help="What one person may lose by all these releases, at δ = 10⁻⁶. Smaller is safer and needs more noise.",
        )
    noises, use = _year(plan, advice, weeks=int(weeks), total=float(total))
    if not noises:
        st.info(year_in_words(noises))
        return
    st.markdown(year_in_words(noises, use))
    parts.printed_table(year_rows(noises, use), key="year", turned=True)
    if use:
        st.caption(
            f"“trips within {CLOSE:.0%}” is the share of all trips in flows within {CLOSE:.0%} of the truth that is expected of "
            "each week, were all weeks like this one."
        )
    else:
        st.caption(
            "What a week would leave is not worked out for so many zones, or for counts without users: larger zones may help."
        )
    with st.expander("How the year is worked out"):
        st.markdown(
            "As the budget on Publish, the second way holds all year: each week's release draws from it, and one too many is "
            "refused. The ledger adds up ρ, a measure of loss that adds up closely over many releases, and turns it into ε at δ. The last way is "
            "closer still, but holds only if nobody chooses a week's settings after seeing earlier releases, so the ledger does not use it. The "
            "noise does not depend on the data; the limit is that of the plan with this kind of noise, or "
            f"{USUAL_BOUND} without one. The noise is that of a noisy count, before a total gives back what the limit takes and "
            "scales it up. Shares are with as few false flows as above; with Gaussian noise they are those with a total "
            "published too, or without one, whichever leaves more."
        )
    if not access.may_release():
        st.caption("A budget is set by those who may release.")
    elif not use or max(use) >= USELESS:
        _take_budget(float(total))
    if advice.request.cells != "public":
        st.caption(
            "The year is worked out for all possible flows. Where only those found in the data are published, each week needs a higher "
            "threshold for its δ, which leaves less, and no total can be published."
        )


def _year(
    plan: Plan, advice: Advice, *, weeks: int, total: float
) -> tuple[tuple[WeeklyNoise, ...], tuple[float, ...]]:
    """Return the noise of each week, by each way, and what a week would leave of the flows."""

    def work(progress: Progress) -> tuple[tuple[WeeklyNoise, ...], tuple[float, ...]]:
        bounds = kept("bounds of a year", (advice,), lambda: bounds_of_year(advice))
        noises = cached.year_ahead(bounds, total_epsilon=total, delta=WANTED_DELTA, weeks=weeks)
        data = (plan.prepared.key, plan.prepared, noises, plan.week, plan.group_size)
        return noises, cached.year_use(*data, advice.request.max_made_up) if noises else ()

    opens = (weeks, total) == (_WEEKS, _EPSILON) and advice.request == first_wishes(plan)
    return once_as_it_opens(plan, ("year",), work, opens=opens and opens_with_week(plan))(UNHEARD)


def _take_budget(total: float) -> None:
    """Offer to set the ε of all weeks as the budget, on Publish."""
    with st.container(horizontal=True, vertical_alignment="center"):
        parts.setting_button(
            f"Take ε = {total:g} for all of them as the budget",
            key="take_year_budget",
            budget_of_year=(total, WANTED_DELTA),
            budget_fold=True,
        )
        if "budget_of_year" in st.session_state:
            parts.way_on("publish", "Set it on Publish")
