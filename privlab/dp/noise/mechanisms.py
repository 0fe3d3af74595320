"""Noise laws for counts, as parameters and as simulated draws.

Everything drawn here comes from a seeded generator in floating point: a simulation, never a release.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from privlab.checks import require_between, require_choice, require_whole
from privlab.limits import MAX_EPSILON, MAX_TRIPS_PER_USER, MIN_EPSILON

NOISES = ("laplace", "integer")
CELLS = ("public", "discovered")  # that get noise: known without the data, or found in it


class NoiseLaw(Protocol):
    """Laplace noise, "laplace" or "integer", by its scale in counts."""

    @property
    def noise(self) -> str:
        """One of NOISES."""
        ...

    @property
    def scale(self) -> float:
        """Scale of the noise, in counts."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """A noise law with scale l1_sensitivity/epsilon, added to every count alike.

    `epsilon` is what the release promises the privacy unit; `l1_sensitivity` the most that unit
    can change all counts together. `noise` is "laplace" (real) or "integer" (discrete Laplace).
    """

    noise: str
    epsilon: float
    l1_sensitivity: int

    def __post_init__(self) -> None:
        """Check every field."""
        require_choice("noise", self.noise, NOISES)
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_whole("l1_sensitivity", self.l1_sensitivity, 1, MAX_TRIPS_PER_USER)

    @property
    def scale(self) -> float:
        """Scale of the noise, in counts."""
        return self.l1_sensitivity / self.epsilon

    @property
    def epsilon_per_cell(self) -> float:
        """Privacy loss a change of one in one cell can cause."""
        return self.epsilon / self.l1_sensitivity


def mechanism_from_bound(noise: str, epsilon: float, max_trips_per_user: int | None) -> Mechanism:
    """Return the noise that promises ε to a person's week of at most so many unique trips; None: to one trip.

    A trip adds one to one count, so that a week changes all counts together by the bound at most. Raises ParameterError for
    a bound below 1.
    """
    bound = 1 if max_trips_per_user is None else max_trips_per_user
    return Mechanism(noise=noise, epsilon=epsilon, l1_sensitivity=bound)


def noise_tail(noise: str, scale: float, value: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return P(noise ≥ value), shape as `value`: whole numbers for integer noise.

    From 0 on P(noise ≥ 0)·a^v with a = e^{−1/scale}; below, by symmetry, 1 − P(noise ≥ 0)·a^{1−v} for integer noise
    and 1 − P(noise ≥ 0)·a^{−v} for real noise. Raises ParameterError for a noise of another name, and for a scale that is no number above 0.

    >>> noise_tail("integer", 1.0, [0, 1]).round(4).tolist()
    [0.7311, 0.2689]
    """
    value, at_least_0 = np.asarray(value, dtype=np.float64), _at_least_0(noise, scale)
    least_above = 1 if noise == "integer" else 0  # P(noise < v) = P(noise ≥ least_above − v)
    ends = at_least_0 * np.exp(-np.where(value >= 0, value, least_above - value) / scale)
    return np.asarray(np.where(value >= 0, ends, 1 - ends))


def log_noise_tail(noise: str, scale: float, value: int) -> float:
    """Return ln P(noise ≥ value) for a value of 0 or more, however rare that is."""
    return math.log(_at_least_0(noise, scale)) - value / scale


def _at_least_0(noise: str, scale: float) -> float:
    """Return P(noise ≥ 0): ½ for real noise, 1/(1+a) for integer noise, which is often exactly 0."""
    scale = require_between("scale", scale, 1e-9, 1e12)
    if require_choice("noise", noise, NOISES) == "laplace":
        return 0.5
    import scipy.special  # not for whoever only names a mechanism

    return float(scipy.special.expit(1 / scale))


def even_noise(mechanism: Mechanism, n: int) -> npt.NDArray[np.float64]:
    """Return n values that each stand for an equal part of the law of the noise, ascending, shape (n,)."""
    return noise_from_uniform(mechanism, (np.arange(n) + 0.5) / n)


def noise_from_uniform(law: NoiseLaw, uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return noise made of uniform draws in [0, 1) by inverting the law; same shape, in counts.

    The law is a Mechanism, or the noise of a release that spends a part of its ε on something else.

    The same draws with another scale give the same noise stretched, so that a picture
    moves smoothly with its sliders.
    """
    centred = uniform - 0.5
    if law.noise == "laplace":
        tail = np.maximum(1 - 2 * np.abs(centred), np.finfo(np.float64).tiny)
        return np.asarray(-law.scale * np.sign(centred) * np.log(tail))
    # Discrete Laplace: P(|noise| ≥ n) = 2aⁿ/(1+a) for n ≥ 1, with a = e^{−1/scale}.
    decay = np.exp(-1 / law.scale)
    tail = np.maximum(1 - 2 * np.abs(centred), np.finfo(np.float64).tiny)
    size = np.floor(np.log(tail * (1 + decay) / 2) / np.log(decay))
    return np.asarray(np.sign(centred) * np.maximum(size, 0.0))
