"""Zone ids in text, and a week or a release of which nothing is published: columns of text all the same, as Parquet is read."""

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.command_line import Answer


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    """Forty people from one named zone to another in one week, one person in the next."""
    rows = [
        {"user": user, "time": "2026-03-03 08:00", "origin": "Old Town", "destination": "Harbour"}
        for user in range(40)
    ]
    rows.append({"user": 0, "time": "2026-03-10 08:00", "origin": "Harbour", "destination": "Old Town"})
    path = tmp_path / "trips.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    "words", [(), ("--noise", "gaussian", "--max-trips-per-user", 2), ("--product", "visits", "--max-trips-per-user", 2)]
)  # fmt: skip
def test_a_week_of_which_nothing_is_published_stands_beside_one_that_is(
    words: tuple[object, ...], trips: Path, tmp_path: Path, answer: Answer
) -> None:
    """Noise at ε = 20 is below one trip: the forty are published from 20 on, the one is not."""
    words = ("od", trips, "--zones", "column", "--epsilon", 20, *words)
    for threshold, published in ((20, {"2026-03-02"}), (90, set())):
        answer(*words, "--threshold", threshold, "--out", tmp_path / "out")
        table = pq.read_table(tmp_path / "out" / "simulated_release.parquet")
        assert {str(week) for week in table["week"].to_pylist()} == published
        zones = ["zone"] if "--product" in words else ["origin", "destination"]
        assert {str(table.schema.field(name).type) for name in zones} == {"string"}


@pytest.mark.parametrize("product", ["flows", "flows-by-slot", "visits"])
def test_an_empty_release_of_named_zones_verifies(
    product: str, trips: Path, tmp_path: Path, answer: Answer
) -> None:
    made = answer(
        "release", trips, "--zones", "column", "--ids", "text", "--cells", "discovered", "--product", product, "--epsilon", 20,
        "--max-trips-per-user", 1, "--threshold", 500, "--week", "2026-03-02", "--accept-made-up", "a test",
        "--ledger", tmp_path / "ledger.sqlite", "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    assert made["utility"]["published_cells"] == 0
    assert answer("verify", tmp_path / "out", "--json")["holds"]


@pytest.mark.parametrize(("threshold", "is_nothing"), [(20, False), (500, True)])
def test_of_weeks_of_which_one_is_published_it_is_not_said_that_nothing_is(
    threshold: int, is_nothing: bool, trips: Path, answer: Answer
) -> None:
    """At ε = 20 forty people of the first week reach a threshold of 20; the one of the second does not."""
    said = answer(
        "risk", trips, "--zones", "column", "--epsilon", 20, "--threshold", threshold, "--week", "2026-03-02", "--week", "2026-03-09", "--json"
    )["says"]  # fmt: skip
    assert said.startswith("Nothing is published") is is_nothing
    assert ("your largest flow has 40 people" in said) is is_nothing
