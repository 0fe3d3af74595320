"""Any bytes → a certificate of a known shape, or one sentence why they are none; and the plan and totals that it states.

Whatever stands in the file, what comes out has every field, of its type, in numbers and texts that are
safe to compute with.
"""

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from privlab.checks import DataError
from privlab.limits import MAX_REASON, MAX_SECURE_CELLS, MAX_WEEKS
from privlab.od import FLOWS, RowsOfRelease, product_of
from privlab.od.levels import JoinedIds
from privlab.od.releases import (
    ReleasePlan,
    SecureReleaseParameters,
    WeekTotal,
    release_plan_from_parameters,
)
from privlab.releases.reading.count_table import require_ordinary
from privlab.releases.writing.certificate import FORMAT, FORMAT_GAUSSIAN, SAID, WHATS
from privlab.releases.writing.cleaning_words import OF_RELEASES
from privlab.releases.writing.estimate_files import COLUMNS, UNBIASED_COLUMNS
from privlab.releases.writing.level_files import AGREED_COLUMN, LEVEL_COLUMNS, divisions_from_certificate
from privlab.releases.writing.model_files import positions_from_certificate
from privlab.safe_text import is_plain_line

_MAX_BYTES = 64_000_000
_MAX_DEPTH = 12
_LARGEST = 2**63

_NUMBER = (int, float)
_OPTIONAL = (int, float, type(None))
_UNIT = {
    "unit": str, "n_cells": int, "epsilon": _NUMBER, "delta": _NUMBER, "log10_delta": _OPTIONAL,
    "epsilon_by_losses": _NUMBER, "optimal_accuracy": _NUMBER, "proven_accuracy": _NUMBER,
}  # fmt: skip
_SHAPE: dict[str, Any] = {
    "what": str,
    "format": int,
    "made": str,
    "data": {"keyed_digest": str, "law": str},
    "weeks": [str],
    "zones": {"spec": str, "public": (list, type(None))},
    "parameters": {"epsilon": _NUMBER, "max_trips_per_user": int, "threshold": int, "cells": str},
    "mechanism": {"noise": str, "scale": _NUMBER, "proven_epsilon": _NUMBER, "library": str},
    "guarantee": {"units": {"trip": _UNIT, "user-week": _UNIT, "user": _UNIT}, "statement": str},
    "utility": {
        "published_cells": int,
        "published_total": int,
        "noise_half_width_95": int,
        "made_up_cells_expected_at_most": _OPTIONAL,
    },
    "files": {"release.csv": str, "release.parquet": str},
    "versions": {"privlab": str, "opendp": str, "dp-accounting": str},
}
_CERTAIN_UNIT = _UNIT | {"certain_share": _NUMBER}
_SIGNED: dict[str, Any] = _SHAPE | {
    "data": _SHAPE["data"] | {"salt": str},
    "signature": {"law": str, "public_key": str, "value": str},
}
_CERTAIN: dict[str, Any] = _SIGNED | {
    "guarantee": {"units": dict.fromkeys(_SHAPE["guarantee"]["units"], _CERTAIN_UNIT), "statement": str},
}
_GAUSSIAN: dict[str, Any] = _CERTAIN | {
    "parameters": _SHAPE["parameters"] | {"noise": str, "clip": str, "delta": _NUMBER},
    "mechanism": {
        "noise": str, "clip": str, "scale": _NUMBER, "units_per_trip": int, "most_trips": int, "proven_rho": _NUMBER,
        "library": str,
    },
}  # fmt: skip
_SHAPES = {1: _SHAPE, 2: _SIGNED, 3: _CERTAIN, 4: _GAUSSIAN}  # by format
_OF_CLEANING = re.compile(
    r"[0-9.,+-]{1,100}|yes"
)  # days, numbers, edges of a box: nothing that reads as words
_SAID = ("publisher", "source")  # what a publisher may have said; likewise
_ACCEPTED = ("delta", "made_up")  # what a maker may have accepted in words; present only then


def certificate_from_file(path: Path) -> tuple[dict[str, Any], bytes]:
    """Return a certificate and its bytes. Raises DataError if the file is none, or not a whole one."""
    try:
        require_ordinary(path)
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise DataError(f"Could not read {path}: {error.strerror or error}.") from None
    if len(content) > _MAX_BYTES:
        raise DataError(f"{path.name} is not a certificate of a secure release: it is too large.")
    certificate = _parsed(content)
    if not isinstance(certificate, dict) or certificate.get("what") not in WHATS.values():
        raise DataError(f"{path.name} is not a certificate of a secure release.")
    if type(certificate.get("format")) is not int or not 1 <= certificate["format"] <= FORMAT_GAUSSIAN:
        raise DataError(
            f"{path.name} is a certificate of a format that this version does not know; it knows 1 to "
            f"{FORMAT_GAUSSIAN}. Check it with the version that made it, or a newer one."
        )
    product, noise = next(key for key, what in WHATS.items() if what == certificate["what"])
    if (certificate["format"] > FORMAT) != (noise == "gaussian"):
        raise DataError(f"{path.name} is not a whole certificate: its format is not that of its noise.")
    fault = _fault(certificate, _shape_of(certificate, product), "the certificate")
    fault = fault or _fault_of_noise(certificate) or _fault_of_product(certificate, product)
    fault = fault or _fault_of_zones(certificate, product) or _fault_of_words(certificate)
    if fault:
        raise DataError(f"{path.name} is not a whole certificate: {fault}.")
    return certificate, content


def _shape_of(certificate: dict[str, Any], product: str) -> dict[str, Any]:
    """Return the shape of a certificate's format, with the reasons of its maker and the estimates where it has any."""
    shape = _SHAPES[certificate["format"]]
    if product != FLOWS.name:
        shape = shape | {"parameters": shape["parameters"] | {"product": str}}
    if certificate["format"] >= FORMAT and "estimates" in certificate:
        columns = UNBIASED_COLUMNS if "totals" in certificate else COLUMNS
        if "levels" in certificate:
            columns = columns | AGREED_COLUMN
        shape = shape | {"estimates": {"sha256": str, "columns": dict.fromkeys(columns, str)}}
    zones = certificate.get("zones")
    if certificate["format"] >= FORMAT and isinstance(zones, dict) and "joined" in zones:
        shape = shape | {"zones": shape["zones"] | {"joined": {"n_ids": int, "n_zones": int}}}
    if certificate["format"] >= FORMAT and "rows" in certificate:
        rows = certificate["rows"]
        more: dict[str, Any] = {
            "in_metres": bool,
            "days_numbered": bool,
            "cleaning": dict.fromkeys(OF_RELEASES, str),
        }
        if isinstance(rows, dict):
            more = {name: one for name, one in more.items() if name in rows}
            taken_out = rows.get("cleaning")
            if isinstance(taken_out, dict) and taken_out:
                more["cleaning"] = {name: str for name in OF_RELEASES if name in taken_out}
        shape = shape | {"rows": {"kind": str, "timezone": (str, type(None)), **more}}
    said = certificate.get("weeks")
    weeks = [week for week in said if type(week) is str] if isinstance(said, list) else []
    if certificate["format"] == FORMAT_GAUSSIAN and "totals" in certificate:
        shape = shape | {
            "parameters": shape["parameters"] | {"total_share": _NUMBER},
            "mechanism": shape["mechanism"] | {"total_units_per_trip": int, "total_trips_of_a_user": int},
            "totals": {week: {"trips": int, "counted": int} for week in weeks},
        }
    if certificate["format"] == FORMAT_GAUSSIAN and "levels" in certificate:
        sums = {week: {"noisy": [int], "counted": [int]} for week in weeks}
        shape = shape | {
            "parameters": shape["parameters"] | {"levels": int},
            "mechanism": shape["mechanism"] | {"level_units_per_trip": [int]},
            "levels": {
                "sha256": str,
                "columns": dict.fromkeys(LEVEL_COLUMNS, str),
                "divisions": [{"name": str, "of": [str], "sums": sums}],
            },
        }
    if certificate["format"] >= FORMAT and "model" in certificate:
        by_week = certificate["model"].get("weeks") if isinstance(certificate["model"], dict) else None
        named = {week: _told(said) for week, said in by_week.items()} if isinstance(by_week, dict) else {}
        shape = shape | {"model": {"lat": [_NUMBER], "lon": [_NUMBER], "weeks": named}}
    words = certificate.get(SAID)
    if certificate["format"] >= FORMAT and isinstance(words, dict) and words:
        shape = shape | {SAID: {name: str for name in _SAID if name in words}}
    said = certificate.get("accepted")
    if certificate["format"] == 1 or not isinstance(said, dict) or not said:
        return shape
    return shape | {"accepted": {name: str for name in _ACCEPTED if name in said}}


def _told(said: Any) -> dict[str, Any]:
    """Return the shape of what is told of a week's noisy counts; earlier versions told nothing of flows back."""
    told = {"sums": [[int]], "sizes": [_NUMBER], "spreads": [_NUMBER]}
    return told | {"alike": _NUMBER} if isinstance(said, dict) and "alike" in said else told


def _parsed(content: bytes) -> Any:
    """Return JSON of bounded depth and numbers, each key once, in texts that can be written; else None."""
    try:
        value = json.loads(
            content.decode("utf-8"),
            parse_int=_small_int,
            parse_float=_finite,
            parse_constant=_refused,
            object_pairs_hook=_object,
        )
        if _depth(value) > _MAX_DEPTH:
            return None
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # no half of a surrogate pair
    except (ValueError, RecursionError):
        return None
    return value


def _small_int(text: str) -> int:
    if len(text) > 20 or abs(int(text)) >= _LARGEST:
        _refused(text)
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if number - number != 0:
        _refused(text)
    return number


def _refused(text: str) -> NoReturn:
    raise ValueError(f"no number of a certificate: {text[:20]}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _depth(value: Any) -> int:
    """Return how deep a value is nested, up to one more than is allowed."""
    depth, level = 0, [value]
    while level and depth <= _MAX_DEPTH:
        depth += 1
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return depth


def _fault(value: Any, shape: Any, where: str) -> str:
    """Return what is wrong with a part of a certificate, "" if nothing is."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{where} is malformed"
        if missing := sorted(shape.keys() - value.keys()):
            return f"{missing[0]} is missing"
        if more := sorted(value.keys() - shape.keys()):
            return f"{more[0][:40]!r} is no part of one"
        return next((fault for name in shape if (fault := _fault(value[name], shape[name], name))), "")
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where} is malformed"
        return next((fault for one in value if (fault := _fault(one, shape[0], where))), "")
    kinds = shape if isinstance(shape, tuple) else (shape,)
    return "" if type(value) in kinds else f"{where} is malformed"


def _fault_of_noise(certificate: dict[str, Any]) -> str:
    gaussian = certificate["format"] == FORMAT_GAUSSIAN
    return "noise is malformed" if gaussian and certificate["parameters"]["noise"] != "gaussian" else ""


def _fault_of_product(certificate: dict[str, Any], product: str) -> str:
    said = certificate["parameters"].get("product", FLOWS.name)
    return "" if said == product else "product is malformed"


def _fault_of_words(certificate: dict[str, Any]) -> str:
    """A publisher's words stand on one line each in what is written for receivers, so that they look like nothing else there."""
    words = certificate.get(SAID, {}).values()
    fit = all(is_plain_line(one, MAX_REASON) for one in words)
    return "" if fit else f"{SAID} is malformed"


def _fault_of_zones(certificate: dict[str, Any], product: str) -> str:
    weeks, public = certificate["weeks"], certificate["zones"]["public"]
    if not 1 <= len(weeks) <= MAX_WEEKS:
        return f"weeks are {len(weeks):,}"
    rows = certificate.get("rows", {"kind": "trips"})
    flags = (rows.get(name, True) for name in ("in_metres", "days_numbered"))
    if rows["kind"] not in ("records", "trips") or not all(flags):
        return "rows are malformed"
    if not all(_OF_CLEANING.fullmatch(one) for one in rows.get("cleaning", {}).values()):
        return "cleaning is malformed"
    joined = certificate["zones"].get("joined")
    if joined and not _can_be_joined(joined, public):
        return "joined is malformed"
    if public is None:
        return ""
    if len({type(zone) for zone in public}) > 1 or not all(type(zone) in (int, str) for zone in public):
        return "public is malformed"
    n_cells = product_of(product).n_cells(len(public)) * len(weeks)
    return "" if n_cells <= MAX_SECURE_CELLS else f"public makes {n_cells:,} cells"


def _can_be_joined(joined: dict[str, int], public: list[Any] | None) -> bool:
    n_ids, n_zones = joined["n_ids"], joined["n_zones"]
    most = n_ids if public is None else min(n_ids, len(public))
    return (n_ids != 0) <= n_zones <= most


def plan_from_certificate(certificate: dict[str, Any]) -> ReleasePlan:
    """Return the plan that a certificate states. Raises ParameterError if it states an impossible one."""
    return release_plan_from_parameters(
        SecureReleaseParameters(**certificate["parameters"]),
        weeks=certificate["weeks"],
        zones_spec=certificate["zones"]["spec"],
        public_zones=certificate["zones"]["public"],
        levels=divisions_from_certificate(certificate),
        positions=positions_from_certificate(certificate),
        joined=JoinedIds(**certificate["zones"]["joined"]) if "joined" in certificate["zones"] else None,
        rows=RowsOfRelease.from_record(certificate["rows"]) if "rows" in certificate else None,
    )


def totals_from_certificate(certificate: dict[str, Any]) -> dict[str, WeekTotal]:
    """Return what a certificate says of each week as a whole; nothing where no total was published."""
    return {week: WeekTotal(**total) for week, total in certificate.get("totals", {}).items()}
