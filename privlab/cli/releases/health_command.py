"""The command line of whoever runs the lab: is all well on this machine?"""

from dataclasses import asdict

import typer

from privlab.cli.options.common_options import Json
from privlab.cli.printing.output import show
from privlab.cli.releases.ledger_commands import LedgerPlace

app = typer.Typer()


@app.command()
def health(ledger: LedgerPlace = None, as_json: Json = False) -> None:
    """Say how this machine and the lab on it are: memory, disk, left-overs, ledger; exit code 1 if anything is wrong.

    Counts and sizes only. Sessions and jobs are a server's own: its page Publish shows them to who may release.
    """
    from privlab.lab.ledgers import health_of_machine
    from privlab.releases.ledger import ledger_place_from_text

    found = health_of_machine(None if ledger is None else ledger_place_from_text(ledger))
    show({"is_well": found.is_well, **asdict(found)}, as_json)
    if not found.is_well:
        raise typer.Exit(1)
