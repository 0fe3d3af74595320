"""Which mechanism the page Release simulates: as set on the left, or one of the steps that Plan finds; what it shows of it."""

from dataclasses import dataclass

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.defaults import CLOSE
from privlab.dp.promise import delta_words
from privlab.figures.planning import step_finding, step_name
from privlab.figures.wording import findings, plain, words
from privlab.lab.comparing import reason_against_combinations, steps_of_trips
from privlab.od.comparing import SimulatedStep, StepRequest
from privlab.od.simulating import ReleaseReview
from privlab.od.weighing import SMOOTHED, TOTAL
from privlab.stats import percent_at_least
from privlab.ui import cached
from privlab.ui.planning.release_page import view_of
from privlab.ui.settings_of_release import AS_SET, PUBLIC, PUBLISHED, request_as_set, request_of
from privlab.ui.shared_controls import cells_in_use
from privlab.ui.shell import parts
from privlab.ui.shell.parts import About, Options
from privlab.ui.sliders import clear_address, settle
from privlab.ui.state import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the page shows: a simulated release with its finding; `step` where a mechanism was chosen, as `request` says.

    `parameters` says it in one line; charts take `about` and `options` for theirs. `half_width`, trips, holds the noise on a count 95%
    of the time.
    """

    view: ReleaseReview
    finding: str
    parameters: str
    half_width: int
    about: About
    options: Options
    request: StepRequest | None = None
    step: SimulatedStep | None = None

    def exhibit(self, name: str) -> str | None:
        """Return the part of a report that a figure can become; none by a mechanism, of which a report takes the release itself."""
        return name if self.about == "release" else None


def shown_of(plan: Plan) -> Shown | None:
    """Show the choice of a mechanism; return what is simulated, or say why nothing can be."""
    request, possible = _chosen(plan)
    if not possible:
        return None
    if request is None:
        view = view_of(plan)
        return None if view is None else _as_set(plan, view)
    try:
        step = cached.simulated_step(
            plan.prepared.key, plan.prepared, plan.week, plan.group_size, request, plan.seed
        )
    except (DataError, ParameterError) as error:
        st.error(plain(f"No release can be simulated: {error}"))
        parts.way_on("plan", "Find settings that can be simulated")
        return None
    noise, delta = step_name(request.name), delta_words(step.delta)
    if request.cells == "discovered":
        noise += " on flows found in the data"
    as_set = request.name == plan.release.noise
    return Shown(
        view=step.review,
        finding=step_finding(step, tolerance=request.tolerance),
        parameters=f"{plan.who}, ε = {request.epsilon:g}, δ = {delta}, threshold {request.threshold}, at most "
        f"{words.number_of('trip', request.max_trips_per_user)} per user, {noise}, seed {plan.seed}",
        half_width=step.half_width,
        about="release" if as_set else "people",
        options={"cells": request.cells}
        if as_set
        else {
            "ε": f"{request.epsilon:g}",
            "δ": delta,
            "threshold": request.threshold,
            "limit": request.max_trips_per_user,
            "noise": noise,
            "seed": plan.seed,
        },
        request=request,
        step=step,
    )


def _as_set(plan: Plan, view: ReleaseReview) -> Shown:
    from privlab.dp.noise import half_width

    return Shown(
        view=view,
        finding=findings.release_finding(view.utility, view.n_users, plan.release),
        parameters=plan.parameters,
        half_width=half_width(plan.release.mechanism.scale),
        about="release",
        options={},
    )


def _chosen(plan: Plan) -> tuple[StepRequest | None, bool]:
    """Return the mechanism that is chosen, None for noise as set, and whether there is anything to simulate."""
    names = steps_of_trips(plan.prepared, cells_in_use(plan.prepared))
    if not names:
        _not_possible(plan)
        return None, True
    options = (AS_SET, *names[1:])
    settle("mechanism", options, AS_SET)
    name = st.selectbox(
        "Mechanism",
        options,
        key="mechanism",
        bind="query-params",
        format_func=lambda one: "noise as in the settings" if one == AS_SET else step_name(one),
        width=420,
        help="What else keeps the same ε for a person's week, as the page Plan compares it: Gaussian noise with all trips weighted, a noisy "
        "total by which counts are given back what the limit takes, sums of districts, smoothing. ε, limit and threshold are "
        "those of the settings.",
    )
    if name == AS_SET:
        return request_as_set(plan), True
    bound = plan.release.max_trips_per_user
    if bound is None:
        st.warning(
            "Gaussian noise promises nothing without a limit on trips per user: set one in the settings."
        )
        with st.container(horizontal=True):
            parts.setting_button("At most 10 trips", key="bound_for_release", bound="10")
            parts.setting_button("Noise as in the settings", key="simulate_as_set", mechanism=AS_SET)
        return None, False
    return request_of(plan, name, bound), True


def _not_possible(plan: Plan) -> None:
    """Say why a mechanism that the address names cannot be simulated of this data."""
    asked = st.session_state.get("mechanism", st.query_params.get("mechanism", AS_SET))
    clear_address("mechanism")
    reason = reason_against_combinations(plan.prepared.trips, plan.prepared.public_zones)
    if asked not in (AS_SET, None) and reason is not None:
        st.info(plain(f"Shown with noise as in the settings. {reason}"))
        parts.way_on("data", "Choose other zones on the page Data")


def use_metrics(step: SimulatedStep) -> None:
    """Show how many trips are near the truth: as expected, and in this draw."""
    expected = step.expected
    with st.container(horizontal=True):
        st.metric(
            f"expected within {CLOSE:.0%}",
            percent_at_least(expected.within),
            help=f"Share of all trips in flows whose number is expected within {CLOSE:.0%} of the truth, worked out without drawing: what Plan says.",
        )
        st.metric(
            f"within {CLOSE:.0%}, this draw",
            f"{step.within:.1%}",
            help="The same share in the draw that this page shows. Another seed gives another.",
        )
        st.metric(
            "expected RMSE (trips)",
            f"{expected.rmse:,.1f}",
            help="Root of the mean square error expected over true and published flows, as Plan says.",
        )
        st.metric(
            "RMSE, this draw",
            f"{step.review.utility.rmse:,.1f}",
            help="The same of the draw that this page shows.",
        )
        st.metric(
            "noise on a flow",
            f"±{step.half_width:,}",
            help="In 95 of 100 flows the noise on the number shown stays within so many trips. Its standard deviation: "
            f"{expected.noise_deviation:,.1f} trips."
            + (
                " A total gives back what the limit takes, and scales the noise up with it: the noisy counts have less, which "
                "Publish says."
                if step.total is not None
                else ""
            ),
        )


def where_its_report_is(shown: Shown) -> None:
    """Say which report these figures are part of, where none of them can be put into one by itself."""
    if shown.about == "release":
        return
    st.caption(
        "These figures go into a report as a whole: into the risk report on this data, or, once the release is made on Publish, into the "
        "report on it."
    )
    parts.way_on("report", "Put a report together")


def publish_button(shown: Shown) -> None:
    """Offer to set Publish to the mechanism that is shown; say so where Publish does not make it."""
    if shown.request is None or shown.about == "release":
        return
    # Smoothed counts are a column of the release with a total.
    settings = PUBLISHED.get(TOTAL if shown.request.name == SMOOTHED else shown.request.name)
    if settings is None:
        st.caption(
            "Publish makes Gaussian noise with all trips weighted, which leaves more than trips at random."
        )
        return
    cells = PUBLIC if shown.request.cells == "public" else {}
    wanted = {"publish_product": "flows", **cells, **settings}
    if all(st.session_state.get(key) == value for key, value in wanted.items()):
        return  # as after a plan was taken
    parts.setting_button("Set Publish to this mechanism", key="publish_this", **wanted)
