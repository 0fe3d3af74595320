"""The list of commands that --help prints: whole sentences, and those of the lab in the order of its questions."""

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
