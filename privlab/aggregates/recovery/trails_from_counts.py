"""Counts → trails of people (Xu et al. 2017), and how many of them are true, beside what needs no trails at all.

True data: scores compare with true trails. What is recovered is nobody's: a trail says where someone was, not who.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from privlab.aggregates.defences.defence import Defence
from privlab.aggregates.recovery.assignments import (
    dense_links,
    dense_moves,
    grouped_links,
    grouped_moves,
    habits_from_trails,
    habitual_moves,
    lookback_links,
)
from privlab.aggregates.recovery.followed import Followed, published_from_followed
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.scores import Score, score_from_trails, uniqueness_from_trails
from privlab.progress import UNHEARD, Progress
from privlab.seeds import generator

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
Moves = Callable[[Floats, Ints, Floats], Ints]
_NIGHT = 0.25  # of a day, its first quarter
_LOOKBACK = 7  # days


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recovery:
    """Trails put together from counts, and how near they come to the true ones.

    `zone` (N, T) int32 are recovered trails, row i the one that is matched to person i of `followed`. `counts` (Z, T)
    are what the attacker starts from. `baselines` are scores of trails that take no putting together, by name: "drawn"
    (each step's places dealt out at random), "crowd" (everyone always where most people are over all steps) and "still"
    (everyone stays where the first count has them). `uniqueness` says what share of the "recovered" and of the "true"
    trails are the only ones with their k most visited zones, by k.
    """

    followed: Followed
    parameters: RecoveryParameters
    defence: Defence
    counts: Ints
    zone: Places
    score: Score
    baselines: dict[str, Score]
    uniqueness: dict[str, dict[int, float]]

    @property
    def best_baseline(self) -> str:
        """The name of the baseline that gets most steps right, the first of equals."""
        return max(self.baselines, key=lambda name: self.baselines[name].accuracy)

    @property
    def ranked(self) -> npt.NDArray[np.int64]:
        """People in the order of how much of their trail is right, most first: shape (N,)."""
        return np.argsort(-self.score.right, kind="stable")

    @property
    def telling_place(self) -> int:
        """A place in that order, from 1: of whoever truly is in most zones, the first of equals; three quarters if none moves."""
        in_order = np.sort(self.followed.zone[self.ranked], axis=1)
        n_zones = 1 + (in_order[:, 1:] != in_order[:, :-1]).sum(axis=1)
        if n_zones.max() == 1:
            return (3 * self.followed.n_people + 3) // 4
        return 1 + int(n_zones.argmax())

    @property
    def seen_share(self) -> float:
        """The share of all steps in which a person was really seen."""
        return float(self.followed.seen.mean())


def recovery_from_followed(
    followed: Followed,
    parameters: RecoveryParameters,
    *,
    progress: Progress = UNHEARD,
    heard: Callable[[Callable[[], Recovery]], None] = lambda so_far: None,
) -> Recovery:
    """Return the trails that an attacker puts together from the counts of people, and how many are true.

    After each day `heard` is given what returns the recovery of the days so far, worked out when it is called. Raises
    ParameterError for an unknown defence, DataError for too many zones and steps.
    """
    defence, counts = published_from_followed(followed, parameters)
    trails = trails_from_counts(
        counts,
        followed.at_km,
        steps_a_day=followed.steps_a_day,
        improvements=parameters.improvements,
        progress=progress.part(0.0, 0.6),
        heard=lambda trails: heard(lambda: _recovery_of_days(followed, parameters, defence, counts, trails)),
    )
    return _recovery_of_days(followed, parameters, defence, counts, trails, progress=progress)


def _recovery_of_days(
    followed: Followed,
    parameters: RecoveryParameters,
    defence: Defence,
    counts: Ints,
    trails: Places,
    *,
    progress: Progress = UNHEARD,
) -> Recovery:
    """Return the recovery of as many steps as the trails have."""
    n_steps = trails.shape[1]
    if n_steps < followed.n_steps:
        followed = replace(followed, zone=followed.zone[:, :n_steps], seen=followed.seen[:, :n_steps])
        parameters, counts = replace(parameters, days=n_steps // followed.steps_a_day), counts[:, :n_steps]
    score, own = score_from_trails(trails, followed, progress=progress.part(0.6, 0.8))
    return Recovery(
        followed=followed,
        parameters=parameters,
        defence=defence,
        counts=counts,
        zone=own,
        score=score,
        baselines=_baselines(counts, followed, parameters, progress.part(0.8, 1.0)),
        uniqueness={
            "recovered": uniqueness_from_trails(own, counts.shape[0]),
            "true": uniqueness_from_trails(followed.zone, counts.shape[0]),
        },
    )


def trails_from_counts(
    counts: Ints,
    at_km: Floats,
    *,
    steps_a_day: int,
    grouped: bool = True,
    improvements: Sequence[str] = (),
    progress: Progress = UNHEARD,
    heard: Callable[[Places], None] = lambda trails: None,
) -> Places:
    """Return the zones of as many trails as there are people, (N, T) int32, in no order that means anything.

    Parameters
    ----------
    counts : Ints
        People in each zone in each step, shape (Z, T), the same number N in each step; T is whole days.
    at_km : Floats
        Where zones lie, in km, shape (Z, 2).
    grouped : bool
        Whether to take the quick way; the dense one costs the same and is the definition.
    improvements : sequence of str
        Those of IMPROVEMENTS that the attack has (D'Silva and others 2024); docs/recovery.md.
    heard : callable
        Given the trails of the days so far, after each day but the last.

    In the first quarter of a day people are expected to stay, later to go on as in the step before. Days are linked by
    the entropy of the places visited.
    """
    moves, links = (grouped_moves, grouped_links) if grouped else (dense_moves, dense_links)
    used = np.flatnonzero(counts.any(axis=1))
    counts, at_km = counts[used], at_km[used]
    n_zones, n_steps = counts.shape
    n_people, n_days = int(counts[:, 0].sum()), n_steps // steps_a_day
    trails = np.empty((n_people, n_steps), dtype=np.int32)
    night = 1 / steps_a_day if "midnight" in improvements else _NIGHT
    for day in range(n_days):
        steps = slice(day * steps_a_day, (day + 1) * steps_a_day)
        progress.tell(day / n_days, f"Putting together day {day + 1} of {n_days}")
        part = progress.part(day / n_days, (day + 1) / n_days)
        there = trails[:, : steps.start]
        habits = habits_from_trails(there, n_zones) if day and "habits" in improvements else None
        own = _day_from_counts(counts[:, steps], at_km, moves, part, night=night, habits=habits)
        if day and "lookback" in improvements:
            days = np.split(there, day, axis=1)[-_LOOKBACK:]
            own = own[lookback_links(days, own, n_zones)]
        elif day:
            before = trails[:, steps.start - steps_a_day : steps.start]
            own = own[links(before, own, n_zones)]
        trails[:, steps] = own
        if day + 1 < n_days:
            heard(used[trails[:, : steps.stop]].astype(np.int32))
    progress.tell(1.0)
    return used[trails].astype(np.int32)


def _day_from_counts(
    counts: Ints,
    at_km: Floats,
    moves: Moves,
    progress: Progress,
    *,
    night: float,
    habits: list[Ints] | None,
) -> Places:
    n_steps = counts.shape[1]
    own = np.empty((int(counts[:, 0].sum()), n_steps), dtype=np.int32)
    own[:, 0] = np.repeat(np.arange(counts.shape[0]), counts[:, 0])
    for step in range(1, n_steps):
        count = np.ascontiguousarray(counts[:, step])
        stays = step < night * n_steps or step == 1
        expected = _expected(own, step, at_km, stays=stays)
        if habits is None or stays:
            own[:, step] = moves(expected, count, at_km)
        else:
            own[:, step] = habitual_moves(expected, own[:, step - 1].astype(np.int64), count, at_km, habits)
        progress.tell(step / n_steps)
    return own


def _expected(trails: Places, step: int, at_km: Floats, *, stays: bool) -> Floats:
    """Return where each trail is expected in a step, in km (N, 2): where it was, or by day as far on as it came."""
    here = at_km[trails[:, step - 1]]
    if stays:
        return here
    return 2 * here - at_km[trails[:, step - 2]]


def _baselines(
    counts: Ints, followed: Followed, parameters: RecoveryParameters, progress: Progress
) -> dict[str, Score]:
    n_people, n_steps = followed.n_people, followed.n_steps
    rng = generator(parameters.seed, "places dealt out at random")
    dealt = np.stack(
        [
            rng.permutation(np.repeat(np.arange(counts.shape[0]), counts[:, step])).astype(np.int32)
            for step in range(n_steps)
        ],
        axis=1,
    )
    crowd = np.full((n_people, n_steps), counts.sum(axis=1).argmax(), dtype=np.int32)
    first = np.repeat(np.arange(counts.shape[0], dtype=np.int32), counts[:, 0])
    still = np.repeat(first[:, None], n_steps, axis=1)
    found = {}
    for number, (name, trails) in enumerate((("drawn", dealt), ("crowd", crowd), ("still", still))):
        found[name] = score_from_trails(
            trails, followed, progress=progress.part(number / 3, (number + 1) / 3)
        )[0]
    return found
