"""Data of the user's own: kept in a private folder of the session, read in a job, gone with the session."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import streamlit as st

from privlab.checks import DataError
from privlab.datasets import Dataset, sample_geography
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.engines import Workspace
from privlab.datasets.folders import SessionFolder, allowed_folders
from privlab.datasets.rows import KeptRows, Lookup
from privlab.datasets.zone_files import Geography
from privlab.datasets.zones import Zoning
from privlab.figures.wording import plain
from privlab.lab.loading import DataSource
from privlab.lab.proposing import (
    PROPOSED,
    OwnData,
    can_be_resized,
    own_data_from_source,
    rows_in_chosen_zones,
    rows_of_source,
)
from privlab.progress import Progress
from privlab.ui.report.report_state import forget_own_parts
from privlab.ui.sessions.sessions import browser_gone, forget_results, forget_uploads
from privlab.ui.settings_of_release import choose_paper, propose_paper, propose_point
from privlab.ui.shell import parts
from privlab.ui.state import OWN, Plan, choose_data
from privlab.ui.work.fair_turns import HEAVY
from privlab.ui.work.jobs import Job
from privlab.ui.work.waiting import Held, forget_work, stop_work

USUAL_TIMEZONE = "UTC"  # which a release says nothing of: it is where times with an offset are taken anyway
Upload = tuple[str, str, bytes]
"""Id, name and content of an uploaded file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnFile:
    """Where data of the user's own lies; `within`, where given, is the folder that reading must not leave.

    `layer` names the map that is meant where a zone file holds several.
    """

    id: str
    path: Path
    within: Path | None = None
    layer: str = ""

    @property
    def is_of_many(self) -> bool:
        """Whether several files were uploaded at once: the folder that they lie in has a name that says nothing."""
        return self.within is None and self.path.is_dir()

    @property
    def called(self) -> str:
        """What to call it in a sentence."""
        return "What you brought" if self.is_of_many else self.path.name


def session_folder() -> SessionFolder:
    """Return the session's folder, made at first use."""
    if "session_folder" not in st.session_state:
        st.session_state["session_folder"] = SessionFolder()
    folder: SessionFolder = st.session_state["session_folder"]
    return folder


def remembered_file(role: str = "data") -> OwnFile | None:
    """Return what the session has in hand: of the roles "data", "second", "polygons" and "positions"."""
    own: OwnFile | None = st.session_state.get(f"own_file_{role}")
    return own


def remember_upload(uploads: Sequence[Upload], role: str = "data") -> OwnFile:
    """Keep uploads, one file or the parts of one dataset, and return where they lie."""
    ids = hashlib.blake2b("|".join(one for one, _, _ in uploads).encode(), digest_size=6).hexdigest()
    known = remembered_file(role)
    if known is not None and known.id == ids:
        return known
    # Of several, the folder that they lie in is what the data is called.
    place = f"{role}-{ids}" if len(uploads) == 1 else f"{role}-{ids}/data in {len(uploads)} files"
    folder = session_folder().subfolder(place)
    try:
        paths = [folder.saved(name, content) for _, name, content in uploads]
    except DataError:  # half of an upload is of no use, and takes room
        session_folder().subfolder(place)
        raise
    return remember(OwnFile(id=ids, path=paths[0] if len(paths) == 1 else folder.path), role)


def remember(own: OwnFile, role: str = "data") -> OwnFile:
    """Take a file in hand; what was remembered of the one before goes, and what was said of its times."""
    before = remembered_file(role)
    if role == "data" and before is not None and before.id != own.id:
        _forget_said_of_times()
    st.session_state[f"own_file_{role}"] = own
    return own


def _forget_said_of_times() -> None:
    """Empty how times are written and whose clock counts: another file's may be others."""
    st.session_state["own_time_format"] = ""
    st.session_state["own_timezone"] = USUAL_TIMEZONE


def put_away(role: str) -> None:
    """Let go of a file."""
    st.session_state.pop(f"own_file_{role}", None)


def let_go_if_taken_out(role: str, key: str) -> None:
    """Let go of a file that was taken out of its uploader, which other pages empty without a word."""
    if st.session_state.get(key) is None:
        put_away(role)


def leave_out(role: str, file_id: str | None) -> None:
    """Let go of a file; what its uploader still holds is not taken again."""
    st.session_state[f"{role}_put_away"] = file_id
    put_away(role)


def is_left_out(role: str, file_id: str) -> bool:
    """Return whether a file that its uploader still holds was left out."""
    return bool(st.session_state.get(f"{role}_put_away") == file_id)


def forget_everything() -> None:
    """Remove the session's own files and results from memory and disk."""
    state = st.session_state
    if state.get("data") == OWN or state.get("own_proposal") is not None:
        choose_paper()  # what was proposed or chosen for it stands in the address
        state.pop("week", None)
    for role in ("data", "second", "polygons", "positions"):
        put_away(role)
    for name in (
        *(
            "own_prepared",
            "own_job",
            "own_loaded",
            "own_loading",
            "own_request",
            "own_set_aside",
            "own_proposal",
            "own_pair",
        ),
        *("session_folder", "released"),
    ):
        st.session_state.pop(name, None)
    forget_work()
    forget_results()
    forget_uploads()
    forget_own_parts()
    _forget_said_of_times()
    st.session_state["forget_uploads"] = st.session_state.get("forget_uploads", 0) + 1
    if st.session_state.get("data") == OWN:
        choose_data("city")


def server_folders() -> dict[str, Path]:
    """Return the folders that the operator allows to be read, by name."""
    return allowed_folders(os.environ)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadRequest:
    """How to read data, what to take out, and how to cut it into zones; `PROPOSED` leaves the zones to the lab.

    `zone_file` says where zones that the rows name lie, in its map `zone_layer` where it holds several, and `geography` what stands
    there, or in a file of polygons. `kept` holds the
    rows once they have been read, as long as the session.
    """

    own: OwnFile
    format: str
    mapping: ColumnMapping
    lookup: Lookup | None
    timezone: str | None
    cleaning: Cleaning
    zones: str
    geography: Geography | None
    zone_file: Path | None = None
    zone_layer: str = ""
    kept: KeptRows | None = field(default=None, compare=False)

    @property
    def source(self) -> DataSource:
        """Where the data lies, and how its rows are read."""
        return DataSource(
            path=self.own.path,
            within=self.own.within,
            format=self.format,
            mapping=self.mapping,
            lookup=self.lookup,
            timezone=self.timezone,
            cleaning=self.cleaning,
        )


def read_rows(request: LoadRequest, workspace: Workspace, progress: Progress) -> tuple[Dataset, Zoning]:
    """Return the rows that a request asks for, read and cleaned, and the zones they are cut into.

    The file is read the first time alone.
    """
    dataset = rows_of_source(request.source, request.kept, workspace, progress.part(0.0, 0.9))
    progress.tell(0.9, "Fitting the zones")
    return rows_in_chosen_zones(dataset, request.zones, request.geography)


def start_load(request: LoadRequest) -> Job[OwnData]:
    """Start reading; the data in use stays until `adopt` takes over the result."""
    stop_work("own rows")  # it reads the same
    stop_work("own zones")
    kept = request.kept or KeptRows(session_folder().kept)
    request = replace(request, kept=kept)
    load = own_data_from_source(request.source, request.zones, request.geography, kept)

    def work(progress: Progress) -> OwnData:
        own = load(progress)
        kept.take_over(own.kept)
        return own

    job = Job(
        work,
        stop=load.stop,
        within=load.within,
        turns=HEAVY,
        away=browser_gone(),
        keeping=session_folder(),
    )
    st.session_state["own_job"] = Held(key=request, job=job)
    st.session_state["own_loading"] = request
    return job


def running_load() -> Job[OwnData] | None:
    """Return the load of this session that is under way or ended unseen."""
    held: Held | None = st.session_state.get("own_job")
    return None if held is None else held.job


def loaded_request() -> LoadRequest | None:
    """Return how the session's own data was loaded, or None."""
    request: LoadRequest | None = st.session_state.get("own_request")
    return request


def is_brought_in() -> bool:
    """Return whether data is in hand that is neither loaded nor set aside."""
    own = remembered_file()
    return own is not None and own.id not in (
        st.session_state.get("own_loaded"),
        st.session_state.get("own_set_aside"),
    )


def is_loaded() -> bool:
    """Return whether the data in hand is what was loaded last."""
    own = remembered_file()
    return own is not None and own.id == st.session_state.get("own_loaded")


def say_what_is_not_loaded() -> None:
    """Say, away from the page Data, that a file in hand is not loaded, and lead to where it is."""
    own = remembered_file()
    if own is not None and is_brought_in():
        st.warning(f"{plain(own.called)} is not loaded yet. This page shows {_shown_now()}.")
        parts.way_on("data", f"Load {'what you brought' if own.is_of_many else plain(own.path.name)}")


def _shown_now() -> str:
    data = str(st.session_state.get("data"))
    return "the data that you loaded before" if data == OWN else f"the sample {plain(data)}"


def set_aside() -> None:
    """Leave what is in hand for now: it stays there, and other data may be looked at."""
    own = remembered_file()
    st.session_state["own_set_aside"] = None if own is None else own.id


def adopt(own: OwnData) -> None:
    """Make a finished load the session's own data, and choose it and the plan proposed for it at the next run."""
    prepared, point = own.prepared, own.proposal.point
    st.session_state["own_prepared"] = prepared
    st.session_state["own_proposal"] = own.proposal
    if point is not None:
        propose_point(point)
    else:
        propose_paper()  # what was proposed for the data, or the zones, of before is no plan for these
    request: LoadRequest | None = st.session_state.get("own_loading")
    if request is not None and request.zones == PROPOSED:
        request = replace(request, zones=prepared.zones_spec)
    st.session_state["own_request"] = request
    st.session_state["own_loaded"] = None if request is None else request.own.id
    choose_data(OWN)
    st.session_state.pop("own_job", None)


def box_of_zones(zones: str) -> tuple[str, ...] | None:
    """Return south, west, north and east of the box that zones lie over, as they are written; None of zones without one.

    >>> box_of_zones("h3:8:59.28,17.93,59.39,18.17"), box_of_zones("grid:500"), box_of_zones("column")
    (('59.28', '17.93', '59.39', '18.17'), None, None)
    """
    box = next((part for part in zones.split(":")[1:] if part.count(",") == 3), None)
    return None if box is None else tuple(box.split(","))


def geography_of(plan: Plan) -> Geography | None:
    """Return what says where a file's own zones lie; None where nothing does."""
    if plan.data != OWN:
        return sample_geography(plan.data)
    loaded = loaded_request()
    return None if loaded is None else loaded.geography


def has_other_sizes(plan: Plan) -> bool:
    """Return whether the zones of data that names its users can be made larger or smaller, by laying them anew."""
    there = plan.data != OWN or loaded_request() is not None
    return there and plan.prepared.has_users and can_be_resized(plan.prepared.zones_spec, geography_of(plan))
