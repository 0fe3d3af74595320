"""A certificate and the files beside it → whether they fit each other and follow from the parameters, check by check.

Knows neither data nor maker: who signed a certificate, and whose ledger has it, verification asks.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from privlab.dp.gaussian import GaussianParameters
from privlab.dp.noise import measurement_from_scale, secure_gaussian_from_sigma
from privlab.dp.promise import GuaranteeParameters, statement_in_words_of_today, statement_of_before
from privlab.od.releases import (
    ReleasePlan,
    SecureReleaseParameters,
    release_noise_from_parameters,
)
from privlab.releases.folders.release_folders import CSV, ESTIMATES, LEVELS, PARQUET
from privlab.releases.reading.certificate_reading import totals_from_certificate
from privlab.releases.reading.count_table import require_ordinary_files, table_of_release
from privlab.releases.writing.certificate import certificate_from_release
from privlab.releases.writing.csv_reading import table_from_csv
from privlab.releases.writing.estimate_files import (
    are_read_as_before,
    columns_in_words_of_today,
    columns_of,
    csv_table_from_table,
    follows_from_counts,
)
from privlab.releases.writing.level_files import (
    LEVEL_COLUMNS,
    agreed_from_published,
    follows_from_levels,
    levels_from_certificate,
    sums_agree_upwards,
    sums_of_cells,
)
from privlab.releases.writing.model_files import (
    model_from_certificate,
    says_how_alike,
    sums_agree,
    sums_follow,
)
from privlab.releases.writing.numbered_columns import NumberedColumn, numbered
from privlab.releases.writing.secure_files import sha256_of

# What of a certificate follows from the rest of it and from the files, in the words of its check.
_FOLLOWING = {
    "guarantee": "guarantee follows from the parameters",
    "mechanism": "noise is the one that the parameters ask for",
    "utility": "totals and half width are those stated",
}
# Said in place of every check of counts, none of which is then read.
TOO_MANY = "counts are no more than the certificate says (no check of the counts was made)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that must be true of a release, whether it is, and which `files` are not those certified where it is not."""

    what: str
    holds: bool
    files: tuple[str, ...] = ()


def file_checks(certificate: dict[str, Any], plan: ReleasePlan, path: Path) -> Iterator[Check]:
    """Yield whether the files beside a certificate are those it names, and whether all it says follows from them and `plan`.

    Raises OSError or ArrowException where a file cannot be read.
    """
    require_ordinary_files(path.parent)
    digests = {name: sha256_of(path.with_name(name)) for name in (CSV, PARQUET)}
    others = tuple(name for name, digest in digests.items() if digest != certificate["files"].get(name))
    yield Check(what="files are those certified", holds=digests == certificate["files"], files=others)
    table, too_many = table_of_release(path.with_name(PARQUET), certificate, plan.product)
    if too_many:
        yield Check(what=TOO_MANY, holds=False)
        yield from _following_checks(certificate, plan, None)
        return
    yield Check(what="counts are whole numbers", holds=table is not None)
    counts = np.zeros(0, dtype=np.int64) if table is None else table["count"].to_numpy()
    yield from _following_checks(certificate, plan, counts)
    if table is not None:
        yield Check(what="CSV and Parquet say the same", holds=_csv_says(table, path.with_name(CSV)))
        yield from _count_checks(certificate, plan, table)
        yield from _estimate_checks(certificate, plan, table, path.with_name(ESTIMATES))
        yield from _model_checks(certificate, plan, table)
        yield from _level_checks(certificate, plan, table, path.with_name(LEVELS))


def _following_checks(
    certificate: dict[str, Any], plan: ReleasePlan, counts: np.ndarray[Any, Any] | None
) -> Iterator[Check]:
    """All that follows from the parameters and the counts is as it would be written today; without counts what follows from the first."""
    noise = _noise_asked_for(certificate, plan)
    expected = certificate_from_release(
        plan,
        np.zeros(0, dtype=np.int64) if counts is None else counts,
        noise=noise | {"library": certificate["mechanism"]["library"]},
        data={},
        files={},
        made="",
        versions={},
        form=certificate["format"],
    )
    promised = certificate["guarantee"]
    said, today = statement_in_words_of_today(promised["statement"]), expected["guarantee"]["statement"]
    if said == statement_of_before(today):
        said = today
    units = promised["units"]
    if plan.parameters.noise == "gaussian" and alike(_proven(units, "trip"), _proven(units, "user-week")):
        # Earlier releases state of a trip what (ε, δ) of the week alone allows, which is more than its own.
        units = units | {
            "trip": units["trip"] | {"proven_accuracy": _proven(expected["guarantee"]["units"], "trip")}
        }
    written = certificate | {"guarantee": promised | {"statement": said, "units": units}}
    for name, what in _FOLLOWING.items():
        if counts is None and name == "utility":
            continue
        yield Check(what=what, holds=alike(expected[name], written[name]))
    yield from _noise_checks(certificate, plan.parameters)
    public = certificate["zones"]["public"]
    ordered = public is None or sorted(set(public)) == public
    yield Check(
        what="zones are stated", holds=ordered and (public is not None) == (plan.parameters.cells == "public")
    )


def _proven(units: dict[str, Any], unit: str) -> Any:
    return units[unit]["proven_accuracy"]


def _noise_asked_for(certificate: dict[str, Any], plan: ReleasePlan) -> dict[str, Any]:
    """Return what a certificate must say of the noise; earlier releases have the least σ itself, not the next one of few bits."""
    noise = release_noise_from_parameters(plan.parameters).record
    if plan.parameters.noise == "gaussian" and not alike(noise["scale"], certificate["mechanism"]["scale"]):
        return release_noise_from_parameters(plan.parameters, least=True).record
    return noise


def _noise_checks(certificate: dict[str, Any], parameters: SecureReleaseParameters) -> Iterator[Check]:
    """The noise that is stated keeps the promise, by its law and by OpenDP's own proof."""
    said, promise = certificate["mechanism"], parameters.guarantee_parameters(1)
    if isinstance(promise, GaussianParameters):
        close = alike(promise.drawn_sigma, said["scale"]) or alike(promise.sigma, said["scale"])
        wide = close and said["scale"] >= promise.sigma * (1 - 1e-12) and promise.is_kept_by(said["scale"])
        yield Check(what="noise is wide enough", holds=wide)
        rho = secure_gaussian_from_sigma(float(said["scale"]), promise.norm).proven_rho if close else math.inf
        yield Check(what="proven ρ is that of the noise", holds=alike(rho, said["proven_rho"]))
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
    if not alike(promise.mechanism.scale, scale):
        return math.inf
    return float(measurement_from_scale(float(scale)).map(promise.mechanism.l1_sensitivity))


def _csv_says(table: pa.Table, path: Path) -> bool:
    as_csv = csv_table_from_table(table)
    said = table_from_csv(path, as_csv)
    return said is not None and bool(said.equals(as_csv))


def _count_checks(certificate: dict[str, Any], plan: ReleasePlan, table: pa.Table) -> Iterator[Check]:
    counts, threshold, product = table["count"].to_numpy(), plan.parameters.threshold, plan.product
    least = int(counts.min(initial=np.iinfo(np.int64).max))
    yield Check(what="counts reach the threshold", holds=not threshold or least >= threshold)
    columns = {name: numbered(table[name]) for name in ("week", *product.columns)}
    week, ends = columns["week"], [columns[name] for name in product.columns[: product.n_ends]]
    n_different = np.unique(_numbers_of(list(columns.values()))).size
    yield Check(what="no cell stands twice", holds=n_different == table.num_rows)
    if product.n_ends == 2:
        same = pc.any(pc.equal(table["origin"], table["destination"])).as_py()
        yield Check(what="origin and destination differ", holds=not same)
    if product.n_slots > 1:
        slots = [columns[name] for name in product.columns[product.n_ends :]]
        first = np.unique(_numbers_of(slots), return_index=True)[1].tolist()
        found = {tuple(one.different[one.number[row]] for one in slots) for row in first}
        yield Check(what="times are parts of a week", holds=found <= product.slots)
    weeks = {str(one) for one in week.different}
    yield Check(what="weeks are those stated", holds=weeks <= set(certificate["weeks"]))
    public = certificate["zones"]["public"]
    if public is None:
        return
    inside = {zone for end in ends for zone in end.different} <= set(public)
    yield Check(what="zones are those stated", holds=inside)
    if not threshold:
        said = {week: total.counted for week, total in totals_from_certificate(certificate).items()}
        counted = {name: sum(counts[week.rows(name)].tolist()) for name in said}
        yield Check(what="totals are the sums of the counts", holds=counted == said)
        all_cells = product.n_cells(len(public)) * len(certificate["weeks"])
        yield Check(what="every cell is published", holds=table.num_rows == all_cells)


def _numbers_of(columns: list[NumberedColumn]) -> npt.NDArray[np.int64]:
    """Return a number for each row, the same for rows that are equal in all columns."""
    number = columns[0].number
    for column in columns[1:]:
        both = number * len(column.different) + column.number  # each below the number of rows: no overflow
        number = np.unique(both, return_inverse=True)[1]
    return number


def _estimate_checks(
    certificate: dict[str, Any], plan: ReleasePlan, table: pa.Table, path: Path
) -> Iterator[Check]:
    """The estimates follow from the counts. Who was given the counts alone can work them out: they may be missing."""
    said = certificate.get("estimates")
    before = said is None or are_read_as_before(said["columns"])
    if said is not None:
        yield Check(
            what="columns of the estimates are explained",
            holds=columns_in_words_of_today(said["columns"], plan.product.name)
            == columns_of(
                plan.parameters,
                modelled="model" in certificate,
                located=plan.positions is not None,
                both_ways=says_how_alike(certificate),
                before=before,
            ),
        )
    if not path.exists():
        return
    if said is not None:
        same = sha256_of(path) == said["sha256"]
        yield Check(what="estimates are those certified", holds=same, files=() if same else (path.name,))
    scale = float(certificate["mechanism"]["scale"])
    sound = math.isfinite(scale) and alike(scale, _noise_asked_for(certificate, plan)["scale"])
    follow = sound and follows_from_counts(
        path,
        table,
        plan.parameters,
        scale,
        totals_from_certificate(certificate),
        levels_from_certificate(certificate),
        model_from_certificate(certificate),
        n_cells=None if before else plan.n_noisy_cells,
    )
    yield Check(what="estimates follow from the counts", holds=follow)


def _model_checks(certificate: dict[str, Any], plan: ReleasePlan, table: pa.Table) -> Iterator[Check]:
    """The sums that smoothed counts follow fit each other, and the counts where all of them are published."""
    model = model_from_certificate(certificate)
    if model is None:
        return
    if plan.zones is None:
        yield Check(what="sums of the model are of public cells", holds=False)
        return
    yield Check(
        what="sums of the model are of the weeks stated", holds=set(model.weeks) == set(certificate["weeks"])
    )
    counted = {week: total.counted for week, total in totals_from_certificate(certificate).items()}
    fits = model.fits(model.margins(plan.parameters))
    yield Check(what="sums of the model agree", holds=fits and sums_agree(model, counted))
    scale = float(certificate["mechanism"]["scale"])
    if not plan.parameters.threshold and math.isfinite(scale) and scale > 0:
        holds = sums_follow(table, model, plan.parameters, scale)
        yield Check(what="sums of the model are those of the counts", holds=holds)


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
    same = sha256_of(path) == said["sha256"]
    yield Check(what="levels are those certified", holds=same, files=() if same else (path.name,))
    scale = float(certificate["mechanism"]["scale"])
    sound = math.isfinite(scale) and alike(scale, _noise_asked_for(certificate, plan)["scale"])
    follow = sound and follows_from_levels(
        path,
        published,
        agreed_from_published(published, plan.parameters, scale, totals_from_certificate(certificate)),
    )
    yield Check(what="levels follow from the certificate", holds=follow)


def alike(one: Any, other: Any) -> bool:
    """Whether two records say the same, numbers up to rounding."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(value, other[key]) for key, value in one.items())
    if isinstance(one, float) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-300)
    return bool(one == other)
