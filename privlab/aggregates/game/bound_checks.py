"""Every measured AUC of a defended game beside what its mechanism allows on that target. True data."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privlab.aggregates.defences.bounds import (
    AttackBound,
    bound_from_window,
    bounds_attacks,
    chance_of_excess,
    require_aucs_within_bounds,
)
from privlab.aggregates.defences.defence import Flags
from privlab.aggregates.findings.outcomes import Setting, TargetScore
from privlab.aggregates.findings.summaries import GameResult
from privlab.aggregates.game.one_target import Game
from privlab.aggregates.game_rules.changed_traces import traces_of_game
from privlab.aggregates.game_rules.game_plan import Plan
from privlab.aggregates.game_rules.groups import Target, split_from_traces, targets_from_traces
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.traces import Traces
from privlab.dp.attack import LaplaceTests


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundCheck:
    """One measured AUC and its bound.

    `chance` is the most likely that sampling alone lifts an attack at the bound this high, 1 below it. The
    bound is a theorem where `proven`: the released groups are new to the adversary. One that has met these
    very groups may know them by all of their members, and so tell two groups apart by far more than
    the target; both numbers then stand side by side without a verdict.
    """

    user: int | str
    setting: Setting
    auc: float
    n_pairs: int
    bound: AttackBound
    chance: float
    proven: bool


def bound_checks_from_result(traces: Traces, result: GameResult) -> list[BoundCheck]:
    """Return one check per target and defended score, of the defences that bound attacks at all.

    Raises BoundViolation if measured AUCs lie above proven bounds beyond sampling error: one alone, or
    the mean of an adversary over its targets. That is a fault in this program.
    """
    parameters = result.parameters
    if not parameters.is_defended:
        return []
    traces = traces_of_game(traces, parameters)
    targets = targets_from_traces(traces, parameters.targets, seed=parameters.seed)
    return BoundChecks(Game(traces, parameters), targets).of(result)


class BoundChecks:
    """The checks of one game, each target's worked out once, whatever the number of results that hold it."""

    def __init__(self, game: Game, targets: Sequence[Target]) -> None:
        self._game, self._tests = game, LaplaceTests()
        self._targets = {one.user: one for one in targets}
        self._bounds: dict[int | str, dict[float | None, AttackBound | None]] = {}

    def of(self, result: GameResult) -> list[BoundCheck]:
        """Return what `bound_checks_from_result` returns, and raise what it raises."""
        if not any(map(bounds_attacks, self._game.defences.values())):
            return []
        proven = not self._game.plan.same_groups
        checks = []
        for outcome in result.outcomes:
            if outcome.user not in self._bounds:
                self._bounds[outcome.user] = self._bounds_of(self._targets[outcome.user])
            bounds = self._bounds[outcome.user]
            for score in outcome.scores:
                bound = bounds.get(score.setting.epsilon)
                if score.setting.adversary is not None and bound is not None:
                    checks.append(_check(outcome.user, score, bound, proven=proven))
        require_checks(checks)
        return checks

    def _bounds_of(self, target: Target) -> dict[float | None, AttackBound | None]:
        game = self._game
        stand_ins = stand_ins_from_target(game.traces, game.parameters, game.plan, target)
        return {
            epsilon: bound_from_window(game.released, target.position, stand_ins, defence, self._tests)
            for epsilon, defence in game.defences.items()
        }


def stand_ins_from_target(traces: Traces, parameters: GameParameters, plan: Plan, target: Target) -> Flags:
    """Return who may take the target's place in a released group, (U,) bool."""
    others = np.ones(traces.n_users, dtype=bool)
    if plan.n_known is not None:  # those released are none of those known
        others = ~split_from_traces(traces, parameters, plan, target).known
    others[target.position] = False
    return others


def require_checks(checks: Sequence[BoundCheck]) -> None:
    """Raise BoundViolation if proven bounds are exceeded beyond sampling error."""
    for setting in dict.fromkeys(one.setting for one in checks if one.proven):
        rows = [one for one in checks if one.setting == setting]
        require_aucs_within_bounds(
            [one.auc for one in rows],
            [one.bound.auc for one in rows],
            [one.n_pairs for one in rows],
            f"{setting.arm}, {setting.classifier}, epsilon {setting.epsilon}, {setting.adversary}",
        )


def _check(user: int | str, score: TargetScore, bound: AttackBound, *, proven: bool) -> BoundCheck:
    n_pairs = min(len(score.inside), len(score.outside))
    return BoundCheck(
        user=user,
        setting=score.setting,
        auc=score.auc,
        n_pairs=n_pairs,
        bound=bound,
        chance=chance_of_excess(score.auc, bound.auc, n_pairs),
        proven=proven,
    )
