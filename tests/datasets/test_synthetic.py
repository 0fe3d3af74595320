import hashlib
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.checks import ParameterError
from privlab.datasets.synthetic import cabs, city, commuters, generators, subscribers
from privlab.datasets.synthetic.city_shape import city_shape, degrees_from_km
from privlab.datasets.synthetic.draws import draw_from_rows, ladder_of, position_in_run
from privlab.datasets.synthetic.sample_files import write_places, write_sample

SAMPLES = Path(__file__).parents[2] / "sample_data"
COLUMNS = {
    "city": ["user_id", "timestamp", "origin", "destination"],
    "commuters": ["user_id", "timestamp", "zone"],
    "cabs": ["user_id", "timestamp", "lat", "lon"],
    "subscribers": ["user_id", "timestamp", "lat", "lon"],
}
SPANS = {  # first day, days
    "city": ("2026-03-02", 7),
    "commuters": ("2010-03-01", 28),
    "cabs": ("2008-05-19", 21),
    "subscribers": ("2026-03-02", 14),
}


def columns(table: pa.Table) -> list[np.ndarray]:
    return [table[name].to_numpy() for name in table.column_names]


def hours_since(timestamp: np.ndarray, name: str) -> np.ndarray:
    return (timestamp - np.datetime64(SPANS[name][0])).astype("timedelta64[h]").astype(np.int64)


def gini(values: np.ndarray) -> float:
    ascending, n = np.sort(values), values.size
    return float(2 * np.sum(np.arange(1, n + 1) * ascending) / (n * ascending.sum()) - (n + 1) / n)


# ------------------------------------------------------------------------------------------ all four


@pytest.mark.parametrize("name", generators.NAMES)
@pytest.mark.parametrize("n_users", [1, 7, 1_000])
def test_any_number_of_users_degenerate(name: str, n_users: int) -> None:
    table = generators.generate(name, n_users=n_users, seed=3)
    user, timestamp = columns(table)[:2]
    assert table.column_names == COLUMNS[name]
    assert sum(column.null_count for column in table.columns) == 0
    assert np.array_equal(np.unique(user), np.arange(n_users)), "every user has rows, numbered from 0"
    later = timestamp[1:] >= timestamp[:-1]
    assert np.all((user[1:] > user[:-1]) | ((user[1:] == user[:-1]) & later)), "sorted by user then time"
    first, days = SPANS[name]
    assert timestamp.min() >= np.datetime64(first)
    assert timestamp.max() < np.datetime64(first) + np.timedelta64(days, "D")
    assert np.all(timestamp.astype("datetime64[m]") == timestamp), "to the minute"


@pytest.mark.parametrize("name", generators.NAMES)
def test_types_against_published(name: str) -> None:
    schema = generators.generate(name, n_users=2, seed=0).schema
    assert schema.field("timestamp").type == pa.timestamp("ms"), "naive wall clock"
    for column in {"user_id", "origin", "destination", "zone"} & set(schema.names):
        assert schema.field(column).type == pa.int32()
    for column in {"lat", "lon"} & set(schema.names):
        assert schema.field(column).type == pa.float64()


@pytest.mark.parametrize("name", generators.NAMES)
def test_same_seed_same_table_degenerate(name: str) -> None:
    once, again, other = (generators.generate(name, n_users=20, seed=seed) for seed in (5, 5, 6))
    assert once.equals(again)
    assert not once.equals(other)


def test_blocks_join_to_the_table_degenerate() -> None:
    n_users = 20_000 + 50
    parts = list(generators.blocks("city", n_users=n_users, seed=4))
    assert [len(np.unique(part["user_id"])) for part in parts] == [20_000, 50]
    assert pa.concat_tables(parts).equals(generators.generate("city", n_users=n_users, seed=4))


def test_parameters_iv() -> None:
    with pytest.raises(ParameterError, match=r"n_users must be between 1 and 5,000,000, got 0\."):
        generators.generate("city", n_users=0, seed=1)
    with pytest.raises(ParameterError, match="name must be one of city, commuters, cabs, subscribers"):
        generators.generate("planes", n_users=1, seed=1)
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        generators.generate("city", n_users=1, seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="name must be one of city, commuters"):
        generators.zones_of("cabs")


def test_draws_against_theory() -> None:
    weights = np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 0.0]])
    rows = np.repeat([0, 1], 40_000)
    drawn = draw_from_rows(np.random.default_rng(0), ladder_of(weights), rows)
    assert set(drawn[rows == 0]) == {0, 2}
    assert np.all(drawn[rows == 1] == 1)
    # Binomial(40,000, 1/4): standard deviation 87; 5 of them.
    assert abs(np.sum(drawn[rows == 0] == 0) - 10_000) < 435
    assert position_in_run(np.array([0, 2, 1])).tolist() == [0, 1, 0]


# ---------------------------------------------------------------------------------------------- city


@pytest.fixture(scope="module")
def city_trips() -> list[np.ndarray]:
    return columns(generators.generate("city", n_users=20_000, seed=1))


def test_city_unique_trips_against_published(city_trips: list[np.ndarray]) -> None:
    user, _, origin, destination = city_trips
    key = np.unique((user.astype(np.int64) * 100 + origin) * 100 + destination)
    unique, trips = np.bincount(key // 10_000), np.bincount(user)
    assert 9 <= np.median(unique) <= 11
    # "A few hundred of 200,000 users above 60": 0.1 to 0.4%.
    assert 0.001 < np.mean(unique > 60) < 0.004
    assert unique.max() <= 120
    # Published example: 39 trips for 32 unique ones (1.22); generated 1.1 to 1.3 around 32.
    around = abs(unique - 32) <= 4
    assert 1.1 < trips[around].sum() / unique[around].sum() < 1.3
    # A tenth of the users against a tenth of the threshold of 100: 30–70% of the flows lie below.
    flows = np.bincount(key % 10_000)
    assert 0.3 < np.mean(flows[flows > 0] < 10) < 0.7


def test_city_days_chain_degenerate(city_trips: list[np.ndarray]) -> None:
    user, timestamp, origin, destination = city_trips
    assert np.all(origin != destination)
    assert origin.min() >= 0
    assert destination.max() == 99
    hour = user.astype(np.int64) * 168 + hours_since(timestamp, "city")
    assert np.unique(hour).size == hour.size, "no two trips of a user in one hour"
    same_day = hour[1:] // 24 == hour[:-1] // 24
    assert np.mean((origin[1:] == destination[:-1])[same_day]) > 0.95


def test_city_zones_degenerate() -> None:
    shape = city_shape(1)
    geojson, river = generators.city_zones(1), generators.city_river(1)
    assert [f["properties"]["zone"] for f in geojson["features"]] == list(range(100))
    assert len({f["properties"]["name"] for f in geojson["features"]}) == 100
    assert len(river["features"]) == 1
    corners = degrees_from_km(np.vstack(shape.polygons))
    assert np.all(abs(corners - [-30.0, 45.0]) < 0.2), "open Atlantic"
    extent = np.ptp(np.vstack(shape.polygons), axis=0)
    assert np.allclose(extent, [20, 16], atol=1.2)
    for feature in geojson["features"]:
        ring = np.array(feature["geometry"]["coordinates"][0])
        assert np.array_equal(ring[0], ring[-1])
        assert area_of(ring) > 0, "counter-clockwise, as RFC 7946 asks"
    # Zones and river tile the city: no gap, no overlap.
    whole = area_of(shape.river) + sum(area_of(p) for p in shape.polygons)
    outline = np.pi * 0.97**2 * 80
    assert abs(whole / outline - 1) < 0.02


def area_of(ring: np.ndarray) -> float:
    after = np.roll(ring, -1, axis=0)
    return float(np.sum(ring[:, 0] * after[:, 1] - after[:, 0] * ring[:, 1]) / 2)


def test_city_river_costs_degenerate() -> None:
    shape = city_shape(1)
    straight = np.linalg.norm(shape.centres[:, None] - shape.centres[None], axis=2)
    over = shape.distance_km > straight + 1e-9
    assert 0.3 < over.mean() < 0.6, "pairs on two banks"
    assert np.all(shape.distance_km[over] > straight[over] + 1.5)
    assert np.array_equal(shape.distance_km, shape.distance_km.T)


# ----------------------------------------------------------------------------------------- commuters


def test_commuters_against_published() -> None:
    user, timestamp, zone = columns(generators.generate("commuters", n_users=2_000, seed=1))
    hour = hours_since(timestamp, "commuters")
    report = np.unique((user.astype(np.int64) * 672 + hour) * 582 + zone)
    epoch = np.unique(report // 582)
    reports, active = np.bincount(report // (582 * 672)), np.bincount(epoch // 672)
    with_null = reports + 672 - active
    assert abs(reports.mean() - 171) < 5
    assert abs(active.mean() - 115) < 3
    assert abs(active.std() - 21) < 3
    assert abs(with_null.mean() - 728) < 4
    assert abs(with_null.std() - 16) < 3
    weekday = np.bincount(epoch % 672 // 24 % 7) / 2_000 / 4
    assert weekday[5:].max() < 0.75 * weekday[:5].min(), "fewer at weekends"
    visits = np.bincount(report % 582, minlength=582)
    assert gini(visits) > 0.4, "heavy-tailed popularity"


def test_commuter_stations_degenerate() -> None:
    table = generators.zones_of("commuters", seed=9)
    assert table.column_names == ["zone", "name", "lat", "lon"]
    assert table["zone"].to_pylist() == list(range(582))
    assert len(set(table["name"].to_pylist())) == 582


# ---------------------------------------------------------------------------------------------- cabs


@pytest.fixture(scope="module")
def cab_presence() -> np.ndarray:
    user, timestamp, lat, lon = columns(generators.generate("cabs", n_users=cabs.DEFAULT_USERS, seed=1))
    south, west, north, east = cabs.BOX
    row = np.minimum(np.floor((lat - south) / (north - south) * 10), 9).astype(int)
    column = np.minimum(np.floor((lon - west) / (east - west) * 10), 9).astype(int)
    presence = np.zeros((cabs.DEFAULT_USERS, 504, 100), dtype=bool)
    presence[user, hours_since(timestamp, "cabs"), row * 10 + column] = True
    assert presence.sum() == user.size, "one record per cab, hour and zone"
    return presence


def test_cab_hours_against_published(cab_presence: np.ndarray) -> None:
    active = cab_presence.any(axis=2)
    hours = active.sum(axis=1)
    quantiles = np.quantile(hours, [0.05, 0.25, 0.5, 0.75, 0.95])
    assert np.all(abs(quantiles - [103, 307, 370, 401, 433]) <= [15, 12, 8, 8, 8])
    assert abs(hours.mean() - 337.6) < 5
    before, now = active[:, :-1], active[:, 1:]
    assert abs(now[before].mean() - 0.88) < 0.015
    assert abs(now[~before].mean() - 0.23) < 0.015
    spells = active[:, 0].sum() + np.sum(~before & now)
    assert abs(active.sum() / spells - 8.5) < 0.4
    by_hour = active.reshape(-1, 21, 24).mean(axis=(0, 1))
    assert (by_hour.argmin(), by_hour.argmax()) == (3, 20)
    assert abs(by_hour[3] - 0.36) < 0.03
    assert abs(by_hour[20] - 0.79) < 0.03


def test_cab_zones_against_published(cab_presence: np.ndarray) -> None:
    active = cab_presence.any(axis=2)
    per_hour = cab_presence.sum(axis=2)[active]
    assert abs(per_hour.mean() - 10.8) < 0.4
    assert abs(per_hour.std() - 5.3) < 0.4
    assert abs(per_hour.max() - 41) <= 5
    distinct = cab_presence.any(axis=1).sum(axis=1)
    assert abs(distinct.mean() - 78.4) < 2
    assert distinct.max() == 87
    visits = np.sort(cab_presence.sum(axis=(0, 1)))[::-1]
    shares = np.cumsum(visits)[[0, 4, 9, 19, 49]] / visits.sum()
    assert np.all(abs(shares - [0.045, 0.20, 0.33, 0.55, 0.91]) < [0.01, 0.03, 0.02, 0.02, 0.02])
    assert abs(gini(visits) - 0.57) < 0.02
    with_null = cab_presence.sum(axis=(1, 2)) + 504 - active.sum(axis=1)
    assert abs(with_null.mean() - 3_808) < 100
    assert abs(with_null.std() - 1_067) < 80
    by_week = cab_presence.reshape(-1, 3, 168 * 100).sum(axis=2)
    assert abs(by_week.max() - 2_740) < 150


def test_cab_neighbours_and_habits_against_published(cab_presence: np.ndarray) -> None:
    grid = np.pad(cab_presence[:60].reshape(-1, 504, 10, 10), ((0, 0), (0, 0), (1, 1), (1, 1)))
    steps = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
    touched = np.logical_or.reduce([grid[:, :, r : r + 10, c : c + 10] for r, c in steps])
    assert abs(touched[grid[:, :, 1:-1, 1:-1]].mean() - 0.91) < 0.02
    weeks = cab_presence.reshape(-1, 3, 168, 100).sum(axis=2).astype(float)
    weeks = weeks[(weeks.sum(axis=2) > 0).all(axis=1)]
    weeks /= np.linalg.norm(weeks, axis=2, keepdims=True)
    cosine = weeks[:, 0] @ weeks[:, 1].T
    own = np.trace(cosine) / len(cosine)
    other = (cosine.sum() - np.trace(cosine)) / (cosine.size - len(cosine))
    assert abs(own - 0.965) < 0.01
    assert abs(other - 0.929) < 0.01


# --------------------------------------------------------------------------------------- subscribers


def test_subscriber_samples_against_published() -> None:
    user, timestamp, lat, lon = columns(generators.generate("subscribers", n_users=5_000, seed=1))
    counts = np.bincount(user)
    assert abs(counts.mean() - 60) < 3
    assert np.quantile(counts, 0.99) > 3 * np.median(counts), "heavy-tailed"
    gap = np.diff(timestamp).astype("timedelta64[m]").astype(float)[user[1:] == user[:-1]]
    assert gap.mean() > 5 * np.median(gap), "bursts and long silences"
    places = np.unique(np.column_stack([lat, lon]), axis=0)
    assert len(places) > 1_300, "of 1,500 antennas"
    height, width = np.ptp(places, axis=0) * 111.2 * [1, np.cos(np.radians(30))]
    assert (round(height, -1), round(width, -1)) == (200, 300)


def test_subscriber_two_gap_against_published() -> None:
    table = generators.generate("subscribers", n_users=2_000, seed=1)
    gaps, shares = zip(*(nearest_other(table, a) for a in range(0, 2_000, 100)), strict=True)
    assert min(gaps) > 0, "no user 2-anonymous"
    assert 0.06 < np.median(gaps) < 0.2, "mass at small values (paper: around 0.09)"
    assert 0.7 < np.median(shares) < 0.95, "mostly a matter of time (paper: half above 0.8)"


def nearest_other(table: pa.Table, a: int) -> tuple[float, float]:
    """Return the 2-gap of user `a` and the temporal share of its distances, by the definition."""
    user, timestamp, lat, lon = columns(table)
    x = np.floor((lon + 45) * 111_195 * np.cos(np.radians(30)) / 100).astype(np.int32)
    y = np.floor((lat - 30) * 111_195 / 100).astype(np.int32)
    minute = (timestamp - timestamp.min()).astype("timedelta64[m]").astype(np.int32)
    mine = user == a
    space = 12 * np.minimum(abs(x[mine][:, None] - x) + abs(y[mine][:, None] - y), 200)
    time = 5 * np.minimum(abs(minute[mine][:, None] - minute), 480)
    total = space + time
    counts = np.bincount(user)
    starts = np.cumsum(counts) - counts
    from_mine = np.minimum.reduceat(total, starts, axis=1).mean(axis=0)
    from_theirs = np.add.reduceat(total.min(axis=0), starts) / counts
    gap = np.where(counts <= counts[a], from_mine, from_theirs) / 4800
    gap[a] = np.inf
    b = int(gap.argmin())
    theirs = slice(starts[b], starts[b] + counts[b])
    pair, pair_time = total[:, theirs], time[:, theirs]
    axis = 1 if counts[b] <= counts[a] else 0
    nearest = np.expand_dims(pair.argmin(axis=axis), axis)
    share = np.take_along_axis(pair_time, nearest, axis).sum() / pair.min(axis=axis).sum()
    return float(gap[b]), float(share)


# --------------------------------------------------------------------------------------------- files


def test_same_command_same_bytes_degenerate(tmp_path: Path) -> None:
    for name in generators.NAMES:
        paths = [tmp_path / f"{name}{i}.parquet" for i in (0, 1)]
        rows = {write_sample(name, path, n_users=30, seed=2) for path in paths}
        assert paths[0].read_bytes() == paths[1].read_bytes()
        assert pq.read_table(paths[0]).equals(generators.generate(name, n_users=30, seed=2))
        assert rows == {pq.read_metadata(paths[0]).num_rows}


def test_committed_samples_degenerate(tmp_path: Path) -> None:
    for name in ("commuters", "subscribers"):
        expected = generators.generate(name, n_users=generators.DEFAULT_USERS[name], seed=1)
        assert pq.read_table(SAMPLES / f"{name}.parquet").equals(expected)
    first = city.block(0, city.BLOCK_USERS, 1)
    assert pq.ParquetFile(SAMPLES / "city.parquet").read_row_group(0).equals(first)
    zones, river, stations = write_places(tmp_path, seed=1)
    assert zones.read_bytes() == (SAMPLES / zones.name).read_bytes()
    assert river.read_bytes() == (SAMPLES / river.name).read_bytes()
    assert pq.read_table(stations).equals(pq.read_table(SAMPLES / stations.name))


def test_committed_checksums_against_readme() -> None:
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"`([\w.]+\.(?:parquet|geojson))` \|.*?`([0-9a-f]{64})`", readme))
    files = [p for p in SAMPLES.iterdir() if p.suffix in {".parquet", ".geojson"}]
    assert set(listed) == {p.name for p in files}
    for path in files:
        assert hashlib.sha256(path.read_bytes()).hexdigest() == listed[path.name]
    assert sum(p.stat().st_size for p in files) < 25e6


def test_block_sizes_degenerate() -> None:
    assert generators.DEFAULT_USERS == {
        "city": 200_000,
        "commuters": 10_000,
        "cabs": 534,
        "subscribers": 5_000,
    }
    assert min(m.BLOCK_USERS for m in (cabs, city, commuters, subscribers)) >= cabs.DEFAULT_USERS


@pytest.mark.parametrize("module", [cabs, city, commuters, subscribers])
def test_users_of_a_later_block_are_others_than_those_of_the_first(module: ModuleType) -> None:
    """Three of each: numbered on from where the block begins, and drawn anew, not the first three again."""
    first, later = (module.block(begin, 3, 1) for begin in (0, module.BLOCK_USERS))
    assert set(first["user_id"].to_pylist()) <= {0, 1, 2}
    assert set(later["user_id"].to_pylist()) <= {module.BLOCK_USERS + n for n in range(3)}
    assert first["timestamp"].to_pylist() != later["timestamp"].to_pylist()
