"""The commands unicity and glove: one JSON object, figures worked by hand, a file that holds by itself."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pyproj
import pytest

from privlab.checks import BoundViolation
from privlab.fingerprints.glove import published
from privlab.fingerprints.glove.published import verification_from_table
from privlab.releases.writing import csv_from_table
from privlab.safe_text import readable_csv
from tests.command_line import Answer


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """a and b are together at minute 0, b and c at minute 90 (c 300 m east of b); d is 30 km away throughout."""
    rows = [
        ("a", 0, 0),
        ("a", 60, 0),
        ("b", 0, 0),
        ("b", 90, 0),
        ("c", 90, 300),
        ("d", 0, 30_000),
        ("d", 90, 30_000),
    ]
    frame = pd.DataFrame(rows, columns=["user_id", "minute", "x"])
    frame["timestamp"] = pd.Timestamp("2026-03-02") + pd.to_timedelta(frame.pop("minute"), unit="min")
    path = tmp_path / "town.csv"
    frame.assign(y=0.0).to_csv(path, index=False)
    return path


def test_unicity_against_hand(answer: Answer, town: Path) -> None:
    result = answer("unicity", town, "--points", "2..3", "--level", "0.1-1,1-120", "--seed", 1, "--json")
    assert (result["users"], result["traces"], result["every_user"], result["records"]) == (4, 4, True, 7)
    fine, coarse = result["levels"]
    # With all samples known everybody is alone; at 1 km and two hours a, b and c are one.
    assert (fine["level"], coarse["level"]) == ("0.1-1", "1-120")
    assert [fine["points"][p]["share"] for p in ("2", "3")] == [1, 1]
    assert [coarse["points"][p]["share"] for p in ("2", "3")] == [0.25, 0.25]
    assert (coarse["points"]["2"]["alone"], coarse["points"]["2"]["short"]) == (1, 4)
    low, high = (coarse["points"]["2"][name] for name in ("low", "high"))
    assert low < 0.25 < high


def test_most_visited_places_against_hand(answer: Answer, town: Path) -> None:
    words = ("unicity", town, "--points", 1, "--level", "0.1-1,1-120")
    assert "places" not in answer(*words, "--json")
    fine, coarse = answer(*words, "--places", "1", "--json")["places"]
    # a and b are always in one and the same place, c 300 m away, d 30 km. At 1 km only d is alone.
    assert coarse == {"level": "1-120", "places": 1, "alone_as_set": 0.25, "alone_in_order": 0.25, "short": 0}
    assert fine["alone_as_set"] == fine["alone_in_order"] == 0.5
    assert answer(*words, "--places", 2).splitlines()[-1].split("\t")[:3] == ["1-120", "2", "0.25"]
    assert "places must be" in answer(*words, "--places", "0", fails=True)


def test_the_law_of_unicity_needs_three_levels_and_says_how_far_it_is_off(answer: Answer, town: Path) -> None:
    words = ("unicity", town, "--points", 1, "--json")
    assert answer(*words, "--level", "0.1-1,1-120")["laws"] == []
    (law,) = answer(*words, "--level", "0.1-1,1-120,20-480")["laws"]
    assert law["low"] <= law["exponent"] <= law["high"]
    assert (law["points"], law["levels"], law["levels_without"]) == (1, 3, 0)
    assert law["off_by"] >= 1


def test_unicity_by_a_seed_and_as_lines(answer: Answer, town: Path) -> None:
    words = ("unicity", town, "--points", 1, "--draws", 2, "--json")
    results = [answer(*words, "--seed", seed) for seed in range(12)]
    assert results[3] == answer(*words, "--seed", 3)
    assert not results[0]["every_user"]
    # One of a's two samples is b's too, one of b's is nobody else's, c and d are alone: the draw decides.
    assert len({one["levels"][0]["points"]["1"]["share"] for one in results}) > 1
    lines = answer("unicity", town, "--points", "1,4").splitlines()
    assert lines[-2].split("\t")[:2] == ["0.1-1", "1"]
    assert lines[-1].split("\t")[:3] == ["0.1-1", "4", "1"]


def test_glove_writes_what_holds_by_itself(answer: Answer, town: Path, tmp_path: Path) -> None:
    out = tmp_path / "hidden.parquet"
    result = answer("glove", town, "--k", 2, "--out", out, "--json")
    assert (result["groups"], result["samples"], result["suppressed_samples"]) == (2, 7, 0)
    assert all(result["verified"].values())
    assert result["fewest_sharing"] == 2
    table = pq.read_table(out)
    assert (table.num_rows, verification_from_table(table, 2).holds) == (result["rows"], True)
    # a and b are closest (once together, once 30 minutes apart); c, 300 m east, is left to d, 30 km east.
    assert (table["width_m"].to_numpy().max(), table["duration_min"].to_numpy().max()) == (29_800, 91)
    assert not {"a", "b", "c", "d"} & {str(value) for row in table.to_pylist() for value in row.values()}
    words = ("glove", town, "--out", out, "--suppress-km", 15, "--suppress-min", 360, "--json")
    strict = answer(*words)
    assert (strict["discarded_users"], strict["suppressed_share"]) == (2, 3 / 7)
    assert strict["share_within_km"]["20"] == 1
    left = pq.read_table(out)
    assert (left.num_rows, left["width_m"].to_numpy().max(), left["duration_min"].to_numpy().max()) == (
        4,
        100,
        31,
    )
    assert answer("glove", town, "--k", 4, "--out", out).startswith("records: 7")


def test_glove_answers_the_same_bytes_each_time(answer: Answer, town: Path, tmp_path: Path) -> None:
    words = ("glove", town, "--k", 2, "--out", tmp_path / "hidden.parquet")
    assert answer(*words) == answer(*words)


def test_rows_as_text_lie_on_the_map_by_their_own_words(answer: Answer, tmp_path: Path) -> None:
    """By pyproj, from the file alone: people 300 m apart lie in the boxes, which reach east and north from x_m, y_m."""
    places = {"a": (45.0000, 9.0000), "b": (45.0027, 9.0000), "c": (45.2000, 9.3000), "d": (45.2027, 9.3000)}
    rows = [(user, f"2026-03-02 08:{minute:02d}", *at) for user, at in places.items() for minute in (0, 30)]
    path = tmp_path / "town.csv"
    pd.DataFrame(rows, columns=["user", "time", "lat", "lon"]).to_csv(path, index=False)
    answer("glove", path, "--k", 2, "--out", tmp_path / "hidden.parquet")
    text = readable_csv(csv_from_table(pq.read_table(tmp_path / "hidden.parquet"))).decode()
    first, *lines = text.splitlines()
    assert first == (
        "# privlab: every user shares all rows with at least 1 other (k-anonymity, GLOVE) (pandas.read_csv reads it with comment='#')"
    )
    said = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("#"))
    assert said["boxes"].startswith("x_m and y_m are the south-west corner of a box and not its middle")
    assert said["limits"].startswith(
        "no noise and no differential privacy: what all of a group have in common is told of each"
    )
    boxes = pd.read_csv(io.StringIO(text), comment="#")
    assert len(boxes) == 8
    whole = pyproj.Transformer.from_crs("EPSG:4326", said["projection"], always_xy=True)
    for lat, lon in places.values():
        x, y = whole.transform(lon, lat)
        inside = boxes["x_m"].le(x) & boxes["y_m"].le(y)
        inside &= (boxes["x_m"] + boxes["width_m"]).gt(x) & (boxes["y_m"] + boxes["height_m"]).gt(y)
        assert inside.sum() == 4  # two of each of the two who share them
    assert (boxes["height_m"] >= 300).all()


def test_nothing_is_written_that_does_not_hold(
    answer: Answer, town: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = published.table_from_hidden_groups
    monkeypatch.setattr(published, "table_from_hidden_groups", lambda groups: whole(groups).slice(1))
    out = tmp_path / "hidden.parquet"
    with pytest.raises(BoundViolation, match="What would be published does not hold"):
        answer("glove", town, "--out", out)
    assert not out.exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("unicity", "--points", "0"), "points must be between 1 and 1,000"),
        (("unicity", "--points", "ten"), "points must be whole numbers such as"),
        (("unicity", "--draws", 0), "draws must be between 1 and"),
        (("unicity", "--level", "1"), "level must be KM-MIN"),
        (("glove", "--k", 5), "k must be at most the number of users, 4, got 5"),
        (("glove", "--k", 1), "k must be between 2 and"),
        (("glove", "--suppress-km", 0), "suppress_km must be between 0.1 and"),
        (("glove", "--workers", 0), "workers must be between 1 and"),
        (("glove", "--out", "hidden.csv"), "out must end in .parquet"),
    ],
)
def test_bad_words_iv(
    answer: Answer, town: Path, tmp_path: Path, words: tuple[Any, ...], sentence: str
) -> None:
    out = () if words[0] == "unicity" or "--out" in words else ("--out", tmp_path / "hidden.parquet")
    assert sentence in answer(words[0], town, *words[1:], *out, fails=True)
    assert not list(tmp_path.glob("*.parquet"))


def test_data_without_coordinates_iv(answer: Answer, world: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "world.csv"
    world.to_csv(path, index=False)
    assert "fingerprints need distances" in answer("unicity", path, fails=True)


def test_figures_do_not_depend_on_the_order_of_rows(answer: Answer, town: Path, tmp_path: Path) -> None:
    turned = tmp_path / "turned.csv"
    frame = pd.read_csv(town)
    frame.iloc[np.arange(len(frame))[::-1]].to_csv(turned, index=False)
    files = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    for path, out in zip((town, turned), files, strict=True):
        answer("glove", path, "--k", 2, "--out", out)
    assert pq.read_table(files[0]).equals(pq.read_table(files[1]))
