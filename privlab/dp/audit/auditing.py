"""Attacks on a mechanism as it runs → lower confidence bounds on its ε and on the best attack, beside what is proven.

Knows a mechanism only as something that turns whole counts into whole counts. A bound above what is proven
convicts the mechanism; one below it acquits nobody, it only says how far this attack came.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import require_between, require_choice, require_whole
from privlab.dp.attack.composition import accuracy_from_composed_cells
from privlab.dp.audit.broken_mechanisms import BROKEN, Counts
from privlab.dp.noise.mechanisms import Mechanism, mechanism_from_bound
from privlab.dp.noise.secure_noise import noisy_counts_from_counts, secure_noise_from_mechanism
from privlab.limits import MAX_AUDIT_CELLS, MAX_AUDIT_TRIALS, MAX_EPSILON, MIN_EPSILON
from privlab.progress import UNHEARD, Progress
from privlab.stats import clopper_pearson

Ints = npt.NDArray[np.int64]

REAL = "opendp-integer"
MECHANISMS = (REAL, *BROKEN)

_OTHERS = (0, 3, 7)  # people besides the target in the cells under attack, in turn
_BESIDE = 5  # people in one more cell that the target never enters
_STRICTER = 30  # many events are tried: rare ones that stand out by chance must not be taken for the best
_RUN_S, _CELL_S = 5e-4, 5e-5  # a run, and each cell of it
_BLOCK = 500  # runs between two reports
_VOTES = "cells above their count"
_FOR_VOTES = 0.1  # of the chance to fail that the level leaves; the bound on ε has the rest


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditParameters:
    """What is audited: `epsilon` promised to a unit that adds one to each of `max_trips_per_user` cells.

    `trials` runs of the mechanism are made with the unit and as many without it. `level` is the confidence
    of the bound.
    """

    epsilon: float
    max_trips_per_user: int = 1
    trials: int = 10_000
    level: float = 0.999

    def __post_init__(self) -> None:
        """Check every field."""
        require_between("epsilon", self.epsilon, MIN_EPSILON, MAX_EPSILON)
        require_whole("max_trips_per_user", self.max_trips_per_user, 1, MAX_AUDIT_CELLS)
        require_whole("trials", self.trials, 200, MAX_AUDIT_TRIALS)
        require_between("level", self.level, 0.5, 1 - 1e-9)

    @property
    def seconds(self) -> float:
        """About how long an audit takes on two cores that have other work as well."""
        return 2 * self.trials * (_RUN_S + _CELL_S * self.max_trips_per_user)

    @property
    def mechanism(self) -> Mechanism:
        """The noise that should keep the promise."""
        return mechanism_from_bound("integer", self.epsilon, self.max_trips_per_user)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """How often two attacks were right, and what that proves about ε and about the best attack there is.

    `epsilon_lower` and `accuracy_lower` hold together with confidence `parameters.level` for a mechanism of δ = 0;
    `proven_epsilon` is what the mechanism's own proof says, `proven_accuracy` how often the best attack is right
    on noise of that scale. `event` says what the attack on ε looked at, chosen on the first half of the
    trials and counted on the second, `n_counted` in each world. The other attack is a majority vote over the
    cells, over all trials: where many cells are noisy, it sees what no rare event shows.
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

    @property
    def convicted(self) -> bool:
        """Whether the mechanism was caught breaking its promise."""
        return self.epsilon_lower > self.proven_epsilon or self.accuracy_lower > self.proven_accuracy


def audit_from_parameters(
    parameters: AuditParameters, mechanism: str = REAL, *, progress: Progress = UNHEARD
) -> Audit:
    """Return the audit of one of `MECHANISMS`: OpenDP's, the one that secure releases use, or a broken one.

    There is no seed. A broken mechanism is held to the ε it promises, as nothing is proven for it.
    """
    require_choice("mechanism", mechanism, MECHANISMS)
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
    worlds = []
    for place, world in enumerate((inside, without)):
        blocks = []
        for start in range(0, parameters.trials, _BLOCK):
            progress.tell((place + start / parameters.trials) / 2, "Running the mechanism")
            blocks.append(_statistics(counts, world, without, min(_BLOCK, parameters.trials - start)))
        worlds.append({name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]})
    half = parameters.trials // 2
    name, sign, edge, turned = _best_event(
        [{k: v[:half] for k, v in one.items()} for one in worlds], parameters
    )
    hits = [int(_event(one[name][half:], sign, edge).sum()) for one in worlds]
    n_counted = parameters.trials - half
    seen = hits[::-1] if turned else hits
    bound, left = parameters.max_trips_per_user, 1 - parameters.level
    return Audit(
        parameters=parameters,
        epsilon_lower=_epsilon_lower(seen[0], seen[1], n_counted, 1 - (1 - _FOR_VOTES) * left),
        proven_epsilon=proven_epsilon,
        accuracy_lower=_accuracy_lower(worlds[0][_VOTES], worlds[1][_VOTES], bound, 1 - _FOR_VOTES * left),
        proven_accuracy=accuracy_from_composed_cells("integer", proven_epsilon / bound, bound),
        event=f"{name} {sign} {edge}",
        n_with=hits[0],
        n_without=hits[1],
        n_counted=n_counted,
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


def _best_event(worlds: list[dict[str, Ints]], parameters: AuditParameters) -> tuple[str, str, int, bool]:
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
                    bound = _epsilon_lower(seen[0], seen[1], values[0].size, level)
                    if bound > best:
                        best, found = bound, (name, sign, edge, turned)
    return found


def _epsilon_lower(likely: int, unlikely: int, trials: int, level: float) -> float:
    """Return max(0, log(p₁/p₀)) at the ends of two Clopper–Pearson intervals that hold together."""
    # Each one-sided end fails with (1 − level)/2: two-sided intervals of `level` have such ends.
    low, _ = clopper_pearson(likely, trials, level=level)
    _, high = clopper_pearson(unlikely, trials, level=level)
    return max(0.0, math.log(float(low) / float(high))) if low > 0 else 0.0


def _accuracy_lower(inside: Ints, without: Ints, n_cells: int, level: float) -> float:
    """Return a lower end on how often the majority of the cells tells the two worlds apart.

    It fails with at most 1 − level. The right answers of the two worlds are two binomials; together they
    spread no wider than one of their mean (Hoeffding 1956, theorem 4). An even vote counts as "without": its
    likelihoods are equal, so that this is a best test.
    """
    right = int((2 * inside > n_cells).sum() + (2 * without <= n_cells).sum())
    low, _ = clopper_pearson(right, inside.size + without.size, level=2 * level - 1)
    return float(low)
