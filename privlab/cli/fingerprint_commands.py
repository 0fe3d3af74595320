"""The command line of fingerprints: how hard it is to hide each user among others.

Registered on the same application as cli.py; options mean the same there and here.
"""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError, counts_from_text, numbers_from_text, require_whole
from privlab.cli.common_options import Data, Json, engine_from_spec
from privlab.cli.output import require_parquet_name, show, write_table
from privlab.cli.progress_lines import progress_lines
from privlab.cli.reading_options import Reading, opened, with_reading
from privlab.fingerprints import (
    DEFAULT_KS,
    DEFAULT_LEVELS,
    DEFAULT_MAX_KM,
    DEFAULT_MAX_MIN,
    Level,
    fold_days_from_text,
    levels_from_text,
)
from privlab.limits import MAX_SEED, MAX_USERS_GENERATED

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from privlab.fingerprints import Fingerprints
    from privlab.fingerprints.measures import Dispersion, KGaps
    from privlab.fingerprints.search import Neighbours, StretchParameters

app = typer.Typer()

_LEVELS, _KS = ",".join(map(str, DEFAULT_LEVELS)), ",".join(map(str, DEFAULT_KS))


@app.command()
@with_reading
def kgap(
    data: Data,
    *,
    reading: Reading,
    level: Annotated[
        list[str] | None, typer.Option(help=f"KM-MIN,…: cell size and time bin; default {_LEVELS}.")
    ] = None,
    k: Annotated[str, typer.Option(help="How many are to look alike, with commas between.")] = _KS,
    max_km: Annotated[
        float, typer.Option(help="Beyond it samples are as far apart in space as can be.")
    ] = DEFAULT_MAX_KM,
    max_min: Annotated[int, typer.Option(help="Beyond it they are so in time.")] = DEFAULT_MAX_MIN,
    weights: Annotated[
        str, typer.Option(help="Of space and of time in the distance of two samples.")
    ] = "0.5,0.5",
    fold: Annotated[
        str | None, typer.Option(help="Lay time onto one period, such as 14d; default off.")
    ] = None,
    centre: Annotated[
        str | None, typer.Option(help="LAT,LON where the map is laid flat; default the data's median.")
    ] = None,
    query_users: Annotated[
        int | None,
        typer.Option(help="Judge so many users, drawn by the seed, against everybody; default all."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the draw of users.")] = 1,
    workers: Annotated[int | None, typer.Option(help="Threads; default one per processor.")] = None,
    out: Annotated[Path | None, typer.Option(help="Parquet file for the figures of every user.")] = None,
    as_json: Json = False,
) -> None:
    """Compute the k-gap of every user, exactly: how far the k − 1 nearest fingerprints are. True data."""
    import pyarrow as pa

    from privlab.fingerprints import folded_fingerprints
    from privlab.fingerprints.measures import ks_from_numbers, positions_of_query_users
    from privlab.fingerprints.search import workers_or_all
    from privlab.lab import fingerprints_from_rows

    levels = levels_from_text(",".join(level or [_LEVELS]))
    ks, parameters = ks_from_numbers(counts_from_text(k)), _stretch_parameters(max_km, max_min, weights)
    fold_days, n_workers = fold_days_from_text(fold), workers_or_all(workers)
    if out is not None:
        require_parquet_name(out)
    if query_users is not None:
        require_whole("query_users", query_users, 1, MAX_USERS_GENERATED)
    with engine_from_spec("duckdb") as workspace:
        finest = fingerprints_from_rows(
            opened(data, reading, workspace, None), centre=_place(centre), progress=progress_lines()
        )
    if fold_days is not None:
        finest = folded_fingerprints(finest, fold_days=fold_days)
    query = positions_of_query_users(finest.n_users, query_users, seed)
    found = [_level(finest, one, ks, parameters, query, n_workers) for one in levels]
    rows = [row for row, _ in found]
    if out is not None:
        write_table(out, pa.concat_tables([table for _, table in found]))
    result = {
        "records": finest.n_records,
        "left_out": finest.n_left_out,
        "users": finest.n_users,
        "empty_users": finest.n_empty_users,
        "query_users": query.size,
        "parameters": parameters,
        "fold_days": fold_days,
        "seed": None if query_users is None else seed,
        "levels": rows if as_json else [line for row in rows for line in _lines(row)],
    }
    show(result, as_json)


def _place(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    place = numbers_from_text("centre", text)
    if len(place) != 2:
        raise ParameterError(f"centre must be a latitude and a longitude with a comma between, got {text!r}.")
    return place[0], place[1]


def _stretch_parameters(max_km: float, max_min: int, weights: str) -> "StretchParameters":
    from privlab.fingerprints.search import StretchParameters

    try:
        space, time = (float(part) for part in weights.split(","))
    except ValueError:
        raise ParameterError(f"weights must be two numbers, such as 0.5,0.5, got {weights!r}.") from None
    return StretchParameters(max_km=max_km, max_min=max_min, space_weight=space, time_weight=time)


def _level(
    finest: "Fingerprints",
    level: Level,
    ks: tuple[int, ...],
    parameters: "StretchParameters",
    query: "npt.NDArray[np.int64]",
    n_workers: int,
) -> "tuple[dict[str, Any], pa.Table]":
    """Return the figures of one level, and its rows of the file."""
    from privlab.fingerprints import fingerprints_at_level
    from privlab.fingerprints.measures import (
        dispersion_from_neighbours,
        kgap_from_neighbours,
        share_equal_length_pairs,
    )
    from privlab.fingerprints.search import neighbours_from_fingerprints, search_gb

    began = time.perf_counter()
    coarse, progress = fingerprints_at_level(finest, level), progress_lines(f"{level}  ")
    memory_gb = search_gb(coarse, n_queries=query.size, k=ks[-1], n_workers=n_workers)
    neighbours = neighbours_from_fingerprints(
        coarse, k=ks[-1], parameters=parameters, query=query, n_workers=n_workers, progress=progress
    )
    kgaps = kgap_from_neighbours(neighbours, ks)
    dispersion = dispersion_from_neighbours(coarse, neighbours, ks, n_workers=n_workers, progress=progress)
    seconds = time.perf_counter() - began
    row = {
        "level": str(level),
        "users": coarse.n_users,
        "mean_samples": float(coarse.n_samples.mean()),
        "share_equal_length_pairs": share_equal_length_pairs(coarse),
        "seconds": round(seconds, 3),
        "memory_gb": round(memory_gb, 3),
        "share_compared": neighbours.n_compared / max(1, neighbours.n_pairs),
        "k": {str(one): _figures(kgaps, dispersion, one) for one in ks},
    }
    return row, _table(coarse, level, neighbours, kgaps, dispersion)


def _figures(kgaps: "KGaps", dispersion: "Dispersion", k: int) -> dict[str, Any]:
    from privlab.fingerprints.measures import summary_from_dispersion, summary_from_kgaps

    gaps, parts = summary_from_kgaps(kgaps, k), summary_from_dispersion(dispersion, k)
    return {
        "mean": gaps.mean,
        "share_at_zero": gaps.share_at_zero,
        "quantiles": gaps.quantiles,
        "medians": parts.median,
        "undefined": parts.n_undefined,
        "share_mostly_temporal": parts.share_mostly_temporal,
    }


def _lines(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "level": row["level"],
            "k": k,
            "mean": figures["mean"],
            "median": figures["quantiles"]["0.5"],
            "share at zero": figures["share_at_zero"],
            "mean km": figures["medians"]["mean_km"],
            "mean min": figures["medians"]["mean_min"],
            "temporal share": figures["medians"]["temporal_share"],
            "seconds": row["seconds"],
        }
        for k, figures in row["k"].items()
    ]


def _table(
    coarse: "Fingerprints", level: Level, neighbours: "Neighbours", kgaps: "KGaps", dispersion: "Dispersion"
) -> "pa.Table":
    """Return one row per user and k."""
    import numpy as np
    import pyarrow as pa

    from privlab.fingerprints.measures import MEASURES

    n_users, n_ks = kgaps.values.shape
    return pa.table(
        {
            "user_id": np.repeat(coarse.user_ids[neighbours.query], n_ks),
            "level": pa.array([str(level)] * (n_users * n_ks), pa.string()),
            "k": np.tile(np.array(kgaps.ks, dtype=np.int32), n_users),
            "kgap": kgaps.values.ravel(),
            **{name: getattr(dispersion, name).ravel() for name in MEASURES},
        }
    )
