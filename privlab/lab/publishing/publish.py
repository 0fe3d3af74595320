"""A file, read in a settled form → what a secure release may count of it. The only way from a file to a release.

The page Publish and the command `release` come through here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

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
from privlab.datasets.cleaning import Cleaning, cleaned_dataset
from privlab.datasets.engines import Workspace
from privlab.datasets.layouts import FileForm
from privlab.datasets.rows import Lookup
from privlab.datasets.zone_files import Geography, geography_of_kind
from privlab.datasets.zone_kinds import dataset_in_zones, zoning_from_spec
from privlab.datasets.zones import Zoning
from privlab.dp.gaussian import TOTAL_SHARE
from privlab.lab.judging.refusals import WANTED_DELTA, Accepted, require_no_refusal
from privlab.lab.judging.verdict import Verdict, verdict_from_release
from privlab.lab.loading.settled_visits import settled_visits_from_dataset
from privlab.od import FLOWS
from privlab.od.expecting import (
    ReleaseOutlook,
    release_outlook_from_settled_counts,
    release_outlook_from_trips,
)
from privlab.od.releases import (
    ReleasePlan,
    SecureRelease,
    SecureReleaseParameters,
    require_zones_apart,
    secure_release_from_settled_counts,
    secure_release_from_settled_trips,
)
from privlab.od.settled import SettledCells, reason_against_promise, settled_trips_from_dataset
from privlab.progress import UNHEARD, Progress
from privlab.releases.accounts import AccountWish, LedgerEntry
from privlab.releases.ledger import Ledger
from privlab.releases.writing import write_release

if TYPE_CHECKING:
    from privlab.datasets.engines import SparkWorkspace

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
    progress: Progress = UNHEARD,
) -> tuple[SettledCells, Dataset]:
    """Return the trips, or visits, of the weeks to be released, and the rows as they were read, before any was taken out:
    under their digests the ledger knows the data, and by their people.

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
    return trips, read


def trips_of_release(data: ReleaseData, plan: ReleasePlan, *, progress: Progress = UNHEARD) -> SettledCells:
    """Return what a release of this plan would count, read as the release itself reads it. Raises DataError as that does."""
    with Workspace() as workspace:
        trips, _ = settled_trips_from_release_data(
            data, workspace, weeks=plan.weeks, product=plan.product.name, progress=progress
        )
    return trips


def people_of_release_data(data: ReleaseData, key: str, *, progress: Progress = UNHEARD) -> PeopleDigests:
    """Return digests of the people in the data of a release, read as the release itself reads it (people_digests_from_dataset).

    Raises DataError if the file cannot be read.
    """
    with Workspace() as workspace:
        return people_digests_from_dataset(_read(data, workspace, progress), key)


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


def release_parameters_from_wishes(
    *,
    epsilon: float,
    max_trips_per_user: int,
    threshold: int,
    cells: str,
    noise: str = "integer",
    clip: str | None = None,
    delta: float | None = None,
    unbiased: bool = False,
    product: str = FLOWS.name,
    levels: int = 0,
) -> SecureReleaseParameters:
    """Return the parameters of a release; Gaussian noise has an L2 clip and δ = 10⁻⁶ where nothing else is said.

    An unbiased one spends TOTAL_SHARE of the squared norm on a noisy total.
    """
    gaussian = noise == "gaussian"
    return SecureReleaseParameters(
        epsilon=epsilon,
        max_trips_per_user=max_trips_per_user,
        threshold=threshold,
        cells=cells,
        noise=noise,
        clip=clip or ("l2" if gaussian else "keep"),
        delta=delta if delta is not None else WANTED_DELTA if gaussian else 0.0,
        total_share=TOTAL_SHARE if unbiased else 0.0,
        product=product,
        levels=levels,
    )


def form_with_ids(form: FileForm, ids: str | None) -> FileForm:
    """Return a form with the kind of zone ids that was named; one that has no zone ids stays."""
    return form if form.ids is None else replace(form, ids=ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRelease:
    """A release that was handed over: its ledger entry and certificate, and what was expected of it.

    `outlook` is a figure of true data, for the steward alone; `digest` names the data in the ledger.
    """

    entry: LedgerEntry
    certificate: dict[str, Any]
    verdict: Verdict
    outlook: ReleaseOutlook
    digest: str


def n_users_of(trips: SettledCells) -> int:
    """Return the number of users in the file, or where that is not known, of those with a trip in the weeks."""
    return int(np.unique(trips.user).size) if trips.n_users is None else trips.n_users


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountableData:
    """Data that was read for a release, and what can be made of it: its outlook, and the release itself by `drawn`.

    `digest` names the data in the ledger, `earlier_digest` in older ones; `n_users` are those of the file; `people` are
    digests of them, None where they were not asked for.
    """

    digest: str
    earlier_digest: str
    n_users: int
    outlook: ReleaseOutlook
    drawn: Callable[[], SecureRelease]
    people: PeopleDigests | None = None


def countable_from_release_data(
    data: ReleaseData,
    plan: ReleasePlan,
    cluster: "SparkWorkspace | None",
    *,
    approve: Callable[[CountableData], None] = lambda found: None,
    people_key: Callable[[], str] | None = None,
    progress: Progress = UNHEARD,
) -> CountableData:
    """Return data read, and ready to be counted and released, on this machine or on a cluster. Raises as publish_release does.

    `approve` is asked once it is read, and may raise; then people are looked up with a ledger's `people_key`.
    """
    if cluster is not None:
        from privlab.lab.publishing.publish_on_cluster import settled_counts_from_release_data

        counts, read = settled_counts_from_release_data(data, plan, cluster, progress=progress)
        found = CountableData(
            digest=read.source_digest,
            earlier_digest=read.earlier_digest,
            n_users=counts.n_users,
            outlook=release_outlook_from_settled_counts(counts, plan),
            drawn=lambda: secure_release_from_settled_counts(counts, plan),
        )
        return _with_people(found, read, approve, people_key)
    with Workspace() as workspace:
        trips, read = settled_trips_from_release_data(
            data, workspace, weeks=plan.weeks, product=plan.product.name, progress=progress
        )
        found = CountableData(
            digest=read.source_digest,
            earlier_digest=read.earlier_digest,
            n_users=n_users_of(trips),
            outlook=release_outlook_from_trips(trips, plan),
            drawn=lambda: secure_release_from_settled_trips(trips, plan),
        )
        return _with_people(found, read, approve, people_key)


def _with_people(
    found: CountableData,
    read: Dataset,
    approve: Callable[[CountableData], None],
    people_key: Callable[[], str] | None,
) -> CountableData:
    """Return data that was approved with the digests of its people, which are worked out where the rows are."""
    approve(found)
    return (
        found
        if people_key is None
        else replace(found, people=people_digests_from_dataset(read, people_key()))
    )


def publish_release(
    folder: Path,
    ledger: Ledger,
    *,
    data: ReleaseData,
    plan: ReleasePlan,
    accepted: Accepted,
    expected_digest: str | None = None,
    who: str | None = None,
    wish: AccountWish | None = None,
    cluster: "SparkWorkspace | None" = None,
    progress: Progress = UNHEARD,
) -> PublishedRelease:
    """Read the data, ask whether the release must not happen by one click, and make it.

    `expected_digest` is that of the data as it was seen before, `who` is noted in the ledger, `wish` is what the steward
    says of the account. `cluster` is where the data is read, bounded and counted, None this machine; noise, certificate and
    ledger are always made here. The other parameters are as in settled_trips_from_release_data and write_release.

    Raises
    ------
    ReleaseRefused
        If it promises nothing or is made up, and the steward has not said otherwise; nothing is charged.
    DataError
        If the file cannot be read, has changed since it was seen, or the folder cannot be written.
    BudgetExceeded
        If the budget does not suffice.
    AccountRefused
        If the data or its people are in another account than wished.
    """

    def approve(found: CountableData) -> None:
        if expected_digest not in (None, found.digest):
            raise DataError(f"{data.path.name} has changed since it was loaded. Load it again.")
        require_no_refusal(plan, found.outlook, n_users=found.n_users, accepted=accepted)
        progress.tell(0.65, "Looking for the account of these people")

    read = countable_from_release_data(
        data, plan, cluster, approve=approve, people_key=ledger.people_key, progress=progress.part(0.0, 0.65)
    )
    progress.tell(0.7, "Writing the cost into the ledger")

    def drawn() -> SecureRelease:
        progress.tell(0.75, "Drawing the noise")
        return read.drawn()

    entry, certificate = write_release(
        folder,
        ledger,
        digest=read.digest,
        earlier_digest=read.earlier_digest,
        plan=plan,
        release=drawn,
        accepted=accepted.as_record(),
        who=who,
        people=read.people,
        wish=wish,
    )
    verdict = verdict_from_release(plan, accepted)
    return PublishedRelease(
        entry=entry, certificate=certificate, verdict=verdict, outlook=read.outlook, digest=read.digest
    )
