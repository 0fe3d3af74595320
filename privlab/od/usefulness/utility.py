"""What a release is still good for: its error against the true counts, and where the error comes from."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import require_between
from privlab.defaults import CLOSE
from privlab.od.distances import great_circle_km
from privlab.od.matrix import Ints

Floats = npt.NDArray[np.float64]

MRE_FLOOR = 1.0  # users; true flows below it are compared as if they were this large
TOP_FLOWS = 100  # flows whose order Kendall's τ compares


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlowComparison:
    """True, bounded and published counts side by side, over every cell where one of them is not zero.

    All arrays have shape (C,); `published` is NaN where the cell is suppressed or empty and unpublished.
    """

    flow: Ints
    true: Floats
    bounded: Floats
    published: Floats

    @property
    def kept(self) -> npt.NDArray[np.bool_]:
        """Cells with a true flow that are published."""
        return np.asarray((self.true > 0) & ~np.isnan(self.published))

    @property
    def lost(self) -> npt.NDArray[np.bool_]:
        """Cells with a true flow that are suppressed."""
        return np.asarray((self.true > 0) & np.isnan(self.published))

    @property
    def spurious(self) -> npt.NDArray[np.bool_]:
        """Published cells without any true flow."""
        return np.asarray((self.true == 0) & ~np.isnan(self.published))

    def between(
        self, *, published: tuple[float, float], true: tuple[float, float] = (0.0, math.inf)
    ) -> "FlowComparison":
        """Return the published cells alone whose published and true counts lie between two numbers each, both included."""
        seen, truth = self.published, self.true
        part = (seen >= published[0]) & (seen <= published[1]) & (truth >= true[0]) & (truth <= true[1])
        return FlowComparison(
            flow=self.flow[part],
            true=self.true[part],
            bounded=self.bounded[part],
            published=self.published[part],
        )

    def share_within(self, tolerance: float) -> float:
        """Return the share of all true trips in cells whose published count is at most that share of the true one off; NaN without trips."""
        close = np.abs(self.published - self.true) <= tolerance * self.true + 1e-9
        total = float(self.true.sum())
        return float(self.true[close].sum()) / total if total else float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Utility:
    """Utility of one release against the true counts; NaN where a figure cannot be computed.

    Counts of cells: `cells_kept`, `cells_lost`, `cells_spurious`. `flow_kept` is the share of all true
    unique trips that lie in published cells, `within_10_percent` of those in cells published that near the true count. `mre` is the
    mean relative error over true flows, with sanity bound `mre_floor` (counts), suppressed cells read as 0; `rmse` (counts) over
    the same cells and the spurious ones. `cpc` is the common part of commuters, `jensen_shannon` the divergence in
    bits, `kendall_tau` the rank correlation of the largest flows. The error split is in unique trips:
    `clipping` (what the limit leaves uncounted, or misplaces where a total gives it back), `noise` (kept cells),
    `suppression`, `spurious`; `total_true` is what they compare with.
    """

    cells_kept: int
    cells_lost: int
    cells_spurious: int
    flow_kept: float
    within_10_percent: float
    mre: float
    mre_floor: float
    rmse: float
    cpc: float
    jensen_shannon: float
    kendall_tau: float
    clipping: float
    noise: float
    suppression: float
    spurious: float
    total_true: float

    @property
    def mostly_off(self) -> bool:
        """Whether something true is published, and yet less than half of all trips lie near the truth."""
        return bool(self.cells_kept) and self.within_10_percent < 0.5


def utility_from_flow_comparison(flows: FlowComparison, *, mre_floor: float = MRE_FLOOR) -> Utility:
    """Return every utility figure of a release; `mre_floor` is the sanity bound of the relative error."""
    read = np.nan_to_num(flows.published, nan=0.0)
    real, total = flows.true > 0, float(flows.true.sum())
    floor = require_between("mre_floor", mre_floor, 1, 1e9)
    noise = np.abs(flows.published - flows.bounded)
    return Utility(
        cells_kept=int(flows.kept.sum()),
        cells_lost=int(flows.lost.sum()),
        cells_spurious=int(flows.spurious.sum()),
        flow_kept=float(flows.true[flows.kept].sum()) / total if total else float("nan"),
        within_10_percent=flows.share_within(CLOSE),
        mre=float(np.mean(np.abs(read - flows.true)[real] / np.maximum(floor, flows.true[real])))
        if real.any()
        else float("nan"),
        mre_floor=floor,
        rmse=float(np.sqrt(np.mean((read - flows.true) ** 2))) if flows.flow.size else float("nan"),
        cpc=common_part_of_commuters(flows.true, read),
        jensen_shannon=jensen_shannon(flows.true, read),
        kendall_tau=kendall_tau_of_top(flows.true, read),
        clipping=float(np.abs(flows.true - flows.bounded).sum()),
        noise=float(noise[flows.kept].sum()),
        suppression=float(flows.bounded[flows.lost].sum()),
        spurious=float(np.abs(flows.published[flows.spurious]).sum()),
        total_true=total,
    )


def common_part_of_commuters(true: Floats, published: Floats) -> float:
    """Return 2·Σmin/(Σtrue + Σpublished), negative counts read as 0; 1 is agreement, NaN if both are empty.

    >>> common_part_of_commuters(np.array([10.0, 0.0]), np.array([5.0, 5.0]))
    0.5
    """
    seen = np.maximum(published, 0)
    both = float(true.sum() + seen.sum())
    return 2 * float(np.minimum(true, seen).sum()) / both if both else float("nan")


def jensen_shannon(true: Floats, published: Floats) -> float:
    """Return the Jensen–Shannon divergence of the two distributions of trips over cells, in bits [0, 1].

    Negative counts are read as 0; NaN if either side is empty.
    """
    p, q = true, np.maximum(published, 0)
    if not p.sum() or not q.sum():
        return float("nan")
    p, q = p / p.sum(), q / q.sum()
    import scipy.special

    middle = (p + q) / 2
    nats = float(np.sum(scipy.special.rel_entr(p, middle)) + np.sum(scipy.special.rel_entr(q, middle))) / 2
    # scipy.spatial.distance.jensenshannon is NaN where rounding takes this below 0.
    return max(nats / math.log(2), 0.0)


def kendall_tau_of_top(true: Floats, published: Floats, n_top: int = TOP_FLOWS) -> float:
    """Return Kendall's τ-b between true and published counts of the `n_top` largest true flows.

    Suppressed flows count as 0. NaN with fewer than two flows or when one side is constant.
    """
    real = np.flatnonzero(true > 0)  # most cells of a large release have no true flow
    top = real[np.argsort(-true[real], kind="stable")[:n_top]]
    if top.size < 2 or np.ptp(true[top]) == 0 or np.ptp(published[top]) == 0:
        return float("nan")
    import scipy.stats

    return float(scipy.stats.kendalltau(true[top], published[top]).statistic)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DistanceDecay:
    """Share of trips by distance: `edge_km` (B + 1,), `true` and `published` (B,), each summing to 1."""

    edge_km: Floats
    true: Floats
    published: Floats


def distance_decay_from_flow_comparison(
    flows: FlowComparison, lat: Floats, lon: Floats, *, n_bins: int = 16
) -> DistanceDecay | None:
    """Return the trips by straight-line distance between zone centres, or None without positions.

    `lat`, `lon` : degrees, shape (Z,), in the order of the zones.
    """
    origin, destination = np.divmod(flows.flow, lat.size)
    km = great_circle_km(lat[origin], lon[origin], lat[destination], lon[destination])
    known = np.isfinite(km)
    if not known.any() or not flows.true[known].sum():
        return None
    edges = np.linspace(0, float(km[known].max()) + 1e-9, n_bins + 1)
    shares = []
    for count in (flows.true, np.maximum(np.nan_to_num(flows.published), 0)):
        histogram, _ = np.histogram(km[known], bins=edges, weights=count[known])
        shares.append(histogram / histogram.sum() if histogram.sum() else np.full(n_bins, np.nan))
    return DistanceDecay(edge_km=edges, true=shares[0], published=shares[1])
