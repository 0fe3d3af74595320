"""The rows of a file in hand, read once before its zones are chosen, and how zones look over them."""

from dataclasses import dataclass

import streamlit as st

from privlab.datasets.engines import Workspace
from privlab.datasets.processes import WorkspaceWork
from privlab.datasets.rows import KeptRows
from privlab.datasets.zone_files import Geography
from privlab.lab.loading import DataSource
from privlab.lab.proposing import ZonePreview, kept_source_from_source, rows_of_source, zone_preview_from_rows
from privlab.progress import Progress
from privlab.ui.data.own_file import loaded_request, session_folder
from privlab.ui.data.time_orders import ways_to_read_times
from privlab.ui.work.waiting import awaited, error_of

MOST_BYTES = 64_000_000  # of files that are read before anything is asked of them
_QUICK_S = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRows:
    """Rows that were read, kept in the session's folder, and the zones proposed for them, None without coordinates."""

    source: DataSource
    kept: KeptRows
    proposed: str | None


def own_rows(source: DataSource, n_bytes: int) -> OwnRows | None:
    """Return the rows of a source, read now; None while they are read, where they cannot be, or are too many."""
    loaded = loaded_request()
    if loaded is not None and loaded.kept is not None and loaded.source == source:
        boxed = loaded.zones.startswith("grid:") and loaded.zones.count(":") == 2
        return OwnRows(source=source, kept=loaded.kept, proposed=loaded.zones if boxed else None)
    if n_bytes > MOST_BYTES:
        st.caption(
            "The file is large: it is read when it is loaded. Zones are proposed then, and can be changed."
        )
        return None

    kept = KeptRows(session_folder().kept)
    load = kept_source_from_source(source, kept)

    def work(progress: Progress) -> OwnRows:
        found = load(progress)
        kept.take_over(found.kept)
        return OwnRows(source=source, kept=kept, proposed=found.proposed)

    rows = awaited("own rows", source, work, seconds=_QUICK_S, stop=load.stop, kept=2)
    if rows is None:
        ways_to_read_times(error_of("own rows"), place="rows")
    return rows


def zone_preview(rows: OwnRows, zones: str, geography: Geography | None, key: str) -> ZonePreview | None:
    """Return how zones look over rows; None while that is worked out, and where it cannot be, which is said."""

    def work(workspace: Workspace, progress: Progress) -> ZonePreview:
        dataset = rows_of_source(rows.source, rows.kept, workspace, progress.part(0.0, 0.3))
        progress.tell(0.3, "Laying the zones over the data")
        return zone_preview_from_rows(dataset, zones, geography)

    load = WorkspaceWork(work)
    return awaited("own zones", (rows.source, zones, key), load, seconds=_QUICK_S, stop=load.stop, kept=4)
