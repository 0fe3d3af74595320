"""The house as it is: packages, their rooms, and who takes how much from whom, drawn from the imports.

`python -m bench.architecture` writes docs/images/architecture.svg and prints files per room. A test keeps the picture
up to date.
"""

import ast
import textwrap
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "images" / "architecture.svg"

# From the top down, as in tests/test_layers.py.
FLOORS = (
    ("pages",),
    ("ui", "cli"),
    ("lab",),
    ("reports",),
    ("figures",),
    ("releases",),
    ("kept",),
    ("od", "aggregates", "fingerprints"),
    ("datasets", "dp", "controls"),
)
WORDS = {
    "pages": "one thin file per page",
    "ui": "the pages' own parts (Streamlit)",
    "cli": "the command line (Typer)",
    "lab": "use cases: load, plan, play, hide, publish, collect",
    "reports": "plans of reports, exhibits, documents",
    "figures": "figures, maps, sentences",
    "releases": "ledger, certificate, files, verification",
    "kept": "what lasts on disk",
    "od": "flow A: trips, releases, attack",
    "aggregates": "flow B: groups and the game",
    "fingerprints": "flow C: k-gap and its remedy",
    "datasets": "files → records → zones",
    "dp": "noise and what it promises",
    "controls": "data without one of their properties",
}
WIDTH, BOX, GAP, MARGIN = 1120, 98, 36, 20


def packages() -> dict[str, list[Path]]:
    """Return the files of every package, `pages` included."""
    found = {
        path.parent.name: sorted(path.parent.rglob("*.py")) for path in ROOT.glob("privlab/*/__init__.py")
    }
    return found | {"pages": sorted(ROOT.glob("pages/*.py"))}


def rooms() -> dict[str, list[Path]]:
    """Return the files of every room, front doors not counted."""
    doors = [ROOT / "privlab" / "__init__.py", *sorted(ROOT.glob("privlab/**/__init__.py"))]
    return {
        ".".join(door.parent.relative_to(ROOT).parts): [
            one for one in sorted(door.parent.glob("*.py")) if one != door
        ]
        for door in doors
    }


def names_taken() -> Counter[tuple[str, str]]:
    """Return how many names the files of one package take from another, by (who, from whom)."""
    taken: Counter[tuple[str, str]] = Counter()
    for package, files in packages().items():
        for file in files:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("privlab."):
                    other = str(node.module).split(".")[1]
                    if other != package and other in WORDS:
                        taken[package, other] += len(node.names)
    return taken


def picture() -> str:
    """Return the house as SVG: a box per package with its rooms, a line where one takes names from another."""
    places: dict[str, tuple[float, float, float]] = {}
    for floor, names in enumerate(FLOORS):
        width = (WIDTH - 2 * MARGIN - (len(names) - 1) * 24) / len(names)
        width = min(width, 520.0)
        start = (WIDTH - len(names) * width - (len(names) - 1) * 24) / 2
        for n, name in enumerate(names):
            places[name] = (start + n * (width + 24), MARGIN + floor * (BOX + GAP), width)
    height = 2 * MARGIN + len(FLOORS) * (BOX + GAP) - GAP
    lines, boxes = [], []
    for (upper, lower), number in sorted(names_taken().items(), key=lambda item: item[1]):
        (x, y, w), (u, v, t) = places[upper], places[lower]
        if y >= v:
            continue
        share = 0.5 + 0.36 * ((u + t / 2) - (x + w / 2)) / WIDTH
        start, end = x + w * share, u + t * (1 - share)
        middle = (y + BOX + v) / 2
        lines.append(
            f'<path d="M{start:.0f} {y + BOX} C{start:.0f} {middle:.0f} {end:.0f} {middle:.0f} {end:.0f} {v}" '
            f'stroke-width="{0.6 + number**0.5 / 2.2:.1f}"><title>{upper} takes {number} names from {lower}</title></path>'
        )
    for name, (x, y, width) in places.items():
        files = packages()[name]
        inner = [room.rpartition(".")[2] for room in rooms() if room.startswith(f"privlab.{name}.")]
        boxes.append(f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="6"/>')
        texts = [
            f'<tspan class="name">{name}</tspan> · {len(files)} files',
            WORDS[name],
            *textwrap.wrap(", ".join(inner), int(width / 6.9)),
        ]
        for row, text in enumerate(texts):
            style = "" if row < 2 else ' class="rooms"'
            boxes.append(f'<text x="{x + 14:.0f}" y="{y + 25 + 20 * row}"{style}>{text}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-label="The packages of privlab from pages at the top to datasets and noise at the bottom">\n'
        "<style>svg{background:#fff;font:15px system-ui,sans-serif}rect{fill:#f4f7fb;stroke:#33475b}"
        "path{fill:none;stroke:#6b7f95;opacity:.42}text{fill:#1c2733}.name{font-weight:700}"
        ".rooms{font-size:13px;fill:#4a5b6c}</style>\n" + "\n".join([*lines, *boxes]) + "\n</svg>\n"
    )


def main() -> None:
    PICTURE.write_text(picture(), encoding="utf-8")
    for room, files in rooms().items():
        longest = max((len(file.read_text(encoding="utf-8").splitlines()) for file in files), default=0)
        print(f"{room:36} {len(files):3} files, longest {longest} lines")


if __name__ == "__main__":
    main()
