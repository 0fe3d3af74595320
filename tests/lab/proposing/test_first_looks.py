"""Whose first look is taken in a process of its own: large workbooks, which are held whole in memory for it, and no others."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError
from privlab.datasets.previews import outlook_from_path, preview_from_path, quick_counts
from privlab.datasets.processes import READY
from privlab.lab.proposing import first_look, first_looks
from privlab.progress import Progress
from privlab.ui.data import column_controls
from privlab.ui.work.heavy_work import apart
from tests.datasets.files_by_hand import workbook, zipped

ROWS = [[f"p{person}", "2026-03-02 06:00", person] for person in range(300)]
BOOK = workbook({"Taps": [["user", "time", "zone"], *ROWS]})  # some 50 kB unpacked
AS_CSV = "\n".join(["user,time,zone", *(f"{who},{when},{where}" for who, when, where in ROWS)]).encode()
MOST = 20_000

FILES = {
    "taps.xlsx": (BOOK, True),
    "small.xlsx": (workbook({"Taps": [["user", "time", "zone"], *ROWS[:2]]}), False),
    "no suffix": (BOOK, True),
    "of a book.zip": (zipped({"taps.xlsx": BOOK}), True),
    "of a table.zip": (zipped({"taps.csv": AS_CSV * 10}), False),
    "taps.csv": (AS_CSV * 10, False),
    "half.xlsx": (BOOK[: len(BOOK) // 2], False),
    "nothing.csv": (b"", False),
}


@pytest.mark.parametrize("name", FILES)
def test_large_workbooks_are_looked_at_apart_by_hand(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(first_looks, "_LOOKED_AT_APART_BYTES", MOST)
    content, is_apart = FILES[name]
    path = tmp_path / "folder" / name
    path.parent.mkdir()
    path.write_bytes(content)
    for one in (path, path.parent):
        assert first_looks.holds_large_workbook(one) is is_apart


def test_of_a_large_workbook_a_page_shows_the_same_and_opens_it_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "taps.xlsx", list[Any]()
    path.write_bytes(BOOK)

    def elsewhere(work: Callable[..., Any], *things: Any, **named: Any) -> Callable[[Progress], Any]:
        asked.append(things)
        return apart(work, *things, **named)

    monkeypatch.setattr(column_controls, "apart", elsewhere)
    preview = column_controls._preview.__wrapped__
    here = preview("a", path, "auto", None, None)
    assert not asked  # a small one
    monkeypatch.setattr(first_looks, "_LOOKED_AT_APART_BYTES", MOST)
    assert preview("a", path, "auto", None, None) == here == preview_from_path(path)
    assert asked == [(preview_from_path, path)]


def _process(path: Path) -> int:
    return os.getpid()


def _refusing(path: Path) -> None:
    raise DataError(f"{path.name} holds no table.")


def test_a_first_look_apart_is_taken_in_another_process_and_refuses_in_the_same_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "taps.xlsx"
    path.write_bytes(BOOK)
    READY.keep(bool)
    try:
        assert first_look(_process, path, of=(path,), apart=apart) == os.getpid()
        monkeypatch.setattr(first_looks, "_LOOKED_AT_APART_BYTES", MOST)
        assert first_look(_process, path, of=(path,), apart=apart) != os.getpid()
        with pytest.raises(DataError, match=r"^taps\.xlsx holds no table\.$"):
            first_look(_refusing, path, of=(path,), apart=apart)
    finally:
        READY.end()


def test_no_workbook_is_opened_to_say_that_its_rows_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "taps.xlsx"
    path.write_bytes(BOOK)
    monkeypatch.setattr(quick_counts, "source_of_path", None)  # calling it fails
    assert outlook_from_path(path, preview_from_path(path).mapping, format="auto") is None
