"""Trails beside true ones → how many steps are right, how far off the others are, and how many trails are unique."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from privlab.aggregates.recovery.assignments import distances_km, visits_from_zones
from privlab.aggregates.recovery.followed import Followed
from privlab.progress import UNHEARD, Progress
from privlab.stats import student_reach

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int32]
TOP_PLACES = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Score:
    """How near trails come to the true ones, each matched to one by an assignment of least total distance.

    `right` (N,) is each person's share of steps in the right zone, `error_km` their mean distance to it. `right_seen` is
    the share right among the steps of all in which the person was really seen.
    """

    right: Floats
    error_km: Floats
    right_seen: float

    @property
    def accuracy(self) -> float:
        """Share of people and steps in the right zone."""
        return float(self.right.mean())

    @property
    def mean_error_km(self) -> float:
        """Mean distance to the right zone over people and steps."""
        return float(self.error_km.mean())

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """Student's 95% interval of the accuracy over people, within 0 and 1."""
        reach = student_reach(self.right)
        return max(0.0, self.accuracy - reach), min(1.0, self.accuracy + reach)

    @property
    def error_interval_km(self) -> tuple[float, float]:
        """Student's 95% interval of the mean error over people, from 0 km on."""
        reach = student_reach(self.error_km)
        return max(0.0, self.mean_error_km - reach), self.mean_error_km + reach


def score_from_trails(
    trails: Places, followed: Followed, *, progress: Progress = UNHEARD
) -> tuple[Score, Places]:
    """Return the score of trails (N, T), and the trails in the order of the people they are matched to."""
    used, place = np.unique(np.stack([trails, followed.zone]), return_inverse=True)
    here, there = place.reshape(2, *trails.shape)
    between = distances_km(followed.at_km[used], followed.at_km[used])
    total, n_steps = np.zeros((followed.n_people, followed.n_people)), followed.n_steps
    for step in range(n_steps):
        total += between[here[:, step]][:, there[:, step]]
        if step % 24 == 0:
            progress.tell(0.9 * step / n_steps, "Comparing with the true trails")
    row, column = linear_sum_assignment(total)
    match = row[np.argsort(column)]
    own = trails[match]
    right = own == followed.zone
    progress.tell(1.0)
    return Score(
        right=right.mean(axis=1),
        error_km=between[here[match], there].mean(axis=1),
        right_seen=float(right[followed.seen].mean()),
    ), own


def uniqueness_from_trails(trails: Places, n_zones: int) -> dict[int, float]:
    """Return the share of trails that no other shares its k most visited zones with, by k, order left aside.

    Of zones visited equally often the first come first; a trail of fewer zones counts with those it has.
    """
    visits = visits_from_zones(trails, n_zones)
    order = np.argsort(-visits, axis=1, kind="stable")[:, : max(TOP_PLACES)]
    visited = np.take_along_axis(visits, order, axis=1) > 0
    found = {}
    for k in TOP_PLACES:
        top = np.sort(np.where(visited, order, -1)[:, :k], axis=1)
        _, times = np.unique(top, axis=0, return_counts=True)
        found[k] = float((times == 1).sum() / trails.shape[0])
    return found
