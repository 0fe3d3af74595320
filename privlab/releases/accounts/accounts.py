"""An account of the ledger: its entries, the budgets that were set, and whether one more release fits.

How it is kept does not matter here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from privlab.checks import ParameterError
from privlab.limits import MAX_BUDGET, MAX_TRIPS_PER_USER, MIN_EPSILON
from privlab.releases.accounts.approvals import Approval, approval_for, needs_approval
from privlab.releases.accounts.entry_costs import Cost, cost_of_entry

_ON_THE_PAGE = "or under “Set a budget” on the page Publish."
_ROUNDING = 1e-9  # budgets are kept up to this relative error of adding up


class BudgetExceeded(ParameterError):
    """A release that would cost more than the steward has allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """One secure release: what it cost a user in all its weeks, and the digest of its certificate.

    `account` is the keyed name of the data, `keyed_digest` what the certificate says of it, with `salt`
    (None in entries of before there were salts). `certificate` is None while the hand-over is not
    confirmed: the process may have died before or just after it. `failure` says why nothing was handed
    over. The cost counts in any case. `who` had logged in and made it; None where nobody had to.
    """

    number: int
    account: str
    made: str
    epsilon: float
    delta: float
    what: str
    salt: str | None
    keyed_digest: str
    certificate: str | None
    failure: str | None
    who: str | None = None

    @property
    def state(self) -> str:
        """One of "confirmed", "failed" and "unconfirmed"."""
        return "confirmed" if self.certificate else "failed" if self.failure else "unconfirmed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetChange:
    """A budget that was set; `made` is None for those of before changes were noted.

    `adding` is how releases add up to it: "sum" (ε to ε, δ to δ) or "concentrated" (ρ to ρ, turned into ε at δ; or ε to ε
    where that is less and none has a δ).
    """

    made: str | None
    epsilon: float
    delta: float
    adding: str = "sum"
    who: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountDataset:
    """A dataset that an account is of, under its keyed name; `people` are keyed digests of its people, if they are known."""

    number: int
    dataset: str
    account: str
    made: str
    people: str | None
    who: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountTitle:
    """What an account is called since then."""

    number: int
    account: str
    title: str
    made: str
    who: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What one dataset, or several of the same people, have spent, by basic composition, and their budget (None: not set).

    `name` is keyed: it cannot be worked out from the data alone. It is empty where no ledger is yet. `title` is what
    stewards call it, `n_datasets` how many datasets it is of. `adding` is how releases add up to the budget. Above
    `limit_epsilon`, which holds for the whole ledger, a second person must approve a release; `approvals` are those
    asked for of this account.
    """

    name: str
    epsilon: float
    delta: float
    budget_epsilon: float | None
    budget_delta: float | None
    entries: tuple[LedgerEntry, ...]
    budget_changes: tuple[BudgetChange, ...]
    adding: str = "sum"
    limit_epsilon: float | None = None
    approvals: tuple[Approval, ...] = ()
    title: str | None = None
    n_datasets: int = 1

    @property
    def left_epsilon(self) -> float | None:
        """ε still to be spent where ε adds to ε, never below 0; None without a budget."""
        return None if self.budget_epsilon is None else max(self.budget_epsilon - self.epsilon, 0.0)

    @property
    def left_delta(self) -> float | None:
        """δ still to be spent where δ adds to δ, never below 0; None without a budget."""
        return None if self.budget_delta is None else max(self.budget_delta - self.delta, 0.0)

    @property
    def allows_nothing_more(self) -> bool:
        """Whether the budget has no room for even the smallest release."""
        return self.reason_against(_smallest_cost()) is not None

    def missing(self, cost: Cost) -> tuple[bool, bool]:
        """Return whether the budget has too little ε for a release that costs so much, and too little δ.

        Where ρ adds up, δ is what is missing if no ε would do.
        """
        if self.budget_epsilon is None or self.budget_delta is None or self.reason_against(cost) is None:
            return False, False
        if self.adding == "concentrated":
            is_endless = math.isinf(self.epsilon_with(cost))
            return not is_endless, is_endless
        return (
            _is_beyond(cost.epsilon, self.epsilon, self.budget_epsilon),
            _is_beyond(cost.delta, self.delta, self.budget_delta),
        )

    @property
    def spent_of_budget(self) -> float:
        """ε that the budget is held against: the sum, or, where ρ adds up, what all releases come to at the budget's δ."""
        if self.adding != "concentrated" or not self.entries:
            return self.epsilon
        return self._epsilon_of_all(self._costs())

    def epsilon_with(self, cost: Cost) -> float:
        """Return what all releases and one more come to at the budget's δ, where ρ adds up; infinite where no ε holds there."""
        return self._epsilon_of_all([cost, *self._costs()])

    def _costs(self) -> list[Cost]:
        return [cost_of_entry(one.epsilon, one.delta, one.what) for one in self.entries]

    def _epsilon_of_all(self, costs: Sequence[Cost]) -> float:
        """Return what some releases, at least one, come to together at the budget's δ, where ρ adds up.

        Where none of them has a δ, their ε added up holds too, which is less for few: docs/science.md, section 5.3.
        """
        from privlab.dp.composing import epsilon_from_concentrated

        first, *more = (one.concentrated for one in costs)
        by_rho = epsilon_from_concentrated(sum(more, first), self.budget_delta or 0.0)
        return (
            by_rho
            if any(one.delta for one in costs)
            else min(by_rho, math.fsum(one.epsilon for one in costs))
        )

    def reason_against(self, cost: Cost) -> str | None:
        """Return why a release that costs so much goes beyond the budget, in one sentence; None if it does not.

        One rule decides, the budget's, fixed when it was set: by turns one rule and another would cost δ twice.
        """
        if self.budget_epsilon is None or self.budget_delta is None:
            return None
        if self.adding == "concentrated":
            return self._reason_by_rho(cost, self.budget_epsilon, self.budget_delta)
        for name, new, spent, budget in (
            ("epsilon", cost.epsilon, self.epsilon, self.budget_epsilon),
            ("delta", cost.delta, self.delta, self.budget_delta),
        ):
            if _is_beyond(new, spent, budget):
                left = max(budget - spent, 0.0)
                way_on = self._way_to_delta(spent + new, left) if name == "delta" else ""
                if name == "epsilon" and left < MIN_EPSILON:
                    way_on = self._way_to_epsilon(spent + new)
                return f"{name} must be at most {left:g}, what is left of this data's budget of {budget:g}, got {new:g}.{way_on}"
        return None

    def _way_to_delta(self, needed: float, left: float) -> str:
        """Say how the budget is set anew with so much δ, rounded up to two digits."""
        if needed > 1:
            return " Take a smaller delta: no budget has more than 1, at which nothing is promised."
        anew = f"by `ledger set-budget … --epsilon {self.budget_epsilon:g} --delta {_rounded_up(needed):.2g}`, {_ON_THE_PAGE}"
        if not self.budget_delta:
            return f" The budget was set without a delta: set it anew with one, {anew}"
        less = "Take what needs no delta" if not left else "Take what needs less, as a higher threshold may"
        return f" {less}, or set the budget anew with more, {anew}"

    def _way_to_epsilon(self, needed: float) -> str:
        """Say, where no ε is left, how the budget is set anew with so much, rounded up to two digits, all else of it as it is."""
        nothing = " Nothing more can be released of the same people"
        if needed > MAX_BUDGET:
            return f"{nothing}: no budget has more than {MAX_BUDGET:g}."
        delta = f" --delta {self.budget_delta:g}" * bool(self.budget_delta)
        adding = f" --adding {self.adding}" * (self.adding != "sum")
        enough = min(_rounded_up(needed), MAX_BUDGET)
        return f"{nothing} unless the budget is raised, by `ledger set-budget … --epsilon {enough:g}{delta}{adding}`, {_ON_THE_PAGE}"

    def reason_without_approval(self, epsilon: float, delta: float, what: str) -> str | None:
        """Return why just this release may not be made without a second person, in one sentence; None if it may."""
        if not needs_approval(self.limit_epsilon, epsilon):
            return None
        asked = approval_for(self.approvals, epsilon=epsilon, delta=delta, what=what)
        if asked is not None and asked.state == "approved":
            return None
        return (
            f"epsilon must be at most {self.limit_epsilon:g} where no second person has approved the release, got "
            f"{epsilon:g}. Ask for approval on the page Publish."
        )

    def fitting_epsilon(self, cost_at: Callable[[float], Cost], most: float) -> float:
        """Return nearly the largest ε ≤ `most` whose cost fits into what is left of the budget, 0.0 for none."""
        low, high = MIN_EPSILON, most
        if most < MIN_EPSILON or self.reason_against(cost_at(MIN_EPSILON)) is not None:
            return 0.0
        while high - low > 1e-3 * high:
            middle = (low + high) / 2
            fits = self.reason_against(cost_at(middle)) is None
            low, high = (middle, high) if fits else (low, middle)
        return low

    def _reason_by_rho(self, cost: Cost, epsilon: float, delta: float) -> str | None:
        found = self.epsilon_with(cost)
        if found <= epsilon * (1 + _ROUNDING):
            return None
        said = f"{found:.4g}" if math.isfinite(found) else "beyond all bounds"
        is_spent = self.epsilon_with(_smallest_cost()) > epsilon * (1 + _ROUNDING)
        way_on = self._way_to_epsilon(found) if is_spent and math.isfinite(found) else ""
        return (
            f"epsilon must be smaller: with this release of {cost.epsilon:g} all releases of this data come to "
            f"{said} at delta {delta:g}, more than its budget of {epsilon:g}, got {cost.epsilon:g}.{way_on}"
        )


def _smallest_cost() -> Cost:
    """Return what the smallest release costs: by ρ, one of the least ε shared by as many cells as may be."""
    from privlab.dp.composing import Concentrated

    return Cost(
        epsilon=MIN_EPSILON,
        delta=0.0,
        concentrated=Concentrated(rho=MIN_EPSILON**2 / (2 * MAX_TRIPS_PER_USER)),
    )


def _rounded_up(needed: float) -> float:
    """Return a number of two digits that is not below what is needed.

    >>> _rounded_up(2.51), _rounded_up(2.5), f"{_rounded_up(1.31e-6):.2g}"
    (2.6, 2.5, '1.4e-06')
    """
    unit = 10.0 ** (math.floor(math.log10(needed)) - 1)
    return float(f"{math.ceil(needed / unit * (1 - _ROUNDING)) * unit:.2g}")


def _is_beyond(new: float, spent: float, budget: float) -> bool:
    """Return whether what is new goes beyond a budget; what costs nothing never does."""
    return bool(new) and spent + new > budget * (1 + _ROUNDING)


def account_called(name: str, title: str | None) -> str:
    """Return how sentences name an account."""
    return name if title is None else f"“{title}”"


def account_from_rows(name: str, entries: list[LedgerEntry], budgets: list[list[BudgetChange]]) -> Account:
    """Return an account; where one dataset has several names, the narrowest of their budgets and rules binds."""
    last = [changes[-1] for changes in budgets if changes]
    return Account(
        name=name,
        epsilon=math.fsum(entry.epsilon for entry in entries),
        delta=math.fsum(entry.delta for entry in entries),
        budget_epsilon=min((one.epsilon for one in last), default=None),
        budget_delta=min((one.delta for one in last), default=None),
        entries=tuple(entries),
        budget_changes=tuple(change for changes in budgets for change in changes),
        adding="concentrated" if last and all(one.adding == "concentrated" for one in last) else "sum",
    )
