"""Visits of a week beside those published: what is drawn and said of a few hours, by hand."""

import numpy as np
import pytest

from privlab.aggregates import VisitSeries
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.flows.visit_series import (
    compared_flows_in_words,
    hour_in_words,
    visit_hour_in_words,
    visit_series_figure,
    visit_series_in_words,
)
from privlab.od.usefulness.utility import FlowComparison


def week() -> VisitSeries:
    """Ten visits: five on Monday from 0 to 1 in zone a, five on Tuesday from 8 to 9 in zone b; five counts are published."""
    true, published = np.zeros((2, 168)), np.full((2, 168), np.nan)
    true[0, 0], true[1, 32] = 5, 5
    published[0, :3], published[1, :2] = (4, 2, 0), (-3, 0)
    return VisitSeries(week="2026-03-02", zones=("a", "b"), true=true, published=published)


def test_what_is_said_of_a_week_by_hand() -> None:
    """Half of the visits lie in what is published. 4 + 2 + 0 − 3 + 0 is 3 of 10, and the counts are off by 0, 0, 1, 2 and 3."""
    assert visit_series_in_words(week()).startswith(
        "Week of 2026-03-02: 5 of 336 counts are published, for zones and hours in which 50% of all visits were made. All counts together "
        "are 3 visits, 30% of the 10 there are; half of the counts are off by 1 person or less."
    )


def test_visits_of_many_people_have_room_for_their_numbers_by_hand() -> None:
    """8 pixels for each sign beyond the five of 9,999: of 50,000 at most, one more."""
    many = VisitSeries(
        week="2026-03-02", zones=("a", "b"), true=week().true * 10_000, published=week().published
    )
    rooms = [visit_series_figure(one, LIGHT).layout.margin.l for one in (week(), many)]
    assert rooms == [68, 76]


def test_what_is_said_of_an_hour_by_hand() -> None:
    """From 1 to 2 nobody was anywhere: of the counts 2 and 0 one is above 0. From 0 to 1 there are 4 for 5, and −3 for none."""
    assert visit_hour_in_words(week(), 1) == (
        "Week of 2026-03-02, Mon 01:00: 0 visits in 0 zones; published are 2 zones with 2 visits, 1 of them above 0 where nobody was. Half of "
        "the published counts are off by 1 person or less."
    )
    assert "5 visits in 1 zone; published are 2 zones with 1 visit, 0 of them above 0" in visit_hour_in_words(
        week(), 0
    )
    assert visit_hour_in_words(week(), 32).endswith("5 visits in 1 zone; none of them is published.")


def test_the_hours_of_a_week_are_drawn_below_the_names_of_their_days() -> None:
    figure = visit_series_figure(week(), LIGHT)
    axis = figure.layout.xaxis
    days = [hour_in_words(at).split()[0] for at in axis.tickvals]
    assert list(axis.ticktext) == days == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert all(axis.range[0] <= at <= axis.range[1] for at in axis.tickvals)
    drawn = {(one.meta["panel"], one.name): one for one in figure.data}
    assert set(drawn) == {
        (panel, name) for panel in ("all zones together", "zone a") for name in ("true", "published")
    }
    assert np.flatnonzero(drawn["all zones together", "true"].y).tolist() == [0, 32]
    assert drawn["all zones together", "published"].y[:3].tolist() == [1, 2, 0]
    assert drawn["zone a", "published"].y[:3].tolist() == [4, 2, 0]
    assert drawn["zone a", "true"].text[32] == "Tue 08:00"


@pytest.mark.parametrize(
    ("published", "said"),
    [
        ([9.0, np.nan, 1.0], "1 is published and 1 left out; 1 of the published flows is a false flow."),
        ([9.0, 8.0, np.nan], "2 are published and 0 left out; none of the published flows are false flows."),
    ],
)
def test_flows_of_a_slot_by_hand(published: list[float], said: str) -> None:
    true = np.array([9.0, 7.0, 0.0])
    flows = FlowComparison(flow=np.array([1, 2, 3]), true=true, bounded=true, published=np.array(published))
    found = compared_flows_in_words(flows, "Week of 2026-03-02, workday, 6 to 10 hours")
    assert found.startswith(f"Week of 2026-03-02, workday, 6 to 10 hours: of 2 true flows, {said}")


def test_one_true_flow_of_a_week_is_one() -> None:
    one = np.array([3.0])
    flows = FlowComparison(flow=np.array([1]), true=one, bounded=one, published=one)
    assert compared_flows_in_words(flows, "Week of 2026-03-02").startswith(
        "Week of 2026-03-02: of 1 true flow, 1 is published and 0 left out; none of"
    )
