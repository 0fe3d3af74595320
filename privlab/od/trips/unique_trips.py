"""Trips → unique trips, in a random order, under a bound, and counted: expressions that run in the database.

As in hourly_vote.py, nothing is computed until a caller stores or counts the result.
"""

from collections.abc import Sequence

import ibis
import ibis.expr.types as ir

from privlab.checks import ParameterError, require_whole
from privlab.limits import MAX_SEED
from privlab.od.matrix import kept_under_bound
from privlab.od.products import SLOT_HOURS

_LEAST_SECRET = 32  # hexadecimal digits


def moves_from_trips(trips: ir.Table) -> ir.Table:
    """Return the trips that count: those from one zone to another."""
    return trips.filter(trips.origin != trips.destination)  # drops NULL ends too


def unique_trips_from_trips(trips: ir.Table, *, by_slot: bool = False) -> ir.Table:
    """Return user_id, week, origin, destination, n_trips: each pair once per user and week.

    `week` is the date of its Monday. Trips that end where they began, or with an end outside the
    zones, are left out. `by_slot` also tells `slot` apart, the place in SLOTS of the hour that the trip is dated by.
    """
    moves = moves_from_trips(trips)
    week = moves.time.truncate("W").cast("date")
    named = {"week": week}
    if by_slot:
        weekend = (moves.time.day_of_week.index() >= 5).cast("int64")
        named["slot"] = weekend * (24 // SLOT_HOURS) + (moves.time.hour() / SLOT_HOURS).floor().cast("int64")
    return moves.group_by("user_id", "origin", "destination", **named).agg(n_trips=ibis._.count())


def ranked_trips_from_unique_trips(unique_trips: ir.Table, *, seed: int) -> ir.Table:
    """Return the unique trips with trip_rank: a random order of each user's trips in each week.

    The order comes from a hash of (seed, user, week, origin, destination): removing one user
    changes nobody else's order. The first L ranks are a random choice of L trips.
    """
    return _ranked(_keyed_trips(unique_trips, seed), "origin", "destination")


def ordered_trips_from_unique_trips(unique_trips: ir.Table, *, seed: int) -> ir.Table:
    """Return user_id, week, origin, destination, by week and user, each user's trips of a week in the order of their trip_rank.

    To sort them takes half as long as to number them in the database, and less memory.
    """
    ends = ("origin", "destination")
    rows = _keyed_trips(unique_trips, seed).order_by("week", "user_id", "key", *ends)
    return rows.select("user_id", "week", *ends)


def secretly_ranked_trips(unique_trips: ir.Table, secret: str, ends: Sequence[str]) -> ir.Table:
    """Return the unique trips with trip_rank, in an order that hangs on a secret of the system's own source.

    `ends` name what tells trips of a user's week apart. The order comes from SHA-256 of (secret, user, week, ends), which
    every database computes alike: it is the same however the rows are cut, and one user's hangs on nobody else.
    Raises ParameterError for a secret of less than 128 bits.
    """
    if len(secret) < _LEAST_SECRET:
        raise ParameterError(
            f"secret must have at least {_LEAST_SECRET} hexadecimal digits, got {len(secret)}."
        )
    text = _joined(unique_trips, secret, "user_id", "week", *ends)
    return _ranked(unique_trips.mutate(key=text.hexdigest("sha256")), *ends)


def _keyed_trips(unique_trips: ir.Table, seed: int) -> ir.Table:
    columns = ("user_id", "week", "origin", "destination")
    return unique_trips.mutate(key=_keyed_number(unique_trips, seed, *columns))


def _ranked(keyed: ir.Table, *ends: str) -> ir.Table:
    order = ibis.window(group_by=["user_id", "week"], order_by=["key", *ends])
    return keyed.mutate(trip_rank=ibis.row_number().over(order)).drop("key")


def bounded_trips_from_unique_trips(
    unique_trips: ir.Table, *, max_trips_per_user: int, seed: int
) -> ir.Table:
    """Return at most `max_trips_per_user` unique trips per user and week, chosen at random per user."""
    ranked = ranked_trips_from_unique_trips(unique_trips, seed=seed)
    return ranked.filter(kept_under_bound(ranked.trip_rank, max_trips_per_user)).drop("trip_rank")


def user_order_from_users(users: ir.Table, *, seed: int) -> ir.Table:
    """Return user_id, user_rank: a random order of users, the same for a user whoever else is there.

    The first M are the group sampled into an aggregate of M users.
    """
    people = users.select("user_id").distinct()
    keyed = people.mutate(key=_keyed_number(people, seed, "user_id"))
    order = ibis.window(order_by=["key", "user_id"])
    return keyed.mutate(user_rank=ibis.row_number().over(order)).drop("key")


def od_counts_from_unique_trips(unique_trips: ir.Table) -> ir.Table:
    """Return week, origin, destination, count: users per ordered pair of zones and week."""
    return unique_trips.group_by("week", "origin", "destination").agg(count=ibis._.count())


def _keyed_number(table: ir.Table, seed: int, *columns: str) -> ir.Value:
    # MD5 is no secret here; it is the hash that every database computes alike.
    return _joined(table, str(require_whole("seed", seed, 0, MAX_SEED)), *columns).hexdigest("md5")


def _joined(table: ir.Table, first: str, *columns: str) -> ir.StringValue:
    text: ir.StringValue = ibis.literal(first)
    for column in columns:
        text = text + "|" + table[column].cast("string")
    return text
