"""Numbers on the command line: as people write them. Python's own spelling 1_0 would be ten, of what was meant for 1.0."""

import inspect
from collections.abc import Iterator
from functools import partial
from typing import Any, get_args

import typer
from typer.core import TyperGroup


class CommandsWithPlainNumbers(TyperGroup):
    """A group of commands that refuse underscores in whatever they take as a number."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, None if there is none."""
        command = super().get_command(ctx, cmd_name)
        if command is not None and not isinstance(command, TyperGroup):
            _refuse_underscores(command)
        return command


def _refuse_underscores(command: Any) -> None:
    taken = inspect.signature(command.callback).parameters
    for one in command.params:
        is_number = one.name in taken and {int, float} & set(_kinds(taken[one.name].annotation))
        if is_number and not isinstance(one.process_value, partial):
            one.process_value = partial(_plain_value, one.process_value, one)


def _kinds(annotation: Any) -> Iterator[Any]:
    """Yield the types that an annotation is made of."""
    yield annotation
    for inner in get_args(annotation):
        yield from _kinds(inner)


def _plain_value(process: Any, parameter: Any, ctx: Any, value: Any) -> Any:
    """Return what a parameter makes of the words that were given for it. Raises BadParameter for an underscore among them."""
    for said in value if isinstance(value, list | tuple) else (value,):
        if isinstance(said, str) and "_" in said:
            raise typer.BadParameter(
                f"a number is written without underscores, got {said!r:.80}", ctx=ctx, param=parameter
            )
    return process(ctx, value)
