"""Noise on every entry of aggregates: what it takes to promise a user, or a report, an ε.

A user is all of a person's reports in the period, null reports included where there is a null zone. Δ and
r are the data's own largest (`DefenceFacts`): the promises hold for any user of this data, and a publisher
who promises them to anybody must cut users down to Δ reports in r zones first. Simulations, not releases.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import DefenceFacts, EveryReport, Floats, Settings
from privlab.checks import ParameterError, require_between, require_choice
from privlab.dp.noise import gaussian_sigma
from privlab.limits import MAX_EPSILON, MAX_TARGET_DELTA, MIN_EPSILON, MIN_TARGET_DELTA

DEFAULT_DELTA = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyDefence(EveryReport):
    """A mechanism with a privacy loss ε, on aggregates of which these facts hold."""

    epsilon: float
    facts: DefenceFacts

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        if self.facts.max_reports < 1:
            raise ParameterError("max_reports must be at least 1 for noise to be of any size, got 0.")

    @property
    def epsilon_user(self) -> float:
        """ε of all reports of one user."""
        return self.epsilon

    @property
    def delta_user(self) -> float:
        """How often the promise may fail."""
        return 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceDefence(NoisyDefence):
    """Laplace noise on every entry; ε is promised to a "user", scale Δ/ε, or to one "report", scale 1/ε.

    Removing a user moves the entries by at most Δ in sum, since a report moves one entry by one. The
    promise to one report is Δ·ε to a user.
    """

    unit: str = "user"

    def __post_init__(self) -> None:
        """Check every field."""
        NoisyDefence.__post_init__(self)
        require_choice("unit", self.unit, ("user", "report"))

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        return "lpa" if self.unit == "user" else "lpa-event"

    @property
    def l1_sensitivity(self) -> int:
        """The most that removing a user moves all entries together."""
        return self.facts.max_reports

    @property
    def scale(self) -> float:
        """Scale of the noise, in counts."""
        return (self.l1_sensitivity if self.unit == "user" else 1) / self.epsilon

    @property
    def epsilon_user(self) -> float:
        """ε of all reports of one user."""
        return self.l1_sensitivity / self.scale

    @property
    def noise_variance(self) -> float:
        """Variance of the noise on one entry."""
        return 2 * self.scale**2

    @property
    def settings(self) -> Settings:
        """What sets the noise, for printing."""
        return {"unit": self.unit, "l1_sensitivity": self.l1_sensitivity, "scale": self.scale}

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return noisy counts, real and maybe negative."""
        return aggregates + rng.laplace(0.0, self.scale, aggregates.shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianDefence(NoisyDefence):
    """N(0, σ²) noise on every entry, σ the least for (ε, δ) (Balle & Wang 2018); L2 sensitivity √Δ."""

    delta: float = DEFAULT_DELTA

    def __post_init__(self) -> None:
        """Check every field."""
        NoisyDefence.__post_init__(self)
        require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        return f"gaussian:{self.delta:g}"

    @property
    def l2_sensitivity(self) -> float:
        """The most that removing a user moves the entries, as the root of the sum of squares."""
        return math.sqrt(self.facts.max_reports)

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise, in counts."""
        return gaussian_sigma(self.epsilon, self.delta, self.l2_sensitivity)

    @property
    def delta_user(self) -> float:
        """How often the promise may fail."""
        return self.delta

    @property
    def noise_variance(self) -> float:
        """Variance of the noise on one entry."""
        return self.sigma**2

    @property
    def settings(self) -> Settings:
        """What sets the noise, for printing."""
        return {"l2_sensitivity": self.l2_sensitivity, "delta": self.delta, "sigma": self.sigma}

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return noisy counts, real and maybe negative."""
        return aggregates + rng.normal(0.0, self.sigma, aggregates.shape)
