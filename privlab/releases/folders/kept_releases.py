"""The files of finished releases, kept beside the ledger: whoever paid for one can have it again.

They are published by definition. Even so only the ledger's owner can read them. They grow with every release.
"""

import hashlib
import json
import os
import shutil
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from privlab.checks import DataError
from privlab.kept import synchronise
from privlab.releases.folders.release_folders import CERTIFICATE, ESTIMATES, LEVELS, NEEDED, files_of_release
from privlab.releases.ledger.ledger import Ledger, LedgerEntry

_PARTIAL = ".partial"


def keep_release(folder: Path, ledger: Ledger, entry: LedgerEntry) -> None:
    """Keep a finished release's files beside the ledger, whole or not at all. Raises OSError if that fails."""
    place = _place(ledger, entry)
    _make_private(place.parent)
    partial = place.with_name(f".{place.name}.{os.getpid()}{_PARTIAL}")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(mode=0o700)
    try:
        for name in files_of_release(folder):
            _write(partial / name, (folder / name).read_bytes())
        os.replace(partial, place)
        synchronise(place.parent)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def kept_release(ledger: Ledger, entry: LedgerEntry) -> Path | None:
    """Return the folder with the files of an entry; None if none are kept, or they are not those that were made."""
    place = _place(ledger, entry)
    try:
        content = (place / CERTIFICATE).read_bytes()
        whole = all((place / name).is_file() for name in NEEDED)
    except OSError:
        return None
    if entry.certificate is not None and hashlib.sha256(content).hexdigest() != entry.certificate:
        return None
    whole = whole and entry.keyed_digest.encode() in content
    return place if whole and _are_certified(place, content) else None


def _are_certified(place: Path, certificate: bytes) -> bool:
    """Return whether the counts, estimates and sums of a kept release are those that its certificate names."""
    try:
        said = json.loads(certificate)
        digests = dict(said["files"])
        for name, part in ((ESTIMATES, "estimates"), (LEVELS, "levels")):
            if part in said and (place / name).is_file():
                digests[name] = said[part]["sha256"]
        return all(_digest_of(place / name) == digest for name, digest in digests.items())
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
    ):  # a certificate that is damaged, or files that have just gone
        return False


def _digest_of(path: Path) -> str:
    state = path.stat()
    return _digest_of_state(path, state.st_ino, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=1024)  # a page asks each time that something on it is moved
def _digest_of_state(path: Path, *state: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def export_release(ledger: Ledger, number: int, out: Path) -> Path:
    """Copy the files of an entry into a folder that is missing or empty; return it.

    Raises DataError if the ledger has no such entry, nothing is kept of it, or the folder cannot be written.
    """
    entries = {entry.number: entry for account in ledger.accounts() for entry in account.entries}
    if number not in entries:
        raise DataError(f"The ledger {ledger.name} has no entry {number}. `privlab ledger show` lists them.")
    kept = kept_release(ledger, entries[number])
    if kept is None:
        raise DataError(
            f"No files of entry {number} are kept beside {ledger.path}: it failed, was made by an earlier version or on another machine, or "
            "they were removed or changed."
        )
    try:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise DataError(f"{out} is not an empty folder. Choose another: a release is never overwritten.")
        out.mkdir(parents=True, exist_ok=True)
        for name in files_of_release(kept):  # the certificate last: a folder without one is no release
            shutil.copyfile(kept / name, out / name)
    except OSError as error:
        raise DataError(f"Could not write to {out}: {error.strerror or error}.") from None
    return out


def releases_not_on_record(ledger: Ledger) -> tuple[str, ...]:
    """Return a sentence for each kept release that has the ledger's public key, and none of whose entries it is of.

    Such a ledger was put back from a copy older than the release: what the release cost is missing. Raises DataError if there is no ledger.
    """
    kept = sorted((ledger.path.resolve().parent / "releases").glob(f"*/{CERTIFICATE}"))
    said = [(path.parent, _said_of(path)) for path in kept]
    record = ledger.record()  # read last: of a release that is being made the entry comes first
    entries = {entry.keyed_digest for entry in record.entries}
    return tuple(
        f"{place} holds a release of this ledger that is not on record: it costs ε = {one.epsilon:g}, δ = {one.delta:g}. The ledger was put "
        "back from a copy made before. Put the newer one back; or spend so much less, and move that folder away."
        for place, one in said
        if one is not None and one.public_key == record.public_key and one.keyed_digest not in entries
    )


class _Said(NamedTuple):
    """What the certificate of a kept release says of whose it is and what it cost a user."""

    public_key: str
    keyed_digest: str
    epsilon: float
    delta: float


def _said_of(certificate: Path) -> _Said | None:
    with suppress(OSError, ValueError, TypeError, KeyError):  # damaged: no release
        state = certificate.stat()
        return _said_of_state(certificate, state.st_ino, state.st_size, state.st_mtime_ns)
    return None


@lru_cache(maxsize=1024)
def _said_of_state(certificate: Path, *state: int) -> _Said:
    said = json.loads(certificate.read_bytes())
    cost = said["guarantee"]["units"]["user"]
    return _Said(
        public_key=str(said["signature"]["public_key"]),
        keyed_digest=str(said["data"]["keyed_digest"]),
        epsilon=float(cost["epsilon"]),
        delta=float(cost["delta"]),
    )


def _write(path: Path, content: bytes) -> None:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with open(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def clear_partial_copies(ledger: Ledger) -> None:
    """Remove what killed processes left of copies they were making; those of living processes stay."""
    for partial in (ledger.path.parent / "releases").glob(f".*{_PARTIAL}"):
        process = partial.name.removesuffix(_PARTIAL).rpartition(".")[2]
        if not _is_alive(process):
            shutil.rmtree(partial, ignore_errors=True)


def _place(ledger: Ledger, entry: LedgerEntry) -> Path:
    """Return where the files of an entry are kept; another ledger of the same folder may have taken the number."""
    plain = ledger.path.resolve().parent / "releases" / str(entry.number)
    with suppress(OSError):
        if entry.keyed_digest.encode() not in (plain / CERTIFICATE).read_bytes():
            return plain.with_name(f"{entry.number}-{entry.keyed_digest[:8]}")
    return plain


def _make_private(folder: Path) -> None:
    if not folder.is_dir():
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)


def _is_alive(process: str) -> bool:
    if os.name == "nt":  # signal 0 would end it there
        return True
    try:
        os.kill(int(process), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
