"""A certificate and its files → what of it holds, check by check, without the data."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from privlab.checks import DataError, ParameterError
from privlab.dp.guarantees import guarantee_from_parameters
from privlab.od.secure_release import SecureReleaseParameters
from privlab.reports.secure_files import (
    CSV,
    PARQUET,
    WHAT,
    csv_table_from_table,
    guarantee_as_record,
    sha256_of,
)

_COLUMNS = ["week", "origin", "destination", "count"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be true of a release, and whether it is."""

    what: str
    holds: bool


def checks_from_certificate(path: Path) -> list[Check]:
    """Return every check of a certificate against the files beside it.

    Raises DataError if it is no certificate or a file cannot be read.
    """
    certificate = _read(path)
    try:
        parameters = SecureReleaseParameters(**certificate["parameters"])
        checks = list(_statement_checks(certificate, parameters))
        digests = {name: sha256_of(path.with_name(name)) for name in (CSV, PARQUET)}
        checks.append(Check(what="files are those certified", holds=digests == certificate["files"]))
        table = pq.read_table(path.with_name(PARQUET))
        as_csv = csv_table_from_table(table)
        types = pa_csv.ConvertOptions(column_types=as_csv.schema)
        same = pa_csv.read_csv(path.with_name(CSV), convert_options=types).equals(as_csv)
        checks.append(Check(what="CSV and Parquet say the same", holds=same))
        checks += _count_checks(certificate, parameters, table)
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path.name} is not a whole certificate: {error} is missing or malformed.") from None
    except ParameterError as error:
        raise DataError(f"{path.name} states impossible parameters: {error}") from None
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"The files of {path.name} could not be read: {error}.") from None
    return checks


def _read(path: Path) -> dict[str, Any]:
    try:
        certificate = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise DataError(f"Could not read {path}: {error.strerror or error}.") from None
    except (ValueError, RecursionError):
        certificate = None
    if not isinstance(certificate, dict) or certificate.get("what") != WHAT:
        raise DataError(f"{path.name} is not a certificate of a secure release.")
    return certificate


def _statement_checks(certificate: dict[str, Any], parameters: SecureReleaseParameters) -> Iterator[Check]:
    """The guarantee follows from the parameters, and the noise is wide enough for it."""
    weeks, mechanism = certificate["weeks"], certificate["mechanism"]
    guarantee = guarantee_from_parameters(parameters.guarantee_parameters(len(weeks)))
    same = _alike(guarantee_as_record(guarantee), certificate["guarantee"])
    yield Check(what="guarantee follows from the parameters", holds=same)
    least = parameters.max_trips_per_user / parameters.epsilon
    wide = mechanism["noise"] == "discrete Laplace" and mechanism["scale"] >= least
    yield Check(what="noise is wide enough", holds=wide)
    yield Check(what="proven ε is at most ε", holds=mechanism["proven_epsilon"] <= parameters.epsilon)
    public = certificate["zones"]["public"]
    yield Check(what="zones are stated", holds=(public is not None) == (parameters.cells == "public"))


def _count_checks(
    certificate: dict[str, Any], parameters: SecureReleaseParameters, table: pa.Table
) -> Iterator[Check]:
    whole = table.column_names == _COLUMNS and pa.types.is_integer(table.schema.field("count").type)
    yield Check(what="counts are whole numbers", holds=whole and not table["count"].null_count)
    counts = table["count"].to_pylist()
    least = min(counts, default=parameters.threshold)
    yield Check(
        what="counts reach the threshold", holds=not parameters.threshold or least >= parameters.threshold
    )
    cells = list(zip(*(table[name].to_pylist() for name in ("week", "origin", "destination")), strict=True))
    yield Check(what="no cell stands twice", holds=len(set(cells)) == len(cells))
    yield Check(what="origin and destination differ", holds=all(cell[1] != cell[2] for cell in cells))
    weeks = {str(week) for week, _, _ in cells} <= set(certificate["weeks"])
    yield Check(what="weeks are those stated", holds=weeks)
    public = certificate["zones"]["public"]
    if public is not None:
        inside = {zone for _, origin, destination in cells for zone in (origin, destination)} <= set(public)
        yield Check(what="zones are those stated", holds=inside)
    if public is not None and not parameters.threshold:
        all_cells = len(public) * (len(public) - 1) * len(certificate["weeks"])
        yield Check(what="every cell is published", holds=len(cells) == all_cells)
    said = certificate["utility"]
    summed = said["published_cells"] == len(counts) and said["published_total"] == sum(counts)
    yield Check(what="totals are those stated", holds=summed)


def _alike(one: Any, other: Any) -> bool:
    """Whether two records say the same, numbers up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-300)
    return bool(one == other)
