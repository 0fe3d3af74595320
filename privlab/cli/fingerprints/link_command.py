"""The command link: who is found again, in one half of the time, by the places of the other.

Registered on the same application as main.py; options mean the same there and here.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import counts_from_text
from privlab.cli.options.common_options import ControlOption, Data, Json, Seed, engine_from_spec
from privlab.cli.options.reading_options import Reading, opened, with_reading
from privlab.cli.printing.output import show
from privlab.cli.printing.progress_lines import progress_lines
from privlab.controls import control_sentence, controls_from_specs
from privlab.fingerprints import DEFAULT_LEVELS, levels_from_text

if TYPE_CHECKING:
    from privlab.fingerprints.singling_out import Linkage

app = typer.Typer()

_NAMES = (
    "Linked is not named: it says that two records are of one person, and whoever names one has named both."
)


@app.command()
@with_reading
def link(
    data: Data,
    *,
    reading: Reading,
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="KM-MIN,…", help=f"Cell size and time bin; default {DEFAULT_LEVELS[0]}."),
    ] = None,
    days: Annotated[
        str | None, typer.Option(help="Days of each half, with commas between; default half of all days.")
    ] = None,
    query_users: Annotated[
        int | None,
        typer.Option(help="Look for so many people, drawn by the seed, among everybody; default for all."),
    ] = None,
    control: ControlOption = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Link people across two halves of the time by how often they are where, against chance. True data."""
    from privlab.figures.fingerprints import anonymizability_words
    from privlab.fingerprints.singling_out import LinkParameters
    from privlab.lab.fingerprints import linked_halves_from_fingerprints
    from privlab.lab.loading import fingerprints_from_rows

    parameters = LinkParameters(
        levels=levels_from_text(",".join(level or [str(DEFAULT_LEVELS[0])])),
        days=tuple(sorted(set(counts_from_text(days)))) if days is not None else (),
        n_query=query_users,
        controls=controls_from_specs(control or []),
        seed=seed,
    )
    with engine_from_spec("duckdb") as workspace:
        people = fingerprints_from_rows(opened(data, reading, workspace, None), progress=progress_lines())
    found = linked_halves_from_fingerprints(people, parameters, progress=progress_lines())
    said = [control_sentence(parameters.controls, measure="share linked")] if parameters.controls else []
    if without := anonymizability_words.days_left_out(found, parameters.days):
        said.append(without)
    result = {
        "records": people.n_records,
        "left_out": people.n_left_out,
        "users": found[0].n_users,
        "controls": parameters.controls,
        "seed": seed,
        "links": [_row(one) for one in found],
        "notes": [*said, _NAMES],
    }
    show(result, as_json)


def _row(found: "Linkage") -> dict[str, Any]:
    return {
        "level": str(found.level),
        "days": found.days,
        "candidates": found.n_candidates,
        "sought": found.n_sought,
        "right": found.right,
        "share": found.share,
        "low": found.low,
        "high": found.high,
        "chance": found.chance,
        "tied": found.n_tied,
    }
