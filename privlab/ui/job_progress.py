"""The progress of a job, as every page shows it."""

from typing import Any

import streamlit as st

from privlab.ui.jobs import Job


def follow(job: Job[Any], *, about: str = "", cancel: str | None = None) -> None:
    """Show a job's progress until it is done, then run the page anew.

    `about` says what it is for; with `cancel`, the key of a button, it can be stopped.
    """

    @st.fragment(run_every=0.4)
    def progress() -> None:
        if job.done:
            st.rerun()
        st.progress(job.share, text=f"{job.words}{about} …{time_left(job)}")
        if cancel is not None:
            st.button("Cancel", key=cancel, on_click=job.cancel)

    progress()


def time_left(job: Job[Any]) -> str:
    """Return the estimated time left of a job, in words, or nothing while unknown."""
    seconds = job.seconds_left
    return "" if seconds is None else f" about {max(1, round(seconds))} s left"
