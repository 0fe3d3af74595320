"""A sample, a file or a folder → rows in zones, and the trips, traces and fingerprints in them.

Pages and commands read data through here alone. What needs a heavy library is imported when it is called.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from privlab.datasets import Dataset, read_dataset
from privlab.datasets.cleaning import Cleaning, cleaned_dataset, profiled
from privlab.datasets.columns import ColumnMapping, mapping_from_columns
from privlab.datasets.engines import Workspace
from privlab.datasets.layouts import AUTO
from privlab.datasets.rows import Lookup
from privlab.progress import UNHEARD, Progress

if TYPE_CHECKING:
    from privlab.aggregates import Traces
    from privlab.datasets.engines import SparkWorkspace
    from privlab.datasets.processes import WorkspaceWork
    from privlab.datasets.zone_files import Geography
    from privlab.datasets.zones import Zoning
    from privlab.fingerprints import Fingerprints
    from privlab.od import UniqueTrips
    from privlab.od.trips import FlowCounts, PreparedTrips, TripTables

ORDER_SEED = 1  # the random order of users and of each user's trips

Made = TypeVar("Made")
Rows = Callable[[Workspace], "tuple[Dataset, Zoning]"]
Making = Callable[[Dataset, "Zoning", Progress], Made]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSource:
    """Where data lies, how its rows are read, and what is taken out of them.

    `within`, where given, is the folder that reading must not leave.
    """

    path: Path
    mapping: ColumnMapping
    format: str = AUTO
    lookup: Lookup | None = None
    timezone: str | None = None
    cleaning: Cleaning = field(default_factory=Cleaning)
    within: Path | None = None


def dataset_from_source(source: DataSource, workspace: Workspace, *, progress: Progress = UNHEARD) -> Dataset:
    """Return the rows of a source, read and cleaned. Raises DataError or ParameterError if they cannot be."""
    dataset = read_dataset(
        source.path,
        format=source.format,
        mapping=source.mapping,
        lookup=source.lookup,
        timezone=source.timezone,
        workspace=workspace,
        within=source.within,
        progress=progress.part(0.0, 0.79),
    )
    progress.tell(0.79, "Cleaning")
    return cleaned_dataset(dataset, source.cleaning)


def dataset_on_spark_from_location(
    location: str,
    workspace: "SparkWorkspace",
    *,
    chosen: Callable[[ColumnMapping], ColumnMapping],
    timezone: str | None,
    by_content: bool = False,
) -> Dataset:
    """Return the rows of Parquet that a Spark application reads, where `chosen` says what the columns mean.

    It is handed the meanings guessed by their names. The dataset is known by its files' addresses; `by_content` has the
    workers read the files once more and makes it known by their bytes, for who keeps results under that name. Raises
    DataError if the files cannot be read.
    """
    from privlab.datasets.engines import (
        columns_from_location,
        content_digest_on_spark,
        read_dataset_on_spark,
        require_parquet,
    )

    require_parquet(location)
    guess = mapping_from_columns(columns_from_location(location, workspace))
    dataset = read_dataset_on_spark(location, workspace, mapping=chosen(guess), timezone=timezone)
    return replace(dataset, digest=content_digest_on_spark(location, workspace)) if by_content else dataset


def rows_in_zones(
    dataset: Dataset, zones: str, geography: "Geography | None" = None
) -> "tuple[Dataset, Zoning]":
    """Return rows and the zones they are cut into; `zones` is a zoning's spec, `geography` what it needs.

    The dataset comes back with a note if the zone file knows only some of its zones. Raises ParameterError if the spec
    does not go with the data.
    """
    from privlab.datasets.zone_kinds import dataset_in_zones, zoning_from_spec

    zoning = zoning_from_spec(zones, place=dataset.place, table=dataset.table, geography=geography)
    return dataset_in_zones(dataset, zoning), zoning


def sample_rows(name: str, workspace: Workspace) -> "tuple[Dataset, Zoning]":
    """Return the rows of a sample and the zones they are cut into."""
    from privlab.datasets import SAMPLES, sample_dataset, sample_geography

    dataset = sample_dataset(name, workspace)
    return rows_in_zones(dataset, SAMPLES[name].zones, sample_geography(name))


def profiled_dataset(dataset: Dataset, *, progress: Progress = UNHEARD) -> Dataset:
    """Return a dataset with what is odd about it, as of now."""
    return profiled(dataset, now=datetime.now(), progress=progress)


def sample_work(name: str, what: str, making: Making[Made]) -> "WorkspaceWork[Made]":
    """Return the work that has what `making` makes of a sample's rows: kept on disk from an earlier time, or made now.

    `what` names it.
    """
    from privlab.datasets.processes import WorkspaceWork

    work = partial(_of_sample_rows, name=name, making=making)
    return WorkspaceWork(work, kept=partial(kept_of_sample, name, what))


def made_of_sample_rows(name: str, making: Making[Made], *, progress: Progress = UNHEARD) -> Made:
    """Return the same, made now."""
    with Workspace() as workspace:
        progress.watch(workspace.query_share)
        try:
            return _of_sample_rows(workspace, progress, name=name, making=making)
        finally:
            progress.watch(float)


def _of_sample_rows(workspace: Workspace, progress: Progress, *, name: str, making: Making[Made]) -> Made:
    progress.tell(0.02, "Reading the sample", until=0.1)
    dataset, zoning = sample_rows(name, workspace)
    return making(dataset, zoning, progress.part(0.1, 1.0))


def kept_of_sample(name: str, what: str, make: Callable[[], Made]) -> Made:
    """Return what `make` makes of a sample, or of what was made of it: kept on disk from an earlier time, or made now.

    `what` names it, parameters included.
    """
    from privlab.kept import kept_sample

    return kept_sample(name, what, make)


def trip_source_from_rows(
    dataset: Dataset,
    zoning: "Zoning",
    *,
    group_size: int | None = None,
    max_trips_per_user: int | None = None,
    with_rhythm: bool = False,
    progress: Progress = UNHEARD,
) -> "TripTables | FlowCounts":
    """Return the unique trips of a dataset, or its counts where it names no users.

    `with_rhythm` also asks when the trips were. Raises ParameterError if users are to be sampled or bounded where none
    are named.
    """
    from privlab.od.trips import (
        flow_counts_from_dataset,
        require_no_choice_of_users,
        trip_tables_from_dataset,
    )

    if dataset.kind == "counts":
        require_no_choice_of_users(group_size, max_trips_per_user)
        return flow_counts_from_dataset(dataset, zoning, progress=progress)
    return trip_tables_from_dataset(dataset, zoning, with_rhythm=with_rhythm, progress=progress)


def trips_from_rows(
    dataset: Dataset, zoning: "Zoning", *, seed: int = ORDER_SEED, progress: Progress = UNHEARD
) -> "UniqueTrips | FlowCounts":
    """Return the unique trips in an order drawn by a seed, or the counts of data that names nobody."""
    from privlab.od.trips import TripTables, unique_trips_from_trip_tables

    source = trip_source_from_rows(dataset, zoning, progress=progress)
    if not isinstance(source, TripTables):
        return source
    return unique_trips_from_trip_tables(source, seed=seed, progress=progress)


def prepared_trips_from_rows(
    dataset: Dataset, zoning: "Zoning", progress: Progress = UNHEARD, *, even_without_trips: bool = False
) -> "PreparedTrips":
    """Return all that pages and reports need of the trips in rows. Raises DataError where nobody made one, unless that is no matter."""
    from privlab.od.trips import prepared_trips_from_dataset

    return prepared_trips_from_dataset(
        dataset, zoning, seed=ORDER_SEED, even_without_trips=even_without_trips, progress=progress
    )


def fingerprints_from_rows(
    dataset: Dataset,
    zoning: "Zoning | None" = None,
    progress: Progress = UNHEARD,
    *,
    centre: tuple[float, float] | None = None,
) -> "Fingerprints":
    """Return the fingerprint of every user; with a zoning at the centres of zones where only those are known.

    Both ends of a trip are samples, at the trip's time.
    `centre` is the latitude and longitude where the map is laid flat, by default the data's median. Raises
    DataError for data without coordinates.
    """
    from privlab.datasets.zones import located_dataset
    from privlab.fingerprints import fingerprints_from_dataset

    return fingerprints_from_dataset(located_dataset(dataset, zoning), centre=centre, progress=progress)


def traces_from_rows(
    dataset: Dataset,
    zoning: "Zoning",
    progress: Progress = UNHEARD,
    *,
    null_zone: bool = True,
    first_day: date | None = None,
    last_day: date | None = None,
) -> "Traces":
    """Return who was in which zone in which hour.

    `null_zone` adds a zone for who is seen nowhere; the days are the first and the last, by default the data's.
    """
    from privlab.aggregates import traces_from_dataset

    return traces_from_dataset(
        dataset,
        zoning,
        null_zone=null_zone,
        first_day=first_day,
        last_day=last_day,
        progress=progress,
    )
