"""Checked rows with x and y of a projected system → the same rows with latitude and longitude.

Knows where a system is used, and what rows far from there look like; judges no single row by it.
"""

from dataclasses import dataclass

import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privlab.checks import DataError
from privlab.datasets.columns.mapping import DEGREES
from privlab.datasets.columns.projected_systems import (
    ProjectedSystem,
    degrees_from_projected,
    system_of_crs,
)
from privlab.datasets.engines.workspace import Engine, row_count
from privlab.datasets.rows.raw_rows import RawRows
from privlab.progress import Progress

Floats = npt.NDArray[np.float64]
_EXACT_M = 2.0  # of a conversion that need not be told
_NONE = -1


@dataclass(frozen=True, slots=True)
class InDegrees:
    """What makes degrees of the x and y in a block of rows, each row by itself.

    Rows that lie nowhere in the system get the fault of the number `nowhere`, unless they have one. `outside` tells rows beyond the area
    that the system is made for, `exchanged` those of them that would lie in it with x and y exchanged.
    """

    system: ProjectedSystem
    pairs: tuple[tuple[str, str], ...]
    nowhere: int

    def __call__(self, block: pa.RecordBatch) -> pa.Table:
        """Return the block with latitude and longitude for x and y."""
        whole, n = pa.Table.from_batches([block]), block.num_rows
        lost, outside, exchanged = (np.zeros(n, dtype=bool) for _ in range(3))
        for pair in self.pairs:
            x, y = (np.asarray(block[name].to_numpy(zero_copy_only=False), dtype=np.float64) for name in pair)
            lat, lon = degrees_from_projected(self.system.crs, x, y)
            there = np.isfinite(lat) & np.isfinite(lon)
            beyond = ~self._within(lat, lon)
            lost |= ~there
            outside |= beyond
            if beyond.any():
                exchanged |= beyond & self._within(*degrees_from_projected(self.system.crs, y, x))
            for name, degrees in zip(pair, (lon, lat), strict=True):
                place = whole.schema.get_field_index(name)
                whole = whole.set_column(place, DEGREES[name], pa.array(degrees, pa.float64(), mask=~there))
        faults = block["fault"].fill_null(_NONE).to_numpy(zero_copy_only=False)
        sound = faults == _NONE
        faults = np.where(lost & sound, self.nowhere, faults)
        place = whole.schema.get_field_index("fault")
        whole = whole.set_column(place, "fault", pa.array(faults, pa.int64(), mask=faults == _NONE))
        whole = whole.append_column("outside", pa.array(outside & sound & ~lost))
        return whole.append_column("exchanged", pa.array(exchanged & sound))

    def _within(self, lat: Floats, lon: Floats) -> npt.NDArray[np.bool_]:
        if self.system.area is None:
            return np.isfinite(lat)
        west, south, east, north = self.system.area
        across = (lon >= west) & (lon <= east) if west <= east else (lon >= west) | (lon <= east)
        return across & (lat >= south) & (lat <= north)


def rows_in_degrees(
    checked: ir.Table, rows: RawRows, name: str, nowhere: int, workspace: Engine, progress: Progress
) -> tuple[ir.Table, tuple[str, ...]]:
    """Return rows with `fault` in degrees, stored, and what a reader should know of their system.

    `nowhere` is the number of the fault of a row that lies nowhere. Raises DataError if most rows lie where the system is used only with x
    and y exchanged; not in a settled form, in which no row says how others are read.
    """
    mapping = rows.mapping
    system = system_of_crs(str(mapping.crs))
    fields = mapping.place_fields
    change = InDegrees(system, tuple(zip(fields[::2], fields[1::2], strict=True)), nowhere)
    n_rows = row_count(checked)
    table = workspace.mapped("in_degrees", checked, change, n_rows=n_rows, progress=progress)
    notes = [_read_in_words(system)]
    if rows.form is None:
        found = (
            table.agg(outside=table.outside.sum(), exchanged=table.exchanged.sum())
            .to_pyarrow()
            .to_pylist()[0]
        )
        if 2 * (found["exchanged"] or 0) > n_rows:
            east, north = (rows.column(field) for field in fields[:2])
            raise DataError(
                f"Most places of {name} lie where {system.crs} ({system.name}) is used only with x and y exchanged. x is to the east, "
                f"here {east!r}, and y to the north, {north!r}: are the two swapped?",
                column=east,
            )
        if n_outside := found["outside"] or 0:
            notes.append(_outside_in_words(system, n_outside, n_rows))
    return table, tuple(notes)


def _read_in_words(system: ProjectedSystem) -> str:
    """Say which system the rows are of, and how exactly their places are known in degrees where that is not to a metre or two."""
    said = f"x and y are read as {system.name} ({system.crs})"
    if system.accuracy_m is None:
        return f"{said}; how exactly they become latitude and longitude is not known."
    if system.accuracy_m > _EXACT_M:
        return f"{said}; as latitude and longitude, places are exact to about {system.accuracy_m:.0f} m."
    return f"{said}."


def _outside_in_words(system: ProjectedSystem, n: int, n_rows: int) -> str:
    share = "Most rows lie" if 2 * n > n_rows else f"{n:,} of the rows {'lies' if n == 1 else 'lie'}"
    west, south, east, north = system.area or (-180.0, -90.0, 180.0, 90.0)
    return (
        f"{share} outside the area that {system.crs} is made for ({_degrees(south, 'N', 'S')} to {_degrees(north, 'N', 'S')}, "
        f"{_degrees(west, 'E', 'W')} to {_degrees(east, 'E', 'W')}): is it the right system?"
    )


def _degrees(value: float, positive: str, negative: str) -> str:
    return f"{abs(value):.1f}° {positive if value >= 0 else negative}"
