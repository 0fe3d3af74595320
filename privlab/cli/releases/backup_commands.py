"""The command line that keeps a ledger safe: a backup in one file, and the way back."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.cli.options.common_options import Json
from privlab.cli.printing.output import say, show
from privlab.cli.releases.ledger_commands import LedgerPlace, opened_ledger

if TYPE_CHECKING:
    from privlab.releases.copies import LedgerBackup

backup_app = typer.Typer()

WithRuns = Annotated[
    bool,
    typer.Option(
        "--runs/--no-runs", help="The runs of the game too (PRIVLAB_RUNS); they name people of the data."
    ),
]


@backup_app.command("backup")
def ledger_backup(
    file: Annotated[Path, typer.Argument(help="New file for the backup, such as ledger-2026-11-23.zip.")],
    *,
    runs: WithRuns = True,
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Write the ledger, its keys and the files of its releases into one file; refused where its chain does not check.

    Whoever has the file can sign certificates in the ledger's name: keep it as safe as the ledger.
    """
    from privlab.lab.ledgers import back_up

    made = back_up(opened_ledger(ledger), file, with_runs=runs)
    show({"file": str(file), **_told(made)}, as_json)


@backup_app.command("restore")
def ledger_restore(
    file: Annotated[Path, typer.Argument(help="A file that `ledger backup` wrote.")],
    *,
    runs: WithRuns = True,
    ledger: LedgerPlace = None,
    as_json: Json = False,
) -> None:
    """Put a backup back where there is no ledger, in a file or in PostgreSQL; refused where its chain does not check.

    What was released after the backup is not in it: its cost is not known to the ledger then, and budgets are too large.
    """
    from privlab.lab.ledgers import restore
    from privlab.releases.ledger import Ledger, ledger_place_from_environment, ledger_place_from_text

    place = ledger_place_from_environment() if ledger is None else ledger_place_from_text(ledger)
    book = Ledger(place, told=say)
    made = restore(file, book, with_runs=runs)
    show({"ledger": book.name, **_told(made)}, as_json)


def _told(made: "LedgerBackup") -> dict[str, Any]:
    return {
        "entries": made.check.n_entries,
        "links": made.check.n_links,
        "head": made.check.head,
        "releases": made.n_releases,
        "runs": made.has_runs,
    }
