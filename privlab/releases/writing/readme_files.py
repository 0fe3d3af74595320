"""A certificate → a README in plain words for whoever receives a release; what else stands beside it unsigned is in zones_file.py.

Both follow from the certificate alone, so that they tell nothing more and cost nothing.
"""

import math
from pathlib import Path
from typing import Any

from privlab.od import Product, product_of
from privlab.od.releases import SecureReleaseParameters, WeekTotal
from privlab.od.usefulness import clip_ratio, total_half_width
from privlab.releases.folders.release_folders import (
    CERTIFICATE,
    CSV,
    ESTIMATES,
    LEVELS,
    PARQUET,
    README,
    ZONES,
)
from privlab.releases.writing.level_files import LEVEL_COLUMNS
from privlab.releases.writing.zones_file import (
    divisions_of,
    zone_columns_from_certificate,
    zones_csv_from_certificate,
)

_WIDTH = 100
_COUNTED = {
    "flows": "people who went from one zone to another in a week. A person counts once in a flow, however often they went; who moved "
    "within one zone is in no flow",
    "flows-by-slot": "people who went from one zone to another in a part of the week. A person counts once in a flow and "
    "part of the week, however often they went; who moved within one zone is in no flow",
    "visits": "people who were in a zone in an hour of the week. A person counts once in a zone and hour, however long they stayed",
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
    "lat": "latitude of its middle, in degrees",
    "lon": "longitude of its middle, in degrees",
    "outline_wkt": "its outline in degrees, longitude first, in WKT",
}
_ZONE_COLUMNS_IN_METRES = {
    "x": "its middle, in metres to the east, in the projected system of the publisher's data: ask there which",
    "y": "its middle, in metres to the north",
    "outline_wkt": "its outline in the same metres, x first, in WKT",
}
_DISTRICT_COLUMNS = {
    "week": "Monday with which the week begins",
    "level": "which districts these are",
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
            f"Numbers of {_COUNTED[product.name]}. Each number has random noise, which protects everyone who is counted.",
            f"Made on {certificate['made'][:10]} with privlab {certificate['versions']['privlab']}. Weeks, by their Monday: "
            f"{', '.join(certificate['weeks'])}.",
            _zones_in_words(certificate, columns),
            *_rows_in_words(certificate.get("rows"), product),
        ],
        "THE FILES": _files(certificate, columns),
        f"THE COLUMNS OF {CSV} AND {PARQUET}": _listed(
            {name: _CELL_COLUMNS[name] for name in ("week", *product.columns, "count")}
        ),
        **_further_columns(certificate, columns),
        "HOW TO USE THE COUNTS": [f"- {one}" for one in _uses(certificate, product)],
        "WHAT IS PROMISED": [certificate["guarantee"]["statement"]],
        "HOW TO CHECK IT": [
            f"Ask the publisher for the public key, and run: python -m privlab verify {CERTIFICATE} --public-key KEY",
            f"This file{f' and {ZONES}' if with_zones else ''} follow{'' if with_zones else 's'} from {CERTIFICATE} and "
            f"{'are' if with_zones else 'is'} not signed; the others are covered by its signature.",
        ],
    }
    return "\n\n".join("\n".join((title, "", *_wrapped(lines))) for title, lines in parts.items()) + "\n"


def write_readme(certificate: dict[str, Any], folder: Path) -> None:
    """Write both beside the counts of a release."""
    zones = zones_csv_from_certificate(certificate)
    if zones is not None:
        (folder / ZONES).write_text(zones, "utf-8", newline="")
    (folder / README).write_text(readme_from_certificate(certificate, with_zones=zones is not None), "utf-8")


def _zones_in_words(certificate: dict[str, Any], columns: list[str]) -> str:
    """Say what the zones are; `columns` are those of the file ZONES, none without it."""
    said = certificate["zones"]
    n_zones = "" if said["public"] is None else f" There are {len(said['public']):,} zones."
    n_zones += _joined_in_words(said.get("joined"), None if said["public"] is None else len(said["public"]))
    if "outline_wkt" in columns:
        metres = ", in metres of a projected system" if _in_metres(certificate) else ""
        if metres and certificate.get("model", {}).get("lat"):
            n_zones += f" Where {CERTIFICATE} gives lat and lon for them, to take distances by, the middle of the box stands at 0° N 0° E."
        return f"The zones are {said['spec']}; {ZONES} says where each lies{metres}.{n_zones}"
    where = "where the middle of each lies" if "lat" in columns else "in which district each lies"
    if said["spec"] == "column":
        lie = f"{ZONES} says {where}" if columns else "ask there where they lie"
        return f"The zones are named as the publisher names them; {lie}.{n_zones}"
    lie = (
        f"{ZONES} says {where}; ask the publisher for their outlines"
        if columns
        else "ask the publisher for them"
    )
    return f"The zones are those of {said['spec']}; {lie}.{n_zones}"


def _in_metres(certificate: dict[str, Any]) -> bool:
    return bool(certificate.get("rows", {}).get("in_metres"))


def _rows_in_words(rows: dict[str, Any] | None, product: Product) -> list[str]:
    """Say what is counted of and by whose clock; nothing where the certificate, of an earlier version, does not."""
    if rows is None:
        return []
    if product.name == "visits":
        from_rows = (
            "The data says who was where, and when."
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
    return [from_rows, f"{clock} A week begins on Monday at 0:00."]


def _joined_in_words(joined: dict[str, int] | None, n_public: int | None) -> str:
    if joined is None:
        return ""
    n_ids, n_zones = joined["n_ids"], joined["n_zones"]
    others = "in all others nobody could be counted, and what is published there is noise alone."
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
            name: known.get(name, f"district that it lies in, as {LEVELS} names it") for name in zone_columns
        }
        parts[f"THE COLUMNS OF {ZONES}"] = _listed(columns)
    return parts


def _uses(certificate: dict[str, Any], product: Product) -> list[str]:
    """Return how to read the counts, most often mistaken first."""
    parameters, use, cell = certificate["parameters"], certificate["utility"], product.cell
    threshold, width = parameters["threshold"], use["noise_half_width_95"]
    return [
        f"Noise moves a count by at most {width:,} in 95 of 100 {cell}s, up or down. Read nothing into a smaller change of one count, nor "
        f"into two counts that are less than about {math.ceil(math.sqrt(2) * width):,} apart."
        + (
            f" Small counts are there most of all where noise lifted them: the interval of each stands in {ESTIMATES}."
            if threshold > 0 and "estimates" in certificate
            else ""
        ),
        *_missing_in_words(certificate, cell),
        *_false_in_words(certificate, product),
        _limit_in_words(parameters, "levels" in certificate),
        *_totals_in_words(certificate),
        f"For the sum of n {cell}s the noise grows by the square root of n: ±{width:,} for one, about ±{2 * width:,} for four."
        + (" A sum over rows lacks what was left out." if threshold > 0 else ""),
        *_districts_in_words(certificate),
        f"A sum over several {cell}s or weeks is one of {product.counted}, not of people: whoever is counted in two of them is in it twice.",
    ]


def _missing_in_words(certificate: dict[str, Any], cell: str) -> list[str]:
    """Say what a count that is not in the files may have been; with no threshold what a count below 0 is."""
    threshold = certificate["parameters"]["threshold"]
    if certificate["zones"]["public"] is None:
        return [
            f"Of a {cell} that is not in the file either nobody was counted, or its count with noise was below {threshold:,} and was "
            "left out."
        ]
    if threshold == 0:
        return [
            f"Every {cell} that there can be has a row, whether anybody was counted in it or not. Noise made counts "
            "below 0 too small, as it made others too large: leave them in sums, which come out far too high without."
        ]
    sums = (
        f" Sums in {CERTIFICATE} hold such counts all the same: where few are left out, they can be worked out of them."
        if "model" in certificate
        else ""
    )
    return [
        f"A {cell} that is not in the file is not a {cell} of nobody: its count with noise was below {threshold:,}, and was left "
        f"out.{sums}"
    ]


def _false_in_words(certificate: dict[str, Any], product: Product) -> list[str]:
    """Say how many of the published counts may be of nobody."""
    use, cell = certificate["utility"], product.cell
    false, published = use["made_up_cells_expected_at_most"], use["published_cells"]
    if false is None:
        return [f"In every {cell} of the file somebody was counted: no other was given noise."]
    each = (
        f" How likely each is real stands in {ESTIMATES}, chance_of_flow: add up 1 minus that chance over some rows, and you have how many of "
        "them to expect to be false."
        if "estimates" in certificate
        else ""
    )
    if certificate["parameters"]["threshold"] == 0:
        return [f"Where nobody was counted a count is noise alone.{each}"]
    said = (
        f"about {false:,.0f}" if false >= 10 else f"about {false:,.1f}" if false >= 0.1 else "fewer than 0.1"
    )
    of_them = (
        f"no more than that of the {published:,} published"
        if false <= published
        else f"all {published:,} published may"
    )
    are = "are expected to be false" if false <= published else "be false"
    return [f"Had nobody been counted at all, noise alone would show {said} {cell}s: {of_them} {are}.{each}"]


def _totals_in_words(certificate: dict[str, Any]) -> list[str]:
    """Say what unbiased counts are worth: their noise, and that of the totals by which they are multiplied."""
    if not certificate["parameters"].get("total_share"):
        return []
    said, width = certificate["mechanism"], certificate["utility"]["noise_half_width_95"]
    off = total_half_width(said["scale"], said["total_units_per_trip"])
    parameters = SecureReleaseParameters(**certificate["parameters"])
    weeks = []
    for week, one in certificate["totals"].items():
        ratio = clip_ratio(parameters, WeekTotal(**one))
        weeks.append(
            f"in the week of {week} by {ratio:.2f}, so that its noise is ±{math.ceil(ratio * width):,}, and the total is {one['trips']:,} trips"
        )
    return [
        f"The unbiased count is the published one, multiplied {'; '.join(weeks)}. Multiply at_least_95 and at_most_95 by the same number "
        "for it.",
        f"Noise moves the total of a week itself by at most {off:,} trips in 95 of 100 weeks. A sum of unbiased counts that holds a share of "
        f"the week's trips is off by the same share of {off:,} besides, however many counts it is of.",
    ]


def _districts_in_words(certificate: dict[str, Any]) -> list[str]:
    """Say how sums of districts are to be read, and how wide their noise is."""
    divisions = divisions_of(certificate)
    if not divisions:
        return []
    said = certificate["mechanism"]
    widths = ", ".join(
        f"±{total_half_width(said['scale'], units):,} for {one['name']}"
        for one, units in zip(divisions, said["level_units_per_trip"], strict=True)
    )
    return [
        f"Sums of districts stand in {LEVELS}, with noise of their own: noisy_count is off by at most {widths}, in 95 of 100. For all trips "
        "from one district to another take agreed_count there, rather than a sum over rows.",
    ]


def _limit_in_words(parameters: dict[str, Any], has_levels: bool) -> str:
    bound = parameters["max_trips_per_user"]
    product = product_of(parameters.get("product", "flows"))
    counted, cell = product.counted, product.cell
    where = (
        "where people who travel much go" if counted == "trips" else f"where people with many {counted} are"
    )
    different = f"different {counted if bound > 1 else counted.removesuffix('s')}"
    if parameters.get("clip") != "l2":
        return (
            f"At most {bound:,} {different} of a person and week {'is' if bound == 1 else 'are'} counted, drawn at random; the others are "
            f"missing, so that counts are too low {where}."
        )
    less = f"Where a person has more than {bound:,} {different} in a week, each of them counts for less than one, so that counts"
    if parameters.get("total_share"):
        column = (
            "take agreed_count, which has this back too and fits the districts"
            if has_levels
            else "take that column for flows and for sums"
        )
        return (
            f"{less} are too low. The column unbiased_count of {ESTIMATES} gives this back to all flows alike, by a noisy total of the "
            f"week: {column}."
        )
    return f"{less} are too low {where}, and sums over many {cell}s too."


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
