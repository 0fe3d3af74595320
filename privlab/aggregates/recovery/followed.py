"""Traces + positions of zones → people who are in exactly one zone in each step, and how many are where. True data.

Recovery needs a number of people that stays the same. A null zone would make it so too, but lies nowhere, so that no
distance to it is known: who is not seen is taken to stay where last seen, and before the first time where first seen.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import (
    Defence,
    NoDefence,
    aggregates_before_noise,
    defence_facts_from_window,
)
from privlab.aggregates.defences.named_defences import defence_from_spec
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.traces import Traces, Window
from privlab.checks import DataError
from privlab.datasets.cleaning import EARTH_RADIUS_M
from privlab.limits import MAX_CELLS_AGGREGATED, MAX_RECOVERED_DAYS
from privlab.seeds import generator

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]


NOWHERE = (
    "Not all zones that were visited have a known place, and trails are put together by the distances between them. Say where the zones "
    "lie: with a table of zone, lat, lon, beside the file on the page Data (on the command line: --zone-positions), or take zones of a grid "
    "over latitudes and longitudes."
)
LEAST_PEOPLE = 2
"""Fewer cannot be taken for one another."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Followed:
    """People in one zone in each step: `zone` (N, T) int32, positions in `zones` (Z,), ids.

    `at_km` (Z, 2) says where zones lie, east and north in km on a plane through their middle; NaN where nobody comes and
    nothing is known. `seen` (N, T) bool
    says in which steps a person was really seen; in all others they stay where they were. `people` (N,) are ids.
    """

    zone: Places
    zones: npt.NDArray[Any]
    at_km: Floats
    seen: npt.NDArray[np.bool_]
    people: npt.NDArray[Any]
    first_day: date
    steps_a_day: int

    @property
    def n_people(self) -> int:
        """How many are followed."""
        return int(self.zone.shape[0])

    @property
    def n_steps(self) -> int:
        """How many steps they are followed for."""
        return int(self.zone.shape[1])


def followed_from_traces(
    traces: Traces, lat: npt.ArrayLike, lon: npt.ArrayLike, parameters: RecoveryParameters
) -> Followed:
    """Return people drawn by the seed among those seen in the period, each in one zone in every step.

    `lat` and `lon` (Z,) say in degrees where the zones of the traces lie. Of several zones in one step a person is in
    the one in which they are in most hours of the step, of equals the one in which they are most in the whole period,
    of equals the first.

    Raises DataError if there are too few people or days, or if a zone lies nowhere.
    """
    first = _first_day(traces, parameters)
    low = (first - traces.first_day).days * 24
    user = np.repeat(np.arange(traces.n_users), np.diff(traces.starts))
    inside = (traces.epoch >= low) & (traces.epoch < low + 24 * parameters.days)
    there = np.flatnonzero(np.bincount(user[inside], minlength=traces.n_users))
    if there.size < parameters.users:
        raise DataError(
            f"Only {there.size:,} {'person is' if there.size == 1 else 'people are'} seen from {first} on for "
            f"{'a day' if parameters.days == 1 else f'{parameters.days} days'}, and "
            f"{parameters.users:,} are to be followed: ask for fewer users."
        )
    rng = generator(parameters.seed, "people of a recovery")
    chosen = np.sort(rng.choice(there, parameters.users, replace=False))
    rows = inside & np.isin(user, chosen)
    step = (traces.epoch[rows] - low) // (parameters.step_min // 60)
    zone = _one_zone_each(np.searchsorted(chosen, user[rows]), step, traces.zone[rows], parameters)
    return Followed(
        zone=_stayed(zone),
        zones=traces.zones,
        at_km=_on_a_plane(
            np.asarray(lat, dtype=float), np.asarray(lon, dtype=float), np.unique(zone[zone >= 0])
        ),
        seen=zone >= 0,
        people=traces.users[chosen],
        first_day=first,
        steps_a_day=parameters.steps_a_day,
    )


def people_seen_from_traces(traces: Traces, first_day: date | None = None) -> npt.NDArray[np.int64]:
    """Return how many people are seen in the first day, the first two days and so on, (D,), of the longest recovery there can be.

    Days are counted from `first_day` on, one of the data's; by default from the first Monday if there is one, as in a recovery.
    """
    first = first_day or usual_first_day(traces)
    low = (first - traces.first_day).days * 24
    n_days = min(MAX_RECOVERED_DAYS, (traces.last_day - first).days + 1)
    before = np.concatenate([[0], np.cumsum(traces.epoch < low)])
    begin = traces.starts[:-1] + np.diff(before[traces.starts])  # reports of a person are sorted by epoch
    day = (traces.epoch[begin[begin < traces.starts[1:]]] - low) // 24
    return np.cumsum(np.bincount(day[day < n_days], minlength=n_days)).astype(np.int64)


def busiest_first_day_from_traces(traces: Traces, days: int) -> date:
    """Return from which day on so many days have the most hours in which somebody is seen, of equals the earliest.

    Of those with the LEAST_PEOPLE that a recovery needs, if there are any. A shorter data set is taken whole.
    """
    n_windows = max(1, traces.n_days - days + 1)
    user = np.repeat(np.arange(traces.n_users), np.diff(traces.starts))
    day = traces.epoch // 24
    another = np.ones(
        traces.epoch.size, dtype=bool
    )  # not a further zone of one person and hour, which follows it
    another[1:] = (np.diff(traces.epoch) != 0) | (np.diff(user) != 0)
    total = np.concatenate([[0], np.cumsum(np.bincount(day[another], minlength=traces.n_days))])
    seen = total[np.minimum(np.arange(n_windows) + days, traces.n_days)] - total[:n_windows]
    order = np.argsort(-seen, kind="stable").tolist()
    for first in order:
        inside = (day >= first) & (day < first + days)
        if np.unique(user[inside]).size >= LEAST_PEOPLE:
            return traces.first_day + timedelta(days=first)
    return traces.first_day + timedelta(days=order[0])


def counts_from_zones(zone: Places, n_zones: int) -> npt.NDArray[np.int64]:
    """Return how many people are in each zone in each step, shape (Z, T), of zones (N, T)."""
    n_steps = zone.shape[1]
    cell = zone.astype(np.int64) * n_steps + np.arange(n_steps)
    counts = np.bincount(cell.ravel(), minlength=n_zones * n_steps).astype(np.int64)
    return counts.reshape(n_zones, n_steps)


def published_from_followed(
    followed: Followed, parameters: RecoveryParameters
) -> tuple[Defence, npt.NDArray[np.int64]]:
    """Return the defence and what an attacker takes the published counts for, whole numbers (Z, T).

    Each step adds up to the number of people, which the attacker knows: counts below 0 are taken for 0, the rest is
    scaled, and rounded to the nearest whole numbers with that sum. Raises ParameterError for an unknown defence, DataError for too many
    zones and steps.
    """
    shape = followed.at_km.shape[0], followed.n_steps
    if shape[0] * shape[1] > MAX_CELLS_AGGREGATED:
        raise DataError(
            f"There are {shape[0]:,} zones and {shape[1]:,} steps, more than {MAX_CELLS_AGGREGATED:,} counts together: "
            "take larger zones or fewer days."
        )
    cell = (followed.zone.astype(np.int64) * shape[1] + np.arange(shape[1])).astype(np.int32).ravel()
    starts = np.arange(followed.n_people + 1) * shape[1]
    window = Window(starts=starts, cell=cell, n_zones=shape[0], n_epochs=shape[1], null_zone=False)
    defence = defence_from_spec(
        parameters.defence, epsilon=parameters.epsilon, facts=defence_facts_from_window(window)
    )
    if isinstance(defence, NoDefence):
        return defence, counts_from_zones(followed.zone, shape[0])
    rng = generator(parameters.seed, f"defence of a recovery {parameters.defence} {parameters.epsilon}")
    everyone = np.ones((1, followed.n_people), dtype=bool)
    before = aggregates_before_noise(defence, everyone, window, rng)
    published = np.asarray(defence.defended(before, rng)[0], dtype=np.float64)
    located = np.isfinite(followed.at_km).all(axis=1)
    counts = np.zeros(shape, dtype=np.int64)
    counts[located] = whole_counts(published[located], followed.n_people)
    return defence, counts


def whole_counts(published: Floats, n_people: int) -> npt.NDArray[np.int64]:
    """Return whole numbers near published counts (Z, T) that add up to so many people in each step.

    The largest remainders are rounded up. A step of which nothing is left counts everybody evenly.

    >>> whole_counts(np.array([[1.6, 0.0], [-3.0, 0.0], [1.6, 0.0]]), 3).tolist()
    [[2, 1], [0, 1], [1, 1]]
    """
    clipped = np.maximum(published, 0.0)
    clipped[:, clipped.sum(axis=0) == 0] = 1.0
    scaled = clipped * (n_people / clipped.sum(axis=0))
    whole: npt.NDArray[np.int64] = np.floor(scaled + 1e-9).astype(np.int64)
    order = np.argsort(whole - scaled, axis=0, kind="stable")
    for step, missing in enumerate(n_people - whole.sum(axis=0)):
        whole[order[:missing, step], step] += 1
    return whole


def steps_from_followed(followed: Followed) -> list[str]:
    """Return when each step begins, as day and time, e.g. "2026-03-02 07:00"."""
    minutes = 24 * 60 // followed.steps_a_day
    return [
        f"{followed.first_day + timedelta(days=step // followed.steps_a_day)} "
        f"{step % followed.steps_a_day * minutes // 60:02d}:00"
        for step in range(followed.n_steps)
    ]


def usual_first_day(traces: Traces) -> date:
    """Return the day that a recovery begins on where none is given: the first Monday if there is one, else the first day."""
    return traces.mondays[0] if traces.mondays else traces.first_day


def _first_day(traces: Traces, parameters: RecoveryParameters) -> date:
    first = parameters.first_day or usual_first_day(traces)
    if first < traces.first_day or first + timedelta(days=parameters.days - 1) > traces.last_day:
        raise DataError(
            f"The data goes from {traces.first_day} to {traces.last_day}, and {parameters.days} days from {first} on "
            "are asked for: ask for fewer days or another first day."
        )
    return first


def _one_zone_each(
    person: npt.NDArray[np.int64], step: Places, zone: Places, parameters: RecoveryParameters
) -> Places:
    """Return the zone of each person in each step, −1 where not seen, of rows of person, step and zone."""
    shape, n_zones = (parameters.users, parameters.n_steps), int(zone.max()) + 1
    _, home_of, times = np.unique(person * n_zones + zone, return_inverse=True, return_counts=True)
    cell = person * shape[1] + step
    visits, first, hours = np.unique(cell * n_zones + zone, return_index=True, return_counts=True)
    overall = times[home_of[first]]
    order = np.lexsort((visits % n_zones, -overall, -hours, visits // n_zones))
    at, best = np.unique(visits[order] // n_zones, return_index=True)
    found = np.full(shape[0] * shape[1], -1, dtype=np.int32)
    found[at] = (visits[order] % n_zones)[best]
    return found.reshape(shape)


def _stayed(zone: Places) -> Places:
    """Return zones (N, T) with every −1 replaced by the last one before it, or the first one after it."""
    known = zone >= 0
    last = np.maximum.accumulate(np.where(known, np.arange(zone.shape[1]), -1), axis=1)
    first = known.argmax(axis=1)[:, None]
    return np.asarray(np.take_along_axis(zone, np.where(last < 0, first, last), axis=1), dtype=np.int32)


def _on_a_plane(lat: Floats, lon: Floats, visited: npt.NDArray[np.int32]) -> Floats:
    if not np.isfinite(lat[visited]).all() or not np.isfinite(lon[visited]).all():
        raise DataError(NOWHERE)
    south, north = np.nanmin(lat), np.nanmax(lat)
    east = np.radians(lon - np.nanmean(lon)) * np.cos(np.radians((south + north) / 2)) * EARTH_RADIUS_M / 1000
    return np.stack([east, np.radians(lat - south) * EARTH_RADIUS_M / 1000], axis=1)
