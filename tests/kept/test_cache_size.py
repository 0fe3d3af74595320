"""The cache folder stays within its size: what was not used for longest goes first, and nothing that is not this program's."""

import fcntl
import os
import time
from pathlib import Path

import pytest

from privlab.kept import samples
from privlab.kept.kept_places import CACHE_VARIABLE
from privlab.kept.samples import SIZE_VARIABLE, kept_sample, most_cache_bytes, shrink_cache
from privlab.limits import MAX_CACHE_MB


def file_of(folder: Path, name: str, *, size: int, hours_ago: float) -> Path:
    path = folder / name
    path.write_bytes(b"x" * size)
    then = time.time() - 3_600 * hours_ago
    os.utime(path, (then, then))
    return path


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    old, middle, new = (
        file_of(tmp_path, f"{name}.sample", size=100, hours_ago=hours)
        for name, hours in (("z-old", 30), ("a-middle", 20), ("m-new", 10))
    )
    dead = file_of(tmp_path, "unfinished-dead", size=1_000, hours_ago=2)
    living = file_of(tmp_path, "unfinished-living", size=5, hours_ago=9)
    writer = living.open("rb")
    fcntl.flock(writer, fcntl.LOCK_EX)
    mine = file_of(tmp_path, "notes.txt", size=9_999, hours_ago=999)
    assert shrink_cache(tmp_path, most_bytes=205) == 205
    assert [path.exists() for path in (old, middle, new, dead, living, mine)] == [
        False, True, True, False, True, True,
    ]  # fmt: skip
    assert shrink_cache(tmp_path, most_bytes=205) == 205  # nothing more to do
    writer.close()
    assert shrink_cache(tmp_path, most_bytes=205) == 200  # its process is gone


def test_a_sample_that_is_used_is_young_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two samples, room for one and a half: the one that was read last stays when a third comes."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    monkeypatch.setattr(samples, "_key", lambda name, what: "0" * 64)
    for what in ("one", "two"):
        kept_sample("city", what, lambda: ["word"] * 1_000)
        then = time.time() - 7_200
        for path in tmp_path.glob(f"{what}-*"):
            os.utime(path, (then, then))
    (size,) = {path.stat().st_size for path in tmp_path.glob("*.sample")}
    kept_sample("city", "one", list)
    monkeypatch.setattr(samples, "most_cache_bytes", lambda: int(2.5 * size))
    kept_sample("city", "three", lambda: ["word"] * 1_000)
    assert {path.name.partition("-")[0] for path in tmp_path.glob("*.sample")} == {"one", "three"}


def test_the_size_is_a_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SIZE_VARIABLE, raising=False)
    assert most_cache_bytes() == MAX_CACHE_MB * 1_000_000
    monkeypatch.setenv(SIZE_VARIABLE, " 50 ")
    assert most_cache_bytes() == 50_000_000
    monkeypatch.setenv(SIZE_VARIABLE, "much")  # said in the log, and not followed
    assert most_cache_bytes() == MAX_CACHE_MB * 1_000_000
