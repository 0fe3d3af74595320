"""Unique trips of a week → what every bound would leave of its cells, by each way to clip, before any noise.

Raw counts: nothing here is noisy and nothing here may be published. docs/science.md, section 5.10.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.dp.gaussian import TOTAL_CAP, UNITS, weight_of_trips, weight_with_levels
from privlab.limits import MAX_SECURE_CELLS, MAX_TRIPS_PER_USER
from privlab.od.levels.levels import Level
from privlab.od.levels.trip_weights import districts_of_zones, squares_of_levels
from privlab.od.matrix import Ints, UniqueTrips, cells_and_places, chance_under_bound
from privlab.od.planning.expected_utility import BOUNDS
from privlab.od.smoothing.margins import ZonePositions
from privlab.od.weighing.weighted_counts import trips_of_group
from privlab.progress import UNHEARD, Progress

Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

_DENSE = 20_000_000
_FEW_CELLS = 20_000  # looked at one by one where many releases are compared
_MOST_NUMBERS = 100_000_000  # of cells by bounds: with more, fewer bounds are looked at


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeighedWeek:
    """Cells with a true trip in a week, `people` (C,) in each, `origin` and `destination` (C,) as places among `n_zones` zones.

    Four arrays (B, C) say what each bound L in `bounds` leaves, in trips. If L trips of each person are chosen at random, `kept` is
    the mean of what is left and `spread` its variance. `weighted` is what an L2 clip leaves, and `with_levels` what it
    leaves where sums of `levels` take a part of the weight, None without such sums.

    `capped_total` counts at most TOTAL_CAP trips of each person. `times` (C,) says how many like cells each one stands for;
    None: for itself alone. `positions` are those of the zones, None where unknown. With `only_found` noise goes only to
    cells with a true trip.
    """

    people: Ints
    origin: Ints
    destination: Ints
    n_zones: int
    capped_total: int
    bounds: tuple[int, ...]
    kept: Singles
    spread: Singles
    weighted: Singles
    levels: tuple[Level, ...] = ()
    with_levels: Singles | None = None
    times: Ints | None = None
    positions: ZonePositions | None = None
    only_found: bool = False

    @property
    def n_true(self) -> int:
        """Cells with a true trip."""
        return self.people.size if self.times is None else int(self.times.sum())

    @property
    def n_cells(self) -> int:
        """Cells that noise goes to: all ordered pairs of different zones, or those with a true trip."""
        return self.n_true if self.only_found else self.n_zones * (self.n_zones - 1)

    @property
    def n_empty(self) -> int:
        """Cells without a true trip that noise goes to."""
        return self.n_cells - self.n_true


def weighed_week_from_unique_trips(
    trips: UniqueTrips,
    *,
    week: str,
    group_size: int | None = None,
    levels: Sequence[Level] = (),
    positions: ZonePositions | None = None,
    bounds: Sequence[int] | None = None,
    progress: Progress = UNHEARD,
) -> WeighedWeek:
    """Return what every bound leaves of a week, for a group or everybody; `levels` divide all zones of the trips, in their order.

    `positions` are those of all zones of the trips, by which smoothed counts know their distance; `bounds` are those that may
    serve best unless they are named.

    Raises DataError where nobody in the group made a trip, ParameterError where zones make more cells than a release may have.
    """
    user, flow, _ = trips_of_group(trips, week=week, group_size=group_size)
    n_zones = trips.zones.size
    if n_zones * (n_zones - 1) > MAX_SECURE_CELLS:
        raise ParameterError(
            f"zones must make at most {MAX_SECURE_CELLS:,} cells, the most that a release may have, "
            f"got {n_zones * (n_zones - 1):,}. Take larger zones."
        )
    seen, cell = cells_and_places(flow, n_zones**2)
    of_user = user.astype(np.int32)
    n_of_user = np.bincount(of_user)
    bounds = _bounds(int(n_of_user.max()), seen.size) if bounds is None else tuple(bounds)
    progress.tell(0.4, "Counting under every bound")
    # What a bound leaves of a trip hangs on how many its user has, and on nothing else.
    trips_seen = np.flatnonzero(np.bincount(n_of_user)[1:]) + 1
    kind = np.searchsorted(trips_seen, n_of_user)[of_user]
    pairs, times = _counted(cell * trips_seen.size + kind, seen.size * trips_seen.size)
    cell_of, trips_of = pairs // trips_seen.size, trips_seen[pairs % trips_seen.size]

    def by_bound(of: Callable[[int], Floats]) -> Singles:
        rows = [np.bincount(cell_of, weights=times * of(bound), minlength=seen.size) for bound in bounds]
        return np.asarray(rows, dtype=np.float32)

    def variance(bound: int) -> Floats:
        chance = chance_under_bound(trips_of, bound)
        return chance * (1 - chance)

    origin, destination = np.divmod(seen, n_zones)
    return WeighedWeek(
        people=np.bincount(cell),
        origin=origin,
        destination=destination,
        n_zones=n_zones,
        capped_total=int(np.minimum(n_of_user, TOTAL_CAP).sum()),
        bounds=bounds,
        kept=by_bound(lambda bound: chance_under_bound(trips_of, bound)),
        spread=by_bound(variance),
        weighted=by_bound(lambda bound: weight_of_trips(trips_of, bound) / UNITS),
        levels=tuple(levels),
        with_levels=_with_levels(trips, of_user, flow, cell, bounds, levels) if levels else None,
        positions=positions,
    )


def week_with_like_cells(week: WeighedWeek, row: int) -> WeighedWeek:
    """Return a week under one of its bounds by an L2 clip, cells of nearly equal people and weights put together; small weeks as they are.

    People are equal up to 100, within half a per cent above; the weight left of a trip within 1/400. Origins and destinations are
    those of any of the cells.
    """
    people, mean = week.people, week.weighted[row].astype(np.float64)
    kept, spread = week.kept[row : row + 1], week.spread[row : row + 1]
    if people.size <= _FEW_CELLS:
        return replace(
            week, bounds=week.bounds[row : row + 1], kept=kept, spread=spread, weighted=week.weighted[row : row + 1],
            levels=(), with_levels=None,
        )  # fmt: skip
    size = np.where(people <= 100, people, 100 + np.rint(200 * np.log(people / 100)).astype(np.int64))
    kind = size * 1001 + np.rint(400 * mean / people).astype(np.int64)
    _, first, place, times = np.unique(kind, return_index=True, return_inverse=True, return_counts=True)
    return replace(
        week,
        people=np.rint(np.bincount(place, weights=people) / times).astype(np.int64),
        origin=week.origin[first],
        destination=week.destination[first],
        bounds=week.bounds[row : row + 1],
        kept=kept[:, first],
        spread=spread[:, first],
        weighted=(np.bincount(place, weights=mean) / times)[None].astype(np.float32),
        levels=(),
        with_levels=None,
        times=times.astype(np.int64),
    )


def _counted(pair: Ints, n_pairs: int) -> tuple[Ints, Ints]:
    """Return the numbers that occur, ascending, and how often each does."""
    if n_pairs <= _DENSE:
        dense = np.bincount(pair, minlength=n_pairs)
        found = np.flatnonzero(dense)
        return found, dense[found]
    found, times = np.unique(pair, return_counts=True)
    return found, times.astype(np.int64)


def _with_levels(
    trips: UniqueTrips,
    user: npt.NDArray[np.int32],
    flow: Ints,
    cell: Ints,
    bounds: Sequence[int],
    levels: Sequence[Level],
) -> Singles:
    """Return what an L2 clip leaves of each cell where sums of levels take part of the weight, shape (B, C)."""
    n_of_user = np.bincount(user)
    groups = districts_of_zones(levels, trips.zones.tolist(), trips.zones)
    squares = squares_of_levels(user, flow, trips.zones.size, groups)
    rows = []
    for bound in bounds:
        weight = weight_with_levels(n_of_user, squares, bound)
        rows.append(np.bincount(cell, weights=weight[user]) / UNITS)
    return np.asarray(rows, dtype=np.float32)


def _bounds(most: int, n_cells: int) -> tuple[int, ...]:
    """Return the bounds that clip anyone and one that does not; of very many cells fewer of them, the last always."""
    found = [bound for i, bound in enumerate(BOUNDS) if not i or BOUNDS[i - 1] < most]
    found = [bound for bound in found if bound <= MAX_TRIPS_PER_USER]
    step = 1 + len(found) * n_cells * 4 // _MOST_NUMBERS
    return tuple(sorted({*found[::step], found[-1]}))
