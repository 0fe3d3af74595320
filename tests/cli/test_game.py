"""The command game: one JSON object, rows as promised, a file of targets, one sentence on bad input."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from privlab.kept.kept_places import runs_path_from_environment
from privlab.kept.runs import Runs
from tests.aggregates.worlds import MONDAY, habitual_traces
from tests.command_line import Answer, Run, answering


@pytest.fixture
def answer(cli: Run) -> Answer:
    return answering(lambda *words: cli("game", *words))


@pytest.fixture
def habits(tmp_path: Path) -> Path:
    traces = habitual_traces(60)
    frame = pd.DataFrame(
        {
            "user_id": np.repeat(traces.users, traces.n_reports),
            "timestamp": pd.Timestamp(MONDAY) + pd.to_timedelta(traces.epoch, unit="h"),
            "zone": traces.zone,
        }
    )
    frame.to_csv(tmp_path / "habits.csv", index=False)
    return tmp_path / "habits.csv"


SMALL = (
    "--targets",
    3,
    "--train-groups",
    40,
    "--prior-share",
    0.5,
    "--from",
    "2026-03-02",
    "--to",
    "2026-03-22",
)


def test_rows_as_promised(answer: Answer, habits: Path, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "rows.parquet"
    words = (
        habits,
        *SMALL,
        "--group-size",
        "3,4",
        "--classifier",
        "lr,knn",
        "--arm",
        "statistics,likelihood",
    )
    result = answer(*words, "--out", out, "--json")
    rows = result["results"]
    asked = [(row["group_size"], row["arm"], row["classifier"]) for row in rows]
    assert asked == [
        (size, *which)
        for size in (3, 4)
        for which in (("statistics", "lr"), ("statistics", "knn"), ("likelihood", "none"))
    ]
    for row in rows:
        assert (row["prior"], row["defence"], row["epsilon"], row["adversary"]) == (
            "subset",
            "none",
            None,
            None,
        )
        assert row["targets"] == 3
        assert 0 <= row["auc_low"] <= row["auc_mean"] <= row["auc_high"] <= 1
        assert list(row["auc_quantiles"]) == ["0.05", "0.25", "0.5", "0.75", "0.95"]
        assert row["pl_baseline"] == pytest.approx(0.0463, abs=1e-4)
        assert row["pg_mean"] is row["mre"] is None
        assert not row["beyond_prior"]
    assert result["parameters"]["settings"]["trees"] == 30
    assert result["plans"][0] == {
        "prior": "subset",
        "group_size": 3,
        "train_groups": 40,
        "test_groups": 100,
        "same_groups": False,
        "known_users": 30,
        "train_weeks": ["2026-03-02"],
        "test_week": "2026-03-02",
    }
    table = pd.read_parquet(out)
    assert len(table) == 3 * len(rows)
    mean = table.groupby(["group_size", "arm", "classifier"])["auc"].mean()
    for row in rows:
        assert mean[row["group_size"], row["arm"], row["classifier"]] == pytest.approx(row["auc_mean"])
    kept = [one for one in Runs(runs_path_from_environment()).all() if one.name == "habits.csv"]
    assert sorted(one.parameters.group_size for one in kept) == [3, 4]
    again = answer(*words, "--json")  # gone on with: even the seconds are those of the first time
    assert again == result


def test_targets_who_are_away_are_told_apart_from_those_seen(
    answer: Answer, habits: Path, tmp_path: Path
) -> None:
    """By hand: the 10 targets of a small game, of whom those without a record in the released week are taken out of the means."""
    frame = pd.read_csv(habits, parse_dates=["timestamp"])
    first = frame["timestamp"] < pd.Timestamp("2026-03-09")
    away = frame["user_id"] % 3 == 0  # in the first week, which is released
    frame[~(away & first)].to_csv(tmp_path / "away.csv", index=False)
    words = (
        tmp_path / "away.csv",
        "--prior",
        "perfect",
        "--group-size",
        4,
        "--targets",
        10,
        "--classifier",
        "lr",
    )
    words += (
        "--train-groups",
        40,
        "--from",
        "2026-03-02",
        "--to",
        "2026-03-22",
        "--fresh",
        "--false-alarms",
        0.1,
    )
    out = tmp_path / "rows.parquet"
    result = answer(*words, "--out", out, "--json")
    (row,), table = result["results"], pd.read_parquet(out)
    assert result["plans"][0]["test_week"] == "2026-03-02"
    seen = table["target"].astype(int) % 3 != 0
    assert 0 < (~seen).sum() < 10
    assert row["targets"] == 10
    assert row["auc_mean"] == pytest.approx(table["auc"].mean())
    assert row["targets_unseen"] == (~seen).sum()
    assert row["seen"]["targets"] == seen.sum()
    assert row["seen"]["auc_mean"] == pytest.approx(table["auc"][seen].mean())
    assert row["seen"]["tpr_at_fpr_0.01"] == pytest.approx(table["tpr_at_fpr_0.01"][seen].mean())
    (judged,) = row["seen"]["verdicts"]
    (of_all,) = row["verdicts"]
    assert judged["found"] + judged["missed"] == (of_all["found"] + of_all["missed"]) / 10 * seen.sum()
    assert f"{(~seen).sum()} of 10 targets are not seen in the released period" in result["notes"][-1]


def test_arms_beyond_the_prior_are_labelled(answer: Answer, habits: Path) -> None:
    words = (
        habits,
        "--targets",
        1,
        "--prior",
        "same-groups",
        "--arm",
        "statistics,likelihood",
        "--classifier",
        "lr",
    )
    result = answer(
        *words, "--group-size", 3, "--train-groups", 20, "--period", "day:mon", "--fresh", "--json"
    )
    assert [row["beyond_prior"] for row in result["results"]] == [False, True]
    assert "a stronger adversary than the paper's" in result["notes"][0]
    assert result["plans"][0]["train_weeks"] == ["2026-03-02", "2026-03-09"]


def test_defences_with_promises_and_bounds(answer: Answer, habits: Path, tmp_path: Path) -> None:
    out = tmp_path / "rows.parquet"
    words = (habits, *SMALL, "--classifier", "lr", "--group-size", 3, "--fresh", "--out", out)
    result = answer(*words, "--defence", "lpa-event,suppress:2", "--epsilon", "0.1,1", "--json")
    most = result["defences"][0]["l1_sensitivity"]
    assert [(one["defence"], one["epsilon"], one["epsilon_user"]) for one in result["defences"]] == [
        ("lpa-event", 0.1, pytest.approx(0.1 * most)),
        ("lpa-event", 1.0, pytest.approx(most)),
        ("suppress:2", None, None),
    ]
    notes = [
        f"lpa-event: ε = 1 for one report, {most} for all reports of one user.",
        "suppress:2: no promise",
    ]
    assert all(any(note in line for line in result["notes"]) for note in notes)
    for row in result["results"]:
        bounded = row["defence"] == "lpa-event"
        assert row["bound_proven"] is (True if bounded else None)
        assert not bounded or 0.5 < row["auc_bound"] <= 1
    asked = {(row["defence"], row["epsilon"], row["adversary"]) for row in result["results"]}
    assert asked == {
        ("none", None, None),
        *((name, epsilon, who) for who in ("passive", "strategic") for name, epsilon in
          (("lpa-event", 0.1), ("lpa-event", 1.0), ("suppress:2", None))),
    }  # fmt: skip
    table = pd.read_parquet(out)
    assert (table["auc_bound"].notna() == (table["defence"] == "lpa-event")).all()


def test_nothing_but_a_release_by_share_known_kept_like_any_game(
    answer: Answer, habits: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rows.parquet"
    words = [habits, *SMALL[:4], *SMALL[6:], "--group-size", 3, "--prior", "zero-knowledge,subset"]
    words += ["--known", "1.0,0.50,top:3", "--defence", "suppress:2", "--json"]
    result = answer(*words, "--out", out)
    asked = [(row["prior"], row.get("known"), row["arm"], row["adversary"]) for row in result["results"]]
    adversaries = (None, "passive", "strategic")
    assert [row for row in asked if row[0] == "zero-knowledge"] == [
        ("zero-knowledge", known, "cells", who) for known in ("1", "0.5", "top:3") for who in adversaries
    ]
    assert {row[:3] for row in asked if row[0] == "subset"} == {("subset", None, "statistics")}
    true = len(pd.read_csv(habits).query("timestamp < '2026-03-09'")) / 60  # every row is a visit of its own
    for row in result["results"]:
        assert ("estimate" in row) == (row["prior"] == "zero-knowledge")
        if "estimate" in row:
            assert row["estimate"]["true_visits"] == pytest.approx(true)
            assert 0 <= row["estimate"]["space_apart"] <= 1
    assert any(note.startswith("zero-knowledge: learned from one release") for note in result["notes"])
    told = result["marginals"][0]
    assert (told["visits"][1], len(told["epochs"]["true"])) == (pytest.approx(true), 168)
    assert sum(told["epochs"]["true"]) == pytest.approx(1)
    week = pd.read_csv(habits).query("timestamp < '2026-03-09'")
    often = week["zone"].value_counts(normalize=True)
    named = {one["zone"]: one["true"] for one in told["zones"]}
    assert list(named.values()) == pytest.approx(
        often.nlargest(len(named)).tolist()
    )  # the most visited first
    assert named == pytest.approx({zone: often[zone] for zone in named})
    table = pd.read_parquet(out)
    assert (table["visits"].notna() == (table["prior"] == "zero-knowledge")).all()
    assert answer(*words, "--out", out) == result  # gone on with, seconds and all


def test_another_share_of_groups_with_the_target_stands_beside_half_and_half_issue_19(
    answer: Answer, habits: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rows.parquet"
    words = [habits, *SMALL, "--classifier", "lr", "--group-size", 3, "--balance", "0.5,0.10,0.2/0.5"]
    result = answer(*words, "--false-alarms", "0.1", "--out", out, "--json")
    even, tenth, fifth = result["results"]
    assert [one.get("balance") for one in (even, tenth, fifth)] == [None, "0.1", "0.2/0.5"]
    assert [one.get("balance") for one in result["plans"]] == [None, "0.1", "0.2/0.5"]
    judged = [one["verdicts"][0] for one in result["results"]]
    n_test, n_targets = result["plans"][0]["test_groups"], even["targets"]
    with_target = [one["found"] + one["missed"] for one in judged]
    assert with_target == [n_test // 2 * n_targets, n_test // 10 * n_targets, n_test // 2 * n_targets]
    assert {sum(one[name] for name in ("found", "missed", "accused", "cleared")) for one in judged} == {
        n_test * n_targets
    }
    table = pd.read_parquet(out)
    auc = {name: part.sort_values("target")["auc"].to_numpy() for name, part in table.groupby("balance")}
    assert "auc_less_even" not in even
    for row in (tenth, fifth):
        apart = auc[row["balance"]] - auc["0.5"]
        low, high = ttest_1samp(apart, 0).confidence_interval(0.95)
        assert row["auc_less_even"] == pytest.approx(apart.mean())
        assert row["auc_less_even_half_width"] == pytest.approx((high - low) / 2)


def test_lines_to_read_and_settings(answer: Answer, habits: Path) -> None:
    words = (habits, *SMALL, "--classifier", "knn", "--setting", "neighbours=7", "--group-size", 3, "--fresh")
    text = answer(*words, "--random-labels", "--no-null-zone")
    assert "auc_mean" in text
    assert "neighbours: 7\n" in text
    assert "a control, which no attack can pass" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--defence", "smoke", "--epsilon", "1"), "defence must be one of none"),
        (("--epsilon", "1"), "epsilon must come with a defence"),
        (("--epsilon", "1", "--defence", "suppress:3"), "must come with a defence that adds noise"),
        (("--prior", "all"), "prior must be one of subset"),
        (("--known", "0.5"), "known must come with the prior zero-knowledge"),
        (
            ("--prior", "zero-knowledge", "--known", "2"),
            "known must be a share above 0 and at most 1, or top:N",
        ),
        (("--balance", "half"), "balance must be the share of groups with the target, as 0.1"),
        (("--balance", "0.1/0.5/0.1"), "balance must be the share of groups with the target, as 0.1"),
        (("--balance", "1"), "balance must be between 0.01 and 0.99, got 1"),
        (("--balance", ","), "balance must be the share of groups with the target"),
        (
            ("--prior", "same-groups", "--balance", "0.1/0.5"),
            "balance must be one share where the groups learned from are those under attack (prior same-groups)",
        ),
        (
            ("--prior", "zero-knowledge", "--balance", "0.1"),
            "balance must be 0.5 in training under the prior zero-knowledge",
        ),
        (("--prior", "zero-knowledge", "--group-size", "60"), "group_size must be at most 59"),
        (("--group-size", "five"), "group_size must be whole numbers separated by commas"),
        (("--group-size", ","), "group_size must be one number at least"),
        (("--group-size", "30"), "group_size must be at most 29 (30 users are known, 30 are not"),
        (("--classifier", "svm"), "classifiers must be one of lr, knn, rf, mlp"),
        (("--setting", "leaves=3"), "setting must be NAME=VALUE with one of inverse_penalty"),
        (("--setting", "trees=1,2"), "setting must be NAME=VALUE with one number"),
        (("--period", "month"), "period must be week, day:mon or hours:mon:8-16"),
        (("--out", "rows.csv"), "out must end in .parquet"),
        (("--workers", "0"), "workers must be between 1 and 64"),
        (("--from", "tomorrow"), "from must be a day such as 2026-03-02"),
        (
            ("--from", "2026-03-03", "--to", "2026-03-08"),
            "A game needs a whole week, Monday to Sunday. From 2026-03-03 to 2026-03-08 there is none.",
        ),
    ],
)
def test_bad_input_is_one_sentence_iv(answer: Answer, habits: Path, words: tuple, message: str) -> None:
    assert message in answer(habits, *SMALL, *words, fails=True)


def test_controls_change_the_data_first_and_are_named(answer: Answer, habits: Path) -> None:
    words = (habits, *SMALL, "--group-size", 3, "--classifier", "lr", "--json")
    plain = answer(*words)
    changed = answer(*words, "--control", "shuffle-hours", "--control", "thin:0.5")
    assert (plain["controls"], changed["controls"]) == ([], ["thin:0.5", "shuffle-hours"])
    assert "As a control they were changed first: each person keeps 50%" in changed["notes"][-1]
    assert plain["results"][0]["auc_mean"] != changed["results"][0]["auc_mean"]
    kept = [one for one in Runs(runs_path_from_environment()).all() if one.name == "habits.csv"]
    assert {one.parameters.controls for one in kept} == {(), ("thin:0.5", "shuffle-hours")}
    fewer = answer(*words, "--fresh", "--control", "users:30")
    assert (fewer["users"], fewer["plans"][0]["known_users"]) == (30, 15)


@pytest.mark.parametrize(
    ("control", "sentence"),
    [("upside-down", "control must be thin:0.5"), ("users:61", "control users must be at most 60")],
)
def test_controls_that_cannot_be_get_one_sentence(
    cli: Run, habits: Path, control: str, sentence: str
) -> None:
    code, _, err = cli("game", habits, *SMALL, "--group-size", 3, "--control", control)
    assert code == 2
    assert sentence in err


def test_sizes_beyond_the_data_are_named_and_groups_are_counted(answer: Answer, habits: Path) -> None:
    words = (
        *SMALL,
        "--group-size",
        "3,500",
        "--classifier",
        "lr",
        "--false-alarms",
        "0,1",
        "--fresh",
        "--json",
    )
    result = answer(habits, *words)
    (row,) = result["results"]
    assert row["group_size"] == 3
    assert any(
        note.startswith("subset, groups of 500, left out: group_size must be at most 29 ")
        for note in result["notes"]
    )
    none, every = row["verdicts"]
    assert (none["accused"], none["cleared"]) == (0, 3 * 50)
    assert (every["found"], every["missed"], every["accused"], every["cleared"]) == (150, 0, 150, 0)
    assert every["right_share"] == 0.5


def test_the_papers_defences_by_one_word(answer: Answer, habits: Path) -> None:
    words = (
        "--targets",
        1,
        "--train-groups",
        20,
        "--from",
        "2026-03-02",
        "--to",
        "2026-03-22",
        "--prior",
        "perfect",
    )
    defended = (
        "--defence",
        "paper",
        "--epsilon",
        "0.1,10",
        "--group-size",
        3,
        "--classifier",
        "lr",
        "--fresh",
    )
    result = answer(habits, *words, *defended, "--json")
    named = {row["defence"].split(":")[0] for row in result["results"]} - {"none"}
    assert named == {"lpa", "lpa-event", "gaussian", "fpa", "efpag"}
    (published,) = result["published"]
    assert published["passive protects"]["holds"] is not None
    assert all(
        0 <= (row["pg_interval"] or [row["pg_mean"]])[0] <= row["pg_mean"]
        for row in result["results"]
        if row["epsilon"]
    )


def test_a_refused_game_names_one_that_can_be_played_and_it_is(
    cli: Run, answer: Answer, habits: Path
) -> None:
    code, _, said = cli("game", habits, *SMALL, "--group-size", 40, "--classifier", "lr", "--fresh")
    assert code == 2
    assert said.strip().endswith("This can be played here: --group-size 5.")
    assert answer(habits, *SMALL, "--group-size", 5, "--classifier", "lr", "--fresh", "--json")["results"]


def test_data_too_small_for_any_game_is_told_what_a_game_needs(cli: Run, tmp_path: Path) -> None:
    few = tmp_path / "few.csv"
    few.write_text(
        "user_id,timestamp,zone\n1,2026-03-02 08:00,1\n2,2026-03-02 09:00,2\n3,2026-03-08 10:00,1\n"
    )
    code, _, said = cli("game", few, "--fresh")
    assert code == 2
    assert (
        "A game needs at least 11 people, and a whole week from Monday to Sunday. Here there are 3 people and 1 whole week."
        in said
    )


def test_an_outcome_that_was_changed_in_a_file_in_the_home_folder_is_played_anew(
    answer: Answer, habits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    words = (habits, *SMALL, "--group-size", 3, "--classifier", "lr", "--runs=~/mine.sqlite", "--json")
    (first,) = answer(*words)["results"]
    with closing(sqlite3.connect(tmp_path / "mine.sqlite")) as connection:
        assert connection.execute("UPDATE outcome SET body = '{}'").rowcount == 3
        connection.commit()
    (again,) = answer(*words)["results"]
    assert again == first
