"""Figures over many games, and the attack over ε: what is drawn is what was given, by hand."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.aggregates.findings.published_shapes import PublishedShape, published_shapes_from_points
from privlab.aggregates.findings.summaries import GameResult, summaries_from_result
from privlab.aggregates.findings.verdicts import verdicts_from_outcomes
from privlab.aggregates.game import Estimate
from privlab.aggregates.game_rules.parameters import GameParameters
from privlab.dp.promise import PUBLISHED_PRACTICE
from privlab.figures.drawing.numbers_of_figure import table_from_figure
from privlab.figures.drawing.palette import DARK, LIGHT, Palette
from privlab.figures.groups.defence_words import alike_words, trade_off_row
from privlab.figures.groups.groups import (
    auc_figure,
    factors_figure,
    heat_figure,
    loss_figure,
    marginals_figure,
    roc_figure,
    share_figure,
    trade_off_figure,
)
from privlab.figures.groups.groups_compared import gain_figure, size_figure
from privlab.figures.groups.groups_words import estimate_row
from privlab.figures.groups.verdict_words import (
    published_rows,
    trade_off_finding,
    verdict_finding,
    verdict_row,
)
from privlab.figures.planning.practice import practice_figure, protected
from tests.aggregates.findings.test_published_shapes import points
from tests.aggregates.findings.test_summaries import outcome

SURE, NONE = ([3, 4], [1, 2]), ([1, 2], [1, 2])


def result(size: int) -> GameResult:
    people = (outcome(0, SURE, NONE), outcome(1, ([2, 4], [1, 3]), NONE))
    return GameResult(parameters=GameParameters(group_size=size, targets=2), outcomes=people, n_left=0)


def test_auc_by_group_size_shows_every_target_and_the_mean() -> None:
    results = [result(5), result(1000)]
    summaries = [summaries_from_result(one)[0] for one in results]
    *boxes, mean = size_figure(results, summaries, LIGHT).data
    assert [list(box.y) for box in boxes] == [[1.0, 0.75]] * 2
    assert list(mean.x) == ["5", "1,000"]
    assert list(mean.y) == [0.875, 0.875]
    assert list(np.add(mean.y, mean.error_y.array)) == [1.0, 1.0]  # Student's interval of two, cut at 1


def test_boxes_are_drawn_of_ten_targets_or_more_and_of_fewer_every_target() -> None:
    """A box of one is a line, and the quarters of three are those of nobody."""
    for times, boxed in ((1, False), (4, False), (5, True)):
        few = result(5)
        many = replace(few, outcomes=few.outcomes * times)
        first = size_figure([many], [summaries_from_result(many)[0]], LIGHT).data[0]
        assert first.y.size == 2 * times  # every target is drawn in any case
        assert (first.boxpoints, first.marker.size > 3) == ("all", not boxed)
        assert ("0)" in (first.line.color or "")) == (not boxed)
        by_reports = [
            one for one in loss_figure([(many, 0)], 0.05, LIGHT).data if one.y is not None and len(one.y)
        ]
        assert [("0)" in (one.line.color or "")) for one in by_reports] == [not boxed] * len(by_reports)


def test_one_aggregate_says_what_its_crosses_are_and_which_zone_is_which() -> None:
    counts = np.arange(24.0).reshape(12, 2)
    figure = heat_figure(counts, counts == 5, LIGHT)
    assert figure.layout.showlegend
    assert [one.name for one in figure.data if one.type == "scatter"] == ["the target was here"]
    # Rank 1 is row 0, rank 10 is row 9.
    assert (list(figure.layout.yaxis.tickvals), list(figure.layout.yaxis.ticktext)) == ([0, 9], ["1", "10"])


def test_who_is_at_risk_says_in_groups_of_how_many() -> None:
    figure = factors_figure(result(1000), 0, "volume", "reports", LIGHT)
    assert figure.layout.yaxis.title.text == "AUC in groups of 1,000"
    # The line at ½ says what it is.
    (line,), (name,) = figure.layout.shapes, figure.layout.annotations
    assert (line.y0, line.y1, name.text) == (0.5, 0.5, "a blind guess")


def rgb_on(page: tuple[int, int, int], colour: str) -> list[float]:
    """Return the red, green and blue of a colour, perhaps transparent, on a page."""
    if colour.startswith("#"):
        return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    *parts, alpha = map(float, re.findall(r"[\d.]+", colour))
    return [alpha * part + (1 - alpha) * below for part, below in zip(parts, page, strict=True)]


@pytest.mark.parametrize(("page", "palette"), [((255, 255, 255), LIGHT), ((24, 23, 21), DARK)])
def test_where_nobody_is_an_aggregate_is_of_the_colour_of_its_page(
    page: tuple[int, int, int], palette: Palette
) -> None:
    """On a dark page the scale of a light one showed empty zones brightest of all."""
    counts = np.array([[0.0, 5.0]])
    scale = heat_figure(counts, counts > 9, palette).data[0].colorscale
    least, most = (np.array(rgb_on(page, colour)) for _, colour in (scale[0], scale[-1]))
    assert np.abs(least - page).max() < 20
    assert np.abs(most - page).max() > 100


def test_estimated_visits_are_written_as_other_numbers_by_hand() -> None:
    estimate = SimpleNamespace(
        visits=1288.3,
        visits_low=999.9,
        visits_high=1378.94,
        true_visits=1216.7,
        space_apart=0.04,
        time_apart=0.1,
    )
    row = estimate_row(result(10), SimpleNamespace(estimate=estimate))  # type: ignore[arg-type]
    assert [*row.values()][1:3] == ["1,288.3 (999.9 – 1,378.9)", "1,216.7"]


def test_gain_over_epsilon_has_a_line_for_each_mechanism_and_adversary() -> None:
    figure = gain_figure(points(), LIGHT)
    drawn = {
        line.name: dict(zip([epsilon for (epsilon,) in line.customdata], line.y, strict=True))
        for line in figure.data
    }
    assert len(drawn) == 5 * 2
    assert drawn["Laplace, one report (LPA 1/ε), strategic"] == {0.1: 0.8, 1.0: 0.3, 10.0: 0.0}
    assert drawn["Fourier, Laplace (FPA), passive"] == {0.1: 1.0, 1.0: 1.0, 10.0: 1.0}
    assert len({(line.marker.symbol, line.line.color) for line in figure.data}) == 10
    assert [row["as in the paper"] for row in published_rows(published_shapes_from_points(points()))] == [
        "yes"
    ] * 5
    assert [row["here"] for row in published_rows(published_shapes_from_points([]))] == ["–"] * 5


def test_a_mark_on_the_roc_stands_where_groups_are_counted() -> None:
    one = result(5)
    judged = verdicts_from_outcomes(one.outcomes, 0, most_false=0.5)
    figure = roc_figure({"five": summaries_from_result(one)[0]}, LIGHT, verdicts={"five": judged})
    mark = figure.data[-1]
    assert (list(mark.x), list(mark.y)) == ([0.5], [1.0])
    assert [*verdict_row(one, judged).values()][3:] == ["4", "0", "2", "2"]
    assert "4 of 4 groups with the target are found, 2 of 4 without are accused" in verdict_finding(
        [one], [judged]
    )


def test_without_verdicts_the_mark_stands_at_one_false_alarm_in_a_hundred() -> None:
    """Of 200 scores without the target one is above 1 of 2 with it, and three above the other: at 1% half are found, at 10% all."""
    inside, outside = [199.5, 197.5], list(range(1, 201))
    game = replace(result(5), outcomes=(outcome(0, (inside, outside), NONE),))
    summary = summaries_from_result(game)[0]
    assert (summary.overall.tpr_1, summary.overall.tpr_10) == (0.5, 1.0)
    mark = roc_figure({"five": summary}, LIGHT).data[-1]
    assert (list(mark.x), list(mark.y)) == ([0.01], [0.5])


def test_what_is_known_of_the_trace_is_drawn_with_intervals_by_group_size() -> None:
    """The mean AUC of two targets is 0.8, from 0.7 to 0.85, in groups of 5, and of another game in groups of 20."""
    results: Any = [
        SimpleNamespace(parameters=SimpleNamespace(group_size=size, known=known))
        for size, known in ((5, "0.1"), (5, "1"), (20, "1"))
    ]
    summaries: Any = [
        SimpleNamespace(overall=SimpleNamespace(auc_mean=mean, auc_low=mean - 0.1, auc_high=mean + 0.05))
        for mean in (0.6, 0.8, 0.7)
    ]
    names = {"0.1": "a tenth", "1": "all"}
    drawn = {one.name: one for one in share_figure(results, summaries, names, LIGHT).data}
    assert {name: (list(one.x), list(one.y)) for name, one in drawn.items()} == {
        "groups of 5": (["a tenth", "all"], [0.6, 0.8]),
        "groups of 20": (["all"], [0.7]),
    }
    for one in drawn.values():
        assert list(one.error_y.array) == pytest.approx([0.05] * len(one.x))
        assert list(one.error_y.arrayminus) == pytest.approx([0.1] * len(one.x))


def test_what_is_estimated_of_zones_stands_in_the_order_of_the_true_ones() -> None:
    """The zone with most true visits is the second; each of its two figures is drawn at rank 1. Hours stand as they follow."""
    true = Estimate(space=np.array([0.2, 0.5, 0.3]), time=np.array([0.4, 0.6]), visits=3.0)
    found = Estimate(space=np.array([0.6, 0.1, 0.3]), time=np.array([0.5, 0.5]), visits=2.0)
    zones = {one.name: one for one in marginals_figure(found, true, "zones", LIGHT).data}
    assert (list(zones["true"].x), list(zones["true"].y)) == ([1, 2, 3], [0.5, 0.3, 0.2])
    assert list(zones["estimated from one release"].y) == [0.1, 0.3, 0.6]
    hours = {one.name: list(one.y) for one in marginals_figure(found, true, "hours", LIGHT).data}
    assert hours == {"true": [0.4, 0.6], "estimated from one release": [0.5, 0.5]}


def test_an_aggregate_has_the_zones_of_the_target_first_and_then_the_busiest() -> None:
    """Of three zones with 1, 9 and 5 people the target visits the first; each row says its rank, and its cross lies on it."""
    counts = np.array([[1.0, 0.0], [4.0, 5.0], [5.0, 0.0]])
    visited = np.array([[True, False], [False, False], [False, False]])
    cells, crosses = heat_figure(counts, visited, LIGHT).data
    assert np.asarray(cells.z).tolist() == [[1, 0], [4, 5], [5, 0]]
    assert np.asarray(cells.customdata).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert (list(crosses.x), list(crosses.y)) == ([0], [0])


def test_published_epsilons_lie_on_the_curve() -> None:
    epsilon = np.array([0.1, 1.0])
    figure = practice_figure(
        epsilon, np.array([0.6, 0.9]), [(PUBLISHED_PRACTICE[0], 0.7), (PUBLISHED_PRACTICE[1], 0.6)], 3, LIGHT
    )
    curve, claim, named, *rows = figure.data
    assert list(curve.y) == [0.6, 0.9]
    assert list(claim.y) == pytest.approx([0.52498, 0.731059], abs=1e-5)  # e^ε/(1 + e^ε)
    assert (list(named.x), list(named.y), list(named.text)) == ([0.66], [0.7], ["Bassolas et al."])
    ticks = {one.name: (list(one.x), one.yaxis) for one in rows}
    assert ticks["ε of a week"] == (
        [PUBLISHED_PRACTICE[1].epsilon],
        "y2",
    )  # no height: its ε is of all reports of a week


def test_only_an_epsilon_of_one_trip_lies_on_the_curve_of_trips() -> None:
    """Apple, Google and the Census protect a day, a week or a record: on the curve they would pass for broken."""
    marks = [(one, 0.99) for one in PUBLISHED_PRACTICE if one.epsilon is not None]
    figure = practice_figure(np.array([0.1, 1.0]), np.array([0.6, 0.9]), marks, 3, LIGHT)
    upper = [one for one in figure.data if one.yaxis in (None, "y")]
    assert [list(one.text) for one in upper if one.mode == "markers"] == [["Bassolas et al."]]
    below = {one.name: " ".join(one.y) for one in figure.data if one.yaxis == "y2"}
    assert "Apple, emoji" in below["ε of a day"]
    assert "Google, mobility reports" in below["ε of a day"]
    assert "Google, Environmental Insights Explorer" in below["ε of a week"]
    assert "US Census 2020, persons by block" in below["ε of a release"]


def test_every_published_epsilon_has_its_name_beside_it_on_a_line_of_its_own() -> None:
    """Names in one row at the left, and marks in another, do not say which is whose."""
    marks = [(one, 0.99) for one in PUBLISHED_PRACTICE if one.epsilon is not None]
    figure = practice_figure(np.array([0.1, 1.0]), np.array([0.6, 0.9]), marks, 3, LIGHT)
    written = {one.text: (one.x, one.y) for one in figure.layout.annotations if one.yref == "y2"}
    lines = figure.layout.yaxis2.categoryarray
    assert len(lines) == len(set(lines))
    for one, _ in marks[1:]:
        (mark,) = (row for row in figure.data if row.yaxis == "y2" and one.name in row.y)
        assert mark.x[mark.y.index(one.name)] == one.epsilon
        assert written[one.name] == (pytest.approx(np.log10(one.epsilon)), one.name)
        # Above it the nearest heading is that of what it protects.
        above = [line for line in lines[lines.index(one.name) :] if line.startswith("ε of all")]
        assert above[0].endswith(protected(one))
    low, high = figure.layout.yaxis.domain
    assert figure.layout.yaxis2.domain[1] < low < high


def test_what_is_below_the_auc_of_targets_fits_a_phone() -> None:
    """A plot there has 250 pixels across, and a letter takes 7 on average."""
    title = auc_figure({"city": [0.6, 0.9]}, LIGHT).layout.xaxis.title.text
    assert 7 * len(title) <= 250


def test_where_nobody_is_seen_no_attack_and_no_defence_is_said_to_reach_anything() -> None:
    """A target whom the period does not see is recognised by a coin; of points by hand one is enough for the usual sentence."""
    unseen = [replace(one, is_anyone_seen=False) for one in points()]
    said = trade_off_finding(unseen)
    assert said.startswith(
        "None of the 30 targets is seen in the released period: nobody is there to be found"
    )
    assert "AUC" not in said
    assert trade_off_finding([*unseen[1:], points()[0]]).startswith(
        "Without a defence the attack reaches AUC 1.00"
    )


def test_least_protection_is_the_least_gain_against_who_learns_the_noise() -> None:
    """Of the points by hand Laplace noise for one report gains nothing at ε = 10, where everything else gains more."""
    least = min(
        (one for one in points() if one.setting.adversary == "strategic"), key=lambda one: one.pg_mean
    )
    named = f"Least protection against an attacker who learns the noise: Laplace, one report (LPA 1/ε) at ε = {least.setting.epsilon:g}, AUC"
    assert named in trade_off_finding(points())


def test_an_error_of_thousands_is_written_in_full_by_hand() -> None:
    """It was 2.13e+03, beside errors of 213 and 21.3, which for it stood on the left."""
    errors = [trade_off_row(replace(points()[0], mre=mre))["mean relative error"] for mre in (2134.4, 0.7987)]
    assert errors == ["2,134", "0.7987"]


def test_a_gain_that_rounds_to_nothing_has_no_sign_by_hand() -> None:
    shape = PublishedShape(name="strategic falls", measured=-0.001, holds=False, n_targets=30)
    (row,) = published_rows([shape])
    assert "falls by 0.00 (" in row["here"]


def test_lines_of_one_epsilon_stand_beside_one_another_and_their_numbers_keep_it() -> None:
    """Ten lines of intervals at one place hide one another; what is told of the figure is the ε that was played."""
    figure = gain_figure(points(), LIGHT)
    assert len({x for line in figure.data for x in line.x}) == 3 * 10
    for line in figure.data:
        assert list(line.x) == pytest.approx([0.1, 1.0, 10.0], rel=0.4)
    assert set(table_from_figure(figure)["ε"]) == {0.1, 1.0, 10.0}


def test_a_mechanism_has_one_colour_and_one_mark_in_both_figures_of_its_gain() -> None:
    """A defence without ε has no place over ε; those after it keep what they have in the figure beside."""
    noisy = [one for one in points() if one.setting.epsilon is not None]
    first = replace(noisy[0], defence="suppress:5", setting=replace(noisy[0].setting, epsilon=None))
    drawn = [first, *noisy]
    beside = trade_off_figure(
        [
            (one.defence, str(one.setting.adversary), one.setting.epsilon or 0.0, one.pg_mean, 0.5)
            for one in drawn
        ],
        LIGHT,
    )
    looks = [
        {line.name: (line.line.color, line.marker.symbol) for line in figure.data}
        for figure in (gain_figure(drawn, LIGHT), beside)
    ]
    assert len(looks[0]) == 5 * 2
    assert looks[0].items() <= looks[1].items()


def test_targets_that_all_gain_the_same_give_no_interval_by_hand() -> None:
    """Three targets at AUC ½ or below all gain 1: Student's interval has no width, and nobody knows of a fourth."""
    alike = replace(points()[0], pg_mean=1.0, pg_low=1.0, pg_high=1.0, n_targets=3)
    apart = replace(alike, pg_mean=0.9, pg_low=0.64)
    assert [trade_off_row(one)["its 95% interval"] for one in (alike, apart)] == ["–", "0.64 – 1.00"]
    assert "No interval" in alike_words([apart, alike])
    assert alike_words([apart]) == ""
    assert table_from_figure(gain_figure([alike], LIGHT))[["low", "high"]].isna().all(axis=None)


def test_too_few_targets_do_not_answer_for_the_paper() -> None:
    few = [replace(one, n_targets=3) for one in points()]
    assert {row["as in the paper"] for row in published_rows(published_shapes_from_points(few))} == {
        "too few targets"
    }
    none = [row["as in the paper"] for row in published_rows(published_shapes_from_points(few[:1]))]
    assert none == ["not played"] * 5


def test_each_point_of_gain_against_error_says_its_epsilon() -> None:
    """Counts of one ε err alike whoever looks: the ε stands once, beside the one who learns the noise."""
    drawn = [
        ("lpa", who, epsilon, 0.5, 1 / epsilon) for who in ("passive", "strategic") for epsilon in (0.1, 1.0)
    ] + [("suppress:5", "strategic", 0.0, 0.5, 0.2)]
    said = {line.name.split(", ")[-1]: list(line.text) for line in trade_off_figure(drawn[:4], LIGHT).data}
    assert said == {"passive": ["", ""], "strategic": ["ε = 0.1", "ε = 1"]}
    assert list(trade_off_figure(drawn[4:], LIGHT).data[0].text) == [""]
