"""What would be released for good, chosen on the page Publish: weeks, product, cells, noise, a total, sums of districts."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.times import slot_min_from_format
from privlab.defaults import USUAL_BOUND
from privlab.dp.promise import delta_words
from privlab.figures.wording import plain
from privlab.lab.judging import WANTED_DELTA
from privlab.lab.publishing import (
    ReleaseData,
    levels_from_zone_map,
    positions_from_zone_map,
    release_parameters_from_wishes,
    release_plan_from_release_data,
)
from privlab.od import FLOWS, FLOWS_BY_SLOT, PRODUCTS, VISITS
from privlab.od.releases import (
    LEVELS_ONLY_OF_FLOWS,
    NO_TOTAL_OF_VISITS,
    SECURE_NOISES,
    ReleasePlan,
    release_plan_from_parameters,
)
from privlab.ui import shared_controls
from privlab.ui.publish import release_file_form
from privlab.ui.shell import parts
from privlab.ui.shell.addresses import words_in_address
from privlab.ui.state import Plan

DISTRICTS: dict[str, list[str]] = {
    "none": [],
    "2 × 2": ["blocks:2"],
    "3 × 3": ["blocks:3"],
    "4 × 4": ["blocks:4"],
}


def release_control(plan: Plan) -> ReleasePlan | None:
    """Show which weeks and cells; return what would be released, as far as is known before the file is read, or say what is missing."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        weeks = st.multiselect(
            "Weeks of (Monday)",
            mondays(plan.prepared.trips.weeks),
            key="publish_weeks",
            bind="query-params",
            placeholder="Name the weeks to publish",
            accept_new_options=True,
            help="Named by you: which weeks have trips is itself true data, so any Monday may be named (2026-03-02), "
            "and of a week without trips noise alone is published. Every week costs its own ε.",
        )
        product = _product_control()
        cells = shared_controls.cells_control(plan.prepared)
        noise = _noise_control()
        can_have_total = _can_have_total(product, noise, cells)
        unbiased = can_have_total and st.checkbox(
            "Publish a total too",
            key="publish_unbiased",
            bind="query-params",
            help="Each week's number of trips, with noise of its own, paid from the same ε. The estimates beside the counts then "
            "give back what the limit on trips takes away: their column unbiased_count. For data with many trips: the page "
            "says below how far off the total is.",
        )
    if noise == "gaussian" and cells != "public":
        st.caption("No total and no sums of districts: they need all possible flows.")
    elif noise == "gaussian" and product == VISITS.name:
        st.caption(f"No total and no sums of districts. {NO_TOTAL_OF_VISITS}")
    elif noise == "gaussian" and product != FLOWS.name:
        st.caption(f"No sums of districts. {LEVELS_ONLY_OF_FLOWS}")
    levels = _levels_control(plan) if can_have_total and product == FLOWS.name else []
    if plan.prepared.no_trips and product != VISITS.name:
        visits_instead(plan)
    if not weeks:
        st.info("Name at least one week to see what its release would promise and cost.")
        parts.setting_button(f"Name the week of {plan.week}", key="name_week", publish_weeks=[plan.week])
        return None
    try:
        return _release_of(
            plan, sorted(weeks), levels, cells=cells, noise=noise, unbiased=unbiased, product=product
        )
    except ParameterError as error:
        st.warning(plain(f"No release can be made: {error}"))
        if cells == "discovered" and plan.release.threshold < 1:
            parts.setting_button("Leave out noisy counts below 1", key="threshold_one", threshold="1")
        if product != FLOWS.name:
            parts.setting_button("Publish flows of whole weeks", key="take_flows", publish_product=FLOWS.name)
        parts.other_data("Choose other zones on the page Data", sample="city")
        return None


def release_with_week_to_name(plan: Plan) -> ReleasePlan | None:
    """Return what the controls ask for, of the week that is looked at, where none is named: for a command; None if it cannot be made."""
    state = st.session_state
    if plan.release.max_trips_per_user is None or "publish_product" not in state:
        return None
    product, noise = state["publish_product"], state["publish_noise"]
    cells = shared_controls.cells_in_use(plan.prepared)
    can_have_total = _can_have_total(product, noise, cells)
    levels = (
        DISTRICTS[state.get("publish_levels") or "none"] if can_have_total and product == FLOWS.name else []
    )
    unbiased = can_have_total and bool(state.get("publish_unbiased"))
    try:
        return _release_of(
            plan, [plan.week], levels, cells=cells, noise=noise, unbiased=unbiased, product=product
        )
    except ParameterError:
        return None


def _can_have_total(product: str, noise: str, cells: str) -> bool:
    return noise == "gaussian" and product != VISITS.name and cells == "public"


def _release_of(plan: Plan, weeks: Sequence[str], levels: Sequence[str], **wishes: Any) -> ReleasePlan:
    """Return what would be released of these weeks. Raises ParameterError if it cannot be."""
    prepared = plan.prepared
    return release_plan_from_parameters(
        release_parameters_from_wishes(
            epsilon=plan.release.epsilon,
            max_trips_per_user=plan.release.max_trips_per_user or 0,
            threshold=plan.release.threshold,
            levels=len(levels),
            **wishes,
        ),
        weeks=weeks,
        zones_spec=prepared.zones_spec,
        public_zones=prepared.public_zones,
        levels=levels_from_zone_map(levels, prepared.public_zones, prepared.zone_map),
        positions=positions_from_zone_map(prepared.public_zones, prepared.zone_map),
    )


def as_it_is_read(release: ReleasePlan, data: ReleaseData) -> ReleasePlan | None:
    """Return the plan with the zones that the release will read its data in; None, said, if the zone file does not fit them.

    Before the steward has said how the file is written, zones are as a look at the rows takes them, which no release may hang on.
    """
    try:
        return release_plan_from_release_data(
            release.parameters, data, weeks=release.weeks, levels=[level.name for level in release.levels]
        )
    except (DataError, ParameterError) as error:
        st.warning(plain(f"No release can be made: {error}"))
        with st.container(horizontal=True, vertical_alignment="center"):
            if release.product is FLOWS_BY_SLOT and slot_min_from_format(data.form.mapping.time_format):
                parts.setting_button(
                    "Publish flows of the whole week", key="whole_weeks", publish_product=FLOWS.name
                )
            release_file_form.read_ids_as_text(data)
            parts.way_on("data", "Bring another zone file")
        return None


PRODUCT_WORDS = {
    FLOWS.name: "flows",
    FLOWS_BY_SLOT.name: "flows by slot",
    VISITS.name: "visits by hour",
}


def visits_instead(plan: Plan) -> None:
    """Say of data in which nobody made a trip that no flow can be counted, and offer who is where instead."""
    st.warning(
        plain(
            f"Flows would be noise alone: nobody in {plan.prepared.name} made a trip. Visits can be counted."
        )
    )
    bound = plan.release.max_trips_per_user or USUAL_BOUND
    parts.setting_button(
        f"Publish visits by hour, at most {bound:,} of a person in a week",
        key="take_visits",
        publish_product=VISITS.name,
        bound=str(bound),
    )


def _product_control() -> str:
    """Show what is counted; return the name of the product."""
    words_in_address("publish_product", PRODUCT_WORDS)
    product = st.segmented_control(
        "What is published",
        tuple(PRODUCTS),
        format_func=PRODUCT_WORDS.__getitem__,
        default=FLOWS.name,
        key="publish_product",
        bind="query-params",
        required=True,
        help="flows: people from zone to zone in the week. flows by slot: the same for workdays and weekends in four slots of six hours. visits "
        "by hour: people in each zone in each of the week's 168 hours. Each person counts once in each, and the limit on "
        "the left is on all that is counted of a person in the week.",
    )
    return product or FLOWS.name


def _levels_control(plan: Plan) -> list[str]:
    """Show which sums of districts are published too; return the levels, from small to large."""
    if not plan.prepared.zone_map.located:
        return []
    words_in_address("publish_levels", {one: one for one in DISTRICTS})
    chosen = st.segmented_control(
        "Sums of districts too",
        list(DISTRICTS),
        default="none",
        key="publish_levels",
        bind="query-params",
        required=True,
        help="Districts are blocks of neighbouring zones, 2 by 2 to 4 by 4. Trips from district to district get noise of "
        "their own, paid from the same ε, and "
        "the estimates get counts that agree with these sums. Each trip then weighs a little less: the page says below "
        "whether it is worth it. Districts of a zone file are named on the command line (--levels).",
    )
    return DISTRICTS[chosen or "none"]


def _noise_control() -> str:
    """Show which law the noise has; return "integer" or "gaussian"."""
    words_in_address("publish_noise", {one: one for one in SECURE_NOISES})
    noise = st.segmented_control(
        "Noise of the release",
        SECURE_NOISES,
        default="integer",
        key="publish_noise",
        bind="query-params",
        required=True,
        help="integer: discrete Laplace noise, of each person L trips (or visits) at random. gaussian: more useful for people "
        "with several. All of them count, weighted down, and the promise ε "
        f"has a δ of {delta_words(WANTED_DELTA)} for each week: the noise has no largest loss, and now and then someone loses "
        "more than ε. Of what is found in the data alone it makes no total and no sums of districts.",
    )
    return noise or "integer"


def mondays(weeks: Sequence[str]) -> list[str]:
    """Return all Mondays from the first week to the last, those without a trip too.

    >>> mondays(["2026-03-02", "2026-03-16"])
    ['2026-03-02', '2026-03-09', '2026-03-16']
    """
    first, last = (date.fromisoformat(week) for week in (min(weeks), max(weeks)))
    return [(first + timedelta(weeks=n)).isoformat() for n in range((last - first).days // 7 + 1)]
