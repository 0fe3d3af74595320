"""What several commands read alike: columns, zones, counts. Words in, objects or one sentence out."""

from dataclasses import dataclass, fields, replace
from pathlib import Path

import typer

from privlab.checks import ParameterError
from privlab.datasets.columns import ColumnMapping, mapping_from_columns
from privlab.datasets.engine import Workspace
from privlab.datasets.polygon_zones import Geography
from privlab.datasets.readers import preview_from_path, read_dataset
from privlab.datasets.records import Dataset
from privlab.datasets.spark_engine import SparkWorkspace
from privlab.datasets.spark_reader import columns_from_location, read_dataset_on_spark, require_parquet
from privlab.datasets.zone_maps import Zoning
from privlab.datasets.zone_readers import geography_from_path
from privlab.datasets.zoning import SPEC_HINT, zoning_from_spec

# What typer raises for a command line it cannot read; it lives in a module without a public name.
CommandFailed: type[Exception] = typer.BadParameter.__mro__[2]

_MEANINGS = tuple(field.name for field in fields(ColumnMapping) if field.name != "time_format")


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnOptions:
    """Columns named by hand, and how times are to be read."""

    columns: dict[str, str]
    time_format: str | None
    timezone: str | None


def columns_from_options(
    pairs: list[str] | None, time_format: str | None, timezone: str | None
) -> ColumnOptions:
    """Return MEANING=COLUMN pairs as a table. Raises ParameterError for an unknown meaning."""
    columns = {}
    for pair in pairs or []:
        meaning, equals, column = pair.partition("=")
        if not equals or meaning not in _MEANINGS:
            raise ParameterError(
                f"column must be MEANING=COLUMN with one of {', '.join(_MEANINGS)}, got {pair!r}."
            )
        columns[meaning] = column
    return ColumnOptions(columns=columns, time_format=time_format, timezone=timezone)


def engine_from_spec(spec: str) -> Workspace | SparkWorkspace:
    """Return the engine that a command asks for; Spark starts when it is first used.

    Raises ParameterError for anything but `duckdb`, `spark`, `spark://HOST:PORT` and `spark:MASTER`.
    """
    if spec == "duckdb":
        return Workspace()
    if spec == "spark":
        return SparkWorkspace()
    if spec.startswith("spark:") and spec.removeprefix("spark:").strip("/"):
        return SparkWorkspace(spec if spec.startswith("spark://") else spec.removeprefix("spark:"))
    raise ParameterError(
        f"engine must be duckdb, spark, spark://HOST:PORT or spark:MASTER (such as spark:local[4]), got {spec!r}."
    )


def opened(
    data: str, options: ColumnOptions, workspace: Workspace | SparkWorkspace, zones: str | None
) -> Dataset:
    """Return the dataset in a file: columns guessed, those named by hand taken instead."""
    if isinstance(workspace, SparkWorkspace):
        require_parquet(data)
        guess = mapping_from_columns(columns_from_location(data, workspace))
    else:
        guess = preview_from_path(data).mapping
    mapping = mapping_with_choices(guess, options.columns)
    if zones == "column" and mapping.kind == "records" and mapping.zone is not None:
        mapping = replace(mapping, lat=None, lon=None, x=None, y=None)
    mapping = replace(mapping, time_format=options.time_format)
    if isinstance(workspace, SparkWorkspace):
        return read_dataset_on_spark(data, workspace, mapping=mapping, timezone=options.timezone)
    return read_dataset(data, mapping=mapping, timezone=options.timezone, workspace=workspace)


def mapping_with_choices(guess: ColumnMapping, chosen: dict[str, str]) -> ColumnMapping:
    """Return the guess with columns named by hand; naming a place by hand drops the guessed place."""
    places = set(_MEANINGS) - {"user_id", "timestamp"}
    if places & set(chosen):
        guess = replace(guess, **dict.fromkeys(places, None))
    return replace(guess, **chosen)


def zoned(dataset: Dataset, zones: str | None, positions: Path | None) -> Zoning:
    """Return the zoning a command asks for; without one, the file's own zone ids if it has any."""
    spec = zones or ("column" if dataset.place == "zone" else None)
    if spec is None:
        raise ParameterError(f"zones must be given for data with coordinates: {SPEC_HINT}.")
    geography: Geography | None = None
    if positions is not None:
        geography = geography_from_path(positions)
    elif Path(spec).suffix.lower() in (".geojson", ".json"):
        geography = geography_from_path(spec)
    return zoning_from_spec(spec, place=dataset.place, table=dataset.table, geography=geography)


def counts_from_text(text: str) -> list[int]:
    """Return whole numbers written with commas between them. Raises ParameterError otherwise.

    >>> counts_from_text("1000, 99,95")
    [1000, 99, 95]
    """
    try:
        return [int(part) for part in text.replace(";", ",").split(",") if part.strip()]
    except ValueError:
        raise ParameterError(f"counts must be whole numbers separated by commas, got {text!r}.") from None
