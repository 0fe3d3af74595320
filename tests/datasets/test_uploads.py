"""Uploads: kept under plain names in a private folder, gone with the session."""

import gc
from pathlib import Path

import pytest

from privlab.datasets.uploads import SessionFolder


@pytest.mark.parametrize("name", ["a.csv", "../../a.csv", "/etc/a.csv", "b/../../a.csv"])
def test_names_lose_their_folders(name: str) -> None:
    folder = SessionFolder()
    path = folder.saved(name, b"x")
    assert path.parent == folder.path
    assert path.name == "a.csv"
    assert path.read_bytes() == b"x"


@pytest.mark.parametrize("name", ["", "..", "/", "."])
def test_no_name_is_no_harm_degenerate(name: str) -> None:
    folder = SessionFolder()
    assert folder.saved(name, b"x").parent == folder.path


def test_the_folder_goes_with_its_session() -> None:
    folder = SessionFolder()
    path = folder.saved("a.csv", b"x")
    assert path.exists()
    del folder
    gc.collect()
    assert not path.exists()
    assert not Path(path.parent).exists()
