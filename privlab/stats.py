"""Counts of successes → shares with uncertainty, and the check of a measurement against its bound."""

import numpy as np
import numpy.typing as npt
import scipy.stats

from privlab.checks import BoundViolation

Floats = npt.NDArray[np.float64]


def clopper_pearson(
    successes: npt.ArrayLike, trials: npt.ArrayLike, *, level: float = 0.95
) -> tuple[Floats, Floats]:
    """Return the exact confidence interval of a share (Clopper & Pearson 1934), elementwise.

    >>> low, high = clopper_pearson(0, 10)
    >>> float(low), round(float(high), 4)
    (0.0, 0.3085)
    """
    hits = np.asarray(successes, dtype=np.float64)
    n = np.asarray(trials, dtype=np.float64)
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        low = np.where(hits > 0, scipy.stats.beta.ppf(tail, hits, n - hits + 1), 0.0)
        high = np.where(hits < n, scipy.stats.beta.ppf(1 - tail, hits + 1, n - hits), 1.0)
    return low, high


def require_within_bound(successes: npt.ArrayLike, trials: int, bound: npt.ArrayLike, what: str) -> None:
    """Raise BoundViolation if a measured share lies above its bound beyond sampling error (1e-9)."""
    hits, limit = np.asarray(successes, dtype=np.float64), np.asarray(bound, dtype=np.float64)
    if np.isnan(hits).any() or np.isnan(limit).any():
        raise BoundViolation(f"{what}: cannot be judged, since the measure or its bound is not a number.")
    excess = scipy.stats.binom.sf(hits - 1, trials, limit)
    if np.any(excess < 1e-9):
        worst = int(np.argmin(excess))
        raise BoundViolation(
            f"{what}: measured {np.ravel(hits)[worst] / trials:.4f} "
            f"above the bound {np.ravel(bound)[worst]:.4f}."
        )
