"""Licences of what the requirements come to, as the table of docs/licences.md: python -m bench.licences."""

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
EXTRAS = {"ibis-framework": "duckdb"}  # asked for in requirements.in
HEAD = """# Licences

What `requirements.txt` installs, with versions and licences as the packages state them, on Linux with
Python 3.11. Fonts and scripts within packages have licences of their own there. How to look for known
faults in them: [reliability.md](reliability.md#packages). Made by

    python -m bench.licences > docs/licences.md

| package | version | licence |
|---|---|---|"""


def names(requirements: list[str]) -> list[str]:
    """Return the names at the beginnings of requirements."""
    found = (re.match(r"[A-Za-z0-9._-]+", line) for line in requirements)
    return [re.sub(r"[-_.]+", "-", match[0]).lower() for match in found if match]


def installed() -> dict[str, Distribution]:
    """Return all packages that the requirements come to here, by name."""
    waiting = names((ROOT / "requirements.in").read_text(encoding="utf-8").splitlines())
    found: dict[str, Distribution] = {}
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # needed elsewhere only
            continue
        lines = [line.replace('"', "'") for line in found[name].requires or ()]
        extra = f"extra == '{EXTRAS.get(name)}'"
        waiting += names([line for line in lines if "extra ==" not in line or extra in line])
    return dict(sorted(found.items()))


def licence(package: Distribution) -> str:
    """Return what a package states: an expression, else its classifiers, else the first line of its text."""
    stated = package.metadata
    if stated["License-Expression"]:
        return str(stated["License-Expression"])
    lines = [line for line in stated.get_all("Classifier") or () if line.startswith("License ::")]
    kinds = [line.rpartition(" :: ")[2] for line in lines]
    named = ", ".join(kind for kind in kinds if kind != "OSI Approved")
    return named or str(stated["License"] or "not stated").splitlines()[0]


def main() -> None:
    print(HEAD)
    for name, package in installed().items():
        print(f"| {name} | {package.version} | {licence(package)} |")


if __name__ == "__main__":
    main()
