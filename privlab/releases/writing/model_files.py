"""What smoothed counts follow of a release: sums of all its noisy counts and zone positions, as its certificate says them.

The sums follow from noisy counts alone, those below the threshold included, and the positions are public.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privlab.checks import ParameterError
from privlab.od import product_of
from privlab.od.releases import SecureReleaseParameters, published_variance
from privlab.od.smoothing import SPREADS, Margins, ModelSums, ZonePositions, margins_of_cells
from privlab.releases.writing.numbered_columns import numbered

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PublishedModel:
    """The model of a release over its public `zones`: where they lie, None if that is not known, and by week what it follows.

    `both_ways` is False in releases of earlier versions, which smoothed each flow without the flow back.
    """

    zones: tuple[Any, ...]
    positions: ZonePositions | None
    weeks: Mapping[str, ModelSums]
    both_ways: bool = True

    def margins(self, parameters: SecureReleaseParameters) -> Margins:
        """Return the parts that the sums are over."""
        return margins_of_cells(product_of(parameters.product), len(self.zones), self.positions)

    def fits(self, margins: Margins) -> bool:
        """Return whether there is a sum for each part."""
        return all([len(one) for one in told.sums] == list(margins.sizes) for told in self.weeks.values())


def model_as_record(model: PublishedModel) -> dict[str, Any]:
    """Return the model as a certificate writes it; no positions are two empty lists."""
    places = model.positions or ZonePositions(lat=(), lon=())
    return {
        "lat": list(places.lat),
        "lon": list(places.lon),
        "weeks": {
            week: {
                "sums": [list(one) for one in told.sums],
                "sizes": list(told.sizes),
                "spreads": list(told.spreads),
                "alike": told.alike,
            }
            for week, told in model.weeks.items()
        },
    }


def positions_from_certificate(certificate: dict[str, Any]) -> ZonePositions | None:
    """Return where a certificate says that its zones lie; None if it does not."""
    said = certificate.get("model", {"lat": [], "lon": []})
    if not said["lat"] and not said["lon"]:
        return None
    return ZonePositions(lat=tuple(said["lat"]), lon=tuple(said["lon"]))


def model_from_certificate(certificate: dict[str, Any]) -> PublishedModel | None:
    """Return what a certificate says of the model; None in those of earlier versions and of discovered cells.

    Raises ParameterError for spreads that are none.
    """
    said = certificate.get("model")
    if said is None:
        return None
    weeks = {}
    for week, told in said["weeks"].items():
        sizes, spreads = told["sizes"], told["spreads"]
        alike = told.get("alike", 0.0)
        # Earlier versions may have written sizes that are equal but for the last place the other way about.
        ordered = all(least <= size * (1 + _ROUNDING) for least, size in pairwise(sizes))
        if not len(sizes) == len(spreads) == SPREADS or not ordered or min(*sizes, *spreads) < 0:
            raise ParameterError(
                f"model must say {SPREADS} sizes in order and as many spreads, got {len(sizes)} and {len(spreads)}."
            )
        if not 0 <= alike < 1:
            raise ParameterError(
                f"model must say how alike flows and those back are from 0 to below 1, got {alike:g}."
            )
        weeks[week] = ModelSums(
            sums=tuple(tuple(one) for one in told["sums"]),
            sizes=tuple(sizes),
            spreads=tuple(spreads),
            alike=alike,
        )
    return PublishedModel(
        zones=tuple(certificate["zones"]["public"] or ()),
        positions=positions_from_certificate(certificate),
        weeks=weeks,
        both_ways=says_how_alike(certificate),
    )


def says_how_alike(certificate: dict[str, Any]) -> bool:
    """Return whether a certificate says how alike flows and those back are; those of earlier versions do not."""
    return any("alike" in told for told in certificate.get("model", {"weeks": {}})["weeks"].values())


def smoothed_cells(
    table: pa.Table, model: PublishedModel, parameters: SecureReleaseParameters, scale: float
) -> Floats:
    """Return the smoothed count of each published cell, shape (P,), before a total gives anything back; 0 where a certificate's
    parts do not fit each other.
    """
    margins, place = model.margins(parameters), _places(table, model, parameters)
    variance = published_variance(parameters.noise, scale)
    week_of = numbered(table["week"])
    count, found = table["count"].to_numpy(), np.zeros(table.num_rows)
    if not model.fits(margins):
        return found
    for week, told in model.weeks.items():
        rows = week_of.rows(week) & (place >= 0)
        noisy = np.full(margins.n_cells, np.nan)
        noisy[place[rows]] = count[rows]
        found[rows] = told.smoothed(noisy, margins, variance)[place[rows]]
    return found


def sums_follow(
    table: pa.Table, model: PublishedModel, parameters: SecureReleaseParameters, scale: float
) -> bool:
    """Return whether the sums and spreads are those of a table in which every cell stands."""
    margins, place = model.margins(parameters), _places(table, model, parameters)
    variance = published_variance(parameters.noise, scale)
    week_of = numbered(table["week"])
    if (place < 0).any() or not model.fits(margins):
        return False
    for week, told in model.weeks.items():
        noisy = np.zeros(margins.n_cells, dtype=np.int64)
        rows = week_of.rows(week)
        noisy[place[rows]] = table["count"].to_numpy()[rows]
        found = ModelSums.from_noisy_counts(noisy, margins, variance)
        pairs = [(found.sizes, told.sizes), (found.spreads, told.spreads)]
        if model.both_ways:
            pairs.append(((found.alike,), (told.alike,)))
        near = all(np.allclose(one, other, rtol=1e-6) for one, other in pairs)
        if found.sums != told.sums or not near:
            return False
    return True


def sums_agree(model: PublishedModel, totals: Mapping[str, int]) -> bool:
    """Return whether the sums of each margin add up to the same, and to the sum of all noisy counts where that is published."""
    return all(
        len({sum(one) for one in told.sums} | ({totals[week]} if week in totals else set())) == 1
        for week, told in model.weeks.items()
    )


def _places(table: pa.Table, model: PublishedModel, parameters: SecureReleaseParameters) -> Ints:
    """Return the place of each published cell among all cells, shape (P,), −1 for one that is none of them."""
    import pandas as pd

    product, zones = product_of(parameters.product), pd.Index(list(model.zones))
    if not zones.is_unique:
        return np.full(table.num_rows, -1, dtype=np.int64)
    ends = tuple(numbered(table[name]).places_in(zones) for name in product.columns[: product.n_ends])
    columns = {name: numbered(table[name]).values for name in product.columns[product.n_ends :]}
    cell, cells = product.cell_of(ends, product.slot_in(columns), zones.size), product.all_cells(zones.size)
    place = np.minimum(np.searchsorted(cells, cell), cells.size - 1)
    known = np.logical_and.reduce([end >= 0 for end in ends]) & (cells[place] == cell)
    return np.where(known, place, -1).astype(np.int64)
