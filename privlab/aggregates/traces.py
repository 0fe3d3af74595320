"""Presences → traces: who was in which zone in which hour, sparse, and the weeks that can be played with.

True data: a trace is a person. Nothing here may be published.
"""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.aggregates.periods import HOURS_A_DAY, Period
from privlab.aggregates.presences import blocks_from_presences, presences_from_dataset
from privlab.checks import DataError
from privlab.datasets import Dataset
from privlab.datasets.zones import Zoning
from privlab.progress import UNHEARD, Progress

Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, weakref_slot=True)
class Traces:
    """The zones of every user in every epoch, an hour of wall-clock time.

    User i (of `users` (U,), ids ascending) has the reports `starts[i]:starts[i + 1]` of `epoch` and
    `zone`, both int32 (n,): epochs count from 00:00 of `first_day`, zones are positions in `zones` (Z,),
    ids ascending; reports are sorted by epoch, then zone, each there once. With `null_zone`, a zone Z
    more is reported in every epoch without a report (Pyrgelis et al. 2018); it is never stored.
    `digest` and `zones_spec` tell which data and zones these are. `positions` (Z, 2) are where the zones lie,
    for who asks which are neighbours: east and north, NaN where unknown; None where nothing is known. `controls` are
    those that changed the data, with their seed; empty where it is as it was read.
    """

    name: str
    digest: str
    zones_spec: str
    users: npt.NDArray[Any]
    zones: npt.NDArray[Any]
    starts: Ints
    epoch: Places
    zone: Places
    first_day: date
    n_days: int
    null_zone: bool = True
    positions: npt.NDArray[np.float64] | None = None
    controls: str = ""

    @property
    def n_users(self) -> int:
        """Number of users."""
        return int(self.users.size)

    @property
    def n_zones(self) -> int:
        """Number of zones of an aggregate, the null zone included where there is one."""
        return int(self.zones.size) + self.null_zone

    @property
    def last_day(self) -> date:
        """The last day, included."""
        return self.first_day + timedelta(days=self.n_days - 1)

    @property
    def n_reports(self) -> Ints:
        """Reports inside the zones of each user over all days, shape (U,)."""
        return np.diff(self.starts)

    @property
    def mondays(self) -> tuple[date, ...]:
        """The Mondays of the whole weeks, Monday 00:00 to Sunday 24:00."""
        ahead = -self.first_day.weekday() % 7
        n_weeks = max(0, (self.n_days - ahead) // 7)
        return tuple(self.first_day + timedelta(days=ahead + 7 * week) for week in range(n_weeks))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Window:
    """Where all users were within one stretch of hours, as numbers of aggregates' entries.

    User i has the entries `starts[i]:starts[i + 1]` of `cell`, int32, zone · n_epochs + epoch, with epochs
    counted from the stretch's first hour. `n_zones` counts the null zone, the last, where there is one;
    its entries stand for the hours in which the user *was* seen, since those are few.
    """

    starts: Ints
    cell: Places
    n_zones: int
    n_epochs: int
    null_zone: bool

    @property
    def n_users(self) -> int:
        """Number of users."""
        return int(self.starts.size) - 1


def traces_from_dataset(
    dataset: Dataset,
    zoning: Zoning,
    *,
    null_zone: bool = True,
    first_day: date | None = None,
    last_day: date | None = None,
    progress: Progress = UNHEARD,
) -> Traces:
    """Return the traces of a dataset in zones, of the days named or of all days it has rows of.

    Users without a report inside the zones on those days have no trace. A trip is a report at both ends
    in the hour it is dated by.

    Raises DataError for counts, for data without times, or if nothing lies in the zones and days.
    """
    found = presences_from_dataset(
        dataset, zoning, first_day=first_day, last_day=last_day, progress=progress.part(0.0, 0.8)
    )
    n = int(found.n_reports.sum())
    epoch, zone, done = np.empty(n, np.int32), np.empty(n, np.int32), 0
    for epochs, zones in blocks_from_presences(found):
        part = slice(done, done + epochs.size)
        epoch[part], zone[part] = epochs, zones
        done = part.stop
        progress.tell(0.8 + 0.2 * done / n)
    dataset.workspace.forget(found.table)
    return Traces(
        name=dataset.name,
        digest=dataset.digest,
        zones_spec=zoning.spec,
        users=found.users,
        zones=found.zones,
        starts=np.concatenate([[0], np.cumsum(found.n_reports)]),
        epoch=epoch,
        zone=zone,
        first_day=found.first_day,
        n_days=(found.last_day - found.first_day).days + 1,
        null_zone=null_zone,
        positions=_positions(zoning, found.zones),
    )


def _positions(zoning: Zoning, zones: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Return where zones lie, degrees with those of longitude as long as those of latitude, (Z, 2); None if unknown."""
    found = zoning.zone_map(zones.tolist())
    if not found.located:
        return None
    middle = float(np.nanmean(found.lat))
    return np.stack([found.lon * np.cos(np.radians(middle)), found.lat], axis=1)


def visits_by_hour_from_traces(traces: Traces, monday: date) -> npt.NDArray[np.float64]:
    """Return how many users were in each zone in each hour of the week from a Monday on, (zones, 168); no null zone.

    Days that the traces do not reach have none. True data.
    """
    n_zones, week = int(traces.zones.size), 7 * HOURS_A_DAY
    hour = traces.epoch.astype(np.int64) - (monday - traces.first_day).days * HOURS_A_DAY
    inside = (hour >= 0) & (hour < week)
    cell = traces.zone[inside].astype(np.int64) * week + hour[inside]
    return np.bincount(cell, minlength=n_zones * week).reshape(n_zones, week).astype(np.float64)


def window_from_traces(traces: Traces, *, week: int, period: Period) -> Window:
    """Return the reports of a period of a week, a position in `traces.mondays`.

    Raises DataError if there is no such week.
    """
    mondays = traces.mondays
    if not 0 <= week < len(mondays):
        raise DataError(
            f"The data has {len(mondays):,} whole weeks (Monday to Sunday) from {traces.first_day} to "
            f"{traces.last_day}, and the game needs {week + 1:,}. Ask for earlier or fewer weeks, or "
            "load data of more of them."
        )
    low = (mondays[week] - traces.first_day).days * HOURS_A_DAY + period.first_hour
    inside = (traces.epoch >= low) & (traces.epoch < low + period.n_hours)
    starts = np.concatenate([[0], np.cumsum(inside)])[traces.starts]
    return window_from_reports(
        starts,
        traces.epoch[inside] - np.int32(low),
        traces.zone[inside],
        n_zones=int(traces.zones.size),
        n_epochs=period.n_hours,
        null_zone=traces.null_zone,
    )


def window_from_reports(
    starts: Ints, epoch: Places, zone: Places, *, n_zones: int, n_epochs: int, null_zone: bool
) -> Window:
    """Return the window of users with the reports `starts[i]:starts[i + 1]` of `epoch` and `zone`, both int32.

    Reports are sorted by epoch, then zone, each there once; `n_zones` does not count the null zone.
    """
    cell = zone * np.int32(n_epochs) + epoch
    if null_zone:
        user = np.repeat(np.arange(starts.size - 1), np.diff(starts))
        # Sorted by user and epoch: an hour begins where the report before is of another.
        new = np.ones(user.size, dtype=bool)
        new[1:] = (user[1:] != user[:-1]) | (epoch[1:] != epoch[:-1])
        seen = np.int32(n_zones * n_epochs) + epoch[new]
        order = np.argsort(np.concatenate([user, user[new]]), kind="stable")
        cell = np.concatenate([cell, seen])[order]
        starts = starts + np.concatenate([[0], np.cumsum(np.bincount(user[new], minlength=starts.size - 1))])
    return Window(
        starts=starts, cell=cell, n_zones=n_zones + null_zone, n_epochs=n_epochs, null_zone=null_zone
    )


def presence_from_window(window: Window, user: int) -> npt.NDArray[np.bool_]:
    """Return where and when one user was, bool (zones, epochs); the null zone, if any, is the last."""
    seen = np.zeros((window.n_zones, window.n_epochs), dtype=bool)
    seen.reshape(-1)[window.cell[window.starts[user] : window.starts[user + 1]]] = True
    if window.null_zone:
        seen[-1] = ~seen[-1]
    return seen


def reports_from_window(window: Window) -> Ints:
    """Return the reports of each user in the window, null reports included, shape (U,)."""
    entries = np.diff(window.starts)
    if not window.null_zone:
        return entries
    user = np.repeat(np.arange(window.n_users), entries)
    hours = np.bincount(user[window.cell >= (window.n_zones - 1) * window.n_epochs], minlength=window.n_users)
    return np.asarray(entries - hours + window.n_epochs - hours)
