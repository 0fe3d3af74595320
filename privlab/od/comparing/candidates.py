"""A mechanism but for its bound, and true counts → the bound and the share for the total that serve it best.

Figures of true data: the best bound was found by looking at it. docs/science.md, section 5.1.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between, require_whole
from privlab.defaults import CLOSE, USUAL_DELTA
from privlab.dp.gaussian import TOTAL_CAP, UNITS, sigma_from_promise, units_of_total
from privlab.limits import (
    MAX_EPSILON,
    MAX_PUBLISHED_CELLS,
    MAX_TARGET_DELTA,
    MAX_THRESHOLD,
    MIN_EPSILON,
    MIN_TARGET_DELTA,
)
from privlab.od.matrix import Ints, UniqueTrips, cells_and_places
from privlab.od.planning.expected_utility import BOUNDS
from privlab.od.releases.release_noise import published_variance
from privlab.od.usefulness.estimates import greatest_ratio
from privlab.od.weighing.expected_counts import Law, expected_within
from privlab.od.weighing.weighted_counts import kept_counts, trips_of_group, weighted_counts

Floats = npt.NDArray[np.float64]

MAX_COMPARED_DRAWS = 200
_TOTAL_SHARES = (0.003, 0.01, 0.03, 0.1, 0.3)  # of ε, or of the squared norm, that may go to the total
# Trips of one user that the Gaussian promise covers; further ones are left out at random.
_LONGEST_WEEK = 1_000
_LOOKED_AT = 3  # bounds
_TOTALS = 41  # pairs of noises on the total and on the sum of all counts, each as likely


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonParameters:
    """One promise, (`epsilon`, `delta`) to all that a user does in a week, kept by every mechanism alike.

    `threshold` is on the noisy number, 0 publishes all cells; `tolerance` the share by which a published flow may be off and still
    counts as right; `draws` how often each mechanism is drawn.
    """

    epsilon: float
    delta: float = USUAL_DELTA
    threshold: int = 1
    tolerance: float = CLOSE
    draws: int = 10

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)
        require_whole("threshold", self.threshold, 0, MAX_THRESHOLD)
        require_between("tolerance", self.tolerance, 0, 1)
        require_whole("draws", self.draws, 1, MAX_COMPARED_DRAWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A mechanism but for its bound."""

    name: str
    gaussian: bool
    weighted: bool = False
    unbiased: bool = False
    smoothed: bool = False


FAMILIES = (
    Family(name="integer", gaussian=False),
    Family(name="integer, unbiased", gaussian=False, unbiased=True),
    Family(name="gaussian", gaussian=True),
    Family(name="gaussian, l2", gaussian=True, weighted=True),
    Family(name="gaussian, l2, unbiased", gaussian=True, weighted=True, unbiased=True),
    Family(
        name="gaussian, l2, unbiased, smoothed", gaussian=True, weighted=True, unbiased=True, smoothed=True
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """The trips of a group in a week: per trip `user`, `cell` (a place in the cells with a trip), `rank`.

    `place` are the cells with a trip, as places among all cells off the diagonal; `true` their counts.
    """

    user: Ints
    cell: Ints
    rank: Ints
    place: Ints
    true: Ints
    n_zones: int
    signals: dict[tuple[bool, int], Floats] = field(default_factory=dict)

    def signal(self, *, weighted: bool, bound: int) -> Floats:
        """Return what a bound leaves of the cells with a trip, in trips; worked out once."""
        if (weighted, bound) not in self.signals:
            size = self.true.size
            self.signals[weighted, bound] = (
                weighted_counts(self.user, self.cell, size, bound) / UNITS
                if weighted
                else kept_counts(self.rank, self.cell, size, bound).astype(np.float64)
            )
        return self.signals[weighted, bound]

    @property
    def n_cells(self) -> int:
        """Cells in all, empty ones included."""
        return self.n_zones * (self.n_zones - 1)

    @property
    def n_true(self) -> int:
        """Cells with a trip."""
        return int(self.true.size)

    @property
    def n_empty(self) -> int:
        """Cells without one."""
        return self.n_cells - self.n_true

    @property
    def capped_total(self) -> int:
        """The number of trips, of each user at most TOTAL_CAP."""
        return int(np.minimum(np.bincount(self.user), TOTAL_CAP).sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidate:
    """A mechanism with its bound and, where unbiased, the share spent on the total.

    `law` says what its bound leaves, what noise it gets, and what a total gives back; `expected` is the expected share.
    """

    family: Family
    bound: int
    law: Law
    expected: float


def counts_of_group(trips: UniqueTrips, *, week: str, group_size: int | None) -> Counts:
    """Return the trips of a group in a week. Raises DataError without any, ParameterError with too many cells."""
    user, flow, rank = trips_of_group(trips, week=week, group_size=group_size)
    n_zones = trips.zones.size
    if n_zones * (n_zones - 1) > MAX_PUBLISHED_CELLS:
        raise ParameterError(
            f"zones must make at most {MAX_PUBLISHED_CELLS:,} cells to be compared, "
            f"got {n_zones * (n_zones - 1):,}."
        )
    seen, cell = cells_and_places(flow, n_zones**2)
    short = rank < _LONGEST_WEEK
    # Row by row, without the diagonal: zone pair (o, d) is cell o·(Z − 1) + d, less one beyond the diagonal.
    origin, destination = np.divmod(seen, n_zones)
    return Counts(
        user=cells_and_places(user[short], trips.n_users)[1],
        cell=cell[short],
        rank=rank[short],
        place=origin * (n_zones - 1) + destination - (destination > origin),
        true=np.bincount(cell, minlength=seen.size),
        n_zones=n_zones,
    )


def _bounds(counts: Counts) -> tuple[int, ...]:
    most = int(counts.rank.max()) + 1
    return tuple(bound for i, bound in enumerate(BOUNDS) if not i or BOUNDS[i - 1] < most)


def best_candidates(
    counts: Counts, parameters: ComparisonParameters, family: Family
) -> tuple[Candidate, ...]:
    """Return the candidate that is expected to serve best under each bound that is looked at, the best of all first.

    Where a total is to be bought, only the bounds that would serve best with a total for nothing are looked at.
    """
    bounds = _bounds(counts)
    if family.unbiased:
        free = {bound: _candidate(counts, parameters, family, bound, 0.0).expected for bound in bounds}
        bounds = tuple(sorted(bounds, key=lambda bound: -free[bound])[:_LOOKED_AT])
    shares = _TOTAL_SHARES if family.unbiased else (0.0,)
    best = (
        max(
            (_candidate(counts, parameters, family, bound, share) for share in shares),
            key=lambda one: one.expected,
        )
        for bound in bounds
    )
    return tuple(sorted(best, key=lambda one: -one.expected))


def _candidate(
    counts: Counts, parameters: ComparisonParameters, family: Family, bound: int, share: float
) -> Candidate:
    scale, deviation = _scales(family, parameters, bound, share)
    law = law_of_family(counts, family, bound, scale, deviation, threshold=parameters.threshold)
    return Candidate(
        family=family,
        bound=bound,
        law=law,
        expected=expected_within(counts.true, law, parameters.tolerance, n_totals=_TOTALS),
    )


def law_of_family(
    counts: Counts, family: Family, bound: int, scale: float, total_deviation: float, *, threshold: int
) -> Law:
    """Return how a mechanism publishes the counts: `scale` as in certificates, `total_deviation` in trips, 0 where the total is known."""
    noise = "gaussian" if family.gaussian else "integer"
    most = greatest_ratio(bound) if family.weighted else max(1.0, TOTAL_CAP / bound)
    return Law(
        noise=noise,
        scale=scale,
        threshold=threshold,
        mean=counts.signal(weighted=family.weighted, bound=bound),
        spread=None,
        deviation=math.sqrt(published_variance(noise, scale)),
        n_cells=counts.n_cells,
        capped_total=counts.capped_total,
        total_deviation=total_deviation if family.unbiased else None,
        most_given_back=most,
    )


def _scales(
    family: Family, parameters: ComparisonParameters, bound: int, share: float
) -> tuple[float, float]:
    """Return the scale of the noise on a cell, as in certificates, and the standard deviation of that on the total, in trips."""
    if not family.gaussian:
        on_total = math.sqrt(2) * TOTAL_CAP / (share * parameters.epsilon) if share else 0.0
        return bound / (parameters.epsilon * (1 - share)), on_total
    most = max(_LONGEST_WEEK, bound) if family.weighted else bound
    if not share:
        return sigma_from_promise(parameters.epsilon, parameters.delta, bound, most_trips=most), 0.0
    # The total has the same noise as a cell; a trip counts so many units in it.
    units = units_of_total(share, bound)
    total = (units, TOTAL_CAP)
    sigma = sigma_from_promise(parameters.epsilon, parameters.delta, bound, most_trips=most, total=total)
    return sigma, sigma / units
