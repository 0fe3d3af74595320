"""The command line: one JSON object, figures from outside, and one sentence with exit code 2 on bad input."""

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
import shapely

from tests.command_line import Run, only_answer
from tests.datasets.zone_files.test_map_files import geopackage


def test_attack_curve_against_theory(cli: Run) -> None:
    curve = only_answer(cli("attack-curve", "--epsilon", 0.66, "--max-trips", 70, "--json"))
    assert curve["epsilon"] == 0.66
    assert curve["first_trips_above_claim"] == 3
    assert math.isclose(curve["claimed_bound"], 0.659260, abs_tol=5e-7)
    assert [point["trips"] for point in curve["curve"]] == list(range(71))
    for k, accuracy in {1: 0.640538, 2: 0.656294, 3: 0.707072, 32: 0.955224, 70: 0.993925}.items():
        assert math.isclose(curve["curve"][k]["optimal"], accuracy, abs_tol=5e-7)
    assert curve["curve"][0]["optimal"] == 0.5
    assert all(point["simulated"] is point["low"] is point["high"] is None for point in curve["curve"])
    assert set(curve["curve"][3]) == {"trips", "optimal", "simulated", "low", "high", "user_level_bound"}


def test_attack_curve_simulates_with_intervals(cli: Run) -> None:
    words = (
        "attack-curve",
        "--epsilon",
        0.66,
        "--max-trips",
        5,
        "--repetitions",
        4000,
        "--seed",
        3,
        "--json",
    )
    curve, again = only_answer(cli(*words)), only_answer(cli(*words))
    assert curve == again
    assert all(point["low"] < point["simulated"] < point["high"] for point in curve["curve"])


def test_integer_noise_against_theory(cli: Run) -> None:
    curve = only_answer(cli("attack-curve", "--epsilon", 1, "--max-trips", 5, "--noise", "integer", "--json"))
    assert math.isclose(curve["curve"][5]["optimal"], 0.8755, abs_tol=5e-5)
    assert math.isclose(curve["curve"][1]["optimal"], math.e / (1 + math.e), rel_tol=1e-12)


@pytest.mark.parametrize(
    ("epsilon", "threshold", "counts", "optimal"),
    [
        (0.66, 100, "1000,1000,1000", 0.707072),
        (0.66, 100, "99,99,99,99,99", 0.713772),
        (0.66, 100, ",".join(["95"] * 10), 0.567400),
        (0.66, 100, ",".join(["50"] * 32), 0.500000),
        (1.0, 3, "0,1,2,3", 0.725812),
    ],
)
def test_cell_attack_against_theory(
    cli: Run, epsilon: float, threshold: int, counts: str, optimal: float
) -> None:
    result = only_answer(
        cli("cell-attack", "--epsilon", epsilon, "--threshold", threshold, "--counts", counts, "--json")
    )
    assert math.isclose(result["optimal"], optimal, abs_tol=5e-7)


def test_one_of_several_layers_is_named_behind_the_file(cli: Run, tmp_path: Path) -> None:
    """Two people go from the western half to the eastern and one back; in the other layer both halves are one zone."""
    west, east = shapely.box(2, 48, 2.5, 49), shapely.box(2.5, 48, 3, 49)
    layers: dict[str, dict[Any, Any]] = {"halves": {"w": west, "e": east}, "whole": {"all": west | east}}
    package = geopackage(tmp_path / "areas.gpkg", layers, epsg=4326)
    rows = "user,time,lat,lon\na,2026-03-02 08:00,48.5,2.2\na,2026-03-02 09:00,48.5,2.8\na,2026-03-02 10:00,48.5,2.2\n"
    (tmp_path / "points.csv").write_text(rows + rows.split("\n", 1)[1].replace("a,", "b,").rsplit("b,", 1)[0])
    found = [
        only_answer(cli("describe", tmp_path / "points.csv", "--zones", f"{package}/{layer}", "--json"))
        for layer in layers
    ]
    assert [one.get("unique_trips", 0) for one in found] == [3, 0]
    code, out, error = cli("describe", tmp_path / "points.csv", "--zones", package)
    assert (code, out) == (2, "")
    assert error.strip().endswith(
        "(halves, whole). Name the one with the zones behind it: areas.gpkg/halves."
    )


def test_describe_against_hand(cli: Run, world_csv: Path) -> None:
    plain = only_answer(cli("describe", world_csv, "--json"))
    assert (plain["records"], plain["users"], plain["dropped"]) == (15, 3, {})
    assert (plain["first"], plain["last"]) == ("2026-03-02T08:00:00", "2026-03-09T01:20:00")
    zoned = only_answer(cli("describe", world_csv, "--zones", "column", "--json"))
    assert (zoned["trips"], zoned["unique_trips"]) == (7, 6)
    per_user = zoned["unique_trips_per_user_and_week"]
    # User-weeks: Anna 2, Ben 1 and 2, Cleo 1.
    assert (per_user["user_weeks"], per_user["mean"], per_user["quantiles"]["1"]) == (4, 1.5, 2)
    assert per_user["share_from_three"] == 0


def test_describe_says_when_against_hand(cli: Run, world_csv: Path) -> None:
    found = only_answer(cli("describe", world_csv, "--zones", "column", "--json"))
    assert found["records_by_day"] == {"2026-03-02": 8, "2026-03-03": 2, "2026-03-08": 2, "2026-03-09": 3}
    assert found["trips_by_day"] == {"2026-03-02": 3, "2026-03-03": 1, "2026-03-08": 1, "2026-03-09": 2}
    records, trips = ({(d, h): n for d, hours in enumerate(found[f"{what}_by_weekday_and_hour"])
                       for h, n in enumerate(hours) if n} for what in ("records", "trips"))  # fmt: skip
    mondays = {(0, 0): 1, (0, 1): 2, (0, 8): 4, (0, 9): 2, (0, 10): 1, (0, 12): 1}
    assert records == mondays | {(1, 8): 1, (1, 9): 1, (6, 22): 1, (6, 23): 1}
    assert trips == {(0, 0): 1, (0, 1): 1, (0, 9): 2, (0, 10): 1, (1, 9): 1, (6, 23): 1}


def test_which_id_lies_in_which_zone_is_written_where_ids_are_joined_alone(
    cli: Run, world_csv: Path, tmp_path: Path
) -> None:
    """The zones 1 to 4 lie 0.1 degrees apart on a meridian; rows of 22,260 m are 0.2 degrees high, and 4 lies above the box."""
    places, out = tmp_path / "places.csv", tmp_path / "new" / "ids.csv"
    places.write_text("zone,lat,lon\n1,0.05,0.05\n2,0.15,0.05\n3,0.25,0.05\n4,0.45,0.05\n")
    words = ("describe", world_csv, "--zone-positions", places, "--ids-in-zones", out, "--json")
    found = only_answer(cli(*words, "--zones", "grid:22260", "--box", "0,0,0.39,0.09"))
    assert found["zones"] == "grid:22260:0,0,0.39,0.09"
    assert out.read_bytes() == b"id,zone\n1,0\n2,0\n3,1\n4,\n"
    out.unlink()
    for zones in (("--zones", "column"), ()):
        code, _, said = cli(*words, *zones)
        assert code == 2
        assert "ids-in-zones must stand beside zones that join the file's own ids" in said
        assert not out.exists()
    (tmp_path / "file").write_text("no folder")
    code, _, said = cli(
        *words[:-2], tmp_path / "file" / "ids.csv", "--zones", "grid:22260", "--box", "0,0,0.39,0.09"
    )
    assert (code, "Could not write" in said) == (2, True)


def test_describe_says_where_dropped_rows_stand(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "moves.csv"
    path.write_text(
        "user,time,zone\n1,2026-03-02 08:00,7\n1,noon,7\n1,2026-03-02 09:00,8\n1,2026-03-02 10:00,7\n"
    )
    told = only_answer(cli("describe", path, "--json"))["dropped_examples"]
    assert told == {"unparsable time": [{"place": "row 3", "column": "time", "value": "noon"}]}


def test_od_counts_against_hand(cli: Run, world_csv: Path, tmp_path: Path) -> None:
    result = only_answer(cli("od", world_csv, "--out", tmp_path / "out", "--json"))
    assert (result["records"], result["users"], result["trips"], result["unique_trips"]) == (15, 3, 7, 6)
    assert (result["flows"], result["published_flows"], result["utility"]) == (5, None, None)
    table = pq.read_table(tmp_path / "out" / "od_matrix.parquet")
    assert table.column_names == ["week", "origin", "destination", "count"]
    rows = [
        tuple(str(cell) if i == 0 else cell for i, cell in enumerate(row.values()))
        for row in table.to_pylist()
    ]
    assert rows == [
        ("2026-03-02", 1, 2, 2),
        ("2026-03-02", 2, 1, 1),
        ("2026-03-02", 3, 4, 1),
        ("2026-03-09", 1, 2, 1),
        ("2026-03-09", 4, 1, 1),
    ]
    true = pq.read_table(tmp_path / "out" / "od_matrix.parquet")
    assert true.schema.metadata[b"privlab"].startswith(b"INTERNAL: true data")
    assert not (tmp_path / "out" / "simulated_release.parquet").exists()


def test_od_release_is_a_labelled_simulation(cli: Run, world_csv: Path, tmp_path: Path) -> None:
    words = ("od", world_csv, "--epsilon", 20, "--threshold", 1, "--max-trips-per-user", 1)
    result = only_answer(cli(*words, "--seed", 5, "--out", tmp_path / "a", "--json"))
    table = pq.read_table(tmp_path / "a" / "simulated_release.parquet")
    assert b"simulation" in table.schema.metadata[b"privlab"]
    assert b"INTERNAL" in table.schema.metadata[b"privlab"]  # the seed takes the noise off again
    assert table.num_rows == result["published_flows"]
    assert all(count >= 1 for count in table["count"].to_pylist())
    # Ben made two unique trips in his second week and Anna two in hers; at most one each stays.
    assert result["utility"]["clipping"] == 2
    assert only_answer(cli(*words, "--seed", 5, "--out", tmp_path / "b", "--json")) == result
    assert pq.read_table(tmp_path / "b" / "simulated_release.parquet").equals(table)


def test_od_simulates_gaussian_noise_against_hand(cli: Run, world_csv: Path, tmp_path: Path) -> None:
    words = (
        "od",
        world_csv,
        "--epsilon",
        20,
        "--threshold",
        0,
        "--max-trips-per-user",
        1,
        "--noise",
        "gaussian",
    )
    result = only_answer(cli(*words, "--delta", 1e-5, "--seed", 5, "--out", tmp_path / "a", "--json"))
    assert (result["parameters"]["delta"], result["privacy_unit"]) == (1e-5, "user-week")
    # Two people made two unique trips in a week: each weighs ⌊1024/√2⌋ = 724 units of 1/1024. Or one of the two is kept.
    assert result["utility"]["clipping"] == pytest.approx(4 - 4 * 724 / 1024, abs=1e-12)
    assert result["published_flows"] == 2 * 12  # without a threshold every pair of four zones
    counts = pq.read_table(tmp_path / "a" / "simulated_release.parquet")["count"].to_pylist()
    assert counts == [round(one) for one in counts]
    kept = only_answer(cli(*words, "--clip", "keep", "--seed", 5, "--out", tmp_path / "b", "--json"))
    assert kept["utility"]["clipping"] == 2
    for more, said in ((("--noise", "integer", "--delta", 1e-5), "delta goes with Gaussian noise"),):
        code, _, told = cli(*words, *more, "--out", tmp_path / "c")
        assert code == 2
        assert said in told


def test_od_simulates_a_total_and_sums_of_districts(cli: Run, tmp_path: Path) -> None:
    """9,000 people go once around four zones: weights of ½ under L = 1, less for the sums; a total gives that back."""
    around = ((0.5, 0.5), (0.5, 1.5), (1.5, 1.5), (1.5, 0.5), (0.5, 0.5))
    rows = [
        f"{user},2026-03-02 {8 + hour:02d}:00,{lat},{lon}"
        for user in range(9000)
        for hour, (lat, lon) in enumerate(around)
    ]
    path = tmp_path / "around.csv"
    path.write_text("user,time,lat,lon\n" + "\n".join(rows) + "\n")
    words = ("od", path, "--epsilon", 20, "--threshold", 0, "--max-trips-per-user", 1, "--noise", "gaussian")
    asked = ("--unbiased", "--levels", "blocks:2", "--out", tmp_path / "a", "--json")
    words = (*words, "--zones", "box:0,0,2,4:2x4")
    result = only_answer(cli(*words, *asked))
    assert result["parameters"]["levels"] == 1
    assert "Simulation" in result["notes"][-1]
    table = pq.read_table(tmp_path / "a" / "simulated_release.parquet").to_pandas()
    true = (
        pq.read_table(tmp_path / "a" / "od_matrix.parquet")
        .to_pandas()
        .set_index(["origin", "destination"])["count"]
    )
    found = table.set_index(["origin", "destination"])
    # Each trip has a pair of districts of its own: it weighs √(1/(4 + 4/16)) of a trip, 496 units of 1/1024.
    assert found["count"][true.index].mean() == pytest.approx(9000 * 496 / 1024, rel=0.02)
    for column in ("unbiased_count", "agreed_count"):
        assert found[column][true.index].to_numpy() == pytest.approx(true.to_numpy(), rel=0.03)
    assert result["utility_agreed"]["rmse"] < result["utility"]["rmse"]
    sums = pq.read_table(tmp_path / "a" / "simulated_levels.parquet")
    assert b"simulation" in sums.schema.metadata[b"privlab"]
    large = sums.to_pandas().query("agreed_count > 4500")["agreed_count"]
    assert large.to_numpy() == pytest.approx(np.full(4, 9000), rel=0.03)
    for more, told in (
        (("--clip", "keep"), "total_share must be 0 with clip keep"),
        (("--noise", "integer"), "goes with Gaussian noise"),
    ):
        code, _, said = cli(*words, *asked, *more)
        assert (code, told in said) == (2, True)


def test_od_compares_mechanisms_and_writes_nothing(cli: Run, world_csv: Path, tmp_path: Path) -> None:
    words = ("od", world_csv, "--epsilon", 20, "--compare", "--draws", 2)
    result = only_answer(cli(*words, "--json"))
    assert [one["name"] for one in result["mechanisms"]] == [
        "integer",
        "integer, unbiased",
        "gaussian",
        "gaussian, l2",
        "gaussian, l2, unbiased",
        "gaussian, l2, unbiased, smoothed",
    ]
    keys = {"name", "epsilon", "delta", "within_10_percent", "rmse", "cpc", "made_up_share", "bias"}
    assert all(keys <= set(one) for one in result["mechanisms"])
    # Five unique trips of the first week; noise of scale 1/20 leaves whole counts as they are nearly always.
    assert (result["week"], result["privacy_unit"]) == ("2026-03-02", "user-week")
    assert (result["parameters"]["threshold"], result["parameters"]["delta"]) == (1, 1e-6)  # as its help says
    assert "Simulation" in result["notes"][-1]
    assert only_answer(cli(*words, "--json")) == result
    assert "gaussian, l2, unbiased" in cli(*words)[1]


def test_od_draws_one_mechanism_as_it_is_asked_for_against_hand(cli: Run, tmp_path: Path) -> None:
    """2,000 people go once around four zones: four trips each weigh ½ under L = 1, and a noisy total gives the half back."""
    around = ((0.5, 0.5), (0.5, 1.5), (1.5, 1.5), (1.5, 0.5), (0.5, 0.5))
    rows = [
        f"{user},2026-03-02 {8 + hour:02d}:00,{lat},{lon}"
        for user in range(2000)
        for hour, (lat, lon) in enumerate(around)
    ]
    path = tmp_path / "around.csv"
    path.write_text("user,time,lat,lon\n" + "\n".join(rows) + "\n")
    words = (
        "od",
        path,
        "--zones",
        "box:0,0,2,2:2x2",
        "--epsilon",
        20,
        "--compare",
        "--max-trips-per-user",
        1,
    )
    (one,) = only_answer(cli(*words, "--draws", 3, "--mechanism", "gaussian, l2", "--json"))["mechanisms"]
    assert (one["name"], one["max_trips_per_user"], one["delta"]) == ("gaussian, l2", 1, 1e-6)
    assert one["bias"] == pytest.approx(-0.5, abs=0.02)
    assert one["within_10_percent"] == one["expected_within"] == pytest.approx(0.0, abs=1e-6)
    result = only_answer(cli(*words, "--draws", 3, "--mechanism", "gaussian, l2, unbiased", "--json"))
    (one,) = result["mechanisms"]
    assert one["bias"] == pytest.approx(0.0, abs=0.05)
    assert one["within_10_percent"] == one["expected_within"] == pytest.approx(1.0, abs=1e-3)
    assert "the first is that of the page Release" in result["notes"][-1]
    code, _, said = cli(*words[:3], "grid:50000", *words[4:], "--mechanism", "gaussian, l2, unbiased")
    assert (code, "mechanism must be without a total where the zones are known" in said) == (2, True)
    found = only_answer(cli(*words[:3], "grid:50000", *words[4:], "--mechanism", "gaussian, l2", "--json"))
    assert "known from the data only" in found["notes"][-1]
    assert found["mechanisms"][0]["made_up_share"] == 0
    drawn = (
        "od",
        path,
        "--epsilon",
        20,
        "--max-trips-per-user",
        1,
        "--out",
        tmp_path / "drawn",
        "--json",
        "--zones",
    )
    assert "One as it would be made: --compare" in only_answer(cli(*drawn, "grid:50000"))["notes"][-1]
    assert "--compare" not in only_answer(cli(*drawn, "box:0,0,2,2:2x2"))["notes"][-1]


_VISITS = ("--product", "visits", "--out", "x", "--epsilon", 1, "--max-trips-per-user", 3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--compare",), "epsilon must be given with --compare"),
        (("--mechanism", "gaussian", "--out", "somewhere"), "mechanism goes with --compare"),
        (
            ("--compare", "--epsilon", 1, "--mechanism", "gaussian"),
            "max_trips_per_user must be given with mechanism",
        ),
        (
            ("--compare", "--epsilon", 1, "--mechanism", "x", "--max-trips-per-user", 3),
            "mechanism must be one of",
        ),
        (("--compare", "--epsilon", 1, "--out", "somewhere"), "out must not be given with --compare"),
        (("--compare", "--epsilon", 1, "--max-trips-per-user", 3), "max_trips_per_user must not be given"),
        (("--compare", "--epsilon", 1, "--noise", "integer"), "noise must not be given"),
        (
            ("--compare", "--epsilon", 1, "--levels", "blocks:3"),
            "add --mechanism 'gaussian, l2, unbiased, levels'",
        ),
        (("--compare", "--epsilon", 1, "--product", "visits"), "Leave --compare out for it"),
        (("--product", "visits", "--out", "x"), "epsilon and max_trips_per_user must be given with product"),
        (
            ("--product", "hours", "--out", "x", "--epsilon", 1, "--max-trips-per-user", 3),
            "product must be one of",
        ),
        ((*_VISITS, "--group-size", 2), "group_size must be left out"),
        ((*_VISITS, "--noise", "laplace"), "noise must be integer or gaussian with product"),
        ((*_VISITS, "--week", "2026-03-03"), "week must be named by its Monday"),
        (("--epsilon", 1), "out must be a folder"),
    ],
)
def test_od_says_what_a_comparison_needs(
    cli: Run, world_csv: Path, words: tuple[object, ...], message: str
) -> None:
    code, out, err = cli("od", world_csv, *words)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("noise", ["integer", "gaussian"])
def test_od_simulates_visits_that_a_table_counts_too(
    noise: str, cli: Run, world: pd.DataFrame, tmp_path: Path
) -> None:
    rows = world.assign(time=pd.to_datetime(world.time)).drop_duplicates(["user_id", "time", "zone"])
    hours = rows.assign(hour=rows.time.dt.floor("h")).drop_duplicates(["user_id", "hour", "zone"])
    by_hand = hours.groupby(["hour", "zone"]).size()
    path = tmp_path / "rows.csv"
    world.to_csv(path, index=False)
    words = (
        "od",
        path,
        "--zones",
        "column",
        "--product",
        "visits",
        "--epsilon",
        20,
        "--max-trips-per-user",
        168,
    )
    found = only_answer(cli(*words, "--threshold", 1, "--noise", noise, "--out", tmp_path, "--json"))
    assert (found["product"], found["privacy_unit"]) == ("visits", "user-week")
    assert found["true_cells"] == by_hand.size
    assert found["utility"]["total_true"] == by_hand.sum()
    true = pq.read_table(tmp_path / "true_counts.parquet").to_pandas()
    hour = pd.to_datetime(true.week) + pd.to_timedelta((true.weekday - 1) * 24 + true.hour, unit="h")
    told = pd.Series(
        true["count"].to_numpy(),
        index=pd.MultiIndex.from_arrays([hour, true.zone], names=by_hand.index.names),
    )
    pd.testing.assert_series_equal(
        told.sort_index(), by_hand.sort_index(), check_dtype=False, check_names=False, check_index_type=False
    )
    released = pq.read_table(tmp_path / "simulated_release.parquet")
    assert released.column_names == ["week", "zone", "weekday", "hour", "count"]
    assert b"A simulation, not a release" in released.schema.metadata[b"privlab"]


def test_od_of_a_group_counts_only_the_group(cli: Run, world_csv: Path, tmp_path: Path) -> None:
    result = only_answer(cli("od", world_csv, "--group-size", 1, "--out", tmp_path, "--json"))
    assert result["group_size"] == 1
    assert max(pq.read_table(tmp_path / "od_matrix.parquet")["count"].to_pylist()) == 1


def test_columns_named_by_hand(cli: Run, world: pd.DataFrame, tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    world.rename(columns={"user_id": "wer", "time": "wann", "zone": "wo"}).to_csv(path, index=False)
    code, _, err = cli("describe", path, "--json")
    assert code == 2
    assert "Could not tell which column" in err
    named = [word for pair in ("user_id=wer", "timestamp=wann", "zone=wo") for word in ("--column", pair)]
    assert only_answer(cli("describe", path, *named, "--zones", "column", "--json"))["unique_trips"] == 6


def test_generate_describe_od_in_a_row(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "cabs.parquet"
    assert cli("generate", "cabs", "--users", 7, "--seed", 2, "--out", path)[0] == 0
    box = "box:37.7356,-122.444,37.797,-122.3663:10x10"
    result = only_answer(cli("od", path, "--zones", box, "--out", tmp_path / "out", "--json"))
    assert result["users"] == 7
    assert result["flows"] > 0


def test_without_json_it_is_text(cli: Run) -> None:
    code, out, err = cli("attack-curve", "--epsilon", 1, "--max-trips", 1)
    assert (code, err) == (0, "")
    assert "first_trips_above_claim: –" in out


LINES = b"user,time,zone\na,2026-03-02 08:00,1\na,2026-03-02 09:00,2\n"
UGLY = {
    "missing": (None, "no file"),
    "empty": (b"", "empty"),
    "header only": (b"user,time,zone\n", "header"),
    "blank": (b"\n" * 5000, "blank"),
    "zeros": (b"\0" * 100_000, ""),
    "one zone": (b"user,time,zone\na,2026-03-02 08:00,1\na,2026-03-02 09:00,1\n", "No trips found"),
    "wrong delimiter": (b"user!time!zone\na!2026-03-02 08:00!1\n", "column"),
    "text in numbers": (b"user,time,lat,lon\na,2026-03-02 08:00,north,east\n", "north"),
    "nan": (b"user,time,lat,lon\na,2026-03-02 08:00,NaN,NaN\nb,2026-03-02 08:00,nan,nan\n", ""),
    "swapped": (b"user,time,lat,lon\n" + b"a,2026-03-02 08:00,-122.4,37.7\n" * 9, "swapped"),
    "mixed times": (
        b"user,time,zone\n" + b"a,2026-03-02 08:00,1\n" * 9 + b"a,03.04.2026 09:00,2\n" * 9,
        "2026-03-02 08:00",
    ),
    "month or day first": (b"user,time,zone\na,03/04/2026 08:00,1\na,05/06/2026 09:00,2\n", "time"),
    "truncated gzip": (gzip.compress(LINES * 999)[:-20], ""),
    "not parquet": (b"PAR1 this is not parquet", ""),
}


@pytest.mark.parametrize("kind", UGLY)
def test_bad_input_is_one_sentence_and_exit_code_two_iv(cli: Run, kind: str, tmp_path: Path) -> None:
    content, words = UGLY[kind]
    suffix = {"truncated gzip": ".csv.gz", "not parquet": ".parquet"}.get(kind, ".csv")
    path = tmp_path / f"ugly{suffix}"
    if content is not None:
        path.write_bytes(content)
    code, out, err = cli(
        "od", path, "--zones", "grid:500" if b"lat" in (content or b"") else "column", "--out", tmp_path / "o"
    )
    assert (code, out) == (2, "")
    assert words.lower() in err.lower()
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert str(tmp_path) not in err


def test_ten_gigabytes_of_nothing_is_refused_at_once_iv(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "nothing.csv"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)  # sparse: takes no room on disk
    code, _, err = cli("describe", path, "--json")
    assert code == 2
    assert err.count("\n") == 1


def test_describe_says_why_there_are_no_trips(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "still.csv"
    path.write_bytes(b"user,time,zone\na,2026-03-02 08:00,1\nb,2026-03-02 09:00,1\n")
    result = only_answer(cli("describe", path, "--zones", "column", "--json"))
    assert (result["trips"], result["unique_trips_per_user_and_week"]) == (0, None)
    assert any(note.startswith("No trips found") for note in result["notes"])


def test_one_user_is_said(cli: Run, tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_bytes(LINES)
    result = only_answer(cli("describe", path, "--zones", "column", "--json"))
    assert result["users"] == 1
    assert any("Only one user" in note for note in result["notes"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("attack-curve", "--epsilon", "nan"), "epsilon must be a finite number, got nan."),
        (("attack-curve", "--epsilon", "0.001"), "epsilon must be between 0.01 and 20, got 0.001."),
        (
            ("attack-curve", "--epsilon", "1", "--max-trips", "-1"),
            "max_trips must be between 0 and 1,000, got -1.",
        ),
        (
            ("attack-curve", "--epsilon", "1", "--noise", "pink"),
            "noise must be one of laplace, integer, got 'pink'.",
        ),
        (("cell-attack", "--epsilon", "1", "--threshold", "3", "--counts", ""), "counts must hold"),
        (
            ("cell-attack", "--epsilon", "1", "--threshold", "3", "--counts", "1,-2"),
            "counts must be whole numbers",
        ),
        (("generate", "city", "--out", "city.csv"), "out must end in .parquet, got 'city.csv'."),
        (("generate", "moon", "--out", "x.parquet"), "must be one of city"),
        (
            ("generate", "cabs", "--users", "1", "--out", "/nowhere/x.parquet"),
            "Could not write /nowhere/x.parquet",
        ),
        (("describe",), "Missing argument 'data'."),
        (("fly",), "No such command 'fly'."),
    ],
)
def test_bad_parameters_are_one_sentence_iv(cli: Run, words: tuple[str, ...], sentence: str) -> None:
    code, out, err = cli(*words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "zones",
    [
        "grid:0",
        "grid:x",
        "box:1,2,3",
        "box:2,2,1,3:4x4",
        "h3:99",
        "hexagons",
        "box:0,0,1,1:0x4",
        "box:0,0,1,1:nanx4",
        "h3:2.5",
        "h3:nan",
    ],
)
def test_bad_zones_are_one_sentence_iv(cli: Run, zones: str, tmp_path: Path) -> None:
    path = tmp_path / "gps.csv"
    path.write_bytes(b"user,time,lat,lon\na,2026-03-02 08:00,1,2\nb,2026-03-02 09:00,1.1,2\n")
    code, _, err = cli("describe", path, "--zones", zones, "--json")
    assert code == 2
    assert "must" in err
    assert err.count("\n") == 1
