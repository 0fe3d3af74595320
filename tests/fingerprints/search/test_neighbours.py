"""The search finds what the definition says: on random cases, in any order, with any number of workers."""

import pickle
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.datasets.engines import array_on_disk
from privlab.fingerprints.fingerprints import (
    Fingerprints,
    fingerprints_at_level,
    fingerprints_from_samples,
    fingerprints_of_users,
)
from privlab.fingerprints.levels import Level
from privlab.fingerprints.search import index, narrow, tile_search
from privlab.fingerprints.search.neighbours import Neighbours, neighbours_from_fingerprints
from privlab.fingerprints.search.stretch import StretchParameters, nearest_others
from privlab.progress import Progress
from tests.fingerprints.random_fingerprints import PARAMETERS, random_fingerprints


def as_fractions(found: Neighbours, row: int) -> list[tuple[Fraction, int]]:
    columns = (found.total[row], found.n_longer[row], found.other[row])
    return [
        (Fraction(s, n * found.one), other)
        for s, n, other in zip(*(c.tolist() for c in columns), strict=True)
    ]


def crowd(n_users: int = 600, seed: int = 5) -> Fingerprints:
    """Return users in a town with homes, works and hours, so that some are near one another."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 40, n_users)
    user = np.repeat(np.arange(n_users), lengths)
    places = rng.normal(0, 60, (80, 2)).astype(int)
    home = rng.integers(0, 80, (n_users, 2))
    place = places[home[user, rng.integers(0, 2, user.size)]]
    t = rng.integers(0, 7, user.size) * 1440 + rng.normal(900, 200, user.size).astype(int)
    return fingerprints_from_samples(user, place[:, 0], place[:, 1], t)


@pytest.mark.parametrize("groups", [None, (3, 2)], ids=["own regions", "few regions"])
def test_nearest_others_against_definition(
    groups: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if groups is not None:  # regions and slots of many places and times
        monkeypatch.setattr(index, "_REGIONS", groups[0])
        monkeypatch.setattr(index, "_SLOTS", groups[1])
    rng = np.random.default_rng(1 if groups is None else 2)
    for case in range(1_500):
        fingerprints, parameters = random_fingerprints(rng), PARAMETERS[case % len(PARAMETERS)]
        k = int(rng.integers(2, fingerprints.n_users + 3))
        found = neighbours_from_fingerprints(fingerprints, k=k, parameters=parameters, n_workers=1)
        for user in range(fingerprints.n_users):
            assert as_fractions(found, user) == nearest_others(fingerprints, user, k, parameters), case


def test_brute_force_of_the_engine_against_definition() -> None:
    rng = np.random.default_rng(3)
    for case in range(300):
        fingerprints, parameters = random_fingerprints(rng), PARAMETERS[case % len(PARAMETERS)]
        found = neighbours_from_fingerprints(
            fingerprints, k=4, parameters=parameters, n_workers=1, pruned=False
        )
        for user in range(fingerprints.n_users):
            assert as_fractions(found, user) == nearest_others(fingerprints, user, 4, parameters), case


@pytest.mark.parametrize("level", ["0.1-1", "2.5-60", "20-480"])
@pytest.mark.parametrize("k", [2, 40])
def test_a_crowd_against_brute_force(level: str, k: int) -> None:
    fingerprints = fingerprints_at_level(crowd(), Level.from_text(level))
    fast = neighbours_from_fingerprints(fingerprints, k=k)
    slow = neighbours_from_fingerprints(fingerprints, k=k, pruned=False)
    for name in ("other", "total", "n_longer"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))
    assert fast.n_compared < slow.n_compared == 600 * 599
    assert as_fractions(fast, 17) == nearest_others(fingerprints, 17, k, StretchParameters())


@pytest.mark.parametrize("parameters", [PARAMETERS[0], PARAMETERS[-1]], ids=["default", "large numbers"])
def test_long_traces_in_many_cells_against_brute_force(parameters: StretchParameters) -> None:
    # As of GPS: more cells than are compared beforehand, and sums of bounds beyond what 32 bits hold.
    rng = np.random.default_rng(9)
    user = np.repeat(np.arange(30), rng.integers(550, 900, 30))
    x, y = (rng.normal(0, 60 + 20 * (user % 3), user.size).astype(int) for _ in "xy")
    fingerprints = fingerprints_from_samples(user, x, y, rng.integers(0, 5_000, user.size))
    assert parameters is PARAMETERS[0] or parameters.units(100).one * 900 > 2**31
    fast, slow = (
        neighbours_from_fingerprints(fingerprints, k=6, parameters=parameters, pruned=pruned)
        for pruned in (True, False)
    )
    np.testing.assert_array_equal(fast.other, slow.other)
    np.testing.assert_array_equal(fast.total, slow.total)


@pytest.mark.parametrize(("n_workers", "block"), [(1, None), (2, 256), (3, 7), (5, 1)])
def test_workers_and_blocks_change_nothing(n_workers: int, block: int | None) -> None:
    fingerprints = crowd(300)
    expected = neighbours_from_fingerprints(fingerprints, k=20)
    for pruned in (True, False):
        got = neighbours_from_fingerprints(
            fingerprints, k=20, n_workers=n_workers, block=block, pruned=pruned
        )
        for name in ("other", "total", "n_longer"):
            np.testing.assert_array_equal(getattr(got, name), getattr(expected, name))


def test_nearest_others_unordered() -> None:
    fingerprints, rng = crowd(200), np.random.default_rng(6)
    user = np.repeat(fingerprints.user_ids, fingerprints.n_samples)
    shuffled = rng.permutation(user.size)
    columns = (column[shuffled] for column in (user, fingerprints.x, fingerprints.y, fingerprints.t))
    again = fingerprints_from_samples(*columns)
    expected, got = (neighbours_from_fingerprints(one, k=10) for one in (fingerprints, again))
    np.testing.assert_array_equal(got.other, expected.other)
    np.testing.assert_array_equal(got.total, expected.total)


def test_other_names_leave_the_distances_alone() -> None:
    fingerprints = crowd(200)
    names = np.random.default_rng(7).permutation(200)
    user = np.repeat(names, fingerprints.n_samples)
    renamed = fingerprints_from_samples(user, fingerprints.x, fingerprints.y, fingerprints.t)
    expected, got = (neighbours_from_fingerprints(one, k=10) for one in (fingerprints, renamed))
    np.testing.assert_array_equal(got.total[names], expected.total)


def test_some_users_against_everybody_as_in_the_run_of_all() -> None:
    fingerprints = crowd(500)
    everyone = neighbours_from_fingerprints(fingerprints, k=30)
    some = neighbours_from_fingerprints(fingerprints, k=30, query=np.array([499, 3, 17, 3]))
    assert some.query.tolist() == [3, 17, 499]
    np.testing.assert_array_equal(some.other, everyone.other[[3, 17, 499]])
    np.testing.assert_array_equal(some.total, everyone.total[[3, 17, 499]])


def test_few_neighbours_are_the_first_of_many() -> None:
    fingerprints = crowd(300)
    many, few = (neighbours_from_fingerprints(fingerprints, k=k) for k in (100, 5))
    np.testing.assert_array_equal(few.other, many.other[:, :4])


def test_ties_go_to_the_lesser_user_id_degenerate() -> None:
    # Everybody is equally far from everybody: numbers by value, text by code point.
    numbers = fingerprints_from_samples(
        [10, 9, -1, 100], [0, 900, 1800, 2700], [0] * 4, [0, 9000, 18000, 27000]
    )
    assert numbers.user_ids.tolist() == [-1, 9, 10, 100]
    assert neighbours_from_fingerprints(numbers, k=3).other.tolist() == [[1, 2], [0, 2], [0, 1], [0, 1]]
    text = fingerprints_from_samples(
        ["10", "9", "Z", "a", "é"], range(0, 5000, 1000), [0] * 5, range(0, 5000, 1000)
    )
    assert text.user_ids.tolist() == ["10", "9", "Z", "a", "é"]
    assert neighbours_from_fingerprints(text, k=2).other[:, 0].tolist() == [1, 0, 0, 0, 0]


def test_one_user_and_nobody_degenerate() -> None:
    alone = fingerprints_from_samples([1, 1], [0, 1], [0, 1], [0, 1])
    assert neighbours_from_fingerprints(alone, k=2).other.shape == (1, 0)
    nobody = fingerprints_from_samples(*(np.empty(0, dtype=np.int64) for _ in range(4)))
    assert neighbours_from_fingerprints(nobody, k=2).other.shape == (0, 0)


def test_a_report_that_raises_stops_the_search() -> None:
    class StoppedByVisitorError(Exception):
        pass

    shares = []

    def report(share: float, words: str) -> None:
        shares.append(share)
        if share > 0.2:
            raise StoppedByVisitorError

    with pytest.raises(StoppedByVisitorError):
        neighbours_from_fingerprints(crowd(600), k=50, block=8, progress=Progress(report))
    assert shares == sorted(shares)
    assert shares[-1] < 0.9


def test_the_bar_gives_the_preparation_its_part_by_hand() -> None:
    """It is of everybody: half of the bar, nearly, where 6 of 600 are judged, a twentieth where all are."""
    told: list[tuple[float, str]] = []
    for query, prepared in ((np.arange(6), 0.05 + 0.45 * 0.99), (None, 0.05)):
        told.clear()
        watched = Progress(lambda share, words: told.append((share, words)))
        neighbours_from_fingerprints(crowd(), k=2, query=query, progress=watched)
        shares = [share for share, words in told if words == "Preparing the search"]
        assert shares[-1] == pytest.approx(prepared)
        assert len(set(shares)) >= 4
        assert [share for share, _ in told] == sorted(share for share, _ in told)


def test_parameters_iv(monkeypatch: pytest.MonkeyPatch) -> None:
    fingerprints = crowd(50)
    with pytest.raises(ParameterError, match="k must be between 2 and 1,000, got 1"):
        neighbours_from_fingerprints(fingerprints, k=1)
    with pytest.raises(ParameterError, match="workers must be between 1 and 64, got 0"):
        neighbours_from_fingerprints(fingerprints, k=2, n_workers=0)
    with pytest.raises(ParameterError, match="query must be positions from 0 to 49, got 3 to 50"):
        neighbours_from_fingerprints(fingerprints, k=2, query=np.array([3, 50]))
    monkeypatch.setattr(index, "MAX_SEARCH_GB", 1e-6)
    with pytest.raises(ParameterError, match=r"must fit 1e-06 GB of memory.*fewer users"):
        neighbours_from_fingerprints(fingerprints, k=2)


def test_memory_estimate_against_hand() -> None:
    # 50 users, k = 11, one block of one query: 50 × 10 neighbours of 16 bytes; tables of 3,072 rows for 50 users, 3 tiles of
    # 128 and a block of 256; bounds of 2 bytes to 50 users and 1 tile, of 4 from 50; 60 bytes per sample, 400 per user.
    users = fingerprints_of_users(crowd(100), np.arange(50))
    room = index.search_room(users, n_queries=50, k=11, n_workers=1, pruned=True)
    by_hand = (
        50 * 10 * 16 + 3_072 * (50 + 3 * 128 + 256) + 2 * (50 + 1) + 4 * 50 + 60 * users.x.size + 400 * 50
    )
    assert room.memory_gb == pytest.approx(by_hand / 1e9)
    assert (room.is_on_disk, room.disk_gb) == (False, 0.0)


def test_what_is_on_disk_against_hand() -> None:
    # A million users of 60 samples, all k ≤ 100: 1.6 GB of neighbours and 1.5 GB of tables beside 4.0 GB of samples.
    offsets = np.arange(0, 60_000_001, 60)
    nothing = np.empty(0, dtype=np.int32)
    people = Fingerprints(
        user_ids=np.arange(1_000_000), offsets=offsets, x=nothing, y=nothing, t=nothing, cell_m=100, bin_min=1
    )
    room = index.search_room(people, n_queries=1_000_000, k=100, n_workers=2)
    assert room.is_on_disk
    assert room.disk_gb == pytest.approx(99 * 16e-3 + 1.5, rel=0.01)
    assert room.memory_gb == pytest.approx(60 * 60e-3 + 0.4, rel=0.03)
    assert not index.search_room(people, n_queries=1_000_000, k=25, n_workers=2).is_on_disk


def search_on_disk(fingerprints: Fingerprints, k: int, **how: Any) -> Neighbours:
    """Search with as much memory as the samples take and no more, and make sure that tables and neighbours are on disk."""
    wanted = {"n_queries": fingerprints.n_users, "k": k, "n_workers": 2}
    taken: list[tuple[int, ...]] = []

    def watched(shape: tuple[int, ...], kind: Any) -> Any:
        taken.append(shape)
        return array_on_disk(shape, kind)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "MAX_SEARCH_GB", index.search_room(fingerprints, **wanted).held_gb)
        patch.setattr(index, "array_on_disk", watched)
        found = neighbours_from_fingerprints(fingerprints, k=k, n_workers=2, **how)
    assert [found.other.shape] * 3 == taken[:3]
    assert len(taken) == (4 if found.other.size else 3)
    return found


def test_tables_and_neighbours_on_disk_change_nothing_against_memory() -> None:
    rng = np.random.default_rng(8)
    for case in range(60):
        fingerprints = random_fingerprints(rng, most_users=40)
        k, parameters = int(rng.integers(2, 30)), PARAMETERS[case % len(PARAMETERS)]
        here = neighbours_from_fingerprints(fingerprints, k=k, parameters=parameters, n_workers=2)
        there = search_on_disk(fingerprints, k, parameters=parameters)
        for name in ("other", "total", "n_longer"):
            np.testing.assert_array_equal(getattr(there, name), getattr(here, name))


def test_a_crowd_on_disk_against_brute_force() -> None:
    fingerprints = crowd(700)
    expected = neighbours_from_fingerprints(fingerprints, k=40, pruned=False)
    got = search_on_disk(fingerprints, 40)
    for name in ("other", "total", "n_longer"):
        np.testing.assert_array_equal(getattr(got, name), getattr(expected, name))


def test_parts_of_a_cluster_on_disk_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fingerprints = crowd(300)
    expected = neighbours_from_fingerprints(fingerprints, k=20)
    monkeypatch.setattr(
        index, "MAX_SEARCH_GB", index.search_room(fingerprints, n_queries=300, k=20, n_workers=2).held_gb
    )
    cluster: Any = Pretended(2)
    got = neighbours_from_fingerprints(fingerprints, k=20, n_workers=2, cluster=cluster)
    for name in ("other", "total", "n_longer"):
        np.testing.assert_array_equal(getattr(got, name), getattr(expected, name))


@pytest.mark.parametrize("level", ["0.1-1", "10-240"])
def test_towns_far_apart_against_brute_force(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Towns 60 km apart, lengths from 1 to 400 samples: whole tiles are left out, and 16 bits are too few for some sums.
    monkeypatch.setattr(tile_search, "_FIRST_TILES", 1)
    rng = np.random.default_rng(8)
    lengths = np.where(rng.random(1_500) < 0.02, rng.integers(250, 400, 1_500), rng.integers(1, 25, 1_500))
    user = np.repeat(np.arange(1_500), lengths)
    town = rng.integers(0, 5, 1_500)[user] * 600
    x, y = town + rng.integers(0, 40, user.size), rng.integers(0, 40, user.size)
    fingerprints = fingerprints_at_level(
        fingerprints_from_samples(user, x, y, rng.integers(0, 4_000, user.size)), Level.from_text(level)
    )
    query = np.sort(rng.choice(1_500, 300, replace=False))
    for k in (2, 60):
        fast, slow = (
            neighbours_from_fingerprints(fingerprints, k=k, query=query, pruned=pruned)
            for pruned in (True, False)
        )
        for name in ("other", "total", "n_longer"):
            np.testing.assert_array_equal(getattr(fast, name), getattr(slow, name))


def test_narrow_sums_against_wide_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    fingerprints = crowd(300)
    expected = neighbours_from_fingerprints(fingerprints, k=20)
    with monkeypatch.context() as patched:
        patched.setattr(narrow, "_LARGEST", 0)  # nothing fits 16 bits then
        wide = neighbours_from_fingerprints(fingerprints, k=20)
    np.testing.assert_array_equal(wide.total, expected.total)
    np.testing.assert_array_equal(wide.other, expected.other)


@dataclass(frozen=True)
class Pretended:
    """What a cluster does with a search, in this process: shared object and parts are pickled, as on their way."""

    n_cores: int

    def spread(self, shared: Any, change: Callable[[Any, Any], Any]) -> "PretendedSpread":
        return PretendedSpread(self.n_cores, pickle.dumps(shared), change)


class PretendedSpread(AbstractContextManager["PretendedSpread"]):
    def __init__(self, n_cores: int, shared: bytes, change: Callable[[Any, Any], Any]) -> None:
        self.n_cores, self.shared, self.change = n_cores, shared, change

    def results(self, parts: list[Any], progress: Progress) -> list[Any]:
        assert b"u17" not in self.shared  # nobody's id travels
        shuffled = np.random.default_rng(1).permutation(len(parts))
        found = {
            n: self.change(pickle.loads(self.shared), pickle.loads(pickle.dumps(parts[n]))) for n in shuffled
        }
        return [found[n] for n in range(len(parts))]

    def __exit__(self, *raised: object) -> None:
        return None


@pytest.mark.parametrize(("n_cores", "block"), [(1, None), (7, None), (2, 1), (2, 700)])
def test_parts_of_a_cluster_change_nothing_against_brute_force(n_cores: int, block: int | None) -> None:
    here = crowd(300)
    names = np.array(sorted(f"u{number}" for number in range(300)), dtype=object)
    fingerprints = replace(here, user_ids=names)
    query = np.arange(0, 300, 3)
    expected = neighbours_from_fingerprints(fingerprints, k=20, query=query, pruned=False)
    cluster: Any = Pretended(n_cores)
    got = neighbours_from_fingerprints(fingerprints, k=20, query=query, block=block, cluster=cluster)
    for name in ("other", "total", "n_longer"):
        np.testing.assert_array_equal(getattr(got, name), getattr(expected, name))
