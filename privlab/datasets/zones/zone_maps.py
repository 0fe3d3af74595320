"""What a zoning is, and where its zones lie.

Knows nothing of how places become zones: that is in zone_kinds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pyarrow as pa

Floats = npt.NDArray[np.float64]
Ring = list[tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ZoneMap:
    """Where zones lie: ids, centres in degrees (NaN where unknown), outlines and names.

    `zones` has shape (Z,); `lat` and `lon` have shape (Z,), float64; `outlines[i]` is a list of
    closed rings of (lon, lat) pairs, or None; `names[i]` is what a reader calls the zone. Zones of data in metres, which say
    nowhere on earth, lie around 0° N 0° E, at their true distances; `on_earth` is then False.
    """

    zones: npt.NDArray[Any]
    lat: Floats
    lon: Floats
    outlines: tuple[list[Ring] | None, ...]
    names: tuple[str, ...]
    on_earth: bool = True

    @property
    def located(self) -> bool:
        """Whether at least one zone has a position."""
        return bool(np.isfinite(self.lat).any())


class Zoning(Protocol):
    """A division of places into zones."""

    @property
    def spec(self) -> str:
        """Return the zoning as the command line spells it."""
        ...

    @property
    def places(self) -> tuple[str, ...]:
        """Return the kinds of place it can divide: "latlon", "xy", "zone"."""
        ...

    @property
    def outside(self) -> Callable[[Floats, Floats], pa.Array] | None:
        """Return what places whole blocks of coordinates outside the database, or None if it can inside.

        Takes two float64 arrays and returns zones, NULL outside all of them.
        """
        ...

    def zone_from_place(self, first: ir.Value, second: ir.Value | None) -> ir.Value:
        """Return the zone of (lat, lon), (x, y) or (zone id, None) columns; NULL outside."""
        ...

    def public_zones(self) -> list[Any] | None:
        """Return all zones there are, ascending, or None if only the data can tell."""
        ...

    def zone_map(self, zones: Sequence[Any]) -> ZoneMap:
        """Return where the given zones lie, in the order given."""
        ...
