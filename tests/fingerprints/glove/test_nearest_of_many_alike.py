"""The nearest fingerprints of boxes, where many are as near or nearly so: which they are, and in which order, by plain fractions.

Whoever is passed over for a lower bound, or comes before another that is as near, changes which people share a fingerprint.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np

from privlab.fingerprints.fingerprints import fingerprints_from_samples
from privlab.fingerprints.glove.box_search import nearest_fingerprints
from privlab.fingerprints.glove.boxes import merged_boxes
from privlab.fingerprints.glove.hiding import _Pool
from privlab.progress import UNHEARD
from tests.fingerprints.glove import glove_by_hand


def crowd_on_a_grid(rng: np.random.Generator) -> _Pool:
    """Draw fourteen people on four by three cells in four minutes, one to three samples each, of whom three pairs are one already."""
    n_samples = rng.integers(1, 4, 14)
    user = np.repeat(np.arange(14), n_samples)
    x, y, t = (rng.integers(0, end, user.size) * step for end, step in ((4, 2), (3, 1), (4, 5)))
    people = fingerprints_from_samples(user, x, y, t)
    pool = _Pool(people, 5, 1, UNHEARD)
    for _ in range(3):
        one, other = rng.choice(np.flatnonzero(pool.alive), 2, replace=False).tolist()
        pool.merge(one, other)
    return pool


def group_of(pool: _Pool, slot: int) -> glove_by_hand.Group:
    """Return a slot as groups by hand are: so many people, the least of whom is its rank, and its boxes."""
    rank, hidden = int(pool.slots.rank[slot]), int(pool.slots.hidden[slot])
    boxes = np.roll(pool.of(slot), 2, axis=1).tolist()
    return frozenset([rank, *(1_000 * slot + n for n in range(1, hidden))]), tuple(map(tuple, boxes))


def test_the_nearest_come_in_order_and_of_equals_those_of_the_least_user() -> None:
    rng, n_ties = np.random.default_rng(5), 0
    for _ in range(20):
        pool = crowd_on_a_grid(rng)
        alive = np.flatnonzero(pool.alive).tolist()
        groups = {slot: group_of(pool, slot) for slot in alive}
        for slot in alive:
            among = pool.alive.copy()
            among[slot] = False
            by_hand = sorted(
                (glove_by_hand.cheapest(groups[slot], groups[other])[0], int(pool.slots.rank[other]), other)
                for other in alive
                if other != slot
            )
            n_ties += sum(one[0] == other[0] for one, other in pairwise(by_hand[:4]))
            for n_listed in (1, 3):
                costs, others = np.empty(n_listed), np.empty(n_listed, dtype=np.int64)
                assert nearest_fingerprints(pool.slots, among, slot, costs, others) == n_listed
                assert others.tolist() == [other for *_, other in by_hand[:n_listed]]
                assert [Fraction(cost / 4800).limit_denominator(10**6) for cost in costs.tolist()] == [
                    cost for cost, *_ in by_hand[:n_listed]
                ]
    assert n_ties > 20


def test_of_two_of_one_length_that_are_as_near_both_ways_the_first_counts_as_longer() -> None:
    """Two or three boxes each, on three by three cells of two minutes: often both ways cost the same, and lead to other boxes."""
    rng, n_open = np.random.default_rng(6), 0

    def boxes(length: int) -> glove_by_hand.Fingerprint:
        t, x, y = (rng.integers(0, end, length).tolist() for end in (2, 3, 3))
        made = {(a, a + 1, b, b + 1, c, c + 1) for a, b, c in zip(t, x, y, strict=True)}
        return tuple(sorted(made, key=glove_by_hand.order))

    for _ in range(300):
        first, second = (frozenset([0]), boxes(3)), (frozenset([1]), boxes(3))
        ways = glove_by_hand.ways(first, second)
        n_open += len(ways) == 2 and ways[0][0] == ways[1][0]
        _, by_hand = glove_by_hand.merged(first, second)
        one, other = (np.roll(np.array(one, dtype=np.int32), -2, axis=1) for _, one in (first, second))
        assert np.roll(merged_boxes(one, 1, other, 1), 2, axis=1).tolist() == list(map(list, by_hand))
    assert n_open > 50
