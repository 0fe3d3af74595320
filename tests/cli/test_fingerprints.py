"""The command kgap: one JSON object and a file of one row per user, level and k."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from privlab.cli.printing.progress_lines import progress_lines
from tests.command_line import Answer

COLUMNS = [
    "user_id",
    "level",
    "k",
    "kgap",
    "temporal_share",
    "gini",
    "gini_spatial",
    "gini_temporal",
    "tail_weight",
    "tail_weight_spatial",
    "tail_weight_temporal",
    "mean_km",
    "mean_min",
]


@pytest.fixture
def town(tmp_path: Path) -> Path:
    """Three on one spot at 0, 48 and 144 min, one of them seen twice; the fourth is 30 km away at minute 0."""
    path = tmp_path / "town.csv"
    rows = [("a", 0, 0.0), ("b", 48, 0.0), ("c", 144, 0.0), ("c", 144, 50.0), ("d", 0, 30_000.0)]
    frame = pd.DataFrame(rows, columns=["user_id", "minute", "x"])
    frame["timestamp"] = pd.Timestamp("2026-03-02") + pd.to_timedelta(frame.pop("minute"), unit="min")
    frame.assign(y=0.0).to_csv(path, index=False)
    return path


def test_a_table_to_read_has_each_figure_under_its_name_by_hand(answer: Answer, town: Path) -> None:
    """2-gaps of 0.05, 0.05, 0.1 and 0.5; of the nearest three are 48, 48 and 96 min away in the same place, and one 20 km at no time."""
    lines = answer("kgap", town, "--level", "0.1-1", "--k", "2", "--workers", 1).splitlines()
    at = lines.index("levels:")
    row = dict(zip(lines[at + 1].split("\t"), lines[at + 2].split("\t"), strict=True))
    assert row == {
        "level": "0.1-1", "k": "2", "mean": "0.175", "median": "0.075", "share at zero": "0", "mean km": "0", "mean min": "48",
        "temporal share": "1",
    }  # fmt: skip


def test_kgap_against_hand(answer: Answer, town: Path, tmp_path: Path) -> None:
    out = tmp_path / "gaps.parquet"
    words = ("--level", "0.1-1,20-480", "--k", "2,4,5", "--workers", 2, "--out", out, "--json")
    result = answer("kgap", town, *words)
    fine, coarse = result["levels"]
    assert (fine["level"], fine["users"], fine["mean_samples"], fine["share_equal_length_pairs"]) == (
        "0.1-1",
        4,
        1,
        1,
    )
    # 2-gaps: a, b 48 min; c 96 min; d is a whole 20 km from a. 48 min are 0.05.
    assert fine["k"]["2"]["mean"] == pytest.approx((0.05 + 0.05 + 0.1 + 0.5) / 4)
    assert fine["k"]["2"]["share_at_zero"] == 0
    assert fine["k"]["5"] | {"medians": 0, "undefined": 0} == {
        "mean": None,
        "share_at_zero": None,
        "quantiles": dict.fromkeys(("0.05", "0.25", "0.5", "0.75", "0.95")),
        "medians": 0,
        "undefined": 0,
        "share_mostly_temporal": None,
    }
    # All on one spot fall together; d is still a cell away.
    assert coarse["k"]["2"]["share_at_zero"] == 0.75
    table = pd.read_parquet(out)
    assert list(table.columns) == COLUMNS
    assert len(table) == 4 * 2 * 3
    at = table.set_index(["user_id", "level", "k"]).loc
    assert at["a", "0.1-1", 2].kgap == 0.05
    assert at["a", "0.1-1", 4].kgap == 7 / 30
    assert np.isnan(at["a", "0.1-1", 5].kgap)
    assert at["d", "0.1-1", 2][["temporal_share", "mean_km", "mean_min"]].tolist() == [0, 20, 0]


def test_kgap_of_a_draw_of_users_is_that_of_all(answer: Answer, town: Path, tmp_path: Path) -> None:
    every, some = tmp_path / "every.parquet", tmp_path / "some.parquet"
    answer("kgap", town, "--level", "0.1-1", "--k", 2, "--out", every, "--json")
    result = answer(
        "kgap", town, "--level", "0.1-1", "--k", 2, "--query-users", 2, "--seed", 3, "--out", some, "--json"
    )
    assert (result["users"], result["query_users"], result["seed"]) == (4, 2, 3)
    drawn = pd.read_parquet(some)
    pd.testing.assert_frame_equal(
        drawn, pd.read_parquet(every).query("user_id in @drawn.user_id").reset_index(drop=True)
    )


def test_kgap_to_read(answer: Answer, town: Path) -> None:
    lines = answer(
        "kgap", town, "--level", "0.1-1", "--k", "2,3", "--weights", "1,1", "--fold", "2w"
    ).splitlines()
    assert "fold_days: 14" in lines
    assert lines[-3].split("\t")[:3] == ["level", "k", "mean"]
    assert lines[-2].split("\t")[:3] == ["0.1-1", "2", "0.35"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--level", "7"), "level must be KM-MIN"),
        (("--k", "1"), "k must be between 2 and 1,000, got 1."),
        (("--weights", "1"), "weights must be two numbers"),
        (("--weights", "0,1"), "space_weight must be between 0.01 and 1, got 0."),
        (("--max-km", "0"), "max_km must be between"),
        (("--fold", "3x"), "fold must be whole days or weeks"),
        (("--workers", "0"), "workers must be between 1 and 64, got 0."),
        (("--query-users", "0"), "query_users must be between 1 and"),
        (("--out", "gaps.csv"), "out must end in .parquet"),
        (("--centre", "48"), "centre must be a latitude and a longitude"),
        (("--centre", "48,2"), "town.csv is in metres already"),
    ],
)
def test_kgap_iv(answer: Answer, town: Path, words: tuple[str, ...], says: str) -> None:
    assert says in answer("kgap", town, *words, fails=True)


def test_kgap_without_coordinates_iv(answer: Answer, world: pd.DataFrame, tmp_path: Path) -> None:
    world.to_csv(tmp_path / "world.csv", index=False)
    assert "zone ids and no coordinates" in answer("kgap", tmp_path / "world.csv", fails=True)


def test_progress_is_told_now_and_then(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = [0.0]
    monkeypatch.setattr("privlab.cli.printing.progress_lines.time.monotonic", lambda: clock[0])
    progress = progress_lines("1-30  ")
    for second in range(31):
        clock[0] = float(second)
        progress.tell(second / 40, "Searching")
    assert capsys.readouterr().err.splitlines() == [
        "1-30  Searching: 25%, 30 s left",
        "1-30  Searching: 50%, 20 s left",
        "1-30  Searching: 75%, 10 s left",
    ]


def test_a_line_on_a_terminal_ends_with_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The end may come a moment after a line was written: what follows does not stand on it."""
    clock = [0.0]
    monkeypatch.setattr("privlab.cli.printing.progress_lines.time.monotonic", lambda: clock[0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    quick, slow = progress_lines(), progress_lines()
    for second, share in ((0.1, 0.5), (0.2, 1.0)):
        clock[0] = second
        quick.tell(share, "Reading")
    assert capsys.readouterr().err == ""
    for second, share in ((3.0, 0.5), (3.1, 0.75), (3.15, 1.0), (3.16, 1.0)):
        clock[0] = second
        slow.tell(share, "Searching")
    first, last = (f"{line:<79}" for line in ("Searching: 50%, 3 s left", "Searching: 100%, 0 s left"))
    assert capsys.readouterr().err == f"\r{first}\r{last}\n"


def test_kgap_under_controls_against_hand(answer: Answer, town: Path) -> None:
    """With two of the four people left, or one sample each, both gaps are one distance of the hand-made ones."""
    words = ("--level", "0.1-1", "--k", "2", "--workers", 1, "--json")
    two = answer("kgap", town, *words, "--control", "users:2")
    assert (two["controls"], two["users"], two["seed"]) == (["users:2"], 2, 1)
    distances = {48: 0.05, 96: 0.1, 144: 0.15}
    near = [
        *distances.values(),
        *(0.5 + one for one in (0.0, *distances.values())),
    ]  # d is 20 km and more from all
    assert any(two["levels"][0]["k"]["2"]["mean"] == pytest.approx(one, abs=1e-3) for one in near)
    assert "2 people are left" in two["notes"][0]
    thin = answer("kgap", town, *words, "--control", "thin:0.5")
    assert thin["levels"][0]["mean_samples"] == 1
    assert answer("kgap", town, *words)["notes"] == []


def test_the_laws_of_one_persons_samples_by_hand(answer: Answer, town: Path) -> None:
    """a and b are 48 of 480 minutes apart on one spot: half of a tenth, all of it time. d is 30 km from anybody, beyond the cap."""
    words = ("kgap", town, "--level", "0.1-1", "--k", "2", "--person", "1,4", "--json")
    told = {(row["person"], row["part"]): row["quantiles"]["1"] for row in answer(*words)["people"]}
    assert [told[1, part] for part in ("total", "spatial", "temporal")] == pytest.approx([0.05, 0.0, 0.05])
    assert told[4, "spatial"] == pytest.approx(0.5)
