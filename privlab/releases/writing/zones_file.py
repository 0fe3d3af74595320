"""A certificate → where the zones of its release lie, and in which districts, as a file beside it."""

import csv
import io
from typing import TYPE_CHECKING, Any

from privlab.checks import ParameterError
from privlab.safe_text import csv_text, within_words

if TYPE_CHECKING:
    from privlab.datasets.zones import Zoning


def zones_csv_from_certificate(certificate: dict[str, Any]) -> str | None:
    """Return what a certificate says of where the zones of a release lie, as CSV; None where it says nothing.

    Zones that are squares, hexagons or boxes over a box in degrees, or squares over a box in metres, have their outlines there, in WKT.
    Zones from a file have their middles, if counts are smoothed by distance. All have their districts, one of each level. Certificates
    of earlier versions do not say their rows: beside these only outlines were written.
    """
    public = certificate["zones"]["public"]
    if public is None:
        return None
    outlines_only = "rows" not in certificate
    columns, outlined = {"zone": list(map(_csv_name, public))}, _outlined(certificate)
    if outlined is not None:
        columns |= outlined
    elif outlines_only:
        return None
    elif "model" in certificate and certificate["model"]["lat"]:
        columns |= {name: [f"{one:.6f}" for one in certificate["model"][name]] for name in ("lat", "lon")}
    if not outlines_only:
        for one in divisions_of(certificate):
            name = str(_csv_name(one["name"]))
            columns[f"level {name}" if name in columns else name] = list(map(_csv_name, one["of"]))
    if len(columns) == 1:
        return None
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(columns)
    rows.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def _outlined(certificate: dict[str, Any]) -> dict[str, list[Any]] | None:
    """Return middles and outlines of the public zones by column, None where they do not follow from how zones are named."""
    said = certificate["zones"]
    if certificate.get("rows", {}).get("in_metres"):
        return _outlined_in_metres(said)
    try:
        zoning = _zoning(said["spec"], "latlon")
        if zoning.public_zones() != said["public"]:  # a box in metres, for instance
            return None
    except ParameterError:
        return None
    where = zoning.zone_map(said["public"])
    return {
        "lat": [f"{lat:.6f}" for lat in where.lat],
        "lon": [f"{lon:.6f}" for lon in where.lon],
        "outline_wkt": [_wkt(rings or []) for rings in where.outlines],
    }


def _zoning(spec: str, place: str) -> "Zoning":
    """Return the zoning that a certificate names, without the data. Raises ParameterError."""
    from privlab.datasets.zone_kinds import zoning_from_spec  # not for whoever only checks a release

    return zoning_from_spec(spec, place=place, table=None)


def _outlined_in_metres(said: dict[str, Any]) -> dict[str, list[Any]] | None:
    """Return middles and outlines in the metres of the data, None where the zones are not those of the box in the certificate."""
    from privlab.datasets.zone_kinds import BoxedGridZoning

    try:
        zoning = _zoning(said["spec"], "xy")
    except ParameterError:
        return None
    if not isinstance(zoning, BoxedGridZoning) or zoning.public_zones() != said["public"]:
        return None
    east, north = zoning.middles(said["public"])
    corners = zip(*(axis.tolist() for axis in zoning.edges(said["public"])), strict=True)
    return {
        "x": [f"{x:.2f}" for x in east],
        "y": [f"{y:.2f}" for y in north],
        "outline_wkt": [
            f"POLYGON (({w:.2f} {s:.2f}, {e:.2f} {s:.2f}, {e:.2f} {n:.2f}, {w:.2f} {n:.2f}, {w:.2f} {s:.2f}))"
            for s, w, n, e in corners
        ],
    }


def regular_zones_in_words(certificate: dict[str, Any]) -> str:
    """Return what zones are that follow from how they are named: squares, hexagons or parts of a box, and what of them is counted."""
    said = certificate["zones"]
    place = "xy" if certificate.get("rows", {}).get("in_metres") else "latlon"
    try:
        kind, *parts = _zoning(said["spec"], place).spec.split(":")
    except ParameterError:  # a column of districts may be called like that of outlines
        return within_words(said["spec"])
    if len(parts) != 2:  # without a box
        return within_words(said["spec"])
    of, edges = reversed(parts) if kind == "box" else parts
    box = f"a box with the edges {edges.replace(',', ', ')} (south, west, north, east)"
    if kind == "grid":
        return f"squares of about {float(of):,.15g} m over {box}, cut off where it ends"
    if kind == "box":
        return f"{' rows and '.join(of.split('x'))} columns of {box}"
    return (
        f"H3 hexagons of resolution {of} that touch {box}, of which only what lies in the box is counted, though outlines at its edge reach "
        "beyond it"
    )


def divisions_of(certificate: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the levels of districts as a certificate writes them, none where it has none."""
    return list(certificate["levels"]["divisions"]) if "levels" in certificate else []


def _csv_name(name: Any) -> Any:
    return csv_text(name) if isinstance(name, str) else name


def zone_columns_from_certificate(certificate: dict[str, Any]) -> list[str]:
    """Return the columns of the file ZONES, none where there is no such file."""
    written = zones_csv_from_certificate(certificate)
    return [] if written is None else next(csv.reader(io.StringIO(written)))


def _wkt(rings: list[list[tuple[float, float]]]) -> str:
    corners = (", ".join(f"{lon:.6f} {lat:.6f}" for lon, lat in ring) for ring in rings)
    return f"POLYGON ({', '.join(f'({ring})' for ring in corners)})" if rings else ""
