"""What the file of a figure's numbers says: headings, panels, true values and units, of figures worked by hand."""

import csv
import io
from datetime import date

import numpy as np
import plotly.graph_objects as go
import pytest

from privlab.aggregates import VisitSeries
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.trails_from_counts import recovery_from_followed
from privlab.datasets.cleaning import Rhythm
from privlab.dp.certainty.certainty import CertaintyParameters, posterior_law_from_parameters
from privlab.dp.promise import PUBLISHED_PRACTICE
from privlab.figures.drawing import csv_from_figure
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.drawing.whole_ticks import room_of_counts
from privlab.figures.fingerprints.person import laws_figure, space_time_figure
from privlab.figures.fingerprints.remedies import accuracy_figure
from privlab.figures.fingerprints.trails import trails_figure
from privlab.figures.flows import error_figure, scatter_figure, visit_series_figure, week_figure
from privlab.figures.groups.groups import trade_off_figure
from privlab.figures.groups.recovery import recovered_trail_figure, recovery_figure
from privlab.figures.planning import plan_figure
from privlab.figures.planning.practice import practice_figure
from privlab.figures.risks import posterior_figure
from privlab.fingerprints.glove import Accuracy
from privlab.fingerprints.measures import PooledParts
from privlab.fingerprints.measures.one_person import what_if_from_fingerprints
from privlab.od.planning import PlanRequest
from privlab.od.planning.planner import advice_from_points
from privlab.od.usefulness import FlowComparison, Utility
from tests.figures.fingerprints.test_trails import PEOPLE
from tests.figures.groups.test_recovery import MEETING
from tests.figures.planning.test_plan import point

Row = dict[str, str]


def rows_of(figure: go.Figure) -> list[Row]:
    """Return the file's rows without their empty cells."""
    rows = csv.DictReader(io.StringIO(csv_from_figure(figure).decode()))
    return [{name: value for name, value in row.items() if value} for row in rows]


def test_where_and_when_have_columns_of_their_own() -> None:
    """Person 0 is at home on two mornings, and on the second day at 10:00, or 10/24, 3 km east and 4 north of it: 5 km away."""
    found = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    rows = [row for row in rows_of(space_time_figure(PEOPLE, found, LIGHT)) if row["curve"] == "this person"]
    where, when = ([row for row in rows if row["panel"] == panel] for panel in ("where", "when"))
    assert where[-1] == {
        "curve": "this person", "panel": "where", "km east of home": "3.0", "km north of home": "4.0",
    }  # fmt: skip
    assert set(when[-1]) == {"curve", "panel", "days since the first", "km from home"}
    assert float(when[-1]["days since the first"]) == pytest.approx(1 + 10 / 24)
    assert float(when[-1]["km from home"]) == 5


def test_hours_do_not_stand_below_kilometres() -> None:
    accuracy = Accuracy(
        side_km=np.array([0.1, 2.0]), share_within_km=np.array([0.5, 1.0]),
        duration_min=np.array([60.0, 120.0]), share_within_min=np.array([0.25, 1.0]), n_samples=4,
    )  # fmt: skip
    rows = rows_of(accuracy_figure(accuracy, LIGHT))
    assert [
        (row["panel"], row.get("side of the box (km)"), row.get("length of the box (h)"), row["published samples (1: 100%)"])
        for row in rows
    ] == [
        ("space", "0.0", None, "0.0"), ("space", "0.1", None, "0.5"), ("space", "2.0", None, "1.0"),
        ("time", None, "0.0", "0.0"), ("time", None, "1.0", "0.25"), ("time", None, "2.0", "1.0"),
    ]  # fmt: skip


def test_the_parts_of_a_distance_are_told_apart_and_it_has_its_name() -> None:
    nothing = dict.fromkeys(("total", "spatial", "temporal"), 0.0)
    law = PooledParts(
        user=0, spatial=np.array([0.25]), temporal=np.array([0.5]), gini=nothing, tail_weight=nothing
    )
    rows = rows_of(laws_figure({"person 1 of 2": law}, LIGHT))
    ends = {row["panel"]: row["distance of a sample"] for row in rows}
    assert ends == {"in all": "0.75", "space": "0.25", "time": "0.5"}
    assert {row["share of samples"] for row in rows} == {"0.0", "1.0"}


def test_one_zone_and_all_zones_are_told_apart_and_hours_have_their_name() -> None:
    series = VisitSeries(
        zones=np.array([7, 9]),
        true=np.array([[1, 2], [3, 4]]),
        published=np.array([[1.0, 2.0], [3.5, 4.5]]),
        week="2026-03-02",
    )
    rows = rows_of(visit_series_figure(series, LIGHT))
    found = {
        (row["panel"], row["curve"], row["hour of the week, from Monday 00:00"]): float(row["people"])
        for row in rows
    }
    assert found["all zones together", "true", "1"] == 6
    assert found["zone 9", "true", "1"] == 4
    assert found["zone 9", "published", "0"] == 3.5
    assert len(found) == 8


@pytest.mark.parametrize("published", [0.4, 12.2])
def test_a_true_zero_is_a_zero_though_an_axis_has_no_place_for_it(published: float) -> None:
    """A flow that nobody made, published all the same, and one of 30, published as less than is drawn."""
    flows = FlowComparison(
        flow=np.array([1, 2]), true=np.array([0.0, 30.0]), bounded=np.array([0.0, 30.0]),
        published=np.array([published, 0.2]),
    )  # fmt: skip
    figure = scatter_figure(flows, LIGHT, threshold=0)
    rows = {row["curve"]: (row["true count"], row["published count (simulated)"]) for row in rows_of(figure)}
    assert rows["false flows (true 0)"] == ("0.0", str(published))
    assert rows["kept"] == ("30.0", "0.2")
    assert min(min(one.x) for one in figure.data) > 0  # drawn they are where a logarithm has a place


def test_cases_are_counted_and_never_below_zero_against_science() -> None:
    """docs/science.md, section 2.5, two trips of ε = 0.66: more than 65.9% certain in 40.1496 of 100 cases, of those not in in 12.3549."""
    law = posterior_law_from_parameters(CertaintyParameters(epsilon=0.66, trips=2))
    rows = rows_of(posterior_figure(law, LIGHT))
    for curve, beyond in (("someone who is in", 40.1496), ("someone who is not", 12.3549)):
        cases = [
            (float(row["above (%)"]), float(row["cases in 100"])) for row in rows if row["curve"] == curve
        ]
        assert sum(n for _, n in cases) == pytest.approx(100)
        assert sum(n for above, n in cases if above > 65.92) == pytest.approx(beyond, abs=1e-3)
    assert not [row for row in rows if row["cases in 100"].startswith("-")]


UTILITY = Utility(
    total_true=100.0, clipping=10.0, noise=5.0, suppression=20.0, spurious=1.0, cells_kept=1, cells_lost=1,
    cells_spurious=1, flow_kept=0.5, within_10_percent=0.5, cpc=0.5, mre=0.1, mre_floor=1.0, kendall_tau=0.5, rmse=1.0, jensen_shannon=0.1,
)  # fmt: skip
RHYTHM = Rhythm(
    by_day=((date(2026, 3, 2), 5),),
    by_weekday_and_hour=((0,) * 8 + (5,) + (0,) * 15, *((0,) * 24 for _ in range(6))),
)


def test_bars_without_names_have_no_column_of_curves_and_what_they_are_is_named() -> None:
    rows = rows_of(error_figure(UTILITY, LIGHT))
    assert rows[0] == {
        "simulated error, as a share of all true trips": "0.1", "where the error comes from": "trips over the limit",
    }  # fmt: skip


def test_the_hours_of_the_week_are_days_hours_and_what_is_counted() -> None:
    rows = rows_of(week_figure(RHYTHM, LIGHT, of="trips"))
    assert len(rows) == 7 * 24
    assert rows[8] == {"what": "trips", "hour of the day": "8", "day of the week": "Mon", "trips": "5"}


def test_the_interval_of_what_is_put_together_is_beside_it() -> None:
    found = recovery_from_followed(MEETING, RecoveryParameters(users=2, days=2))
    low, high = found.score.accuracy_interval
    own, *others = rows_of(recovery_figure(found, LIGHT))
    assert own["how trails come about"] == "put together from counts"
    assert (float(own["low"]), float(own["high"])) == (pytest.approx(low), pytest.approx(high))
    assert others
    assert not [row for row in others if "low" in row]


def test_trails_say_when_someone_was_where() -> None:
    found = recovery_from_followed(MEETING, RecoveryParameters(users=2, days=2))
    rows = [
        row
        for row in rows_of(recovered_trail_figure(found, 1, LIGHT, days=1))
        if row["curve"] == "this person"
    ]
    assert rows[11]["when"] == "2026-03-02 11:00"
    assert {"km east of home (west: below 0)", "km north of home (south: below 0)"} < rows[11].keys()
    one = what_if_from_fingerprints(PEOPLE, 0, k=2, levels=(), n_workers=1)
    rows = [
        row for row in rows_of(trails_figure(PEOPLE, one, LIGHT, days=2)) if row["curve"] == "this person"
    ]
    assert (rows[2]["when"], rows[2]["km east of home (west: below 0)"]) == ("1970-01-02 10:00", "3.0")


def test_each_release_that_could_be_made_says_how_it_is_made() -> None:
    found = advice_from_points(
        (point(0.52, 0.5), point(0.55, 0.85)), PlanRequest(max_accuracy=0.6, min_utility=0.8)
    )
    figure = plan_figure(found, LIGHT)
    # A picture is seen without the page, which says that no release was measured, and whom a coin gets right.
    assert figure.layout.yaxis.title.text == "trips expected in flows within 10% of the truth"
    assert figure.layout.xaxis.title.text == "best attack right about anyone (a coin: 50%)"
    for row in rows_of(figure):
        assert (row["ε"], row["limit on trips (L)"], row["threshold"]) == ("1.0", "10", "5")
        assert row["mechanism"] == "integer noise"


def test_every_epsilon_of_others_has_its_source_and_what_it_protects() -> None:
    epsilon = np.array([0.1, 1.0])
    marks = [(one, 0.6) for one in PUBLISHED_PRACTICE if one.epsilon is not None]
    rows = rows_of(practice_figure(epsilon, np.array([0.6, 0.9]), marks, 12, LIGHT))
    named = {row["whose"] for row in rows if "whose" in row}
    for one, _ in marks:
        assert any(one.name in name for name in named), one.name
    name = "guessed right (a coin: 50%, 1: 100%)"
    right = [row[name] for row in rows if name in row]
    assert {one[0] for one in right} == {"0"}  # numbers below 1 alone
    assert {row["protected"] for row in rows if "protected" in row} <= {"a day", "a week", "a release"}


def test_a_column_of_shares_has_its_unit_as_its_axis_has() -> None:
    """An axis writes 64%, the file 0.64: of trips, cases or people it would read as a number of them. A share says what it is."""
    figure = go.Figure(go.Scatter(x=[0.5], y=[0.64]))
    figure.update_layout(
        xaxis={"title": "share of trips", "tickformat": ".0%"}, yaxis={"title": "cases", "tickformat": ".1%"}
    )
    assert rows_of(figure) == [{"share of trips": "0.5", "cases (1: 100%)": "0.64"}]
    figure.update_layout(yaxis_tickformat=",d", xaxis={"tickformat": "%d %b\n%Y", "title": "day"})
    assert rows_of(figure) == [{"day": "0.5", "cases": "0.64"}]
    figure.update_layout(yaxis={"title": "cases (a coin: 50%)", "tickformat": ".0%"})
    assert rows_of(figure) == [{"day": "0.5", "cases (a coin: 50%, 1: 100%)": "0.64"}]


def test_numbers_along_a_logarithmic_axis_are_not_called_logarithms() -> None:
    figure = go.Figure(go.Scatter(x=[100.0], y=[1]))
    figure.update_layout(xaxis={"title": "weight (log)", "type": "log"}, yaxis_title="people")
    assert rows_of(figure) == [{"weight": "100.0", "people": "1"}]


def test_a_new_line_of_a_figure_is_none_of_a_file() -> None:
    figure = go.Figure(go.Bar(x=["10<br>known: 1"], y=[0.5], name="a"))
    assert rows_of(figure) == [{"curve": "a", "x": "10, known: 1", "y": "0.5"}]


def test_an_error_of_nothing_is_nothing_though_an_axis_has_no_place_for_it() -> None:
    """A defence that changes no count, and one with ε = 2 whose counts are half wrong."""
    points = [("lpa", "strategic", 8.0, 0.0, 0.0), ("lpa", "strategic", 2.0, 0.5, 0.5)]
    rows = rows_of(trade_off_figure(points, LIGHT))
    assert [(row["ε"], row["mean relative error of the published counts"]) for row in rows] == [
        ("2.0", "0.5"), ("8.0", "0.0"),
    ]  # fmt: skip


@pytest.mark.parametrize("most", [5_000, 20_000, 400_000, 12_000_000])
def test_an_axis_of_counts_has_room_for_its_title_beside_its_numbers_in_the_widest_type(most: int) -> None:
    """By the widths in DejaVu Sans, in which pictures are drawn where there is no other: a digit 0.636 of its size, a comma 0.318."""
    digits, commas = len(str(most)), (len(str(most)) - 1) // 3
    numbers = 12 * (0.636 * digits + 0.318 * commas)
    # The axis's own distance, type of 14 pixels with what reaches below its line, and a gap.
    beside, title, between = 5, 17, 4
    assert room_of_counts(most) >= numbers + beside + title + between
