"""Where the user's own data comes from: an upload, a folder of the server, and a second file."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from privlab.checks import DataError
from privlab.datasets.folders import entries_of_folder, path_in_folder
from privlab.datasets.rows import pair_from_paths
from privlab.figures.wording import plain
from privlab.lab.proposing import first_look
from privlab.limits import MAX_SESSION_UPLOAD_MB, MAX_UPLOAD_MB
from privlab.ui.data.own_file import (
    OwnFile,
    forget_everything,
    is_left_out,
    leave_out,
    let_go_if_taken_out,
    put_away,
    remember,
    remember_upload,
    remembered_file,
    server_folders,
)
from privlab.ui.work.heavy_work import apart

_WHOLE = "(the whole folder)"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two files of one upload, of which the second says more of each row of the first."""

    id: str
    main: Path
    second: Path


def data_source() -> OwnFile | None:
    """Show where data can come from; return what is in hand.

    A file of any kind is taken, so that one that cannot be read is refused with what to do: Streamlit would say that it is not allowed.
    """
    given = st.file_uploader(
        "Records (user, time, place), trips (user, time, origin, destination) or counts (origin, destination, "
        "count): CSV, Excel (.xlsx), Parquet, Arrow, zip; a file beside it may say where the places are or whose phone it was, and several "
        "with the same columns are read as parts of one",
        accept_multiple_files=True,
        key=_key("upload"),
        max_upload_size=MAX_UPLOAD_MB,
        help=f"Up to {MAX_UPLOAD_MB} MB a file, {MAX_SESSION_UPLOAD_MB} MB in all; beyond that a file is marked red. Larger "
        "data is read from folders that the operator allows "
        "(PRIVLAB_DATA_DIRS), or on the command line.",
    )
    ids = [one.file_id for one in given or ()]
    if ids and ids != st.session_state.get("seen_uploads"):  # else what was opened since stays in hand
        _let_go_of_pair()
        whole = remember_upload([_content(one) for one in given])
        st.session_state["seen_uploads"] = ids
        _look_for_pair(whole)
    _pair_control()
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


def _look_for_pair(whole: OwnFile) -> None:
    """Take an upload of two files for a file and what says more of it, where they look so."""
    paths = sorted(whole.path.iterdir()) if whole.path.is_dir() else []
    found = first_look(pair_from_paths, *paths, of=tuple(paths), apart=apart) if len(paths) == 2 else None
    if found is not None:
        st.session_state["own_pair"] = _Pair(id=whole.id, main=found[0], second=found[1])
        _take_pair(*found)


def _take_pair(main: Path, second: Path) -> None:
    pair, turned = st.session_state["own_pair"], main > second
    remember(OwnFile(id=f"{pair.id}_{turned:d}", path=main))
    remember(OwnFile(id=f"{pair.id}_{not turned:d}", path=second), "second")


def _let_go_of_pair() -> None:
    if st.session_state.pop("own_pair", None) is not None:
        put_away("second")


def _pair_of_own_file() -> _Pair | None:
    """Return the pair that the file in hand is of, or None."""
    pair: _Pair | None = st.session_state.get("own_pair")
    own = remembered_file()
    return pair if pair is not None and own is not None and own.id.startswith(pair.id) else None


def _pair_control() -> None:
    """Say in one line which of two files says more of the other, and let it be otherwise."""
    pair = _pair_of_own_file()
    if pair is None:
        return
    main, second = plain(pair.main.name), plain(pair.second.name)
    ways = {
        "pair": f"{second} says more of each row of {main}",
        "swapped": "the other way round",
        "alone": f"{main} alone",
        "parts": "parts of one",
    }
    st.radio(
        "How the two files belong together", list(ways), format_func=lambda way: ways[way],
        key=f"pair_{pair.id}", horizontal=True, persist_state="session", on_change=_take_as_said,
        help="Found by their columns and by what recurs in both.",
    )  # fmt: skip


def _take_as_said() -> None:
    pair: _Pair = st.session_state["own_pair"]
    way = st.session_state[f"pair_{pair.id}"]
    if way == "parts":
        remember(OwnFile(id=pair.id, path=pair.main.parent))
        put_away("second")
    elif way == "alone":
        _take_pair(pair.main, pair.second)
        put_away("second")
    elif way == "swapped":
        _take_pair(pair.second, pair.main)
    else:
        _take_pair(pair.main, pair.second)


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
    root = left.selectbox(
        "Folder on the server",
        list(folders),
        key="server_root",
        persist_state="session",
        help="Folders that whoever runs this lab has opened for reading.",
    )
    entries = entries_of_folder(folders[root])
    below = right.selectbox(
        "File or folder in it",
        entries,
        format_func=lambda entry: entry or _WHOLE,
        key="server_entry",
        persist_state="session",
        help="A folder is read as one table: all its files must have the same columns.",
    )
    if button.button(
        "Open",
        key="server_open",
        icon=":material/folder_open:",
        help="Looks at the first rows. Nothing is copied, and the file stays as it is.",
    ):
        try:
            path = path_in_folder(folders[root], below)
        except DataError as error:
            st.error(plain(str(error)))
            return
        remember(OwnFile(id=f"server {root}/{below}", path=path, within=folders[root]))


def second_file() -> OwnFile | None:
    """Show the upload of a second file that says more of each row; return what is in hand."""
    if _pair_of_own_file() is not None:  # both came together, which is said above
        return remembered_file("second")
    key = _key("second")
    given = st.file_uploader(
        "A second file that says more of each row (optional): where the antennas stand, whose phone it was",
        key=key,
        on_change=let_go_if_taken_out,
        args=("second", key),
        max_upload_size=MAX_UPLOAD_MB,
        help="Each row of the file is matched with one row of this one, by a column that both have.",
    )
    if given is not None and not is_left_out("second", given.file_id):
        remember_upload([_content(given)], "second")
    second = remembered_file("second")
    if second is not None:
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.caption(f"Second file: {plain(second.path.name)}")
        right.button(
            "Leave it out",
            key="second_away",
            on_click=leave_out,
            args=("second", given.file_id if given else None),
            help="Goes on with the first file alone.",
        )
    return second
