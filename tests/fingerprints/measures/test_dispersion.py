"""What makes up a k-gap, against the definition, closed forms and hand."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import special, stats

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_from_samples
from privlab.fingerprints.measures import dispersion as under_test
from privlab.fingerprints.measures.dispersion import (
    MEASURES,
    dispersion_from_neighbours,
    spread,
    summary_from_dispersion,
)
from privlab.fingerprints.measures.kgap import kgap_from_neighbours
from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints
from privlab.fingerprints.search.stretch import StretchParameters, nearest_others, samples_of_user, stretches
from tests.fingerprints.random_fingerprints import PARAMETERS, random_fingerprints
from tests.fingerprints.search.test_neighbours import crowd

NORMAL = stats.norm.ppf(0.75) / stats.norm.ppf(0.99)


def gini_of(values: np.ndarray) -> float:
    """Return half the mean difference of all pairs, relative to the mean."""
    mean = values.mean()
    return float(np.abs(values[:, None] - values).mean() / (2 * mean)) if mean else 0.0


def tail_of(values: np.ndarray) -> float:
    middle, upper, top = np.quantile(values, (0.5, 0.75, 0.99), method="inverted_cdf")
    return float((top - middle) / (upper - middle) * NORMAL) if upper > middle else math.nan


def by_definition(
    fingerprints: Fingerprints, user: int, k: int, parameters: StretchParameters
) -> list[float]:
    units, mine = parameters.units(fingerprints.cell_m), samples_of_user(fingerprints, user)
    pairs = [
        np.array(stretches(mine, samples_of_user(fingerprints, other), units), dtype=float)
        for _, other in nearest_others(fingerprints, user, k, parameters)
    ]
    space, time = np.concatenate(pairs).T
    both = (space + time, space, time)
    mean_space, mean_time = np.mean([pair.mean(axis=0) for pair in pairs], axis=0)
    return [
        time.sum() / both[0].sum() if both[0].sum() else math.nan,
        *map(gini_of, both),
        *map(tail_of, both),
        mean_space / units.most_space * parameters.max_km,
        mean_time / units.most_time * parameters.max_min,
        (space == units.most_space).mean(),
        (time == units.most_time).mean(),
    ]


@pytest.mark.parametrize("most_bins", [100_000, 1], ids=["counted", "sorted"])
def test_dispersion_against_definition(most_bins: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(under_test, "_MOST_BINS", most_bins)
    rng = np.random.default_rng(8)
    for case in range(250):
        fingerprints, parameters = random_fingerprints(rng), PARAMETERS[case % len(PARAMETERS)]
        found = neighbours_from_fingerprints(fingerprints, k=6, parameters=parameters, n_workers=1)
        got = dispersion_from_neighbours(fingerprints, found, (2, 4, 6), n_workers=1)
        for user in range(fingerprints.n_users):
            for column, k in enumerate((2, 4, 6)):
                mine = [getattr(got, name)[user, column] for name in (*MEASURES, "capped_km", "capped_min")]
                if k > fingerprints.n_users:
                    assert np.isnan(mine).all()
                else:
                    np.testing.assert_allclose(
                        mine,
                        by_definition(fingerprints, user, k, parameters),
                        rtol=1e-9,
                        atol=1e-9,
                        err_msg=str(case),
                    )


def test_kilometres_and_minutes_add_up_to_the_k_gap() -> None:
    fingerprints, parameters = crowd(300), StretchParameters(space_weight=0.3, time_weight=0.9)
    found = neighbours_from_fingerprints(fingerprints, k=50, parameters=parameters)
    parts = dispersion_from_neighbours(fingerprints, found, (2, 50))
    total = 0.3 * parts.mean_km / 20 + 0.9 * parts.mean_min / 480
    np.testing.assert_allclose(total, kgap_from_neighbours(found, (2, 50)).values, rtol=1e-12)


def test_workers_change_nothing() -> None:
    fingerprints = crowd(200)
    found = neighbours_from_fingerprints(fingerprints, k=20)
    one, three = (dispersion_from_neighbours(fingerprints, found, (2, 20), n_workers=n) for n in (1, 3))
    for name in MEASURES:
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


# Tail weights: docs/science.md, section 4.3, by closed form; Gini coefficients: textbook.
@pytest.mark.parametrize(
    ("quantile", "tail", "gini"),
    [
        (stats.expon.ppf, 1.63635, 0.5),
        (stats.uniform.ppf, 0.56827, 1 / 3),
        (stats.lognorm(1).ppf, 2.78198, special.erf(0.5)),
        (stats.norm(10, 1).ppf, 1.0, 1 / (10 * math.sqrt(math.pi))),
        (stats.cauchy(1e9).ppf, 9.22588, None),
        (stats.pareto(1).ppf, 14.2068, None),
    ],
    ids=["exponential", "uniform", "lognormal", "normal", "Cauchy", "Pareto"],
)
def test_spread_against_closed_form(
    quantile: Callable[[np.ndarray], np.ndarray], tail: float, gini: float | None
) -> None:
    n = 400_000
    values = quantile((np.arange(n) + 0.5) / n)
    found_gini, found_tail = spread(values, np.ones(n, dtype=np.int64), n)
    assert found_tail == pytest.approx(tail, rel=2e-4)
    if gini is not None:
        assert found_gini == pytest.approx(gini, abs=2e-4)


def test_gini_sign_erratum_1_against_hand() -> None:
    # 1 and 3: 2·(1·1 + 2·3)/(2·4) − 3/2 = ¼. The printed sign gives −¼ − 1.
    assert spread(np.array([1.0, 3.0]), np.array([1, 1]), 2)[0] == 0.25
    assert spread(np.array([0.0]), np.array([5]), 5)[0] == 0  # nothing to share


def test_share_not_ratio_erratum_4_against_hand() -> None:
    # One sample each, 10 cells (120) and 96 minutes (480) apart: share 0.8, ratio 4.
    fingerprints = fingerprints_from_samples([1, 2], [0, 10], [0, 0], [0, 96])
    parts = dispersion_from_neighbours(fingerprints, neighbours_from_fingerprints(fingerprints, k=2), [2])
    assert parts.temporal_share.tolist() == [[0.8], [0.8]]
    assert parts.mean_km[0, 0] == 1
    assert parts.mean_min[0, 0] == 96
    assert summary_from_dispersion(parts, 2).share_mostly_temporal == 1


def test_undefined_is_counted_erratum_9_against_hand() -> None:
    # Clones: no distance at all. The share is undefined, the Gini 0, the tail undefined.
    fingerprints = fingerprints_from_samples([1, 1, 2, 2], [0, 5, 0, 5], [0] * 4, [0, 9, 0, 9])
    parts = dispersion_from_neighbours(fingerprints, neighbours_from_fingerprints(fingerprints, k=2), [2])
    summary = summary_from_dispersion(parts, 2)
    assert summary.n_undefined == dict.fromkeys(MEASURES, 0) | dict.fromkeys(
        ("temporal_share", "tail_weight", "tail_weight_spatial", "tail_weight_temporal"), 2
    )
    assert summary.median["gini"] == 0
    assert math.isnan(summary.median["tail_weight"])
    # The quantile is a value that occurs: of 0, 0, 1, 3 the median is 0, the upper quartile 1, the top 3.
    assert spread(np.array([0.0, 1.0, 3.0]), np.array([2, 1, 1]), 4)[1] == pytest.approx(3 * NORMAL)


def test_k_iv() -> None:
    fingerprints = crowd(20)
    found = neighbours_from_fingerprints(fingerprints, k=3)
    with pytest.raises(ParameterError, match="k must be at most 3"):
        dispersion_from_neighbours(fingerprints, found, [4])
