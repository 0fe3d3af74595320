"""The command recover: one JSON object, a file of trails, plain words, one sentence on what cannot be done."""

from pathlib import Path

import pandas as pd
import pytest

from privlab.progress import Cancelled
from tests.command_line import Answer, Run, answering

BOX = "box:0,0,1,1:10x10"
KEYS = {
    *(
        "users",
        "steps",
        "accuracy",
        "baseline_accuracy",
        "error_km",
        "baseline_error_km",
        "uniqueness",
    ),
    *("accuracy_low", "accuracy_high", "baselines", "defence", "epsilon_user", "seen_share", "seed", "notes"),
}


@pytest.fixture
def answer(cli: Run) -> Answer:
    return answering(lambda *words: cli("recover", *words))


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    """Six people who are at home twice a day, each in a zone of their own, from Monday to Wednesday."""
    frame = pd.DataFrame(
        [
            (person, f"2026-03-0{day} {hour:02d}:30:00", 0.05 + person / 10, 0.55)
            for person in range(6)
            for day in (2, 3, 4)
            for hour in (1, 13)
        ],
        columns=["user_id", "timestamp", "latitude", "longitude"],
    )
    frame.to_csv(tmp_path / "homes.csv", index=False)
    return tmp_path / "homes.csv"


def test_people_who_stay_at_home_are_recovered_and_a_file_says_where(
    answer: Answer, homes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "trails.parquet"
    said = answer(
        homes, "--zones", BOX, "--users", 6, "--days", 3, "--from", "2026-03-02", "--out", out, "--json"
    )
    assert set(said) >= KEYS
    assert (said["users"], said["steps"], said["accuracy"], said["error_km"]) == (6, 72, 1.0, 0.0)
    assert said["baselines"]["crowd"]["accuracy"] == pytest.approx(1 / 6)
    assert said["baselines"]["still"]["accuracy"] == 1.0 == said["baseline_accuracy"]
    assert said["seen_share"] == pytest.approx(2 / 24)
    assert said["uniqueness"] == {one: dict.fromkeys("12345", 1.0) for one in ("recovered", "true")}
    trails = pd.read_parquet(out)
    assert (len(trails), trails.trail.nunique()) == (6 * 72, 6)
    assert (trails.recovered == trails.true).all()
    assert "user_id" not in trails.columns


def test_a_file_says_of_each_trail_what_is_true_and_what_is_put_together(
    answer: Answer, tmp_path: Path
) -> None:
    """Two who meet and turn back are taken to have passed, beside one who stays: 13, 13 and 24 of 24 steps are right, and 17 if all stay."""
    west = [0] * 8 + [1, 2, 3, 4, 3, 2, 1] + [0] * 9
    walks = [west, [8 - one for one in west], [9] * 24]
    right, still = (2 * 13 + 24) / 72, (2 * 17 + 24) / 72
    frame = pd.DataFrame(
        [
            (person, f"2026-03-02 {hour:02d}:30:00", 0.05, 0.05 + zone / 10)
            for person, walk in enumerate(walks)
            for hour, zone in enumerate(walk)
        ],
        columns=["user_id", "timestamp", "latitude", "longitude"],
    )
    frame.to_csv(tmp_path / "walks.csv", index=False)
    out = tmp_path / "trails.parquet"
    asked = (
        "--zones",
        BOX,
        "--users",
        3,
        "--days",
        1,
        "--from",
        "2026-03-02",
        "--over",
        "steps",
        "--out",
        out,
        "--json",
    )
    said = answer(tmp_path / "walks.csv", *asked)
    assert (said["accuracy"], said["accuracy_where_seen"]) == pytest.approx((right, right))
    assert said["baseline"] == "still"
    assert (said["baseline_accuracy"], said["baseline_accuracy_where_seen"]) == pytest.approx((still, still))
    trails = pd.read_parquet(out).sort_values(["trail", "time"])
    assert sorted(trails.groupby("trail").true.apply(list)) == sorted(walks)
    assert (trails.recovered == trails.true).mean() == pytest.approx(right)
    assert [one["step_min"] for one in said["compared"]] == [60, 120, 180, 240, 360]
    hour = said["compared"][0]
    assert (hour["accuracy"], hour["accuracy_low"], hour["accuracy_high"]) == (
        said["accuracy"], said["accuracy_low"], said["accuracy_high"]
    )  # fmt: skip
    assert all(one["accuracy_low"] <= one["accuracy"] <= one["accuracy_high"] for one in said["compared"])
    assert any(one["accuracy_low"] < one["accuracy_high"] for one in said["compared"])


def test_epsilon_beside_a_comparison_of_defences_is_that_of_all_that_add_noise(
    answer: Answer, homes: Path
) -> None:
    """As docs/recovery.md compares them: true counts at hand, the noise of ε = 10 beside them."""
    asked = (homes, "--zones", BOX, "--users", 6, "--days", 1, "--from", "2026-03-02", "--over", "defences")
    said = answer(*asked, "--epsilon", 10, "--json")
    assert (said["defence"], said["epsilon_user"]) == ("none", None)
    without = {"none", "suppress:5", "sample:0.5", "generalise:hours=24"}
    taken = {one["defence"]: one["epsilon"] for one in said["compared"]}
    assert {name for name, epsilon in taken.items() if epsilon is None} == without
    assert {epsilon for name, epsilon in taken.items() if name not in without} == {10.0}
    # With noise at hand it is the same ε; with nothing said it is 1; and no ε is no word for 1.
    of_lpa = answer(*asked, "--defence", "lpa", "--epsilon", 10, "--json")
    assert (of_lpa["defence"], of_lpa["compared"]) == ("lpa", said["compared"])
    assert {one["epsilon"] for one in answer(*asked, "--json")["compared"]} == {None, 1.0}


def test_no_epsilon_of_nothing_is_taken_for_the_usual_one(cli: Run, homes: Path) -> None:
    code, _, said = cli(
        *("recover", homes, "--zones", BOX, "--users", 6, "--days", 1, "--from", "2026-03-02"),
        *("--over", "defences", "--epsilon", 0),
    )
    assert (code, said.split(" must be ")[0]) == (2, "epsilon")


def test_words_say_that_recovered_is_not_identified(answer: Answer, homes: Path) -> None:
    said = answer(homes, "--zones", BOX, "--users", 6, "--days", 3, "--defence", "lpa", "--epsilon", 1)
    assert "recovered is not identified" in said
    assert "ε = 1 for all reports of one user" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--users", 7), "ask for fewer users"),
        (("--users", 2, "--days", 30), "ask for fewer days"),
        (("--users", 2, "--step", 45), "step must be"),
        (("--users", 2, "--days", 3, "--defence", "lpa"), "epsilon must be given"),
        (("--users", 2, "--days", 3, "--defence", "none,lpa"), "one defence"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    answer: Answer, homes: Path, words: tuple[object, ...], sentence: str
) -> None:
    assert sentence in answer(homes, "--zones", BOX, "--days", 3, *words, fails=True)


def test_zones_that_lie_nowhere_lead_on_to_their_positions(answer: Answer, tmp_path: Path) -> None:
    rows = [(person, f"2026-03-02 {hour:02d}:00:00", f"z{person}") for person in (1, 2) for hour in (8, 9)]
    pd.DataFrame(rows, columns=["user_id", "timestamp", "zone"]).to_csv(tmp_path / "ids.csv", index=False)
    said = answer(tmp_path / "ids.csv", "--zones", "column", "--users", 2, "--days", 1, fails=True)
    assert "--zone-positions" in said


def test_it_tells_how_far_it_is_and_can_be_stopped() -> None:
    from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
    from privlab.aggregates.recovery.trails_from_counts import recovery_from_followed
    from privlab.progress import Progress
    from tests.aggregates.recovery.test_trails_from_counts import line, world

    people, told = world([[0] * 48, [1] * 48], line(2)), Progress()
    recovery_from_followed(people, RecoveryParameters(users=2, days=2), progress=told)
    assert told.share == pytest.approx(1.0)
    stopped = Progress(lambda share, words: stopped.cancel() if share > 0.2 else None)
    with pytest.raises(Cancelled):
        recovery_from_followed(people, RecoveryParameters(users=2, days=2), progress=stopped)
