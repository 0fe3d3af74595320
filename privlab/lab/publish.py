"""A file, read in a settled form → what a secure release may count of it. The only way from a file to a release.

The page Publish and the command `release` come through here.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from privlab.checks import ParameterError
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.cleaning_steps import cleaned_dataset
from privlab.datasets.engine import Workspace
from privlab.datasets.file_form import FileForm
from privlab.datasets.geography import Geography, geography_of_kind
from privlab.datasets.lookups import Lookup
from privlab.datasets.readers import read_dataset
from privlab.datasets.zone_maps import Zoning
from privlab.datasets.zoning import dataset_in_zones, zoning_from_spec
from privlab.od.secure_release import require_zones_apart
from privlab.od.settled_trips import NO_USERS, USERS_NOT_APART, SettledTrips, settled_trips_from_dataset
from privlab.progress import Report, silent

IDS_MISSING = (
    "ids must be number or text, named by you, for a secure release over the file's own zone ids: what they look "
    "like can hang on one person's row. Say number if all your zones are whole numbers, else text."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseData:
    """Where the data of a release lies and how it is read: all of it settled before a row is looked at.

    `within`, where given, is the folder that reading must not leave; `zones` is a zoning's spec, and
    `geography` the positions or polygons it needs.
    """

    path: Path
    form: FileForm
    zones: str
    geography: Geography | None
    lookup: Lookup | None
    timezone: str | None
    cleaning: Cleaning
    within: Path | None = None

    def __post_init__(self) -> None:
        """Refuse what would break the guarantee. Raises ParameterError."""
        if self.form.mapping.kind == "counts":
            raise ParameterError(NO_USERS)
        if not self.cleaning.users_apart:
            raise ParameterError(USERS_NOT_APART)
        require_zones_apart(self.zones)
        if self.form.mapping.place == "zone" and self.form.ids is None:
            raise ParameterError(IDS_MISSING)


def settled_zoning(data: ReleaseData) -> Zoning:
    """Return the zones of a release, known without the data."""
    geography = data.geography
    if geography is not None and data.form.mapping.place == "zone" and data.form.ids is not None:
        geography = geography_of_kind(geography, data.form.ids)
    return zoning_from_spec(data.zones, place=data.form.mapping.place, table=None, geography=geography)


def settled_trips_from_release_data(
    data: ReleaseData, workspace: Workspace, *, weeks: tuple[str, ...], report: Report = silent
) -> tuple[SettledTrips, tuple[str, str]]:
    """Return the trips of the weeks to be released, and two digests: that under which the ledger knows the data,
    and that under which older ledgers do.

    Raises DataError if the file cannot be read, or not one of its rows can be counted.
    """
    dataset = read_dataset(
        data.path,
        form=data.form,
        lookup=data.lookup,
        timezone=data.timezone,
        workspace=workspace,
        within=data.within,
        report=lambda share, words: report(0.6 * share, words),
    )
    dataset = cleaned_dataset(dataset, data.cleaning)
    zoning = settled_zoning(data)
    dataset = dataset_in_zones(dataset, zoning)
    trips = settled_trips_from_dataset(
        dataset, zoning, weeks=weeks, report=lambda share, words: report(0.6 + 0.4 * share, words)
    )
    return trips, (dataset.source_digest, dataset.earlier_digest)


def form_with_ids(form: FileForm, ids: str | None) -> FileForm:
    """Return a form with the kind of zone ids that was named; one that has no zone ids stays."""
    return form if form.ids is None else replace(form, ids=ids)
