"""Licences of everything that `pip install -r requirements.txt` installs, as the table of docs/licences.md.

python -m bench.licences > docs/licences.md
"""

import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """# Licences

What `pip install -r requirements.txt` installs, with versions and licences as the packages state them, on Linux with
Python 3.11. Made by `python -m bench.licences > docs/licences.md`. Fonts and scripts within packages have licences of their own there.

| package | version | licence |
|---|---|---|"""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(lines: list[str]) -> list[str]:
    """Return the names of what is required without a condition, or under one of the extras that are asked for here."""
    return [match[0] for line in lines if (match := re.match(r"[A-Za-z0-9._-]+", line))]


def needed() -> dict[str, Distribution]:
    """Return all packages that the requirements come to, by name."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, Distribution] = {}
    waiting = required([line for line in lines if not line.startswith("#")])
    while waiting:
        name = canonical(waiting.pop())
        if name not in found:
            try:
                found[name] = distribution(name)
            except PackageNotFoundError:  # required elsewhere only
                continue
            waiting += required([line for line in found[name].requires or () if "extra ==" not in line])
    return dict(sorted(found.items()))


def licence(package: Distribution) -> str:
    """Return what a package states: an expression, else its classifiers, else the first line of its text."""
    stated = package.metadata
    if stated["License-Expression"]:
        return str(stated["License-Expression"])
    kinds = [
        line.rpartition(" :: ")[2]
        for line in stated.get_all("Classifier") or ()
        if line.startswith("License ::")
    ]
    named = [kind for kind in kinds if kind != "OSI Approved"]
    return ", ".join(named) or str(stated["License"] or "not stated").splitlines()[0]


def main() -> None:
    print(HEAD)
    for name, package in needed().items():
        print(f"| {name} | {package.version} | {licence(package)} |")


if __name__ == "__main__":
    main()
