"""The calls behind the pages, cached for each browser session by itself: nothing is shared.

Not even curves of parameters alone: an ε, a bound or a threshold may have been chosen by looking at someone's file, and
a shared cache would tell others that it was. Data is keyed by its digest, never by hashing rows: streamlit samples
large tables when it hashes them.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.aggregates import Traces, VisitSeries
from privlab.defaults import MOST_PEOPLE, MOST_TRIPS
from privlab.dp.attack import accuracy_from_cells
from privlab.dp.certainty import (
    CertaintyParameters,
    GaussianQuestion,
    PosteriorLaw,
    posterior_law_from_gaussian_question,
    posterior_law_from_parameters,
)
from privlab.dp.composing import WeeklyNoise
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import (
    Guarantee,
    GuaranteeParameters,
    guarantee_from_gaussian_parameters,
    guarantee_from_parameters,
)
from privlab.lab.comparing import (
    AnalysedWeek,
    counted_step_from_trips,
    simulated_analyses_from_trips,
    simulated_step_from_trips,
)
from privlab.lab.planning import noises_of_year, use_of_year
from privlab.od import ODMatrix, UniqueTrips, unique_trips_per_user
from privlab.od.attack import (
    AttackCurve,
    AttackParameters,
    BoundedAttack,
    WeekWithDelta,
    accuracies_by_epsilon,
    attack_curve_from_parameters,
    bounded_attack_from_gaussian_parameters,
    bounded_attack_from_release_parameters,
    week_with_delta,
)
from privlab.od.comparing import CountedStep, SimulatedStep, StepRequest
from privlab.od.expecting import (
    ReleaseOutlook,
    largest_if_nothing_is_published,
    release_outlook_from_trips,
)
from privlab.od.levels import Level
from privlab.od.planning import (
    Clipping,
    FlowBias,
    clipping_from_unique_trips_per_user,
    flow_bias_from_unique_trips,
)
from privlab.od.releases import ReleasePlan, SecureReleaseParameters
from privlab.od.risks import (
    CountedTrips,
    ExposedFlows,
    Exposure,
    GaussianRisks,
    PersonRisks,
    counted_trips_from_unique_trips,
    exposed_flows_from_person_risks,
    exposures_from_person_risks,
    gaussian_risks_from_unique_trips,
    person_risks_from_unique_trips,
)
from privlab.od.settled import SettledCells
from privlab.od.simulating import ReleaseParameters, ReleaseReview, release_review_from_prepared_trips
from privlab.od.trips import PreparedTrips, od_matrix_from_prepared_trips
from privlab.releases.reading import ReleasedCounts, released_counts_from_folder
from privlab.reports.exhibits import risks_of_release, visit_series_of_release
from privlab.seeds import generator

MOST_EXPOSED_SHOWN = 10  # of them, one by one
MOST_EXPOSED = 50  # of them, added up on a map


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def attack_curve(parameters: AttackParameters, seed: int) -> AttackCurve:
    """Return the attack curve of the published mechanism."""
    return attack_curve_from_parameters(parameters, generator(seed, "attack games"))


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def attack_over_epsilon(
    n_trips: int, noise: str, epsilons: tuple[float, ...] | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return ε and the accuracy of the best attack on someone with so many trips at each."""
    return accuracies_by_epsilon(n_trips, noise=noise, epsilons=epsilons)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def a_week_with_delta(n_trips: int, epsilon_trip: float, noise: str) -> WeekWithDelta:
    """Return which (ε, δ) a week of so many trips keeps where ε is that of each."""
    return week_with_delta(n_trips, epsilon_trip, noise=noise)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def bounded_attack(release: ReleaseParameters) -> BoundedAttack | None:
    """Return the best attack under the release's contribution bound, or None without one."""
    return bounded_attack_from_release_parameters(release, MOST_TRIPS)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def gaussian_attack(promise: GaussianParameters) -> BoundedAttack:
    """Return the best attack with Gaussian noise."""
    return bounded_attack_from_gaussian_parameters(promise, MOST_TRIPS)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def gaussian_posterior_law(question: GaussianQuestion) -> PosteriorLaw:
    """Return how certain an attacker becomes with Gaussian noise, in bars."""
    return posterior_law_from_gaussian_question(question)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def posterior_law(parameters: CertaintyParameters) -> PosteriorLaw:
    """Return how certain an attacker becomes of someone with so many trips, in bars."""
    return posterior_law_from_parameters(parameters)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def cell_accuracy(noise: str, epsilon: float, threshold: int, counts: tuple[int, ...]) -> float:
    """Return the best attack's accuracy against a target in flows of the given counts."""
    return accuracy_from_cells(noise, epsilon, threshold, counts)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def guarantee(parameters: GuaranteeParameters | GaussianParameters) -> Guarantee:
    """Return what a release with these parameters promises, whatever the data."""
    if isinstance(parameters, GaussianParameters):
        return guarantee_from_gaussian_parameters(parameters)
    return guarantee_from_parameters(parameters)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def year_ahead(
    bounds: dict[str, int], *, total_epsilon: float, delta: float, weeks: int
) -> tuple[WeeklyNoise, ...]:
    """Return the noise of each of many weekly releases that together may cost a person so much, by each law under its bound."""
    return noises_of_year(bounds, total_epsilon, delta=delta, weeks=weeks)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def year_use(
    key: str,
    _prepared: PreparedTrips,
    noises: tuple[WeeklyNoise, ...],
    week: str,
    group_size: int | None,
    max_made_up: float,
) -> tuple[float, ...]:
    """Return what a week of a year ahead would leave of the flows, for each noise; nothing where it is not worked out, as in use_of_year."""
    return use_of_year(_prepared.trips, noises, week=week, group_size=group_size, max_made_up=max_made_up)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def person_risks(
    key: str,
    _prepared: PreparedTrips,
    parameters: ReleaseParameters,
    week: str,
    group_size: int | None,
    cells: str = "public",
) -> PersonRisks:
    """Return the exact risk of the first people of the random order, in one week's release."""
    return person_risks_from_unique_trips(
        _prepared.trips,
        parameters,
        weeks=[week],
        group_size=group_size,
        n_people=MOST_PEOPLE,
        counted=_counted(key, _prepared, week, group_size, parameters.max_trips_per_user),
        cells=cells,
    )


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def _counted(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None, bound: int | None
) -> CountedTrips | None:
    """Return which flows the first people of the random order are counted in, None without users."""
    trips = _prepared.trips
    if not isinstance(trips, UniqueTrips):
        return None
    return counted_trips_from_unique_trips(
        trips, weeks=[week], group_size=group_size, n_people=MOST_PEOPLE, bound=bound
    )


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def gaussian_risks(
    key: str, _prepared: PreparedTrips, parameters: GaussianParameters, week: str
) -> GaussianRisks:
    """Return the risk of the first people of the random order under Gaussian noise, in one week's release of everyone."""
    return gaussian_risks_from_unique_trips(_prepared.trips, parameters, weeks=[week], n_people=MOST_PEOPLE)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def largest_flow_if_nothing(
    key: str, _prepared: PreparedTrips, parameters: ReleaseParameters, week: str, group_size: int | None
) -> int | None:
    """Return the people in the largest flow if nothing of the week would be published, else None."""
    bound = parameters.max_trips_per_user if _prepared.has_users else None
    true, counted = (matrix(key, _prepared, week, group_size, one) for one in (None, bound))
    return largest_if_nothing_is_published(true.count, counted.count, parameters)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def exposures(
    key: str,
    _prepared: PreparedTrips,
    parameters: ReleaseParameters,
    week: str,
    group_size: int | None,
    cells: str = "public",
) -> list[Exposure]:
    """Return the most exposed of these people, and what each of their flows gives away on its own."""
    risks = person_risks(key, _prepared, parameters, week, group_size, cells)
    return exposures_from_person_risks(risks, MOST_EXPOSED_SHOWN)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def exposed_flows(
    key: str,
    _prepared: PreparedTrips,
    parameters: ReleaseParameters,
    week: str,
    group_size: int | None,
    among: tuple[float, float],
    cells: str = "public",
) -> ExposedFlows:
    """Return the flows that give the most exposed of these people away, of those guessed right so often, added up."""
    risks = person_risks(key, _prepared, parameters, week, group_size, cells)
    return exposed_flows_from_person_risks(risks, MOST_EXPOSED, among=among)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def release_review(
    key: str,
    _prepared: PreparedTrips,
    week: str,
    group_size: int | None,
    parameters: ReleaseParameters,
    seed: int,
) -> ReleaseReview:
    """Return the simulated release of one week and its utility against the true counts."""

    def counted(
        prepared: PreparedTrips, *, week: str, group_size: int | None, max_trips_per_user: int | None
    ) -> ODMatrix:
        return matrix(key, prepared, week, group_size, max_trips_per_user)

    return release_review_from_prepared_trips(
        _prepared, parameters, week=week, group_size=group_size, seed=seed, counted=counted
    )


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def simulated_step(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None, request: StepRequest, seed: int
) -> SimulatedStep:
    """Return one draw of a mechanism, and what was expected of it."""
    # A slider of ε or of the threshold draws anew, but counts nothing anew.
    counted = _counted_step(
        key, _prepared, week, group_size, replace(request, epsilon=1.0, threshold=1), seed
    )
    return simulated_step_from_trips(
        _prepared, request, week=week, group_size=group_size, seed=seed, counted=counted
    )


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _counted_step(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None, request: StepRequest, seed: int
) -> CountedStep:
    return counted_step_from_trips(_prepared, request, week=week, group_size=group_size, seed=seed)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def simulated_analyses(
    key: str,
    _prepared: PreparedTrips,
    week: str,
    group_size: int | None,
    parameters: ReleaseParameters | StepRequest,
    seed: int,
) -> AnalysedWeek:
    """Return what analyses would find in the simulated release of one week, and in the true counts."""
    return simulated_analyses_from_trips(_prepared, parameters, week=week, group_size=group_size, seed=seed)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def release_outlook(
    key: str,
    _prepared: PreparedTrips,
    parameters: SecureReleaseParameters,
    weeks: tuple[str, ...],
    levels: tuple[Level, ...],
    _plan: ReleasePlan,
) -> ReleaseOutlook | None:
    """Return what a secure release of everyone's trips is expected to hold, None without users; it may read ids in another way."""
    own = _prepared.trips
    return release_outlook_from_trips(own.as_in(_plan.zones), _plan) if isinstance(own, UniqueTrips) else None


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def visit_series(key: str, _traces: Traces, folder: Path) -> VisitSeries:
    """Return the first week of a release of visits beside the true ones; its files, in `folder`, do not change."""
    released = released_counts_from_folder(folder)
    return visit_series_of_release(_traces, released, week=released.plan.weeks[0])


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def released_counts(folder: Path) -> ReleasedCounts:
    """Return what the files of a release say; they do not change."""
    return released_counts_from_folder(folder)


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def release_risks(
    key: str, _trips: SettledCells, _plan: ReleasePlan
) -> tuple[PersonRisks | GaussianRisks, str]:
    """Return the risk of each person in a release, and a sentence with it; `key` says of which."""
    return risks_of_release(_trips, _plan)


@st.cache_data(scope="session", max_entries=64, show_spinner=False)
def outlook_of_trips(
    key: str, _trips: SettledCells, parameters: SecureReleaseParameters, _plan: ReleasePlan
) -> ReleaseOutlook:
    """Return what a secure release is expected to hold of trips or visits that were read for it; `key` says of which."""
    return release_outlook_from_trips(_trips, _plan)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def trips_per_user(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None
) -> npt.NDArray[np.int64] | None:
    """Return the number of unique trips of each user of the group in one week, None without users."""
    trips = _prepared.trips
    if not isinstance(trips, UniqueTrips):
        return None
    return unique_trips_per_user(trips, week=week, group_size=group_size)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def clipping(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None, clip: str = "keep"
) -> Clipping | None:
    """Return what each bound on trips per user leaves uncounted, or takes of weights; None without users."""
    people = trips_per_user(key, _prepared, week, group_size)
    return None if people is None else clipping_from_unique_trips_per_user(people, clip=clip)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def flow_bias(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None, bound: int, clip: str = "keep"
) -> FlowBias | None:
    """Return what a bound is expected to take from each flow, None without users."""
    trips = _prepared.trips
    if not isinstance(trips, UniqueTrips):
        return None
    return flow_bias_from_unique_trips(
        trips, week=week, max_trips_per_user=bound, group_size=group_size, clip=clip
    )


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def matrix(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None, max_trips_per_user: int | None
) -> ODMatrix:
    """Return the counts of one week under a bound, which every other noise leaves as they are."""
    return od_matrix_from_prepared_trips(
        _prepared, week=week, group_size=group_size, max_trips_per_user=max_trips_per_user
    )


def true_matrix(key: str, prepared: PreparedTrips, week: str, group_size: int | None) -> ODMatrix:
    """Return the true counts of one week."""
    return matrix(key, prepared, week, group_size, None)


@st.cache_data(scope="session", max_entries=24, show_spinner=False)
def departures(
    key: str, _prepared: PreparedTrips, week: str, group_size: int | None
) -> npt.NDArray[np.float64]:
    """Return the true counts that leave each zone in one week, shape (Z,)."""
    return true_matrix(key, _prepared, week, group_size).departures
