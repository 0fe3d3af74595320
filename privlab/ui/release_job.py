"""The job that makes a secure release from the session's data; its files stay in the session's folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from privlab.checks import DataError
from privlab.datasets.engine import Workspace
from privlab.figures.labels import file_word
from privlab.lab.publish import ReleaseData, settled_trips_from_release_data
from privlab.od.secure_release import ReleasePlan, SecureRelease, secure_release_from_settled_trips
from privlab.od.tables import PreparedTrips
from privlab.reports.secure_files import released_files
from privlab.store import Ledger
from privlab.ui.jobs import Job, Report, part_of
from privlab.ui.own_file import session_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A secure release of this session: whose, where its files lie, what its certificate says."""

    name: str
    folder: Path
    entry: int
    certificate: dict[str, Any]


def start(prepared: PreparedTrips, data: ReleaseData, release: ReleasePlan, book: Ledger) -> None:
    """Start making a release, in a job of its own: the file is read anew, in its settled form."""
    made = st.session_state.setdefault("released", [])
    place = session_folder()
    folder = place.path / f"release-{len(made) + 1}-{file_word(prepared.name)}"

    def work(report: Report) -> Released:
        with Workspace() as workspace:
            trips, (digest, earlier_digest) = settled_trips_from_release_data(
                data, workspace, weeks=release.weeks, report=part_of(report, 0.0, 0.7)
            )
        if digest != prepared.source_digest:
            raise DataError(f"{prepared.name} has changed since it was loaded. Load it again.")
        report(0.7, "Writing the cost into the ledger")

        def drawn() -> SecureRelease:
            report(0.75, "Drawing the noise")
            return secure_release_from_settled_trips(trips, release)

        entry, certificate = released_files(
            folder,
            book,
            digest=prepared.source_digest,
            earlier_digest=earlier_digest,
            plan=release,
            release=drawn,
        )
        return Released(name=prepared.name, folder=folder, entry=entry.number, certificate=certificate)

    st.session_state["release_job"] = Job(work, keeping=place)


def running() -> Job[Released] | None:
    """Return the session's release that is being made, or has ended unseen."""
    job: Job[Released] | None = st.session_state.get("release_job")
    return job
