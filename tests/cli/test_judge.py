"""`judge`: what analyses find before and after, of a simulated release and of one that was made."""

import json
from pathlib import Path

import pandas as pd
import pytest

from privlab.checks import DataError
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.releases.reading.released_counts import released_counts_from_folder
from privlab.reports.exhibits.all_exhibits import EXHIBITS
from privlab.reports.exhibits.exhibits import ReleaseMaterial
from privlab.reports.report_plan import View
from tests.command_line import Answer


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    """Six hundred people with the trip 1→2, and three hundred of them with 2→3."""
    rows = [
        {"user": user, "time": f"2026-03-03 {hour:02d}:00", "origin": hour - 7, "destination": hour - 6}
        for user in range(600)
        for hour in (8, 9)
        if hour == 8 or user < 300
    ]
    path = tmp_path / "trips.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.fixture
def places(tmp_path: Path) -> Path:
    path = tmp_path / "places.csv"
    path.write_text("zone,lat,lon\n1,45.0,9.0\n2,45.1,9.0\n3,45.2,9.0\n", "utf-8")
    return path


def test_a_simulated_release_is_judged_by_hand(trips: Path, answer: Answer) -> None:
    """Without noise to speak of and a threshold of 400 the flow of 300 is gone: a third of all trips, of zone 2 all."""
    said = answer("judge", trips, "--zones", "column", "--epsilon", 20, "--threshold", 400, "--json")
    found = {one["name"]: one for one in said["analyses"]}
    assert found["total_by_origin"]["before"] == 900
    assert found["total_by_origin"]["error"] == pytest.approx(1 / 3, abs=0.01)
    assert (found["largest_flows"]["before"], found["largest_flows"]["after"]) == (2, 1)
    assert found["order_of_largest"]["error"] == 0
    assert found["distance"]["error"] is None  # nobody said where the zones lie
    assert said["says"][0].startswith("2026-03-02, simulated: Trips by origin are off by 33.")


def test_a_simulated_release_with_gaussian_noise_is_judged_by_hand(trips: Path, answer: Answer) -> None:
    """Clipped to one trip 300 people with two weigh 1/√2 in each: 300 + 300/√2 and 300/√2; noise is some ±1 on each of six flows."""
    words = ("judge", trips, "--zones", "column", "--noise", "gaussian", "--epsilon", 10, "--threshold", 20)

    def origin(*more: object) -> dict[str, float]:
        said = answer(*words, *more, "--json")
        return {one["name"]: one for one in said["analyses"]}["total_by_origin"]

    clipped = origin("--max-trips-per-user", 1)
    assert clipped["before"] == 900
    assert clipped["after"] == pytest.approx(300 + 600 / 2**0.5, abs=15)
    assert clipped["error"] == pytest.approx(1 - (300 + 600 / 2**0.5) / 900, abs=0.02)
    # With a limit of two nothing is clipped; with one and no weights of each of the 300 one trip of two is left.
    assert origin("--max-trips-per-user", 2)["after"] == pytest.approx(900, abs=15)
    assert origin("--max-trips-per-user", 1, "--clip", "keep")["after"] == pytest.approx(600, abs=15)
    # Without a threshold it is 100 for every noise, as the help says.
    for more in (("--noise", "gaussian", "--max-trips-per-user", 1), ()):
        usual = answer("judge", trips, "--zones", "column", "--epsilon", 10, *more, "--json")
        assert usual["parameters"]["threshold"] == 100
    # A flow of 212 is not published from 400 on.
    assert origin("--max-trips-per-user", 1, "--threshold", 400)["after"] == pytest.approx(
        300 + 300 / 2**0.5, abs=15
    )


def test_a_simulated_release_gives_back_what_its_total_says(trips: Path, answer: Answer) -> None:
    """A noisy total of 900 trips, counted at 724 with the clip: the unbiased counts have the total's 900, but for its noise."""
    words = (
        "judge",
        trips,
        "--zones",
        "column",
        "--noise",
        "gaussian",
        "--epsilon",
        20,
        "--threshold",
        0,
        "--delta",
        0.4,
    )
    after = []
    for seed in range(1, 13):
        said = answer(*words, "--max-trips-per-user", 1, "--unbiased", "--seed", seed, "--json")
        assert said["parameters"]["total_share"] == 0.03
        after += [one["after"] for one in said["analyses"] if one["name"] == "total_by_origin"]
    # The noise on the total, σ/2 units a trip each, is wide; the middle of twelve is above what the clip left.
    assert sorted(after)[6] > 300 + 600 / 2**0.5 + 50


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--noise", "gaussian"), "Gaussian noise needs a bound per user: give max-trips-per-user."),
        (("--clip", "l2"), "clip goes with Gaussian noise: add noise gaussian, or leave it out."),
        (("--noise", "gaussian", "--max-trips-per-user", 1, "--clip", "keep", "--unbiased"), "total_share must be 0 with clip keep"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_in_a_simulated_release_iv(
    words: tuple[object, ...], says: str, trips: Path, answer: Answer
) -> None:
    assert says in answer("judge", trips, "--zones", "column", *words, fails=True)


def test_a_release_that_was_made_is_judged_with_its_unbiased_counts(
    trips: Path, places: Path, tmp_path: Path, answer: Answer
) -> None:
    zones = ("--zones", "column", "--zone-positions", places)
    answer(
        "release", trips, *zones, "--ids", "number", "--noise", "gaussian", "--unbiased", "--epsilon", 10,
        "--max-trips-per-user", 1, "--threshold", 100, "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite",
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    said = answer("judge", trips, *zones, "--on-release", tmp_path / "out", "--json")
    origin = {one["counts"]: one for one in said["analyses"] if one["name"] == "total_by_origin"}
    # 300 people with two trips weigh 1/√2 in each: 300 + 300/√2 and 300/√2, 724.3 of 900; noise is some ±1.
    assert origin["published"]["after"] == pytest.approx(300 + 600 / 2**0.5, abs=15)
    assert origin["published"]["error"] == pytest.approx(1 - (300 + 600 / 2**0.5) / 900, abs=0.02)
    # The noise on the total is wide here: by what was drawn, at least 1 and at most √(100/L) = 10.
    total = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))["totals"]["2026-03-02"]
    by = min(max(total["trips"] / total["counted"], 1), 10)
    assert origin["unbiased"]["after"] == pytest.approx(by * origin["published"]["after"])
    # The smoothed counts are those of the file, rounded there.
    smoothed = pd.read_csv(tmp_path / "out" / "estimates.csv")["smoothed_count"]
    assert origin["smoothed"]["after"] == pytest.approx(smoothed.sum(), abs=0.1)
    refused = answer("judge", trips, *zones, "--on-release", tmp_path / "out", "--epsilon", 1, fails=True)
    assert "epsilon must not be given with --on-release" in refused


@pytest.mark.parametrize(
    ("product", "named"), [("visits", "visits by hour"), ("flows-by-slot", "flows by slot")]
)
def test_a_release_of_other_products_is_not_judged_and_a_sentence_says_what_to_do(
    product: str, named: str, world_csv: Path, tmp_path: Path, answer: Answer
) -> None:
    where = tmp_path / "zones.csv"
    where.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", where, "--week", "2026-03-02", "--epsilon", 5,
        "--max-trips-per-user", 2, "--threshold", 0, "--product", product, "--accept-made-up", "a test",
        "--out", tmp_path / "out", "--ledger", tmp_path / "l.sqlite",
    )  # fmt: skip
    said = answer("judge", world_csv, "--zone-positions", where, "--on-release", tmp_path / "out", fails=True)
    assert said == (
        f"The release is of {named}, and a steward's analyses are of flows of a week: name a release of flows. What this one is good "
        "for stands in the report on it (`report --on-release`).\n"
    )
    # Nor in a report that is asked for this very part of such a release.
    material = ReleaseMaterial(released=released_counts_from_folder(tmp_path / "out"), data=None)
    with pytest.raises(DataError, match=rf"^The release holds {product}, .* Remove it from the report\.$"):
        EXHIBITS["release_analyses"].make(material, View(release=ReleaseParameters()))


@pytest.mark.parametrize("product", ["flows", "flows-by-slot", "visits"])
def test_a_release_of_ids_in_text_is_held_against_data_whose_ids_read_as_numbers(
    product: str, trips: Path, tmp_path: Path, answer: Answer
) -> None:
    """`--ids text` of zones 1, 2 and 3: the same zones, without noise to speak of, so that 900 trips are published of 900."""
    answer(
        "release", trips, "--zones", "column", "--ids", "text", "--cells", "discovered", "--product", product, "--epsilon", 20,
        "--max-trips-per-user", 3, "--threshold", 100, "--week", "2026-03-02", "--ledger", tmp_path / "ledger.sqlite",
        "--out", tmp_path / "release", "--json",
    )  # fmt: skip
    place = ("--on-release", tmp_path / "release")
    if product == "flows":
        said = answer("judge", trips, "--zones", "column", *place, "--json")
        found = {one["name"]: one for one in said["analyses"]}["total_by_origin"]
        assert found["before"] == 900
        assert found["after"] == pytest.approx(900, abs=10)
        assert found["error"] < 0.02
    words = ("--data", trips, "--zones", "column", "--author", "A", "--ledger", tmp_path / "ledger.sqlite")
    written = answer("report", *place, *words, "--out", tmp_path / "report.html", "--json")
    assert written["kind"] == "internal"


@pytest.mark.parametrize(
    "words",
    [
        ("--epsilon", 0.66, "--threshold", 20),
        ("--epsilon", 1, "--threshold", 20, "--noise", "integer", "--max-trips-per-user", 1),
        (
            "--epsilon",
            1,
            "--threshold",
            5,
            "--noise",
            "integer",
            "--max-trips-per-user",
            1,
            "--group-size",
            300,
        ),
        ("--epsilon", 1, "--threshold", 20, "--noise", "gaussian", "--max-trips-per-user", 1),
        (
            "--epsilon",
            1,
            "--threshold",
            20,
            "--noise",
            "gaussian",
            "--max-trips-per-user",
            1,
            "--clip",
            "keep",
        ),
        ("--epsilon", 1, "--threshold", 20, "--noise", "gaussian", "--max-trips-per-user", 1, "--unbiased"),
    ],
    ids=["laplace", "a limit", "a group", "gaussian", "kept", "a total"],
)
def test_od_draws_of_one_week_what_judge_and_the_page_draw(
    trips: Path, places: Path, tmp_path: Path, answer: Answer, words: tuple[object, ...]
) -> None:
    """Each reads the file for itself: the same counts, to the last digit, under a seed that is not that of the order of people."""
    asked = (trips, "--zones", "column", "--zone-positions", places, *words, "--seed", 5)
    judged = {one["name"]: one for one in answer("judge", *asked, "--json")["analyses"]}["total_by_origin"]
    answer("od", *asked, "--out", tmp_path / "od", "--json")
    drawn = pd.read_parquet(tmp_path / "od" / "simulated_release.parquet")
    column = "unbiased_count" if "--unbiased" in words else "count"
    assert drawn[column].sum() == pytest.approx(judged["after"], rel=1e-12)
    assert (drawn["count"] % 1 != 0).any() == ("--noise" not in words)
