"""Public zones → where they lie, and the districts of a release: one way for the page Publish and the command `release`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from privlab.checks import ParameterError
from privlab.datasets.zones import ZoneMap, Zoning, division_from_spec
from privlab.od.levels import Level
from privlab.od.smoothing import ZonePositions

_PLACES = 5  # decimals of a degree: a metre


def levels_from_zone_map(
    specs: Sequence[str],
    public_zones: Sequence[Any] | None,
    zone_map: ZoneMap,
    columns: Mapping[str, Mapping[Any, str]] | None = None,
) -> tuple[Level, ...]:
    """Return the levels of a release over public zones that lie where a map says, from the lowest up.

    Raises ParameterError for zones that only the data knows, and as `division_from_spec`.
    """
    if not specs:
        return ()
    if not public_zones:
        raise ParameterError(
            "levels must be of zones that are known without the data: name them by a box, a file of polygons or zone "
            "positions."
        )
    zones = sorted(public_zones)
    place = {zone: i for i, zone in enumerate(zone_map.zones.tolist())}
    if any(zone not in place for zone in zones):
        raise ParameterError("levels need the position of every zone, but not all of them are on the map.")
    rows = np.array([place[zone] for zone in zones])
    of_release = replace(
        zone_map,
        zones=zone_map.zones[rows],
        lat=zone_map.lat[rows],
        lon=zone_map.lon[rows],
        outlines=tuple(zone_map.outlines[row] for row in rows),
        names=tuple(zone_map.names[row] for row in rows),
    )
    return tuple(
        Level(name=spec.strip(), of=division_from_spec(spec, of_release, columns or {})) for spec in specs
    )


def levels_from_zoning(specs: Sequence[str], zoning: Zoning) -> tuple[Level, ...]:
    """Return the levels of a release over a zoning's public zones; columns are those of its zone file."""
    zones = zoning.public_zones()
    geography = getattr(zoning, "geography", None)
    columns = {} if geography is None else geography.columns
    return levels_from_zone_map(specs, zones, zoning.zone_map(sorted(zones or ())), columns)


def positions_from_zone_map(public_zones: Sequence[Any] | None, zone_map: ZoneMap) -> ZonePositions | None:
    """Return where the public zones of a release lie, in their order; None unless a map says it of every one."""
    if not public_zones:
        return None
    place = {zone: i for i, zone in enumerate(zone_map.zones.tolist())}
    rows = [place[zone] for zone in sorted(public_zones) if zone in place]
    lat, lon = np.asarray(zone_map.lat)[rows], np.asarray(zone_map.lon)[rows]
    if len(rows) < len(public_zones) or not (np.isfinite(lat).all() and np.isfinite(lon).all()):
        return None
    return ZonePositions(lat=tuple(lat.round(_PLACES).tolist()), lon=tuple(lon.round(_PLACES).tolist()))


def positions_from_zoning(zoning: Zoning) -> ZonePositions | None:
    """Return where a zoning's public zones lie, in the order of a release; None unless it says it of every one."""
    zones = zoning.public_zones()
    return positions_from_zone_map(zones, zoning.zone_map(sorted(zones or ())))
