"""The noise of a secure release, of either law: as it runs, as a certificate says it, and how far it reaches.

Integer noise goes to counts. Gaussian noise goes to weighted counts in units of 1/1024 of a trip, and what is
published is rounded to whole trips afterwards. docs/science.md, sections 2.6 and 5.1.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.dp.gaussian import (
    LEVEL_SHIFTS,
    TOTAL_CAP,
    UNITS,
    GaussianParameters,
    log_tail,
    whole_trips_from_units,
)
from privlab.dp.noise import (
    half_width,
    noise_tail,
    noisy_counts_from_counts,
    secure_gaussian_from_sigma,
    secure_noise_from_mechanism,
)

if TYPE_CHECKING:
    from privlab.od.releases.release_plan import SecureReleaseParameters

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_SUMMED = 1_000  # trips of deviation up to which the variance of Gaussian noise is summed


def _no_sums(units: Ints, shift: int) -> Ints:
    raise ParameterError("levels must be left out with noise integer, got sums to be published.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleaseNoise:
    """Noise that is ready to be drawn: `units` of one trip, what a certificate says of it, and the draw itself.

    `noisy` takes counts in units and returns whole trips with noise, int64, of the same shape. `noisy_total`, where the
    promise pays for one, takes a number of trips, of each user at most TOTAL_CAP, and returns it with noise. `noisy_sums` takes
    sums of a level of which a trip's units are 2^shift times as many, and returns whole trips with noise.
    """

    units: int
    record: dict[str, Any]
    noisy: Callable[[Ints], Ints]
    noisy_total: Callable[[int], int] | None = None
    noisy_sums: Callable[[Ints, int], Ints] = _no_sums


def release_noise_from_parameters(
    parameters: "SecureReleaseParameters", *, least: bool = False
) -> ReleaseNoise:
    """Return the noise that keeps the promise; nothing is drawn yet. `least` takes the least σ itself, as releases once did."""
    promise = parameters.guarantee_parameters(1)
    if isinstance(promise, GaussianParameters):
        gaussian = secure_gaussian_from_sigma(promise.sigma if least else promise.drawn_sigma, promise.norm)
        record = {
            "noise": "discrete Gaussian",
            "clip": promise.clip,
            "scale": gaussian.sigma,
            "units_per_trip": UNITS,
            "most_trips": promise.most_trips,
            "proven_rho": gaussian.proven_rho,
            "library": gaussian.library,
        }
        each = promise.total_units
        if each:
            record |= {"total_units_per_trip": each, "total_trips_of_a_user": TOTAL_CAP}
        if promise.levels:
            record |= {"level_units_per_trip": [UNITS >> shift for shift in LEVEL_SHIFTS[: promise.levels]]}

        def noisy_total(trips: int) -> int:
            return round(int(noisy_counts_from_counts(np.array([each * trips]), gaussian)[0]) / each)

        return ReleaseNoise(
            units=UNITS,
            record=record,
            noisy=lambda units: whole_trips_from_units(noisy_counts_from_counts(units, gaussian)),
            noisy_total=noisy_total if each else None,
            noisy_sums=lambda units, shift: whole_trips_from_units(
                noisy_counts_from_counts(units, gaussian) << shift
            ),
        )
    noise = secure_noise_from_mechanism(promise.mechanism)
    record = {
        "noise": "discrete Laplace",
        "scale": noise.scale,
        "proven_epsilon": noise.proven_epsilon,
        "library": noise.library,
    }
    return ReleaseNoise(units=1, record=record, noisy=lambda counts: noisy_counts_from_counts(counts, noise))


def published_noise_tail(noise: str, scale: float, least: npt.ArrayLike) -> Floats:
    """Return P(what is published of an empty cell ≥ least), elementwise, for whole numbers `least`.

    `scale` as in a certificate: of integer noise in trips, σ of Gaussian noise in units.
    """
    if noise == "integer":
        return np.asarray(noise_tail(noise, scale, np.asarray(least, dtype=np.float64)))
    return np.exp(log_tail(scale, np.asarray(least, dtype=np.float64) * UNITS - UNITS // 2))


def published_half_width(noise: str, scale: float, level: float = 0.95) -> int:
    """Return the least w with |noise| ≤ w trips at least `level` of the time, as published."""
    if noise == "integer":
        return half_width(scale, level)
    low, high = -1, int(10 * scale / UNITS) + 1  # `high` is wide enough
    while high - low > 1:
        middle = (low + high) // 2
        wide = float(published_noise_tail(noise, scale, middle + 1)) <= (1 - level) / 2
        low, high = (low, middle) if wide else (middle, high)
    return high


def published_variance(noise: str, scale: float) -> float:
    """Return the variance of the published noise in trips²; that of Gaussian noise includes the rounding.

    >>> round(published_variance("integer", 1.0), 4)  # 2a/(1 − a)², a = 1/e
    1.8413
    """
    if noise == "integer":
        a = np.exp(-1 / scale)
        return float(2 * a / np.expm1(-1 / scale) ** 2)
    deviation = scale / UNITS
    if deviation > _SUMMED:
        return deviation**2 + 1 / 12
    w = np.arange(1, int(10 * deviation) + 3)  # E[k²] = Σ (2w − 1)·P(|k| ≥ w)
    beyond = published_noise_tail(noise, scale, w) + 1 - published_noise_tail(noise, scale, 1 - w)
    return float(((2 * w - 1) * beyond).sum())
