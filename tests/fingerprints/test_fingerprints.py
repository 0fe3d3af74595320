"""Fingerprints from files and arrays, by hand: cells, minutes, sets, order, levels, folding."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyproj
import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.fingerprints.fingerprints import (
    Fingerprints,
    fingerprints_at_level,
    fingerprints_from_dataset,
    fingerprints_from_samples,
    fingerprints_of_users,
    folded_fingerprints,
)
from privlab.fingerprints.levels import DEFAULT_LEVELS, Level, fold_days_from_text, levels_from_text
from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints


def from_rows(tmp_path: Path, rows: list[tuple[object, ...]], columns: list[str]) -> Fingerprints:
    path = tmp_path / "rows.csv"
    pd.DataFrame(rows, columns=columns).to_csv(path, index=False)
    dataset = read_dataset(path)
    try:
        return fingerprints_from_dataset(dataset)
    finally:
        dataset.workspace.close()


def rows_of(fingerprints: Fingerprints) -> list[tuple[object, int, int, int]]:
    user = np.repeat(fingerprints.user_ids, fingerprints.n_samples)
    return list(
        zip(
            user.tolist(),
            fingerprints.x.tolist(),
            fingerprints.y.tolist(),
            fingerprints.t.tolist(),
            strict=True,
        )
    )


def test_metres_against_hand(tmp_path: Path) -> None:
    # Seconds are dropped, cells floored below zero too; user 7's second row says the same as the first.
    got = from_rows(
        tmp_path,
        [
            (7, "1970-01-02 00:01:59", 250.0, -1.0),
            (7, "1970-01-02 00:01:00", 299.9, -99.0),
            (7, "1970-01-01 00:00:00", 0.0, 0.0),
            (-3, "1969-12-31 23:59:30", -100.0, 100.0),
        ],
        ["user_id", "timestamp", "x", "y"],
    )
    assert rows_of(got) == [(-3, -1, 1, -1), (7, 0, 0, 0), (7, 2, -1, 1441)]
    assert (got.n_records, got.n_left_out, got.n_empty_users, got.centre) == (4, 0, 0, None)
    assert (got.x.dtype, got.t.dtype, got.offsets.dtype) == (np.int32, np.int32, np.int64)


def test_degrees_against_pyproj(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    lat, lon = 48.85 + rng.normal(0, 0.2, 99), 2.35 + rng.normal(0, 0.3, 99)
    rows = [(i, "2026-03-02 08:00", a, b) for i, (a, b) in enumerate(zip(lat, lon, strict=True))]
    got = from_rows(tmp_path, rows, ["user_id", "timestamp", "lat", "lon"])
    assert got.centre == (round(float(np.median(lat)), 2), round(float(np.median(lon)), 2))
    project = pyproj.Proj(proj="laea", lat_0=got.centre[0], lon_0=got.centre[1], ellps="WGS84")
    x, y = project(lon, lat)
    assert got.x.tolist() == np.floor(np.array(x) / 100).tolist()
    assert got.y.tolist() == np.floor(np.array(y) / 100).tolist()


def test_another_centre_against_pyproj(tmp_path: Path) -> None:
    path = tmp_path / "far.csv"
    path.write_text("user_id,timestamp,lat,lon\n1,2026-03-02 08:00,48.85,2.35\n")
    project = pyproj.Proj(proj="laea", lat_0=52.0, lon_0=10.0, ellps="WGS84")  # that of ETRS89-LAEA
    x, y = project(2.35, 48.85)
    with Workspace() as workspace:
        dataset = read_dataset(path, workspace=workspace)
        got = fingerprints_from_dataset(dataset, centre=(52.0, 10.0))
        with pytest.raises(ParameterError, match="latitude of the centre must be between -90 and 90, got 91"):
            fingerprints_from_dataset(dataset, centre=(91.0, 0.0))
    assert (got.x.item(), got.y.item()) == (np.floor(x / 100), np.floor(y / 100))


def test_text_ids_ascend_by_code_point(tmp_path: Path) -> None:
    names = ["b", "B", "a10", "a9", "é", "z", "🙂", "~"]
    rows = [(name, "2026-03-02 08:00", 0.0, 0.0) for name in names]
    got = from_rows(tmp_path, rows, ["user_id", "timestamp", "x", "y"])
    assert got.user_ids.tolist() == sorted(names)


def test_what_has_no_place_is_left_out_and_counted(tmp_path: Path) -> None:
    # 300 million km east and south, beyond the sun; user 2 has nothing else.
    got = from_rows(
        tmp_path,
        [
            (1, "2026-03-02 08:00", 0.0, 0.0),
            (1, "2026-03-02 08:00", 3e11, 0.0),
            (2, "2026-03-02 08:00", 0.0, -3e11),
        ],
        ["user_id", "timestamp", "x", "y"],
    )
    assert got.user_ids.tolist() == [1]
    assert (got.n_records, got.n_left_out, got.n_empty_users) == (1, 2, 1)


def test_users_at_the_antipodes_have_finite_distances(tmp_path: Path) -> None:
    rows = [(1, "2026-03-02 08:00", 10.0, 20.0)] * 3 + [(2, "2026-03-02 08:00", -9.99, -159.0)]
    got = from_rows(tmp_path, rows, ["user_id", "timestamp", "lat", "lon"])
    found = neighbours_from_fingerprints(got, k=2)
    assert (found.total / (found.one * found.n_longer)).tolist() == [[0.5], [0.5]]


@pytest.mark.parametrize(
    ("columns", "row", "says"),
    [
        (["user_id", "timestamp", "zone"], (1, "2026-03-02 08:00", 4), "zone ids and no coordinates"),
        (
            ["user_id", "timestamp", "origin", "destination"],
            (1, "2026-03-02 08:00", 4, 5),
            "zone ids and no coordinates",
        ),
    ],
)
def test_data_without_places_iv(
    tmp_path: Path, columns: list[str], row: tuple[object, ...], says: str
) -> None:
    assert mapping_from_columns(columns).kind in ("records", "trips")
    with pytest.raises(DataError, match=says):
        from_rows(tmp_path, [row], columns)


def test_samples_unordered_against_hand() -> None:
    got = fingerprints_from_samples([5, 1, 5, 5, 5], [9, 0, 1, 2, 1], [0, 0, 8, 7, 8], [3, 3, 3, 2, 3])
    assert rows_of(got) == [(1, 0, 0, 3), (5, 2, 7, 2), (5, 1, 8, 3), (5, 9, 0, 3)]
    assert got.n_samples.tolist() == [1, 3]
    assert rows_of(fingerprints_of_users(got, np.array([1]))) == rows_of(got)[1:]


def test_levels_drop_duplicates_erratum_6_against_hand() -> None:
    # 100 m cells 19 and 10 share a 1 km cell, −1 does not; minutes 29 and 0 share half an hour, 30 does not.
    base = fingerprints_from_samples([1] * 5, [19, 10, -1, 19, 10], [0, 9, 0, 0, 9], [0, 29, 0, 30, 30])
    coarse = fingerprints_at_level(base, Level(1, 30))
    assert rows_of(coarse) == [(1, -1, 0, 0), (1, 1, 0, 0), (1, 1, 0, 30)]
    assert (coarse.cell_m, coarse.bin_min, str(coarse.level)) == (1000, 30, "1-30")
    assert fingerprints_at_level(base, Level(0.1, 1)) is base


def test_bins_align_with_midnight() -> None:
    minutes = np.arange(0, 20_000, 7)
    base = fingerprints_from_samples([1] * minutes.size, [0] * minutes.size, [0] * minutes.size, minutes)
    for level in DEFAULT_LEVELS:
        t = fingerprints_at_level(base, Level(0.1, level.bin_min)).t
        assert set(t % 1440) == set(minutes % 1440 // level.bin_min * level.bin_min)


def test_levels_iv() -> None:
    with pytest.raises(ParameterError, match=r"whole cells and bins of 1-30, got 2\.5-60"):
        fingerprints_at_level(
            fingerprints_at_level(fingerprints_from_samples([1], [0], [0], [0]), Level(1, 30)), Level(2.5, 60)
        )
    for text, says in (
        ("1", "must be KM-MIN"),
        ("1-x", "must be KM-MIN"),
        ("0.15-1", "multiple of 0.1"),
        ("0-1", "between 0.1 and 1,000"),
        ("1-0", "between 1 and 10,080"),
        ("nan-1", "finite number"),
    ):
        with pytest.raises(ParameterError, match=says):
            levels_from_text(text)
    assert ",".join(map(str, DEFAULT_LEVELS)) == "0.1-1,1-30,2.5-60,5-120,10-240,20-480"
    assert levels_from_text("1-30, 20-480,1-30") == (Level(1, 30), Level(20, 480))


def test_folding_erratum_7_against_hand() -> None:
    # Monday 2026-03-02 08:00 and Monday 2026-03-16 08:00 fall together, the Monday between does not.
    monday = int((np.datetime64("2026-03-02T08:00") - np.datetime64("1970-01-01")).astype(int))
    week = 7 * 1440
    base = fingerprints_from_samples([1] * 3, [0] * 3, [0] * 3, [monday, monday + week, monday + 2 * week])
    folded = folded_fingerprints(base, fold_days=14)
    assert folded.n_samples.tolist() == [2]
    assert np.diff(folded.t).tolist() == [week]
    assert folded_fingerprints(base, fold_days=7).t.tolist() == [4 * 1440 + 480]  # Monday 1970-01-05 08:00
    assert base.n_samples.tolist() == [3]  # off unless asked for
    before = fingerprints_from_samples([1], [0], [0], [-10 * week])
    assert 4 * 1440 <= folded_fingerprints(before, fold_days=7).t[0] < 4 * 1440 + week


def test_folding_iv() -> None:
    assert (fold_days_from_text(None), fold_days_from_text("14d"), fold_days_from_text("2w")) == (
        None,
        14,
        14,
    )
    for text in ("14", "d", "1.5d", "36h", "-1d"):
        with pytest.raises(ParameterError, match="whole days or weeks"):
            fold_days_from_text(text)
    with pytest.raises(ParameterError, match=r"fold \(days\) must be between 1 and 3,660, got 0"):
        fold_days_from_text("0d")
    coarse = fingerprints_at_level(fingerprints_from_samples([1], [0], [0], [0]), Level(1, 30))
    with pytest.raises(ParameterError, match="fold must come before coarser bins"):
        folded_fingerprints(coarse, fold_days=7)


def test_an_empty_user_iv() -> None:
    one = np.zeros(1, dtype=np.int32)
    with pytest.raises(ParameterError, match="one sample or more for every user"):
        Fingerprints(user_ids=np.array([1, 2]), offsets=np.array([0, 1, 1]), x=one, y=one, t=one)
