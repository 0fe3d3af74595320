"""Releases that break their promise on the way from the file: what an audit of the whole way must catch.

Each changes one step of an honest one. Nothing but the audit may use them.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from privlab.dp.gaussian import UNITS, GaussianParameters, whole_trips_from_units
from privlab.limits import MAX_TRIPS_PER_USER
from privlab.od.matrix import Ints, cells_and_counts
from privlab.od.products import product_of
from privlab.od.releases.rehearsed_release import (
    RehearsedSteps,
    seeded_gaussian,
    seeded_laplace,
    seeded_steps,
)
from privlab.od.releases.release_noise import ReleaseNoise
from privlab.od.releases.release_plan import SecureReleaseParameters

Breaking = Callable[[RehearsedSteps, SecureReleaseParameters, np.random.Generator], RehearsedSteps]
_DAYS = 7
_NEVER = -(2**40)  # below any threshold


def half_the_noise(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release with noise of half the scale."""
    return replace(steps, noise=_noise_of_share(parameters, 0.5, rng))


def noise_of_one_trip(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release with the noise that protects a trip, not a person: L, or √L for Gaussian noise, is forgotten."""
    bound = parameters.max_trips_per_user
    gaussian = parameters.noise == "gaussian"
    return replace(steps, noise=_noise_of_share(parameters, bound ** (-0.5 if gaussian else -1.0), rng))


def no_bound(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release that counts every trip in full: with an L2 clip, one that forgets the weights."""
    return replace(steps, bounded=lambda user, flow, n_zones, wishes: _counted_whole(flow, n_zones, wishes))


def bound_a_day(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release whose bound holds for a day, and so lets seven times as many trips of a week through."""
    week = replace(
        parameters, max_trips_per_user=min(_DAYS * parameters.max_trips_per_user, MAX_TRIPS_PER_USER)
    )
    return replace(
        steps, bounded=lambda user, flow, n_zones, wishes: steps.bounded(user, flow, n_zones, week)
    )


def busiest_flows_kept(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release that counts of each person the trips in the flows that most people use: others decide which they are."""

    def bounded(
        user: npt.NDArray[np.int32], flow: Ints, n_zones: int, parameters: SecureReleaseParameters
    ) -> tuple[Ints, Ints]:
        _, cell, people = np.unique(flow, return_inverse=True, return_counts=True)
        order = np.lexsort((flow, -people[cell], user))
        turn = np.arange(order.size) - np.searchsorted(user[order], user[order])  # among the person's trips
        kept = np.sort(order[turn < parameters.max_trips_per_user])
        return steps.bounded(user[kept], flow[kept], n_zones, parameters)

    return replace(steps, bounded=bounded)


def threshold_on_true_counts(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release that leaves out by the true count, before the noise, and publishes all else."""
    noise, least = steps.noise, parameters.threshold

    def noisy(counts: Ints) -> Ints:
        return np.where(counts >= least * noise.units, np.maximum(noise.noisy(counts), least), _NEVER)

    return replace(steps, noise=replace(noise, noisy=noisy))


def no_noise_on_empty_flows(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release that adds noise to the flows with somebody in them alone: one traveller makes a flow noisy."""
    noise = steps.noise
    return replace(
        steps,
        noise=replace(noise, noisy=lambda counts: np.where(counts > 0, noise.noisy(counts), 0)),
    )


def total_without_noise(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release whose total of the week is said as it is."""
    return replace(steps, noise=replace(steps.noise, noisy_total=lambda trips: trips))


def sums_without_noise(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release whose sums of districts are said as they are."""
    return replace(
        steps,
        noise=replace(
            steps.noise, noisy_sums=lambda units, shift: whole_trips_from_units(units << np.int64(shift))
        ),
    )


def sums_not_paid_for(
    steps: RehearsedSteps, parameters: SecureReleaseParameters, rng: np.random.Generator
) -> RehearsedSteps:
    """Return a release whose trips weigh as much as without sums of districts, in which they are then counted again."""
    return replace(steps, bounded=seeded_steps(parameters, rng).bounded)


OF_SUMS = ("sums-without-noise", "sums-not-paid-for")  # broken where sums of districts are published

BROKEN_PIPELINES: dict[str, Breaking] = {
    "half-the-noise": half_the_noise,
    "noise-of-one-trip": noise_of_one_trip,
    "no-bound": no_bound,
    "bound-a-day": bound_a_day,
    "busiest-flows-kept": busiest_flows_kept,
    "threshold-on-true-counts": threshold_on_true_counts,
    "no-noise-on-empty-flows": no_noise_on_empty_flows,
    "total-without-noise": total_without_noise,
    "sums-without-noise": sums_without_noise,
    "sums-not-paid-for": sums_not_paid_for,
}


def _noise_of_share(
    parameters: SecureReleaseParameters, share: float, rng: np.random.Generator
) -> ReleaseNoise:
    """Return seeded noise of a share of the scale that keeps the promise."""
    promise = parameters.guarantee_parameters(1)
    if isinstance(promise, GaussianParameters):
        return seeded_gaussian(promise.sigma * share, rng, total_units=promise.total_units)
    return seeded_laplace(promise.mechanism.scale * share, rng)


def _counted_whole(
    flow: npt.NDArray[np.int64], n_zones: int, parameters: SecureReleaseParameters
) -> tuple[Ints, Ints]:
    cells, count = cells_and_counts(flow, product_of(parameters.product).n_numbers(n_zones))
    return cells, count * (UNITS if parameters.noise == "gaussian" else 1)
