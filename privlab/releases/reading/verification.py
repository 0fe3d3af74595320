"""A certificate and its files → what of it holds, check by check, without the data.

What follows from the parameters is worked out anew. The maker's public key or ledger tells who signed it.
"""

import hashlib
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from privlab.checks import DataError, ParameterError
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.noise import measurement_from_scale, secure_gaussian_from_sigma
from privlab.dp.promise import GuaranteeParameters, statement_in_words_of_today
from privlab.od import Product
from privlab.od.releases import (
    ReleasePlan,
    SecureReleaseParameters,
    WeekTotal,
    release_noise_from_parameters,
    release_plan_from_parameters,
)
from privlab.releases.folders.release_folders import CSV, ESTIMATES, LEVELS, PARQUET
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_keys import signature_holds
from privlab.releases.reading.certificate_reading import certificate_from_file
from privlab.releases.writing.certificate import LAW, LAW_1, SIGNED, certificate_from_release, content_signed
from privlab.releases.writing.estimate_files import columns_of, csv_table_from_table, follows_from_counts
from privlab.releases.writing.level_files import (
    LEVEL_COLUMNS,
    agreed_from_published,
    divisions_from_certificate,
    follows_from_levels,
    levels_from_certificate,
    sums_agree_upwards,
    sums_of_cells,
)
from privlab.releases.writing.secure_files import sha256_of

_DIGEST = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"\d+(\.\d+)*[0-9a-zA-Z.+-]*")
# What of a certificate follows from the rest of it and from the files, in the words of its check.
_FOLLOWING = {
    "guarantee": "guarantee follows from the parameters",
    "mechanism": "noise is the one that the parameters ask for",
    "utility": "totals and half width are those stated",
}
ORIGIN_UNKNOWN = (
    "Who made the release was not checked: anyone can write a certificate that fits its files. Ask its maker "
    "for the public key."
)
ORIGIN_KNOWN = "The certificate is signed with the key given."
ORIGIN_OTHER = "The certificate is not signed with the key given, or was changed since."


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be true of a release, and whether it is."""

    what: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseVerification:
    """All checks of a release, and in `origin` a sentence on who made it."""

    checks: tuple[Check, ...]
    origin: str

    @property
    def holds(self) -> bool:
        """Whether every check is passed."""
        return all(check.holds for check in self.checks)


def verification_from_certificate(
    path: Path, *, public_key: str | None = None, ledger: Ledger | None = None
) -> ReleaseVerification:
    """Return what holds of a certificate against the files beside it.

    Parameters
    ----------
    path : Path
        certificate.json; its files lie beside it.
    public_key : str, optional
        The maker's, in hexadecimal; a certificate that was not signed with its other half fails.
    ledger : Ledger, optional
        The maker's: its key is taken, and the release compared with its entry.

    Raises
    ------
    DataError
        If it is no certificate, or a file or the ledger cannot be read.
    """
    certificate, content = certificate_from_file(path)
    checks: list[Check] = []
    if ledger is not None:
        checks += _ledger_checks(certificate, content, ledger)
        public_key = public_key or ledger.keys().public_key
    signed = list(_signature_checks(certificate, public_key))
    origin = ORIGIN_KNOWN if all(check.holds for check in signed) else ORIGIN_OTHER
    checks += signed
    checks += _form_checks(certificate)
    try:
        plan = plan_from_certificate(certificate)
        checks += _file_checks(certificate, plan, path)
    except ParameterError as error:
        raise DataError(f"{path.name} states impossible parameters: {error}") from None
    except (OSError, pa.ArrowException) as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"The files of {path.name} could not be read: {words}.") from None
    return ReleaseVerification(checks=tuple(checks), origin=origin if public_key else ORIGIN_UNKNOWN)


def came_from(path: Path, ledger: Ledger, digest: str, earlier_digest: str | None = None) -> bool:
    """Return whether a release was made from the data with this digest, by the ledger's key.

    Raises DataError if the release is not one of this ledger's.
    """
    certificate, _ = certificate_from_file(path)
    keys, data = ledger.keys(), certificate["data"]
    names = [one for one in (digest, earlier_digest) if one is not None]
    if "salt" in data:
        found = data["keyed_digest"] in [keys.keyed_digest(one, data["salt"]) for one in names]
    entry = ledger.entry_of(data["keyed_digest"])
    if entry is None:
        raise DataError(f"The ledger {ledger.name} has no entry of this release. Was it made with another?")
    return found if "salt" in data else entry.account in [keys.account_name(one) for one in names]


def plan_from_certificate(certificate: dict[str, Any]) -> ReleasePlan:
    """Return the plan that a certificate states. Raises ParameterError if it states an impossible one."""
    return release_plan_from_parameters(
        SecureReleaseParameters(**certificate["parameters"]),
        weeks=certificate["weeks"],
        zones_spec=certificate["zones"]["spec"],
        public_zones=certificate["zones"]["public"],
        levels=divisions_from_certificate(certificate),
    )


def _ledger_checks(certificate: dict[str, Any], content: bytes, ledger: Ledger) -> Iterator[Check]:
    """The ledger has an entry of the release, that says the same."""
    entry = ledger.entry_of(certificate["data"]["keyed_digest"])
    yield Check(what="the ledger has an entry of it", holds=entry is not None)
    if entry is None:
        return
    written = hashlib.sha256(content).hexdigest() == entry.certificate
    yield Check(what="the ledger has this very certificate", holds=written)
    said = json.loads(entry.what)
    same = _alike(said["parameters"], certificate["parameters"]) and said["weeks"] == certificate["weeks"]
    cost = certificate["parameters"]["epsilon"] * len(certificate["weeks"])
    same = same and _alike(entry.epsilon, cost)
    same = same and _alike(entry.delta, certificate["guarantee"]["units"]["user"]["delta"])
    yield Check(what="the ledger has the same parameters and cost", holds=same)


def _signature_checks(certificate: dict[str, Any], public_key: str | None) -> Iterator[Check]:
    sign = certificate.get("signature")
    if sign is not None:
        own = sign["law"] == SIGNED and signature_holds(
            sign["public_key"], sign["value"], content_signed(certificate)
        )
        yield Check(what="signature is that of the key it names", holds=own)
    if public_key is not None:
        given = sign is not None and sign["public_key"] == public_key
        yield Check(what="signed with the key given", holds=given)


def _form_checks(certificate: dict[str, Any]) -> Iterator[Check]:
    """Dates, digests and versions are such."""
    data, versions = certificate["data"], certificate["versions"]
    digests = [
        data["keyed_digest"],
        *certificate["files"].values(),
        *([data["salt"]] if "salt" in data else []),
    ]
    law = LAW if "salt" in data else LAW_1
    whole = data["law"] == law and all(_DIGEST.fullmatch(one) for one in digests)
    yield Check(what="digests are digests", holds=whole)
    known = certificate["mechanism"]["library"] == f"OpenDP {versions['opendp']}"
    known = known and all(_VERSION.fullmatch(one) for one in versions.values())
    yield Check(what="versions are versions", holds=known)
    yield Check(what="it is dated, and its weeks begin on Mondays", holds=_dated(certificate))


def _dated(certificate: dict[str, Any]) -> bool:
    try:
        made = datetime.fromisoformat(certificate["made"])
        weeks = [date.fromisoformat(week) for week in certificate["weeks"]]
    except ValueError:
        return False
    named = [week.isoformat() for week in weeks] == certificate["weeks"]
    return made.tzinfo is not None and named and all(week.weekday() == 0 for week in weeks)


def _file_checks(certificate: dict[str, Any], plan: ReleasePlan, path: Path) -> Iterator[Check]:
    digests = {name: sha256_of(path.with_name(name)) for name in (CSV, PARQUET)}
    yield Check(what="files are those certified", holds=digests == certificate["files"])
    table = pq.read_table(path.with_name(PARQUET))
    whole = _is_whole(table, plan.product)
    yield Check(what="counts are whole numbers", holds=whole)
    counts = table["count"].to_numpy() if whole else np.zeros(0, dtype=np.int64)
    yield from _following_checks(certificate, plan, counts)
    if whole:
        yield Check(what="CSV and Parquet say the same", holds=_csv_says(table, path.with_name(CSV)))
        yield from _count_checks(certificate, plan, table)
        yield from _estimate_checks(certificate, plan, table, path.with_name(ESTIMATES))
        yield from _level_checks(certificate, plan, table, path.with_name(LEVELS))


def _following_checks(
    certificate: dict[str, Any], plan: ReleasePlan, counts: np.ndarray[Any, Any]
) -> Iterator[Check]:
    """All that follows from the parameters and the counts is as it would be written today."""
    noise = release_noise_from_parameters(plan.parameters).record
    expected = certificate_from_release(
        plan,
        counts,
        noise=noise | {"library": certificate["mechanism"]["library"]},
        data={},
        files={},
        made="",
        versions={},
        form=certificate["format"],
    )
    promised = certificate["guarantee"]
    written = certificate | {
        "guarantee": promised | {"statement": statement_in_words_of_today(promised["statement"])}
    }
    for name, what in _FOLLOWING.items():
        yield Check(what=what, holds=_alike(expected[name], written[name]))
    yield from _noise_checks(certificate, plan.parameters)
    public = certificate["zones"]["public"]
    ordered = public is None or sorted(set(public)) == public
    yield Check(
        what="zones are stated", holds=ordered and (public is not None) == (plan.parameters.cells == "public")
    )


def _noise_checks(certificate: dict[str, Any], parameters: SecureReleaseParameters) -> Iterator[Check]:
    """The noise that is stated keeps the promise, by its law and by OpenDP's own proof."""
    said, promise = certificate["mechanism"], parameters.guarantee_parameters(1)
    if isinstance(promise, GaussianParameters):
        close = _alike(promise.sigma, said["scale"])
        wide = close and said["scale"] >= promise.sigma * (1 - 1e-12)
        yield Check(what="noise is wide enough", holds=wide)
        rho = secure_gaussian_from_sigma(float(said["scale"]), promise.norm).proven_rho if close else math.inf
        yield Check(what="proven ρ is that of the noise", holds=_alike(rho, said["proven_rho"]))
        return
    yield Check(
        what="noise is wide enough", holds=said["scale"] >= parameters.max_trips_per_user / parameters.epsilon
    )
    proven = _proven_epsilon(said["scale"], promise)
    yield Check(
        what="proven ε is at most ε",
        holds=said["proven_epsilon"] <= parameters.epsilon and proven <= parameters.epsilon,
    )


def _proven_epsilon(scale: float, promise: GuaranteeParameters) -> float:
    """Return the ε that OpenDP proves for a scale; infinite for one that is not theirs."""
    if not _alike(promise.mechanism.scale, scale):
        return math.inf
    return float(measurement_from_scale(float(scale)).map(promise.mechanism.l1_sensitivity))


def _is_whole(table: pa.Table, product: Product) -> bool:
    """Whether a table has the columns of a release, none of them with a gap."""
    if table.column_names != ["week", *product.columns, "count"]:
        return False
    week, *cell, count = table.schema.types
    zones, slots = cell[: product.n_ends], cell[product.n_ends :]
    ids = pa.types.is_int64(zones[0]) or pa.types.is_string(zones[0]) or pa.types.is_large_string(zones[0])
    whens = all(
        pa.types.is_string(one) if product.name == "flows-by-slot" else pa.types.is_int64(one)
        for one in slots
    )
    kinds = pa.types.is_date32(week) and ids and zones[0] == zones[-1] and whens and pa.types.is_int64(count)
    return bool(kinds and not any(column.null_count for column in table.columns))


def _csv_says(table: pa.Table, path: Path) -> bool:
    as_csv = csv_table_from_table(table)
    try:
        types = pa_csv.ConvertOptions(column_types=as_csv.schema)
        return bool(pa_csv.read_csv(path, convert_options=types).equals(as_csv))
    except pa.ArrowInvalid:
        return False


def _count_checks(certificate: dict[str, Any], plan: ReleasePlan, table: pa.Table) -> Iterator[Check]:
    counts, threshold = table["count"].to_pylist(), plan.parameters.threshold
    least = min(counts, default=threshold)
    yield Check(what="counts reach the threshold", holds=not threshold or least >= threshold)
    product = plan.product
    cells = list(zip(*(table[name].to_pylist() for name in ("week", *product.columns)), strict=True))
    yield Check(what="no cell stands twice", holds=len(set(cells)) == len(cells))
    if product.n_ends == 2:
        yield Check(what="origin and destination differ", holds=all(cell[1] != cell[2] for cell in cells))
    if product.n_slots > 1:
        slots = {cell[1 + product.n_ends :] for cell in cells} <= product.slots
        yield Check(what="times are parts of a week", holds=slots)
    weeks = {str(cell[0]) for cell in cells} <= set(certificate["weeks"])
    yield Check(what="weeks are those stated", holds=weeks)
    public = certificate["zones"]["public"]
    if public is None:
        return
    inside = {zone for cell in cells for zone in cell[1 : 1 + product.n_ends]} <= set(public)
    yield Check(what="zones are those stated", holds=inside)
    if not threshold:
        counted = dict.fromkeys(totals_from_certificate(certificate), 0)
        for cell, count in zip(cells, counts, strict=True):
            if str(cell[0]) in counted:
                counted[str(cell[0])] += count
        said = {week: total.counted for week, total in totals_from_certificate(certificate).items()}
        yield Check(what="totals are the sums of the counts", holds=counted == said)
        all_cells = product.n_cells(len(public)) * len(certificate["weeks"])
        yield Check(what="every cell is published", holds=len(cells) == all_cells)


def totals_from_certificate(certificate: dict[str, Any]) -> dict[str, WeekTotal]:
    """Return what a certificate says of each week as a whole; nothing where no total was published."""
    return {week: WeekTotal(**total) for week, total in certificate.get("totals", {}).items()}


def _estimate_checks(
    certificate: dict[str, Any], plan: ReleasePlan, table: pa.Table, path: Path
) -> Iterator[Check]:
    """The estimates follow from the counts. Who was given the counts alone can work them out: they may be missing."""
    said = certificate.get("estimates")
    if said is not None:
        yield Check(
            what="columns of the estimates are explained",
            holds=said["columns"] == columns_of(plan.parameters),
        )
    if not path.exists():
        return
    if said is not None:
        yield Check(what="estimates are those certified", holds=sha256_of(path) == said["sha256"])
    scale = float(certificate["mechanism"]["scale"])
    sound = math.isfinite(scale) and _alike(
        scale, release_noise_from_parameters(plan.parameters).record["scale"]
    )
    follow = sound and follows_from_counts(
        path,
        table,
        plan.parameters,
        scale,
        totals_from_certificate(certificate),
        levels_from_certificate(certificate),
    )
    yield Check(what="estimates follow from the counts", holds=follow)


def _level_checks(
    certificate: dict[str, Any], plan: ReleasePlan, table: pa.Table, path: Path
) -> Iterator[Check]:
    """The sums of districts fit each other and the counts, and their file follows from them; it may be missing, too."""
    published = levels_from_certificate(certificate)
    if published is None:
        return
    said = certificate["levels"]
    yield Check(what="columns of the levels are explained", holds=said["columns"] == LEVEL_COLUMNS)
    yield Check(what="sums of cells are those of the level below", holds=sums_agree_upwards(published))
    if not plan.parameters.threshold:
        yield Check(what="sums of cells are those of the counts", holds=sums_of_cells(published, table))
    if not path.exists():
        return
    yield Check(what="levels are those certified", holds=sha256_of(path) == said["sha256"])
    scale = float(certificate["mechanism"]["scale"])
    sound = math.isfinite(scale) and _alike(
        scale, release_noise_from_parameters(plan.parameters).record["scale"]
    )
    follow = sound and follows_from_levels(
        path,
        published,
        agreed_from_published(published, plan.parameters, scale, totals_from_certificate(certificate)),
    )
    yield Check(what="levels follow from the certificate", holds=follow)


def _alike(one: Any, other: Any) -> bool:
    """Whether two records say the same, numbers up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-300)
    return bool(one == other)
