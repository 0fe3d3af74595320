"""Secure releases with discrete Gaussian noise: what is counted, the law that is drawn, and who breaks the promise."""

import itertools
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare, norm

from privlab.checks import ParameterError
from privlab.dp.gaussian.discrete_gaussian import UNITS
from privlab.od.expecting.outlook import release_outlook_from_trips
from privlab.od.levels import trip_weights
from privlab.od.releases import release_noise
from privlab.od.releases.release_plan import (
    ReleasePlan,
    SecureReleaseParameters,
    release_plan_from_parameters,
)
from privlab.od.releases.secure_release import bounded_counts_from_week, secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from tests.od.by_hand import WEEK, settled, trips_of


def parameters_of(**said: Any) -> SecureReleaseParameters:
    usual = {"epsilon": 1.0, "max_trips_per_user": 2, "threshold": 0}
    return SecureReleaseParameters(**(usual | {"noise": "gaussian", "clip": "l2", "delta": 1e-6} | said))


def plan_of(n_zones: int, **said: Any) -> ReleasePlan:
    return release_plan_from_parameters(
        parameters_of(**said), weeks=[WEEK], zones_spec="column", public_zones=list(range(n_zones))
    )


def units_of(people: list[list[int]], n_zones: int, bound: int) -> np.ndarray[Any, Any]:
    trips = settled(trips_of(people, range(n_zones)))
    user, flow = trips.week_of(WEEK)
    cells, units = bounded_counts_from_week(user, flow, n_zones, parameters_of(max_trips_per_user=bound))
    found = np.zeros(n_zones * n_zones, dtype=np.int64)
    found[cells] = units
    return found


@settings(max_examples=60)
@given(
    st.lists(st.lists(st.integers(0, 24), unique=True, max_size=20), min_size=1, max_size=6),
    st.integers(1, 4),
    st.data(),
)
def test_removing_a_user_moves_the_units_by_at_most_the_root_of_the_bound_and_no_other_weight(
    people: list[list[int]], bound: int, data: st.DataObject
) -> None:
    """What goes into the noise: the sum of squares moves by at most L, and by the user's own trips alone."""
    gone = data.draw(st.integers(0, len(people) - 1))
    without = [cells if i != gone else [] for i, cells in enumerate(people)]
    moved = units_of(people, 5, bound) - units_of(without, 5, bound)
    own = people[gone]
    assert int((moved**2).sum()) <= UNITS**2 * bound
    assert set(np.flatnonzero(moved).tolist()) == set(own)
    if own:  # each of the user's trips alike, by the user's number of trips alone
        weight = min(UNITS, np.sqrt(UNITS**2 * bound / len(own)))
        assert weight - 1 < moved[own].min() == moved[own].max() <= weight


def test_nobody_escapes_the_promise_by_more_trips_than_it_was_worked_out_for() -> None:
    user, flow = np.zeros(1600, dtype=np.int32), np.arange(1600, dtype=np.int64)
    cells, units = bounded_counts_from_week(user, flow, 40, parameters_of(max_trips_per_user=3))
    assert cells.size == 1000
    assert int((units**2).sum()) <= UNITS**2 * 3
    cells, units = bounded_counts_from_week(user, flow, 40, parameters_of(max_trips_per_user=3, clip="keep"))
    assert (cells.size, units.tolist()) == (3, [UNITS] * 3)


def test_what_is_drawn_follows_the_discrete_law_rounded_to_whole_trips() -> None:
    """No trips at all: 3,540 cells of noise alone, against Σ exp(−x²/2σ²) point by point; fails once in 10^8."""
    plan = plan_of(60, epsilon=4.0)
    release = secure_release_from_settled_trips(settled(trips_of([[1]], range(60))), plan)
    noise = release.count[1:]  # cell 0→1 has a trip
    sigma = release.mechanism["scale"]
    x = np.arange(-20 * UNITS, 20 * UNITS)
    mass = np.exp(-(x.astype(float) ** 2) / (2 * sigma**2))
    whole = np.round((x + 0.25) / UNITS).astype(int)
    chance = {n: mass[whole == n].sum() / mass.sum() for n in range(-3, 4)}
    seen = [int((noise == n).sum()) for n in chance]
    expected = [noise.size * one for one in chance.values()]
    rest = noise.size - sum(seen), noise.size - sum(expected)
    assert chisquare([*seen, rest[0]], [*expected, rest[1]]).pvalue > 1e-8


N_WEEKS = 100  # each with noise of its own
MONDAYS = tuple(str(date.fromisoformat(WEEK) + timedelta(weeks=n)) for n in range(N_WEEKS))


def right_answers(parameters: SecureReleaseParameters, releases: int) -> int:
    """Return how often Σy of a week tells a lone user in all twelve cells from nobody, over both worlds.

    Everything from settled trips to published counts is run. The edge of the test is chosen on one more release.
    """
    plan = release_plan_from_parameters(parameters, weeks=MONDAYS, zones_spec="column", public_zones=range(4))
    cells = np.array([o * 4 + d for o, d in itertools.permutations(range(4), 2)])
    worlds = []
    for n in (12, 0):
        trips = SettledCells(
            zones=np.arange(4),
            weeks=MONDAYS,
            week_starts=np.arange(N_WEEKS + 1) * n,
            user=np.zeros(n * N_WEEKS, dtype=np.int32),
            flow=np.tile(cells[:n], N_WEEKS),
        )
        made = [secure_release_from_settled_trips(trips, plan).count for _ in range(releases + 1)]
        worlds.append([one.reshape(N_WEEKS, 12).sum(axis=1) for one in made])
    inside, without = worlds
    edge = (inside[0].mean() + without[0].mean()) / 2
    right = (np.concatenate(inside[1:]) > edge).sum() + (np.concatenate(without[1:]) <= edge).sum()
    return int(right)


@pytest.mark.parametrize("fault", ["", "half the σ", "a clip without the square root"])
def test_the_audit_convicts_half_the_noise_and_a_clip_that_forgets_the_square_root(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More right answers than the best attack on the promise may have, with an error of 1e-7; an honest one never."""
    if fault == "half the σ":
        made = release_noise.secure_gaussian_from_sigma
        monkeypatch.setattr(
            release_noise, "secure_gaussian_from_sigma", lambda sigma, of: made(sigma / 2, of)
        )
    elif fault:  # the sum of squares is L² instead of L, or T where T < L²
        monkeypatch.setattr(
            trip_weights,
            "weight_of_trips",
            lambda n, bound: np.minimum(UNITS, UNITS * bound / np.sqrt(n)).astype(np.int64),
        )
    week = plan_of(4, epsilon=4.0, max_trips_per_user=3).guarantee.user_week
    assert week is not None
    right = right_answers(parameters_of(epsilon=4.0, max_trips_per_user=3), 20)
    caught = binomtest(right, 2 * 20 * N_WEEKS, week.optimal_accuracy, alternative="greater").pvalue < 1e-7
    assert caught == bool(fault)


def test_the_outlook_is_that_of_normal_noise() -> None:
    """200 people go 0→1, in 12 cells; a flow is listed from 150 on."""
    plan = plan_of(4, epsilon=0.1, threshold=150)
    sigma = secure_release_from_settled_trips(settled(trips_of([[1]], range(4))), plan).mechanism["scale"]
    outlook = release_outlook_from_trips(trips_of([[1]] * 200, range(4)), plan)
    listed = norm.sf(149.5, [200, *[0] * 11], sigma / UNITS)
    assert outlook.published == pytest.approx(listed.sum(), rel=1e-6)
    assert outlook.made_up == pytest.approx(listed[1:].sum(), rel=1e-3)  # the lattice
    assert outlook.half_width == pytest.approx(norm.isf(0.025) * sigma / UNITS, abs=1)


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (
            {"cells": "discovered", "threshold": 0},
            "threshold must be at least 1 where only discovered cells are published",
        ),
        ({"noise": "integer"}, "clip must be keep with noise integer"),
        ({"noise": "integer", "clip": "keep"}, "delta must be 0 with noise integer"),
        ({"noise": "laplace"}, "noise must be one of integer, gaussian"),
        ({"delta": 0.0}, "delta must be between"),
    ],
)
def test_parameters_iv(said: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=f"^{sentence}"):
        parameters_of(**said)
