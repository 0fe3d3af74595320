"""Counts of flows → what two models make of them: a gravity model's exponents, and how soon an epidemic arrives.

Neither knows whether counts are true or published: both are asked of each side by analyses_of_counts.py.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.od.matrix import Ints

Floats = npt.NDArray[np.float64]

MOST_MODELLED_ZONES = 2_000  # a gravity model is fitted to every pair of zones: beyond, its exponents are NaN
_ROUNDS = 100  # of fitting; some ten are needed
_SETTLED = 1e-9  # change of every exponent from round to round


@dataclass(frozen=True, slots=True, kw_only=True)
class GravityExponents:
    """The exponents of a gravity model: of what leaves the origin, what arrives at the destination, and distance.

    NaN, all three, where no such model can be fitted.
    """

    origin: float = float("nan")
    destination: float = float("nan")
    distance: float = float("nan")


def gravity_from_flows(flow: Ints, count: Floats, km: Floats) -> GravityExponents:
    """Return the exponents b, c, g of T = exp(a) · O^b · D^c · d^g, fitted by Poisson maximum likelihood.

    O and D are the sums of the counts that leave and arrive at a zone, d the distance. Every ordered pair of different
    zones with O, D, d > 0 takes part, those without a flow too: leaving them out, or taking logarithms of counts, would
    bias the exponents (Santos Silva, Tenreyro: The log of gravity, Rev. Econ. Stat. 88, 2006). Newton's method.

    Parameters
    ----------
    flow : ndarray, shape (F,)
        Cells origin · Z + destination, each once.
    count : ndarray, shape (F,)
        Of each; below 0 is read as 0.
    km : ndarray, shape (Z, Z)
        NaN where unknown.
    """
    n_zones = km.shape[0]
    if n_zones > MOST_MODELLED_ZONES:
        return GravityExponents()
    counts = np.zeros((n_zones, n_zones))
    counts.flat[flow] = np.maximum(count, 0.0)
    leaving, arriving = counts.sum(axis=1), counts.sum(axis=0)
    known = np.nan_to_num(km) > 0
    np.fill_diagonal(known, False)
    known &= (leaving > 0)[:, None] & (arriving > 0)[None, :]
    start, end = np.nonzero(known)
    if not start.size:
        return GravityExponents()
    told = np.log(np.column_stack([leaving[start], arriving[end], km[start, end]]))
    spread = told.std(axis=0)
    if (spread < 1e-9).any():  # all alike: no exponent can be told
        return GravityExponents()
    told = np.column_stack([np.ones(start.size), (told - told.mean(axis=0)) / spread])
    found = _poisson_coefficients(told, counts[start, end])
    if found is None:
        return GravityExponents()
    origin, destination, distance = (found[1:] / spread).tolist()
    return GravityExponents(origin=origin, destination=destination, distance=distance)


def _poisson_coefficients(told: Floats, count: Floats) -> Floats | None:
    """Return the coefficients of greatest likelihood with a logarithmic link, shape (4,); None where none is found."""
    # The first step is that of weighted least squares from the counts themselves, drawn towards their mean.
    mean = (count + count.mean()) / 2
    found = np.zeros(told.shape[1])
    line = np.log(mean)
    for _ in range(_ROUNDS):
        weighted = told * mean[:, None]
        square = weighted.T @ told
        if not np.isfinite(square).all() or np.linalg.cond(square) > 1e12:
            return None
        after = np.linalg.solve(square, weighted.T @ (line + (count - mean) / mean))
        if np.abs(after - found).max() < _SETTLED:
            return np.asarray(after)
        found = after
        line = np.clip(told @ found, -50, 50)
        mean = np.exp(line)
    return None


def arrivals_from_flows(flow: Ints, count: Floats, n_zones: int, sources: Ints) -> Floats:
    """Return how far each zone is from each source in the network of flows, shape (S, Z); inf where there is no way.

    The effective distance of Brockmann and Helbing (The hidden geometry of complex, network-driven contagion phenomena,
    Science 342, 2013): a step from m to n is 1 − ln P long, P the share of what leaves m that goes to n, and the
    distance is that of the shortest way. An epidemic arrives in this order. Counts of 0 or less are no way.
    """
    import scipy.sparse

    real = count > 0
    origin, destination = np.divmod(flow[real], n_zones)
    leaving = np.bincount(origin, weights=count[real], minlength=n_zones)
    step = 1 - np.log(count[real] / leaving[origin])
    steps = scipy.sparse.csr_array((step, (origin, destination)), shape=(n_zones, n_zones))
    return np.asarray(scipy.sparse.csgraph.dijkstra(steps, indices=sources))
