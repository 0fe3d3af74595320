"""Home's own parts: the true flows beside the published ones, what that costs, and three doors."""

import math
from dataclasses import dataclass, replace

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.defaults import USUAL_BOUND
from privlab.dp.promise import GuaranteeParameters
from privlab.figures.planning import step_finding, step_name
from privlab.figures.risks import attack_figure, attack_settings
from privlab.figures.wording import findings, words
from privlab.lab.judging import WANTED_DELTA
from privlab.lab.planning import most_useful_point
from privlab.od.attack import AttackParameters, BoundedAttack
from privlab.od.comparing import StepRequest
from privlab.od.simulating import ReleaseParameters, ReleaseReview
from privlab.ui import cached
from privlab.ui.attack import attack_page, gaussian_attack_view
from privlab.ui.flowmap.flow_map_view import before_and_after
from privlab.ui.guarantee import guarantee_page
from privlab.ui.planning import plan_offer, plan_page, plan_wishes, release_page
from privlab.ui.settings_of_release import choose_request, request_as_set
from privlab.ui.shell import palette, parts
from privlab.ui.shell.page_list import door_of
from privlab.ui.state import Plan

_TOP = 300
_OWN_NOISE = " The line under a limit is of the noise that the pages are set to."
_NOISES = 7  # its threshold, in scales of the noise: hardly any false flow passes
_THREE = (
    ("data", "Try a sample", ":material/play_arrow:", "Four generated data sets, ready: a city, commuters, cabs, subscribers."),
    ("data", "Check my data", ":material/upload_file:", "A file of records, trips or counts. It stays on this machine."),
    ("tour", "Take the tour", ":material/tour:", "Three papers' arguments in eleven steps, with something to move in each."),
)  # fmt: skip


# The picture stands in the first window: the name takes less of it than a page's title does elsewhere.
_NAME = """<style>
[data-testid="stMain"] h1 { padding: 0; font-size: 1.9rem; }
.st-key-doors [data-testid="stVerticalBlock"] { padding: 0.3rem 0.4rem; }
</style>"""


def lead() -> None:
    """Say in two lines what the lab is and for whom."""
    st.html(_NAME)
    st.markdown(
        "**What publishing counts of trips tells about the people who made them, and what the counts are still good for.**"
        "  \nFor stewards of mobility data who decide what to publish, for those who check it, and for teaching."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictured:
    """The release that the picture shows: with noise as set, or with a mechanism where `request` is not None; and `why` this one.

    `offered` is what Plan finds most useful where no plan is chosen, `useless` what stands for it where none is of use.
    """

    release: ReleaseParameters
    request: StepRequest | None
    why: str
    offered: bool = False
    useless: bool = False


def pictured_release(plan: Plan) -> Pictured | None:
    """Return the plan's release, or, while none is chosen, what Plan finds most useful at this ε; None while it looks."""
    release, as_set = plan.release, request_as_set(plan)
    if as_set is not None or release.max_trips_per_user is not None or not plan.prepared.has_users:
        return Pictured(release=release, request=as_set, why="as the settings say")
    if not plan.prepared.trips.flow.size:
        return _plainest(plan)
    points = plan_page.points_of(plan, plan_wishes.first_wishes(plan))
    if points is None:
        return None
    best = most_useful_point(points, release.epsilon)
    if best is None:
        return _plainest(plan)
    return Pictured(
        release=replace(release, max_trips_per_user=best.max_trips_per_user, threshold=best.threshold),
        request=StepRequest(
            name=best.mechanism,
            epsilon=release.epsilon,
            delta=WANTED_DELTA,
            max_trips_per_user=best.max_trips_per_user,
            threshold=best.threshold,
            cells=best.cells,
        ),
        why="the most useful that Plan finds for this ε",
        offered=True,
    )


def _plainest(plan: Plan) -> Pictured:
    """Return a release that protects a person, where nothing of use can be found."""
    threshold = math.ceil(_NOISES * USUAL_BOUND / plan.release.epsilon)
    return Pictured(
        release=replace(plan.release, max_trips_per_user=USUAL_BOUND, threshold=threshold),
        request=None,
        why="since Plan finds none of use for this ε",
        useless=True,
    )


def picture(plan: Plan) -> None:
    """Show true flows beside published ones, what is kept, and what an attacker may learn; or say why there is none."""
    if plan.prepared.no_trips:
        parts.without_trips(plan)
        return
    pictured, zones = pictured_release(plan), plan.prepared.zone_map
    if pictured is None:
        st.caption(
            "The picture follows: Plan looks for the release of this data that is of most use at any ε, once for each week and group."
        )
        return
    release, request = pictured.release, pictured.request
    data = (plan.prepared.key, plan.prepared, plan.week, plan.group_size)
    try:
        step = None if request is None else cached.simulated_step(*data, request, plan.seed)
        view = cached.release_review(*data, release, plan.seed) if step is None else step.review
    except (DataError, ParameterError) as error:
        st.error(f"No release can be simulated: {error}")
        parts.way_on("plan", "Find settings that can be simulated")
        return
    if zones.located:
        _two_maps(plan, view)
        st.caption(f"{_caption(plan, pictured)} {findings.lost_in_words(view.flows)}")
    else:
        st.info("No map: the zones have no positions. Load the file with a table of zone, lat, lon.")
        parts.way_on("data", "Add positions on the page Data")
    if request is None or step is None:
        parts.finding(findings.release_finding(view.utility, view.n_users, release))
    else:
        parts.finding(step_finding(step, tolerance=request.tolerance))
    release_page.zones_that_no_list_has(plan)
    if plan.prepared.has_users:
        st.markdown(_risk(release, request))
    if pictured.useless:
        st.markdown(
            "No release that Plan knows leaves even 1% of the trips near the truth at this ε: there are too few trips for so many flows. "
            "Larger zones help, more people, and a larger ε."
        )
        with st.container(horizontal=True):
            parts.way_on("plan", "Look for another ε, or larger zones")
            parts.way_on("data", "Choose other data")
    elif not view.utility.cells_kept:
        parts.way_on("plan", "Find settings that publish something")
    elif pictured.offered and request is not None:
        _take(request, is_near=not view.utility.mostly_off)
    elif view.utility.mostly_off and plan.prepared.has_users:
        parts.way_on("plan", parts.NEARER)


def _take(request: StepRequest, *, is_near: bool) -> None:
    """Offer the release of the picture to all pages, or other wishes; say so where not even half of the trips are near the truth."""
    if not is_near:
        st.markdown(
            "No release that Plan knows leaves much more at this ε. A larger ε does, and so do larger zones."
        )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Take this release as the plan",
            key="take_home",
            type="primary" if is_near else "secondary",
            icon=":material/input:",
            help=plan_offer.TAKE,
            on_click=choose_request,
            args=(request,),
        )
        parts.way_on("plan", "Wish for something else on the page Plan")
    st.caption(
        "Until it is taken, the other pages count all trips of a person, and promise a person nothing."
    )


def _two_maps(plan: Plan, view: ReleaseReview) -> None:
    with st.container(horizontal=True):
        parts.true_data()
        parts.simulation()
    before_and_after(plan, view.flows, key="home_map", n_top=_TOP)


def _risk(release: ReleaseParameters, request: StepRequest | None) -> str:
    if request is not None:
        promise = request.parameters.guarantee_parameters(1)
        return guarantee_page.finding(cached.guarantee(promise))
    return guarantee_page.finding(
        cached.guarantee(
            GuaranteeParameters(
                epsilon=release.epsilon,
                max_trips_per_user=release.max_trips_per_user,
                weeks=1,
                threshold=release.threshold,
                cells="public",
                noise=release.noise,
            )
        )
    )


def claim(plan: Plan | None, release: ReleaseParameters) -> None:
    """Show what the claim that it all began with is worth at this ε: of the publisher's own noise, whatever a plan has."""
    claimed = AttackParameters(epsilon=release.epsilon, noise="laplace")
    curve = cached.attack_curve(claimed, seed=1)
    bounded = attack_under_limit(plan, release)
    gaussian = None if plan is None else gaussian_attack_view.gaussian_planned(plan)
    is_set = release.noise == claimed.noise and gaussian is None
    st.subheader("The claim it began with")
    st.markdown(findings.claim_finding(curve))
    st.caption(
        "The claim: Bassolas et al., *Hierarchical organization of urban mobility*, Nature Communications 2019, who published with "
        "Laplace noise of ε = 0.66 and said that an attacker gains at most 16%. The attack: Houssiau, Rocher and de Montjoye, Nature "
        f"Communications 2022.{'' if is_set or bounded is None else _OWN_NOISE}"
    )
    settings = attack_settings(
        curve,
        bounded,
        noise=release.noise if gaussian is None else "gaussian",
        delta=0.0 if gaussian is None else gaussian.delta,
    )
    parts.chart(
        attack_figure(curve, palette(), your_trips=12, bounded=bounded, height=400),
        key="home_attack",
        alt=attack_page.curve_in_words(curve, bounded),
        exhibit="attack" if is_set else None,
        options={"k": 12, "simulated_games": 0},
        settings=settings,
    )


def attack_under_limit(plan: Plan | None, release: ReleaseParameters) -> BoundedAttack | None:
    """Return the best attack on the release that all pages are set to, with its own noise; None without a limit on trips."""
    gaussian = None if plan is None else gaussian_attack_view.gaussian_planned(plan)
    return cached.bounded_attack(release) if gaussian is None else cached.gaussian_attack(gaussian)


def _caption(plan: Plan, pictured: Pictured) -> str:
    name, release, request = plan.provenance.partition(",")[0], pictured.release, pictured.request
    if request is not None:
        return (
            f"{name}: {step_name(request.name)}, a limit of {words.number_of('trip', request.max_trips_per_user)} per user and week, and "
            f"noisy counts below {release.threshold:,} left out, {pictured.why}."
        )
    counted, bound = "", release.max_trips_per_user
    if bound is not None:
        counted = f"at most {words.number_of('trip', bound)} of a person {'counts' if bound == 1 else 'count'}, and "
    return f"{name}: {counted}noisy counts below {release.threshold:,} are left out, {pictured.why}."


def three_doors() -> None:
    """Show the three ways in, in a row; what lies behind each is said on hovering."""
    with st.container(horizontal=True, gap="xsmall", key="doors"):
        for page, title, icon, sentence in _THREE:
            with st.container(border=True, width="content", gap=None):
                st.page_link(door_of(page).file, label=f"**{title}**", icon=icon, help=sentence)
