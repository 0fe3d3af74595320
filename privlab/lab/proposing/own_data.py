"""A file of one's own → its rows, kept for the session, and all that pages need of them. True data: for the steward alone.

What is large is read in a process of its own, so that other sessions have their answers meanwhile.
"""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from privlab.datasets import Dataset
from privlab.datasets.engines import Workspace
from privlab.datasets.files import grows_beyond
from privlab.datasets.processes import WorkspaceWork
from privlab.datasets.rows import KeptRows
from privlab.lab.loading import (
    DataSource,
    Making,
    dataset_from_source,
    prepared_trips_from_rows,
    profiled_dataset,
)
from privlab.lab.proposing.proposals import (
    PlanProposal,
    plan_proposal_from_trips,
    proposed_zones_from_rows,
    rows_in_chosen_zones,
)
from privlab.progress import Progress

if TYPE_CHECKING:
    from privlab.datasets.zone_files import Geography
    from privlab.od.trips import PreparedTrips

Made = TypeVar("Made")

# Unpacked: a file of this size takes as long to read as a process to begin, one or two seconds. One of some kilobytes may take
# gigabytes, of which the server must not run out.
_READ_APART_BYTES = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnData:
    """What a load makes: the rows as they were kept, all that pages need of the trips, and the plan to begin with."""

    kept: KeptRows
    prepared: "PreparedTrips"
    proposal: PlanProposal


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptSource:
    """Rows that were read and kept, and the zones proposed for them, None without coordinates."""

    kept: KeptRows
    proposed: str | None


def rows_of_source(
    source: DataSource, kept: KeptRows | None, workspace: Workspace, progress: Progress
) -> Dataset:
    """Return rows, read and cleaned; from what was kept of them, or else kept now."""
    found = None if kept is None else kept.rows(workspace)
    if found is not None:
        return found
    dataset = dataset_from_source(source, workspace, progress=progress)
    if kept is not None:
        kept.keep(dataset)
    return dataset


def own_data_from_source(
    source: DataSource, zones: str, geography: "Geography | None", kept: KeptRows
) -> WorkspaceWork[OwnData]:
    """Return the work that reads a source, or takes up what was kept of it, and prepares it in zones."""
    work = partial(_own_data, source=source, zones=zones, geography=geography, kept=kept)
    return WorkspaceWork(work, apart=partial(is_large_source, source))


def kept_source_from_source(source: DataSource, kept: KeptRows) -> WorkspaceWork[KeptSource]:
    """Return the work that reads a source, keeps its rows, and proposes zones for them."""
    return WorkspaceWork(
        partial(_kept_source, source=source, kept=kept), apart=partial(is_large_source, source)
    )


def made_from_source(
    source: DataSource,
    zones: str,
    geography: "Geography | None",
    kept: KeptRows | None,
    making: Making[Made],
) -> WorkspaceWork[Made]:
    """Return the work that makes something else of a source's rows in zones, such as fingerprints, or of what was kept of them."""
    work = partial(_made, source=source, zones=zones, geography=geography, kept=kept, making=making)
    return WorkspaceWork(work, apart=partial(is_large_source, source))


def is_large_source(source: DataSource) -> bool:
    """Return whether the files of a source are so large that they are read in a process of their own."""
    return is_large(source.path) or (source.lookup is not None and is_large(source.lookup.path))


def is_large(path: Path) -> bool:
    """Return whether a file, what is packed in it, or all files of a folder are so large that they are read in a process of their own."""
    try:
        if path.is_file():
            return grows_beyond(path, _READ_APART_BYTES)
        n_bytes = 0
        for file in path.rglob("*"):
            n_bytes += file.lstat().st_size
            if n_bytes > _READ_APART_BYTES:
                return True
            if file.is_file() and not file.is_symlink() and grows_beyond(file, _READ_APART_BYTES):
                return True
    except OSError:  # whoever reads it says so
        return False
    return not path.is_dir()  # a pattern: who knows


def _own_data(
    workspace: Workspace,
    progress: Progress,
    source: DataSource,
    zones: str,
    geography: "Geography | None",
    kept: KeptRows,
) -> OwnData:
    dataset = rows_of_source(source, kept, workspace, progress.part(0.0, 0.5))
    progress.tell(0.5, "Fitting the zones")
    dataset, zoning = rows_in_chosen_zones(dataset, zones, geography)
    dataset = profiled_dataset(dataset, progress=progress.part(0.55, 0.62))
    prepared = prepared_trips_from_rows(dataset, zoning, progress.part(0.62, 0.9), even_without_trips=True)
    progress.tell(0.9, "Looking for a plan that is of use")
    proposal = plan_proposal_from_trips(prepared.trips, is_public=prepared.public_zones is not None)
    return OwnData(kept=kept, prepared=prepared, proposal=proposal)


def _made(
    workspace: Workspace,
    progress: Progress,
    source: DataSource,
    zones: str,
    geography: "Geography | None",
    kept: KeptRows | None,
    making: Making[Made],
) -> Made:
    dataset = rows_of_source(source, kept, workspace, progress.part(0.0, 0.45))
    progress.tell(0.45, "Fitting the zones")
    dataset, zoning = rows_in_chosen_zones(dataset, zones, geography)
    return making(dataset, zoning, progress.part(0.5, 1.0))


def _kept_source(workspace: Workspace, progress: Progress, source: DataSource, kept: KeptRows) -> KeptSource:
    dataset = rows_of_source(source, kept, workspace, progress.part(0.0, 0.6))
    progress.tell(0.6, "Looking for zones that fit")
    proposed = proposed_zones_from_rows(dataset, progress=progress.part(0.6, 1.0))
    return KeptSource(kept=kept, proposed=proposed)
