"""Exact success rate of the best membership test on noisy counts.

Knows cells, noise and thresholds; knows nothing of trips or users. A target adds one to each of
some cells whose other contents the attacker knows; the answer is the optimal accuracy with prior
1/2, that is ½(1 + total variation) between the two worlds. No simulation here.
"""

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.fft
import scipy.special

from privlab.checks import ParameterError, require_between, require_whole
from privlab.dp.noise.mechanisms import noise_tail
from privlab.limits import (
    MAX_CELLS_ATTACKED,
    MAX_EPSILON,
    MAX_THRESHOLD,
    MAX_TRIPS,
    MIN_EPSILON_PER_CELL,
)
from privlab.stats import binomial_chance, binomial_upper_tail

Floats = npt.NDArray[np.float64]

LATTICE_STEPS = (64, 128, 256)  # lattice points per epsilon; three levels feed Richardson's extrapolation
_LATTICE_WIDTH = 3e-4  # privacy loss per lattice point where atoms lie off the lattice
MAX_LATTICE = 2**22
_NOTHING = 1e-13  # an overlap below it is 0
_NEGLIGIBLE = 1e-17


def laplace_accuracy_from_epsilon(epsilon: float, max_cells: int) -> Floats:
    """Return the optimal accuracy for a target in 0, 1, … `max_cells` cells with Laplace noise.

    Parameters
    ----------
    epsilon : float
        Privacy loss per cell: each count carries Laplace noise of scale 1/epsilon.
    max_cells : int
        Largest number of cells K.

    Returns
    -------
    ndarray of float64, shape (K + 1,)
        Entry k is the accuracy against a target counted once in each of k cells; entry 0 is ½.

    >>> [round(float(a), 6) for a in laplace_accuracy_from_epsilon(0.66, 3)]
    [0.5, 0.640538, 0.656294, 0.707072]
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON_PER_CELL, MAX_EPSILON)
    max_cells = require_whole("max_cells", max_cells, 0, MAX_TRIPS)
    overlaps = [_overlap_on_lattice(epsilon, max_cells, steps) for steps in LATTICE_STEPS]
    # The trapezoid rule errs in even powers of the step, since every kink lies on a lattice point.
    first = [(4 * fine - coarse) / 3 for coarse, fine in itertools.pairwise(overlaps)]
    overlap = (16 * first[1] - first[0]) / 15
    accuracy: Floats = np.clip(1 - overlap / 2, 0.5, 1.0)
    accuracy[0] = 0.5
    # Accuracy cannot fall with k; this only removes rounding in the last digit.
    return np.maximum.accumulate(accuracy)


def integer_accuracy_from_epsilon(epsilon: float, max_cells: int) -> Floats:
    """Return the optimal accuracy for 0, 1, … `max_cells` cells with integer (discrete Laplace) noise.

    Each cell then is a coin that shows the truth with probability e^ε/(1+e^ε), so the best test is
    a majority vote with ties decided by a fair coin. Shape and errors as for Laplace noise.

    >>> round(float(integer_accuracy_from_epsilon(1.0, 5)[5]), 4)
    0.8755
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON_PER_CELL, MAX_EPSILON)
    max_cells = require_whole("max_cells", max_cells, 0, MAX_TRIPS)
    return np.maximum.accumulate(majority_accuracies(epsilon, np.arange(max_cells + 1)))


def majority_accuracies(epsilon: float, n_cells: npt.ArrayLike) -> Floats:
    """Return how often the majority of n cells with integer noise is right, ties by a fair coin; shape as `n_cells`."""
    n = np.asarray(n_cells)
    truth = float(scipy.special.expit(epsilon))
    wins = binomial_upper_tail(n // 2 + 1, n, truth)
    ties = np.where(n % 2 == 0, binomial_chance(n // 2, n, truth), 0.0)
    return np.asarray(np.clip(wins + ties / 2, 0.5, 1.0))


ACCURACY_FROM_EPSILON = {
    "laplace": laplace_accuracy_from_epsilon,
    "integer": integer_accuracy_from_epsilon,
}


def accuracy_from_suppressed_cells(epsilon: float, threshold: int, counts: npt.ArrayLike) -> float:
    """Return the optimal accuracy against a target when counts below a threshold are not published.

    For one target, and by another way than suppressed_cells.py, which the lab asks: tests hold the two against each other.

    Parameters
    ----------
    epsilon : float
        Privacy loss per cell: Laplace noise of scale 1/epsilon.
    threshold : int
        Noisy counts below it are suppressed; that a count is suppressed is itself observed.
    counts : array_like of int
        The target's cells: how many others each counts (the target left out).

    Returns
    -------
    float
        Accuracy in [½, 1], exact up to 1e-5, mostly to 1e-9 (suppressed_cells.py is closer and faster).

    >>> round(accuracy_from_suppressed_cells(0.66, 100, [95] * 10), 6)
    0.5674
    """
    epsilon = require_between("epsilon", epsilon, MIN_EPSILON_PER_CELL, MAX_EPSILON)
    threshold = require_whole("threshold", threshold, 0, MAX_THRESHOLD)
    others = require_counts(counts)
    n_exposed = int(np.count_nonzero(others >= threshold))
    below, n_below = np.unique(others[others < threshold], return_counts=True)
    distance = (threshold - below).astype(np.float64)
    if not below.size and n_exposed <= MAX_TRIPS:
        return float(laplace_accuracy_from_epsilon(epsilon, n_exposed)[n_exposed])
    # Chance that a cell below the threshold is published after all, without and with the target.
    shown_out, shown_in = (noise_tail("laplace", 1 / epsilon, distance - target) for target in (0, 1))
    hidden_loss = np.log1p(-shown_in) - np.log1p(-shown_out)
    shown = np.sqrt(shown_out * shown_in)
    hidden = np.sqrt((1 - shown_out) * (1 - shown_in))
    overlap = overlap_with_atoms(epsilon, n_exposed, n_below, hidden_loss, hidden, shown)
    return float(np.clip(1 - overlap / 2, 0.5, 1.0))


def require_counts(counts: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return the others in each of a target's cells. Raises ParameterError for anything but whole numbers from 0."""
    values = np.asarray(counts)
    if values.ndim != 1 or not 1 <= values.size <= MAX_CELLS_ATTACKED:
        raise ParameterError(
            f"counts must hold between 1 and {MAX_CELLS_ATTACKED:,} whole numbers, got {values.size:,}."
        )
    return whole_counts(values)


def whole_counts(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return counts as whole numbers, shape as given. Raises ParameterError for anything but whole numbers from 0."""
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"counts must be whole numbers, got {values.tolist()[:3]!r}.") from None
    wrong = ~np.isfinite(numbers) | (numbers < 0) | (numbers > 2**53) | (numbers != np.floor(numbers))
    if wrong.any():
        raise ParameterError(f"counts must be whole numbers from 0 to 2^53, got {numbers[wrong][0]:g}.")
    return numbers.astype(np.int64)


def _overlap_on_lattice(epsilon: float, max_cells: int, steps: int) -> Floats:
    """Overlap 1 − TV for k = 0..K: e^{−kε/2}·∫ e^{−|s|/2} dμₖ(s), μₖ the measure of k steps together.

    The formula: docs/science.md, section 2.3.
    """
    width = epsilon / steps
    n_lattice = scipy.fft.next_fast_len(2 * max_cells * steps + 1, real=True)
    step = math.exp(-epsilon / 2) * laplace_step_spectrum(width, steps, n_lattice).real
    position = width * np.minimum(np.arange(n_lattice), n_lattice - np.arange(n_lattice))
    weights = scipy.fft.rfft(np.exp(-position / 2)).real / n_lattice
    weights[1 : (n_lattice + 1) // 2] *= 2  # the half spectrum stands for both halves
    overlap = np.empty(max_cells + 1)
    power = weights
    for k in range(max_cells + 1):
        overlap[k] = power.sum()
        power = power * step
    return overlap


def laplace_step_spectrum(width: float, steps: int, n_lattice: int) -> npt.NDArray[np.complex128]:
    """Return the spectrum of one cell: atoms of ½ at ±ε and density ¼ between them, as a trapezoid sum."""
    theta = 2 * np.pi * np.arange(n_lattice // 2 + 1) / n_lattice
    edge = np.sin(steps * theta)
    with np.errstate(divide="ignore", invalid="ignore"):
        comb = np.where(theta == 0, 2.0 * steps, edge / np.tan(theta / 2))
    return (np.cos(steps * theta) + width / 4 * comb).astype(np.complex128)


def overlap_with_atoms(
    epsilon: float,
    n_exposed: int,
    n_below: npt.NDArray[np.int64],
    hidden_loss: Floats,
    hidden: Floats,
    shown: Floats,
    never_shown: tuple[float, float] = (0.0, 0.0),
) -> float:
    """Return the overlap 1 − TV where cells below the threshold have two outcomes each.

    The two outcomes: docs/science.md, section 2.4. Losses are measured from the case that all such cells
    stay hidden: that case, which carries most of the mass, then lies exactly on the lattice; a published
    cell is split between two points.
    `never_shown` is the loss and the log mass of further cells that always stay hidden.
    """
    # No more is left than the product of what each cell leaves of √(in · out): far below what the lattice can tell from 0.
    most = n_exposed * (math.log1p(epsilon / 2) - epsilon / 2) + float(n_below @ np.log(hidden + shown))
    if most + never_shown[1] < math.log(_NOTHING):
        return 0.0
    likely = shown * n_below > _NEGLIGIBLE
    base = float(hidden_loss @ n_below) + never_shown[0]
    rest_mass = float(np.exp(n_below[~likely] @ np.log(hidden[~likely]) + never_shown[1]))
    jump = (epsilon - hidden_loss)[likely]
    steps, n_lattice = _lattice(epsilon, n_exposed, float(jump @ n_below[likely]))
    width = epsilon / steps
    spectrum = np.full(n_lattice // 2 + 1, rest_mass, dtype=np.complex128)
    if n_exposed:
        spectrum *= (math.exp(-epsilon / 2) * laplace_step_spectrum(width, steps, n_lattice)) ** n_exposed
    turn = -2j * np.pi * np.arange(n_lattice // 2 + 1) / n_lattice
    laws = zip(jump, hidden[likely], shown[likely], n_below[likely], strict=True)
    for loss, stays, appears, times in laws:
        point, rest = divmod(float(loss) / width, 1.0)
        atom = np.exp(turn * point) * (1 - rest + rest * np.exp(turn))
        spectrum *= (stays + appears * atom) ** int(times)
    mass_at = scipy.fft.irfft(spectrum, n_lattice)
    index = np.arange(n_lattice)
    low = -n_exposed * steps
    position = width * np.where(index >= n_lattice + low, index - n_lattice, index)
    return float(mass_at @ np.exp(-np.abs(position + base) / 2))


def _lattice(epsilon: float, n_exposed: int, reach: float) -> tuple[int, int]:
    """Return lattice points per epsilon and in all, fine enough and not above the size limit."""
    steps = max(16, math.ceil(epsilon / _LATTICE_WIDTH))
    span = 2 * n_exposed + reach / epsilon
    steps = max(1, min(steps, int(MAX_LATTICE / max(span, 1.0))))
    return steps, scipy.fft.next_fast_len(math.ceil(span * steps) + 4 + len(LATTICE_STEPS), real=True)
