"""An account of the ledger → what its releases together cost a user, and a user's week, as tightly as is known.

The page Publish and the command `ledger show` come through here.
"""

import json
import math
from dataclasses import dataclass

from privlab.checks import ParameterError
from privlab.dp.composing import KnownPromise, Spending, WeekPromise, spending_from_promises
from privlab.lab.judging.refusals import WANTED_DELTA
from privlab.od.releases import SecureReleaseParameters
from privlab.releases.accounts import Account, LedgerEntry

_CLOSE = 1e-9  # relative error up to which an entry's details add up to its cost


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSpending:
    """What all releases cost `user` in all weeks, and `user_week` in any one week: it holds for each of them."""

    user: Spending
    user_week: Spending


def spending_from_account(account: Account) -> AccountSpending:
    """Return what the releases of an account together cost.

    δ is 10⁻⁶, or the largest δ that a single week was promised with Gaussian noise; what discovered cells lose, and
    the δ of releases of which only (ε, δ) is known, comes on top. Such releases count for every week.
    """
    everywhere: list[WeekPromise] = []
    by_week: dict[str, list[WeekPromise]] = {}
    for entry in account.entries:
        details = _details(entry)
        if details is None:
            everywhere.append(KnownPromise(epsilon=entry.epsilon, delta=entry.delta))
            continue
        parameters, weeks = details
        for week in weeks:
            by_week.setdefault(week, []).append(parameters.guarantee_parameters(1))
    all_weeks = [one for promises in by_week.values() for one in promises]
    target = max([WANTED_DELTA, *(getattr(one, "target_delta", 0.0) for one in all_weeks)])
    per_week = [spending_from_promises([*ones, *everywhere], target) for ones in by_week.values() or [[]]]
    return AccountSpending(
        user=spending_from_promises([*all_weeks, *everywhere], target),
        user_week=_greatest(per_week),
    )


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


def _details(entry: LedgerEntry) -> tuple[SecureReleaseParameters, list[str]] | None:
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
