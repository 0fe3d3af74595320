"""The definition, by hand: what two samples, two fingerprints and a crowd are from one another."""

from fractions import Fraction

import pytest

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import fingerprints_from_samples
from privlab.fingerprints.search.stretch import (
    StretchParameters,
    fingerprint_distance,
    k_gap,
    nearest_others,
    sample_distance,
    samples_of_user,
    stretches,
)

UNITS = StretchParameters().units(100)


def test_sample_distance_against_hand() -> None:
    # 3 + 4 cells of 100 m, 10 min: ½·0.7/20 + ½·10/480 = (12·7 + 5·10)/4800.
    assert sample_distance((0, 0, 0), (3, -4, 10), UNITS) == (84, 50)
    assert sample_distance((0, 0, 0), (150, 50, 480), UNITS) == (2400, 2400)
    assert sample_distance((0, 0, 0), (100_000, 0, 10**8), UNITS) == (2400, 2400)


def test_units_against_hand() -> None:
    # At 20 km and 480 min every distance is 0, ½ or 1.
    coarse = StretchParameters().units(20_000)
    assert {
        sum(sample_distance((0, 0, 0), (x, 0, 480 * t), coarse)) / coarse.one
        for x in (0, 1, 9)
        for t in (0, 1, 9)
    } == {0, 0.5, 1}
    # The paper's axis: weights of 1. 1 km and 20 min, 1.7 km and 41 min (erratum 3: half of that with ½).
    whole = StretchParameters(space_weight=1, time_weight=1).units(100)
    for cells, minutes, printed in ((10, 20, 0.09), (17, 41, 0.17)):
        distance = sum(sample_distance((0, 0, 0), (cells, 0, minutes), whole)) / whole.one
        half = sum(sample_distance((0, 0, 0), (cells, 0, minutes), UNITS)) / UNITS.one
        assert round(distance, 2) == printed
        assert half == pytest.approx(distance / 2)


def test_units_iv() -> None:
    with pytest.raises(ParameterError, match=r"max_km must be between 0\.1 and 20,000, got 0"):
        StretchParameters(max_km=0)
    with pytest.raises(ParameterError, match=r"time_weight must be between 0\.01 and 1, got 0"):
        StretchParameters(time_weight=0)
    with pytest.raises(ParameterError, match="simpler proportions"):
        StretchParameters(max_km=19.999, max_min=479, space_weight=0.123, time_weight=0.777).units(100)


def test_longer_averages_over_its_own_samples_against_hand() -> None:
    # The longer one's samples are 0, 48 and 480 min from the only sample of the shorter.
    longer, shorter = [(0, 0, 0), (0, 0, 48), (0, 0, 4800)], [(0, 0, 0)]
    expected = Fraction(0 + 240 + 2400, 3 * 4800)
    assert (
        fingerprint_distance(longer, shorter, UNITS)
        == fingerprint_distance(shorter, longer, UNITS)
        == expected
    )


def test_equal_lengths_are_not_symmetric_erratum_2() -> None:
    # Both samples of a are near b's first; b's second is near nothing.
    a, b = [(0, 0, 0), (0, 0, 10)], [(0, 0, 0), (500, 0, 5000)]
    assert fingerprint_distance(a, b, UNITS) == Fraction(50, 2 * 4800)
    assert fingerprint_distance(b, a, UNITS) == Fraction(4800, 2 * 4800)


def test_distance_is_no_metric_erratum_5() -> None:
    # b has a's and c's only place, and says so at every hour: near both, which are far apart.
    a, c = [(0, 0, 0)], [(9_000, 0, 9_000)]
    b = [(0, 0, 0), (9_000, 0, 9_000)]
    ab, bc, ac = (fingerprint_distance(one, other, UNITS) for one, other in ((a, b), (b, c), (a, c)))
    assert (ab, bc, ac) == (Fraction(1, 2), Fraction(1, 2), 1)
    # An unmatched sample of the shorter costs nothing: distance 0 between different fingerprints.
    d, e = [(0, 0, 0), (0, 0, 1), (0, 0, 2)], [(0, 0, 0), (9_000, 0, 9_000)]
    assert fingerprint_distance(d, e, UNITS) == Fraction(15, 3 * 4800)
    f = [(0, 0, t) for t in range(20)]
    g = [*f[:19:2], (9_000, 0, 9_000)]
    shifted = [sum(part) for part in stretches(f, g, UNITS)]
    assert max(shifted) == 5  # though one sample of g is as far from all of f as can be


def test_ties_take_the_smaller_temporal_part_erratum_8() -> None:
    # 20 cells away at once, or 48 minutes away on the spot: 240 either way.
    assert stretches([(0, 0, 0), (0, 0, 0)], [(0, 0, 48), (20, 0, 0)], UNITS) == [(240, 0), (240, 0)]


def test_k_gap_against_hand() -> None:
    # Users on one spot at minutes 0, 48, 144 and, far away, 9000.
    fingerprints = fingerprints_from_samples([1, 2, 3, 4], [0] * 4, [0] * 4, [0, 48, 144, 9_000])
    default = StretchParameters()
    assert samples_of_user(fingerprints, 2) == [(0, 0, 144)]
    assert nearest_others(fingerprints, 0, 3, default) == [(Fraction(1, 20), 1), (Fraction(3, 20), 2)]
    assert k_gap(fingerprints, 0, 2, default) == Fraction(1, 20)
    assert k_gap(fingerprints, 0, 4, default) == (Fraction(1, 20) + Fraction(3, 20) + Fraction(1, 2)) / 3
    assert k_gap(fingerprints, 0, 5, default) is None
