"""One person's Google Timeline export, in any of its layouts -> moves with both ends, or points where it has no more.

Reads bytes that are held in memory and writes nothing. Layouts as told by those who read them:
github.com/CarlosBergillos/LocationHistoryFormat (issue 13 for phones), github.com/Freika/dawarich (issue 2587 for iOS).
Unknown fields are passed over; what cannot be used is counted,
with why. Zones and weeks are not known here.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from privlab.checks import DataError, ParameterError
from privlab.limits import MAX_TIMELINE_MB
from privlab.progress import UNHEARD, Progress

LONGEST_GAP = timedelta(hours=24)  # visits further apart say nothing of a move between them
_EVERY = 20_000  # entries between two words on how far the reading is
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PLACE = re.compile(rf"(?:geo:)?\s*({_NUMBER})\s*°?\s*,\s*({_NUMBER})\s*°?(?:[;?].*)?\s*")
_SPACE = re.compile(r"[ \t\r\n]*")
_LISTS = {  # the list that holds what was seen, by the layout's name
    "semanticSegments": "Timeline.json of a phone",
    "timelineObjects": "Semantic Location History of Takeout",
    "locations": "Records.json of Takeout",
}
_FLAT = "Timeline.json of an iPhone"
_HOW = (
    "Export it on the phone. Android: Settings, Location, Location services, Timeline, Export. iPhone: Google Maps, "
    "Your Timeline, Location and privacy settings, Export Timeline data."
)
_NO_EXPORT = f"The file is JSON, but no Google Timeline. {_HOW}"

Place = tuple[float, float]
Move = tuple[datetime, datetime, float, float, float, float]
Point = tuple[datetime, float, float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimelineExport:
    """What one export says of its person: `moves`, or `points` of a file that has no moves.

    A move is (start, end, origin latitude, origin longitude, destination latitude, destination longitude), a point
    (time, latitude, longitude), in degrees; times are the person's wall clock, without a zone. `entries` counts the
    visits, moves and points of the file, `left_out` those that could not be used, by reason. `clock` says in a
    sentence what the times are.
    """

    layout: str
    moves: tuple[Move, ...]
    points: tuple[Point, ...]
    entries: int
    left_out: dict[str, int]
    clock: str

    @property
    def left_out_words(self) -> str:
        """What was left out, and why, as a sentence; empty where nothing was."""
        if not self.left_out:
            return ""
        n = sum(self.left_out.values())
        return f"Of {self.entries:,} entries {n:,} {'is' if n == 1 else 'are'} left out: {_reasons(self.left_out)}."


def timeline_export_from_bytes(
    content: bytes, *, home_zone: str | None = None, progress: Progress = UNHEARD
) -> TimelineExport:
    """Return the moves, or the points, of one export.

    A move is an activity of the file; where there is none between two visits, the way from one to the next, if they are
    at most `LONGEST_GAP` apart. `home_zone` (such as Europe/Berlin) is the zone of the person's clock, for files that
    give their times in UTC alone; None leaves those in UTC. Raises DataError for anything that is no such export.
    """
    _require_size(len(content))
    clock = _Clock(home_zone)
    try:
        text = content.decode("utf-8-sig")
        layout, entries = _entries(text)
        seen = _Seen(clock)
        add = seen.add_point if layout == _LISTS["locations"] else seen.add_segment
        for number, (entry, share) in enumerate(entries, start=1):
            if number % _EVERY == 0:
                progress.tell(share, "Reading the timeline")
            if isinstance(entry, dict):
                add(entry)
    except DataError:
        raise
    except (ValueError, RecursionError):  # no text, no JSON, JSON that breaks off, nested without end
        raise DataError(f"The file is no JSON, or damaged. {_HOW}") from None
    moves = seen.moves()
    if layout == _FLAT and not seen.n_entries:
        raise DataError(_NO_EXPORT)
    if not moves and not seen.points:
        raise DataError(_nothing_in(seen))
    return TimelineExport(
        layout=layout,
        moves=tuple(moves),
        points=tuple(seen.points),
        entries=seen.n_entries,
        left_out=dict(seen.left_out),
        clock=clock.sentence,
    )


def timeline_from_path(path: Path) -> bytes:
    """Return the content of an export, its size looked at first. Raises DataError if it cannot be read or is too large."""
    try:
        _require_size(path.stat().st_size)
        return path.read_bytes()
    except DataError:
        raise
    except (OSError, ValueError) as error:
        raise DataError(
            f"{path.name[:200]}: {getattr(error, 'strerror', None) or error}. Name one JSON file."
        ) from None


def _require_size(n_bytes: int) -> None:
    if n_bytes > MAX_TIMELINE_MB * 1e6:
        raise DataError(
            f"The file is larger than {MAX_TIMELINE_MB} MB. Export a shorter time, or take one month of Semantic Location History."
        )
    if not n_bytes:
        raise DataError(f"The file is empty. {_HOW}")


def _nothing_in(seen: "_Seen") -> str:
    left = f" (left out: {_reasons(seen.left_out)})" if seen.left_out else ""
    return f"The file holds no trip between two places with a time{left}. {_HOW}"


def _reasons(left_out: Mapping[str, int]) -> str:
    return ", ".join(f"{n:,} {reason}" for reason, n in left_out.items())


def _entries(text: str) -> tuple[str, Iterator[tuple[Any, float]]]:
    """Return the layout, and its entries one by one with the share of the text that is read."""
    start = _after_space(text, 0)
    if text[start : start + 1] == "[":
        return _FLAT, _elements(text, start)
    if text[start : start + 1] != "{":
        if start < len(text):
            json.loads(text)  # says whether it is JSON at all
        raise DataError(_NO_EXPORT if start < len(text) else f"The file is empty. {_HOW}")
    decode, at = json.JSONDecoder().raw_decode, _after_space(text, start + 1)
    while text[at : at + 1] != "}":
        key, at = decode(text, at)
        at = _after_space(text, at)
        if text[at : at + 1] != ":" or not isinstance(key, str):
            raise ValueError
        at = _after_space(text, at + 1)
        if key in _LISTS and text[at : at + 1] == "[":
            return _LISTS[key], _elements(text, at)
        _, at = decode(text, at)
        at = _after_space(text, at)
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != "}":
            raise ValueError
    raise DataError(_NO_EXPORT)


def _elements(text: str, at: int) -> Iterator[tuple[Any, float]]:
    """Yield the elements of the list that begins here, one at a time: the whole of it as objects takes far more room."""
    decode, at = json.JSONDecoder().raw_decode, _after_space(text, at + 1)
    while text[at : at + 1] != "]":
        element, at = decode(text, at)
        yield element, at / len(text)
        at = _after_space(text, at)
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != "]":
            raise ValueError


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


class _Unusable(Exception):
    """Why an entry is left out."""


class _Clock:
    """Reads written times as the person's wall clock, and remembers how they were given."""

    def __init__(self, home_zone: str | None) -> None:
        try:
            self._home = None if home_zone is None else ZoneInfo(home_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ParameterError(
                f"timezone must be a name such as Europe/Berlin, got {home_zone!r}."
            ) from None
        self._name, self._in_utc = home_zone, False

    @property
    def sentence(self) -> str:
        if not self._in_utc:
            return "Times are the person's local time, as the file gives it."
        if self._name is None:
            return "The file gives its times in UTC alone: weeks are counted in UTC."
        return f"The file gives its times in UTC alone: weeks are counted in the time of {self._name}."

    def instant(self, written: object, offset_min: object = None) -> datetime:
        """Return a wall-clock time; `offset_min` are the minutes that local time is ahead of UTC, where given."""
        text = str(written) if isinstance(written, str | int) and not isinstance(written, bool) else ""
        try:
            if text.isdecimal():
                given = datetime.fromtimestamp(int(text) / 1000, tz=UTC)
            else:
                given = datetime.fromisoformat(text)
            if given.tzinfo is None:
                return given
            if isinstance(offset_min, int) and abs(offset_min) <= 18 * 60:
                local = given.astimezone(timezone(timedelta(minutes=offset_min)))
            elif text.isdecimal() or text.upper().endswith("Z"):
                self._in_utc = True
                local = given.astimezone(self._home or UTC)
            else:
                local = given
            return local.replace(tzinfo=None)
        except (ValueError, OverflowError, OSError):
            raise _Unusable("without a time that can be read") from None


class _Seen:
    """Collects visits, activities and points as they stand in a file, in whatever order."""

    def __init__(self, clock: _Clock) -> None:
        self._instant = clock.instant
        self._visits: list[tuple[datetime, datetime, Place]] = []
        self._activities: list[tuple[datetime, datetime, Place, Place]] = []
        self.points: list[Point] = []
        self.left_out: Counter[str] = Counter()
        self.n_entries = 0

    def add_point(self, entry: dict[str, Any]) -> None:
        self.n_entries += 1
        try:
            time = self._instant(entry.get("timestamp", entry.get("timestampMs")))
            self.points.append((time, *_place(entry)))
        except _Unusable as why:
            self.left_out[str(why)] += 1

    def add_segment(self, entry: dict[str, Any]) -> None:
        readers: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
            "visit": self._add_visit,
            "placeVisit": self._add_visit,
            "activity": self._add_activity,
            "activitySegment": self._add_activity,
        }
        for name, add in readers.items():
            inner = entry.get(name)
            if isinstance(inner, dict):
                self.n_entries += 1
                try:
                    add(entry, inner)
                except _Unusable as why:
                    self.left_out[str(why)] += 1

    def _add_visit(self, entry: dict[str, Any], visit: dict[str, Any]) -> None:
        if str(visit.get("hierarchyLevel", 0)) != "0":
            raise _Unusable("visits within another visit")
        begin, end = self._period(entry, visit)
        best = visit.get("topCandidate")
        place = best.get("placeLocation") if isinstance(best, dict) else visit.get("location")
        self._visits.append((begin, end, _place(place, visit)))

    def _add_activity(self, entry: dict[str, Any], activity: dict[str, Any]) -> None:
        begin, end = self._period(entry, activity)
        here = _place(activity.get("start", activity.get("startLocation")))
        there = _place(activity.get("end", activity.get("endLocation")))
        self._activities.append((begin, end, here, there))

    def _period(self, entry: dict[str, Any], inner: dict[str, Any]) -> tuple[datetime, datetime]:
        given = inner.get("duration")
        if isinstance(given, dict):
            begin = self._instant(given.get("startTimestamp", given.get("startTimestampMs")))
            end = self._instant(given.get("endTimestamp", given.get("endTimestampMs")))
        else:
            begin = self._instant(entry.get("startTime"), entry.get("startTimeTimezoneUtcOffsetMinutes"))
            end = self._instant(entry.get("endTime"), entry.get("endTimeTimezoneUtcOffsetMinutes"))
        # Local time goes back by some hours where the person flies west.
        if begin - end > LONGEST_GAP:
            raise _Unusable("that end before they begin")
        return begin, end

    def moves(self) -> list[Move]:
        """Return the activities, and the ways between visits that have no activity between them, by their start."""
        found: list[Move] = [(begin, end, *a, *b) for begin, end, a, b in self._activities]
        visits, starts = sorted(self._visits), sorted(activity[0] for activity in self._activities)
        later = 0
        for (_, left, here), (begin, _, there) in pairwise(visits):
            middle = max(begin, left)
            while later < len(starts) and starts[later] < min(left, begin) - timedelta(minutes=1):
                later += 1
            told = later < len(starts) and starts[later] <= middle
            if here != there and not told and begin - left <= LONGEST_GAP:
                found.append((left, begin, *here, *there))
        return sorted(found)


def _place(*given: object) -> Place:
    """Return latitude and longitude of the first that has them, as numbers in degrees."""
    for one in given:
        pair = _pair(one)
        if pair is not None:
            lat, lon = pair
            if not (-90 <= lat <= 90 and -180 <= lon <= 180):  # NaN as well
                raise _Unusable("with coordinates out of range")
            return lat, lon
    raise _Unusable("without a place")


def _pair(given: object) -> Place | None:
    if isinstance(given, str):
        found = _PLACE.fullmatch(given.strip())
        return None if found is None else (float(found[1]), float(found[2]))
    if not isinstance(given, dict):
        return None
    for name in ("latLng", "point"):
        if isinstance(given.get(name), str):
            return _pair(given[name])
    for names in (("latitudeE7", "longitudeE7"), ("latE7", "lngE7"), ("centerLatE7", "centerLngE7")):
        ends = [given.get(name) for name in names]
        if all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
            lat, lon = (end / 1e7 if abs(end) < 1e12 else float("nan") for end in ends)  # type: ignore[operator,arg-type]
            return lat, lon
    return None
