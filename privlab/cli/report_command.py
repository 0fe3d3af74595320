"""The command line of reports: a plan that a page saved, worked out anew into one file.

Registered on the same application as main.py; options mean the same there and here.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privlab.checks import DataError, ParameterError
from privlab.cli.options.common_options import Bound, Json, Seed, Week, zoned
from privlab.cli.options.reading_options import Reading, opened, release_data_of_form, with_reading
from privlab.cli.printing.output import show
from privlab.cli.printing.progress_lines import terminal_line
from privlab.defaults import USUAL_EPSILON, USUAL_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Callable

    from privlab.datasets.layouts import FileForm
    from privlab.lab.loading import Rows
    from privlab.lab.publishing import ReleaseData
    from privlab.od.simulating import ReleaseParameters
    from privlab.od.trips import PreparedTrips
    from privlab.reports import DataReference, ReportPlan

app = typer.Typer()
_HTML = (".html", ".htm")
# What is written beside the HTML file, by its ending.
_BESIDE = {
    ".pdf": "Add --pdf for a PDF beside the HTML file.",
    ".docx": "Add --docx for a Word document beside the HTML file.",
    ".md": "Add --markdown for a ZIP of Markdown and its pictures beside the HTML file.",
    ".zip": "Add --markdown for a ZIP of Markdown and its pictures beside the HTML file.",
}
# What a risk report alone is asked for, and what stands where nothing is said.
_OF_RISK_REPORT = {
    "epsilon": USUAL_EPSILON,
    "threshold": USUAL_THRESHOLD,
    "max_trips_per_user": None,
    "noise": "laplace",
    "week": None,
    "seed": 1,
}


@app.command()
@with_reading
def report(
    plan: Annotated[
        Path | None,
        typer.Argument(help="A report plan, as the page Report saves it; not with a release's folder alone."),
    ] = None,
    *,
    reading: Reading,
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    pdf: Annotated[bool, typer.Option("--pdf", help="A PDF beside it, by an installed browser.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="A ZIP beside it: Markdown and its pictures.")
    ] = False,
    docx: Annotated[bool, typer.Option("--docx", help="A Word document beside it.")] = False,
    on_release: Annotated[
        Path | None,
        typer.Option(
            help="The folder of a release. Without a plan, the whole report on it is put together; with one, it is the "
            "release that the plan is about."
        ),
    ] = None,
    kind: Annotated[
        str | None,
        typer.Option(
            help="Of a report on a release: internal, which it is by default and which needs --data, or external (no true data)."
        ),
    ] = None,
    author: Annotated[str, typer.Option(help="Who answers for a report on a release.")] = "",
    data: Annotated[
        str | None,
        typer.Option(
            help="The file that the report is about, unless it is about samples. With neither a plan nor a release: the risk "
            "report on it, for a release with the settings that follow."
        ),
    ] = None,
    epsilon: Annotated[
        float, typer.Option(help="Of a risk report: promised to a user's week under a bound, else to a trip.")
    ] = USUAL_EPSILON,
    threshold: Annotated[
        int, typer.Option(help="Of a risk report: noisy counts below it are not published.")
    ] = USUAL_THRESHOLD,
    max_trips_per_user: Bound = None,
    noise: Annotated[str, typer.Option(help="Of a risk report: laplace or integer.")] = "laplace",
    week: Week = None,
    seed: Seed = 1,
    zones: Annotated[str | None, typer.Option(help="Its zones, as for `od`.")] = None,
    zone_positions: Annotated[
        Path | None, typer.Option(help="Where its own zones lie: zone, lat, lon.")
    ] = None,
    ledger: Annotated[
        str | None,
        typer.Option(
            help="Of an internal report on a release: the ledger that says what all releases of these people together promise, as for "
            "`release`."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Rebuild a report from its plan: same plan, same data, same numbers. Or put one together on a release, or on data."""
    _require_html_name(out, _BESIDE)
    if plan is not None and plan.suffix.lower() in (*_BESIDE, *_HTML):
        raise ParameterError(
            f"plan must be a report plan, as the page Report saves it, got {plan.name!r}. --pdf, --markdown and --docx take no name: "
            "what they write lies beside --out, under its name."
        )
    from privlab.lab.reporting import Materials, collected_report_from_plan

    def own_rows(reference: "DataReference") -> "Rows":
        return _own_rows(reference, data, reading, zones, zone_positions)

    def to_release(form: "FileForm") -> "ReleaseData":
        return release_data_of_form(data or "", form, reading, zones, zone_positions, is_settled=False)

    progress = terminal_line(lambda share, words: f"{share:4.0%} {words}")
    if plan is None and on_release is None and data is not None:
        if kind not in (None, "internal"):
            raise DataError(
                "A risk report shows true data, so it is internal: leave --kind out, or name a release."
            )
        from privlab.od.simulating import ReleaseParameters

        release = ReleaseParameters(
            epsilon=epsilon, threshold=threshold, max_trips_per_user=max_trips_per_user, noise=noise
        )
        wanted, prepared = _on_data(own_rows, release, week, author, seed)
    else:
        asked = (epsilon, threshold, max_trips_per_user, noise, week, seed)
        _require_of_risk_report(dict(zip(_OF_RISK_REPORT, asked, strict=True)))
        wanted, prepared = _wanted(plan, on_release, kind, author, None if data is None else own_rows, ledger)
    materials = Materials(
        own_rows,
        own_prepared=prepared,
        own_to_release=to_release,
        releases=lambda reference: on_release,
        progress=progress,
    )
    made = collected_report_from_plan(wanted, materials, progress, materials.release)
    files = [out]
    _write(out, made.html.encode())
    if pdf:
        files.append(out.with_suffix(".pdf"))
        _write(files[-1], made.printed())
    figures = made.figures(progress) if markdown or docx else {}
    if markdown:
        files.append(out.with_suffix(".md.zip"))
        _write(files[-1], made.markdown(figures))
    if docx:
        files.append(out.with_suffix(".docx"))
        _write(files[-1], made.word(figures))
    show({"written": [str(file) for file in files], "kind": wanted.kind, "parts": len(wanted.items)}, as_json)


@app.command()
def handout(
    out: Annotated[Path, typer.Option(help="HTML file to write.")],
    *,
    pdf: Annotated[bool, typer.Option("--pdf", help="A PDF beside it, by an installed browser.")] = False,
    as_json: Json = False,
) -> None:
    """Write the tour as a handout for a class: eleven steps on two pages."""
    _require_html_name(out, {".pdf": _BESIDE[".pdf"]})
    from privlab.lab.reporting import handout as made

    files = [out]
    _write(out, made(pdf=False))
    if pdf:
        files.append(out.with_suffix(".pdf"))
        _write(files[-1], made(pdf=True))
    show({"written": [str(file) for file in files]}, as_json)


def _require_html_name(out: Path, beside: dict[str, str]) -> None:
    """Raise ParameterError unless the name of the file to write says that it is HTML; `beside` are other endings, and what writes them."""
    if out.suffix.lower() not in _HTML:
        way_on = f" {beside[out.suffix.lower()]}" if out.suffix.lower() in beside else ""
        raise ParameterError(f"out must end in .html, got {out.name!r}.{way_on}")


def _require_of_risk_report(asked: dict[str, object]) -> None:
    """Raise DataError for settings of a risk report beside a plan, or a release, which has its own."""
    said = [name for name, value in asked.items() if value != _OF_RISK_REPORT[name]]
    if said:
        raise DataError(
            f"{', '.join(said)} must be left out: a report plan, and a release, have settings of their own. For a risk report with other "
            "settings name its file with --data alone."
        )


def _wanted(
    plan: Path | None,
    folder: Path | None,
    kind: str | None,
    author: str,
    own_rows: "Callable[[DataReference], Rows] | None",
    ledger: str | None,
) -> "tuple[ReportPlan, PreparedTrips | None]":
    """Return the plan that was given, or the one of a whole report on a release with the trips it is about."""
    from privlab.checks import require_choice
    from privlab.lab.reporting import (
        prepared_trips_of_rows,
        reference_from_prepared_trips,
        report_plan_from_release,
        require_of_data,
    )
    from privlab.releases.ledger import Ledger, ledger_place_from_environment, ledger_place_from_text
    from privlab.releases.reading import released_counts_from_folder
    from privlab.reports import KINDS, DataReference, report_plan_from_json

    if plan is not None:
        given = report_plan_from_json(_text(plan))
        if author or kind not in (None, given.kind):
            raise DataError(
                f"author and kind must be left out: the report plan names its author and is {given.kind}. Change them on the page Report, "
                "and save the plan anew."
            )
        return given, None
    if folder is None:
        raise DataError(
            "Name a report plan, the folder of a release with --on-release, or the file of a risk report with --data."
        )
    kind = require_choice("kind", kind or KINDS[0], KINDS)
    released = released_counts_from_folder(folder)
    if own_rows is None or kind != KINDS[0]:
        return report_plan_from_release(released, data=None, kind=kind, author=author), None
    unread = DataReference(name="", sample=False, digest="", zones=released.plan.zones_spec)
    prepared = prepared_trips_of_rows(own_rows(unread))
    book = Ledger(ledger_place_from_environment() if ledger is None else ledger_place_from_text(ledger))
    require_of_data(book, released, prepared)
    made = report_plan_from_release(
        released,
        data=reference_from_prepared_trips(prepared, sample=False),
        kind=kind,
        author=author,
        has_users=prepared.has_users,
        ledger=book,
    )
    return made, prepared


def _on_data(
    own_rows: "Callable[[DataReference], Rows]",
    release: "ReleaseParameters",
    week: str | None,
    author: str,
    seed: int,
) -> "tuple[ReportPlan, PreparedTrips | None]":
    """Return the plan of the risk report on the file, and the trips it is about."""
    from privlab.lab.planning import busiest_week
    from privlab.lab.reporting import (
        prepared_trips_of_rows,
        reference_from_prepared_trips,
        report_plan_from_data,
    )
    from privlab.reports import DataReference

    prepared = prepared_trips_of_rows(own_rows(DataReference(name="", sample=False, digest="", zones="")))
    made = report_plan_from_data(
        reference_from_prepared_trips(prepared, sample=False),
        release=release,
        week=week or busiest_week(prepared.trips),
        seed=seed,
        author=author,
        has_users=prepared.has_users,
        cells="discovered" if prepared.public_zones is None else "public",
    )
    return made, prepared


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
