"""One person's Google Timeline export -> the places they stayed at, in order.

Read are what phones export (Timeline.json of Android, location-history.json of iOS) and what Takeout gave out before
(Records.json, and a month of Semantic Location History). Nothing is kept: bytes in, places out.

Layouts as told by those who read them: github.com/CarlosBergillos/LocationHistoryFormat (issue 13 for phones) and
github.com/Freika/dawarich (issue 2587 for iOS). Fields that are not needed are not looked at.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from privlab.checks import DataError
from privlab.limits import MAX_TIMELINE_MB
from privlab.progress import UNHEARD, Progress

_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
_HOW = (
    "Export it on the phone. Android: Settings, Location, Location services, Timeline, Export. iPhone: Google Maps, "
    "Your Timeline, Location and privacy settings, Export Timeline data."
)
_Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stay:
    """A place in degrees, and from when to when someone was there by the file's own clock."""

    begin: datetime
    end: datetime
    latitude: float
    longitude: float


def stays_from_timeline(content: bytes, *, progress: Progress = UNHEARD) -> tuple[Stay, ...]:
    """Return where someone stayed, in the order of time.

    Times are the wall clock that the file says; entries without a time or a place on Earth are left out.

    Raises
    ------
    DataError
        If the content is too large, no JSON, no Timeline, or holds no place.
    """
    _require_size(len(content))
    try:
        found: Any = json.loads(content)
    except (ValueError, RecursionError):
        raise DataError(f"The file is no JSON, or damaged. {_HOW}") from None
    progress.tell(0.6, "Reading the places")
    entries = _entries(found)
    progress.require_running()
    stays = sorted(_stays(entries), key=lambda stay: stay.begin)
    if not stays:
        raise DataError(f"The file holds no place with a time. {_HOW}")
    return tuple(stays)


def timeline_from_path(path: Path) -> bytes:
    """Return the content of an export. Raises DataError if it cannot be read or is too large."""
    try:
        _require_size(path.stat().st_size)
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path.name}: {error.strerror or error}. Name one JSON file.") from None


def _require_size(n_bytes: int) -> None:
    if n_bytes > MAX_TIMELINE_MB * 1e6:
        raise DataError(f"The file is larger than {MAX_TIMELINE_MB} MB. Export a shorter time.")


def _entries(found: Any) -> list[dict[str, Any]]:
    if isinstance(found, dict):
        for name in ("semanticSegments", "timelineObjects", "locations"):
            if isinstance(found.get(name), list):
                found = found[name]
                break
    if not isinstance(found, list):
        raise DataError(f"The file is JSON, but no Google Timeline. {_HOW}")
    return [entry for entry in found if isinstance(entry, dict)]


def _stays(entries: Iterable[dict[str, Any]]) -> Iterator[Stay]:
    """Yield the visits; where there are none, the ends of activities; in Records.json, every position."""
    visits, moves = [], []
    for entry in entries:
        visit, activity = entry.get("visit"), entry.get("activity")
        if isinstance(visit, dict):
            if str(visit.get("hierarchyLevel", "0")) == "0":  # above 0: a part of a place, visited meanwhile
                visits.append(_stay(entry, _get(visit, "topCandidate", "placeLocation")))
        elif isinstance(activity, dict):
            moves += [_stay(entry, activity.get(end), at=end) for end in ("start", "end")]
        elif isinstance(entry.get("placeVisit"), dict):
            told = entry["placeVisit"]
            visits.append(_stay(told.get("duration"), told.get("location")))
        elif isinstance(entry.get("activitySegment"), dict):
            told = entry["activitySegment"]
            moves += [
                _stay(told.get("duration"), told.get(f"{end}Location"), at=end) for end in ("start", "end")
            ]
        elif "latitudeE7" in entry:
            visits.append(_stay(entry, entry))
    some = [stay for stay in visits if stay is not None]
    yield from some or (stay for stay in chain(moves) if stay is not None)


def _get(told: Any, *names: str) -> Any:
    for name in names:
        told = told.get(name) if isinstance(told, dict) else None
    return told


def _stay(when: Any, where: Any, *, at: str = "") -> Stay | None:
    begin, end = _time(when, "start"), _time(when, "end")
    if begin is None or end is None:
        begin = end = begin or end or _time(when, "")
    if at:
        begin = end = begin if at == "start" else end
    place = _place(where)
    if begin is None or end is None or place is None:
        return None
    return Stay(min(begin, end), max(begin, end), *place)


def _time(told: Any, which: str) -> datetime | None:
    """Return the wall clock of one of the ways to write a time: with an offset, or milliseconds since 1970."""
    for name in (f"{which}Time", f"{which}Timestamp", f"{which}TimestampMs", "timestamp", "timestampMs"):
        text = _get(told, name)
        if name.startswith("timestamp") and which:
            continue
        if not isinstance(text, str | int):
            continue
        try:
            if name.endswith("Ms"):
                return datetime.fromtimestamp(int(text) / 1000, UTC).replace(tzinfo=None)
            return datetime.fromisoformat(str(text)).replace(tzinfo=None)
        except (ValueError, OverflowError, OSError):
            continue
    return None


def _place(told: Any) -> _Place | None:
    """Return degrees of one of the ways to write a place: numbers times 10⁷, "geo:52.1,13.4" or "52.1°, 13.4°"."""
    if isinstance(told, dict) and "latLng" in told:
        told = told["latLng"]
    if isinstance(told, str):
        numbers = [float(number) for number in _NUMBERS.findall(told)[:2]]
    else:
        numbers = [_degrees(_get(told, name)) for name in ("latitudeE7", "longitudeE7")]
    if len(numbers) < 2 or not (abs(numbers[0]) <= 90 and abs(numbers[1]) <= 180):  # NaN is neither
        return None
    return numbers[0], numbers[1]


def _degrees(told: Any) -> float:
    return told / 1e7 if isinstance(told, int) and not isinstance(told, bool) else math.nan
