"""Groups of users who share one fingerprint: what is left of the data, and the table that is published.

Knows what a result is and how it is checked; knows nothing of how groups are found.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import require_between, require_whole
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.glove.boxes import GRID_M, Boxes
from privlab.limits import MAX_K, MAX_KM, MAX_MIN

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class GloveParameters:
    """How many users are to share a fingerprint, and how large a box may be that is published.

    A box whose longer side is above `suppress_km` kilometres, or that lasts more than `suppress_min`
    minutes, is left out with the samples in it; None for no limit.
    """

    k: int = 2
    suppress_km: float | None = None
    suppress_min: int | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        require_whole("k", self.k, 2, MAX_K)
        if self.suppress_km is not None:
            require_between("suppress_km", self.suppress_km, GRID_M / 1000, MAX_KM)
        if self.suppress_min is not None:
            require_whole("suppress_min", self.suppress_min, 1, MAX_MIN)

    def within(self, boxes: Boxes) -> npt.NDArray[np.bool_]:
        """Return which boxes are within the limits."""
        kept = np.ones(len(boxes), dtype=bool)
        if self.suppress_km is not None:
            kept &= side_km(boxes) <= self.suppress_km
        if self.suppress_min is not None:
            kept &= duration_min(boxes) <= self.suppress_min
        return kept


def side_km(boxes: Boxes) -> Floats:
    """Return the longer side of each box in kilometres."""
    x, x_end, y, y_end = boxes[:, :4].astype(np.int64).T
    side: Floats = np.maximum(x_end - x, y_end - y) * GRID_M / 1000
    return side


def duration_min(boxes: Boxes) -> Int64s:
    """Return how long each box lasts, in minutes."""
    return (boxes[:, 5] - boxes[:, 4]).astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HiddenGroups:
    """Groups of at least k users who share one fingerprint of boxes. True data: it names users.

    `group_of_user` (n_users,) are groups from 0. Group g has the boxes `offsets[g]` to `offsets[g + 1]`
    (int64, n_groups + 1), by time and disjoint in time, maybe none. `boxes` (n_boxes, 6), int32, are x,
    x end, y, y end in steps of 100 m, t, t end in minutes, ends excluded. `home` (n_samples,) is the box
    that holds each sample of `fingerprints`, −1 for those suppressed.
    """

    parameters: GloveParameters
    fingerprints: Fingerprints
    group_of_user: Int64s
    offsets: Int64s
    boxes: Boxes
    home: Int64s

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.offsets.size - 1)

    @property
    def users_per_group(self) -> Int64s:
        """Users of each group, (n_groups,)."""
        return np.bincount(self.group_of_user, minlength=self.n_groups)

    @property
    def n_suppressed(self) -> int:
        """Samples that no published box holds."""
        return int(np.count_nonzero(self.home < 0))

    @property
    def n_discarded_users(self) -> int:
        """Users of whose group nothing is left to publish."""
        return int(self.users_per_group[np.diff(self.offsets) == 0].sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Accuracy:
    """What is left of the samples' accuracy: the size of the box that holds each one that is published.

    `side_km` and `duration_min` ascend, each value once; `share_within_km` and `share_within_min` are the
    shares, in [0, 1], of the published samples whose box is no larger.
    """

    side_km: Floats
    share_within_km: Floats
    duration_min: Floats
    share_within_min: Floats
    n_samples: int

    @property
    def median_km(self) -> float:
        """The side that half of the published samples are known to within, NaN where there is none."""
        return _size_of_half(self.side_km, self.share_within_km)

    @property
    def median_min(self) -> float:
        """The minutes that half of the published samples are known to within, NaN where there is none."""
        return _size_of_half(self.duration_min, self.share_within_min)

    def within_km(self, km: float) -> float:
        """Return the share of published samples known to within so many kilometres."""
        return _share_up_to(km, self.side_km, self.share_within_km)

    def within_min(self, minutes: float) -> float:
        """Return the share of published samples known to within so many minutes."""
        return _share_up_to(minutes, self.duration_min, self.share_within_min)


def _size_of_half(sizes: Floats, shares: Floats) -> float:
    return float(sizes[np.searchsorted(shares, 0.5)]) if sizes.size else float("nan")


def _share_up_to(value: float, sizes: Floats, shares: Floats) -> float:
    """Return the share at a value, NaN where there is nothing."""
    if not sizes.size:
        return float("nan")
    at = int(np.searchsorted(sizes, value, side="right"))
    return float(shares[at - 1]) if at else 0.0


def accuracy_from_hidden_groups(groups: HiddenGroups) -> Accuracy:
    """Return how exactly the published samples are still known, each sample of each user counted once."""
    held = groups.boxes[groups.home[groups.home >= 0]]
    km, n_km = np.unique(side_km(held), return_counts=True)
    minutes, n_min = np.unique(duration_min(held).astype(np.float64), return_counts=True)
    n = max(1, len(held))
    return Accuracy(
        side_km=km,
        share_within_km=np.cumsum(n_km) / n,
        duration_min=minutes,
        share_within_min=np.cumsum(n_min) / n,
        n_samples=len(held),
    )
