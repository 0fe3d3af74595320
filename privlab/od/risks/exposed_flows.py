"""Risks of single people → the flows that give the most exposed of them away, added up so that no one is named.

Figures of true data.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from privlab.checks import require_whole
from privlab.od.matrix import Ints
from privlab.od.risks.person_risks import PersonRisks, accuracy_of_one_flow

Floats = npt.NDArray[np.float64]

_TIE = 1e-9
_NOTHING = 1e-6  # a flow that helps the attacker less tells nothing


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExposedFlows:
    """The most telling flows of the `n_people` most exposed of some people, those that give away most people first, shape (F,).

    `flow` are cell numbers, `people` how many of the `n_people` have it among their most telling flows,
    `alone` the highest accuracy that this flow alone gives against one of them. `least_accuracy` is that
    of the least exposed of them, `n_without` of them are given away by no single flow.
    """

    n_people: int
    n_without: int
    least_accuracy: float
    flow: Ints
    people: Ints
    alone: Floats


def exposed_flows_from_person_risks(
    risks: PersonRisks, n_most: int = 50, *, among: tuple[float, float] = (0.5, 1.0)
) -> ExposedFlows:
    """Return which flows give away the `n_most` most exposed people; a person may have several equally telling.

    Of those alone whose accuracy lies `among` two values, both included.
    """
    counted = risks.counted
    low, high = among
    order = np.argsort(-risks.accuracy, kind="stable")
    meant = (risks.accuracy[order] >= low - _TIE) & (risks.accuracy[order] <= high + _TIE)
    order = order[meant][: require_whole("n_most", n_most, 1, 10**6)]
    if not order.size:
        nothing = np.empty(0, dtype=np.int64)
        return ExposedFlows(
            n_people=0,
            n_without=0,
            least_accuracy=low,
            flow=nothing,
            people=nothing,
            alone=np.empty(0),
        )
    size = np.diff(counted.starts)[order]
    owner = np.repeat(np.arange(order.size), size)
    first = np.concatenate([[0], np.cumsum(size)[:-1]])
    trips = np.repeat(counted.starts[order] - first, size) + np.arange(owner.size)
    alone = accuracy_of_one_flow(risks, counted.others[trips])
    best = np.full(order.size, 0.5)
    np.maximum.at(best, owner, alone)
    telling = (alone >= best[owner] - _TIE) & (alone > 0.5 + _NOTHING)
    # In releases of several weeks the same flow may tell of a person more than once: it counts once.
    pairs = np.unique(np.stack([counted.flow[trips][telling], owner[telling]]), axis=1)
    flow, people = np.unique(pairs[0], return_counts=True)
    highest = np.full(flow.size, 0.5)
    np.maximum.at(highest, np.searchsorted(flow, counted.flow[trips][telling]), alone[telling])
    most = np.lexsort((flow, -people))
    return ExposedFlows(
        n_people=order.size,
        n_without=int(order.size - np.unique(owner[telling]).size),
        least_accuracy=float(risks.accuracy[order[-1]]),
        flow=flow[most],
        people=people[most],
        alone=highest[most],
    )
