"""The public cells of a product → the parts that their counts are added up in: origin, destination, class of distance; zone, hour.

Nothing but public zones and their positions is looked at. docs/science.md, section 5.4.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.od.distances import great_circle_km
from privlab.od.products import Product

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

CLASSES = 24  # of distance, with an equal number of pairs of zones each
_COARSER = (24, 12, 8, 6, 4, 3, 2, 1)  # classes that remain where neighbours are put together
_KNOWN = 0.05  # of its trips, by which the noise on a class may be off


@dataclass(frozen=True, slots=True, kw_only=True)
class ZonePositions:
    """Where the public zones of a release lie, in their order, degrees: known without the data."""

    lat: tuple[float, ...]
    lon: tuple[float, ...]

    def __post_init__(self) -> None:
        """Check that every place is one on Earth."""
        if len(self.lat) != len(self.lon):
            raise ParameterError(f"positions must be as many, got {len(self.lat)} and {len(self.lon)}.")
        for name, values, most in (("latitude", self.lat, 90), ("longitude", self.lon, 180)):
            for value in values:
                if not -most <= value <= most:
                    raise ParameterError(f"{name} must be between -{most} and {most}, got {value:g}.")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Margins:
    """Which part of each margin a cell lies in: `numbers` of shape (C,) for each margin, from 0, `sizes` how many parts each has.

    With `distance` the last margin is the class of distance, in each of `n_slots` slots of the week by itself. `back` is the place of the
    flow back from a cell's destination to its origin, in the same slot, shape (C,); None where cells are no flows.
    """

    numbers: tuple[npt.NDArray[np.int32], ...]
    sizes: tuple[int, ...]
    n_slots: int = 1
    distance: bool = False
    back: npt.NDArray[np.int32] | None = None

    @property
    def n_cells(self) -> int:
        """Cells in all."""
        return self.numbers[0].size

    def sums_of(self, values: npt.NDArray[np.generic]) -> tuple[Floats, ...]:
        """Return the sums of values, shape (C,), over the parts of each margin."""
        return tuple(
            np.bincount(number, weights=values, minlength=size).astype(np.float64)
            for number, size in zip(self.numbers, self.sizes, strict=True)
        )

    def known(self, total: float, variance: float) -> "Margins":
        """Return the margins with as many classes of distance as noise leaves known, to 5% of the mean class; none: without.

        `total` is the sum of all noisy counts, `variance` that of the noise on one.
        """
        if not self.distance:
            return self
        off = np.sqrt(variance * self.n_cells * self.n_slots)
        n = next((n for n in _COARSER if off * np.sqrt(n) <= _KNOWN * max(total, 0.0)), 1)
        if n == CLASSES:
            return self
        if n == 1:
            return replace(self, numbers=self.numbers[:-1], sizes=self.sizes[:-1], distance=False)
        ring, slot = np.divmod(self.numbers[-1], self.n_slots)
        coarser = (ring * n // CLASSES * self.n_slots + slot).astype(np.int32)
        return replace(
            self, numbers=(*self.numbers[:-1], coarser), sizes=(*self.sizes[:-1], n * self.n_slots)
        )

    def coarser_sums(self, sums: tuple[Floats, ...]) -> tuple[Floats, ...]:
        """Return these margins' sums from those of all classes of distance."""
        kept = sums[: len(self.sizes)]
        if not self.distance or sums[-1].size == self.sizes[-1]:
            return kept
        by_slot = sums[-1].reshape(self.sizes[-1] // self.n_slots, -1, self.n_slots).sum(axis=1)
        return (*kept[:-1], by_slot.ravel())


def margins_of_cells(product: Product, n_zones: int, positions: ZonePositions | None) -> Margins:
    """Return the margins of all cells of a product, in the order of `Product.all_cells`.

    Flows: origin, destination and, with positions, the class of distance, in each slot by itself. Visits: zone, and hour of the week.
    """
    if positions is not None and len(positions.lat) != n_zones:
        raise ParameterError(f"positions must be those of {n_zones} zones, got {len(positions.lat)}.")
    cells = product.all_cells(n_zones)
    ends, slot = product.ends_and_slot(cells, n_zones)
    if len(ends) == 1:
        return Margins(
            numbers=(ends[0].astype(np.int32), slot.astype(np.int32)), sizes=(n_zones, product.n_slots)
        )
    numbers, size = [end * product.n_slots + slot for end in ends], n_zones * product.n_slots
    place = np.zeros(product.n_numbers(n_zones), dtype=np.int32)
    place[cells] = np.arange(cells.size, dtype=np.int32)
    back = place[product.cell_of((ends[1], ends[0]), slot, n_zones)]
    if positions is None or n_zones < 2:
        return Margins(
            numbers=tuple(number.astype(np.int32) for number in numbers),
            sizes=(size, size),
            n_slots=product.n_slots,
            back=back,
        )
    numbers.append(_classes(positions)[ends] * product.n_slots + slot)
    return Margins(
        numbers=tuple(number.astype(np.int32) for number in numbers),
        sizes=(size, size, CLASSES * product.n_slots),
        n_slots=product.n_slots,
        distance=True,
        back=back,
    )


def _classes(positions: ZonePositions) -> Ints:
    """Return the class of distance of every pair of zones, shape (Z, Z); metres, so that no machine rounds otherwise."""
    lat, lon = np.array(positions.lat), np.array(positions.lon)
    metres = np.rint(1000 * great_circle_km(lat[:, None], lon[:, None], lat[None, :], lon[None, :]))
    apart = metres[~np.eye(lat.size, dtype=bool)]
    edges = np.quantile(apart, np.linspace(0, 1, CLASSES + 1)[1:-1])
    return np.searchsorted(edges, metres, side="right").astype(np.int64)
