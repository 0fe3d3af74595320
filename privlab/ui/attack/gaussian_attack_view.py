"""The attack page's part on Gaussian noise for the same ε: the choice of it, and what its promise adds up to."""

from dataclasses import replace

import streamlit as st

from privlab.dp.gaussian import UNITS, GaussianParameters
from privlab.dp.promise import delta_words
from privlab.lab.judging import WANTED_DELTA
from privlab.ui import cached
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
        st.warning("Gaussian noise promises nothing without a limit on trips per user: set one on the left.")
        parts.setting_button("At most 10 trips", key="bound_for_attack", bound="10")
        return None
    return GaussianParameters(
        epsilon=release.epsilon,
        delta=WANTED_DELTA,
        max_trips_per_user=release.max_trips_per_user,
        threshold=release.threshold,
    )


def metrics(promise: GaussianParameters, n_weeks: int) -> None:
    """Show what the promise is, and what it comes to over many weeks."""
    with st.container(horizontal=True):
        st.metric(
            "ε for a user's week", f"{promise.epsilon:g}", help="What the release promises, and to what. Smaller is safer."
        )  # fmt: skip
        st.metric(
            "δ beside it",
            delta_words(promise.delta),
            help="What the promise leaves open: Gaussian noise has no largest loss, and now and then someone loses more than ε.",
        )
        user = cached.guarantee(replace(promise, weeks=n_weeks)).user
        if user is not None:
            st.metric(
                f"ε over {n_weeks} weeks",
                f"{user.epsilon_by_losses:,.4g}",
                help=f"From the exact loss of all weeks together, at a δ of {delta_words(user.delta)}; weeks added up one by one "
                f"would say {user.epsilon:g}.",
            )
        st.metric(
            "noise (users)",
            f"±{promise.sigma / UNITS:,.4g}",
            help="The standard deviation of the noise on a flow. It grows with the square root of the limit on trips.",
        )
