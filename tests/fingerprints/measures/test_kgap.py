"""k-gaps: to the last bit, and what must hold whatever the data."""

import math

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import fingerprints_at_level, fingerprints_from_samples
from privlab.fingerprints.levels import Level
from privlab.fingerprints.measures import kgap
from privlab.fingerprints.measures.kgap import (
    kgap_from_neighbours,
    share_equal_length_pairs,
    summary_from_kgaps,
)
from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints
from privlab.fingerprints.search.stretch import StretchParameters, k_gap
from tests.fingerprints.identical import n_identical_from_fingerprints
from tests.fingerprints.random_fingerprints import PARAMETERS, random_fingerprints
from tests.fingerprints.search.test_neighbours import crowd


def test_k_gap_is_the_float_nearest_the_exact_fraction() -> None:
    rng = np.random.default_rng(4)
    for case in range(400):
        fingerprints, parameters = random_fingerprints(rng), PARAMETERS[case % len(PARAMETERS)]
        found = neighbours_from_fingerprints(fingerprints, k=9, parameters=parameters, n_workers=1)
        kgaps = kgap_from_neighbours(found, (2, 3, 5, 9))
        for user in range(fingerprints.n_users):
            for k in kgaps.ks:
                exact = k_gap(fingerprints, user, k, parameters)
                got = kgaps.of(k)[user]
                assert math.isnan(got) if exact is None else got == float(exact), (case, user, k)


def test_k_gap_of_many_lengths_is_the_float_nearest_the_exact_fraction() -> None:
    fingerprints = crowd(120)
    kgaps = kgap_from_neighbours(neighbours_from_fingerprints(fingerprints, k=60), (30, 60))
    for user in range(0, 120, 12):
        for k in (30, 60):
            exact = k_gap(fingerprints, user, k, StretchParameters())
            assert exact is not None
            assert kgaps.of(k)[user] == float(exact)


def test_k_gaps_of_few_users_at_a_time_are_those_of_all(monkeypatch: pytest.MonkeyPatch) -> None:
    found = neighbours_from_fingerprints(crowd(120), k=60)
    expected = kgap_from_neighbours(found, (2, 30, 60)).values
    for at_once in (1, 59 * 7):
        monkeypatch.setattr(kgap, "_AT_ONCE", at_once)
        np.testing.assert_array_equal(kgap_from_neighbours(found, (2, 30, 60)).values, expected)


@pytest.mark.parametrize("level", ["0.1-1", "1-30", "5-120", "20-480"])
def test_zero_against_counting_identical_users(level: str) -> None:
    # Half of the crowd are clones of the other half, some of them three of a kind.
    base = crowd(200)
    user = np.repeat(np.arange(200), base.n_samples)
    clones = np.concatenate([user, user + 200, user[user < 50] + 400])
    again = [np.concatenate([axis, axis, axis[user < 50]]) for axis in (base.x, base.y, base.t)]
    fingerprints = fingerprints_at_level(fingerprints_from_samples(clones, *again), Level.from_text(level))
    kgaps = kgap_from_neighbours(neighbours_from_fingerprints(fingerprints, k=10), (2, 3, 4, 10))
    identical = n_identical_from_fingerprints(fingerprints)
    for k in kgaps.ks:
        np.testing.assert_array_equal(kgaps.of(k) == 0, identical >= k)
    assert (kgaps.of(2) == 0).all()
    assert summary_from_kgaps(kgaps, 3).share_at_zero >= 0.3


def test_k_gap_grows_with_k_and_stays_within_one() -> None:
    kgaps = kgap_from_neighbours(neighbours_from_fingerprints(crowd(400), k=200), range(2, 201))
    assert (np.diff(kgaps.values, axis=1) >= 0).all()
    assert kgaps.values.min() >= 0
    assert kgaps.values.max() <= 1


def test_sample_distances_at_the_coarsest_level_against_theory() -> None:
    # At 20 km and 480 min every sample is 0, ½ or 1 from its nearest: 2·n·distance is whole.
    fingerprints = fingerprints_at_level(crowd(300), Level(20, 480))
    found = neighbours_from_fingerprints(fingerprints, k=20)
    assert (2 * found.total % found.one == 0).all()


def test_fewer_than_k_users_is_nan_degenerate() -> None:
    fingerprints = fingerprints_from_samples([1, 2, 3], [0, 0, 0], [0, 0, 0], [0, 0, 48])
    kgaps = kgap_from_neighbours(neighbours_from_fingerprints(fingerprints, k=5), (2, 3, 4, 5))
    assert kgaps.of(3).tolist() == [0.025, 0.025, 0.05]
    assert np.isnan(kgaps.values[:, 2:]).all()
    nothing = summary_from_kgaps(kgaps, 5)
    assert math.isnan(nothing.mean)
    assert math.isnan(nothing.share_at_zero)
    assert all(map(math.isnan, nothing.quantiles.values()))


def test_summary_against_hand() -> None:
    fingerprints = fingerprints_from_samples([1, 2, 3], [0, 0, 0], [0, 0, 0], [0, 0, 48])
    kgaps = kgap_from_neighbours(neighbours_from_fingerprints(fingerprints, k=2), [2])
    summary = summary_from_kgaps(kgaps, 2)
    assert summary.mean == pytest.approx(0.05 / 3)
    assert summary.share_at_zero == pytest.approx(2 / 3)
    assert summary.quantiles["0.5"] == 0
    assert kgaps.ranked(2).tolist() == [0, 1, 2]


def test_share_of_equal_length_pairs_erratum_2_against_hand() -> None:
    # Lengths 1, 1, 2, 2, 2: 1 + 3 of the 10 pairs.
    user = [1, 2, 3, 3, 4, 4, 5, 5]
    fingerprints = fingerprints_from_samples(user, [0] * 8, [0] * 8, range(8))
    assert share_equal_length_pairs(fingerprints) == 0.4
    assert math.isnan(share_equal_length_pairs(fingerprints_from_samples([1], [0], [0], [0])))


def test_k_iv() -> None:
    found = neighbours_from_fingerprints(crowd(20), k=3)
    with pytest.raises(ParameterError, match="k must be at most 3, for which neighbours were found, got 4"):
        kgap_from_neighbours(found, [2, 4])
    with pytest.raises(ParameterError, match="k must be given at least once"):
        kgap_from_neighbours(found, [])
    with pytest.raises(ParameterError, match="k must be one of 2, 3, got 5"):
        kgap_from_neighbours(found, [2, 3]).of(5)


def test_only_a_gap_of_nothing_is_no_gap_by_hand() -> None:
    """Two are alike; of four samples of the others one is a minute off, at 480 that count: a quarter of half of 1/480."""
    user = [1, 2] + [3] * 4 + [4] * 4
    times = [0, 0, 5000, 6000, 7000, 8000, 5000, 6000, 7000, 8001]
    fingerprints = fingerprints_from_samples(user, [0] * 10, [0] * 10, times)
    summary = summary_from_kgaps(
        kgap_from_neighbours(neighbours_from_fingerprints(fingerprints, k=2), [2]), 2
    )
    assert summary.mean == pytest.approx(0.5 / 480 / 4 / 2)
    assert summary.share_at_zero == 0.5
