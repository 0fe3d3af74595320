"""A noisy total → by what the counts of a week may come to be multiplied, and how near the truth they are then.

Before any noise is drawn. docs/science.md, section 5.10.
"""

import math

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.dp.gaussian import GaussianParameters
from privlab.od.expecting.closeness import expected_close_trips
from privlab.od.releases.release_noise import published_variance
from privlab.od.releases.release_plan import ReleasePlan
from privlab.od.releases.secure_release import WeekTotal
from privlab.od.usefulness.estimates import greatest_ratio, held_ratio

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_TOTALS = 15  # pairs of noises, on the total and on the sum of all counts, that are equally likely
_GOLDEN = (math.sqrt(5) - 1) / 2


def likely_ratios(
    most: float,
    *,
    capped_total: int,
    counted: float,
    total_deviation: float,
    deviation: float,
    n_cells: int,
    n: int,
    noise: str = "gaussian",
) -> list[tuple[float, float]]:
    """Return n equally likely pairs: the factor of all counts, and by how much noise moves each count on average, in trips.

    The factor is the noisy total over the noisy sum of all counts, held between 1 and `most`. The two noises are independent, that on the
    sum is normal, and n pairs of values spread over both laws stand for them. Each count has its n_cells-th part of the noise on
    the sum. With n = 1 both noises are 0.

    Parameters
    ----------
    capped_total, counted : int, float
        What the total counts, and the sum of what the limit leaves of all cells, in trips, before any noise.
    total_deviation, deviation : float
        Standard deviations of the noise on the total and on one published count, in trips.
    n_cells : int
        Cells that get noise.
    noise : str
        The law of that on the total, "gaussian" or "integer".
    """
    even = (np.arange(n) + 0.5) / n
    in_total = (scipy.special.ndtri(even) if noise == "gaussian" else _laplace(even)) * total_deviation
    other = scipy.special.ndtri((even + np.arange(n) * _GOLDEN) % 1 if n > 1 else even)
    in_sum = other * deviation * math.sqrt(n_cells)
    totals, sums = capped_total + in_total, counted + in_sum
    return [
        (held_ratio(WeekTotal(trips=round(total), counted=round(there)), most), moved / n_cells)
        for total, there, moved in zip(totals.tolist(), sums.tolist(), in_sum.tolist(), strict=True)
    ]


def _laplace(level: Floats) -> Floats:
    """Return the quantiles of the Laplace law with variance 1."""
    beyond = np.log1p(-np.abs(2 * level - 1))
    return np.asarray(-np.sign(level - 0.5) * beyond / math.sqrt(2))


def close_trips_of_plan(
    plan: ReleasePlan, scale: float, people: Ints, mean: Floats, spread: Floats, *, capped_total: int
) -> float:
    """Return the expected number of true trips in counts that are published near the truth.

    Where the plan has a noisy total, which counts `capped_total` trips, counts are first multiplied by what it gives back. The
    other arguments are those of `expected_close_trips`.
    """
    parameters = plan.parameters
    promise = parameters.guarantee_parameters(1)
    units = promise.total_units if isinstance(promise, GaussianParameters) else 0
    ratios = [(1.0, 0.0)]
    if units:
        ratios = likely_ratios(
            greatest_ratio(parameters.max_trips_per_user),
            capped_total=capped_total,
            counted=float(mean.sum()),
            total_deviation=scale / units,
            deviation=math.sqrt(published_variance(parameters.noise, scale)),
            n_cells=max(people.size, 1) if plan.n_cells is None else plan.n_cells,
            n=_TOTALS,
        )
    close = [
        expected_close_trips(
            people,
            mean + moved,
            spread,
            noise=parameters.noise,
            scale=scale,
            threshold=parameters.threshold,
            factor=ratio,
        )
        for ratio, moved in ratios
    ]
    return sum(close) / len(close)
