"""Options of a part of a report in words, worked by hand."""

from privlab.figures.wording import options_in_words


def test_one_release_in_the_ledger_is_not_one_releases() -> None:
    said = options_in_words({"together_n": 1, "together_epsilon": 0.5})
    assert "releases of these people in the ledger: 1" in said
    assert "1 releases" not in said
