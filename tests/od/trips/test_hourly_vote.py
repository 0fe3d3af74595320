"""The trip rules against the hand-drawn world and against a slow definition in plain Python."""

import datetime as dt
import hashlib
import itertools
import random
from collections import Counter, defaultdict

import ibis
import pandas as pd
import pyarrow as pa
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.datasets.zone_kinds.regular_zones import BoxZoning
from privlab.datasets.zones.zoned_rows import zoned_records_from_records, zoned_trips_from_trips
from privlab.od.trips.hourly_vote import hours_from_votes, trips_from_hours, votes_from_zoned_records
from privlab.od.trips.unique_trips import (
    bounded_trips_from_unique_trips,
    od_counts_from_unique_trips,
    ordered_trips_from_unique_trips,
    ranked_trips_from_unique_trips,
    unique_trips_from_trips,
    user_order_from_users,
)

NUMBERS = (1, 2, 3, 4, None)
TEXTS = ("10", "9", "Z", "a", "é", "A|b", None)


@pytest.fixture(scope="module")
def workspace():
    with Workspace(threads=2) as opened:
        yield opened


# --- a slow definition, from docs/science.md, section 2.1, and nothing else --------------------------


def hours_by_definition(records):
    votes = defaultdict(Counter)
    for user, time, zone in records:
        if zone is not None:
            votes[user, time.replace(minute=0, second=0, microsecond=0)][zone] += 1
    return {key: min(zones, key=lambda zone: (-zones[zone], *tie(zone))) for key, zones in votes.items()}


def tie(zone):
    """Without a minus first, then the shorter, then by code point; the same of 7 and of '7'."""
    text = str(zone)
    return text.startswith("-"), len(text), text


def trips_by_definition(records):
    hours = hours_by_definition(records)
    trips = []
    for (user, hour), zone in hours.items():
        before = hours.get((user, hour - dt.timedelta(hours=1)))
        if before is not None and before != zone:
            trips.append((user, hour, before, zone))
    return trips


def unique_by_definition(trips):
    """(user, Monday, origin, destination) → number of trips."""
    return Counter(
        (user, time.date() - dt.timedelta(days=time.weekday()), origin, destination)
        for user, time, origin, destination in trips
        if None not in (origin, destination) and origin != destination
    )


def counts_by_definition(unique):
    return Counter((week, origin, destination) for _, week, origin, destination in unique)


def hours_from(zoned):
    return hours_from_votes(votes_from_zoned_records(zoned))


# --- awkward data ----------------------------------------------------------------------------------


def awkward_records(seed, zones=NUMBERS, users=range(1, 6), n=160):
    """Ties, gaps, duplicates, a week boundary, the last tenth of an hour, places outside, any order."""
    draw = random.Random(seed)
    start = dt.datetime(2026, 3, 7, 20)  # Saturday evening; Monday 00:00 is 28 hours on
    records = []
    for _ in range(n):
        hour = start + dt.timedelta(hours=draw.choice((0, 1, 2, 3, 25, 26, 27, 28, 29, 30, 31, 60)))
        within = draw.choice((0, 0.000001, 1, 1799.5, 3599, 3599.9, 3599.999999))
        records.append((draw.choice(list(users)), hour + dt.timedelta(seconds=within), draw.choice(zones)))
    records += draw.choices(records, k=n // 8)
    draw.shuffle(records)
    return records


def table_of(workspace, rows, names=("user_id", "time", "zone")):
    columns = list(zip(*rows, strict=True)) if rows else [[] for _ in names]
    arrays = []
    for name, values in zip(names, columns, strict=True):
        known = [value for value in values if value is not None]
        if name in ("time", "hour"):
            kind = pa.timestamp("us")
        elif name in ("lat", "lon"):
            kind = pa.float64()
        else:
            kind = pa.string() if known and isinstance(known[0], str) else pa.int64()
        arrays.append(pa.array(values, kind))
    return workspace.connection.create_table(ibis.util.gen_name("t"), pa.table(arrays, names=list(names)))


def rows_of(table, *columns):
    return [tuple(row.values()) for row in table.select(*columns).to_pyarrow().to_pylist()]


def unique_table(workspace, records):
    zoned = zoned_records_from_records(table_of(workspace, records), "zone", ColumnZoning())
    return unique_trips_from_trips(trips_from_hours(hours_from(zoned)))


UNIQUE = ("user_id", "week", "origin", "destination")


# --- the hand-drawn world --------------------------------------------------------------------------


def test_world_by_hand(workspace, world):
    records = [tuple(row) for row in world.itertuples(index=False)]
    records = [(int(u), t.to_pydatetime(), int(z)) for u, t, z in records]
    table = table_of(workspace, records)
    hours = hours_from(zoned_records_from_records(table, "zone", ColumnZoning()))
    trips = trips_from_hours(hours)
    first, second = dt.date(2026, 3, 2), dt.date(2026, 3, 9)
    assert sorted(rows_of(trips, "user_id", "time", "origin", "destination")) == [
        (1, dt.datetime(2026, 3, 2, 9), 1, 2),
        (1, dt.datetime(2026, 3, 2, 10), 2, 1),
        (1, dt.datetime(2026, 3, 3, 9), 1, 2),
        (2, dt.datetime(2026, 3, 8, 23), 3, 4),
        (2, dt.datetime(2026, 3, 9, 0), 4, 1),
        (2, dt.datetime(2026, 3, 9, 1), 1, 2),
        (3, dt.datetime(2026, 3, 2, 9), 1, 2),
    ]
    unique = unique_trips_from_trips(trips)
    assert sorted(rows_of(unique, *UNIQUE, "n_trips")) == [
        (1, first, 1, 2, 2),
        (1, first, 2, 1, 1),
        (2, first, 3, 4, 1),
        (2, second, 1, 2, 1),
        (2, second, 4, 1, 1),
        (3, first, 1, 2, 1),
    ]
    assert sorted(rows_of(od_counts_from_unique_trips(unique), "week", "origin", "destination", "count")) == [
        (first, 1, 2, 2),
        (first, 2, 1, 1),
        (first, 3, 4, 1),
        (second, 1, 2, 1),
        (second, 4, 1, 1),
    ]


# --- brute force -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("zones", [NUMBERS, TEXTS], ids=["numbers", "texts"])
@pytest.mark.parametrize("users", [range(1, 6), ("u1", "u10", "u|2", "Ü")], ids=["number", "text"])
def test_every_step_against_brute_force(workspace, seed, zones, users):
    records = awkward_records(seed, zones, users)
    zoned = zoned_records_from_records(table_of(workspace, records), "zone", ColumnZoning())
    hours = workspace.materialise("h", hours_from(zoned))
    assert Counter(rows_of(hours, "user_id", "hour", "zone")) == Counter(
        (user, hour, zone) for (user, hour), zone in hours_by_definition(records).items()
    )
    trips = trips_from_hours(hours)
    expected = trips_by_definition(records)
    assert Counter(rows_of(trips, "user_id", "time", "origin", "destination")) == Counter(expected)
    unique = unique_trips_from_trips(trips)
    by_definition = unique_by_definition(expected)
    assert {row[:4]: row[4] for row in rows_of(unique, *UNIQUE, "n_trips")} == by_definition
    counts = rows_of(od_counts_from_unique_trips(unique), "week", "origin", "destination", "count")
    assert {row[:3]: row[3] for row in counts} == counts_by_definition(by_definition)


@pytest.mark.parametrize("seed", range(5))
def test_records_unordered(workspace, seed):
    records = awkward_records(seed)
    shuffled = random.Random(seed + 1).sample(records, len(records))
    one, other = (
        sorted(rows_of(unique_table(workspace, r), *UNIQUE, "n_trips")) for r in (records, shuffled)
    )
    assert one == other


def test_the_last_tenth_of_a_second_stays_in_its_hour_by_hand(workspace):
    day = dt.datetime(2026, 3, 4)
    records = [
        (1, day.replace(hour=7, minute=59, second=59, microsecond=900_000), 1),
        (1, day.replace(hour=8, minute=59, second=59, microsecond=999_999), 2),
        (1, day.replace(hour=9), 3),
        (2, dt.datetime(1969, 12, 31, 22, 59, 59, 900_000), 1),  # before 1970 too
        (2, dt.datetime(1969, 12, 31, 23, 0, 0, 1), 2),
        (2, dt.datetime(1970, 1, 1), 1),
    ]
    zoned = zoned_records_from_records(table_of(workspace, records), "zone", ColumnZoning())
    trips = rows_of(trips_from_hours(hours_from(zoned)), "user_id", "time", "origin", "destination")
    assert sorted(trips) == [
        (1, day.replace(hour=8), 1, 2),
        (1, day.replace(hour=9), 2, 3),
        (2, dt.datetime(1969, 12, 31, 23), 1, 2),
        (2, dt.datetime(1970, 1, 1), 2, 1),
    ]


@pytest.mark.parametrize(
    ("zones", "winner"),
    [
        ((10, 9), 9),
        (("10", "9"), "9"),
        ((-2, 10), 10),
        ((-10, -2), -2),
        (("-10", "-2"), "-2"),
        (("a", "Z"), "Z"),
        (("é", "z"), "z"),
        (("ｚ", "😀"), "ｚ"),
    ],
    ids=str,
)
def test_ties_by_hand(workspace, zones, winner):
    """The same of numbers and texts; by code point (U+FF5A before U+1F600, where UTF-16 has it the other way)."""
    records = [(1, dt.datetime(2026, 3, 4, 8, minute), zone) for minute, zone in enumerate(zones)]
    hours = hours_from(zoned_records_from_records(table_of(workspace, records), "zone", ColumnZoning()))
    assert rows_of(hours, "zone") == [(winner,)]


@pytest.mark.parametrize("seed", range(6))
def test_records_outside_the_box_against_brute_force(workspace, seed):
    draw = random.Random(seed)
    box = BoxZoning(south=10.0, west=20.0, north=12.0, east=24.0, n_rows=2, n_columns=2)
    places = {0: (10.5, 21.0), 1: (10.5, 23.0), 2: (11.5, 21.0), 3: (12.0, 24.0), None: (12.5, 21.0)}
    records = awkward_records(seed, zones=(0, 1, 2, 3, None, None))
    placed = [(user, time, *places[zone]) for user, time, zone in records]
    draw.shuffle(placed)
    zoned = zoned_records_from_records(
        table_of(workspace, placed, ("user_id", "time", "lat", "lon")), "latlon", box
    )
    unique = unique_trips_from_trips(trips_from_hours(hours_from(zoned)))
    assert {row[:4]: row[4] for row in rows_of(unique, *UNIQUE, "n_trips")} == unique_by_definition(
        trips_by_definition(records)
    )


def test_an_hour_with_only_outside_records_is_unseen_by_hand(workspace):
    day = dt.datetime(2026, 3, 4)
    records = [(1, day.replace(hour=7), 1), (1, day.replace(hour=8), None), (1, day.replace(hour=9), 2)]
    assert rows_of(unique_table(workspace, records), *UNIQUE) == []


def test_finished_trips_by_hand(workspace):
    """Data that already is trips: same zone, missing ends and repeats; dated by its own time."""
    monday = dt.datetime(2026, 3, 9)
    rows = [
        (1, monday - dt.timedelta(microseconds=1), 1, 2),
        (1, monday, 1, 2),
        (1, monday, 1, 2),
        (1, monday, 2, 2),
        (1, monday, None, 2),
        (2, monday, 1, None),
        (2, monday + dt.timedelta(days=6, hours=23), 2, 1),
    ]
    table = table_of(workspace, rows, ("user_id", "time", "origin", "destination"))
    unique = unique_trips_from_trips(zoned_trips_from_trips(table, "zone", ColumnZoning()))
    assert sorted(rows_of(unique, *UNIQUE, "n_trips")) == [
        (1, dt.date(2026, 3, 2), 1, 2, 1),
        (1, dt.date(2026, 3, 9), 1, 2, 2),
        (2, dt.date(2026, 3, 9), 2, 1, 1),
    ]


def test_nobody_degenerate(workspace):
    assert rows_of(unique_table(workspace, []), *UNIQUE) == []
    one = [(1, dt.datetime(2026, 3, 4), 1)]
    assert rows_of(unique_table(workspace, one), *UNIQUE) == []


# --- contribution bounding ---------------------------------------------------------------------------


def many_trips(n_users, n_cells, week=dt.date(2026, 3, 2)):
    return [(user, week, 0, cell + 1, 1) for user in range(n_users) for cell in range(n_cells)]


def stored_unique(workspace, rows):
    table = pa.table(
        {
            "user_id": pa.array([row[0] for row in rows]),
            "week": pa.array([row[1] for row in rows], pa.date32()),
            "origin": pa.array([row[2] for row in rows]),
            "destination": pa.array([row[3] for row in rows]),
            "n_trips": pa.array([row[4] for row in rows], pa.int64()),
        }
    )
    return workspace.connection.create_table(ibis.util.gen_name("u"), table)


def chosen(workspace, unique, bound, seed):
    kept = bounded_trips_from_unique_trips(unique, max_trips_per_user=bound, seed=seed)
    return set(rows_of(kept, *UNIQUE))


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
@pytest.mark.parametrize("bound", [1, 2, 3, 1000])
def test_at_most_so_many_and_all_if_fewer(workspace, bound, seed):
    records = awkward_records(3) + awkward_records(4, users=range(4, 9))
    unique = workspace.materialise("unique", unique_table(workspace, records))
    rows = set(rows_of(unique, *UNIQUE))
    kept = chosen(workspace, unique, bound, seed)
    assert kept <= rows
    had, has = (Counter(row[:2] for row in some) for some in (rows, kept))
    assert {key: min(bound, n) for key, n in had.items()} == has


def test_choices_of_two_bounds_are_nested(workspace):
    unique = stored_unique(workspace, many_trips(50, 8))
    kept = [chosen(workspace, unique, bound, 5) for bound in (1, 2, 5, 8)]
    assert all(small < large for small, large in itertools.pairwise(kept))


record_lists = st.lists(
    st.tuples(st.integers(1, 5), st.sampled_from((0, 1, 2, 3, 28, 29, 30)), st.integers(0, 59), st.sampled_from(NUMBERS)),
    min_size=5,
    max_size=60,
)  # fmt: skip


def timed(rows):
    start = dt.datetime(2026, 3, 7, 20)
    return [
        (user, start + dt.timedelta(hours=hour, minutes=minute), zone) for user, hour, minute, zone in rows
    ]


@settings(max_examples=20)
@given(
    rows=record_lists,
    bound=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
    order=st.randoms(use_true_random=False),
)
def test_removing_a_user_changes_nobody_else(workspace, rows, bound, seed, order):
    records = timed(rows)
    gone = records[0][0]
    rest = [record for record in records if record[0] != gone]
    rest = order.sample(rest, len(rest))
    everyone = chosen(workspace, unique_table(workspace, records), bound, seed)
    without = chosen(workspace, unique_table(workspace, rest), bound, seed) if rest else set()
    assert without == {row for row in everyone if row[0] != gone}

    def ordered(some):
        users = table_of(workspace, some).select("user_id")
        ranks = rows_of(user_order_from_users(users, seed=seed), "user_rank", "user_id")
        assert sorted(rank for rank, _ in ranks) == list(range(len(ranks)))
        return [user for _, user in sorted(ranks)]

    assert [user for user in ordered(records) if user != gone] == (ordered(rest) if rest else [])


def test_choice_is_uniform_against_theory(workspace):
    """Two of five trips: each of the ten pairs is as likely as the others, by exact binomial tests."""
    n = 20_000
    kept = defaultdict(list)
    for user, _, _, cell in chosen(workspace, stored_unique(workspace, many_trips(n, 5)), 2, 7):
        kept[user].append(cell)
    pairs = Counter(tuple(sorted(cells)) for cells in kept.values())
    for pair in itertools.combinations(range(1, 6), 2):
        assert scipy.stats.binomtest(pairs[pair], n, 0.1).pvalue > 1e-6


def test_choices_of_weeks_and_seeds_are_independent_against_theory(workspace):
    n = 20_000
    weeks = dt.date(2026, 3, 2), dt.date(2026, 3, 9)
    unique = stored_unique(workspace, [row for week in weeks for row in many_trips(n, 2, week)])
    one, other = (
        {row[:2]: row[3] for row in rows_of(bounded_trips_from_unique_trips(unique, max_trips_per_user=1, seed=s), *UNIQUE)}
        for s in (1, 2)
    )  # fmt: skip
    same_seed = sum(one[user, weeks[0]] == one[user, weeks[1]] for user in range(n))
    same_week = sum(one[user, weeks[0]] == other[user, weeks[0]] for user in range(n))
    for agreeing in (same_seed, same_week):
        assert scipy.stats.binomtest(agreeing, n, 0.5).pvalue > 1e-6


def test_user_order_against_hashlib(workspace):
    """The order is that of MD5 over "seed|user"; over 600 seeds four users have each of 24 orders alike often."""

    def by_hash(seed):
        return tuple(sorted("abcd", key=lambda user: hashlib.md5(f"{seed}|{user}".encode()).hexdigest()))

    users = table_of(workspace, [(user, dt.datetime(2026, 3, 4), 1) for user in "abcd"]).select("user_id")
    for seed in (0, 17, 599):
        ranks = sorted(rows_of(user_order_from_users(users, seed=seed), "user_rank", "user_id"))
        assert tuple(user for _, user in ranks) == by_hash(seed)
    orders = Counter(by_hash(seed) for seed in range(600))
    assert len(orders) == 24
    assert all(scipy.stats.binomtest(times, 600, 1 / 24).pvalue > 1e-6 for times in orders.values())


@pytest.mark.parametrize("seed", [0, 17])
def test_trips_in_random_order_against_hashlib(workspace, seed):
    """By week and user, each user's trips in the order of MD5 over "seed|user|week|origin|destination"; sorted last, with nothing around it."""
    unique = unique_table(workspace, awkward_records(8, n=400))
    by_hand = sorted(
        rows_of(unique, "week", "user_id", "origin", "destination"),
        key=lambda row: (*row[:2], hashlib.md5(f"{seed}|{row[1]}|{row[0]}|{row[2]}|{row[3]}".encode()).hexdigest()),
    )  # fmt: skip
    ordered = ordered_trips_from_unique_trips(unique, seed=seed)
    found = ordered.to_pyarrow().select(["week", "user_id", "origin", "destination"]).to_pylist()
    assert [tuple(row.values()) for row in found] == by_hand
    assert len(by_hand) > 30
    assert (
        ")" not in ibis.to_sql(ordered).rpartition("ORDER BY")[2]
    )  # a database keeps the order of no inner query


def test_user_order_of_many_against_theory(workspace):
    """Users come in the order of their numbers: a random order has no rank correlation with it."""
    frame = pd.DataFrame({"user_id": range(20_000)})
    table = workspace.connection.create_table(ibis.util.gen_name("t"), pa.Table.from_pandas(frame))
    rank = dict(rows_of(user_order_from_users(table, seed=3), "user_id", "user_rank"))
    assert scipy.stats.spearmanr(list(rank), list(rank.values())).pvalue > 1e-6


def test_ranks_are_a_permutation_per_user_and_week(workspace):
    unique = unique_table(workspace, awkward_records(8, n=400))
    ranks = defaultdict(list)
    for user, week, rank in rows_of(
        ranked_trips_from_unique_trips(unique, seed=1), "user_id", "week", "trip_rank"
    ):
        ranks[user, week].append(rank)
    assert all(sorted(some) == list(range(len(some))) for some in ranks.values())
    assert max(map(len, ranks.values())) > 2


@pytest.mark.parametrize("bound", [0, -1, 1.5, float("nan"), 1001, "2", None])
def test_bound_iv(workspace, bound):
    unique = stored_unique(workspace, many_trips(2, 2))
    with pytest.raises(ParameterError, match=r"^max_trips_per_user must be .*, got .*\.$"):
        bounded_trips_from_unique_trips(unique, max_trips_per_user=bound, seed=1)


@pytest.mark.parametrize("seed", [-1, 2**32, 1.5, "1", None])
def test_seed_iv(workspace, seed):
    unique = stored_unique(workspace, many_trips(2, 2))
    with pytest.raises(ParameterError, match=r"^seed must be .*, got .*\.$"):
        ranked_trips_from_unique_trips(unique, seed=seed)
    with pytest.raises(ParameterError, match=r"^seed must be .*, got .*\.$"):
        user_order_from_users(unique, seed=seed)
