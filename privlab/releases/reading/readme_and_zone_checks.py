"""A certificate and what stands beside its release for whoever receives it → whether README and zones follow from it.

Neither is signed. What is to follow from a certificate is written anew and compared, once all else holds.
"""

import io
import re
from pathlib import Path
from typing import Any

from privlab.releases.folders.release_folders import README, ZONES
from privlab.releases.reading.file_checks import Check
from privlab.releases.writing.readme_files import readme_from_certificate
from privlab.releases.writing.zones_file import zones_csv_from_certificate

_PLACE = re.compile(r"-?\d+\.\d{6}")  # a number in degrees, as it stands in ZONES
OTHER_WORDS = "not the words that follow from the certificate today: believe the certificate"
OTHER_ZONES = "not the zones that the certificate states"
_MARK = "\0"  # in place of such a number, so that one more is seen
_LAST_PLACE = 1.5e-6  # other machines may round the last place the other way


def beside_checks(
    certificate: dict[str, Any], folder: Path, *, sound: bool
) -> tuple[dict[str, Check], dict[str, str], dict[str, str]]:
    """Return by its name the check of each file that stands beside a certificate, how one differs from it, and why one is not compared.

    `sound` says that all other checks hold: what follows from a certificate that does not hold shows nothing. A README in other words
    than follow from the certificate differs and is no fault: whoever made the release may have had another privlab. Raises OSError where
    a file cannot be read.
    """
    if not sound:
        return {}, {}, dict.fromkeys((README, ZONES), "compared only where all else holds")
    found = {README: _readme_follows(certificate, folder), ZONES: _zones_follow(certificate, folder)}
    checks = {
        name: Check(what=f"{name} follows from the certificate", holds=follows)
        for name, follows in found.items()
        if follows or (follows is False and name == ZONES)
    }
    others = {README: OTHER_WORDS, ZONES: OTHER_ZONES}
    return checks, {name: others[name] for name, follows in found.items() if follows is False}, {}


def _readme_follows(certificate: dict[str, Any], folder: Path) -> bool | None:
    """Whether the README is what would be written for a certificate today; None without one."""
    path = folder / README
    if not path.is_file():
        return None
    expected = {readme_from_certificate(certificate, with_zones=with_zones) for with_zones in (True, False)}
    return _text(path, max(expected, key=len)) in expected


def _zones_follow(certificate: dict[str, Any], folder: Path) -> bool | None:
    """Whether the zones lie where the certificate says; None without their file, and where it does not say it."""
    path = folder / ZONES
    expected = zones_csv_from_certificate(certificate) if path.is_file() else None
    if expected is None:
        return None
    found = _text(path, expected)
    if _PLACE.sub(_MARK, found) != _PLACE.sub(_MARK, expected):
        return False
    pairs = zip(_PLACE.findall(found), _PLACE.findall(expected), strict=True)
    return all(abs(float(one) - float(other)) < _LAST_PLACE for one, other in pairs)


def _text(path: Path, expected: str) -> str:
    """Return what is in a text file, up to more than twice what is expected there."""
    with path.open("rb") as file:
        content = file.read(2 * len(expected.encode()) + 1)
    return io.TextIOWrapper(io.BytesIO(content), "utf-8", errors="replace").read()
