"""A person's unique trips → how often the best attack is right at every ε: where a published ε would stand."""

import numpy as np
import numpy.typing as npt

from privlab.checks import require_choice, require_whole
from privlab.dp import NOISES
from privlab.dp.attack import ACCURACY_FROM_EPSILON
from privlab.limits import MAX_EPSILON, MAX_TRIPS, MIN_EPSILON

Floats = npt.NDArray[np.float64]

_STEPS = 34  # of ε, evenly on a logarithmic scale


def accuracies_by_epsilon(
    n_trips: int, *, noise: str = "laplace", epsilons: npt.ArrayLike | None = None
) -> tuple[Floats, Floats]:
    """Return ε (E,) and the accuracy (E,) of the best attack on someone with so many unique trips, prior ½.

    ε is that of one flow and week, without a bound and with every flow published, as Houssiau et al. (2022) attack it;
    by default from MIN_EPSILON to MAX_EPSILON.

    >>> _, accuracy = accuracies_by_epsilon(3, epsilons=[0.66])
    >>> round(float(accuracy[0]), 6)
    0.707072
    """
    require_whole("n_trips", n_trips, 0, MAX_TRIPS)
    require_choice("noise", noise, NOISES)
    at: Floats = np.asarray(
        np.geomspace(MIN_EPSILON, MAX_EPSILON, _STEPS) if epsilons is None else epsilons, dtype=np.float64
    )
    exact = ACCURACY_FROM_EPSILON[noise]
    return at, np.array([float(exact(float(one), n_trips)[n_trips]) for one in at])
