"""The people that an audit adds to a file: canaries, whose presence is tested, and others who are there with and without them.

Knows cells, hours of a week and the promise; knows nothing of files and draws nothing. docs/science.md, section 5.8.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError
from privlab.dp import UNITS
from privlab.dp.gaussian import GaussianParameters
from privlab.limits import MAX_AUDIT_ADDED_TRIPS
from privlab.od.counting.matrix import Ints
from privlab.od.counting.products import VISITS
from privlab.od.releases.release_plan import SecureReleaseParameters

HOURS = 168  # of a week
_DAY = 24
_DAYS = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Canary:
    """A person whose presence is tested: `cells` (T,), in which nobody of the data moves, and others who are in each.

    `cells` are origin·Z + destination as positions in the zones that are used; of visits zone·168 + hour of the week.
    """

    name: str
    cells: Ints
    others: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AddedPerson:
    """What an added person does: `hour` (T,) of the week, from 0, of each visit or at which each trip ends; `cells` as in Canary."""

    hour: Ints
    cells: Ints


def canaries_from_used_cells(used: Ints, parameters: SecureReleaseParameters) -> list[Canary]:
    """Return the canaries of an audit.

    "full" has as many trips as are counted, in flows that are published anyway. "many" has seven times as many, as many on
    each day. "edge" moves in flows that are one person short of the threshold, "alone" where nobody else does. No two are in
    one file. Where too few flows are free, "full" and "many" move in those that fewest people use.

    Parameters
    ----------
    used : ndarray of int, shape (Z, Z), of visits (Z, 168)
        The people of the data who move in each cell, by origin and destination; the diagonal is not looked at. Of visits those
        who are in each zone in each hour of the week.
    parameters : SecureReleaseParameters

    Raises
    ------
    DataError
        If there is one zone only.
    ParameterError
        If so many people would have to be added that the threshold is reached.
    """
    visits = parameters.product == VISITS.name
    cells = np.ones(used.shape, dtype=bool) if visits else ~np.eye(used.shape[0], dtype=bool)
    take = _stays if visits else _walk
    if not cells.any():
        raise DataError("There is only one zone in which the audit can put people, and a trip needs two.")
    threshold, bound = parameters.threshold, parameters.max_trips_per_user
    gaussian, high = parameters.noise == "gaussian", _high(parameters)
    # Integer noise tells as much one person short of the threshold, with fewer people added.
    low = high if gaussian else max(threshold - 1, 1 if parameters.cells == "discovered" else 0)
    left = cells & (used == 0)
    parts, n_free = 3 if threshold else 2, int(left.sum())
    each = min(bound, max(1, int(cells.sum()) // parts))
    n_people = high + _DAYS * low + max(threshold - 1, 0)
    _require_few_people(n_people * each, parameters)
    alone, edge = None, None
    few = each if n_free >= parts * each else n_free // 2
    if threshold > 0 and few:
        alone = Canary(name="alone", cells=take(left, few), others=0)
    if threshold > 1 and few:
        edge = Canary(name="edge", cells=take(left, few), others=threshold - 1)
    taken = np.concatenate([one.cells for one in (alone, edge) if one is not None] or [np.zeros(0, np.int64)])
    open_to_all = _least_used(used, cells, taken, (1 + _DAYS) * each)
    full = Canary(name="full", cells=take(open_to_all, each), others=high)
    many = Canary(name="many", cells=take(open_to_all, _DAYS * each), others=low)
    found = [full, *(one for one in (alone, edge) if one is not None)]
    return [*found, many] if many.cells.size > bound else found


def _least_used(used: Ints, cells: npt.NDArray[np.bool_], taken: Ints, n: int) -> npt.NDArray[np.bool_]:
    """Return the `n` cells that fewest people use, without those that are taken: the free ones first."""
    order = np.flatnonzero(cells)
    order = order[~np.isin(order, taken)]
    order = order[np.argsort(used.reshape(-1)[order], kind="stable")]
    found = np.zeros(cells.size, dtype=bool)
    free = order[used.reshape(-1)[order] == 0]
    found[free if free.size >= n else order[:n]] = True
    return found.reshape(cells.shape)


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


def stays_from_cells(cells: Ints) -> AddedPerson:
    """Return a person who is in these zones in these hours, cells of visits: any may be, several in one hour too."""
    order = np.argsort(cells % HOURS, kind="stable")
    return AddedPerson(hour=(cells % HOURS)[order], cells=cells[order])


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


def _stays(left: npt.NDArray[np.bool_], n: int) -> Ints:
    """Return up to `n` free cells of visits, the days of the week in turn, and take them from `left`."""
    cells = np.flatnonzero(left.T)  # by hour
    hour, zone = np.divmod(cells, left.shape[0])
    day = hour // _DAY
    rank = np.arange(cells.size) - np.searchsorted(day, day)  # within its day
    taken = np.lexsort((day, rank))[:n]
    left[zone[taken], hour[taken]] = False
    return np.asarray(zone[taken] * HOURS + hour[taken], dtype=np.int64)


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
