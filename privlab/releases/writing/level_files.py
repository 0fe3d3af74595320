"""The sums of districts of a release: in its certificate as they were published, and as a file with what agrees between levels.

The file follows from the certificate: whoever has that can work it out, so that it may be missing beside it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from privlab.checks import ParameterError
from privlab.od.levels import AgreedWeek, Level, LevelSums, PublishedLevels, agreed_weeks, pairs_of_cells
from privlab.od.releases import SecureReleaseParameters, WeekTotal
from privlab.od.usefulness import clip_ratio
from privlab.releases.writing.csv_reading import table_from_csv
from privlab.releases.writing.numbered_columns import numbered
from privlab.safe_text import csv_text

# What each column is, in the words of the certificate.
LEVEL_COLUMNS = {
    "noisy_count": "Trips from one district to the other, with noise of its own that the promise pays for: counted as the "
    "noise of a cell times 1024 over the level's units per trip.",
    "cells_count": "Sum of all noisy counts of cells between the two, those below the threshold included.",
    "agreed_count": "Weighted least squares of all noisy numbers of the week, cells and sums of every level: what agrees "
    "between levels. It follows from the other columns and this certificate. Where a total is published it is times what "
    "gives back on average what weights took.",
}
AGREED_COLUMN = {
    "agreed_count": "The published count, moved so that cells, districts and every level above agree (weighted least squares of all noisy "
    "numbers); where a total is published, times what gives back what weights took. Cells below the threshold "
    "are part of the sums."
}
AGREED_PLACES = 2  # decimals


def levels_as_record(published: PublishedLevels) -> list[dict[str, Any]]:
    """Return the levels as a certificate writes them: pairs of districts in order, from the first to each, row by row."""
    return [
        {
            "name": level.name,
            "of": list(level.of),
            "sums": {
                week: {"noisy": sums[i].noisy.tolist(), "counted": sums[i].counted.tolist()}
                for week, sums in published.sums.items()
            },
        }
        for i, level in enumerate(published.levels)
    ]


def divisions_from_certificate(certificate: dict[str, Any]) -> tuple[Level, ...]:
    """Return the levels that a certificate states, without their sums."""
    said = certificate.get("levels", {"divisions": []})["divisions"]
    return tuple(Level(name=one["name"], of=tuple(one["of"])) for one in said)


def levels_from_certificate(certificate: dict[str, Any]) -> PublishedLevels | None:
    """Return what a certificate says of the levels, None without any. Raises ParameterError for sums that are too few."""
    levels = divisions_from_certificate(certificate)
    if not levels:
        return None
    sums = {}
    for week in certificate["weeks"]:
        said = [one["sums"][week] for one in certificate["levels"]["divisions"]]
        for level, one in zip(levels, said, strict=True):
            if not len(one["noisy"]) == len(one["counted"]) == level.n_pairs:
                raise ParameterError(
                    f"levels must have a sum for each of the {level.n_pairs:,} pairs of {level.name!r}, got "
                    f"{len(one['noisy']):,} and {len(one['counted']):,}."
                )
        sums[week] = tuple(
            LevelSums(
                noisy=np.array(one["noisy"], dtype=np.int64), counted=np.array(one["counted"], dtype=np.int64)
            )
            for one in said
        )
    return PublishedLevels(zones=tuple(certificate["zones"]["public"] or ()), levels=levels, sums=sums)


def agreed_from_published(
    published: PublishedLevels,
    parameters: SecureReleaseParameters,
    scale: float,
    totals: Mapping[str, WeekTotal],
) -> dict[str, AgreedWeek]:
    """Return what agrees of each week; `totals` are what is published of each week as a whole, by which it is then multiplied."""
    ratio = {week: clip_ratio(parameters, total) for week, total in totals.items()} or None
    return agreed_weeks(published, scale, ratio)


def levels_table(published: PublishedLevels, agreed: Mapping[str, AgreedWeek]) -> pa.Table:
    """Return the sums as the file holds them: week, level, origin, destination and LEVEL_COLUMNS."""
    parts = []
    for week, sums in published.sums.items():
        for i, level in enumerate(published.levels):
            names = [csv_text(name) for name in level.districts]
            parts.append(
                pa.table(
                    {
                        "week": pa.array([week] * level.n_pairs, pa.string()).cast(pa.date32()),
                        "level": pa.array([csv_text(level.name)] * level.n_pairs, pa.string()),
                        "origin": pa.array([one for one in names for _ in names], pa.string()),
                        "destination": pa.array([one for _ in names for one in names], pa.string()),
                        "noisy_count": sums[i].noisy,
                        "cells_count": sums[i].counted,
                        "agreed_count": agreed[week].sums[i].round(AGREED_PLACES),
                    }
                )
            )
    return pa.concat_tables(parts)


def agreed_cells(
    table: pa.Table,
    published: PublishedLevels,
    agreed: Mapping[str, AgreedWeek],
    ratio: np.ndarray[Any, Any] | None,
) -> np.ndarray[Any, Any]:
    """Return the agreed count of each published cell, shape (P,): its noisy count times `ratio`, moved as its districts are."""
    import pandas as pd

    zones = pd.Index(list(published.zones))
    ends = [numbered(table[name]).places_in(zones) for name in ("origin", "destination")]
    if any((end < 0).any() for end in ends):
        raise ParameterError("zones must be those stated, got a cell of another.")
    pair = pairs_of_cells(published.levels[0], *ends)
    week_of = numbered(table["week"])
    found = table["count"].to_numpy() * (1.0 if ratio is None else ratio)
    for week, one in agreed.items():
        part = week_of.rows(week)
        found[part] = found[part] + one.added[pair[part]]
    return np.asarray(found, dtype=np.float64)


def write_levels(published: PublishedLevels, agreed: Mapping[str, AgreedWeek], path: Path) -> None:
    """Write the sums of a release."""
    pa_csv.write_csv(levels_table(published, agreed), path)


def follows_from_levels(path: Path, published: PublishedLevels, agreed: Mapping[str, AgreedWeek]) -> bool:
    """Return whether a file of sums is what the certificate gives, up to rounding in the last place."""
    expected = levels_table(published, agreed)
    said = table_from_csv(path, expected)
    if said is None:
        return False
    exact = expected.column_names[:-1]
    if said.schema != expected.schema or not said.select(exact).equals(expected.select(exact)):
        return False
    one, other = said["agreed_count"].to_numpy(), expected["agreed_count"].to_numpy()
    return bool(np.allclose(one, other, rtol=1e-9, atol=1.01 * 10.0**-AGREED_PLACES))


def sums_agree_upwards(published: PublishedLevels) -> bool:
    """Return whether the sums of cells of each level are those of the level below."""
    for sums in published.sums.values():
        for i in range(len(published.levels) - 1):
            lower, upper = published.levels[i : i + 2]
            above = dict(zip(lower.of, upper.of, strict=True))
            place = np.searchsorted(upper.districts, [above[one] for one in lower.districts])
            n = len(upper.districts)
            found = np.zeros(n * n, dtype=np.int64)
            np.add.at(found, (place[:, None] * n + place[None, :]).ravel(), sums[i].counted)
            if not np.array_equal(found, sums[i + 1].counted):
                return False
    return True


def sums_of_cells(published: PublishedLevels, table: pa.Table) -> bool:
    """Return whether the lowest sums of cells are those of a table in which every cell stands."""
    import pandas as pd

    zones = pd.Index(list(published.zones))
    origin, destination = (numbered(table[name]).places_in(zones) for name in ("origin", "destination"))
    week_of = numbered(table["week"])
    lowest = published.levels[0]
    pair = pairs_of_cells(lowest, origin, destination)
    for week, sums in published.sums.items():
        found = np.zeros(lowest.n_pairs, dtype=np.int64)
        rows = week_of.rows(week)
        np.add.at(found, pair[rows], table["count"].to_numpy()[rows])
        if not np.array_equal(found, sums[0].counted):
            return False
    return True
