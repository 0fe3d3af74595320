"""Parquet on a cluster, read in a settled form → the counts that a secure release needs; the rows stay on the cluster.

publish.py makes the release of them, as it does of a file on one machine.
"""

import secrets
from collections.abc import Callable

from privlab.checks import ParameterError
from privlab.datasets import Dataset
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping, mapping_from_columns
from privlab.datasets.engines import (
    SparkWorkspace,
    columns_from_location,
    read_dataset_on_spark,
    require_parquet,
)
from privlab.datasets.layouts import FileForm
from privlab.datasets.zone_kinds import dataset_in_zones
from privlab.dp.gaussian import TOTAL_CAP
from privlab.lab.publishing.release_data import ReleaseData, settled_zoning
from privlab.od import FLOWS
from privlab.od.releases import (
    NO_LEVELS_FROM_COUNTS,
    ReleasePlan,
    SecureReleaseParameters,
    trip_law_from_parameters,
)
from privlab.od.settled import SettledCounts, settled_counts_from_dataset
from privlab.progress import UNHEARD, Progress

NO_VISITS = (
    "product must be flows or flows-by-slot on a cluster, which does not count visits yet, got 'visits'. Use the engine duckdb "
    "for visits."
)
NOT_CLEANED = "A cluster takes the rows of Parquet as they are: no second file, nothing taken out. Do that when writing the Parquet."


def form_from_location(
    location: str,
    cluster: SparkWorkspace,
    *,
    chosen: Callable[[ColumnMapping], ColumnMapping],
    ids: str | None,
) -> FileForm:
    """Return the form of Parquet, by the names of its columns alone; `chosen` says what else they mean.

    `ids` says what the file's own zone ids are, number or text. Raises DataError if there is no Parquet.
    """
    require_parquet(location)
    # Of names that mean the same, none is taken for standing first in one of the files.
    mapping = chosen(mapping_from_columns(sorted(columns_from_location(location, cluster))))
    return FileForm(mapping=mapping, ids=ids if mapping.place == "zone" else None)


def settled_counts_from_release_data(
    data: ReleaseData,
    plan: ReleasePlan,
    cluster: SparkWorkspace,
    *,
    secret: str | None = None,
    progress: Progress = UNHEARD,
) -> tuple[SettledCounts, Dataset]:
    """Return the bounded counts of a release, and the rows as they were read: under their digest the ledger knows the data,
    and by their people.

    Which trips a bound keeps hangs on a secret of the system's own source, drawn anew for each release; only a test names one.

    Raises
    ------
    ParameterError
        If the plan asks for what a cluster does not do yet: levels, visits, a second file, cleaning.
    DataError
        If the files cannot be read, or not one of their rows can be counted.
    """
    require_for_cluster(plan.parameters)
    if data.lookup is not None or data.cleaning != Cleaning():
        raise ParameterError(NOT_CLEANED)
    progress.tell(0.0, "Reading on the cluster")
    dataset = read_dataset_on_spark(
        data.location or str(data.path),
        cluster,
        mapping=data.form.mapping,
        timezone=data.timezone,
        form=data.form,
    )
    zoning = settled_zoning(data)
    counts = settled_counts_from_dataset(
        dataset_in_zones(dataset, zoning),
        zoning,
        weeks=plan.weeks,
        law_of=lambda most: trip_law_from_parameters(plan.parameters, most),
        secret=secrets.token_hex(32) if secret is None else secret,
        by_slot=plan.product is not FLOWS,
        total_cap=TOTAL_CAP if plan.parameters.total_share else None,
        public=plan.zones,
        progress=progress.part(0.4, 1.0),
    )
    return counts, dataset


def require_for_cluster(parameters: SecureReleaseParameters) -> None:
    """Raise ParameterError, saying what to do instead, for a release that a cluster cannot make."""
    if parameters.levels:
        raise ParameterError(NO_LEVELS_FROM_COUNTS)
    if parameters.product == "visits":
        raise ParameterError(NO_VISITS)
