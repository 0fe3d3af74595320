"""Nothing outside the folders that the operator names can be listed, opened or read."""

import os

import pytest

from privlab.checks import DataError
from privlab.datasets.previews import preview_from_path
from privlab.datasets.readers import read_dataset
from privlab.datasets.server_folders import allowed_folders, entries_of_folder, path_in_folder

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
