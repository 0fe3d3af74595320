"""Cells whose counts are always published → how far the two worlds still overlap, at any known shift.

A target's other cells may already have spoken for or against him by a loss x; these functions say
what the exposed cells leave of the overlap 1 − TV then. Exact for integer noise, 1e-10 for real noise.
"""

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.fft
import scipy.special

from privlab.dp.attack.exact_accuracy import LATTICE_STEPS, laplace_step_spectrum
from privlab.stats import binomial_lower_tail, binomial_upper_tail

Floats = npt.NDArray[np.float64]
Overlap = Callable[[Floats], Floats]

_STENCIL = 8  # neighbouring lattice points that one interpolation uses


def exposed_overlap(noise: str, epsilon: float, n_cells: int) -> Overlap:
    """Return G with G(x) = ∫ e^{−|s+x|/2} dν(s), s the loss of `n_cells` exposed cells.

    The formula: docs/science.md, sections 2.3 and 2.4. ν is the geometric mean of the two worlds, whose mass is
    below 1; G(x) takes and returns arrays of one shape.
    """
    if not n_cells:
        return lambda x: np.exp(-np.abs(x) / 2)
    return _integer_overlap(epsilon, n_cells) if noise == "integer" else _laplace_overlap(epsilon, n_cells)


def _integer_overlap(epsilon: float, n_cells: int) -> Overlap:
    """Σ of the smaller of the two binomial worlds, weighted e^{∓x/2} by what was seen before."""
    truth = float(scipy.special.expit(epsilon))
    hits = np.arange(n_cells + 2)
    out_from = binomial_upper_tail(hits, n_cells, 1 - truth)  # P_out(J ≥ j), j = 0..n+1
    in_below = binomial_lower_tail(hits, n_cells, truth)  # P_in(J < j)

    def overlap(x: Floats) -> Floats:
        first = np.clip(np.ceil((n_cells - x / epsilon) / 2), 0, n_cells + 1).astype(np.int64)
        with np.errstate(over="ignore", invalid="ignore"):
            both = np.exp(-x / 2) * out_from[first] + np.exp(x / 2) * in_below[first]
        # Beyond the reach of S all speaks one way, and e^{S/2} has mean 1.
        return np.where(np.abs(x) >= n_cells * epsilon, np.exp(-np.abs(x) / 2), both)

    return overlap


def _laplace_overlap(epsilon: float, n_cells: int) -> Overlap:
    levels = [
        _overlap_at_lattice(epsilon, n_cells, steps)[:: steps // LATTICE_STEPS[0]] for steps in LATTICE_STEPS
    ]
    first = [(4 * fine - coarse) / 3 for coarse, fine in itertools.pairwise(levels)]
    table = (16 * first[1] - first[0]) / 15  # at x = 0, ε/64, … nε
    width, reach = epsilon / LATTICE_STEPS[0], n_cells * epsilon

    def overlap(x: Floats) -> Floats:
        size = np.abs(x)
        inside = size < reach
        values = np.exp(-size / 2)
        values[inside] = _interpolated(table, size[inside] / width)
        return values

    return overlap


def _overlap_at_lattice(epsilon: float, n_cells: int, steps: int) -> Floats:
    """G at x = 0, ε/steps, … nε: the law of S convolved with e^{−|x|/2}, wide enough not to wrap."""
    width = epsilon / steps
    n_lattice = scipy.fft.next_fast_len(4 * n_cells * steps + 2, real=True)
    step = math.exp(-epsilon / 2) * laplace_step_spectrum(width, steps, n_lattice)
    position = width * np.minimum(np.arange(n_lattice), n_lattice - np.arange(n_lattice))
    kernel = scipy.fft.rfft(np.exp(-position / 2))
    return np.asarray(scipy.fft.irfft(step**n_cells * kernel, n_lattice)[: n_cells * steps + 1])


def _interpolated(table: Floats, position: Floats) -> Floats:
    """Lagrange interpolation between equal steps; no stencil reaches over a kink at a multiple of ε."""
    steps = LATTICE_STEPS[0]
    start = np.minimum((position / steps).astype(np.int64), (table.size - 2) // steps) * steps
    inner = np.clip((position - start).astype(np.int64) - _STENCIL // 2 + 1, 0, steps - _STENCIL + 1)
    first = start + inner
    at = position - first
    total = np.zeros(position.shape)
    for j in range(_STENCIL):
        weight = np.ones(position.shape)
        for other in range(_STENCIL):
            if other != j:
                weight *= (at - other) / (j - other)
        total += weight * table[first + j]
    return total
