"""From rows to unique trips: what is left after each step, against the hand-drawn world."""

import json
from pathlib import Path

from tests.command_line import Run


def test_the_funnel_of_the_hand_drawn_world_against_hand(cli: Run, world_csv: Path) -> None:
    code, out, _ = cli("describe", str(world_csv), "--zones", "column", "--json")
    assert code == 0
    funnel = json.loads(out)["funnel"]
    # Hours: Anna 6, Ben 4, Cleo 2. Hours that follow on one another: Anna 3, Ben 3, Cleo 1; all are moves.
    assert [(one["step"], one["count"]) for one in funnel] == [
        ("rows", 15),
        ("records kept", 15),
        ("records in zones", 15),
        ("hours", 12),
        ("moves and stays", 7),
        ("trips", 7),
        ("unique trips", 6),
    ]
    assert all(one["reason"] for one in funnel)


def test_the_funnel_of_trips_against_hand(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "trips.csv"
    path.write_text(
        "user,time,origin,destination\n"
        "a,2026-03-02 08:00,1,2\n"
        "a,2026-03-03 08:00,1,2\n"
        "a,2026-03-03 09:00,2,2\n"
        "b,not a time,1,2\n",
        "utf-8",
    )
    _, out, _ = cli("describe", str(path), "--zones", "column", "--json")
    funnel = {one["step"]: (one["count"], one["reason"]) for one in json.loads(out)["funnel"]}
    assert {step: count for step, (count, _) in funnel.items()} == {
        "rows": 4,
        "trip rows kept": 3,
        "trip rows in zones": 3,
        "trips": 2,
        "unique trips": 1,
    }
    assert "unparsable time" in funnel["trip rows kept"][1]
    assert funnel["trip rows in zones"][1] == "all of them"  # nothing lies outside


def test_who_is_never_inside_the_zones_is_counted_against_hand(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    path.write_text(
        "user,time,lat,lon\n"
        "a,2026-03-02 08:00,10.1,10.1\n"
        "a,2026-03-02 09:00,10.9,10.9\n"
        "b,2026-03-02 08:00,10.1,10.1\n"
        "b,2026-03-02 09:00,20.0,20.0\n"  # one row outside, one inside
        "c,2026-03-02 08:00,20.0,20.0\n",
        "utf-8",
    )
    _, out, _ = cli("describe", str(path), "--zones", "box:10,10,11,11:2x2", "--json")
    reasons = {one["step"]: one["reason"] for one in json.loads(out)["funnel"]}
    assert (
        reasons["records in zones"]
        == "the rest lies outside the zones; 1 of 3 users has no row inside: no count has them"
    )
