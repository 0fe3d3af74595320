"""What a table shows where it has no number."""

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
