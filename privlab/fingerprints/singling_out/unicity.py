"""Fingerprints → unicity: how many traces a few of their samples single out.

Knows exact matching through an index from each sample to the users who have it; knows no distances.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError, ParameterError, require_whole
from privlab.defaults import DEFAULT_DRAWS, DEFAULT_POINTS
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_at_level
from privlab.fingerprints.levels import Level
from privlab.fingerprints.search.compiled import kernel
from privlab.limits import MAX_DRAWS, MAX_POINTS
from privlab.progress import UNHEARD, Progress
from privlab.stats import clopper_pearson

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_BLOCK = 2_000  # traces matched between two reports


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unicity:
    """How many traces are matched by their own user only, given some of their samples; arrays (n_points,).

    `points` samples were drawn uniformly from each of `n_traces` traces of different users, all of them
    where a trace has no more: `n_short` traces have fewer. `n_alone` traces were matched by exactly one
    of the `n_users` users. `share` is n_alone / n_traces, in [0, 1], and `low` to `high` its interval
    of 95% (Clopper and Pearson). `every_user` says that no users were drawn: every trace was taken,
    and chance is left in the samples alone. `alone` (n_traces, n_points) says which traces were.
    """

    level: Level
    points: Int64s
    n_alone: Int64s
    n_short: Int64s
    n_traces: int
    n_users: int
    share: Floats
    low: Floats
    high: Floats
    alone: npt.NDArray[np.bool_]

    @property
    def every_user(self) -> bool:
        """Whether every user's trace was taken."""
        return self.n_traces == self.n_users


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class UnicityByLevel:
    """The unicity of the same users' traces at several levels, in the order asked for."""

    levels: tuple[Level, ...]
    curves: tuple[Unicity, ...]


def points_from_text(text: str, name: str = "points") -> tuple[int, ...]:
    """Return ascending numbers of samples, or of what `name` says, written as 4, 1..10 or 1..4,10. Raises ParameterError otherwise.

    >>> points_from_text("1..4, 10")
    (1, 2, 3, 4, 10)
    """
    chosen: set[int] = set()
    for part in text.split(","):
        first, dots, last = (word.strip() for word in part.partition(".."))
        if not first.isdecimal() or (dots and not last.isdecimal()) or (dots and int(last) < int(first)):
            raise ParameterError(f"{name} must be whole numbers such as 4, 1..10 or 1..4,10, got {text!r}.")
        end = require_whole(name, int(last or first), 1, MAX_POINTS)
        chosen.update(range(require_whole(name, int(first), 1, MAX_POINTS), end + 1))
    return tuple(sorted(chosen))


def unicity_from_fingerprints(
    fingerprints: Fingerprints,
    *,
    points: Sequence[int] = range(1, DEFAULT_POINTS + 1),
    draws: int = DEFAULT_DRAWS,
    rng: np.random.Generator,
    progress: Progress = UNHEARD,
) -> Unicity:
    """Return the share of traces that samples of theirs single out.

    Parameters
    ----------
    fingerprints : Fingerprints
        At any level. Samples match where cell and minute (or bin) are the same.
    points : sequence of int
        Numbers of samples known of a trace, ascending. Those of a trace are the beginnings of one random
        order of its samples, so that the curve never falls.
    draws : int
        Traces drawn without replacement; every user's is taken where there are no more.
    rng : numpy.random.Generator
        Draws the users first and then their samples.
    progress : Progress, optional
        Told between blocks of traces.
    """
    traces = _drawn_traces(fingerprints, draws, rng)
    return _unicity_of_traces(fingerprints, traces, _checked_points(points), rng, progress)


def unicity_by_level_from_fingerprints(
    fingerprints: Fingerprints,
    levels: Sequence[Level],
    *,
    points: Sequence[int] = range(1, DEFAULT_POINTS + 1),
    draws: int = DEFAULT_DRAWS,
    rng: np.random.Generator,
    progress: Progress = UNHEARD,
) -> UnicityByLevel:
    """Return the unicity at each level, of the same users: as `unicity_from_fingerprints` at the first."""
    traces, known = _drawn_traces(fingerprints, draws, rng), _checked_points(points)
    curves = []
    for i, level in enumerate(levels):
        part = progress.part(i / len(levels), (i + 1) / len(levels))
        coarse = fingerprints_at_level(fingerprints, level)
        curves.append(_unicity_of_traces(coarse, traces, known, rng, part))
    return UnicityByLevel(levels=tuple(levels), curves=tuple(curves))


def _checked_points(points: Sequence[int]) -> Int64s:
    known = [require_whole("points", one, 1, MAX_POINTS) for one in points]
    if not known or any(later <= one for one, later in pairwise(known)):
        raise ParameterError(f"points must ascend and be at least one, got {list(points)}.")
    return np.array(known, dtype=np.int64)


def _drawn_traces(fingerprints: Fingerprints, draws: int, rng: np.random.Generator) -> Int64s:
    """Return ascending positions of the users whose traces are taken."""
    n_draws = require_whole("draws", draws, 1, MAX_DRAWS)
    if not fingerprints.n_users:
        raise DataError("There is no user with a sample, so there is no trace to single out.")
    if n_draws >= fingerprints.n_users:
        return np.arange(fingerprints.n_users)
    return np.sort(rng.choice(fingerprints.n_users, n_draws, replace=False)).astype(np.int64)


def _unicity_of_traces(
    fingerprints: Fingerprints, traces: Int64s, points: Int64s, rng: np.random.Generator, progress: Progress
) -> Unicity:
    progress.tell(0.0, "Indexing every sample")
    sample, holders, starts = _index(fingerprints)
    begins, picks = _picked_samples(fingerprints, traces, int(points[-1]), rng)
    n_matching = np.empty((traces.size, points.size), dtype=np.int64)
    room = np.empty(fingerprints.n_users, dtype=np.int32)
    for first in range(0, traces.size, _BLOCK):
        progress.tell(first / traces.size, "Matching traces")
        block = slice(first, first + _BLOCK)
        count_matching(begins[first:], sample[picks], holders, starts, points, room, n_matching[block])
    n_alone = np.count_nonzero(n_matching == 1, axis=0)
    low, high = clopper_pearson(n_alone, traces.size)
    lengths = fingerprints.n_samples[traces]
    return Unicity(
        level=fingerprints.level,
        points=points,
        n_alone=n_alone.astype(np.int64),
        n_short=np.count_nonzero(lengths[:, None] < points, axis=0).astype(np.int64),
        n_traces=traces.size,
        n_users=fingerprints.n_users,
        share=n_alone / traces.size,
        low=low,
        high=high,
        alone=n_matching == 1,
    )


def _index(fingerprints: Fingerprints) -> tuple[Int64s, npt.NDArray[np.int32], Int64s]:
    """Return each sample's number, and by number the users who have it, ascending, with where they start."""
    x, y, t = fingerprints.x, fingerprints.y, fingerprints.t
    order = np.lexsort((y, x, t))  # stable: users stay in order
    new = np.zeros(order.size, dtype=bool)
    new[0] = True
    for axis in (x[order], y[order], t[order]):
        new[1:] |= axis[1:] != axis[:-1]
    number = np.empty(order.size, dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    user = np.repeat(np.arange(fingerprints.n_users, dtype=np.int32), fingerprints.n_samples)
    return number, user[order], np.append(np.flatnonzero(new), order.size).astype(np.int64)


def _picked_samples(
    fingerprints: Fingerprints, traces: Int64s, most: int, rng: np.random.Generator
) -> tuple[Int64s, Int64s]:
    """Return where each trace's picks begin (n_traces + 1) and the picked samples, `most` at most."""
    lengths = fingerprints.n_samples[traces]
    ends = np.cumsum(lengths)
    trace = np.repeat(np.arange(traces.size), lengths)
    place = np.arange(trace.size) - np.repeat(ends - lengths, lengths)
    at = place + np.repeat(fingerprints.offsets[traces], lengths)
    picks = at[np.lexsort((rng.random(at.size), trace))][place < most]
    begins = np.concatenate([[0], np.cumsum(np.minimum(lengths, most))])
    return begins.astype(np.int64), picks


@kernel
def count_matching(
    begins: Any, picks: Any, holders: Any, starts: Any, points: Any, room: Any, n_matching: Any
) -> None:
    """Count the users who have the first `points` picks of each trace, into `n_matching` (traces, points)."""
    for trace in range(n_matching.shape[0]):
        n_left, known = 0, 0
        for column in range(points.size):
            while known < points[column] and begins[trace] + known < begins[trace + 1]:
                pick = picks[begins[trace] + known]
                known += 1
                low, high = starts[pick], starts[pick + 1]
                if known == 1:
                    n_left = high - low
                    for i in range(n_left):
                        room[i] = holders[low + i]
                elif n_left > 1:
                    kept = 0
                    for i in range(n_left):  # both ascend
                        end = high
                        while low < end:
                            middle = (low + end) // 2
                            if holders[middle] < room[i]:
                                low = middle + 1
                            else:
                                end = middle
                        if low < high and holders[low] == room[i]:
                            room[kept] = room[i]
                            kept += 1
                    n_left = kept
            n_matching[trace, column] = n_left
