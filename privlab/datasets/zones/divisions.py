"""Zones → the districts that they lie in: blocks of neighbours, larger hexagons, or a column of the zone file.

Knows zones and where they lie, nothing of who was in them: a division is public.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.datasets.zones.zone_maps import Floats, ZoneMap

MAX_SIDES = 100  # blocks from south to north, and from west to east


def blocks_from_positions(lat: Floats, lon: Floats, sides: int) -> npt.NDArray[np.int64]:
    """Return the number of a block for each zone, shape (Z,): bands from south to north, each cut from west to east.

    All have about as many zones. Zones without a position are in none (−1).

    >>> blocks_from_positions(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), 2).tolist()
    [0, 1, 2, 3]
    """
    found = np.full(lat.size, -1, dtype=np.int64)
    located = np.flatnonzero(np.isfinite(lat) & np.isfinite(lon))
    for band, zones in enumerate(np.array_split(located[np.argsort(lat[located], kind="stable")], sides)):
        for part, some in enumerate(np.array_split(zones[np.argsort(lon[zones], kind="stable")], sides)):
            found[some] = band * sides + part
    return found


def division_from_spec(
    spec: str, zone_map: ZoneMap, columns: Mapping[str, Mapping[Any, str]]
) -> tuple[str, ...]:
    """Return the name of the district of each zone of a map, in its order.

    Parameters
    ----------
    spec : str
        `blocks:N` (N by N blocks of neighbouring zones, by position), `h3:R` (hexagons of resolution R that hold those of
        the zones) or the name of a column of the zone file.
    zone_map : ZoneMap
    columns : mapping of str to mapping
        The further columns of the zone file, by zone.

    Raises
    ------
    ParameterError
        If the spec cannot be read, or a zone lies in no district.
    """
    kind, _, rest = spec.strip().partition(":")
    if kind == "blocks" and rest:
        return _blocks(spec, rest, zone_map)
    if kind == "h3" and rest:
        return _hexagons(spec, rest, zone_map.zones.tolist())
    if spec not in columns:
        known = ", ".join(sorted(columns)[:8]) or "none beside zones and positions, or too many to be kept"
        raise ParameterError(
            f"levels must be blocks:N, h3:RESOLUTION or a column of the zone file, got {spec[:40]!r}; its columns are {known[:200]}."
        )
    named = columns[spec]
    for zone in zone_map.zones.tolist():
        if not named.get(zone):
            raise ParameterError(
                f"levels must name a district for each zone, but column {spec[:40]!r} of the zone file has none for {zone!r}."
            )
    return tuple(named[zone] for zone in zone_map.zones.tolist())


def _blocks(spec: str, rest: str, zone_map: ZoneMap) -> tuple[str, ...]:
    sides = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 4 else 0
    if not 2 <= sides <= MAX_SIDES:
        raise ParameterError(f"levels must be blocks:N with N from 2 to {MAX_SIDES}, got {spec[:40]!r}.")
    number = blocks_from_positions(zone_map.lat, zone_map.lon, sides)
    if (number < 0).any():
        zone = zone_map.zones.tolist()[int(np.argmax(number < 0))]
        raise ParameterError(
            f"levels {spec!r} need the position of every zone, but where {zone!r} lies is not known. Name zone positions, or "
            "a column of the zone file."
        )
    return tuple(f"{n // sides + 1}-{n % sides + 1}" for n in number.tolist())


def _hexagons(spec: str, rest: str, zones: Sequence[Any]) -> tuple[str, ...]:
    import h3

    size = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 3 else -1
    if not all(isinstance(zone, str) and h3.is_valid_cell(zone) for zone in zones):
        raise ParameterError(f"levels {spec[:40]!r} go with zones that are H3 hexagons, got others.")
    if not 0 <= size < min(h3.get_resolution(zone) for zone in zones):
        raise ParameterError(
            f"levels must be h3:RESOLUTION, smaller than that of the zones, got {spec[:40]!r}."
        )
    return tuple(h3.cell_to_parent(zone, size) for zone in zones)
