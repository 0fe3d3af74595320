"""The layouts of published mobility datasets, recognised by their first lines.

Knows what the lines of each look like and what their columns mean; reads no file.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from privlab.datasets.columns.mapping import FILE_NAME, FOLDER_NAME, ColumnMapping

AUTO = "auto"
TABLE, HEADERLESS = "table", "headerless"
_AGREEING = 0.8  # so many of the first lines must look the part


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownLayout:
    """One published layout: what a line looks like, how it is cut, what the columns mean.

    `skip` lines stand before the first row; `line` is a pattern of a whole row; `time_format` is how times
    are written, None for ISO 8601.
    """

    title: str
    delimiter: str
    columns: tuple[str, ...]
    line: re.Pattern[str]
    mapping: ColumnMapping
    skip: int = 0
    first_line: str = ""
    time_format: str | None = None


_NUMBER = r"-?\d{1,3}(?:\.\d+)?"
_CABSPOTTING = KnownLayout(
    title="cabspotting (CRAWDAD epfl/mobility): latitude, longitude, occupied, unix time; one file per cab",
    delimiter=" ",
    columns=("lat", "lon", "occupied", "unixtime"),
    line=re.compile(rf"{_NUMBER} {_NUMBER} [01] \d{{9,10}}"),
    mapping=ColumnMapping(user_id=FILE_NAME, timestamp="unixtime", lat="lat", lon="lon"),
    time_format="seconds",
)
KNOWN: dict[str, KnownLayout] = {
    "cabspotting": _CABSPOTTING,
    "cabspotting-trips": replace(
        _CABSPOTTING,
        title="cabspotting as trips: each run of occupied records is one trip with both ends",
        mapping=replace(_CABSPOTTING.mapping, occupied="occupied"),
    ),
    "geolife": KnownLayout(
        title="GeoLife: .plt files, one folder per user; times in GMT",
        delimiter=",",
        columns=("latitude", "longitude", "zero", "altitude", "days", "date", "time"),
        line=re.compile(
            rf"{_NUMBER},{_NUMBER},0,-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?,\d+(?:\.\d+)?,\d{{4}}-\d\d-\d\d,\d\d:\d\d:\d\d"
        ),
        mapping=ColumnMapping(
            user_id=FOLDER_NAME,
            timestamp="time",
            date="date",
            lat="latitude",
            lon="longitude",
            recorded_in="UTC",
        ),
        skip=6,
        first_line="geolife trajectory",
    ),
    "snap": KnownLayout(
        title="SNAP check-ins (Gowalla, Brightkite): user, ISO time, latitude, longitude, location id",
        delimiter="\t",
        columns=("user", "checkin_time", "lat", "lon", "location_id"),
        line=re.compile(rf"[^\t]+\t\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ\t{_NUMBER}\t{_NUMBER}\t[^\t]+"),
        mapping=ColumnMapping(user_id="user", timestamp="checkin_time", lat="lat", lon="lon"),
    ),
    "foursquare": KnownLayout(
        title="Foursquare TSMC2014: user, venue, category, latitude, longitude, offset in minutes, UTC time",
        delimiter="\t",
        columns=(
            "user_id",
            "venue_id",
            "category_id",
            "category",
            "latitude",
            "longitude",
            "utc_offset_min",
            "utc_time",
        ),
        line=re.compile(
            rf"[^\t]+\t[^\t]+\t[^\t]*\t[^\t]*\t{_NUMBER}\t{_NUMBER}\t-?\d+\t"
            r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d? \d\d:\d\d:\d\d [+-]\d{4} \d{4}"
        ),
        mapping=ColumnMapping(
            user_id="user_id",
            timestamp="utc_time",
            utc_offset_min="utc_offset_min",
            lat="latitude",
            lon="longitude",
        ),
        time_format="%a %b %d %H:%M:%S %z %Y",
    ),
}
FORMATS: dict[str, str] = {
    AUTO: "recognise",
    TABLE: "table with a header line (CSV, TSV, Parquet, Arrow)",
    HEADERLESS: "table without a header line",
    **{name: layout.title for name, layout in KNOWN.items()},
}


def format_from_lines(lines: Sequence[str]) -> str | None:
    """Return the name of the published layout that the first lines of a file have, or None.

    >>> format_from_lines(["37.75134 -122.39488 0 1213084687"])
    'cabspotting'
    """
    plain = [line.strip() for line in lines]
    return next((name for name, layout in KNOWN.items() if _fits(layout, plain)), None)


def _fits(layout: KnownLayout, lines: Sequence[str]) -> bool:
    if layout.first_line and not (lines and lines[0].lower().startswith(layout.first_line)):
        return False
    body = list(filter(None, lines[layout.skip :]))
    return _agreeing(body, lambda line: layout.line.fullmatch(line) is not None)


def _agreeing(lines: Sequence[str], holds: Callable[[str], bool]) -> bool:
    """Return whether enough lines look the part; stops as soon as enough do, or too many do not."""
    most_others = len(lines) - _AGREEING * len(lines)
    n_others = 0
    for number, line in enumerate(lines):
        n_others += not holds(line)
        if n_others > most_others:
            return False
        if n_others + len(lines) - 1 - number <= most_others:
            return True
    return bool(lines)
