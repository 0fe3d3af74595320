"""True visits and those of a release, side by side: people by zone and hour of one week."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VisitSeries:
    """People by zone and hour of one week, true and as published, both (Z, 168), NaN where nothing is published.

    `zones` (Z,) are their names.
    """

    week: str
    zones: Sequence[Any]
    true: npt.NDArray[np.float64]
    published: npt.NDArray[np.float64]

    @property
    def largest(self) -> int:
        """The zone with the most published visits, as its place."""
        return int(np.argmax(np.nansum(self.published, axis=1)))

    @property
    def busiest(self) -> int:
        """The hour of the week with the most published visits, from 0."""
        return int(np.argmax(np.nansum(self.published, axis=0)))


def visit_series_from_rows(
    week: str,
    true: npt.NDArray[np.float64],
    zones: npt.NDArray[Any],
    *,
    zone: npt.NDArray[Any],
    weekday: npt.NDArray[np.int64],
    hour: npt.NDArray[np.int64],
    count: npt.NDArray[np.int64],
) -> VisitSeries:
    """Return the series of a week from true counts (Z, 168) of `zones` and the rows of a release, each of shape (P,).

    Zones that only the release names have no true visits.
    """
    place = {one: number for number, one in enumerate(zones.tolist())}
    names = [*place, *sorted({one for one in zone.tolist() if one not in place}, key=str)]
    place = {one: number for number, one in enumerate(names)}
    whole = np.zeros((len(names), true.shape[1]))
    whole[: true.shape[0]] = true
    published = np.full(whole.shape, np.nan)
    published[[place[one] for one in zone.tolist()], (weekday - 1) * 24 + hour] = count
    return VisitSeries(week=week, zones=names, true=whole, published=published)
