"""Fingerprints → groups of at least k users who share one fingerprint of boxes (GLOVE).

Knows in which order fingerprints are merged; knows nothing of how the result is written down.
"""

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.glove.box_search import N_PLACES, ONE, Slots, nearest_fingerprints, place_boxes
from privlab.fingerprints.glove.boxes import (
    Boxes,
    boxes_from_fingerprints,
    disjoint_boxes,
    home_of_samples,
    merged_boxes,
    reach_of_boxes,
)
from privlab.fingerprints.glove.closest import ClosestPairs
from privlab.fingerprints.glove.glove_result import GloveParameters, HiddenGroups
from privlab.fingerprints.search.neighbours import Neighbours, neighbours_from_fingerprints
from privlab.limits import MAX_SEARCH_GB
from privlab.progress import UNHEARD, Progress

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_LISTED = 32  # nearest others kept of each fingerprint
_WORDS = "Merging the closest fingerprints"


def hidden_groups_from_fingerprints(
    fingerprints: Fingerprints,
    parameters: GloveParameters,
    *,
    n_workers: int | None = None,
    progress: Progress = UNHEARD,
) -> HiddenGroups:
    """Return groups of at least k users with one fingerprint of boxes each, which covers all their samples.

    The closest two fingerprints that hide fewer than k users become one, again and again; of equally close
    ones those of the least user ids. Who is left over joins the nearest group. Samples stretched beyond
    the limits are then left out, and boxes cut until none overlap in time.

    Raises
    ------
    ParameterError
        With fewer than k users, and if this would take more memory than it may.
    """
    if fingerprints.n_users < parameters.k:
        raise ParameterError(
            f"k must be at most the number of users, {fingerprints.n_users:,}, got {parameters.k:,}."
        )
    gb = glove_gb(fingerprints)
    if gb > MAX_SEARCH_GB:
        raise ParameterError(
            f"merging must fit {MAX_SEARCH_GB:g} GB of memory, got an estimate of {gb:.1f} GB; take fewer users (sample_users)."
        )
    pool = _Pool(fingerprints, parameters.k, n_workers, progress)
    pool.merge_all()
    progress.tell(0.97, "Cutting what overlaps in time")
    return _published(fingerprints, parameters, pool)


def glove_gb(fingerprints: Fingerprints) -> float:
    """Return the memory that merging takes besides the fingerprints and the search, in GB, from above."""
    per_sample, per_user = 2 * 32 + 150, 2 * (8 * 6 + 16 * N_PLACES) + 90 * _LISTED
    return (per_sample * int(fingerprints.offsets[-1]) + per_user * fingerprints.n_users) / 1e9


class _Pool:
    """All fingerprints made so far, by slot: first every user's, then each merged one.

    `boxes` hold them one after another, a merged one never longer than the shorter of the two it came
    from, so that twice the samples always suffice.
    """

    def __init__(self, fingerprints: Fingerprints, k: int, n_workers: int | None, progress: Progress) -> None:
        n, n_samples = fingerprints.n_users, fingerprints.x.size
        self.fingerprints, self.k, self.n_workers, self.progress = fingerprints, k, n_workers, progress
        self.slots = slots = Slots(
            boxes=np.empty((2 * n_samples, 6), dtype=np.int32),
            reach=np.empty(2 * n_samples, dtype=np.int32),
            place=np.empty(2 * n_samples, dtype=np.int32),
            starts=np.zeros(2 * n, dtype=np.int64),
            ends=np.zeros(2 * n, dtype=np.int64),
            hidden=np.ones(2 * n, dtype=np.int64),
            rank=np.arange(2 * n),  # the least of its users
            rects=np.empty((2 * n, N_PLACES, 4), dtype=np.int32),
            n_places=np.zeros(2 * n, dtype=np.int64),
        )
        slots.boxes[:n_samples] = boxes_from_fingerprints(fingerprints)
        slots.reach[:n_samples] = reach_of_boxes(
            slots.boxes[:n_samples], np.repeat(np.arange(n), fingerprints.n_samples)
        )
        slots.starts[:n], slots.ends[:n] = fingerprints.offsets[:-1], fingerprints.offsets[1:]
        for slot in range(n):
            place_boxes(slots, slot)
        self.alive, self.finished = np.zeros(2 * n, dtype=np.bool_), np.zeros(2 * n, dtype=np.bool_)
        self.alive[:n] = True
        self.n_slots, self.n_boxes = n, n_samples
        self.parent = np.full(2 * n, -1, dtype=np.int64)
        self.share = self.searched = (
            0.6 if k == 2 else 0.15
        )  # the part of the time that the first search takes
        self.pairs = ClosestPairs(slots.rank, self.alive, self.list_again)

    def merge_all(self) -> None:
        """Merge until no two fingerprints hide fewer than k users, then whoever is left."""
        n = self.fingerprints.n_users
        self.list_users(self.progress.part(0.0, self.searched))
        n_open = n
        while (pair := self.pairs.closest()) is not None:
            slot = self.merge(*pair)
            n_open -= 1 if self.alive[slot] else 2
            self.share = self.searched + (0.97 - self.searched) * (1 - (n_open / n) ** 2)
            self.progress.tell(self.share, _WORDS)
            if self.alive[slot]:
                self.list_nearest(slot)
        for left in np.flatnonzero(self.alive):
            _, nearest = self.nearest(int(left), self.finished, 1)
            self.merge(int(left), int(nearest[0]))

    def merge(self, one: int, other: int) -> int:
        """Put the fingerprint that covers both in a new slot, in their place; return the slot."""
        slots, slot, start = self.slots, self.n_slots, self.n_boxes
        if slots.rank[other] < slots.rank[one]:
            one, other = other, one
        made = merged_boxes(self.of(one), int(slots.hidden[one]), self.of(other), int(slots.hidden[other]))
        self.n_slots, self.n_boxes = slot + 1, start + len(made)
        slots.boxes[start : self.n_boxes], slots.reach[start : self.n_boxes] = made, reach_of_boxes(made)
        slots.starts[slot], slots.ends[slot] = start, self.n_boxes
        slots.hidden[slot] = slots.hidden[one] + slots.hidden[other]
        slots.rank[slot] = slots.rank[one]
        place_boxes(slots, slot)
        self.parent[[one, other]] = slot
        self.alive[[one, other]] = self.finished[[one, other]] = False
        self.finished[slot] = slots.hidden[slot] >= self.k
        self.alive[slot] = not self.finished[slot]
        return slot

    def of(self, slot: int) -> Boxes:
        """Return the boxes in a slot."""
        return self.slots.boxes[self.slots.starts[slot] : self.slots.ends[slot]]

    def nearest(self, slot: int, among: npt.NDArray[np.bool_], n_listed: int) -> tuple[Floats, Int64s]:
        """Return cost and slot of the nearest fingerprints among some, best first."""
        costs, others = np.empty(n_listed), np.empty(n_listed, dtype=np.int64)
        n_found = nearest_fingerprints(self.slots, among, slot, costs, others)
        return costs[:n_found], others[:n_found]

    def list_users(self, progress: Progress) -> None:
        """List the nearest others of every user."""
        found = neighbours_from_fingerprints(
            self.fingerprints, k=_LISTED + 1, n_workers=self.n_workers, progress=progress
        )
        costs, complete = _costs(found), found.other.shape[1] == found.n_users - 1
        for user in range(found.n_users):
            self.pairs.put_row(user, costs[user], found.other[user], complete=complete)

    def list_again(self, rows: list[int]) -> None:
        """List the nearest others of rows whose listed ones are all gone."""
        for row in rows:
            self.progress.tell(self.share, _WORDS)
            self.list_nearest(row)

    def list_nearest(self, slot: int) -> None:
        """List the nearest of those that a slot is compared with.

        A user is compared with users, a merged fingerprint with all that came before it. Pairs with a later one stand in the list of
        the later one.
        """
        among = self.alive.copy()
        among[max(slot, self.fingerprints.n_users) :] = False
        among[slot] = False
        costs, slots = self.nearest(slot, among, _LISTED)
        self.pairs.put_row(slot, costs, slots, complete=slots.size == np.count_nonzero(among))


def _costs(found: Neighbours) -> npt.NDArray[np.float64]:
    """Return the distances in the same numbers as `nearest_fingerprints`: each the float64 nearest to it."""
    return (found.total * (ONE // found.one)) / found.n_longer


def _published(fingerprints: Fingerprints, parameters: GloveParameters, pool: _Pool) -> HiddenGroups:
    """Return the finished fingerprints, suppressed and cut."""
    slots = np.flatnonzero(pool.finished)
    number = np.full(pool.n_slots, -1, dtype=np.int64)
    number[slots] = np.arange(slots.size)
    for slot in range(pool.n_slots - 1, -1, -1):
        if pool.parent[slot] >= 0:
            number[slot] = number[pool.parent[slot]]
    group_of_user = number[: fingerprints.n_users]
    boxes = np.concatenate([pool.of(int(slot)) for slot in slots])
    group = np.repeat(np.arange(slots.size), [len(pool.of(int(slot))) for slot in slots])
    kept = parameters.within(boxes)
    boxes, group = disjoint_boxes(boxes[kept], group[kept])
    kept = parameters.within(boxes)
    boxes, group = boxes[kept], group[kept]
    samples = pool.slots.boxes[: fingerprints.x.size]
    home = home_of_samples(samples, np.repeat(group_of_user, fingerprints.n_samples), boxes, group)
    held = np.bincount(home[home >= 0], minlength=len(boxes)) > 0  # a piece that holds no sample says nothing
    home[home >= 0] = (np.cumsum(held) - 1)[home[home >= 0]]
    boxes, group = boxes[held], group[held]
    return HiddenGroups(
        parameters=parameters,
        fingerprints=fingerprints,
        group_of_user=group_of_user,
        offsets=np.searchsorted(group, np.arange(slots.size + 1)).astype(np.int64),
        boxes=boxes,
        home=home,
    )
