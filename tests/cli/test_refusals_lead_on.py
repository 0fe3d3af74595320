"""Legal options that do not go together: what is refused is named as it was typed, and the sentence says what to do."""

from pathlib import Path

import pandas as pd
import pytest

from tests.command_line import Answer, Run


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    """Forty people in each of two weeks from zone 1 to zone 2; nobody says where the zones lie."""
    rows = [
        {"user": user, "time": f"2026-03-{day:02d} 08:00", "origin": 1, "destination": 2}
        for user in range(40)
        for day in (3, 10)
    ]
    path = tmp_path / "trips.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("words", "typed"),
    [
        (("--product", "flows-by-slot", "--noise", "gaussian", "--unbiased", "--out", "x"), "unbiased"),
        (("--compare", "--mechanism", "gaussian, l2, unbiased"), "mechanism"),
    ],
)
def test_a_total_of_cells_found_in_the_data_is_refused_by_what_was_typed(
    words: tuple[str, ...], typed: str, trips: Path, answer: Answer
) -> None:
    said = answer(
        "od", trips, "--zones", "column", "--epsilon", 1, "--max-trips-per-user", 2, *words, fails=True
    )
    assert said.startswith(f"{typed} must be without a total where the zones are known from the data only")
    assert "zone positions" in said
    assert "cells" not in said  # of which `od` has no option


def test_a_release_of_proposed_zones_is_told_where_they_are_said(tmp_path: Path, answer: Answer) -> None:
    path = tmp_path / "gps.csv"
    pd.DataFrame({"user": [1], "time": ["2026-03-03 08:00"], "lat": [45.0], "lon": [9.0]}).to_csv(
        path, index=False
    )
    said = answer(
        "release", path, "--zones", "proposed", "--epsilon", 1, "--max-trips-per-user", 2, "--week", "2026-03-02", "--preview", "--ledger",
        tmp_path / "ledger.sqlite", fails=True,
    )  # fmt: skip
    assert said.startswith("zones must be named, got 'proposed'")
    assert "describe --zones proposed" in said


def test_weeks_are_spoken_of_where_one_was_named(tmp_path: Path, trips: Path, answer: Answer) -> None:
    words = ("--zones", "column", "--product", "flows-by-slot", "--epsilon", 1, "--max-trips-per-user", 2)
    still = tmp_path / "still.csv"
    pd.DataFrame({"user": [1], "time": ["2026-03-03 08:00"], "zone": [1]}).to_csv(still, index=False)
    assert "still.csv has nobody to count. Do the zones fit" in answer(
        "od", still, *words, "--out", tmp_path, fails=True
    )
    named = answer("od", trips, *words, "--week", "2026-04-06", "--out", tmp_path, fails=True)
    assert "has nobody to count in the week of 2026-04-06." in named


def test_the_largest_epsilon_is_judged_over_two_weeks(trips: Path, answer: Answer) -> None:
    """ε = 20 is allowed, and what it claims is e²⁰/(1 + e²⁰) however many weeks are judged."""
    words = (
        "risk",
        trips,
        "--zones",
        "column",
        "--noise",
        "gaussian",
        "--epsilon",
        20,
        "--max-trips-per-user",
        5,
    )
    found = answer(*words, "--week", "2026-03-02", "--week", "2026-03-09", "--json")
    assert found["claimed_bound"] == pytest.approx(1 - 2.0611536e-9, abs=1e-15)


def test_a_budget_that_no_delta_makes_large_enough_is_not_offered(
    trips: Path, tmp_path: Path, answer: Answer, cli: Run
) -> None:
    """Three releases with δ = ½ add up to 1½; a chance is at most 1, and `set-budget` takes no more."""
    ledger = ("--ledger", tmp_path / "ledger.sqlite")
    places = tmp_path / "places.csv"
    places.write_text("zone,lat,lon\n1,45.0,9.0\n2,45.1,9.0\n", "utf-8")
    words = (
        "release", trips, "--zones", "column", "--zone-positions", places, "--ids", "number", "--noise", "gaussian", "--epsilon", 1,
        "--delta", 0.5, "--max-trips-per-user", 2, "--threshold", 5, "--week", "2026-03-02", "--accept-delta", "a test",
        "--accept-made-up", "a test", *ledger,
    )  # fmt: skip
    for name in ("one", "two", "three"):
        spent = answer(*words, "--out", tmp_path / name, "--json")["spent_delta"]
    assert spent == 1
    answer("ledger", "set-budget", trips, "--epsilon", 30, *ledger)
    code, _, said = cli(*words, "--out", tmp_path / "four")
    assert code == 2
    assert "delta must be at most 0, what is left of this data's budget of 0, got 0.5." in said
    assert "no budget has more than 1" in said
    assert "--delta 2" not in said


def test_a_folder_named_as_second_file_is_named_in_the_refusal(trips: Path, answer: Answer) -> None:
    assert answer("describe", trips, "--join", ".", fails=True) == ". cannot be opened: Is a directory.\n"


def test_columns_that_no_name_tells_are_asked_for_as_a_command_takes_them(
    tmp_path: Path, answer: Answer
) -> None:
    path = tmp_path / "letters.csv"
    path.write_text("who,a,b\n1,45,9\n", encoding="utf-8")
    said = answer("describe", path, fails=True)
    assert "Say which columns these are." in said
    assert said.endswith("To name a column: --column MEANING=COLUMN, as in --column user_id=who.\n")


def test_files_of_other_columns_are_joined_as_the_refusal_says(tmp_path: Path, answer: Answer) -> None:
    """Points of journeys, and whose journeys they were, in one folder: two people."""
    (tmp_path / "points.csv").write_text(
        "journey,time,lat,lon\n" + "".join(f"{n},2026-03-02 0{n}:15,45,9\n" for n in (7, 8, 9)),
        encoding="utf-8",
    )
    (tmp_path / "journeys.csv").write_text("id,phone\n7,ann\n8,ben\n9,ann\n", encoding="utf-8")
    said = answer("describe", tmp_path, fails=True)
    assert said.endswith(
        "Where one says more of the other's rows: FILE --join OTHER --join-on COLUMN=COLUMN.\n"
    )
    joined = ("--join", tmp_path / "journeys.csv", "--join-on", "journey=id")
    assert answer("describe", tmp_path / "points.csv", *joined, "--json")["users"] == 2
