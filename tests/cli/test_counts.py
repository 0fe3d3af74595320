"""The command line on counts that name no users: what it counts, what it leaves null, what it refuses."""

import pyarrow.parquet as pq
import pytest

from privlab.od.simulating.simulated_release import ReleaseParameters
from tests.command_line import only_answer
from tests.counts_data import BY_HAND, counts_dataset


@pytest.fixture
def on_counts(cli, monkeypatch):
    """A call of the command line on rows of counts, whatever file it names."""

    def call(rows, *words):
        monkeypatch.setattr(
            "privlab.cli.main.opened", lambda path, columns, workspace, zones: counts_dataset(workspace, rows)
        )
        return cli(*words)

    return call


UNDATED_ROWS = [(None, origin, destination, n) for _, origin, destination, n in BY_HAND]


def test_describe_against_hand(on_counts):
    bare = only_answer(on_counts(BY_HAND, "describe", "flows.csv", "--json"))
    assert (bare["kind"], bare["users"], bare["records"]) == ("counts", None, 6)
    result = only_answer(on_counts(BY_HAND, "describe", "flows.csv", "--zones", "column", "--json"))
    assert (result["records"], result["users"], result["trips"]) == (5, None, 13)
    assert (result["unique_trips"], result["unique_trips_per_user_and_week"]) == (None, None)
    assert result["dropped"] == {"malformed row": 2, "begins and ends in one zone": 1}
    assert any("does not say whose trips" in note for note in result["notes"])


def test_od_against_hand(on_counts, tmp_path):
    words = ("od", "flows.csv", "--epsilon", 20, "--threshold", 3, "--out", tmp_path, "--json")
    result = only_answer(on_counts(BY_HAND, *words))
    assert (result["weeks"], result["flows"], result["group_size"]) == (["2026-03-02", "2026-03-09"], 3, None)
    assert (result["published_flows"], result["privacy_unit"]) == (2, "trip")
    assert result["parameters"]["threshold"] == ReleaseParameters(epsilon=20, threshold=3).threshold
    assert result["utility"]["total_true"] == 13
    assert any("not even all that one person adds to one flow" in note for note in result["notes"])
    rows = [list(map(str, row.values())) for row in pq.read_table(tmp_path / "od_matrix.parquet").to_pylist()]
    assert rows == [
        ["2026-03-02", "A", "B", "7"],
        ["2026-03-02", "B", "A", "1"],
        ["2026-03-09", "A", "B", "5"],
    ]


def test_undated_counts_have_a_null_week(on_counts, tmp_path):
    words = ("od", "flows.csv", "--epsilon", 20, "--threshold", 3, "--out", tmp_path)
    assert only_answer(on_counts(UNDATED_ROWS, *words, "--json"))["weeks"] == ["undated"]
    for name in ("od_matrix", "simulated_release"):
        table = pq.read_table(tmp_path / f"{name}.parquet")
        assert str(table.schema.field("week").type) == "date32[day]"
        assert set(table["week"].to_pylist()) == {None}
        assert table["origin"].to_pylist()[0] == "A"
    code, out, _ = on_counts(UNDATED_ROWS, *words)
    assert code == 0
    assert "undated" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--group-size", 5), "group_size must be left out for data that names no users"),
        (
            ("--epsilon", 1, "--max-trips-per-user", 3),
            "max_trips_per_user must be left out for data that names no users",
        ),
        (("--max-trips-per-user", 3), "max_trips_per_user must be left out for data that names no users"),
    ],
)
def test_choices_of_users_are_refused_in_one_sentence_iv(on_counts, words, sentence, tmp_path):
    code, out, err = on_counts(BY_HAND, "od", "flows.csv", *words, "--out", tmp_path / "none")
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1
    assert not (tmp_path / "none").exists()
