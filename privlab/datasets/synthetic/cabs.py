"""Taxi cabs over a 10 × 10 grid of downtown San Francisco, three weeks, imitated from published figures.

A cab is on or off duty hour by hour (a two-state chain with its own level) and, on duty, drives straight
legs between stops drawn near where it stands; one record per zone it is seen in and hour.
"""

import datetime as dt

import numpy as np
import pyarrow as pa

from privlab import seeds
from privlab.datasets.synthetic.draws import (
    BoolArray,
    FloatArray,
    IntArray,
    draw_from_rows,
    ladder_of,
    position_in_run,
    spread_uniforms,
)

DEFAULT_USERS = 534
BLOCK_USERS = 1_068
START = dt.datetime(2008, 5, 19)
DAYS = 21
HOURS = 24 * DAYS
BOX = (37.7356, -122.444, 37.797, -122.3663)  # south, west, north, east
SIDE = 10  # the box is cut SIDE × SIDE; zone = row · SIDE + column, from the south-west
# Share of cabs on duty by hour of day: published low 0.36 at 3 h and high 0.79 at 20 h, smooth between.
# Steeper than that, because spells carry an hour's share over into the next.
_ON_DUTY = (
    np.array([70, 60, 39, 19, 27, 36, 48, 60, 67, 72, 73, 73, 73, 73, 72, 70, 72, 77, 81, 84, 86, 84, 81, 76])
    / 100
)
# Hours on duty of 504, by share of cabs: the published quantiles, ends extended.
_LEVELS = (np.array([0, 0.05, 0.25, 0.5, 0.75, 0.95, 1]), np.array([80, 110, 321, 377, 404, 426, 446]) / 504)
_STAYS = 0.46  # chance that an hour simply repeats the last one: sets the length of spells
_SHIFT = 2.0  # how much a cab prefers its own hours of the day (logit)
_SHARE_BUSIEST, _BUSIEST_LEVEL, _BUSIEST_LEGS = 0.01, 0.93, 1.7  # cabs behind the largest weekly counts
_LEGS, _LEGS_SHAPE, _LEGS_SPREAD = 8.4, 8.0, 0.14  # legs per hour; gamma shape by hour; spread by cab
_LEG_REACH = 3.5  # zones: stops further than this get rarer
_SHARE_SEEN = 0.42  # zones on a leg that leave a record: cabs report about once a minute, with gaps
_QUIET = (0.26, 0.45)  # the same in yards and parks, relative, of two kinds
_REACH = 3.6  # zones: how fast the pull of downtown falls off
_N_HABITS, _LEANING, _OWN_TASTE = 24, 0.062, 0.4  # cabs of one habit share a taste for parts of town
_SHYNESS = 1.2  # spread between cabs of how much they avoid quiet zones
_LATTICE = 2  # positions per zone and axis, so that the file stays small


def block(first_user: int, n_users: int, seed: int) -> pa.Table:
    """Return the records of cabs `first_user` … `first_user + n_users − 1`, by cab then time."""
    rng = seeds.generator(seed, f"cabs from {first_user}")
    busiest = rng.random(n_users) < _SHARE_BUSIEST
    duty = _on_duty(rng, busiest)
    keenness = np.where(busiest, _BUSIEST_LEGS, rng.normal(1, _LEGS_SPREAD, n_users).clip(0.4, 1.5))
    cab_hour, zone = _zones_seen(rng, duty, keenness, seed)
    sizes = np.bincount(cab_hour)
    step, size = position_in_run(sizes), sizes[cab_hour]
    minute = (60 * (step + rng.random(sizes.size)[cab_hour]) / size).astype(np.int64)
    minute += cab_hour % HOURS * 60
    row, column = zone // SIDE, zone % SIDE
    return pa.table(
        {
            "user_id": pa.array(first_user + cab_hour // HOURS, pa.int32()),
            "timestamp": pa.array(np.datetime64(START, "ms") + minute * np.timedelta64(60_000, "ms")),
            "lat": _degrees(rng, row, BOX[0], BOX[2]),
            "lon": _degrees(rng, column, BOX[1], BOX[3]),
        }
    )


def _degrees(rng: np.random.Generator, index: IntArray, low: float, high: float) -> FloatArray:
    """Return a coordinate inside each row or column, on the lattice."""
    offset = (rng.integers(0, _LATTICE, index.size) + 0.5) / _LATTICE
    degrees: FloatArray = np.round(low + (index + offset) * (high - low) / SIDE, 6)
    return degrees


def _on_duty(rng: np.random.Generator, busiest: BoolArray) -> BoolArray:
    """Return which hours each cab is on duty, shape (cabs, HOURS)."""
    n_users = busiest.size
    level = np.where(busiest, _BUSIEST_LEVEL, np.interp(spread_uniforms(rng, n_users), *_LEVELS))
    share = _shares_by_hour(level, rng)
    # Chance when the hour is drawn anew, such that the chain's share at each hour is `share`.
    anew = ((share - _STAYS * np.roll(share, 1, axis=1)) / (1 - _STAYS)).clip(0, 1)
    duty = np.empty((n_users, HOURS), dtype=bool)
    state = rng.random(n_users) < share[:, -1]
    for hour in range(HOURS):
        drawn = rng.random(n_users) < anew[:, hour % 24]
        state = np.where(rng.random(n_users) < _STAYS, state, drawn)
        duty[:, hour] = state
    return duty


def _shares_by_hour(level: FloatArray, rng: np.random.Generator) -> FloatArray:
    """Return each cab's chance of duty by hour of day, with mean `level` over the day."""
    import scipy.special  # not for whoever only reads a sample

    shift_start = rng.uniform(0, 24, (level.size, 1))
    habit = _SHIFT * np.cos(2 * np.pi * (np.arange(24) - shift_start) / 24)
    logit = np.log(_ON_DUTY / (1 - _ON_DUTY)) + habit
    low, high = np.full(level.size, -12.0), np.full(level.size, 12.0)
    share: FloatArray = np.empty(logit.shape)
    for _ in range(30):  # bisection on the shift of all hours that gives the wanted mean
        middle = (low + high) / 2
        share = scipy.special.expit(logit + middle[:, None])
        below = share.mean(axis=1) < level
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return share


def _visibility() -> FloatArray:
    """Return the share of passages that leave a record: none in the bay's 13 zones, few in quiet ones."""
    row, column = np.indices((SIDE, SIDE)).reshape(2, -1)
    bay = ((column == 9) & (row != 8)) | ((column == 8) & (row > 3) & (row < 8))
    quiet = ((row == 0) & (column != 4)) | ((row == 1) & ((column > 4) | (column < 2)))
    quiet |= (row == 2) & ((column == 0) | (column > 6))
    return np.where(bay, 0.0, np.where(quiet, np.where((row + column) % 2 == 0, *_QUIET), 1.0))


def _attraction(seed: int) -> FloatArray:
    """Return how strongly each zone attracts stops (habits, zones): most downtown, in the north-east."""
    rng = seeds.generator(seed, "cab habits")
    row, column = np.indices((SIDE, SIDE)).reshape(2, -1)
    pull = np.exp(-np.hypot(row - 8.4, column - 6.6) / _REACH)
    angle = rng.uniform(0, 2 * np.pi, (_N_HABITS, 1))
    leaning = (row - 4.5) * np.cos(angle) + (column - 4.5) * np.sin(angle)
    own = np.exp(_LEANING * leaning + rng.normal(0, _OWN_TASTE, (_N_HABITS, SIDE * SIDE)))
    attraction: FloatArray = pull * own * _visibility()
    return attraction


def _zones_seen(
    rng: np.random.Generator, duty: BoolArray, keenness: FloatArray, seed: int
) -> tuple[IntArray, IntArray]:
    """Return (cab · HOURS + hour, zone) of every record, each pair once, in order of driving."""
    busy = rng.gamma(_LEGS_SHAPE, _LEGS / _LEGS_SHAPE, duty.shape) * keenness[:, None]
    legs = duty * (1 + rng.poisson(busy))
    start, end = _stops(rng, legs.sum(axis=1), seed)
    cab_hour = np.repeat(np.arange(duty.size), legs.ravel())
    length = np.maximum(abs(end // SIDE - start // SIDE), abs(end % SIDE - start % SIDE)) + 1
    leg, step = np.repeat(np.arange(start.size), length), position_in_run(length)
    chance = rng.random(leg.size) / _SHARE_SEEN
    leg, step, chance = leg[chance < 1], step[chance < 1], chance[chance < 1]
    zone = _zone_on_way(start[leg], end[leg], step / np.maximum(length[leg] - 1, 1))
    # Some cabs serve the quiet zones, others hardly ever go there.
    shyness = rng.lognormal(0, _SHYNESS, (len(duty), 1))
    seen = chance < (_visibility() ** shyness)[cab_hour[leg] // HOURS, zone]
    key = (cab_hour[leg] * SIDE * SIDE + zone)[seen]
    first = np.sort(np.unique(key, return_index=True)[1])
    return key[first] // SIDE**2, key[first] % SIDE**2


def _zone_on_way(start: IntArray, end: IntArray, along: FloatArray) -> IntArray:
    """Return the zone at the share `along` of the straight way from `start` to `end`."""
    row = np.rint(start // SIDE + along * (end // SIDE - start // SIDE))
    column = np.rint(start % SIDE + along * (end % SIDE - start % SIDE))
    zone: IntArray = (row * SIDE + column).astype(np.int64)
    return zone


def _stops(rng: np.random.Generator, n_legs: IntArray, seed: int) -> tuple[IntArray, IntArray]:
    """Return the zones every leg starts and ends in, cab by cab; a leg starts where the last ended."""
    pull = _attraction(seed)
    row, column = np.divmod(np.arange(SIDE * SIDE), SIDE)
    away = np.hypot(row[:, None] - row, column[:, None] - column)
    onward = ladder_of((pull[:, None] * np.exp(-away / _LEG_REACH)).reshape(-1, SIDE * SIDE))
    habit = rng.integers(0, _N_HABITS, n_legs.size)
    path = np.empty((n_legs.size, int(n_legs.max(initial=0)) + 1), dtype=np.int64)
    path[:, 0] = draw_from_rows(rng, ladder_of(pull), habit)
    for leg in range(path.shape[1] - 1):
        still = np.flatnonzero(n_legs > leg)
        path[still, leg + 1] = draw_from_rows(rng, onward, habit[still] * SIDE * SIDE + path[still, leg])
    used = np.arange(path.shape[1] - 1) < n_legs[:, None]
    return path[:, :-1][used], path[:, 1:][used]
