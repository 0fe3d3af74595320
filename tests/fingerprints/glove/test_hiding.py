"""GLOVE: equal to the slow one, true to every sample, and shared by k users on the table that is published."""

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import fingerprints_from_samples, fingerprints_of_users
from privlab.fingerprints.glove import hiding as module
from privlab.fingerprints.glove.boxes import Boxes, boxes_from_fingerprints, merged_boxes
from privlab.fingerprints.glove.glove_result import (
    GloveParameters,
    HiddenGroups,
    accuracy_from_hidden_groups,
)
from privlab.fingerprints.glove.hiding import hidden_groups_from_fingerprints
from privlab.fingerprints.glove.published import table_from_hidden_groups, verification_from_table
from privlab.fingerprints.search.stretch import StretchParameters, k_gap, samples_of_user, stretches
from privlab.progress import Progress
from tests.fingerprints.crowds import random_crowd
from tests.fingerprints.glove import glove_by_hand


def groups_of(found: HiddenGroups) -> dict[frozenset[int], set[glove_by_hand.Box]]:
    groups = {}
    for group in range(found.n_groups):
        people = frozenset(np.flatnonzero(found.group_of_user == group).tolist())
        boxes = found.boxes[found.offsets[group] : found.offsets[group + 1]].tolist()
        groups[people] = {(t, t_end, x, x_end, y, y_end) for x, x_end, y, y_end, t, t_end in boxes}
        assert len(groups[people]) == len(boxes)
    return groups


def random_parameters(rng: np.random.Generator, n_users: int) -> GloveParameters:
    limits = {}
    if rng.random() < 0.5:
        limits = {
            "suppress_km": float(rng.choice([0.4, 5, 15])),
            "suppress_min": int(rng.choice([3, 60, 360])),
        }
    return GloveParameters(k=int(rng.integers(2, min(n_users, 7) + 1)), **limits)


@pytest.mark.parametrize("listed", [32, 1, 2])
def test_groups_and_boxes_against_brute_force(listed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LISTED", listed)  # short lists run out and are asked for again
    rng = np.random.default_rng(listed)
    for _ in range(25):
        people = random_crowd(rng)
        parameters = random_parameters(rng, people.n_users)
        found = hidden_groups_from_fingerprints(people, parameters, n_workers=1)
        slow = glove_by_hand.glove(people, parameters.k, parameters.suppress_km, parameters.suppress_min)
        assert groups_of(found) == slow


def test_merges_of_boxes_against_brute_force() -> None:
    rng = np.random.default_rng(10)

    def hidden_fingerprint(length: int) -> tuple[glove_by_hand.Fingerprint, Boxes]:
        low = np.sort(rng.integers(-5, 6, (length, 3)) * rng.choice([1, 20]), axis=0)
        high = low + rng.integers(1, 9, (length, 3))
        rows = np.stack([low, high], axis=2).reshape(length, 6)  # t, t end, x, x end, y, y end
        boxes = sorted({tuple(row) for row in rows.tolist()}, key=glove_by_hand.order)
        return tuple(boxes), np.roll(np.array(boxes, dtype=np.int32), -2, axis=1)

    for _ in range(500):
        length = int(rng.integers(1, 7))
        (one, one_boxes), (other, other_boxes) = (
            hidden_fingerprint(length), hidden_fingerprint(length if rng.random() < 0.6 else 3)
        )  # fmt: skip
        n, m = (int(rng.integers(1, 4)) for _ in range(2))
        _, slow = glove_by_hand.merged((frozenset(range(n)), one), (frozenset(range(n, n + m)), other))
        fast = np.roll(merged_boxes(one_boxes, n, other_boxes, m), 2, axis=1)
        assert fast.tolist() == [list(box) for box in slow]


def test_what_is_published_is_true_and_shared_by_k() -> None:
    rng = np.random.default_rng(11)
    for _ in range(60):
        people = random_crowd(rng, n_users=int(rng.integers(5, 60)))
        parameters = random_parameters(rng, people.n_users)
        found = hidden_groups_from_fingerprints(people, parameters)
        table = table_from_hidden_groups(found)
        proof = verification_from_table(table, parameters.k)
        assert proof.holds, proof.checks
        assert proof.n_users == people.n_users - found.n_discarded_users
        assert found.users_per_group.min() >= parameters.k
        # Each sample lies in a box of its own group, or is counted as suppressed.
        samples = boxes_from_fingerprints(people)
        group = np.repeat(found.group_of_user, people.n_samples)
        for i in range(len(samples)):
            own = found.boxes[found.offsets[group[i]] : found.offsets[group[i] + 1]]
            inside = np.all(own[:, ::2] <= samples[i, ::2], axis=1) & np.all(
                own[:, 1::2] >= samples[i, 1::2], axis=1
            )
            assert inside.sum() == (found.home[i] >= 0)
        if parameters.suppress_km is None:
            assert (found.n_suppressed, found.n_discarded_users) == (0, 0)
        else:
            assert np.all(parameters.within(found.boxes))


def test_the_k_gap_of_what_is_published_is_zero() -> None:
    rng = np.random.default_rng(12)
    for k in (2, 3, 5):
        people = random_crowd(rng, n_users=40)
        table = table_from_hidden_groups(hidden_groups_from_fingerprints(people, GloveParameters(k=k)))
        t = table["time"].cast(pa.int64()).to_numpy() // 60
        corners = (table[name].to_numpy() // 100 for name in ("x_m", "y_m"))
        published = fingerprints_from_samples(table["user"].to_numpy(), *corners, t)
        assert published.n_users == 40
        for user in range(0, 40, 7):
            assert k_gap(published, user, k, StretchParameters()) == 0
            assert k_gap(people, user, k, StretchParameters()) != 0


def test_stretch_of_raw_samples_is_the_sample_distance() -> None:
    rng, units = np.random.default_rng(13), StretchParameters().units(100)
    for _ in range(50):
        people = random_crowd(rng)
        if people.cell_m != 100:
            continue
        longer, shorter = sorted((0, 1), key=lambda user: -people.n_samples[user])
        parts = stretches(samples_of_user(people, longer), samples_of_user(people, shorter), units)
        boxes = [glove_by_hand.boxes_of(people, user) for user in (longer, shorter)]
        assert glove_by_hand.mean_stretch(boxes[0], 1, boxes[1], 1) == Fraction(
            sum(map(sum, parts)), units.one * len(parts)
        )


def test_unordered_users_workers_and_lists_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(14)
    user, x, y, t = (rng.integers(0, most, 3000) for most in (150, 60, 60, 5000))
    results = []
    for listed, workers, order in ((32, 1, np.arange(3000)), (3, 2, rng.permutation(3000))):
        monkeypatch.setattr(module, "_LISTED", listed)
        people = fingerprints_from_samples(user[order], x[order], y[order], t[order])
        found = hidden_groups_from_fingerprints(people, GloveParameters(k=4), n_workers=workers)
        results.append((groups_of(found), table_from_hidden_groups(found)))
    assert results[0][0] == results[1][0]
    assert results[0][1].equals(results[1][1])


def test_two_clones_and_a_stranger_against_hand() -> None:
    # 1 and 2 are the same; 3 is left over and joins them. Their one box covers (0, 0) at 10 and (3, 1) at 14.
    people = fingerprints_from_samples([1, 2, 3], [0, 0, 3], [0, 0, 1], [10, 10, 14])
    found = hidden_groups_from_fingerprints(people, GloveParameters(k=2))
    assert found.boxes.tolist() == [[0, 4, 0, 2, 10, 15]]
    accuracy = accuracy_from_hidden_groups(found)
    assert (accuracy.side_km.tolist(), accuracy.duration_min.tolist()) == ([0.4], [5])
    assert (accuracy.within_km(0.3), accuracy.within_km(0.4), accuracy.within_min(4)) == (0, 1, 0)
    table = table_from_hidden_groups(found)
    assert table.num_rows == 3
    assert table.slice(2, 1).to_pylist() == [
        {"user": 2, "time": np.datetime64("1970-01-01T00:10").item(), "duration_min": 5,
         "x_m": 0, "width_m": 400, "y_m": 0, "height_m": 200}
    ]  # fmt: skip
    # Beyond a limit nothing is left: everybody is discarded, and that is said.
    strict = hidden_groups_from_fingerprints(people, GloveParameters(k=2, suppress_min=4))
    assert (strict.n_suppressed, strict.n_discarded_users) == (3, 3)
    assert np.isnan(accuracy_from_hidden_groups(strict).within_km(1))
    assert verification_from_table(table_from_hidden_groups(strict), 2).n_users == 0


def test_overlapping_boxes_are_cut_against_hand() -> None:
    # Boxes [0, 21) at x 0 and [10, 13) at x 5, the second within the first: three pieces, x joined in the middle.
    people = fingerprints_from_samples([1, 1, 2, 2], [0, 50, 0, 50], [0, 0, 0, 0], [0, 10, 20, 12])
    found = hidden_groups_from_fingerprints(people, GloveParameters(k=2))
    assert found.boxes.tolist() == [
        [0, 1, 0, 1, 0, 10],
        [0, 51, 0, 1, 10, 13],
        [0, 1, 0, 1, 13, 21],
    ]
    assert found.home.tolist() == [0, 1, 1, 2]


def test_a_report_that_raises_ends_the_work() -> None:
    people, told = random_crowd(np.random.default_rng(16), n_users=30), []

    def stop(share: float, words: str) -> None:
        told.append(share)
        if words == "Merging the closest fingerprints":
            raise InterruptedError

    with pytest.raises(InterruptedError):
        hidden_groups_from_fingerprints(people, GloveParameters(k=3), progress=Progress(stop))
    told.clear()
    hidden_groups_from_fingerprints(
        people, GloveParameters(k=3), progress=Progress(lambda share, words: told.append(share))
    )
    assert told == sorted(told)
    assert told[-1] <= 1


def test_refusals_iv(monkeypatch: pytest.MonkeyPatch) -> None:
    people = random_crowd(np.random.default_rng(17), n_users=5)
    with pytest.raises(ParameterError, match="k must be at most the number of users, 5, got 6"):
        hidden_groups_from_fingerprints(people, GloveParameters(k=6))
    nobody = fingerprints_of_users(people, np.array([], dtype=np.int64))
    with pytest.raises(ParameterError, match="k must be at most the number of users, 0, got 2"):
        hidden_groups_from_fingerprints(nobody, GloveParameters())
    for bad in (
        {"k": 1},
        {"k": 1001},
        {"suppress_km": 0},
        {"suppress_min": 0},
        {"suppress_km": float("nan")},
    ):
        with pytest.raises(ParameterError, match="must be"):
            GloveParameters(**bad)
    far = fingerprints_from_samples([1, 2], [2**28, 0], [0, 0], [0, 0], cell_m=20_000, bin_min=480)
    with pytest.raises(ParameterError, match="samples must lie within"):
        hidden_groups_from_fingerprints(far, GloveParameters())
    monkeypatch.setattr(module, "MAX_SEARCH_GB", 1e-6)
    with pytest.raises(ParameterError, match="merging must fit 1e-06 GB of memory"):
        hidden_groups_from_fingerprints(people, GloveParameters())
