"""What the lab asks for, without versions and with newer ones: `make update` and `.ci/newest` use it.

`unpinned FOLDER` writes the lists requirements*.in there without versions; lines that say `# held: WHY` keep theirs.
`repin FOLDER` takes the versions that FOLDER/requirements*.txt were resolved to into requirements*.in and constraints.txt.
`moved FILE` says which packages of a list such as `pip freeze` prints have other versions than those locked.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LISTS = (
    "requirements",
    "requirements-spark",
    "requirements-postgres",
    "requirements-login",
    "requirements-dev",
)
_PIN = re.compile(r"^([A-Za-z0-9._-]+(?:\[[a-z,]+\])?)==([^ ;#\\]+)(.*)$")


def plain(name: str) -> str:
    """Return a package's name as every list writes it."""
    return re.sub(r"[-_.]+", "-", name.partition("[")[0]).lower()


def versions_from_text(text: str) -> dict[str, str]:
    """Return the versions that a list names, by package; where it names two for different Pythons, the older, which fits all."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if match := _PIN.match(line):
            found[plain(match[1])] = min(found.get(plain(match[1]), match[2]), match[2], key=_numbers)
    return found


def _numbers(version: str) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", version)]


def unpinned_from_text(text: str) -> str:
    """Return a list without versions but for those that are held."""
    lines = []
    for line in text.splitlines():
        match = _PIN.match(line)
        lines.append(match[1] if match and "# held:" not in line else line)
    return "\n".join(lines) + "\n"


def repinned_from_text(text: str, versions: dict[str, str]) -> str:
    """Return a list with other versions of what it names; what has none is left out."""
    lines = []
    for line in text.splitlines():
        match = _PIN.match(line)
        if match is None:
            lines.append(line)
        elif plain(match[1]) in versions:
            lines.append(f"{match[1]}=={versions[plain(match[1])]}{match[3]}")
    return "\n".join(lines) + "\n"


def moves(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """Return what differs, a line for each package."""
    return [
        f"{name}: {before.get(name, 'none')} -> {after.get(name, 'none')}"
        for name in sorted(before.keys() | after.keys())
        if before.get(name) != after.get(name)
    ]


def repin(folder: Path, root: Path = ROOT) -> list[str]:
    """Write the versions resolved in a folder into the lists; return what moved."""
    resolved: dict[str, str] = {}
    for name in LISTS:
        resolved |= versions_from_text((folder / f"{name}.txt").read_text(encoding="utf-8"))
    asked: set[str] = set()
    before: dict[str, str] = {}
    for name in LISTS:
        path = root / f"{name}.in"
        text = path.read_text(encoding="utf-8")
        before |= versions_from_text(text)
        asked |= versions_from_text(text).keys()
        path.write_text(repinned_from_text(text, resolved), encoding="utf-8")
    path = root / "constraints.txt"
    text = path.read_text(encoding="utf-8")
    before |= versions_from_text(text)
    head = [line for line in text.splitlines() if line.startswith("#")]
    named = versions_from_text(text).keys()  # some are asked for by one list, and brought along in others
    brought = [
        f"{name}=={version}"
        for name, version in sorted(resolved.items())
        if name not in asked or name in named
    ]
    path.write_text("\n".join([*head, *brought]) + "\n", encoding="utf-8")
    return moves(before, resolved)


def main(words: list[str]) -> None:
    """Do what the first word says."""
    act, place = words[0], Path(words[1])
    if act == "unpinned":
        for name in LISTS:
            text = (ROOT / f"{name}.in").read_text(encoding="utf-8")
            (place / f"{name}.in").write_text(unpinned_from_text(text), encoding="utf-8")
    elif act == "repin":
        print("\n".join(repin(place)) or "Nothing moved.")
    elif act == "moved":
        locked = versions_from_text((ROOT / "requirements-dev.txt").read_text(encoding="utf-8"))
        found = versions_from_text(place.read_text(encoding="utf-8"))
        print(
            "\n".join(
                moves(
                    locked,
                    {name: found[name] for name in found.keys() & locked.keys()}
                    | {name: version for name, version in locked.items() if name not in found},
                )
            )
            or "Nothing moved."
        )
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
