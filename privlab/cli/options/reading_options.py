"""How data is read, as options that several commands share: format, columns, second file, cleaning."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from privlab.checks import ParameterError, day_from_text, require_between
from privlab.cli.options.common_options import Box, zone_file
from privlab.cli.printing.progress_lines import lines_of_steps
from privlab.datasets.cleaning import Cleaning, box_from_text
from privlab.datasets.columns import NO_COLUMNS, STEP_M_RANGE, ColumnMapping, mapping_with_choices
from privlab.datasets.layouts import AUTO, FORMATS, HEADERLESS, KNOWN, TABLE

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.datasets.engines import SparkWorkspace, Workspace
    from privlab.datasets.layouts import FileForm
    from privlab.datasets.rows import Lookup
    from privlab.lab.publishing import ReleaseData

MEANINGS = tuple(field.name for field in fields(ColumnMapping) if field.name not in NO_COLUMNS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a file is to be read: each field is an option of the command line."""

    format: Annotated[str, typer.Option(help=f"One of {', '.join(FORMATS)}.")] = AUTO
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="MEANING=COLUMN", help=f"Repeatable: {', '.join(MEANINGS)}. MEANING= for none."),
    ] = None
    time_format: Annotated[
        str | None,
        typer.Option(
            help="How times are written: iso, a strptime format, seconds, milliseconds …, slots:30."
        ),
    ] = None
    timezone: Annotated[
        str | None, typer.Option(help="Zone whose wall clock counts for times with an offset; default UTC.")
    ] = None
    recorded_in: Annotated[
        str | None,
        typer.Option(help="Zone in which times without an offset were written; default as they are."),
    ] = None
    crs: Annotated[
        str | None,
        typer.Option(
            help="Projected system of x and y (EPSG:25832): they are read as degrees; default metres anywhere."
        ),
    ] = None
    step_m: Annotated[
        float | None,
        typer.Option(help="Metres of one step of x and y, where they number the cells of a grid; default 1."),
    ] = None
    join: Annotated[
        Path | None, typer.Option(help="A second file that says more of each row (antennas, owners).")
    ] = None
    join_on: Annotated[
        str | None, typer.Option(help="COLUMN=COLUMN: the file's column, the second file's; default guessed.")
    ] = None
    first_day: Annotated[str | None, typer.Option(help="Keep from this day on (2026-03-02).")] = None
    last_day: Annotated[str | None, typer.Option(help="Keep up to this day.")] = None
    bounding_box: Annotated[str | None, typer.Option(help="Keep S,W,N,E, in degrees.")] = None
    percentile: Annotated[
        float, typer.Option(help="Keep the middle per cent of latitudes and longitudes.")
    ] = 100.0
    max_speed: Annotated[float | None, typer.Option(help="Drop records reached and left faster, km/h.")] = (
        None
    )
    every_min: Annotated[
        int | None, typer.Option(help="Keep the first record per user and so many minutes.")
    ] = None
    min_records: Annotated[int, typer.Option(help="Keep users with at least so many records.")] = 1
    sample_users: Annotated[int | None, typer.Option(help="Keep so many users, drawn by the seed 1.")] = None
    drop_duplicates: Annotated[
        bool, typer.Option("--drop-duplicates", help="Keep one of rows that are alike.")
    ] = False


def with_options(**groups: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what makes of a command that takes dataclasses one that takes their fields as options.

    `groups` names the command's parameters and the dataclasses they are of.
    """
    extra = {
        name: [
            inspect.Parameter(
                one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=hints[one.name]
            )
            for one in fields(kind)
        ]
        for name, kind in groups.items()
        for hints in [get_type_hints(kind, include_extras=True)]
    }

    def changed(command: Callable[..., None]) -> Callable[..., None]:
        own = [one for one in inspect.signature(command).parameters.values() if one.name not in groups]

        @wraps(command)
        def wrapped(**given: Any) -> None:
            made = {
                name: groups[name](**{one.name: given.pop(one.name) for one in some})
                for name, some in extra.items()
            }
            command(**made, **given)

        parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own]
        parameters += [one for some in extra.values() for one in some]
        wrapped.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {one.name: one.annotation for one in parameters}
        return wrapped

    return changed


def with_box(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with the option --box, which becomes part of its `zones`."""

    @wraps(command)
    def boxed(**given: Any) -> None:
        box = given.pop("box")
        if box is not None:
            from privlab.datasets.zone_kinds import spec_in_box

            given |= {"zones": spec_in_box(given["zones"], box)}
        command(**given)

    parameters = [*inspect.signature(command).parameters.values()]
    at = [one.name for one in parameters].index("zones") + 1
    parameters.insert(
        at, inspect.Parameter("box", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Box)
    )
    boxed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    boxed.__annotations__ = {one.name: one.annotation for one in parameters}
    return boxed


def with_reading(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes `reading` as one that takes its fields as options; where it has zones, --box too."""
    changed = with_options(reading=Reading)(command)
    return with_box(changed) if "zones" in inspect.signature(changed).parameters else changed


def opened(
    data: str,
    reading: Reading,
    workspace: "Workspace | SparkWorkspace",
    zones: str | None,
    *,
    by_content: bool = False,
) -> "Dataset":
    """Return the dataset in a file: columns guessed, those named by hand taken instead; cleaned if asked to.

    With `by_content` it is known by the files' bytes on a cluster, too.
    """
    from privlab.datasets.engines import SparkWorkspace
    from privlab.datasets.previews import preview_from_path
    from privlab.lab.loading import DataSource, dataset_from_source

    if isinstance(workspace, SparkWorkspace):
        return _opened_on_spark(data, reading, workspace, zones, by_content)
    path, cleaning = Path(data), cleaning_from_reading(reading)
    lookup = lookup_from_reading(path, reading)
    guess = preview_from_path(path, format=reading.format, lookup=lookup).mapping
    source = DataSource(
        path=path,
        format=reading.format,
        mapping=mapping_from_reading(guess, reading, zones),
        lookup=lookup,
        timezone=reading.timezone,
        cleaning=cleaning,
    )
    with lines_of_steps(workspace.query_share) as progress:
        return dataset_from_source(source, workspace, progress=progress)


def _opened_on_spark(
    data: str, reading: Reading, workspace: "SparkWorkspace", zones: str | None, by_content: bool
) -> "Dataset":
    from privlab.lab.loading import dataset_on_spark_from_location

    require_plain_reading(reading)
    return dataset_on_spark_from_location(
        data,
        workspace,
        chosen=lambda guess: mapping_from_reading(guess, reading, zones),
        timezone=reading.timezone,
        by_content=by_content,
    )


def require_plain_reading(reading: Reading) -> None:
    """Raise ParameterError for an option that a cluster does not take."""
    plain = Reading(column=reading.column, timezone=reading.timezone)
    for one in fields(Reading):
        if getattr(reading, one.name) != getattr(plain, one.name):
            raise ParameterError(
                f"{one.name} does not go with the engine spark; use it when writing the Parquet."
            )


def mapping_from_reading(guess: ColumnMapping, reading: Reading, zones: str | None) -> ColumnMapping:
    """Return the guessed mapping with what the options say. Raises DataError for a system that is none."""
    mapping = mapping_with_choices(guess, columns_from_pairs(reading.column))
    if zones == "column" and mapping.kind == "records" and mapping.zone is not None:
        mapping = replace(mapping, lat=None, lon=None, x=None, y=None)
    if reading.crs is not None:
        from privlab.datasets.columns import crs_from_text

        mapping = replace(mapping, crs=crs_from_text(reading.crs), step_m=None)
    if reading.step_m is not None:
        mapping = replace(mapping, step_m=require_between("step_m", reading.step_m, *STEP_M_RANGE))
    return replace(
        mapping,
        time_format=reading.time_format or mapping.time_format,
        recorded_in=reading.recorded_in or mapping.recorded_in,
    )


def columns_from_pairs(pairs: list[str] | None) -> dict[str, str | None]:
    """Return MEANING=COLUMN pairs as a table. Raises ParameterError for an unknown meaning."""
    columns: dict[str, str | None] = {}
    for pair in pairs or []:
        meaning, equals, column = pair.partition("=")
        if not equals or meaning not in MEANINGS:
            raise ParameterError(
                f"column must be MEANING=COLUMN with one of {', '.join(MEANINGS)}, got {pair!r}."
            )
        columns[meaning] = column or None
    return columns


def form_from_reading(
    data: str,
    reading: Reading,
    zones: str | None,
    *,
    ids: str | None,
    delimiter: str | None,
    encoding: str,
) -> "FileForm":
    """Return how a file is written, from the options and its header alone. Raises ParameterError for what is open.

    A published layout, or a table without a header, must be named.
    """
    from privlab.datasets.layouts import FileForm
    from privlab.datasets.previews import mapping_from_header, preview_from_path

    path = Path(data)
    if reading.format == AUTO:
        found = preview_from_path(path).format
        if found in (HEADERLESS, *KNOWN):
            raise ParameterError(
                f"format must be named for a secure release, not recognised by the rows. If {path.name} is "
                f"{FORMATS[found]!r}, say --format {found}."
            )
    form = FileForm(
        mapping=ColumnMapping(),
        format=TABLE if reading.format == AUTO else reading.format,
        delimiter=delimiter,
        encoding=encoding,
    )
    guess = mapping_from_header(path, form, lookup=lookup_from_reading(path, reading, is_settled=True))
    mapping = mapping_from_reading(guess, reading, zones)
    if mapping.time_format is None and form.format in KNOWN:
        mapping = replace(mapping, time_format=KNOWN[form.format].time_format)
    return replace(form, mapping=mapping, ids=ids if mapping.place == "zone" else None)


def lookup_from_reading(path: Path, reading: Reading, *, is_settled: bool = False) -> "Lookup | None":
    """Return the second file and how it is matched, None without one; `is_settled` wants it named."""
    from privlab.datasets.previews import source_of_path
    from privlab.datasets.rows import Lookup, guessed_lookup

    if reading.join is None:
        if reading.join_on is not None:
            raise ParameterError("join_on must come with a second file, --join FILE.")
        return None
    if reading.join_on is None and is_settled:
        raise ParameterError(
            "join_on must be named for a secure release, as COLUMN=COLUMN: it would be guessed by the rows."
        )
    if reading.join_on is None:
        with source_of_path(path, reading.format) as source:
            return guessed_lookup(source, reading.join)
    on, equals, key = reading.join_on.partition("=")
    if not equals:
        raise ParameterError(f"join_on must be COLUMN=COLUMN, got {reading.join_on!r}.")
    return Lookup(path=reading.join, on=on, key=key)


def release_data_from_options(
    data: str,
    reading: Reading,
    zones: str | None,
    positions: Path | None,
    *,
    ids: str | None,
    delimiter: str | None,
    encoding: str,
    cluster: "SparkWorkspace | None" = None,
) -> "ReleaseData":
    """Return what a release reads, and how, in a settled form: files on this machine, or Parquet on a cluster."""
    from privlab.lab.proposing import PROPOSED
    from privlab.lab.publishing import form_from_location

    if zones == PROPOSED:
        raise ParameterError(
            "zones must be named, got 'proposed', which is worked out from the rows. `describe --zones proposed` says what is proposed: "
            "name that."
        )
    if cluster is not None and (delimiter is not None or encoding != "utf-8"):
        raise ParameterError(
            "delimiter and encoding must be left out with the engine spark, which reads Parquet files alone."
        )
    if cluster is None:
        form = form_from_reading(data, reading, zones, ids=ids, delimiter=delimiter, encoding=encoding)
    else:
        form = form_from_location(
            data, cluster, chosen=lambda guess: mapping_from_reading(guess, reading, zones), ids=ids
        )
    return release_data_of_form(
        data, form, reading, zones, positions, location=None if cluster is None else data
    )


def release_data_of_form(
    data: str,
    form: "FileForm",
    reading: Reading,
    zones: str | None,
    positions: Path | None,
    *,
    is_settled: bool = True,
    location: str | None = None,
) -> "ReleaseData":
    """Return what a release reads of a file in this form. Unless `is_settled`, the form of its second file is worked out from it."""
    from privlab.lab.publishing import ReleaseData

    spec, geography = zone_file(form.mapping.place, zones, positions)
    return ReleaseData(
        path=Path(data),
        form=form,
        zones=spec,
        geography=geography,
        lookup=lookup_from_reading(Path(data), reading, is_settled=is_settled),
        timezone=reading.timezone,
        cleaning=cleaning_from_reading(reading),
        location=location,
    )


def cleaning_from_reading(reading: Reading) -> Cleaning:
    """Return what is to be taken out. Raises ParameterError for what cannot be read."""
    return Cleaning(
        drop_duplicates=reading.drop_duplicates,
        first_day=day_from_text("first_day", reading.first_day),
        last_day=day_from_text("last_day", reading.last_day),
        box=box_from_text(reading.bounding_box),
        percentile=reading.percentile,
        max_speed_km_h=reading.max_speed,
        every_min=reading.every_min,
        min_records=reading.min_records,
        n_users=reading.sample_users,
    )
