"""Trips of one week in an invented city: home, work and errands over the zones of `city_shape`.

A user's day is a walk over the hours: the hours with a trip are drawn first, then each trip's
destination from where the user stands. Everyone starts and ends the day at home.
"""

import datetime as dt

import numpy as np
import pyarrow as pa

from privlab import seeds
from privlab.datasets.synthetic.city_shape import N_ZONES, city_shape
from privlab.datasets.synthetic.draws import BoolArray, FloatArray, IntArray, draw, draw_from_rows, ladder_of

DEFAULT_USERS = 200_000
BLOCK_USERS = 20_000
START = dt.datetime(2026, 3, 2)
_DAYS = 7
_FIRST_HOUR, _HOURS = 5, 19
_SHARE_WITH_WORK = 0.62
_SHARE_ON_THE_ROAD = 0.003  # couriers, carers, reps: the tail beyond 60 unique trips
_SHARE_UNRECORDED = 0.03  # trips the phone missed: they break the chain
_N_FAVOURITES = 3
_FAVOURITE_VISITS = 0.4
# Errands by hour of day from 5 h, for days off; on working days most happen after work.
_ERRAND_HOURS = np.array([1, 2, 4, 8, 12, 14, 14, 13, 12, 12, 13, 14, 14, 13, 10, 7, 4, 2, 1], dtype=float)


def block(first_user: int, n_users: int, seed: int) -> pa.Table:
    """Return the trips of users `first_user` … `first_user + n_users − 1`, by user then time."""
    rng = seeds.generator(seed, f"city users from {first_user}")
    users = _Users(rng, n_users, seed)
    hours, work_hour, last_hour = _trip_hours(rng, users)
    destination = _destinations(rng, users, hours, work_hour, last_hour)
    home = np.repeat(users.home, _DAYS)
    origin = _places_left(home, destination)
    recorded = users.sure_day[:, None] | (rng.random(hours.shape) >= _SHARE_UNRECORDED)
    kept = (destination >= 0) & (origin != destination) & recorded
    row, hour = np.nonzero(kept)
    minute = (row % _DAYS) * 1440 + (hour + _FIRST_HOUR) * 60 + rng.integers(0, 60, row.size)
    return pa.table(
        {
            "user_id": pa.array(first_user + row // _DAYS, pa.int32()),
            "timestamp": pa.array(np.datetime64(START, "ms") + minute * np.timedelta64(60_000, "ms")),
            "origin": pa.array(origin[kept], pa.int32()),
            "destination": pa.array(destination[kept], pa.int32()),
        }
    )


class _Users:
    """What stays the same for a user all week: home, work, favourite places, how often out."""

    def __init__(self, rng: np.random.Generator, n_users: int, seed: int) -> None:
        shape = city_shape(seed)
        distance = shape.distance_km
        apart = ~np.eye(N_ZONES, dtype=bool)
        commute = ladder_of(shape.jobs * np.exp(-distance / 4.5) * apart + 1e-12)
        attraction = shape.jobs + 0.8 * shape.population
        self.errand = ladder_of(attraction * np.exp(-distance / 1.5) * apart + 1e-12)
        self.home = draw(rng, shape.population, n_users)
        self.work = draw_from_rows(rng, commute, self.home)
        self.works = rng.random(n_users) < _SHARE_WITH_WORK
        self.favourites = draw_from_rows(rng, self.errand, np.repeat(self.home[:, None], _N_FAVOURITES, 1))
        self.rate = rng.lognormal(-0.3, 0.7, n_users)
        self.on_the_road = rng.random(n_users) < _SHARE_ON_THE_ROAD
        self.rate[self.on_the_road] = rng.uniform(4, 9.5, int(self.on_the_road.sum()))
        self.works &= ~self.on_the_road
        # One day a week with an outing that is recorded whatever happens: every user has trips.
        self.sure_day = (rng.integers(0, _DAYS, n_users)[:, None] == np.arange(_DAYS)).ravel()
        self.morning_hour = rng.choice([6, 7, 8, 9], n_users, p=[0.15, 0.35, 0.35, 0.15])


def _trip_hours(rng: np.random.Generator, users: _Users) -> tuple[BoolArray, IntArray, IntArray]:
    """Return which hours hold a trip (user-days, hours), the hour of going to work or −1, the last hour."""
    day = np.tile(np.arange(_DAYS), users.home.size)
    rate = np.repeat(users.rate, _DAYS)
    to_work = np.repeat(users.works, _DAYS) & (day < 5) & (rng.random(day.size) < 0.86)
    work_hour = np.where(
        to_work, np.repeat(users.morning_hour, _DAYS) - _FIRST_HOUR + rng.integers(0, 2, day.size), -1
    )
    back_hour = work_hour + 8 + rng.integers(0, 3, day.size)
    extra = rng.poisson(np.where(to_work, 0.75, 1.3) * rate).clip(min=users.sure_day)
    n_trips = np.where(to_work, 2 + extra, np.where(extra > 0, 1 + extra, 0)).clip(max=_HOURS)
    weight = _hour_weights(work_hour, back_hour, np.repeat(users.on_the_road, _DAYS))
    key = rng.exponential(size=weight.shape) / weight
    forced = np.flatnonzero(to_work)
    key[forced, work_hour[forced]] = key[forced, back_hour[forced]] = -1
    hours: BoolArray = key.argsort(axis=1).argsort(axis=1) < n_trips[:, None]
    last_hour = np.where(hours.any(axis=1), _HOURS - 1 - hours[:, ::-1].argmax(axis=1), -1)
    return hours, work_hour, last_hour


def _hour_weights(work_hour: IntArray, back_hour: IntArray, on_the_road: BoolArray) -> FloatArray:
    hour = np.arange(_HOURS)
    worked = (work_hour >= 0)[:, None]
    before, during = hour < work_hour[:, None], hour < back_hour[:, None]
    slowed = np.where(before, 0.02, np.where(during, 0.12, 2.0))
    weight = _ERRAND_HOURS * np.where(worked, slowed, 1.0)
    return np.where(on_the_road[:, None], 1.0, weight)


def _destinations(
    rng: np.random.Generator, users: _Users, hours: BoolArray, work_hour: IntArray, last_hour: IntArray
) -> IntArray:
    """Return the zone each trip leads to (user-days, hours), −1 where there is no trip."""
    user = np.repeat(np.arange(users.home.size), _DAYS)
    home = users.home[user]
    position = home.copy()
    destination = np.full(hours.shape, -1, dtype=np.int64)
    for hour in range(_HOURS):
        goes = np.flatnonzero(hours[:, hour])
        errand = draw_from_rows(rng, users.errand, position[goes])
        favourite = users.favourites[user[goes], rng.integers(0, _N_FAVOURITES, goes.size)]
        repeats = (rng.random(goes.size) < _FAVOURITE_VISITS) & ~users.on_the_road[user[goes]]
        to = np.where(repeats, favourite, errand)
        to = np.where(work_hour[goes] == hour, users.work[user[goes]], to)
        to = np.where(last_hour[goes] == hour, home[goes], to)
        destination[goes, hour] = position[goes] = to
    return destination


def _places_left(home: IntArray, destination: IntArray) -> IntArray:
    """Return where the user stands before each hour: the last destination so far, or home."""
    hour = np.arange(1, _HOURS + 1)
    last = np.maximum.accumulate(np.where(destination >= 0, hour, 0), axis=1)
    before = np.column_stack([np.zeros(len(home), dtype=np.int64), last[:, :-1]])
    places = np.column_stack([home, destination])
    origin: IntArray = np.take_along_axis(places, before, axis=1)
    return origin
