"""What the command line says of itself: its list of commands, in whole sentences and by the lab's questions, and what a command lacks."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

from privlab.cli.options.plain_numbers import CommandsWithPlainNumbers

# The headings are those of docs/commands.md.
SECTIONS = {
    "Get data, and see who is in it": ("generate", "describe", "od"),
    "Would an attacker know that someone is in flows?": (
        "attack-curve",
        "cell-attack",
        "certainty",
        "triangle",
        "guarantee",
        "risk",
    ),
    "Would an attacker know that someone is in counts by zone and hour, and whose trails they are?": (
        "game",
        "recover",
    ),
    "How hard is it to hide a person among others?": ("kgap", "unicity", "link", "glove"),
    "Find a release, and judge it before it is made": ("plan", "practice", "audit", "judge"),
    "Publish, keep account, and report": ("release", "verify", "ledger", "report", "handout", "health"),
}
_WHOLE = 1000  # letters: no sentence is cut


class ListedCommands(CommandsWithPlainNumbers):
    """A group whose list says of each command all of its first sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list."""
        self._write(ctx, formatter, "Commands:", self.list_commands(ctx))

    def _write(self, ctx: Any, formatter: Any, title: str, names: Any) -> None:
        commands = ((name, self.get_command(ctx, name)) for name in names)
        formatter.write_paragraph()
        formatter.write(f"{fill(title, formatter.width)}\n")
        with formatter.indentation():
            formatter.write_dl([(name, command.get_short_help_str(_WHOLE)) for name, command in commands])


class CommandsInSections(ListedCommands):
    """The commands of the lab."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list, section by section."""
        for title, names in SECTIONS.items():
            self._write(ctx, formatter, title, names)


def all_missing(error: Exception, words: Sequence[str]) -> str | None:
    """Return which options of a command are missing, all at once, where typer complains of one; None of any other error.

    `words` are those of the command line.
    """
    context, first = getattr(error, "ctx", None), getattr(error, "param", None)
    if not hasattr(error, "param_type") or context is None or first is None:
        return None
    given = {word.partition("=")[0] for word in words}
    missing = [one for one in context.command.params if one.required and one.param_type_name == "option"]
    names = [f"'{one.opts[0]}'" for one in missing if one is first or given.isdisjoint(one.opts)]
    if len(names) < 2:
        return None
    return f"Missing options {', '.join(names[:-1])} and {names[-1]}. What each is says: {context.command_path} --help"
