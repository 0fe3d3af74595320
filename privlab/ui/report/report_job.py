"""The report that is made: in a job, from the session's data, into files to carry away."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from privlab.checks import DataError
from privlab.figures import marked_name
from privlab.lab import Materials, Rows, collected_report_from_plan, reason_against_report, runs_of_data
from privlab.progress import UNHEARD, Progress
from privlab.reports import EXHIBITS, HINT, DataReference, ReportPlan, installed_browser
from privlab.safe_text import file_word
from privlab.ui.data.own_file import LoadRequest, read_rows, session_folder
from privlab.ui.shell.downloads import download
from privlab.ui.state import own_data
from privlab.ui.work.waiting import is_running, outcome, start_work


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built:
    """A finished report: from which plan, as HTML, and as PDF and pictures where they were asked for."""

    plan: ReportPlan
    html: str
    pdf: bytes | None
    pictures: bytes | None


def making(plan: ReportPlan) -> None:
    """Show the button that makes the report, its progress, and its files."""
    reason = _reason_against(plan)
    browser = installed_browser()
    with st.container(horizontal=True):
        with_pdf = st.checkbox(
            "A PDF too", key="report_pdf", persist_state="session", disabled=browser is None
        )
        with_pictures = st.checkbox(
            "Pictures of the figures too", key="report_png", persist_state="session", disabled=browser is None
        )
    if browser is None:
        st.caption(HINT)
    if reason is not None:
        st.info(reason)
    if st.button(
        "Make the report",
        type="primary",
        key="make_report",
        icon=":material/summarize:",
        disabled=reason is not None or is_running("report"),
    ):
        start_work("report", plan, _work(plan, _materials(), pdf=with_pdf, pictures=with_pictures))
        st.rerun()
    built: Built | None = outcome("report")
    if built is not None:
        _files(built, plan)


def _reason_against(plan: ReportPlan) -> str | None:
    if not plan.items:
        return "The report is empty: use “Add to report” below the charts of the other pages."
    return reason_against_report(plan)


def _materials() -> Materials:
    """Return what finds the data of the parts; own data is read again from the session's file."""
    request: LoadRequest | None = st.session_state.get("own_request")

    def own_rows(reference: DataReference) -> Rows:
        if request is None:
            raise DataError(
                f"The rows of {reference.name} are not at hand. Load the file again on the Data page."
            )
        return lambda workspace: read_rows(request, workspace, UNHEARD)

    return Materials(own_rows, own_runs=runs_of_data(session_folder().path), own_prepared=own_data())


def _work(
    plan: ReportPlan, materials: Materials, *, pdf: bool, pictures: bool
) -> Callable[[Progress], Built]:
    def work(progress: Progress) -> Built:
        made = collected_report_from_plan(plan, materials, progress.part(0.0, 0.7))
        progress.tell(0.7, "Printing")
        return Built(
            plan=plan,
            html=made.html,
            pdf=made.printed() if pdf else None,
            pictures=made.pictures(progress.part(0.75, 1.0)) if pictures else None,
        )

    return work


def _files(built: Built, plan: ReportPlan) -> None:
    true_data = any(EXHIBITS[item.exhibit].discloses for item in built.plan.items)
    name = marked_name(f"{file_word(built.plan.title)}_{built.plan.kind}", true_data=true_data)
    if built.plan != plan:
        st.info("The report has changed since these files were made.")
    with st.container(horizontal=True):
        download(
            "Download HTML",
            data=lambda: built.html.encode(),
            file_name=f"{name}.html",
            mime="text/html",
            key="report_html",
            type="primary",
        )
        if built.pdf is not None:
            download(
                "Download PDF",
                data=built.pdf,
                file_name=f"{name}.pdf",
                mime="application/pdf",
                key="report_pdf_file",
            )
        if built.pictures is not None:
            download(
                "Download pictures (ZIP)",
                data=built.pictures,
                file_name=f"{name}_pictures.zip",
                mime="application/zip",
                key="report_png_file",
            )
    st.caption(f"{len(built.html) / 1e6:.1f} MB, opens without a network; figures can be zoomed and hovered.")
