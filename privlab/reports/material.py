"""Data that exhibits are made from: trips, fingerprints and traces of the same rows, each worked out once, when asked for."""

import hashlib
from collections.abc import Callable

from privlab.aggregates.traces import Traces, traces_from_dataset
from privlab.checks import DataError
from privlab.datasets.catalog import SAMPLES, sample_dataset, sample_geography
from privlab.datasets.engine import Workspace
from privlab.datasets.locating import located_dataset
from privlab.datasets.records import Dataset
from privlab.datasets.zone_maps import Zoning
from privlab.datasets.zoning import zoning_from_spec
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_from_dataset
from privlab.od.tables import PreparedTrips, prepared_trips_from_dataset
from privlab.progress import Report
from privlab.reports.report_plan import DataReference
from privlab.runs import Runs

ORDER_SEED = 1  # the random order of users and of each user's trips

Rows = Callable[[Workspace], tuple[Dataset, Zoning]]


def fingerprints_from_rows(dataset: Dataset, zoning: Zoning, report: Report) -> Fingerprints:
    """Return fingerprints of records, at the centres of zones where only those are known."""
    return fingerprints_from_dataset(located_dataset(dataset, zoning), report=report)


def traces_from_rows(dataset: Dataset, zoning: Zoning, report: Report) -> Traces:
    """Return who was in which zone in which hour."""
    return traces_from_dataset(
        dataset, zoning, told=lambda share: report(share, "Finding who is where in every hour")
    )


def reference_from_prepared_trips(prepared: PreparedTrips, *, sample: bool) -> DataReference:
    """Return which data this is: its digest tells rows, zones, columns and cleaning apart."""
    digest = hashlib.blake2b(prepared.key.encode(), digest_size=16).hexdigest()
    return DataReference(name=prepared.name, sample=sample, digest=digest, zones=prepared.zones_spec)


class RowsMaterial:
    """Material from rows that can be read again. `runs` keeps the games that are played for it."""

    def __init__(
        self, rows: Rows, *, sample: bool, runs: Runs, report: Report, prepared: PreparedTrips | None = None
    ) -> None:
        self._rows, self._sample, self._report, self._prepared = rows, sample, report, prepared
        self.runs = runs
        self._fingerprints: Fingerprints | None = None
        self._traces: Traces | None = None

    def reference(self) -> DataReference:
        """Return which data this is."""
        return reference_from_prepared_trips(self.trips(), sample=self._sample)

    def trips(self) -> PreparedTrips:
        """Return the unique trips, or the counts of data that names nobody."""
        if self._prepared is None:
            with Workspace() as workspace:
                self._prepared = prepared_trips_from_dataset(*self._rows(workspace), seed=ORDER_SEED)
        return self._prepared

    def fingerprints(self) -> Fingerprints:
        """Return the fingerprints of every user. Raises DataError for data without coordinates."""
        if self._fingerprints is None:
            with Workspace() as workspace:
                self._fingerprints = fingerprints_from_rows(*self._rows(workspace), self._report)
        return self._fingerprints

    def traces(self) -> Traces:
        """Return the traces of every user."""
        if self._traces is None:
            with Workspace() as workspace:
                self._traces = traces_from_rows(*self._rows(workspace), self._report)
        return self._traces


def sample_rows(name: str, workspace: Workspace) -> tuple[Dataset, Zoning]:
    """Return the rows of a sample and the zones they are cut into."""
    dataset = sample_dataset(name, workspace)
    zoning = zoning_from_spec(
        SAMPLES[name].zones, place=dataset.place, table=dataset.table, geography=sample_geography(name)
    )
    return dataset, zoning


def require_same_data(wanted: DataReference, found: DataReference) -> None:
    """Raise DataError unless this is the data that a report plan is about."""
    if wanted.digest != found.digest:
        raise DataError(
            f"The data is not that of the report plan ({wanted.name}, zones {wanted.zones}, hash "
            f"{wanted.digest[:12]}); its hash is {found.digest[:12]}. Are file, zones, columns and cleaning the same?"
        )
