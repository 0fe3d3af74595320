"""`release --levels`: districts by a column of the zone file, by blocks, by hexagons; refused where they cannot be."""

from pathlib import Path

import pandas as pd
import pytest

from tests.command_line import Answer


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    """Nine hundred people with one trip each, between four zones on a square."""
    rows = [
        {"user": user, "time": "2026-03-03 08:00", "origin": user % 4, "destination": (user + 1) % 4}
        for user in range(900)
    ]
    path = tmp_path / "trips.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.fixture
def places(tmp_path: Path) -> Path:
    path = tmp_path / "places.csv"
    path.write_text(
        "zone,lat,lon,district,Region,note\n0,45.0,9.0,west,1,\n1,45.0,9.1,east,1,x\n2,45.1,9.0,west,1,\n3,45.1,9.1,east,2,\n",
        "utf-8",
    )
    return path


def words_of(trips: Path, places: Path, tmp_path: Path, levels: str, *more: object) -> tuple[object, ...]:
    return (
        "release", trips, "--zones", "column", "--zone-positions", places, "--ids", "number", "--noise", "gaussian",
        "--epsilon", 4, "--max-trips-per-user", 2, "--threshold", 0, "--week", "2026-03-02", "--ledger",
        tmp_path / "l.sqlite", "--levels", levels, *more, "--json",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("levels", "names"), [("district", {"east", "west"}), ("blocks:2", {"1-1", "1-2", "2-1", "2-2"})]
)
def test_sums_by_a_column_or_by_blocks_verify(
    levels: str, names: set[str], trips: Path, places: Path, tmp_path: Path, answer: Answer
) -> None:
    words = words_of(trips, places, tmp_path, levels)
    said = answer(*words, "--preview")
    assert "whose sums are counted too" in said["statement"]
    made = answer(*words, "--out", tmp_path / "out")
    sums = pd.read_csv(tmp_path / "out" / "levels.csv")
    assert set(sums["origin"]) == names
    assert set(sums["level"]) == {levels}
    assert answer("verify", tmp_path / "out" / "certificate.json", "--json")["holds"]
    if levels == "district":  # 0→1 and 2→3 go from west to east: 450 people, noise of some ±5
        (east,) = sums[(sums["origin"] == "west") & (sums["destination"] == "east")]["agreed_count"]
        assert east == pytest.approx(450, abs=60)
    assert made["spent_epsilon"] == 4


def test_what_is_refused_says_why(trips: Path, places: Path, tmp_path: Path, answer: Answer) -> None:
    sentences = {
        "county": "its columns are Region, district, note",
        "note": "column 'note' of the zone file has none for 0",
        "Region,district": "levels must go from small to large",
        "h3:5": "go with zones that are H3 hexagons",
        "blocks:x": "blocks:N with N from 2",
        "district,district": "named once each",
    }
    for levels, sentence in sentences.items():
        assert sentence in answer(*words_of(trips, places, tmp_path, levels, "--preview"), fails=True)
    integer = [
        word if word != "gaussian" else "integer" for word in words_of(trips, places, tmp_path, "district")
    ]
    assert "levels must be left out with noise integer" in answer(*integer, "--preview", fails=True)
    keep = words_of(trips, places, tmp_path, "district", "--clip", "keep", "--preview")
    assert "levels must be 0 with clip keep" in answer(*keep, fails=True)


def test_hexagons_in_larger_ones(tmp_path: Path, answer: Answer) -> None:
    rows = [
        {
            "user": user,
            "time": f"2026-03-03 {hour:02d}:05",
            "lat": 45.0 + (user + hour) % 3 / 20,
            "lon": 9.0 + hour % 2 / 20,
        }
        for user in range(60)
        for hour in (8, 9)
    ]
    data = tmp_path / "records.csv"
    pd.DataFrame(rows).to_csv(data, index=False)
    answer(
        "release", data, "--zones", "h3:6", "--box", "44.95,8.95,45.15,9.1", "--noise", "gaussian", "--epsilon", 4,
        "--max-trips-per-user", 2, "--threshold", 0, "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite",
        "--levels", "h3:5,h3:4", "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    sums = pd.read_csv(tmp_path / "out" / "levels.csv")
    assert set(sums["level"]) == {"h3:5", "h3:4"}
    assert answer("verify", tmp_path / "out" / "certificate.json", "--json")["holds"]
