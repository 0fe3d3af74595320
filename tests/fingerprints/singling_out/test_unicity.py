"""Unicity: matched users counted one by one, curves that never fall, and what happens where there are few."""

import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.fingerprints.fingerprints import (
    Fingerprints,
    fingerprints_at_level,
    fingerprints_from_samples,
    fingerprints_of_users,
)
from privlab.fingerprints.levels import Level
from privlab.fingerprints.singling_out import unicity as module
from privlab.fingerprints.singling_out.unicity import (
    points_from_text,
    unicity_by_level_from_fingerprints,
    unicity_from_fingerprints,
)
from privlab.progress import Progress
from privlab.seeds import generator

LEVELS = (Level(0.1, 1), Level(0.2, 2), Level(1, 10))


def random_fingerprints(rng: np.random.Generator) -> Fingerprints:
    """Between 1 and 12 users with 1 to 9 samples each, on so few cells and minutes that many agree."""
    n_users, side = int(rng.integers(1, 13)), int(rng.integers(1, 6))
    lengths = rng.integers(1, 10, n_users)
    user = np.repeat(rng.permutation(n_users) * 3, lengths)
    x, y, t = (rng.integers(-side, side, lengths.sum()) for _ in range(3))
    return fingerprints_from_samples(user, x, y, t)


def set_of(fingerprints: Fingerprints, user: int) -> set[tuple[int, int, int]]:
    part = slice(fingerprints.offsets[user], fingerprints.offsets[user + 1])
    columns = (fingerprints.x[part], fingerprints.y[part], fingerprints.t[part])
    return set(zip(*(one.tolist() for one in columns), strict=True))


def test_counted_users_against_brute_force() -> None:
    rng = np.random.default_rng(5)
    for case in range(300):
        people = random_fingerprints(rng)
        points, draws = np.arange(1, 1 + rng.integers(1, 12)), int(rng.integers(1, 15))
        found = unicity_from_fingerprints(people, points=points, draws=draws, rng=generator(case, "unicity"))
        # The same draws, by the same generator.
        same = generator(case, "unicity")
        traces = module._drawn_traces(people, draws, same)
        begins, picks = module._picked_samples(people, traces, int(points[-1]), same)
        sets = [set_of(people, user) for user in range(people.n_users)]
        alone = np.zeros(points.size, dtype=int)
        for trace, user in enumerate(traces):
            mine = [
                (people.x[i].item(), people.y[i].item(), people.t[i].item())
                for i in picks[begins[trace] : begins[trace + 1]]
            ]
            assert len(mine) == len(set(mine)) == min(len(sets[user]), points[-1])
            assert set(mine) <= sets[user]
            for p in points:
                alone[p - 1] += sum(set(mine[:p]) <= one for one in sets) == 1
        assert found.n_alone.tolist() == alone.tolist()
        assert np.all(np.diff(found.share) >= 0)
        assert found.n_short.tolist() == [sum(len(sets[user]) < p for user in traces) for p in points]
        assert found.every_user == (draws >= people.n_users)


def test_all_samples_against_identical_sets() -> None:
    # With all samples known, a trace is alone exactly if nobody else's set holds its own.
    rng = np.random.default_rng(6)
    for _ in range(100):
        people = random_fingerprints(rng)
        for level in LEVELS:
            coarse = fingerprints_at_level(people, level)
            sets = [set_of(coarse, user) for user in range(coarse.n_users)]
            alone = sum(sum(one <= other for other in sets) == 1 for one in sets)
            found = unicity_from_fingerprints(coarse, points=[50], draws=100, rng=np.random.default_rng(1))
            assert (found.n_alone.item(), found.level) == (alone, level)


def test_a_share_of_the_samples_is_drawn_uniformly_against_theory() -> None:
    # Of each user's four samples one is everybody's: one drawn sample singles out three times in four.
    n_users = 40_000
    user = np.repeat(np.arange(n_users), 4)
    t = np.where(np.arange(user.size) % 4 == 0, 0, np.arange(user.size) + 1)
    people = fingerprints_from_samples(user, t * 0, t * 0, t)
    found = unicity_from_fingerprints(people, points=[1, 2], draws=20_000, rng=generator(1, "unicity"))
    assert found.n_traces == 20_000
    assert found.low[0] < 0.75 < found.high[0]
    assert found.high[0] - found.low[0] < 0.013
    assert found.share[1] == 1
    assert not found.every_user


def test_unordered_users_and_samples_change_nothing() -> None:
    rng = np.random.default_rng(7)
    user, x, t = rng.integers(0, 30, 300), rng.integers(0, 3, 300), rng.integers(0, 20, 300)
    shuffled = rng.permutation(300)
    one = fingerprints_from_samples(user, x, x, t)
    other = fingerprints_from_samples(user[shuffled], x[shuffled], x[shuffled], t[shuffled])
    shares = [
        unicity_from_fingerprints(people, draws=20, rng=generator(3, "unicity")).share.tolist()
        for people in (one, other)
    ]
    assert shares[0] == shares[1]


def test_levels_have_the_same_users_and_begin_with_the_single_curve() -> None:
    rng = np.random.default_rng(8)
    user, x, t = rng.integers(0, 50, 800), rng.integers(0, 9, 800), rng.integers(0, 400, 800)
    people = fingerprints_from_samples(user, x, x, t)
    by_level = unicity_by_level_from_fingerprints(people, LEVELS, draws=30, rng=generator(1, "unicity"))
    alone = unicity_from_fingerprints(people, draws=30, rng=generator(1, "unicity"))
    assert [curve.level for curve in by_level.curves] == list(LEVELS)
    assert by_level.curves[0].n_alone.tolist() == alone.n_alone.tolist()
    assert by_level.curves[0].share[3] > by_level.curves[2].share[3]


def test_one_user_degenerate() -> None:
    people = fingerprints_from_samples([1], [0], [0], [0])
    found = unicity_from_fingerprints(people, rng=np.random.default_rng(1))
    assert (found.share.tolist(), found.n_short.tolist()) == ([1] * 10, [0] + [1] * 9)
    assert found.low[0] > 0  # Clopper and Pearson: one success of one
    with pytest.raises(DataError, match="no user with a sample"):
        unicity_from_fingerprints(
            fingerprints_of_users(people, np.array([], dtype=np.int64)), rng=np.random.default_rng(1)
        )


def test_a_report_that_raises_ends_the_work() -> None:
    people = fingerprints_from_samples(np.arange(9), np.arange(9), np.arange(9), np.arange(9))

    def stop(share: float, words: str) -> None:
        if words == "Matching traces":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        unicity_from_fingerprints(people, rng=np.random.default_rng(1), progress=Progress(stop))


def test_points_from_text() -> None:
    assert points_from_text("1..10") == tuple(range(1, 11))
    assert points_from_text("4") == (4,)
    assert points_from_text("10, 1..2,2") == (1, 2, 10)


@pytest.mark.parametrize("text", ["", "a", "1..", "..4", "3..1", "1.5", "1,,2", "-1", "1-4"])
def test_points_from_text_iv(text: str) -> None:
    with pytest.raises(ParameterError, match="points must be whole numbers such as"):
        points_from_text(text)


def test_parameters_iv() -> None:
    people, rng = fingerprints_from_samples([1], [0], [0], [0]), np.random.default_rng(1)
    for text in ("0", "1001", "1..100000000"):
        with pytest.raises(ParameterError, match="points must be between 1 and 1,000"):
            points_from_text(text)
    with pytest.raises(ParameterError, match="points must ascend"):
        unicity_from_fingerprints(people, points=[2, 2], rng=rng)
    with pytest.raises(ParameterError, match="points must ascend"):
        unicity_from_fingerprints(people, points=[], rng=rng)
    with pytest.raises(ParameterError, match="draws must be between 1 and"):
        unicity_from_fingerprints(people, draws=0, rng=rng)


def test_traces_are_matched_alike_in_blocks_and_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more traces than a block holds each is matched by its own samples: three blocks of three and one of one, against a single one."""
    rng = np.random.default_rng(11)
    people = fingerprints_from_samples(
        np.repeat(np.arange(10), 6), *(rng.integers(0, 3, 60) for _ in range(3))
    )
    at_once = unicity_from_fingerprints(people, points=[1, 2, 3], draws=10, rng=generator(1, "unicity"))
    monkeypatch.setattr(module, "_BLOCK", 3)
    in_blocks = unicity_from_fingerprints(people, points=[1, 2, 3], draws=10, rng=generator(1, "unicity"))
    assert in_blocks.alone.tolist() == at_once.alone.tolist()
    assert len(set(map(tuple, at_once.alone.tolist()))) > 1
