"""An account of the ledger → what its releases together cost a user, a user's week, a day, a trip, as tightly as is known.

The page Publish and the command `ledger show` come through here.
"""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

from privlab.checks import ParameterError
from privlab.dp.composing import (
    KnownPromise,
    Spending,
    WeekPromise,
    part_of_promise,
    spending_from_promises,
)
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.promise import GuaranteeParameters
from privlab.lab.judging.refusals import WANTED_DELTA
from privlab.od.releases import SecureReleaseParameters
from privlab.releases.accounts import Account, LedgerEntry

WHAT_UNITS_MEAN = (
    "A day or a trip is taken out while the user's other trips stay: with a limit more of those then count, so that a day, or a trip, may "
    "cost more than the week. A day may have any number of trips or visits."
)
_CLOSE = 1e-9  # relative error up to which an entry's details add up to its cost


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSpending:
    """What all releases cost `user` in all weeks, and `user_week` in any one week: it holds for each of them.

    `user_day` is what is dated in one day of one user, any number of trips or visits, and `trip` one trip: in the data or not, all else of the
    user alike. A limit counts more of the rest without them, so that a day may cost more than the week, whose neighbour has no rest.
    """

    user: Spending
    user_week: Spending
    user_day: Spending
    trip: Spending

    def by_unit(self) -> dict[str, Spending]:
        """Return them by the name of the unit, from the largest to the smallest."""
        return {"user": self.user, "user-week": self.user_week, "user-day": self.user_day, "trip": self.trip}


def spending_from_account(account: Account) -> AccountSpending:
    """Return what the releases of an account together cost.

    δ is 10⁻⁶, or the largest δ that a single week was promised with Gaussian noise; what discovered cells lose, and
    the δ of releases of which only (ε, δ) is known, comes on top. Such releases count for every week.
    """
    everywhere: list[KnownPromise] = []
    by_week: dict[str, list[_Released]] = {}
    for entry in account.entries:
        details = details_from_entry(entry)
        if details is None:
            everywhere.append(KnownPromise(epsilon=entry.epsilon, delta=entry.delta))
            continue
        parameters, weeks = details
        for week in weeks:
            by_week.setdefault(week, []).append(
                _Released(
                    promise=parameters.guarantee_parameters(1), trip=_COUNTS_OF_A_TRIP[parameters.product]
                )
            )
    each_week = list(by_week.values()) or [[]]
    all_weeks = [one.promise for released in each_week for one in released]
    target = max([WANTED_DELTA, *(one.target_delta for one in all_weeks)])

    def greatest(of: Callable[[_Released], WeekPromise], *, part: bool = True) -> Spending:
        known = [part_of_promise(one, None) if part else one for one in everywhere]
        return _greatest([spending_from_promises([*map(of, ones), *known], target) for ones in each_week])

    return AccountSpending(
        user=spending_from_promises([*all_weeks, *everywhere], target),
        user_week=greatest(lambda one: one.promise, part=False),
        user_day=greatest(lambda one: part_of_promise(one.promise, None)),
        trip=greatest(lambda one: part_of_promise(one.promise, one.trip)),
    )


_COUNTS_OF_A_TRIP = {"flows": 1, "flows-by-slot": 1, "visits": 2}  # a visit at each of its ends


@dataclass(frozen=True, slots=True, kw_only=True)
class _Released:
    """What was promised to one week of a user, and how many counts of that release one trip is in."""

    promise: GuaranteeParameters | GaussianParameters
    trip: int


def _greatest(weeks: list[Spending]) -> Spending:
    """Return what holds for every week: the greatest of each figure."""
    rho = [one.rho for one in weeks]
    return Spending(
        epsilon=max(one.epsilon for one in weeks),
        delta=max(one.delta for one in weeks),
        rho=None if None in rho else max(one for one in rho if one is not None),
        added_epsilon=max(one.added_epsilon for one in weeks),
        added_delta=max(one.added_delta for one in weeks),
    )


def details_from_entry(entry: LedgerEntry) -> tuple[SecureReleaseParameters, list[str]] | None:
    """Return an entry's parameters and weeks, or None where it does not say them, or they are not what it cost."""
    try:
        said = json.loads(entry.what)
        parameters, weeks = SecureReleaseParameters(**said["parameters"]), said["weeks"]
    except (ValueError, TypeError, KeyError, ParameterError):
        return None
    if not isinstance(weeks, list) or not all(isinstance(week, str) for week in weeks):
        return None
    if not math.isclose(parameters.epsilon * len(weeks), entry.epsilon, rel_tol=_CLOSE):
        return None
    return parameters, weeks
