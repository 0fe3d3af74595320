"""The commands of the ledger: whose account, which key, which data; and that no plain digest is ever printed."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import Answer, Run

ZONES = "zone,lat,lon\n" + "".join(f"{zone},45.{zone},8\n" for zone in range(4))


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with people in cells, where the cells stand in a second file, and a ledger of its own."""
    rows = [
        f"{user},2026-03-02 {hour:02d}:05,{cell}\n"
        for user in range(40)
        for hour, cell in ((8, "a"), (9, "b"))
    ]
    (tmp_path / "people.csv").write_text("user,time,cell\n" + "".join(rows))
    (tmp_path / "cells.csv").write_text("cell,lat,lon\na,45.1,8.1\nb,45.6,8.6\n")
    (tmp_path / "other.csv").write_text("cell,lat,lon\na,45.1,8.1\nb,45.7,8.7\n")
    (tmp_path / "zoned.csv").write_text(
        "user,time,zone\n" + "".join(rows).replace("a\n", "1\n").replace("b\n", "2\n")
    )
    (tmp_path / "zones.csv").write_text(ZONES)
    monkeypatch.setenv("PRIVLAB_LEDGER", str(tmp_path / "ledger.sqlite"))
    return tmp_path


def joined(place: Path, second: str, out: str, epsilon: float) -> tuple[Any, ...]:
    return (
        *(
            "release",
            place / "people.csv",
            "--join",
            place / second,
            "--join-on",
            "cell=cell",
            "--zones",
            "box:45,8,46,9:2x2",
        ),
        *(
            "--week",
            "2026-03-02",
            "--epsilon",
            epsilon,
            "--max-trips-per-user",
            2,
            "--accept-made-up",
            "a drill: nothing reaches the threshold",
            "--out",
            place / out,
            "--json",
        ),
    )


def plain(place: Path, out: str, *more: object) -> tuple[Any, ...]:
    return (
        *(
            "release",
            place / "zoned.csv",
            "--zones",
            "column",
            "--ids",
            "number",
            "--zone-positions",
            place / "zones.csv",
        ),
        *(
            "--week",
            "2026-03-02",
            "--epsilon",
            1,
            "--max-trips-per-user",
            2,
            "--out",
            place / out,
            *more,
            *(() if "--threshold" in more else ("--accept-made-up", "a drill: nothing reaches 100")),
            "--json",
        ),
    )


def test_a_budget_of_a_file_binds_it_whatever_second_file_is_joined(answer: Answer, place: Path) -> None:
    set_ = answer("ledger", "set-budget", place / "people.csv", "--epsilon", 1, "--json")
    made = answer(*joined(place, "cells.csv", "one", 0.7))
    assert (made["data"], made["budget_epsilon"]) == (set_["data"], 1)
    assert made["left_epsilon"] == pytest.approx(0.3)
    error = answer(*joined(place, "other.csv", "two", 0.7), fails=True)
    assert error.startswith("epsilon must be at most 0.3, what is left of this data's budget of 1")
    assert not (place / "two").exists()


def test_no_command_prints_a_plain_digest_and_names_are_taken_back(
    answer: Answer, cli: Run, place: Path
) -> None:
    digest = hashlib.blake2b((place / "zoned.csv").read_bytes(), digest_size=16).hexdigest()
    printed = [cli(*plain(place, "out"))[1]]
    name = json.loads(printed[0])["data"]
    answer("ledger", "set-budget", name, "--epsilon", 4)
    answer("ledger", "set-budget", place / "zoned.csv", "--epsilon", 3)
    for words in (
        ("show",),
        ("show", "--json"),
        ("public-key",),
        ("which", place / "out/certificate.json", place / "zoned.csv"),
    ):
        code, out, err = cli("ledger", *words)
        assert code == 0, err
        printed.append(out + err)
    assert all(digest not in one for one in printed)
    shown = json.loads(printed[2])
    assert [(one["data"], one["epsilon"]) for one in shown["budgets"]] == [(name, 4), (name, 3)]
    assert [(one["data"], one["entry"], one["state"]) for one in shown["entries"]] == [(name, 1, "confirmed")]
    assert shown["datasets"][0]["budget_epsilon"] == 3
    assert "has no account" in answer("ledger", "set-budget", digest, "--epsilon", 4, fails=True)


def test_a_budget_without_a_delta_refuses_gaussian_noise_and_says_how_to_set_one(
    answer: Answer, place: Path
) -> None:
    answer("ledger", "set-budget", place / "zoned.csv", "--epsilon", 2)
    refused = answer(*plain(place, "out", "--noise", "gaussian"), fails=True)
    assert refused == (
        "delta must be at most 0, what is left of this data's budget of 0, got 1e-06. The budget was set without a delta: set it anew "
        "with one, by `ledger set-budget … --epsilon 2 --delta 1e-06`, or under “Set a budget” on the page Publish.\n"
    )
    answer("ledger", "set-budget", place / "zoned.csv", "--epsilon", 2, "--delta", "1e-06")
    made = answer(*plain(place, "out", "--noise", "gaussian"))
    assert (made["left_epsilon"], made["budget_delta"]) == (1, 1e-6)


def test_what_a_new_budget_does_not_name_stays_as_it_was(answer: Answer, cli: Run, place: Path) -> None:
    """A raised epsilon took the budget's δ and its rule away without a word, and with them the next release."""
    data = place / "zoned.csv"

    def budget(*words: object) -> tuple[float, float]:
        shown = answer("ledger", "set-budget", *words, "--json")
        return shown["budget_epsilon"], shown["budget_delta"]

    assert budget(data, "--epsilon", 2) == (2, 0)
    assert budget(data, "--epsilon", 2, "--delta", "1e-06", "--adding", "concentrated") == (2, 1e-6)
    assert budget(data, "--epsilon", 3) == (3, 1e-6)
    name = json.loads(cli("ledger", "show", "--json")[1])["datasets"][0]["data"]
    assert budget(name, "--epsilon", 4) == (4, 1e-6)
    assert budget(name, "--epsilon", 4, "--delta", "0", "--adding", "sum") == (4, 0)
    kept = json.loads(cli("ledger", "show", "--json")[1])["budgets"]
    assert [one["adding"] for one in kept] == ["sum", *3 * ["concentrated"], "sum"]


def test_public_key_verify_and_which(answer: Answer, cli: Run, place: Path) -> None:
    answer(*plain(place, "out"))
    certificate = place / "out" / "certificate.json"
    key = answer("ledger", "public-key").strip()
    assert json.loads(certificate.read_text())["signature"]["public_key"] == key
    assert (place / "ledger.sqlite.pub").read_text() == f"{key}\n"
    assert "was not checked" in answer("verify", certificate, "--json")["origin"]
    for more in (
        ("--public-key", key),
        ("--public-key", place / "ledger.sqlite.pub"),
        ("--ledger", place / "ledger.sqlite"),
    ):
        found = answer("verify", certificate, *more, "--json")
        assert (found["holds"], found["origin"]) == (True, "The certificate is signed with the key given.")
    assert found["not_looked_at"] == []
    (place / "out" / "notes.txt").write_text(
        "Anyone can write this.\n"
    )  # of which the certificate says nothing
    found = answer("verify", certificate, "--json")
    assert (found["holds"], found["not_looked_at"]) == (True, ["notes.txt"])
    code, out, _ = cli("verify", certificate, "--public-key", "0" * 64, "--json")
    assert code == 1
    assert json.loads(out)["checks"]["signed with the key given"] is False
    assert "public_key must be 64 hexadecimal digits" in answer(
        "verify", certificate, "--public-key", "x", fails=True
    )
    assert "There is no ledger" in answer(
        "verify", certificate, "--ledger", place / "none.sqlite", fails=True
    )
    assert answer("ledger", "which", certificate, place / "zoned.csv", "--json")["came_from_it"] is True
    code, out, _ = cli("ledger", "which", certificate, place / "people.csv", "--json")
    assert (code, json.loads(out)["came_from_it"]) == (1, False)


def test_a_new_ledger_is_said_and_one_that_is_not_there_too(cli: Run, place: Path) -> None:
    code, out, err = cli("ledger", "show", "--json")
    assert (code, json.loads(out)["datasets"]) == (0, [])
    assert err == f"There is no ledger {place / 'ledger.sqlite'} yet.\n"
    assert not (place / "ledger.sqlite").exists()
    assert cli(*plain(place, "one"))[2] == f"A new ledger was begun: {place / 'ledger.sqlite'}.\n"
    assert cli(*plain(place, "two"))[2] == ""
    (place / "empty.sqlite").write_bytes(b"")
    code, _, err = cli(*plain(place, "three", "--ledger", place / "empty.sqlite"))
    assert code == 2
    assert "is empty: something has removed what it held." in err
    assert not (place / "three").exists()


def test_a_grid_over_a_named_box_is_released_and_one_without_says_what_to_do(cli: Run, place: Path) -> None:
    (place / "walks.csv").write_text(
        "user,time,lat,lon\n"
        + "".join(
            f"{user},2026-03-02 {hour:02d}:05,{lat},8.1\n"
            for user in range(40)
            for hour, lat in ((8, 45.1), (9, 45.6))
        )
    )
    command = (
        *("release", place / "walks.csv", "--zones", "grid:20000", "--week", "2026-03-02", "--epsilon", 5),
        *("--max-trips-per-user", 2, "--threshold", 20, "--json"),
    )
    code, _, sentence = cli(*command, "--out", place / "refused")
    assert code == 2
    assert "--box SOUTH,WEST,NORTH,EAST" in sentence
    assert not (place / "refused").exists()
    assert cli(*command, "--box", "45,8,45.7,8.3", "--out", place / "made")[0] == 0
    certificate = json.loads((place / "made" / "certificate.json").read_text())
    assert certificate["zones"]["spec"] == "grid:20000:45,8,45.7,8.3"
    # By hand: rows 0.17986° high, number 250 to 254; columns at 45° 0.25437° wide, numbers 31 and 32.
    assert certificate["zones"]["public"] == list(range(10))
    assert cli("verify", place / "made" / "certificate.json")[0] == 0


def test_a_release_with_gaussian_noise_costs_epsilon_and_delta_and_verifies(
    answer: Answer, cli: Run, place: Path
) -> None:
    made = answer(*plain(place, "made", "--noise", "gaussian", "--threshold", 0))
    assert (made["spent_epsilon"], made["spent_delta"]) == (1, 1e-6)
    assert "δ = 10⁻⁶ private for that week" in made["statement"]
    said = json.loads((place / "made" / "certificate.json").read_text())
    assert (said["parameters"]["clip"], said["mechanism"]["noise"]) == ("l2", "discrete Gaussian")
    assert said["utility"]["published_cells"] == 12
    assert cli("verify", place / "made" / "certificate.json", "--ledger", place / "ledger.sqlite")[0] == 0
    answer(*plain(place, "total", "--noise", "gaussian", "--threshold", 0, "--unbiased"))
    said = json.loads((place / "total" / "certificate.json").read_text())
    assert said["parameters"]["total_share"] == 0.03
    (total,) = said["totals"].values()
    assert total["counted"] == said["utility"]["published_total"]
    header = (place / "total" / "estimates.csv").read_text().splitlines()[0]
    assert header.endswith('"smoothed_count","unbiased_count"')
    assert cli("verify", place / "total" / "certificate.json", "--ledger", place / "ledger.sqlite")[0] == 0
    assert answer(*plain(place, "no", "--unbiased"), fails=True).startswith(
        "total_share must be left out with noise integer"
    )
    more = ("--noise", "gaussian", "--cells", "discovered")
    error = answer(*plain(place, "no", *more, "--threshold", 5), fails=True)
    assert error.startswith("delta must be at most")
    assert "The lowest threshold that makes it no more than the noise's own 10⁻⁶ a week is" in error
    least = error.partition("10⁻⁶ a week is ")[2].split(".")[0]
    made = answer(*plain(place, "found", *more, "--threshold", least))
    assert made["spent_delta"] == pytest.approx(3e-6)  # as much as each of the two before
    assert cli("verify", place / "found" / "certificate.json", "--ledger", place / "ledger.sqlite")[0] == 0
    error = answer(*plain(place, "no", "--noise", "gaussian", "--delta", 0.01), fails=True)
    assert error.startswith("delta must be at most 10⁻⁴, got 0.01")
    assert "Take a smaller delta: 1e-06" in error


def test_a_preview_says_what_would_happen_and_does_nothing(answer: Answer, cli: Run, place: Path) -> None:
    """40 people go 1→2 and L is 2; noise of scale 2 stays within 6 in 95 of 100 draws: 2·ln 20, by its tail."""
    said = answer(*plain(place, "out", "--threshold", 20, "--preview"))
    assert not (place / "out").exists()
    assert not (place / "ledger.sqlite").exists()
    assert said["outlook"]["largest_true"] == 40
    assert said["outlook"]["half_width"] == 6
    assert said["cost"] == {"epsilon": 1, "delta": 0}
    assert said["would_be_refused"] == []
    made = answer(*plain(place, "out", "--threshold", 20))
    assert made["statement"] == said["statement"]
    assert made["verdict"] == said["verdict"]
    assert made["true_data_for_internal_eyes"] == said["true_data_for_internal_eyes"]
    cli("ledger", "set-budget", place / "zoned.csv", "--epsilon", 1.5)
    again = answer(*plain(place, "two", "--threshold", 1, "--preview"))
    assert again["spent_epsilon"] == 1
    assert "may be false" in again["would_be_refused"][0]
    assert len(again["would_be_refused"]) == 2  # and the budget
    error = answer(*plain(place, "two", "--threshold", 1), fails=True)
    assert again["would_be_refused"][0] in error
    cli("ledger", "set-budget", place / "zoned.csv", "--epsilon", 9)
    cli("ledger", "set-limit", "--epsilon", 0.4)
    (alone,) = answer(*plain(place, "two", "--threshold", 20, "--preview"))["would_be_refused"]
    assert "at most 0.4 where no second person has approved" in alone
    assert answer(*plain(place, "two", "--threshold", 20), fails=True).strip() == alone


def test_a_preview_offers_what_gives_more_for_the_same_promise(answer: Answer, cli: Run, place: Path) -> None:
    """3,000 people make all twelve trips among four zones and L is 3: three quarters of the trips are not counted."""
    flows = [(o, d) for o in range(4) for d in range(4) if o != d]
    rows = [
        f"{user},2026-03-02 {8 + i:02d}:05,{o},{d}\n"
        for user in range(3_000)
        for i, (o, d) in enumerate(flows)
    ]
    (place / "trips.csv").write_text("user,time,origin,destination\n" + "".join(rows))
    words = (
        *(
            "release",
            place / "trips.csv",
            "--zones",
            "column",
            "--zone-positions",
            place / "zones.csv",
            "--ids",
            "number",
        ),
        *("--week", "2026-03-02", "--epsilon", 1, "--max-trips-per-user", 3, "--threshold", 20),
    )
    found = answer(*words, "--preview", "--json")
    assert [one["options"] for one in found["offers"]] == ["--noise gaussian --unbiased"]
    # Three of twelve trips stay; with weights √(3/12) of each, a half.
    assert "takes 75% of all trips" in found["offers"][0]["says"]
    taken = answer(*words, *found["offers"][0]["options"].split(), "--preview", "--json")
    assert taken["offers"] == []
    assert taken["outlook"]["counted_trips"] == pytest.approx(18_000, rel=1e-3)
    error = answer(*words, "--json", fails=True)
    assert error.startswith("out must be given")


def test_what_leaves_the_house_names_no_folder_of_it_and_no_budget_that_nobody_set(
    answer: Answer, place: Path
) -> None:
    answer(*plain(place, "one"))
    out = place / "all.json"
    answer("ledger", "export", "--out", out)
    assert json.loads(out.read_text("utf-8"))["ledger"] == "ledger.sqlite"
    (account,) = answer("ledger", "show", "--json")["datasets"]
    assert (account["budget_epsilon"], account["spent_of_budget"]) == (None, None)
    answer("ledger", "set-budget", account["data"], "--epsilon", 9)
    (account,) = answer("ledger", "show", "--json")["datasets"]
    assert account["spent_of_budget"] == account["spent_epsilon"] > 0
