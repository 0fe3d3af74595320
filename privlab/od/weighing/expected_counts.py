"""What a bound leaves of true counts, and a release's parameters → how near the truth its columns are expected to be.

The noisy counts; those times a noisy total over their sum; those that agree with sums of districts. Worked
out by quadrature over the total, exactly or with normal laws over the noise. docs/science.md, section 5.10.
"""

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.dp.gaussian import UNITS, GaussianParameters
from privlab.dp.noise import noise_tail
from privlab.od.expecting.closeness import chance_close, expected_square_errors
from privlab.od.expecting.closeness_with_total import likely_ratios
from privlab.od.levels.levels import variances_of_levels
from privlab.od.planning.rare_thresholds import least_rare_threshold
from privlab.od.releases.release_noise import published_noise_tail, published_variance
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.usefulness.estimates import greatest_ratio
from privlab.od.weighing.weighed_week import WeighedWeek

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Use = tuple[float, float]
"""The expected share of trips within the tolerance, and the expected root mean square error in trips."""


class Cells(Protocol):
    """Cells of which some have a trip and others none."""

    @property
    def n_true(self) -> int:
        """Cells with a trip."""

    @property
    def n_empty(self) -> int:
        """Cells without one."""


TOTALS = 31  # pairs of noises, of the total and of the sum of all counts, that are equally likely


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Law:
    """How the counts of one week are published: `noise` ("integer" or "gaussian") of a `scale` as in certificates, from a `threshold` on.

    `mean` and `spread` (C,) are the mean and variance of what the bound leaves of each true cell, in trips; a spread of None says that it is
    known. `deviation` is the standard deviation of the published noise on a cell, in trips, and `n_cells` how many get noise. A noisy total
    of `capped_total` trips, with noise of `total_deviation` trips, multiplies all counts by at most `most_given_back`; None without one.
    `times` (C,) as of a week.
    """

    noise: str
    scale: float
    threshold: int
    mean: Floats
    spread: Floats | None
    deviation: float
    n_cells: int
    capped_total: int = 0
    total_deviation: float | None = None
    most_given_back: float = 1.0
    made_up_share: float = 0.0
    times: Ints | None = None

    def ratios(self, n: int) -> list[tuple[float, float]]:
        """Return so many pairs, as `likely_ratios` does; 1 where there is no total."""
        if self.total_deviation is None:
            return [(1.0, 0.0)]
        return likely_ratios(
            self.most_given_back,
            capped_total=self.capped_total,
            counted=self.counted,
            total_deviation=self.total_deviation,
            deviation=self.deviation,
            n_cells=self.n_cells,
            n=n,
            noise=self.noise,
        )

    @property
    def counted(self) -> float:
        """Trips that the bound leaves of all cells."""
        return self.sum_of(self.mean)

    def sum_of(self, values: Floats | Ints) -> float:
        """Return the sum of values over all true cells; shape (C,)."""
        return float(values.sum() if self.times is None else values @ self.times)

    @property
    def mean_ratio(self) -> float:
        """What all counts are multiplied by where no total is off."""
        return self.ratios(1)[0][0]


def law_of_parameters(
    week: WeighedWeek, parameters: SecureReleaseParameters, mean: Floats, spread: Floats
) -> Law:
    """Return the law of a release whose bound leaves this of each true cell, shapes (C,)."""
    promise = parameters.guarantee_parameters(1)
    scale, units = 0.0, 0
    if isinstance(promise, GaussianParameters):
        scale, units = promise.sigma, promise.total_units
    else:
        scale = promise.mechanism.scale
    return Law(
        noise=parameters.noise,
        scale=scale,
        threshold=parameters.threshold,
        mean=mean,
        spread=spread,
        deviation=math.sqrt(published_variance(parameters.noise, scale)),
        n_cells=week.n_cells,
        capped_total=week.capped_total,
        total_deviation=scale / units if units else None,
        most_given_back=greatest_ratio(parameters.max_trips_per_user),
        times=week.times,
    )


def rarest_threshold(week: Cells, law: Law, max_made_up: float) -> Law | None:
    """Return the release with the least threshold from 1 on that keeps made-up cells rare; None where none does.

    A larger one would publish less, and nothing nearer the truth.
    """
    noise = law.noise
    found = least_rare_threshold(
        week.n_empty,
        max_made_up,
        empty_passes=lambda threshold: float(published_noise_tail(noise, law.scale, threshold)),
        expected_kept=lambda threshold: law.sum_of(_passes(law, threshold)),
        at_least=_enough(week, law, max_made_up),
    )
    if found is None:
        return None
    return with_threshold(week, law, found[0])


def with_threshold(week: Cells, law: Law, threshold: int) -> Law:
    """Return the release with another threshold, and what of it is then made up."""
    made_up = expected_made_up(week, law, threshold)
    kept = law.sum_of(_passes(law, threshold)) if threshold else week.n_true
    return replace(
        law,
        threshold=threshold,
        made_up_share=made_up / max(kept + made_up, 1e-300),
    )


def expected_made_up(week: Cells, law: Law, threshold: int) -> float:
    """Return how many cells without a true trip are expected to be published from a threshold on."""
    if not threshold:
        return float(week.n_empty)
    return week.n_empty * float(published_noise_tail(law.noise, law.scale, threshold))


def _enough(week: Cells, law: Law, max_made_up: float) -> float:
    """Return a threshold that made-up cells need at least, if every true cell were published; from 1 on."""
    ratio = max_made_up * week.n_true / max(week.n_empty * (1 - max_made_up), 1e-9)
    if ratio >= 0.5:
        return 1.0
    if law.noise == "integer":
        return max(law.scale * math.log(float(noise_tail("integer", law.scale, 0)) / ratio), 1.0)
    return max(-float(scipy.special.ndtri(ratio)) * law.scale / UNITS - 1, 1.0)


def _passes(law: Law, threshold: int) -> Floats:
    """Return how likely each true cell is published, shape (C,)."""
    if law.noise == "gaussian":
        deviation = np.sqrt((0.0 if law.spread is None else law.spread) + (law.scale / UNITS) ** 2)
        return np.asarray(scipy.special.ndtr((law.mean - threshold + 0.5) / deviation))
    return noise_tail("integer", law.scale, threshold - np.rint(law.mean))


def expected_within(people: Ints | Floats, law: Law, tolerance: float, *, n_totals: int = 1) -> float:
    """Return the expected share of trips in flows published within the tolerance, of the counts times the total over their sum.

    `people` (C,) are the true counts. The planner and `od --compare` both ask here.
    """
    close = np.zeros(people.size)
    ratios = law.ratios(n_totals)
    spread = _given_the_sum(law, len(ratios))
    for ratio, moved in ratios:
        close += chance_close(
            people, law.mean + moved, spread, noise=law.noise, scale=law.scale,
            threshold=law.threshold, tolerance=tolerance, factor=ratio,
        )  # fmt: skip
    return law.sum_of(people * close) / law.sum_of(people) / len(ratios)


def totals_needed(law: Law, tolerance: float) -> int:
    """Return how many noises on the total the expected share needs to be right to less than is said; 1 where they hardly matter."""
    if law.total_deviation is None:
        return 1
    off = math.hypot(
        law.total_deviation / max(law.capped_total, 1),
        law.deviation * math.sqrt(law.n_cells) / max(law.counted, 1.0),
    )
    return 1 if off < tolerance / 30 else TOTALS


def _given_the_sum(law: Law, n_ratios: int) -> Floats | None:
    """Return the variance of each count before its own noise; given the sum of all counts that noise is a little narrower."""
    if n_ratios == 1 or law.noise == "integer":
        return law.spread
    return (0.0 if law.spread is None else law.spread) - np.full(
        law.mean.size, law.deviation**2 / law.n_cells
    )


def scaled_use(week: WeighedWeek, law: Law, tolerance: float) -> Use:
    """Return what the noisy counts are expected to be worth, times the noisy total over their sum where there is a total."""
    ratios, square = law.ratios(TOTALS), 0.0
    spread, empty = _given_the_sum(law, len(ratios)), np.zeros(1, dtype=np.int64)
    spread = np.zeros(law.mean.size) if spread is None else spread
    for ratio, moved in ratios:
        for people, at, wide, times in (
            (week.people, law.mean + moved, spread, 1),
            (empty, np.full(1, moved), np.zeros(1), week.n_empty),
        ):
            square += times * float(
                expected_square_errors(
                    people, at, wide, noise=law.noise, scale=law.scale,
                    threshold=law.threshold, factor=ratio,
                ).sum()
            )  # fmt: skip
    within = expected_within(week.people, law, tolerance, n_totals=TOTALS)
    n_shown = week.people.size + expected_made_up(week, law, law.threshold)
    return within, math.sqrt(max(square, 0.0) / len(ratios) / n_shown)


def agreed_use(week: WeighedWeek, law: Law, tolerance: float) -> Use:
    """Return what counts that agree with sums of districts are expected to be worth, times the noisy total over their sum.

    A noisy count is moved by what the sum of its pair of districts is off, shared out among the pair's cells. Levels above the
    lowest are left out, and a count at the threshold is taken to be published by the number that agrees.
    """
    n_cells, agreed, alone = variances_of_levels(week.levels, law.scale)[0]
    sizes = np.maximum(n_cells, 1).astype(np.float64)
    variance = alone / sizes - alone / sizes**2 + agreed / sizes**2
    numbers, n_districts = week.levels[0].numbers, len(week.levels[0].districts)
    pair = numbers[week.origin] * n_districts + numbers[week.destination]
    empty = n_cells - np.bincount(pair, minlength=n_cells.size)
    threshold = law.threshold
    return _normal_use(
        _Normal(
            people=np.concatenate([week.people, np.zeros(empty.size)]).astype(np.float64),
            mean=np.concatenate([law.mean, np.zeros(empty.size)]),
            variance=np.concatenate([variance[pair], variance]),
            least=np.full(week.people.size + empty.size, threshold - 0.5 if threshold else -np.inf),
            times=np.concatenate([np.ones(week.people.size), empty]),
        ),
        law.ratios(TOTALS),
        tolerance,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Normal:
    """Normal numbers of `mean` and `variance` beside `people`, published from `least` on; `times` cells are alike. Shapes (N,)."""

    people: Floats
    mean: Floats
    variance: Floats
    least: Floats
    times: Floats


def _normal_use(of: _Normal, ratios: list[tuple[float, float]], tolerance: float) -> Use:
    deviation = np.sqrt(of.variance)

    def below(edge: Floats) -> Floats:
        return np.asarray(scipy.special.ndtr((edge - of.mean) / deviation))

    z = (of.least - of.mean) / deviation
    passes = scipy.special.ndtr(-z)
    density = deviation * np.exp(-np.minimum(z * z, 1e4) / 2) / math.sqrt(2 * math.pi)
    once = of.mean * passes + density
    finite = np.where(np.isfinite(of.least), of.least, 0.0)
    twice = (of.mean**2 + of.variance) * passes + (of.mean + finite) * density
    close, square = 0.0, 0.0
    weight = of.people * of.times
    for ratio, _ in ratios:
        low = np.maximum((1 - tolerance) * of.people / ratio - 1e-9, of.least)
        high = (1 + tolerance) * of.people / ratio + 1e-9
        close += float(weight @ np.maximum(below(high) - below(low), 0.0))
        square += float(of.times @ (ratio**2 * twice - 2 * ratio * of.people * once + of.people**2))
    n_shown = float(of.times @ np.where(of.people > 0, 1.0, 1 - below(of.least)))
    return close / len(ratios) / float(weight.sum()), math.sqrt(max(square, 0.0) / len(ratios) / n_shown)
