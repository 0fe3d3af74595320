"""Fingerprints and nearest others → why users are hard to hide: parts of space and time, and their spread.

For every user the distances of all samples to the k − 1 nearest others are pooled.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.index import search_data, search_units
from privlab.fingerprints.kgap import DEFAULT_KS, ks_from_numbers
from privlab.fingerprints.neighbours import Neighbours
from privlab.fingerprints.spreads import disperse_block
from privlab.fingerprints.tasks import Stop, results_of_parts, workers_or_all
from privlab.progress import Report, silent

Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]

_MOST_BINS = 100_000  # distinct distances up to which they are counted rather than sorted
_BLOCKS = 64  # parts that the work is done in
MEASURES = (
    "temporal_share",
    "gini",
    "gini_spatial",
    "gini_temporal",
    "tail_weight",
    "tail_weight_spatial",
    "tail_weight_temporal",
    "mean_km",
    "mean_min",
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dispersion:
    """What the sample distances of some users are made of, for several k; all arrays (Q, len(ks)) float64.

    `temporal_share` is the part of time in the sum of distances, NaN where that is 0. `gini` is 0 for equal
    distances and near 1 for a few large ones. `tail_weight` is 1 for a normal distribution, NaN where
    the upper quartile is the median. `mean_km` and `mean_min` are what the nearest sample is away, at most
    the caps, averaged as the k-gap is: k-gap = space_weight·mean_km/max_km + time_weight·mean_min/max_min.
    """

    ks: tuple[int, ...]
    query: Int64s
    temporal_share: Floats
    gini: Floats
    gini_spatial: Floats
    gini_temporal: Floats
    tail_weight: Floats
    tail_weight_spatial: Floats
    tail_weight_temporal: Floats
    mean_km: Floats
    mean_min: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class DispersionSummary:
    """Medians over the users for whom a measure is defined, NaN if for nobody, and for how many it is not.

    `share_mostly_temporal` is the share of users, of those with a temporal share, with one of at least 0.8.
    """

    median: dict[str, float]
    n_undefined: dict[str, int]
    share_mostly_temporal: float


def dispersion_from_neighbours(
    fingerprints: Fingerprints,
    neighbours: Neighbours,
    ks: Sequence[int] = DEFAULT_KS,
    *,
    n_workers: int | None = None,
    report: Report = silent,
) -> Dispersion:
    """Return the parts and the spread of every user's sample distances, for every k.

    NaN for a k above the number of users. `report(share, words)` may raise to stop the work. Raises
    ParameterError for a k that the neighbours do not reach.
    """
    ks = ks_from_numbers(ks)
    if ks[-1] > neighbours.k:
        raise ParameterError(
            f"k must be at most {neighbours.k}, for which neighbours were found, got {ks[-1]}."
        )
    data = search_data(fingerprints)[0]
    units = search_units(fingerprints, neighbours.parameters)
    number = np.argsort(data.user)
    out = np.full((neighbours.query.size, len(ks), len(MEASURES)), np.nan)

    def disperse(rows: slice, stop: Stop) -> None:
        queries, others = number[neighbours.query[rows]], number[neighbours.other[rows]]
        disperse_block(data, units, queries, others, np.array(ks), _MOST_BINS, out[rows], stop)

    size = max(1, neighbours.query.size // _BLOCKS)
    results_of_parts(
        disperse,
        [slice(first, first + size) for first in range(0, neighbours.query.size, size)],
        workers_or_all(n_workers),
        lambda share: report(share, "Taking the distances apart"),
    )
    out[:, :, 7] *= neighbours.parameters.max_km
    out[:, :, 8] *= neighbours.parameters.max_min
    measures = {name: out[:, :, column].copy() for column, name in enumerate(MEASURES)}
    return Dispersion(ks=ks, query=neighbours.query, **measures)


def summary_from_dispersion(dispersion: Dispersion, k: int) -> DispersionSummary:
    """Return medians over users for one k, and how often each measure is undefined."""
    column = dispersion.ks.index(k)
    columns = {name: getattr(dispersion, name)[:, column] for name in MEASURES}
    known = {name: values[~np.isnan(values)] for name, values in columns.items()}
    shares = known["temporal_share"]
    return DispersionSummary(
        median={
            name: float(np.median(values)) if values.size else float("nan") for name, values in known.items()
        },
        n_undefined={name: int(np.isnan(values).sum()) for name, values in columns.items()},
        share_mostly_temporal=float((shares >= 0.8).mean()) if shares.size else float("nan"),
    )
