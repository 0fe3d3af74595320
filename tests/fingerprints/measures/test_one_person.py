"""One person's nearest others, sample by sample: against the slow definition and a case worked by hand."""

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.figures.fingerprints.anonymizability_words import person_finding, person_words
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_at_level, fingerprints_from_samples
from privlab.fingerprints.levels import Level
from privlab.fingerprints.measures.one_person import what_if_from_fingerprints
from privlab.fingerprints.search.stretch import (
    StretchParameters,
    StretchUnits,
    k_gap,
    nearest_others,
    sample_distance,
    samples_of_user,
)
from privlab.progress import Progress
from tests.fingerprints.random_fingerprints import PARAMETERS, random_fingerprints


def test_others_parts_and_levels_against_the_definition() -> None:
    rng = np.random.default_rng(21)
    for case in range(150):
        people, parameters = random_fingerprints(rng), PARAMETERS[case % len(PARAMETERS)]
        user, k = int(rng.integers(people.n_users)), int(rng.integers(2, 7))
        levels = (people.level, Level(5, 120), Level(0.3, 7))
        found = what_if_from_fingerprints(
            people, user, k=k, parameters=parameters, levels=levels, n_workers=1
        )
        slow = nearest_others(people, user, k, parameters)
        assert found.other.tolist() == [other for _, other in slow]
        assert found.distance.tolist() == [float(distance) for distance, _ in slow]
        mine, units = samples_of_user(people, user), people_units(people, parameters)
        for column, other in enumerate(found.other):
            theirs = samples_of_user(people, int(other))
            assert found.own_is_longer[column] == (len(mine) >= len(theirs))
            for row, sample in enumerate(mine):
                parts = [sample_distance(sample, one, units) for one in theirs]
                whole = [uncut(sample, one, units) for one in theirs]
                ranks = [
                    (sum(part), part[1], far, i)
                    for i, (part, far) in enumerate(zip(parts, whole, strict=True))
                ]
                best = min(ranks)[-1]
                assert found.nearest[row, column] == people.offsets[other] + best
                assert found.spatial[row, column] * units.one == pytest.approx(parts[best][0])
                assert found.temporal[row, column] * units.one == pytest.approx(parts[best][1])
        if found.other.size:
            # Where the person is longer, the samples' mean is the distance itself.
            means = (found.spatial + found.temporal).mean(axis=0)
            assert means[found.own_is_longer] == pytest.approx(found.distance[found.own_is_longer])
            assert np.all(np.diff(found.mean[found.order]) <= 0)
        for gap in found.levels:
            coarse = fingerprints_at_level(people, gap.level)
            exact = k_gap(coarse, user, k, parameters)
            assert np.isnan(gap.k_gap) if exact is None else gap.k_gap == float(exact)
            assert gap.n_samples == len(samples_of_user(coarse, user))
            assert gap.hides == (exact == 0)
            samples = samples_of_user(coarse, user)
            assert gap.n_alike == sum(
                samples_of_user(coarse, one) == samples for one in range(coarse.n_users)
            )


def uncut(one: tuple[int, int, int], other: tuple[int, int, int], units: StretchUnits) -> int:
    """Return the distance of two samples with neither part cut off."""
    (x, y, t), (u, v, w) = one, other
    return units.per_cell * (abs(x - u) + abs(y - v)) + units.per_min * abs(t - w)


def test_of_samples_beyond_the_cut_the_truly_nearest_is_taken_by_hand() -> None:
    """Both of b's samples are more than 480 minutes from a's, so that both count as far: the one 600 minutes off is named, not the earliest."""
    people = fingerprints_from_samples(["a", "b", "b"], [0, 0, 0], [0, 0, 0], [6000, 0, 5400])
    found = what_if_from_fingerprints(people, 0, k=2)
    assert people.t[found.nearest[0, 0]] == 5400
    assert "10 h earlier or later" in person_finding(people, found)


def people_units(people: Fingerprints, parameters: StretchParameters) -> StretchUnits:
    return parameters.units(people.cell_m)


def test_the_samples_that_give_away_against_hand() -> None:
    # a and b share two samples; a's third is 48 minutes from b's nearest: 48/960 = 0.05, a third of it the distance.
    # At 1 km and 120 min the third falls together with the second.
    people = fingerprints_from_samples(
        ["a", "a", "a", "b", "b", "c"],
        [0, 3, 3, 0, 3, 999],
        [0, 0, 0, 0, 0, 999],
        [10, 130, 178, 10, 130, 10],
    )
    found = what_if_from_fingerprints(people, 0, k=2, levels=(Level(1, 120), Level(0.1, 1), Level(20, 480)))
    assert people.user_ids[found.other].tolist() == ["b"]
    assert found.distance[0] == pytest.approx(0.05 / 3)
    assert found.own_is_longer.tolist() == [True]
    assert (found.order.tolist(), found.nearest[:, 0].tolist()) == ([2, 0, 1], [3, 4, 4])
    assert found.mean[found.order].tolist() == pytest.approx([0.05, 0, 0])
    assert (found.cumulative_share.tolist(), found.n_half) == ([1, 1, 1], 1)
    assert [(str(one.level), one.hides, one.n_samples) for one in found.levels] == [
        ("1-120", True, 2),
        ("0.1-1", False, 3),
        ("20-480", True, 1),
    ]
    assert str(found.hiding_level) == "1-120"
    assert person_words(found, 2) == (
        "1 of 3 samples makes up half of the distance. Cells of 1 km and bins of 2 h would hide this person among 2."
    )


def test_a_person_is_said_to_be_hidden_among_all_who_are_then_alike_by_hand() -> None:
    """Fifty people within one cell of 1 km and one hour, at minutes of their own; one more far away, with two samples."""
    ids = [f"u{i:02}" for i in range(50)] + ["far", "far"]
    people = fingerprints_from_samples(
        ids, [1] * 50 + [900, 900], [1] * 50 + [900, 900], [*range(50), 0, 999]
    )
    found = what_if_from_fingerprints(people, people.user_ids.tolist().index("u07"), levels=(Level(1, 60),))
    assert person_words(found, 2) == "Cells of 1 km and bins of 1 h would hide this person among 50."
    twins = fingerprints_from_samples([1, 2, 3, 4], [0, 0, 0, 7], [0, 0, 0, 7], [5, 5, 5, 5])
    assert person_words(what_if_from_fingerprints(twins, 0), 2) == (
        "As the data is here, this person is hidden among 3 already."
    )


def test_alike_and_alone_degenerate() -> None:
    twins = fingerprints_from_samples([1, 2], [0, 0], [0, 0], [5, 5])
    found = what_if_from_fingerprints(twins, 0)
    assert (found.distance.tolist(), str(found.hiding_level)) == ([0], "0.1-1")
    assert np.isnan(found.cumulative_share).all()
    assert found.n_half == 0
    alone = what_if_from_fingerprints(fingerprints_from_samples([1], [0], [0], [5]), 0, k=3)
    assert (alone.other.size, alone.spatial.shape, alone.hiding_level) == (0, (1, 0), None)
    # The coarsest of the default levels (docs/glossary.md) is named where it is not enough.
    assert (
        person_words(alone, 3)
        == "Not even cells of 20 km and bins of 8 h, the coarsest tried, would hide this person among 3."
    )
    assert np.isnan(alone.mean).all()
    assert np.isnan([one.k_gap for one in alone.levels]).all()


def test_long_fingerprints_in_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    people = random_fingerprints(np.random.default_rng(22), most_users=40)
    whole = what_if_from_fingerprints(people, 0, k=5)
    monkeypatch.setattr("privlab.fingerprints.measures.one_person._BLOCK", 1)
    pieces = what_if_from_fingerprints(people, 0, k=5)
    for name in ("nearest", "spatial", "temporal"):
        assert np.array_equal(getattr(whole, name), getattr(pieces, name))


def test_progress_never_falls_and_can_end_the_work() -> None:
    people, told = random_fingerprints(np.random.default_rng(23)), []
    what_if_from_fingerprints(people, 0, progress=Progress(lambda share, words: told.append(share)))
    assert told == sorted(told)
    assert 0 <= told[0] <= told[-1] <= 1

    def stop(share: float, words: str) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        what_if_from_fingerprints(people, 0, progress=Progress(stop))


def test_refusals_iv() -> None:
    people = fingerprints_from_samples([1, 2], [0, 0], [0, 0], [5, 5])
    for user in (-1, 2):
        with pytest.raises(ParameterError, match="user must be a position below 2"):
            what_if_from_fingerprints(people, user)
    with pytest.raises(ParameterError, match="k must be between 2 and 1,000"):
        what_if_from_fingerprints(people, 0, k=1)
