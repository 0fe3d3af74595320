"""The command line of what a few samples give away, and of hiding fingerprints in one another.

Registered on the same application as main.py; options mean the same there and here.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from privlab.cli.options.common_options import Data, Json, engine_from_spec
from privlab.cli.options.reading_options import Reading, opened, with_reading
from privlab.cli.printing.output import require_parquet_name, show, write_table
from privlab.cli.printing.progress_lines import progress_lines
from privlab.defaults import DEFAULT_DRAWS, DEFAULT_POINTS
from privlab.fingerprints import DEFAULT_LEVELS, levels_from_text
from privlab.limits import MAX_SEED

if TYPE_CHECKING:
    from privlab.fingerprints import Fingerprints
    from privlab.fingerprints.glove import Accuracy, HiddenGroups
    from privlab.fingerprints.singling_out import PlacesUnicity, ResolutionLaw, Unicity

app = typer.Typer()


_WITHIN_KM = (0.1, 0.5, 1, 2, 5, 10, 20, 50)
_WITHIN_MIN = (1, 10, 30, 60, 120, 240, 480, 1440)
_NOTE = (
    "Everybody shares all that is published of them with at least k − 1 others (k-anonymity). What all of a "
    "group have in common is still told of each, and so is that someone is in the data at all."
)


def _fingerprints(data: str, reading: Reading) -> "Fingerprints":
    from privlab.lab.loading import fingerprints_from_rows

    with engine_from_spec("duckdb") as workspace:
        return fingerprints_from_rows(opened(data, reading, workspace, None), progress=progress_lines())


def _account(people: "Fingerprints") -> dict[str, Any]:
    """Return what took part and what did not."""
    return {
        "records": people.n_records,
        "left_out": people.n_left_out,
        "users": people.n_users,
        "empty_users": people.n_empty_users,
    }


@app.command()
@with_reading
def unicity(
    data: Data,
    *,
    reading: Reading,
    points: Annotated[
        str, typer.Option(help="Samples known of a trace: 4, 1..10 or 1..4,10.")
    ] = f"1..{DEFAULT_POINTS}",
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="KM-MIN,…", help=f"Cell size and time bin; default {DEFAULT_LEVELS[0]}."),
    ] = None,
    places: Annotated[
        str | None,
        typer.Option(help="Also the most visited places, of all users: 3, 1..10 or 1..4,10; default none."),
    ] = None,
    draws: Annotated[
        int, typer.Option(help="Traces drawn; all are taken where there are no more.")
    ] = DEFAULT_DRAWS,
    seed: Annotated[int, typer.Option(min=0, max=MAX_SEED, help="Seed of the traces and samples drawn.")] = 1,
    as_json: Json = False,
) -> None:
    """Count the traces that a few random samples, or their most visited places, single out. True data."""
    from privlab.fingerprints.singling_out import (
        places_unicity_from_fingerprints,
        points_from_text,
        resolution_laws_from_unicity,
        unicity_by_level_from_fingerprints,
    )
    from privlab.seeds import generator

    known, levels = points_from_text(points), levels_from_text(",".join(level or [str(DEFAULT_LEVELS[0])]))
    n_places = None if places is None else points_from_text(places, "places")
    people = _fingerprints(data, reading)
    found = unicity_by_level_from_fingerprints(
        people, levels, points=known, draws=draws, rng=generator(seed, "unicity"), progress=progress_lines()
    )
    first = found.curves[0]
    result = {
        **_account(people),
        "traces": first.n_traces,
        "every_user": first.every_user,
        "seed": seed,
        "laws": [_law(one) for one in resolution_laws_from_unicity(found)],
        "levels": [_curve(curve) for curve in found.curves]
        if as_json
        else [line for curve in found.curves for line in _lines(curve)],
    }
    if n_places is not None:
        visited = [places_unicity_from_fingerprints(people, one, places=n_places) for one in levels]
        result["places"] = [row for one in visited for row in _places(one)]
    show(result, as_json)


def _places(found: "PlacesUnicity") -> list[dict[str, Any]]:
    return [
        {
            "level": str(found.level),
            "places": int(n),
            "alone_as_set": float(found.share_of_sets[i]),
            "alone_in_order": float(found.share_of_lists[i]),
            "short": int(found.n_short[i]),
        }
        for i, n in enumerate(found.places)
    ]


def _law(found: "ResolutionLaw") -> dict[str, Any]:
    """Return the power of the resolution with which unicity falls; of de Montjoye et al. (2013) it is about 0.1."""
    return {
        "points": found.points,
        "exponent": found.exponent,
        "low": found.low,
        "high": found.high,
        "levels": found.n_levels,
        "levels_without": found.n_without,
        "off_by": found.off_by,
    }


def _curve(curve: "Unicity") -> dict[str, Any]:
    rows = _lines(curve)
    return {
        "level": str(curve.level),
        "points": {
            str(row["points"]): {key: row[key] for key in ("share", "low", "high", "alone", "short")}
            for row in rows
        },
    }


def _lines(curve: "Unicity") -> list[dict[str, Any]]:
    columns = {
        "points": curve.points,
        "share": curve.share,
        "low": curve.low,
        "high": curve.high,
        "alone": curve.n_alone,
        "short": curve.n_short,
    }
    return [
        {"level": str(curve.level), **{name: values[i].item() for name, values in columns.items()}}
        for i in range(curve.points.size)
    ]


@app.command()
@with_reading
def glove(
    data: Data,
    *,
    reading: Reading,
    out: Annotated[Path, typer.Option(help="Parquet file for what may be published.")],
    k: Annotated[int, typer.Option(help="How many users, at least, are to share a fingerprint.")] = 2,
    suppress_km: Annotated[
        float | None, typer.Option(help="Leave out samples stretched beyond it; default none.")
    ] = None,
    suppress_min: Annotated[
        int | None, typer.Option(help="Leave out samples stretched beyond it; default none.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads; default one per processor.")] = None,
    as_json: Json = False,
) -> None:
    """Merge fingerprints until everybody shares theirs with k − 1 others, and write what is left of them."""
    from privlab.fingerprints.glove import GloveParameters
    from privlab.fingerprints.search import workers_or_all
    from privlab.lab.fingerprints import hidden_people_from_fingerprints

    parameters = GloveParameters(k=k, suppress_km=suppress_km, suppress_min=suppress_min)
    n_workers = workers_or_all(workers)
    require_parquet_name(out)
    people = _fingerprints(data, reading)
    hidden = hidden_people_from_fingerprints(
        people, parameters, n_workers=n_workers, progress=progress_lines()
    )
    write_table(out, hidden.table)
    from privlab.figures.fingerprints import anonymizability_words as words

    result = {
        **_account(people),
        "parameters": parameters,
        **_left(hidden.groups),
        "rows": hidden.table.num_rows,
        "verified": hidden.verification.checks,
        "fewest_sharing": hidden.verification.n_sharing,
        **_accuracy(hidden.accuracy),
        "says": words.hidden_finding(hidden.groups, hidden.accuracy, hidden.verification),
        "notes": [_NOTE],
    }
    show(result, as_json)


def _left(groups: "HiddenGroups") -> dict[str, Any]:
    n_samples = groups.home.size
    return {
        "groups": groups.n_groups,
        "largest_group": int(groups.users_per_group.max()),
        "samples": n_samples,
        "suppressed_samples": groups.n_suppressed,
        "suppressed_share": groups.n_suppressed / n_samples,
        "discarded_users": groups.n_discarded_users,
        "boxes": len(groups.boxes),
    }


def _accuracy(accuracy: "Accuracy") -> dict[str, Any]:
    """Return the shares of published samples known to within some sizes."""
    return {
        "share_within_km": {f"{km:g}": accuracy.within_km(km) for km in _WITHIN_KM},
        "share_within_min": {f"{minutes:g}": accuracy.within_min(minutes) for minutes in _WITHIN_MIN},
    }
