"""Records → fingerprints: each user's set of (position, time) samples, at any granularity.

Knows how samples are placed, folded and coarsened; knows nothing of distances.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.datasets import Dataset
from privlab.fingerprints.levels import Level
from privlab.fingerprints.placed_samples import CELL_M, placed_samples_from_dataset
from privlab.limits import MAX_FOLD_DAYS
from privlab.progress import UNHEARD, Progress

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]

_DAY_MIN = 1440
_A_MONDAY_MIN = 4 * _DAY_MIN  # 1970-01-05 00:00, from 1970-01-01 00:00


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fingerprints:
    """The samples of every user, as ragged arrays.

    `user_ids` (n_users,) ascend, numbers by value (int64) and text by code point (object). User u has
    the samples `offsets[u]` to `offsets[u + 1]` (int64, n_users + 1), at least one, without duplicates,
    sorted by t, then x, then y. Per sample, int32: `x`, `y` are indices of square cells of `cell_m`
    metres, floor(metres / cell_m), and `t` is in minutes of the wall clock since 1970-01-01 00:00, a
    multiple of `bin_min`. `fold_days` is the period that time was folded onto, None for none.
    `n_records` rows took part and `n_left_out` had no place; `n_empty_users` were left without any sample.
    `controls` are those that changed the data, with their seed; empty where it is as it was read.
    """

    user_ids: npt.NDArray[Any]
    offsets: Int64s
    x: Int32s
    y: Int32s
    t: Int32s
    cell_m: int = CELL_M
    bin_min: int = 1
    centre: tuple[float, float] | None = None
    fold_days: int | None = None
    n_records: int = 0
    n_left_out: int = 0
    n_empty_users: int = 0
    controls: str = ""

    def __post_init__(self) -> None:
        """Check that nobody is without samples."""
        if self.offsets.size != self.user_ids.size + 1 or not (np.diff(self.offsets) > 0).all():
            raise ParameterError("fingerprints must have one sample or more for every user.")

    @property
    def n_users(self) -> int:
        """Number of users."""
        return int(self.user_ids.size)

    @property
    def n_samples(self) -> Int64s:
        """Samples per user, (n_users,)."""
        return np.diff(self.offsets)

    @property
    def n_days(self) -> int:
        """Days from the first sample to the last, both included."""
        return int(self.t.max() // _DAY_MIN - self.t.min() // _DAY_MIN + 1) if self.t.size else 0

    @property
    def level(self) -> Level:
        """The granularity of the samples."""
        return Level(self.cell_m / 1000, self.bin_min)

    def time_of(self, row: int) -> str:
        """Return when a sample is, by the wall clock; where time is folded, on which day of the period, the first of which is a Monday."""
        minute = int(self.t[row])
        if self.fold_days is None:
            return str(np.datetime64(minute, "m")).replace("T", " ")
        day, minute = divmod(max(minute - _A_MONDAY_MIN, 0), _DAY_MIN)
        return f"day {day + 1:,} of {self.fold_days:,}, {minute // 60:02}:{minute % 60:02}"


def fingerprints_from_dataset(
    dataset: Dataset, *, centre: tuple[float, float] | None = None, progress: Progress = UNHEARD
) -> Fingerprints:
    """Return the fingerprints in a dataset of records, on a grid of 100 m and whole minutes.

    Positions in degrees are projected (Lambert azimuthal equal-area, WGS 84) around `centre`, by default
    the median latitude and longitude rounded to 0.01°; positions in metres are taken as they are.
    Raises DataError for data without users or coordinates.
    """
    samples = placed_samples_from_dataset(dataset, centre=centre, progress=progress)
    return Fingerprints(
        user_ids=samples.user_ids,
        offsets=samples.offsets,
        x=samples.x,
        y=samples.y,
        t=samples.t,
        centre=samples.centre,
        n_records=samples.n_records,
        n_left_out=samples.n_left_out,
        n_empty_users=samples.n_empty_users,
    )


def fingerprints_from_samples(
    user_id: npt.ArrayLike,
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    t: npt.ArrayLike,
    *,
    cell_m: int = CELL_M,
    bin_min: int = 1,
) -> Fingerprints:
    """Return fingerprints from one user id, cell (x, y) and minute per sample, in any order.

    >>> fingerprints_from_samples([7, 3, 7, 7], [0, 5, 0, 1], [0, 5, 0, 1], [9, 9, 9, 2]).t.tolist()
    [9, 2, 9]
    """
    user_ids, user = np.unique(np.asarray(user_id), return_inverse=True)
    columns = [np.asarray(column, dtype=np.int32) for column in (x, y, t)]
    offsets, (xs, ys, ts) = _sorted_sets(user, columns[0], columns[1], columns[2], user_ids.size)
    return Fingerprints(
        user_ids=user_ids,
        offsets=offsets,
        x=xs,
        y=ys,
        t=ts,
        cell_m=cell_m,
        bin_min=bin_min,
        n_records=int(columns[0].size),
    )


def _sorted_sets(
    user: npt.NDArray[Any], x: Int32s, y: Int32s, t: Int32s, n_users: int
) -> tuple[Int64s, tuple[Int32s, Int32s, Int32s]]:
    """Return offsets and the samples x, y, t by user, t, x, y, each once."""
    order = np.lexsort((y, x, t, user))
    user, x, y, t = user[order], x[order], y[order], t[order]
    new = np.ones(user.size, dtype=bool)
    new[1:] = (np.diff(user) != 0) | (np.diff(t) != 0) | (np.diff(x) != 0) | (np.diff(y) != 0)
    offsets = np.searchsorted(user[new], np.arange(n_users + 1)).astype(np.int64)
    return offsets, (x[new], y[new], t[new])


def fingerprints_at_level(fingerprints: Fingerprints, level: Level) -> Fingerprints:
    """Return the fingerprints floored to coarser cells and bins, duplicates dropped again.

    Bins align with midnight where they divide a day. Raises ParameterError if the level is not made of
    whole cells and bins of the fingerprints.
    """
    cells, bins = level.cell_m // fingerprints.cell_m, level.bin_min // fingerprints.bin_min
    if cells * fingerprints.cell_m != level.cell_m or bins * fingerprints.bin_min != level.bin_min:
        raise ParameterError(
            f"level must be made of whole cells and bins of {fingerprints.level}, got {level}."
        )
    if cells == bins == 1:
        return fingerprints
    x, y = (axis // np.int32(cells) for axis in (fingerprints.x, fingerprints.y))
    t = fingerprints.t // np.int32(level.bin_min) * np.int32(level.bin_min)
    return replace(_replaced(fingerprints, x, y, t), cell_m=level.cell_m, bin_min=level.bin_min)


def folded_fingerprints(fingerprints: Fingerprints, *, fold_days: int) -> Fingerprints:
    """Return the fingerprints with time modulo a period of whole days that begins on a Monday at midnight.

    All times come to lie in the period from Monday 1970-01-05 00:00 on; times at its two ends are far
    apart, as in any other data of that length.
    """
    period = require_whole("fold (days)", fold_days, 1, MAX_FOLD_DAYS) * _DAY_MIN
    if fingerprints.bin_min != 1:
        raise ParameterError(f"fold must come before coarser bins, got bins of {fingerprints.bin_min} min.")
    t = (fingerprints.t - np.int32(_A_MONDAY_MIN)) % np.int32(period) + np.int32(_A_MONDAY_MIN)
    return replace(_replaced(fingerprints, fingerprints.x, fingerprints.y, t), fold_days=fold_days)


def numbered_cells(x: Int32s, y: Int32s) -> tuple[Int64s, Int64s]:
    """Return the number of each sample's cell (n,), by x and then y, and a sample in each cell (n_cells,).

    >>> [part.tolist() for part in numbered_cells(np.array([5, -1, 5]), np.array([0, 9, -3]))]
    [[2, 0, 1], [1, 2, 0]]
    """
    keys = x.astype(np.int64) * 2**32 + y  # |y| is below 2^31: no two cells have one key
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    return number.astype(np.int64), first.astype(np.int64)


def _replaced(fingerprints: Fingerprints, x: Int32s, y: Int32s, t: Int32s) -> Fingerprints:
    user = np.repeat(np.arange(fingerprints.n_users, dtype=np.int32), fingerprints.n_samples)
    offsets, (x, y, t) = _sorted_sets(user, x, y, t, fingerprints.n_users)
    return replace(fingerprints, offsets=offsets, x=x, y=y, t=t)


def fingerprints_of_users(fingerprints: Fingerprints, users: Int64s) -> Fingerprints:
    """Return the fingerprints of some users, given by ascending positions."""
    starts, lengths = fingerprints.offsets[users], fingerprints.n_samples[users]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    columns = {name: getattr(fingerprints, name)[at] for name in ("x", "y", "t")}
    return replace(fingerprints, user_ids=fingerprints.user_ids[users], offsets=offsets, **columns)
