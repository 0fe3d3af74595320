"""The file's own zone ids, joined to larger zones by where a zone file says that they lie.

Which ids are together follows from the zone file and the named box alone: no row of the data moves one.
"""

import csv
import hashlib
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np

from privlab.checks import ParameterError
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_kinds.boxed_zones import BoxedGridZoning, BoxedH3Zoning
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.datasets.zone_kinds.proposed_box import on_one_side
from privlab.datasets.zones.zone_maps import ZoneMap
from privlab.safe_text import csv_text

MOST_JOINED = 5_000  # ids: the database looks each row's up among all of them
_ROUNDED = 100  # parts of a degree that a proposed box is rounded outwards to
Box = tuple[float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class JoinedZoning:
    """Zones of `division`, a grid or hexagons over a box, each of which takes the place of the ids that lie in it.

    An id that the zone file does not know, or gives no position in the box, is in no zone.
    """

    own: ColumnZoning
    division: BoxedGridZoning | BoxedH3Zoning

    places = ("zone",)
    outside = None

    def __post_init__(self) -> None:
        """Check that there are positions, and not too many."""
        if not self._centres:
            raise ParameterError("zones over the file's own ids must have a zone file with positions.")
        if len(self._centres) > MOST_JOINED:
            raise ParameterError(
                f"zones over the file's own ids must be of at most {MOST_JOINED:,} ids, got {len(self._centres):,}. Take zones column."
            )

    @property
    def spec(self) -> str:
        """Return the spec of the division."""
        return self.division.spec

    @property
    def _centres(self) -> dict[Any, tuple[float, float]]:
        return {} if self.own.geography is None else dict(self.own.geography.centres)

    @cached_property
    def zone_of_id(self) -> dict[Any, Any]:
        """The zone of every id that lies in one."""
        ids = sorted(self._centres)
        lat, lon = np.array([self._centres[one] for one in ids], dtype=np.float64).T
        zones = zip(ids, self.division.zones_at(lat, lon), strict=True)
        return {one: zone for one, zone in zones if zone is not None}

    @property
    def digest(self) -> str:
        """What tells two zone files with the same box apart."""
        return hashlib.blake2b(repr(sorted(self.zone_of_id.items())).encode(), digest_size=16).hexdigest()

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the zone that an id lies in; NULL where it lies in none."""
        known = self.zone_of_id
        kind = dt.string if isinstance(self.division, BoxedH3Zoning) else dt.int64
        if not known:
            return ibis.null(kind)
        found = ibis.map(ibis.array(list(known)), ibis.array(list(known.values())))
        return found.get(self.own.zone_from_place(first, second)).cast(kind)

    def public_zones(self) -> list[Any]:
        """Return all zones of the division, those without an id too."""
        return list(self.division.public_zones())

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return where zones of the division lie."""
        return self.division.zone_map(zones)


def csv_of_joined_ids(zoning: JoinedZoning) -> str:
    """Return which id lies in which zone, as CSV in the order of the zone file; the zone is empty for an id that lies in none.

    It follows from the zone file and the box alone: who was counted plays no part in it.
    """
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("id", "zone"))
    for one in zoning._centres:
        zone = zoning.zone_of_id.get(one, "")
        rows.writerow([csv_text(name) if isinstance(name, str) else name for name in (one, zone)])
    return out.getvalue()


def box_around_positions(geography: Geography) -> Box | None:
    """Return south, west, north and east around the positions of a zone file, outwards in hundredths of a degree; None without any.

    No box crosses the antimeridian: of a region on both sides of it, the box is around the side with more positions.

    >>> box_around_positions(Geography(zones=["a", "b"], centres={"a": (45.004, 7.5), "b": (45.11, 7.001)}))
    (45.0, 7.0, 45.12, 7.51)
    """
    known = np.array([place for place in geography.centres.values() if all(map(math.isfinite, place))])
    if not known.size:
        return None
    lat, lon = known[on_one_side(known[:, 1], np.ones(len(known), dtype=np.int64))].T.tolist()
    low = [_hundredth_not_above(min(axis)) for axis in (lat, lon)]
    # What lies on the north or east edge is outside.
    high = [_hundredth_above(max(axis)) for axis in (lat, lon)]
    return max(low[0], -90.0), max(low[1], -180.0), min(high[0], 90.0), min(high[1], 180.0)


def _hundredth_not_above(degrees: float) -> float:
    """Return the largest hundredth of a degree that is not above a number, of which a product may be rounded to either side.

    >>> _hundredth_not_above(45.019999999999996), _hundredth_not_above(67.46), _hundredth_not_above(-7.001)
    (45.01, 67.46, -7.01)
    """
    near = round(degrees * _ROUNDED)
    return max(n / _ROUNDED for n in (near - 1, near) if n / _ROUNDED <= degrees)


def _hundredth_above(degrees: float) -> float:
    """Return the smallest hundredth of a degree above a number.

    >>> _hundredth_above(45.1), _hundredth_above(45.019999999999996), _hundredth_above(67.46)
    (45.11, 45.02, 67.47)
    """
    return (round(_hundredth_not_above(degrees) * _ROUNDED) + 1) / _ROUNDED
