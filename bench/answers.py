"""What every command of docs/commands.md answers, in one file: `--out FILE` records it, `--compare FILE` says what has changed.

For changes that may move files but no number. Commands run one after the other in a fresh folder, each in a
process of its own, on small data. Left out is what hangs on the time, and what secure noise draws.
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SMALL = {
    "--users 200000": "--users 2000",  # so few cannot be had as safe and as useful:
    "--max-accuracy 0.6 --min-utility 0.8": "--max-accuracy 0.95 --min-utility 0.1",
}
GPS = "phone,time,lat,lon\n1,3/2/2026 8:10,45.0,-30.0\n1,3/2/2026 9:10,45.05,-30.0\n2,3/13/2026 9:10,45.05,-30.0\n"
# Beyond these: other noise, bounds, priors and defences on the files that its commands leave behind.
MORE = (
    "describe gps.csv --zones grid:1000 --column user_id=phone --time-format '%m/%d/%Y %H:%M'",
    "attack-curve --epsilon 1 --max-trips 30 --noise integer",
    "cell-attack --epsilon 0.66 --threshold 100 --counts 1000,99,95 --noise integer",
    "guarantee --epsilon 1 --max-trips-per-user 5 --cells discovered --threshold 20 --noise laplace",
    "risk city.parquet --zones column --epsilon 1 --threshold 5 --max-trips-per-user 5 --noise integer --users 200",
    "od city.parquet --epsilon 1 --threshold 5 --group-size 500 --noise integer --out small_group",
    "game cabs.parquet --zones box:37.7356,-122.444,37.797,-122.3663:10x10 --prior same-groups --group-size 5 "
    "--targets 2 --classifier lr,knn",
    "game cabs.parquet --zones box:37.7356,-122.444,37.797,-122.3663:10x10 --defence lpa,gaussian --epsilon 1 "
    "--group-size 20 --targets 2 --classifier lr",
)
# Names of fields that hang on the time or on secure noise: everywhere, and in what some commands answer.
TIMED = {"seconds", "made", "keyed_digest", "data", "published_cells", "published_total", "release.csv"}
TIMED |= {"signature", "release.parquet", "made_up_cells_expected_at_most"}
DRAWN = {"audit": {"epsilon_lower", "event", "seen_with", "seen_without", "counted"}}
UNLIKE = re.compile(
    r"(ledger|runs)\.sqlite|published/release\.(csv|parquet)|report\.html"
)  # files that differ every time


def commands_in(page: Path) -> list[str]:
    """Return what a page tells to run, line by line, without `python -m privlab`."""
    return re.findall(r"^python -m privlab (.+)$", page.read_text(encoding="utf-8"), re.M)


def commands() -> list[str]:
    """Return the commands of docs/commands.md in an order in which they run, without `python -m privlab`, on small data."""
    found = commands_in(ROOT / "docs" / "commands.md")
    for large, small in SMALL.items():
        found = [command.replace(large, small) for command in found]
    # Of so few people nothing reaches the threshold.
    return [
        f'{command} --accept-made-up "small data"' if command.startswith("release ") else command
        for command in found
    ]


def leaves(value: Any, left_out: set[str], path: str = "") -> dict[str, Any]:
    """Return the single values of a JSON value by their paths, `guarantees.user.epsilon`."""
    if isinstance(value, dict):
        inner = [(str(key), part) for key, part in value.items() if key not in left_out]
    elif isinstance(value, list):
        inner = [(str(place), part) for place, part in enumerate(value)]
    else:
        return {path: value}
    return {
        name: leaf
        for key, part in inner
        for name, leaf in leaves(part, left_out, f"{path}.{key}" if path else key).items()
    } or {path: "empty"}


def answer_of(command: str, folder: Path) -> dict[str, Any]:
    """Run one command and return its exit code and its answer, value by value."""
    words = shlex.split(command)
    if words[0] != "generate" and "--json" not in words:
        words.append("--json")
    own = {"PRIVLAB_LEDGER": str(folder / "ledger.sqlite"), "PRIVLAB_RUNS": str(folder / "runs.sqlite")}
    ran = subprocess.run(
        [sys.executable, "-m", "privlab", *words],
        cwd=folder, env=os.environ | own | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    printed = ran.stdout.strip()
    if printed.startswith("{"):
        answer = leaves(json.loads(printed), TIMED | DRAWN.get(words[0], set()))
    else:
        answer = {f"line {place}": line for place, line in enumerate(printed.splitlines())}
    errors = ran.stderr.strip() if ran.returncode else ""  # else it is progress, with times
    return {"exit code": ran.returncode, "errors": errors, **answer}


def content_of(path: Path) -> dict[str, Any]:
    """Return what a file holds: a JSON file value by value, any other as its digest."""
    if path.suffix == ".json":
        return leaves(json.loads(path.read_text(encoding="utf-8")), TIMED)
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def recorded() -> dict[str, dict[str, dict[str, Any]]]:
    """Run all commands and return what they answered and which files they left."""
    with tempfile.TemporaryDirectory(prefix="answers-") as name:
        folder = Path(name)
        (folder / "gps.csv").write_text(GPS, encoding="utf-8")
        answers = {}
        for command in [*commands(), *MORE]:
            print(command, file=sys.stderr)
            answers[command] = answer_of(command, folder)
        files = {
            str(path.relative_to(folder)): content_of(path)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and not UNLIKE.search(str(path.relative_to(folder)))
        }
    return {"answers": answers, "files": files}


def differences(before: dict[str, dict[str, Any]], now: dict[str, dict[str, Any]]) -> list[str]:
    """Return one line for every value that has changed, come or gone, in what both records hold."""
    found = [f"{name}: gone" for name in before.keys() - now.keys()]
    for name in before.keys() & now.keys():
        old, new = before[name], now[name]
        found += [
            f"{name}: {path}: {old.get(path, 'nothing')!r} → {new.get(path, 'nothing')!r}"
            for path in {**old, **new}
            if path not in old or path not in new or old[path] != new[path]
        ]
    return sorted(found)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, help="file to write the record to")
    options.add_argument("--compare", type=Path, help="an earlier record")
    chosen = options.parse_args()
    if chosen.out is None and chosen.compare is None:
        options.error("name a file with --out or --compare")
    now = recorded()
    if chosen.out is not None:
        chosen.out.write_text(json.dumps(now, indent=1, ensure_ascii=False), encoding="utf-8")
    print(f"{len(now['answers'])} commands, {len(now['files'])} files", end="")
    print(f", {sum(len(one) for kind in now.values() for one in kind.values()):,} values")
    if chosen.compare is None:
        return 0
    before = json.loads(chosen.compare.read_text(encoding="utf-8"))
    found = [line for kind in ("answers", "files") for line in differences(before[kind], now[kind])]
    print("\n".join(found) or "no difference")
    for kind in ("answers", "files"):
        print(
            "".join(f"new, not compared: {name}\n" for name in now[kind].keys() - before[kind].keys()), end=""
        )
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
