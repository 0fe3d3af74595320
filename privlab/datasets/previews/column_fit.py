"""What a column could be, by what stands in it.

A look at some rows only: it narrows what is offered and decides nothing.
"""

import re
from collections.abc import Iterable

from privlab.datasets.times.shapes import reading_from_shape

_WHOLE = re.compile(r"[-+]?\d+")
_DECIMAL = re.compile(r"[-+]?\d*[.,]\d+([eE][-+]?\d+)?")
_IDS = ("user_id", "zone", "area", "origin", "destination")
_TIMES = ("timestamp", "date")
_LATITUDES = ("lat", "origin_lat", "destination_lat")
_LONGITUDES = ("lon", "origin_lon", "destination_lon")
_METRES = ("x", "y", "origin_x", "origin_y", "destination_x", "destination_y")


def fitting_roles(cells: Iterable[str]) -> frozenset[str]:
    """Return the fields of a mapping that a column with these cells may be; all of them where nothing stands.

    >>> sorted(fitting_roles(["48.5", "-90"]))[::2], sorted(fitting_roles(["2014-09-13 07:24"]))
    (['destination_lat', 'destination_x', 'lat', 'origin_lat', 'origin_x', 'x'], ['date', 'timestamp'])
    """
    present = [cell.strip() for cell in cells if cell.strip()]
    if not present:
        return frozenset(
            (*_IDS, *_TIMES, *_LATITUDES, *_LONGITUDES, *_METRES, "count", "occupied", "utc_offset_min")
        )
    whole = all(_WHOLE.fullmatch(cell) for cell in present)
    found = set[str]()
    if all(_WHOLE.fullmatch(cell) or _DECIMAL.fullmatch(cell) for cell in present):
        most = max(abs(float(cell.replace(",", "."))) for cell in present)
        found |= {*_METRES, *(_LATITUDES if most <= 90 else ()), *(_LONGITUDES if most <= 180 else ())}
    if whole:
        found |= {*_IDS, "count", "utc_offset_min"} | ({"occupied"} if set(present) <= {"0", "1"} else set())
    if all(reading_from_shape(re.sub(r"\d", "9", cell)) is not None for cell in present):
        found |= set(_TIMES)
    # No number and no time: an id, or a time written as no one here has seen.
    return frozenset(found or (*_IDS, *_TIMES, "occupied"))
