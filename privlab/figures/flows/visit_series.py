"""Visits of a week hour by hour, as they are and as published → figure and words."""

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from privlab.aggregates import VisitSeries
from privlab.figures.drawing.palette import Palette
from privlab.figures.drawing.whole_ticks import room_of_counts
from privlab.figures.wording import words
from privlab.od.usefulness import FlowComparison

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def visit_series_figure(series: VisitSeries, palette: Palette) -> go.Figure:
    """Return two rows of curves over the hours of the week: all zones together, and the zone with most published visits."""
    top = series.largest
    panels = ("all zones together", f"zone {series.zones[top]}")
    figure = make_subplots(rows=2, shared_xaxes=True, vertical_spacing=0.14, subplot_titles=panels)
    hours = np.arange(series.true.shape[1])
    names = [hour_in_words(int(hour)) for hour in hours]
    rows = (
        (series.true.sum(axis=0), np.nansum(series.published, axis=0)),
        (series.true[top], series.published[top]),
    )
    for row, (true, published) in enumerate(rows, start=1):
        for name, values, colour, dash in (
            ("true", true, palette.true, "dot"),
            ("published", published, palette.attack, "solid"),
        ):
            figure.add_trace(
                go.Scatter(
                    x=hours,
                    y=values,
                    name=name,
                    meta={"panel": panels[row - 1]},
                    mode="lines",
                    line={"color": colour, "dash": dash, "width": 2},
                    text=names,
                    hovertemplate="%{text}, people, " + name + ": %{y:,.0f}<extra></extra>",
                    showlegend=row == 1,
                    legendgroup=name,
                ),
                row=row,
                col=1,
            )
    figure.update_xaxes(
        tickvals=[24 * day + 12 for day in range(7)],
        ticktext=_DAYS,
        showgrid=False,
        range=[0, hours.size - 1],
    )
    figure.update_yaxes(title="people", rangemode="tozero")
    figure.update_layout(
        meta={"columns": {"x": "hour of the week, from Monday 00:00"}},  # in its table of numbers
        height=430,
        margin={"l": 4 + room_of_counts(max(map(np.nanmax, rows[0]), default=0)), "r": 20, "t": 30, "b": 30},
        legend={"orientation": "h", "y": -0.12},
        hovermode="x unified",
    )
    return figure


def hour_in_words(hour: int) -> str:
    """Return the name of an hour of the week, from 0.

    >>> hour_in_words(32)
    'Tue 08:00'
    """
    return f"{_DAYS[hour // 24]} {hour % 24:02d}:00"


def visit_hour_in_words(series: VisitSeries, hour: int) -> str:
    """Return how many zones of one hour are published, and how far off their counts are."""
    true, published = series.true[:, hour], series.published[:, hour]
    there = ~np.isnan(published)
    false = int((there & (true == 0) & (np.nan_to_num(published) > 0)).sum())
    visits, zones = words.number_of("visit", int(true.sum())), words.number_of("zone", int((true > 0).sum()))
    start = f"Week of {series.week}, {hour_in_words(hour)}: {visits} in {zones}"
    if not there.any():
        return f"{start}; none of them is published."
    return (
        f"{start}; published {'is' if there.sum() == 1 else 'are'} {words.number_of('zone', int(there.sum()))} with "
        f"{words.number_of('visit', round(np.nansum(published)))}, {false:,} of them above 0 where nobody was. "
        f"Half of the published counts are off by {_people_off(np.abs(published - true)[there])} or less."
    )


def compared_flows_in_words(flows: FlowComparison, when: str) -> str:
    """Return how many flows of a week, or of one slot of it, are published, left out, and false."""
    made_up, kept = int(flows.spurious.sum()), int(flows.kept.sum())
    return (
        f"{when}: of {words.number_of('true flow', int((flows.true > 0).sum()))}, {kept:,} {'is' if kept == 1 else 'are'} published and "
        f"{int(flows.lost.sum()):,} left out; {f'{made_up:,}' if made_up else 'none'} of the published flows "
        f"{'is a false flow' if made_up == 1 else 'are false flows'}. Drawn are the largest of each side, both on one scale; a line is bent to "
        "the right of its direction."
    )


def visit_series_in_words(series: VisitSeries) -> str:
    """Return how much of the week's visits is published, and how far off the published counts are."""
    there = ~np.isnan(series.published)
    if not there.any():
        return f"Week of {series.week}: nothing is published, so that there is nothing to compare."
    true, published, total = series.true[there], series.published[there], max(series.true.sum(), 1)
    return (
        f"Week of {series.week}: {int(there.sum()):,} of {there.size:,} counts are published, for zones and hours in which "
        f"{true.sum() / total:.0%} of all visits were made. All counts together are {words.number_of('visit', round(published.sum()))}, "
        f"{words.part_of(published.sum() / total, f'the {series.true.sum():,.0f} there are', 0)}; half of the counts are off by "
        f"{_people_off(np.abs(published - true))} or less. Counts are lower where the limit takes from people with many visits."
    )


def _people_off(off: npt.NDArray[np.float64]) -> str:
    """Return the middle one of distances from true counts, as a number of people."""
    return words.people(round(np.median(off)))
