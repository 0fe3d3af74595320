"""What several commands take and read alike: options by type, zones, counts. Words in, objects or one sentence out."""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from privlab.checks import ParameterError
from privlab.defaults import USUAL_DELTA
from privlab.limits import MAX_SEED

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.datasets.engines import SparkWorkspace, Workspace
    from privlab.datasets.zone_files import Geography
    from privlab.datasets.zones import Zoning
    from privlab.dp.gaussian import GaussianParameters

# What typer raises for a command line it cannot read; it lives in a module without a public name.
CommandFailed: type[Exception] = typer.BadParameter.__mro__[2]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Seed = Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of every random choice.")]
ControlOption = Annotated[
    list[str] | None,
    typer.Option(
        "--control",
        metavar="CHANGE",
        help="Change the data first, repeatable: thin:0.5, shuffle-hours, permute-zones, users:500, days:7.",
    ),
]
Data = Annotated[str, typer.Argument(help="A file, a zip archive, a folder or a pattern of them.")]
Engine = Annotated[
    str, typer.Option(help="duckdb, spark, spark://HOST:PORT or spark:MASTER, such as spark:local[4].")
]
Zones = Annotated[
    str | None,
    typer.Option(
        help="grid:METRES, box:S,W,N,E:RxC, h3:RESOLUTION, column, a file of polygons (GeoJSON, Shapefile, GeoPackage; of several layers "
        "one: FILE.gpkg/LAYER), or proposed."
    ),
]
Box = Annotated[
    str | None,
    typer.Option(
        "--box",
        help="S,W,N,E: the box that zones grid or h3 lie over; known without the data, so publishable.",
    ),
]
Positions = Annotated[
    Path | None, typer.Option("--zone-positions", help="Where the file's own zones lie: zone, lat, lon.")
]


Clip = Annotated[
    str | None,
    typer.Option(help="With gaussian: l2 (all trips, weighted; the default) or keep (L trips at random)."),
]
Delta = Annotated[float | None, typer.Option(help="With gaussian: δ of a week, default 1e-6.")]
Delimiter = Annotated[
    str | None, typer.Option(help="Between columns of text; default as the header line shows.")
]
Encoding = Annotated[str, typer.Option(help="Of text: utf-8, utf-16, cp1252 or latin-1.")]
Unbiased = Annotated[
    bool,
    typer.Option("--unbiased", help="With gaussian and l2: a noisy total of each week is published too."),
]

Levels = Annotated[
    str | None,
    typer.Option(
        help="With gaussian and l2: noisy sums of districts too, from small to large, and counts that agree with them: columns of the zone "
        "file, blocks:N or h3:RESOLUTION, such as district,region."
    ),
]


NO_TOTAL_OF_FOUND_CELLS = (
    "{name} must be without a total where the zones are known from the data only: noise then goes to what is found there alone, and no total "
    "is worked out for that. Name the zones by a box, a file of polygons or zone positions, or take no total."
)


def gaussian_from_options(
    epsilon: float,
    bound: int | None,
    clip: str | None,
    delta: float | None,
    *,
    weeks: int = 1,
    threshold: int = 0,
    unbiased: bool = False,
    levels: int = 0,
    cells: str = "public",
) -> "GaussianParameters":
    """Return what is promised with discrete Gaussian noise. Raises ParameterError without a bound."""
    from privlab.dp.gaussian import TOTAL_SHARE, GaussianParameters

    if bound is None:
        raise ParameterError("Gaussian noise needs a bound per user: give max-trips-per-user.")
    return GaussianParameters(
        epsilon=epsilon,
        delta=USUAL_DELTA if delta is None else delta,
        max_trips_per_user=bound,
        clip=clip or "l2",
        weeks=weeks,
        threshold=threshold,
        total_share=TOTAL_SHARE if unbiased else 0.0,
        levels=levels,
        cells=cells,
    )


def level_specs(levels: str | None) -> list[str]:
    """Return the levels that an option names, from small to large.

    >>> level_specs("district, region"), level_specs(None)
    (['district', 'region'], [])
    """
    return [] if levels is None else [spec.strip() for spec in levels.split(",")]


def require_gaussian_for(**given: object) -> None:
    """Raise ParameterError for an option that only Gaussian noise takes."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise ParameterError(f"{name} goes with Gaussian noise: add noise gaussian, or leave it out.")


def engine_from_spec(spec: str) -> "Workspace | SparkWorkspace":
    """Return the engine that a command asks for; Spark starts when it is first used.

    Raises ParameterError for anything but `duckdb`, `spark`, `spark://HOST:PORT` and `spark:MASTER`.
    """
    from privlab.datasets.engines import SparkWorkspace, Workspace

    if spec == "duckdb":
        return Workspace()
    if spec == "spark":
        return SparkWorkspace()
    if spec.startswith("spark:") and spec.removeprefix("spark:").strip("/"):
        return SparkWorkspace(spec if spec.startswith("spark://") else spec.removeprefix("spark:"))
    raise ParameterError(
        f"engine must be duckdb, spark, spark://HOST:PORT or spark:MASTER (such as spark:local[4]), got {spec!r}."
    )


def cluster_from_spec(spec: str) -> "AbstractContextManager[SparkWorkspace | None]":
    """Return the cluster that a command asks for, None for the engine of this machine. Raises ParameterError as above."""
    from privlab.datasets.engines import SparkWorkspace

    if spec == "duckdb":
        return nullcontext()
    engine = engine_from_spec(spec)
    assert isinstance(engine, SparkWorkspace)
    return engine


def zoned(dataset: "Dataset", zones: str | None, positions: Path | None) -> "tuple[Dataset, Zoning]":
    """Return the zoning a command asks for; without one, the file's own zone ids if it has any.

    The dataset comes back with a note if the zone file knows only some of its zones.
    """
    from privlab.lab.proposing import rows_in_chosen_zones

    return rows_in_chosen_zones(dataset, *zone_file(dataset.place, zones, positions))


def zone_file(place: str, zones: str | None, positions: Path | None) -> "tuple[str, Geography | None]":
    """Return the zoning's spec and what a zone file says; without a spec, the file's own zone ids if it has any."""
    from privlab.datasets.zone_files import geography_from_path, is_map_file, map_file_and_layer
    from privlab.datasets.zone_kinds import SPEC_HINT

    spec = zones or ("column" if place == "zone" else None)
    if spec is None:
        raise ParameterError(f"zones must be given for data with coordinates: {SPEC_HINT}.")
    if positions is not None:
        return spec, geography_from_path(positions)
    file, _ = map_file_and_layer(Path(spec))
    is_file = is_map_file(file) or file.suffix.lower() in (".geojson", ".json")
    return spec, geography_from_path(spec) if is_file else None


Week = Annotated[str | None, typer.Option(help="Monday of the week (2026-03-02); default the busiest.")]
Bound = Annotated[
    int | None,
    typer.Option("--max-trips-per-user", help="Contribution bound L; noise then is L/epsilon. Default none."),
]
