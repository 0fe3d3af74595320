"""Aggregates → what an adversary looks at: the paper's statistics, raw cells, contradictions, a likelihood.

`arms_beyond_prior` says which of them use more than a prior grants.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.counting import statistics_from_aggregates
from privlab.aggregates.game_rules.parameters import GameParameters

Floats = npt.NDArray[np.float64]
Reals = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]

_LEAST_SHARE = 1e-6  # a count that cannot be is taken for this rare


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Knowledge:
    """What is known of the target and of the others in the hours that are released.

    `presence` is where the target was, bool (zones, epochs); `share` the share of the others expected
    in each zone and epoch, within (0, 1), of the same shape; `noise_variance` that of one published entry.
    Entries that are not `weighed`, where it is given, tell the likelihood nothing.
    """

    presence: Flags
    share: Floats
    group_size: int
    noise_variance: float = 0.0
    weighed: Flags | None = None


def arms_beyond_prior(parameters: GameParameters) -> tuple[str, ...]:
    """Return the arms that use the target's own visits in the released hours where the prior grants none.

    The subset prior grants all of these visits (Pyrgelis et al. 2018, section III), zero knowledge the part that is known;
    no other prior grants any, so that there they make a stronger adversary than the paper's.
    """
    own, granted = {"cells+rule", "likelihood"}, ("subset", "zero-knowledge")
    return tuple(arm for arm in parameters.arms if arm in own and parameters.prior not in granted)


def features_from_aggregates(arm: str, aggregates: npt.NDArray[Any]) -> Reals:
    """Return what a classifier is given of each group, float32 (groups, features): statistics or raw cells."""
    if arm == "statistics":
        return statistics_from_aggregates(aggregates).astype(np.float32)
    return np.asarray(aggregates.reshape(aggregates.shape[0], -1), dtype=np.float32)


def contradictions_from_aggregates(aggregates: npt.NDArray[Any], presence: Flags) -> Flags:
    """Return whether nobody is counted in some zone and epoch in which the target was, shape (groups,)."""
    return np.asarray((aggregates[:, presence] == 0).any(axis=1))


def scores_with_rule(scores: Floats, contradicted: Flags) -> Floats:
    """Return the scores, with the contradicted ones below all others and equal to one another."""
    return np.where(contradicted, scores.min() - 1.0, scores)


def likelihoods_from_aggregates(aggregates: npt.NDArray[Any], knowledge: Knowledge) -> Floats:
    """Return log P(aggregate | IN)/P(aggregate | OUT) as if entries were independent, shape (groups,).

    With a = count/m and p the share of others: of m − 1 others and the target, the binomial laws' ratio
    is a/p where the target was, (1 − a)/(1 − p) where not. Under noise of known variance v, the ratio
    of two normal laws that differ in their means only, with variance m·p(1 − p) + v.
    """
    m, p, here = knowledge.group_size, knowledge.share, knowledge.presence
    weighed = np.ones_like(here) if knowledge.weighed is None else knowledge.weighed
    published = aggregates.astype(np.float64)
    if knowledge.noise_variance > 0:
        shift = here - p
        weight = weighed * shift / (m * p * (1 - p) + knowledge.noise_variance)
        middle = m * p + shift / 2
        return np.asarray(((published - middle) * weight).sum(axis=(1, 2)))
    part = published / m
    seen = np.log(np.maximum(part[:, here], _LEAST_SHARE) / p[here]).sum(axis=1)
    away = weighed & ~here
    unseen = np.log(np.maximum(1 - part[:, away], _LEAST_SHARE) / (1 - p[away])).sum(axis=1)
    return np.asarray(seen + unseen)
