"""Ids from files as text: what spreadsheets and maps may be given, as properties."""

import csv
import io
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privlab.safe_text import (
    MOST_CHARACTERS,
    cell_text,
    csv_text,
    file_word,
    label,
    visible,
)

NASTY = st.text(st.sampled_from("=+-@' \t\r\n\x00\x7f\u202e\ud800ab,;\"＝#"), max_size=8) | st.text(
    max_size=300
)


@given(NASTY)
def test_visible_text_hides_nothing(text):
    seen = visible(text)
    assert len(seen) == len(text)
    assert all(
        unicodedata.category(c)[0] != "C" and unicodedata.category(c) not in ("Zl", "Zp") for c in seen
    )
    if text.isprintable():
        assert seen == text
    assert len(label(text)) <= MOST_CHARACTERS


@given(NASTY)
def test_no_cell_is_a_formula_and_one_quote_gives_it_back(text):
    cell = csv_text(text)
    assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠"))
    if ";" not in text:
        assert (cell[1:] if cell.startswith("'") else cell) == visible(text)
    written = io.StringIO()
    csv.writer(written).writerow([cell, "next"])
    assert written.getvalue().count("\n") == 1
    assert next(csv.reader([written.getvalue()])) == [cell, "next"]


_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


@given(st.lists(NASTY | st.text("=+-@'\"; a", max_size=9), min_size=1, max_size=3))
def test_no_cell_is_a_formula_where_spreadsheets_part_cells_at_semicolons(texts):
    """In half of Europe a comma stands in numbers, so that a file with commas between its cells is parted at each semicolon."""
    cells = [csv_text(text) for text in texts]
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow(cells)
    for part in [
        *written.getvalue().split(";")[1:],
        *next(csv.reader([written.getvalue()], delimiter=";"))[1:],
    ]:
        assert not part.lstrip(' "').startswith(_STARTS)
    for text, cell in zip(texts, cells, strict=True):
        given_back = re.sub("(^\\s*|;[\\s\"]*)'", r"\1", cell)
        assert given_back == visible(text)


@given(NASTY | st.text("=+-@0123456789.,e% '", max_size=8))
def test_no_cell_of_a_table_is_a_formula_but_numbers_are_numbers(text):
    cell = cell_text(text)
    if cell.lstrip().startswith(("=", "+", "-", "@", "＝", "＋", "－", "＠")):
        assert float(cell.replace(",", "").rstrip("% ")) is not None


@pytest.mark.parametrize("text", ["-7.5", "+1,234.5", "-0.3%", "-1e-05", "7", "-10"])
def test_numbers_stay_as_they_are_in_cells(text):
    assert cell_text(text) == text


@given(NASTY)
def test_file_words_are_one_safe_word(text):
    word = file_word(text)
    assert word
    assert all(c.isalnum() or c in "._-" for c in word)
    assert word[0] not in ".-"
    assert len(word.encode()) <= 120


@pytest.mark.parametrize("letter", ["x", "ü", "東", "𝔘"])  # of one to four bytes
def test_a_long_title_is_a_name_that_a_file_system_takes(letter, tmp_path):
    path = tmp_path / f"INTERNAL_01_{file_word(letter * 20_000)}_2026-03-02_to_2026-12-28.png"
    path.write_bytes(b"")
    assert path.name.startswith(f"INTERNAL_01_{letter * 30}")
