"""OD matrix → simulated release: Laplace, integer or Gaussian noise on every cell, and a threshold.

A simulation only: seeded floating-point draws, to be looked at and never to be handed out.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.defaults import USUAL_EPSILON, USUAL_THRESHOLD
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.noise import NOISES, Mechanism, mechanism_from_bound, noise_from_uniform, noise_tail
from privlab.limits import (
    MAX_EPSILON,
    MAX_PUBLISHED_CELLS,
    MAX_SECURE_CELLS,
    MAX_THRESHOLD,
    MAX_TRIPS_PER_USER,
    MIN_EPSILON,
)
from privlab.od.matrix import Ints, ODMatrix

if TYPE_CHECKING:
    from collections.abc import Sequence

    from privlab.od.levels.levels import Level, PublishedLevels
    from privlab.od.releases.secure_release import WeekTotal

Floats = npt.NDArray[np.float64]

_DENSE_CELLS = (
    1_000_000  # of all weeks; up to here every empty cell gets its own draw, whatever the threshold
)
NOISE_OF_ONE_WEEK = "release noise"
_RARE = 0.05  # chance to pass the threshold, below which empty cells that pass are drawn by their number


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseParameters:
    """How counts are to be published.

    `epsilon` is promised to one trip where `max_trips_per_user` is None (as first published), else
    to everything a user does in a week; noisy counts below `threshold` are suppressed (0: none are).
    """

    epsilon: float = USUAL_EPSILON
    threshold: int = USUAL_THRESHOLD
    max_trips_per_user: int | None = None
    noise: str = "laplace"

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_whole("threshold", self.threshold, 0, MAX_THRESHOLD)
        if self.max_trips_per_user is not None:
            require_whole("max_trips_per_user", self.max_trips_per_user, 1, MAX_TRIPS_PER_USER)
        require_choice("noise", self.noise, NOISES)

    @property
    def mechanism(self) -> Mechanism:
        """The noise that keeps the promise: scale 1/ε per trip, or L/ε for a bound of L trips."""
        return mechanism_from_bound(self.noise, self.epsilon, self.max_trips_per_user)

    @property
    def privacy_unit(self) -> str:
        """What one neighbouring dataset adds or removes: "trip" or "user-week"."""
        return "trip" if self.max_trips_per_user is None else "user-week"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedRelease:
    """Noisy counts at or above the threshold, with the mechanism that made them.

    `flow` (cell numbers origin·Z + destination, ascending) and `count` (float64) have shape (P,).
    `n_cells` is the size of the public set of cells that noise was added to, empty ones included. Beside the counts may stand
    a noisy `total` and what it gives back, `ratio`; and sums of districts, `levels`, with the counts that `agreed` with them, shape (P,).
    Where `count` is not what noise and threshold leave but what is made of that, `noisy` (P,) is what they leave, and `column` what a
    release calls the one that `count` is.
    """

    zones: npt.NDArray[Any]
    week: str
    parameters: ReleaseParameters | GaussianParameters
    flow: Ints
    count: Floats
    n_cells: int
    total: "WeekTotal | None" = None
    ratio: float = 1.0
    levels: "PublishedLevels | None" = None
    agreed: Floats | None = None
    noisy: Floats | None = None
    column: str = ""

    @property
    def origin(self) -> Ints:
        """Positions of the origins in `zones`."""
        return self.flow // self.zones.size

    @property
    def destination(self) -> Ints:
        """Positions of the destinations in `zones`."""
        return self.flow % self.zones.size


def noise_stream(week: str, *, n_weeks: int) -> str:
    """Return the name of the stream that a week's noise is drawn from: of several weeks that are simulated together each has its own.

    One week alone has one and the same wherever it is drawn, on a page or by a command.
    """
    return NOISE_OF_ONE_WEEK if n_weeks == 1 else f"{NOISE_OF_ONE_WEEK} {week}"


def simulated_release_from_od_matrix(
    matrix: ODMatrix, parameters: ReleaseParameters, rng: np.random.Generator, *, n_weeks: int = 1
) -> SimulatedRelease:
    """Return one simulated release of a matrix that was counted under the same contribution bound.

    Noise goes to every cell of the public set: all ordered pairs of different zones. The same
    generator under other parameters gives the same draws, stretched; but with more than a million cells in all `n_weeks`
    that are simulated, of the empty cells only those that pass the threshold are drawn, by the same law.

    Raises ParameterError if the bounds differ or more cells than can be shown would be published.
    """
    if matrix.max_trips_per_user != parameters.max_trips_per_user:
        raise ParameterError(
            "max_trips_per_user must be the bound the matrix was counted under "
            f"({matrix.max_trips_per_user}), got {parameters.max_trips_per_user}."
        )
    chance = _chance_of_empty(parameters)
    if matrix.n_cells <= _DENSE_CELLS and (matrix.n_cells * n_weeks <= _DENSE_CELLS or chance > _RARE):
        flow, noisy = _noisy_cells(matrix, parameters, rng)
    else:
        flow, noisy = _noisy_flows_and_rare_cells(matrix, parameters, rng)
    # Without a threshold all is published, negative counts too; they are not clamped silently.
    keep = noisy >= parameters.threshold if parameters.threshold else np.ones(noisy.size, dtype=bool)
    return SimulatedRelease(
        zones=matrix.zones,
        week=matrix.week,
        parameters=parameters,
        flow=flow[keep],
        count=noisy[keep],
        n_cells=matrix.n_cells,
    )


def simulated_release_from_units(
    matrix: ODMatrix,
    parameters: GaussianParameters,
    rng: np.random.Generator,
    *,
    levels: "Sequence[Level]" = (),
    capped_total: int = 0,
) -> SimulatedRelease:
    """Return one simulated release with Gaussian noise; the counts of `matrix` are units of 1/1024 of a trip, as clipped.

    Noise goes to every ordered pair of different zones; published are whole trips. `levels` divide the zones, and `capped_total` is
    the number of trips, of each user at most TOTAL_CAP, which a noisy total counts. Raises ParameterError for more cells than a
    release may have.
    """
    from privlab.od.products import FLOWS
    from privlab.od.releases.rehearsed_release import seeded_gaussian
    from privlab.od.simulating.week_draw import drawn_week

    if matrix.n_cells > MAX_SECURE_CELLS:
        raise ParameterError(
            f"zones must make at most {MAX_SECURE_CELLS:,} cells with noise gaussian, the most that a release may have, got "
            f"{matrix.n_cells:,}. Take larger zones."
        )
    cells = FLOWS.all_cells(matrix.zones.size)
    units = np.zeros(cells.size, dtype=np.int64)
    units[np.searchsorted(cells, matrix.flow)] = matrix.count
    draw = drawn_week(
        matrix.week,
        cells,
        units,
        seeded_gaussian(parameters.sigma, rng, total_units=parameters.total_units),
        matrix.zones,
        bound=parameters.max_trips_per_user,
        levels=levels,
        capped_total=capped_total,
    )
    keep = draw.noisy >= parameters.threshold if parameters.threshold else np.ones(cells.size, dtype=bool)
    return SimulatedRelease(
        zones=matrix.zones,
        week=matrix.week,
        parameters=parameters,
        flow=cells[keep],
        count=draw.noisy[keep].astype(np.float64),
        n_cells=matrix.n_cells,
        total=draw.total,
        ratio=draw.ratio,
        levels=draw.levels,
        agreed=draw.agreed(keep) if levels else None,
    )


def _chance_of_empty(parameters: ReleaseParameters) -> float:
    """Return how likely an empty cell is published; without a threshold all are."""
    mechanism = parameters.mechanism
    passes = float(noise_tail(mechanism.noise, mechanism.scale, parameters.threshold))
    return passes if parameters.threshold else 1.0


def _noisy_cells(
    matrix: ODMatrix, parameters: ReleaseParameters, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    n_zones = matrix.zones.size
    true = np.zeros(n_zones * n_zones)
    true[matrix.flow] = matrix.count
    noise = noise_from_uniform(parameters.mechanism, rng.random(true.size))
    off_diagonal = np.arange(true.size) % (n_zones + 1) != 0
    return np.flatnonzero(off_diagonal), (true + noise)[off_diagonal]


def _noisy_flows_and_rare_cells(
    matrix: ODMatrix, parameters: ReleaseParameters, rng: np.random.Generator
) -> tuple[Ints, Floats]:
    """Draw for the non-zero flows, and of the many empty cells only those that pass the threshold."""
    mechanism = parameters.mechanism
    noisy = matrix.count + noise_from_uniform(mechanism, rng.random(matrix.count.size))
    n_empty = matrix.n_cells - matrix.count.size
    chance = _chance_of_empty(parameters)
    if n_empty * chance > MAX_PUBLISHED_CELLS:
        raise ParameterError(
            f"threshold must be higher: at {parameters.threshold} about {n_empty * chance:,.0f} empty cells "
            f"would be published; at most {MAX_PUBLISHED_CELLS:,} can be handled."
        )
    if not parameters.threshold:
        return _noisy_cells(matrix, parameters, rng)
    n_spurious = int(rng.binomial(n_empty, chance))
    spurious = _empty_cells(matrix, n_spurious, rng)
    above = rng.exponential(mechanism.scale, spurious.size)
    excess = np.floor(above) if mechanism.noise == "integer" else above
    flow = np.concatenate([matrix.flow, spurious])
    order = np.argsort(flow, kind="stable")  # two runs, each ascending
    return flow[order], np.concatenate([noisy, parameters.threshold + excess])[order]


def _empty_cells(matrix: ODMatrix, n: int, rng: np.random.Generator) -> Ints:
    """Return n distinct cells off the diagonal whose true count is zero, uniformly, ascending."""
    n_zones = matrix.zones.size
    if 2 * (matrix.count.size + n) > matrix.n_cells:  # too few are left to find them by chance
        cells = np.arange(n_zones * n_zones)
        empty = np.setdiff1d(cells[cells % (n_zones + 1) != 0], matrix.flow, assume_unique=True)
        return np.sort(rng.choice(empty, size=n, replace=False))
    taken: Ints = np.empty(0, dtype=np.int64)
    while taken.size < n:  # no cell is told from another, so that every set of n is as likely
        draw = rng.integers(0, n_zones * n_zones, n - taken.size)
        pool = np.concatenate([taken, draw[draw % (n_zones + 1) != 0]])
        pool.sort()
        first = np.ones(pool.size, dtype=bool)
        first[1:] = pool[1:] != pool[:-1]
        pool = pool[first]
        at = np.searchsorted(pool, matrix.flow)  # few, against many
        is_true = at < pool.size
        is_true[is_true] = pool[at[is_true]] == matrix.flow[is_true]
        taken = np.delete(pool, at[is_true])
    return taken
