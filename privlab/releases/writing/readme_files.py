"""A certificate → what stands beside a release for whoever receives it: a README in plain words, and where the zones lie.

Both follow from the certificate alone, so that they tell nothing more and cost nothing; neither is signed.
"""

import csv
import io
from pathlib import Path
from typing import Any

from privlab.checks import ParameterError
from privlab.od import product_of
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
from privlab.safe_text import csv_text

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
    "slot": "part of the week: workday (Monday to Friday) or weekend, and hours of the day",
    "weekday": "day of the week, 1 is Monday",
    "hour": "hour of the day, 0 to 23",
    "count": "the published count: people and noise, a whole number",
}


def readme_from_certificate(certificate: dict[str, Any], *, with_zones: bool) -> str:
    """Return what a receiver needs to know of a release: its files and columns, how to use counts, its promise, how to check it.

    `with_zones` says that the file ZONES stands beside it.
    """
    product = product_of(certificate["parameters"].get("product", "flows"))
    parts = {
        "WHAT THIS IS": [
            f"Numbers of {_COUNTED[product.name]}. Each number has random noise, which protects everyone who is counted.",
            f"Made on {certificate['made'][:10]} with privlab {certificate['versions']['privlab']}. Weeks, by their Monday: "
            f"{', '.join(certificate['weeks'])}.",
            _zones_in_words(certificate, with_zones=with_zones),
        ],
        "THE FILES": _files(certificate, with_zones=with_zones),
        f"THE COLUMNS OF {CSV} AND {PARQUET}": _listed(
            {name: _CELL_COLUMNS[name] for name in ("week", *product.columns, "count")}
        ),
        **_further_columns(certificate),
        "HOW TO USE THE COUNTS": [f"- {one}" for one in _uses(certificate, product.cell)],
        "WHAT IS PROMISED": [certificate["guarantee"]["statement"]],
        "HOW TO CHECK IT": [
            f"Ask the publisher for the public key, and run: python -m privlab verify {CERTIFICATE} --public-key KEY",
            f"This file{f' and {ZONES}' if with_zones else ''} follow{'' if with_zones else 's'} from {CERTIFICATE} and "
            f"{'are' if with_zones else 'is'} not signed; the others are covered by its signature.",
        ],
    }
    return "\n\n".join("\n".join((title, "", *_wrapped(lines))) for title, lines in parts.items()) + "\n"


def zones_csv_from_certificate(certificate: dict[str, Any]) -> str | None:
    """Return where the zones of a release lie, as CSV with outlines in WKT; None where its certificate does not say.

    It says so of squares, hexagons and boxes over a box in degrees; not of ids or outlines from a file.
    """
    from privlab.datasets.zone_kinds import zoning_from_spec  # not for whoever only checks a release

    said = certificate["zones"]
    if said["public"] is None:
        return None
    try:
        zoning = zoning_from_spec(said["spec"], place="latlon", table=None)
        if zoning.public_zones() != said["public"]:  # a box in metres, for instance
            return None
    except ParameterError:
        return None
    where, out = zoning.zone_map(said["public"]), io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(("zone", "lat", "lon", "outline_wkt"))
    for zone, lat, lon, rings in zip(where.zones.tolist(), where.lat, where.lon, where.outlines, strict=True):
        name = csv_text(zone) if isinstance(zone, str) else zone
        rows.writerow((name, f"{lat:.6f}", f"{lon:.6f}", _wkt(rings or [])))
    return out.getvalue()


def write_readme(certificate: dict[str, Any], folder: Path) -> None:
    """Write both beside the counts of a release."""
    zones = zones_csv_from_certificate(certificate)
    if zones is not None:
        (folder / ZONES).write_text(zones, "utf-8", newline="")
    (folder / README).write_text(readme_from_certificate(certificate, with_zones=zones is not None), "utf-8")


def _wkt(rings: list[list[tuple[float, float]]]) -> str:
    corners = (", ".join(f"{lon:.6f} {lat:.6f}" for lon, lat in ring) for ring in rings)
    return f"POLYGON ({', '.join(f'({ring})' for ring in corners)})" if rings else ""


def _zones_in_words(certificate: dict[str, Any], *, with_zones: bool) -> str:
    said = certificate["zones"]
    n_zones = "" if said["public"] is None else f" There are {len(said['public']):,} zones."
    n_zones += _joined_in_words(said.get("joined"), None if said["public"] is None else len(said["public"]))
    if with_zones:
        return f"The zones are {said['spec']}; {ZONES} says where each lies.{n_zones}"
    if said["spec"] == "column":
        return f"The zones are named as the publisher names them; ask there where they lie.{n_zones}"
    return f"The zones are those of {said['spec']}; ask the publisher for them.{n_zones}"


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


def _files(certificate: dict[str, Any], *, with_zones: bool) -> list[str]:
    files = {CSV: "the published counts", PARQUET: "the same, for programs"}
    if "estimates" in certificate:
        files[ESTIMATES] = "the same counts with intervals and what else follows from them"
    if "levels" in certificate:
        files[LEVELS] = "sums of districts, with noise of their own"
    if with_zones:
        files[ZONES] = "where the zones lie: middle in degrees, and outline"
    files[CERTIFICATE] = "what is promised, how the release was made, and the publisher's signature"
    return _listed(files)


def _further_columns(certificate: dict[str, Any]) -> dict[str, list[str]]:
    """Return what further columns are, in the words of the certificate."""
    parts = {}
    if "estimates" in certificate:
        parts[f"THE FURTHER COLUMNS OF {ESTIMATES}"] = _listed(certificate["estimates"]["columns"])
    if "levels" in certificate:
        parts[f"THE COLUMNS OF {LEVELS}"] = _listed(certificate["levels"].get("columns", LEVEL_COLUMNS))
    return parts


def _uses(certificate: dict[str, Any], cell: str) -> list[str]:
    """Return how to read the counts, most often mistaken first."""
    parameters, use = certificate["parameters"], certificate["utility"]
    threshold, width = parameters["threshold"], use["noise_half_width_95"]
    uses = [
        f"Noise moves a count by at most {width:,} in 95 of 100 {cell}s, up or down. Read nothing into smaller differences."
        + (
            f" Small counts are there most of all where noise lifted them: the interval of each stands in {ESTIMATES}."
            if threshold > 0 and "estimates" in certificate
            else ""
        ),
    ]
    if threshold > 0:
        uses.append(
            f"A {cell} that is not in the file is not a {cell} of nobody: its count with noise was below {threshold:,}, and was "
            "left out."
            + (
                f" Sums in {CERTIFICATE} hold such counts all the same: where few are left out, they can be worked out of them."
                if "model" in certificate
                else ""
            )
        )
    false = use["made_up_cells_expected_at_most"]
    if false is not None:
        each = (
            f" How likely each is real stands in {ESTIMATES}, chance_of_flow."
            if "estimates" in certificate
            else ""
        )
        said = f"{false:,.0f}" if false >= 10 else f"{false:,.1f}" if false >= 0.1 else "fewer than 0.1"
        uses.append(
            f"Did nobody move at all, noise alone would show about {said} {cell}s: of the {use['published_cells']:,} published no more than "
            f"that are expected to be false, and mostly far fewer.{each}"
        )
    uses.append(_limit_in_words(parameters))
    uses.append(
        f"For the sum of n {cell}s the noise grows by the square root of n: ±{width:,} for one, about ±{2 * width:,} for four. A sum "
        "over rows lacks what was left out."
    )
    return uses


def _limit_in_words(parameters: dict[str, Any]) -> str:
    bound = parameters["max_trips_per_user"]
    product = product_of(parameters.get("product", "flows"))
    counted, cell = product.counted, product.cell
    where = (
        "where people who travel much go" if counted == "trips" else f"where people with many {counted} are"
    )
    if parameters.get("clip") != "l2":
        return (
            f"At most {bound:,} different {counted} of a person and week are counted, drawn at random; the others are missing, so that "
            f"counts are too low {where}."
        )
    less = f"Where a person has more than {bound:,} different {counted} in a week, each of them counts for less than one, so that counts"
    if parameters.get("total_share"):
        return (
            f"{less} are too low. The column unbiased_count of {ESTIMATES} gives this back to all flows alike, by a noisy total of the "
            "week: take that column for flows and for sums."
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
