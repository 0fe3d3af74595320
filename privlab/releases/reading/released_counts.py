"""The files of a finished release → what anyone who has them can read: its certificate, its plan, its counts.

Nothing of it is true data. Files that are not what the certificate says are refused.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError
from privlab.od.releases import ReleasePlan
from privlab.od.usefulness import clip_ratio
from privlab.releases.folders.release_folders import CERTIFICATE, PARQUET
from privlab.releases.reading.certificate_reading import (
    certificate_from_file,
    plan_from_certificate,
    totals_from_certificate,
)
from privlab.releases.reading.count_table import table_of_counts
from privlab.releases.reading.verification import verification_from_certificate
from privlab.releases.writing.level_files import agreed_cells, agreed_from_published, levels_from_certificate
from privlab.releases.writing.model_files import model_from_certificate, smoothed_cells
from privlab.releases.writing.numbered_columns import numbered


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedCounts:
    """A release as its files say it.

    `digest` is the SHA-256 of the certificate. Per published cell, shape (P,): `week` (its Monday as text),
    `cell` (its columns by name: of flows the zone ids `origin` and `destination`) and `count` (whole numbers). `ratio`, by week,
    is what gives back on average what the limit on trips took; empty where no total was published. `agreed`, shape (P,), are
    the counts that agree with sums of districts, the total given back where there is one; None without levels. `smoothed`, shape (P,), are
    likewise the smoothed counts; None unless the certificate says what all noisy counts add up to.
    """

    certificate: dict[str, Any]
    digest: str
    plan: ReleasePlan
    week: npt.NDArray[np.str_]
    cell: dict[str, npt.NDArray[Any]]
    count: npt.NDArray[np.int64]
    ratio: dict[str, float]
    agreed: npt.NDArray[np.float64] | None = None
    smoothed: npt.NDArray[np.float64] | None = None


def released_counts_from_folder(folder: Path) -> ReleasedCounts:
    """Return a release from the folder that holds its certificate and its files.

    Raises DataError if a file is missing or cannot be read, or is not what the certificate says.
    """
    path = folder / CERTIFICATE
    certificate, content = certificate_from_file(path)
    if not verification_from_certificate(path).holds:
        raise DataError(
            f"The release in {folder.name} is not what its certificate says. `privlab verify` shows which check fails."
        )
    table = table_of_counts(path.with_name(PARQUET))
    plan = plan_from_certificate(certificate)
    levels, totals = levels_from_certificate(certificate), totals_from_certificate(certificate)
    ratio = {week: clip_ratio(plan.parameters, total) for week, total in totals.items()}
    week_of = numbered(table["week"])
    named = [str(week) for week in week_of.different]
    agreed = smoothed = None
    scale, model = float(certificate["mechanism"]["scale"]), model_from_certificate(certificate)
    by = np.array([ratio.get(week, 1.0) for week in named], dtype=np.float64)[week_of.number]
    if levels is not None:
        agreed = agreed_cells(
            table, levels, agreed_from_published(levels, plan.parameters, scale, totals), by
        )
    if model is not None:
        smoothed = smoothed_cells(table, model, plan.parameters, scale) * by
    return ReleasedCounts(
        certificate=certificate,
        digest=hashlib.sha256(content).hexdigest(),
        plan=plan,
        week=np.array(named, dtype=np.str_)[week_of.number],
        cell={name: table[name].to_numpy(zero_copy_only=False) for name in plan.product.columns},
        count=table["count"].to_numpy(),
        ratio=ratio,
        agreed=agreed,
        smoothed=smoothed,
    )
