"""The command line of fingerprints: how hard it is to hide each user among others.

Registered on the same application as main.py; options mean the same there and here.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.checks import ParameterError, counts_from_text, number_from_text, numbers_from_text
from privlab.cli.options.common_options import ControlOption, Data, Engine, Json, engine_from_spec
from privlab.cli.options.reading_options import Reading, opened, with_reading
from privlab.cli.printing.output import require_parquet_name, show, write_table
from privlab.cli.printing.progress_lines import progress_lines
from privlab.controls import control_sentence, controls_from_specs
from privlab.defaults import DEFAULT_KS, DEFAULT_MAX_KM, DEFAULT_MAX_MIN
from privlab.fingerprints import DEFAULT_LEVELS, fold_days_from_text, levels_from_text
from privlab.limits import MAX_SEED

if TYPE_CHECKING:
    import pyarrow as pa

    from privlab.datasets.engines import SparkWorkspace, Workspace
    from privlab.fingerprints import Fingerprints
    from privlab.fingerprints.measures import LevelStudy, StudyParameters
    from privlab.fingerprints.search import StretchParameters

app = typer.Typer()

_QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0)
_LEVELS, _KS = ",".join(map(str, DEFAULT_LEVELS)), ",".join(map(str, DEFAULT_KS))


@app.command()
@with_reading
def kgap(
    data: Data,
    *,
    reading: Reading,
    level: Annotated[
        list[str] | None, typer.Option(metavar="KM-MIN,…", help=f"Cell size and time bin; default {_LEVELS}.")
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
    control: ControlOption = None,
    query_users: Annotated[
        int | None,
        typer.Option(help="Judge so many users, drawn by the seed, against everybody; default all."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=MAX_SEED, help="Seed of the draw of users, and of controls.")
    ] = 1,
    workers: Annotated[int | None, typer.Option(help="Threads; default one per processor.")] = None,
    person: Annotated[
        str | None,
        typer.Option(
            help="Places in the order of the k-gaps, as 1,500,1000: how far single samples of these people are, with tails."
        ),
    ] = None,
    engine: Engine = "duckdb",
    out: Annotated[Path | None, typer.Option(help="Parquet file for the figures of every user.")] = None,
    as_json: Json = False,
) -> None:
    """Compute the k-gap of every user, exactly: how far the k − 1 nearest fingerprints are. True data."""
    import pyarrow as pa

    from privlab.fingerprints.measures import StudyParameters, ks_from_numbers
    from privlab.fingerprints.search import workers_or_all
    from privlab.lab.loading import fingerprints_from_rows

    levels = levels_from_text(",".join(level or [_LEVELS]))
    ks, n_workers = ks_from_numbers(counts_from_text(k)), workers_or_all(workers)
    parameters = StudyParameters(
        level=levels[0],
        stretch=_stretch_parameters(max_km, max_min, weights),
        n_query=query_users,
        fold_days=fold_days_from_text(fold),
        controls=controls_from_specs(control or []),
        seed=seed,
    )
    places = [] if person is None else counts_from_text(person)
    if out is not None:
        require_parquet_name(out)
    with engine_from_spec(engine) as workspace:
        finest = fingerprints_from_rows(
            opened(data, reading, workspace, None), centre=_place(centre), progress=progress_lines()
        )
        found = [_level(finest, replace(parameters, level=one), ks, n_workers, workspace) for one in levels]
    rows = [row for _, row in found]
    laws = [one for study, _ in found for one in _laws(finest, study, ks[0], places)]
    if out is not None:
        write_table(out, pa.concat_tables([_table(study) for study, _ in found]))
    result = {
        "records": finest.n_records,
        "left_out": finest.n_left_out,
        "controls": parameters.controls,
        "users": found[0][0].n_users,
        "empty_users": finest.n_empty_users,
        "query_users": found[0][0].n_judged,
        "parameters": parameters.stretch,
        "fold_days": parameters.fold_days,
        "seed": seed if query_users is not None or parameters.controls else None,
        "notes": [control_sentence(parameters.controls, measure="k-gap")] if parameters.controls else [],
        "levels": rows if as_json else [line for row in rows for line in _lines(row)],
        **({"people": laws} if laws else {}),
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
        space, time = (number_from_text("weights", part) for part in weights.split(","))
    except ValueError:
        raise ParameterError(f"weights must be two numbers, such as 0.5,0.5, got {weights!r}.") from None
    return StretchParameters(max_km=max_km, max_min=max_min, space_weight=space, time_weight=time)


def _level(
    finest: "Fingerprints",
    parameters: "StudyParameters",
    ks: tuple[int, ...],
    n_workers: int,
    workspace: "Workspace | SparkWorkspace",
) -> "tuple[LevelStudy, dict[str, Any]]":
    """Return the study of one level, and what is said of it."""
    from privlab.datasets.engines import SparkWorkspace
    from privlab.lab.fingerprints import kgap_study_from_fingerprints

    study = kgap_study_from_fingerprints(
        finest,
        parameters,
        ks=ks,
        n_workers=n_workers,
        cluster=workspace if isinstance(workspace, SparkWorkspace) else None,
        progress=progress_lines(f"{parameters.level}  "),
    )
    return study, {
        "level": str(parameters.level),
        "users": study.n_users,
        "mean_samples": study.mean_samples,
        "share_equal_length_pairs": study.share_equal_length_pairs,
        "memory_gb": round(study.room.memory_gb, 3),
        "disk_gb": round(study.room.disk_gb, 3),
        "share_compared": study.share_compared,
        "k": {str(one): _figures(study, one) for one in ks},
    }


def _laws(finest: "Fingerprints", study: "LevelStudy", k: int, places: list[int]) -> list[dict[str, Any]]:
    """Return the laws of the sample distances of chosen people, by their places in the order of the k-gaps of k."""
    import numpy as np

    from privlab.checks import require_whole
    from privlab.fingerprints.measures import (
        PARTS,
        fingerprints_of_study,
        pooled_parts_from_fingerprints,
    )

    if not places:
        return []
    for place in places:
        require_whole("person", place, 1, study.n_judged)
    users = study.kgaps.ranked(k)[np.array(places) - 1].tolist()
    found = pooled_parts_from_fingerprints(
        fingerprints_of_study(finest, study.parameters), users, k=k, parameters=study.parameters.stretch
    )
    return [
        {
            "level": str(study.parameters.level),
            "k": k,
            "person": place,
            "samples": int(one.spatial.size),
            "part": part,
            "quantiles": {
                f"{share:g}": float(np.quantile(one.of(part), share, method="inverted_cdf"))
                for share in _QUANTILES
            }
            if one.spatial.size
            else {},
            "gini": one.gini[part],
            "tail_weight": one.tail_weight[part],
        }
        for place, one in zip(places, found, strict=True)
        for part in PARTS
    ]


def _figures(study: "LevelStudy", k: int) -> dict[str, Any]:
    from privlab.fingerprints.measures import summary_from_dispersion, summary_from_kgaps

    assert study.dispersion is not None
    gaps, parts = summary_from_kgaps(study.kgaps, k), summary_from_dispersion(study.dispersion, k)
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
        }
        for k, figures in row["k"].items()
    ]


def _table(study: "LevelStudy") -> "pa.Table":
    """Return one row per user and k."""
    import numpy as np
    import pyarrow as pa

    from privlab.fingerprints.measures import MEASURES

    kgaps = study.kgaps
    n_users, n_ks = kgaps.values.shape
    return pa.table(
        {
            "user_id": np.repeat(study.user_ids[kgaps.query], n_ks),
            "level": pa.array([str(study.parameters.level)] * (n_users * n_ks), pa.string()),
            "k": np.tile(np.array(kgaps.ks, dtype=np.int32), n_users),
            "kgap": kgaps.values.ravel(),
            **{name: getattr(study.dispersion, name).ravel() for name in MEASURES},
        }
    )
