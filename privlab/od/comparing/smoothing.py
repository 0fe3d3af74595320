"""Noisy counts → what each flow is most likely to be, given the noise and how flows between zones go together.

A function of the noisy numbers, their noise and public positions alone, so that it costs no privacy. It stands beside
the noisy counts and never replaces them. docs/science.md, section 5.1.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_ROUNDS = 60  # of fitting; the factors settle to 1e-6 within some twenty
_RINGS = 12  # of distance, each with an equal number of cells


def smoothed_counts(noisy: Floats, deviation: float, n_zones: int, distance_km: Floats | None) -> Floats:
    """Return the posterior mean of every cell: between the noisy count and a model fitted to all noisy counts.

    The model m is origin × destination × ring of distance, fitted to the noisy sums. A true count is taken as m with
    a spread of φ·m, φ² = Σ((y − m)² − σ²)/Σm²; the noise has standard deviation σ = `deviation`. Then the mean is
    m + (y − m)·φ²m²/(φ²m² + σ²).

    Parameters
    ----------
    noisy : ndarray, shape (Z·(Z − 1),)
        Every ordered pair of different zones, row by row.
    deviation : float
        In trips, as `noisy`.
    n_zones : int
    distance_km : ndarray, shape (Z, Z), or None
        NaN where unknown; None leaves distance out.
    """
    counts = np.zeros((n_zones, n_zones))
    apart = ~np.eye(n_zones, dtype=bool)
    counts[apart] = noisy
    model = _fitted(counts, apart, _rings(distance_km, apart))
    m, y = model[apart], counts[apart]
    square = float((m**2).sum())
    if not square:
        return noisy
    spread = max(float(((y - m) ** 2 - deviation**2).sum()) / square, 1e-6)
    trust = spread * m**2 / (spread * m**2 + deviation**2)
    return np.asarray(m + trust * (y - m))


def _rings(distance_km: Floats | None, apart: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the number of each cell's ring, shape (Z, Z); cells at unknown distance are a ring of their own."""
    if distance_km is None:
        return np.zeros(apart.shape, dtype=np.int64)
    known = apart & np.isfinite(distance_km)
    if not known.any():
        return np.full(apart.shape, _RINGS)
    edges = np.asarray(np.quantile(distance_km[known], np.linspace(0, 1, _RINGS + 1)[1:-1]))
    return np.where(known, np.searchsorted(edges, np.nan_to_num(distance_km), side="right"), _RINGS)


def _fitted(counts: Floats, apart: npt.NDArray[np.bool_], ring: npt.NDArray[np.int64]) -> Floats:
    """Return a matrix of products of three factors whose sums by origin, destination and ring are the noisy ones.

    Iterative proportional fitting; a sum below 0 is read as 0.
    """
    model = apart.astype(np.float64)
    rings = np.bincount(ring[apart], weights=counts[apart], minlength=_RINGS + 1)
    targets = [np.maximum(one, 0.0) for one in (counts.sum(axis=1), counts.sum(axis=0), rings)]
    for _ in range(_ROUNDS):
        model *= _factor(targets[0], model.sum(axis=1))[:, None]
        model *= _factor(targets[1], model.sum(axis=0))[None, :]
        model *= _factor(targets[2], np.bincount(ring[apart], weights=model[apart], minlength=rings.size))[
            ring
        ]
    return model


def _factor(target: Floats, found: npt.NDArray[Any]) -> Floats:
    return np.asarray(np.divide(target, found, out=np.zeros_like(target), where=found > 0))
