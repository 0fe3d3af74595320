"""Who is at risk and why: volume, regularity and particularity of single users. True data."""

from dataclasses import dataclass

import numpy as np

from privlab.aggregates.counting import total_from_window
from privlab.aggregates.periods import HOURS_A_DAY
from privlab.aggregates.traces import Traces, Window

_HOURS_A_WEEK = 7 * HOURS_A_DAY
FACTORS = ("volume", "regularity", "particularity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """What may set a user apart, of reports inside the zones; NaN where it cannot be computed.

    `volume`: reports over all days. `regularity`: mean Jaccard overlap of the (zone, hour of the week)
    sets of all pairs of whole weeks with any report. `particularity`: mean over the reports of the
    released period of 1/(users there then): 1 for someone always alone.
    """

    volume: int
    regularity: float
    particularity: float


class FactorSource:
    """Factors of any user of some traces."""

    def __init__(self, traces: Traces, released: Window) -> None:
        self._traces = traces
        self._released, self._total = released, total_from_window(released)

    def factors(self, user: int) -> Factors:
        """Return the factors of one user, a position."""
        sets = _weekly_sets(self._traces, user)
        overlaps = [
            np.intersect1d(one, other, assume_unique=True).size / np.union1d(one, other).size
            for at, one in enumerate(sets)
            for other in sets[at + 1 :]
            if one.size or other.size
        ]
        cells = _cells(self._released, user)
        return Factors(
            volume=int(self._traces.n_reports[user]),
            regularity=float(np.mean(overlaps)) if overlaps else float("nan"),
            particularity=float(np.mean(1 / self._total[cells])) if cells.size else float("nan"),
        )


def _weekly_sets(traces: Traces, user: int) -> list[np.ndarray]:
    """Return for each whole week where in which of its hours one user was, as one number for each zone and hour."""
    own = slice(traces.starts[user], traces.starts[user + 1])
    epoch, zone = traces.epoch[own].astype(np.int64), traces.zone[own].astype(np.int64)
    sets = []
    for monday in traces.mondays:
        hour = epoch - (monday - traces.first_day).days * HOURS_A_DAY
        inside = (hour >= 0) & (hour < _HOURS_A_WEEK)
        sets.append(zone[inside] * _HOURS_A_WEEK + hour[inside])
    return sets


def _cells(window: Window, user: int) -> np.ndarray:
    """Return the entries of one user that are reports inside the zones."""
    cell = window.cell[window.starts[user] : window.starts[user + 1]]
    return cell[cell < (window.n_zones - window.null_zone) * window.n_epochs]
