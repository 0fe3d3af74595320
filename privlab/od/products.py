"""What a release counts for each person and week: flows, flows by time slot, or visits. How their cells are numbered and named.

A cell is one number: a place (an ordered pair of zones, or a zone) and a slot of the week. docs/science.md, section 5.5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_choice

Ints = npt.NDArray[np.int64]

SLOT_HOURS = 6
SLOTS = tuple(
    f"{days} {hour:02d}-{hour + SLOT_HOURS:02d}"
    for days in ("workday", "weekend")
    for hour in range(0, 24, SLOT_HOURS)
)
HOURS_OF_WEEK = 7 * 24
# Whom a count and a promise mean, for whoever has a release or a report and not its data.
ONE_PERSON = (
    "A person is one id in the data, as of a card, a phone or a vehicle. Whoever has several, or a new one each day, is counted as several "
    "people, and what is promised to a person is promised to each id by itself: for all of them together less is promised. People who "
    "share an id are counted as one."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsOfRelease:
    """What the rows of a release say, and whose clock days and hours go by: both are settled before a row is looked at.

    `kind` is "records" (who was where when) or "trips"; `timezone` is the zone to which times with an offset are taken, None is UTC.
    `in_metres` says that places are x and y in metres of a projected system, `days_numbered` that days are numbers and dates stand for
    them alone. `cleaning` is what the publisher had taken out of the rows
    before anything was counted, by the names of the fields of a Cleaning, as texts.
    """

    kind: str
    timezone: str | None
    in_metres: bool = False
    days_numbered: bool = False
    cleaning: tuple[tuple[str, str], ...] = ()

    def as_record(self) -> dict[str, str | bool | dict[str, str] | None]:
        """Return what a certificate says: of places in degrees, of true dates, and of rows as they were, nothing."""
        metres = {"in_metres": True} if self.in_metres else {}
        numbered = {"days_numbered": True} if self.days_numbered else {}
        cleaning = {"cleaning": dict(self.cleaning)} if self.cleaning else {}
        return {"kind": self.kind, "timezone": self.timezone, **metres, **numbered, **cleaning}

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> "RowsOfRelease":
        """Return what a certificate says of its rows, as `as_record` wrote it."""
        return RowsOfRelease(**{**record, "cleaning": tuple(record.get("cleaning", {}).items())})


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """What is counted: each person once a week in each cell that they touch.

    `n_ends` zones make a place (2: origin and destination, which differ; 1: a zone), and `n_slots` parts of the week divide it.
    `columns` name a cell in files, `counted` and `cell` are the words for what a
    person adds one of to a cell (plural), and for a cell, in the plural with an s.
    """

    name: str
    columns: tuple[str, ...]
    n_ends: int
    n_slots: int
    counted: str
    cell: str

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        """A product that comes from another process is the one of this process, so that `is` holds."""
        return product_of, (self.name,)

    def require_days(self, *, numbered: bool) -> None:
        """Raise ParameterError if cells are of workdays and weekends, and days are `numbered`: which are workdays nobody said."""
        if numbered and self.n_ends == 2 and self.n_slots > 1:
            raise ParameterError(
                f"product must be flows or visits where the data numbers its days and does not say which are workdays, got {self.name!r}."
            )

    def n_cells(self, n_zones: int) -> int:
        """Return the number of cells of so many zones in a week."""
        return (n_zones * (n_zones - 1) if self.n_ends == 2 else n_zones) * self.n_slots

    def n_numbers(self, n_zones: int) -> int:
        """Return below what the numbers of the cells of so many zones lie: also those of no cell, which begin where they end."""
        return int(n_zones**self.n_ends) * self.n_slots

    def all_cells(self, n_zones: int) -> Ints:
        """Return all cells of so many zones in ascending order; none begins where it ends."""
        places = np.arange(n_zones**self.n_ends, dtype=np.int64)
        if self.n_ends == 2:
            places = places[places % (n_zones + 1) != 0]
        return np.asarray((places[:, None] * self.n_slots + np.arange(self.n_slots)).ravel())

    def cell_of(self, ends: tuple[Ints, ...], slot: Ints | int, n_zones: int) -> Ints:
        """Return the cells with these zones, as positions among `n_zones`, and slots, elementwise."""
        place = ends[0] if self.n_ends == 1 else ends[0] * n_zones + ends[1]
        return np.asarray(place * self.n_slots + slot, dtype=np.int64)

    def ends_and_slot(self, cell: Ints, n_zones: int) -> tuple[tuple[Ints, ...], Ints]:
        """Return the zones of each cell as positions, one array for each end, and its slot."""
        place, slot = (cell, np.zeros_like(cell)) if self.n_slots == 1 else np.divmod(cell, self.n_slots)
        return ((place,) if self.n_ends == 1 else tuple(np.divmod(place, n_zones))), slot

    def inside(self, cell: Ints, n_zones: int, known: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return which cells have all their zones among those that are known, shape (Z,)."""
        ends, _ = self.ends_and_slot(cell, n_zones)
        return np.asarray(np.logical_and.reduce([known[end] for end in ends]))

    def between(
        self, cell: Ints, zones: npt.NDArray[Any], listed: Sequence[Any] | None
    ) -> npt.NDArray[np.bool_]:
        """Return which cells over `zones` have all their zones on a list; all of them without a list."""
        there = None if listed is None else set(listed)
        known = None if there is None else np.array([one in there for one in zones.tolist()], dtype=bool)
        if known is None or known.all():  # which is most often so, and sooner seen of zones than of trips
            return np.ones(cell.size, dtype=bool)
        return self.inside(cell, zones.size, known)

    def named(self, cell: Ints, ids: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
        """Return the cells as columns of a table: zone ids, and for products of the day, when in the week."""
        ends, slot = self.ends_and_slot(cell, ids.size)
        values = [ids[end] for end in ends]
        if self.name == "flows-by-slot":
            values.append(np.asarray(SLOTS)[slot])
        elif self.name == "visits":
            values += [slot // 24 + 1, slot % 24]
        return dict(zip(self.columns, values, strict=True))

    @property
    def parts(self) -> str:
        """How trips of a week are divided among its parts, in one sentence; empty where a flow is of the whole week.

        >>> PRODUCTS["flows-by-slot"].parts
        'A flow is of one of 8 parts of the week: whoever makes a trip in two of them counts in both.'
        """
        if self.n_ends < 2 or self.n_slots == 1:
            return ""
        return f"A flow is of one of {self.n_slots} parts of the week: whoever makes a trip in two of them counts in both."

    def slot_at(self, hour: npt.ArrayLike) -> Ints:
        """Return the slot that each hour of the week, from Monday 00:00, lies in, elementwise.

        >>> PRODUCTS["flows-by-slot"].slot_at([0, 7, 119, 120]).tolist()
        [0, 1, 3, 4]
        """
        at: Ints = np.asarray(hour, dtype=np.int64)
        if self.name == "visits":
            return at
        if self.n_slots == 1:
            return np.zeros_like(at)
        weekend = at // 24 >= 5
        return np.asarray(weekend * (24 // SLOT_HOURS) + at % 24 // SLOT_HOURS, dtype=np.int64)

    def slot_in(self, columns: Mapping[str, npt.NDArray[Any]]) -> Ints | int:
        """Return the slot of each cell from its columns in a table, elementwise; 0 where a week is one slot, any for a text that names none.

        >>> PRODUCTS["visits"].slot_in({"weekday": np.array([2]), "hour": np.array([5])}).tolist()
        [29]
        """
        if self.name == "visits":
            return np.asarray(
                (columns["weekday"].astype(np.int64) - 1) * 24 + columns["hour"], dtype=np.int64
            )
        if self.n_slots == 1:
            return 0
        order = np.argsort(SLOTS)
        place = np.searchsorted(np.asarray(SLOTS)[order], columns["slot"].astype(str))
        return np.asarray(order[np.minimum(place, order.size - 1)])

    @property
    def slots(self) -> frozenset[tuple[Any, ...]]:
        """The values that the columns beside the zones can take, each slot's as a tuple."""
        slot = np.arange(self.n_slots, dtype=np.int64)
        named = self.named(self.cell_of((0 * slot,) * self.n_ends, slot, 1), np.zeros(1, dtype=np.int64))
        columns = [named[name].tolist() for name in self.columns[self.n_ends :]]
        return frozenset(zip(*columns, strict=True))

    def margins(self, columns: Mapping[str, npt.NDArray[Any]]) -> tuple[Ints, ...]:
        """Return for each cell the number of its part in each of two margins, whose product a smooth count follows.

        Flows: origin and destination, in each slot by itself. Visits: the zone, and the hour of the week. `columns` are codes.
        """
        if self.name == "visits":
            return columns["zone"], columns["weekday"] * 24 + columns["hour"]
        if self.n_slots == 1:
            return columns["origin"], columns["destination"]
        return tuple(
            columns[end] * np.int64(self.n_slots) + columns["slot"] for end in ("origin", "destination")
        )


FLOWS = Product(
    name="flows", columns=("origin", "destination"), n_ends=2, n_slots=1, counted="trips", cell="flow"
)
FLOWS_BY_SLOT = Product(
    name="flows-by-slot",
    columns=("origin", "destination", "slot"),
    n_ends=2,
    n_slots=len(SLOTS),
    counted="trips",
    cell="flow",
)
VISITS = Product(
    name="visits",
    columns=("zone", "weekday", "hour"),
    n_ends=1,
    n_slots=HOURS_OF_WEEK,
    counted="visits",
    cell="count",
)
PRODUCTS = {product.name: product for product in (FLOWS, FLOWS_BY_SLOT, VISITS)}


def product_of(name: str) -> Product:
    """Return the product of that name. Raises ParameterError for another.

    >>> product_of("visits").n_cells(400), product_of("flows-by-slot").n_cells(3)
    (67200, 48)
    """
    require_choice("product", name, tuple(PRODUCTS))
    return PRODUCTS[name]
