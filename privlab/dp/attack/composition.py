"""Many noisy cells of one person → the ε, the δ and the best attack of all of them together.

Knows how many cells a privacy unit changes by one and the loss per cell; knows no trips, users or
weeks. Basic composition adds losses up; the privacy loss distribution follows how they fall.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import require_between, require_choice, require_whole
from privlab.dp.attack.exact_accuracy import laplace_accuracy_from_epsilon, majority_accuracies
from privlab.dp.noise.mechanisms import NOISES
from privlab.limits import (
    MAX_CELLS_COMPOSED,
    MAX_EPSILON,
    MAX_TARGET_DELTA,
    MAX_TRIPS,
    MIN_EPSILON_PER_CELL,
    MIN_TARGET_DELTA,
)
from privlab.stats import binomial_chance, binomial_quantile

if TYPE_CHECKING:
    from dp_accounting.pld import privacy_loss_distribution

Floats = npt.NDArray[np.float64]

# dp-accounting's distribution, or losses and their chances.
_Losses = Union["privacy_loss_distribution.PrivacyLossDistribution", tuple[Floats, Floats]]
_FORGOTTEN = 1e-20  # mass of outcomes left out at either end, counted as lost


def accuracy_from_composed_cells(noise: str, epsilon_per_cell: float, n_cells: int) -> float:
    """Return the optimal accuracy against someone who is counted once in each of `n_cells` cells.

    >>> round(accuracy_from_composed_cells("integer", 1.0, 5), 4)
    0.8755
    """
    epsilon_per_cell, n_cells = _checked(noise, epsilon_per_cell, n_cells)
    if not n_cells:
        return 0.5
    if noise == "laplace" and n_cells <= MAX_TRIPS:
        return float(laplace_accuracy_from_epsilon(epsilon_per_cell, n_cells)[n_cells])
    if noise == "laplace":
        distance = _laplace_losses(epsilon_per_cell, n_cells).get_delta_for_epsilon(0.0)
        return 0.5 + min(max(float(distance), 0.0), 1.0) / 2
    return float(majority_accuracies(epsilon_per_cell, n_cells))


def delta_from_composed_cells(noise: str, epsilon_per_cell: float, n_cells: int, epsilon: float) -> float:
    """Return the least δ for which the cells together are (ε, δ)-differentially private, ε ≥ 0 given.

    >>> f"{delta_from_composed_cells('integer', 0.066, 10, 0.4):.6f}"
    '0.001829'
    """
    epsilon_per_cell, n_cells = _checked(noise, epsilon_per_cell, n_cells)
    epsilon = require_between("epsilon", epsilon, 0, MAX_EPSILON * MAX_CELLS_COMPOSED)
    if not n_cells or epsilon >= n_cells * epsilon_per_cell:
        return 0.0
    return _delta_of(_composed(noise, epsilon_per_cell, n_cells), epsilon)


def deltas_from_composed_cells(noise: str, epsilon_per_cell: float, n_cells: int, epsilon: Floats) -> Floats:
    """Return the least δ at each of some ε ≥ 0, as delta_from_composed_cells; noise integer, n_cells ≥ 1.

    >>> deltas_from_composed_cells("integer", 0.066, 10, np.array([0.4, 0.66])).round(6).tolist()
    [0.001829, 0.0]
    """
    epsilon_per_cell, n_cells = _checked(
        require_choice("noise", noise, ("integer",)), epsilon_per_cell, n_cells
    )
    loss, mass = _integer_losses(epsilon_per_cell, n_cells)
    return np.asarray([_delta(loss, mass, one) for one in epsilon.tolist()])


def epsilon_from_composed_cells(noise: str, epsilon_per_cell: float, n_cells: int, delta: float) -> float:
    """Return the least ε for which the cells together are (ε, δ)-differentially private, δ > 0 given.

    Never above basic composition, n·ε; 0 only where the two worlds differ by no more than δ.
    """
    epsilon_per_cell, n_cells = _checked(noise, epsilon_per_cell, n_cells)
    delta = require_between("delta", delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
    basic = n_cells * epsilon_per_cell
    if not n_cells:
        return 0.0
    if noise == "laplace" and n_cells == 1:
        return _epsilon_of_one_laplace(epsilon_per_cell, delta)
    return _epsilon_of(_composed(noise, epsilon_per_cell, n_cells), basic, delta)


def deltas_and_epsilon_from_composed_cells(
    noise: str, epsilon_per_cell: float, n_cells: int, *, epsilons: Sequence[float], delta: float
) -> tuple[tuple[float, ...], float]:
    """Return the least δ at each of some ε ≥ 0, and the least ε beside a δ > 0: what the two functions above say, composed once."""
    epsilon_per_cell, n_cells = _checked(noise, epsilon_per_cell, n_cells)
    delta = require_between("delta", delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
    if not n_cells:
        return (0.0,) * len(epsilons), 0.0
    composed, basic = _composed(noise, epsilon_per_cell, n_cells), n_cells * epsilon_per_cell
    deltas = tuple(0.0 if one >= basic else _delta_of(composed, one) for one in epsilons)
    if noise == "laplace" and n_cells == 1:
        return deltas, _epsilon_of_one_laplace(epsilon_per_cell, delta)
    return deltas, _epsilon_of(composed, basic, delta)


def _composed(noise: str, epsilon_per_cell: float, n_cells: int) -> _Losses:
    if noise == "laplace":
        return _laplace_losses(epsilon_per_cell, n_cells)
    return _integer_losses(epsilon_per_cell, n_cells)


def _epsilon_of_one_laplace(epsilon_per_cell: float, delta: float) -> float:
    """Return the least ε beside δ of a single cell, exactly: δ(ε) = 1 − e^{(ε − ε₀)/2}, solved for ε."""
    return max(0.0, epsilon_per_cell + 2 * math.log1p(-delta))


def _delta_of(composed: _Losses, epsilon: float) -> float:
    if isinstance(composed, tuple):
        loss, mass = composed
        return _delta(loss, mass, epsilon)
    return min(max(float(composed.get_delta_for_epsilon(epsilon)), 0.0), 1.0)


def _epsilon_of(composed: _Losses, basic: float, delta: float) -> float:
    if not isinstance(composed, tuple):
        return min(max(float(composed.get_epsilon_for_delta(delta)), 0.0), basic)
    loss, mass = composed
    low, high = 0.0, basic
    if _delta(loss, mass, low) <= delta:
        return 0.0
    while high - low > 1e-12 * basic:  # δ falls as ε grows; `high` always keeps the promise
        middle = (low + high) / 2
        low, high = (low, middle) if _delta(loss, mass, middle) <= delta else (middle, high)
    return high


def _checked(noise: str, epsilon_per_cell: float, n_cells: int) -> tuple[float, int]:
    require_choice("noise", noise, NOISES)
    return (
        require_between("epsilon_per_cell", epsilon_per_cell, MIN_EPSILON_PER_CELL, MAX_EPSILON),
        require_whole("n_cells", n_cells, 0, MAX_CELLS_COMPOSED),
    )


def _integer_losses(epsilon_per_cell: float, n_cells: int) -> tuple[Floats, Floats]:
    """Return the losses that matter and their chances with the target in: (2j − n)·ε, j binomial."""
    truth = float(scipy.special.expit(epsilon_per_cell))
    lie = float(scipy.special.expit(-epsilon_per_cell))
    first = binomial_quantile(_FORGOTTEN, n_cells, truth)
    last = n_cells - binomial_quantile(_FORGOTTEN, n_cells, lie)
    hits = np.arange(max(first, 0), min(last, n_cells) + 1)
    loss = np.asarray((2 * hits - n_cells) * epsilon_per_cell, dtype=np.float64)
    return loss, binomial_chance(hits, n_cells, truth)


def _delta(loss: Floats, mass: Floats, epsilon: float) -> float:
    """Return the hockey-stick divergence E[(1 − e^{ε−loss})₊] under the world with the target."""
    above = loss > epsilon
    return min(float(mass[above] @ -np.expm1(epsilon - loss[above])) + _FORGOTTEN, 1.0)


def _laplace_losses(
    epsilon_per_cell: float, n_cells: int
) -> "privacy_loss_distribution.PrivacyLossDistribution":
    """Return dp-accounting's composed distribution, on a lattice its memory can hold.

    What it takes for granted: docs/science.md, section 5.
    """
    from dp_accounting.pld import privacy_loss_distribution

    points = 1000 if n_cells <= 100 else 64 if n_cells <= 10_000 else 16
    one = privacy_loss_distribution.from_laplace_mechanism(
        1 / epsilon_per_cell, value_discretization_interval=min(epsilon_per_cell / points, 1e-2)
    )
    return one.self_compose(n_cells)
