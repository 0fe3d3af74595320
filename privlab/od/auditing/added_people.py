"""The people that an audit adds to a file: canaries, whose presence is tested, and others who are there with and without them.

Knows cells, hours of a week and the promise; knows nothing of files and draws nothing. docs/science.md, section 5.8.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError
from privlab.dp.gaussian import UNITS, GaussianParameters, weight_with_levels
from privlab.limits import MAX_AUDIT_ADDED_TRIPS
from privlab.od.matrix import Ints
from privlab.od.products import FLOWS, FLOWS_BY_SLOT, VISITS, Product, product_of
from privlab.od.releases.release_plan import SecureReleaseParameters

HOURS = 168  # of a week
_DAY = 24
_DAYS = 7
_MOST_ONE_AFTER_ANOTHER = HOURS - 8  # trips of one person in a week, with hours between some
_MOST_IN_ONE_PLACE = 16 * _DAYS  # trips: 16 a day leave time where one does not begin where the last ended


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Canary:
    """A person whose presence is tested: `cells` (T,), in which nobody of the data moves, and others who are in each.

    Each of the others moves in the cells `beside`, too, and so has more trips than are counted; `level` are people with one trip each,
    who make all of these flows equally busy. Mostly there are none of both. `cells` are origin·Z + destination as positions in
    the zones that are used; of flows by slot (origin·Z + destination)·8 + slot, of visits zone·168 + hour of the week.
    """

    name: str
    cells: Ints
    others: int
    beside: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    level: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AddedPerson:
    """What an added person does: `hour` (T,) of the week, from 0, of each visit or at which each trip ends; `cells` as in Canary."""

    hour: Ints
    cells: Ints


def canaries_from_used_cells(
    used: Ints, parameters: SecureReleaseParameters, groups: Sequence[Ints] = ()
) -> list[Canary]:
    """Return the canaries of an audit.

    "full" has as many trips as are counted, in flows that are published anyway. "many" has seven times as many, as many on
    each day. "edge" moves in flows that are one person short of the threshold, "alone" where nobody else does. No two are in
    one file. Where too few flows are free, "full" and "many" move in those that fewest people use. "choice" moves in flows of others
    with twice as many trips as are counted, all of whose flows are equally busy without it: which of them are counted must not hang
    on it. Where sums of districts are
    published, "district" makes as many trips within one district as there are flows and hours for, without others: the sums tell of
    it, and nobody's trips add more to them.

    Parameters
    ----------
    used : ndarray of int, shape (Z, Z), of flows by slot (Z, Z, 8), of visits (Z, 168)
        The people of the data who move in each cell, by origin and destination; the diagonal is not looked at. Of visits those
        who are in each zone in each hour of the week.
    parameters : SecureReleaseParameters
    groups : sequence of ndarray of int, shape (Z,)
        The number of each zone's district at each level, from the lowest up; −1 for a zone in none.

    Raises
    ------
    DataError
        If there is one zone only.
    ParameterError
        If so many people would have to be added that the threshold is reached.
    """
    product = product_of(parameters.product)
    cells, take = _open_cells(used, product), _ways(product, parameters.max_trips_per_user)
    if not cells.any():
        raise DataError("There is only one zone in which the audit can put people, and a trip needs two.")
    threshold, bound = parameters.threshold, parameters.max_trips_per_user
    gaussian, high, short = parameters.noise == "gaussian", _high(parameters), _short(parameters)
    # Integer noise tells as much one person short of the threshold, with fewer people added.
    low = high if gaussian else max(threshold - 1, 1 if parameters.cells == "discovered" else 0)
    left = cells & (used == 0)
    parts, n_free = 3 if threshold else 2, int(left.sum())
    each = min(bound, max(1, int(cells.sum()) // parts))
    n_people = high + _DAYS * low + max(short, 0) + 2 * _choosing(parameters)
    _require_few_people(n_people * each, parameters)
    alone, edge = None, None
    few = each if n_free >= parts * each else n_free // 2
    if threshold > 0 and few:
        alone = Canary(name="alone", cells=take(left, few), others=0)
    if threshold > 1 and few:
        edge = Canary(name="edge", cells=take(left, few), others=short)
    taken = np.concatenate([one.cells for one in (alone, edge) if one is not None] or [np.zeros(0, np.int64)])
    open_to_all = _least_used(used, cells, taken, (1 + _DAYS) * each)
    full = Canary(name="full", cells=take(open_to_all, each), others=high)
    many = Canary(name="many", cells=take(open_to_all, _DAYS * each), others=low)
    found = [full, *(one for one in (alone, edge) if one is not None)]
    found += [many] if many.cells.size > bound else []
    found += _among_choosing(used, cells, found, parameters)
    return [*found, *_within_a_district(used, found, groups)]


def _among_choosing(
    used: Ints, cells: npt.NDArray[np.bool_], canaries: Sequence[Canary], parameters: SecureReleaseParameters
) -> list[Canary]:
    """Return the canary among people of whom some trips must be left out; none where too few flows are left."""
    product, bound = product_of(parameters.product), parameters.max_trips_per_user
    taken = np.concatenate([one.cells for one in canaries])
    most = 2 * bound if product is VISITS else min(2 * bound, _MOST_ONE_AFTER_ANOTHER)
    n = min(most, int(cells.sum()) - taken.size)
    if n <= bound:
        return []
    path = _ways(product, bound)(_least_used(used, cells, taken, n), n)
    if path.size <= bound:
        return []
    path = np.sort(path) if product is VISITS else path  # visits are made in any order
    halves = [path[: path.size // 2], path[path.size // 2 :]]
    # Whoever goes by numbers among equally busy flows takes the lower ones, so that the canary moves in the higher.
    own = int(np.argmax([(half > np.median(path)).sum() for half in halves]))
    people = used.reshape(-1)[path]
    return [
        Canary(
            name="choice",
            cells=halves[own],
            others=_choosing(parameters),
            beside=halves[1 - own],
            level=np.repeat(path, people.max() - people),
        )
    ]


def _within_a_district(used: Ints, others: Sequence[Canary], groups: Sequence[Ints]) -> list[Canary]:
    """Return the canary whose trips all lie in the largest district, in the flows that fewest move in; none where there is no room."""
    if not groups:
        return []
    district = groups[0]
    largest = int(np.argmax(np.bincount(district[district >= 0], minlength=1)))
    zones = np.flatnonzero(district == largest)
    busy = used.copy()
    for canary in others:
        busy.reshape(-1)[canary.cells] += 1 + canary.others
    inside = np.zeros(used.shape, dtype=bool)
    inside[np.ix_(zones, zones)] = True
    inside[zones, zones] = False
    n = min(_MOST_IN_ONE_PLACE, int(inside.sum()))
    if n == 0:
        return []
    cells = _walk(_least_used(busy, inside, np.zeros(0, dtype=np.int64), n), n)
    made = moves_from_cells(cells, used.shape[0], math.ceil(n / _DAYS)).cells  # what fits into the week
    return [Canary(name="district", cells=made, others=0)]


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
    """Return the cells of each person who is there with and without the canaries: at most `bound`, so that all count, but for "choice"."""
    taken, people = set[int](), list[Ints]()
    for canary in canaries:
        if canary.beside.size:
            people += [np.concatenate([canary.beside, canary.cells])] * canary.others
            people += [canary.level[place : place + 1] for place in range(canary.level.size)]
            taken.update(canary.cells.tolist())
    for canary in sorted(canaries, key=lambda one: -one.cells.size):
        if canary.others and taken.isdisjoint(canary.cells.tolist()):  # else they are among another's flows
            parts = [canary.cells[start : start + bound] for start in range(0, canary.cells.size, bound)]
            people += [part for part in parts for _ in range(canary.others)]
            taken.update(canary.cells.tolist())
    return people


def moves_from_cells(cells: Ints, n_zones: int, bound: int, product: Product = FLOWS) -> AddedPerson:
    """Return when a person makes these trips: each once, in the week and in its slot, `bound` of them a day while there is room.

    A trip goes on where the last ended if it can; else an hour without a record lies between them. What no longer fits
    into the week is left out.
    """
    hours, made = [], []
    hour, zone = -2, -1
    ends, slots = product.ends_and_slot(cells, n_zones)
    slot_of_hour = product.slot_at(np.arange(HOURS))
    for place, (cell, origin, destination, slot) in enumerate(
        zip(cells.tolist(), ends[0].tolist(), ends[1].tolist(), slots.tolist(), strict=True)
    ):
        starts = hour if zone == origin else hour + 2
        if place and place % bound == 0 and starts < _DAY * (place // bound) and place // bound < _DAYS:
            starts = _DAY * (place // bound)
        in_slot = np.flatnonzero(slot_of_hour[starts + 1 :] == slot)
        if not in_slot.size:
            continue
        hour, zone = starts + 1 + int(in_slot[0]), destination
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
        return math.ceil((parameters.threshold + 4 * promise.sigma / UNITS) / _weight(parameters))
    return parameters.threshold


def _choosing(parameters: SecureReleaseParameters) -> int:
    """Return how many people have more trips than are counted: so many that where all of them are counted stands out of the noise."""
    promise = parameters.guarantee_parameters(1)
    width = promise.sigma / UNITS if isinstance(promise, GaussianParameters) else promise.mechanism.scale
    return parameters.threshold + math.ceil(2 * width)


def _short(parameters: SecureReleaseParameters) -> int:
    """Return how many others leave a flow one person short of the threshold."""
    return math.ceil(parameters.threshold / _weight(parameters)) - 1


def _weight(parameters: SecureReleaseParameters) -> float:
    """Return what a trip counts of someone with as many as are counted, all from one district to one other: 1 without levels."""
    bound = parameters.max_trips_per_user
    squares = [np.array([bound**2])] * parameters.levels
    return float(weight_with_levels([bound], squares, bound)[0]) / UNITS if squares else 1.0


def _require_few_people(n_trips: int, parameters: SecureReleaseParameters) -> None:
    if n_trips > MAX_AUDIT_ADDED_TRIPS:
        raise ParameterError(
            f"threshold must be lower for an audit, which fills flows up to it with people of {parameters.max_trips_per_user} "
            f"trips each: {n_trips:,} trips would be added, at most {MAX_AUDIT_ADDED_TRIPS:,} can be; got {parameters.threshold}."
        )


def _open_cells(used: Ints, product: Product) -> npt.NDArray[np.bool_]:
    """Return where anyone can be counted at all: not in a trip that ends where it began."""
    cells = np.ones(used.shape, dtype=bool)
    if product.n_ends == 2:
        zone = np.arange(used.shape[0])
        cells[zone, zone] = False
    return cells


def _ways(product: Product, bound: int) -> Callable[[npt.NDArray[np.bool_], int], Ints]:
    """Return how the cells of one person are chosen among those that are free."""
    if product is VISITS:
        return _stays
    return partial(_walk_by_slot, bound=bound) if product is FLOWS_BY_SLOT else _walk


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


def _walk_by_slot(left: npt.NDArray[np.bool_], n: int, *, bound: int) -> Ints:
    """Return up to `n` free cells by slot, in the order in which one person can make them, and take them from `left`.

    `bound` are made a day, spread over its hours; each begins where the last ended where that is possible, and else an hour
    without a record lies before it.
    """
    n_zones, _, n_slots = left.shape
    slot_of_hour, step = FLOWS_BY_SLOT.slot_at(np.arange(HOURS)), max(1, (_DAY - 2) // bound)
    cells, zone, last, hour = list[int](), 0, -2, 1
    while len(cells) < n and hour < HOURS:
        slot = int(slot_of_hour[hour])
        if not left[zone, :, slot].any():
            if hour < last + 3 or not left[:, :, slot].any():
                hour += 1
                continue
            zone = int(np.argmax(left[:, :, slot].any(axis=1)))
        ahead = np.flatnonzero(left[zone, :, slot])
        onward = ahead[left[ahead].any(axis=(1, 2))]
        end = int((onward if onward.size else ahead)[0])
        left[zone, end, slot] = False
        cells.append((zone * n_zones + end) * n_slots + slot)
        zone, last, hour = end, hour, hour + step
        day = len(cells) // bound
        if len(cells) % bound == 0 and day < _DAYS:
            hour = max(hour, _DAY * day + 1)
    return np.array(cells, dtype=np.int64)
