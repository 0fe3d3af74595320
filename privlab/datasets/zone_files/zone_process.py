"""The reading of a zone file in a process of its own, which can be stopped whatever it is at.

A polygon can be such that the library that looks at it does not come back for long; a thread could not be
ended there.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from privlab.checks import DataError
from privlab.datasets.processes.own_process import OwnProcess, ProcessEnded
from privlab.datasets.zone_files.geography import Geography
from privlab.datasets.zone_files.map_files import layers_from_map_file
from privlab.datasets.zone_files.zone_readers import geography_from_path
from privlab.progress import UNHEARD, Progress

Result = TypeVar("Result")

_MOST_BYTES = 4 << 30  # of memory that the process may ask for


def geography_from_process(path: Path, *, layer: str = "", progress: Progress = UNHEARD) -> Geography:
    """Return the zones of a file as `geography_from_path` does, read in a process of its own.

    What `progress` raises ends the process at once. Raises DataError if the file is not
    what it should be, or if reading it takes too much memory.
    """
    progress.tell(0.0, "Reading the zone file")
    return _done(partial(_read, path=path.absolute(), layer=layer), path, progress)


def layers_from_process(path: Path, *, progress: Progress = UNHEARD) -> tuple[str, ...]:
    """Return the names of the maps in a file as `layers_from_map_file` does, read in a process of its own; errors as above."""
    return _done(partial(_listed, path=path.absolute()), path, progress)


def _done(work: Callable[[Progress], Result], path: Path, progress: Progress) -> Result:
    try:
        return OwnProcess(work, most_bytes=_MOST_BYTES).result(progress)
    except MemoryError:
        raise DataError(
            f"{path.name} takes more memory than there is for a zone file. Simplify the polygons."
        ) from None
    except ProcessEnded as ended:
        raise DataError(
            f"{path.name} could not be read: its process ended (code {ended.code}). "
            "Is it too large for the memory there is? Simplify the polygons."
        ) from None


def _read(progress: Progress, path: Path, layer: str) -> Geography:
    return geography_from_path(path, layer=layer, progress=progress)


def _listed(progress: Progress, path: Path) -> tuple[str, ...]:
    del progress
    return layers_from_map_file(path)
