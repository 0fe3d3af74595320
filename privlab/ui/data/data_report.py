"""What was read of the data, what was dropped and why, as the data page shows it."""

from collections.abc import Sequence
from functools import partial

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.datasets import DataProfile, DataReport
from privlab.datasets.times import slot_min_from_format
from privlab.figures.flows import days_figure, is_by_week, week_figure
from privlab.figures.wording import words
from privlab.od import ODMatrix, UniqueTrips
from privlab.od.trips import UNDATED, PreparedTrips, funnel_rows, users_outside_words
from privlab.ui import cached
from privlab.ui.shell import parts
from privlab.ui.sliders import decide
from privlab.ui.state import Plan

_ROWS = {"records": "records", "trips": "trip rows", "counts": "rows"}


# Whoever is seen once an hour makes a trip of every third to tenth record. One of 50 is what becomes of a point a minute, or of someone
# who is at one place for two days. From a thousand trips on there are flows that a plan can be judged by, however many records they took.
_RECORDS_OF_A_TRIP = 50
_ENOUGH_TRIPS = 1_000

_Figure = tuple[str, str, str]
"""What is counted, how many there are, and what that means."""


def metrics(plan: Plan, people: npt.NDArray[np.int64] | None) -> None:
    """Show how much data there is: in all, and apart from that in what the plan publishes."""
    prepared = plan.prepared
    st.caption("All of the data" + (": every user, every week" if prepared.has_users else ": every week"))
    _row(_of_all_data(prepared))
    n_outside = prepared.n_users_outside
    if n_outside:
        users_outside = users_outside_words(n_outside, prepared.data_report.users)
        by_position = prepared.form is not None and prepared.form.mapping.place == "latlon"
        elsewhere = " Anonymizability looks at positions, and has them too." if by_position else ""
        st.markdown(
            f":material/person_off: **{users_outside}.** A larger box of zones would count them.{elsewhere}"
        )
    if unlisted := prepared.unlisted:
        st.markdown(f":material/wrong_location: **{unlisted}.**")
    matrix = cached.true_matrix(prepared.key, prepared, plan.week, plan.group_size)
    who = "" if people is None else f"{words.people(people.size)}, "
    st.caption(f"In the plan, as in all that follows: {who}{words.period(plan.week)}")
    _row(_of_plan(matrix, people))


def few_trips_words(prepared: PreparedTrips) -> str:
    """Return how many records became how few trips, and why, with what helps; nothing where it is no wonder."""
    trips, steps = prepared.trips, {step: count for step, count, _ in prepared.funnel}
    if prepared.kind != "records" or not isinstance(trips, UniqueTrips) or "hours" not in steps:
        return ""
    n_trips, n_records = trips.n_trips, prepared.n_records
    if n_trips >= _ENOUGH_TRIPS or n_trips * _RECORDS_OF_A_TRIP >= n_records:
        return ""
    hours, pairs = steps["hours"], steps["moves and stays"]
    return (
        f"**{n_records:,} records became {n_trips:,} {'trip' if n_trips == 1 else 'trips'}**: of each person and hour one zone is taken, "
        f"which leaves {hours:,} {'hour' if hours == 1 else 'hours'}; an hour without a record breaks the way, so that {pairs:,} of them "
        f"{'follows' if pairs == 1 else 'follow'} on another; and in {n_trips:,} of these the zone has changed. Trips that are known "
        "beforehand lose nothing of this: bring a file with a row for each trip (origin, destination), or name a column whose runs of 1 "
        "are trips as the occupied flag, in “More settings” of the columns."
    )


def _row(figures: list[_Figure]) -> None:
    with st.container(horizontal=True):
        for name, value, meaning in figures:
            st.metric(name, value, help=meaning)


def _of_all_data(prepared: PreparedTrips) -> list[_Figure]:
    trips = prepared.trips
    rows = (
        _ROWS[prepared.kind],
        f"{prepared.n_records:,}",
        "Rows of the file that could be used. What was left out, and why, stands below.",
    )
    places = [
        (
            "zones",
            f"{trips.zones.size:,}",
            "Places between which trips are counted, with or without trips.",
        ),
        (
            "weeks",
            "unknown" if trips.weeks == (UNDATED,) else f"{len(trips.weeks):,}",
            "Weeks with trips, each from Monday to Sunday. A release is of one week or more.",
        ),
    ]
    if not isinstance(trips, UniqueTrips):
        counted = "The sum of the counts in the file, which does not say whose they are."
        return [rows, ("trips counted", f"{trips.total:,}", counted), *places]
    return [
        (
            "users",
            f"{trips.n_users:,}",
            "Different ids in the column of users, with at least one usable row inside the zones.",
        ),
        rows,
        ("trips", f"{trips.n_trips:,}", "Moves from one zone to another, each time they were made."),
        ("unique trips", f"{trips.flow.size:,}", "Each pair of zones once per user and week."),
        *places,
    ]


def _of_plan(matrix: ODMatrix, people: npt.NDArray[np.int64] | None) -> list[_Figure]:
    total = f"{matrix.total:,}"
    if people is None:
        meaning = "The sum of the true counts of the period in the settings: what a release would be made of."
        figures = [("trips counted in the plan", total, meaning)]
    else:
        meaning = "Each pair of zones once per user, in the week and for the people in the settings: what a release counts."
        figures = [("unique trips in the plan", total, meaning)]
    figures.append(
        (
            "flows with trips",
            f"{matrix.count.size:,}",
            "Pairs of origin and destination with at least one trip. All others count 0, and get noise too.",
        )
    )
    if matrix.count.size:
        figures += [
            (
                "largest flow",
                f"{int(matrix.count.max()):,}",
                "People counted in the busiest pair of zones. A threshold above it publishes nothing.",
            ),
            (
                "flows counted once",
                f"{int((matrix.count == 1).sum()):,}",
                "Flows that one person alone makes: publishing them as they are would point at that person.",
            ),
        ]
    if people is not None and people.size:
        without = "Without a bound, ε per trip adds up this many times for that person."
        figures.append(("most unique trips of one person", f"{int(people.max()):,}", without))
    return figures


def rhythm(prepared: PreparedTrips, week: str) -> None:
    """Show when the records and the trips are: by hour of the week, and day by day, where a click chooses the week."""
    if prepared.records_rhythm is None or prepared.trips_rhythm is None:
        return
    st.subheader("When")
    of = "trips"
    if prepared.kind == "records":
        of = st.segmented_control(
            "What is counted",
            ["records", "trips"],
            default="records",
            key="rhythm",
            bind="query-params",
            required=True,
            help="Records are the rows that were kept; trips are what is made of them. A night without trips is "
            "usual; a night without records may be a gap in the data.",
        )
    shown = prepared.records_rhythm if of == "records" else prepared.trips_rhythm
    mapping = prepared.form.mapping if prepared.form is not None else None
    numbered = mapping is not None and slot_min_from_format(mapping.time_format) is not None
    left, right = st.columns(2, gap="large")
    with left:
        parts.chart(
            week_figure(shown, parts.palette(), of=of, numbered=numbered),
            key="data_week",
            alt=f"Heat map of {of} by hour and weekday.",
            about="name",
        )
    with right:
        several = len(prepared.trips.weeks) > 1
        parts.chart(
            days_figure(shown, parts.palette(), of=of, week=week if several else "", numbered=numbered),
            key="data_days",
            alt=f"Bars of {of} per {'week' if is_by_week(shown) else 'day'}.",
            about="name",
            on_pick=partial(_pick_week, prepared.trips.weeks) if several else None,
        )
        if several:
            st.caption("Click a bar to choose its week.")


def _pick_week(weeks: Sequence[str]) -> None:
    """Set the week of all pages to that of the day that was clicked, if there are trips in it."""
    points = st.session_state["data_days"]["selection"]["points"]
    if points and points[0].get("customdata") in weeks:
        st.session_state["week"] = points[0]["customdata"]
        decide("week")


def _examples(report: DataReport) -> None:
    """Show the first rows that were dropped, folded away."""
    rows = [
        {"reason": reason, "where": one.place, "column": one.column or "", "what stands there": one.value}
        for reason, some in report.examples.items()
        for one in some
    ]
    if rows:
        with st.expander("The first of them, with row and column"):
            parts.table(rows, key="dropped_examples")


def _profile(profile: DataProfile, kind: str) -> None:
    """Show figures that tell a careful reader whether the data is what it should be; a row is a trip where `kind` says so."""
    row = "trip" if kind == "trips" else "record"
    none = "" if kind == "trips" else "They make no trip. "
    with st.container(horizontal=True):
        st.metric(
            f"users with a single {row}",
            f"{profile.n_single_record_users:,}",
            help=f"{none}Many of them are a sign that the wrong column was taken for the user.",
        )
        st.metric(
            f"{row}s of a user (median)",
            f"{profile.median_records_per_user:,.0f}",
            help="Half of the users have fewer. With one or two, little can be said of movements.",
        )
        st.metric(
            f"most {row}s of a user",
            f"{profile.most_records_of_a_user:,}",
            help="A number far above the median is rarely a person: look for a machine or a default id.",
        )
        st.metric(
            "rows that repeat another",
            f"{profile.n_duplicates:,}",
            help="They agree with another row in all that is used. Clean them out before loading if they are a mistake.",
        )
        if profile.largest_jump_km is not None and profile.largest_jump_min is not None:
            st.metric(
                "largest jump",
                f"{profile.largest_jump_km:,.1f} km",
                f"within {words.duration(profile.largest_jump_min)}",
                delta_color="off",
                delta_arrow="off",
                help="Between two records of one user that follow each other.",
            )
    for question in profile.questions:
        st.info(question, icon=":material/help:")


def said_first(prepared: PreparedTrips) -> None:
    """Show what is to be known before any figure: that few rows are left, or that many people may have one id."""
    for note in prepared.data_report.first_notes:
        st.warning(words.plain(note))


def reading(prepared: PreparedTrips) -> None:
    """Show what was kept and dropped, the period, and what was assumed."""
    report = prepared.data_report
    st.subheader("How the file was read")
    if prepared.funnel:
        st.markdown("**From rows to unique trips**: what is left after each step, and why")
        parts.table(
            [
                {name: f"{value:,}" if isinstance(value, int) else value for name, value in row.items()}
                for row in funnel_rows(prepared.funnel)
            ],
            key="funnel",
        )
    lost = sum(prepared.dropped.values())
    st.markdown(
        f"Of {words.number_of('row', prepared.rows)}, {prepared.n_records:,} {'is' if prepared.n_records == 1 else 'are'} used"
        + (f" and {lost:,} {'is' if lost == 1 else 'are'} not:" if lost else "; none was dropped.")
    )
    if lost:
        rows = [
            {"reason": reason, "rows": f"{count:,}", "share": words.share_of(count / prepared.rows, 2)}
            for reason, count in prepared.dropped.items()
        ]
        parts.table(rows, key="dropped")
        _examples(report)
    if report.first is not None and report.last is not None:
        st.markdown(f"From {report.first:%Y-%m-%d %H:%M} to {report.last:%Y-%m-%d %H:%M}. {report.timezone}")
    st.markdown(
        f"Zones: {words.plain(words.zones_called(prepared.zones_spec))}."
        + (" Weeks begin on Monday at 00:00." if report.first else "")
    )
    if report.profile is not None:
        _profile(report.profile, "records" if prepared.form is None else prepared.form.mapping.kind)
    for note in report.notes:
        if note not in report.first_notes:
            st.warning(words.plain(note))
    with st.expander("How records become trips, and after whom"):
        st.markdown(
            """
Per user and wall-clock hour, the zone with most records counts (among equals the smallest zone id). A trip is a change of
zone between two consecutive hours in which the user was seen; an hour without a record breaks the chain. A trip belongs to
the week of its second hour. Each ordered pair of zones counts once per user and week: a *unique trip*. Files that already
hold trips enter at that last step, dated by arrival where the file has it.

Houssiau, Rocher, de Montjoye, *On the difficulty of achieving differential privacy in practice: user-level guarantees in
aggregate location data*, Nature Communications 2022. What they leave open is decided in docs/decisions/0002.
"""
        )
