"""The job that makes a secure release from the session's data; its files stay in the session's folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

from privlab.figures.labels import file_word
from privlab.od.matrix import UniqueTrips
from privlab.od.secure_release import (
    ReleasePlan,
    SecureRelease,
    freshly_ranked_from_unique_trips,
    require_weeks,
    secure_release_from_unique_trips,
)
from privlab.od.tables import PreparedTrips
from privlab.reports.secure_files import released_files
from privlab.store import Ledger
from privlab.ui.jobs import Job, Report
from privlab.ui.own_file import session_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A secure release of this session: whose, where its files lie, what its certificate says."""

    name: str
    folder: Path
    entry: int
    certificate: dict[str, Any]


def start(prepared: PreparedTrips, release: ReleasePlan, book: Ledger) -> None:
    """Start making a release, in a job of its own."""
    trips = prepared.trips
    assert isinstance(trips, UniqueTrips)
    made = st.session_state.setdefault("released", [])
    place = session_folder()
    folder = place.path / f"release-{len(made) + 1}-{file_word(prepared.name)}"

    def work(report: Report) -> Released:
        report(0.05, "Choosing each person's trips afresh")
        require_weeks(trips, release)
        ranked = freshly_ranked_from_unique_trips(trips)
        report(0.3, "Writing the cost into the ledger")

        def drawn() -> SecureRelease:
            report(0.4, "Drawing the noise")
            return secure_release_from_unique_trips(ranked, release)

        entry, certificate = released_files(
            folder, book, digest=prepared.source_digest, plan=release, release=drawn
        )
        return Released(name=prepared.name, folder=folder, entry=entry.number, certificate=certificate)

    st.session_state["release_job"] = Job(work, keeping=place)


def running() -> Job[Released] | None:
    """Return the session's release that is being made, or has ended unseen."""
    job: Job[Released] | None = st.session_state.get("release_job")
    return job
