"""GLOVE word by word, in exact fractions and plain Python: what the fast one must give."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise

from privlab.fingerprints.fingerprints import Fingerprints

Box = tuple[int, int, int, int, int, int]  # t, t end, x, x end, y, y end; 100 m and minutes
Fingerprint = tuple[Box, ...]
Group = tuple[frozenset[int], Fingerprint]


def boxes_of(fingerprints: Fingerprints, user: int) -> Fingerprint:
    scale, last = fingerprints.cell_m // 100, fingerprints.bin_min
    part = slice(fingerprints.offsets[user], fingerprints.offsets[user + 1])
    columns = (fingerprints.t[part], fingerprints.x[part], fingerprints.y[part])
    return tuple(
        (t, t + last, x * scale, (x + 1) * scale, y * scale, (y + 1) * scale)
        for t, x, y in zip(*(one.tolist() for one in columns), strict=True)
    )


@cache
def stretch(one: Box, n: int, other: Box, m: int) -> tuple[Fraction, Fraction]:
    """Return the stretch and its temporal part."""

    def axis(low: int, high: int, their_low: int, their_high: int) -> Fraction:
        mine = (low - min(low, their_low)) + (max(high, their_high) - high)
        theirs = (their_low - min(low, their_low)) + (max(high, their_high) - their_high)
        return Fraction(mine * n + theirs * m, n + m)

    space = axis(*one[2:4], *other[2:4]) + axis(*one[4:6], *other[4:6])
    time = min(axis(*one[:2], *other[:2]) / 480, Fraction(1)) / 2
    return min(space / 200, Fraction(1)) / 2 + time, time


@cache
def nearest(box: Box, n: int, others: Fingerprint, m: int) -> int:
    return min(range(len(others)), key=lambda j: (*stretch(box, n, others[j], m), order(others[j])))


def order(box: Box) -> tuple[int, ...]:
    return (box[0], box[2], box[4], box[1], box[3], box[5])


def mean_stretch(longer: Fingerprint, n: int, shorter: Fingerprint, m: int) -> Fraction:
    return sum((min(stretch(box, n, one, m)[0] for one in shorter) for box in longer), Fraction(0)) / len(
        longer
    )


def ways(one: Group, other: Group) -> list[tuple[Fraction, int, Group, Group]]:
    """Return cost, least user of the longer, the longer and the shorter one, for each that may count as longer."""
    pairs = [(a, b) for a, b in ((one, other), (other, one)) if len(a[1]) >= len(b[1])]
    return [(mean_stretch(a[1], len(a[0]), b[1], len(b[0])), min(a[0]), a, b) for a, b in pairs]


@cache
def cheapest(one: Group, other: Group) -> tuple[Fraction, int, Group, Group]:
    return min(ways(one, other), key=lambda way: way[:2])


def covering(boxes: list[Box]) -> Box:
    t, t_end, x, x_end, y, y_end = zip(*boxes, strict=True)
    return min(t), max(t_end), min(x), max(x_end), min(y), max(y_end)


def merged(one: Group, other: Group) -> Group:
    _, _, (people, longer), (others, shorter) = cheapest(one, other)
    grown = {}
    for box in longer:
        grown.setdefault(nearest(box, len(people), shorter, len(others)), []).append(box)
    first = tuple(sorted({covering([shorter[j], *boxes]) for j, boxes in grown.items()}, key=order))
    second: dict[int, list[Box]] = {}
    for j, box in enumerate(shorter):
        if j not in grown:
            at = nearest(box, len(others), first, len(people) + len(others))
            second.setdefault(at, []).append(box)
    result = {covering([box, *second.get(j, [])]) for j, box in enumerate(first)}
    return people | others, tuple(sorted(result, key=order))


def within(box: Box, km: float | None, minutes: float | None) -> bool:
    side = max(box[3] - box[2], box[5] - box[4])
    return (km is None or Fraction(side, 10) <= km) and (minutes is None or box[1] - box[0] <= minutes)


def pieces(boxes: Fingerprint) -> Iterator[Box]:
    edges = sorted({edge for box in boxes for edge in box[:2]})
    for start, end in pairwise(edges):
        there = [box for box in boxes if box[0] <= start and end <= box[1]]
        if there:
            yield (start, end, *covering(there)[2:])


def holds(box: Box, sample: Box) -> bool:
    return all(box[i] <= sample[i] and sample[i + 1] <= box[i + 1] for i in (0, 2, 4))


def glove(
    fingerprints: Fingerprints, k: int, km: float | None, minutes: float | None
) -> dict[frozenset[int], set[Box]]:
    """Return the boxes of each group of users."""
    pool: list[Group] = [
        (frozenset([user]), boxes_of(fingerprints, user)) for user in range(fingerprints.n_users)
    ]
    finished: list[Group] = []

    def cost(pair: tuple[Group, Group]) -> tuple[Fraction, list[int]]:
        return cheapest(*pair)[0], sorted((min(pair[0][0]), min(pair[1][0])))

    while len(pool) > 1:
        one, other = min(combinations(pool, 2), key=cost)
        pool = [group for group in pool if group not in (one, other)]
        result = merged(one, other)
        (finished if len(result[0]) >= k else pool).append(result)
    for left in pool:
        nearest_group = min(finished, key=lambda group: (cheapest(left, group)[0], min(group[0])))
        finished.remove(nearest_group)
        finished.append(merged(left, nearest_group))
    found = {}
    for people, boxes in finished:
        cut = [
            box
            for box in pieces(tuple(one for one in boxes if within(one, km, minutes)))
            if within(box, km, minutes)
        ]
        samples = [sample for user in people for sample in boxes_of(fingerprints, user)]
        found[people] = {box for box in cut if any(holds(box, sample) for sample in samples)}
    return found
