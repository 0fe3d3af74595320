"""The power law of unicity: shares that follow one give it back, its interval covers it, and misfit is said."""

import math

import numpy as np
import pytest

from privlab.fingerprints.fingerprints import fingerprints_from_samples
from privlab.fingerprints.levels import Level
from privlab.fingerprints.singling_out.resolution_law import ResolutionLaw, resolution_laws_from_unicity
from privlab.fingerprints.singling_out.unicity import (
    Unicity,
    UnicityByLevel,
    unicity_by_level_from_fingerprints,
)

LEVELS = (Level(0.1, 1), Level(0.2, 5), Level(1, 10), Level(2, 50), Level(10, 100))
SIZES = np.array([0.1, 1, 10, 100, 1000])


def curves(alone: np.ndarray, levels: tuple[Level, ...] = LEVELS) -> UnicityByLevel:
    """Return the unicity of traces that are alone as said, (n_traces, levels), for four samples known."""
    n, zeros = alone.shape[0], np.zeros(1)
    return UnicityByLevel(
        levels=levels,
        curves=tuple(
            Unicity(
                level=level,
                points=np.array([4]),
                n_alone=np.array([own.sum()]),
                n_short=zeros.astype(int),
                n_traces=n,
                n_users=n,
                share=np.array([own.mean()]),
                low=zeros,
                high=zeros,
                alone=own[:, None],
            )
            for level, own in zip(levels, alone.T, strict=True)
        ),
    )


def law_of(alone: np.ndarray, levels: tuple[Level, ...] = LEVELS) -> ResolutionLaw:
    (law,) = resolution_laws_from_unicity(curves(alone, levels))
    return law


def test_shares_on_a_power_give_it_back() -> None:
    """Of 100,000 traces 0.9·r^-0.1, to a whole trace: exponent 0.1, and nothing is off."""
    n_alone = np.round(100_000 * 0.9 * (SIZES / 0.1) ** -0.1).astype(int)
    law = law_of(np.arange(100_000)[:, None] < n_alone)
    assert (law.points, law.n_levels) == (4, 5)
    assert law.exponent == pytest.approx(0.1, abs=1e-4)
    assert law.off_by == pytest.approx(1, abs=1e-4)
    assert law.low < law.exponent < law.high


def test_the_exponent_is_the_slope_of_least_squares() -> None:
    alone = np.random.default_rng(2).random((500, 5)) < [0.9, 0.8, 0.3, 0.2, 0.05]
    slope, _ = np.polyfit(np.log(SIZES), np.log(alone.mean(axis=0)), 1)
    assert law_of(alone).exponent == pytest.approx(-slope)


def test_an_exponent_of_nothing_has_no_sign() -> None:
    """Everybody alone at every level: the slope is 0, and is not printed as −0."""
    law = law_of(np.ones((20, 5), dtype=bool))
    assert [math.copysign(1, one) for one in (law.exponent, law.low, law.high)] == [1, 1, 1]
    assert law.exponent == 0


@pytest.mark.parametrize("nested", [True, False])
def test_the_interval_covers_the_law_of_traces_drawn_at_random(nested: bool) -> None:
    """Whether the same traces are alone at each level or others: 95% in earnest, of 600 one in a million below 91%."""
    rng, covered = np.random.default_rng(3), 0
    shares = 0.9 * (SIZES / 0.1) ** -0.15
    for _ in range(600):
        law = law_of(rng.random((1000, 1 if nested else 5)) < shares)
        covered += law.low <= 0.15 <= law.high
    assert 0.91 * 600 <= covered <= 0.98 * 600


def test_what_no_power_fits_is_said() -> None:
    """A step from all to a tenth between the third level and the fourth: the least squares are off by a factor of some two."""
    alone = np.arange(1000)[:, None] < np.array([1000, 1000, 1000, 100, 100])
    fitted = np.polyval(np.polyfit(np.log(SIZES), np.log([1, 1, 1, 0.1, 0.1]), 1), np.log(SIZES))
    off = np.exp(np.abs(fitted - np.log([1, 1, 1, 0.1, 0.1])).max())
    assert law_of(alone).off_by == pytest.approx(off)
    assert off > 1.9


def test_two_resolutions_make_no_law_and_levels_where_nobody_is_alone_do_not_count() -> None:
    two = LEVELS[:2]
    assert resolution_laws_from_unicity(curves(np.ones((5, 2), bool), two)) == ()
    alone = np.ones((5, 5), bool)
    alone[:, 3:] = False
    assert (law_of(alone).n_levels, law_of(alone).n_without) == (3, 2)
    alone[:, 2] = False
    assert resolution_laws_from_unicity(curves(alone)) == ()


def test_who_is_alone_of_traces_that_were_read() -> None:
    """Two people on one spot at one time are never alone, the third always is."""
    people = fingerprints_from_samples(["a", "b", "c"], [0, 0, 90], [0, 0, 0], [0, 0, 0])
    found = unicity_by_level_from_fingerprints(
        people, [Level(0.1, 1), Level(1, 60)], points=(1,), rng=np.random.default_rng(1)
    )
    assert [one.alone[:, 0].tolist() for one in found.curves] == [[False, False, True]] * 2


def test_three_levels_of_two_resolutions_tell_no_law() -> None:
    """0.1 km and 10 minutes are one resolution with 1 km and a minute: the points lie on a line whatever the law."""
    levels = (Level(0.1, 10), Level(1, 1), Level(2, 50))
    alone = np.random.default_rng(3).random((200, 3)) < [0.8, 0.7, 0.2]
    assert resolution_laws_from_unicity(curves(alone, levels)) == ()
