"""Google Timeline exports written by hand, one of each layout, of the same three trips of the same person.

Home, work and a cafe lie some kilometres apart. Monday 2026-03-02: home to work, arrival 09:00, and back, arrival 18:30.
Sunday 2026-03-08: home to the cafe, leaving at 23:50 and arriving on Monday 2026-03-09 at 00:10, local time (UTC+1).
"""

import json
from datetime import datetime, timedelta
from typing import Any

HOME, WORK, CAFE = (52.52, 13.405), (52.40, 13.06), (52.45, 13.60)
TRIPS = [
    ("2026-03-02T08:20:00", "2026-03-02T09:00:00", HOME, WORK),
    ("2026-03-02T17:45:00", "2026-03-02T18:30:00", WORK, HOME),
    ("2026-03-08T23:50:00", "2026-03-09T00:10:00", HOME, CAFE),
]
STAYS = [
    ("2026-03-01T20:00:00", "2026-03-02T08:20:00", HOME),
    ("2026-03-02T09:00:00", "2026-03-02T17:45:00", WORK),
    ("2026-03-02T18:30:00", "2026-03-08T23:50:00", HOME),
    ("2026-03-09T00:10:00", "2026-03-09T08:00:00", CAFE),
]
Pair = tuple[float, float]


def as_bytes(content: Any) -> bytes:
    return json.dumps(content, ensure_ascii=False).encode()


def utc(local: str) -> str:
    return f"{datetime.fromisoformat(local) - timedelta(hours=1):%Y-%m-%dT%H:%M:%S}Z"


def degrees(place: Pair) -> dict[str, str]:
    return {"latLng": f"{place[0]}°, {place[1]}°"}


def geo(place: Pair) -> str:
    return f"geo:{place[0]},{place[1]}"


def e7(place: Pair) -> dict[str, int]:
    return {"latitudeE7": round(place[0] * 1e7), "longitudeE7": round(place[1] * 1e7)}


def android() -> dict[str, Any]:
    """Visits and activities between them; times in UTC with the minutes that local time is ahead."""
    offsets = {"startTimeTimezoneUtcOffsetMinutes": 60, "endTimeTimezoneUtcOffsetMinutes": 60}
    segments: list[dict[str, Any]] = [
        {"startTime": utc(a), "endTime": utc(b), **offsets}
        | {
            "visit": {
                "hierarchyLevel": 0,
                "topCandidate": {"placeLocation": degrees(place), "probability": 0.9},
            }
        }
        for a, b, place in STAYS
    ]
    segments += [
        {"startTime": utc(a), "endTime": utc(b), **offsets}
        | {
            "activity": {
                "start": degrees(here),
                "end": degrees(there),
                "topCandidate": {"type": "IN_BUS"},
            }
        }
        for a, b, here, there in TRIPS
    ]
    segments += [{"startTime": utc(STAYS[0][0]), "timelinePath": [{"point": "52.1°, 13.4°", "time": "x"}]}]
    return {"new": {"field": [1]}, "semanticSegments": segments, "rawSignals": [], "userLocationProfile": {}}


def iphone() -> list[dict[str, Any]]:
    """Visits alone, as text everywhere; times with their offset."""
    return [
        {
            "startTime": f"{a}.000+01:00",
            "endTime": f"{b}.000+01:00",
            "visit": {
                "hierarchyLevel": "0",
                "probability": "0.8",
                "topCandidate": {"placeLocation": geo(place), "semanticType": "Unknown"},
            },
        }
        for a, b, place in STAYS
    ]


def takeout() -> dict[str, Any]:
    """A monthly file: the first trip told as an activity, the others by the visits; times in UTC."""
    visits = [
        {
            "placeVisit": {
                "location": e7(place),
                "duration": {"startTimestamp": utc(a), "endTimestamp": utc(b)},
            }
        }
        for a, b, place in STAYS
    ]
    a, b, here, there = TRIPS[0]
    activity = {
        "activitySegment": {
            "startLocation": e7(here),
            "endLocation": e7(there),
            "duration": {"startTimestamp": utc(a), "endTimestamp": utc(b)},
        }
    }
    return {"timelineObjects": [*visits[:1], activity, *visits[1:]]}


def records() -> dict[str, Any]:
    """Points, one each hour, as Records.json has them: at home until 8, at work from 9 to 17, at home at 18 and 19 (UTC)."""
    places = {hour: WORK if 9 <= hour <= 17 else HOME for hour in range(6, 20)}
    return {
        "locations": [
            {"timestamp": f"2026-03-02T{hour:02d}:15:00.123Z", "accuracy": 12, "source": "WIFI"} | e7(place)
            for hour, place in places.items()
        ]
    }
