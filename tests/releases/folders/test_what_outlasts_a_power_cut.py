"""What a power cut may not take: before a file gets its name its bytes are on the disk, and then the name is, the certificate's last.

What the system was asked to write to the disk is noted by the number of the file, which stays when its folder gets another name.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from privlab.releases.copies.ledger_backup import back_up_ledger
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_keys import key_path_of
from tests.releases.folders.test_release_folders import released

Happened = list[tuple[str, int]]


@pytest.fixture
def happened(monkeypatch: pytest.MonkeyPatch) -> Happened:
    """Return what happens from now on: a file or folder is "on disk", or "named" (moved, or linked, to its name)."""
    seen: Happened = []

    def noting(act: str, number_of: Callable[..., int]) -> Callable[..., None]:
        done = getattr(os, act)

        def do(*given: object, **named: object) -> None:
            number = number_of(*given)
            done(*given, **named)
            seen.append(("on disk" if act == "fsync" else "named", number))

        return do

    monkeypatch.setattr(os, "fsync", noting("fsync", lambda descriptor: os.fstat(descriptor).st_ino))
    for act in ("replace", "link"):
        monkeypatch.setattr(os, act, noting(act, lambda old, new: os.stat(old).st_ino))
    return seen


def in_order(happened: Happened, *wanted: tuple[str, Path]) -> bool:
    """Return whether these things happened one after another, whatever happened between."""
    rest = iter(happened)
    return all((act, path.stat().st_ino) in rest for act, path in wanted)


def test_the_files_of_a_release_are_on_the_disk_before_its_certificate_and_its_copy_too(
    tmp_path: Path, happened: Happened
) -> None:
    ledger, out = Ledger(tmp_path / "ledger" / "ledger.sqlite"), tmp_path / "out"
    released(out, ledger)
    certificate, kept = out / "certificate.json", tmp_path / "ledger" / "releases" / "1"
    for name in ("release.csv", "release.parquet", "estimates.csv"):
        assert in_order(
            happened,
            ("on disk", out / name),
            ("named", out),
            ("on disk", tmp_path),
            ("on disk", certificate),
            ("on disk", out),
        ), name
    for path in kept.iterdir():
        assert in_order(happened, ("on disk", path), ("named", kept), ("on disk", kept.parent)), path.name
    # Without its keys, which nobody can make again, no account of the ledger is found.
    key = key_path_of(ledger.path)
    assert in_order(happened, ("on disk", key), ("named", key), ("on disk", key.parent))


def test_a_backup_is_on_the_disk_when_it_is_said_to_be_written(tmp_path: Path, happened: Happened) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    ledger.set_budget("a", epsilon=1, delta=0)
    out = tmp_path / "backups" / "ledger.zip"
    back_up_ledger(ledger, out)
    assert in_order(happened, ("on disk", out), ("named", out), ("on disk", out.parent))
