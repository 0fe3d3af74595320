"""How this machine and the lab on it are: for whoever runs it. Counts and sizes only, nothing of anybody's data."""

import os
import platform
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from privlab import __version__
from privlab.checks import DataError
from privlab.datasets.folders import private_folders_there, system_figures_mb
from privlab.kept import (
    bytes_of_cache,
    cache_folder,
    places_without_use,
    runs_path_from_environment,
)
from privlab.releases.folders import releases_not_on_record
from privlab.releases.ledger import Ledger, Place, ledger_place_from_environment

_LEAST_FREE_MB = 1_000  # below it work on disk may fail
_LEAST_FREE_SHARE = 0.05  # of the machine's memory


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskHealth:
    """A place that the lab writes to: what it is for, how much is free, in MB; free is None where nobody can say."""

    what: str
    free_mb: int | None
    total_mb: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerHealth:
    """Whether the ledger answers and its chain checks; `entries` is None, and `says` why, where it does not answer."""

    name: str
    answers: bool
    is_there: bool
    entries: int | None
    chain_holds: bool | None
    seconds: float
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """How the lab is; `problems` are sentences, none where all is well.

    `process_mb` is the memory that this process holds, `memory_free_mb` and `memory_total_mb` are the machine's; None where the
    system does not say. `private_folders` are those of living work and `left_behind` those of processes that were
    killed, `private_mb` what both hold. `cache_mb` of at most `most_cache_mb` are kept of the samples.
    """

    version: str
    python: str
    process_mb: int | None
    memory_free_mb: int | None
    memory_total_mb: int | None
    load: float | None
    cores: int
    disks: tuple[DiskHealth, ...]
    private_folders: int
    left_behind: int
    private_mb: int
    cache_mb: int
    most_cache_mb: int
    ledger: LedgerHealth
    problems: tuple[str, ...] = field(default=())

    @property
    def is_well(self) -> bool:
        """Whether there is no problem."""
        return not self.problems


def health_of_machine(place: Place | None = None) -> Health:
    """Return how this machine and the lab on it are, as seen from this process.

    `place` is the ledger's, by default that of the environment. Reads the whole ledger to check its chain, and writes nothing.
    """
    place = place or ledger_place_from_environment()
    memory = _memory()
    folder = cache_folder()
    kept, most_kept = bytes_of_cache()
    living, dead, held = private_folders_there()
    disks = tuple(
        _disk(what, path)
        for what, path in (
            ("temporary files", Path(tempfile.gettempdir())),
            *_kept_for_good(place),
            *(() if folder is None else (("kept samples", folder),)),
        )
    )
    ledger = _ledger(place)
    return Health(
        version=__version__,
        python=platform.python_version(),
        process_mb=_process_mb(),
        memory_free_mb=memory.get("MemAvailable"),
        memory_total_mb=memory.get("MemTotal"),
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        cores=os.cpu_count() or 1,
        disks=disks,
        private_folders=living,
        left_behind=dead,
        private_mb=_mb(held),
        cache_mb=_mb(kept),
        most_cache_mb=_mb(most_kept),
        ledger=ledger,
        problems=_problems(disks, memory, dead, ledger),
    )


def _kept_for_good(place: Place) -> tuple[tuple[str, Path], ...]:
    """Return the folders of what stays, and what is in each: of a ledger on a server what it keeps on this machine."""
    own = "ledger, keys and releases" if isinstance(place, Path) else "keys and releases"
    beside, runs = Ledger(place).path.parent, runs_path_from_environment().parent
    if beside == runs:
        return ((f"{own.replace(' and', ',')} and runs", beside),)
    return ((own, beside), ("runs", runs))


def _problems(
    disks: tuple[DiskHealth, ...], memory: dict[str, int], left_behind: int, ledger: LedgerHealth
) -> tuple[str, ...]:
    found = [
        f"Only {disk.free_mb:,} MB are free for {disk.what}."
        for disk in disks
        if disk.free_mb is not None and disk.free_mb < _LEAST_FREE_MB
    ]
    free, total = memory.get("MemAvailable"), memory.get("MemTotal")
    if free is not None and total and free < _LEAST_FREE_SHARE * total:
        found.append(f"Only {free:,} of {total:,} MB of memory are free.")
    if left_behind:
        found.append(
            f"{left_behind} private folder{' was' if left_behind == 1 else 's were'} left behind by killed processes; the next start of a "
            f"command or a server removes {'it' if left_behind == 1 else 'them'}."
        )
    if ledger.says:
        found.append(ledger.says)
    return (*found, *places_without_use())


def _ledger(place: Place) -> LedgerHealth:
    book, began, says, check, is_there = Ledger(place), time.monotonic(), "", None, False
    try:
        is_there = book.is_there
        check = book.check() if is_there else None
        answers = True
        if check is not None and not check.holds:
            says = f"The ledger's chain does not check: {check.faults[0]}"
        elif is_there:
            says = " ".join(releases_not_on_record(book)[:1])
    except DataError as error:
        answers, says = False, str(error)
    return LedgerHealth(
        name=book.name,
        answers=answers,
        is_there=is_there,
        entries=None if check is None else check.n_entries,
        chain_holds=None if check is None else check.holds,
        seconds=round(time.monotonic() - began, 3),
        says=says,
    )


def _disk(what: str, path: Path) -> DiskHealth:
    there = next((one for one in (path, *path.parents) if one.exists()), None)
    try:
        if there is None:
            return DiskHealth(what=what, free_mb=None, total_mb=None)
        usage = shutil.disk_usage(there)
    except OSError:
        return DiskHealth(what=what, free_mb=None, total_mb=None)
    return DiskHealth(what=what, free_mb=_mb(usage.free), total_mb=_mb(usage.total))


def _memory() -> dict[str, int]:
    """Return the machine's memory in MB, total and available, where Linux tells it."""
    return system_figures_mb("/proc/meminfo", ("MemTotal", "MemAvailable"))


def _process_mb() -> int | None:
    return system_figures_mb("/proc/self/status", ("VmRSS",)).get("VmRSS")


def _mb(n_bytes: int) -> int:
    return round(n_bytes / 1e6)
