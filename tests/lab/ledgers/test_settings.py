"""What an operator has set wrongly is said, a sentence or two for each, when a server starts; what is right is passed over."""

import asyncio
import logging
from pathlib import Path

import pytest
import streamlit as st

from privlab.lab.ledgers import health_of_machine, wrong_settings
from privlab.ui.sessions import tidy


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRIVLAB_LEDGER", str(tmp_path / "ledger.sqlite"))
    monkeypatch.setenv("PRIVLAB_RUNS", str(tmp_path / "new" / "runs.sqlite"))
    monkeypatch.setenv("PRIVLAB_CACHE", str(tmp_path / "new" / "cache"))
    monkeypatch.setenv("PRIVLAB_DATA_DIRS", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def test_what_is_right_is_passed_over_and_nothing_is_made(place: Path) -> None:
    assert wrong_settings() == ()
    assert list(place.iterdir()) == []


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("LEDGER", "notes.txt", ("notes.txt", "Nothing is released until then", "PRIVLAB_LEDGER")),
        ("LEDGER", "notes.txt/ledger.sqlite", ("is no folder that can be written", "PRIVLAB_LEDGER")),
        ("LEDGER", "mysql://a@b/c", ("must be postgresql://", "PRIVLAB_LEDGER")),
        (
            "RUNS",
            "notes.txt",
            ("notes.txt", "not a database", "No game on a sample is played until then", "PRIVLAB_RUNS"),
        ),
        ("RUNS", "notes.txt/runs.sqlite", ("notes.txt is no folder that can be written", "PRIVLAB_RUNS")),
        ("CACHE", "notes.txt", ("notes.txt, which is no folder that can be written", "PRIVLAB_CACHE", "off")),
        ("CACHE", "notes.txt/cache", ("no folder that can be written", "PRIVLAB_CACHE", "off")),
        ("DATA_DIRS", "gone", ("PRIVLAB_DATA_DIRS names", "gone, and there is no such folder")),
    ],
)
def test_a_server_that_starts_says_what_is_set_wrong(
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    variable: str,
    value: str,
    words: tuple[str, ...],
) -> None:
    (place / "notes.txt").write_text("no ledger")
    monkeypatch.setenv(f"PRIVLAB_{variable}", value if "://" in value else str(place / value))

    async def start() -> None:
        async with tidy(st.App("privlab/ui/main.py")):
            pass

    with caplog.at_level(logging.WARNING):
        asyncio.run(start())
    (said,) = [record.getMessage() for record in caplog.records if record.name.startswith("privlab")]
    assert all(one in said for one in words), said
    assert (place / "notes.txt").read_text() == "no ledger"


def test_what_may_be_switched_off_is_no_wrong_place(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVLAB_CACHE", "off")
    assert wrong_settings() == ()


def test_health_tells_of_a_place_that_cannot_be_used(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "notes.txt").write_text("no runs")
    monkeypatch.setenv("PRIVLAB_RUNS", str(place / "notes.txt"))
    problems = health_of_machine().problems
    assert [one for one in problems if "PRIVLAB_RUNS names another file" in one]
    assert (place / "notes.txt").read_text() == "no runs"
