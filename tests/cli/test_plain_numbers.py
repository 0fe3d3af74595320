"""Numbers as people write them: what Python would take for ten, 1_0, is refused, and names with underscores are not."""

import inspect
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

from privlab.cli.main import app
from privlab.releases.ledger.ledger import Ledger
from tests.command_line import Answer, Run

GROUP: Any = typer.main.get_command(app)
COMMANDS = {(name,): one for name, one in GROUP.commands.items() if name != "ledger"}
COMMANDS |= {("ledger", name): one for name, one in GROUP.commands["ledger"].commands.items()}


def is_number(annotation: Any) -> bool:
    return annotation in (int, float) or any(is_number(one) for one in get_args(annotation))


def numbers(command: Any) -> list[Any]:
    """Return the options and arguments of a command that its signature says are numbers."""
    taken = inspect.signature(command.callback).parameters
    return [one for one in command.params if one.name in taken and is_number(taken[one.name].annotation)]


def test_the_commands_that_take_numbers_are_known() -> None:
    assert {one.opts[0] for one in numbers(COMMANDS["release",])} >= {"--epsilon", "--max-trips-per-user"}
    assert [one.name for one in numbers(COMMANDS["ledger", "export"])] == ["entry"]
    assert sum(len(numbers(one)) for one in COMMANDS.values()) > 100


@pytest.mark.parametrize("words", COMMANDS)
def test_no_number_of_any_command_may_have_an_underscore_iv(words: tuple[str, ...], cli: Run) -> None:
    for one in numbers(COMMANDS[words]):
        is_option = one.opts[0].startswith("-")
        code, out, err = cli(*words, *((one.opts[0], "1_0") if is_option else ("1_0",)))
        assert (code, out) == (2, "")
        named = f"'{one.opts[0]}'" if is_option else f"'{one.name}'"
        assert err == f"Invalid value for {named}: a number is written without underscores, got '1_0'\n"


def test_nothing_is_charged_for_an_epsilon_with_an_underscore_iv(
    answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger.sqlite")
    error = answer(
        "release", world_csv, "--out", tmp_path / "out", "--epsilon", "1_0", "--max-trips-per-user", 3,
        "--week", "2026-03-02", "--ledger", ledger.path, fails=True,
    )  # fmt: skip
    assert error == "Invalid value for '--epsilon': a number is written without underscores, got '1_0'\n"
    assert not ledger.is_there


@pytest.mark.parametrize(
    "words",
    [
        ("cell-attack", "--epsilon", 1, "--threshold", 10, "--counts", "1_00"),
        ("kgap", "WORLD", "--level", "1_0-60"),
        ("kgap", "WORLD", "--level", "10-6_0"),
        ("od", "WORLD", "--out", "OUT", "--zones", "grid:1_000"),
        ("describe", "WORLD", "--bounding-box", "1_0,2,30,40"),
        ("game", "WORLD", "--balance", "0.1_5"),
        ("game", "WORLD", "--group-size", "1_0"),
    ],
)
def test_nor_may_one_within_other_words_iv(
    words: tuple[object, ...], answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    places = {"WORLD": world_csv, "OUT": tmp_path / "out_1_0"}
    error = answer(*(places.get(str(word), word) for word in words), fails=True)
    assert " must " in error
    assert repr(words[-1]) in error


def test_names_may_have_underscores(answer: Answer, tmp_path: Path) -> None:
    out = tmp_path / "1_0.parquet"
    answer("generate", "city", "--users", 20, "--out", out)
    assert out.exists()
