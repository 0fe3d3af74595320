"""One published aggregate -> what it tells of people: where they are, when, and how often; noise undone as far as can be.

After Guan, Guépin, Cretu and de Montjoye (PoPETs 2024(4)).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import Defence
from privlab.aggregates.defences.plain_defences import SuppressDefence

Floats = npt.NDArray[np.float64]

_ROUNDS = 10  # of fitting how often people are seen
_CLOSE = 0.02  # relative error at which it has been fitted
_UNIFORM_SPREAD = 1 / 3  # squared relative standard deviation of numbers drawn evenly between 0 and something


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """Shares of the visits by zone `space` (Z,) and by epoch `time` (T,), each adding up to 1, and visits per user."""

    space: Floats
    time: Floats
    visits: float


def estimate_from_counts(counts: npt.NDArray[Any], group_size: int) -> Estimate:
    """Return what an aggregate (zones, epochs) tells when its entries are taken for what they are.

    Sums below 0, which noise makes, are taken for 0. Where nobody is counted at all, every zone and epoch
    is as likely as another, and visits are 0.
    """
    zones, epochs = counts.sum(axis=1).astype(np.float64), counts.sum(axis=0).astype(np.float64)
    return Estimate(
        space=_shares(zones), time=_shares(epochs), visits=max(0.0, float(zones.sum())) / group_size
    )


def estimate_from_release(
    published: npt.NDArray[Any],
    group_size: int,
    defence: Defence,
    entries_shown: Callable[[Estimate], int],
) -> Estimate:
    """Return what an attacker who knows the defence makes of an aggregate (zones, epochs).

    Where small counts are suppressed, small parts of the marginals have lost most: logarithms even the marginals out. Then the visits
    are changed until invented people leave as many entries as are published; `entries_shown` counts theirs.
    Where there is noise, the marginals are evened out until they spread no more than numbers drawn evenly. The visits stay,
    since the noise has mean 0. Under any other defence the aggregate is taken as it is.
    """
    found = estimate_from_counts(published, group_size)
    if isinstance(defence, SuppressDefence):
        evened = Estimate(
            space=_by_logarithm(found.space), time=_by_logarithm(found.time), visits=found.visits
        )
        return _fitted(evened, int((published > 0).sum()), entries_shown)
    if defence.epsilon_user is not None:
        return Estimate(space=_by_power(found.space), time=_by_power(found.time), visits=found.visits)
    return found


def apart(one: Floats, other: Floats) -> float:
    """Return how far two laws lie apart, 0 (equal) to 1 (nothing in common): half the sum of their differences."""
    return float(np.abs(one - other).sum() / 2)


def _shares(sums: Floats) -> Floats:
    positive = np.maximum(sums, 0.0)
    total = positive.sum()
    return positive / total if total > 0 else np.full(sums.size, 1 / sums.size)


def _by_logarithm(law: Floats) -> Floats:
    return _shares(np.log1p(law / law[law > 0].min()))


def _by_power(law: Floats) -> Floats:
    """Return the law with all its parts raised to one power: the largest up to 1 at which it spreads no more than even draws do."""
    low, high = 0.0, 1.0
    if _spread(law) <= _UNIFORM_SPREAD:
        return law
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if _spread(_raised(law, middle)) > _UNIFORM_SPREAD else (middle, high)
    return _raised(law, low)


def _raised(law: Floats, power: float) -> Floats:
    return _shares(np.where(law > 0, np.maximum(law, 1e-300) ** power, 0.0))


def _spread(law: Floats) -> float:
    return float(law.var() / law.mean() ** 2)


def _fitted(first: Estimate, n_shown: int, entries_shown: Callable[[Estimate], int]) -> Estimate:
    """Return the estimate with visits at which invented people leave as many entries as are published."""
    visits = first.visits
    for _ in range(_ROUNDS):
        if not visits:
            break
        ratio = n_shown / max(1, entries_shown(Estimate(space=first.space, time=first.time, visits=visits)))
        visits = min(visits * float(np.clip(ratio, 0.5, 2.0)), float(first.space.size * first.time.size))
        if abs(ratio - 1) < _CLOSE:
            break
    return Estimate(space=first.space, time=first.time, visits=visits)
