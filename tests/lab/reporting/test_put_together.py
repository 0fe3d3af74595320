"""A whole report by one button or one command: its parts in order, its summary, and what an external one may hold."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import pandas as pd
import pytest
import scipy.optimize
from scipy.stats import norm

from privlab.checks import BoundViolation, DataError, ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.dp.gaussian import GaussianParameters
from privlab.lab.reporting.collect import collected_report_from_plan, reference_from_prepared_trips
from privlab.lab.reporting.put_together import report_plan_from_data, report_plan_from_release
from privlab.lab.reporting.report_summary import summary_from_parts
from privlab.od.comparing.simulated_step import StepRequest
from privlab.od.planning import MECHANISM_NAMES, PlanRequest
from privlab.od.releases import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.risks import GaussianRisks
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.trips.prepared_trips import PreparedTrips, prepared_trips_from_dataset
from privlab.od.usefulness.published_use import PublishedUse
from privlab.od.weighing.mechanism_steps import TOTAL, WEIGHTED
from privlab.progress import UNHEARD
from privlab.releases.ledger import Ledger
from privlab.releases.reading.released_counts import released_counts_from_folder
from privlab.reports.documents.document import Judgement, ReportPart, html_from_parts
from privlab.reports.exhibits.all_exhibits import EXHIBITS
from privlab.reports.exhibits.exhibits import parts_from_report_plan, plan_words
from privlab.reports.exhibits.exhibits_whole import Limits
from privlab.reports.exhibits.products import use_content
from privlab.reports.report_plan import (
    DataReference,
    Option,
    ReleasesTogether,
    ReportItem,
    ReportPlan,
    View,
    json_from_report_plan,
    report_plan_from_json,
    together_from_report_plan,
)
from tests.command_line import Answer


def chance_beyond(epsilon: float, delta: float) -> float:
    """Return how often the loss of Gaussian noise exceeds ε that keeps exactly δ.

    With a = Δ/σ it is Φ(a/2 − ε/a), where Φ(a/2 − ε/a) − e^ε·Φ(−a/2 − ε/a) = δ.
    """

    def delta_of(a: float) -> float:
        return float(norm.cdf(a / 2 - epsilon / a) - math.exp(epsilon) * norm.cdf(-a / 2 - epsilon / a))

    a = scipy.optimize.brentq(lambda one: delta_of(one) - delta, 1e-2, 10, xtol=1e-12)
    return float(norm.cdf(a / 2 - epsilon / a))


def chances_in(text: str, before: str) -> list[float]:
    """Return each chance that stands after some words, written as 2.8·10⁻⁵."""
    found = re.findall(rf"{before} ([\d.]+)·10⁻([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    plain = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
    return [float(digits) * 10.0 ** -int(power.translate(plain)) for digits, power in found]


# The order in which the issue asks for it: data, wishes, plan, promise, certificate, map, risk, use, analyses, limits.
ORDER = (
    "The data",
    "What was wished",
    "The plan",
    "What the publisher may honestly say",
    "The certificate",
    "Before and after, on a map",
    "The risk of the people",
    "What the release is good for",
    "What analyses would find in the release",
    "Limits",
    "Date and author",
)


@pytest.fixture(scope="module")
def trips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six hundred people, each with the trips 1→2 and 2→3 in one week: two flows of 600."""
    rows = [
        {"user": user, "time": f"2026-03-03 {hour:02d}:00", "origin": hour - 7, "destination": hour - 6}
        for user in range(600)
        for hour in (8, 9)
    ]
    path = tmp_path_factory.mktemp("trips") / "trips.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.fixture
def released(trips: Path, tmp_path: Path, answer: Answer) -> Path:
    """A release of it: the noise of scale 2 takes 500 from a count with a chance below 10⁻¹⁰⁰, so both flows are there."""
    answer(
        "release", trips, "--zones", "column", "--ids", "number", "--cells", "discovered", "--epsilon", 1,
        "--max-trips-per-user", 2, "--threshold", 100, "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite",
        "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    return tmp_path / "out"


def test_the_whole_report_on_a_release_in_the_order_of_the_issue(
    trips: Path, released: Path, tmp_path: Path, answer: Answer
) -> None:
    out = tmp_path / "report.html"
    said = answer(
        "report", "--on-release", released, "--data", trips, "--zones", "column", "--author", "A. Steward",
        "--out", out, "--json",
    )  # fmt: skip
    assert said["parts"] == 10
    html = out.read_text("utf-8")
    places = [html.index(f"<h2>{title}</h2>") for title in ORDER]
    assert places == sorted(places)
    assert "1,200" in html  # rows of the file
    certificate = json.loads((released / "certificate.json").read_text("utf-8"))
    for text in (certificate["guarantee"]["statement"], certificate["data"]["keyed_digest"], "A. Steward"):
        assert text in html
    # Another release's figures are a plan's; this one's are of two flows, each with integer noise of scale 2, both moved by one.
    plan = html.partition("<h2>The plan</h2>")[2].partition("<h2>")[0]
    law = math.exp(-0.5) ** np.abs(np.arange(-200, 201))
    with_person, without = (np.outer(one, one) / law.sum() ** 2 for one in (np.roll(law, 1), law))
    right = 0.5 + np.abs(with_person - without).sum() / 4
    assert "The plan that the lab would recommend: " in plan
    assert "Nobody is guessed right" not in plan
    assert (
        "This release: ε = 1, threshold 100, integer noise, at most 2 trips per user; nobody is guessed right in more than "
        f"{math.ceil(1000 * right) / 10:.1f}% of cases, and 100.0% of all trips lie in flows published within 10% of the truth."
    ) in plan
    assert "<td>this release</td>" in plan
    assert '"name":"this release"' in plan
    summary = html.partition('<table class="summary">')[2].partition("</table>")[0]
    # e/(1+e) is 73.1%, just within what is green, as the page Publish says it; δ stands beside it.
    assert 'class="green"><th scope="row">Promise' in summary
    assert "at most 73.2% certain of anyone" in summary
    assert "100% of all trips lie in flows published within 10% of the truth" in summary
    assert "none of the published flows are false flows" in summary
    assert (
        summary.index("Promise")
        < summary.index("Risk")
        < summary.index("Usefulness")
        < summary.index("Limits")
    )


def test_a_report_on_weeks_of_unlike_use_says_which_week_it_speaks_of(
    trips: Path, tmp_path: Path, answer: Answer
) -> None:
    """All trips are in one of two weeks: in the other nothing is published, and the plan had wished for one release."""
    answer(
        "release", trips, "--zones", "column", "--ids", "number", "--cells", "discovered", "--epsilon", 1,
        "--max-trips-per-user", 2, "--threshold", 100, "--week", "2026-03-02", "--week", "2026-03-09",
        "--accept-made-up", "a drill", "--ledger", tmp_path / "l.sqlite", "--out", tmp_path / "two",
    )  # fmt: skip
    out = tmp_path / "report.html"
    answer("report", "--on-release", tmp_path / "two", "--data", trips, "--zones", "column", "--out", out)
    html = out.read_text("utf-8")
    assert "In the least useful of 2 weeks, nothing is published: no flow reaches the threshold." in html
    assert "wishes for one weekly release that one person may be in; 2 weekly releases were made" in html
    # Figures of both weeks stand under both: a line above them named the first alone.
    for title in ("The risk of the people", "What the release is good for"):
        plan = html.partition(f"<h2>{title}</h2>")[2].partition("<h2>")[0]
        assert "Plan: weeks of 2026-03-02, 2026-03-09, ε = 1, threshold 100" in plan
    # A map has room for one of them.
    of_map = html.partition("<h2>Before and after, on a map</h2>")[2].partition("<h2>")[0]
    assert "Plan: week of 2026-03-02, ε = 1, threshold 100" in of_map
    # What the maker has accepted stands in the certificate alone: page one judges the release before any promise on paper.
    promise = html.partition('<th scope="row">Promise')[2].partition("</tr>")[0]
    assert "its maker has accepted in words that some of what is published may be false" in promise


def test_a_report_on_one_of_four_releases_is_judged_by_all_of_them(
    trips: Path, released: Path, tmp_path: Path, answer: Answer
) -> None:
    """By hand: each promises ε = 1, so four add up to 4; what is promised to 600 people is what `ledger show` says."""
    zones, ledger = ("--zones", "column", "--ids", "number"), ("--ledger", tmp_path / "l.sqlite")
    for number in range(3):
        answer(
            "release", trips, *zones, "--cells", "discovered", "--epsilon", 1, "--max-trips-per-user", 2, "--threshold", 100,
            "--week", "2026-03-02", *ledger, "--out", tmp_path / f"more{number}",
        )  # fmt: skip
    out = tmp_path / "report.html"
    about = ("report", "--on-release", released, "--data", trips, "--zones", "column", "--out", out)
    answer(*about, *ledger)
    html = out.read_text("utf-8")
    summary = html.partition('<table class="summary">')[2].partition("</table>")[0]
    (user,) = [
        one for one in answer("ledger", "show", *ledger, "--json")["together"] if one["unit"] == "user"
    ]
    said = f"ε = {user['epsilon']:.4g} at δ = "
    assert math.log(19) < user["epsilon"] <= 4  # above 95% certain, which is red; one release alone is green
    assert 'class="red"><th scope="row">Promise' in summary
    assert f"All 4 releases of these people in the ledger together promise {said}" in summary
    certain = math.exp(user["epsilon"]) / (1 + math.exp(user["epsilon"]))
    assert (
        f"becomes at most {math.ceil(certain * 1000) / 10}% certain of anyone, but for what δ allows"
        in summary
    )
    assert "This release alone: whoever knows all else" in summary
    assert "the ledger holds 4 releases of these people" in summary
    assert "4 releases of these people were charged there" in html.partition("<h2>Limits</h2>")[2]
    assert "(added up: ε = 4)" in html.partition("<h2>Limits</h2>")[2]
    for quiet in (
        (*about, "--ledger", tmp_path / "none.sqlite"),
        (*about[:3], "--kind", "external", "--out", out),
    ):
        answer(*quiet)
        text = re.sub(r"<script>.*?</script>", "", out.read_text("utf-8"), flags=re.S)
        assert 'class="green"><th scope="row">Promise' in text
        assert "4 releases" not in text
        assert "Every further release of the same people adds to what they lose" in text
        # Whoever is handed an external report is told that there may be others: all 4 promise less than this one.
        is_external = "external" in quiet
        assert ("This release alone: whoever knows all else" in text) is is_external
        assert (
            "What other releases of the same people add is not said here: ask the publisher." in text
        ) is is_external


def test_what_the_ledger_said_stays_in_the_plan_and_out_of_an_external_report(
    released: Path, tmp_path: Path
) -> None:
    found = released_counts_from_folder(released)
    plan = report_plan_from_release(found, data=None, kind="external", ledger=Ledger(tmp_path / "l.sqlite"))
    assert together_from_report_plan(plan) is None
    again = report_plan_from_json(json_from_report_plan(replace(plan, kind="internal")))
    said = together_from_report_plan(again)
    assert said is not None
    assert (said.n, said.added) == (1, 1.0)
    texts = []
    for one in (replace(again, kind="external"), again):
        parts = parts_from_report_plan(one, EXHIBITS, no_data_at_hand, UNHEARD, lambda reference: found)
        texts.append("".join(str(part.rows) for part in parts))
    assert ["the only one charged there" in text for text in texts] == [False, True]


def no_data_at_hand(reference: DataReference) -> NoReturn:
    raise AssertionError(reference)


@pytest.mark.parametrize(
    ("n_weeks", "said"),
    [
        (1, "the release, week of 2026-03-02"),
        (2, "the release, weeks of 2026-03-02, 2026-03-09"),
        (4, "the release, weeks of 2026-03-02 to 2026-03-23 (4 weeks)"),
    ],
)
def test_the_title_of_a_report_names_all_weeks_iv(n_weeks: int, said: str) -> None:
    release = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=1, max_trips_per_user=2),
        weeks=["2026-03-02", "2026-03-09", "2026-03-16", "2026-03-23"][:n_weeks],
        zones_spec="column",
        public_zones=[1, 2],
    )
    made = SimpleNamespace(plan=release, digest="ab" * 32, certificate={"made": "2026-03-30T08:00:00+00:00"})
    assert report_plan_from_release(made, data=None, kind="external").title.endswith(said)  # type: ignore[arg-type]


def test_hours_of_the_first_of_two_weeks_of_visits_stand_under_that_week() -> None:
    """One week is drawn hour by hour, and one on the map; what is proven, and what is left of use, is of both."""
    release = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=1, max_trips_per_user=2, product="visits"),
        weeks=["2026-03-02", "2026-03-09"],
        zones_spec="column",
        public_zones=[1, 2],
    )
    made = SimpleNamespace(plan=release, digest="ab" * 32, certificate={"made": "2026-03-30T08:00:00+00:00"})
    data = DataReference(name="visits.csv", digest="cd" * 32, zones="column", sample=False)
    parts = report_plan_from_release(made, data=data).items  # type: ignore[arg-type]
    first = {one.exhibit: plan_words(one, EXHIBITS[one.exhibit]).split(", ")[:2] for one in parts}
    for name in ("release_series", "release_maps"):
        assert first[name][0] == "week of 2026-03-02"
    for name in ("release_risk", "release_use"):
        assert first[name] == ["weeks of 2026-03-02", "2026-03-09"]


@pytest.mark.parametrize("kind", ["internal", "external"])
def test_the_title_of_an_external_report_does_not_name_the_file_of_the_data(kind: str) -> None:
    """Whoever hands it on may have the data loaded: no part shows it, and no word says what it is called."""
    release = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=1, max_trips_per_user=2),
        weeks=["2026-03-02"],
        zones_spec="column",
        public_zones=[1, 2],
    )
    made = SimpleNamespace(plan=release, digest="ab" * 32, certificate={"made": "2026-03-20T08:00:00+00:00"})
    data = DataReference(name="cards_of_ann.csv", sample=False, digest="cd" * 16, zones="column")
    plan = report_plan_from_release(made, data=data, kind=kind)  # type: ignore[arg-type]
    assert ("cards_of_ann.csv" in plan.title) is (kind == "internal")
    assert ("cards_of_ann" in json_from_report_plan(plan)) is (kind == "internal")


def test_a_saved_plan_keeps_its_author_and_its_readers_iv(tmp_path: Path, answer: Answer) -> None:
    """An internal plan is not made external by a word beside it that changes nothing."""
    saved = tmp_path / "plan.json"
    saved.write_text(json_from_report_plan(ReportPlan(title="Mine", kind="internal", items=())), "utf-8")
    out = tmp_path / "report.html"
    for asked in (("--kind", "external"), ("--author", "New")):
        error = answer("report", saved, *asked, "--out", out, fails=True)
        assert error.startswith(
            "author and kind must be left out: the report plan names its author and is internal."
        )
        assert not out.exists()
    assert answer("report", saved, "--kind", "internal", "--out", out, "--json")["kind"] == "internal"


def test_the_risk_report_on_a_file_by_command(trips: Path, tmp_path: Path, answer: Answer) -> None:
    out = tmp_path / "risk.html"
    said = answer(
        "report", "--data", trips, "--zones", "column", "--epsilon", 1, "--max-trips-per-user", 2, "--threshold", 100,
        "--noise", "integer", "--author", "A. Steward", "--out", out, "--json",
    )  # fmt: skip
    assert said["kind"] == "internal"
    html = out.read_text("utf-8")
    assert "Risk report on trips" in html
    assert "ε = 1" in html
    assert "A. Steward" in html
    assert "600 people" in html  # who is in the file
    plan = html.partition("<h2>The plan</h2>")[2].partition("<h2>")[0]
    assert "The plan that the lab would recommend: " in plan
    assert "What this report is about: ε = 1, threshold 100, integer noise, at most 2 trips per user." in plan
    assert "<h2>The certificate</h2>" not in html  # nothing was released
    # No zone file lists the zones: noise can go to flows that are there alone, and a threshold is needed.
    assert "only flows found in the data" in html
    assert html.count("all possible flows") == html.count("holds where all possible flows get noise") > 0
    threshold = ("--max-trips-per-user", 2, "--threshold", 0, "--noise", "integer")
    answer("report", "--data", trips, "--zones", "column", *threshold, "--out", out)
    assert "threshold 1, integer noise, at most 2 trips per user." in out.read_text("utf-8")
    assert "Name a report plan" in answer("report", "--out", out, fails=True)
    for_others = (
        "report",
        "--data",
        trips,
        "--zones",
        "column",
        "--kind",
        "external",
        "--out",
        tmp_path / "none.html",
    )
    assert "A risk report shows true data" in answer(*for_others, fails=True)
    assert not (tmp_path / "none.html").exists()


def test_an_external_report_on_a_release_says_nothing_that_is_not_published(
    trips: Path, released: Path, tmp_path: Path, answer: Answer
) -> None:
    out = tmp_path / "report.html"
    assert (
        answer("report", "--on-release", released, "--kind", "external", "--out", out, "--json")["parts"] == 4
    )
    text = out.read_text("utf-8").rpartition("</script>")[2]
    for true in ("trips.csv", "600 people", "Of 500 people judged", "The data"):
        assert true not in text
    assert "<h2>The certificate</h2>" in text
    assert "External: holds nothing of the true data" in text
    said = answer(
        "report", "--on-release", released, "--epsilon", 2, "--week", "2026-03-02", "--out", out, fails=True
    )
    assert said.startswith(
        "epsilon, week must be left out: a report plan, and a release, have settings of their own"
    )
    said = answer("report", "--on-release", released, "--out", out, fails=True)
    assert "name the file with --data, or ask for an external report" in said


def test_a_report_on_a_release_with_gaussian_noise_says_its_own_promise_and_law(
    trips: Path, tmp_path: Path, answer: Answer
) -> None:
    places = tmp_path / "places.csv"
    places.write_text("zone,lat,lon\n1,45.0,9.0\n2,45.1,9.0\n3,45.2,9.0\n", "utf-8")
    zones = ("--zones", "column", "--zone-positions", places)
    answer(
        "release", trips, *zones, "--ids", "number", "--noise", "gaussian", "--epsilon", 1, "--max-trips-per-user", 2,
        "--source", "Trips by hand",
        "--threshold", 100, "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite", "--out", tmp_path / "out", "--json",
    )  # fmt: skip
    out = tmp_path / "report.html"
    said = answer("report", "--on-release", tmp_path / "out", "--data", trips, *zones, "--out", out, "--json")
    assert said["parts"] == 10
    html = out.read_text("utf-8")
    titles = [title for title in ORDER if title != "What the publisher may honestly say"]
    found = [html.index(f"<h2>{title}</h2>") for title in titles]
    assert found == sorted(found)
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))
    assert re.search(r"source, as the publisher says\s*</t[hd]>\s*<td[^>]*>\s*Trips by hand", html)
    assert certificate["guarantee"]["statement"] in html
    assert "Gaussian noise" in html
    before, of_the_plan = html.split("<h2>The plan</h2>")
    about = "This release: ε = 1, threshold 100, Gaussian noise, a limit of 2 trips per user; nobody is guessed right in more than"
    assert about in of_the_plan.split("<h2>")[0]  # which looks at integer noise too
    assert "seed" not in re.sub(r"<script>.*?</script>", "", html, flags=re.S)  # a release has none
    assert "integer noise" not in "".join([before, *of_the_plan.split("<h2>")[1:]])
    # Two trips of weight 1 against σ: Φ(√2/2σ) of all 500 who are judged.
    sigma = certificate["mechanism"]["scale"] / 1024
    assert f"the most exposed in {norm.cdf(2**0.5 / (2 * sigma)):.1%}" in html
    summary = html.partition('<table class="summary">')[2].partition("</table>")[0]
    assert [name in summary for name in ("Promise", "Risk", "Usefulness", "Limits")] == [True] * 4
    # One chance in three places, that of a loss beyond ε = 1, which is above 20 times δ.
    limits = html.partition("<h2>Limits</h2>")[2]
    chances = chances_in(summary, "but for a chance of") + chances_in(limits, "With a chance of up to")
    assert chances == pytest.approx([chance_beyond(1, 1e-6)] * 3, rel=0.05)
    assert min(chances) > 20e-6
    assert "whatever is promised does not hold" not in html
    # The same with a total: what the counts are good for is said of those that the total gives back to.
    answer(
        "release", trips, *zones, "--ids", "number", "--noise", "gaussian", "--epsilon", 1, "--max-trips-per-user", 1,
        "--threshold", 50, "--unbiased", "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite", "--out", tmp_path / "two",
    )  # fmt: skip
    answer("report", "--on-release", tmp_path / "two", "--data", trips, *zones, "--out", out, "--json")
    html = out.read_text("utf-8")
    assert "Of the unbiased counts in the estimates: " in html
    said = json.loads((tmp_path / "two" / "certificate.json").read_text("utf-8"))
    total = said["totals"]["2026-03-02"]
    ratio = min(
        max(total["trips"] / total["counted"], 1), 10
    )  # √100 at most: a total counts 100 trips of a person
    assert (
        f"Noise is at most ±{math.ceil(ratio * said['utility']['noise_half_width_95']):,} in 95 of 100 flows."
        in html
    )
    off = math.ceil(norm.ppf(0.975) * said["mechanism"]["scale"] / said["mechanism"]["total_units_per_trip"])
    assert (
        f"{total['trips']:,} trips, off by at most {off:,} in 95 of 100 weeks; its unbiased counts are the"
        in html
    )
    (factor,) = re.findall(r"counts are the published ones times ([\d.]+)", html)
    assert abs(float(factor) - ratio) <= 0.5 / max(10**4, said["utility"]["published_total"])
    assert "by the clock that the times were written by; with an offset, by UTC" in html
    assert "week of 2026-03-02, unbiased" in html
    assert "The unbiased counts in the estimates are drawn." in html
    assert "after: estimates as released" in html
    summary = html.partition('<table class="summary">')[2].partition("</table>")[0]
    assert "In the file of estimates " in summary


@pytest.mark.parametrize("cells", ["public", "discovered"])
def test_trips_in_zones_on_no_list_are_named_where_a_release_leaves_them_out(
    trips: Path, tmp_path: Path, answer: Answer, cells: str
) -> None:
    """All 600 go 1→2 and 2→3; listed are 1, 2 and 9, so that half of 1,200 trips are in no public cell, and found cells have all."""
    places = tmp_path / "places.csv"
    places.write_text("zone,lat,lon\n1,45.0,9.0\n2,45.1,9.0\n9,45.2,9.0\n", "utf-8")
    zones = ("--zones", "column", "--zone-positions", places)
    answer(
        "release", trips, *zones, "--ids", "number", "--cells", cells, "--epsilon", 1, "--max-trips-per-user", 2, "--threshold",
        100, "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite", "--out", tmp_path / "out",
    )  # fmt: skip
    page = tmp_path / "r.html"
    answer("report", "--on-release", tmp_path / "out", "--data", trips, *zones, "--out", page)
    html = page.read_text("utf-8")
    said = (
        "600 of 1,200 trips counted (50%) begin or end in zones that the zone file does not list",
        "what the threshold leaves out, trips in zones that the zone file does not list, and noise",
        "<td>Zones on no list</td>",
    )
    assert [one in html for one in said] == [cells == "public"] * 3


def test_where_all_zones_are_listed_no_trip_is_said_to_be_left_out_for_them(
    trips: Path, tmp_path: Path, answer: Answer
) -> None:
    places = tmp_path / "places.csv"
    places.write_text("zone,lat,lon\n1,45.0,9.0\n2,45.1,9.0\n3,45.2,9.0\n", "utf-8")
    zones = ("--zones", "column", "--zone-positions", places)
    answer(
        "release", trips, *zones, "--ids", "number", "--epsilon", 1, "--max-trips-per-user", 2, "--threshold", 100,
        "--week", "2026-03-02", "--ledger", tmp_path / "l.sqlite", "--out", tmp_path / "out",
    )  # fmt: skip
    page = tmp_path / "r.html"
    answer("report", "--on-release", tmp_path / "out", "--data", trips, *zones, "--out", page)
    html = page.read_text("utf-8")
    assert "trips counted" not in html
    assert "trips in zones that the zone file does not list" not in html


def test_a_report_on_a_release_of_false_flows_says_so_by_hand(tmp_path: Path, answer: Answer) -> None:
    """One person and one trip in 110 flows at ε = 0.05: 110·a/(1 + a) = 53.6 false ones are expected, of 20.5 each, a = e^−0.05.

    None is there with a chance of 0.51^110, below 10⁻³¹; all published counts together are then far above the one trip.
    """
    data, places, page = (tmp_path / name for name in ("one.csv", "places.csv", "r.html"))
    data.write_text("user,time,origin,destination\nA,2026-03-03 08:00,1,2\n", "utf-8")
    places.write_text("zone,lat,lon\n" + "".join(f"{zone},45.{zone:02d},9\n" for zone in range(11)), "utf-8")
    zones = ("--zones", "column", "--zone-positions", places)
    answer(
        "release", data, *zones, "--ids", "number", "--epsilon", 0.05, "--max-trips-per-user", 1, "--threshold",
        1, "--week", "2026-03-02", "--accept-made-up", "a drill", "--ledger", tmp_path / "l.sqlite", "--out", tmp_path / "out",
    )  # fmt: skip
    answer("report", "--on-release", tmp_path / "out", "--data", data, *zones, "--out", page)
    html = re.sub(r"<script>.*?</script>", "", page.read_text("utf-8"), flags=re.S)
    together = (
        r"are (?:[\d,]+ times|[\d,]+\.\d% of) all trips: noise and false flows add more than is left out\."
    )
    assert re.search(together, html)
    assert "the rest is" not in html
    summary = html.partition('<table class="summary">')[2].partition("</table>")[0]
    assert (
        "Red because its maker has accepted that some of what is published may be false, or that nothing is published."
        in summary
    )
    # e^0.05/(1 + e^0.05) = 0.5125, of the one person there is
    assert "The one person judged is guessed right 51 times in 100 (a coin: 50)." in summary
    assert "That person is guessed right in 51.2% of cases." in html
    assert "accepted by its maker: false flows, or nothing published" in html
    assert "Only counts of 1 or more are published, so that false flows only ever add" in html
    assert "less in per cent" not in html
    assert "made up" not in html
    found = released_counts_from_folder(tmp_path / "out")
    limits = str(report_plan_from_release(found, data=None, kind="external").items[-1].view)
    assert "false flows accepted" in limits
    assert not re.search(r"made up|: True", limits)


def test_who_is_left_out_is_said_on_page_one_by_hand() -> None:
    """Of five people two have no trip; the others are right in 60, 70 and 80 of 100 cases, and the middle one is half of them."""

    def line(accuracy: list[float], n_trips: list[int]) -> str:
        risks = GaussianRisks(
            parameters=GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=2),
            weeks=("2026-03-02",),
            n_users=9,
            accuracy=np.array(accuracy),
            n_trips=np.array(n_trips),
        )
        part = ReportPart(title="T", sentence="", caption="", discloses=True, facts=risks)
        (one,) = summary_from_parts([part])
        return one.sentence

    exposed = "the most exposed is guessed right 80 times in 100, half of them 70 times or more (a coin: 50)."
    assert line([0.5, 0.6, 0.8, 0.7, 0.5], [0, 1, 3, 2, 0]) == (
        f"Of 5 people judged, 3 are counted in the released weeks: {exposed} The other 2 are not at risk from this release."
    )
    assert line([0.6, 0.8, 0.7], [1, 3, 2]) == f"Of 3 people judged, {exposed}"
    assert line([0.5, 0.8], [0, 1]) == (
        "Of 2 people judged, 1 is counted in the released weeks: that one is guessed right 80 times in 100 (a coin: 50). "
        "The other one is not at risk from this release."
    )
    assert line([0.8], [2]) == "The one person judged is guessed right 80 times in 100 (a coin: 50)."
    # 50.3 is more than a coin, and half of 50.04 is no tenth of one.
    assert line([0.503, 0.5004], [1, 1]) == (
        "Of 2 people judged, the most exposed is guessed right 50.3 times in 100, half of them 50.2 times or more (a coin: 50)."
    )
    assert line([0.5004], [1]) == "The one person judged is guessed right 50 times in 100 (a coin: 50)."


@pytest.mark.parametrize(
    ("wished", "colour"), [(None, "green"), (0.73, "green"), (0.72, "amber"), (0.6, "amber")]
)
def test_a_risk_above_what_was_wished_is_no_green_issue_17(wished: float | None, colour: str) -> None:
    """One person is guessed right in 73 of 100 cases: below the 75 up to which nothing is amber, and above a wish of 72."""
    risks = GaussianRisks(
        parameters=GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=2),
        weeks=("2026-03-02",),
        n_users=2,
        accuracy=np.array([0.73, 0.6]),
        n_trips=np.array([3, 1]),
    )
    parts = [ReportPart(title="T", sentence="", caption="", discloses=True, facts=risks)]
    if wished is not None:
        wish = PlanRequest(max_accuracy=wished, min_utility=0.8)
        parts.append(ReportPart(title="T", sentence="", caption="", discloses=False, facts=wish))
    (line,) = summary_from_parts(parts)
    assert (line.about, line.colour) == ("Risk", colour)
    assert (f"More than was wished: at most {(wished or 0) * 100:.0f} times in 100." in line.sentence) == (
        colour == "amber"
    )


@pytest.mark.parametrize(
    ("mechanism", "close", "bound_words"),
    [
        # A limit of 1: each of a person's two trips weighs √½, and 424 of 600 are counted; a total makes them 600 again.
        (WEIGHTED, "0.0%", "come out too low"),
        (TOTAL, "100%", "a noisy total gives that back"),
    ],
)
def test_a_risk_report_is_about_the_noise_that_is_planned_by_hand(
    trips: Path, mechanism: str, close: str, bound_words: str
) -> None:
    with Workspace() as workspace:
        dataset = read_dataset(trips, workspace=workspace)
        prepared = prepared_trips_from_dataset(dataset, ColumnZoning(geography=None), seed=1)
    plan = report_plan_from_data(
        reference_from_prepared_trips(prepared, sample=False),
        release=ReleaseParameters(epsilon=20, threshold=50, max_trips_per_user=1, noise="integer"),
        week="2026-03-02",
        mechanism=mechanism,
    )
    names = [item.exhibit for item in plan.items]
    assert "attack" not in names  # which is on a claim without a limit

    class Prepared:
        def trips(self) -> PreparedTrips:
            return prepared

    made = {
        item.exhibit: EXHIBITS[item.exhibit].make(Prepared(), item.view)
        for item in plan.items
        if item.exhibit not in ("plan", "data", "people")
    }
    text = " ".join(one.sentence for one in made.values())
    assert f"{close} of all trips lie in flows published within 10% of the truth" in text
    assert "uncounted" not in text
    assert any(bound_words in row["what it means"] for row in made["limits"].rows)
    assert all(MECHANISM_NAMES[mechanism] in item.view.release_in_words for item in plan.items)
    # Two trips of weight √½ move the counts by 1 in all: Φ(1/2σ), at σ of 1024ths; the total takes 3% of the room.
    sigma = (
        StepRequest(name=mechanism, epsilon=20, delta=1e-6, max_trips_per_user=1, threshold=50)
        .parameters.guarantee_parameters(1)
        .sigma
    )  # type: ignore[union-attr]
    accuracy = norm.cdf(1024 / (2 * sigma))
    said = float(re.search(r"the most exposed in ([\d.]+)%", made["person_risks"].sentence)[1])  # type: ignore[index]
    assert said == pytest.approx(100 * accuracy, abs=0.6)
    assert "δ = 10⁻⁶" in made["guarantee"].sentence
    # An ε of 20 keeps nobody from certainty: the summary says how often the best attack is right, the limits how often ε is passed.
    parts = [ReportPart(title="T", sentence="", caption="", discloses=False, facts=made["guarantee"].facts)]
    (line,) = summary_from_parts(parts)
    right = re.search(r"guesses right in at most ([\d.]+)% of cases \(a coin: 50%\)", line.sentence)
    assert right is not None
    assert float(right[1]) == pytest.approx(100 * accuracy, abs=0.6)
    (limits,) = summary_from_parts([replace(parts[0], facts=made["limits"].facts)])
    assert chances_in(limits.sentence, "chance of") == pytest.approx([chance_beyond(20, 1e-6)], rel=0.05)
    assert report_plan_from_json(json_from_report_plan(plan)) == plan


def test_a_mechanism_that_a_risk_report_does_not_know_iv(trips: Path) -> None:
    data = DataReference(name="n", sample=False, digest="d", zones="column")
    with pytest.raises(ParameterError, match=r"^mechanism must be"):
        report_plan_from_data(data, release=ReleaseParameters(epsilon=1), week="", mechanism="integer")


def test_data_of_other_zones_is_not_compared(released: Path, tmp_path: Path, answer: Answer) -> None:
    other = tmp_path / "other.csv"
    other.write_text(
        "user,time,origin,destination\na,2026-03-03 08:00,71,72\nb,2026-03-03 08:00,72,73\n", "utf-8"
    )
    said = answer(
        "report", "--on-release", released, "--data", other, "--zones", "column", "--out", tmp_path / "r.html", fails=True
    )  # fmt: skip
    assert "Not one zone of the release is in the data." in said


def test_files_that_are_not_what_the_certificate_says_make_no_report(released: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("certificate.json", "release.csv", "release.parquet"):
        (copy / name).write_bytes((released / name).read_bytes())
    with (copy / "release.csv").open("a", encoding="utf-8") as file:
        file.write("2026-03-02,7,8,900\n")
    with pytest.raises(DataError, match="is not what its certificate says"):
        released_counts_from_folder(copy)


def test_a_plan_on_a_release_comes_back_from_json_and_plans_without_one_stay_as_they_were(
    released: Path,
) -> None:
    plan = report_plan_from_release(
        released_counts_from_folder(released), data=None, kind="external", author="A"
    )
    assert report_plan_from_json(json_from_report_plan(plan)) == plan
    old = '{"what": "privlab report plan", "format": 1, "title": "T", "kind": "internal", "note": "", "items": []}'
    assert report_plan_from_json(old).summary is False


def test_a_judgement_of_true_data_is_kept_out_of_an_external_report() -> None:
    line = Judgement(about="Risk", colour="red", sentence="600 people", discloses=True)
    with pytest.raises(BoundViolation, match="shows true data"):
        html_from_parts([], title="T", kind="external", summary=[line])


def test_one_part_of_true_data_among_others_is_kept_out_of_an_external_report() -> None:
    first, second = (
        ReportPart(title=title, sentence="S", caption="C", discloses=discloses)
        for title, discloses in (("Limits", False), ("People", True))
    )
    for parts in ([first, second], [second, first]):
        with pytest.raises(BoundViolation, match=r"^“People” shows true data"):
            html_from_parts(parts, title="T", kind="external")
    assert "People" in html_from_parts([first, second], title="T", kind="internal")


def test_of_several_things_that_parts_say_of_all_releases_the_most_is_said() -> None:
    """A part that was added later knows of releases that came since."""
    items = []
    for n, epsilon in ((1, 1.0), (3, 2.5), (2, 1.5)):
        said = {"n": n, "epsilon": epsilon, "delta": 0.0, "added": epsilon}
        options = tuple((f"together_{name}", value) for name, value in said.items())
        view = View(release=ReleaseParameters(), options=options)
        items.append(ReportItem(exhibit="certificate", view=view))
    found = together_from_report_plan(ReportPlan(title="T", kind="internal", items=tuple(items)))
    assert found is not None
    assert (found.n, found.epsilon) == (3, 2.5)


@pytest.mark.parametrize(
    ("close", "made_up", "colour"),
    [(0.8, 0, "green"), (0.79, 0, "amber"), (0.39, 0, "red"), (0.9, 20, "red")],
)
def test_use_is_judged_by_the_wish_and_by_what_is_made_up(close: float, made_up: int, colour: str) -> None:
    """Wished is 80%: half of it is 40%; 20 of 120 flows are more than the tenth that a release may make up."""
    use = PublishedUse(
        week="2026-03-02", kept=100, lost=0, made_up=made_up, share_kept=1.0, share_close=close, tolerance=0.1,
        error=1.0, common_part=0.9,
    )  # fmt: skip
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.8)
    part = ReportPart(title="T", sentence="", caption="", discloses=True, facts=([use], wish))
    (line,) = summary_from_parts([part])
    assert (line.about, line.colour, line.discloses) == ("Usefulness", colour, True)


def test_use_of_published_counts_against_hand() -> None:
    """True flows of 100, 50 and 10; 105 and 80 are published, and 7 where nobody went."""
    from privlab.od.usefulness.published_use import (
        flow_comparison_from_published_counts,
        published_use_from_flow_comparison,
    )

    class True_:
        flow = np.array([1, 2, 3])  # 0→1, 0→2, 1→0 of three zones
        count = np.array([100, 50, 10])
        zones = np.arange(3)

    zones = np.array([10, 20, 30, 99], dtype=object)
    flows = flow_comparison_from_published_counts(
        True_(),  # type: ignore[arg-type]
        zones,
        origin=np.array([0, 0, 3]),
        destination=np.array([1, 2, 0]),
        count=np.array([105, 80, 7]),
    )
    use = published_use_from_flow_comparison(flows, week="w")
    assert (use.kept, use.lost, use.made_up) == (2, 1, 1)
    assert use.share_kept == pytest.approx(150 / 160)
    assert use.share_close == pytest.approx(100 / 160)  # 105 is within a tenth of 100, 80 not of 50
    assert use.error == pytest.approx((5 + 30) / 2)
    assert use.share_made_up == pytest.approx(1 / 3)


def test_the_promise_of_one_of_four_releases_is_judged_by_all_of_them() -> None:
    """By hand: ε = 1 lets an attacker become 73.2% certain at most, four of them together 98.3%: e^4/(1 + e^4).

    How often the best attack is right is another quantity (docs/science.md, 2.5): of all releases together nothing is said of it.
    """
    release = ReleaseParameters(epsilon=1, threshold=100, max_trips_per_user=2, noise="integer")
    others = ReleasesTogether(n=4, epsilon=4.0, delta=0.0, added=4.0).options()

    def promise(*options: tuple[str, Option]) -> Judgement:
        item = ReportItem(exhibit="guarantee", view=View(release=release, options=options))
        plan = ReportPlan(title="One of four", items=(item,), summary=True)
        (found,) = collected_report_from_plan(plan, no_data_at_hand).summary
        return found

    alone, one_of_four = promise(), promise(*others)
    assert (alone.colour, one_of_four.colour) == ("green", "red")
    assert one_of_four.sentence.startswith(
        "All 4 releases of these people in the ledger together promise ε = 4 at"
    )
    assert (
        "no idea beforehand (a coin: 50%) becomes at most 98.3% certain of anyone. This"
        in one_of_four.sentence
    )
    assert "guesses right" not in one_of_four.sentence
    assert alone.sentence[1:] in one_of_four.sentence


@pytest.mark.parametrize(
    ("n", "delta", "colour", "begins"),
    [
        (1, 0.0, "green", "Whoever knows all else"),
        (2, 0.0, "amber", "All 2 releases of these people in the ledger together promise ε = 2 at"),
        (2, 1.0, "red", "All 2 releases of these people in the ledger together promise nothing to anyone"),
    ],
)
def test_one_release_is_judged_alone_and_of_two_both(n: int, delta: float, colour: str, begins: str) -> None:
    """ε = 2 is 88.1% certain, which is amber; a δ of 1 promises nothing, whatever ε says."""
    release = ReleaseParameters(epsilon=1, threshold=100, max_trips_per_user=2, noise="integer")
    others = ReleasesTogether(n=n, epsilon=float(n), delta=delta, added=float(n)).options()
    item = ReportItem(exhibit="guarantee", view=View(release=release, options=others))
    plan = ReportPlan(title="One of them", items=(item,), summary=True)
    (found,) = collected_report_from_plan(plan, no_data_at_hand).summary
    assert found.colour == colour
    assert found.sentence.startswith(begins)


@pytest.mark.parametrize(
    ("limits", "colour"),
    [
        ({}, "green"),
        ({"delta": 1e-6}, "amber"),
        ({"delta": 1e-4}, "amber"),
        ({"delta": 1.1e-4}, "red"),
        ({"n_weeks": 2}, "amber"),
        ({"accepted": ("delta",)}, "amber"),
        ({"accepted": ("made_up",)}, "red"),
        ({"bounded": False}, "red"),
    ],
)
def test_what_limits_a_promise_is_red_where_a_release_needs_a_reason_in_words(
    limits: dict[str, Any], colour: str
) -> None:
    """A δ above 10⁻⁴ is refused without one, and so is a release of false flows; without a bound there is none to a person."""
    facts = Limits(
        **{"delta": 0.0, "n_weeks": 1, "accepted": (), "bounded": True, "simulated": False} | limits
    )
    part = ReportPart(title="T", sentence="", caption="", discloses=False, facts=facts)
    assert [(one.about, one.colour) for one in summary_from_parts([part])] == [("Limits", colour)]


@pytest.mark.parametrize(
    ("chance", "said"),
    [
        (None, "but for a chance of 10⁻⁶ (δ)"),
        (2.8e-5, "but for a chance of 2.8·10⁻⁵ of someone who is in (δ = 10⁻⁶)"),
        (math.nan, "but for a chance of more than δ = 10⁻⁶ of someone who is in"),
    ],
)
def test_how_often_a_promise_does_not_hold_is_no_less_than_it_is(chance: float | None, said: str) -> None:
    """With Gaussian noise it is more often than δ, and where nobody has worked out how often, that much is known."""
    facts = Limits(delta=1e-6, n_weeks=1, accepted=(), bounded=True, simulated=False, chance=chance)
    part = ReportPart(title="T", sentence="", caption="", discloses=False, facts=facts)
    assert said in summary_from_parts([part])[0].sentence


def test_page_one_names_the_least_useful_week_of_estimates_too() -> None:
    better = PublishedUse(
        week="2026-03-02", kept=100, lost=0, made_up=0, share_kept=1.0, share_close=0.9, tolerance=0.1,
        error=1.0, common_part=0.9, of_estimates=True,
    )  # fmt: skip
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.8)

    def line(*uses: PublishedUse) -> str:
        part = ReportPart(title="T", sentence="", caption="", discloses=True, facts=(list(uses), wish))
        return summary_from_parts([part])[0].sentence

    worse = replace(better, week="2026-03-09", share_close=0.7)
    assert line(better).startswith("In the file of estimates 90% of all trips lie in")
    assert line(better, worse).startswith(
        "In the least useful of 2 weeks, in the file of estimates 70% of all"
    )


def test_shares_of_a_release_of_noise_are_neither_all_nor_in_per_cent_beyond_reading() -> None:
    """By hand: of 4,229 published flows three are true, and 42,438 are published where five trips were made: 8,487.6 times as many."""
    use = PublishedUse(
        week="2026-03-02", kept=3, lost=2, made_up=4226, share_kept=0.6, share_close=0.2, tolerance=0.1, error=1.0, common_part=0.1,
        share_counted=42_438 / 5, n_true=5,
    )  # fmt: skip
    wish = PlanRequest(max_accuracy=0.6, min_utility=0.8)
    part = ReportPart(title="T", sentence="", caption="", discloses=True, facts=([use], wish))
    (line,) = summary_from_parts([part])
    assert line.sentence.startswith("99.9% of the published flows are false flows: more than 10%.")
    said = use_content([use], None, facts=None)
    assert (
        "All published counts together are 8,488 times all trips: noise and false flows add" in said.sentence
    )
    rows = {row["figure"]: row["week of 2026-03-02"] for row in said.rows}
    assert rows["all published counts together, of all trips"] == "8,488 times"
