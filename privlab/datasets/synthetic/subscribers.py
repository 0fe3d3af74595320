"""Call records of subscribers of an invented country's phone network, two weeks, at antenna positions.

Home, work and a few other places per subscriber; calls come in bursts with long silences between.
Made to show what the anonymizability literature found on two real call-record datasets.
"""

import datetime as dt
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from privlab import seeds
from privlab.datasets.synthetic.draws import (
    FloatArray,
    IntArray,
    draw,
    draw_from_rows,
    ladder_of,
    position_in_run,
)

DEFAULT_USERS = 5_000
BLOCK_USERS = 20_000
START = dt.datetime(2026, 3, 2)
DAYS = 14
N_ANTENNAS = 1_500
_WIDTH_KM, _HEIGHT_KM = 300.0, 200.0
_CENTRE_LAT, _CENTRE_LON = 30.0, -45.0  # open Atlantic
_KM_PER_DEGREE = 111.195
_CITIES = np.array([0.42, 0.2, 0.12, 0.08, 0.06, 0.05])  # share of subscribers; the rest live in the country
_CITY_SPREAD_KM = 2.8 * np.sqrt(_CITIES / _CITIES[0])
_MEAN_SAMPLES, _SPREAD_SAMPLES, _FEWEST = 60.0, 0.6, 15
_BURST = 1.5  # samples per burst, on average
_N_OTHERS = 3
_SERVED_BY = np.array([0.35, 0.25, 0.15, 0.1, 0.1, 0.05])  # the nearest antennas, nearest first
# Share of bursts by hour of day.
_DAY = np.array(
    [4, 2, 1, 1, 1, 1, 4, 16, 24, 24, 20, 30, 200, 120, 24, 20, 20, 60, 400, 480, 340, 50, 20, 8], dtype=float
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Antennas:
    """The network as arrays over its antennas.

    Attributes: `km` (antennas, 2) from the centre, rounded to metres; `city`, −1 in the country; `distance_km`
    (antennas, antennas); `nearest` (antennas, those that may serve a phone near this one), nearest first.
    """

    km: FloatArray
    city: IntArray
    distance_km: FloatArray
    nearest: IntArray


@lru_cache(maxsize=4)
def antennas(seed: int = 1) -> Antennas:
    """Return the antennas of this seed."""
    rng = seeds.generator(seed, "subscriber antennas")
    half = np.array([_WIDTH_KM, _HEIGHT_KM]) / 2
    centres = rng.uniform(-0.75, 0.75, (_CITIES.size, 2)) * half
    n_country = N_ANTENNAS * 3 // 10
    city = draw(rng, _CITIES, N_ANTENNAS - n_country)
    around = centres[city] + rng.normal(0, 1.25, (city.size, 2)) * _CITY_SPREAD_KM[city, None]
    km = np.round(np.vstack([around.clip(-half, half), rng.uniform(-half, half, (n_country, 2))]), 3)
    distance = np.linalg.norm(km[:, None] - km[None], axis=2)
    return Antennas(
        km=km,
        city=np.append(city, np.full(n_country, -1)),
        distance_km=distance,
        nearest=np.argsort(distance, axis=1)[:, : _SERVED_BY.size],
    )


def block(first_user: int, n_users: int, seed: int) -> pa.Table:
    """Return the records of `n_users` subscribers from number `first_user` on, by subscriber then time."""
    rng = seeds.generator(seed, f"subscribers from {first_user}")
    n_samples = _sample_counts(rng, n_users)
    user = np.repeat(np.arange(n_users), n_samples)
    minute = _minutes(rng, n_samples)
    antenna = _places(rng, user, minute, n_users, antennas(seed))
    order = np.lexsort((minute, user))
    lat, lon = _degrees(antennas(seed).km)
    return pa.table(
        {
            "user_id": pa.array(first_user + user, pa.int32()),
            "timestamp": pa.array(np.datetime64(START, "ms") + minute[order] * np.timedelta64(60_000, "ms")),
            "lat": lat[antenna[order]],
            "lon": lon[antenna[order]],
        }
    )


def _degrees(km: FloatArray) -> tuple[FloatArray, FloatArray]:
    lat = _CENTRE_LAT + km[:, 1] / _KM_PER_DEGREE
    lon = _CENTRE_LON + km[:, 0] / (_KM_PER_DEGREE * np.cos(np.radians(_CENTRE_LAT)))
    return np.round(lat, 5), np.round(lon, 5)


def _sample_counts(rng: np.random.Generator, n_users: int) -> IntArray:
    mean_log = np.log(_MEAN_SAMPLES) - _SPREAD_SAMPLES**2 / 2
    counts: IntArray = rng.lognormal(mean_log, _SPREAD_SAMPLES, n_users).clip(_FEWEST, 1_500).astype(np.int64)
    return counts


def _minutes(rng: np.random.Generator, n_samples: IntArray) -> IntArray:
    """Return the minute of every sample since START: bursts by the hour of day, gaps inside them Pareto."""
    position = position_in_run(n_samples)
    new_burst = (position == 0) | (rng.random(position.size) < 1 / _BURST)
    burst = np.cumsum(new_burst) - 1
    n_bursts = int(burst[-1]) + 1
    hour = draw(rng, _DAY, n_bursts)
    start = rng.integers(0, DAYS, n_bursts) * 1440 + hour * 60 + rng.integers(0, 60, n_bursts)
    gap = np.where(new_burst, 0.0, 2 * (1 + rng.pareto(1.1, position.size)).clip(max=120))
    since = np.cumsum(gap)
    first = np.flatnonzero(new_burst)
    minute = start[burst] + (since - since[first][burst]).astype(np.int64)
    inside: IntArray = minute % (DAYS * 1440)
    return inside


def _places(
    rng: np.random.Generator, user: IntArray, minute: IntArray, n_users: int, network: Antennas
) -> IntArray:
    """Return the antenna of every sample: home, work in working hours, other places now and then."""
    home, work, others = _homes_and_works(rng, n_users, network)
    hour, day = minute // 60 % 24, minute // 1440
    working = (day % 7 < 5) & (hour >= 9) & (hour < 17)
    at_work = rng.random(minute.size) < np.where(working, 0.7, 0.03)
    elsewhere = rng.random(minute.size) < 0.02
    other = others[user, rng.integers(0, _N_OTHERS, user.size)]
    place = np.where(elsewhere, other, np.where(at_work, work[user], home[user]))
    # A phone that stays put is still served by several antennas in turn.
    which = draw(rng, _SERVED_BY, place.size)
    served: IntArray = network.nearest[place, which]
    return served


def _homes_and_works(
    rng: np.random.Generator, n_users: int, network: Antennas
) -> tuple[IntArray, IntArray, IntArray]:
    city, distance = network.city, network.distance_km
    crowding = np.exp(-distance / 2.0).sum(axis=1)
    country = np.where(city < 0, 1.0, 0.0)
    share = np.append(_CITIES, 1 - _CITIES.sum())
    inside = np.stack([np.where(city == c, crowding**1.5, 0.0) for c in range(_CITIES.size)] + [country])
    home = draw_from_rows(rng, ladder_of(inside), draw(rng, share, n_users))
    near = ladder_of(np.exp(-distance / 0.6))
    work = np.where(rng.random(n_users) < 0.45, home, draw_from_rows(rng, near, home))
    around = ladder_of(np.exp(-distance / 0.6))
    others = draw_from_rows(rng, around, np.repeat(home[:, None], _N_OTHERS, axis=1))
    return home, work, others
