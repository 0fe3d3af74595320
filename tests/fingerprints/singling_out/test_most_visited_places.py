"""Most visited places: a case worked by hand, and counters of plain Python on random people."""

from collections import Counter

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.levels import Level
from privlab.fingerprints.singling_out.most_visited_places import places_unicity_from_fingerprints

FINE = Level.from_text("0.1-1")


def people(samples: list[list[tuple[int, int, int]]]) -> Fingerprints:
    """Users by their samples (x, y, t), in order of time."""
    rows = np.array([one for some in samples for one in sorted(some, key=lambda one: one[2])], dtype=np.int32)
    return Fingerprints(
        user_ids=np.arange(len(samples)),
        offsets=np.concatenate([[0], np.cumsum([len(some) for some in samples])]),
        x=rows[:, 0].copy(),
        y=rows[:, 1].copy(),
        t=rows[:, 2].copy(),
        cell_m=100,
    )


def test_sets_and_lists_are_those_worked_by_hand() -> None:
    home_work = [(0, 0, 1), (0, 0, 2), (5, 5, 3)]
    work_home = [(0, 0, 1), (5, 5, 2), (5, 5, 3)]
    found = places_unicity_from_fingerprints(
        people([home_work, work_home, [(9, 9, 1)]]), FINE, places=(1, 2, 3)
    )
    assert found.share_of_sets.tolist() == pytest.approx(
        [1.0, 1 / 3, 1 / 3]
    )  # {0}, {5}, {9}; two share {0, 5}
    assert found.share_of_lists.tolist() == [1.0, 1.0, 1.0]
    assert found.n_short.tolist() == [0, 1, 3]


@pytest.mark.parametrize("level", ["0.1-1", "0.2-5"])
def test_shares_are_those_of_counters(level: str) -> None:
    rng = np.random.default_rng(11)
    samples = [
        [(int(x), int(y), t) for t, (x, y) in enumerate(rng.integers(0, 4, size=(rng.integers(1, 9), 2)))]
        for _ in range(60)
    ]
    side, minutes = (1, 1) if level == "0.1-1" else (2, 5)
    tops = []
    for some in samples:
        visits = Counter((x, y) for x, y, _ in {(x // side, y // side, t // minutes) for x, y, t in some})
        tops.append(sorted(visits, key=lambda place, visits=visits: (-visits[place], place)))
    found = places_unicity_from_fingerprints(people(samples), Level.from_text(level), places=(1, 2, 5))
    for i, n in enumerate((1, 2, 5)):
        lists, sets = Counter(tuple(one[:n]) for one in tops), Counter(frozenset(one[:n]) for one in tops)
        assert found.share_of_lists[i] == pytest.approx(sum(v == 1 for v in lists.values()) / 60)
        assert found.share_of_sets[i] == pytest.approx(sum(v == 1 for v in sets.values()) / 60)


@pytest.mark.parametrize(
    ("places", "sentence"), [([0], "places must be between 1 and"), ([], "places must be given"), ([1.5], "places must be a whole")]
)  # fmt: skip
def test_no_places_are_refused_iv(places: list[int], sentence: str) -> None:
    with pytest.raises(ParameterError, match=f"^{sentence}"):
        places_unicity_from_fingerprints(people([[(0, 0, 0)]]), FINE, places=places)
