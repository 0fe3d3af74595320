"""Linkage against scipy's Jensen-Shannon distance, worlds worked by hand, and chance where the people are shuffled."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from privlab.checks import DataError, ParameterError
from privlab.fingerprints import Level
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_from_samples
from privlab.fingerprints.singling_out.linkage import (
    TIE,
    LinkParameters,
    least_days_from_fingerprints,
    linkages_from_fingerprints,
)
from tests.fingerprints.random_fingerprints import random_fingerprints

DAY = 1440
FINE = Level(0.1, 1)


def town(days: list[list[list[int]]]) -> Fingerprints:
    """Return people who are in cells east of one another: person → day → cells, an hour each."""
    rows = [
        (person, cell, DAY * day + 60 * hour)
        for person, own in enumerate(days)
        for day, cells in enumerate(own)
        for hour, cell in enumerate(cells)
    ]
    user, x, t = np.array(rows).T
    return fingerprints_from_samples(user, x, np.zeros_like(x), t)


def right_by_brute_force(found: Fingerprints, level: Level, days: int) -> tuple[float, int, int]:
    """Return who is linked right (ties in parts), and how many are sought and stand to be chosen."""
    first_day = int(found.t.min()) // DAY
    middle = first_day + (int(found.t.max()) // DAY - first_day + 1) // 2
    size, bins = level.cell_m // found.cell_m, level.bin_min
    halves: list[list[dict[tuple[int, int], int]]] = [[], []]
    for user in range(found.n_users):
        part = slice(int(found.offsets[user]), int(found.offsets[user + 1]))
        rows = list(zip(found.x[part].tolist(), found.y[part].tolist(), found.t[part].tolist(), strict=True))
        for half, low in ((0, middle - days), (1, middle)):
            seen = {(x // size, y // size, t // bins) for x, y, t in rows if low <= t // DAY < low + days}
            counts: dict[tuple[int, int], int] = {}
            for x, y, _ in seen:
                counts[x, y] = counts.get((x, y), 0) + 1
            halves[half].append(counts)
    cells = sorted({cell for half in halves for counts in half for cell in counts})
    dense = np.array([[[counts.get(cell, 0) for cell in cells] for counts in half] for half in halves], float)
    candidates = [user for user in range(found.n_users) if dense[0, user].any()]
    right, n_sought = 0.0, 0
    for user in candidates:
        if dense[1, user].any():
            n_sought += 1
            likeness = {
                other: 1 - float(jensenshannon(dense[1, user], dense[0, other], base=2)) ** 2
                for other in candidates
            }
            best = [other for other in candidates if likeness[other] > max(likeness.values()) - TIE]
            right += (user in best and likeness[user] > TIE) / len(best)
    return right, n_sought, len(candidates)


def alike(rng: np.random.Generator) -> Fingerprints:
    """Return people with a few visits to three cells, so that many are as like."""
    return town([[rng.integers(0, 3, rng.integers(1, 3)).tolist() for _ in range(2)] for _ in range(6)])


def test_against_brute_force_with_scipys_distance() -> None:
    n_linked, n_tied = 0.0, 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = random_fingerprints(rng) if seed % 2 else alike(rng)
        level = Level(found.cell_m / 1000 * int(rng.choice([1, 2])), found.bin_min * int(rng.choice([1, 2])))
        days = int(rng.integers(1, max(2, min(3_660, found.n_days // 2 + 1))))
        if days > found.n_days // 2:
            continue
        right, n_sought, n_candidates = right_by_brute_force(found, level, days)
        if not n_sought:
            with pytest.raises(DataError, match="Nobody has a sample in both halves"):
                linkages_from_fingerprints(found, LinkParameters(levels=(level,), days=(days,)))
            continue
        (link,) = linkages_from_fingerprints(found, LinkParameters(levels=(level,), days=(days,)))
        assert link.right == pytest.approx(right)
        assert (link.n_sought, link.n_candidates) == (n_sought, n_candidates)
        n_linked, n_tied = n_linked + right, n_tied + link.n_tied
    assert n_linked > 10
    assert n_tied > 10


def test_a_world_by_hand() -> None:
    """One keeps to cells of one's own, two are alike, one swaps places with another, one is new, one does not come back."""
    people = [
        [[1, 1, 2], [1, 2, 2]],  # found again
        [[5, 6], [5, 6]],  # as like as the next: half of it right, each
        [[5, 6], [6, 5]],
        [[7, 7, 7, 8], [8, 8, 8, 7]],  # these two swapped what they do
        [[8, 8, 8, 7], [7, 7, 7, 8]],
        [[], [1]],  # nobody to be found as
        [[2], []],  # somebody to be taken for
        [[20], [21]],  # nothing in common with oneself, nor anybody
    ]
    (link,) = linkages_from_fingerprints(town(people), LinkParameters())
    assert (link.days, link.n_users, link.n_candidates, link.n_sought) == (1, 8, 7, 6)
    assert (link.right, link.n_tied) == (2.0, 2)
    assert link.share == pytest.approx(2 / 6)
    assert link.chance == pytest.approx(1 / 7)
    # Wilson's interval of 2 in 6, as worked by hand: (p + z²/2n ± z √(pq/n + z²/4n²)) / (1 + z²/n).
    assert (link.low, link.high) == pytest.approx((0.0968, 0.7000), abs=1e-4)


def test_halves_meet_in_the_middle_and_bins_count_once() -> None:
    """Of five days the third is the first of the second half; cells of one bin weigh the same however often seen."""
    same = [[[1], [1], [1], [1], [9]], [[2], [2], [2], [2], [9]]]
    two, one = linkages_from_fingerprints(town(same), LinkParameters(days=(2, 1)))
    assert (two.days, two.right, one.days, one.right) == (2, 2.0, 1, 2.0)
    late = [[[9], [1], [1], [9], [9]], [[9], [2], [2], [9], [9]]]  # only the days at the middle tell
    assert [link.right for link in linkages_from_fingerprints(town(late), LinkParameters(days=(1,)))] == [2.0]
    often = town([[[1, 1, 1, 2], [1, 2, 1, 1]], [[1, 2], [4]]])
    fine, coarse = linkages_from_fingerprints(often, LinkParameters(levels=(FINE, Level(0.1, 1440))))
    assert (fine.right, coarse.right) == (
        1.0,
        0.5,
    )  # with a bin a day 1 and 2 weigh the same, as the other's do


def test_days_with_which_nobody_is_in_both_halves_are_left_out_against_hand() -> None:
    """Eight days. One is there on the second before the middle and the third after it: three days in each half find that one."""
    found = town([[[], [], [1], [], [], [], [1], []], [[2], [2], [], [], [], [], [], [2]]])
    assert least_days_from_fingerprints(found) == 3
    assert [one.days for one in linkages_from_fingerprints(found, LinkParameters(days=(1, 2, 3, 4)))] == [
        3,
        4,
    ]
    assert least_days_from_fingerprints(town([[[1], [1], []], [[], [], [2]]])) == 1
    for days, said in ((1, "both halves of 1 day,"), (2, "both halves of 2 days,")):
        with pytest.raises(DataError, match=said):
            linkages_from_fingerprints(found, LinkParameters(days=(days,)))
    apart = town([[[1], []], [[], [2]]])
    assert least_days_from_fingerprints(apart) is None
    with pytest.raises(DataError, match="both halves of 1 day, so there is nobody to link"):
        linkages_from_fingerprints(apart, LinkParameters())


def shuffled(found: Fingerprints, rng: np.random.Generator) -> Fingerprints:
    """Return the same with everybody's second half another's, drawn at random."""
    user = np.repeat(np.arange(found.n_users), found.n_samples)
    later = found.t // DAY >= 7
    return fingerprints_from_samples(
        np.where(later, rng.permutation(found.n_users)[user], user), found.x, found.y, found.t
    )


def test_people_with_habits_are_found_and_shuffled_people_by_chance_alone() -> None:
    """If the second halves are dealt out at random, one in all is linked right on average, however many there are."""
    rng = np.random.default_rng(8)
    habits = rng.dirichlet(np.full(12, 0.5), 40)
    people = [[rng.choice(12, 20, p=own).tolist() for _ in range(14)] for own in habits]
    found = town(people)
    (real,) = linkages_from_fingerprints(found, LinkParameters())
    assert real.low > 0.9
    dealt = [linkages_from_fingerprints(shuffled(found, rng), LinkParameters())[0] for _ in range(100)]
    # The number right of a random deal has mean and variance 1: of a hundred the sum is 100 ± 10, five of these apart.
    assert sum(one.right for one in dealt) == pytest.approx(100, abs=50)
    assert {one.chance for one in dealt} == {1 / 40}


def test_controls_and_people_drawn() -> None:
    rng = np.random.default_rng(8)
    found = town([[rng.integers(0, 9, 20).tolist() for _ in range(4)] for _ in range(30)])
    few = LinkParameters(n_query=7, seed=3)
    assert linkages_from_fingerprints(found, few)[0].n_sought == 7
    assert linkages_from_fingerprints(found, few) == linkages_from_fingerprints(found, few)
    users = linkages_from_fingerprints(found, LinkParameters(controls=("users:11",)))[0]
    assert (users.n_users, users.n_candidates) == (11, 11)
    mixed, plain = (
        linkages_from_fingerprints(found, LinkParameters(controls=c)) for c in (("shuffle-hours",), ())
    )
    assert mixed[0].n_users == plain[0].n_users


def test_refusals() -> None:
    one_day = town([[[1]], [[2]]])
    with pytest.raises(DataError, match="less than two days"):
        linkages_from_fingerprints(one_day, LinkParameters())
    with pytest.raises(ParameterError, match="days must be at most 1, half of the days"):
        linkages_from_fingerprints(town([[[1], [1]]]), LinkParameters(days=(1, 2)))
    with pytest.raises(ParameterError, match="days must be between 1"):
        LinkParameters(days=(0,))


def test_the_last_of_an_odd_number_of_days_is_in_neither_half_by_hand() -> None:
    """Five days: the first two against the next two. On the last everybody is where the other was, which would make a tie of it."""
    here, there = [[1], [1], [1], [1]], [[2], [2], [2], [2]]
    (found,) = linkages_from_fingerprints(
        town([[*here, [2] * 9], [*there, [1] * 9]]), LinkParameters(levels=(FINE,))
    )
    assert (found.days, found.right, found.n_sought) == (2, 2.0, 2)


def test_what_names_no_level_is_refused_iv() -> None:
    with pytest.raises(ParameterError, match=r"^levels must be Levels, as Level\(1, 30\), got \['1-30'\]\.$"):
        LinkParameters(levels=("1-30",))
