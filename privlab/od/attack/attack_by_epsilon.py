"""A person's unique trips → how often the best attack is right at every ε: where a published ε would stand."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import require_choice, require_whole
from privlab.dp.attack import ACCURACY_FROM_EPSILON, deltas_and_epsilon_from_composed_cells
from privlab.dp.noise import NOISES
from privlab.limits import MAX_EPSILON, MAX_TRIPS, MIN_EPSILON

Floats = npt.NDArray[np.float64]

PROMISED = (1, 2, 7, 20)  # ε of a whole week that someone might hope to keep beside a δ
NEGLIGIBLE = 1e-6  # a δ that may be called so
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekWithDelta:
    """What all of a person's week keeps where ε is that of each trip: the least `delta` by ε of the week, and `epsilon` beside NEGLIGIBLE."""

    n_trips: int
    epsilon_trip: float
    delta: dict[float, float]
    epsilon: float


def week_with_delta(n_trips: int, epsilon_trip: float, *, noise: str = "laplace") -> WeekWithDelta:
    """Return which (ε, δ) all of a person's unique trips of a week keep, exactly, without a bound and with every flow published.

    >>> found = week_with_delta(70, 0.66)
    >>> round(found.delta[7.0], 2), round(found.epsilon, 1)
    (0.81, 33.0)
    """
    require_whole("n_trips", n_trips, 0, MAX_TRIPS)
    deltas, epsilon = deltas_and_epsilon_from_composed_cells(
        noise, epsilon_trip, n_trips, epsilons=PROMISED, delta=NEGLIGIBLE
    )
    return WeekWithDelta(
        n_trips=n_trips,
        epsilon_trip=epsilon_trip,
        delta=dict(zip(PROMISED, deltas, strict=True)),
        epsilon=epsilon,
    )
