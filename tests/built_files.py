"""Files that are built with Node 20 and kept: what tests of each of them ask alike."""

import hashlib
import json
import re
from pathlib import Path
from typing import Any


def require_as_built(assets: Path) -> None:
    """Ask that the files of a folder are those of its SHA256SUMS, and no others."""
    sums = (assets / "SHA256SUMS").read_text(encoding="utf-8").split()
    kept = dict(zip(sums[1::2], sums[::2], strict=True))
    assert set(kept) == {path.name for path in assets.iterdir()} - {"SHA256SUMS"}
    for name, digest in kept.items():
        assert hashlib.sha256((assets / name).read_bytes()).hexdigest() == digest, name


def locked_package(frontend: Path) -> dict[str, Any]:
    """Return a package.json whose versions are exact, as its lock file has them, which names no registry."""
    package: dict[str, Any] = json.loads((frontend / "package.json").read_text(encoding="utf-8"))
    versions = [*package["dependencies"].values(), *package["devDependencies"].values()]
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in versions)
    lock = (frontend / "package-lock.json").read_text(encoding="utf-8")
    assert '"resolved"' not in lock
    assert json.loads(lock)["packages"][""]["dependencies"] == package["dependencies"]
    return package
