"""Google Timeline exports of each layout, written by hand: the same trips come out of all of them."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from privlab.checks import DataError, ParameterError
from privlab.datasets.files import timelines
from privlab.datasets.files.timelines import (
    TimelineExport,
    timeline_export_from_bytes,
    timeline_from_path,
)
from privlab.progress import Cancelled, Progress
from tests.datasets.files import timelines_by_hand as hand

EXPECTED = [
    (datetime.fromisoformat(a), datetime.fromisoformat(b), *here, *there) for a, b, here, there in hand.TRIPS
]


def read(content: Any, **options: Any) -> TimelineExport:
    body = content if isinstance(content, bytes) else hand.as_bytes(content)
    return timeline_export_from_bytes(body, **options)


def test_activities_of_a_phone_against_the_trips_written_down() -> None:
    found = read(hand.android())
    assert list(found.moves) == EXPECTED
    assert (found.entries, found.left_out) == (7, {})
    assert "local time" in found.clock


def test_visits_of_an_iphone_are_moves_between_them() -> None:
    found = read(hand.iphone())
    assert list(found.moves) == EXPECTED
    assert found.layout == "Timeline.json of an iPhone"


def test_a_monthly_file_of_takeout_in_the_time_of_the_person() -> None:
    """Its times are in UTC: the last trip arrives on Sunday there, and on Monday in Berlin."""
    assert list(read(hand.takeout(), home_zone="Europe/Berlin").moves) == EXPECTED
    unsaid = read(hand.takeout())
    assert unsaid.moves[-1][1] == datetime(2026, 3, 8, 23, 10)
    assert "UTC" in unsaid.clock


def test_points_of_records_json_stay_points() -> None:
    found = read(hand.records())
    assert not found.moves
    assert found.points[0] == (datetime(2026, 3, 2, 6, 15, 0, 123000), *hand.HOME)
    assert len(found.points) == 14


def test_ragged_entries_are_left_out_and_counted() -> None:
    broken: Any = hand.android()
    bad_visit, bad_activity = {"visit": {"topCandidate": {}}}, {"activity": {"start": 3, "end": None}}
    times = {"startTime": "2026-03-03T10:00:00+01:00", "endTime": "2026-03-03T11:00:00+01:00"}
    off = {"visit": {"topCandidate": {"placeLocation": "geo:91,13"}}}
    late = {"startTime": "yesterday", "endTime": 3, "visit": bad_visit["visit"]}
    inner = {"visit": {"hierarchyLevel": 1, "topCandidate": {"placeLocation": "geo:1,1"}}}
    broken["semanticSegments"] += [
        *(times | bad_visit, times | bad_activity, times | off, late, times | inner),
        *(None, 7, "visit", [], {}, {"visit": None}),
    ]
    found = read(broken)
    assert list(found.moves) == EXPECTED
    assert found.left_out == {
        "without a place": 2,
        "with coordinates out of range": 1,
        "without a time that can be read": 1,
        "visits within another visit": 1,
    }


def test_coordinates_that_are_no_numbers_and_visits_a_week_apart() -> None:
    nan = b'{"locations": [{"timestampMs": "1772434800000", "latitudeE7": NaN, "longitudeE7": 130000000}, '
    huge = b'{"timestampMs": "1772434800000", "latitudeE7": %d, "longitudeE7": 1e400}, ' % 10**30
    good = b'{"timestampMs": "1772434800000", "latitudeE7": 520000000, "longitudeE7": 130000000}]}'
    found = read(nan + huge + good)
    assert found.points == ((datetime(2026, 3, 2, 7, 0), 52.0, 13.0),)
    assert found.left_out == {"with coordinates out of range": 2}
    stays = [hand.iphone()[0], hand.iphone()[3]]  # from Monday to the next Monday: no move
    with pytest.raises(DataError, match="no trip between two places"):
        read(stays)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "file is empty"),
        (b"  \n", "file is empty"),
        (b"user,lat,lon\n1,2,3\n", "is no JSON, or damaged"),
        (b"\xff\xfe{", "is no JSON, or damaged"),
        (b'{"semanticSegments": [{"visit": ', "is no JSON, or damaged"),
        (b'{"a": 1 "b": 2}', "is no JSON, or damaged"),
        (b"[" * 200_000, "is no JSON, or damaged"),
        (b'{"a": ' * 200_000, "is no JSON, or damaged"),
        (b'{"type": "FeatureCollection", "features": []}', "no Google Timeline"),
        (b"[1, 2, 3]", "no Google Timeline"),
        (b"3", "no Google Timeline"),
        (b"{}", "no Google Timeline"),
        (b'{"semanticSegments": []}', "no trip between two places"),
        (b'{"locations": [{"timestamp": "2026-03-02T10:00:00Z"}]}', "1 without a place"),
    ],
)
def test_what_is_no_export_is_refused_in_a_sentence_that_leads_on_iv(content: bytes, complaint: str) -> None:
    with pytest.raises(DataError, match=complaint) as refused:
        read(content)
    assert "Export it on the phone" in str(refused.value)
    assert len(str(refused.value)) < 400


def test_a_zone_of_a_clock_that_is_none_iv() -> None:
    with pytest.raises(ParameterError, match="timezone must be a name such as Europe/Berlin"):
        read(hand.takeout(), home_zone="Mars/Olympus")


def test_files_too_large_and_files_that_are_none_iv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "MAX_TIMELINE_MB", 1)
    path = tmp_path / "Records.json"
    with path.open("wb") as file:
        file.truncate(2 * 2**20)
    with pytest.raises(DataError, match="The file is larger than 1 MB"):
        timeline_from_path(path)
    for nowhere in (tmp_path, tmp_path / "none", tmp_path / ("x" * 300), Path("a\0b")):
        with pytest.raises(DataError, match="Name one JSON file"):
            timeline_from_path(nowhere)


def test_reading_is_stopped_between_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timelines, "_EVERY", 3)
    told: list[float] = []
    progress = Progress(lambda share, words: told.append(share))
    read(json.dumps(hand.android()).encode(), progress=progress)
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] <= 1
    progress.cancel()
    with pytest.raises(Cancelled):
        read(hand.android(), progress=progress)
