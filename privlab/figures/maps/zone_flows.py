"""The flows of one zone → rows to read: true and published counts with intervals. Computes no release.

Uses what the comparison holds; the interval is that of the noise.
"""

from dataclasses import dataclass

import numpy as np

from privlab.datasets.zones import ZoneMap
from privlab.od.usefulness import FlowComparison
from privlab.safe_text import label

MOST_ROWS = 50  # of each direction, the largest


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneFlow:
    """A flow of one zone: the zone at its other end, its true count, and the published one, None where there is none."""

    other: str
    true: float
    published: float | None
    low: float | None
    high: float | None


def flows_of_zone(
    flows: FlowComparison, zones: ZoneMap, zone: int, *, inwards: bool, half_width: int
) -> list[ZoneFlow]:
    """Return the flows into a zone, or out of it, the largest first, at most `MOST_ROWS`.

    `half_width` is what the noise stays within in 95 of 100 cases, in trips: the interval around a published
    count, which never reaches below 0.
    """
    origin, destination = np.divmod(flows.flow, zones.lat.size)
    here, there = (destination, origin) if inwards else (origin, destination)
    own = np.flatnonzero(here == zone)
    size = np.maximum(flows.true[own], np.nan_to_num(flows.published[own], nan=0.0))
    rows = []
    for cell in own[np.argsort(-size, kind="stable")][:MOST_ROWS].tolist():
        seen = float(flows.published[cell])
        known = not np.isnan(seen)
        rows.append(
            ZoneFlow(
                other=label(zones.names[there[cell]]),
                true=float(flows.true[cell]),
                published=seen if known else None,
                low=max(0.0, seen - half_width) if known else None,
                high=seen + half_width if known else None,
            )
        )
    return rows
