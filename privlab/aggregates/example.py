"""One released aggregate of one target, before and after a defence: what an adversary looks at. True data."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defence import defence_facts_from_window
from privlab.aggregates.defences import defence_from_spec
from privlab.aggregates.groups import split_from_traces, targets_from_traces
from privlab.aggregates.parameters import GameParameters
from privlab.aggregates.plan import plan_from_parameters
from privlab.aggregates.releases import Weeks
from privlab.aggregates.traces import Traces, presence_from_window
from privlab.checks import require_whole
from privlab.seeds import generator

Floats = npt.NDArray[np.float64]


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


def example_from_traces(
    traces: Traces, parameters: GameParameters, *, turn: int, epsilon: float | None = None
) -> Example:
    """Return the first test group with the target of a turn, under the game's defence with one ε."""
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
    counted = defence.counted(groups.member[first], rng)
    published = defence.defended(weeks.aggregates(counted, plan.test_week), rng)
    inside = slice(0, traces.n_zones - traces.null_zone)
    return Example(
        counts=counts[0, inside].astype(np.float64),
        published=np.asarray(published[0, inside], dtype=np.float64),
        visited=presence_from_window(weeks.released, target.position)[inside],
        turn=target.turn,
        mobility=target.mobility,
    )
