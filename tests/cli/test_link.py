"""The command link: one JSON object, a world by hand, one sentence on bad input."""

from pathlib import Path

import pandas as pd
import pytest

from tests.command_line import Answer, Run


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """Two who keep to places of their own for two days, and two who swap theirs, 1 km from one another."""
    places = {"a": "11", "b": "22", "c": "34", "d": "43"}
    rows = [
        (user, pd.Timestamp("2026-03-02 08:00") + pd.Timedelta(days=day), 1000.0 * int(place), 0.0)
        for user, own in places.items()
        for day, place in enumerate(own)
    ]
    pd.DataFrame(rows, columns=["user_id", "timestamp", "x", "y"]).to_csv(tmp_path / "town.csv", index=False)
    return tmp_path / "town.csv"


def test_link_against_hand(answer: Answer, town: Path) -> None:
    result = answer("link", town, "--level", "0.1-1,20-480", "--json")
    assert (result["users"], result["records"], result["controls"]) == (4, 8, [])
    fine, coarse = result["links"]
    assert fine | {"low": 0, "high": 0} == {
        "level": "0.1-1",
        "days": 1,
        "candidates": 4,
        "sought": 4,
        "right": 2.0,
        "share": 0.5,
        "low": 0,
        "high": 0,
        "chance": 0.25,
        "tied": 0,
    }
    assert 0 < fine["low"] < 0.5 < fine["high"] < 1
    assert (coarse["right"], coarse["tied"]) == (1.0, 4)  # all are in one cell: each right by a quarter
    fewer = answer("link", town, "--query-users", 3, "--control", "users:3", "--json")
    assert (fewer["users"], fewer["links"][0]["sought"]) == (3, 3)
    assert "3 people are left" in fewer["notes"][0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--days", "2"), "days must be at most 1, half of the days of the data, got 2"),
        (("--days", "a week"), "counts must be whole numbers"),
        (("--control", "days:1"), "less than two days"),
    ],
)
def test_what_cannot_be_linked_gets_one_sentence(
    cli: Run, town: Path, words: tuple[str, ...], sentence: str
) -> None:
    code, _, err = cli("link", town, *words)
    assert code == 2
    assert sentence in err
