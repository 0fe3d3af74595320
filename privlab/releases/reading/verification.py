"""A certificate and its files → what of it holds, check by check, without the data.

What follows from the parameters is worked out anew. The maker's public key or ledger tells who signed it.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from privlab.checks import DataError, ParameterError
from privlab.releases.accounts.accounts import LedgerEntry
from privlab.releases.folders.release_folders import (
    CSV,
    ESTIMATES,
    LEVELS,
    PARQUET,
    files_of_release,
    others_in_folder,
)
from privlab.releases.ledger.ledger import Ledger
from privlab.releases.ledger.ledger_keys import signature_holds
from privlab.releases.reading.certificate_reading import certificate_from_file, plan_from_certificate
from privlab.releases.reading.file_checks import TOO_MANY, Check, alike, file_checks
from privlab.releases.reading.readme_and_zone_checks import beside_checks
from privlab.releases.writing.certificate import LAW, LAW_1, SIGNED, content_signed
from privlab.releases.writing.level_files import levels_from_certificate

_DIGEST = re.compile(r"[0-9a-f]{64}")
_VERSION = re.compile(r"\d+(\.\d+)*[0-9a-zA-Z.+-]*")
ORIGIN_UNKNOWN = (
    "Who made the release was not checked: anyone can write a certificate that fits its files. Ask its maker "
    "for the public key."
)
ORIGIN_KNOWN = "The certificate is signed with the key given."
OTHER_BYTES = "not the bytes certified: saving it again, as from a spreadsheet, changes them, even where all numbers stay"
ORIGIN_NOTED = "The ledger has noted this very certificate. It has no signature, as none of format 1 has."
ORIGIN_UNSIGNED = "The certificate has no signature, as none of format 1 has: no key tells who made the release, only the ledger of its maker."
ORIGIN_OTHER = "The certificate is not signed with the key given, or was changed since."


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseVerification:
    """All checks of a release, in `origin` a sentence on who made it, and in `aside` all in its folder that no check looks at.

    `differs` names the files that are compared and are not what the certificate says, each with how; one of them alone is no fault, a
    README in other words.
    `looked_at` are the files that a check looks at where they are there; `why` says of a file that could be compared, by its name, why
    it is not.
    """

    checks: tuple[Check, ...]
    origin: str
    differs: tuple[str, ...]
    looked_at: tuple[str, ...]
    aside: tuple[str, ...]
    why: dict[str, str]

    @property
    def holds(self) -> bool:
        """Whether every check is passed."""
        return all(check.holds for check in self.checks)

    @property
    def says_who(self) -> bool:
        """Whether it was checked who made the release."""
        return self.origin != ORIGIN_UNKNOWN

    def not_looked_at(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return which of some files no check looks at, with why where one could: anyone may have changed them."""
        return _not_looked_at(names, self.looked_at, self.why)


def _not_looked_at(names: Iterable[str], looked_at: tuple[str, ...], why: dict[str, str]) -> tuple[str, ...]:
    """Return which of some files no check looks at, with why where it is known.

    >>> _not_looked_at(["release.csv", "notes.txt", "README.txt"], ("release.csv",), {"README.txt": "not compared: written by privlab 0.9"})
    ('notes.txt', 'README.txt (not compared: written by privlab 0.9)')
    """
    aside = (name for name in names if name not in looked_at)
    return tuple(f"{name} ({why[name]})" if name in why else name for name in aside)


def _looked_at(certificate: dict[str, Any], *, counted: bool) -> tuple[str, ...]:
    """Return which files are held against a certificate: sums of districts only where it has any, none but the first if no count is read."""
    if not counted:
        return (CSV, PARQUET)
    always = (CSV, PARQUET, ESTIMATES)
    return always if levels_from_certificate(certificate) is None else (*always, LEVELS)


def verification_from_certificate(
    path: Path, *, public_key: str | None = None, ledger: Ledger | None = None
) -> ReleaseVerification:
    """Return what holds of a certificate against the files beside it.

    Parameters
    ----------
    path : Path
        certificate.json; its files lie beside it.
    public_key : str, optional
        The maker's, in hexadecimal; a certificate that was not signed with its other half fails.
    ledger : Ledger, optional
        The maker's: its key is taken, and the release compared with its entry.

    Raises
    ------
    DataError
        If it is no certificate, or a file or the ledger cannot be read.
    """
    certificate, content = certificate_from_file(path)
    checks: list[Check] = []
    is_signed, origin = "signature" in certificate, ORIGIN_UNKNOWN
    if ledger is not None:
        checks += _ledger_checks(certificate, content, ledger)
        if not is_signed and public_key is None and all(check.holds for check in checks):
            origin = ORIGIN_NOTED
        else:
            public_key = public_key or ledger.keys().public_key
    signed = list(_signature_checks(certificate, public_key))
    if public_key is not None:
        is_known = all(check.holds for check in signed)
        origin = ORIGIN_KNOWN if is_known else ORIGIN_OTHER if is_signed else ORIGIN_UNSIGNED
    checks += signed
    checks += _form_checks(certificate)
    try:
        plan = plan_from_certificate(certificate)
        checks += file_checks(certificate, plan, path)
        beside, others_say, why = beside_checks(
            certificate, path.parent, sound=all(check.holds for check in checks)
        )
        others = others_in_folder(path.parent)
    except ParameterError as error:
        raise DataError(f"{path.name} states impossible parameters: {error}") from None
    except (OSError, pa.ArrowException) as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"The files of {path.name} could not be read: {words}.") from None
    counted = all(check.what != TOO_MANY for check in checks)
    why = why if counted else why | dict.fromkeys((ESTIMATES, LEVELS), "compared only with counts")
    looked_at = (path.name, *_looked_at(certificate, counted=counted), *beside, *others_say)
    differ = {name: OTHER_BYTES for check in checks for name in check.files} | others_say
    there = (name for name in files_of_release(path.parent) if path.with_name(name).exists())
    return ReleaseVerification(
        checks=(*checks, *beside.values()),
        origin=origin,
        differs=tuple(f"{name} ({how})" for name, how in differ.items()),
        looked_at=looked_at,
        aside=_not_looked_at((*there, *others), looked_at, why),
        why=why,
    )


def came_from(path: Path, ledger: Ledger, digest: str, earlier_digest: str | None = None) -> bool:
    """Return whether a release was made from the data with this digest, by the ledger's key.

    Raises DataError if the release is not one of this ledger's, or its certificate is another than the ledger has noted; and of a certificate
    of format 1 without `earlier_digest` where it cannot be told: ledgers of then knew some data by that alone.
    """
    certificate, content = certificate_from_file(path)
    entry = ledger.entry_of(certificate["data"]["keyed_digest"])
    if entry is not None and entry.certificate not in (None, hashlib.sha256(content).hexdigest()):
        raise DataError(
            f"The ledger {ledger.name} has not this certificate of the release but another. Was {path.name} changed? "
            "`privlab verify` with the ledger says what differs."
        )
    found = _is_of_data(certificate, entry, ledger, digest, earlier_digest)
    if not found and earlier_digest is None and "salt" not in certificate["data"]:
        raise DataError(
            f"Whether the release came from this data cannot be told by its files alone: {path.name} is of format 1. It did not, unless it was "
            "read with a second file (--join) or the names of its files say who is in it; `report --on-release` with the options of then tells."
        )
    return found


def is_of_data(
    certificate: Mapping[str, Any], ledger: Ledger, digest: str, earlier_digest: str | None = None
) -> bool:
    """Return the same of a release by its certificate."""
    entry = ledger.entry_of(certificate["data"]["keyed_digest"])
    return _is_of_data(certificate, entry, ledger, digest, earlier_digest)


def _is_of_data(
    certificate: Mapping[str, Any],
    entry: LedgerEntry | None,
    ledger: Ledger,
    digest: str,
    earlier_digest: str | None,
) -> bool:
    keys, data = ledger.keys(), certificate["data"]
    names = [one for one in (digest, earlier_digest) if one is not None]
    if entry is None:
        raise DataError(f"The ledger {ledger.name} has no entry of this release. Was it made with another?")
    if "salt" in data:
        return data["keyed_digest"] in [keys.keyed_digest(one, data["salt"]) for one in names]
    own = ledger.own_names_of_entry(entry)
    return any(keys.account_name(one) in own for one in names)


def _ledger_checks(certificate: dict[str, Any], content: bytes, ledger: Ledger) -> Iterator[Check]:
    """The ledger has an entry of the release, that says the same."""
    entry = ledger.entry_of(certificate["data"]["keyed_digest"])
    yield Check(what="the ledger has an entry of it", holds=entry is not None)
    if entry is None:
        return
    written = hashlib.sha256(content).hexdigest() == entry.certificate
    yield Check(what="the ledger has this very certificate", holds=written)
    said = json.loads(entry.what)
    same = alike(said["parameters"], certificate["parameters"]) and said["weeks"] == certificate["weeks"]
    cost = certificate["parameters"]["epsilon"] * len(certificate["weeks"])
    same = same and alike(entry.epsilon, cost)
    same = same and alike(entry.delta, certificate["guarantee"]["units"]["user"]["delta"])
    yield Check(what="the ledger has the same parameters and cost", holds=same)


def _signature_checks(certificate: dict[str, Any], public_key: str | None) -> Iterator[Check]:
    sign = certificate.get("signature")
    if sign is not None:
        own = sign["law"] == SIGNED and signature_holds(
            sign["public_key"], sign["value"], content_signed(certificate)
        )
        yield Check(what="signature is that of the key it names", holds=own)
    if public_key is not None:
        given = sign is not None and sign["public_key"] == public_key
        yield Check(what="signed with the key given", holds=given)


def _form_checks(certificate: dict[str, Any]) -> Iterator[Check]:
    """Dates, digests and versions are such."""
    data, versions = certificate["data"], certificate["versions"]
    digests = [
        data["keyed_digest"],
        *certificate["files"].values(),
        *([data["salt"]] if "salt" in data else []),
    ]
    law = LAW if "salt" in data else LAW_1
    whole = data["law"] == law and all(_DIGEST.fullmatch(one) for one in digests)
    yield Check(what="digests are digests", holds=whole)
    known = certificate["mechanism"]["library"] == f"OpenDP {versions['opendp']}"
    known = known and all(_VERSION.fullmatch(one) for one in versions.values())
    yield Check(what="versions are versions", holds=known)
    yield Check(what="it is dated, and its weeks begin on Mondays", holds=_dated(certificate))


def _dated(certificate: dict[str, Any]) -> bool:
    try:
        made = datetime.fromisoformat(certificate["made"])
        weeks = [date.fromisoformat(week) for week in certificate["weeks"]]
    except ValueError:
        return False
    named = [week.isoformat() for week in weeks] == certificate["weeks"]
    return made.tzinfo is not None and named and all(week.weekday() == 0 for week in weeks)
