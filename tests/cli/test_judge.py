"""`judge`: what analyses find before and after, of a simulated release and of one that was made."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.command_line import Answer


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    """Six hundred people with the trip 1→2, and three hundred of them with 2→3."""
    rows = [
        {"user": user, "time": f"2026-03-03 {hour:02d}:00", "origin": hour - 7, "destination": hour - 6}
        for user in range(600)
        for hour in (8, 9)
        if hour == 8 or user < 300
    ]
    path = tmp_path / "trips.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.fixture
def places(tmp_path: Path) -> Path:
    path = tmp_path / "places.csv"
    path.write_text("zone,lat,lon\n1,45.0,9.0\n2,45.1,9.0\n3,45.2,9.0\n", "utf-8")
    return path


def test_a_simulated_release_is_judged_by_hand(trips: Path, answer: Answer) -> None:
    """Without noise to speak of and a threshold of 400 the flow of 300 is gone: a third of all trips, of zone 2 all."""
    said = answer("judge", trips, "--zones", "column", "--epsilon", 20, "--threshold", 400, "--json")
    found = {one["name"]: one for one in said["analyses"]}
    assert found["total_by_origin"]["before"] == 900
    assert found["total_by_origin"]["error"] == pytest.approx(1 / 3, abs=0.01)
    assert (found["largest_flows"]["before"], found["largest_flows"]["after"]) == (2, 1)
    assert found["order_of_largest"]["error"] == 0
    assert found["distance"]["error"] is None  # nobody said where the zones lie
    assert said["says"][0].startswith("2026-03-02, simulated: Trips by origin are off by 33.")


def test_a_release_that_was_made_is_judged_with_its_unbiased_counts(
    trips: Path, places: Path, tmp_path: Path, answer: Answer
) -> None:
    zones = ("--zones", "column", "--zone-positions", places)
    answer(
        "release", trips, *zones, "--ids", "number", "--noise", "gaussian", "--unbiased", "--epsilon", 10,
        "--max-trips-per-user", 1, "--threshold", 100, "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite",
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    said = answer("judge", trips, *zones, "--on-release", tmp_path / "out", "--json")
    origin = {one["counts"]: one for one in said["analyses"] if one["name"] == "total_by_origin"}
    # 300 people with two trips weigh 1/√2 in each: 300 + 300/√2 and 300/√2, 724.3 of 900; noise is some ±1.
    assert origin["published"]["after"] == pytest.approx(300 + 600 / 2**0.5, abs=15)
    assert origin["published"]["error"] == pytest.approx(1 - (300 + 600 / 2**0.5) / 900, abs=0.02)
    # The noise on the total is wide here: by what was drawn, at least 1 and at most √(100/L) = 10.
    total = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))["totals"]["2026-03-02"]
    by = min(max(total["trips"] / total["counted"], 1), 10)
    assert origin["unbiased"]["after"] == pytest.approx(by * origin["published"]["after"])
    # The smoothed counts are those of the file, rounded there.
    smoothed = pd.read_csv(tmp_path / "out" / "estimates.csv")["smoothed_count"]
    assert origin["smoothed"]["after"] == pytest.approx(smoothed.sum(), abs=0.1)
    refused = answer("judge", trips, *zones, "--on-release", tmp_path / "out", "--epsilon", 1, fails=True)
    assert "epsilon must not be given with --on-release" in refused
