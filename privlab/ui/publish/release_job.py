"""The job that makes a secure release from the session's data; its files stay in the session's folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st

from privlab.checks import ParameterError
from privlab.lab.judging import Accepted, Verdict
from privlab.lab.publishing import PublisherWords, ReleaseData, publish_release
from privlab.od.releases import ReleasePlan
from privlab.od.trips import PreparedTrips
from privlab.progress import Progress
from privlab.releases.accounts import AccountWish
from privlab.releases.ledger import Ledger
from privlab.safe_text import file_word
from privlab.ui.data.own_file import session_folder
from privlab.ui.sessions import access
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.jobs import Job

_being_made: WeakValueDictionary[str, Job[Any]] = WeakValueDictionary()
"""The release that is being made of some data, by its digest: it goes on when its page is loaded anew, which knows nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """A secure release of this session: whose, where its files lie, what its certificate says, how far it holds.

    `digest` names the data that it was made of, `data` says how it was read for it, `plan` what was decided before.
    """

    name: str
    folder: Path
    entry: int
    certificate: dict[str, Any]
    verdict: Verdict
    digest: str
    data: ReleaseData
    plan: ReleasePlan


def start(
    prepared: PreparedTrips,
    data: ReleaseData,
    release: ReleasePlan,
    book: Ledger,
    accepted: Accepted,
    said: PublisherWords,
    wish: AccountWish,
    *,
    n_seen: int,
) -> None:
    """Start making a release, in a job of its own: the file is read anew, in its settled form, in a process of its own.

    `n_seen` is how many entries its account held when its cost was agreed to: where it holds more by then, nothing is released.

    Raises ParameterError if the visitor may only look.
    """
    if not access.may_release():
        raise ParameterError("visitor must be one who may release, got one who may look.")
    made = st.session_state.setdefault("released", [])
    place = session_folder()
    who = access.visitor()  # the job runs outside the session
    folder = place.path / f"release-{len(made) + 1}-{file_word(prepared.name)}"

    def work(progress: Progress) -> Released:
        made = publish_release(
            folder,
            book,
            data=data,
            plan=release,
            accepted=accepted,
            said=said,
            expected_digest=prepared.source_digest,
            who=who,
            wish=wish,
            n_seen=n_seen,
            reads=apart,
            progress=progress,
        )
        return Released(
            name=prepared.name,
            folder=folder,
            entry=made.entry.number,
            certificate=made.certificate,
            verdict=made.verdict,
            digest=made.digest,
            data=data,
            plan=release,
        )

    job = st.session_state["release_job"] = Job(work, keeping=place)
    _being_made[prepared.source_digest] = job


def running() -> Job[Released] | None:
    """Return the session's release that is being made, or has ended unseen."""
    job: Job[Released] | None = st.session_state.get("release_job")
    return job


def being_made(digest: str) -> Job[Any] | None:
    """Return the release of some data that is being made, for whichever session; None if none is."""
    job = _being_made.get(digest)
    return None if job is None or job.done else job
