"""Published counts against true ones → what the analyses that such matrices are made for would find, before and after.

Each says what it finds in the true counts, what in the published ones, and how far it is off. True data: for the
steward alone. docs/science.md, section 5.6.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.datasets.zones import blocks_from_positions
from privlab.od.distances import great_circle_km
from privlab.od.matrix import Ints
from privlab.od.usefulness.flow_models import (
    MOST_MODELLED_ZONES,
    GravityExponents,
    arrivals_from_flows,
    gravity_from_flows,
)
from privlab.od.usefulness.utility import FlowComparison, distance_decay_from_flow_comparison

Floats = npt.NDArray[np.float64]

LARGEST_FLOWS = 50
SOURCES = 10  # zones from which an epidemic is let loose: those that most trips leave
FIRST_ZONES = 10  # that it reaches
# A model of four coefficients is fitted to ten true flows for each at least: fewer are met by it whatever they are.
LEAST_MODELLED_FLOWS = 40
# A share of so many pairs strays by chance from a coin's 50% by at most a tenth, 19 times in 20 (1.96·½/√100); one of few says nothing.
LEAST_ORDERED_PAIRS = 100
ANALYSES = (
    "total_by_origin",
    "district_to_district",
    "largest_flows",
    "order_of_largest",
    "distance",
    "gravity_origin",
    "gravity_destination",
    "gravity_distance",
    "epidemic_order",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What one analysis finds in the true counts, in the published ones, and its error; NaN where it cannot be made.

    By `name`, flows that are not published read as 0:

    - "total_by_origin": trips in all; the error is Σ|published − true|/Σtrue over the sums that leave each zone.
    - "district_to_district": trips with both ends in districts, in all; the error is the same over every ordered
      pair of districts. Both include trips within a district.
    - "largest_flows": the 50 largest true flows (fewer where there are fewer), and how many of them are among as many
      largest published ones; the error is the share that is not.
    - "order_of_largest": pairs of those 50 whose true counts differ, and those of them that the published counts put in the
      same order, a tie as half; the error is the share that is not (without ties (1 − τ)/2 for Kendall's τ).
    - "distance": the mean length of a trip in km; the error is ½Σ|difference| of the shares of trips in 16 classes of
      distance.
    - "gravity_origin", "gravity_destination", "gravity_distance": an exponent of `gravity_from_flows`, fitted to either side;
      the error is their difference, as a number above 0. All NaN with fewer than LEAST_MODELLED_FLOWS true flows between zones.
    - "epidemic_order": of the first 10 zones that an epidemic reaches by `arrivals_from_flows`, how many are among
      the first 10 by the published counts; the error is the share of pairs of zones reached in the other order, as for
      the largest flows. Both are means over the 10 zones that most true trips leave, as sources; NaN where these have fewer than
      LEAST_ORDERED_PAIRS such pairs together.

    Sums take published counts as they are; where a model or a mean needs counts of 0 or more, those below are read as 0.
    """

    name: str
    before: float
    after: float
    error: float


def analyses_from_flow_comparison(
    flows: FlowComparison, lat: Floats, lon: Floats, districts: Ints | None = None
) -> tuple[Analysis, ...]:
    """Return all analyses, in the order of ANALYSES.

    Parameters
    ----------
    flows : FlowComparison
        Cells are origin · Z + destination.
    lat, lon : ndarray, shape (Z,)
        Of the zones, in degrees; NaN where unknown.
    districts : ndarray, shape (Z,), optional
        The number of each zone's district, from 0, and −1 for zones in none; by default `districts_from_positions`.
    """
    published = np.nan_to_num(flows.published, nan=0.0)
    n_zones = lat.size
    if districts is None:
        districts = districts_from_positions(lat, lon)
    return (
        _by_origin(flows, published, n_zones),
        _district_to_district(flows, published, districts),
        *_largest(flows, published),
        _distance(flows, published, lat, lon),
        *_gravity(flows, published, lat, lon),
        _epidemic(flows, published, n_zones),
    )


def districts_from_positions(lat: Floats, lon: Floats) -> Ints:
    """Return the number of a district for each zone, shape (Z,): 3 bands from south to north, each cut in 3 from west to east.

    All have about as many zones; with fewer than 27 zones it is 2 by 2. Zones without a position are in none (−1), and
    with fewer than 4 with one all are. Positions of zones are public: no count is looked at.

    >>> districts_from_positions(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0])).tolist()
    [0, 1, 2, 3]
    """
    n_located = int((np.isfinite(lat) & np.isfinite(lon)).sum())
    if n_located < 4:
        return np.full(lat.size, -1, dtype=np.int64)
    return blocks_from_positions(lat, lon, 3 if n_located >= 27 else 2)


def _by_origin(flows: FlowComparison, published: Floats, n_zones: int) -> Analysis:
    origin = flows.flow // n_zones
    true, seen = (np.bincount(origin, weights=count) for count in (flows.true, published))
    return Analysis(
        name="total_by_origin",
        before=float(true.sum()),
        after=float(seen.sum()),
        error=_share(float(np.abs(seen - true).sum()), float(true.sum())),
    )


def _district_to_district(flows: FlowComparison, published: Floats, districts: Ints) -> Analysis:
    start, end = (districts[ends] for ends in np.divmod(flows.flow, districts.size))
    inside = (start >= 0) & (end >= 0)
    n = int(districts.max(initial=-1)) + 1
    pair = (start * n + end)[inside]
    if not pair.size:
        return Analysis(name="district_to_district", before=np.nan, after=np.nan, error=np.nan)
    true, seen = (
        np.bincount(pair, weights=count[inside], minlength=n * n) for count in (flows.true, published)
    )
    return Analysis(
        name="district_to_district",
        before=float(true.sum()),
        after=float(seen.sum()),
        error=_share(float(np.abs(seen - true).sum()), float(true.sum())),
    )


def _largest(flows: FlowComparison, published: Floats) -> tuple[Analysis, Analysis]:
    true = flows.true
    n = min(LARGEST_FLOWS, int((true > 0).sum()))
    largest = np.argsort(-true, kind="stable")[:n]
    of_published = np.argsort(-published, kind="stable")[:n]
    kept = np.intersect1d(largest, of_published[published[of_published] > 0]).size
    first = Analysis(name="largest_flows", before=n, after=kept, error=_share(n - kept, n))
    wrong, pairs = pairs_in_the_other_order(true[largest], published[largest])
    return first, Analysis(
        name="order_of_largest", before=pairs, after=pairs - wrong, error=_share(wrong, pairs)
    )


def pairs_in_the_other_order(true: Floats, seen: Floats) -> tuple[float, int]:
    """Return how many pairs that differ in `true` are in the other order in `seen`, ties there as half, and all such pairs.

    Infinite values are equal to each other and after all others.

    >>> pairs_in_the_other_order(np.array([3.0, 2.0, 1.0]), np.array([3.0, 1.0, 1.0]))
    (0.5, 3)
    """
    import scipy.stats

    a, b = (scipy.stats.rankdata(values, method="dense") for values in (true, seen))
    n = a.size * (a.size - 1) // 2
    alike = [n_ties // 2 for n_ties in (_tied(a), _tied(b))]
    pairs = n - alike[0]
    if not pairs:
        return 0.0, 0
    if n == alike[1]:  # all are tied
        return pairs / 2, pairs
    # τ-b = (in order − in the other order)/√((n − ties of one)(n − ties of the other))
    tau = float(scipy.stats.kendalltau(a, b).statistic)
    difference = round(tau * float(np.sqrt(float(pairs) * float(n - alike[1]))))
    return (pairs - difference) / 2, pairs


def _tied(ranks: npt.NDArray[np.int64]) -> int:
    """Return the number of ordered pairs of different places that hold the same."""
    _, times = np.unique(ranks, return_counts=True)
    return int((times.astype(np.int64) * (times - 1)).sum())


def _distance(flows: FlowComparison, published: Floats, lat: Floats, lon: Floats) -> Analysis:
    decay = distance_decay_from_flow_comparison(flows, lat, lon)
    if decay is None:
        return Analysis(name="distance", before=np.nan, after=np.nan, error=np.nan)
    origin, destination = np.divmod(flows.flow, lat.size)
    km = great_circle_km(lat[origin], lon[origin], lat[destination], lon[destination])
    known = np.isfinite(km)
    before, after = (
        _share(float(km[known] @ count[known]), float(count[known].sum()))
        for count in (flows.true, np.maximum(published, 0))
    )
    error = float(np.abs(decay.true - decay.published).sum()) / 2
    return Analysis(name="distance", before=before, after=after, error=error)


def _gravity(flows: FlowComparison, published: Floats, lat: Floats, lon: Floats) -> tuple[Analysis, ...]:
    before = after = GravityExponents()
    origin, destination = np.divmod(flows.flow, lat.size)
    n_true = int(((flows.true > 0) & (origin != destination)).sum())
    if lat.size <= MOST_MODELLED_ZONES and n_true >= LEAST_MODELLED_FLOWS:
        km = great_circle_km(lat[:, None], lon[:, None], lat[None, :], lon[None, :])
        before, after = (gravity_from_flows(flows.flow, count, km) for count in (flows.true, published))
    return tuple(
        Analysis(name=f"gravity_{name}", before=old, after=new, error=abs(new - old))
        for name, old, new in (
            ("origin", before.origin, after.origin),
            ("destination", before.destination, after.destination),
            ("distance", before.distance, after.distance),
        )
    )


def _epidemic(flows: FlowComparison, published: Floats, n_zones: int) -> Analysis:
    leaving = np.bincount(flows.flow // n_zones, weights=flows.true, minlength=n_zones)
    sources = np.argsort(-leaving, kind="stable")[:SOURCES]
    sources = sources[leaving[sources] > 0]
    before, after = (
        arrivals_from_flows(flows.flow, count, n_zones, sources) for count in (flows.true, published)
    )
    firsts, kept, errors, compared = [], [], [], 0
    for source, true, seen in zip(sources.tolist(), before, after, strict=True):
        reached = np.flatnonzero(np.isfinite(true) & (np.arange(n_zones) != source))
        wrong, pairs = pairs_in_the_other_order(true[reached], seen[reached])
        if not pairs:
            continue
        errors.append(wrong / pairs)
        compared += pairs
        others = np.where(np.arange(n_zones) == source, np.inf, seen)
        n = min(FIRST_ZONES, reached.size)
        soonest = np.argsort(others, kind="stable")[:n]
        firsts.append(n)
        first = reached[np.argsort(true[reached], kind="stable")[:n]]
        kept.append(np.intersect1d(first, soonest[np.isfinite(others[soonest])]).size)
    if compared < LEAST_ORDERED_PAIRS:
        return Analysis(name="epidemic_order", before=np.nan, after=np.nan, error=np.nan)
    return Analysis(
        name="epidemic_order",
        before=float(np.mean(firsts)),
        after=float(np.mean(kept)),
        error=float(np.mean(errors)),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")
