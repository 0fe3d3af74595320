"""Ranks of scores and a share of false alarms → how many groups are judged rightly and wrongly. True data."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privlab.aggregates.findings.outcomes import TargetOutcome
from privlab.checks import ParameterError, require_between
from privlab.stats import roc_from_midranks, student_reach, wilson


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """How an attacker judges the test groups of all targets who says "in" from a threshold on.

    Each target has a threshold of its own: the lowest that accuses at most the share `most_false` of this target's
    groups without the target. `found` and `missed` are groups with the target, `accused` and `cleared` groups without.
    `right_low` and `right_high` are the 95% interval of the mean share of right verdicts, over targets.
    """

    most_false: float
    n_targets: int
    found: int
    missed: int
    accused: int
    cleared: int
    right_low: float
    right_high: float

    @property
    def n_groups(self) -> int:
        """All groups judged."""
        return self.found + self.missed + self.accused + self.cleared

    @property
    def right_share(self) -> float:
        """Share of the groups that are judged rightly."""
        return (self.found + self.cleared) / self.n_groups


def verdicts_from_outcomes(outcomes: Sequence[TargetOutcome], at: int, *, most_false: float) -> Verdicts:
    """Return the verdicts on all test groups, of the score at place `at` of each target's.

    The threshold is chosen on the groups it is tried on, as a ROC does. Raises ParameterError where nothing was played.
    """
    require_between("false_alarms", most_false, 0, 1)
    if not outcomes:
        raise ParameterError("outcomes must be of one target at least, got none.")
    counts = np.array([_judged(outcome, at, most_false) for outcome in outcomes])
    found, missed, accused, cleared = counts.sum(axis=0).tolist()
    low, high = _interval(counts)
    return Verdicts(
        most_false=most_false,
        n_targets=len(outcomes),
        found=found,
        missed=missed,
        accused=accused,
        cleared=cleared,
        right_low=low,
        right_high=high,
    )


def _judged(outcome: TargetOutcome, at: int, most_false: float) -> tuple[int, int, int, int]:
    score = outcome.scores[at]
    n_in, n_out = len(score.inside), len(score.outside)
    false, true = roc_from_midranks(score.inside, score.outside)
    best = int(np.flatnonzero(false <= most_false + 1e-12)[-1])
    found, accused = round(float(true[best]) * n_in), round(float(false[best]) * n_out)
    return found, n_in - found, accused, n_out - accused


def _interval(counts: np.ndarray) -> tuple[float, float]:
    """Return Student's interval over targets; where all targets are judged alike, Wilson's over all groups."""
    right, sizes = counts[:, 0] + counts[:, 3], counts.sum(axis=1)
    shares = right / sizes
    deviation = float(shares.std(ddof=1)) if shares.size > 1 else 0.0
    if deviation > 1e-12:
        reach = student_reach(shares)
        return max(0.0, float(shares.mean()) - reach), min(1.0, float(shares.mean()) + reach)
    low, high = wilson(right.sum(), sizes.sum())
    return float(low), float(high)
