"""A second person's approval of a release that costs more than a limit: what was asked for, and whether it may be made."""

from collections.abc import Sequence
from dataclasses import dataclass

from privlab.checks import ParameterError

_ROUNDING = 1e-9


class ApprovalNeeded(ParameterError):
    """A release above the ledger's limit that no second person has approved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitChange:
    """A limit that was set: a release that costs more ε in all its weeks needs approval; None for no limit."""

    made: str
    epsilon: float | None
    who: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One release that somebody asked for: its account, cost and parameters, who asked, and who approved it.

    `approved` and `approved_by` are None until a second person has approved it, `entry` until it has been made:
    an approval is good for one release.
    """

    number: int
    account: str
    asked: str
    asked_by: str
    epsilon: float
    delta: float
    what: str
    approved: str | None = None
    approved_by: str | None = None
    entry: int | None = None

    @property
    def state(self) -> str:
        """One of "asked", "approved" and "used"."""
        return "used" if self.entry is not None else "approved" if self.approved_by is not None else "asked"

    def is_for(self, epsilon: float, delta: float, what: str) -> bool:
        """Return whether it is not used up and of just this release."""
        return self.state != "used" and (self.epsilon, self.delta, self.what) == (epsilon, delta, what)


def needs_approval(limit: float | None, epsilon: float) -> bool:
    """Return whether a release costs more than may be made without a second person."""
    return limit is not None and epsilon > limit * (1 + _ROUNDING)


def approval_for(
    approvals: Sequence[Approval], *, epsilon: float, delta: float, what: str
) -> Approval | None:
    """Return what was asked for just this release, approved if one is; None if nobody asked."""
    fitting = [one for one in approvals if one.is_for(epsilon, delta, what)]
    return min(fitting, key=lambda one: (one.state != "approved", one.number), default=None)


def require_second_person(one: Approval, who: str | None) -> None:
    """Raise ParameterError unless somebody else than who asked approves what is still to be approved."""
    if not who:
        raise ParameterError("who must be a person who has logged in, got nobody.")
    if one.state != "asked":
        raise ParameterError(f"number must be of a release that waits for approval, got {one.number}.")
    if who.casefold() == one.asked_by.casefold():
        raise ParameterError(f"who must be another person than asked for the release, got {who}.")
