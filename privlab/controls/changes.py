"""Visits + controls → visits without one of their properties, drawn from a seed.

Each function says what its control leaves as it was. Each control has random numbers of its own, whichever others there are.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from privlab.controls.specs import control_from_spec, controls_from_specs, require_controls_fit
from privlab.controls.visits import Visits
from privlab.seeds import generator

_DAY, _WEEK = 24, 168
_BLOCK = 100_000  # orders of a week's hours that are drawn at a time


def visits_under_controls(visits: Visits, specs: Sequence[str], *, seed: int) -> Visits:
    """Return visits changed by controls, always in the order of `CONTROLS`; users without a visit left are left out.

    Raises ParameterError for what is no control, and for more users or days than there are.
    """
    require_controls_fit(specs, n_users=visits.n_users, n_days=(visits.end - visits.first) // _DAY)
    for spec in controls_from_specs(specs):
        control = control_from_spec(spec)
        amount = control.amount or 0.0
        if control.name == "users":
            visits = _of_fewer_users(visits, int(amount), generator(seed, "control of users"))
        elif control.name == "days":
            visits = _of_fewer_days(visits, int(amount))
        elif control.name == "thin":
            visits = _thinned(visits, amount, generator(seed, "control of visits"))
        elif control.name == "shuffle-hours":
            visits = _with_hours_shuffled(visits, generator(seed, "hours"))
        else:
            visits = _with_places_permuted(visits, generator(seed, "control of places"))
    return visits.of_users(np.diff(visits.starts) > 0)


def _of_fewer_users(visits: Visits, n_users: int, rng: np.random.Generator) -> Visits:
    """Keep so many users, drawn at random; with the same seed, fewer users are some of those of a larger number."""
    chosen = np.zeros(visits.n_users, dtype=bool)
    chosen[rng.permutation(visits.n_users)[:n_users]] = True
    return visits.of_users(chosen)


def _of_fewer_days(visits: Visits, n_days: int) -> Visits:
    """Keep the first days of the data."""
    end = visits.first + n_days * _DAY
    return replace(visits.kept(visits.hour < end), end=end)


def _thinned(visits: Visits, share: float, rng: np.random.Generator) -> Visits:
    """Keep a share of each user's visits, rounded up, drawn at random; those of a smaller share are among those of a larger."""
    user, lengths = visits.user, np.diff(visits.starts)
    order = _drawn_order(user, rng.random(user.size))
    turn = np.empty(user.size, dtype=np.int64)
    turn[order] = np.arange(user.size) - np.repeat(visits.starts[:-1], lengths)
    return visits.kept(turn < np.ceil(np.round(share * lengths, 9))[user])


def _drawn_order(user: npt.NDArray[np.int64], lots: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the order of visits by their user, those of one user by their lots in [0, 1)."""
    # One number is sorted in a quarter of the time. Where two are equal only the lots say which is first.
    both = user + lots
    order = np.argsort(both)
    same = both[order[1:]] == both[order[:-1]]
    return np.lexsort((lots, user)) if same.any() else order


def _with_hours_shuffled(visits: Visits, rng: np.random.Generator) -> Visits:
    """Put the hours of each user and week in random order, each order drawn anew; of a week cut off, those it has.

    Habits are gone: no hour of a week tells of the same hour of another. Visits of one hour stay together, so that
    who was where how often in a week stays, and in how many hours.
    """
    week, hour = np.divmod(visits.hour, _WEEK)
    low = visits.first // _WEEK
    n_weeks = -(-visits.end // _WEEK) - low
    # One order of the hours for each user and week that has a visit.
    pairs, row = np.unique(visits.user * n_weeks + week - low, return_inverse=True)
    moved = np.empty_like(hour)
    by_row = np.argsort(row, kind="stable")
    ends = np.searchsorted(row[by_row], np.arange(0, pairs.size + _BLOCK, _BLOCK))
    for block, (begin, end) in enumerate(pairwise(ends)):
        first = block * _BLOCK
        weeks = pairs[first : first + _BLOCK] % n_weeks + low
        some = by_row[begin:end]
        moved[some] = _orders(weeks, visits, rng)[row[some] - first, hour[some]]
    return replace(visits, hour=week * _WEEK + moved)


def _orders(weeks: npt.NDArray[np.int64], visits: Visits, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return a random order of the hours of each week that lie within the data's days, (weeks, 168); others stay."""
    lots = rng.random((weeks.size, _WEEK))
    hours = weeks[:, None] * _WEEK + np.arange(_WEEK)
    fixed = np.arange(_WEEK, dtype=np.float64)
    lots = np.where(hours < visits.first, fixed - _WEEK, lots)
    lots = np.where(hours >= visits.end, fixed + _WEEK, lots)
    return np.argsort(lots, axis=1)


def _with_places_permuted(visits: Visits, rng: np.random.Generator) -> Visits:
    """Give each user other places for theirs, one for one, every assignment as likely; the places are the data's.

    A user's hours stay, and which of them were spent at one place. Which place that is, and who else goes there, is gone.
    """
    pairs, which = np.unique(visits.user * visits.n_places + visits.place, return_inverse=True)
    n_own = np.bincount(pairs // visits.n_places, minlength=visits.n_users)
    others = [rng.choice(visits.n_places, size=int(n), replace=False) for n in n_own]
    drawn = np.concatenate([np.empty(0, dtype=np.int64), *others])
    return replace(visits, place=drawn[which])
