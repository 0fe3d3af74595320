"""Noisy counts of all pairs of zones → smoothed counts, with the distance between zones in the model.

A function of the noisy numbers, their noise and public positions alone, so that it costs no privacy. It stands beside
the noisy counts and never replaces them. docs/science.md, sections 5.1 and 5.4.
"""

import numpy as np
import numpy.typing as npt

from privlab.od.usefulness.estimates import smoothed_counts_from_margins

Floats = npt.NDArray[np.float64]

_ROUNDS = 60  # of fitting: three factors settle more slowly than two
_RINGS = 12  # of distance, each with an equal number of cells


def smoothed_counts(noisy: Floats, deviation: float, n_zones: int, distance_km: Floats | None) -> Floats:
    """Return the posterior mean of every cell, by a model of origin × destination × ring of distance.

    Parameters
    ----------
    noisy : ndarray, shape (Z·(Z − 1),)
        Every ordered pair of different zones, row by row.
    deviation : float
        Standard deviation of the noise in trips, as `noisy`.
    n_zones : int
    distance_km : ndarray, shape (Z, Z), or None
        NaN where unknown; None leaves distance out.
    """
    apart = ~np.eye(n_zones, dtype=bool)
    margins = [*np.nonzero(apart), _rings(distance_km, apart)[apart]]
    return smoothed_counts_from_margins(noisy, margins, deviation**2, rounds=_ROUNDS)


def _rings(distance_km: Floats | None, apart: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Return the number of each cell's ring, shape (Z, Z); cells at unknown distance are a ring of their own."""
    if distance_km is None:
        return np.zeros(apart.shape, dtype=np.int64)
    known = apart & np.isfinite(distance_km)
    if not known.any():
        return np.full(apart.shape, _RINGS)
    edges = np.asarray(np.quantile(distance_km[known], np.linspace(0, 1, _RINGS + 1)[1:-1]))
    return np.where(known, np.searchsorted(edges, np.nan_to_num(distance_km), side="right"), _RINGS)
