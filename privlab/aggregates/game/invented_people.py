"""Marginals -> people who were never there: each moves within a connected set of zones, as often as told.

After Guan, Guépin, Cretu and de Montjoye (PoPETs 2024(4)). Nothing here is of a real person.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from privlab.aggregates.game.estimates import Estimate
from privlab.aggregates.traces import Window, window_from_reports

Floats = npt.NDArray[np.float64]
Neighbours = Sequence[npt.NDArray[np.int64]]

LEAST_ZONES = 10  # of one person, where there are as many that hang together


def neighbours_from_positions(positions: Floats | None) -> Neighbours | None:
    """Return the neighbours of each zone on the Delaunay graph of their positions (Z, 2), degrees or metres.

    None, every zone a neighbour of every other, where no position is known, or where there are too few
    or all lie on one line. A zone without a position has no neighbour.
    """
    if positions is None:
        return None
    from scipy.spatial import Delaunay, QhullError

    known = np.flatnonzero(np.isfinite(positions).all(axis=1))
    if known.size < 4:
        return None
    try:
        starts, ends = Delaunay(positions[known]).vertex_neighbor_vertices
    except QhullError:
        return None
    found = [np.empty(0, dtype=np.int64) for _ in positions]
    for at, zone in enumerate(known):
        found[zone] = np.sort(known[ends[starts[at] : starts[at + 1]]])
    return found


def window_from_estimate(
    estimate: Estimate,
    n_people: int,
    neighbours: Neighbours | None,
    rng: np.random.Generator,
    *,
    null_zone: bool = False,
    beside: npt.NDArray[np.bool_] | None = None,
) -> Window:
    """Return where invented people are; `beside` (zones, epochs), where one more, the last of them, is.

    Each has an exponential number of visits with the estimate's mean, all different, in a connected set of zones: a
    first one drawn by the marginal, then again and again one of the set's neighbours, each with the same
    chance, until there are `LEAST_ZONES`, and twice as many entries as visits (dense data needs more
    zones than the paper's ten). Visits are drawn by both marginals. Nobody has more visits than fit.
    """
    n_epochs = estimate.time.size
    visits = np.floor(rng.exponential(estimate.visits, n_people) + rng.random(n_people)).astype(np.int64)
    firsts = rng.choice(estimate.space.size, n_people, p=estimate.space)
    drawn = [
        _visits(estimate, int(n), int(first), neighbours, rng)
        for n, first in zip(visits, firsts, strict=True)
    ]
    if beside is not None:
        drawn.append(np.flatnonzero(beside.T))
    entries = np.concatenate([np.empty(0, dtype=np.int64), *drawn])
    return window_from_reports(
        np.concatenate([[0], np.cumsum([one.size for one in drawn])]).astype(np.int64),
        (entries // estimate.space.size).astype(np.int32),
        (entries % estimate.space.size).astype(np.int32),
        n_zones=estimate.space.size,
        n_epochs=n_epochs,
        null_zone=null_zone,
    )


def _visits(
    estimate: Estimate, n: int, first: int, neighbours: Neighbours | None, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return the visits of one person, epoch · zones + zone, ascending: n without return, by both marginals."""
    if not n:
        return np.empty(0, dtype=np.int64)
    epochs = np.flatnonzero(estimate.time)
    zones = _zones(estimate.space, first, 2 * n / epochs.size, neighbours, rng)
    zones = zones[estimate.space[zones] > 0]
    chance = estimate.time[epochs][:, None] * estimate.space[zones]
    entry = (epochs[:, None] * estimate.space.size + zones).ravel()
    if n < entry.size:  # the first n of a race in which each entry runs at its own rate
        race = rng.standard_exponential(entry.size) / chance.ravel()
        entry = entry[np.argpartition(race, n - 1)[:n]]
    return np.sort(entry)


def _zones(
    space: Floats, first: int, least: float, neighbours: Neighbours | None, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Return a connected set of zones that holds the first one: so many, `least` of them with visits, or all there are."""
    if neighbours is None:
        others = rng.permutation(np.delete(np.arange(space.size), first))
        order = np.concatenate([[first], others])
        enough = max(LEAST_ZONES, 1 + int(np.searchsorted(np.cumsum(space[order] > 0), least)))
        return order[:enough]
    chosen, around, seen = [first], neighbours[first].tolist(), {first, *neighbours[first].tolist()}
    n_visited = 1
    while around and (len(chosen) < LEAST_ZONES or n_visited < least):
        at = int(rng.random() * len(around))
        around[at], around[-1] = around[-1], around[at]
        zone = around.pop()
        chosen.append(zone)
        n_visited += bool(space[zone] > 0)
        new = [one for one in neighbours[zone].tolist() if one not in seen]
        around += new
        seen.update(new)
    return np.array(chosen, dtype=np.int64)
