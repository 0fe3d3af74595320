"""What an outside reader is told of missing, small and negative counts, and where the rest of what is true is, by hand."""

import math
from dataclasses import replace
from typing import Any

import pytest

from privlab.lab.reporting.report_summary import summary_from_parts
from privlab.od.simulating import ReleaseParameters
from privlab.od.usefulness import PublishedUse
from privlab.reports.documents.document import ReportPart
from privlab.reports.exhibits.all_exhibits import EXHIBITS
from privlab.reports.exhibits.products import use_content
from privlab.reports.report_plan import View


def limits(threshold: int, **options: Any) -> dict[str, str]:
    view = View(
        release=ReleaseParameters(
            epsilon=1, threshold=threshold, max_trips_per_user=options.pop("bound", 5), noise="integer"
        ),
        options=tuple({"of_release": "x", "accepted_made_up": True, **options}.items()),
    )
    return {row["limit"]: row["what it means"] for row in EXHIBITS["limits"].make(None, view).rows}


def test_with_a_threshold_false_flows_only_add() -> None:
    said = limits(40)
    assert (
        said["Small flows"]
        == "Counts below 40 are left out. A flow that is missing need not be one of nobody."
    )
    assert "false flows only ever add" in said["Noise"]


def test_with_no_threshold_nothing_is_left_out_and_nothing_only_adds() -> None:
    said = limits(0)
    assert said["Small flows"].startswith("Every flow is published, also one of nobody.")
    assert "sums come out far too high without them" in said["Small flows"]
    assert "left out" not in said["Small flows"]
    assert "only ever add" not in said["Noise"]


def test_of_cells_found_in_the_data_none_is_false() -> None:
    said = limits(40, cells="discovered")
    assert "Of a flow that is missing either nobody was counted, or it was left out." in said["Small flows"]
    assert "false" not in said["Noise"]


def test_a_simulated_release_of_flows_found_in_the_data_is_limited_by_its_delta_against_theory() -> None:
    """A flow of one trip passes the threshold with a^(τ-1)/(1+a), a = e^(-ε/L); of L trips each may be one: L times that (2.5)."""
    made = EXHIBITS["limits"].make
    for threshold, weeks in ((10, 1), (60, 1), (60, 3)):
        release = ReleaseParameters(epsilon=1, threshold=threshold, max_trips_per_user=5, noise="integer")
        view = View(release=release, options=(("cells", "discovered"), ("weekly_releases", weeks)))
        content = made(None, view)
        a = math.exp(-1 / 5)
        most = 5 * weeks * a ** (threshold - 1) / (1 + a)
        assert content.facts.delta == pytest.approx(most, rel=1e-6)
        assert {row["limit"]: row["what it means"] for row in content.rows}["δ"].startswith(
            "With a chance of "
        )
        part = ReportPart(title="T", sentence="", caption="", discloses=False, facts=content.facts)
        (line,) = summary_from_parts([part])
        assert line.colour == ("red" if most > 1e-4 else "amber")
        assert "but for a chance of" in line.sentence
    assert made(None, replace(view, options=(("cells", "public"),))).facts.delta == 0


def test_one_trip_is_spoken_of_as_one() -> None:
    assert limits(40, bound=1)["Bound"].startswith("At most 1 unique trip of a person and week is counted;")
    assert "What counts is drawn anew each time" in limits(40, bound=2)["Bound"]
    assert limits(40, bound=2)["Bound"].startswith("At most 2 unique trips of a person and week are counted;")


def test_whom_a_person_means_is_said_to_who_has_the_report_alone() -> None:
    """A report says people where the data has ids: of cards, of bikes, or new ones each day."""
    said = limits(40)["Who a person is"]
    assert said.startswith("A person is one id in the data, as of a card, a phone or a vehicle.")
    assert "is promised to each id by itself" in said


def use(week: str, *, kept: int, close: float, share: float, counted: float = 0.4) -> PublishedUse:
    return PublishedUse(
        week=week, kept=kept, lost=3, made_up=0, share_kept=share, share_close=close, tolerance=0.1, error=1.0, common_part=0.5,
        share_counted=counted,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "rest"),
    [
        ({}, ": the rest is what the limit takes, what the threshold leaves out, and noise."),
        ({"bounded": False}, ": the rest is what the threshold leaves out and noise."),
        ({"threshold": 0}, ": the rest is what the limit takes and noise."),
        ({"bounded": False, "threshold": 0}, ": the rest is noise."),
    ],
)
def test_the_rest_is_only_where_it_can_be(given: dict[str, Any], rest: str) -> None:
    one = use("", kept=4, close=0.3, share=0.4)
    sentence = use_content([one], None, facts=None, **given).sentence
    assert sentence.endswith(f"All published counts together are 40.0% of all trips{rest}")


def test_the_least_useful_of_equals_is_the_one_that_publishes_less() -> None:
    weeks = [
        use("2026-03-02", kept=4, close=0.0, share=0.1),
        use("2026-03-09", kept=2, close=0.0, share=0.05),
    ]
    assert use_content(weeks, None, facts=None).sentence.startswith(
        "In the least useful week, 0.0% of all trips lie in flows published within 10% of the truth, 5% in published"
    )
    nothing = use("2026-03-16", kept=0, close=0.0, share=0.0)
    assert (
        use_content([*weeks, nothing], None, facts=None).sentence
        == "In the least useful week nothing is published."
    )
    assert use_content([nothing], None, facts=None).sentence == "Nothing is published."
