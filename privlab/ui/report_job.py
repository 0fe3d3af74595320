"""The report that is made: in a job, from the session's data, into files to carry away."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.engine import Workspace
from privlab.datasets.records import Dataset
from privlab.datasets.zone_maps import Zoning
from privlab.figures.labels import file_word
from privlab.figures.marks import marked_name
from privlab.progress import silent
from privlab.reports.all_exhibits import EXHIBITS, html_from_report_parts, pictures_from_parts
from privlab.reports.browser_export import HINT, installed_browser, pdf_from_html
from privlab.reports.exhibits import parts_from_report_plan, require_allowed
from privlab.reports.material import RowsMaterial, require_same_data, sample_rows
from privlab.reports.report_plan import DataReference, ReportPlan
from privlab.runs import Runs, runs_path_from_environment
from privlab.ui.downloads import download
from privlab.ui.jobs import Report, part_of
from privlab.ui.own_file import LoadRequest, read_rows, session_folder
from privlab.ui.state import own_data
from privlab.ui.waiting import is_running, outcome, start_work


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
        start_work("report", plan, _work(plan, _material(), pdf=with_pdf, pictures=with_pictures))
        st.rerun()
    built: Built | None = outcome("report")
    if built is not None:
        _files(built, plan)


def _reason_against(plan: ReportPlan) -> str | None:
    if not plan.items:
        return "The report is empty: use “Add to report” below the charts of the other pages."
    try:
        for item in plan.items:
            if item.exhibit not in EXHIBITS:
                return "Take out the parts that this lab does not know."
            require_allowed(plan.kind, EXHIBITS[item.exhibit])
    except DataError as error:
        return str(error)
    return None


def _material() -> Callable[[DataReference], RowsMaterial]:
    """Return what finds the data of an item; own data is read again from the session's file."""
    request: LoadRequest | None = st.session_state.get("own_request")
    prepared, folder = own_data(), session_folder().path
    materials: dict[str, RowsMaterial] = {}

    def found(reference: DataReference) -> RowsMaterial:
        if reference.digest not in materials:
            materials[reference.digest] = made(reference)
        return materials[reference.digest]

    def made(reference: DataReference) -> RowsMaterial:
        def rows(workspace: Workspace) -> tuple[Dataset, Zoning]:
            if reference.sample:
                return sample_rows(reference.name, workspace)
            if request is None:
                raise DataError(
                    f"The rows of {reference.name} are not at hand. Load the file again on the Data page."
                )
            return read_rows(request, workspace, silent)

        material = RowsMaterial(
            rows,
            sample=reference.sample,
            runs=Runs(runs_path_from_environment() if reference.sample else folder / "runs.sqlite"),
            report=silent,
            prepared=None if reference.sample else prepared,
        )
        require_same_data(reference, material.reference())
        return material

    return found


def _work(
    plan: ReportPlan, material: Callable[[DataReference], RowsMaterial], *, pdf: bool, pictures: bool
) -> Callable[[Report], Built]:
    def work(report: Report) -> Built:
        parts = parts_from_report_plan(plan, EXHIBITS, material, part_of(report, 0.0, 0.7))
        html = html_from_report_parts(plan, parts)
        report(0.7, "Printing")
        return Built(
            plan=plan,
            html=html,
            pdf=pdf_from_html(html) if pdf else None,
            pictures=pictures_from_parts(parts, kind=plan.kind, report=part_of(report, 0.75, 1.0))
            if pictures
            else None,
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
