"""What is recognised quickly is what the slow definitions say: lines, published layouts, delimiters."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from privlab.datasets.layouts.file_form import DELIMITERS
from privlab.datasets.layouts.known_layouts import _agreeing
from privlab.datasets.layouts.layouts import _delimiter, _fit, layout_from_head

PIECES = st.sampled_from(["a", "b c", "1.5", '"', '"x,y"', "\r", "\n", "\r\n", "", " ", *DELIMITERS])


@given(st.lists(st.booleans(), max_size=30))
def test_enough_lines_agree_against_their_share(holds: list[bool]) -> None:
    expected = bool(holds) and sum(holds) >= 0.8 * len(holds)
    lines = [str(number) for number in range(len(holds))]
    assert _agreeing(lines, lambda line: holds[int(line)]) == expected


@given(st.lists(PIECES, max_size=60).map("".join))
def test_the_delimiter_is_the_one_that_fits_best_of_all(body: str) -> None:
    assert _delimiter(body) == max(DELIMITERS, key=lambda one: _fit(body, one))


@given(
    st.lists(st.sampled_from(["ab", "c", "\r", "\n", "\r\n", "\x0b", "\x85", "\u2028"]), max_size=30).map(
        "".join
    )
)
def test_lines_end_where_files_end_them_and_nowhere_else(text: str) -> None:
    head = f"user,time,zone\n{text}\nu,2026-03-02 08:00,1\n"
    layout = layout_from_head(head.encode(), Path("a.csv"))
    lines = re.split(r"\r\n|\r|\n", text)
    assert [row[0].strip() for row in layout.rows if len(row) == 1] == [
        line.strip() for line in lines if line.strip()
    ]
