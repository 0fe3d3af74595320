"""The publish page's own controls: what a release would be, the job that makes it, and its files."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import partial

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.dp.promise import delta_words
from privlab.figures import plain, visit_series_figure, visit_series_in_words
from privlab.lab import (
    WANTED_DELTA,
    Accepted,
    ReleaseData,
    ReleaseRefused,
    levels_from_zone_map,
    refused_in_words,
    release_parameters_from_wishes,
)
from privlab.limits import MIN_EPSILON
from privlab.od.counting import FLOWS, PRODUCTS, reason_against_promise
from privlab.od.releases import (
    SECURE_NOISES,
    ReleaseParameters,
    ReleasePlan,
    release_plan_from_parameters,
)
from privlab.releases import (
    CERTIFICATE,
    CSV,
    ESTIMATES,
    LEVELS,
    Account,
    Ledger,
    archive_from_release_folder,
    content_from_release_folder,
    cost_from_plan,
    released_counts_from_folder,
)
from privlab.reports import visit_series_of_release
from privlab.safe_text import file_word
from privlab.ui import inputs
from privlab.ui.groups import groups_page
from privlab.ui.publish import approval_view, outlook_view, release_form
from privlab.ui.publish.release_job import Released, running, start
from privlab.ui.report.put_together import add_certificate_button, report_on_release_button
from privlab.ui.report.report_state import add_release_button
from privlab.ui.shell import access, parts
from privlab.ui.shell.downloads import download
from privlab.ui.state import Plan
from privlab.ui.work.jobs import follow

_NO_BOUND = (
    "Without a bound a release promises nothing to a person, and is not made. Take the plan below, or set “Unique trips per "
    "user, at most” on the left."
)


_LEVELS: dict[str, list[str]] = {
    "none": [],
    "2 × 2": ["blocks:2"],
    "3 × 3": ["blocks:3"],
    "4 × 4": ["blocks:4"],
}


def hindrance(plan: Plan) -> str | None:
    """Return why nothing can be released of this data or plan, whatever the weeks; None if it can be."""
    prepared = plan.prepared
    no_bound = _NO_BOUND if plan.release.max_trips_per_user is None else None
    return reason_against_promise(has_users=prepared.has_users, users_apart=prepared.users_apart) or no_bound


def wants_a_bound(plan: Plan) -> bool:
    """Return whether nothing but a bound on trips per user is missing."""
    return (
        reason_against_promise(has_users=plan.prepared.has_users, users_apart=plan.prepared.users_apart)
        is None
        and plan.release.max_trips_per_user is None
    )


def release_control(plan: Plan) -> ReleasePlan | None:
    """Show which weeks and cells; return what would be released, or say what is missing."""
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
        cells = inputs.cells_control(plan.prepared)
        noise = _noise_control()
        unbiased = (
            noise == "gaussian"
            and product == FLOWS.name
            and st.checkbox(
                "Publish a total too",
                key="publish_unbiased",
                bind="query-params",
                help="Each week's number of trips, with noise of its own, paid from the same ε. The estimates beside the counts then "
                "give back what the limit on trips takes away: their column unbiased_count. For data with many trips: the page "
                "says below how far off the total is.",
            )
        )
    levels = _levels_control(plan) if noise == "gaussian" and product == FLOWS.name else []
    if not weeks:
        st.info("Name at least one week to see what its release would promise and cost.")
        parts.setting_button(f"Name the week of {plan.week}", key="name_week", publish_weeks=[plan.week])
        return None
    try:
        return release_plan_from_parameters(
            release_parameters_from_wishes(
                epsilon=plan.release.epsilon,
                max_trips_per_user=plan.release.max_trips_per_user or 0,
                threshold=plan.release.threshold,
                cells=cells,
                noise=noise,
                unbiased=unbiased,
                product=product,
                levels=len(levels),
            ),
            weeks=sorted(weeks),
            zones_spec=plan.prepared.zones_spec,
            public_zones=plan.prepared.public_zones,
            levels=levels_from_zone_map(levels, plan.prepared.public_zones, plan.prepared.zone_map),
        )
    except ParameterError as error:
        st.warning(plain(f"No release can be made: {error}"))
        if product != FLOWS.name:
            parts.setting_button("Publish flows of whole weeks", key="take_flows", publish_product=FLOWS.name)
        parts.other_data("Choose other zones on the page Data", sample="city")
        return None


_PRODUCT_WORDS = {
    FLOWS.name: "flows",
    "flows-by-slot": "flows by slot",
    "visits": "visits by hour",
}


def _product_control() -> str:
    """Show what is counted; return the name of the product."""
    product = st.segmented_control(
        "What is published",
        tuple(PRODUCTS),
        format_func=_PRODUCT_WORDS.__getitem__,
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
    chosen = st.segmented_control(
        "Sums of districts too",
        list(_LEVELS),
        default="none",
        key="publish_levels",
        bind="query-params",
        required=True,
        help="Districts are blocks of neighbouring zones, 2 by 2 to 4 by 4. Trips from district to district get noise of their own, paid from the same ε, and "
        "the estimates get counts that agree with these sums. Each trip then weighs a little less: the page says below "
        "whether it is worth it. Districts of a zone file are named on the command line (--levels).",
    )
    return _LEVELS[chosen or "none"]


def _noise_control() -> str:
    """Show which law the noise has; return "integer" or "gaussian"."""
    noise = st.segmented_control(
        "Noise of the release",
        SECURE_NOISES,
        default="integer",
        key="publish_noise",
        bind="query-params",
        required=True,
        help="integer: discrete Laplace noise, of each person L trips at random. gaussian: more useful for people with several trips. All their trips count, weighted down, and the promise ε "
        f"has a δ of {delta_words(WANTED_DELTA)} for each week: the noise has no largest loss, and now and then someone loses "
        "more than ε. For all possible flows only.",
    )
    return noise or "integer"


def mondays(weeks: Sequence[str]) -> list[str]:
    """Return all Mondays from the first week to the last, those without a trip too.

    >>> mondays(["2026-03-02", "2026-03-16"])
    ['2026-03-02', '2026-03-09', '2026-03-16']
    """
    first, last = (date.fromisoformat(week) for week in (min(weeks), max(weeks)))
    return [(first + timedelta(weeks=n)).isoformat() for n in range((last - first).days // 7 + 1)]


def promise(plan: Plan, release: ReleasePlan) -> None:
    """Show the sentence that may be published with the release, and what is different from the simulation."""
    st.code(release.guarantee.statement, language=None, wrap_lines=True)
    of = release.product.counted
    cells = "flows found in the data" if release.n_cells is None else f"{release.n_cells:,} cells a week"
    group = "" if plan.group_size is None else " It counts everyone, not the group chosen on the left."
    st.caption(
        f"Whole-number noise without a seed in {cells}; noisy counts below {release.parameters.threshold} are "
        f"left out. It costs ε = {release.epsilon:g}"
        f"{f' and δ = {delta_words(release.delta)}' if release.delta else ''}, all weeks together.{group} "
        + (
            "A move from Sunday's last hour to Monday's first lies in two weeks and is counted in neither."
            if of == "trips"
            else "A person in a zone within an hour is one visit; the limit on the left is on a person's visits in the week."
        )
    )


def make_button(
    plan: Plan,
    data: ReleaseData | None,
    release: ReleasePlan,
    account: Account,
    book: Ledger,
    accepted: Accepted | None,
) -> None:
    """Show the button that makes the release; a second one asks first. Without `accepted` it is refused so far.

    Both belong to just this data and promise: a tick, or a click on a page that is out of date, counts for
    no other. Who may only look gets a sentence in its place.
    """
    if not access.may_release():
        st.warning(
            "You may look here, and not release: whoever runs this lab has named who may. Ask one of them; a report can "
            "hold the plan and what it promises."
        )
        parts.way_on("report", "Put a report together for them")
        return
    form = None if data is None else data.form
    what = repr(
        (plan.prepared.key, form, release.parameters, release.weeks, release.levels, len(account.entries))
    )
    mark = hashlib.sha256(what.encode()).hexdigest()[:12]
    agreed = True
    if account.entries:
        total = account.epsilon + release.epsilon
        st.warning(
            f"This data has been released before. One more, and what its people are promised is ε = {total:g}, not "
            f"{release.epsilon:g}: whoever reads all releases knows more than from any one of them."
        )
        agreed = st.checkbox(
            f"I know that the promises add up to ε = {total:g}",
            key=f"agree_{mark}",
            help="Without this tick no further release of the same people is made.",
        )
    over = account.reason_against(cost_from_plan(release))
    if over is not None:
        left = account.left_epsilon or 0.0
        if account.adding == "sum" and release.epsilon > left:
            over = f"ε = {left:g} is left, the release costs {release.epsilon:g}."
        st.error(
            f"The budget does not suffice: {over} Take fewer weeks or a smaller ε, or raise the budget below if you may."
        )
        _within_budget(release, account)
    seconded = approval_view.approved(release, account, book, plan.prepared.source_digest)
    if (
        st.button(
            "Make the release",
            type="primary",
            key=f"make_release_{mark}",
            icon=":material/publish:",
            disabled=data is None
            or accepted is None
            or not agreed
            or over is not None
            or not seconded
            or running() is not None,
            help="Writes the cost into the ledger, then draws the noise. It cannot be taken back.",
        )
        and data is not None
        and accepted is not None
    ):
        outlook_view.mark_started(plan, release)
        start(plan.prepared, data, release, book, accepted)
        st.rerun()
    if data is None:
        release_form.still_to_say(plan)
    if not agreed:
        st.caption(
            "It cannot be made yet: tick above that the promises add up, or keep the release that was made."
        )


def _within_budget(release: ReleasePlan, account: Account) -> None:
    """Offer the largest ε, of two digits, with which all weeks cost no more than is left."""
    now = release.parameters.epsilon
    if account.adding == "sum":
        most = now * (account.left_epsilon or 0.0) / release.epsilon
    else:
        most = account.fitting_epsilon(
            lambda epsilon: cost_from_plan(
                replace(release, parameters=replace(release.parameters, epsilon=epsilon))
            ),
            now,
        )
    if MIN_EPSILON <= most < now:
        unit = 10 ** (math.floor(math.log10(most)) - 1)
        fitting = f"{math.floor(most / unit + 1e-9) * unit:.2g}"
        parts.setting_button(f"Use ε = {fitting}", key="fit_budget", epsilon=fitting)


def watch() -> None:
    """Show the progress of a release, and what became of it. There is no cancel: its cost is written down."""
    job = running()
    if job is None:
        return
    if not job.done:
        follow(job)
        return
    st.session_state.pop("release_job")
    if job.error is None:
        st.session_state["released"].append(job.result())
        st.rerun()  # the strip above was drawn before
    elif isinstance(job.error, ReleaseRefused):
        outlook_view.mark_refused(job.error.refusals)
        st.error(plain(refused_in_words(job.error.refusals)))
    elif isinstance(job.error, DataError | ParameterError):
        st.error(plain(f"The release was not handed over: {job.error}"))
    else:
        raise job.error


def releases() -> None:
    """Show the releases of this session, the newest first, with their files."""
    made = st.session_state.get("released", [])
    for one in reversed(made):
        _release(one)
    if made:
        _series(made[-1])


def _release(made: Released) -> None:
    utility = made.certificate["utility"]
    cell = PRODUCTS[made.certificate["parameters"].get("product", FLOWS.name)].cell
    with st.container(border=True, key=f"made_{made.entry}"):
        st.markdown(
            f"**Release {made.entry} of {plain(made.name)}**, week of {', '.join(made.certificate['weeks'])}: "
            f"{utility['published_cells']:,} {cell}s, whole numbers, noise of ±{utility['noise_half_width_95']:,} "
            "in 95 of 100 cells."
        )
        outlook_view.verdict_badge(made.verdict)
        st.code(made.certificate["guarantee"]["statement"], language=None, wrap_lines=True)
        with st.container(horizontal=True):
            download(
                "Download release and certificate (ZIP)",
                data=lambda: archive_from_release_folder(made.folder),
                file_name=f"release_{file_word(made.name)}_{made.certificate['weeks'][0]}_{made.entry}.zip",
                mime="application/zip",
                key=f"zip_{made.entry}",
                meaning="All files of the release in one: hand over these, as they are.",
                type="primary",
            )
            names = [CSV, ESTIMATES, *([LEVELS] if "levels" in made.certificate else []), CERTIFICATE]
            for name in names:
                download(
                    name,
                    data=partial(content_from_release_folder, made.folder, name),
                    file_name=name,
                    mime="application/json" if name == CERTIFICATE else "text/csv",
                    key=f"{name}_{made.entry}",
                    meaning="One file of the release by itself.",
                    icon=None,
                )
        with st.container(horizontal=True):
            _report_button(made)
            chosen = made.certificate["parameters"]
            if "clip" not in chosen and "product" not in chosen:  # the others are in the report as a whole
                _add_promise(made)
            add_certificate_button(made.folder, key=f"add_certificate_{made.entry}")
        st.caption("The files stay beside the ledger too: below they can be downloaded again, at no cost.")


def _series(made: Released) -> None:
    """Show visits hour by hour, before and after, once opened, while the data that they were counted in is loaded."""
    plan: Plan | None = st.session_state.get("plan")
    released = made.certificate["parameters"].get("product")
    if released != "visits" or plan is None or plan.prepared.source_digest != made.digest:
        return
    fold = st.expander(
        "Hour by hour, before and after", key="series_fold", bind="query-params", on_change="rerun"
    )
    if not fold.open:
        return
    with fold:
        traces = groups_page.traces_of(plan)
        if traces is None:
            return
        counts = released_counts_from_folder(made.folder)
        series = visit_series_of_release(traces, counts, week=counts.plan.weeks[0])
        sentence = visit_series_in_words(series)
        parts.true_data()
        st.markdown(plain(sentence))
        parts.chart(
            visit_series_figure(series, parts.palette()),
            key="visits_chart",
            alt=sentence,
            about="data",
        )


def _report_button(made: Released) -> None:
    """Offer the whole report on a release, while the data that it was made of is loaded."""
    plan: Plan | None = st.session_state.get("plan")
    if plan is not None and plan.prepared.source_digest == made.digest:
        report_on_release_button(made.folder, key=f"report_on_release_{made.entry}")


def _add_promise(made: Released) -> None:
    """Offer the promise of a release for the report, with the cells and weeks that it was made with."""
    chosen = made.certificate["parameters"]
    add_release_button(
        made.entry,
        ReleaseParameters(
            epsilon=chosen["epsilon"],
            threshold=chosen["threshold"],
            max_trips_per_user=chosen["max_trips_per_user"],
            noise="integer",
        ),
        weeks=len(made.certificate["weeks"]),
        cells=chosen["cells"],
    )


def on_the_command_line(plan: Plan, release: ReleasePlan | None) -> None:
    """Show the commands that do the same without a browser."""
    weeks = " ".join(f"--week {week}" for week in (release.weeks if release else ("MONDAY",)))
    cells = "" if release is None or release.n_cells is not None else " --cells discovered"
    if release is not None and release.parameters.noise == "gaussian":
        cells = f" --noise gaussian --clip {release.parameters.clip} --delta {release.parameters.delta:g}"
        cells += " --unbiased" if release.parameters.total_share else ""
    if release is not None and release.parameters.noise == "gaussian" and release.levels:
        cells += f" --levels {','.join(level.name for level in release.levels)}"
    if release is not None and release.product is not FLOWS:
        cells += f" --product {release.product.name}"
    form = plan.prepared.form
    ids = "" if form is None or form.ids is None else f" --ids {form.ids}"
    with st.expander("The same on the command line"):
        st.code(
            f"python -m privlab release DATA --zones ZONES {weeks} --epsilon {plan.release.epsilon:g} "
            f"--max-trips-per-user {plan.release.max_trips_per_user or 'L'} --threshold {plan.release.threshold}"
            f"{cells}{ids} --out release\n"
            "python -m privlab ledger public-key\n"
            "python -m privlab verify release/certificate.json --public-key KEY\n"
            "python -m privlab ledger show",
            language="bash",
            wrap_lines=True,
        )
