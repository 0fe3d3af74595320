"""An entry of the ledger → what it costs a person, as a budget counts it: ε and δ, or ρ of zero-concentrated privacy.

What an entry says of its mechanism makes its ρ; an entry that says nothing sound of it counts as its (ε, δ) alone.
"""

import json
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from privlab.checks import ParameterError

if TYPE_CHECKING:
    from privlab.dp.composing import Concentrated

ADDED_BY = ("sum", "concentrated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one release costs a person in all its weeks: ε and δ by basic composition, and ρ."""

    epsilon: float
    delta: float
    concentrated: "Concentrated"


@lru_cache(maxsize=10_000)
def cost_of_entry(epsilon: float, delta: float, what: str) -> Cost:
    """Return the cost of a release that is in the ledger, worked out once; as cost_from_entry."""
    return cost_from_entry(epsilon, delta, what)


def cost_from_entry(epsilon: float, delta: float, what: str) -> Cost:
    """Return the cost of a release from its ε, its δ and what a ledger says of it; nothing is taken on trust.

    Where its parameters cannot be read, or do not make this ε and δ, these alone count.
    """
    from privlab.dp.composing import concentrated_from_parameters, concentrated_from_promise
    from privlab.od.releases import SecureReleaseParameters

    unknown = Cost(epsilon=epsilon, delta=delta, concentrated=concentrated_from_promise(epsilon, delta))
    try:
        said = json.loads(what)
        parameters, weeks = SecureReleaseParameters(**said["parameters"]), list(map(str, said["weeks"]))
        found = concentrated_from_parameters(parameters.guarantee_parameters(len(weeks)))
    except (ValueError, TypeError, KeyError, ParameterError):
        return unknown
    said_delta = parameters.delta * len(weeks) if parameters.noise == "gaussian" else found.delta
    if not math.isclose(parameters.epsilon * len(weeks), epsilon, rel_tol=1e-9):
        return unknown
    if said_delta > delta * (1 + 1e-9):
        return unknown
    return Cost(epsilon=epsilon, delta=delta, concentrated=found)
