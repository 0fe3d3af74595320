"""Tables have room for what stands in them, and chances on Attack are never said to be certain."""

import json
import textwrap
from typing import Any

from streamlit.testing.v1 import AppTest

from privlab.ui.state import sample_job
from tests.pages.test_all_pages import opened, until

# Of the type of tables, 14 pixels high: a letter is 6 wide on average, a line 19 high, and a cell has so much beside what is written.
LETTER_PX, LINE_PX, BESIDE_PX = 6, 19, 16
WRAPS_PX = 64  # streamlit writes more lines than one in rows that are higher than 4 rem


def at_rest(page: str, **address: str) -> AppTest:
    sample_job(address["data"]).result(timeout=900)
    return until(opened(page, **address), lambda at: bool(at.get("plotly_chart")))


def with_column(at: AppTest, name: str) -> tuple[Any, dict[str, Any]]:
    """Return the table that has a column of this name, and how its columns are shown."""
    (found,) = (one for one in at.dataframe if name in one.value.columns)
    return found, json.loads(found.proto.columns)


def lines_of(text: str, width: int) -> int:
    return len(textwrap.wrap(text, (width - BESIDE_PX) // LETTER_PX))


def test_what_others_promised_has_room_for_whom_it_protects_and_how() -> None:
    found, shown = with_column(at_rest("attack", data="city"), "limit on a person")
    height = found.proto.row_height
    assert height > WRAPS_PX
    for name in ("who", "protects", "limit on a person"):
        for text in found.value[name]:
            assert lines_of(text, shown[name]["width"]) * LINE_PX <= height, text
    assert (
        sum(shown[name]["width"] for name in ("who", "ε", "protects", "limit on a person")) <= 820
    )  # a page of 1280


def test_the_frontier_in_numbers_has_room_for_all_that_a_release_misses() -> None:
    """Of the cabs no release is accepted: the worst is too risky, too certain and of too little use."""
    found, shown = with_column(at_rest("plan", data="cabs"), "verdict")
    assert max(found.value["verdict"].str.count(" and ")) == 2
    for verdict in found.value["verdict"]:
        assert lines_of(verdict, shown["verdict"]["width"]) == 1


def test_no_attack_on_noise_is_certain_however_many_weeks() -> None:
    """With 32 trips in each of 52 weeks it is right but for less than a float can tell from 1."""
    told = {one.label: one.value for one in at_rest("attack", data="city", k="32").metric}
    assert told["guessed right after 52 weeks, k = 32 (a coin: 50%)"] == "> 99.99%"
    assert told["more than 95% certain after 52 weeks, someone who is in"] == "> 99.99%"
    assert "100.00%" not in told.values()
