"""What a browser session holds: the plan that every page reads, and the data it is about.

Samples are prepared once for all sessions; a file of the user's own stays in the session.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import streamlit as st

from privlab.datasets import SAMPLES
from privlab.defaults import PUBLISHED_EPSILON, PUBLISHED_THRESHOLD
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import delta_words
from privlab.figures.wording import noise_name, people, period, plain, words
from privlab.lab.loading import Making, prepared_trips_from_rows, sample_work
from privlab.od.simulating import ReleaseParameters
from privlab.od.trips import PreparedTrips
from privlab.ui.sliders import NO_BOUND
from privlab.ui.work.jobs import Job
from privlab.ui.work.shared_jobs import SharedJobs

OWN = "own data"

TRIPS = "trips"
"""The name of what all pages need of a sample."""
TOURED = "city"
"""The sample whose flows the tour shows."""
SAMPLE_JOBS = SharedJobs()
"""What is made of the samples' rows, by the sample and what is made, for all sessions."""

Made = TypeVar("Made")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is published of which data: one object, set anywhere, seen from every page."""

    data: str
    prepared: PreparedTrips
    release: ReleaseParameters
    group_size: int | None
    week: str
    seed: int

    @property
    def n_users(self) -> int | None:
        """Users in the aggregate, or None where the data names none."""
        return self.group_size or self.prepared.n_users

    @property
    def who(self) -> str:
        """The week and the people whose trips are counted."""
        return f"{period(self.week)}, {people(self.n_users)}"

    @property
    def parameters(self) -> str:
        """The parameters in one line, without the name of the data."""
        release = self.release
        return (
            f"{self.who}, ε = {release.epsilon:g}, threshold {release.threshold}, {noise_words(release)}, "
            f"seed {self.seed}"
        )

    @property
    def provenance(self) -> str:
        """Data and parameters in one line of Markdown, for captions."""
        return f"{plain(self.prepared.name)}, {self.parameters}"


def noise_words(release: ReleaseParameters) -> str:
    """Return what bounds a person in a release, and its noise, in one line."""
    bound = release.max_trips_per_user
    bounded = (
        "no bound on trips per user"
        if bound is None
        else f"at most {words.number_of('trip', bound)} per user"
    )
    return f"{bounded}, {noise_name(release.noise)} noise"


def gaussian_words(promise: GaussianParameters) -> str:
    """Return what a release with Gaussian noise promises a user's week, and with which noise and limit, in one line."""
    limit = words.number_of("trip", promise.max_trips_per_user)
    return f"ε = {promise.epsilon:g}, δ = {delta_words(promise.delta)}, a limit of {limit} per user, Gaussian noise"


def begun_of_sample(name: str, what: str, making: Making[Made]) -> Job[Made]:
    """Return a job that makes something of a sample's rows; `what` names it."""
    work = sample_work(name, what, making)
    return Job(work, stop=work.stop, within=work.within)


def sample_job(name: str) -> Job[PreparedTrips]:
    """Return the job that prepares a sample, started once per process."""
    return SAMPLE_JOBS.job((name, TRIPS), partial(begun_of_sample, name, TRIPS, prepared_trips_from_rows))


def is_preparing() -> bool:
    """Return whether a sample is being prepared."""
    return any(
        job is not None and not job.done for job in (SAMPLE_JOBS.known((name, TRIPS)) for name in SAMPLES)
    )


def forget_sample(name: str) -> None:
    """Forget a sample's job, so that the next one who asks starts it anew."""
    SAMPLE_JOBS.forget((name, TRIPS))


def choose_data(name: str) -> None:
    """Choose data by name at the next run."""
    st.session_state["choose_data"] = name


PAPERS = ReleaseParameters(
    epsilon=PUBLISHED_EPSILON, threshold=PUBLISHED_THRESHOLD, max_trips_per_user=None, noise="laplace"
)
"""The release that the paper of 2022 attacks: what all pages begin with."""


def propose_release(release: ReleaseParameters, settings: Mapping[str, object]) -> None:
    """Take up a release as the settings of all pages, and others by their keys, at the next run, unless others were chosen by hand."""
    now = st.session_state.get("release")
    if now in (None, PAPERS, st.session_state.get("proposed_release")):
        st.session_state["choose_release"] = release
        st.session_state["choose_settings"] = settings
    st.session_state["proposed_release"] = release


def take_up_release() -> None:
    """Write a release that was chosen into the controls; before they are shown."""
    release: ReleaseParameters | None = st.session_state.pop("choose_release", None)
    if release is not None:
        choose_release(release)
        choose_settings(st.session_state.pop("choose_settings", {}))


def choose_settings(settings: Mapping[str, object]) -> None:
    """Write settings into the controls, by their keys."""
    for name, value in settings.items():
        st.session_state[name] = value


def choose_release(release: ReleaseParameters) -> None:
    """Write a release into the controls that all pages share."""
    state, bound = st.session_state, release.max_trips_per_user
    state["epsilon"], state["threshold"] = f"{release.epsilon:g}", str(release.threshold)
    state["bound"], state["noise"] = NO_BOUND if bound is None else str(bound), release.noise


def own_data() -> PreparedTrips | None:
    """Return the session's own data, if a file has been loaded."""
    own: PreparedTrips | None = st.session_state.get("own_prepared")
    return own
