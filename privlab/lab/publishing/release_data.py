"""Where the data of a release lies and how it is read, all settled beforehand → what the release may count of it.

Decides nothing and knows no ledger.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privlab.checks import DataError, ParameterError
from privlab.datasets import (
    FOLDER,
    SAMPLES,
    Dataset,
    PeopleDigests,
    people_digests_from_dataset,
    read_dataset,
    sample_geography,
)
from privlab.datasets.cleaning import Cleaning, cleaned_dataset, question_of_renewed_ids
from privlab.datasets.engines import Workspace
from privlab.datasets.layouts import FileForm
from privlab.datasets.rows import Lookup
from privlab.datasets.zone_files import Geography, geography_of_kind
from privlab.datasets.zone_kinds import dataset_in_zones, zoning_from_spec
from privlab.datasets.zones import Zoning
from privlab.lab.loading.settled_visits import settled_visits_from_dataset
from privlab.od import FLOWS
from privlab.od.releases import ReleasePlan, require_zones_apart
from privlab.od.settled import SettledCells, reason_against_promise, settled_trips_from_dataset
from privlab.progress import UNHEARD, Progress

IDS_MISSING = (
    "ids must be number or text, named by you, for a secure release over the file's own zone ids: what they look "
    "like can hang on one person's row. Say number if all your zones are whole numbers, else text."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseData:
    """Where the data of a release lies and how it is read: all of it settled before a row is looked at.

    `within`, where given, is the folder that reading must not leave; `zones` is a zoning's spec, and
    `geography` the positions or polygons it needs. `location` is the address of Parquet for a cluster, as
    read_dataset_on_spark takes it; None is `path`.
    """

    path: Path
    form: FileForm
    zones: str
    geography: Geography | None
    lookup: Lookup | None
    timezone: str | None
    cleaning: Cleaning
    within: Path | None = None
    location: str | None = None

    def __post_init__(self) -> None:
        """Refuse what would break the guarantee. Raises ParameterError."""
        reason = reason_against_promise(
            has_users=self.form.mapping.kind != "counts", users_apart=self.cleaning.users_apart
        )
        if reason is not None:
            raise ParameterError(reason)
        require_zones_apart(self.zones)
        if self.form.mapping.place == "zone" and self.form.ids is None:
            raise ParameterError(IDS_MISSING)


def release_data_of_sample(name: str, form: FileForm) -> ReleaseData:
    """Return what a release of a sample reads."""
    sample = SAMPLES[name]
    return ReleaseData(
        path=FOLDER / sample.file,
        form=form,
        zones=sample.zones,
        geography=sample_geography(name),
        lookup=None,
        timezone=None,
        cleaning=Cleaning(),
    )


def settled_zoning(data: ReleaseData) -> Zoning:
    """Return the zones of a release, known without the data."""
    geography = data.geography
    if geography is not None and data.form.mapping.place == "zone" and data.form.ids is not None:
        geography = geography_of_kind(geography, data.form.ids)
    return zoning_from_spec(data.zones, place=data.form.mapping.place, table=None, geography=geography)


def settled_trips_from_release_data(
    data: ReleaseData,
    workspace: Workspace,
    *,
    weeks: tuple[str, ...],
    product: str = FLOWS.name,
    public: Sequence[Any] | None = None,
    progress: Progress = UNHEARD,
) -> tuple[SettledCells, Dataset]:
    """Return the trips, or visits, of the weeks to be released, and the rows as they were read, before any was taken out:
    under their digests the ledger knows the data, and by their people. With a list of `public` zones, those between them alone.

    Raises DataError if the file cannot be read, or not one of its rows can be counted.
    """
    read = _read(data, workspace, progress.part(0.0, 0.6))
    dataset = cleaned_dataset(read, data.cleaning)
    zoning = settled_zoning(data)
    dataset = dataset_in_zones(dataset, zoning)
    rest = progress.part(0.6, 1.0)
    if product == "visits":
        trips = settled_visits_from_dataset(dataset, zoning, weeks=weeks, progress=rest)
    else:
        by_slot = product != FLOWS.name
        trips = settled_trips_from_dataset(dataset, zoning, weeks=weeks, by_slot=by_slot, progress=rest)
    return trips.between(public), read


def trips_of_release(
    data: ReleaseData, plan: ReleasePlan, digest: str | None = None, *, progress: Progress = UNHEARD
) -> SettledCells:
    """Return what a release of this plan would count, read as the release itself reads it.

    `digest` is that of the data where it was read before. Raises DataError as a release does, and if the file is another since.
    """
    read = settled_data_from_release_data(data, plan, None, progress=progress)
    require_unchanged(data, digest, read.digest)
    return read.trips


def people_of_release_data(
    data: ReleaseData, key: str, digest: str | None = None, *, progress: Progress = UNHEARD
) -> PeopleDigests:
    """Return digests of the people in the data of a release, read as the release itself reads it (people_digests_from_dataset).

    `digest` is that of the data where it was read before. Raises DataError if the file cannot be read, or is another since.
    """
    with Workspace() as workspace:
        read = _read(data, workspace, progress)
        require_unchanged(data, digest, read.source_digest)
        return people_digests_from_dataset(read, key)


def require_unchanged(data: ReleaseData, before: str | None, now: str) -> None:
    """Raise DataError if a file has another digest than before; None is not known."""
    if before not in (None, now):
        raise DataError(has_changed(data))


def has_changed(data: ReleaseData) -> str:
    """Return that a file is not what it was when it was read before, in a sentence."""
    return f"{data.path.name} has changed since it was loaded. Load it again."


def _read(data: ReleaseData, workspace: Workspace, progress: Progress) -> Dataset:
    return read_dataset(
        data.path,
        form=data.form,
        lookup=data.lookup,
        timezone=data.timezone,
        workspace=workspace,
        within=data.within,
        progress=progress,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SettledData:
    """What a release may count of some data, with the data's digests, and those of its people where they were asked for.

    `question` is what the steward is to be asked of the data's ids, None where nothing strikes about them.
    It can be pickled, so that a process of its own may read the file.
    """

    trips: SettledCells
    digest: str
    earlier_digest: str
    people: PeopleDigests | None
    question: str | None = None


def settled_data_from_release_data(
    data: ReleaseData, plan: ReleasePlan, people_key: str | None, *, progress: Progress = UNHEARD
) -> SettledData:
    """Return what a release of this plan would count; with a ledger's `people_key` also by whom the ledger knows it.

    Raises DataError as settled_trips_from_release_data does.
    """
    with Workspace() as workspace:
        trips, read = settled_trips_from_release_data(
            data, workspace, weeks=plan.weeks, product=plan.product.name, public=plan.zones, progress=progress
        )
        people = None if people_key is None else people_digests_from_dataset(read, people_key)
        question = question_of_renewed_ids(read)
    return SettledData(
        trips=trips,
        digest=read.source_digest,
        earlier_digest=read.earlier_digest,
        people=people,
        question=question,
    )


Reads = Callable[..., Callable[[Progress], Any]]
"""Given a function of this file and what it takes but for its progress, returns what does that in a place of its own."""
