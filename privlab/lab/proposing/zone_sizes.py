"""Rows of own data → what zones of other sizes would be worth: squares, hexagons, or a file's own zones joined to squares.

The pages Data and Plan and the command `plan --zone-sizes` come through here. True data: for the steward alone.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import h3
import numpy as np

from privlab.checks import DataError, ParameterError
from privlab.datasets import Dataset
from privlab.datasets.zone_files import Geography
from privlab.datasets.zone_kinds import MOST_JOINED, JoinedZoning, box_around_positions, box_in_spec
from privlab.figures.wording import words
from privlab.lab.comparing.compare import combinations_from_week, weighed_week_from_trips
from privlab.lab.loading.load import ORDER_SEED, rows_in_zones, trip_source_from_rows
from privlab.lab.planning.plan import advice_from_plan_points, busiest_week, plan_points_from_trips
from privlab.limits import MAX_SECURE_CELLS
from privlab.od.planning import PlanPoint, PlanRequest
from privlab.progress import UNHEARD, Progress

if TYPE_CHECKING:
    from privlab.datasets.zones import Zoning
    from privlab.od import UniqueTrips
    from privlab.od.combining import Combination, CombinationRequest

Box = tuple[float, float, float, float]

SIDES_M = (250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 200_000)
FACTORS = (0.5, 1, 2, 4, 8)  # of the side of squares
_STEPS = (1, 0, -1, -2)  # of the resolution of hexagons, each some 2.6 times as wide as the one before
_JOINED = (1, 2, 4, 8)  # of the squares that join the zones of a file


def spec_of_squares(side_m: float, box: Box) -> str:
    """Return the spec of squares over a box."""
    return f"grid:{side_m:g}:{box_in_spec(round(edge, 6) for edge in box)}"


def n_zones_of_spec(spec: str, place: str, geography: Geography | None = None) -> int:
    """Return how many zones there are; a thousand million where there are too many to be laid."""
    from privlab.datasets.zone_kinds import zoning_from_spec

    try:
        zoning = zoning_from_spec(spec, place=place, table=None, geography=geography)
        return len(zoning.public_zones() or [])
    except ParameterError:  # too many of them
        return 10**9


def proposed_zones_from_positions(geography: Geography) -> str | None:
    """Return the spec of a grid that joins the zones of a zone file: the smallest squares of which half as many hold one, at the most.

    It looks at the zone file alone, which is public. None without positions, and where there are too many or too few to be joined.
    """
    box = box_around_positions(geography)
    if box is None or len(geography.centres) > MOST_JOINED:
        return None
    fewest = max(len(set(geography.centres.values())) / 2, 2)
    specs = [spec_of_squares(side, box) for side in SIDES_M]
    return next((spec for spec in specs if 1 < _n_joined(spec, geography) <= fewest), None)


def _n_joined(spec: str, geography: Geography) -> int:
    """Return how many zones of a boxed grid hold a position of a zone file."""
    from privlab.datasets.zone_kinds import zoning_from_spec

    try:
        zoning = zoning_from_spec(spec, place="zone", table=None, geography=geography)
    except ParameterError:  # too many zones
        return 10**9
    assert isinstance(zoning, JoinedZoning)
    return len(set(zoning.zone_of_id.values()))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ZoneSize:
    """One size of zones, and the most useful release within the accepted risk; `point` None if nothing is of use.

    `size` says how large they are; `side_m` is that of a square, the mean edge of a hexagon, None for others. Of `n_zones` only
    `n_held` hold a station of the zone file, `of_stations`, or else a trip; None where that is not known.
    `best` is the best release for one promise, whatever its noise, clip, total or levels; None where none was asked for, or none is left.
    """

    zones: str
    size: str
    side_m: float | None
    n_zones: int
    point: PlanPoint | None
    best: "Combination | None" = None
    n_held: int | None = None
    of_stations: bool = False

    @property
    def n_zones_words(self) -> str:
        """How many zones there are, and how many of them hold anything, where not all do.

        >>> ZoneSize(zones="", size="", side_m=None, n_zones=36, point=None, n_held=16, of_stations=True).n_zones_words
        '36, 16 of them with a station'
        """
        if self.n_held is None or self.n_held == self.n_zones:
            return f"{self.n_zones:,}"
        what = "station" if self.of_stations else "trip"
        return f"{self.n_zones:,}, {self.n_held:,} of them with a {what}"

    @property
    def utility(self) -> float:
        """Share of trips expected in flows published close to the truth; 0 where nothing useful is left."""
        return 0.0 if self.point is None else self.point.utility

    @property
    def use_words(self) -> str:
        """The same in per cent, never rounded up."""
        return "0.0%" if self.point is None else self.point.use_words


def specs_of_sizes(
    zones: str, geography: Geography | None = None, factors: tuple[float, ...] = FACTORS
) -> list[tuple[str, str, float | None]]:
    """Return zones of other sizes, those that are there among them: spec, size in words, and side or edge in metres.

    Squares and fields over a box are made larger and smaller by the `factors`, hexagons by their resolution; a file's own zones are joined
    to squares, where `geography` says where they lie. Empty for zones of another kind, which nobody can make larger.

    >>> [size for _, size, _ in specs_of_sizes("h3:8:59.28,17.93,59.39,18.17")]
    ['hexagons of 201 m edge', 'hexagons of 531 m edge', 'hexagons of 1.41 km edge', 'hexagons of 3.72 km edge']
    """
    kind, _, rest = zones.partition(":")
    first, _, box = rest.partition(":")
    if kind == "grid" and box:
        # Others have whole metres, as the page asks for them.
        sides = [first if factor == 1 else str(round(float(first) * factor)) for factor in factors]
        return [(f"grid:{side}:{box}", words.length(float(side)), float(side)) for side in sides]
    if kind == "h3" and box:
        found: list[tuple[str, str, float | None]] = []
        for resolution in (int(first) + step for step in _STEPS):
            if 0 <= resolution <= 15:
                edge = h3.average_hexagon_edge_length(resolution, unit="m")
                found.append((f"h3:{resolution}:{box}", f"hexagons of {words.length(edge)} edge", edge))
        return found
    if kind == "box":
        rows, columns = (int(one) for one in box.split("x"))
        counts = [tuple(max(1, round(one / factor)) for one in (rows, columns)) for factor in factors]
        return [(f"box:{first}:{high}x{wide}", f"{high} by {wide} fields", None) for high, wide in counts]
    squares = None if kind != "column" or geography is None else proposed_zones_from_positions(geography)
    if squares is None:
        return []
    _, side, box = squares.split(":")
    joined = [float(side) * factor for factor in _JOINED]
    own: list[tuple[str, str, float | None]] = [(zones, "the file's own zones", None)]
    return own + [(f"grid:{one:g}:{box}", f"joined in squares of {words.length(one)}", one) for one in joined]


def can_be_resized(zones: str, geography: Geography | None = None) -> bool:
    """Return whether specs_of_sizes has any other sizes, without laying zones: a page asks each time that it is drawn.

    >>> can_be_resized("h3:8:59.28,17.93,59.39,18.17"), can_be_resized("grid:500"), can_be_resized("column")
    (True, False, False)
    """
    kind = zones.partition(":")[0]
    if kind in ("grid", "h3", "box"):
        return zones.count(":") == 2
    if kind != "column" or geography is None:
        return False
    return len(set(geography.centres.values())) > 1 and len(geography.centres) <= MOST_JOINED


def zone_sizes_from_rows(
    dataset: Dataset,
    zones: str,
    request: PlanRequest,
    *,
    geography: Geography | None = None,
    factors: tuple[float, ...] = FACTORS,
    promise: "CombinationRequest | None" = None,
    progress: Progress = UNHEARD,
) -> tuple[ZoneSize, ...]:
    """Return what zones of other sizes would be worth, as specs_of_sizes has them. With a `promise`, its best release at each, too.

    `geography` says where the file's own ids lie. Sizes of too many zones, or of a single one, are left out. Raises
    ParameterError for zones that cannot be made larger.
    """
    specs = specs_of_sizes(zones, geography, factors)
    if not specs:
        raise ParameterError(
            "zones must lie over a box (grid:METRES:S,W,N,E, h3:RESOLUTION:S,W,N,E or box:S,W,N,E:ROWSxCOLUMNS), or be the ids of a file "
            f"whose places are known, to be made larger, got {zones!r}."
        )
    found = []
    for number, (spec, size, side) in enumerate(specs):
        progress.tell(number / len(specs), "Cutting the data into zones of other sizes")
        n_zones = n_zones_of_spec(spec, dataset.place, geography)
        if n_zones > 1 and n_zones * (n_zones - 1) <= MAX_SECURE_CELLS:
            inside, zoning = rows_in_zones(dataset, spec, geography)
            trips = _trips_in_zones(inside, zoning)
            point, best = (None, None) if trips is None else _best_of_size(trips, zoning, request, promise)
            n_held, of_stations = _zones_held(trips, zoning)
            found.append(
                ZoneSize(
                    zones=spec,
                    size=size,
                    side_m=side,
                    n_zones=n_zones,
                    point=point,
                    best=best,
                    n_held=n_held,
                    of_stations=of_stations,
                )
            )
    return tuple(found)


def _trips_in_zones(dataset: Dataset, zoning: "Zoning") -> "UniqueTrips | None":
    """Return the trips between zones; None where nobody moves between zones so large."""
    from privlab.od.trips import TripTables, unique_trips_from_trip_tables

    source = trip_source_from_rows(dataset, zoning)
    if not isinstance(source, TripTables):
        return None
    try:
        return unique_trips_from_trip_tables(source, seed=ORDER_SEED)
    except DataError:
        return None


def _zones_held(trips: "UniqueTrips | None", zoning: "Zoning") -> tuple[int | None, bool]:
    """Return how many zones hold a station, of zones that join them, or else a trip; and whether it is stations."""
    if isinstance(zoning, JoinedZoning):
        return len(set(zoning.zone_of_id.values())), True
    if trips is None:
        return None, False
    flows = np.unique(trips.flow)
    return int(np.union1d(flows // trips.zones.size, flows % trips.zones.size).size), False


def _best_of_size(
    trips: "UniqueTrips", zoning: "Zoning", request: PlanRequest, promise: "CombinationRequest | None"
) -> "tuple[PlanPoint | None, Combination | None]":
    from privlab.od.combining import best_combination

    try:
        points = plan_points_from_trips(trips, request, is_public=zoning.public_zones() is not None)
    except DataError:
        return None, None
    advice = advice_from_plan_points(points, request)
    point = advice.recommended or advice.best_allowed
    if promise is None:
        return point, None
    where = zoning.zone_map(trips.zones.tolist())
    week = weighed_week_from_trips(trips, where, zoning.public_zones(), week=busiest_week(trips))
    return point, best_combination(combinations_from_week(week, promise))
