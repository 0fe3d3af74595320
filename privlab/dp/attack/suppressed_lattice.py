"""Targets with many cells between hidden and exposed: the law of their losses on one lattice, together.

The characteristic function of each distinct cell is computed once for a block of targets; a target's is
the product of powers, one row of a matrix product of logarithms. What the exposed cells leave is known in
closed form (exposed_overlap.py) and stays off the lattice.
"""

import numpy as np
import numpy.typing as npt
import scipy.fft

from privlab.dp.attack.exact_accuracy import MAX_LATTICE
from privlab.dp.attack.exposed_overlap import exposed_overlap

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_STEP = 1e-3  # privacy loss per lattice point, at most
_LEAST_STEPS = 32  # lattice points per epsilon, at least
_NEGLIGIBLE = 1e-15
_TILTS = np.geomspace(0.02, 200, 60)  # exponents of the bound on how far losses reach, per epsilon
_BLOCK = 4_000_000  # complex numbers held at once


def overlaps_on_lattice(
    noise: str,
    epsilon: float,
    laws: tuple[Floats, Floats, Floats],
    times: Ints,
    base: Floats,
    n_exposed: Ints,
) -> Floats:
    """Return the overlap 1 − TV of targets, up to the mass of cells that are never shown.

    Parameters
    ----------
    noise : str
    epsilon : float
        Privacy loss per cell.
    laws : three arrays, shape (D,)
        Loss of a hidden cell, mass of hidden and of shown, of each distinct cell; a shown cell has loss ε.
    times : ndarray of int, shape (T, D)
        How many such cells each target has.
    base : ndarray of float, shape (T,)
        Loss of the target's cells that are never shown.
    n_exposed : ndarray of int, shape (T,)

    Returns
    -------
    ndarray of float64, shape (T,)
        Within 1e-6 of the truth for ten cells and more: the lattice keeps the first three moments of each.
    """
    hidden_loss, hidden, shown = laws
    jump = epsilon - hidden_loss
    tilt = _TILTS / epsilon
    # Chernoff: P(sum > R) ≤ e^{−tR}·E[e^{t·sum}], at the best t.
    growth = times @ np.log(hidden[:, None] + shown[:, None] * np.exp(np.minimum(np.outer(jump, tilt), 600)))
    reach = np.minimum(((growth - np.log(_NEGLIGIBLE)) / tilt).min(axis=1), times @ jump)
    reach = np.maximum(reach, 0.0)  # below 0 all mass together is negligible: the worlds hardly overlap
    start = base + times @ hidden_loss
    overlap = np.empty(base.size)
    rows = np.argsort(reach)
    while rows.size:
        n_rows = max(1, min(rows.size, int(_BLOCK / (reach[rows[min(63, rows.size - 1)]] / _STEP + 1)), 64))
        block, rows = rows[:n_rows], rows[n_rows:]
        width, mass = _masses(epsilon, float(reach[block].max()), jump, hidden, shown, times[block])
        for row, law in zip(block.tolist(), mass, strict=True):
            seen = np.abs(law) > 1e-14
            at = start[row] + width * np.flatnonzero(seen)
            overlap[row] = law[seen] @ exposed_overlap(noise, epsilon, int(n_exposed[row]))(at)
    return overlap


def _masses(
    epsilon: float, reach: float, jump: Floats, hidden: Floats, shown: Floats, times: Ints
) -> tuple[float, Floats]:
    """Return the width of the lattice and each target's masses at 0, width, 2·width …, shape (T, N)."""
    width = max(min(_STEP, epsilon / _LEAST_STEPS), reach / (MAX_LATTICE - 16))
    n_lattice = scipy.fft.next_fast_len(int(np.ceil(reach / width)) + 8, real=True)
    turn = np.exp(-2j * np.pi * np.arange(n_lattice // 2 + 1) / n_lattice)
    used = np.flatnonzero(times.any(axis=0))
    logs = np.empty((used.size, turn.size), dtype=np.complex128)
    for i, one in enumerate(used):
        point, rest = divmod(float(jump[one]) / width, 1.0)
        atom = np.exp(-2j * np.pi * point * np.arange(turn.size) / n_lattice) * _split(rest, turn)
        logs[i] = np.log(hidden[one] + shown[one] * atom)
    powers = times[:, used].astype(np.float64)
    spectrum = np.exp(powers @ logs.real) * np.exp(1j * (powers @ logs.imag))
    return width, np.asarray(scipy.fft.irfft(spectrum, n_lattice, axis=1))


def _split(rest: float, turn: npt.NDArray[np.complex128]) -> npt.NDArray[np.complex128]:
    """Spread an atom over four lattice points so that its first three moments stay (cubic Lagrange)."""
    weights = (
        -rest * (rest - 1) * (rest - 2) / 6,
        (rest + 1) * (rest - 1) * (rest - 2) / 2,
        -(rest + 1) * rest * (rest - 2) / 2,
        (rest + 1) * rest * (rest - 1) / 6,
    )
    return np.asarray(weights[0] / turn + weights[1] + weights[2] * turn + weights[3] * turn**2)
