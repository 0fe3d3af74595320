"""The audit of the whole way, from file to file: choice, progress, and what was found, beside what is promised."""

from typing import Any

import streamlit as st

from privlab.checks import ParameterError
from privlab.defaults import USUAL_BOUND, USUAL_THRESHOLD
from privlab.figures.risks import pipeline_figure
from privlab.figures.risks import pipeline_words as words
from privlab.figures.wording import period, plain
from privlab.figures.wording import words as counts
from privlab.lab.attacking import pipeline_audit_from_release_data
from privlab.lab.publishing import ReleaseData, release_data_of_sample, release_parameters_from_wishes
from privlab.limits import MAX_AUDIT_CELLS
from privlab.od import FLOWS, PRODUCTS
from privlab.od.auditing import (
    BROKEN_PIPELINES,
    HONEST,
    PipelineAudit,
    PipelineAuditParameters,
    work_ahead_from_parameters,
)
from privlab.od.releases import SECURE_NOISES
from privlab.od.settled import reason_against_promise
from privlab.ui import shared_controls
from privlab.ui.data.own_file import loaded_request
from privlab.ui.publish.release_controls import DISTRICTS, PRODUCT_WORDS
from privlab.ui.publish.release_file_form import release_data_of_request
from privlab.ui.shell import parts
from privlab.ui.shell.addresses import words_in_address
from privlab.ui.shell.command_line import command_from_audit
from privlab.ui.shell.parts import palette
from privlab.ui.state import OWN, Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import error_of, is_running, outcome, start_work

# What is chosen, by the names of the parameters.
LABELS = {
    "product": "What is released",
    "total_share": "With a noisy total",
    "levels": "Sums of districts too",
}
_RUNS = ("200", "500", "1000", "2000", "5000", "10000")
_LEVELS = ("95", "99.9")
_NAME = "pipeline_audit"
_BOUND = str(USUAL_BOUND)

_WAYS = {HONEST: "the release's own"} | {name: f"broken: {words.BROKEN[name]}" for name in BROKEN_PIPELINES}

Audited = tuple[tuple[str, ...], PipelineAuditParameters]
"""The districts whose sums are published too, by name, and all else of an audit."""


def whole_way(plan: Plan) -> None:
    """Show the choice of a pipeline, noise and runs, a button that starts the audit, and what the last one found."""
    st.markdown(
        "Noise that keeps its promise helps nobody if a limit is forgotten before it. Here people are added to a copy of the "
        "loaded file, and the whole way to the published file is gone with one more of them and without, over and over: reading, "
        "cleaning, zones, trips, the limit on trips, noise, threshold, the published table. What gives that person away is held "
        "against the most that is promised. Nothing is published or charged, and the file stays as it is."
    )
    data = _data(plan)
    if data is None:
        return
    audited = _audited(plan, **_controls())
    if audited is None:
        return
    st.button(
        "Audit the whole way",
        key="run_pipeline",
        icon=":material/route:",
        disabled=is_running(_NAME),
        on_click=_start,
        args=(plan, data, audited),
        help="Reads the file once with each added person and once without, then makes a release of each again and again. It can "
        "be stopped.",
    )
    prepared = plan.prepared
    n_zones = len(prepared.public_zones or prepared.trips.zones)
    work = work_ahead_from_parameters(audited[1], n_rows=prepared.rows, n_zones=n_zones)
    st.caption(words.ahead(work, audited[1]))
    found: PipelineAudit | None = outcome(_NAME)
    if found is not None:
        _show(found, plan, audited)
    elif isinstance(error_of(_NAME), ParameterError) and plan.release.threshold > USUAL_THRESHOLD:
        parts.setting_button(
            f"Audit a release that leaves out noisy counts below {USUAL_THRESHOLD}",
            key="pipeline_lower",
            threshold=str(USUAL_THRESHOLD),
        )
    _command(plan, audited)


def _data(plan: Plan) -> ReleaseData | None:
    """Return how a release would read the loaded data, or say what is missing."""
    prepared = plan.prepared
    reason = reason_against_promise(has_users=prepared.has_users, users_apart=prepared.users_apart)
    if reason is not None:
        st.info(plain(reason))
        parts.other_data("Load other data", sample="commuters")
        return None
    if plan.release.max_trips_per_user is None:
        st.info(
            "Without a limit on trips a release promises nothing to a person, and there is nothing to audit."
        )
        parts.setting_button(f"Count at most {_BOUND} trips of a person", key="pipeline_bound", bound=_BOUND)
        return None
    request = loaded_request()
    if prepared.form is None or (plan.data == OWN and request is None):
        st.info("The file of this data is no longer at hand. Load it again on the page Data.")
        parts.way_on("data", "Load it again")
        return None
    try:
        if plan.data != OWN:
            return release_data_of_sample(plan.data, prepared.form)
        assert request is not None
        return release_data_of_request(request, prepared.form)
    except ParameterError as error:
        st.info(plain(str(error)))
        parts.other_data("Choose other zones on the page Data", sample="commuters")
        return None


def _controls() -> dict[str, Any]:
    """Show the audit's own controls; return what was chosen: `specs` of districts, and the rest by the names of the parameters."""
    for key, named in (("pipeline", _WAYS), ("pipeline_product", PRODUCT_WORDS)):
        words_in_address(key, named)
    for key, names in (("pipeline_noise", SECURE_NOISES), ("pipeline_levels", tuple(DISTRICTS))):
        words_in_address(key, {name: name for name in names})
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pipeline = st.selectbox(
            "Way from file to file",
            list(_WAYS),
            format_func=_WAYS.__getitem__,
            key="pipeline",
            bind="query-params",
            width=360,
            help="The release's own functions. The others are broken on purpose in one step, to see what the audit catches.",
        )
        noise = st.segmented_control(
            "Noise",
            SECURE_NOISES,
            default="integer",
            key="pipeline_noise",
            bind="query-params",
            required=True,
            help="integer: discrete Laplace noise. gaussian: all trips count, weighted down. Of what is found in the data alone it "
            "makes no total and no sums of districts.",
        )
        product = st.segmented_control(
            LABELS["product"],
            tuple(PRODUCTS),
            format_func=PRODUCT_WORDS.__getitem__,
            default=FLOWS.name,
            key="pipeline_product",
            bind="query-params",
            required=True,
            help="flows: trips between zones. flows by slot: the same by time of the week. visits by hour: people by zone and hour; then the "
            "limit is on their visits.",
        )
        total = st.checkbox(
            LABELS["total_share"],
            key="pipeline_total",
            bind="query-params",
            help="The number of trips of the week, with noise of its own, as an unbiased release has it: flows with Gaussian noise only.",
        )
        levels = st.segmented_control(
            LABELS["levels"],
            list(DISTRICTS),
            default="none",
            key="pipeline_levels",
            bind="query-params",
            required=True,
            help="Noisy sums of blocks of zones, as a release with levels has them: flows with Gaussian noise only, of zones that lie on the map.",
        )
        trials = st.select_slider(
            "Releases of each file",
            _RUNS,
            value="2000",
            key="pipeline_runs",
            bind="query-params",
            width=200,
            help="More releases find smaller faults and take longer. 2,000 show half the noise at a limit of 20 trips.",
        )
        level = st.segmented_control(
            "Sure to (%)",
            _LEVELS,
            default="99.9",
            key="pipeline_level",
            bind="query-params",
            required=True,
            help="How sure a conviction must be. At 99.9, an honest release is wrongly caught in 1 of 1,000 audits at most.",
        )
    return {
        "specs": tuple(DISTRICTS[levels or "none"]),
        "noise": noise or "integer",
        "product": product or FLOWS.name,
        "unbiased": total,
        "trials": int(trials),
        "level": float(level or "99.9") / 100,
        "pipeline": pipeline or HONEST,
    }


def _audited(
    plan: Plan,
    *,
    specs: tuple[str, ...],
    noise: str,
    product: str,
    unbiased: bool,
    trials: int,
    level: float,
    pipeline: str,
) -> Audited | None:
    """Return what is audited; None, said with a way on, if there is no such release."""
    release = plan.release
    try:
        return specs, PipelineAuditParameters(
            release=release_parameters_from_wishes(
                epsilon=release.epsilon,
                max_trips_per_user=min(release.max_trips_per_user or 1, MAX_AUDIT_CELLS),
                threshold=release.threshold,
                cells=shared_controls.cells_in_use(plan.prepared),
                noise=noise,
                product=product,
                unbiased=unbiased,
                levels=len(specs),
            ),
            trials=trials,
            level=level,
            seed=plan.seed,
            pipeline=pipeline,
        )
    except ParameterError as error:
        st.info(plain(parts.named_as_shown(error, LABELS)))
        if shared_controls.cells_in_use(plan.prepared) == "discovered" and plan.release.threshold < 1:
            parts.setting_button("Leave out noisy counts below 1", key="pipeline_threshold", threshold="1")
        parts.setting_button(
            "Audit the release's own way, with integer noise",
            key="pipeline_honest",
            pipeline=HONEST,
            pipeline_noise="integer",
            pipeline_product=FLOWS.name,
            pipeline_total=False,
            pipeline_levels="none",
        )
        parts.way_on("plan", "Find settings that fit on the page Plan")
        return None


def _start(plan: Plan, data: ReleaseData, audited: Audited) -> None:
    levels, parameters = audited
    digest = plan.prepared.source_digest if plan.data == OWN else None  # the file of a sample stays as it is
    work = apart(
        pipeline_audit_from_release_data, data, parameters, week=plan.week, levels=levels, digest=digest
    )
    start_work(_NAME, (plan.prepared.key, plan.week, audited), work)


def _show(found: PipelineAudit, plan: Plan, now: Audited) -> None:
    sentence = words.finding(found)
    st.markdown(sentence)
    lost = words.lost_trips(found)
    if lost:
        st.caption(lost)
    if any(one.tests for one in found.canaries):
        parameters, levels = found.parameters, tuple(level.name for level in found.plan.levels)
        parts.chart(
            pipeline_figure(found, palette()),
            key="pipeline_chart",
            alt=sentence,
            about="nothing",
            exhibit="pipeline_audit"
            if (levels, parameters) == now and found.plan.weeks == (plan.week,)
            else None,
            options={
                "way": parameters.pipeline,
                "noise": parameters.release.noise,
                "product": parameters.release.product,
                "total": bool(parameters.release.total_share),
                **({"levels": ",".join(levels)} if levels else {}),
                "cells": parameters.release.cells,
                "releases": parameters.trials,
                "level": parameters.level,
            },
            settings=f"{plan.prepared.name}: {period(found.plan.weeks[0])}, ε = {parameters.release.epsilon:g}, at most "
            f"{counts.number_of(found.plan.product.counted[:-1], parameters.release.max_trips_per_user)} per user, threshold "
            f"{parameters.release.threshold:,}",
        )
        parts.table(words.rows(found), key="pipeline_table", widths=words.WIDTHS)
    st.caption(words.account(found))


def _command(plan: Plan, audited: Audited) -> None:
    levels, parameters = audited
    command = command_from_audit(plan, parameters, levels, loaded_request())
    with st.expander("The same on the command line"):
        st.code(command, language=None, wrap_lines=True)
