"""The releases that were made in a session: their files, their promise, and of visits their course before and after."""

import math
from functools import partial
from pathlib import PurePath
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.figures.flows import visit_series_figure, visit_series_in_words
from privlab.figures.wording import plain, words
from privlab.lab.reporting import together_from_ledger
from privlab.od import FLOWS, PRODUCTS
from privlab.od.releases import SecureReleaseParameters, WeekTotal
from privlab.od.simulating import ReleaseParameters
from privlab.od.usefulness import clip_ratio
from privlab.releases.folders import CERTIFICATE, CSV, ESTIMATES, LEVELS
from privlab.releases.ledger import Ledger, ledger_place_from_environment
from privlab.releases.writing import (
    archive_from_release_folder,
    content_from_release_folder,
    weeks_of_no_use,
)
from privlab.safe_text import file_word
from privlab.ui import cached
from privlab.ui.groups import groups_page
from privlab.ui.publish import counted_view, outlook_view
from privlab.ui.publish.release_controls import PRODUCT_WORDS
from privlab.ui.publish.release_job import Released
from privlab.ui.report.report_buttons import add_certificate_button, report_on_release_button
from privlab.ui.report.report_state import add_release_button
from privlab.ui.sessions.downloads import download
from privlab.ui.shared_controls import counted_on
from privlab.ui.shell import parts
from privlab.ui.state import Plan


def releases() -> None:
    """Show the releases of this session, the newest first, with their files."""
    made = st.session_state.get("released", [])
    for one in reversed(made):
        _release(one)
    if made:
        _series(made[-1])
        counted_view.counted(made[-1])


def place_of_next(plan: Plan) -> DeltaGenerator:
    """Return where the next release is put together: the page itself, or, once this data was released, a part that is closed.

    What was made stands as a whole then, and nothing that is still to be chosen can be taken for part of it.
    """
    n = sum(one.digest == plan.prepared.source_digest for one in st.session_state.get("released", []))
    if not n:
        return st.container()
    # Another key for each, so that the part is closed again once its release was made.
    return st.expander(
        f"**Make another release**, with the settings as they are: {_settings(plan.release, counted_on('publish').split()[-1])}",
        key=f"another_release_{n}",
        icon=":material/add_circle:",
    )


def _settings(release: ReleaseParameters, what: str) -> str:
    """Return the settings of a release that counts trips or visits, in one line.

    >>> _settings(ReleaseParameters(epsilon=2.0, threshold=20, max_trips_per_user=1, noise="integer"), "visits")
    'ε = 2, threshold 20, at most 1 visit per user'
    """
    most = release.max_trips_per_user
    bound = (
        f"no bound on {what} per user"
        if most is None
        else f"at most {words.number_of(what.removesuffix('s'), most)} per user"
    )
    return f"ε = {release.epsilon:g}, threshold {release.threshold:,}, {bound}"


def _release(made: Released) -> None:
    utility = made.certificate["utility"]
    product = PRODUCTS[made.certificate["parameters"].get("product", FLOWS.name)]
    n_cells = utility["published_cells"]
    cells = (
        f"{n_cells:,} {PRODUCT_WORDS[product.name]}"
        if product.parts
        else words.number_of(product.cell, n_cells)
    )
    with st.container(border=True, key=f"made_{made.entry}"):
        st.markdown(
            f":green[:material/check_circle:] **The release of {plain(made.name)} is made** (number {made.entry} in the ledger), "
            f"{words.weeks_of(made.certificate['weeks'])}: "
            f"{cells}, {_noise_in_words(made, product.cell)}."
        )
        outlook_view.verdict_badge(made.verdict)
        parts.statement(made.certificate["guarantee"]["statement"], name=f"made_{made.entry}")
        with st.container(horizontal=True):
            download(
                "Download release and certificate (ZIP)",
                data=lambda: archive_from_release_folder(made.folder),
                file_name=f"release_{_word_of(made)}_{made.entry}.zip",
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
                    meaning=_MEANINGS[name],
                    icon=None,
                )
        st.caption(_which_file(made))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                "**Public key**, with which a receiver checks the signature; hand it on by another way than the files:"
            )
            st.code(made.certificate["signature"]["public_key"], language=None)
        with st.container(horizontal=True):
            _report_button(made)
            chosen = made.certificate["parameters"]
            if "clip" not in chosen and "product" not in chosen:  # the others are in the report as a whole
                _add_promise(made)
            add_certificate_button(made.folder, key=f"add_certificate_{made.entry}")
        st.caption("The files stay beside the ledger too: below they can be downloaded again, at no cost.")


def _noise_in_words(made: Released, cell: str) -> str:
    """Return how far noise moves a count as it is to be counted with: where a total gives back what the limit takes, the unbiased one."""
    width = made.certificate["utility"]["noise_half_width_95"]
    totals = _totals_of_use(made)
    if not totals:
        return f"whole numbers, noise of ±{width:,} in 95 of 100 {cell}s"
    parameters = SecureReleaseParameters(**made.certificate["parameters"])
    ratio = max(clip_ratio(parameters, WeekTotal(**one)) for one in totals.values())
    return (
        f"noise of ±{math.ceil(ratio * width):,} in 95 of 100 {cell}s where one counts with unbiased_count of {ESTIMATES} (±{width:,} in {CSV}, "
        "whose counts are too low)"
    )


def _word_of(made: Released) -> str:
    """Return what tells a release's archive apart from others: of which file, and which weeks."""
    first, last = made.certificate["weeks"][0], made.certificate["weeks"][-1]
    weeks = first if first == last else f"{first}_to_{last}"
    return f"{file_word(PurePath(made.name).stem)}_{weeks}"


_MEANINGS = {
    CSV: "The noisy counts, whole numbers, to which the promise and the certificate belong.",
    ESTIMATES: "What follows from the noisy counts alone: an interval for each, and counts that are easier to use.",
    LEVELS: "The noisy sums of districts.",
    CERTIFICATE: "What is promised to whom, and how it was made; `verify` checks it.",
}


def _which_file(made: Released) -> str:
    """Return which of the files to use for what: where a limit takes from the counts, those that give it back."""
    totals = _totals_of_use(made)
    if not totals and made.certificate.get("totals"):
        return (
            f"To count with: {CSV}. The noisy total gives back no more than noise may: unbiased_count of {ESTIMATES} can be further "
            "from the truth."
        )
    if not totals:
        return f"To count with: {CSV}. {ESTIMATES} says beside each count how far off it may be."
    share = sum(one["counted"] for one in totals.values()) / max(
        sum(one["trips"] for one in totals.values()), 1
    )
    return (
        f"To count with: the column unbiased_count of {ESTIMATES}, which gives back what the limit takes. In {CSV} counts are too low: "
        f"the limit takes {1 - max(min(share, 1.0), 0.0):.0%} of all trips. What the threshold leaves out is in neither. Hand over both, with "
        f"the certificate.{_but_for_weeks(made)}"
    )


def _but_for_weeks(made: Released) -> str:
    """Return in which weeks that column is of no use where it is in others."""
    lost = list(weeks_of_no_use(made.certificate))
    if not lost:
        return ""
    return (
        f" In the {words.weeks_of(lost)} take {CSV}: the noisy total gives back no more there than noise may."
    )


def _totals_of_use(made: Released) -> dict[str, Any]:
    """Return the noisy totals of the weeks in which they give back more than noise may."""
    lost = weeks_of_no_use(made.certificate)
    return {week: one for week, one in made.certificate.get("totals", {}).items() if week not in lost}


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
        series = cached.visit_series(plan.prepared.key, traces, made.folder)
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
        together=lambda: together_from_ledger(Ledger(ledger_place_from_environment()), made.certificate),
    )
