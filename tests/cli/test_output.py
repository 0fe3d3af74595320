"""What commands print to be read: rows of a table that do not all have the same columns, parts within parts, lists."""

import io
import json
import os
import subprocess
import sys

import pytest

from privlab.cli.main import run
from privlab.cli.printing.output import show


def test_each_figure_stands_under_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    show(
        {"rows": [{"size": 3, "auc": 0.5}, {"size": 3, "balance": "0.1", "auc": 0.25}, {"auc": 1}]},
        as_json=False,
    )
    title, *lines = capsys.readouterr().out.splitlines()
    assert title == "rows:"
    header, *rows = [line.split("\t") for line in lines]
    assert [dict(zip(header, row, strict=True)) for row in rows] == [
        {"size": "3", "auc": "0.5", "balance": "–"},
        {"size": "3", "auc": "0.25", "balance": "0.1"},
        {"size": "–", "auc": "1", "balance": "–"},
    ]


def test_parts_within_parts_and_lists_are_no_program_text(capsys: pytest.CaptureFixture[str]) -> None:
    show(
        {
            "promise": {"trip": {"epsilon": 0.25, "delta": None}, "user": None, "nobody": {}},
            "weeks": ["2026-03-02", "2026-03-09"],
            "rows": [{"k": [2, 0.5], "of": {"low": 0.125, "high": None}}],
            "notes": ["Two words."],
        },
        as_json=False,
    )
    assert capsys.readouterr().out.splitlines() == [
        "promise:",
        "  trip:",
        "    epsilon: 0.25",
        "    delta: –",
        "  user: –",
        "  nobody: –",
        "weeks: 2026-03-02, 2026-03-09",
        "rows:",
        "k\tof",
        "2, 0.5\tlow: 0.125, high: –",
        "notes:",
        "  Two words.",
    ]


class _Terminal(io.BytesIO):
    def isatty(self) -> bool:
        return True


def _written(monkeypatch: pytest.MonkeyPatch, to: io.BytesIO) -> bytes:
    """Return what the list of commands is, written where the system's own encoding has no ε, as it often is on Windows."""
    stream = io.TextIOWrapper(to, encoding="cp1252")
    monkeypatch.delenv("PYTHONIOENCODING", raising=False)
    monkeypatch.setattr(sys, "argv", ["privlab", "--help"])
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as ended:
        run()
    stream.flush()
    assert not ended.value.code
    return to.getvalue()


def test_a_file_or_pipe_gets_utf_8_where_the_system_has_no_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ε" in _written(monkeypatch, io.BytesIO()).decode("utf-8")


def test_a_terminal_without_epsilon_gets_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\\u03b5" in _written(monkeypatch, _Terminal()).decode("cp1252")


def test_who_asks_for_an_encoding_gets_it_and_signs_that_it_lacks_by_their_numbers() -> None:
    command = [sys.executable, "-m", "privlab", "practice", "--json"]
    asked = {**os.environ, "PYTHONIOENCODING": "cp1252"}
    ended = subprocess.run(command, env=asked, capture_output=True, timeout=600, check=False)
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert "ε" in json.loads(ended.stdout.decode("cp1252"))["says"]
