"""A release of visits by zone and hour as Publish makes it, played as a defence: weights, Gaussian noise, whole counts.

The promise is to a user's whole week and holds for anybody, whatever the data: no sensitivity is read off it. Simulation: the
noise is drawn with a seed, as a normal number rounded to a whole unit of 1/1024 of a visit. The bound on attacks is that of the
normal law as it is drawn; that of a release is worked out for the discrete law.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import Flags, Floats, Settings
from privlab.aggregates.defences.noisy_defences import NoisyDefence
from privlab.aggregates.traces import Window
from privlab.checks import require_between, require_whole
from privlab.defaults import USUAL_DELTA
from privlab.dp.gaussian import (
    UNITS,
    rounded_normal,
    sigma_from_promise,
    weight_of_trips,
    whole_trips_from_units,
)
from privlab.limits import MAX_TARGET_DELTA, MAX_TRIPS_PER_USER, MIN_TARGET_DELTA

RELEASE_DELTA = USUAL_DELTA


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseDefence(NoisyDefence):
    """Each visit of a user with T > M of them weighs √(M/T); discrete Gaussian noise for (ε, δ); rounded to whole visits.

    The mechanism of `release --product visits --noise gaussian --max-trips-per-user M` without a threshold. The null zone,
    which no release publishes, is published as 0.
    """

    bound: int
    delta: float = RELEASE_DELTA

    def __post_init__(self) -> None:
        """Check every field."""
        NoisyDefence.__post_init__(self)
        require_whole("max_trips_per_user", self.bound, 1, MAX_TRIPS_PER_USER)
        require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        return f"release:{self.bound}" + (f":{self.delta:g}" if self.delta != RELEASE_DELTA else "")

    @property
    def sigma(self) -> float:
        """σ of the noise, in units of 1/1024 of a visit: the one that Publish takes."""
        return sigma_from_promise(self.epsilon, self.delta, self.bound, most_trips=MAX_TRIPS_PER_USER)

    @property
    def delta_user(self) -> float:
        """How often the promise may fail."""
        return self.delta

    @property
    def noise_variance(self) -> float:
        """Variance of the noise on one entry, with the rounding."""
        return (self.sigma / UNITS) ** 2 + 1 / 12

    @property
    def settings(self) -> Settings:
        """What sets the noise, for printing."""
        return {"max_trips_per_user": self.bound, "delta": self.delta, "sigma": self.sigma / UNITS}

    @property
    def distance(self) -> float:
        """The most that replacing a user by another moves all entries, in σ: two people of norm √M, with nothing in common."""
        return math.sqrt(2 * self.bound) * UNITS / self.sigma

    def counted(self, member: Flags, rng: np.random.Generator) -> Flags:
        """Return all members."""
        return member

    def weights(self, window: Window) -> Floats:
        """Return the weight of each visit of each user, by how many visits the user has in the zones."""
        real = window.cell < (window.n_zones - window.null_zone) * window.n_epochs
        visits = np.diff(np.concatenate([[0], np.cumsum(real)])[window.starts])
        return weight_of_trips(visits, self.bound) / UNITS

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return whole counts with noise, maybe negative; of the null zone 0."""
        units = np.rint(aggregates * UNITS).astype(np.int64)
        noisy = units + rounded_normal(self.sigma, aggregates.shape, rng)
        published = whole_trips_from_units(noisy).astype(np.float64)
        if self.facts.null_zone:
            published[:, -1] = 0.0
        return published
