"""The folder that a browser prints in has an owner, so that it goes when its process is killed."""

import subprocess
from pathlib import Path

import pytest

from privlab.datasets.folders.private_folders import remove_left_behind
from privlab.reports.documents import browser_export


def test_the_folder_of_a_print_has_an_owner_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def printed(command: list[str], **named: object) -> None:
        out = Path(next(word for word in command if word.startswith("--print-to-pdf=")).partition("=")[2])
        seen.append((out.parent, (out.parent / ".owner").exists(), remove_left_behind(tmp_path)))
        out.write_bytes(b"%PDF")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(browser_export, "installed_browser", lambda: "browser")
    monkeypatch.setattr(subprocess, "run", printed)
    assert browser_export.pdf_from_html("<p>text</p>") == b"%PDF"
    ((folder, owned, removed),) = seen
    assert folder.parent == tmp_path
    assert (owned, removed) == (True, [])
    assert not folder.exists()
