"""Columns whose cells hold a whole way each, as lists of positions: told to be taken apart, since a row says of one moment."""

import re
from collections.abc import Sequence

_DEGREES = r"-?\d{1,3}(\.\d+)?"
_WAY = re.compile(
    rf"\[\s*\[\s*{_DEGREES}\s*,|LINESTRING\s*(Z|M|ZM)?\s*\(|\[?\(\s*{_DEGREES}\s*,\s*{_DEGREES}\s*\)\s*,",
    re.IGNORECASE,
)


def ways_in_cells(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return what to do with a column whose cells hold a whole way each; nothing where there is none. `rows` are some rows as texts.

    >>> ways_in_cells(["way"], [["[[-8.61,41.14],[-8.62,41.15]]"], ["[]"]]).startswith("Cells of 'way' hold a whole way each")
    True
    """
    for place, name in enumerate(names):
        cells = [
            row[place].strip() for row in rows if place < len(row) and row[place].strip() not in ("", "[]")
        ]
        if cells and all(_WAY.match(cell) for cell in cells):
            return (
                f"Cells of {name[:40]!r} hold a whole way each, position after position, and a row says of one moment where somebody was: write "
                "each position in a row of its own, or each way's first and last one as origin_lat, origin_lon, destination_lat and "
                "destination_lon."
            )
    return ""
