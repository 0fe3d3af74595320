"""A certificate → a README in plain words for whoever receives a release; what else stands beside it unsigned is in zones_file.py.

Both follow from the certificate alone, so that they tell nothing more and cost nothing.
"""

from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from privlab.defaults import DAY_0
from privlab.od import ONE_PERSON, Product, product_of
from privlab.releases.folders.release_folders import (
    CERTIFICATE,
    CSV,
    ESTIMATES,
    LEVELS,
    PARQUET,
    README,
    ZONES,
)
from privlab.releases.writing.certificate import SAID
from privlab.releases.writing.cleaning_words import cleaning_in_words
from privlab.releases.writing.level_files import LEVEL_COLUMNS
from privlab.releases.writing.uses_of_counts import limit_at_first, uses_from_certificate
from privlab.releases.writing.zones_file import (
    divisions_of,
    regular_zones_in_words,
    zone_columns_from_certificate,
    zones_csv_from_certificate,
)
from privlab.safe_text import csv_text, within_words

_WIDTH = 100
_MOST_DIGITS = 15  # that a spreadsheet keeps of a number
_COUNTED = {
    "flows": "people who went from one zone to another in a week. A person counts once in a flow, however often they went; who moved "
    "within one zone is in no flow",
    "flows-by-slot": "people who went from one zone to another in a part of the week. A person counts once in a flow and "
    "part of the week, however often they went; who moved within one zone is in no flow",
    "visits": "people who were in a zone in an hour of the week. A person counts once in a zone and hour, however long they stayed",
}
_TITLES = {
    "flows": "people from zone to zone, by week",
    "flows-by-slot": "people from zone to zone, by week and part of the week",
    "visits": "people by zone and hour of the week",
}
_CELL_COLUMNS = {
    "week": "Monday with which the week begins",
    "origin": "zone in which the trip begins",
    "destination": "zone in which it ends",
    "zone": "zone in which people were",
    "slot": "part of the week: workday (all of Monday to Friday together) or weekend, and hours of the day: 12-18 is from 12:00 to before "
    "18:00",
    "weekday": "day of the week, 1 is Monday",
    "hour": "hour of the day, 0 to 23: 8 is from 8:00 to before 9:00",
    "count": "the published count: people and noise, a whole number",
}
_ZONE_COLUMNS = {
    "zone": "zone, as the other files name it",
    "lat": "latitude of its middle, in degrees as of GPS (WGS 84, EPSG:4326)",
    "lon": "longitude of its middle, in the same",
    "outline_wkt": "its outline in the same, longitude first, in WKT",
}
_ZONE_COLUMNS_IN_METRES = {
    "x": "its middle, in metres to the east, in the projected system of the publisher's data: ask there which",
    "y": "its middle, in metres to the north",
    "outline_wkt": "its outline in the same metres, x first, in WKT",
}
_DISTRICT_COLUMNS = {
    "week": "Monday with which the week begins",
    "level": "which districts these are: the column of zones.csv that says the district of each zone",
    "origin": "district in which the trip begins",
    "destination": "district in which it ends; the same again is for trips within one district",
}


def readme_from_certificate(certificate: dict[str, Any], *, with_zones: bool) -> str:
    """Return what a receiver needs to know of a release: its files and columns, how to use counts, its promise, how to check it.

    `with_zones` says that the file ZONES stands beside it.
    """
    product = product_of(certificate["parameters"].get("product", "flows"))
    columns = zone_columns_from_certificate(certificate) if with_zones else []
    parts = {
        "WHAT THIS IS": [
            f"Numbers of {_COUNTED[product.name]}. Each number has random noise, which protects everyone who is counted. "
            f"{limit_at_first(certificate['parameters'])}",
            ONE_PERSON,
            f"Made on {certificate['made'][:10]} with privlab {certificate['versions']['privlab']}. Weeks, by their Monday: "
            f"{', '.join(certificate['weeks'])}.",
            *_words_of_publisher(certificate),
            _zones_in_words(certificate, columns),
            *_rows_in_words(certificate.get("rows"), product, certificate["weeks"]),
        ],
        "THE FILES": [*_files(certificate, columns), *_reading_in_words(certificate)],
        f"THE COLUMNS OF {CSV} AND {PARQUET}": _listed(
            {name: _cell_column(name, certificate) for name in ("week", *product.columns, "count")}
        ),
        **_further_columns(certificate, columns),
        "HOW TO USE THE COUNTS": [f"- {one}" for one in uses_from_certificate(certificate)],
        "WHAT IS PROMISED": [certificate["guarantee"]["statement"]],
        "HOW TO CHECK IT": [
            f"Ask the publisher{_named(certificate)} for the public key, and for the program privlab if you do not have it. Then run: "
            f"python -m privlab verify {CERTIFICATE} --public-key KEY",
            f"This file{f' and {ZONES}' if with_zones else ''} follow{'' if with_zones else 's'} from {CERTIFICATE} and "
            f"{'are' if with_zones else 'is'} not signed; the others are covered by its signature.",
            "How such releases are made and what can be read out of them is told in the program's own files: docs/privacy.md, docs/glossary.md, "
            "and docs/science.md, section 5.4, for the formulas of the estimates.",
        ],
        "HOW TO CITE IT": _citation(certificate, product),
    }
    return "\n\n".join("\n".join((title, "", *_wrapped(lines))) for title, lines in parts.items()) + "\n"


def _cell_column(name: str, certificate: dict[str, Any]) -> str:
    """Return what a column of the counts is; of ids that are text, that they are to be read as such."""
    said, public = _CELL_COLUMNS[name], certificate["zones"]["public"]
    if name in ("origin", "destination", "zone") and public and isinstance(public[0], str):
        return f"{said}; ids are text: a program that takes them for numbers loses zeros in front"
    return said


def write_readme(certificate: dict[str, Any], folder: Path) -> None:
    """Write both beside the counts of a release."""
    zones = zones_csv_from_certificate(certificate)
    if zones is not None:
        (folder / ZONES).write_text(zones, "utf-8", newline="")
    (folder / README).write_text(readme_from_certificate(certificate, with_zones=zones is not None), "utf-8")


def _zone_columns_of(certificate: dict[str, Any]) -> tuple[str, ...]:
    """Return the columns of the counts that name zones."""
    product = product_of(certificate["parameters"].get("product", "flows"))
    return product.columns[: product.n_ends]


def _words_of_publisher(certificate: dict[str, Any]) -> list[str]:
    """Return what the publisher says of themselves and of the data, as their words."""
    said = certificate.get(SAID, {})
    told = {"publisher": "Published by", "source": "What was counted of, in the publisher's words"}
    return [f"- {words}: “{said[name]}”" for name, words in told.items() if name in said]


def _named(certificate: dict[str, Any]) -> str:
    return ", who is named above," if "publisher" in certificate.get(SAID, {}) else ""


def _citation(certificate: dict[str, Any], product: Product) -> list[str]:
    """Return how to name a release, so that it is told from another of the same weeks, and whom to ask."""
    publisher = certificate.get(SAID, {}).get("publisher")
    titled = f"{publisher}: {_TITLES[product.name]}" if publisher else _TITLES[product.name].capitalize()
    weeks = "Week" if len(certificate["weeks"]) == 1 else "Weeks"
    signature = certificate.get("signature", {}).get("value", "")
    signed = f", signature {signature[:16]}" if signature else ""
    return [
        f"“{titled}, with noise. {weeks} of {', '.join(certificate['weeks'])}. Release of {certificate['made'][:10]}, made with privlab "
        f"{certificate['versions']['privlab']}{signed}.”",
        *([] if publisher else ["Who published it the files do not say: ask whoever you have them from."]),
    ]


def _reading_in_words(certificate: dict[str, Any]) -> list[str]:
    """Say how the CSV files are written, and what a program that guesses does to them."""
    public = certificate["zones"]["public"]
    districts = [one for said in divisions_of(certificate) for one in (said["name"], *said["of"])]
    names = [*districts, *([] if public is None else map(str, public))]
    text = public is None or bool(districts) or any(isinstance(one, str) for one in public)
    letters = ", and ü for two letters" if public is None or not "".join(names).isascii() else ""
    said = [
        "CSV files are in UTF-8, with a comma between columns, a point before decimals, and days as year-month-day. A spreadsheet that expects "
        f"anything else must be told so as it imports them: else it may take 12.05 for a day, or for 1,205{letters}."
    ]
    if text:
        said.append(
            "Let it import zones and districts as text, and any other program too: else 007 loses its zeros, 1-2 becomes a day, a number of "
            f"more than 15 digits ends in zeros, and a zone NA is missing. {_as_text_in_words(certificate)}"
        )
    elif any(len(str(one).lstrip("-")) > _MOST_DIGITS for one in names):
        said.append(
            "Let it import zones as text, and R too: else their numbers, of more than 15 digits, end in zeros, and one zone is taken for another. "
            f"{_as_text_in_words(certificate)}"
        )
    if public is None or any(csv_text(one) != one for one in names):
        said.append(
            f"In CSV files a name that begins with = + - @ or ' has one more ' before it, and so has what begins with one of them behind a "
            f"semicolon, so that no spreadsheet runs it; {PARQUET} and {CERTIFICATE} have the names as they are."
        )
    return said


def _as_text_in_words(certificate: dict[str, Any]) -> str:
    """Return how pandas and R read the zones of a CSV file as text, none of them as missing."""
    columns = _zone_columns_of(certificate)
    pandas = ", ".join(f'"{one}": str' for one in columns)
    r = ", ".join(f'{one} = "character"' for one in columns)
    return (
        f'In pandas: read_csv("{CSV}", dtype={{{pandas}}}, keep_default_na=False). In R: read.csv("{CSV}", colClasses = c({r}), '
        'na.strings = ""). Likewise columns of zones and districts in the other files.'
    )


def _zones_in_words(certificate: dict[str, Any], columns: list[str]) -> str:
    """Say what the zones are; `columns` are those of the file ZONES, none without it."""
    said = certificate["zones"]
    n_zones = "" if said["public"] is None else f" There are {len(said['public']):,} zones."
    n_zones += _joined_in_words(said.get("joined"), None if said["public"] is None else len(said["public"]))
    if "outline_wkt" in columns:
        metres = ", in metres of a projected system" if _in_metres(certificate) else ""
        if metres and certificate.get("model", {}).get("lat"):
            n_zones += f" Where {CERTIFICATE} gives lat and lon for them, to take distances by, the middle of the box stands at 0° N 0° E."
        return f"The zones are {regular_zones_in_words(certificate)}; {ZONES} says where each lies{metres}.{n_zones}"
    where = "where the middle of each lies" if "lat" in columns else "in which district each lies"
    if said["spec"] == "column":
        lie = f"{ZONES} says {where}" if columns else "ask there where they lie"
        return f"The zones are named as the publisher names them; {lie}.{n_zones}"
    lie = (
        f"{ZONES} says {where}; ask the publisher for their outlines"
        if columns
        else "ask the publisher for them"
    )
    return f"The zones are those of {within_words(said['spec'])}; {lie}.{n_zones}"


def _in_metres(certificate: dict[str, Any]) -> bool:
    return bool(certificate.get("rows", {}).get("in_metres"))


def _rows_in_words(rows: dict[str, Any] | None, product: Product, weeks: list[str]) -> list[str]:
    """Say what is counted of and by whose clock; nothing where the certificate, of an earlier version, does not."""
    if rows is None:
        return []
    if product.name == "visits":
        from_rows = (
            "The data says who was where, and when. A person is in each zone and hour that they have a record in, and in no zone in an hour "
            "without one: few people in an hour may be few records, as of phones that are not used at night."
            if rows["kind"] == "records"
            else (
                "The data says trips; of each, its person was at both ends in the hour that it is dated by: that of its end, or of its "
                "start where the data says no other."
            )
        )
    elif rows["kind"] == "records":
        from_rows = (
            "The data says who was where, and when. A person is, in each hour, in the zone with most of their records; who is in another "
            "zone in the next hour has made a trip, dated by that second hour. One from a Sunday's last hour to Monday's first is in no week."
        )
    else:
        from_rows = (
            "The data says trips. Each is dated by its end, or by its start where the data says no other."
        )
    clock = (
        "Days and hours are by the clock that the times were written by; times with an offset from UTC were taken to UTC."
        if rows["timezone"] is None
        else f"Days and hours are by the clock of {rows['timezone']}, to which times with an offset from UTC were taken."
    )
    if rows.get("days_numbered"):
        clock = (
            f"The data numbers its days, and does not say when the first was: day 0 is called Monday {DAY_0.day} {DAY_0:%B %Y} here. Dates and days "
            "of the week mean nothing, weeks run from day 0, and hours are by the clock of the data."
        )
    left_out = cleaning_in_words(rows.get("cleaning", {}))
    return [
        from_rows,
        *([f"Before anything was counted the publisher left out: {left_out}."] if left_out else []),
        f"{clock} A week begins on Monday at 0:00.",
        *([] if rows["timezone"] is None else _moved_clocks_in_words(rows["timezone"], weeks)),
    ]


def _moved_clocks_in_words(timezone: str, weeks: list[str]) -> list[str]:
    """Return on which days of the weeks clocks were moved, and what that does to counts by the hour; nothing of an unknown zone.

    >>> _moved_clocks_in_words("Europe/Rome", ["2026-03-02"]), len(_moved_clocks_in_words("Europe/Rome", ["2026-03-23", "2026-10-19"]))
    ([], 2)
    >>> _moved_clocks_in_words("Europe/Rome", ["9999-12-27"])
    []
    """
    said = []
    with suppress(
        KeyError, ValueError, OSError, OverflowError
    ):  # an unknown zone, none, a folder of zones, and a week at the end of all
        clock = ZoneInfo(timezone)
        for day in (date.fromisoformat(week) + timedelta(days=n) for week in weeks for n in range(7)):
            begins, ends = (
                datetime.combine(day + timedelta(days=n), time(), clock).utcoffset() for n in (0, 1)
            )
            if begins is not None and ends is not None and begins != ends:
                put = (
                    "forward: it lacks the time left out, in which nobody could be counted"
                    if ends > begins
                    else "back: its hours that came twice are one"
                )
                said.append(f"On {day} clocks there were put {put}.")
    return said


def _joined_in_words(joined: dict[str, int] | None, n_public: int | None) -> str:
    if joined is None:
        return ""
    n_ids, n_zones = joined["n_ids"], joined["n_zones"]
    others = "in all others nobody could be counted, and what is published there is noise alone."
    if n_public is None:  # noise went to flows with a trip alone
        others = "in all others nobody could be counted, and there is no count."
    if n_ids == 1:
        return (
            " People were counted at one place that the publisher has a list of (a station or an antenna, for instance), in the zone that "
            f"it lies in: {others}"
        )
    each = (
        f" People were counted at {n_ids:,} places that the publisher has a list of (stations or antennas, for instance), each place in "
        "the zone that it lies in."
    )
    if n_zones == n_public:
        return f"{each} There is one at least in every zone."
    of_zones = "one of the zones" if n_zones == 1 else f"{n_zones:,} of the zones"
    return f"{each} They lie in {of_zones}: {others}"


def _files(certificate: dict[str, Any], columns: list[str]) -> list[str]:
    files = {CSV: "the published counts", PARQUET: "the same, for programs"}
    if "estimates" in certificate:
        files[ESTIMATES] = "the same counts with intervals and what else follows from them"
    if "levels" in certificate:
        files[LEVELS] = "sums of districts, with noise of their own"
    if columns:
        files[ZONES] = "where the zones lie" if {"lat", "x"} & {*columns} else "the district of each zone"
    files[CERTIFICATE] = "what is promised, how the release was made, and the publisher's signature"
    return _listed(files)


def _further_columns(certificate: dict[str, Any], zone_columns: list[str]) -> dict[str, list[str]]:
    """Return what further columns are, in the words of the certificate."""
    parts = {}
    if "estimates" in certificate:
        parts[f"THE FURTHER COLUMNS OF {ESTIMATES}"] = _listed(certificate["estimates"]["columns"])
    if "levels" in certificate:
        columns = _DISTRICT_COLUMNS | certificate["levels"].get("columns", LEVEL_COLUMNS)
        parts[f"THE COLUMNS OF {LEVELS}"] = _listed(columns)
    if zone_columns:
        known = _ZONE_COLUMNS | (_ZONE_COLUMNS_IN_METRES if _in_metres(certificate) else {})
        columns = {
            within_words(name, spaced=True): known.get(
                name, f"district that it lies in, as {LEVELS} names it{_block_in_words(name)}"
            )
            for name in zone_columns
        }
        parts[f"THE COLUMNS OF {ZONES}"] = [*_listed(columns), *_map_in_words(certificate, zone_columns)]
    return parts


def _block_in_words(name: str) -> str:
    """Return how blocks of zones are named, as `blocks:5`; nothing of other districts."""
    kind, _, sides = name.partition(":")
    if kind != "blocks" or not sides.isdecimal():
        return ""
    return f": one of {sides} by {sides} blocks of zones, 1-{sides} is the first from the south and the last from the west"


def _map_in_words(certificate: dict[str, Any], columns: list[str]) -> list[str]:
    """Return how a map program takes the file ZONES; nothing where that has districts alone."""
    middles = next((pair for pair in (("lon", "lat"), ("x", "y")) if {*pair} <= {*columns}), None)
    if middles is None:
        return []
    system = (
        "in the projected system of the publisher's data"
        if _in_metres(certificate)
        else "in WGS 84 (EPSG:4326)"
    )
    middle = f"points at {middles[0]} as x and {middles[1]} as y"
    shape = f"the outlines in outline_wkt, or {middle}" if "outline_wkt" in columns else middle
    ends = _zone_columns_of(certificate)
    joined = f"{' and '.join(ends)} of the other files {'are' if len(ends) > 1 else 'is'} zone here"
    return [
        f"A map program takes {ZONES} as a table of text with a place in each row: {shape}, {system}; it must be told so, for no CSV file can "
        f"say it. Then join the counts to it: {joined}, read as text in both."
    ]


def _listed(said: dict[str, str]) -> list[str]:
    return [f"- {name}: {words}" for name, words in said.items()]


def _wrapped(lines: list[str]) -> list[str]:
    """Return lines broken to a width that any window shows."""
    import textwrap

    return [
        one
        for line in lines
        for one in textwrap.wrap(
            line,
            _WIDTH,
            subsequent_indent="  " if line.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
    ]
