"""What an audit of the whole way has before it, from its parameters: readings, releases, and about how long they take.

The times are those of two cores that have other work as well; a machine of one's own is faster. No file is opened.
"""

from dataclasses import dataclass

from privlab.limits import MAX_AUDIT_TRIPS
from privlab.od.auditing.pipeline_audit import PipelineAuditParameters
from privlab.od.products import product_of

_ROW_READ_S = 4e-6  # reading, cleaning, placing and counting one row
_RELEASE_S = 3e-3  # a release, whatever is in it
_TRIP_S = 5e-8  # each trip that is bounded
_CELL_S = 1.2e-7  # each cell that gets noise
_LISTED_S = 1.5e-6  # each cell that is written and read again


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkAhead:
    """How often the file is read, at most, how many releases are made of it, at most, of how many cells, and for how long."""

    n_readings: int
    n_releases: int
    n_cells: int
    seconds: float


def work_ahead_from_parameters(
    parameters: PipelineAuditParameters, *, n_rows: int, n_zones: int
) -> WorkAhead:
    """Return what an audit of a file of so many rows and zones has before it."""
    release = parameters.release
    n_canaries = 3 + (release.threshold > 0) + (release.threshold > 1) + (release.levels > 0)
    n_readings, n_releases = 2 + n_canaries, (1 + n_canaries) * parameters.trials
    n_cells = product_of(release.product).n_cells(n_zones)
    if release.cells == "discovered":
        n_cells = min(n_cells, n_rows)
    each = _RELEASE_S + _TRIP_S * min(n_rows, MAX_AUDIT_TRIPS) + _CELL_S * n_cells
    if not release.threshold:
        each += _LISTED_S * n_cells
    seconds = _ROW_READ_S * n_rows * n_readings + each * n_releases
    return WorkAhead(n_readings=n_readings, n_releases=n_releases, n_cells=n_cells, seconds=seconds)
