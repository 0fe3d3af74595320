"""What the pages say of people: how many unique trips each has, or plainly that the file names nobody."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.figures.risks import trips_histogram
from privlab.figures.wording import findings
from privlab.od.attack import AttackCurve, share_above_claim
from privlab.ui import cached
from privlab.ui.settings_of_release import chosen_mechanism, weighs_trips
from privlab.ui.shared_controls import cells_in_use
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan

_MOST = 0.5  # of all trips


def people_of(plan: Plan) -> npt.NDArray[np.int64] | None:
    """Return the unique trips of each person in the plan, None where the data names nobody."""
    return cached.trips_per_user(plan.prepared.key, plan.prepared, plan.week, plan.group_size)


def are_found_alone(plan: Plan) -> bool:
    """Return whether a release with a limit would give noise to flows found in the data alone, as Publish is set."""
    bounded = plan.prepared.has_users and plan.release.max_trips_per_user is not None
    return bounded and cells_in_use(plan.prepared) == "discovered"


def found_alone(plan: Plan) -> None:
    """Say then what this page, which is of noise on all possible flows, leaves out, and where it stands."""
    if not are_found_alone(plan):
        return
    st.warning(
        "This page is of noise on all possible flows. Of this data only flows found in it would get noise: whoever is alone in a flow "
        "shows by its being there, which no ε covers.",
        icon=":material/person_alert:",
    )
    parts.way_on("guarantee", "See what is promised then, and with what δ")


def sentence(
    plan: Plan, people: npt.NDArray[np.int64] | None, curve: AttackCurve, *, weighed: bool | None = None
) -> str:
    """Return how many people the claim does not cover, and whom a limit touches, or what is known where nobody is named.

    `weighed` says whether trips above the limit are left out or all trips weigh less; None: it is not said which.
    """
    if people is None:
        matrix = cached.true_matrix(plan.prepared.key, plan.prepared, plan.week, plan.group_size)
        return findings.counts_finding(matrix.total, matrix.count.size, plan.week)
    first = curve.first_trips_above_claim
    return findings.people_finding(
        people, first, share_above_claim(people, curve), plan.release, weighed=weighed
    )


def nothing_published_first(plan: Plan) -> str:
    """Return, to stand before what is said of the attack, that nothing of the loaded data would be published; empty where something is.

    Empty too where nobody is named, and of Gaussian noise, whose release is not the one on the left.
    """
    mechanism = chosen_mechanism()
    if not plan.prepared.has_users or plan.prepared.no_trips or (mechanism and weighs_trips(mechanism)):
        return ""
    largest = cached.largest_flow_if_nothing(
        plan.prepared.key, plan.prepared, plan.release, plan.week, plan.group_size
    )
    return "" if largest is None else f"{findings.of_no_release(largest, plan.release.threshold)} "


def left_out_first(plan: Plan) -> str:
    """Return the same, or that little of the data would be published; empty where most trips lie in flows that reach the threshold."""
    if said := nothing_published_first(plan):
        return said
    threshold = plan.release.threshold
    if not plan.prepared.has_users or plan.prepared.no_trips or not threshold:
        return ""
    matrix = cached.true_matrix(plan.prepared.key, plan.prepared, plan.week, plan.group_size)
    share = matrix.share_below(threshold)
    return f"{findings.mostly_left_out(share, threshold)} " if share > _MOST else ""


def histogram(
    people: npt.NDArray[np.int64] | None,
    curve: AttackCurve,
    *,
    key: str,
    alt: str,
    height: int,
    limit: int | None = None,
) -> None:
    """Show how many people have how many unique trips, with a limit how many more than it, or say why that cannot be known."""
    if people is None:
        nobody_named()
        return
    first = curve.first_trips_above_claim
    parts.chart(
        lambda: trips_histogram(people, palette(), first_above=first, limit=limit, height=height),
        key=key,
        alt=alt,
        exhibit="people",
        about="people",
        made_of=(people.tobytes(), first, limit, height),
    )


def nobody_named() -> None:
    """Say that the file does not say whose trips these are, and what can be said all the same."""
    with st.container(border=True):
        for paragraph in (findings.NOBODY_NAMED, findings.SAID_INSTEAD, findings.PERHAPS_TRIPS):
            st.markdown(paragraph)
