"""Clipped counts of every cell of a week → what a release would publish of it: noisy counts, a total, sums of districts.

The noise comes with a generator of its own: a simulation by the very steps of a release.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.od.levels.levels import Level, PublishedLevels, agreed_weeks, pairs_of_cells, sums_of_week
from privlab.od.matrix import Ints
from privlab.od.releases.release_noise import ReleaseNoise
from privlab.od.releases.secure_release import WeekTotal
from privlab.od.usefulness.estimates import greatest_ratio, held_ratio

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeekDraw:
    """What one draw publishes of a week, before the threshold. Shape (C,): `cells`, all pairs of different zones, and `noisy`, their counts.

    `total` is None without one, `ratio` what it gives back, 1 without. `levels` are None without sums of districts. `scale` is that of
    the noise, as in certificates.
    """

    cells: Ints
    n_zones: int
    noisy: Ints
    scale: float
    total: WeekTotal | None
    ratio: float
    levels: PublishedLevels | None

    def agreed(self, shown: npt.NDArray[np.bool_]) -> Floats:
        """Return the counts of the cells shown that agree with the sums of districts, times what a total gives back."""
        assert self.levels is not None
        (of_week,) = agreed_weeks(self.levels, self.scale).values()
        ends = [end[shown] for end in np.divmod(self.cells, self.n_zones)]
        added = of_week.added[pairs_of_cells(self.levels.levels[0], *ends)]
        return np.asarray((self.noisy[shown] + added) * self.ratio, dtype=np.float64)


def drawn_week(
    week: str,
    cells: Ints,
    units: Ints,
    noise: ReleaseNoise,
    zones: npt.NDArray[Any],
    *,
    bound: int,
    levels: Sequence[Level] = (),
    capped_total: int = 0,
) -> WeekDraw:
    """Draw the noise of a week once: on each cell's `units`, shape (C,), on sums of `levels`, and on a total where the noise has one.

    `capped_total` is the number of trips, of each user at most TOTAL_CAP; `bound` the limit on trips, which says how much a total may
    give back.
    """
    noisy = noise.noisy(units)
    published, total = None, None
    if levels:
        sums = sums_of_week(levels, *np.divmod(cells, zones.size), units, noisy, noise.noisy_sums)
        published = PublishedLevels(zones=tuple(zones.tolist()), levels=tuple(levels), sums={week: sums})
    if noise.noisy_total is not None:
        total = WeekTotal(trips=noise.noisy_total(capped_total), counted=int(noisy.sum()))
    return WeekDraw(
        cells=cells,
        n_zones=zones.size,
        noisy=noisy,
        scale=float(noise.record["scale"]),
        total=total,
        ratio=1.0 if total is None else held_ratio(total, greatest_ratio(bound)),
        levels=published,
    )
