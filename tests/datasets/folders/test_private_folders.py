"""Private folders: gone with their owner, or at the next start if it was killed; never taken from the living."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.datasets.folders.private_folders import (
    PrivateFolder,
    private_folders_there,
    remove_left_behind,
)
from tests.read_only import by_rights

OWNER = """
import sys, time
from pathlib import Path
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.folders.private_folders import PrivateFolder
own = PrivateFolder("session-", Path(sys.argv[1]))
(own.path / "mine.csv").write_text("secret")
work = Workspace(folder_in=Path(sys.argv[1]))
print("ready", flush=True)
time.sleep(600)
"""


def owner(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", OWNER, str(folder)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def ended(process: subprocess.Popen[str], how: signal.Signals) -> None:
    process.send_signal(how)
    process.wait(timeout=900)
    assert process.stdout is not None
    process.stdout.close()


def test_what_a_killed_process_left_goes_and_what_a_living_one_has_stays(tmp_path: Path) -> None:
    killed, living = tmp_path, owner(tmp_path)
    of_the_living = set(tmp_path.iterdir())
    dead = owner(killed)
    of_the_dead = set(tmp_path.iterdir()) - of_the_living
    assert len(of_the_living) == len(of_the_dead) == 2
    assert remove_left_behind(tmp_path) == []
    ended(dead, signal.SIGKILL)
    assert all(folder.exists() for folder in of_the_dead)
    assert set(remove_left_behind(tmp_path)) == of_the_dead
    assert set(tmp_path.iterdir()) == of_the_living
    assert [path.read_text() for path in tmp_path.rglob("mine.csv")] == ["secret"]
    ended(living, signal.SIGKILL)


def test_one_s_own_folder_goes_with_its_last_holder(tmp_path: Path) -> None:
    folder = PrivateFolder("session-", tmp_path)
    path = folder.path
    assert path.stat().st_mode & 0o777 == 0o700
    assert remove_left_behind(tmp_path) == []
    del folder
    gc.collect()
    assert not path.exists()


def test_what_has_no_owner_s_file_or_is_a_link_is_left_alone_degenerate(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / ".owner").write_text("")
    (tmp_path / "privlab-link").symlink_to(elsewhere)
    (tmp_path / "privlab-notes").mkdir()
    (tmp_path / "privlab-file").write_text("")
    assert remove_left_behind(tmp_path) == []
    assert (elsewhere / ".owner").exists()
    assert len(os.listdir(tmp_path)) == 4


def test_no_place_for_a_folder_is_one_sentence_iv(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(DataError, match=r"No temporary folder could be made: Not a directory\."):
        PrivateFolder("", tmp_path / "file")


def test_who_counts_folders_holds_none_of_them_by_hand(tmp_path: Path) -> None:
    """A living one with 3 bytes, one that nobody holds with 5, and a link to neither: counted twice, and then removed."""
    own = PrivateFolder("session-", tmp_path)
    (own.path / "a.csv").write_text("abc")
    left = tmp_path / "privlab-left"
    left.mkdir()
    (left / ".owner").write_text("")
    (left / "b.csv").write_text("abcde")
    (tmp_path / "privlab-link").symlink_to(left)
    for _ in range(2):
        assert private_folders_there(tmp_path) == (1, 1, 8)
    assert remove_left_behind(tmp_path) == [left]
    assert private_folders_there(tmp_path) == (1, 0, 3)
    own.remove()


def test_a_folder_of_another_user_is_none_of_those_that_are_counted(tmp_path: Path) -> None:
    others = tmp_path / "privlab-of-another"
    others.mkdir()
    (others / ".owner").write_text("")
    others.chmod(0)
    with by_rights():
        assert private_folders_there(tmp_path) == (0, 0, 0)
        assert remove_left_behind(tmp_path) == []
    others.chmod(0o700)
