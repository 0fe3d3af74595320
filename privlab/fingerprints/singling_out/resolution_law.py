"""Unicity at several levels → the power of the resolution with which it falls, and how well a power fits at all.

De Montjoye et al. (2013) found that unicity "decays approximately as the 1/10 power" of resolution.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.fingerprints.singling_out.unicity import UnicityByLevel

Floats = npt.NDArray[np.float64]

FEWEST_LEVELS = 3  # two lie on a line whatever the law


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolutionLaw:
    """Unicity ~ resolution^(−exponent), for `points` known samples; resolution is cell side (km) times bin (min).

    Least squares on logarithms over the `n_levels` levels at which some trace is alone; at `n_without` others none is, so that
    it falls faster than the power. `low` to `high` is an interval of 95% for
    the draw of traces, the same at each level (delta method); it says nothing of whether a power is the right law: `off_by`
    is the largest factor between what was found and what the power has.
    """

    points: int
    exponent: float
    low: float
    high: float
    n_levels: int
    n_without: int
    off_by: float


def resolution_laws_from_unicity(found: UnicityByLevel) -> tuple[ResolutionLaw, ...]:
    """Return the law for each number of samples known; for those alone at fewer than three resolutions there is none."""
    size = np.log([level.cell_km * level.bin_min for level in found.levels])
    laws = []
    for column, points in enumerate(found.curves[0].points.tolist()):
        alone = np.stack([one.alone[:, column] for one in found.curves], axis=1).astype(np.float64)
        some = alone.any(axis=0)
        if np.unique(size[some]).size >= FEWEST_LEVELS:
            laws.append(_law(points, size[some], alone[:, some], n_without=int((~some).sum())))
    return tuple(laws)


def _law(points: int, size: Floats, alone: Floats, *, n_without: int) -> ResolutionLaw:
    """Return the law from log resolutions (L,) and who is alone at each, (n_traces, L)."""
    share = alone.mean(axis=0)
    weights = (size - size.mean()) / ((size - size.mean()) ** 2).sum()
    slope = float(weights @ np.log(share))
    # The slope is a weighted sum of logarithms of shares of the same traces: its error is that of a mean over traces.
    error = float(((alone / share) @ weights).std() / np.sqrt(alone.shape[0]))
    half = float(scipy.special.ndtri(0.975)) * error
    fitted = np.log(share).mean() + slope * (size - size.mean())
    return ResolutionLaw(
        points=points,
        exponent=0.0 - slope,  # never −0
        low=0.0 - slope - half,
        high=0.0 - slope + half,
        n_levels=int(size.size),
        n_without=n_without,
        off_by=float(np.exp(np.abs(np.log(share) - fitted).max())),
    )
