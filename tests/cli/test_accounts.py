"""Accounts on the command line: the same people in other files pay from one budget, other people from their own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Answer, Run

ZONES = "zone,lat,lon\n" + "".join(f"{zone},45.{zone},8\n" for zone in range(4))


def cards(first: int, last: int, *, header: str = "user,time,zone", without: int = 0, day: int = 2) -> str:
    """Return rows of people with card numbers, each from zone 1 to 2 in the morning, the last rows left out."""
    rows = [
        f"card-{card:08d},2026-03-0{day} {hour:02d}:05,{zone}"
        for card in range(first, last)
        for hour, zone in ((8, 1), (9, 2))
    ]
    return "\n".join([header, *rows[: len(rows) - without]]) + "\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files of the same people, written in several ways, and of others."""
    for name, text in {
        "cards.csv": cards(0, 60),
        "one_row_less.csv": cards(0, 60, without=1),
        "renamed.csv": cards(0, 60, header="card,moment,zone"),
        "next_day.csv": cards(0, 60, day=3),
        "a_few_more.csv": cards(0, 90),
        "some.csv": cards(50, 200),
        "others.csv": cards(500, 560),
        "zones.csv": ZONES,
    }.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setenv("PRIVLAB_LEDGER", str(tmp_path / "ledger.sqlite"))
    return tmp_path


def release(place: Path, data: str, out: str, *more: object, epsilon: float = 0.5) -> tuple[Any, ...]:
    return (
        *(
            "release",
            place / data,
            "--zones",
            "column",
            "--ids",
            "number",
            "--zone-positions",
            place / "zones.csv",
        ),
        *("--week", "2026-03-02", "--epsilon", epsilon, "--max-trips-per-user", 2, "--threshold", 20),
        *("--accept-made-up", "a test", "--out", place / out, *more, "--json"),
    )


def test_the_same_people_in_other_files_pay_from_one_budget(cli: Run, place: Path) -> None:
    """60 people are in all of these files, so all shares are exact: 60 of 60, and 60 of 90."""
    code, out, err = cli(*release(place, "cards.csv", "one", "--account", "transit cards 2026"))
    assert code == 0, err
    first = json.loads(out)
    assert (first["account"], first["datasets"], first["spent_epsilon"]) == ("transit cards 2026", 1, 0.5)
    assert cli("ledger", "set-budget", "transit cards 2026", "--epsilon", 2.25)[0] == 0
    for number, (data, share) in enumerate(
        [("one_row_less.csv", "100%"), ("next_day.csv", "100%"), ("a_few_more.csv", "67%")], 2
    ):
        code, out, err = cli(*release(place, data, data[:-4]))
        made = json.loads(out)
        assert (code, made["data"], made["datasets"]) == (0, first["data"], number)
        assert made["spent_epsilon"] == 0.5 * number
        assert err == (
            f"This data is charged to the account “transit cards 2026”: {share} of its people are in it already. If they "
            "are other people, open a new one (--new-account).\n"
        )
    columns = ("--column", "user_id=card", "--column", "timestamp=moment")
    code, _, err = cli(*release(place, "renamed.csv", "no", *columns))
    assert code == 2
    assert err.splitlines()[-1].startswith(
        "epsilon must be at most 0.25, what is left of this data's budget of 2.25"
    )
    code, out, err = cli(*release(place, "renamed.csv", "renamed", *columns, epsilon=0.25))
    assert json.loads(out)["left_epsilon"] == pytest.approx(0)
    assert cli("ledger", "check")[0] == 0
    for folder in ("one", "renamed"):
        certificate = (place / folder / "certificate.json").read_text("utf-8")
        assert "transit cards" not in certificate
        assert first["data"] not in certificate


def test_other_people_have_an_account_of_their_own(cli: Run, answer: Answer, place: Path) -> None:
    one = answer(*release(place, "cards.csv", "one"))
    code, out, err = cli(*release(place, "others.csv", "two"))
    two = json.loads(out)
    assert (code, err) == (0, "")
    assert two["data"] != one["data"]
    assert (two["spent_epsilon"], two["account"], two["datasets"]) == (0.5, None, 1)
    code, out, err = cli(*release(place, "some.csv", "three"))
    some = json.loads(out)
    assert some["data"] not in (one["data"], two["data"])
    # 10 of its 150 people are among the first 60.
    assert err == (
        f"7% of its people are in the account {one['data']} too: no budget counts what both release of them. `ledger merge` "
        "puts two accounts into one.\n"
    )
    listed = answer("ledger", "accounts", "--json")
    assert {one["data"]: one["people"] for one in listed["accounts"]} == {
        one["data"]: 60,
        two["data"]: 60,
        some["data"]: 150,
    }
    assert {(pair["data"], pair["in"]): round(pair["share"], 3) for pair in listed["in_two"]} == {
        (some["data"], one["data"]): 0.067,
        (one["data"], some["data"]): 0.167,
    }
    merged = answer("ledger", "merge", some["data"], one["data"], "--json")
    assert (merged["data"], merged["releases"], merged["spent_epsilon"]) == (one["data"], 2, 1.0)
    renamed = answer("ledger", "rename", one["data"], "cards", "--json")
    assert (renamed["account"], renamed["datasets"]) == ("cards", 2)
    assert answer(*release(place, "some.csv", "four"))["spent_epsilon"] == 1.5
    answer("ledger", "export", "--out", place / "all.json")
    written = json.loads((place / "all.json").read_text("utf-8"))
    assert [entry["account"] for entry in written["entries"]] == ["cards", None, "cards", "cards"]
    assert written["holds"] is True
    assert "people" not in json.dumps(written["datasets"])


def test_a_new_account_for_the_same_people_must_be_asked_for(cli: Run, answer: Answer, place: Path) -> None:
    answer(*release(place, "cards.csv", "one", "--account", "cards"))
    error = answer(*release(place, "renamed.csv", "no", "--column", "user_id=card", "--column", "timestamp=moment",
                            "--account", "fresh"), fails=True)  # fmt: skip
    assert error.strip() == (
        "account must be “cards”, for 100% of its people are in it already, at ε = 0.5, got fresh. If they are other people, "
        "open a new one (--new-account)."
    )
    assert not (place / "no").exists()
    preview = answer(*release(place, "next_day.csv", "no", "--account", "fresh", "--preview"))
    assert preview["would_be_refused"] == [error.strip()]
    preview = answer(*release(place, "next_day.csv", "no", "--preview"))
    assert (preview["account"], preview["spent_epsilon"], preview["would_be_refused"]) == ("cards", 0.5, [])
    assert preview["notes"][0].startswith("This data is charged to the account “cards”")
    made = answer(*release(place, "next_day.csv", "two", "--account", "fresh", "--new-account"))
    assert (made["account"], made["spent_epsilon"]) == ("fresh", 0.5)
    # What is in an account stays there, whatever is said later.
    assert answer(*release(place, "next_day.csv", "three"))["spent_epsilon"] == 1.0
    error = answer(*release(place, "next_day.csv", "no", "--account", "cards"), fails=True)
    assert error.startswith("account must be “fresh”, which this data is in already, got cards.")
    error = answer(*release(place, "one_row_less.csv", "no", "--account", "x" * 81), fails=True)
    assert error.startswith("account must be a name of 1 to 80 characters")
    error = answer("ledger", "rename", "fresh", "CARDS", fails=True)
    assert error.startswith("title must be one that no other account has")
    error = answer("ledger", "merge", "none", "cards", fails=True)
    assert "has no account none. The command `ledger accounts` lists" in error
    assert cli("ledger", "check")[0] == 0


def test_no_new_account_is_opened_for_data_that_is_in_one_without_a_name(answer: Answer, place: Path) -> None:
    one = answer(*release(place, "cards.csv", "one"))
    words = ("--account", "fresh")
    error = answer(*release(place, "cards.csv", "two", *words, "--new-account"), fails=True)
    assert error.startswith("new_account must be left out: the release is charged to")
    assert not (place / "two").exists()
    named = answer(*release(place, "cards.csv", "two", *words))
    assert (named["account"], named["spent_epsilon"]) == ("fresh", 2 * one["spent_epsilon"])
    # Of the account that has that name by now it is said again, and changes nothing.
    assert (
        answer(*release(place, "cards.csv", "three", *words, "--new-account"))["spent_epsilon"]
        == 3 * one["spent_epsilon"]
    )


@pytest.mark.parametrize(
    "words", [("rename", "cards", "new"), ("merge", "a", "b"), ("set-budget", 32 * "a", "--epsilon", "1")]
)
def test_what_changes_an_account_begins_no_ledger(
    answer: Answer, tmp_path: Path, words: tuple[str, ...]
) -> None:
    place = tmp_path / "mistyped.sqlite"
    error = answer("ledger", *words, "--ledger", place, fails=True)
    assert error.startswith(f"There is no ledger {place}.")
    assert list(tmp_path.iterdir()) == []


def test_a_release_of_vehicles_says_whom_it_promises(answer: Answer, place: Path) -> None:
    """A bike's id by the name of its column; of a card nothing is said."""
    (place / "bikes.csv").write_text(cards(0, 60, header="bike_id,time,zone"))
    said = "By its name bike_id holds vehicles: what is promised to a person is promised to one of these."
    assert answer(*release(place, "bikes.csv", "no", "--preview"))["notes"] == [said]
    assert answer(*release(place, "bikes.csv", "one"))["notes"] == [said]
    assert "notes" not in answer(*release(place, "others.csv", "two"))


def test_a_release_of_ids_that_are_new_each_day_asks_about_them(answer: Answer, place: Path) -> None:
    """Thirty people go 1→2 on five mornings, under an id of the day or one that stays: "one person" is then an id of a day."""
    for name, id_of in (("daily.csv", "{user}-{day}"), ("lasting.csv", "{user}")):
        rows = [
            f"{id_of.format(user=user, day=day)},2026-03-{day:02d} {hour:02d}:00,{zone}"
            for user in range(30)
            for day in range(2, 7)
            for hour, zone in ((8, 1), (9, 2))
        ]
        (place / name).write_text("\n".join(["user,time,zone", *rows]) + "\n")
    # 30 people and 5 days are 150 ids, each seen at 8 and at 9.
    asked = "Of 150 ids with several rows, 150 are seen for less than a day, in data of 5 days: are ids new each day?"
    assert [
        one[: len(asked)] for one in answer(*release(place, "daily.csv", "no", "--preview"))["notes"]
    ] == [asked]
    assert [one[: len(asked)] for one in answer(*release(place, "daily.csv", "one"))["notes"]] == [asked]
    assert "notes" not in answer(*release(place, "lasting.csv", "two"))


def test_numbers_of_rows_are_nobody_s_names(cli: Run, answer: Answer, place: Path) -> None:
    """Two tables whose users are 0, 1, 2, … share no people by that; with their first rows at the same times they do."""
    for name, start in (("a.csv", 0), ("b.csv", 7), ("c.csv", 0)):
        rows = [
            f"{user},2026-03-02 {hour:02d}:{(start + user) % 60:02d},{zone}"
            for user in range(50)
            for hour, zone in ((8, 1), (9, 2))
        ]
        (place / name).write_text(
            "\n".join(["user,time,zone", *rows[: -1 if name == "c.csv" else None]]) + "\n"
        )
    made = [answer(*release(place, name, name[:-4])) for name in ("a.csv", "b.csv")]
    assert made[0]["data"] != made[1]["data"]
    assert answer(*release(place, "c.csv", "c"))["data"] == made[0]["data"]
