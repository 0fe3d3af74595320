"""Exports of Google Timeline in each of their layouts, written by hand: the same days, told four ways."""

import json
from datetime import datetime
from typing import Any

import pytest

from privlab.checks import DataError
from privlab.datasets.files.timelines import Stay, stays_from_timeline

HOME, WORK = (52.52, 13.4), (52.45, -13.3)
EXPECTED = (
    Stay(datetime(2026, 3, 2, 0), datetime(2026, 3, 2, 8), *HOME),
    Stay(datetime(2026, 3, 2, 8, 30), datetime(2026, 3, 2, 17), *WORK),
)


def e7(place: tuple[float, float]) -> dict[str, int]:
    return {"latitudeE7": round(place[0] * 1e7), "longitudeE7": round(place[1] * 1e7)}


def android() -> Any:
    def visit(begin: str, end: str, place: tuple[float, float], level: int = 0) -> dict[str, Any]:
        where = {"placeLocation": {"latLng": f"{place[0]}°, {place[1]}°"}}
        return {"startTime": begin, "endTime": end, "visit": {"hierarchyLevel": level, "topCandidate": where}}

    return {
        "semanticSegments": [
            visit("2026-03-02T08:30:00.000+01:00", "2026-03-02T17:00:00.000+01:00", WORK),
            visit(
                "2026-03-02T09:00:00.000+01:00", "2026-03-02T10:00:00.000+01:00", (52.4501, -13.3), level=1
            ),
            {"startTime": "2026-03-02T08:00:00.000+01:00", "timelinePath": [{"point": "52°, 13°"}]},
            visit("2026-03-02T00:00:00.000+01:00", "2026-03-02T08:00:00.000+01:00", HOME),
        ],
        "rawSignals": [{"wifiScan": {}}],
    }


def iphone() -> Any:
    def visit(begin: str, end: str, place: tuple[float, float]) -> dict[str, Any]:
        where = {"placeLocation": f"geo:{place[0]},{place[1]}"}
        return {
            "startTime": begin,
            "endTime": end,
            "visit": {"hierarchyLevel": "0", "topCandidate": where},
        }

    return [
        visit("2026-03-02T00:00:00.000Z", "2026-03-02T08:00:00.000Z", HOME),
        {
            "startTime": "2026-03-02T08:00:00Z",
            "endTime": "2026-03-02T08:30:00Z",
            "activity": {"start": "geo:1,1"},
        },
        visit("2026-03-02T08:30:00.000Z", "2026-03-02T17:00:00.000Z", WORK),
    ]


def takeout() -> Any:
    def visit(begin: str, end: str, place: tuple[float, float]) -> dict[str, Any]:
        return {
            "placeVisit": {
                "location": e7(place),
                "duration": {"startTimestamp": begin, "endTimestamp": end},
            }
        }

    return {
        "timelineObjects": [
            visit("2026-03-02T00:00:00Z", "2026-03-02T08:00:00Z", HOME),
            {"activitySegment": {"startLocation": e7(HOME), "endLocation": e7(WORK), "duration": {}}},
            visit("2026-03-02T08:30:00Z", "2026-03-02T17:00:00Z", WORK),
        ]
    }


@pytest.mark.parametrize("told", [android, iphone, takeout])
def test_every_layout_tells_the_same_stays(told: Any) -> None:
    assert stays_from_timeline(json.dumps(told()).encode()) == EXPECTED


def test_positions_without_stays_are_stays_of_no_length() -> None:
    records = {
        "locations": [
            {**e7(WORK), "timestampMs": "1772440200000"},  # 2026-03-02 08:30 UTC
            {**e7(HOME), "timestamp": "2026-03-02T08:00:00.123Z"},
            {"latitudeE7": 10, "timestamp": "2026-03-02T08:00:00Z"},
        ]
    }
    found = stays_from_timeline(json.dumps(records).encode())
    eight, half_past = datetime(2026, 3, 2, 8, 0, 0, 123000), datetime(2026, 3, 2, 8, 30)
    assert found == (Stay(eight, eight, *HOME), Stay(half_past, half_past, *WORK))


def test_activities_stand_in_where_no_visit_is_told() -> None:
    move = {"start": {"latLng": "52.52°, 13.4°"}, "end": {"latLng": "52.45°, -13.3°"}}
    told = {"startTime": "2026-03-02T08:00:00Z", "endTime": "2026-03-02T08:30:00Z", "activity": move}
    begin, end = datetime(2026, 3, 2, 8), datetime(2026, 3, 2, 8, 30)
    expected = (Stay(begin, begin, *HOME), Stay(end, end, *WORK))
    assert stays_from_timeline(json.dumps({"semanticSegments": [told]}).encode()) == expected


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no JSON"),
        (b"user,time\n", "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"[" * 100_000, "no JSON"),
        (b"3", "no Google Timeline"),
        (b'{"type": "FeatureCollection"}', "no Google Timeline"),
        (b"[]", "no place with a time"),
        (b'[{"visit": 3}, 4, null, {"startTime": [], "visit": {"topCandidate": {}}}]', "no place with a time"),
        (b'{"locations": [{"latitudeE7": NaN, "longitudeE7": 1, "timestamp": "2026-03-02"}]}', "no place"),
        (b'{"locations": [{"latitudeE7": 10000000000, "longitudeE7": 1, "timestamp": "2026-03-02"}]}', "no place"),
    ],
)  # fmt: skip
def test_what_is_no_timeline_gets_one_sentence(content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        stays_from_timeline(content)
