"""What a game releases, to be looked at: one aggregate before and after a defence, and what defences promise. True data."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import Defence, DefenceFacts, defence_facts_from_window
from privlab.aggregates.defences.named_defences import defence_from_spec
from privlab.aggregates.game.estimates import Estimate
from privlab.aggregates.game.released_groups import Weeks
from privlab.aggregates.game.zero_knowledge import ZeroKnowledge
from privlab.aggregates.game_rules.changed_traces import traces_of_game
from privlab.aggregates.game_rules.game_plan import plan_from_parameters
from privlab.aggregates.game_rules.groups import split_from_traces, targets_from_traces
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import Traces, presence_from_window, window_from_traces
from privlab.checks import ParameterError, require_whole
from privlab.seeds import generator

Floats = npt.NDArray[np.float64]


def marginals_from_traces(
    traces: Traces, parameters: GameParameters, *, turn: int
) -> tuple[Estimate, Estimate]:
    """Return what the zero-knowledge attacker estimates from the release of a turn, and the truth of all users.

    In a game with defences it is a release under the first of them, with the first ε, and the attacker knows the
    defence. Raises ParameterError or DataError if the traces do not hold such a game.
    """
    if parameters.prior != "zero-knowledge":
        raise ParameterError(f"prior must be zero-knowledge to estimate anything, got {parameters.prior!r}.")
    traces = traces_of_game(traces, parameters)
    plan = plan_from_parameters(parameters, traces)
    target = targets_from_traces(traces, turn + 1, seed=parameters.seed)[turn]
    attacker = ZeroKnowledge(traces, parameters, plan, Weeks(traces, parameters, plan))
    _, defences = defences_from_traces(traces, parameters)
    epsilon = parameters.epsilons[0] if parameters.epsilons else None
    seen = split_from_traces(traces, parameters, plan, target).train
    adversary = "strategic" if parameters.is_defended else None
    return attacker.estimate(seen, target, epsilon, defences[0], adversary), attacker.true


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Example:
    """An aggregate of a group with the target in it, null zone left out; arrays (zones, epochs).

    `counts` are true, `published` what the defence makes of them, `visited` where and when the target was.
    `turn` is whose turn in the game it is, `mobility` their third of the users by number of reports.
    """

    counts: Floats
    published: Floats
    visited: npt.NDArray[np.bool_]
    turn: int
    mobility: str


def defences_from_traces(
    traces: Traces, parameters: GameParameters
) -> tuple[DefenceFacts, tuple[Defence, ...]]:
    """Return the facts of the period that a game releases, and its defence with each of its ε.

    Raises ParameterError for a defence or groups that cannot be, DataError if there are too few weeks.
    """
    traces = traces_of_game(traces, parameters)
    plan, period = plan_from_parameters(parameters, traces), period_from_spec(parameters.period)
    facts = defence_facts_from_window(window_from_traces(traces, week=plan.test_week, period=period))
    epsilons = parameters.epsilons or (None,)
    return facts, tuple(
        defence_from_spec(parameters.defence, epsilon=epsilon, facts=facts) for epsilon in epsilons
    )


def example_from_traces(
    traces: Traces, parameters: GameParameters, *, turn: int, epsilon: float | None = None
) -> Example:
    """Return the first test group with the target of a turn, under the game's defence with one ε."""
    traces = traces_of_game(traces, parameters)
    require_whole("turn", turn, 0, traces.n_users - 1)
    plan = plan_from_parameters(parameters, traces)
    target = targets_from_traces(traces, turn + 1, seed=parameters.seed)[turn]
    weeks = Weeks(traces, parameters, plan)
    groups = split_from_traces(traces, parameters, plan, target).test
    first = np.flatnonzero(groups.inside)[:1]
    counts = weeks.aggregates(groups.member[first], plan.test_week)
    facts = defence_facts_from_window(weeks.released)
    defence = defence_from_spec(parameters.defence, epsilon=epsilon, facts=facts)
    rng = generator(parameters.seed, f"example of {parameters.defence} {epsilon} for target {target.user}")
    before = weeks.before_noise(defence, groups.member[first], plan.test_week, rng, true=counts)
    published = defence.defended(before, rng)
    inside = slice(0, traces.n_zones - traces.null_zone)
    return Example(
        counts=counts[0, inside].astype(np.float64),
        published=np.asarray(published[0, inside], dtype=np.float64),
        visited=presence_from_window(weeks.released, target.position)[inside],
        turn=target.turn,
        mobility=target.mobility,
    )
