"""Card touches of regular commuters at the stations of an invented network, 28 days.

Imitates what the membership literature reports of London's travel cards: few hours per card, the
same ones every week. A journey is a touch in and a touch out; stations lie in an invented city.
"""

import datetime as dt
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from privlab import seeds
from privlab.datasets.synthetic.city_shape import degrees_from_km
from privlab.datasets.synthetic.draws import FloatArray, IntArray, draw, draw_from_rows, ladder_of

DEFAULT_USERS = 10_000
BLOCK_USERS = 10_000
N_STATIONS = 582
START = dt.datetime(2010, 3, 1)
DAYS = 28
_N_PLACES = 4  # stations of a card's habitual outings
_FIRST = (
    "Amber Ash Bay Bramble Briar Chalk Clover Copper Cotton Crane Fern Flint Fox Glass Gold Hawk Heron Iron "
)
_FIRST += (
    "Juniper Lark Lime Linen Maple Marsh Otter Plum Quartz Raven Rope Sand Silver Slate Swift Thistle Willow"
)
_LAST = (
    "Arches Bank Common Court Cross Fields Gate Grove Hill Lane Market Park Place Quay Road Square Street "
)
_LAST += "Terrace Tower Vale Walk Wharf"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stations:
    """The network: `km` (stations, 2) from the centre, `popularity` of each as a place to go, `names`."""

    km: FloatArray
    popularity: FloatArray
    names: tuple[str, ...]


@lru_cache(maxsize=4)
def stations(seed: int = 1) -> Stations:
    """Return the stations of this seed."""
    rng = seeds.generator(seed, "commuter stations")
    radius = 22 * rng.random(N_STATIONS) ** 0.8
    angle = rng.uniform(0, 2 * np.pi, N_STATIONS)
    km = np.column_stack([radius * np.cos(angle), 0.8 * radius * np.sin(angle)])
    popularity = np.exp(-radius / 6) * rng.lognormal(0, 1.0, N_STATIONS)
    every = [f"{first} {last}" for first in _FIRST.split() for last in _LAST.split()]
    names = tuple(every[i] for i in rng.permutation(len(every))[:N_STATIONS])
    return Stations(km=km, popularity=popularity / popularity.sum(), names=names)


def station_table(seed: int = 1) -> pa.Table:
    """Return the stations as a table: zone, name, lat, lon."""
    network = stations(seed)
    degrees = np.round(degrees_from_km(network.km), 5)
    zones = pa.array(range(N_STATIONS), pa.int32())
    return pa.table({"zone": zones, "name": list(network.names), "lat": degrees[:, 1], "lon": degrees[:, 0]})


def block(first_user: int, n_users: int, seed: int) -> pa.Table:
    """Return the touches of cards `first_user` … `first_user + n_users − 1`, by card then time."""
    rng = seeds.generator(seed, f"commuter cards from {first_user}")
    cards = _Cards(rng, n_users, stations(seed))
    journeys = [_commutes(rng, cards)] + [_outings(rng, cards, later) for later in (False, True)]
    user, minute, start, end, ride = (np.concatenate(part) for part in zip(*journeys, strict=True))
    touched = np.concatenate([minute, minute + ride])
    user, zone = np.tile(user, 2), np.concatenate([start, end])
    known = touched < DAYS * 1440
    order = np.lexsort((zone[known], touched[known], user[known]))
    user, touched, zone = (part[known][order] for part in (user, touched, zone))
    return pa.table(
        {
            "user_id": pa.array(first_user + user, pa.int32()),
            "timestamp": pa.array(np.datetime64(START, "ms") + touched * np.timedelta64(60_000, "ms")),
            "zone": pa.array(zone, pa.int32()),
        }
    )


class _Cards:
    """What stays the same for a card: home, work and habitual stations, its hours, how often it travels."""

    def __init__(self, rng: np.random.Generator, n_users: int, network: Stations) -> None:
        km = network.km
        distance = np.linalg.norm(km[:, None] - km[None], axis=2)
        apart = ~np.eye(N_STATIONS, dtype=bool)
        self.distance = distance
        to_work = ladder_of(network.popularity * np.exp(-distance / 12) * apart)
        self.nearby = ladder_of(np.sqrt(network.popularity) * np.exp(-distance / 5) * apart)
        self.home = draw(rng, network.popularity**0.45, n_users)
        self.work = draw_from_rows(rng, to_work, self.home)
        self.places = draw_from_rows(rng, to_work, np.repeat(self.home[:, None], _N_PLACES, axis=1))
        self.lunch = draw_from_rows(rng, self.nearby, self.work)
        self.place_minute = rng.normal(11.5 * 60, 100, (n_users, _N_PLACES)).clip(8 * 60, 14 * 60)
        self.place_share = ladder_of(1 / np.arange(1, _N_PLACES + 1)[None, :])
        self.activity = rng.normal(1, 0.16, n_users).clip(0.3, 1.6)
        self.leaves_home = rng.normal(8 * 60 - 5, 50, n_users).clip(5 * 60, 12 * 60)
        self.leaves_work = self.leaves_home + rng.normal(9.7 * 60, 55, n_users).clip(6 * 60, 11.5 * 60)


Journeys = tuple[IntArray, IntArray, IntArray, IntArray, IntArray]


def _commutes(rng: np.random.Generator, cards: _Cards) -> Journeys:
    """Return the journeys to work and back: user, minute of start, from, to, minutes under way."""
    n_users = cards.home.size
    user, day = (part.ravel() for part in np.indices((n_users, DAYS)))
    goes = (day % 7 < 5) & (rng.random(day.size) < (0.95 * cards.activity[user]).clip(max=0.98))
    user, day = user[goes], day[goes]
    out = cards.leaves_home[user] + rng.normal(0, 7, user.size)
    stay = cards.leaves_work[user] + rng.normal(0, 14, user.size) - out
    return _there_and_back(rng, cards, user, day, out, stay, cards.home[user], cards.work[user])


def _outings(rng: np.random.Generator, cards: _Cards, later: bool) -> Journeys:
    """Return a day's first or later outing where there is one, to a habitual station or a rare one.

    On working days the first is in the evening from home and the later one at noon from work; on days off
    the first is around noon and the later one in the evening: nobody is in two places at once.
    """
    n_users = cards.home.size
    user, day = (part.ravel() for part in np.indices((n_users, DAYS)))
    usual = np.where(day % 7 < 5, *((0.18, 0.33) if later else (0.665, 0.78)))
    goes = rng.random(day.size) < usual * cards.activity[user] ** 1.3
    user, day = user[goes], day[goes]
    working = day % 7 < 5
    which = draw_from_rows(rng, cards.place_share, np.zeros(user.size, dtype=np.int64))
    rare = rng.random(user.size) < 0.15
    place = np.where(rare, draw_from_rows(rng, cards.nearby, cards.home[user]), cards.places[user, which])
    start = cards.home[user]
    if later:
        start = np.where(working, cards.work[user], start)
        place = np.where(working, cards.lunch[user], place)
        out = np.where(working, cards.leaves_home[user] + rng.normal(270, 12, user.size), 18.5 * 60)
    else:
        out = np.where(working, cards.leaves_work[user] + 85, cards.place_minute[user, which])
    out = (out + rng.normal(0, 20, user.size)).clip(5 * 60, 22.5 * 60)
    stay = np.where(working & later, 60, 45 + rng.gamma(3.0, 35.0, user.size).clip(max=170))
    return _there_and_back(rng, cards, user, day, out, stay, start, place)


def _there_and_back(
    rng: np.random.Generator,
    cards: _Cards,
    user: IntArray,
    day: IntArray,
    out: FloatArray,
    stay: FloatArray,
    start: IntArray,
    place: IntArray,
) -> Journeys:
    ride = 6 + 1.3 * cards.distance[start, place] + rng.gamma(2.0, 2.0, user.size)
    minute = np.tile(day * 1440, 2) + np.concatenate([out, out + stay]).astype(np.int64)
    starts, ends = np.concatenate([start, place]), np.concatenate([place, start])
    return np.tile(user, 2), minute, starts, ends, np.tile(ride.astype(np.int64), 2)
