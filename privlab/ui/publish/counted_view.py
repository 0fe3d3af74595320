"""What a release of visits or flows by slot counted: the risk of each person, and one hour or slot on a map, before and after."""

import streamlit as st

from privlab.figures.flows import hour_in_words
from privlab.figures.risks import risk_histogram
from privlab.figures.wording import plain
from privlab.lab.publishing import trips_of_release
from privlab.od import FLOWS, SLOTS
from privlab.od.settled import SettledCells
from privlab.releases.reading import busiest_slot
from privlab.reports.exhibits import slot_on_map, visit_series_of_counted, visits_on_map
from privlab.ui import cached
from privlab.ui.publish.release_job import Released
from privlab.ui.shell import parts
from privlab.ui.sliders import follow
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited


def counted(made: Released) -> None:
    """Show risks and a map once opened, while the data that the release was made of is loaded."""
    plan: Plan | None = st.session_state.get("plan")
    if made.plan.product is FLOWS or plan is None or plan.prepared.source_digest != made.digest:
        return
    fold = st.expander(
        "The risk of the people, and a map", key="counted_fold", bind="query-params", on_change="rerun"
    )
    if not fold.open:
        return
    with fold:
        key = f"{made.digest} {made.entry}"
        trips = awaited(
            "counted trips",
            key,
            apart(trips_of_release, made.data, made.plan, made.digest),
            kept=1,
        )
        if trips is None:
            return
        parts.true_data()
        _risks(made, trips, key)
        _map(made, trips, plan)


def _risks(made: Released, trips: SettledCells, key: str) -> None:
    risks, sentence = cached.release_risks(key, trips, made.plan)
    st.markdown(plain(sentence))
    parts.chart(
        risk_histogram(risks, parts.palette()), key="release_people_chart", alt=sentence, about="data"
    )


def _map(made: Released, trips: SettledCells, plan: Plan) -> None:
    released, week = cached.released_counts(made.folder), made.plan.weeks[0]
    if made.plan.product.name == "visits":
        series = visit_series_of_counted(trips, released, week=week)
        follow("visit_hour", series.busiest)
        hour = st.slider(
            "Hour of the week", 0, made.plan.product.n_slots - 1, series.busiest,
            key="visit_hour", bind="query-params",
            help="From Monday 0:00 on. It begins with the hour in which most visits are published.",
        )  # fmt: skip
        st.caption(hour_in_words(hour))
        sentence, figure = visits_on_map(series, plan.prepared.zone_map, parts.palette(), hour=hour)
    else:
        busiest = busiest_slot(released, week)
        follow("flow_slot", SLOTS[busiest])
        slot = st.selectbox(
            "Slot of the week", SLOTS, busiest,
            key="flow_slot", bind="query-params",
            help="It begins with the slot in which most trips are published.",
        )  # fmt: skip
        place = SLOTS.index(slot or SLOTS[0])
        sentence, figure = slot_on_map(plan.prepared, trips, released, parts.palette(), week=week, slot=place)
    st.markdown(plain(sentence))
    if figure is None:
        st.caption("No zone has a position, so that there is no map.")
        return
    parts.chart(figure, key="release_map_chart", alt=sentence, about="data")
