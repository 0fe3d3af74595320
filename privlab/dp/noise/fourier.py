"""Noise on the first coefficients of series instead of on the series: fewer numbers, less noise.

Knows arrays, scales and sensitivities; nothing of zones and users. The transform is the *orthonormal*
cosine transform: it keeps the L2 norm, so that the L2 sensitivity of a series is that of its
coefficients. With an unnormalised transform the same scale is several times too small.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.fft

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def coefficients_from_series(series: npt.NDArray[Any]) -> Floats:
    """Return the orthonormal cosine transform (DCT-II) of series (…, T) along the last axis."""
    return np.asarray(scipy.fft.dct(series.astype(np.float64), type=2, norm="ortho", axis=-1))


def series_from_coefficients(coefficients: Floats, n_epochs: int) -> Floats:
    """Return the series (…, n_epochs) that have these first coefficients, and 0 for all further ones."""
    return np.asarray(scipy.fft.idct(coefficients, n=n_epochs, type=2, norm="ortho", axis=-1))


def laplace_series(
    series: npt.NDArray[Any], *, n_kept: int, scale: float, rng: np.random.Generator
) -> Floats:
    """Return series rebuilt from their first coefficients with Laplace noise of that scale on each.

    Rastogi & Nath (2010), FPA, with a real transform.
    """
    kept = coefficients_from_series(series)[..., :n_kept]
    return series_from_coefficients(kept + rng.laplace(0.0, scale, kept.shape), series.shape[-1])


def dropped_energies(coefficients: Floats) -> Floats:
    """Return the L2 norm of what is left out when the first 1, 2, … T of (…, T) coefficients are kept."""
    energy = np.cumsum(coefficients[..., ::-1] ** 2, axis=-1)[..., ::-1]
    return np.asarray(np.sqrt(np.concatenate([energy[..., 1:], np.zeros((*energy.shape[:-1], 1))], axis=-1)))


def chosen_lengths(
    coefficients: Floats, *, sigma: float, rate: float, common: bool, rng: np.random.Generator
) -> Ints:
    """Return how many coefficients to keep of each of the series (…, S, T), 1 to T: shape (…, S).

    k is drawn by the exponential mechanism, with chance ∝ exp(−rate·(√(energy dropped) + √k·σ)), for each
    series; with `common` once for all S, by their energy dropped and √(S·k)·σ. Where one person moves the
    norms concerned together by at most s, this costs ε = 2·rate·s.
    """
    n_series, n_epochs = coefficients.shape[-2:]
    dropped, noise = dropped_energies(coefficients), np.sqrt(np.arange(1, n_epochs + 1)) * sigma
    if common:
        dropped = np.sqrt((dropped**2).sum(axis=-2, keepdims=True))
        noise = noise * np.sqrt(n_series)
    # The largest of the logarithms plus Gumbel noise is a draw from the law itself.
    chances = rng.gumbel(size=dropped.shape) - rate * (dropped + noise)
    return np.asarray(np.broadcast_to(np.argmax(chances, axis=-1) + 1, coefficients.shape[:-1]))


def gaussian_series(
    series: npt.NDArray[Any], *, sigma: float, rate: float, common: bool, rng: np.random.Generator
) -> Floats:
    """Return series (…, S, T) rebuilt from chosen numbers of first coefficients with N(0, σ²) noise on each.

    After Acs & Castelluccia (2014), EFPAG, as recalled; what it costs is with `chosen_lengths`.
    """
    coefficients = coefficients_from_series(series)
    lengths = chosen_lengths(coefficients, sigma=sigma, rate=rate, common=common, rng=rng)
    noisy = coefficients + rng.normal(0.0, sigma, coefficients.shape)
    noisy[np.arange(series.shape[-1]) >= lengths[..., None]] = 0.0
    return series_from_coefficients(noisy, series.shape[-1])
