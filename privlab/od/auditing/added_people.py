"""The people that an audit adds to a file: canaries, whose presence is tested, and others who are there with and without them.

Knows cells, hours of a week and the promise; knows nothing of files and draws nothing. docs/science.md, section 5.8.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError
from privlab.dp import UNITS
from privlab.dp.promise import GaussianParameters
from privlab.limits import MAX_AUDIT_ADDED_TRIPS
from privlab.od.counting.matrix import Ints
from privlab.od.releases.secure_release import SecureReleaseParameters

HOURS = 168  # of a week
_DAY = 24
_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Canary:
    """A person whose presence is tested: `cells` (T,), in which nobody of the data moves, and others who are in each.

    `cells` are origin·Z + destination as positions in the zones that are used.
    """

    name: str
    cells: Ints
    others: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AddedPerson:
    """What an added person does: `hour` (T,) of the week, from 0, at which each trip ends, and `cells` (T,), as in Canary."""

    hour: Ints
    cells: Ints


def canaries_from_free_cells(
    free: npt.NDArray[np.bool_], parameters: SecureReleaseParameters
) -> list[Canary]:
    """Return the canaries of an audit.

    "full" has as many trips as are counted, in flows that are published anyway. "many" has seven times as many, as many on
    each day. "edge" moves in flows that are one person short of the threshold, "alone" where nobody else does. No two are in
    one file.

    Parameters
    ----------
    free : ndarray of bool, shape (Z, Z)
        The cells in which nobody of the data moves, by origin and destination; the diagonal is not looked at.
    parameters : SecureReleaseParameters

    Raises
    ------
    DataError
        If there are too few free cells for anybody.
    ParameterError
        If so many people would have to be added that the threshold is reached.
    """
    threshold = parameters.threshold
    left = free & ~np.eye(free.shape[0], dtype=bool)
    n_free = int(left.sum())
    if not n_free:
        raise DataError(
            "Somebody moves in every flow, and nobody can be added in flows of their own. Take smaller zones, or another week."
        )
    bound, gaussian = parameters.max_trips_per_user, parameters.noise == "gaussian"
    high = _high(parameters)
    # Integer noise tells as much one person short of the threshold, with fewer people added.
    low = high if gaussian else max(threshold - 1, 1 if parameters.cells == "discovered" else 0)
    each = min(bound, max(1, n_free // (3 if threshold else 2)))
    n_people = high + _DAYS * low + (max(threshold - 1, 0) if gaussian else 0)
    _require_few_people(n_people * each, parameters)
    canaries = [Canary(name="full", cells=_walk(left, each), others=high)]
    if threshold > 0 and left.any():
        canaries.append(Canary(name="alone", cells=_walk(left, each), others=0))
    if threshold > 1 and gaussian and left.any():
        canaries.append(Canary(name="edge", cells=_walk(left, each), others=threshold - 1))
    if left.any():
        many = Canary(name="many", cells=_walk(left, _DAYS * each), others=low)
        if threshold > 1 and not gaussian:
            canaries.append(Canary(name="edge", cells=many.cells[:each], others=low))
        if many.cells.size > bound:
            canaries.append(many)
    return canaries


def companions_of(canaries: list[Canary], bound: int) -> list[Ints]:
    """Return the cells of each person who is there with and without the canaries: at most `bound`, so that all count."""
    taken, people = set[int](), list[Ints]()
    for canary in sorted(canaries, key=lambda one: -one.cells.size):
        if taken.isdisjoint(canary.cells.tolist()):  # else they are among another's flows
            parts = [canary.cells[start : start + bound] for start in range(0, canary.cells.size, bound)]
            people += [part for part in parts for _ in range(canary.others)]
            taken.update(canary.cells.tolist())
    return people


def moves_from_cells(cells: Ints, n_zones: int, bound: int) -> AddedPerson:
    """Return when a person makes these trips: each once, in the week, `bound` of them a day while there is room.

    A trip goes on where the last ended if it can; else an hour without a record lies between them. What no longer fits
    into the week is left out.
    """
    hours, made = [], []
    hour, zone = -2, -1
    for place, cell in enumerate(cells.tolist()):
        origin, destination = divmod(cell, n_zones)
        starts = hour if zone == origin else hour + 2
        if place and place % bound == 0 and starts < _DAY * (place // bound) and place // bound < _DAYS:
            starts = _DAY * (place // bound)
        if starts + 1 >= HOURS:
            break
        hour, zone = starts + 1, destination
        hours.append(hour)
        made.append(cell)
    return AddedPerson(hour=np.array(hours, dtype=np.int64), cells=np.array(made, dtype=np.int64))


def _high(parameters: SecureReleaseParameters) -> int:
    """Return how many others make a flow one that is published with or without one more."""
    promise = parameters.guarantee_parameters(1)
    if isinstance(promise, GaussianParameters) and parameters.threshold:
        return parameters.threshold + math.ceil(4 * promise.sigma / UNITS)
    return parameters.threshold


def _require_few_people(n_trips: int, parameters: SecureReleaseParameters) -> None:
    if n_trips > MAX_AUDIT_ADDED_TRIPS:
        raise ParameterError(
            f"threshold must be lower for an audit, which fills flows up to it with people of {parameters.max_trips_per_user} "
            f"trips each: {n_trips:,} trips would be added, at most {MAX_AUDIT_ADDED_TRIPS:,} can be; got {parameters.threshold}."
        )


def _walk(left: npt.NDArray[np.bool_], n: int) -> Ints:
    """Return up to `n` free cells, each beginning where the last ended where that is possible, and take them from `left`."""
    n_zones, cells = left.shape[0], list[int]()
    zone = 0
    while len(cells) < n and left.any():
        if not left[zone].any():
            zone = int(np.argmax(left.any(axis=1)))
        ahead = np.flatnonzero(left[zone])
        onward = ahead[left[ahead].any(axis=1)]
        end = int((onward if onward.size else ahead)[0])
        left[zone, end] = False
        cells.append(zone * n_zones + end)
        zone = end
    return np.array(cells, dtype=np.int64)
