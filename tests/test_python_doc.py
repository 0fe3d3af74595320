"""The document on Python holds: its code runs in its order, and gives what the commands give."""

import importlib
import re
import shlex
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Answer, Run

TEXT = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
BOX = "box:37.7356,-122.444,37.797,-122.3663:10x10"


def test_the_three_flows_from_python_give_what_commands_print(
    cli: Run, answer: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in "".join(re.findall(r"```sh\n(.*?)```", TEXT, re.S)).splitlines():
        assert cli(*shlex.split(command.removeprefix("python -m privlab")))[0] == 0
    found: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", TEXT, re.S):
        with redirect_stdout(StringIO()):
            exec(compile(code, "docs/python.md", "exec"), found)
    assert found["curve"].optimal[3] == pytest.approx(0.707072, abs=5e-7)  # docs/science.md, section 2.3
    assert found["curve"].first_trips_above_claim == 3
    risk = answer("risk", "cabs.parquet", "--zones", BOX, "--threshold", 2, "--json")
    assert found["risks"].accuracy.mean() == pytest.approx(risk["mean"], abs=1e-12)
    assert [found["week"]] == risk["weeks"]
    small = ("--prior", "subset", "--group-size", 5, "--targets", 3, "--classifier", "lr", "--fresh")
    (row,) = answer("game", "cabs.parquet", "--zones", BOX, *small, "--json")["results"]
    assert found["summary"].overall.auc_mean == pytest.approx(row["auc_mean"], abs=1e-12)
    kgap = answer("kgap", "cabs.parquet", "--level", "1-30", "--k", "2,5", "--json")["levels"][0]["k"]["2"]
    assert found["study"].kgaps.of(2).mean() == pytest.approx(kgap["mean"], abs=1e-12)
    (gap,) = [one.k_gap for one in found["person"].levels if str(one.level) == "1-30"]
    assert gap == found["study"].kgaps.of(2).min()  # the person is the one who is easiest to hide there


def test_what_no_command_prints_comes_through_doors() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ") and "` in `" in line]
    assert len(rows) >= 5
    for row in rows:
        *names, door = re.findall(r"`([\w.]+)`", row)
        assert set(names) <= set(importlib.import_module(door).__all__), row
