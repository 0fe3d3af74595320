"""Which column of a file means what.

Knows what a file must say of a user, a time and a place, and guesses which column says it. Opens no
file; of the rows it looks at a few texts at most.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from privlab.checks import DataError
from privlab.datasets.columns.column_names import (
    AREA_NAMES,
    CELL_NAMES,
    COUNT_NAMES,
    DATE_NAMES,
    END_DATE_NAMES,
    END_NAMES,
    OFFSET_NAMES,
    ONLY_ON_NAMES,
    PLACE_NAMES,
    START_NAMES,
    TIME_NAMES,
    USER_NAMES,
    WEAK_USER_NAMES,
)

Kind = Literal["records", "trips", "counts"]
Place = Literal["latlon", "xy", "zone"]
FILE_NAME, FOLDER_NAME = "(file name)", "(folder name)"  # what a file says by its name, as columns of it

_ENDS_LATLON = ("origin_lat", "origin_lon", "destination_lat", "destination_lon")
_ENDS_XY = ("origin_x", "origin_y", "destination_x", "destination_y")
# The first complete group is the place: coordinates before ids for records, ids before coordinates for trips.
_RECORD_PLACES: tuple[tuple[str, ...], ...] = (("lat", "lon"), ("x", "y"), ("zone",))
_TRIP_PLACES: tuple[tuple[str, ...], ...] = (("origin", "destination"), _ENDS_LATLON, _ENDS_XY)
_ENDS: dict[Place, tuple[str, ...]] = {
    "zone": ("origin", "destination"),
    "latlon": _ENDS_LATLON,
    "xy": _ENDS_XY,
}
_RECORDS: dict[Place, tuple[str, ...]] = {"latlon": ("lat", "lon"), "xy": ("x", "y"), "zone": ("zone",)}
_PLACES = tuple(field for group in _RECORD_PLACES + _TRIP_PLACES for field in group)
DEGREES = {
    "x": "lon",
    "y": "lat",
    "origin_x": "origin_lon",
    "origin_y": "origin_lat",
    "destination_x": "destination_lon",
    "destination_y": "destination_lat",
}
"""What a column of x or y is called once it holds degrees."""
_MOST_NAMED = 12  # columns of a file that a complaint lists
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?")
_TIME = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4})([ T].*)?|" + _CLOCK.pattern)


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
    latitude and longitude. None leaves them as metres that lie nowhere on earth.
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

    @property
    def kind(self) -> Kind:
        """What a row is: "records"; where both ends of a move are known "trips", or "counts" without a user."""
        ends = self._complete(_TRIP_PLACES) is not None
        if not ends and not self._complete(_RECORD_PLACES):
            ends = any(getattr(self, field) for group in _TRIP_PLACES for field in group)
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
        complete = self._complete(_RECORD_PLACES if self.kind == "records" else _TRIP_PLACES)
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
            raise DataError(
                f"Could not tell which column holds {_listed(missing)}; the columns {_named(there)}. "
                f"Say which columns these are.{nobody}{f' {more}' if more else ''}"
            )
        if self.crs and self.place_in_file != "xy":
            given = {"latlon": "latitude and longitude", "zone": "ids of zones"}[self.place_in_file]
            raise DataError(
                f"The system {self.crs} (crs) is one of x and y, and these rows say where by {given}. Leave it out, or name the columns of x "
                "and y."
            )
        if self.occupied and self.kind != "records":
            raise DataError(
                f"The column {self.occupied!r} is taken for an occupied flag, whose runs make trips of records, and these rows are "
                f"{self.kind} already. Leave the flag out.",
                column=self.occupied,
            )

    def _missing_place(self) -> list[str]:
        if self._complete(_RECORD_PLACES + _TRIP_PLACES):
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


def mapping_with_choices(guess: ColumnMapping, chosen: Mapping[str, str | None]) -> ColumnMapping:
    """Return the guess with columns named by hand. A place named by hand drops what else was guessed of places, but for its other half, and the
    area of a guessed cell.

    >>> trips = ColumnMapping(origin="from", zone="station")
    >>> mapping_with_choices(trips, {"destination": "last"})
    ColumnMapping(..., zone=None, ..., origin='from', destination='last', ...)
    """
    if named := {field for field in _PLACES if field in chosen}:
        halves = [group for group in _RECORD_PLACES + _TRIP_PLACES if any(chosen.get(one) for one in group)]
        kept = {field for group in halves for field in group} - named
        guess = replace(guess, area=None, **{field: None for field in _PLACES if field not in kept})
    return replace(guess, **chosen)


def mapping_from_columns(names: Sequence[str], rows: Sequence[Sequence[str]] = ()) -> ColumnMapping:
    """Return the likeliest mapping for these column names; fields with no likely column are None.

    `rows`, where given, are the texts of some rows; they tell a time of day from a whole time.

    >>> mapping_from_columns(["id", "latitude", "longitude", "track_id", "time"]).user_id
    'track_id'
    """
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(_plain(name), name)
    ends = {plain: name for plain, name in known.items() if not _all_times(name, names, rows)}
    place = {
        field: _first(ends if field in ("origin", "destination") else known, synonyms)
        for field, synonyms in PLACE_NAMES.items()
    }
    if place["destination"] and not place["origin"]:
        place["origin"] = _start_that_is_a_place(known, names, rows)
    if (
        place["origin"]
        and not place["destination"]
        and _plain(place["origin"]) in _plain_words(ONLY_ON_NAMES)
    ):
        place |= {"origin": None, "zone": place["zone"] or place["origin"]}
    groups = _TRIP_PLACES + _RECORD_PLACES
    # One place only, so that a page shows one; without a complete one, whatever was found.
    whole = next((group for group in groups if all(place[field] for field in group)), None)
    if whole:
        place = {field: name if field in whole else None for field, name in place.items()}
    trips = whole in _TRIP_PLACES
    times = (END_NAMES, START_NAMES, TIME_NAMES) if trips else (TIME_NAMES, START_NAMES, END_NAMES)
    mapping = ColumnMapping(
        user_id=_first(known, USER_NAMES + WEAK_USER_NAMES),
        timestamp=_first(_without(known, place["origin"]), " ".join(times)),
        utc_offset_min=_first(known, OFFSET_NAMES),
        **place,
    )
    if trips:
        mapping = _with_count(mapping, known)
    if place["zone"] and _plain(place["zone"]) in _plain_words(CELL_NAMES):
        mapping = replace(mapping, area=_first(known, AREA_NAMES))
    return _with_date(mapping, known, names, rows)


def _start_that_is_a_place(
    known: dict[str, str], names: Sequence[str], rows: Sequence[Sequence[str]]
) -> str | None:
    """Return the column that is called a start and nothing more, if it is no time of day and another column holds the time."""
    start = known.get("start")
    times = TIME_NAMES + START_NAMES
    if start is None or not _first(_without(known, start), times) or _all_clocks(start, names, rows):
        return None
    return start


def other_time_from_columns(mapping: ColumnMapping, names: Sequence[str]) -> tuple[str, bool] | None:
    """Return the other time of rows that have a start and an end, and whether it is the start; None if they have not both.

    Of a stay, who departs has arrived before: of records only what is called a start and an end counts as such.

    >>> ends = ColumnMapping(origin="from", destination="to", timestamp="ended_at")
    >>> other_time_from_columns(ends, ["from", "to", "started_at", "ended_at"])
    ('started_at', True)
    """
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(_plain(name), name)
    known = _without(known, mapping.origin)
    start, end = _first(known, START_NAMES), _first(known, END_NAMES)
    if mapping.date or not (start and end) or mapping.timestamp not in (start, end):
        return None
    is_named = _plain(start).startswith("start") and _plain(end).startswith(("end", "stop"))
    if mapping.kind == "records" and not is_named:
        return None
    return (start, True) if mapping.timestamp == end else (end, False)


def other_candidates(mapping: ColumnMapping, names: Sequence[str]) -> dict[str, list[str]]:
    """Return which other columns are called as a user is, and as a zone is where places are zones, by meaning.

    >>> other_candidates(ColumnMapping(user_id="card_id", zone="stop"), ["card_id", "device_id", "time", "stop", "zone"])
    {'user_id': ['device_id'], 'zone': ['zone']}
    """
    words = {"user_id": USER_NAMES}
    if mapping.kind == "records" and mapping.place == "zone":
        words["zone"] = PLACE_NAMES["zone"]
    found = {}
    for meaning, synonyms in words.items():
        taken, called = getattr(mapping, meaning), set(_plain_words(synonyms))
        if taken in names and _plain(taken) in called:
            mapped = {getattr(mapping, field) for field in mapping.fields_used}
            found[meaning] = [name for name in names if name not in mapped and _plain(name) in called]
    return {meaning: others for meaning, others in found.items() if others}


def _with_count(mapping: ColumnMapping, known: dict[str, str]) -> ColumnMapping:
    """Return the mapping of a table of flows where a count stands and nothing but a row number could be a user."""
    count = _first(known, COUNT_NAMES)
    user = mapping.user_id
    if count is None or count in (mapping.origin, mapping.destination) or (user and _plain(user) != "id"):
        return mapping
    return replace(mapping, user_id=None, count=count)


def _with_date(
    mapping: ColumnMapping, known: dict[str, str], names: Sequence[str], rows: Sequence[Sequence[str]]
) -> ColumnMapping:
    """Return the mapping with the column of days where times are times of day alone."""
    date = _first(known, DATE_NAMES)
    if mapping.timestamp is not None and mapping.timestamp == _first(known, END_NAMES):
        date = _first(known, END_DATE_NAMES) or date
    if not rows or date is None or mapping.timestamp is None:
        return mapping
    clocks = [name for name in names if _all_clocks(name, names, rows)]
    if mapping.timestamp == date:  # a day, and perhaps a clock under another name
        wanted = [
            name for name in clocks if _first({_plain(name): name}, " ".join((TIME_NAMES, START_NAMES)))
        ]
        return replace(mapping, timestamp=wanted[0], date=date) if wanted else mapping
    return replace(mapping, date=date) if mapping.timestamp in clocks else mapping


def _all_clocks(name: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    return _all_like(_CLOCK, name, names, rows)


def _all_times(name: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    return _all_like(_TIME, name, names, rows)


def _all_like(form: re.Pattern[str], name: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether there are texts of a column in some rows, and all are of one form."""
    index = list(names).index(name)
    cells = [row[index].strip() for row in rows if index < len(row) and row[index].strip()]
    return bool(cells) and all(form.fullmatch(cell) for cell in cells)


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", re.sub(r"[\s_.'’\-]+", "", name).casefold())
    return "".join(one for one in letters if not unicodedata.combining(one))


def _without(known: dict[str, str], taken: str | None) -> dict[str, str]:
    return {plain: name for plain, name in known.items() if name != taken}


def _first(known: dict[str, str], synonyms: str) -> str | None:
    return next((known[plain] for plain in _plain_words(synonyms) if plain in known), None)


@cache
def _plain_words(synonyms: str) -> tuple[str, ...]:
    """Return the words of one of the lab's own lists of names, as they are compared: the same for every file."""
    return tuple(map(_plain, synonyms.split()))


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _named(names: Iterable[str]) -> str:
    shown = [repr(name if len(name) <= 40 else name[:40] + "…") for name in names]
    if not shown:
        return "are unknown"
    tail = f" and {len(shown) - _MOST_NAMED:,} more" if len(shown) > _MOST_NAMED else ""
    return "are " + ", ".join(shown[:_MOST_NAMED]) + tail
