"""The commands of what holds: one JSON object, figures from outside, one sentence on bad input."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from tests.command_line import Answer, Run


def test_guarantee_against_the_paper(answer: Answer) -> None:
    words = ("guarantee", "--epsilon", 0.66, "--cells", "discovered", "--noise", "laplace", "--json")
    result = answer(*words)
    assert f"{result['guarantees']['trip']['delta']:.1e}" == "2.1e-29"
    assert result["guarantees"]["user"] is None
    assert "promised nothing" in result["statement"]
    bounded = answer("guarantee", "--epsilon", 0.66, "--max-trips-per-user", 10, "--weeks", 52, "--json")
    assert bounded["guarantees"]["user"]["epsilon"] == pytest.approx(34.32)
    assert bounded["scale"] == pytest.approx(10 / 0.66)


def test_certainty_against_closed_form(answer: Answer) -> None:
    found = answer("certainty", "--epsilon", 0.66, "--trips", 2, "--json")
    assert list(found) == [
        "prior",
        "above",
        "accuracy",
        "in_above",
        "out_above",
        "either_way",
        "largest",
        "tpr_at",
    ]
    assert found["prior"] == 0.5
    assert found["above"] == pytest.approx(1 / (1 + math.exp(-0.66)))  # above what: the claim
    assert list(found["tpr_at"]) == ["0.01", "0.001"]
    # Both cells at +ε; one there and the other above 0; both between and adding up to more than ε.
    half = math.exp(-0.33)
    above = 1 / 4 + (1 - half) / 2 + (4 - (2 * 0.66 + 4) * half) / 16
    assert found["in_above"] == pytest.approx(above, abs=1e-9)
    assert found["accuracy"] == pytest.approx(0.656294, abs=5e-7)  # docs/science.md, section 2.3
    assert found["largest"] == pytest.approx(1 / (1 + math.exp(-1.32)))


def test_certainty_of_a_plan_against_scipy(answer: Answer) -> None:
    # ε = 0.66 a week, ten trips in each of 52: 520 coins that show the truth with σ(0.066).
    plan = ("--noise", "integer", "--max-trips-per-user", 10, "--weeks", 52, "--above", 0.95, "--json")
    found = answer("certainty", "--epsilon", 0.66, "--trips", 70, *plan)
    truth = 1 / (1 + math.exp(-0.066))
    least = math.floor((math.log(19) / 0.066 + 520) / 2) + 1
    assert found["in_above"] == pytest.approx(scipy.stats.binom.sf(least - 1, 520, truth), abs=1e-9)
    assert found["out_above"] == pytest.approx(scipy.stats.binom.cdf(520 - least, 520, truth), abs=1e-9)


def test_certainty_with_a_threshold_by_bayes_by_hand(answer: Answer) -> None:
    # One flow with 99 others, threshold 100: shown with ½ if the target is in, with ½e^{−1} if not.
    words = ("certainty", "--epsilon", 1, "--threshold", 100, "--counts", 99, "--prior", 0.2, "--json")
    odds = 0.25 * math.e
    found = answer(*words, "--above", 0.4)
    assert found["largest"] == pytest.approx(odds / (1 + odds))  # 0.404…
    assert (found["in_above"], found["out_above"]) == pytest.approx((0.5, math.exp(-1) / 2))
    assert answer(*words, "--above", 0.41)["in_above"] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "trips must be given, or counts with a threshold"),
        (("--trips", 3, "--threshold", 5), "threshold and counts must be given together"),
        (("--trips", 3, "--threshold", 5, "--counts", "1,2"), "counts must be as many as trips (3), got 2."),
        (("--trips", 3, "--prior", 1), "prior must be between 1e-06 and 0.999999, got 1."),
        (("--trips", 3, "--above", -0.1), "above must be between 0 and 1, got -0.1."),
        (("--trips", 100001), "trips must be between 0 and 100,000, got 100,001."),
    ],
)
def test_questions_on_certainty_without_sense_are_refused_iv(
    answer: Answer, words: tuple[object, ...], sentence: str
) -> None:
    assert sentence in answer("certainty", "--epsilon", 1, *words, fails=True)


def test_risk_against_hand(answer: Answer, world_csv: Path) -> None:
    # Week of 2 March: 1→2 has Anna and Cleo, 2→1 Anna, 3→4 Ben; everything is published at threshold 0.
    result = answer(
        "risk", world_csv, "--epsilon", 0.66, "--threshold", 0, "--cells", "public", "--users", 1000, "--json"
    )
    assert (result["weeks"], result["users_in_release"], result["users_judged"]) == (["2026-03-02"], 3, 3)
    assert result["quantiles"]["1"] == pytest.approx(0.656294, abs=5e-7)  # Anna, two unique trips
    assert result["quantiles"]["0.5"] == pytest.approx(0.640538, abs=5e-7)
    assert result["share_above_claim"] == 0
    # Ben is in both weeks: one unique trip in the first and two in the second, three flows in all.
    both = answer(
        "risk",
        world_csv,
        "--epsilon",
        0.66,
        "--threshold",
        0,
        "--cells",
        "public",
        "--week",
        "2026-03-02",
        "--week",
        "2026-03-09",
        "--json",
    )
    assert both["quantiles"]["1"] == pytest.approx(0.707072, abs=5e-7)
    flows = result["most_exposed"][0]["flows"]
    assert {(flow["origin"], flow["destination"], flow["others"]) for flow in flows} == {(1, 2, 1), (2, 1, 0)}


def test_a_command_judges_as_many_people_as_a_page_where_nothing_is_said(
    answer: Answer, tmp_path: Path
) -> None:
    path = tmp_path / "many.csv"
    rows = "".join(f"{user},2026-03-02 08:00,1,2\n" for user in range(600))
    path.write_text("user_id,timestamp,origin,destination\n" + rows, encoding="utf-8")
    release = ("--epsilon", 1, "--json")
    asked = (("risk", path, *release), ("guarantee", *release, "--data", path))
    judged = [answer(*words, "--zones", "column") for words in asked]
    # docs/limits.md, MOST_PEOPLE
    assert [judged[0]["users_judged"], judged[1]["people"]["users_judged"]] == [500, 500]


def test_risk_under_gaussian_noise_against_the_normal_law(answer: Answer, world_csv: Path) -> None:
    """Anna makes two trips in the week, Cleo and Ben one; L = 2, so that each counts whole: Φ(√T/2σ)."""
    words = ("--epsilon", 2, "--noise", "gaussian", "--max-trips-per-user", 2, "--cells", "public")
    found = answer("risk", world_csv, *words, "--json")
    deviation = answer("guarantee", *words, "--json")["standard_deviation"]
    expected = [scipy.stats.norm.cdf(math.sqrt(n) / (2 * deviation)) for n in (1, 2)]
    assert found["quantiles"]["0.5"] == pytest.approx(expected[0], rel=1e-5)
    assert found["quantiles"]["1"] == pytest.approx(expected[1], rel=1e-5)
    assert "a flow that is left out only lowers it" in found["says"]
    high = answer("risk", world_csv, *words, "--threshold", 5_000, "--json")
    assert high["quantiles"] == found["quantiles"]
    assert (
        "that of 5,000 is not looked at, and the flows that expose people are not named" in high["notes"][0]
    )
    # A total is read too: u·T more, u = round(1024·√(0.03·2)/100) = 3 of 1024.
    total = answer("risk", world_csv, *words, "--unbiased", "--json")
    wider = answer("guarantee", *words, "--unbiased", "--json")["standard_deviation"]
    most = scipy.stats.norm.cdf(math.sqrt(2 + (3 * 2 / 1024) ** 2) / (2 * wider))
    assert total["quantiles"]["1"] == pytest.approx(most, rel=1e-5)
    assert wider > deviation
    assert "unbiased goes with Gaussian noise" in answer("risk", world_csv, "--unbiased", fails=True)
    assert "group_size must not be given" in answer("risk", world_csv, *words, "--group-size", 2, fails=True)


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_a_guarantee_with_data_is_the_guarantee_and_the_risk(
    answer: Answer, world_csv: Path, noise: str
) -> None:
    promise = (
        "--epsilon",
        2,
        "--noise",
        noise,
        "--max-trips-per-user",
        2,
        "--threshold",
        0,
        "--cells",
        "public",
    )
    both = answer(
        "guarantee",
        *promise,
        "--data",
        world_csv,
        "--week",
        "2026-03-09",
        "--users",
        2,
        "--seed",
        3,
        "--json",
    )
    people = both.pop("people")
    assert both == answer("guarantee", *promise, "--json")
    risk = answer("risk", world_csv, *promise, "--week", "2026-03-09", "--users", 2, "--seed", 3, "--json")
    assert people == {
        name: figure for name, figure in risk.items() if name not in ("parameters", "cells", "seed")
    }
    assert people["weeks"] == ["2026-03-09"]
    for words in (
        ("--zones", "column"),
        ("--engine", "spark:local[2]"),
        ("--week", "2026-03-09"),
        ("--every-min", 5),
    ):
        assert "data must be named for zones" in answer("guarantee", *promise, *words, fails=True)


@pytest.mark.parametrize("noise", ["integer", "gaussian"])
def test_the_promise_beside_people_is_for_all_weeks_named_against_theory(
    answer: Answer, world_csv: Path, noise: str
) -> None:
    """Ben, counted 1 + 2 times in two weeks, is told apart more often than anybody by one week: integer noise by a vote over 2 and 4 counts."""
    bound = ("--epsilon", 1, "--max-trips-per-user", 2, "--noise", noise)
    asked = (*bound, "--threshold", 0, "--cells", "public")
    weeks = ("--week", "2026-03-02", "--week", "2026-03-09")
    both = answer("guarantee", *asked, "--data", world_csv, *weeks, "--json")
    right = {name: unit["optimal_accuracy"] for name, unit in both["guarantees"].items()}
    assert both["parameters"]["weeks"] == len(both["people"]["weeks"]) == 2
    assert right["user-week"] < both["people"]["quantiles"]["1"] <= right["user"] + 1e-9
    assert "Over 2 weekly releases it is ε = 2" in both["statement"]
    if noise == "integer":
        votes = scipy.stats.binom(4, 1 / (1 + math.exp(-0.5)))
        assert right["user"] == pytest.approx(votes.sf(2) + votes.pmf(2) / 2, abs=1e-9)
        # 3 votes: as many as 4
        assert both["people"]["quantiles"]["1"] == pytest.approx(right["user"], abs=1e-9)
    else:
        risk = answer("risk", world_csv, *asked, *weeks, "--json")
        assert risk["parameters"] == both["parameters"]
    more = answer("guarantee", *asked, "--data", world_csv, *weeks, "--weeks", 52, "--json")
    assert (more["parameters"]["weeks"], more["people"]) == (52, both["people"])
    refused = answer("guarantee", *asked, "--data", world_csv, *weeks, "--weeks", 1, fails=True)
    assert "weeks must be at least 2, as many as are named by week, got 1. Leave it out" in refused


def test_risk_says_its_finding_and_when_nothing_is_published_by_hand(answer: Answer, world_csv: Path) -> None:
    """Week of 2 March: Anna, Ben and Cleo, at most two of them in one flow; 0.656294 is below the claim of 65.93%."""
    words = ("risk", world_csv, "--epsilon", 0.66, "--cells", "public", "--json")
    assert answer(*words, "--threshold", 0)["says"] == (
        "Of 3 people judged, 0 (0.0%) are guessed right more often than the claimed 66.0% (a coin: 50%)."
    )
    assert answer(*words, "--threshold", 1000)["says"] == (
        "Nothing is published: your largest flow has 2 people, and counts below 1,000 are left out."
    )


def test_where_only_the_data_knows_the_zones_what_is_said_is_of_a_release_that_can_be_made(
    cli: Run, answer: Answer, tmp_path: Path
) -> None:
    """Zoe alone goes from 9 to 1: among flows found in the data she is known for certain, where it is published; among all she is one of many."""
    path, places = tmp_path / "town.csv", tmp_path / "places.csv"
    rows = [f"{user},2026-03-03 0{hour}:00,{zone}" for user in range(300) for hour, zone in ((8, 1), (9, 2))]
    path.write_text(
        "user_id,time,zone\n" + "\n".join([*rows, "Zoe,2026-03-03 08:00,9", "Zoe,2026-03-03 09:00,1"])
    )
    places.write_text("zone,latitude,longitude\n1,48.1,11.5\n2,48.2,11.6\n9,48.3,11.6\n")
    known = ("--zone-positions", places)
    promise = ("--epsilon", 1, "--max-trips-per-user", 1, "--threshold", 1)
    release = (path, "--zones", "column", "--ids", "number", *promise, "--week", "2026-03-02", "--preview")
    assert "cells must be discovered" in cli("release", *release)[2]
    asked = ("risk", path, "--zones", "column", *promise, "--noise", "integer", "--json")
    found, listed = answer(*asked), answer(*asked, *known)
    assert (found["cells"], listed["cells"]) == ("discovered", "public")
    assert found["quantiles"]["1"] > listed["quantiles"]["1"] == pytest.approx(math.e / (1 + math.e))
    stated = ("guarantee", *promise, "--data", path, "--zones", "column", "--json")
    said = [
        answer(*stated)["guarantees"]["user-week"]["delta"],
        answer(*stated, *known)["guarantees"]["user-week"]["delta"],
    ]
    assert said == [
        pytest.approx(1 / (1 + math.exp(-1))),
        0,
    ]  # P(noise of scale 1 on her count of 1 reaches 1)
    wished = ("plan", path, "--zones", "column", "--max-accuracy", 0.9, "--min-utility", 0.5, "--json")
    plans = [answer(*wished), answer(*wished, *known), answer(*wished, "--cells", "public")]
    assert [one["recommended"]["cells"] for one in plans] == ["discovered", "public", "public"]
    assert [len(one["notes"]) for one in plans] == [0, 0, 2]
    assert "makes no release of public cells" in plans[2]["notes"][0]
    assert "Planned with integer noise. The zones are known from the data only" in plans[2]["notes"][1]


def test_risk_of_counts_that_name_nobody_is_refused_iv(answer: Answer, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("origin,destination,count\n1,2,30\n2,3,40\n")
    assert "does not say whose trips" in answer("risk", path, "--epsilon", 1, "--json", fails=True)


ZONES = "zone,lat,lon\n1,45.0,-30.0\n2,45.1,-30.0\n3,45.2,-30.0\n4,45.3,-30.0\n"


def test_release_verify_and_ledger_in_a_row(
    answer: Answer, world_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVLAB_LEDGER", str(tmp_path / "ledger.sqlite"))
    zones = tmp_path / "zones.csv"
    zones.write_text(ZONES)
    assert answer("ledger", "show", "--json")["datasets"] == []
    budget = answer("ledger", "set-budget", world_csv, "--epsilon", 30, "--json")
    words = (
        "release", world_csv, "--zones", "column", "--ids", "number", "--zone-positions", zones, "--epsilon", 20, "--threshold", 0,
        "--max-trips-per-user", 2, "--week", "2026-03-02", "--json",
    )  # fmt: skip
    made = answer(*words, "--out", tmp_path / "out")
    assert (made["releases"], made["spent_epsilon"], made["left_epsilon"]) == (1, 20, 10)
    assert made["data"] == budget["data"]
    assert made["utility"]["published_cells"] == 12  # all ordered pairs of four zones
    assert answer("verify", tmp_path / "out" / "certificate.json", "--json")["holds"] is True
    assert answer("verify", tmp_path / "out", "--json")["holds"] is True  # the folder of both
    assert "epsilon must be at most 10" in answer(*words, "--out", tmp_path / "more", fails=True)
    # Cleaning is no way round the ledger: the data is the file's.
    cleaned = answer(*words[:-1], "--epsilon", 10, "--drop-duplicates", "--out", tmp_path / "clean", "--json")
    assert (cleaned["data"], cleaned["left_epsilon"]) == (budget["data"], 0)
    ledger = answer("ledger", "show", "--json")
    shown = ledger["datasets"]
    assert [(one["releases"], one["unconfirmed"], one["spent_epsilon"]) for one in shown] == [(2, 0, 30)]
    user, week, day, trip = ledger["together"]
    assert (user["unit"], user["added_epsilon"], user["delta"]) == ("user", 30, 1e-6)
    assert user["rho"] == pytest.approx(2 * (10**2 + 5**2) / 2)  # two cells of ε = 10, two of ε = 5
    assert 29.9 < user["epsilon"] <= 30  # four coins: hardly anything can be hidden
    assert week == user | {"unit": "user-week"}  # both releases are of one week
    # One trip of three counts in two of three choices, and changes two cells then: ln(1 + ⅔(e^20 − 1)) and ln(1 + ⅔(e^10 − 1)).
    of_trip = sum(math.log(1 + 2 / 3 * math.expm1(loss)) for loss in (20, 10))
    assert (trip["unit"], trip["added_epsilon"]) == ("trip", pytest.approx(of_trip))
    assert (day["unit"], day["epsilon"] >= week["epsilon"]) == ("user-day", True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--percentile", 90), "percentile and sample_users must be left out"),
        (("--sample-users", 2), "percentile and sample_users must be left out"),
        (("--cells", "public"), "cells must be discovered, or the zones named"),
        (("--cells", "discovered", "--threshold", 0), "threshold must be at least 1"),
        (("--cells", "discovered", "--week", "2026-03-31"), "week must be named by its Monday, 2026-03-30"),
        (("--ids", "either"), "ids must be one of number, text, got 'either'"),
        (("--format", "headerless", "--column", "user_id=column 1"), "delimiter must be named"),
        (("--join", "owners.csv"), "join_on must be named for a secure release"),
        (("--cells", "discovered", "--week", "2026-03-02"), "week must be named, each once"),
    ],
)
def test_what_would_break_a_release_is_refused_iv(
    answer: Answer, world_csv: Path, tmp_path: Path, words: tuple[object, ...], sentence: str
) -> None:
    usual = ("release", world_csv, "--ids", "number", "--epsilon", 1, "--max-trips-per-user", 2)
    usual += ("--week", "2026-03-02")
    ledger = tmp_path / "ledger.sqlite"
    error = answer(*usual, "--ledger", ledger, "--out", tmp_path / "out", *words, fails=True)
    assert sentence in error
    assert not (tmp_path / "out").exists()
    assert not ledger.exists()


def test_the_files_own_zone_ids_must_be_said_to_be_numbers_or_text_iv(
    answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    usual = ("release", world_csv, "--epsilon", 1, "--max-trips-per-user", 2, "--week", "2026-03-02")
    error = answer(*usual, "--cells", "discovered", "--out", tmp_path / "out", fails=True)
    assert "ids must be number or text, named by you" in error
    assert not (tmp_path / "out").exists()


def test_a_published_layout_must_be_named_iv(answer: Answer, tmp_path: Path) -> None:
    cab = tmp_path / "new_a.txt"
    cab.write_text("37.75 -122.40 0 1772521200\n37.80 -122.40 0 1772524800\n")
    words = ("release", cab, "--zones", "box:37.7,-122.5,37.9,-122.3:4x1", "--epsilon", 20, "--threshold", 0)
    words += ("--max-trips-per-user", 1, "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite", "--json")
    assert "say --format cabspotting" in answer(*words, "--out", tmp_path / "no", fails=True)
    made = answer(*words, "--format", "cabspotting", "--out", tmp_path / "out")
    assert (
        made["utility"]["published_total"] == 1
    )  # the cab's one trip; noise of scale 1/20 is 0 in all but one of 10⁷


def test_a_named_week_without_trips_is_released_as_noise_on_zeros(
    answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    """Whether a week is published must not hang on the one person who may have moved in it."""
    zones = tmp_path / "zones.csv"
    zones.write_text(ZONES)
    made = answer(
        "release", world_csv, "--ids", "number", "--zone-positions", zones, "--epsilon", 20, "--threshold", 0,
        "--max-trips-per-user", 1, "--week", "2026-03-30", "--ledger", tmp_path / "l.sqlite", "--out",
        tmp_path / "out", "--accept-made-up", "nobody may know whether anyone moved", "--json",
    )  # fmt: skip
    assert (made["utility"]["published_cells"], made["utility"]["published_total"]) == (12, 0)


def test_a_broken_release_does_not_verify(cli: Run, answer: Answer, world_csv: Path, tmp_path: Path) -> None:
    usual = (
        "release",
        world_csv,
        "--ids",
        "number",
        "--epsilon",
        1,
        "--max-trips-per-user",
        2,
        "--week",
        "2026-03-02",
        "--json",
    )
    ledger, out = tmp_path / "ledger.sqlite", tmp_path / "out"
    usual += ("--accept-made-up", "a drill: nothing reaches the threshold")
    answer(*usual, "--cells", "discovered", "--ledger", ledger, "--out", out)
    (out / "release.csv").write_text("week,origin,destination,count\n2026-03-02,1,2,500\n")
    code, printed, _ = cli("verify", out / "certificate.json", "--json")
    assert code == 1
    assert json.loads(printed)["checks"]["files are those certified"] is False


def test_release_of_counts_that_name_nobody_is_refused_iv(answer: Answer, tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("origin,destination,count\n1,2,30\n2,3,40\n")
    words = ("--epsilon", 1, "--max-trips-per-user", 2, "--week", "2026-03-02", "--out", tmp_path / "out")
    assert "does not say whose trips" in answer("release", path, *words, fails=True)


def test_audit_of_the_real_mechanism(answer: Answer) -> None:
    found = answer("audit", "--mechanism", "opendp-integer", "--trials", 2000, "--level", 1 - 1e-9, "--json")
    assert 0.3 < found["epsilon_lower"] <= found["proven_epsilon"] <= 1
    assert found["convicted"] is False
    assert found["counted"] == 1000
    assert "mechanism must be one of" in answer("audit", "--mechanism", "magic", fails=True)


@pytest.mark.parametrize("mechanism", ["half-scale", "noise-on-non-zero-only", "shared-noise"])
def test_audit_of_a_broken_mechanism_ends_with_code_1(mechanism: str, cli: Run) -> None:
    words = ("audit", "--mechanism", mechanism, "--trials", 4000, "--level", 0.999999, "--json")
    code, printed, _ = cli(*words)
    assert code == 1
    found = json.loads(printed)
    assert (found["mechanism"], found["convicted"], found["proven_epsilon"]) == (mechanism, True, 1)
    assert found["epsilon_lower"] > 1


def test_plan_says_what_to_do_or_that_nothing_will_do(cli: Run, answer: Answer, tmp_path: Path) -> None:
    path = tmp_path / "town.csv"
    rows = [f"{user},2026-03-03 0{hour}:00,{zone}" for user in range(300) for hour, zone in ((8, 1), (9, 2))]
    path.write_text("user_id,time,zone\n" + "\n".join(rows) + "\n")
    words = ("plan", path, "--zones", "column", "--json")
    # One flow of 300 people with one trip each: within 10% almost surely once the noise is small against 30.
    advice = answer(*words, "--max-accuracy", 0.6, "--min-utility", 0.8)
    best = advice["recommended"]
    assert (best["max_trips_per_user"], best["clipped"]) == (1, 0)
    assert best["accuracy"] <= 0.6
    assert best["utility"] >= 0.8
    assert best in advice["feasible"]
    group = answer(*words, "--group-size", 30, "--max-accuracy", 0.9, "--min-utility", 0.5)
    assert (
        group["recommended"]["accuracy"] > best["accuracy"]
    )  # a tenth of the people, within a tenth as many
    code, printed, _ = cli(*words, "--max-accuracy", 0.505, "--min-utility", 1)
    assert code == 1
    refused = json.loads(printed)
    assert refused["recommended"] is None
    assert refused["says"].startswith("Nothing satisfies both wishes.")


def test_plan_finds_the_best_release_for_a_promise_or_the_least_promise_for_a_use_against_the_normal_law(
    cli: Run, answer: Answer, tmp_path: Path
) -> None:
    """One flow of 300 people with one trip each: with Gaussian noise it is within 270 to 330 where noise is below 30.5."""
    path, places = tmp_path / "town.csv", tmp_path / "places.csv"
    rows = [f"{user},2026-03-03 0{hour}:00,{zone}" for user in range(300) for hour, zone in ((8, 1), (9, 2))]
    path.write_text("user_id,time,zone\n" + "\n".join(rows) + "\n")
    places.write_text("zone,latitude,longitude\n1,48.1,11.5\n2,48.2,11.6\n")
    words = ("plan", path, "--zones", "column", "--zone-positions", places, "--json")
    found = answer(*words, "--epsilon", 0.2, "--delta", 1e-5)
    assert [one["name"] for one in found["steps"]][:3] == ["integer", "gaussian", "gaussian, l2"]
    assert (
        found["best"] == found["steps"][0]
    )  # one trip each: L2 clips nobody, and Laplace noise is the narrower
    weighted = found["steps"][2]
    noise = ("--noise", "gaussian", "--max-trips-per-user", weighted["max_trips_per_user"], "--delta", 1e-5)
    deviation = answer("guarantee", "--epsilon", 0.2, *noise, "--json")["standard_deviation"]
    assert weighted["max_trips_per_user"] == 1
    assert weighted["within"] == pytest.approx(1 - 2 * scipy.stats.norm.sf(30.5 / deviation), abs=1e-6)
    # Integer noise of scale 1/ε is within 30 with 1 − 2·a³¹/(1 + a), a = e^−ε.
    least = answer(*words, "--min-utility", 0.9)["best"]
    beyond = {epsilon: 2 * math.exp(-31 * epsilon) / (1 + math.exp(-epsilon)) for epsilon in (0.068, 0.082)}
    assert beyond[0.068] > 0.1 > beyond[0.082]
    assert (least["name"], least["epsilon"]) == ("integer", 0.082)
    code, _, said = cli("plan", path, "--zones", "column", "--epsilon", 0.2)
    assert code == 2
    assert "known from the data only" in said
    code, _, said = cli(*words, "--epsilon", 0.2, "--max-accuracy", 0.6)
    assert code == 2
    assert "must be given without max_accuracy" in said


@pytest.mark.parametrize(("weeks", "total"), [(520, 0.01), (520, 0.02), (52, 0.01)])
def test_plan_says_that_no_week_can_have_so_little_and_what_to_do(
    weeks: int, total: float, cli: Run, tmp_path: Path
) -> None:
    path = tmp_path / "town.csv"
    rows = [f"{user},2026-03-03 0{hour}:00,{zone}" for user in range(60) for hour, zone in ((8, 1), (9, 2))]
    path.write_text("user_id,time,zone\n" + "\n".join(rows) + "\n")
    words = ("plan", path, "--zones", "column", "--weeks", weeks, "--total-epsilon", total, "--json")
    code, printed, said = cli(*words)
    assert code in (0, 1), said  # 1 where the plan of a single week finds nothing either
    found = json.loads(printed)
    assert (
        found["year_says"]
        == "No week can have so little of it. Allow a larger ε for all weeks, or fewer weeks."
    )
    assert found["year_ahead"] == []


def test_plan_keeps_a_wish_on_certainty_by_hand(cli: Run, answer: Answer, tmp_path: Path) -> None:
    """One trip each: one cell ends at most 1/(1 + e^{−ε}) certain, which is below 55% up to ε = ln(55/45) = 0.2007."""
    path = tmp_path / "town.csv"
    rows = [f"{user},2026-03-03 0{hour}:00,{zone}" for user in range(300) for hour, zone in ((8, 1), (9, 2))]
    path.write_text("user_id,time,zone\n" + "\n".join(rows) + "\n")
    wishes = ("--max-accuracy", 0.6, "--min-utility", 0.8, "--cells", "public", "--json")
    words = ("plan", path, "--zones", "column", *wishes)
    free = answer(*words)
    assert max(point["epsilon"] for point in free["feasible"]) > 0.21
    advice = answer(*words, "--max-certainty", 0.55, "--max-cases", 0)
    assert advice["feasible"] == [point for point in free["feasible"] if point["epsilon"] <= 0.2007]
    assert "An attacker is never more than 55% certain" in advice["says"]
    assert "An attacker is never more than 75% certain" in free["says"]
    code, _, said = cli(*words, "--max-certainty", 0.55)
    assert code == 2
    assert "max_certainty and max_cases must be given together" in said


def test_certainty_with_gaussian_noise_is_beyond_its_epsilon_with_less_than_delta_says(
    answer: Answer,
) -> None:
    """δ = P(ℓ > ε, in) − e^ε·P(ℓ > ε, out) is at most that of the promise."""
    words = ("certainty", "--epsilon", 1, "--noise", "gaussian", "--max-trips-per-user", 3)
    found = answer(*words, "--trips", 3, "--delta", 1e-3, "--json")
    spent = found["in_above"] - math.e * found["out_above"]
    assert 0.9e-3 < spent <= 1e-3
    assert found["largest"] == 1


def test_gaussian_certainty_over_a_year_against_the_normal_law(answer: Answer) -> None:
    """52 weeks with ten trips: the loss is normal of mean ±m and variance 2m, m = 52·10/2σ², σ in trips."""
    noise = ("--epsilon", 1, "--noise", "gaussian", "--max-trips-per-user", 10)
    found = answer("certainty", *noise, "--trips", 10, "--weeks", 52, "--above", 0.9, "--json")
    sigma = answer("attack-curve", *noise, "--max-trips", 1, "--json")["standard_deviation"]
    m = 520 / (2 * sigma**2)
    for name, mean in (("in_above", m), ("out_above", -m)):
        assert found[name] == pytest.approx(
            scipy.stats.norm.sf(math.log(9), mean, math.sqrt(2 * m)), rel=1e-3
        )
    assert found["accuracy"] == pytest.approx(scipy.stats.norm.cdf(math.sqrt(m / 2)), abs=1e-6)
    assert found["sees"] == "counts before they are rounded to whole trips"


def test_gaussian_certainty_with_a_threshold_against_the_normal_law(answer: Answer) -> None:
    """One flow of 99 others and a threshold of 100: seen is a whole number from 100 on, or nothing."""
    noise = ("--epsilon", 1, "--noise", "gaussian", "--max-trips-per-user", 1, "--threshold", 100, "--json")
    found = answer("certainty", *noise, "--counts", 99, "--above", 0.5)
    sigma = answer("attack-curve", *noise[:-3], "--max-trips", 1, "--json")["standard_deviation"]
    edges = np.append(np.arange(99.5, 99.5 + 12 * sigma), np.inf)
    with_person, without = (
        np.append(scipy.stats.norm.cdf(99.5, mean, sigma), np.diff(scipy.stats.norm.cdf(edges, mean, sigma)))
        for mean in (100, 99)
    )
    assert found["accuracy"] == pytest.approx(0.5 + np.abs(with_person - without).sum() / 4, abs=1e-4)
    more = with_person > without
    assert found["in_above"] == pytest.approx(with_person[more].sum(), abs=1e-4)
    assert found["out_above"] == pytest.approx(without[more].sum(), abs=1e-4)
    assert found["sees"] == "counts as published, rounded to whole trips"
    attacked = answer("cell-attack", *noise, "--counts", 99)
    assert attacked["optimal"] == found["accuracy"]
    assert (attacked["noise"], attacked["parameters"]["threshold"]) == ("gaussian", 100)
    # Three flows of hardly anyone are never seen.
    assert answer("certainty", *noise, "--counts", "1,2,3")["accuracy"] == pytest.approx(0.5, abs=1e-9)
    assert "clip goes with Gaussian noise" in answer(
        "cell-attack", "--epsilon", 1, "--threshold", 100, "--counts", 99, "--clip", "l2", fails=True
    )


def test_the_attack_on_gaussian_noise_against_its_law_and_the_normal_one(answer: Answer) -> None:
    noise = ("--noise", "gaussian", "--max-trips-per-user", 10, "--delta", 1e-6)
    found = answer("attack-curve", "--epsilon", 0.66, *noise, "--max-trips", 30, "--json")
    sigma = 1024 * found["standard_deviation"]
    # One trip moves one count by one, 1,024 steps of the noise: half the sum of what the two laws differ by.
    x = np.arange(-round(12 * sigma), round(12 * sigma) + 1024)
    laws = [np.exp(-((x - step) ** 2) / (2 * sigma**2)) for step in (0, 1024)]
    apart = np.abs(laws[0] / laws[0].sum() - laws[1] / laws[1].sum()).sum() / 2
    curve = {row["trips"]: row["optimal"] for row in found["curve"]}
    assert curve[0] == 0.5
    assert curve[1] == pytest.approx(0.5 + apart / 2, abs=1e-9)
    # Several trips add up in squares, up to √10 under the clip: the normal law, which the fine lattice is close to.
    for k, norm in ((4, 2.0), (10, 10**0.5), (30, 10**0.5)):
        assert curve[k] == pytest.approx(scipy.stats.norm.cdf(1024 * norm / (2 * sigma)), abs=1e-4)
    assert max(curve.values()) < found["claimed_bound"]
    assert found["first_trips_above_claim"] is None


def test_the_guarantee_of_gaussian_noise_against_the_closed_form(answer: Answer) -> None:
    noise = ("--noise", "gaussian", "--max-trips-per-user", 10, "--delta", 1e-6, "--json")
    found = answer("guarantee", "--epsilon", 1, *noise)
    # δ(ε) of the normal law (Balle and Wang 2018), sensitivity √10.
    ratio = found["standard_deviation"] / 10**0.5
    delta = scipy.stats.norm.cdf(1 / (2 * ratio) - ratio) - math.e * scipy.stats.norm.cdf(
        -1 / (2 * ratio) - ratio
    )
    assert delta == pytest.approx(1e-6, rel=1e-2)
    week = found["guarantees"]["user-week"]
    assert (week["epsilon"], week["delta"]) == (1, 1e-6)
    assert "ε = 1, δ = 10⁻⁶ private" in found["statement"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("guarantee", "--noise", "gaussian"), "Gaussian noise needs a bound per user"),
        (("attack-curve", "--noise", "gaussian"), "Gaussian noise needs a bound per user"),
        (("attack-curve", "--delta", 1e-6), "delta goes with Gaussian noise"),
        (("guarantee", "--clip", "l2", "--max-trips-per-user", 3), "clip goes with Gaussian noise"),
        (
            ("guarantee", "--noise", "gaussian", "--max-trips-per-user", 3, "--target-delta", 1e-5),
            "target_delta does not go with Gaussian noise: name its δ with delta, or leave it out.",
        ),
        (
            (
                "guarantee",
                "--noise",
                "gaussian",
                "--max-trips-per-user",
                3,
                "--cells",
                "discovered",
                "--unbiased",
            ),
            "cells must be public with a total or levels",
        ),
    ],
)
def test_gaussian_noise_without_what_it_needs_is_refused_iv(
    answer: Answer, words: tuple[object, ...], sentence: str
) -> None:
    assert sentence in answer(*words, "--epsilon", 1, fails=True)
