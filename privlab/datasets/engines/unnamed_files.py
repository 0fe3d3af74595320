"""Arrays in files without a name, mapped into memory: the system keeps in memory what is used, and writes the rest to disk.

No other process can open such a file, and its room is free again when the array goes or the process ends, however it ends.
"""

import errno
import math
import mmap
import os
import shutil
import tempfile
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError

_SHARE = 0.8  # of the free room, as for archives: others need some too


def array_on_disk(shape: tuple[int, ...], kind: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of zeros on disk, where the system keeps temporary files; its room there is reserved.

    Raises DataError where there is not enough.
    """
    n_bytes = math.prod(shape) * np.dtype(kind).itemsize
    if not n_bytes:
        return np.zeros(shape, dtype=kind)
    try:
        free = shutil.disk_usage(tempfile.gettempdir()).free
        if n_bytes > _SHARE * free:  # to reserve more than there is would fill the disk for a moment
            raise OSError(errno.ENOSPC, f"{free / 1e9:,.1f} GB are free")
        with tempfile.TemporaryFile(prefix="privlab-", buffering=0) as file:
            _reserve(file.fileno(), n_bytes)
            mapped = mmap.mmap(file.fileno(), n_bytes)  # holds the file open
    except OSError as error:
        raise DataError(
            f"This needs {n_bytes / 1e9:,.1f} GB of disk for temporary files, which cannot be had "
            f"({error.strerror}). Set TMPDIR to a place with more room."
        ) from None
    return np.frombuffer(mapped, dtype=kind).reshape(shape)


def _reserve(file: int, n_bytes: int) -> None:
    """Give a file its size and its room: writing to a mapped file on a full disk would end the process."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, n_bytes)
    else:  # not on macOS and Windows: there the room is not promised
        os.truncate(file, n_bytes)
