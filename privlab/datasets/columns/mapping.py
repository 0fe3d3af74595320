"""Which column of a file means what.

Knows what a file must say of a user, a time and a place. Guesses nothing, and opens no file.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from privlab.checks import DataError, UnnamedColumnsError

Kind = Literal["records", "trips", "counts"]
Place = Literal["latlon", "xy", "zone"]
FILE_NAME, FOLDER_NAME = "(file name)", "(folder name)"  # what a file says by its name, as columns of it

_ENDS_LATLON = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
_ENDS_XY = ("origin_x", "origin_y", "destination_x", "destination_y")
# The first complete group is the place: coordinates before ids for records, ids before coordinates for trips.
RECORD_PLACES: tuple[tuple[str, ...], ...] = (("lat", "lon"), ("x", "y"), ("zone",))
TRIP_PLACES: tuple[tuple[str, ...], ...] = (("origin", "destination"), _ENDS_LATLON, _ENDS_XY)
_ENDS: dict[Place, tuple[str, ...]] = {
    "zone": ("origin", "destination"),
    "latlon": _ENDS_LATLON,
    "xy": _ENDS_XY,
}
_RECORDS: dict[Place, tuple[str, ...]] = {"latlon": ("lat", "lon"), "xy": ("x", "y"), "zone": ("zone",)}
_PLACES = tuple(field for group in RECORD_PLACES + TRIP_PLACES for field in group)
DEGREES = {
    "x": "lon",
    "y": "lat",
    "origin_x": "origin_lon",
    "origin_y": "origin_lat",
    "destination_x": "destination_lon",
    "destination_y": "destination_lat",
}
"""What a column of x or y is called once it holds degrees."""
STEP_M_RANGE = (0.01, 1e6)
NO_COLUMNS = ("time_format", "recorded_in", "crs", "step_m")  # the fields that name no column
_MOST_NAMED = 12  # columns of a file that a complaint lists

_WITHOUT_USERS = (
    " A file that names no users can be read as counts of trips: origin, destination and count. Counts of people per place "
    "cannot."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnMapping:
    """The file's column for each meaning; None where the file has none.

    Projected coordinates `x`, `y` are in metres, `lat`, `lon` in degrees; those of the ends of trips likewise. `date` is the day where
    `timestamp` holds the time of day alone. `utc_offset_min` are minutes that local time is ahead of
    the UTC in `timestamp`. `area` makes a cell id unique (a LAC before its CI). `occupied` tells a taxi
    with a passenger; each run of occupied records is one trip. `count` is how many moved from `origin`
    to `destination`, in a file that names no user.

    `time_format` is a strptime format, "seconds" or "milliseconds" (unix times), or None to recognise
    it. `recorded_in` is the zone in which times without an offset were written down, None to keep them
    as wall-clock time. `crs` is the projected system that x and y are of, such as "EPSG:25832": they are then read as
    latitude and longitude. None leaves them as metres that lie nowhere on earth. `step_m` is how many metres one step of x and y is where
    they number the cells of a grid; None where they are metres.
    """

    user_id: str | None = None
    timestamp: str | None = None
    date: str | None = None
    utc_offset_min: str | None = None
    lat: str | None = None
    lon: str | None = None
    x: str | None = None
    y: str | None = None
    zone: str | None = None
    area: str | None = None
    occupied: str | None = None
    origin: str | None = None
    destination: str | None = None
    origin_lat: str | None = None
    origin_lon: str | None = None
    destination_lat: str | None = None
    destination_lon: str | None = None
    origin_x: str | None = None
    origin_y: str | None = None
    destination_x: str | None = None
    destination_y: str | None = None
    count: str | None = None
    time_format: str | None = None
    recorded_in: str | None = None
    crs: str | None = None
    step_m: float | None = None

    @property
    def kind(self) -> Kind:
        """What a row is: "records"; where both ends of a move are known "trips", or "counts" without a user."""
        ends = self._complete(TRIP_PLACES) is not None
        if not ends and not self._complete(RECORD_PLACES):
            ends = any(getattr(self, field) for group in TRIP_PLACES for field in group)
        if not ends:
            return "records"
        return "trips" if self.user_id else "counts"

    @property
    def place(self) -> Place:
        """How the rows that are read say where: "latlon", "xy" or "zone"."""
        return "latlon" if self.crs and self.place_in_file == "xy" else self.place_in_file

    @property
    def place_in_file(self) -> Place:
        """How the file itself says where."""
        complete = self._complete(RECORD_PLACES if self.kind == "records" else TRIP_PLACES)
        if complete in (("zone",), ("origin", "destination")):
            return "zone"
        if complete in (("x", "y"), _ENDS_XY):
            return "xy"
        if complete is None and self.kind != "records":
            if self.origin or self.destination:
                return "zone"
            return "latlon" if any(getattr(self, field) for field in _ENDS_LATLON) else "xy"
        return "latlon"

    @property
    def place_fields(self) -> tuple[str, ...]:
        """The fields of this mapping that give the place, in the order of the normalised table."""
        if self.kind != "records":
            return _ENDS[self.place_in_file]
        return _RECORDS[self.place_in_file]

    @property
    def fields_used(self) -> tuple[str, ...]:
        """The fields whose columns are read from the file."""
        fields = ["user_id", "timestamp"]
        fields += ["date", "utc_offset_min"] if self.timestamp else []
        fields += {"records": ["occupied"], "trips": [], "counts": ["count"]}[self.kind]
        fields += ["area"] if self.place_fields == ("zone",) else []
        return (*(field for field in fields if getattr(self, field)), *self.place_fields)

    def require_complete(self, names: Sequence[str] | None = None, more: str = "") -> None:
        """Raise a DataError naming what is missing, unless user, time and place are all mapped, or a flag that these rows cannot have.

        Counts need their two ends alone. `names`, where given, are the columns there are; they are
        listed, and a mapped column that is not among them is refused. `more` is said beside what is missing.
        """
        if names is not None:
            self._require_present(names)
        wanted = () if self.kind == "counts" else (("a user", self.user_id), ("a time", self.timestamp))
        missing = [word for word, name in wanted if not name]
        missing += self._missing_place()
        if missing:
            there = names if names is not None else self._mapped().values()
            nobody = "" if self.user_id else _WITHOUT_USERS
            raise UnnamedColumnsError(
                f"Could not tell which column holds {_listed(missing)}; the columns {_named(there)}. "
                f"Say which columns these are.{nobody}{f' {more}' if more else ''}"
            )
        if self.crs and self.place_in_file != "xy":
            given = {"latlon": "latitude and longitude", "zone": "ids of zones"}[self.place_in_file]
            raise DataError(
                f"The system {self.crs} (crs) is one of x and y, and these rows say where by {given}. Leave it out, or name the columns of x "
                "and y."
            )
        if self.step_m is not None and (self.crs or self.place_in_file != "xy"):
            other = (
                f"The system {self.crs} (crs) has metres of its own"
                if self.crs
                else "These rows do not say where by x and y"
            )
            raise DataError(f"{other}, and step_m says that x and y number cells. Leave one of the two out.")
        if self.occupied and self.kind != "records":
            raise DataError(
                f"The column {self.occupied!r} is taken for an occupied flag, whose runs make trips of records, and these rows are "
                f"{self.kind} already. Leave the flag out.",
                column=self.occupied,
            )

    def _missing_place(self) -> list[str]:
        if self._complete(RECORD_PLACES + TRIP_PLACES):
            return []
        if self.kind != "records":
            group = _ENDS[self.place_in_file]
            return [f"the {field.replace('_', ' ')}" for field in group if not getattr(self, field)]
        for one, other in (("lat", "lon"), ("lon", "lat"), ("x", "y"), ("y", "x")):
            if getattr(self, one):
                return [{"lat": "the latitude", "lon": "the longitude"}.get(other, other)]
        return ["a place (latitude and longitude, x and y, a zone, or an origin and a destination)"]

    def _require_present(self, names: Sequence[str]) -> None:
        for field, name in self._mapped().items():
            if name not in names and name not in (FILE_NAME, FOLDER_NAME):
                raise DataError(
                    f"There is no column {name!r} (wanted for {field}); the columns {_named(names)}.",
                    column=name,
                )

    def _mapped(self) -> dict[str, str]:
        fields = ("user_id", "timestamp", *_PLACES, "date", "utc_offset_min", "area", "occupied", "count")
        return {field: name for field in fields if (name := getattr(self, field))}

    def _complete(self, groups: tuple[tuple[str, ...], ...]) -> tuple[str, ...] | None:
        return next((group for group in groups if all(getattr(self, field) for field in group)), None)


def mapping_with_choices(guess: ColumnMapping, chosen: Mapping[str, Any]) -> ColumnMapping:
    """Return the guess with columns named by hand. A place named by hand drops what else was guessed of places, but for its other half, and the
    area of a guessed cell.

    >>> trips = ColumnMapping(origin="from", zone="station")
    >>> mapping_with_choices(trips, {"destination": "last"})
    ColumnMapping(..., zone=None, ..., origin='from', destination='last', ...)
    """
    if named := {field for field in _PLACES if field in chosen}:
        halves = [group for group in RECORD_PLACES + TRIP_PLACES if any(chosen.get(one) for one in group)]
        kept = {field for group in halves for field in group} - named
        guess = replace(guess, area=None, **{field: None for field in _PLACES if field not in kept})
    return with_fitting_units(replace(guess, **chosen), guess)


def with_fitting_units(mapping: ColumnMapping, guess: ColumnMapping) -> ColumnMapping:
    """Return a mapping that was changed by hand without what was guessed of columns that it no longer has: how times are written, how long a
    step of x and y is.
    """
    is_other_time = mapping.timestamp != guess.timestamp
    return replace(
        mapping,
        time_format=None if is_other_time else mapping.time_format,
        step_m=mapping.step_m if mapping.place_in_file == "xy" else None,
    )


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _named(names: Iterable[str]) -> str:
    shown = [repr(name if len(name) <= 40 else name[:40] + "…") for name in names]
    if not shown:
        return "are unknown"
    tail = f" and {len(shown) - _MOST_NAMED:,} more" if len(shown) > _MOST_NAMED else ""
    return "are " + ", ".join(shown[:_MOST_NAMED]) + tail
