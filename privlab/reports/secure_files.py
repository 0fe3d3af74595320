"""A secure release as files: the counts as CSV and Parquet, and a certificate beside them.

The certificate holds what was decided before the data was looked at, what can be worked out from the
published counts, and a keyed digest of the data: no true count, no user, no seed. Nothing is on disk
before the ledger has the cost, and the folder appears whole or not at all.
"""

import hashlib
import io
import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from privlab import __version__
from privlab.checks import DataError
from privlab.dp.guarantees import Guarantee
from privlab.dp.mechanisms import integer_noise_tail
from privlab.dp.secure_noise import half_width
from privlab.figures.labels import csv_text
from privlab.od.secure_release import ReleasePlan, SecureRelease
from privlab.store import Ledger, LedgerEntry

CSV, PARQUET, CERTIFICATE = "release.csv", "release.parquet", "certificate.json"
WHAT = "privlab secure release: people per week, origin and destination, with integer noise"


def released_files(
    folder: Path, ledger: Ledger, *, digest: str, plan: ReleasePlan, release: Callable[[], SecureRelease]
) -> tuple[LedgerEntry, dict[str, Any]]:
    """Make a release and hand it over: cost into the ledger, then noise, then files; return both records.

    Parameters
    ----------
    folder : Path
        Must be missing or empty.
    ledger : Ledger
    digest : str
        Digest of the data, under which the ledger keeps its account.
    plan : ReleasePlan
    release : callable
        Draws the noise; called after the cost is written down.

    Raises
    ------
    BudgetExceeded
        If the budget does not suffice; nothing is drawn then.
    DataError
        If the folder cannot be written. A cost already written down stays.
    """
    _require_free(folder)
    what = json.dumps({"parameters": asdict(plan.parameters), "weeks": plan.weeks, "zones": plan.zones_spec})
    entry = ledger.reserved(digest, epsilon=plan.epsilon, delta=plan.delta, what=what)
    part = folder.with_name(f".{folder.name}.{secrets.token_hex(6)}.partial")
    try:
        part.mkdir(parents=True)
        certificate = _written(part, release(), data=keyed_digest(digest, entry.key))
        os.replace(part, folder)
        _synchronised(folder.parent)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise DataError(f"Could not write to {folder}: {error.strerror or error}.") from None
    ledger.certified(entry.number, sha256_of(folder / CERTIFICATE))
    return entry, certificate


def keyed_digest(digest: str, key: str) -> str:
    """Return the data's digest under a secret key.

    The bare digest would tell anyone who knows all other records whether the target's are among them.
    """
    return hashlib.blake2b(digest.encode(), key=bytes.fromhex(key), digest_size=32).hexdigest()


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def guarantee_as_record(guarantee: Guarantee) -> dict[str, Any]:
    """Return a guarantee as a certificate writes it down."""
    units = {name: None if unit is None else asdict(unit) for name, unit in guarantee.as_dict().items()}
    return {"units": units, "statement": guarantee.statement}


def content_from_release_folder(folder: Path, name: str) -> bytes:
    """Return one file of a release."""
    return (folder / name).read_bytes()


def archive_from_release_folder(folder: Path) -> bytes:
    """Return the files of a release as one ZIP archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (CSV, PARQUET, CERTIFICATE):
            archive.write(folder / name, name)
    return packed.getvalue()


def _require_free(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(f"{folder} is not an empty folder. Choose another: a release is never overwritten.")


def _written(part: Path, release: SecureRelease, *, data: str) -> dict[str, Any]:
    table = pa.table(
        {
            "week": pa.array(release.week.tolist(), pa.string()).cast(pa.date32()),
            "origin": release.origin,
            "destination": release.destination,
            "count": pa.array(release.count, pa.int64()),
        }
    )
    pa_csv.write_csv(csv_table_from_table(table), part / CSV)
    pq.write_table(table, part / PARQUET)
    files = {name: sha256_of(part / name) for name in (CSV, PARQUET)}
    certificate = certificate_from_release(release, data=data, files=files)
    (part / CERTIFICATE).write_text(json.dumps(certificate, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for name in (CSV, PARQUET, CERTIFICATE):
        _synchronised(part / name)
    return certificate


def csv_table_from_table(table: pa.Table) -> pa.Table:
    """Return the counts as the CSV file holds them: ids that a spreadsheet would run get a ' before them."""
    for name in ("origin", "destination"):
        if not pa.types.is_integer(table.schema.field(name).type):
            ids = pa.array([csv_text(str(one)) for one in table[name].to_pylist()], pa.string())
            table = table.set_column(table.column_names.index(name), name, ids)
    return table


def certificate_from_release(release: SecureRelease, *, data: str, files: dict[str, str]) -> dict[str, Any]:
    """Return the certificate: plain JSON, nothing of the true data."""
    plan = release.plan
    return {
        "what": WHAT,
        "format": 1,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "data": {"keyed_digest": data, "law": "BLAKE2b-256 of the data's digest under a key in the ledger"},
        "weeks": list(plan.weeks),
        "zones": {
            "spec": Path(plan.zones_spec).name,
            "public": None if plan.zones is None else list(plan.zones),
        },
        "parameters": asdict(plan.parameters),
        "mechanism": {
            "noise": "discrete Laplace",
            "scale": release.scale,
            "proven_epsilon": release.proven_epsilon,
            "library": release.library,
        },
        "guarantee": guarantee_as_record(plan.guarantee),
        "utility": _utility(release),
        "files": files,
        "versions": {"privlab": __version__, **{name: version(name) for name in ("opendp", "dp-accounting")}},
    }


def _utility(release: SecureRelease) -> dict[str, Any]:
    """What a reader may know of the error: from the parameters and the published counts alone."""
    plan, threshold = release.plan, release.plan.parameters.threshold
    chance = float(integer_noise_tail(release.scale, threshold)) if threshold else 1.0
    spurious = None if plan.n_cells is None else plan.n_cells * len(plan.weeks) * chance
    return {
        "published_cells": int(release.count.size),
        "published_total": int(release.count.sum()),
        "noise_half_width_95": half_width(release.scale),
        "made_up_cells_expected_at_most": spurious,
    }


def _synchronised(path: Path) -> None:
    """Have the system write a file, or a folder's names, to the disk."""
    if path.is_dir() and os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
