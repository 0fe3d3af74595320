"""What a table shows where it has no number, and on which side its figures stand."""

import json

from streamlit.testing.v1 import AppTest


def _page() -> None:
    from privlab.ui.shell.parts import columns_table, table

    table(
        [{"person": 1, "others": 3, "never": None}, {"person": 2, "others": None, "never": None}], key="some"
    )
    columns_table({"others": [3.0, None]}, key="more", config={}, file_name="more.csv")


def test_what_is_not_known_is_a_dash_and_no_word_of_a_program() -> None:
    at = AppTest.from_function(_page, default_timeout=900).run()
    assert not at.exception
    assert [table.proto.placeholder for table in at.dataframe] == ["–", "–"]
    assert list(at.dataframe[0].value.columns) == [
        "person",
        "others",
    ]  # of what nothing is known there is no column


def _shares() -> None:
    from privlab.ui.shell.parts import table

    table([{"level": "0.1-1", "known": "more than 99.9%"}, {"level": "1-30", "known": "66.6%"}], key="some")


def test_a_share_that_is_almost_all_stands_on_the_right_as_others_do() -> None:
    at = AppTest.from_function(_shares, default_timeout=900).run()
    assert not at.exception
    assert json.loads(at.dataframe[0].proto.columns)["known"]["alignment"] == "right"


def _printed() -> None:
    from privlab.ui.shell.parts import printed_table

    printed_table(
        [{"unit": "trip", "ε": "0.2", "δ": "none"}, {"unit": "week", "ε": "1", "δ": "0"}], key="rows"
    )
    printed_table({"accuracy": ["best"], "k = 1": ["64.05%"], "k = 2": ["–"], "k = 3": ["2"]}, key="columns")


def _narrow() -> None:
    from privlab.ui.shell.parts import printed_table

    printed_table([{"person": "A", "first sample": "2.1 km E, 3.4 km N, 8:12"}], key="short")
    printed_table([{"unit": "user-week: all that a person does in a week", "ε": "1"}], key="long")


def test_what_a_row_is_has_as_much_room_as_it_needs_and_no_more_than_eight_letters_m() -> None:
    """Of people A, B and C a column of 8 letters m took the room of all others on a telephone, and the last was cut off. Half an m a letter."""
    at = AppTest.from_function(_narrow, default_timeout=900).run()
    assert not at.exception
    short, long = (one.proto.body for one in at.get("html"))
    assert "min-width: min(3rem, " in short  # of "person"
    assert "min-width: min(8rem, " in long


def test_figures_of_a_printed_table_stand_on_the_right_and_words_on_the_left() -> None:
    at = AppTest.from_function(_printed, default_timeout=900).run()
    assert not at.exception
    rows, columns = (one.proto.body for one in at.get("html"))
    assert [f"nth-child({place}) {{ text-align: right" in rows for place in (1, 2, 3)] == [False, True, False]
    assert [f"nth-child({place}) {{ text-align: right" in columns for place in (1, 2, 3, 4)] == [
        False,
        True,
        False,
        True,
    ]
