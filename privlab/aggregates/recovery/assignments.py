"""Who goes where between two steps: people and places → the assignment of least total cost.

Two ways to the same least cost. The dense one is the definition: one row for each person, one column for each place in
the next count. The grouped one lets those stay who stand exactly where a place is, and assigns the rest.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def distances_km(points: Floats, others: Floats) -> Floats:
    """Return the distance of each point (n, 2) from each other (m, 2), in km, shape (n, m)."""
    return np.hypot(points[:, None, 0] - others[None, :, 0], points[:, None, 1] - others[None, :, 1])


def dense_moves(expected: Floats, count: Ints, at_km: Floats) -> Ints:
    """Return the zone that each person goes to, (N,), by an assignment of N people to N places.

    Parameters
    ----------
    expected : Floats
        Where each person is expected to be, in km, shape (N, 2).
    count : Ints
        People in each zone, shape (Z,), adding up to N.
    at_km : Floats
        Where zones lie, shape (Z, 2).
    """
    places = np.repeat(np.arange(count.size), count)
    row, column = linear_sum_assignment(distances_km(expected, at_km)[:, places])
    moved = np.empty(expected.shape[0], dtype=np.int64)
    moved[row] = places[column]
    return moved


def grouped_moves(expected: Floats, count: Ints, at_km: Floats) -> Ints:
    """Return the zone that each person goes to, (N,), at the same least total cost as `dense_moves`.

    Distances obey the triangle inequality: if one who stands at a place leaves it and another takes it, the other could
    go where the one went and the way is no longer. So as many as are counted at a place may stay there, and only
    the rest is assigned. Those who are expected at one point are one row of distances, worked out once.
    """
    moved = np.full(expected.shape[0], -1, dtype=np.int64)
    spots, spot_of = np.unique(np.concatenate([at_km, expected]), axis=0, return_inverse=True)
    zone_at, spot = spot_of[: at_km.shape[0]], spot_of[at_km.shape[0] :]
    by_spot = np.argsort(spot, kind="stable")
    place = np.repeat(np.arange(count.size), count)
    place = place[np.argsort(zone_at[place], kind="stable")]
    left_people, left_places = _rest(spot[by_spot], zone_at[place], spots.shape[0])
    stays = np.ones(by_spot.size, dtype=bool)
    stays[left_people] = False
    taken = np.ones(place.size, dtype=bool)
    taken[left_places] = False
    moved[by_spot[stays]] = place[taken]
    if left_people.size:
        person, free = by_spot[left_people], place[left_places]
        rows, row_of = np.unique(spot[person], return_inverse=True)
        columns, column_of = np.unique(free, return_inverse=True)
        cost = distances_km(spots[rows], at_km[columns])[row_of][:, column_of]
        row, column = linear_sum_assignment(cost)
        moved[person[row]] = free[column]
    return moved


def habitual_moves(expected: Floats, here: Ints, count: Ints, at_km: Floats, habits: Sequence[Ints]) -> Ints:
    """Return the zone that each person goes to, (N,), where a way to where most go on from here costs no more than going on.

    The cost of a place is its distance from where the person is expected, or from the nearest of `habits` of the zone `here`
    (N,) that the person is in, whichever is less. Not one distance, so that nobody can be left standing beforehand as in
    `grouped_moves`; those who are expected at one point from one zone are one row, worked out once.
    """
    columns = np.flatnonzero(count)
    rows, row_of = np.unique(np.column_stack([here, expected]), axis=0, return_inverse=True)
    cost = distances_km(rows[:, 1:], at_km[columns])
    zone = rows[:, 0].astype(np.int64)
    for one in np.unique(zone):
        if habits[one].size:
            nearest = distances_km(at_km[habits[one]], at_km[columns]).min(axis=0)
            cost[zone == one] = np.minimum(cost[zone == one], nearest)
    return np.repeat(columns, count[columns])[
        _assigned(cost[row_of][:, np.repeat(np.arange(columns.size), count[columns])])
    ]


def habits_from_trails(trails: npt.NDArray[np.int32], n_zones: int) -> list[Ints]:
    """Return for each zone the zones that trails (N, S) most often go on to in the next step, itself perhaps; empty where none was."""
    step = trails[:, :-1].astype(np.int64) * n_zones + trails[:, 1:]
    cell, times = np.unique(step, return_counts=True)
    start, end = np.divmod(cell, n_zones)
    most = np.zeros(n_zones, dtype=np.int64)
    np.maximum.at(most, start, times)
    often = times == most[start]
    first = np.searchsorted(start[often], np.arange(n_zones + 1))
    return [end[often][first[zone] : first[zone + 1]] for zone in range(n_zones)]


def _rest(people: Ints, places: Ints, n_spots: int) -> tuple[Ints, Ints]:
    """Return positions of people and of places without a partner at the same spot; both come in order of spots."""
    both = np.minimum(np.bincount(people, minlength=n_spots), np.bincount(places, minlength=n_spots))
    found = []
    for spot in (people, places):
        start = np.searchsorted(spot, np.arange(n_spots))
        found.append(np.flatnonzero(np.arange(spot.size) - start[spot] >= both[spot]))
    return found[0], found[1]


def dense_links(past: npt.NDArray[np.int32], day: npt.NDArray[np.int32], n_zones: int) -> Ints:
    """Return which trail of a day goes on with each trail of the day before, (N,), by the entropy gained.

    `past` and `day` are zones (N, S) of the two days. The cost of a pair is H(both days) − ½ (H(one) + H(other)), H the
    entropy in bits of how often each zone is visited.
    """
    one, other = visits_from_zones(past, n_zones), visits_from_zones(day, n_zones)
    return _assigned(_entropy_gained(one, other))


def grouped_links(past: npt.NDArray[np.int32], day: npt.NDArray[np.int32], n_zones: int) -> Ints:
    """Return links of the same least total cost as `dense_links`; equal visits are compared once."""
    return _assigned(_link_costs(past, day, n_zones))


def lookback_links(past: Sequence[npt.NDArray[np.int32]], day: npt.NDArray[np.int32], n_zones: int) -> Ints:
    """Return links by the least of the entropies gained with any of several days, each (N, S): a person may do today as last week."""
    return _assigned(np.minimum.reduce([_link_costs(one, day, n_zones) for one in past]))


def _link_costs(past: npt.NDArray[np.int32], day: npt.NDArray[np.int32], n_zones: int) -> Floats:
    one, other = visits_from_zones(past, n_zones), visits_from_zones(day, n_zones)
    ones, one_of = np.unique(one, axis=0, return_inverse=True)
    others, other_of = np.unique(other, axis=0, return_inverse=True)
    return np.asarray(_entropy_gained(ones, others)[one_of][:, other_of])


def visits_from_zones(zone: npt.NDArray[np.int32], n_zones: int) -> npt.NDArray[np.int32]:
    """Return in how many steps each trail is in each zone, (N, Z), of zones (N, S)."""
    cell = np.arange(zone.shape[0])[:, None] * n_zones + zone
    counts = np.bincount(cell.ravel(), minlength=zone.shape[0] * n_zones)
    return counts.reshape(zone.shape[0], n_zones).astype(np.int32)


def _assigned(cost: Floats) -> Ints:
    row, column = linear_sum_assignment(cost)
    found = np.empty(cost.shape[0], dtype=np.int64)
    found[row] = column
    return found


def _entropy_gained(one: npt.NDArray[np.int32], other: npt.NDArray[np.int32]) -> Floats:
    """Return the cost of every pair of rows of visits (N, Z) and (M, Z), shape (N, M), in bits.

    Both have the same number n of steps. With g(x) = x log₂ x, H of both days is log₂ 2n − Σ g(v + w) / 2n; only zones
    that both visit need more than g(v) + g(w).
    """
    n = int(one[0].sum())
    table = np.arange(2 * n + 1, dtype=np.float64)
    table[1:] *= np.log2(table[1:])
    alone = table[one].sum(axis=1)[:, None], table[other].sum(axis=1)[None, :]
    together = alone[0] + alone[1]
    for zone in np.flatnonzero((one.any(axis=0)) & (other.any(axis=0))):
        rows, columns = np.flatnonzero(one[:, zone]), np.flatnonzero(other[:, zone])
        v, w = one[rows, zone], other[columns, zone]
        together[np.ix_(rows, columns)] += table[v[:, None] + w] - table[v][:, None] - table[w]
    halves = (2 * np.log2(n) - (alone[0] + alone[1]) / n) / 2
    return np.asarray(np.log2(2 * n) - together / (2 * n) - halves)
