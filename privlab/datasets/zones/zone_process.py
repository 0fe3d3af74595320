"""The reading of a zone file in a process of its own, which can be stopped whatever it is at.

A polygon can be such that the library that looks at it does not come back for long; a thread could not be
ended there. The process is this module itself: python -m privlab.datasets.zones.zone_process FILE FOLDER.
"""

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.engines.private_folders import PrivateFolder
from privlab.datasets.zones.geography import Geography
from privlab.datasets.zones.zone_readers import geography_from_path
from privlab.progress import UNHEARD, Progress

_MOST_BYTES = 4 << 30  # of memory that the process may ask for
_LOOK_S = 0.05
_RESULT, _SHARE = "result", "share"


def geography_from_process(path: Path, *, progress: Progress = UNHEARD) -> Geography:
    """Return the zones of a file as `geography_from_path` does, read in a process of its own.

    What `progress` raises ends the process at once. Raises DataError if the file is not
    what it should be, or if reading it takes too much memory.
    """
    package = str(Path(__file__).parents[3])
    paths = os.pathsep.join(filter(None, (package, os.environ.get("PYTHONPATH"))))
    with PrivateFolder("zones-") as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, os.path.abspath(path), str(folder)],
            env=os.environ | {"PYTHONPATH": paths},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # its errors go where the server's go
        )
        try:
            while process.poll() is None:
                progress.tell(_share(folder), "Reading the zone file")
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_S)
        finally:
            process.kill()
            process.wait()
        try:
            result = pickle.loads((folder / _RESULT).read_bytes())
        except (OSError, EOFError, pickle.UnpicklingError):
            raise DataError(
                f"{path.name} could not be read: its process ended (code {process.returncode}). "
                "Is it too large for the memory there is? Simplify the polygons."
            ) from None
    if isinstance(result, str):
        raise DataError(result)
    geography: Geography = result
    return geography


def _share(folder: Path) -> float:
    with suppress(OSError, ValueError):
        return float((folder / _SHARE).read_text())
    return 0.0


def _limit_memory() -> None:
    with suppress(
        ImportError, OSError, ValueError
    ):  # there are none on Windows; elsewhere it may be less already
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))


def main(path: str, folder: str) -> None:
    """Read a zone file; write the geography, or the sentence that says why not, into a folder."""
    _limit_memory()

    def heard(share: float, words: str) -> None:
        (Path(folder) / _SHARE).write_text(f"{share}")

    result: Geography | str
    try:
        result = geography_from_path(path, progress=Progress(heard))
    except DataError as error:
        result = str(error)
    except MemoryError:
        result = f"{Path(path).name} takes more memory than there is for a zone file. Simplify the polygons."
    (Path(folder) / _RESULT).write_bytes(pickle.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
