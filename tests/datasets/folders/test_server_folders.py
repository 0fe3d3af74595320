"""Nothing outside the folders that the operator names can be listed, opened or read."""

import os
import resource
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.checks import DataError
from privlab.datasets import read as readers
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.folders import opened_files
from privlab.datasets.folders.opened_files import real_path
from privlab.datasets.folders.server_folders import allowed_folders, entries_of_folder, path_in_folder
from privlab.datasets.previews import previews
from privlab.datasets.previews.previews import preview_from_path
from privlab.datasets.read import read_dataset

TABLE = "user_id,timestamp,zone\n1,2026-03-02 08:00,A\n2,2026-03-02 09:00,B\n"


@pytest.fixture
def tree(tmp_path):
    """allowed/{a.csv, parts/b.csv, .hidden.csv, notes.md, links out} beside secret/s.csv."""
    for name in ("allowed/parts", "secret/inner", "allowed/leaky"):
        (tmp_path / name).mkdir(parents=True)
    for name in (
        "allowed/a.csv",
        "allowed/parts/b.csv",
        "allowed/.hidden.csv",
        "allowed/notes.md",
        "allowed/leaky/own.csv",
        "secret/s.csv",
        "secret/inner/t.csv",
    ):
        (tmp_path / name).write_text(TABLE)
    (tmp_path / "allowed/out.csv").symlink_to(tmp_path / "secret/s.csv")
    (tmp_path / "allowed/folder_out").symlink_to(tmp_path / "secret")
    (tmp_path / "allowed/leaky/out.csv").symlink_to(tmp_path / "secret/s.csv")
    (tmp_path / "allowed/inside.csv").symlink_to(tmp_path / "allowed/a.csv")
    (tmp_path / "allowed/to_hidden.csv").symlink_to(tmp_path / "allowed/.hidden.csv")
    (tmp_path / "allowed/round.csv").symlink_to(tmp_path / "allowed/round.csv")
    (tmp_path / "allowed/.cache").mkdir()
    (tmp_path / "allowed/.cache/c.csv").write_text(TABLE)
    return tmp_path


def test_allowed_folders_against_hand(tree) -> None:
    other = tree / "other" / "allowed"
    other.mkdir(parents=True)
    text = os.pathsep.join(
        [str(tree / "allowed"), "", str(tree / "none"), str(tree / "secret/s.csv"), str(other)]
    )
    found = allowed_folders({"PRIVLAB_DATA_DIRS": text})
    assert found == {"allowed": tree / "allowed", "allowed (2)": other}
    assert allowed_folders({}) == {}


def test_folders_called_as_others_are_numbered_have_names_of_their_own(tree) -> None:
    places = [tree / one for one in ("x/a (2)", "y/a", "z/a", "y/a (2)", "x/a (3)")]
    for one in places:
        one.mkdir(parents=True)
    found = allowed_folders({"PRIVLAB_DATA_DIRS": os.pathsep.join(map(str, places))})
    assert list(found.values()) == places
    assert list(found) == ["a (2)", "a", "a (3)", "a (2) (2)", "a (3) (2)"]


def test_entries_against_hand(tree) -> None:
    entries = entries_of_folder(tree / "allowed")
    assert entries == ["", "a.csv", "inside.csv", "leaky/", "leaky/own.csv", "parts/", "parts/b.csv"]


@pytest.mark.parametrize(
    "below",
    [
        "../secret/s.csv",
        "parts/../../secret/s.csv",
        "out.csv",
        "folder_out",
        "folder_out/s.csv",
        "/etc/passwd",
        "a\0",
    ],
)
def test_ways_out_iv(tree, below) -> None:
    with pytest.raises(DataError, match=r"leads out of the folders that may be read here\.|holds a NUL"):
        path_in_folder(tree / "allowed", below)


def test_an_absolute_way_in_is_none_iv(tree) -> None:
    with pytest.raises(DataError, match=r"There is no 'none\.csv' in allowed\."):
        path_in_folder(tree / "allowed", "none.csv")


def test_reading_a_folder_does_not_follow_a_link_out_iv(tree) -> None:
    within = tree / "allowed"
    for path in (within / "leaky", within / "out.csv", within / "folder_out", within / "l*/*.csv"):
        with pytest.raises(DataError, match="leads out of the folders that may be read here"):
            read_dataset(path, within=within)
        with pytest.raises(DataError, match="leads out of the folders that may be read here"):
            preview_from_path(path, within=within)


def test_reading_inside_against_hand(tree) -> None:
    within = tree / "allowed"
    for below in ("a.csv", "parts", "inside.csv"):
        dataset = read_dataset(path_in_folder(within, below), within=within)
        assert dataset.report.kept == 2
        dataset.workspace.close()


@pytest.mark.parametrize(
    ("below", "words"),
    [
        (".hidden.csv", r"'\.hidden\.csv' is hidden: what begins with a dot is not read here\."),
        (".cache/c.csv", "is hidden: what begins with a dot"),
        ("to_hidden.csv", "is hidden: what begins with a dot"),
        ("round.csv", r"'round\.csv' is a link that leads nowhere\."),
        ("round.csv/x.csv", "leads nowhere|leads out of"),
        ("a.csv/x.csv", "leads out of the folders"),
        ("n" * 300 + ".csv", r"has a name too long for a file\."),
        ("/".join(["n" * 200] * 30), "has a name too long for a file|There is no"),
        ("none.csv", r"There is no 'none\.csv' in allowed\."),
    ],
)
def test_what_is_hidden_or_leads_nowhere_iv(tree, below, words) -> None:
    with pytest.raises(DataError, match=words):
        path_in_folder(tree / "allowed", below)
    with pytest.raises(DataError):
        read_dataset(tree / "allowed" / below, within=tree / "allowed")
    with pytest.raises(DataError):
        preview_from_path(tree / "allowed" / below, within=tree / "allowed")


SECRET = "user_id,timestamp,zone\nsecret,2026-03-02 08:00,S\n"


def swapped_in(function, file, secret):
    """What is called instead of a function: it, and then a link to the secret in the file's place."""

    def swapping(*args, **options):
        found = function(*args, **options)
        file.unlink(missing_ok=True)
        file.symlink_to(secret)
        return found

    return swapping


@pytest.mark.parametrize("opened", ["a.csv", "parts"])
@pytest.mark.parametrize("reader", [readers, previews])
def test_a_link_in_the_place_of_a_file_that_was_checked_is_not_followed(
    tree, monkeypatch, reader, opened
) -> None:
    within, secret = tree / "allowed", tree / "secret/s.csv"
    secret.write_text(SECRET)
    file = within / "a.csv" if opened == "a.csv" else within / "parts/b.csv"
    monkeypatch.setattr(reader, "files_from_path", swapped_in(reader.files_from_path, file, secret))
    read = read_dataset if reader is readers else preview_from_path
    with pytest.raises(DataError, match="leads out of the folders that may be read here"):
        read(within / opened, within=within)


def test_a_folder_exchanged_for_a_link_is_not_entered(tree, monkeypatch) -> None:
    """A folder on the way becomes a link between the look at it and the opening."""
    within = tree / "allowed"
    (tree / "secret/b.csv").write_text(SECRET)

    def exchanging(root, below):
        found = real_path(root, below)
        (within / "parts").rename(tree / "away")
        (within / "parts").symlink_to(tree / "secret")
        return found

    monkeypatch.setattr(opened_files, "real_path", exchanging)
    with pytest.raises(DataError, match="leads out of the folders that may be read here"):
        read_dataset(within / "parts/b.csv", within=within)


def test_what_takes_a_file_s_place_after_it_was_opened_is_not_read(tree, monkeypatch) -> None:
    """The file is another one as soon as it is open: read is what was opened."""
    within = tree / "allowed"
    (tree / "secret/s.csv").write_text(SECRET)
    swapping = swapped_in(opened_files.files_opened, within / "a.csv", tree / "secret/s.csv")
    monkeypatch.setattr(readers, "files_opened", swapping)
    dataset = read_dataset(within / "a.csv", within=within)
    with dataset.workspace:
        assert dataset.table.user_id.to_pyarrow().to_pylist() == [1, 2]
    monkeypatch.setattr(
        previews,
        "files_opened",
        swapped_in(opened_files.files_opened, within / "parts/b.csv", tree / "secret/s.csv"),
    )
    assert preview_from_path(within / "parts/b.csv", within=within).rows[0][0] == "1"


def test_a_link_that_changes_all_the_time_never_leads_to_the_secret(tree) -> None:
    within, file, secret = tree / "allowed", tree / "allowed/a.csv", tree / "secret/s.csv"
    secret.write_text(SECRET)
    own, link = tree / "own", tree / "link"
    stop = threading.Event()

    def swap():
        while not stop.is_set():
            link.symlink_to(secret)
            link.replace(file)
            own.write_text(TABLE)
            own.replace(file)

    thread = threading.Thread(target=swap)
    thread.start()
    seen, refused = set(), 0
    try:
        for _ in range(400):
            try:
                path = path_in_folder(within, "a.csv")
                seen.add(preview_from_path(path, within=within).rows[0][0])
            except DataError:
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert seen <= {"1"}
    assert refused + len(seen) > 0


def test_files_that_were_opened_are_closed_with_the_workspace(tree) -> None:
    within = tree / "allowed"
    pq.write_table(
        pa.table({"user_id": [1], "timestamp": ["2026-03-02 08:00"], "zone": ["A"]}), within / "t.parquet"
    )
    before = len(os.listdir("/dev/fd"))
    with Workspace() as workspace:
        dataset = read_dataset(within / "t.parquet", within=within, workspace=workspace)
        assert dataset.table.zone.to_pyarrow().to_pylist() == ["A"]
        preview_from_path(within / "parts", within=within)
    assert len(os.listdir("/dev/fd")) <= before


def test_more_files_than_can_be_open_at_once_iv(monkeypatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda which: (100, 4_096))
    with pytest.raises(
        DataError, match=r"^5,000 files are more than this server can keep open at once \(4,096\)\. Join"
    ):
        opened_files.require_room_for_files(5_000)
    raised = []
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: raised.append(limits))
    opened_files.require_room_for_files(1_000)
    assert len(raised) == 1
    assert 1_000 < raised[0][0] <= raised[0][1] == 4_096


def test_names_of_folders_stay_what_they_say(tree) -> None:
    """The user is the name of the file's folder: also where the file was opened before."""
    within = tree / "allowed"
    mapping = ColumnMapping(user_id="(folder name)", timestamp="timestamp", zone="zone")
    for path, users in ((within / "parts/b.csv", ["parts"]), (within / "a.csv", ["allowed"])):
        dataset = read_dataset(path, within=within, mapping=mapping)
        with dataset.workspace:
            assert sorted(set(dataset.table.user_id.to_pyarrow().to_pylist())) == users


@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_what_is_no_ordinary_file_is_not_read_iv(kind: str, tree: Path, tmp_path: Path) -> None:
    odd = tree / "allowed" / "odd.csv"
    os.mkfifo(odd) if kind == "pipe" else odd.mkdir()
    own = tmp_path / "own"
    own.mkdir()
    with ExitStack() as held, pytest.raises(DataError, match=r"^odd\.csv is no ordinary file\.$"):
        opened_files.files_opened([odd], tree / "allowed", own, held)
    assert list(own.iterdir()) == []


@pytest.mark.parametrize("below", ["../way/in.csv", "parts/../../way/in.csv", "{tree}/way/in.csv"])
def test_a_way_out_that_leads_in_again_is_none_iv(tree: Path, below: str) -> None:
    """Beside the folder lies a link into it: whoever goes that way has left the folder."""
    (tree / "allowed/in.csv").write_text(TABLE)
    (tree / "way").symlink_to(tree / "allowed")
    with pytest.raises(DataError, match="leads out of the folders"):
        path_in_folder(tree / "allowed", below.format(tree=tree))


def test_a_hidden_link_to_what_is_not_hidden_is_hidden_iv(tree: Path) -> None:
    (tree / "allowed/.way").symlink_to(tree / "allowed/parts")
    with pytest.raises(DataError, match="is hidden"):
        path_in_folder(tree / "allowed", ".way/b.csv")


def test_four_folders_deep_is_looked_and_no_deeper_by_hand(tmp_path: Path) -> None:
    deep = tmp_path / "one/two/three/four/five"
    deep.mkdir(parents=True)
    for folder in (deep, deep.parent):
        (folder / "a.csv").write_text(TABLE)
    assert entries_of_folder(tmp_path) == [
        "",
        "one/",
        "one/two/",
        "one/two/three/",
        "one/two/three/four/",
        "one/two/three/four/a.csv",
    ]


def test_a_path_that_is_refused_leaves_nothing_open(tree: Path) -> None:
    """Of a page that asks again and again the server would run out of descriptors."""
    before = len(os.listdir("/proc/self/fd"))
    for below in ("parts/none.csv", "a.csv/b.csv", "parts/b.csv"):
        for _ in range(3):
            with suppress(DataError):
                path_in_folder(tree / "allowed", below)
    assert len(os.listdir("/proc/self/fd")) == before
