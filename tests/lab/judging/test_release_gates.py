"""What must not be released by one click: δ without limit, and flows that are mostly made up."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from privlab.checks import ParameterError
from privlab.dp.promise.guarantees import GuaranteeParameters
from privlab.dp.promise.least_threshold import least_threshold_for_delta
from privlab.lab.judging.refusals import Accepted, refusals_of_release
from privlab.lab.judging.verdict import verdict_from_promise, verdict_from_release
from privlab.od.expecting.outlook import ReleaseOutlook, release_outlook_from_trips
from privlab.od.releases.release_plan import (
    ReleasePlan,
    SecureReleaseParameters,
    release_plan_from_parameters,
)
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells
from tests.command_line import Answer

WEEK = "2026-03-02"


def plan_of(n_zones: int | None, *, weeks: int = 1, **parameters: Any) -> ReleasePlan:
    cells = "discovered" if n_zones is None else "public"
    return release_plan_from_parameters(
        SecureReleaseParameters(cells=cells, **parameters),
        weeks=[WEEK, "2026-03-09", "2026-03-16", "2026-03-23", "2026-03-30"][:weeks],
        zones_spec="column",
        public_zones=None if n_zones is None else list(range(n_zones)),
    )


def people(n: int, n_zones: int, most: int, rng: np.random.Generator) -> SettledCells:
    """People with up to `most` unique trips each, half of them between the first two zones."""
    user, flow = [], []
    for one in range(n):
        ends = rng.integers(0, n_zones, (rng.integers(1, most + 1), 2))
        cells = {int(a * n_zones + b) for a, b in ends if a != b} | ({1} if one % 2 else set())
        user += [one] * len(cells)
        flow += sorted(cells)
    return SettledCells(
        zones=np.arange(n_zones),
        weeks=(WEEK,),
        week_starts=np.array([0, len(user)]),
        user=np.array(user, np.int32),
        flow=np.array(flow),
    )


@pytest.mark.parametrize(
    ("n", "n_zones", "most", "epsilon", "bound", "threshold", "discovered"),
    [
        (49, 30, 12, 2, 10, 10, False),  # a study of few people in many zones
        (300, 6, 12, 1, 3, 40, False),
        (300, 6, 12, 1, 3, 40, True),
        (100, 5, 4, 5, 4, 3, False),
        (60, 8, 9, 0.5, 2, 0, False),
    ],
)
def test_what_is_expected_against_draws(
    n: int, n_zones: int, most: int, epsilon: float, bound: int, threshold: int, discovered: bool
) -> None:
    """Mean of 90 releases as they are made, fresh choice under the bound included, within nine standard errors.

    They have no seed. The error is that of the draws, few of which may be unlike the rest: of 400,000 means of 60 drawn by numpy some
    passed six and none seven, where Student's law would have it in 1 of 10⁷ cases.
    """
    trips = people(n, n_zones, most, np.random.default_rng(7))
    plan = plan_of(
        None if discovered else n_zones, epsilon=epsilon, max_trips_per_user=bound, threshold=threshold
    )
    outlook = release_outlook_from_trips(trips, plan)
    true, seen = Counter(trips.flow.tolist()), []
    n_draws = 90
    for _ in range(n_draws):
        made = secure_release_from_settled_trips(trips, plan)
        made_up = sum(
            flow not in true for flow in (made.cell["origin"] * n_zones + made.cell["destination"]).tolist()
        )
        flows = (made.cell["origin"] * n_zones + made.cell["destination"]).tolist()
        near = sum(
            true[flow]
            for flow, count in zip(flows, made.count.tolist(), strict=True)
            if abs(count - true[flow]) <= 0.1 * true[flow]
        )
        seen.append((made.count.size, made_up, made.count.sum(), near))
    mean, error = np.mean(seen, axis=0), np.std(seen, axis=0, ddof=1) / n_draws**0.5
    expected = (outlook.published, outlook.made_up, outlook.published_trips, outlook.close_trips)
    # A flow near the truth may be in none of all draws: 20 are expected and none comes in 2 of 10⁹ cases.
    unseen = (0.02, 0.02, 0.02, 20 * max(true.values()) / n_draws)
    for found, wanted, sigma, none in zip(mean, expected, error, unseen, strict=True):
        assert abs(found - wanted) <= 9 * sigma + none * (sigma == 0) + 0.01 * abs(wanted)
    assert outlook.true_trips == trips.flow.size


def test_made_up_flows_by_hand() -> None:
    """One flow of 30 people among 90 cells; scale 2, τ = 5: P(noise ≥ 5) = a⁵/(1+a), a = e^{−1/2}."""
    trips = SettledCells(
        zones=np.arange(10), weeks=(WEEK,), week_starts=np.array([0, 30]),
        user=np.arange(30, dtype=np.int32), flow=np.ones(30, dtype=np.int64),
    )  # fmt: skip
    plan = plan_of(10, epsilon=0.5, max_trips_per_user=1, threshold=5)
    outlook = release_outlook_from_trips(trips, plan)
    a = np.exp(-0.5)
    assert outlook.made_up == pytest.approx(89 * a**5 / (1 + a))
    assert outlook.published == pytest.approx(outlook.made_up + 1 - a**26 / (1 + a))
    assert (outlook.true_trips, outlook.largest_true, outlook.n_true_flows) == (30, 30, 1)
    assert outlook.is_noise  # 4.5 made up for 1 that is true


def outlook_of(**changed: Any) -> ReleaseOutlook:
    usual: dict[str, Any] = {
        "threshold": 10, "complete": False, "n_true_flows": 90, "published": 100.0, "made_up": 9.9,
        "true_trips": 5000, "published_trips": 4900.0, "largest_true": 300, "half_width": 8, "n_weeks": 1,
        "counted_trips": 4950.0,
        "weeks_without_trips": (),
    }  # fmt: skip
    return ReleaseOutlook(**usual | changed)


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({}, False),
        ({"made_up": 10.1}, True),
        ({"weeks_without_trips": (WEEK,)}, True),
        ({"published": 1e-9, "made_up": 1e-9}, True),  # empty: nothing is made up, and all is charged
        ({"complete": True, "threshold": 0, "made_up": 60.0}, False),  # all cells are listed: none is picked
        ({"complete": True, "threshold": 0, "largest_true": 8}, True),
    ],
)
def test_above_ten_per_cent_made_up_is_refused_until_told_otherwise(
    changed: dict[str, Any], refused: bool
) -> None:
    plan, outlook = plan_of(10, epsilon=1, max_trips_per_user=2), outlook_of(**changed)
    found = refusals_of_release(plan, outlook, n_users=50, accepted=Accepted())
    assert [one.kind for one in found] == (["made_up"] if refused else [])
    assert refusals_of_release(plan, outlook, n_users=50, accepted=Accepted(made_up="a drill")) == ()


def test_delta_above_a_ten_thousandth_or_one_in_n_is_refused_until_told_otherwise() -> None:
    a = np.exp(-0.1)
    for threshold, n_users, refused in ((100, 50, True), (130, 50, False), (130, 100_000, True)):
        plan = plan_of(None, epsilon=1, max_trips_per_user=10, threshold=threshold)
        delta = 10 * a ** (threshold - 1) / (1 + a)
        assert plan.delta == pytest.approx(delta)
        assert (delta > min(1e-4, 1 / n_users)) == refused
        found = refusals_of_release(plan, outlook_of(), n_users=n_users, accepted=Accepted())
        assert [one.kind for one in found] == (["delta"] if refused else [])
        for one in found:
            assert f"The lowest threshold that keeps it at 10⁻⁶ is {one.threshold}." in one.sentence
            assert 10 * a ** (one.threshold - 1) / (1 + a) <= 1e-6 < 10 * a ** (one.threshold - 2) / (1 + a)  # type: ignore[operator]
        assert refusals_of_release(plan, outlook_of(), n_users=n_users, accepted=Accepted(delta="why")) == ()


@pytest.mark.parametrize("weeks", [2, 5])
def test_the_threshold_that_is_advised_for_many_weeks_is_not_refused_again(weeks: int) -> None:
    """A person may be found in each week: over all of them δ is as many times 10·a^{τ−1}/(1+a), a = e^{−1/10}."""
    a, asked = np.exp(-0.1), {"epsilon": 1, "max_trips_per_user": 10}
    plan = plan_of(None, weeks=weeks, threshold=100, **asked)
    (found,) = refusals_of_release(plan, outlook_of(), n_users=50, accepted=Accepted())
    assert found.threshold is not None
    assert weeks * 10 * a ** (found.threshold - 1) / (1 + a) <= 1e-6
    assert weeks * 10 * a ** (found.threshold - 2) / (1 + a) > 1e-6
    advised = plan_of(None, weeks=weeks, threshold=found.threshold, **asked)
    assert refusals_of_release(advised, outlook_of(), n_users=50, accepted=Accepted()) == ()


@pytest.mark.parametrize(("epsilon", "bound", "weeks"), [(1, 10, 1), (0.05, 3, 52), (20, 1, 1), (4, 7, 5)])
@pytest.mark.parametrize("wanted", [1e-4, 1e-6, 1e-9])
def test_the_least_threshold_against_the_formula(
    epsilon: float, bound: int, weeks: int, wanted: float
) -> None:
    parameters = GuaranteeParameters(epsilon=epsilon, max_trips_per_user=bound, cells="discovered")
    found = least_threshold_for_delta(parameters, bound * weeks, wanted)
    a = np.exp(-epsilon / bound)

    def delta(threshold: int) -> float:
        return float(bound * weeks * a ** (threshold - 1) / (1 + a))

    assert found is not None
    assert delta(found) <= wanted * (1 + 1e-9)
    assert found == 1 or delta(found - 1) > wanted


def test_thresholds_that_nobody_may_ask_for_are_none_iv() -> None:
    parameters = GuaranteeParameters(epsilon=0.01, max_trips_per_user=1000, cells="discovered")
    assert least_threshold_for_delta(parameters, 1000, 1e-6) is None
    with pytest.raises(ParameterError, match="cells must be discovered"):
        least_threshold_for_delta(GuaranteeParameters(epsilon=1, max_trips_per_user=1), 1, 1e-6)


@pytest.mark.parametrize(
    ("n_zones", "parameters", "accepted", "colour", "words"),
    [
        (5, {"epsilon": 1}, {}, "green", "at most 73.2% certain"),
        (5, {"epsilon": 1.2}, {}, "amber", "at most 76.9% certain"),
        (5, {"epsilon": 4}, {}, "red", "is more than 95% certain of someone who is in"),
        (5, {"epsilon": 1}, {"made_up": "a drill"}, "amber", "some of what is published may be false"),
        (5, {"epsilon": 4}, {"made_up": "a drill"}, "red", "some of what is published may be false"),
        (None, {"epsilon": 1, "threshold": 160}, {}, "green", "but for a chance of δ = 6.6·10⁻⁷"),
        (None, {"epsilon": 1, "threshold": 130}, {}, "amber", "but for a chance of δ = 1.4·10⁻⁵"),
        (
            None,
            {"epsilon": 1, "threshold": 5},
            {"delta": "a drill"},
            "red",
            "With a δ of 1 nothing is promised",
        ),
    ],
)
def test_the_colour_follows_the_promise_against_theory(
    n_zones: int | None, parameters: dict[str, Any], accepted: dict[str, str], colour: str, words: str
) -> None:
    """σ(1) = 0.7311, σ(1.2) = 0.7685, σ(4) = 0.9820; δ = 10·a^{τ−1}/(1+a) with a = e^{−1/10}."""
    plan = plan_of(n_zones, max_trips_per_user=10, **parameters)
    verdict = verdict_from_release(plan, Accepted(**accepted))
    assert verdict.colour == colour
    assert words in verdict.reason
    assert (verdict.badge == "It promises nothing") == ("nothing is promised" in words)


def test_delta_of_gaussian_noise_is_no_chance_against_theory() -> None:
    """Loss = Δ²/2σ² + Δ/σ·Z with Z normal: it exceeds ε with chance Φ(Δ/2σ − εσ/Δ), Δ = √10, which is far above δ = 0.001."""
    plan = plan_of(5, epsilon=1, max_trips_per_user=10, noise="gaussian", clip="l2", delta=1e-3)
    away = 10**0.5 * 1024 / plan.guarantee.parameters.sigma  # type: ignore[union-attr]
    beyond = norm.cdf(away / 2 - 1 / away)
    assert beyond > 5e-3
    verdict = verdict_from_release(plan, Accepted(delta="a drill"))
    assert (verdict.colour, verdict.is_void) == ("red", False)
    assert "at most 73.2% certain of anyone" in verdict.reason
    said = re.search(r"but for a chance of ([\d.]+)·10⁻³ of someone who is in \(δ = 10⁻³\)", verdict.reason)
    assert said
    assert float(said[1]) * 1e-3 == pytest.approx(beyond, rel=0.05)
    (refusal,) = refusals_of_release(plan, outlook_of(), n_users=50, accepted=Accepted())
    assert (
        f"got 10⁻³: with a chance of up to {said[1]}·10⁻³ someone who is in loses more than ε."
        in refusal.sentence
    )


def test_a_promise_of_many_weeks_says_how_often_an_attacker_is_right_against_theory() -> None:
    """Five weeks of ε = 2.2 are ε = 11, which keeps nobody from certainty; the noise does, in most cases.

    A person's loss over five weeks is normal with mean μ²/2 and deviation μ = √5·Δ/σ: the best guess is right with chance Φ(μ/2), and
    ends more than 95% certain with chance Φ(μ/2 − log(19)/μ).
    """
    plan = plan_of(5, weeks=5, epsilon=2.2, max_trips_per_user=5, noise="gaussian", clip="l2", delta=1e-6)
    away = 5**0.5 * 5**0.5 * 1024 / plan.guarantee.parameters.sigma  # type: ignore[union-attr]
    right, certain = norm.cdf(away / 2), norm.cdf(away / 2 - np.log(19) / away)
    verdict = verdict_from_release(plan, Accepted())
    said = re.search(
        r"at most ([\d.]+)% of cases \(a coin: 50%\).* in at most ([\d.]+)% of cases", verdict.reason
    )
    assert said
    assert float(said[1]) / 100 == pytest.approx(right, abs=2e-3)
    assert float(said[2]) / 100 == pytest.approx(certain, abs=2e-3)
    assert "100.0%" not in verdict.reason
    assert verdict.colour == "red"


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "two\nlines"])
def test_a_reason_says_something_iv(reason: str) -> None:
    with pytest.raises(ParameterError, match="accept_delta must be a reason in words"):
        Accepted(delta=reason)


# --- the command line ----------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """40 people who all go 1→2 in the week of 2 March, and 60 zones that are known without them."""
    rows = [
        f"u{user},2026-03-02 {hour}:05,{zone}\n"
        for user in range(40)
        for hour, zone in (("08", 1), ("09", 2))
    ]
    (tmp_path / "people.csv").write_text("user,time,zone\n" + "".join(rows))
    (tmp_path / "zones.csv").write_text("zone,lat,lon\n" + "".join(f"{z},45.{z:02d},8\n" for z in range(60)))
    return tmp_path


def words(place: Path, *more: object) -> tuple[object, ...]:
    return (
        *(
            "release",
            place / "people.csv",
            "--zones",
            "column",
            "--ids",
            "number",
            "--ledger",
            place / "l.sqlite",
        ),
        *("--max-trips-per-user", 2, "--out", place / "out", "--json", *more),
    )


@pytest.mark.parametrize("n_weeks", [1, 2, 3, 6, 7, 52])
@pytest.mark.parametrize("n_users", [5, 900_000, 1_000_000, 3_000_001, 10_000_000])
def test_the_smaller_delta_that_is_advised_is_not_refused_again(n_users: int, n_weeks: int) -> None:
    weeks = [str(np.datetime64(WEEK) + 7 * week) for week in range(n_weeks)]

    def refused(delta: float) -> str:
        plan = release_plan_from_parameters(
            SecureReleaseParameters(
                epsilon=1,
                max_trips_per_user=5,
                threshold=9,
                cells="public",
                noise="gaussian",
                clip="l2",
                delta=delta,
            ),
            weeks=weeks,
            zones_spec="column",
            public_zones=list(range(4)),
        )
        found = refusals_of_release(plan, None, n_users=n_users, accepted=Accepted(made_up="a test"))  # type: ignore[arg-type]
        return found[0].sentence if found else ""

    said = refused(1e-4) or refused(1e-6)
    if said:
        advised = float(re.search(r"Take a smaller delta: (\S+) keeps it low enough", said)[1])
        assert not refused(advised)
        assert advised * n_weeks > 1e-9  # not smaller than it need be
    else:
        assert n_weeks * 1e-4 <= 1 / n_users


def test_a_delta_of_1_needs_a_reason_in_the_certificate(answer: Answer, place: Path) -> None:
    asked = words(place, "--cells", "discovered", "--epsilon", 0.1, "--threshold", 5, "--week", WEEK)
    error = answer(*asked, fails=True)
    assert "delta must be at most 10⁻⁴, got 0.84" in error
    # 2·a^{τ−1}/(1+a) ≤ 10⁻⁶ with a = e^{−1/20}: τ ≥ 1 + 20·ln(2·10⁶/1.951)
    assert "The lowest threshold that keeps it at 10⁻⁶ is 278." in error
    assert '--accept-delta "REASON"' in error
    assert not (place / "out").exists()
    assert not (place / "l.sqlite").exists()  # nothing is charged
    made = answer(*asked, "--accept-delta", "a drill with invented people")
    assert made["verdict"]["colour"] == "red"
    certificate = json.loads((place / "out" / "certificate.json").read_text())
    assert certificate["accepted"] == {"delta": "a drill with invented people"}
    assert answer("verify", place / "out" / "certificate.json", "--json")["holds"] is True
    assert 40 not in certificate["accepted"].values()


def test_a_release_of_noise_needs_a_reason_in_the_certificate(answer: Answer, place: Path) -> None:
    zones = ("--zone-positions", place / "zones.csv", "--epsilon", 1, "--threshold", 8)
    error = answer(*words(place, *zones, "--week", WEEK), fails=True)
    # 3,539 empty cells × a⁸/(1+a), a = e^{−1/2}: 40.3 made up for the one flow that is true
    assert "At most 10% of the published flows may be false, here it would be 97.6%" in error
    assert "Of 41 flows that are expected to be published, 40 (97.6%) would be false" in error
    assert (
        "40 are true, of which 40 are counted under the limit (the rest of what is published is noise"
        in error
    )
    assert "The largest true flow has 40 people" in error
    assert not (place / "l.sqlite").exists()
    made = answer(*words(place, *zones, "--week", WEEK, "--accept-made-up", "a drill"))
    certificate = (place / "out" / "certificate.json").read_text()
    assert json.loads(certificate)["accepted"] == {"made_up": "a drill"}
    assert "97.6%" not in certificate  # what is true stays with the steward
    assert not {"made_up_share", "expected"} & set(json.loads(certificate)["utility"])
    assert "97.6%" in made["true_data_for_internal_eyes"]
    assert made["verdict"]["colour"] == "amber"


@pytest.mark.parametrize("cells", ["public", "discovered"])
def test_a_week_without_trips_needs_a_reason(answer: Answer, place: Path, cells: str) -> None:
    positions = ("--zone-positions", place / "zones.csv") if cells == "public" else ("--cells", cells)
    asked = words(place, *positions, "--epsilon", 1, "--week", WEEK, "--week", "2026-03-16")
    assert "There is no trip in the week of 2026-03-16" in answer(*asked, fails=True)
    answer(*asked, "--accept-made-up", "the week of the strike")


def test_a_release_that_holds_says_so_and_has_no_reasons(answer: Answer, place: Path) -> None:
    zones = ("--zone-positions", place / "zones.csv", "--epsilon", 1, "--threshold", 30, "--week", WEEK)
    made = answer(*words(place, *zones))
    assert made["verdict"]["colour"] == "green"
    assert "accepted" not in json.loads((place / "out" / "certificate.json").read_text())


def test_a_reason_goes_on_record_without_blanks_around_it_and_only_where_it_was_given() -> None:
    assert Accepted(delta="  a small town ").as_record() == {"delta": "a small town"}
    assert Accepted(made_up="for a test").as_record() == {"made_up": "for a test"}
    assert Accepted().as_record() == {}


def test_gaussian_noise_is_never_said_to_fail_in_no_case() -> None:
    plan = plan_of(5, epsilon=3, max_trips_per_user=10, noise="gaussian", clip="l2", delta=1e-15)
    assert verdict_from_release(plan, Accepted()).reason.endswith("in at most 0.1% of cases.")


def test_a_delta_beyond_what_is_accepted_unasked_is_all_that_is_said_of_a_promise() -> None:
    """One person in 5,000 is told for certain what ε = 1 would keep from an attacker: no certainty of 73% is spoken of."""
    said = verdict_from_promise(1.0, 2e-4, Accepted())
    assert said.reason == "With a chance of δ = 2·10⁻⁴ whatever is promised does not hold."
    assert "but for a chance of δ = 10⁻⁴" in verdict_from_promise(1.0, 1e-4, Accepted()).reason


@pytest.mark.parametrize(
    ("accepted", "words"),
    [
        (Accepted(delta="a drill"), "; its maker has accepted in words the δ."),
        (Accepted(made_up="a drill"), "; its maker has accepted in words that some of what is published may"),
        (Accepted(delta="a drill", made_up="a drill"), "accepted in words the δ, and that some of what"),
        (Accepted(), None),
    ],
)
def test_what_its_maker_has_accepted_is_said_of_a_promise(accepted: Accepted, words: str | None) -> None:
    reason = verdict_from_promise(1.0, 2e-4, accepted).reason
    assert ("its maker has accepted" in reason) is (words is not None)
    assert words is None or words in reason
