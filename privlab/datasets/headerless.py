"""Tables whose first row is data: names for their columns, and a guess at what they mean.

Knows texts of a few rows; reads no file.
"""

import re
from collections.abc import Sequence

from privlab.datasets.columns import ColumnMapping
from privlab.datasets.time_shapes import reading_from_shape

_DECIMAL = re.compile(r"[-+]?\d{1,3}[.,]\d+")


def is_data(text: str) -> bool:
    """Return whether a text is a number or a time, as no name of a column is.

    >>> is_data("48.5"), is_data("2014-09-13 07:24"), is_data("lat")
    (True, True, False)
    """
    return re.fullmatch(r"[-+]?\d+([.,]\d*)?([eE][-+]?\d+)?", text) is not None or _is_time(text)


def numbered_columns(n_columns: int) -> tuple[str, ...]:
    """Return names for columns that have none: "column 1", "column 2" …"""
    return tuple(f"column {number}" for number in range(1, n_columns + 1))


def mapping_from_values(names: Sequence[str], rows: Sequence[Sequence[str]]) -> ColumnMapping:
    """Return what the columns of a table without names may mean, by what stands in them.

    The first column of times is the time; two columns of decimal degrees, latitude before longitude
    unless only the other order is possible, are the place; the first other column is the user, and
    without coordinates the next one the zone, or the next two an origin and a destination if there is
    no more than these.
    """
    cells = {name: [row[n].strip() for row in rows if n < len(row)] for n, name in enumerate(names)}
    times = [name for name in names if _all(cells[name], _is_time)]
    time = next((name for name in times if not _all(cells[name], str.isdigit)), times[0] if times else None)
    degrees = [name for name in names if _all(cells[name], lambda text: _DECIMAL.fullmatch(text) is not None)]
    others = [name for name in names if name != time and name not in degrees]
    user = others[0] if others else None
    if len(degrees) >= 2:
        lat, lon = degrees[:2]
        if max(abs(float(text.replace(",", "."))) for text in cells[lat] if text) > 90:
            lat, lon = lon, lat
        return ColumnMapping(user_id=user, timestamp=time, lat=lat, lon=lon)
    zones = others[1:]
    if len(zones) == 2 and len(names) == 4 and time is not None:
        return ColumnMapping(user_id=user, timestamp=time, origin=zones[0], destination=zones[1])
    return ColumnMapping(user_id=user, timestamp=time, zone=zones[0] if zones else None)


def _all(cells: Sequence[str], holds: object) -> bool:
    present = [cell for cell in cells if cell]
    return bool(present) and callable(holds) and all(holds(cell) for cell in present)


def _is_time(text: str) -> bool:
    return reading_from_shape(re.sub(r"\d", "9", text)) is not None
