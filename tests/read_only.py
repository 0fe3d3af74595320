"""A folder that nobody may write into, not even root: as on a disk that may only be read."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_VERSION = 0x20080522
_BEYOND_RIGHTS = 1 << 1 | 1 << 2  # by which root writes, and reads, whatever the rights say


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Rights(ctypes.Structure):
    _fields_ = (
        ("effective", ctypes.c_uint32),
        ("permitted", ctypes.c_uint32),
        ("inheritable", ctypes.c_uint32),
    )


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Let nothing in a folder, and no file in it, be written by this thread within the block."""
    modes = {path: path.stat().st_mode & 0o777 for path in (*folder.iterdir(), folder)}
    for path in modes:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        with by_rights():
            yield
    finally:
        for path, mode in reversed(modes.items()):
            path.chmod(mode)


@contextmanager
def by_rights() -> Iterator[None]:
    """Have this thread go by the rights of files within the block, as everybody but root does."""
    if os.geteuid() != 0:
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    header, rights = _Header(_VERSION, 0), (_Rights * 2)()
    assert libc.capget(ctypes.byref(header), ctypes.byref(rights)) == 0
    before = rights[0].effective
    rights[0].effective = before & ~_BEYOND_RIGHTS
    assert libc.capset(ctypes.byref(header), ctypes.byref(rights)) == 0
    try:
        yield
    finally:
        rights[0].effective = before
        assert libc.capset(ctypes.byref(header), ctypes.byref(rights)) == 0
