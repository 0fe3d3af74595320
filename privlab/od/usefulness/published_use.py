"""Published counts of one week against the true ones → what they are good for. True data: for the steward alone.

Nothing need be known of how the counts were made: it fits a release that was handed over as well as a simulation.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError, require_between
from privlab.defaults import CLOSE
from privlab.od.matrix import Ints, ODMatrix
from privlab.od.products import FLOWS, Product
from privlab.od.usefulness.utility import FlowComparison, common_part_of_commuters

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedUse:
    """What the published counts of one week are good for; NaN where a figure cannot be computed.

    Counts of flows: `kept`, `lost` (true, but left out) and `made_up` (published, but nobody made the trip). Of all
    true trips, `share_kept` lie in published flows and `share_close` in flows published within `tolerance` of the
    truth. `error` is the median distance of a published true flow from its true count, in people. `of_estimates` says whether
    it is of the estimates beside the released counts. `share_counted` is what all published counts together are of the true
    trips, `n_true` how many these are. Of another `product` than flows, a flow is one of its cells, and a trip what a person adds to it.
    """

    week: str
    kept: int
    lost: int
    made_up: int
    share_kept: float
    share_close: float
    tolerance: float
    error: float
    common_part: float
    of_estimates: bool = False
    share_counted: float = float("nan")
    n_true: float = float("nan")
    product: Product = FLOWS

    @property
    def rank(self) -> tuple[float, float]:
        """How useful it is, to be compared: by what is near the truth, then by what is published at all; least where that is unknown."""
        return (
            float(np.nan_to_num(self.share_close, nan=-1.0)),
            float(np.nan_to_num(self.share_kept, nan=-1.0)),
        )

    @property
    def share_made_up(self) -> float:
        """Share of the published flows that nobody made; NaN where nothing is published."""
        published = self.kept + self.made_up
        return self.made_up / published if published else float("nan")


def published_use_from_flow_comparison(
    flows: FlowComparison,
    *,
    week: str,
    tolerance: float = CLOSE,
    of_estimates: bool = False,
    product: Product = FLOWS,
) -> PublishedUse:
    """Return what published counts are good for; `tolerance` is a share of the true count, in [0, 1]."""
    require_between("tolerance", tolerance, 0, 1)
    kept = flows.kept
    off = np.abs(flows.published - flows.true)
    total = float(flows.true.sum())
    return PublishedUse(
        week=week,
        kept=int(kept.sum()),
        lost=int(flows.lost.sum()),
        made_up=int(flows.spurious.sum()),
        share_kept=_share(flows.true, kept),
        share_close=flows.share_within(tolerance),
        tolerance=tolerance,
        error=float(np.median(off[kept])) if kept.any() else float("nan"),
        common_part=common_part_of_commuters(flows.true, np.nan_to_num(flows.published, nan=0.0)),
        of_estimates=of_estimates,
        share_counted=float(np.nansum(flows.published)) / total if total else float("nan"),
        n_true=total,
        product=product,
    )


def _share(true: Floats, chosen: npt.NDArray[np.bool_]) -> float:
    total = float(true.sum())
    return float(true[chosen].sum()) / total if total else float("nan")


def flow_comparison_from_published_counts(
    true: ODMatrix | None,
    zones: npt.NDArray[np.object_],
    *,
    origin: Ints,
    destination: Ints,
    count: Ints | Floats,
) -> FlowComparison:
    """Return true and published counts side by side; what was counted under a bound is not known, and given as true.

    Parameters
    ----------
    true : ODMatrix, optional
        The true counts of the week; None for a week without trips.
    zones : array, shape (Z,)
        Every zone: first those of `true`, in their order. Flows are numbered origin · Z + destination.
    origin, destination : arrays, shape (P,)
        Positions in `zones` of the published cells.
    count : array, shape (P,)
        What is published.

    Raises
    ------
    ParameterError
        If a cell stands twice.
    """
    n_zones = zones.size
    published = origin.astype(np.int64) * n_zones + destination
    if np.unique(published).size != published.size:
        raise ParameterError(
            f"published cells must stand once each, got {published.size:,} with repetitions."
        )
    cells, people = np.zeros(0, dtype=np.int64), np.zeros(0)
    if true is not None:
        start, end = np.divmod(true.flow, true.zones.size)
        cells, people = start * n_zones + end, true.count.astype(np.float64)
    flow = np.union1d(cells, published)
    truth, seen = np.zeros(flow.size), np.full(flow.size, np.nan)
    truth[np.searchsorted(flow, cells)] = people
    seen[np.searchsorted(flow, published)] = count
    return FlowComparison(flow=flow, true=truth, bounded=truth, published=seen)


def require_known_zones(n_known: int, n_published: int) -> None:
    """Raise DataError if not one zone of a release is known to the data it is compared with."""
    if n_published and not n_known:
        raise DataError(
            "Not one zone of the release is in the data. Is it the data that the release was made from, cut into the "
            "same zones?"
        )
