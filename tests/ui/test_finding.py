"""What of a page's finding is large: whole sentences as far as they are short, at least one."""

from privlab.ui.shell.parts import _parted


def test_a_short_finding_is_large_as_a_whole() -> None:
    assert _parted("Half move. The rest stay.") == ("Half move. The rest stay.", "")


def test_a_long_finding_is_parted_between_sentences() -> None:
    first, second = "A" * 150 + ".", "B" * 100 + "."
    assert _parted(f"{first} {second} End.") == (first, f"{second} End.")


def test_one_long_sentence_is_never_cut_nor_are_numbers() -> None:
    long = "With 0.5 of " + "a" * 300 + "."
    assert _parted(f"{long} More.") == (long, "More.")
