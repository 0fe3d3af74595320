"""The attack page's part on Gaussian noise for the same ε: the choice of it, what its promise adds up to, and what a threshold hides."""

from dataclasses import replace

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.dp.certainty import GaussianQuestion
from privlab.dp.gaussian import UNITS, GaussianParameters, weight_of_trips
from privlab.dp.promise import delta_words
from privlab.figures.risks import certainty_after_weeks
from privlab.figures.wording import noise_name, words
from privlab.lab.judging import WANTED_DELTA
from privlab.ui import cached
from privlab.ui.attack import certainty_view
from privlab.ui.guarantee.guarantee_page import gaussian_of
from privlab.ui.settings_of_release import request_as_set
from privlab.ui.shell import parts
from privlab.ui.state import Plan


def gaussian_planned(plan: Plan) -> GaussianParameters | None:
    """Return what a user's week is promised by the mechanism that all pages are set to, if its noise is Gaussian."""
    request = request_as_set(plan)
    return None if request is None else gaussian_of(request.parameters.guarantee_parameters(1))


def gaussian_control(plan: Plan) -> GaussianParameters | None:
    """Show whether the attack is on Gaussian noise for the same ε; return what is then promised, or say what is missing."""
    if not st.checkbox(
        "Gaussian noise instead",
        key="attack_gaussian",
        bind="query-params",
        help="The attack on discrete Gaussian noise for the same ε, as Publish offers it: all trips count, those of whoever has more than "
        f"the limit with less weight, and the promise has a δ of {delta_words(WANTED_DELTA)}. It needs a limit on trips per user.",
    ):
        return None
    release, planned = plan.release, gaussian_planned(plan)
    if planned is not None:
        return planned
    if release.max_trips_per_user is None:
        st.warning(
            "Gaussian noise promises nothing without a limit on trips per user: set one in the settings. Until then this page is of "
            f"{noise_name(release.noise)} noise."
        )
        parts.setting_button("At most 10 trips", key="bound_for_attack", bound="10")
        return None
    return GaussianParameters(
        epsilon=release.epsilon,
        delta=WANTED_DELTA,
        max_trips_per_user=release.max_trips_per_user,
        threshold=release.threshold,
    )


def metrics(promise: GaussianParameters, your_trips: int, n_weeks: int) -> None:
    """Show what the promise is, what it comes to over many weeks, and what these make of someone with so many trips in each."""
    weeks = f"{n_weeks:,} week{'s' if n_weeks > 1 else ''}"
    with st.container(horizontal=True):
        st.metric(
            "ε for a user's week", f"{promise.epsilon:g}", help="What the release promises, and to what. Smaller is safer."
        )  # fmt: skip
        st.metric(
            "δ beside it",
            delta_words(promise.delta),
            help="What the promise leaves open: Gaussian noise has no largest loss, and now and then someone loses more than ε.",
        )
        st.metric(
            "noise (users)",
            f"±{words.four_digits(promise.sigma / UNITS)}",
            help="The standard deviation of the noise on a flow. It grows with the square root of the limit on trips.",
        )
    found = cached.gaussian_posterior_law(
        GaussianQuestion(release=promise, trips=your_trips, weeks=n_weeks, above=certainty_view.CERTAIN)
    ).certainty
    with st.container(horizontal=True):
        user = cached.guarantee(replace(promise, weeks=n_weeks)).user
        if user is not None:
            st.metric(
                f"ε over {weeks}, by the exact loss",
                words.four_digits(user.epsilon_by_losses),
                help=f"From the exact loss of all weeks together, at a δ of {delta_words(user.delta)}. Weeks added up one by one, as in "
                f"the sentence on Guarantee, come to {user.epsilon:g}.",
            )
        certainty_view.after_weeks(found, your_trips, n_weeks)
    st.caption(certainty_after_weeks(found, n_weeks, with_others=promise.cells == "discovered"))


def accuracy_on_counts(promise: GaussianParameters, threshold: int, counts: tuple[int, ...]) -> None:
    """Show how often the best attack is right about someone in flows of the given counts, with the threshold and with nothing suppressed."""
    n_trips = len(counts)
    if promise.cells == "discovered":
        st.info(
            "Flows found in the data show by themselves that someone makes them: what a threshold hides is worked out where all possible flows "
            "are considered."
        )
        return
    if n_trips > promise.max_trips_per_user:
        weight = int(weight_of_trips(n_trips, promise.max_trips_per_user)) / UNITS
        st.info(
            f"All {n_trips} trips are counted, more than the limit of {promise.max_trips_per_user}: each as {weight:.2f} of one."
        )
    asked = GaussianQuestion(release=promise, trips=n_trips)
    hides = threshold > 0 and not promise.levels
    try:
        bare = cached.gaussian_posterior_law(asked).certainty.accuracy
        shown = (
            cached.gaussian_posterior_law(
                replace(asked, threshold=threshold, counts=counts)
            ).certainty.accuracy
            if hides
            else None
        )
    except (DataError, ParameterError) as error:
        st.error(str(error))
        parts.way_on("plan", "Find settings that fit on the page Plan")
        return
    with st.container(horizontal=True):
        if shown is not None:
            st.metric(
                f"guessed right (a coin: 50%), counts below {threshold} suppressed",
                words.chance(shown),
                help="Mean accuracy of the best attack on what is published of these flows, with the threshold.",
            )
        st.metric(
            "guessed right (a coin: 50%), nothing suppressed",
            words.chance(bare),
            help="The same if every noisy count were published, before it is rounded to whole trips, which tells a little more. "
            "The gap is what threshold and rounding gain.",
        )
    st.caption(_seen(promise, threshold))


def _seen(promise: GaussianParameters, threshold: int) -> str:
    """Return what the attacker sees of each flow, and what the two figures say together."""
    limit = promise.max_trips_per_user
    if not threshold:
        return "The threshold is 0: every noisy count is published, and nothing is hidden."
    if promise.levels:
        return (
            "With sums of districts it is not worked out what the threshold hides: these sums hold the flows that are left out too. Nobody in "
            "these flows is guessed right more often than with nothing suppressed."
        )
    sees = (
        f"The attacker knows everybody else, and sees of each flow its noisy count in whole trips from {threshold} on, or nothing; that it is "
        "missing tells something too."
    )
    others = (
        f"The others in a flow are counted as they weigh: whoever makes more than {words.number_of('trip', limit)} in the week adds less than 1."
        if promise.clip == "l2"
        else f"The others in a flow are those counted there: of whoever makes more than {words.number_of('trip', limit)} in the week, "
        f"{limit} drawn at random."
    )
    total = "The noisy total is seen as well. " if promise.total_units else ""
    return (
        f"{sees} {others} {total}A threshold hides only trips that few others make: a flow far above it exposes the target as much as without "
        "one, but for the rounding. A release for good of all possible flows says in its certificate what all noisy counts of a week add up to, "
        "those below the threshold too: the best attack on it is right at least as often as the first figure says, and at most as often as "
        "the second."
    )
