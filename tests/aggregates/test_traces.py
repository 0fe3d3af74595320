"""Records and trips → traces: the hand-drawn world, brute force, any order of rows, and refusals."""

import random
from datetime import date
from pathlib import Path

import h3
import numpy as np
import pandas as pd
import pytest

from privlab.aggregates import presences
from privlab.aggregates.defences import defence
from privlab.aggregates.defences.defence import defence_facts_from_window
from privlab.aggregates.periods import period_from_spec
from privlab.aggregates.traces import (
    Traces,
    presence_from_window,
    reports_from_window,
    traces_from_dataset,
    window_from_reports,
    window_from_traces,
)
from privlab.checks import DataError, ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from tests.aggregates.worlds import habitual_traces

WEEK = period_from_spec("week")


def read(frame: pd.DataFrame, folder: Path, *, zones: str = "column", **options: object) -> Traces:
    path = folder / "data.csv"
    frame.to_csv(path, index=False)
    with Workspace(threads=1) as workspace:
        dataset = read_dataset(path, workspace=workspace)
        zoning = zoning_from_spec(zones, place=dataset.place, table=dataset.table)
        return traces_from_dataset(dataset, zoning, **options)


def test_world_by_hand(world: pd.DataFrame, tmp_path: Path) -> None:
    traces = read(world, tmp_path)
    assert (traces.users.tolist(), traces.zones.tolist()) == ([1, 2, 3], [1, 2, 3, 4])
    assert traces.n_reports.tolist() == [7, 5, 2]  # Anna, Ben, Cleo
    assert (traces.first_day, traces.last_day) == (date(2026, 3, 2), date(2026, 3, 9))
    assert traces.mondays == (date(2026, 3, 2),)
    anna = list(zip(traces.epoch[:7].tolist(), traces.zone[:7].tolist(), strict=True))
    assert anna == [(8, 0), (8, 1), (9, 1), (10, 0), (12, 1), (32, 0), (33, 1)]
    window = window_from_traces(traces, week=0, period=WEEK)
    # In the first week: Anna 7 reports in 6 hours, Ben 2 in 2, Cleo 2 in 2; null in every other hour.
    assert reports_from_window(window).tolist() == [169, 168, 168]
    seen = presence_from_window(window, 0)
    assert seen.shape == (5, 168)
    assert seen[:, 8].tolist() == [True, True, False, False, False]
    assert seen[:, 11].tolist() == [False, False, False, False, True]
    facts = defence_facts_from_window(window)
    assert (facts.max_reports, facts.max_zones, facts.n_zones) == (169, 3, 5)


def test_without_a_null_zone_by_hand(world: pd.DataFrame, tmp_path: Path) -> None:
    traces = read(world, tmp_path, null_zone=False)
    window = window_from_traces(traces, week=0, period=period_from_spec("hours:mon:8-10"))
    assert (traces.n_zones, window.n_zones, window.n_epochs) == (4, 4, 2)
    assert reports_from_window(window).tolist() == [3, 0, 2]
    assert presence_from_window(window, 2).tolist() == [
        [True, False],
        [False, True],
        [False] * 2,
        [False] * 2,
    ]
    assert defence_facts_from_window(window).max_zones == 2


@pytest.mark.parametrize("null_zone", [True, False])
def test_most_zones_of_a_user_by_brute_force_however_many_are_looked_at_at_once(
    null_zone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(1)
    hours = [sorted({(draw.randrange(6), draw.randrange(5)) for _ in range(n)}) for n in (3, 9, 0, 30, 1, 7)]
    hours[2] = [(hour, 0) for hour in range(6)]  # seen in every hour: never in the null zone
    epoch, zone = np.array([one for user in hours for one in user], dtype=np.int32).T
    window = window_from_reports(
        np.cumsum([0, *map(len, hours)]), epoch, zone, n_zones=5, n_epochs=6, null_zone=null_zone
    )
    zones = [{zone for _, zone in user} for user in hours]
    unseen = [null_zone and len({hour for hour, _ in user}) < 6 for user in hours]
    most = max(len(one) + other for one, other in zip(zones, unseen, strict=True))
    for at_once in (1, 12, 2**25):
        monkeypatch.setattr(defence, "_FLAGS_AT_ONCE", at_once)
        assert defence_facts_from_window(window).max_zones == most


def test_days_named_by_hand(world: pd.DataFrame, tmp_path: Path) -> None:
    traces = read(world, tmp_path, first_day=date(2026, 3, 3), last_day=date(2026, 3, 15))
    assert traces.users.tolist() == [1, 2]  # Cleo was seen on the 2nd only
    assert traces.n_reports.tolist() == [2, 5]
    assert traces.mondays == (date(2026, 3, 9),)
    assert traces.epoch[:2].tolist() == [8, 9]


@pytest.mark.parametrize("texts", [False, True])
def test_random_records_against_brute_force_unordered(
    texts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presences, "_BLOCK", 50)  # several blocks
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"user_id": rng.integers(1, 30, 800), "zone": rng.integers(1, 9, 800)})
    minutes = rng.integers(0, 15 * 24 * 60, 800)
    frame["time"] = pd.Timestamp("2026-03-04") + pd.to_timedelta(minutes, unit="min")
    expected = {}
    for user, zone, minute in zip(frame["user_id"], frame["zone"], minutes, strict=True):
        name = f"u{user}" if texts else user
        expected.setdefault(name, set()).add((minute // 60, f"z{zone}" if texts else zone))
    if texts:
        frame["user_id"], frame["zone"] = "u" + frame["user_id"].astype(str), "z" + frame["zone"].astype(str)
    again = pd.concat([frame, frame.iloc[:100]]).sample(frac=1, random_state=1)  # duplicates, another order
    traces = read(again, tmp_path)
    found = {}
    for at, user in enumerate(traces.users.tolist()):
        part = slice(traces.starts[at], traces.starts[at + 1])
        pairs = list(zip(traces.epoch[part].tolist(), traces.zones[traces.zone[part]].tolist(), strict=True))
        assert pairs == sorted(pairs)
        found[user] = set(pairs)
    assert found == expected
    assert list(found) == sorted(found)
    assert traces.mondays == (date(2026, 3, 9),)  # Wednesday the 4th to Wednesday the 18th


def test_trips_are_seen_at_both_ends_by_hand(tmp_path: Path) -> None:
    trips = pd.DataFrame(
        {
            "user_id": [1, 1, 2],
            "time": ["2026-03-02 08:10", "2026-03-02 08:50", "2026-03-08 23:00"],
            "origin": [5, 6, 5],
            "destination": [6, 7, 5],
        }
    )
    traces = read(trips, tmp_path)
    assert traces.zones.tolist() == [5, 6, 7]
    assert traces.zone.tolist() == [0, 1, 2, 0]
    assert traces.epoch.tolist() == [8, 8, 8, 167]


def test_counts_are_refused_iv(tmp_path: Path) -> None:
    counts = pd.DataFrame({"origin": [1], "destination": [2], "count": [3]})
    with pytest.raises(DataError, match="no group of users can be drawn"):
        read(counts, tmp_path)


def test_periods_iv(world: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"No row of data\.csv lies in the zones"):
        read(world, tmp_path, first_day=date(2027, 1, 1), last_day=date(2027, 2, 1))
    with pytest.raises(ParameterError, match="no earlier than 2026-03-05"):
        read(world, tmp_path, first_day=date(2026, 3, 5), last_day=date(2026, 3, 4))
    with pytest.raises(ParameterError, match="at most 3,660"):
        read(world, tmp_path, first_day=date(1900, 1, 1))
    for no_day in ("2026-03-05", pd.Timestamp("2026-03-05")):
        with pytest.raises(ParameterError, match=r"^last_day must be a day, as datetime\.date"):
            read(world, tmp_path, last_day=no_day)
    traces = habitual_traces(3, n_weeks=2)
    with pytest.raises(
        DataError,
        match=r"has 2 whole weeks .* needs 3\. Ask for earlier or fewer weeks, or load data of more of them\.$",
    ):
        window_from_traces(traces, week=2, period=WEEK)
    for spec in ("day", "day:mo", "hours:mon", "hours:mon:9-8", "hours:mon:0-25", "week:1", "hours:mon:a-b"):
        with pytest.raises(ParameterError, match="period must be week, day:mon or hours:mon:8-16"):
            period_from_spec(spec)


def test_periods_of_a_week_by_hand() -> None:
    assert (WEEK.first_hour, WEEK.n_hours) == (0, 168)
    saturday = period_from_spec("day:SAT")
    assert (saturday.first_hour, saturday.n_hours) == (120, 24)


@pytest.mark.parametrize("null_zone", [True, False])
def test_windows_against_brute_force(null_zone: bool) -> None:
    traces = habitual_traces(null_zone=null_zone)
    for week, spec in ((0, "week"), (2, "day:thu"), (1, "hours:sun:20-24")):
        period = period_from_spec(spec)
        window, begin = window_from_traces(traces, week=week, period=period), 168 * week + period.first_hour
        counts = []
        for user in range(traces.n_users):
            expected = np.zeros((traces.n_zones, period.n_hours), dtype=bool)
            for at in range(traces.starts[user], traces.starts[user + 1]):
                if begin <= traces.epoch[at] < begin + period.n_hours:
                    expected[traces.zone[at], traces.epoch[at] - begin] = True
            if null_zone:
                expected[-1] = ~expected[:-1].any(axis=0)
            np.testing.assert_array_equal(presence_from_window(window, user), expected)
            counts.append(int(expected.sum()))
        assert reports_from_window(window).tolist() == counts


def test_zones_found_outside_the_database_against_h3(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"user_id": rng.integers(0, 5, 200), "lat": rng.uniform(45, 45.3, 200)})
    frame["lon"] = rng.uniform(-30, -29.7, 200)
    hours = rng.integers(0, 48, 200)
    frame["time"] = pd.Timestamp("2026-03-02") + pd.to_timedelta(hours, unit="h")
    expected = {
        (user, hour, h3.latlng_to_cell(lat, lon, 6))
        for user, hour, lat, lon in zip(
            frame["user_id"].tolist(), hours.tolist(), frame["lat"], frame["lon"], strict=True
        )
    }
    traces = read(frame, tmp_path, zones="h3:6")
    assert int(traces.n_reports.sum()) == len(expected)
    user = traces.users[np.repeat(np.arange(5), traces.n_reports)]
    assert set(zip(user.tolist(), traces.epoch.tolist(), strict=True)) == {one[:2] for one in expected}
