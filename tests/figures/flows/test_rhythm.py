"""Hours of the week begin at 0; bars by day: those of a long time are shown around the chosen week. Figures by hand."""

from datetime import date, datetime, timedelta

import pytest

from privlab.datasets.cleaning import Rhythm
from privlab.figures.drawing import LIGHT
from privlab.figures.flows import days_figure, week_figure

EMPTY = tuple((0,) * 24 for _ in range(7))


def test_days_far_apart_are_shown_around_the_chosen_week_issue_17() -> None:
    rhythm = Rhythm(by_day=((date(2026, 3, 2), 5), (date(2094, 1, 1), 1)), by_weekday_and_hour=EMPTY)
    axis = days_figure(rhythm, LIGHT, of="records", week="2026-03-02").layout.xaxis
    # 90 days before 2 March 2026 is 2 December 2025; 90 days after it 31 May.
    assert list(axis.range) == ["2025-12-02", "2026-05-31"]
    assert "there are 2, from 2026-03-02 to 2094-01-01" in axis.title.text


def test_a_few_weeks_are_shown_whole() -> None:
    rhythm = Rhythm(by_day=((date(2026, 3, 2), 5), (date(2026, 5, 1), 1)), by_weekday_and_hour=EMPTY)
    assert days_figure(rhythm, LIGHT, of="records", week="2026-03-02").layout.xaxis.range is None


def test_a_year_is_shown_week_by_week() -> None:
    """Two days of the week of 2 March 2026, one of a year later: 5 + 7 and 1, and the chosen week stands out."""
    by_day = ((date(2026, 3, 2), 5), (date(2026, 3, 8), 7), (date(2027, 3, 2), 1))
    figure = days_figure(
        Rhythm(by_day=by_day, by_weekday_and_hour=EMPTY), LIGHT, of="trips", week="2027-03-01"
    )
    (bars,) = figure.data
    assert list(bars.x) == [date(2026, 3, 2), date(2027, 3, 1)]
    assert list(bars.y) == [12, 1]
    assert list(bars.customdata) == ["2026-03-02", "2027-03-01"]
    assert bars.marker.color[1] == LIGHT.true != bars.marker.color[0]
    assert figure.layout.yaxis.title.text == "trips per week"
    assert figure.layout.xaxis.range is None


def test_colours_of_the_week_begin_at_0_whatever_the_least_hour_is() -> None:
    """Plotly takes a lower end only with an upper one: of 6 to 9 an hour the colours began at 6. The same count everywhere, and none at all, too."""
    for by_hour, most in ((((6, 9) * 12,) * 7, 9), (((5,) * 24,) * 7, 5), (EMPTY, 1)):
        (cells,) = week_figure(Rhythm(by_day=(), by_weekday_and_hour=by_hour), LIGHT, of="records").data
        assert (cells.zmin, cells.zmax) == (0, most)


@pytest.mark.parametrize(("most", "room"), [(9_999, 64), (10_000, 72), (400_000, 80), (1_234_567, 96)])
def test_numbers_of_days_are_written_in_full_and_have_room_for_it_by_hand(most: int, room: int) -> None:
    """8 pixels for each sign beyond the five of 9,999, so that neither numbers nor title are cut off."""
    rhythm = Rhythm(by_day=((date(2026, 3, 2), most),), by_weekday_and_hour=EMPTY)
    assert days_figure(rhythm, LIGHT, of="trips").layout.margin.l == room


def test_the_name_of_a_scale_does_not_lie_over_its_numbers() -> None:
    """Beside a scale plotly writes its name where numbers of five digits stand."""
    (cells,) = week_figure(
        Rhythm(by_day=(), by_weekday_and_hour=((6, 50_000) * 12,) * 7), LIGHT, of="records"
    ).data
    assert (cells.colorbar.title.text, cells.colorbar.title.side) == ("records", "top")


def by_day(n_days: int, *, each: int = 5) -> Rhythm:
    """Return as many rows on each of so many days from Sunday, 1 March 2026, on."""
    days = tuple((date(2026, 3, 1) + timedelta(days=one), each) for one in range(n_days))
    return Rhythm(by_day=days, by_weekday_and_hour=EMPTY)


@pytest.mark.parametrize("n_days", [1, 2, 6, 7, 8, 28, 150, 152, 700])
def test_ticks_are_on_whole_days_and_of_weeks_on_mondays(n_days: int) -> None:
    """Of one day plotly wrote one date many times, at parts of the day; ticks of weeks it puts on Sundays."""
    figure = days_figure(by_day(n_days), LIGHT, of="trips")
    axis, (bars,) = figure.layout.xaxis, figure.data
    step = timedelta(milliseconds=axis.dtick)
    assert step % timedelta(days=1) == timedelta()
    ticks, at = [], datetime.fromisoformat(axis.tick0)
    while at.date() <= max(bars.x):
        ticks += [at] if at.date() >= min(bars.x) else []
        at += step
    assert 1 <= len(ticks) <= 5
    assert n_days <= 7 or {one.weekday() for one in ticks} == {0}


def test_few_rows_have_ticks_at_whole_numbers_only() -> None:
    figure = days_figure(by_day(1, each=3), LIGHT, of="trips")
    assert (figure.layout.yaxis.tick0, figure.layout.yaxis.dtick) == (0, 1)
    one_hour = ((3,) + (0,) * 23, *EMPTY[1:])
    (cells,) = week_figure(Rhythm(by_day=(), by_weekday_and_hour=one_hour), LIGHT, of="trips").data
    assert (cells.colorbar.tick0, cells.colorbar.dtick) == (0, 1)
    many = days_figure(by_day(3, each=900), LIGHT, of="trips")
    assert many.layout.yaxis.dtick is None


def test_days_that_are_numbers_are_counted_from_day_0_and_none_is_called_monday_by_hand() -> None:
    """YJMob100K says day 0 to day 74, and not which day of the week day 0 was. Day 0 is called 3 January 2000, day 9 the 12th."""
    rhythm = Rhythm(by_day=((date(2000, 1, 3), 4), (date(2000, 1, 12), 5)), by_weekday_and_hour=EMPTY)
    figure = days_figure(rhythm, LIGHT, of="records", week="2000-01-10", numbered=True)
    (bars,) = figure.data
    assert list(bars.x) == [0, 9]
    assert list(bars.customdata) == ["2000-01-03", "2000-01-10"]
    axis = figure.layout.xaxis
    assert (axis.type, axis.tick0, axis.dtick) == ("linear", 0, 7)
    assert axis.title.text == "day, counted from day 0"
    (cells,) = week_figure(rhythm, LIGHT, of="records", numbered=True).data
    assert cells.y[0] == "1st day"
    assert len(set(cells.y)) == 7
    assert not {"Mon", "Sun"} & set(cells.y)


def test_many_days_that_are_numbers_are_drawn_week_by_week_from_day_0() -> None:
    """Day 0 and day 200, which lies in the week that begins with day 196 = 28 · 7."""
    by_day = ((date(2000, 1, 3), 4), (date(2000, 1, 3) + timedelta(days=200), 1))
    figure = days_figure(
        Rhythm(by_day=by_day, by_weekday_and_hour=EMPTY), LIGHT, of="trips", week="2000-01-03", numbered=True
    )
    assert list(figure.data[0].x) == [0, 196]
    assert "Monday" not in figure.layout.xaxis.title.text
    long = Rhythm(
        by_day=((date(2000, 1, 3), 5), (date(2068, 1, 1), 1)), by_weekday_and_hour=EMPTY
    )  # shown around the chosen week
    axis = days_figure(long, LIGHT, of="trips", week="2000-01-03", numbered=True).layout.xaxis
    assert list(axis.range) == [-90, 90]
