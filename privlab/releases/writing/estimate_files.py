"""The estimates of a release as a file of their own beside its counts, and whether such a file is what it must be.

What stands in it follows from the published counts and the certificate's parameters: whoever has those can work it out.
"""

import re
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from privlab.od import product_of
from privlab.od.levels import PublishedLevels
from privlab.od.releases import SecureReleaseParameters, WeekTotal
from privlab.od.usefulness import clip_ratio, estimates_from_published_counts
from privlab.releases.writing.csv_reading import table_from_csv
from privlab.releases.writing.level_files import (
    AGREED_COLUMN,
    AGREED_PLACES,
    agreed_cells,
    agreed_from_published,
)
from privlab.releases.writing.model_files import PublishedModel, smoothed_cells
from privlab.releases.writing.numbered_columns import numbered
from privlab.safe_text import csv_text

# What each column is, in the words of the certificate.
COLUMNS = {
    "noisy_count": "The published count. All columns after it follow from the published counts and this certificate.",
    "whole_count": "The published count, but 0 where it is below.",
    "at_least_95": "Least count before noise within the 95% interval that the law of the noise gives. Whatever a count was before noise, "
    "at least 95% of what is published of it have it in their interval: that only counts from the threshold on are published is taken into "
    "account. The interval is for the noise alone: trips that the bound left out, or weighed less, are in no interval.",
    "at_most_95": "Largest count before noise within the interval.",
    "chance_of_flow": "Chance that the bounded count before noise is at least 1. Prior: how many cells are empty, and how many lie in each "
    "doubling of size (1, 2-3, 4-7, ...), is fitted to all published counts and to the number of cells that are not published; each size "
    "within a doubling is equally likely.",
    "smoothed_count": "Posterior mean between the published count and a model (origin x destination) fitted to the "
    "published counts of the week. It is pulled towards the model, and with a threshold the model knows published "
    "flows only.",
}
# What stood in their place in releases that took an even chance of no flow, and the noise for as likely up as down.
_BEFORE = {
    "at_least_95": "Least count before noise within the 95% interval that the law of the noise gives. The interval is for the "
    "noise alone: trips that the bound left out, or weighed less, are in no interval. With a threshold, cells that the "
    "noise lifted over it are published more often, so that fewer than 95% of the small published ones may hold.",
    "chance_of_flow": "Chance that the bounded count before noise is at least 1. Prior: one half for no flow; else each doubling "
    "of size (1, 2-3, 4-7, ...) up to that of the largest published count is equally likely, and each size within it.",
}
# What stood there for the interval of today, for an hour of 26 November 2026.
_INTERVAL_BEFORE = (
    "Least count before noise within the 95% interval that the law of the noise gives: whatever that count is, 95% of what is published of it "
    "have it in their interval, as the threshold lets through lucky noise most of all. The interval is for the noise alone: trips that the "
    "bound left out, or weighed less, are in no interval."
)
_FOUND = "Chance that the bounded count before noise is at least 1: certain, since only cells with a trip were given noise."
# What stands beside them where a noisy total is published.
UNBIASED_COLUMNS = COLUMNS | {
    "unbiased_count": "The published count times the published total of the week over the sum of all its noisy counts (at "
    "least 1, at most what the heaviest weight undoes): what the weights of people with many trips took away is given "
    "back to all flows alike. Its noise is larger by the same number.",
}
# What is said otherwise where flows are told apart by time slot, and where visits are counted.
_MODEL, _MODEL_OF_SLOTS = (
    "a model (origin x destination)",
    "a model (origin x destination, in each slot by itself)",
)
SLOT_COLUMNS = COLUMNS | {"smoothed_count": COLUMNS["smoothed_count"].replace(_MODEL, _MODEL_OF_SLOTS)}
VISITS_COLUMNS = COLUMNS | {
    "smoothed_count": COLUMNS["smoothed_count"]
    .replace(_MODEL, "a model (zone x hour of the week)")
    .replace("published flows only", "published cells only")
}
_OF_PRODUCT = {"flows-by-slot": SLOT_COLUMNS, "visits": VISITS_COLUMNS}
# What a smoothed count is where the certificate says what all noisy counts add up to.
_MODELLED = (
    "Posterior mean between the published count and a model ({}) that has the sums of all noisy counts of the week, those "
    "below the threshold included, as this certificate says them. It is pulled towards the model."
)
_WAY_BACK = (
    " Where the flow back from the destination to the origin is published too, how far that is off the model counts as well, as far as "
    "flows and those back are alike in the noisy counts of the week (alike, in this certificate)."
)
_GIVEN_BACK = " It is then multiplied as the unbiased count is."
_LONG = 100_000  # rows
_PLACES = {"chance_of_flow": 4, "smoothed_count": 2, "unbiased_count": 2, "agreed_count": AGREED_PLACES}


def csv_table_from_table(table: pa.Table) -> pa.Table:
    """Return the counts as the CSV file holds them: ids that a spreadsheet would run get a ' before them."""
    for name in ("origin", "destination", "zone"):
        if name in table.column_names and not pa.types.is_integer(table.schema.field(name).type):
            ids = numbered(table[name])
            safe = pa.array([csv_text(str(one)) for one in ids.different], pa.string()).take(
                pa.array(ids.number)
            )
            table = table.set_column(table.column_names.index(name), name, safe)
    return table


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table as CSV; the two halves of a long one are put into words side by side."""
    if table.num_rows < _LONG:
        pa_csv.write_csv(table, path)
        return
    half = table.num_rows // 2
    rest = pa.BufferOutputStream()
    with ThreadPoolExecutor(1) as thread:
        second = thread.submit(
            pa_csv.write_csv, table.slice(half), rest, pa_csv.WriteOptions(include_header=False)
        )
        with path.open("wb") as file:
            pa_csv.write_csv(table.slice(0, half), file)
            second.result()
            file.write(rest.getvalue())


def columns_of(
    parameters: SecureReleaseParameters,
    *,
    modelled: bool = False,
    located: bool = False,
    both_ways: bool = True,
    before: bool = False,
) -> dict[str, str]:
    """Return what the columns of a release's estimates are, in the words of its certificate.

    `modelled` where that says what all noisy counts add up to, as it does since public cells are smoothed by it, and `located` where it
    says where the zones lie, `both_ways` where it says how alike flows and those back are; `before` where intervals and chances are
    those that are_read_as_before.
    """
    product = parameters.product
    columns = _OF_PRODUCT.get(product, COLUMNS)
    if parameters.total_share:
        columns = UNBIASED_COLUMNS | columns | {"smoothed_count": _unbiased(columns["smoothed_count"])}
    if modelled:
        parts = "origin x destination" + (" x class of distance" if located else "")
        if product == "visits":
            parts = "zone x hour of the week"
        elif product == "flows-by-slot":
            parts += ", in each slot by itself"
        words = _MODELLED.format(parts)
        words += _WAY_BACK if both_ways and product != "visits" else ""
        words += _GIVEN_BACK if parameters.total_share else ""
        columns = columns | {"smoothed_count": words}
    if before:
        columns = columns | _BEFORE
    elif parameters.cells == "discovered":
        columns = columns | {"chance_of_flow": _FOUND}
    if product == "visits":
        columns = columns | {name: _of_visits(columns[name]) for name in _BEFORE}
    return columns | AGREED_COLUMN if parameters.levels else columns


def _of_visits(words: str) -> str:
    """Return what a column is where visits are counted."""
    return (
        words.replace("trips that", "visits that")
        .replace("Chance that the bounded count", "Chance that the bounded count of visits")
        .replace("for no flow", "for no visit")
        .replace("cells with a trip", "cells with a visit")
    )


def are_read_as_before(columns: Mapping[str, str]) -> bool:
    """Return whether a certificate explains intervals and chances as they were before they heeded the threshold and the empty cells."""
    return columns.get("chance_of_flow") in (_BEFORE["chance_of_flow"], _of_visits(_BEFORE["chance_of_flow"]))


def columns_in_words_of_today(columns: Mapping[str, str], product: str = "flows") -> dict[str, str]:
    """Return what a certificate says of the columns as it would be written today.

    Earlier ones have a space before %, say the interval of today in other words, or do not say that slots are smoothed by themselves.

    >>> columns_in_words_of_today({"at_least_95": "within the 95 % interval"})
    {'at_least_95': 'within the 95% interval'}
    """
    today = {name: re.sub(r"(?<=\d) %", "%", words) for name, words in columns.items()}
    for of_product in (str, _of_visits):
        if today.get("at_least_95") == of_product(_INTERVAL_BEFORE):
            today["at_least_95"] = of_product(COLUMNS["at_least_95"])
    if product == "flows-by-slot" and "smoothed_count" in today:
        today["smoothed_count"] = today["smoothed_count"].replace(_MODEL, _MODEL_OF_SLOTS)
    return today


def _unbiased(words: str) -> str:
    """Return what a smoothed count is where it follows unbiased counts."""
    return words.replace("the published count and", "the unbiased count and", 1).replace(
        "the published counts of the week", "the unbiased counts of the week"
    )


def estimates_table(
    table: pa.Table,
    parameters: SecureReleaseParameters,
    scale: float,
    totals: Mapping[str, WeekTotal] = MappingProxyType({}),
    levels: PublishedLevels | None = None,
    model: PublishedModel | None = None,
    *,
    n_cells: int | None,
) -> pa.Table:
    """Return the estimates of a release from the table of its published counts, as the CSV file holds them.

    `scale` is that of the noise, and `totals` what is published of each week as a whole, as the certificate says them; `levels`
    what is published of districts, `model` what it says of all noisy counts; without it smoothed counts follow the published
    ones alone. `n_cells` as in estimates_from_published_counts.
    """
    ratio, product = None, product_of(parameters.product)
    if parameters.total_share:
        weeks = numbered(table["week"])
        by_week = [clip_ratio(parameters, totals[str(week)]) for week in weeks.different]
        ratio = np.array(by_week, dtype=np.float64)[weeks.number]
    found = estimates_from_published_counts(
        parameters,
        scale,
        week=numbered(table["week"]).number,
        margins=product.margins({name: numbered(table[name]).number for name in product.columns}),
        count=table["count"].to_numpy(),
        n_cells=n_cells,
        ratio=ratio,
        smoothed=None if model is None else smoothed_cells(table, model, parameters, scale),
    )
    values = [
        table["count"].to_numpy(),
        found.whole,
        found.low,
        found.high,
        found.chance.round(_PLACES["chance_of_flow"]),
        found.smoothed.round(_PLACES["smoothed_count"]),
    ]
    if found.unbiased is not None:
        values.append(found.unbiased.round(_PLACES["unbiased_count"]))
    if levels is not None:
        agreed = agreed_from_published(levels, parameters, scale, totals)
        values.append(agreed_cells(table, levels, agreed, ratio).round(AGREED_PLACES))
    cells = csv_table_from_table(table).select(["week", *product.columns])
    located = model is not None and model.positions is not None
    names = columns_of(parameters, modelled=model is not None, located=located, before=n_cells is None)
    for name, value in zip(names, values, strict=True):
        cells = cells.append_column(name, pa.array(value))
    return cells


def write_estimates(
    table: pa.Table,
    parameters: SecureReleaseParameters,
    scale: float,
    path: Path,
    totals: Mapping[str, WeekTotal] = MappingProxyType({}),
    levels: PublishedLevels | None = None,
    model: PublishedModel | None = None,
    *,
    n_cells: int | None,
) -> None:
    """Write the estimates of a release."""
    write_csv(estimates_table(table, parameters, scale, totals, levels, model, n_cells=n_cells), path)


def follows_from_counts(
    path: Path,
    table: pa.Table,
    parameters: SecureReleaseParameters,
    scale: float,
    totals: Mapping[str, WeekTotal] = MappingProxyType({}),
    levels: PublishedLevels | None = None,
    model: PublishedModel | None = None,
    *,
    n_cells: int | None,
) -> bool:
    """Return whether a file of estimates is what the published counts give, up to rounding in the last place."""
    expected = estimates_table(table, parameters, scale, totals, levels, model, n_cells=n_cells)
    said = table_from_csv(path, expected)
    if said is None:
        return False
    exact = [name for name in expected.column_names if name not in _PLACES]
    if said.schema != expected.schema or not said.select(exact).equals(expected.select(exact)):
        return False
    near = [name for name in expected.column_names if name in _PLACES]
    return all(_close(said[name], expected[name], 1.01 * 10.0 ** -_PLACES[name]) for name in near)


def _close(said: Any, expected: Any, within: float) -> bool:
    one, other = said.to_numpy(), expected.to_numpy()
    return bool(np.allclose(one, other, rtol=1e-9, atol=within))
