"""When records and trips are → a heat map of the week, and a bar for each day. Computes nothing."""

from datetime import date, timedelta
from typing import Any

import plotly.graph_objects as go

from privlab.datasets.cleaning import Rhythm
from privlab.defaults import DAY_0
from privlab.figures.drawing.palette import Palette, rgba
from privlab.figures.drawing.whole_ticks import room_of_counts, whole_ticks

_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_NUMBERED = ("1st day", "2nd day", "3rd day", "4th day", "5th day", "6th day", "7th day")
_FIRST = DAY_0.date()  # what day 0 is called where days are numbers


def monday_of(day: date) -> str:
    """Return the date of the Monday of a day's week.

    >>> monday_of(date(2026, 3, 8))
    '2026-03-02'
    """
    return (day - timedelta(days=day.weekday())).isoformat()


def week_figure(rhythm: Rhythm, palette: Palette, *, of: str, numbered: bool = False) -> go.Figure:
    """Return how many there are in each hour (across) of each weekday (down); `of` names what is counted.

    One hue, from pale to full: it reads the same to the colour-blind and in print. Where days are `numbered`, and nobody knows which
    was a Monday, they are the first to the seventh of a week from day 0 on.
    """
    most = max(1, *(max(row) for row in rhythm.by_weekday_and_hour))
    figure = go.Figure(
        go.Heatmap(
            name=of,
            x=list(range(24)),
            y=list(_NUMBERED if numbered else _WEEKDAYS),
            z=[list(row) for row in rhythm.by_weekday_and_hour],
            zmin=0,
            zmax=most,  # without it plotly sets both ends, the lower one at the least count
            colorscale=[[0, rgba(palette.true, 0.06)], [1, palette.true]],
            colorbar={"title": {"text": of, "side": "top"}, "thickness": 12, **whole_ticks(most)},
            xgap=1,
            ygap=1,
            hovertemplate=f"%{{y}}, %{{x}}:00 to %{{x}}:59: %{{z:,}} {of}<extra></extra>",
        )
    )
    figure.update_layout(
        meta={"columns": {"curve": "what", "y": "day of the week"}},  # in its table of numbers
        height=300,
        margin={"l": 66 if numbered else 60, "r": 10, "t": 10, "b": 50},
        xaxis={"title": "hour of the day", "tickvals": list(range(0, 24, 3)), "showgrid": False},
        yaxis={"title": "", "autorange": "reversed", "showgrid": False},
    )
    return figure


_MANY_DAYS = 150  # of more a bar is too thin to be seen or clicked: then one for each week
_LONG_DAYS = 1_500  # of so long a time not even weeks can be seen: then days again,
_NEAR_DAYS = 90  # so many on each side of the chosen week
_MOST_TICKS = 5  # that have room on a telephone
_DAY_MS = 86_400_000  # of a day, as plotly counts the time between two ticks


def is_by_week(rhythm: Rhythm) -> bool:
    """Whether so long a time is drawn with a bar for each week."""
    days = [day for day, _ in rhythm.by_day]
    return bool(days) and _MANY_DAYS < (max(days) - min(days)).days <= _LONG_DAYS


def _near(rhythm: Rhythm, week: str) -> dict[str, Any]:
    """Return the part of a long axis that is shown, around the chosen week; nothing where all days can be seen."""
    days = [day for day, _ in rhythm.by_day]
    if not days or not week or (max(days) - min(days)).days <= _LONG_DAYS:
        return {}
    monday, around = date.fromisoformat(week), timedelta(days=_NEAR_DAYS)
    return {
        "nticks": _MOST_TICKS,
        "range": [(monday - around).isoformat(), (monday + around).isoformat()],
        "title": f"day ({_NEAR_DAYS} days on each side of the week; there are {len(days):,}, from {min(days)} to {max(days)})",
    }


def _day_ticks(first: date, last: date) -> dict[str, Any]:
    """Return ticks on days: on each, on each second of a week, and of more days on Mondays, where weeks begin."""
    n_days = (last - first).days + 1
    begin, step = monday_of(first), 7 * -(-n_days // (7 * _MOST_TICKS))
    if n_days <= 7:
        begin, step = first.isoformat(), 1 if n_days < _MOST_TICKS else 2
    return {"tick0": begin, "dtick": step * _DAY_MS}


def _counted_from_day_0(axis: dict[str, Any], each: str) -> dict[str, Any]:
    """Return an axis of dates as one of the numbers of days."""

    def number(day: str) -> int:
        return (date.fromisoformat(day) - _FIRST).days

    counted: dict[str, Any] = {
        "title": "week, by its first day, counted from day 0"
        if each == "week"
        else "day, counted from day 0",
        "type": "linear",
    }
    if "range" in axis:
        counted |= {"nticks": _MOST_TICKS, "range": [number(day) for day in axis["range"]]}
    elif "tick0" in axis:
        counted |= {"tick0": number(axis["tick0"]), "dtick": axis["dtick"] // _DAY_MS}
    return counted


def days_figure(
    rhythm: Rhythm, palette: Palette, *, of: str, week: str = "", numbered: bool = False
) -> go.Figure:
    """Return how many there are on each day, as bars; `of` names what is counted. Of many days in each week.

    The days of a `week`, by the date of its Monday, stand out if it is said; each bar carries the week it lies in.
    Where days are `numbered` they are counted from day 0, and a week is named by its first: dates mean nothing there.
    """
    bars: dict[date, int] = dict(rhythm.by_day)
    each = "week" if is_by_week(rhythm) else "day"
    if each == "week":
        bars = {}
        for day, n in rhythm.by_day:
            monday = day - timedelta(days=day.weekday())
            bars[monday] = bars.get(monday, 0) + n
    most = max(bars.values(), default=0)
    mondays = [monday_of(day) for day in bars]
    full, faint = palette.true, rgba(palette.true, 0.35)
    figure = go.Figure(
        go.Bar(
            x=[(day - _FIRST).days for day in bars] if numbered else list(bars),
            y=list(bars.values()),
            name=of,
            marker={"color": [full if week in ("", monday) else faint for monday in mondays]},
            # A click chooses a week, and it is by colour that the choice is seen.
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            customdata=mondays,
            hovertemplate=f"week of %{{customdata}}: %{{y:,}} {of}<extra></extra>"
            if each == "week"
            else f"{'day %{x}' if numbered else '%{x|%a %Y-%m-%d}'}: %{{y:,}} {of}; week of %{{customdata}}<extra></extra>",
        )
    )
    axis: dict[str, Any] = {
        "title": "week, by its Monday" if each == "week" else "day",
        "type": "date",
        "tickformat": "%d %b\n%Y",
        **(_near(rhythm, week) or (_day_ticks(min(bars), max(bars)) if bars else {})),
    }
    figure.update_layout(
        height=300,
        margin={"l": room_of_counts(most), "r": 10, "t": 10, "b": 50},
        xaxis=_counted_from_day_0(axis, each) if numbered else axis,
        yaxis={
            "title": f"{of} per {each}",
            "rangemode": "tozero",
            **whole_ticks(most),
        },
    )
    return figure
