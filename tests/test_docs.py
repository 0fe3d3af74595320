"""The documentation holds: its commands run, its limits are the code's, its links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from privlab import limits
from tests.command_line import Run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^python -m privlab (.+)$", README, re.M)
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)


def test_readme_commands_run_in_their_order(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(COMMANDS) >= 6
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gps.csv").write_text(
        "phone,time,lat,lon\n1,3/2/2026 8:10,45.0,-30.0\n1,3/2/2026 9:10,45.05,-30.0\n2,3/13/2026 9:10,45.05,-30.0\n"
    )
    for command in COMMANDS:
        small = command.replace(
            "--users 200000", "--users 2000"
        )  # so few cannot be had as safe and as useful
        words = shlex.split(
            small.replace("--max-accuracy 0.6 --min-utility 0.8", "--max-accuracy 0.95 --min-utility 0.1")
        )
        code, _, err = cli(*words)
        assert code == 0, (command, err)


def test_every_limit_is_documented_with_its_value() -> None:
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+`) \| ([^|]+) \|", text, re.M)
    documented = {
        name: float(value.replace(",", ""))
        for names, values in rows
        for name, value in zip(re.findall(r"`(\w+)`", names), values.split(", "), strict=True)
    }
    actual = {name: float(value) for name, value in vars(limits).items() if name.isupper()}
    assert documented == actual


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_makefile_has_the_two_commands() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in ("run", "test", "lint", "bench"):
        assert re.search(rf"^{target}:", makefile, re.M)
        assert (
            f"make {target}" in README + (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
            or target == "bench"
        )
