"""Traces → targets, and for each target the groups of users that the game is played with.

A group has the same size in both worlds: IN it holds the target, OUT another user instead. Who is drawn
depends on the seed and the target alone, so that a run may stop and go on, on any number of processes.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.game_rules.balance import n_with_target
from privlab.aggregates.game_rules.changed_traces import traces_of_game
from privlab.aggregates.game_rules.game_plan import Plan, plan_from_parameters
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.traces import Ints, Traces
from privlab.checks import ParameterError
from privlab.seeds import generator

Flags = npt.NDArray[np.bool_]

MOBILITY = ("low", "middle", "high")


class TooFewGroups(ParameterError):
    """There are fewer different groups of a size than a game takes, each once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A user under attack: position in the users, id, and third of the users by number of reports.

    `turn` is its place in the order of the game.
    """

    turn: int
    position: int
    user: int | str
    mobility: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Groups:
    """Who is in which group: `member` (G, U) and whether the target is, `inside` (G,); both bool."""

    member: Flags
    inside: Flags


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Split:
    """The groups of one target: those trained on, those tested, and whose traces are known, (U,) bool.

    `known` is empty (all False) where the prior knows no traces.
    """

    train: Groups
    test: Groups
    known: Flags


def targets_from_traces(traces: Traces, n_targets: int, *, seed: int) -> tuple[Target, ...]:
    """Return targets, as many of each third of the users by number of reports inside the zones.

    The first n of more targets are the n targets of a smaller game. Low, middle and high take turns.
    """
    order = np.argsort(traces.n_reports, kind="stable")
    thirds = [
        generator(seed, f"targets of {name} mobility").permutation(part)
        for name, part in zip(MOBILITY, np.array_split(order, len(MOBILITY)), strict=True)
    ]
    turns = [
        (turn, which) for turn in range(max(part.size for part in thirds)) for which in range(len(thirds))
    ]
    chosen = [thirds[which][turn] for turn, which in turns if turn < thirds[which].size]
    names = [MOBILITY[which] for turn, which in turns if turn < thirds[which].size]
    return tuple(
        Target(turn=turn, position=int(one), user=plain_id(traces.users[one]), mobility=name)
        for turn, (one, name) in enumerate(zip(chosen[:n_targets], names, strict=False))
    )


def plain_id(user: Any) -> int | str:
    """Return a user's id as a plain number or text."""
    return int(user) if isinstance(user, int | np.integer) else str(user)


def first_split_from_traces(traces: Traces, parameters: GameParameters) -> Split:
    """Return the groups that a game's first target is attacked with; raises what refuses such a game on this data."""
    traces = traces_of_game(traces, parameters)
    plan = plan_from_parameters(parameters, traces)
    (target,) = targets_from_traces(traces, 1, seed=parameters.seed)
    return split_from_traces(traces, parameters, plan, target)


def split_from_traces(traces: Traces, parameters: GameParameters, plan: Plan, target: Target) -> Split:
    """Return the groups that one target is attacked with, as its prior has them (Pyrgelis et al. 2018).

    Raises ParameterError if there are fewer different groups than asked for.
    """
    rng = generator(parameters.seed, f"groups of target {target.user}")
    size, n_users = parameters.group_size, traces.n_users
    others = np.delete(np.arange(n_users), target.position)
    known = np.zeros(n_users, dtype=bool)
    shares = parameters.shares_with_target
    drawn: tuple[set[bytes], set[bytes]] = (set(), set())
    if plan.n_known is not None:
        known[rng.choice(others, plan.n_known - 1, replace=False)] = True
        inner, outer = np.flatnonzero(known), others[~known[others]]
        known[target.position] = True
        train = _groups(rng, inner, target.position, size, plan.n_train, shares.train, n_users, drawn)
        test = _groups(rng, outer, target.position, size, plan.n_test, shares.test, n_users, (set(), set()))
    else:  # who knows nothing sees one release: of a group with the target or of one without
        n_train = 2 if parameters.prior == "zero-knowledge" else plan.n_train
        train = _groups(rng, others, target.position, size, n_train, shares.train, n_users, drawn)
        test = train
        if not plan.same_groups:
            test = _groups(rng, others, target.position, size, plan.n_test, shares.test, n_users, drawn)
    if parameters.random_labels:
        lots = generator(parameters.seed, f"random labels of target {target.user}")
        fresh = Groups(member=train.member, inside=lots.permutation(train.inside))
        test = fresh if test is train else Groups(member=test.member, inside=lots.permutation(test.inside))
        train = fresh
    return Split(train=train, test=test, known=known)


def _groups(
    rng: np.random.Generator,
    others: Ints,
    target: int,
    size: int,
    n_groups: int,
    share: float,
    n_users: int,
    drawn: tuple[set[bytes], set[bytes]],
) -> Groups:
    """Return groups of `size` users, none of them in `drawn` (OUT, IN), which they join.

    The first are IN, a `share` of them. A group of one IN is the target alone, however often it is asked for.
    """
    inside = np.arange(n_groups) < n_with_target(n_groups, share)
    member = np.zeros((n_groups, n_users), dtype=bool)
    for world, n_others in ((True, size - 1), (False, size)):
        rows = np.flatnonzero(inside == world)
        if n_others:
            _require_enough(rows.size + len(drawn[world]), others.size, n_others)
        member[rows, target] = world
        for row in rows:
            while n_others:
                chosen = rng.choice(others, n_others, replace=False, shuffle=False)
                member[row, chosen] = True
                key = np.packbits(member[row]).tobytes()
                if key not in drawn[world]:
                    drawn[world].add(key)
                    break
                member[row, chosen] = False
    return Groups(member=member, inside=inside)


def _require_enough(n_groups: int, n_others: int, n_drawn: int) -> None:
    there_are = math.comb(n_others, n_drawn)
    if there_are < n_groups:
        raise TooFewGroups(
            f"groups with or without the target must be at most {there_are:,}, as many as there are of "
            f"{n_drawn} among {n_others:,} others, each once, got {n_groups:,}."
        )
