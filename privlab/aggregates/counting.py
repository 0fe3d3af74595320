"""Groups + window → aggregates, exact integers, and seven statistics of each zone's series in one pass.

Only reports are visited: of a group larger than half of all users, those of the users it lacks.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.traces import Window
from privlab.datasets.engines import compiled

Flags = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

STATISTICS = ("mean", "variance", "standard deviation", "median", "min", "max", "sum")

_MOST_BINS = 4_096  # counts of one series further apart are put in order instead of counted


def aggregates_from_groups(member: Flags, window: Window, *, total: Counts | None = None) -> Counts:
    """Return how many of each group were in each zone and epoch, int32 (groups, zones, epochs).

    The null zone, if any, is the last: how many of the group were seen nowhere. `total` is
    `total_from_window` of the same window, where it is at hand.
    """
    size = member.sum(axis=1)
    lacks = 2 * size > window.n_users
    out = np.zeros((member.shape[0], window.n_zones, window.n_epochs), dtype=np.int32)
    flat = out.reshape(member.shape[0], -1)
    if lacks.any():
        flat[lacks] = total_from_window(window) if total is None else total
    _add_reports(member ^ lacks[:, None], window.starts, window.cell, np.where(lacks, -1, 1), flat)
    if window.null_zone:
        out[:, -1, :] = size[:, None] - out[:, -1, :]
    return out


def weighted_aggregates_from_groups(member: Flags, window: Window, weights: Floats) -> Floats:
    """Return the sum over each group of what its people's reports count for, float64 (groups, zones, epochs).

    `weights` (U,) is what each report of a user counts for. The null zone, if any, holds the weights of those seen nowhere.
    """
    out = np.zeros((member.shape[0], window.n_zones, window.n_epochs))
    _add_weights(member, window.starts, window.cell, weights, out.reshape(member.shape[0], -1))
    if window.null_zone:
        out[:, -1, :] = (member @ weights)[:, None] - out[:, -1, :]
    return out


def total_from_window(window: Window) -> Counts:
    """Return the entries of all users, int32 (zones · epochs,); of the null zone, those seen anywhere."""
    return np.bincount(window.cell, minlength=window.n_zones * window.n_epochs).astype(np.int32)


def statistics_from_aggregates(aggregates: npt.NDArray[Any]) -> Floats:
    """Return the seven statistics of each zone over the epochs, float64 (groups, zones · 7), zone by zone.

    Variance and standard deviation are those of the epochs themselves (divided by their number).
    """
    n_groups, n_zones, n_epochs = aggregates.shape
    rows = np.ascontiguousarray(aggregates).reshape(n_groups * n_zones, n_epochs)
    out = np.empty((rows.shape[0], len(STATISTICS)))
    if np.issubdtype(rows.dtype, np.integer):
        _statistics_of_counts(rows, out)
    else:
        _statistics_of_reals(rows.astype(np.float64, copy=False), out)
    return out.reshape(n_groups, n_zones * len(STATISTICS))


def _reports_added(member, starts, cell, sign, out):  # type: ignore[no-untyped-def]
    for group in range(member.shape[0]):
        step, counts = np.int32(sign[group]), out[group]
        for user in range(member.shape[1]):
            if member[group, user]:
                for entry in cell[starts[user] : starts[user + 1]]:
                    counts[np.uint32(entry)] += step  # unsigned: no negative positions to look for


def _weights_added(member, starts, cell, weights, out):  # type: ignore[no-untyped-def]
    for group in range(member.shape[0]):
        sums = out[group]
        for user in range(member.shape[1]):
            if member[group, user]:
                for entry in cell[starts[user] : starts[user + 1]]:
                    sums[np.uint32(entry)] += weights[user]


def _moments(row, out):  # type: ignore[no-untyped-def]
    """Fill in mean, variance, standard deviation, min, max and sum."""
    low = high = row[0]
    total = 0.0
    for value in row:
        total += value
        low = min(low, value)
        high = max(high, value)
    mean = total / row.size
    spread = 0.0
    for value in row:
        spread += (value - mean) * (value - mean)
    out[0], out[1], out[2] = mean, spread / row.size, np.sqrt(spread / row.size)
    out[4], out[5], out[6] = low, high, total


def _counts_summed_up(rows, out):  # type: ignore[no-untyped-def]
    """Write the statistics of rows of whole numbers; a median is found by counting."""
    n = rows.shape[1]
    bins = np.zeros(_MOST_BINS, dtype=np.int64)
    for i in range(rows.shape[0]):
        row = rows[i]
        _moments_of(row, out[i])
        low, high = int(out[i, 4]), int(out[i, 5])
        if high - low >= _MOST_BINS:
            out[i, 3] = np.median(row)
            continue
        for value in row:
            bins[value - low] += 1
        seen, at = bins[0], 0
        while 2 * seen < n:
            at += 1
            seen += bins[at]
        above = at
        if 2 * seen == n:  # the two in the middle differ
            above += 1
            while bins[above] == 0:
                above += 1
        out[i, 3] = low + (at + above) / 2
        bins[: high - low + 1] = 0


def _reals_summed_up(rows, out):  # type: ignore[no-untyped-def]
    """Write the statistics of rows of real numbers."""
    for i in range(rows.shape[0]):
        _moments_of(rows[i], out[i])
        out[i, 3] = np.median(rows[i])


_add_reports = compiled(_reports_added)
_add_weights = compiled(_weights_added)
_moments_of = compiled(_moments)
_statistics_of_counts = compiled(_counts_summed_up)
_statistics_of_reals = compiled(_reals_summed_up)
