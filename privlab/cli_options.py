"""What several commands read alike: zones, counts. Words in, objects or one sentence out."""

from pathlib import Path

import typer

from privlab.checks import ParameterError
from privlab.datasets.polygon_zones import Geography
from privlab.datasets.records import Dataset
from privlab.datasets.zone_maps import Zoning
from privlab.datasets.zone_readers import geography_from_path
from privlab.datasets.zoning import SPEC_HINT, zoning_from_spec

# What typer raises for a command line it cannot read; it lives in a module without a public name.
CommandFailed: type[Exception] = typer.BadParameter.__mro__[2]


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
