"""Noise that may leave the house: OpenDP's discrete Laplace and discrete Gaussian, from the system's own randomness.

Knows whole numbers and their L1 or L2 sensitivity. There is no seed here, and no floating-point number in what comes
out. Everything drawn in mechanisms.py is a simulation; this is not.
"""

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between
from privlab.dp.noise.mechanisms import Mechanism, log_noise_tail

Ints = npt.NDArray[np.int64]

_NUDGE = 1 + 2.0**-50
_MANY = 50_000  # counts from which on all processors draw; each draw is by itself, so that it changes nothing else


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecureNoise:
    """OpenDP's mechanism with the scale it runs at and the ε that OpenDP itself proves for it.

    `another` makes the same mechanism once more, for a thread of its own.
    """

    scale: float
    proven_epsilon: float
    library: str
    noisy: Callable[[Ints], list[int]]
    another: Callable[[], Callable[[Ints], list[int]]]


def secure_noise_from_mechanism(mechanism: Mechanism) -> SecureNoise:
    """Return integer noise of scale L/ε, nudged up until OpenDP's own proof is at most ε.

    Raises ParameterError for any noise but "integer": real noise leaks through its low bits.
    """
    if mechanism.noise != "integer":
        raise ParameterError(
            f"noise must be integer: real noise leaks the counts through its low bits, got {mechanism.noise!r}."
        )
    scale = mechanism.scale
    made = measurement_from_scale(scale)
    while made.map(mechanism.l1_sensitivity) > mechanism.epsilon:
        scale *= _NUDGE
        made = measurement_from_scale(scale)
    return SecureNoise(
        scale=scale,
        proven_epsilon=float(made.map(mechanism.l1_sensitivity)),
        library=f"OpenDP {version('opendp')}",
        noisy=made,
        another=lambda: measurement_from_scale(scale),
    )


def measurement_from_scale(scale: float) -> Any:
    """Return OpenDP's integer noise of a scale, whatever promise that keeps."""
    from opendp.measurements import make_laplace
    from opendp.metrics import l1_distance

    return make_laplace(_whole_numbers(), l1_distance(T="i64"), scale=scale)


def _whole_numbers() -> Any:
    # Not opendp.prelude: that loads scikit-learn, which takes longer than a release.
    from opendp.domains import atom_domain, vector_domain
    from opendp.mod import enable_features

    enable_features("contrib")
    return vector_domain(atom_domain(T="i64"))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SecureGaussian:
    """OpenDP's discrete Gaussian mechanism, its σ in the units of the counts, and the ρ that OpenDP itself proves.

    `proven_rho` is of zero-concentrated differential privacy, for someone whose whole numbers have the norm named.
    `another` is as in SecureNoise.
    """

    sigma: float
    proven_rho: float
    library: str
    noisy: Callable[[Ints], list[int]]
    another: Callable[[], Callable[[Ints], list[int]]]


def secure_gaussian_from_sigma(sigma: float, norm: float) -> SecureGaussian:
    """Return discrete Gaussian noise of that σ, for people whose whole numbers have an L2 norm of at most `norm`."""
    from opendp.measurements import make_gaussian
    from opendp.metrics import l2_distance

    def another() -> Any:
        return make_gaussian(_whole_numbers(), l2_distance(T="f64"), scale=sigma)

    made = another()
    return SecureGaussian(
        sigma=sigma,
        proven_rho=float(made.map(norm)),
        library=f"OpenDP {version('opendp')}",
        noisy=made,
        another=another,
    )


def noisy_counts_from_counts(counts: Ints, noise: SecureNoise | SecureGaussian) -> Ints:
    """Return the counts with noise on every one of them, int64, shape as `counts`."""
    if counts.dtype != np.int64:
        raise TypeError(f"counts must be int64, got {counts.dtype}.")
    if counts.size < _MANY:
        return np.asarray(noise.noisy(counts.reshape(-1)), dtype=np.int64).reshape(counts.shape)
    # Arrays, not lists: OpenDP reads them in place, without Python's lock, so that the threads run side by side.
    parts = np.array_split(counts.reshape(-1), os.cpu_count() or 1)
    with ThreadPoolExecutor(len(parts)) as threads:
        drawn = threads.map(lambda part: noise.another()(part), parts)
        return np.concatenate([np.asarray(part, dtype=np.int64) for part in drawn]).reshape(counts.shape)


def half_width(scale: float, level: float = 0.95) -> int:
    """Return the least w with |noise| ≤ w at least `level` of the time: P(noise ≥ w + 1) ≤ (1 − level)/2.

    Raises ParameterError for a scale that is no number above 0, and for a level that is no share below 1.
    """
    scale = require_between("scale", scale, 1e-9, 1e12)
    level = require_between("level", level, 0, 1 - 1e-12)
    wide = (log_noise_tail("integer", scale, 0) - math.log((1 - level) / 2)) * scale - 1
    return max(0, math.ceil(wide - 1e-12))
