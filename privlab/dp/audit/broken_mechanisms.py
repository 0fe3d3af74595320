"""Three mechanisms that do not keep their promise: what an audit must catch, and a lesson in how noise goes wrong.

Nothing but the audit may use them.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from privlab.dp.noise.mechanisms import Mechanism
from privlab.dp.noise.secure_noise import measurement_from_scale

Ints = npt.NDArray[np.int64]
Counts = Callable[[Ints], Ints]


def half_the_scale(mechanism: Mechanism) -> Counts:
    """Return noise of half the scale that the promise needs: a forgotten factor of two."""
    noisy = measurement_from_scale(mechanism.scale / 2)
    return lambda counts: np.array(noisy(counts.tolist()), dtype=np.int64)


def noise_on_non_zero_only(mechanism: Mechanism) -> Counts:
    """Return noise on the cells that hold somebody, and a true 0 elsewhere: a lone traveller makes a cell noisy."""
    noisy = measurement_from_scale(mechanism.scale)
    return lambda counts: np.where(counts > 0, np.array(noisy(counts.tolist()), dtype=np.int64), 0)


def shared_noise(mechanism: Mechanism) -> Counts:
    """Return one draw added to all cells alike: their differences are the true ones."""
    noisy = measurement_from_scale(mechanism.scale)
    return lambda counts: counts + np.int64(noisy([0])[0])


BROKEN: dict[str, Callable[[Mechanism], Counts]] = {
    "half-scale": half_the_scale,
    "noise-on-non-zero-only": noise_on_non_zero_only,
    "shared-noise": shared_noise,
}
