"""What it costs to hide two fingerprints in one another: the definition, in exact fractions, slow and obvious.

The search in neighbours.py must give what this file gives; nothing here is fast.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from privlab.checks import ParameterError, require_between, require_whole
from privlab.defaults import DEFAULT_MAX_KM, DEFAULT_MAX_MIN
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.limits import MAX_KM, MAX_MIN, MAX_STRETCH_UNITS, MIN_KM, MIN_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchUnits:
    """The sample distance in whole numbers: 1 is `one`, a cell `per_cell`, a minute `per_min`.

    No spatial part is above `most_space`, no temporal part above `most_time`.
    """

    one: int
    per_cell: int
    per_min: int
    most_space: int
    most_time: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StretchParameters:
    """How far two samples are from one another.

    d = space_weight·min(L1 / max_km, 1) + time_weight·min(|Δt| / max_min, 1), with the taxicab distance L1.
    """

    max_km: float = DEFAULT_MAX_KM
    max_min: int = DEFAULT_MAX_MIN
    space_weight: float = 0.5
    time_weight: float = 0.5

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("max_km", self.max_km, MIN_KM, MAX_KM)
        require_whole("max_min", self.max_min, 1, MAX_MIN)
        require_between("space_weight", self.space_weight, MIN_WEIGHT, 1)
        require_between("time_weight", self.time_weight, MIN_WEIGHT, 1)

    def units(self, cell_m: int) -> StretchUnits:
        """Return the distance in whole numbers for cells of a size.

        Raises ParameterError if the numbers would be too large. At 100 m the defaults give
        4800·d = 12·min(L1, 200 cells) + 5·min(|Δt|, 480 min).

        >>> StretchParameters().units(100)
        StretchUnits(one=4800, per_cell=12, per_min=5, most_space=2400, most_time=2400)
        """
        space, time, most_m = (
            Fraction(str(float(number))) for number in (self.space_weight, self.time_weight, self.max_km)
        )
        per_cell, per_min = space * cell_m / (most_m * 1000), time / int(self.max_min)
        one = lcm(*(part.denominator for part in (space, time, per_cell, per_min)))
        if (space + time) * one > MAX_STRETCH_UNITS:
            raise ParameterError(
                f"max_km, max_min and weights must have simpler proportions: {self.max_km:g} km, "
                f"{self.max_min:g} min, {self.space_weight:g} and {self.time_weight:g} "
                f"need steps of 1/{one:,} for exact figures."
            )
        return StretchUnits(
            one=one,
            per_cell=int(per_cell * one),
            per_min=int(per_min * one),
            most_space=int(space * one),
            most_time=int(time * one),
        )


Sample = tuple[int, int, int]  # x, y, t
Parts = tuple[int, int]  # spatial and temporal part of a sample distance, in units


def samples_of_user(fingerprints: Fingerprints, user: int) -> list[Sample]:
    """Return the samples of a user, by position, in order."""
    part = slice(int(fingerprints.offsets[user]), int(fingerprints.offsets[user + 1]))
    columns = (fingerprints.x[part], fingerprints.y[part], fingerprints.t[part])
    return list(zip(*(column.tolist() for column in columns), strict=True))


def sample_distance(one: Sample, other: Sample, units: StretchUnits) -> Parts:
    """Return the spatial and the temporal part of the distance of two samples."""
    # Gramaglia and Fiore 2015, Eq. (1) to (3), times `units.one`.
    cells, minutes = abs(one[0] - other[0]) + abs(one[1] - other[1]), abs(one[2] - other[2])
    return min(units.per_cell * cells, units.most_space), min(units.per_min * minutes, units.most_time)


def stretches(query: list[Sample], other: list[Sample], units: StretchUnits) -> list[Parts]:
    """Return, for each sample of the longer fingerprint, the distance to the nearest of the shorter one.

    Of two of one length the query's is taken for the longer. Of samples equally near, the one with the
    smaller temporal part counts.
    """
    longer, shorter = (query, other) if len(query) >= len(other) else (other, query)
    return [
        min((sample_distance(mine, theirs, units) for theirs in shorter), key=lambda d: (sum(d), d[1]))
        for mine in longer
    ]


def fingerprint_distance(query: list[Sample], other: list[Sample], units: StretchUnits) -> Fraction:
    """Return the mean of the longer fingerprint's sample distances, exactly."""
    # Gramaglia and Fiore 2015, Eq. (4).
    parts = stretches(query, other, units)
    return Fraction(sum(map(sum, parts)), units.one * len(parts))


def nearest_others(
    fingerprints: Fingerprints, user: int, k: int, parameters: StretchParameters
) -> list[tuple[Fraction, int]]:
    """Return the k − 1 nearest others of a user, as distance and position; of equals the lesser id first."""
    units = parameters.units(fingerprints.cell_m)
    mine = samples_of_user(fingerprints, user)
    others = (other for other in range(fingerprints.n_users) if other != user)
    distances = [
        (fingerprint_distance(mine, samples_of_user(fingerprints, other), units), other) for other in others
    ]
    return sorted(distances)[: k - 1]


def k_gap(fingerprints: Fingerprints, user: int, k: int, parameters: StretchParameters) -> Fraction | None:
    """Return the mean distance to the k − 1 nearest others, None with fewer than k users."""
    # Gramaglia and Fiore 2015, Eq. (5).
    nearest = nearest_others(fingerprints, user, k, parameters)
    if len(nearest) < k - 1:
        return None
    return sum((distance for distance, _ in nearest), Fraction(0)) / (k - 1)
