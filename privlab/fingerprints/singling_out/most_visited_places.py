"""Fingerprints → how many people their most visited places single out, whatever the times (after Zang and Bolot 2011)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError, require_whole
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_at_level
from privlab.fingerprints.levels import Level
from privlab.limits import MAX_POINTS

MOST_PLACES = 5  # that a page and a report look at


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacesUnicity:
    """The share of users whose N most visited places nobody else has, by N; all users are counted, none drawn.

    `places` (n,) are the N, `share_of_sets` (n,) takes places in any order, `share_of_lists` (n,) the most visited first;
    both in [0, 1]. `n_short` (n,) users have fewer places, and count with those they have.
    """

    level: Level
    n_users: int
    places: npt.NDArray[np.int64]
    share_of_sets: npt.NDArray[np.float64]
    share_of_lists: npt.NDArray[np.float64]
    n_short: npt.NDArray[np.int64]


def places_unicity_from_fingerprints(
    fingerprints: Fingerprints, level: Level, *, places: Sequence[int]
) -> PlacesUnicity:
    """Return how many users their N most visited places single out at a level.

    A visit is a time bin in which a user was in a cell. Of places visited equally often the western one comes first, of those
    the southern one. Raises DataError if no user has a sample, ParameterError for numbers of places below 1, or none.
    """
    for n in places:
        require_whole("places", n, 1, MAX_POINTS)
    if not len(places):
        raise ParameterError("places must be given at least once.")
    if not fingerprints.n_users:
        raise DataError("There is no user with a sample, so there is no place to single anyone out.")
    ranked = _ranked_places(fingerprints_at_level(fingerprints, level), max(places))
    sets, lists, short = [], [], []
    for n in places:
        first = ranked[:, :n]
        sets.append(_alone(np.sort(first, axis=1)))
        lists.append(_alone(first))
        short.append(int((first < 0).any(axis=1).sum()) if n <= first.shape[1] else ranked.shape[0])
    return PlacesUnicity(
        level=level,
        n_users=ranked.shape[0],
        places=np.array(places, dtype=np.int64),
        share_of_sets=np.array(sets),
        share_of_lists=np.array(lists),
        n_short=np.array(short, dtype=np.int64),
    )


def _ranked_places(fingerprints: Fingerprints, most: int) -> npt.NDArray[np.int64]:
    """Return the numbers of each user's most visited places, (U, at most `most`), −1 where there are no more."""
    user = np.repeat(np.arange(fingerprints.n_users), fingerprints.n_samples)
    cells, cell = np.unique(np.stack([fingerprints.x, fingerprints.y]), axis=1, return_inverse=True)
    pairs, visits = np.unique(user * cells.shape[1] + cell.ravel(), return_counts=True)
    owner, place = np.divmod(pairs, cells.shape[1])
    order = np.lexsort((place, -visits, owner))
    owner, place = owner[order], place[order]
    rank = np.arange(owner.size) - np.searchsorted(owner, owner)
    width = min(most, int(rank.max()) + 1)
    ranked = np.full((fingerprints.n_users, width), -1, dtype=np.int64)
    kept = rank < width
    ranked[owner[kept], rank[kept]] = place[kept]
    return ranked


def _alone(rows: npt.NDArray[np.int64]) -> float:
    _, times = np.unique(rows, axis=0, return_counts=True)
    return float((times == 1).sum() / rows.shape[0])
