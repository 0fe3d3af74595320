"""A file of the user's own: kept in a private folder of the session, read in a job, gone with the session."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from privlab.datasets.columns import ColumnMapping
from privlab.datasets.engine import Workspace
from privlab.datasets.polygon_zones import Geography
from privlab.datasets.previews import FilePreview, preview_from_path
from privlab.datasets.readers import read_dataset
from privlab.datasets.uploads import SessionFolder
from privlab.datasets.zoning import zoning_from_spec
from privlab.od.tables import PreparedTrips, prepared_trips_from_dataset
from privlab.ui.jobs import Job, Report
from privlab.ui.state import ORDER_SEED, OWN


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """An uploaded file, where it lies and what its first rows say."""

    upload_id: str
    path: Path
    preview: FilePreview


def session_folder() -> SessionFolder:
    """Return the session's folder, made at first use."""
    if "session_folder" not in st.session_state:
        st.session_state["session_folder"] = SessionFolder()
    folder: SessionFolder = st.session_state["session_folder"]
    return folder


def remembered_file() -> OwnFile | None:
    """Return the file uploaded last in this session."""
    own: OwnFile | None = st.session_state.get("own_file")
    return own


def remember_upload(upload_id: str, name: str, content: bytes) -> OwnFile:
    """Keep an upload and return it with its preview. Raises DataError if there is no table in it."""
    known = remembered_file()
    if known is not None and known.upload_id == upload_id:
        return known
    path = session_folder().saved(name, content)
    own = OwnFile(upload_id=upload_id, path=path, preview=preview_from_path(path))
    st.session_state["own_file"] = own
    return own


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """How to read a file and cut it into zones."""

    path: Path
    mapping: ColumnMapping
    timezone: str | None
    zones: str
    geography: Geography | None


def start_load(request: LoadRequest) -> Job[PreparedTrips]:
    """Start reading; the data in use stays until `adopt` takes over the result."""
    workspace = Workspace()

    def work(report: Report) -> PreparedTrips:
        with workspace:
            report(0.02, "Reading the file")
            dataset = read_dataset(
                request.path, mapping=request.mapping, timezone=request.timezone, workspace=workspace
            )
            report(0.4, "Fitting the zones")
            zoning = zoning_from_spec(
                request.zones, place=dataset.place, table=dataset.table, geography=request.geography
            )
            return prepared_trips_from_dataset(dataset, zoning, seed=ORDER_SEED, report=report)

    job = Job(work, stop=workspace.interrupt)
    st.session_state["own_job"] = job
    return job


def running_load() -> Job[PreparedTrips] | None:
    """Return the load of this session that is under way or ended unseen."""
    job: Job[PreparedTrips] | None = st.session_state.get("own_job")
    return job


def adopt(prepared: PreparedTrips) -> None:
    """Make a finished load the session's own data, and choose it at the next run."""
    st.session_state["own_prepared"] = prepared
    st.session_state["choose_data"] = OWN
    st.session_state.pop("own_job", None)
