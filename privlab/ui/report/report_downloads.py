"""The report that is made: in a job, from the session's data, into files to carry away."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.layouts import FileForm
from privlab.figures.drawing import marked_name
from privlab.fingerprints.measures import StudyParameters
from privlab.lab.attacking import runs_of_data
from privlab.lab.loading import Rows
from privlab.lab.publishing import ReleaseData
from privlab.lab.reporting import (
    KnownStudies,
    Materials,
    collected_report_from_plan,
    digest_of_key,
    reason_against_report,
)
from privlab.progress import UNHEARD, Progress
from privlab.reports import DataReference, ReportPlan
from privlab.reports.documents import HINT, installed_browser
from privlab.reports.exhibits import EXHIBITS
from privlab.safe_text import file_word
from privlab.ui.data.own_file import LoadRequest, read_rows, session_folder
from privlab.ui.publish.release_file_form import release_data_of_request
from privlab.ui.report import report_page
from privlab.ui.report.report_buttons import release_folder
from privlab.ui.sessions.downloads import download
from privlab.ui.state import own_data
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import is_running, outcome, results_of, start_work


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Built:
    """A finished report: from which plan, as HTML, whether it has figures, and in the other forms where they were asked for."""

    plan: ReportPlan
    html: str
    drawn: bool
    pdf: bytes | None
    pictures: bytes | None
    word: bytes | None
    markdown: bytes | None


def making(plan: ReportPlan) -> None:
    """Show the button that makes the report, its progress, and its files."""
    reason = _reason_against(plan)
    browser = installed_browser()
    with st.container(horizontal=True):
        with_pdf = st.checkbox(
            "A PDF too",
            key="report_pdf",
            persist_state="session",
            disabled=browser is None,
            help="Made by the browser on the server, where there is one.",
        )
        with_pictures = st.checkbox(
            "Pictures of the figures too",
            key="report_png",
            persist_state="session",
            disabled=browser is None,
            help="Each figure as PNG, in one ZIP, for slides.",
        )
        with_word = st.checkbox(
            "A Word document too",
            key="report_docx",
            persist_state="session",
            help="The same report as .docx, to be written on.",
        )
        with_markdown = st.checkbox(
            "Markdown too",
            key="report_md",
            persist_state="session",
            help="The same report as text with pictures, in one ZIP, for a repository or wiki.",
        )
    if browser is None:
        st.caption(HINT)
    if reason is not None:
        st.info(reason)
        report_page.take_out_true_data(plan)
    if st.button(
        "Make the report",
        type="primary",
        key="make_report",
        icon=":material/summarize:",
        disabled=reason is not None or is_running("report"),
        help="Draws every figure anew and writes the files. It shows its progress.",
    ):
        wanted = {"pdf": with_pdf, "pictures": with_pictures, "word": with_word, "markdown": with_markdown}
        forms = frozenset(one for one in wanted if wanted[one])
        start_work("report", plan, apart(_build, plan, _materials(plan), forms))
        st.rerun()
    built: Built | None = outcome("report")
    if built is not None:
        _files(built, plan)


def _reason_against(plan: ReportPlan) -> str | None:
    if not plan.items:
        return "The report is empty: use “Add to report” below the charts of the other pages."
    return reason_against_report(plan)


def _materials(plan: ReportPlan) -> Materials:
    """Return what finds the data of the parts; own data is read again from the session's file."""
    request: LoadRequest | None = st.session_state.get("own_request")
    folders = {one: release_folder(one) for one in {item.release for item in plan.items if item.release}}
    return Materials(
        partial(_own_rows, request=request),
        own_runs=runs_of_data(session_folder().path),
        own_prepared=own_data(),
        own_to_release=partial(_to_release, request=request),
        releases=folders.get,
        known=_known_studies(plan),
    )


def _known_studies(plan: ReportPlan) -> KnownStudies:
    """Return what this session has worked out of k-gaps, of the data of the report: minutes of work that would find the same."""
    wanted = {item.data.digest for item in plan.items if item.data is not None}

    def of(name: str) -> dict[tuple[str, StudyParameters], Any]:
        found = {(digest_of_key(key), parameters): one for (key, parameters), one in results_of(name).items()}
        return {key: one for key, one in found.items() if key[0] in wanted}

    return KnownStudies(of_level=of("kgap"), of_levels=of("levels"))


def _own_rows(reference: DataReference, request: LoadRequest | None) -> Rows:
    if request is None:
        raise DataError(
            f"The rows of {reference.name} are not at hand. Load the file again on the Data page."
        )
    return lambda workspace: read_rows(request, workspace, UNHEARD)


def _to_release(form: FileForm, request: LoadRequest | None) -> ReleaseData:
    if request is None:
        raise DataError("The file of this data is not at hand. Load it again on the page Data.")
    return release_data_of_request(request, form)


def _build(plan: ReportPlan, materials: Materials, forms: frozenset[str], *, progress: Progress) -> Built:
    """Make a report in the forms asked for: of "pdf", "pictures", "word" and "markdown"."""
    made = collected_report_from_plan(plan, materials, progress.part(0.0, 0.7), materials.release)
    progress.tell(0.7, "Printing")
    drawn = any(part.figure is not None for part in made.parts)
    figures = made.figures(progress.part(0.75, 0.85)) if forms & {"word", "markdown"} else {}
    return Built(
        plan=plan,
        html=made.html,
        drawn=drawn,
        pdf=made.printed() if "pdf" in forms else None,
        pictures=made.pictures(progress.part(0.85, 1.0)) if "pictures" in forms and drawn else None,
        word=made.word(figures) if "word" in forms else None,
        markdown=made.markdown(figures) if "markdown" in forms else None,
    )


def _files(built: Built, plan: ReportPlan) -> None:
    name = name_of_files(built.plan)
    if built.plan.kind != plan.kind:
        st.info(
            f"These files are of the {built.plan.kind} report that was made before: the {plan.kind} one is not made yet."
        )
    elif built.plan != plan:
        st.info("The report has changed since these files were made.")
    # Of the other kind than is asked for now: every file says so.
    kind = None if built.plan.kind == plan.kind else built.plan.kind
    with st.container(horizontal=True):
        download(
            _label("HTML", kind),
            data=lambda: built.html.encode(),
            file_name=f"{name}.html",
            mime="text/html",
            key="report_html",
            meaning="One file that opens in any browser, without a network.",
            type="primary" if built.plan == plan else "secondary",
        )
        if built.pdf is not None:
            download(
                _label("PDF", kind),
                data=built.pdf,
                file_name=f"{name}.pdf",
                mime="application/pdf",
                key="report_pdf_file",
                meaning="The same report, to be printed or sent.",
            )
        if built.word is not None:
            download(
                _label("Word", kind),
                data=built.word,
                file_name=f"{name}.docx",
                mime="application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                key="report_docx_file",
                meaning="The same report, to be written on.",
            )
        if built.markdown is not None:
            download(
                _label("Markdown", kind, "ZIP"),
                data=built.markdown,
                file_name=f"{name}_markdown.zip",
                mime="application/zip",
                key="report_md_file",
                meaning="The same report as text, with its pictures.",
            )
        if built.pictures is not None:
            download(
                _label("pictures", kind, "ZIP"),
                data=built.pictures,
                file_name=f"{name}_pictures.zip",
                mime="application/zip",
                key="report_png_file",
                meaning="Each figure as a picture.",
            )
    st.caption(_of_html(built))


def _of_html(built: Built) -> str:
    size = f"The HTML file: {len(built.html.encode()) / 1e6:.1f} MB, opens without a network"
    if built.drawn:
        return f"{size}; figures can be zoomed and hovered."
    return f"{size}. No part of this report has a figure, so there are no pictures of any."


def name_of_files(plan: ReportPlan) -> str:
    """Return how the files of a report are named, without their endings: what it is of, and once of which kind."""
    title = file_word(plan.title)
    if any(EXHIBITS[item.exhibit].discloses for item in plan.items):
        return marked_name(title, true_data=True)
    return f"{title}_{plan.kind}"


def _label(form: str, *marks: str | None) -> str:
    """Return the label of a file, with the kind of its report where that is another than is asked for now."""
    said = ", ".join(mark for mark in marks if mark)
    return f"Download {form} ({said})" if said else f"Download {form}"
