"""A ledger in one file, to be put back elsewhere: its rows, its keys, the files of its releases, and the runs of the game.

Whatever place the ledger has, the rows lie in the file as a ledger of SQLite: a backup of PostgreSQL can be put back into a
file, and the other way round, also by a later version. No ledger whose chain does not check is backed up or put back.
"""

import json
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from privlab.checks import DataError
from privlab.datasets.folders import PrivateFolder
from privlab.kept import copy_database, private_folder_made, put_in_place, synchronise
from privlab.releases.folders.kept_releases import keep_release, kept_release
from privlab.releases.folders.release_folders import ALL_FILES
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_chain import LedgerCheck
from privlab.releases.ledger.ledger_keys import key_path_of

_WHAT = {"what": "privlab ledger backup", "format": 1}
_SAID, _ROWS, _KEYS, _RUNS = "backup.json", "ledger.sqlite", "ledger.sqlite.key", "runs.sqlite"
_RELEASE_FILE = re.compile(rf"releases/([1-9]\d{{0,17}})/({'|'.join(map(re.escape, ALL_FILES))})")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerBackup:
    """What a backup holds: the check of its chain, how many releases still have their files, and whether runs of the game."""

    check: LedgerCheck
    n_releases: int
    has_runs: bool


def back_up_ledger(ledger: Ledger, out: Path, *, runs: Path | None = None) -> LedgerBackup:
    """Write a ledger, with its keys and the files of its releases, into a new file for its owner only.

    `runs` is the file with the runs of the game; None, or one that is missing, leaves them out. Others may write into the
    ledger meanwhile: the backup holds it as it was at one moment.

    Raises
    ------
    DataError
        If there is no ledger, its chain does not check, the file is there already, or it cannot be written.
    """
    if not ledger.is_there:
        raise DataError(f"There is no ledger {ledger.name} to back up.")
    with PrivateFolder("backup-") as folder:
        copy = _copied(ledger, folder / _ROWS)
        check = _checked(copy, f"The ledger {ledger.name} is not backed up")
        entries = [entry for account in copy.accounts() for entry in account.entries]
        kept = {entry.number: kept_release(ledger, entry) for entry in entries}
        releases = {number: place for number, place in kept.items() if place is not None}
        has_runs = runs is not None and runs.is_file()
        if runs is not None and has_runs:
            copy_database(runs, folder / _RUNS)
        said = _WHAT | {"made": datetime.now(UTC).isoformat(timespec="seconds"), "head": check.head}
        with _new_archive(out) as archive:
            archive.writestr(_SAID, json.dumps(said, indent=1) + "\n")
            archive.write(folder / _ROWS, _ROWS)
            archive.write(key_path_of(folder / _ROWS), _KEYS)
            if has_runs:
                archive.write(folder / _RUNS, _RUNS)
            for number, place in releases.items():
                for file in sorted(place.iterdir()):
                    archive.write(file, f"releases/{number}/{file.name}")
    return LedgerBackup(check=check, n_releases=len(releases), has_runs=has_runs)


def restore_ledger(backup: Path, ledger: Ledger, *, runs: Path | None = None) -> LedgerBackup:
    """Put a ledger back where there is none, with its keys and the files of its releases; and the runs where there are none.

    `runs` is where the runs of the game go; None leaves them in the backup.

    Raises
    ------
    DataError
        If the file is no backup or damaged, its chain does not check, there is a ledger or other keys in the place already, or
        the place cannot be written.
    """
    with PrivateFolder("backup-") as folder:
        _unpack(backup, folder)
        copy = Ledger(folder / _ROWS)
        check = _checked(copy, f"{backup} is not put back")
        _require_free(ledger)
        with _keys_put_back(folder / _KEYS, ledger):
            ledger.begin_with(copy.copied_rows())
        n_releases = _put_releases_back(folder, ledger)
        has_runs = runs is not None and (folder / _RUNS).is_file()
        if runs is not None and has_runs:
            _put_runs_back(folder / _RUNS, runs)
    return LedgerBackup(check=check, n_releases=n_releases, has_runs=has_runs)


@contextmanager
def _keys_put_back(source: Path, ledger: Ledger) -> Iterator[None]:
    """Put the keys beside a ledger for as long as it is begun; take them away again if there is none afterwards.

    A ledger of which nobody knows whether it was begun, since its server has gone, keeps them: it would be lost without.
    """
    place, begun = key_path_of(ledger.path), False
    try:
        private_folder_made(place.parent)
        own = put_in_place(place, source.read_bytes())
    except OSError as error:
        raise DataError(
            f"Could not write the keys beside {ledger.path}: {error.strerror or error}."
        ) from None
    if not own:
        raise DataError(f"There are keys {place} already: another has put them there meanwhile.")
    try:
        yield
        begun = True
    finally:
        if not begun and _is_surely_not_there(ledger):
            place.unlink(missing_ok=True)


def _is_surely_not_there(ledger: Ledger) -> bool:
    """Return whether there is no ledger, or one in a file that nothing was entered into, which is removed."""
    try:
        if not ledger.is_there:
            return True
        record = ledger.record()
    except DataError:
        return False
    if not isinstance(ledger.place, Path) or record.links:
        return False
    for side in ("", "-wal", "-shm", "-journal"):
        ledger.place.with_name(ledger.place.name + side).unlink(missing_ok=True)
    return True


def _copied(ledger: Ledger, path: Path) -> Ledger:
    """Return a ledger in a file with the rows and the keys of another."""
    ledger.keys()  # a complaint where they are not its own
    put_in_place(key_path_of(path), key_path_of(ledger.path).read_bytes())
    copy = Ledger(path)
    if isinstance(ledger.place, Path):
        copy_database(ledger.place, path)
    else:
        copy.begin_with(ledger.copied_rows())
    return copy


def _checked(copy: Ledger, refused: str) -> LedgerCheck:
    check = copy.check()
    if not check.holds:
        raise DataError(f"{refused}, for its chain does not check: {check.faults[0]}")
    return check


def _require_free(ledger: Ledger) -> None:
    if ledger.is_there:
        raise DataError(
            f"There is a ledger {ledger.name} already: none is ever replaced. Name another place."
        )
    if key_path_of(ledger.path).exists():
        raise DataError(
            f"There are keys {key_path_of(ledger.path)} already, of another ledger or of this one. Move them away first."
        )


@contextmanager
def _new_archive(out: Path) -> Iterator[zipfile.ZipFile]:
    """Yield an archive that gets its name when it is whole; it is for its owner only."""
    new = out.with_name(f".{out.name}.{os.getpid()}.new")
    try:
        if out.exists():
            raise DataError(f"{out} is there already. Choose another name: no backup is overwritten.")
        private_folder_made(out.absolute().parent)
        descriptor = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        with open(descriptor, "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                yield archive
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, out)
        # A share may take no such order for a folder: the backup is there all the same.
        with suppress(OSError):
            synchronise(out.absolute().parent)
    except OSError as error:
        raise DataError(f"Could not write {out}: {error.strerror or error}.") from None
    finally:
        new.unlink(missing_ok=True)


def _unpack(backup: Path, folder: Path) -> None:
    """Unpack the files of a backup that have the names they must have; others are left where they are."""
    try:
        with zipfile.ZipFile(backup) as archive:
            said = json.loads(archive.read(_SAID))
            if not isinstance(said, dict) or any(said.get(name) != value for name, value in _WHAT.items()):
                raise DataError(f"{backup} is no backup of a ledger that this version can read.")
            for name in archive.namelist():
                if name in (_ROWS, _KEYS, _RUNS) or _RELEASE_FILE.fullmatch(name):
                    archive.extract(name, folder)
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise DataError(f"{backup} is no backup of a ledger, or is damaged: {error}.") from None
    except OSError as error:
        raise DataError(f"Could not read {backup}: {error.strerror or error}.") from None
    if not (folder / _ROWS).is_file() or not (folder / _KEYS).is_file():
        raise DataError(f"{backup} is no whole backup of a ledger: its rows or its keys are missing.")


def _put_releases_back(folder: Path, ledger: Ledger) -> int:
    entries = {entry.number: entry for account in ledger.accounts() for entry in account.entries}
    found = [path for path in (folder / "releases").glob("*") if int(path.name) in entries]
    try:
        for path in found:
            if kept_release(ledger, entries[int(path.name)]) is None:  # else they lie there still
                keep_release(path, ledger, entries[int(path.name)])
    except OSError as error:
        ledger.told(
            f"The ledger is put back, but not all files of its releases: {error.strerror or error}. They stand in the backup."
        )
    return sum(kept_release(ledger, entries[int(path.name)]) is not None for path in found)


def _put_runs_back(copy: Path, runs: Path) -> None:
    try:
        private_folder_made(runs.absolute().parent)
        if not put_in_place(runs, copy.read_bytes()):
            raise DataError(
                f"The ledger is put back, but there are runs {runs} already: those of the backup stay in it."
            )
    except OSError as error:
        raise DataError(
            f"The ledger is put back, but not the runs {runs}: {error.strerror or error}."
        ) from None
