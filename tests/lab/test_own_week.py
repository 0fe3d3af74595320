"""One's own week: unique trips counted by hand, and the attack on them from SCIENCE's table (docs/science.md, 2.3)."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from privlab.checks import DataError
from privlab.lab import OwnWeeks, own_weeks_from_timeline


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
    with pytest.raises(DataError, match="no trip between two zones"):
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
