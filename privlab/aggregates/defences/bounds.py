"""What the mechanism itself allows the best attack on a target, beside what an attack has reached.

In the game groups have one size: where the target is out, someone stands in for the target. An attacker
who knew everything else, and who would stand in, would still have to tell two aggregates apart that differ
by one in every entry that only one of the two people reports. That is the bound of a measured attack.
The bound for the target alone (one more or one less person) is another: smaller, since the stand-in's own
reports give nothing away there, or larger, since null reports that both share do. A game may exceed it.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import Defence, Flags, Floats
from privlab.aggregates.defences.noisy_defences import GaussianDefence, LaplaceDefence
from privlab.aggregates.defences.plain_defences import SampleDefence
from privlab.aggregates.defences.release_defence import ReleaseDefence
from privlab.aggregates.traces import Ints, Window, reports_from_window
from privlab.checks import BoundViolation
from privlab.dp.attack import (
    LaplaceTests,
    accuracy_from_promise,
    auc_from_promise,
    gaussian_accuracies,
    promise_of_replacement,
)

CERTAIN = 1e-9  # chance of a measurement below which sampling error is no excuse


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackBound:
    """The most that any attack on one target can reach through one mechanism.

    `accuracy` and `auc` hold in the game, where another user stands in for the target, drawn from those
    who may; `accuracy_alone` and `auc_alone` where the target is added or left out and all else is
    the same. With `exact` they are those of the best test given perfect knowledge; otherwise what the
    promise (ε, δ) allows. `n_reports` are the target's.
    """

    n_reports: int
    accuracy: float
    auc: float
    accuracy_alone: float
    auc_alone: float
    exact: bool


def bounds_attacks(defence: Defence) -> bool:
    """Return whether a defence bounds attacks at all."""
    return defence.epsilon_user is not None or isinstance(defence, SampleDefence)


def bound_from_window(
    window: Window, target: int, stand_ins: Flags, defence: Defence, tests: LaplaceTests | None = None
) -> AttackBound | None:
    """Return what a defence of a period allows attacks on the user at position `target`.

    `stand_ins` are the users (U,) of whom one takes the target's place, each with the same chance. None for
    a defence that bounds nothing. A caller with many targets passes `tests`, which keep what they have worked out.
    """
    if not bounds_attacks(defence):
        return None
    n_reports = int(reports_from_window(window)[target])
    if isinstance(defence, LaplaceDefence | GaussianDefence):
        differing = differing_entries(window, target)[stand_ins]
        if isinstance(defence, LaplaceDefence):
            accuracies = partial((tests or LaplaceTests()).accuracies, defence.scale)
        else:
            accuracies = partial(gaussian_accuracies, defence.sigma)
        numbers, chances = _law(differing)
        twice, twice_chances = _law_of_sums(differing)
        alone = accuracies([n_reports, 2 * n_reports])
        # The losses of the two worlds mirror each other, so the score inside beats one outside as often as
        # the best test of both people's entries together is right: an AUC is an accuracy of n + n' entries.
        return AttackBound(
            n_reports=n_reports,
            accuracy=min(1.0, float(accuracies(numbers) @ chances)),
            auc=min(1.0, float(accuracies(twice) @ twice_chances)),
            accuracy_alone=float(alone[0]),
            auc_alone=float(alone[1]),
            exact=True,
        )
    if isinstance(defence, ReleaseDefence):  # the same for everyone, whatever their visits
        apart = defence.distance
        one = apart / math.sqrt(2)
        return AttackBound(
            n_reports=n_reports,
            accuracy=normal_accuracy(apart),
            auc=normal_accuracy(apart * math.sqrt(2)),
            accuracy_alone=normal_accuracy(one),
            auc_alone=normal_accuracy(one * math.sqrt(2)),
            exact=False,
        )
    if isinstance(defence, SampleDefence):  # both are left out together with chance 1 − share
        promise = replaced = (0.0, defence.share)
    else:
        assert defence.epsilon_user is not None
        promise = (defence.epsilon_user, defence.delta_user)
        replaced = promise_of_replacement(*promise)
    return AttackBound(
        n_reports=n_reports,
        accuracy=accuracy_from_promise(*replaced),
        auc=auc_from_promise(*replaced),
        accuracy_alone=accuracy_from_promise(*promise),
        auc_alone=auc_from_promise(*promise),
        exact=False,
    )


def normal_accuracy(apart: float) -> float:
    """Return how often the best test tells two normal laws apart whose means are so many σ from one another: Φ(d/2)."""
    return float(gaussian_accuracies(1.0, apart**2))


def differing_entries(window: Window, target: int) -> Ints:
    """Return in how many entries each user's reports differ from the target's, shape (U,); 0 for the target.

    Null reports count where there is a null zone: hours seen stand for it, and differ as often.
    """
    mine = np.zeros(window.n_zones * window.n_epochs, dtype=np.int64)
    own = window.cell[window.starts[target] : window.starts[target + 1]]
    mine[own] = 1
    shared = np.concatenate([[0], np.cumsum(mine[window.cell])])
    overlap = shared[window.starts[1:]] - shared[window.starts[:-1]]
    return np.asarray(own.size + np.diff(window.starts) - 2 * overlap)


def chance_of_excess(auc: float, bound: float, n_pairs: int) -> float:
    """Return the most likely that an AUC this far above its bound can be by sampling alone; 1 below it.

    `n_pairs` is the lesser number of groups IN and OUT. An AUC is a mean over pairings of independent
    pairs (Hoeffding 1963, section 5), and Chernoff's bound exp(−n·KL(auc, bound)) holds for it.
    """
    if auc <= bound or not n_pairs:
        return 1.0
    if bound <= 0:
        return 0.0
    divergence = auc * math.log(auc / bound)
    if auc < 1:
        divergence += (1 - auc) * math.log((1 - auc) / (1 - bound)) if bound < 1 else 0.0
    return math.exp(-n_pairs * divergence)


def require_aucs_within_bounds(
    aucs: Sequence[float], bounds: Sequence[float], n_pairs: Sequence[int], what: str
) -> None:
    """Raise BoundViolation if AUCs lie above their bounds beyond sampling error, one alone or their mean.

    Targets' groups are drawn independently; a mean over targets is then held to the mean bound.
    """
    values = np.array([aucs, bounds], dtype=np.float64)
    if not np.isfinite(values).all():
        raise BoundViolation(f"{what}: cannot be judged, since the measure or its bound is not a number.")
    if not values.size:
        return
    weights = np.asarray(n_pairs, dtype=np.float64)
    rows = [*zip(aucs, bounds, n_pairs, strict=True)]
    rows.append((*(values @ weights / weights.sum()).tolist(), int(weights.sum())))
    for auc, bound, n in rows:
        if chance_of_excess(auc, bound, n) < CERTAIN:
            raise BoundViolation(f"{what}: measured {auc:.4f} above the bound {bound:.4f}.")


def _law(numbers: Ints) -> tuple[Ints, Floats]:
    found, times = np.unique(numbers, return_counts=True)
    return found, times / numbers.size


def _law_of_sums(numbers: Ints) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the law of the sum of two independent draws."""
    low = int(numbers.min())
    counts = np.bincount(numbers - low).astype(np.float64)
    sums = np.convolve(counts, counts)
    at = np.flatnonzero(sums)
    return at + 2 * low, sums[at] / sums[at].sum()
