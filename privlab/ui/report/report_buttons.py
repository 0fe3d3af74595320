"""The buttons that put a whole report together: on a release that was made, or on the loaded data without one."""

from pathlib import Path

import streamlit as st

from privlab.checks import DataError
from privlab.figures.wording import plain
from privlab.lab.reporting import (
    reference_from_prepared_trips,
    report_plan_from_data,
    report_plan_from_release,
    require_of_data,
    wish_options,
)
from privlab.od.planning import PlanRequest
from privlab.od.releases import ReleasePlan
from privlab.releases.accounts import Account
from privlab.releases.folders import kept_release
from privlab.releases.ledger import Ledger, ledger_place_from_environment
from privlab.releases.reading import released_counts_from_folder
from privlab.reports import DataReference, ReleaseReference, ReportPlan
from privlab.ui.report.part_settings import mechanism_in_reports, wishes
from privlab.ui.report.report_state import add_button, keep_item, keep_report, report_plan
from privlab.ui.samples import wait_for_sample
from privlab.ui.shared_controls import cells_in_use
from privlab.ui.shell import parts
from privlab.ui.state import OWN, Plan

_FOLDERS = "release_folders"  # by the digest of their certificate


def report_on_release_button(
    folder: Path, *, key: str, label: str = "Report on this release", is_there: bool = False
) -> None:
    """Offer the whole report on a release of the loaded data, and go to it; `is_there` on the page Report itself."""
    if st.button(
        label,
        key=key,
        icon=":material/summarize:",
        help="Data, wishes, plan, promise, certificate, maps, risk, use and limits in one report, to be changed there.",
    ):
        plan: Plan | None = st.session_state.get("plan")
        try:
            released = released_counts_from_folder(folder)
            book = Ledger(ledger_place_from_environment())
            if plan is not None:
                require_of_data(book, released, plan.prepared)
            made = report_plan_from_release(
                released,
                data=_data(plan),
                wishes=wishes(),
                author=report_plan().author,
                has_users=plan is not None and plan.prepared.has_users,
                ledger=book,
            )
        except DataError as error:
            st.error(plain(str(error)))
            parts.way_on("data", "Look at the data")
            return
        st.session_state.setdefault(_FOLDERS, {})[released.digest] = folder
        _take(made, is_there=is_there)


def report_on_data_button(plan: Plan) -> None:
    """Offer, on the page Report, the risk report on the loaded data, of which no release was made."""
    if st.button(
        "Risk report on this data",
        key="report_on_data",
        icon=":material/summarize:",
        disabled=bool(plan.prepared.no_trips),
        help="Nobody in this data made a trip between zones, so that no release can be judged."
        if plan.prepared.no_trips
        else "What a release with these settings would cost the people in the data, in one report.",
    ):
        data = _data(plan)
        assert data is not None
        _take(
            report_plan_from_data(
                data,
                release=plan.release,
                week=plan.week,
                group_size=plan.group_size,
                seed=plan.seed,
                wishes=wishes(),
                author=report_plan().author,
                has_users=plan.prepared.has_users,
                mechanism=mechanism_in_reports(plan),
                cells=cells_in_use(plan.prepared),
            ),
            is_there=True,
        )


def add_plan_buttons(request: PlanRequest) -> None:
    """Offer wishes and plan for the report, as they are on the page Plan."""
    options = dict(wish_options(request))
    with st.container(horizontal=True, key="plan_to_report"):
        add_button("plan", **options)
        add_button("wishes", **options)


def add_promise_of_plan(release: ReleasePlan) -> None:
    """Offer the promise of a release that is about to be made for the report."""
    if (
        release.parameters.noise != "integer"
    ):  # before it is made, a promise for the report is of integer noise
        return
    cells = release.parameters.cells
    add_button("guarantee", weekly_releases=len(release.weeks), cells=cells)


def add_certificate_button(folder: Path, *, key: str) -> None:
    """Offer the certificate of a release that was made for the report."""
    if not st.button(
        "Add its certificate to the report",
        key=key,
        icon=":material/note_add:",
        type="tertiary",
        help="The report then holds promise, mechanism and parameters of this release.",
    ):
        return
    try:
        released = released_counts_from_folder(folder)
    except DataError as error:
        st.error(plain(str(error)))
        return
    st.session_state.setdefault(_FOLDERS, {})[released.digest] = folder
    book = Ledger(ledger_place_from_environment())
    whole = report_plan_from_release(released, data=None, kind="external", ledger=book)
    keep_item(next(item for item in whole.items if item.exhibit == "certificate"))


def offers(plan: Plan | None) -> None:
    """Show, on the page Report, every report that can be put together of what is loaded, and the way back."""
    if plan is None:
        wait_for_sample(st.session_state["data"])
        return
    with st.container(horizontal=True, key="report_offers"):
        report_on_data_button(plan)
        for entry, folder in _kept_releases(plan):
            report_on_release_button(
                folder, key=f"report_offer_{entry}", label=f"Report on release {entry}", is_there=True
            )
        if st.session_state.get("report_before") is not None:
            st.button(
                "Back to the report made before",
                key="report_back",
                icon=":material/undo:",
                on_click=_back,
                help="Takes up again what was put together by hand, in place of the report made by a button.",
            )


def _kept_releases(plan: Plan) -> list[tuple[int, Path]]:
    """Return the releases of the loaded data whose files are kept beside the ledger, the newest first."""
    book = Ledger(ledger_place_from_environment())
    try:
        account: Account = book.account(plan.prepared.source_digest, plan.prepared.earlier_digest)
    except DataError:
        return []  # the page Publish says why the ledger cannot be read
    found = ((entry.number, kept_release(book, entry)) for entry in reversed(account.entries))
    return [(number, folder) for number, folder in found if folder is not None][:3]


def release_folder(reference: ReleaseReference) -> Path | None:
    """Return where the files of a release lie: in the session, or beside the ledger. None if nowhere."""
    folder: Path | None = st.session_state.get(_FOLDERS, {}).get(reference.certificate)
    if folder is not None:
        return folder
    book = Ledger(ledger_place_from_environment())
    for account in book.accounts() if book.is_there else ():
        for entry in account.entries:
            if entry.certificate == reference.certificate:
                return kept_release(book, entry)
    return None


def _data(plan: Plan | None) -> DataReference | None:
    return None if plan is None else reference_from_prepared_trips(plan.prepared, sample=plan.data != OWN)


def _take(made: ReportPlan, *, is_there: bool) -> None:
    """Make a plan the session's report, remember the one of before, and go to the page Report, unless it `is_there`."""
    before = report_plan()
    if before.items:
        st.session_state["report_before"] = before
    keep_report(made)
    st.session_state["plan_to_show"] = True  # its fields are filled before they are drawn
    if is_there:
        # Gone to again, it would clear the address, and controls that stay where they are do not write theirs anew.
        st.rerun()
    # With none given it would clear the address, which it may not where controls are bound; they write theirs anew.
    st.switch_page("../../pages/report.py", query_params={})


def _back() -> None:
    before: ReportPlan = st.session_state.pop("report_before")
    keep_report(before)
    st.session_state["plan_to_show"] = True
