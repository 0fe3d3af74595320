"""What --help lists: each command once, under a question of docs/commands.md, with the whole of its first sentence."""

import re
from pathlib import Path

import pytest

from privlab.cli.options.command_list import SECTIONS
from tests.cli.test_plain_numbers import COMMANDS, GROUP
from tests.command_line import Run

DOC = (Path(__file__).parents[2] / "docs" / "commands.md").read_text(encoding="utf-8")


def without_space(text: str) -> str:
    """Return a text without the spaces and lines that are put into it where it is too long for a line."""
    return re.sub(r"\s", "", text)


@pytest.mark.parametrize("words", [(), ("ledger",)])
def test_no_sentence_of_the_list_is_cut(words: tuple[str, ...], cli: Run) -> None:
    printed = without_space(cli(*words, "--help")[1])
    told = {
        name: one.help.partition(". ")[0].partition("\n\n")[0]
        for name, one in (GROUP.commands["ledger"] if words else GROUP).commands.items()
    }
    assert len(told) > 10
    for name, sentence in told.items():
        assert without_space(f"{name} {sentence}") in printed, name


def test_each_command_of_the_lab_stands_once_under_a_heading_of_the_document() -> None:
    names = [name for some in SECTIONS.values() for name in some]
    assert sorted(names) == sorted({words[0] for words in COMMANDS})
    assert set(SECTIONS) <= set(re.findall(r"^## (.+)$", DOC, re.M))


def test_what_may_be_given_again_says_what_one_of_it_is(cli: Run) -> None:
    assert "--column MEANING=COLUMN" in cli("describe", "--help")[1]
    assert not [words for words in COMMANDS if "list[" in cli(*words, "--help")[1]]


@pytest.mark.parametrize(
    ("words", "missing"),
    [
        ("release cards.csv", "Missing options '--epsilon', '--max-trips-per-user' and '--week'. "),
        ("release cards.csv --week 2026-03-02", "Missing options '--epsilon' and '--max-trips-per-user'. "),
        ("release cards.csv --epsilon=1", "Missing options '--max-trips-per-user' and '--week'. "),
        ("release cards.csv --epsilon=1 --week=2026-03-02", "Missing option '--max-trips-per-user'."),
        ("risk", "Missing argument 'data'."),
    ],
)
def test_all_options_that_are_missing_are_named_at_once(words: str, missing: str, cli: Run) -> None:
    code, out, said = cli(*words.split())
    assert (code, out) == (2, "")
    assert said.startswith(missing)
    assert ("privlab release --help" in said) == missing.startswith("Missing options")
