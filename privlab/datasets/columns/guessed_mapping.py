"""The names of a file's columns -> what each of them most likely means.

Opens no file; of the rows it looks at a few texts at most.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from privlab.datasets.columns.column_names import (
    AREA_NAMES,
    CELL_NAMES,
    COUNT_NAMES,
    DATE_NAMES,
    END_DATE_NAMES,
    END_NAMES,
    HOUSEHOLD_NAMES,
    JOURNEY_NAMES,
    OFFSET_NAMES,
    ONLY_ON_NAMES,
    PERSON_NAMES,
    PLACE_NAMES,
    START_NAMES,
    TIME_NAMES,
    USER_NAMES,
    VEHICLE_NAMES,
    WEAK_USER_NAMES,
)
from privlab.datasets.columns.mapping import RECORD_PLACES, TRIP_PLACES, ColumnMapping

_IN_SLOTS_AND_CELLS = frozenset(
    ("uid", "d", "t", "x", "y")
)  # YJMob100K, HuMob: day, half hour, cell of 500 m
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?")
_TIME = re.compile(r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4})([ T].*)?|" + _CLOCK.pattern)


def mapping_from_columns(names: Sequence[str], rows: Sequence[Sequence[str]] = ()) -> ColumnMapping:
    """Return the likeliest mapping for these column names; fields with no likely column are None.

    `rows`, where given, are the texts of some rows; they tell a time of day from a whole time.

    >>> mapping_from_columns(["id", "latitude", "longitude", "track_id", "time"]).user_id
    'track_id'
    """
    known: dict[str, str] = {}
    for name in names:
        known.setdefault(_plain(name), name)
    # "Time (UTC)", "x [m]": what stands in brackets is no part of the name, unless it tells two columns apart.
    bare = [_plain(_BRACKETS.sub("", name)) for name in names]
    n_columns = Counter(bare)
    for plain, name in zip(bare, names, strict=True):
        if n_columns[plain] == 1:
            known.setdefault(plain, name)
    ends = {plain: name for plain, name in known.items() if not _all_times(name, names, rows)}
    place: dict[str, Any] = {
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
    groups = TRIP_PLACES + RECORD_PLACES
    # One place only, so that a page shows one; without a complete one, whatever was found.
    whole = next((group for group in groups if all(place[field] for field in group)), None)
    if whole:
        place = {field: name if field in whole else None for field, name in place.items()}
    trips = whole in TRIP_PLACES
    times = (END_NAMES, START_NAMES, TIME_NAMES) if trips else (TIME_NAMES, START_NAMES, END_NAMES)
    mapping = ColumnMapping(
        user_id=_first(known, USER_NAMES + WEAK_USER_NAMES),
        timestamp=_first(_without(known, place["origin"]), " ".join(times)),
        utc_offset_min=_first(known, OFFSET_NAMES),
        **place,
    )
    if trips:
        mapping = _with_count(mapping, known)
    if known.keys() == _IN_SLOTS_AND_CELLS:
        return replace(mapping, timestamp=known["t"], date=known["d"], time_format="slots:30", step_m=500.0)
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


def whose_ids_from_column(name: str) -> Literal["vehicles", "journeys"] | None:
    """Return whose ids a column of users holds by its name, where that is not people; None where it may be people.

    >>> whose_ids_from_column("Bike number"), whose_ids_from_column("traj_id"), whose_ids_from_column("card")
    ('vehicles', 'journeys', None)
    """
    plain = _plain(_BRACKETS.sub("", name))
    if plain in _plain_words(VEHICLE_NAMES):
        return "vehicles"
    return "journeys" if plain in _plain_words(JOURNEY_NAMES) else None


def household_beside(user: str | None, names: Sequence[str]) -> str | None:
    """Return the column that is called as a household is, beside a user who is called a person; None if there is none.

    >>> household_beside("PERSONID", ["HOUSEID", "PERSONID"]), household_beside("card_id", ["HOUSEID", "card_id"])
    ('HOUSEID', None)
    """
    if user is None or _plain(user) not in _plain_words(PERSON_NAMES):
        return None
    return next((name for name in names if _plain(name) in _plain_words(HOUSEHOLD_NAMES)), None)


def positions_of_ends(names: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that are called latitude and longitude of both ends of a trip; none unless all four are there.

    >>> positions_of_ends(["from", "to", "start_lat", "start_lng", "end_lat", "end_lng"])
    ('start_lat', 'start_lng', 'end_lat', 'end_lng')
    """
    known = {_plain(name): name for name in names}
    found = [_first(known, PLACE_NAMES[field]) for field in TRIP_PLACES[1]]
    return tuple(name for name in found if name) if all(found) else ()


def of_whom_in_words(name: str) -> str:
    """Return that a promise to a person is one to a vehicle or a journey, where a column of users holds these by its name; else nothing.

    >>> of_whom_in_words("bike_id")
    'By its name bike_id holds vehicles: what is promised to a person is promised to one of these.'
    """
    whose = whose_ids_from_column(name)
    return (
        ""
        if whose is None
        else f"By its name {name} holds {whose}: what is promised to a person is promised to one of these."
    )


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
    letters = unicodedata.normalize("NFKD", re.sub(r"[\s_.'’/\-]+", "", name).casefold())
    return "".join(one for one in letters if not unicodedata.combining(one))


def _without(known: dict[str, str], taken: str | None) -> dict[str, str]:
    return {plain: name for plain, name in known.items() if name != taken}


def _first(known: dict[str, str], synonyms: str) -> str | None:
    return next((known[plain] for plain in _plain_words(synonyms) if plain in known), None)


@cache
def _plain_words(synonyms: str) -> tuple[str, ...]:
    """Return the words of one of the lab's own lists of names, as they are compared: the same for every file."""
    return tuple(map(_plain, synonyms.split()))
