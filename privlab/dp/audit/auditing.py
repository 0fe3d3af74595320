"""Attacks on a mechanism as it runs → lower confidence bounds on its ε and on the best attack, beside what is proven.

Knows a mechanism only as something that turns whole counts into whole counts, and what a person adds to them. A bound above what is
proven convicts the mechanism; one below it acquits nobody, it only says how far this attack came.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_between, require_choice, require_whole
from privlab.defaults import USUAL_DELTA
from privlab.dp.attack.composition import accuracy_from_composed_cells
from privlab.dp.audit.broken_mechanisms import BROKEN, BROKEN_GAUSSIAN, NOT_ROOTED, Counts, right_weight
from privlab.dp.audit.gaussian_runs import GaussianRuns, gaussian_runs_from_promise
from privlab.dp.gaussian.discrete_gaussian import UNITS
from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, accuracy_at_most
from privlab.dp.noise.mechanisms import Mechanism, mechanism_from_bound
from privlab.dp.noise.secure_noise import noisy_counts_from_counts, secure_noise_from_mechanism
from privlab.limits import (
    MAX_AUDIT_CELLS,
    MAX_AUDIT_TRIALS,
    MAX_EPSILON,
    MAX_TARGET_DELTA,
    MIN_EPSILON,
    MIN_TARGET_DELTA,
)
from privlab.progress import UNHEARD, Progress
from privlab.stats import clopper_pearson

Ints = npt.NDArray[np.int64]

REAL, GAUSSIAN = "opendp-integer", "gaussian"
MECHANISMS = (REAL, *BROKEN, GAUSSIAN, *BROKEN_GAUSSIAN)

_OTHERS = (0, 3, 7)  # people besides the target in the cells under attack, in turn
_BESIDE = 5  # people in one more cell that the target never enters
_STRICTER = 30  # many events are tried: rare ones that stand out by chance must not be taken for the best
_RUN_S, _CELL_S = (
    5e-4,
    5e-5,
)  # a run, and each cell of it; Gaussian noise on four times as many cells takes no longer
_BLOCK = 500  # runs between two reports
_VOTES, _SUM = "cells above their count", "trips in all cells above their counts"
_FOR_VOTES = 0.1  # of the chance to fail that the level leaves; the bound on ε has the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditParameters:
    """What is audited: `epsilon` promised to a unit that adds one to each of `max_trips_per_user` cells.

    `trials` runs of the mechanism are made with the unit and as many without it. `level` is the confidence
    of the bound. With Gaussian noise (`epsilon`, `delta`) is promised to a unit that adds to four times as many cells, with the weights
    of the L2 clip; `delta` is None where nothing is said.
    """

    epsilon: float
    max_trips_per_user: int = 1
    trials: int = 10_000
    level: float = 0.999
    delta: float | None = None

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_whole("max_trips_per_user", self.max_trips_per_user, 1, MAX_AUDIT_CELLS)
        require_whole("trials", self.trials, 200, MAX_AUDIT_TRIALS)
        require_between("level", self.level, 0.5, 1 - 1e-9)
        if self.delta is not None:
            require_between("delta", self.delta, MIN_TARGET_DELTA, MAX_TARGET_DELTA)

    @property
    def seconds(self) -> float:
        """About how long an audit takes on two cores that have other work as well."""
        return 2 * self.trials * (_RUN_S + _CELL_S * self.max_trips_per_user)

    @property
    def mechanism(self) -> Mechanism:
        """The noise that should keep the promise."""
        return mechanism_from_bound("integer", self.epsilon, self.max_trips_per_user)

    @property
    def gaussian(self) -> GaussianParameters:
        """What Gaussian noise should keep."""
        return GaussianParameters(
            epsilon=self.epsilon,
            delta=USUAL_DELTA if self.delta is None else self.delta,
            max_trips_per_user=self.max_trips_per_user,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """How often two attacks were right, and what that proves about ε and about the best attack there is.

    `epsilon_lower` and `accuracy_lower` hold together with confidence `parameters.level`, ε for a mechanism of that `delta`;
    `proven_epsilon` is what the mechanism's own proof says, `proven_accuracy` how often the best attack is right
    on noise of that scale. `event` says what the attack on ε looked at, chosen on the first half of the
    trials and counted on the second, `n_counted` in each world. The other attack is over all trials a majority vote over the
    cells, or with Gaussian noise whether their sum is above half of what the person adds: where many cells are noisy, it sees what no rare
    event shows.
    """

    parameters: AuditParameters
    epsilon_lower: float
    proven_epsilon: float
    accuracy_lower: float
    proven_accuracy: float
    event: str
    n_with: int
    n_without: int
    n_counted: int
    delta: float = 0.0

    @property
    def convicted(self) -> bool:
        """Whether the mechanism was caught breaking its promise."""
        return self.epsilon_lower > self.proven_epsilon or self.accuracy_lower > self.proven_accuracy


def audit_from_parameters(
    parameters: AuditParameters, mechanism: str = REAL, *, progress: Progress = UNHEARD
) -> Audit:
    """Return the audit of one of `MECHANISMS`: OpenDP's, as secure releases use them, or a broken one.

    There is no seed. A broken mechanism is held to what it promises, as nothing is proven for it.
    """
    require_choice("mechanism", mechanism, MECHANISMS)
    if mechanism == GAUSSIAN or mechanism in BROKEN_GAUSSIAN:
        return _gaussian_audit(parameters, mechanism, progress)
    if parameters.delta is not None:
        raise ParameterError(
            f"delta goes with Gaussian noise: leave it out with mechanism {mechanism}, or take mechanism {GAUSSIAN}."
        )
    if mechanism != REAL:
        counts = BROKEN[mechanism](parameters.mechanism)
        return audit_from_mechanism(counts, parameters, proven_epsilon=parameters.epsilon, progress=progress)
    noise = secure_noise_from_mechanism(parameters.mechanism)
    return audit_from_mechanism(
        lambda counts: noisy_counts_from_counts(counts, noise),
        parameters,
        proven_epsilon=noise.proven_epsilon,
        progress=progress,
    )


def audit_from_mechanism(
    counts: Counts, parameters: AuditParameters, *, proven_epsilon: float, progress: Progress = UNHEARD
) -> Audit:
    """Return the audit of anything that turns an int64 array of counts into noisy ones of the same shape.

    The two neighbouring datasets differ by one in each attacked cell; one more cell is the same in both.
    """
    without = np.array(
        [*(_OTHERS[i % len(_OTHERS)] for i in range(parameters.max_trips_per_user)), _BESIDE], dtype=np.int64
    )
    inside = without + np.append(np.ones(parameters.max_trips_per_user, dtype=np.int64), 0)
    worlds = _worlds(
        lambda world, trials: _statistics(counts, world, without, trials),
        (inside, without),
        parameters.trials,
        progress,
    )
    bound = parameters.max_trips_per_user
    return _audit_from_worlds(
        worlds,
        parameters,
        proven_epsilon=proven_epsilon,
        proven_accuracy=accuracy_from_composed_cells("integer", proven_epsilon / bound, bound),
        settled=(_VOTES, bound),
    )


def _gaussian_audit(parameters: AuditParameters, mechanism: str, progress: Progress) -> Audit:
    """Return the audit of Gaussian noise: others as with integer noise, in units, and published counts of whole trips."""
    if mechanism == NOT_ROOTED and parameters.max_trips_per_user == 1:
        raise ParameterError(
            f"max_trips_per_user must be at least 2 with mechanism {NOT_ROOTED}, got 1: the root of 1 is 1, so that nothing is broken."
        )
    promise = parameters.gaussian
    made = BROKEN_GAUSSIAN.get(mechanism)
    runs = (
        gaussian_runs_from_promise(promise, sigma=promise.drawn_sigma, weight=right_weight)
        if made is None
        else made(promise)
    )
    others = np.array([*(_OTHERS[i % len(_OTHERS)] for i in range(runs.n_cells)), _BESIDE], dtype=np.int64)
    added = np.append(np.full(runs.n_cells, runs.weight, dtype=np.int64), 0)
    worlds = _worlds(
        lambda world, trials: _gaussian_statistics(runs, world, others, trials),
        (others * UNITS + added, others * UNITS),
        parameters.trials,
        progress,
    )
    return _audit_from_worlds(
        worlds,
        parameters,
        proven_epsilon=parameters.epsilon,
        proven_accuracy=accuracy_at_most(promise),
        settled=(_SUM, runs.n_cells * runs.weight / UNITS),
        delta=promise.delta,
    )


def _gaussian_statistics(runs: GaussianRuns, world: Ints, others: Ints, trials: int) -> dict[str, Ints]:
    """Return what the attack looks at in each run, shape (trials,) each."""
    above = runs.published(np.tile(world, (trials, 1))) - others
    return {
        _SUM: above[:, :-1].sum(axis=1),  # nearly the likelihood ratio: but for the rounding to whole trips
        "first cell": above[:, 0],
        "first cell less the cell beside": above[:, 0] - above[:, -1],
    }


def _worlds(
    statistics: Callable[[Ints, int], dict[str, Ints]],
    counts: tuple[Ints, Ints],
    trials: int,
    progress: Progress,
) -> list[dict[str, Ints]]:
    """Return what was seen in so many runs with the person and in as many without."""
    worlds = []
    for place, world in enumerate(counts):
        blocks = []
        for start in range(0, trials, _BLOCK):
            progress.tell((place + start / trials) / 2, "Running the mechanism")
            blocks.append(statistics(world, min(_BLOCK, trials - start)))
        worlds.append({name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})
    return worlds


def _audit_from_worlds(
    worlds: list[dict[str, Ints]],
    parameters: AuditParameters,
    *,
    proven_epsilon: float,
    proven_accuracy: float,
    settled: tuple[str, float],
    delta: float = 0.0,
) -> Audit:
    """Return what two attacks find; `settled` names what one of them looks at, and twice the number above which it says "with"."""
    half = parameters.trials // 2
    name, sign, edge, turned = _best_event(
        [{k: v[:half] for k, v in one.items()} for one in worlds], parameters, delta
    )
    hits = [int(_event(one[name][half:], sign, edge).sum()) for one in worlds]
    n_counted = parameters.trials - half
    seen = hits[::-1] if turned else hits
    left = 1 - parameters.level
    return Audit(
        parameters=parameters,
        epsilon_lower=_epsilon_lower(seen[0], seen[1], n_counted, 1 - (1 - _FOR_VOTES) * left, delta),
        proven_epsilon=proven_epsilon,
        accuracy_lower=_accuracy_lower(
            worlds[0][settled[0]], worlds[1][settled[0]], settled[1], 1 - _FOR_VOTES * left
        ),
        proven_accuracy=proven_accuracy,
        event=f"{name} {sign} {edge}",
        n_with=hits[0],
        n_without=hits[1],
        n_counted=n_counted,
        delta=delta,
    )


def _statistics(counts: Counts, world: Ints, without: Ints, trials: int) -> dict[str, Ints]:
    """Return what the attack looks at in each run, shape (trials,) each."""
    noisy = np.stack([counts(world) for _ in range(trials)])
    above = noisy[:, :-1] - without[:-1]
    return {
        _VOTES: (above > 0).sum(axis=1),  # the likelihood ratio of integer noise
        "cells without noise": (noisy == without).sum(axis=1),
        "first cell": above[:, 0],
        "first cell less the cell beside": above[:, 0] - (noisy[:, -1] - without[-1]),
    }


def _event(values: Ints, sign: str, edge: int) -> npt.NDArray[np.bool_]:
    return np.asarray(values >= edge if sign == "≥" else values <= edge if sign == "≤" else values == edge)


def _best_event(
    worlds: list[dict[str, Ints]], parameters: AuditParameters, delta: float
) -> tuple[str, str, int, bool]:
    """Return the event that proves most on these trials, and whether it speaks for the world without."""
    best, found = -1.0, ("first cell", "≥", 1, False)
    level = 1 - (1 - parameters.level) / _STRICTER
    for name in worlds[0]:
        values = [one[name] for one in worlds]
        edges = np.unique(np.quantile(np.concatenate(values), np.linspace(0, 1, 41)).astype(np.int64))
        for edge in edges.tolist():
            for sign in ("≥", "≤", "="):
                hits = [int(_event(one, sign, edge).sum()) for one in values]
                for turned in (False, True):
                    seen = hits[::-1] if turned else hits
                    bound = _epsilon_lower(seen[0], seen[1], values[0].size, level, delta)
                    if bound > best:
                        best, found = bound, (name, sign, edge, turned)
    return found


def _epsilon_lower(likely: int, unlikely: int, trials: int, level: float, delta: float = 0.0) -> float:
    """Return max(0, log((p₁ − δ)/p₀)) at the ends of two Clopper–Pearson intervals that hold together."""
    # Each one-sided end fails with (1 − level)/2: two-sided intervals of `level` have such ends.
    low, _ = clopper_pearson(likely, trials, level=level)
    _, high = clopper_pearson(unlikely, trials, level=level)
    return max(0.0, math.log((float(low) - delta) / float(high))) if low > delta else 0.0


def _accuracy_lower(inside: Ints, without: Ints, added: float, level: float) -> float:
    """Return a lower end on how often numbers above half of `added` tell the two worlds apart; of votes, the majority of so many cells.

    It fails with at most 1 − level. The right answers of the two worlds are two binomials; together they
    spread no wider than one of their mean (Hoeffding 1956, theorem 4). An even vote counts as "without": its
    likelihoods are equal, so that this is a best test.
    """
    right = int((2 * inside > added).sum() + (2 * without <= added).sum())
    low, _ = clopper_pearson(right, inside.size + without.size, level=2 * level - 1)
    return float(low)
