"""Arrays on disk: they hold what is put in them, have no name, leave nothing, and say in one sentence when there is no room."""

import errno
import os
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.datasets.engines.unnamed_files import array_on_disk


def test_it_begins_with_zeros_and_holds_what_is_put_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    values = np.random.default_rng(1).integers(-(2**60), 2**60, (1_000, 37))
    array = array_on_disk(values.shape, np.int64)
    assert (array.shape, array.dtype, type(array)) == (values.shape, values.dtype, np.ndarray)
    assert not array.any()
    shuffled = np.random.default_rng(2).permutation(1_000)
    array[shuffled] = values
    np.testing.assert_array_equal(array[shuffled], values)
    assert list(tmp_path.iterdir()) == []


def test_its_room_is_taken_from_the_disk_and_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    reserve = os.posix_fallocate

    def watched(file: int, first: int, n_bytes: int) -> None:
        reserve(file, first, n_bytes)
        status = os.fstat(file)
        assert status.st_nlink == 0
        asked.append((n_bytes, status.st_blocks * 512))

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "posix_fallocate", watched)
    n_open = len(os.listdir("/proc/self/fd"))
    array = array_on_disk((3, 1_000_000), np.uint8)
    assert asked[0][0] == 3_000_000 <= asked[0][1]
    assert "(deleted)" in Path("/proc/self/maps").read_text()
    assert len(os.listdir("/proc/self/fd")) == n_open + 1
    del array
    assert len(os.listdir("/proc/self/fd")) == n_open


def test_nothing_takes_no_room() -> None:
    assert array_on_disk((0, 5), np.int32).shape == (0, 5)


def test_more_than_the_disk_holds_is_refused_before_anything_is_reserved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(*_: int) -> None:
        raise AssertionError

    monkeypatch.setattr(os, "posix_fallocate", never)
    free = shutil.disk_usage(tempfile.gettempdir()).free
    words = (
        r"This needs [\d,.]+ GB of disk for temporary files, which cannot be had \([\d,.]+ GB are free\)\."
    )
    for n_bytes in (2 * free, 2**60):
        with pytest.raises(DataError, match=words):
            array_on_disk((n_bytes,), np.uint8)


def test_a_full_disk_is_said_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(DataError, match=r"needs 0.0 GB .* \(No space left on device\)\. Set TMPDIR"):
        array_on_disk((10,), np.uint8)
