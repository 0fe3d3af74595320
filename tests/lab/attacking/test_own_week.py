"""One's own week: unique trips counted by hand, and the attack on them from SCIENCE's table (docs/science.md, 2.3)."""

import json
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.lab.attacking import OwnWeeks, own_weeks_from_timeline
from tests.datasets.files import timelines_by_hand as hand


def timeline(*stays: tuple[str, float, float]) -> bytes:
    """Return an export in which each stay lasts until the next begins, an hour before for the way."""
    told = []
    for (begin, lat, lon), (end, _, _) in pairwise([*stays, ("2026-12-31T00:00:00+01:00", 0.0, 0.0)]):
        where = {"topCandidate": {"placeLocation": {"latLng": f"{lat}°, {lon}°"}}}
        told.append({"startTime": begin, "endTime": end, "visit": where})
    return json.dumps({"semanticSegments": told}).encode()


A, B, C = (52.52, 13.40), (52.45, 13.30), (52.60, 13.50)
WEEKS = timeline(
    ("2026-03-02T00:00:00+01:00", *A),
    ("2026-03-02T08:00:00+01:00", *B),
    ("2026-03-02T18:00:00+01:00", *A),
    ("2026-03-03T08:00:00+01:00", *B),  # again: no other unique trip
    ("2026-03-03T12:00:00+01:00", B[0] + 1e-5, B[1]),  # round the corner, in the same zone: no trip
    ("2026-03-08T23:30:00+01:00", *C),  # on Sunday by the clock there, on Sunday too in UTC
    ("2026-03-09T00:30:00+01:00", *A),  # on Monday there, still Sunday in UTC
)


def test_unique_trips_of_each_week_by_hand() -> None:
    # First week: A→B, B→A, B→C. Second, by the file's own clock: C→A.
    assert own_weeks_from_timeline(WEEKS) == OwnWeeks(
        unique_trips=(("2026-03-02", 3), ("2026-03-09", 1)), n_trips=5
    )
    own = own_weeks_from_timeline(WEEKS)
    assert (own.heaviest, own.median) == ("2026-03-02", 2.0)


def test_a_file_without_a_trip_says_so() -> None:
    with pytest.raises(DataError, match="no trip between two"):
        own_weeks_from_timeline(timeline(("2026-03-02T00:00:00+01:00", *A)))


def test_thirty_two_unique_trips_are_95_5_of_100(
    cli: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    # From one place to 16 others and back, a degree apart: 32 unique trips. docs/science.md, 2.3: 0.955224.
    stays = [("2026-03-02T00:00:00Z", 0.0, 0.0)]
    for n in range(16):
        stays += [(f"2026-03-03T{n:02}:00:00Z", 10.0 + n, 20.0), (f"2026-03-03T{n:02}:30:00Z", 0.0, 0.0)]
    path = tmp_path / "Timeline.json"
    path.write_bytes(timeline(*stays))
    code, out, _ = cli("triangle", path, "--epsilon", 0.66, "--json")
    told = json.loads(out)
    assert code == 0
    assert told["heaviest"]["unique_trips"] == 32
    assert told["heaviest"]["accuracy"] == pytest.approx(0.955224, abs=1e-6)


def test_every_layout_gives_the_same_weeks_by_hand() -> None:
    """The third trip sets out on Sunday and arrives on Monday: trips are dated by their arrival (docs/science.md, 2.1)."""
    for told in (hand.android(), hand.iphone(), hand.takeout()):
        own = own_weeks_from_timeline(hand.as_bytes(told), home_zone="Europe/Berlin")
        assert own.unique_trips == (("2026-03-02", 2), ("2026-03-09", 1))
    in_utc = own_weeks_from_timeline(hand.as_bytes(hand.takeout()))
    assert in_utc.unique_trips == (("2026-03-02", 3),)  # there it arrives on Sunday
    assert "UTC" in in_utc.clock
    assert in_utc.left_out == ""


def test_entries_that_cannot_be_used_are_told_by_hand() -> None:
    told = hand.android()
    told["semanticSegments"].append(
        {"startTime": "yesterday", "endTime": "now", "visit": {"topCandidate": {}}}
    )
    own = own_weeks_from_timeline(hand.as_bytes(told))
    assert own.left_out == "Of 8 entries 1 is left out: 1 without a time that can be read."


def test_points_become_trips_by_the_hourly_vote_by_hand() -> None:
    """Home to work and back; points on the way, fewer in each hour than at its place, are no trips of their own."""
    told = hand.records()
    told["locations"] += [
        {"timestamp": f"2026-03-02T08:{minute}:00Z"} | hand.e7((52.5 - 0.02 * n, 13.4 - 0.08 * n))
        for n, minute in enumerate(("40", "45", "50", "55"))
    ]
    told["locations"] += [{"timestamp": f"2026-03-02T08:1{n}:00Z"} | hand.e7(hand.HOME) for n in range(3)]
    assert own_weeks_from_timeline(hand.as_bytes(told)).unique_trips == (("2026-03-02", 2),)


def test_nothing_of_a_timeline_is_written_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nowhere to write to: the folder for temporary files, and the one worked in, are gone."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setattr(tempfile, "tempdir", str(gone))
    for told in (hand.android(), hand.records()):
        assert own_weeks_from_timeline(hand.as_bytes(told)).n_trips
