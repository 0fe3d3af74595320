"""The line on a terminal while a command reads and counts: what it says by hand, and that it is gone before anything else is said."""

import fcntl
import os
import pty
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from privlab.cli.printing import progress_lines
from privlab.cli.printing.progress_lines import lines_of_steps, terminal_line
from tests.command_line import Run

GONE = f"\r{'':<79}\r"
WEEK = "2010-03-01"
SAMPLES = Path(__file__).parents[2] / "sample_data"
HERE, PHONES = SAMPLES / "commuters.parquet", SAMPLES / "subscribers.parquet"
Clock = Callable[[float], None]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Clock:
    """Standard error is a terminal, and the time is what the test says."""
    now = [0.0]
    monkeypatch.setattr(progress_lines.time, "monotonic", lambda: now[0])
    # However long a busy machine takes between two lines of a test.
    monkeypatch.setattr(progress_lines, "_LOOK_S", 3600.0)
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda stream: True)  # of every capture of this test
    return lambda second: now.__setitem__(0, second)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard error is a terminal, and nothing is so quick that nothing is said of it."""
    monkeypatch.setattr(type(sys.stderr), "isatty", lambda stream: True)  # of every capture of this test
    monkeypatch.setattr(progress_lines, "_QUICK_S", 0.0)


def shown(line: str) -> str:
    return f"\r{line:<79}"


def test_steps_are_told_with_the_time_left_and_the_line_goes_at_the_end(
    clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    """A fifth is done after 10 s: four fifths are left, 40 s. Of the first seconds nothing is said."""
    with lines_of_steps() as progress:
        clock(1.0)
        progress.tell(0.1, "Looking the file over")
        clock(10.0)
        progress.tell(0.2, "Reading the rows")
        clock(30.0)
        progress.part(0.5, 1.0).tell(0.2)
    assert capsys.readouterr().err == (
        shown("Reading the rows: 20%, 40 s left") + shown("Reading the rows: 60%, 20 s left") + GONE
    )


def test_while_a_step_goes_on_its_share_is_asked_for(
    clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half of a step, which is taken for a fifth of the work: 20% and 10% after 30 s, so 70 s are left. It never goes back."""
    monkeypatch.setattr(progress_lines, "_LOOK_S", 0.01)
    inside, written = [0.0], ""
    with lines_of_steps(lambda: inside[0]) as progress:
        progress.tell(0.2, "Reading the rows")
        inside[0] = 0.5
        clock(30.0)
        while shown("Reading the rows: 30%, 70 s left") not in written:
            time.sleep(0.01)
            written += capsys.readouterr().err
        inside[0] = 0.0
        capsys.readouterr()
        while not written.endswith(shown("Reading the rows: 30%, 70 s left") * 2):
            time.sleep(0.01)
            written += capsys.readouterr().err
    assert "20%" not in written.partition("30%")[2]


def test_a_refusal_begins_a_line_of_its_own(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    def refused() -> None:
        with lines_of_steps() as progress:
            clock(10.0)
            progress.tell(0.5, "Reading the rows")
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        refused()
    assert capsys.readouterr().err == shown("Reading the rows: 50%, 10 s left") + GONE


@pytest.mark.parametrize(("columns", "room"), [(40, 39), (200, 199), (0, 79)])
@pytest.mark.parametrize("progress_of", ["steps", "lines", "a line of its own"])
def test_a_line_is_rewritten_in_one_row_of_a_terminal(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, columns: int, room: int, progress_of: str
) -> None:
    """What reaches the last column goes on in the row below, where the next line would be written and the first one stay."""
    words = "Counting each trip once per user and week"  # 41 letters
    asked, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with os.fdopen(terminal, "w") as stream, os.fdopen(asked, "rb", buffering=0) as seen:
        monkeypatch.setattr(sys, "stderr", stream)
        if progress_of == "steps":
            with lines_of_steps() as progress:
                clock(10.0)
                progress.tell(0.5, words)
        else:
            of_lines = progress_lines.progress_lines()
            progress = of_lines if progress_of == "lines" else terminal_line(lambda _, words: words)
            clock(10.0)
            progress.tell(0.5, words)
        stream.flush()
        _, *rows = seen.read(4096).decode().split("\r")
    assert rows[0].startswith(words[:room])
    assert {len(row) for row in rows if row} == {room}


def test_nothing_is_written_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    assert not sys.stderr.isatty()
    with lines_of_steps() as progress:
        progress.tell(0.5, "Reading the rows")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("words", "counting"),
    [
        (("describe", HERE), "Looking for what is odd"),
        (("describe", HERE, "--zones", "column"), "Counting each trip once per user and week"),
        (("od", HERE, "--zones", "column", "--out", "OUT"), "Counting each trip once per user and week"),
        (("risk", HERE, "--zones", "column"), "Putting users and trips in random order"),
        (("judge", HERE, "--zones", "column"), "Putting users and trips in random order"),
        (
            ("plan", "WORLD", "--zone-positions", "PLACES", "--epsilon", 1),
            "Putting users and trips in random order",
        ),
        (("recover", PHONES, "--zones", "grid:10000", "--users", 20), "Finding who is where in every hour"),
        (
            (
                "game",
                PHONES,
                "--zones",
                "grid:10000",
                "--fresh",
                "--targets",
                1,
                "--train-groups",
                20,
                "--test-groups",
                20,
            ),
            "Finding who is where in every hour",
        ),
    ],
)
def test_commands_say_how_far_they_are(
    slow: None, cli: Run, world_csv: Path, tmp_path: Path, words: tuple[object, ...], counting: str
) -> None:
    """Twenty million rows of text took a minute in which nothing was said."""
    places = tmp_path / "places.csv"
    places.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    named = {"OUT": tmp_path / "out", "WORLD": world_csv, "PLACES": places}
    code, _, err = cli(*(named.get(str(one), one) for one in words))
    assert code == 0
    assert "\rReading the rows: " in err
    assert f"\r{counting}" in err
    assert "game" in words or err.endswith(GONE)  # a game goes on with lines of its own


@pytest.mark.parametrize("preview", [False, True])
def test_a_release_says_how_far_it_is_and_its_refusal_stands_alone(
    slow: None, cli: Run, tmp_path: Path, preview: bool
) -> None:
    """A preview, which is not refused, reads and counts as much."""
    code, _, err = cli(
        "release", HERE, "--zones", "column", "--ids", "text", "--cells", "discovered", "--epsilon", 1,
        "--max-trips-per-user", 2, "--threshold", 99_999, "--week", WEEK, "--out", tmp_path / "out",
        "--ledger", tmp_path / "ledger.sqlite", *(["--preview"] if preview else []),
    )  # fmt: skip
    assert code == (0 if preview else 2)
    assert "\rReading the rows: " in err
    after = err.rpartition(GONE)[2]
    assert after == "" if preview else after.startswith("The release would be empty")
