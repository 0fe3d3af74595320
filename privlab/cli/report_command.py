"""The command line of reports: a plan that a page saved, worked out anew into one file.

Registered on the same application as cli.py; options mean the same there and here.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privlab.checks import DataError
from privlab.cli.common_options import Json, zoned
from privlab.cli.output import show
from privlab.cli.progress_lines import terminal_line
from privlab.cli.reading_options import Reading, opened, with_reading

if TYPE_CHECKING:
    from privlab.lab import Rows
    from privlab.reports import DataReference

app = typer.Typer()


@app.command()
@with_reading
def report(
    plan: Annotated[Path, typer.Argument(help="A report plan, as the page Report saves it.")],
    *,
    reading: Reading,
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    pdf: Annotated[bool, typer.Option("--pdf", help="A PDF beside it, by an installed browser.")] = False,
    data: Annotated[
        str | None, typer.Option(help="The file that the plan is about, unless it is about samples.")
    ] = None,
    zones: Annotated[str | None, typer.Option(help="Its zones, as for `od`.")] = None,
    zone_positions: Annotated[
        Path | None, typer.Option(help="Where its own zones lie: zone, lat, lon.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Rebuild a report from its plan: same plan, same data, same numbers."""
    from privlab.lab import Materials, collected_report_from_plan
    from privlab.reports import report_plan_from_json

    wanted = report_plan_from_json(_text(plan))
    progress = terminal_line(lambda share, words: f"{share:4.0%} {words}")
    materials = Materials(
        lambda reference: _own_rows(reference, data, reading, zones, zone_positions), progress=progress
    )
    made = collected_report_from_plan(wanted, materials, progress)
    files = [out]
    _write(out, made.html.encode())
    if pdf:
        files.append(out.with_suffix(".pdf"))
        _write(files[-1], made.printed())
    show({"written": [str(file) for file in files], "kind": wanted.kind, "parts": len(wanted.items)}, as_json)


def _own_rows(
    reference: "DataReference", data: str | None, reading: Reading, zones: str | None, positions: Path | None
) -> "Rows":
    if data is None:
        raise DataError(f"The report plan is about {reference.name}: name the file with --data.")
    return lambda workspace: zoned(
        opened(data, reading, workspace, zones), zones or reference.zones, positions
    )


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not text. Is it the file that the page Report saves?") from None
    except OSError as error:
        raise DataError(f"Could not read {path}: {error.strerror or error}.") from None


def _write(path: Path, content: bytes) -> None:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise DataError(f"Could not write {path}: {error.strerror or error}.") from None
