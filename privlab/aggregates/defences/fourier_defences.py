"""Noise on the first cosine coefficients of every zone's series: FPA and EFPAG, as a user is moved by them.

What is said of Δ and r in noisy_defences.py holds here too. Simulations, not releases.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import Floats, Settings
from privlab.aggregates.defences.noisy_defences import DEFAULT_DELTA, NoisyDefence
from privlab.checks import require_between, require_whole
from privlab.dp.noise import gaussian_series, gaussian_sigma, laplace_series
from privlab.limits import MAX_TARGET_DELTA, MIN_TARGET_DELTA

DEFAULT_KEPT = 20  # coefficients of a series: of a week of hours, more than its seven days' rhythm needs
DEFAULT_SELECTION = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FourierDefence(NoisyDefence):
    """FPA: the first k cosine coefficients of each zone's series with Laplace noise of scale √(k·r·Δ)/ε.

    A user with n_z reports in zone z moves its coefficients by √n_z in L2 norm, its first k by at most
    √(k·n_z) in sum, and those of all r zones by at most √(k·r·Σn_z) (twice Cauchy–Schwarz). The null
    zone is one of the r (Rastogi & Nath 2010, for one series).
    """

    n_kept: int

    def __post_init__(self) -> None:
        """Check every field."""
        NoisyDefence.__post_init__(self)
        require_whole("n_kept", self.n_kept, 1, self.facts.n_epochs)

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        return f"fpa:{self.n_kept}"

    @property
    def l1_sensitivity(self) -> float:
        """The most that removing a user moves all kept coefficients together."""
        return math.sqrt(self.n_kept * self.facts.max_zones * self.facts.max_reports)

    @property
    def scale(self) -> float:
        """Scale of the noise on one coefficient, in counts."""
        return self.l1_sensitivity / self.epsilon

    @property
    def noise_variance(self) -> float:
        """Variance of the noise on one entry, mean over the epochs; what is dropped is no noise."""
        return 2 * self.scale**2 * self.n_kept / self.facts.n_epochs

    @property
    def settings(self) -> Settings:
        """What sets the noise, for printing."""
        return {"n_kept": self.n_kept, "l1_sensitivity": self.l1_sensitivity, "scale": self.scale}

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return rebuilt counts, real and maybe negative."""
        return laplace_series(aggregates, n_kept=self.n_kept, scale=self.scale, rng=rng)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFourierDefence(NoisyDefence):
    """EFPAG: of each zone as many first cosine coefficients as is best, with N(0, σ²) noise on each.

    `selection` of ε draws the numbers, by the exponential mechanism: a user with n_z reports in zone z
    moves its score by √n_z, the scores of r zones together by at most √(r·Δ). One number for all zones,
    `common`, is scored by the energy of all, which moves by √Δ only, and so is drawn closer to the best. The
    rest of ε, and δ, is for the noise: the kept coefficients of all zones move by at most √Δ in L2
    norm, however many they are.
    """

    delta: float = DEFAULT_DELTA
    selection: float = DEFAULT_SELECTION
    common: bool = False

    def __post_init__(self) -> None:
        """Check every field."""
        NoisyDefence.__post_init__(self)
        require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
        require_between("selection", self.selection, 0.1, 0.9)

    @property
    def name(self) -> str:
        """The defence as the command line spells it."""
        return f"efpag:{self.delta:g}:{self.selection:g}" + (":common" if self.common else "")

    @property
    def delta_user(self) -> float:
        """How often the promise may fail."""
        return self.delta

    @property
    def l2_sensitivity(self) -> float:
        """The most that removing a user moves the coefficients, as the root of the sum of squares."""
        return math.sqrt(self.facts.max_reports)

    @property
    def score_sensitivity(self) -> float:
        """The most that removing a user moves the scores of all zones together."""
        return math.sqrt((1 if self.common else self.facts.max_zones) * self.facts.max_reports)

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise on one coefficient, in counts."""
        return gaussian_sigma((1 - self.selection) * self.epsilon, self.delta, self.l2_sensitivity)

    @property
    def rate(self) -> float:
        """Rate of the exponential mechanism, per unit of score."""
        return self.selection * self.epsilon / (2 * self.score_sensitivity)

    @property
    def noise_variance(self) -> float:
        """Variance of the noise on one entry at most, where all coefficients are kept."""
        return self.sigma**2

    @property
    def settings(self) -> Settings:
        """What sets the noise, for printing."""
        return {
            "l2_sensitivity": self.l2_sensitivity,
            "score_sensitivity": self.score_sensitivity,
            "selection": self.selection,
            "common": int(self.common),
            "delta": self.delta,
            "sigma": self.sigma,
        }

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> Floats:
        """Return rebuilt counts, real and maybe negative."""
        return gaussian_series(aggregates, sigma=self.sigma, rate=self.rate, common=self.common, rng=rng)
