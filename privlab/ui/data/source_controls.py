"""Where the user's own data comes from: an upload, a folder of the server, and a second file."""

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from privlab.checks import DataError
from privlab.datasets.files import entries_of_folder, path_in_folder
from privlab.limits import MAX_SESSION_UPLOAD_MB, MAX_UPLOAD_MB
from privlab.ui.data.own_file import (
    OwnFile,
    forget_everything,
    put_away,
    remember,
    remember_upload,
    remembered_file,
    server_folders,
)

_DATA_TYPES = ["csv", "tsv", "psv", "txt", "plt", "gz", "zip", "parquet", "pq", "arrow", "feather", "ipc"]
_WHOLE = "(the whole folder)"


def data_source() -> OwnFile | None:
    """Show where data can come from; return what is in hand."""
    given = st.file_uploader(
        "Records (user, time, place), trips (user, time, origin, destination) or counts (origin, destination, "
        "count): CSV, Parquet, Arrow, zip; several files are read as parts of one",
        type=_DATA_TYPES,
        accept_multiple_files=True,
        key=_key("upload"),
        max_upload_size=MAX_UPLOAD_MB,
        help=f"Up to {MAX_UPLOAD_MB} MB a file, {MAX_SESSION_UPLOAD_MB} MB in all; beyond that a file is marked red. Larger data is read from folders that the operator allows "
        "(PRIVLAB_DATA_DIRS), or on the command line.",
    )
    ids = [one.file_id for one in given or ()]
    if ids and ids != st.session_state.get("seen_uploads"):  # else what was opened since stays in hand
        remember_upload([_content(one) for one in given])
        st.session_state["seen_uploads"] = ids
    _server_source()
    own = remembered_file()
    if own is not None:
        st.button(
            "Forget my data",
            key="forget_own",
            icon=":material/delete:",
            on_click=forget_everything,
            help="Removes files and results of this session from memory and disk at once.",
        )
    return own


def _key(name: str) -> str:
    """Return the key of an uploader; a new one empties it."""
    times = st.session_state.get("forget_uploads", 0)
    return f"{name}_{times}" if times else name


def _content(file: UploadedFile) -> tuple[str, str, bytes]:
    return file.file_id, file.name, file.getvalue()


def _server_source() -> None:
    folders = server_folders()
    if not folders:
        return
    left, right, button = st.columns([1, 3, 1], vertical_alignment="bottom")
    root = left.selectbox("Folder on the server", list(folders), key="server_root", persist_state="session")
    entries = entries_of_folder(folders[root])
    below = right.selectbox(
        "File or folder in it",
        entries,
        format_func=lambda entry: entry or _WHOLE,
        key="server_entry",
        persist_state="session",
    )
    if button.button("Open", key="server_open", icon=":material/folder_open:"):
        try:
            path = path_in_folder(folders[root], below)
        except DataError as error:
            st.error(str(error))
            return
        remember(OwnFile(id=f"server {root}/{below}", path=path, within=folders[root]))


def second_file() -> OwnFile | None:
    """Show the upload of a second file that says more of each row; return what is in hand."""
    given = st.file_uploader(
        "A second file that says more of each row (optional): where the antennas stand, whose phone it was",
        type=_DATA_TYPES,
        key=_key("second"),
        max_upload_size=MAX_UPLOAD_MB,
    )
    if given is not None and st.session_state.get("second_put_away") != given.file_id:
        remember_upload([_content(given)], "second")
    second = remembered_file("second")
    if second is not None:
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.caption(f"Second file: {second.path.name}")
        right.button(
            "Leave it out", key="second_away", on_click=_leave_out, args=(given.file_id if given else None,)
        )
    return second


def _leave_out(file_id: str | None) -> None:
    st.session_state["second_put_away"] = file_id
    put_away("second")
