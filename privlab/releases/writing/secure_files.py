"""A secure release as files: the counts as CSV and Parquet, what follows from them, and a signed certificate.

Nothing is on disk before the ledger has the cost. The counts appear whole or not at all, the certificate
last: a folder without one is no release.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from privlab.checks import DataError
from privlab.datasets import PeopleDigests
from privlab.kept import synchronise
from privlab.od.releases import RehearsedCounts, ReleasePlan, SecureRelease
from privlab.releases.accounts.account_choice import AccountWish
from privlab.releases.accounts.entry_costs import Cost, cost_from_entry
from privlab.releases.folders.kept_releases import keep_release
from privlab.releases.folders.release_folders import (
    CSV,
    ESTIMATES,
    LEVELS,
    PARQUET,
    ReleaseFolder,
    files_of_release,
)
from privlab.releases.ledger.ledger import Ledger, LedgerEntry
from privlab.releases.ledger.ledger_keys import LedgerKeys
from privlab.releases.writing.certificate import (
    certificate_from_release,
    signed_certificate,
    versions_of_release,
)
from privlab.releases.writing.estimate_files import (
    columns_of,
    csv_table_from_table,
    write_csv,
    write_estimates,
)
from privlab.releases.writing.level_files import (
    LEVEL_COLUMNS,
    agreed_from_published,
    levels_as_record,
    write_levels,
)
from privlab.releases.writing.model_files import PublishedModel, model_as_record
from privlab.releases.writing.numbered_columns import column_from_values
from privlab.releases.writing.readme_files import write_readme


def write_release(
    folder: Path,
    ledger: Ledger,
    *,
    digest: str,
    plan: ReleasePlan,
    release: Callable[[], SecureRelease],
    earlier_digest: str | None = None,
    accepted: dict[str, str] | None = None,
    said: dict[str, str] | None = None,
    who: str | None = None,
    people: PeopleDigests | None = None,
    wish: AccountWish | None = None,
    n_seen: int | None = None,
) -> tuple[LedgerEntry, dict[str, Any]]:
    """Make a release and hand it over: cost into the ledger, then noise, then files; return both records.

    Parameters
    ----------
    folder : Path
        Must be missing or empty; links are followed.
    ledger : Ledger
    digest : str
        Digest of the data, under which the ledger keeps its account.
    plan : ReleasePlan
    release : callable
        Draws the noise; called after the cost is written down.
    earlier_digest : str, optional
        Digest under which an older ledger may have the same data.
    accepted : dict of str, optional
        Why the steward accepts what a release is refused for, in words, by what it is; for the certificate.
    said : dict of str, optional
        What the publisher says of themselves ("publisher") and of the data ("source"), for the certificate.
    who : str, optional
        Who makes it, for the ledger alone.
    people : PeopleDigests, optional
        Those in the data, by which the ledger knows them again; for the ledger alone.
    wish : AccountWish, optional
        What the steward says of the account that it is charged to.
    n_seen : int, optional
        How many entries that account held when the steward agreed to the cost; None if nobody asked them.

    Raises
    ------
    AccountRefused
        If the data or its people are in another account than wished, or more was charged to it since; nothing is drawn then.
    BudgetExceeded
        If the budget does not suffice; nothing is drawn then.
    DataError
        If the folder cannot be written. What can be foreseen costs nothing; a cost already written down
        stays, with what happened beside it.
    """
    what = what_from_plan(plan)
    with ReleaseFolder(folder, ledger) as place:
        keys = ledger.keys()
        place.entry = entry = ledger.reserve_budget(
            digest,
            epsilon=plan.epsilon,
            delta=plan.delta,
            what=what,
            earlier_digest=earlier_digest,
            folder=place.target,
            who=who,
            people=people,
            wish=wish or AccountWish(),
            n_seen=n_seen,
        )
        made = release()
        certificate = _certificate(
            made,
            entry,
            keys,
            files=_write_counts(place.hidden, made),
            accepted=accepted or {},
            said=said or {},
        )
        content = (json.dumps(certificate, indent=1, ensure_ascii=False) + "\n").encode()
        write_readme(certificate, place.hidden)
        place.show_counts()
        place.write_certificate(content)
        try:
            ledger.record_certificate(entry.number, hashlib.sha256(content).hexdigest())
        except DataError as error:  # the release is there and paid: whoever is told that it failed pays twice
            ledger.told(f"The release is made, but its entry {entry.number} stays unconfirmed: {error}")
        try:
            keep_release(place.target, ledger, entry)
        except OSError as error:  # likewise
            words = error.strerror or error
            ledger.told(f"The release is made, but its files could not be kept beside the ledger: {words}.")
    return entry, certificate


def what_from_plan(plan: ReleasePlan) -> str:
    """Return what a ledger says of a release: its parameters, from which its cost can be worked out, weeks and zones."""
    return json.dumps(
        {"parameters": plan.parameters.as_record(), "weeks": plan.weeks, "zones": plan.zones_spec}
    )


def cost_from_plan(plan: ReleasePlan) -> Cost:
    """Return what a release will cost, as its ledger will count it."""
    return cost_from_entry(plan.epsilon, plan.delta, what_from_plan(plan))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def content_from_release_folder(folder: Path, name: str) -> bytes:
    """Return one file of a release."""
    return (folder / name).read_bytes()


def archive_from_release_folder(folder: Path) -> bytes:
    """Return the files of a release as one ZIP archive."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in files_of_release(folder):
            archive.write(folder / name, name)
    return packed.getvalue()


def _write_counts(folder: Path, release: SecureRelease) -> dict[str, str]:
    """Write the counts and their estimates side by side, and return the digests of the files by name."""
    table = table_from_counts(release)
    parameters, scale, levels = release.plan.parameters, release.mechanism["scale"], release.levels
    model, totals, n_cells = published_model(release), release.totals, release.plan.n_noisy_cells
    writers: dict[str, Callable[[Path], None]] = {
        ESTIMATES: lambda path: write_estimates(
            table, parameters, scale, path, totals, levels, model, n_cells=n_cells
        ),
        CSV: lambda path: write_csv(csv_table_from_table(table), path),
        PARQUET: lambda path: pq.write_table(table, path),
    }
    if levels is not None:
        writers[LEVELS] = lambda path: write_levels(
            levels, agreed_from_published(levels, parameters, scale, totals), path
        )

    def written(name: str) -> str:
        writers[name](folder / name)
        synchronise(folder / name)
        return sha256_of(folder / name)

    with ThreadPoolExecutor(len(writers)) as threads:
        return dict(zip(writers, threads.map(written, writers), strict=True))


def published_model(release: SecureRelease) -> PublishedModel | None:
    """Return what smoothed counts follow; None where cells are discovered."""
    plan = release.plan
    if plan.zones is None:
        return None
    return PublishedModel(zones=plan.zones, positions=plan.positions, weeks=release.models)


def table_from_counts(counts: SecureRelease | RehearsedCounts) -> pa.Table:
    """Return the table that is written for a release: week, the columns of a cell, count."""
    return pa.table(
        {
            "week": pa.array(counts.week.tolist(), pa.string()).cast(pa.date32()),
            **{name: column_from_values(values) for name, values in counts.cell.items()},
            "count": pa.array(counts.count, pa.int64()),
        }
    )


def counts_as_published(counts: RehearsedCounts) -> RehearsedCounts:
    """Return what is read from the Parquet file that a release of these counts would leave: written and read in memory."""
    held = io.BytesIO()
    pq.write_table(table_from_counts(counts), held)
    table = pq.ParquetFile(pa.BufferReader(held.getvalue())).read(use_threads=False)
    return RehearsedCounts(
        week=np.asarray(table["week"]).astype(str),
        cell={name: table[name].to_numpy() for name in counts.cell},
        count=table["count"].to_numpy(),
        totals=counts.totals,  # which the certificate says as they are, and the sums of districts too
        sums=counts.sums,
    )


def _certificate(
    release: SecureRelease,
    entry: LedgerEntry,
    keys: LedgerKeys,
    *,
    files: dict[str, str],
    accepted: dict[str, str],
    said: dict[str, str],
) -> dict[str, Any]:
    levels, model, plan = None, published_model(release), release.plan
    columns = columns_of(plan.parameters, modelled=model is not None, located=plan.positions is not None)
    estimates = {"sha256": files.pop(ESTIMATES), "columns": columns}
    if release.levels is not None:
        levels = {
            "sha256": files.pop(LEVELS),
            "columns": LEVEL_COLUMNS,
            "divisions": levels_as_record(release.levels),
        }
    certificate = certificate_from_release(
        release.plan,
        release.count,
        noise=release.mechanism,
        data={"keyed_digest": entry.keyed_digest, "salt": str(entry.salt)},
        files=files,
        made=datetime.now(UTC).isoformat(timespec="seconds"),
        versions=versions_of_release(),
        accepted=accepted,
        said=said,
        estimates=estimates,
        totals=release.totals,
        levels=levels,
        model=None if model is None else model_as_record(model),
    )
    return signed_certificate(certificate, public_key=keys.public_key, signature=keys.signature)
