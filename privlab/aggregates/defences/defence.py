"""What a defence is to the game: true counts in, what is published out, and what that promises a user.

Knows how far off its output is; the mechanisms are elsewhere, and names are read in named_defences.py.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from privlab.aggregates.counting import (
    Counts,
    aggregates_from_groups,
    weighted_aggregates_from_groups,
)
from privlab.aggregates.game_rules.parameters import SANITY
from privlab.aggregates.traces import Window, reports_from_window
from privlab.checks import require_choice

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Settings = dict[str, float | int | str]
_FLAGS_AT_ONCE = 2**25  # users × zones, a byte each


class Defence(Protocol):
    """Something done to aggregates before they are published."""

    @property
    def name(self) -> str:
        """Return the defence as the command line spells it, without its ε."""
        ...

    @property
    def epsilon_user(self) -> float | None:
        """Return the ε it promises all reports of one user in the period; None: it promises nothing."""
        ...

    @property
    def delta_user(self) -> float:
        """Return how often that promise may fail."""
        ...

    @property
    def noise_variance(self) -> float:
        """Return the variance of the noise on one entry; 0 where there is none or it is not known."""
        ...

    def counted(self, member: Flags, rng: np.random.Generator) -> Flags:
        """Return which of the users of each group are counted, (G, U) bool; all of them by most defences."""
        ...

    def weights(self, window: Window) -> Floats | None:
        """Return what each report of each user counts for, shape (U,); None where each counts 1."""
        ...

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[Any]:
        """Return what is published of true counts (groups, zones, epochs), of the same shape; never in place."""
        ...


class EveryReport:
    """What most defences count: all members of a group, and each of their reports as 1."""

    __slots__ = ()

    def counted(self, member: Flags, rng: np.random.Generator) -> Flags:
        """Return all members."""
        return member

    def weights(self, window: Window) -> Floats | None:
        """Each report counts 1."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoDefence(EveryReport):
    """True counts are published."""

    name: str = "none"
    epsilon_user: float | None = None
    delta_user: float = 0.0
    noise_variance: float = 0.0

    def defended(self, aggregates: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[Any]:
        """Return the counts themselves."""
        return aggregates


def aggregates_before_noise(
    defence: Defence,
    member: Flags,
    window: Window,
    rng: np.random.Generator,
    *,
    total: Counts | None = None,
    true: Counts | None = None,
) -> npt.NDArray[Any]:
    """Return what a defence counts of groups before it changes the counts, (groups, zones, epochs).

    By most defences all members are counted and count 1. `total` is total_from_window of the same window, and `true` are the
    groups' true counts, where they are at hand.
    """
    counted = defence.counted(member, rng)
    weights = defence.weights(window)
    if weights is not None:
        return weighted_aggregates_from_groups(counted, window, weights)
    if counted is member and true is not None:
        return true
    return aggregates_from_groups(counted, window, total=total)


@dataclass(frozen=True, slots=True, kw_only=True)
class DefenceFacts:
    """What a mechanism may need to know of the data: the size of one user's contribution to an aggregate.

    `max_reports` (Δ) is the largest number of (zone, epoch) reports of one user in the period, null
    reports included where there is a null zone; `max_zones` (r) the most zones one user reports.
    """

    max_reports: int
    max_zones: int
    n_zones: int
    n_epochs: int
    null_zone: bool


def defence_facts_from_window(window: Window) -> DefenceFacts:
    """Return what mechanisms need to know of the period that is released."""
    at_once = max(1, _FLAGS_AT_ONCE // window.n_zones)
    return DefenceFacts(
        max_reports=int(reports_from_window(window).max()),
        max_zones=max(
            _most_zones(window, slice(low, low + at_once)) for low in range(0, window.n_users, at_once)
        ),
        n_zones=window.n_zones,
        n_epochs=window.n_epochs,
        null_zone=window.null_zone,
    )


def _most_zones(window: Window, users: slice) -> int:
    """Return the most zones that one of some users reports."""
    starts = window.starts[users.start : users.stop + 1]
    n_users, rows = starts.size - 1, slice(starts[0], starts[-1])
    zone = window.cell[rows] // window.n_epochs
    user = np.repeat(np.arange(n_users), np.diff(starts))
    reports = np.zeros((n_users, window.n_zones), dtype=bool)
    reports.reshape(-1)[user * np.int64(window.n_zones) + zone] = True
    if window.null_zone:
        # Those not seen in every hour report it too; its entries are the hours in which they were seen.
        n_seen = np.bincount(user[zone == window.n_zones - 1], minlength=n_users)
        reports[:, -1] = n_seen < window.n_epochs
    return int(np.count_nonzero(reports, axis=1).max())


def relative_errors_from_aggregates(
    true: npt.NDArray[Any], published: npt.NDArray[Any], *, sanity: str, share: float
) -> Floats:
    """Return each group's mean of |published − true| / max(γ, true), shape (G,).

    γ is `share` of the group's sum, `share` of the zone's sum, or 1.
    """
    require_choice("sanity", sanity, SANITY)
    exact = true.astype(np.float64)
    if sanity == "group":
        gamma = share * exact.sum(axis=(1, 2), keepdims=True)
    else:
        gamma = share * exact.sum(axis=2, keepdims=True) if sanity == "zone" else np.ones((1, 1, 1))
    bound = np.maximum(gamma, exact)
    error = np.abs(published - exact)
    # An empty zone's γ is 0: no error there is none, any other is infinite.
    ratio = np.divide(error, bound, out=np.where(error > 0, np.inf, 0.0), where=bound > 0)
    return np.asarray(ratio.mean(axis=(1, 2)))
