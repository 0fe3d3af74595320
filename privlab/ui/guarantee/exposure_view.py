"""What gives the most exposed people away, in a table and on a map that name no one, and how risk moves with each parameter."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import streamlit as st

from privlab.datasets import sample_decoration
from privlab.defaults import MOST_PEOPLE
from privlab.figures.maps import exposed_map_from_flows, flow_label
from privlab.figures.risks import guessed_right_in, moves_finding, risk_curve_figure
from privlab.figures.wording import people
from privlab.od.risks import ExposedFlows, Exposure, PersonRisks, Value, risk_curve_from_unique_trips
from privlab.safe_text import visible
from privlab.ui import cached, shared_controls
from privlab.ui.flowmap.component import show_flow_map
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited, stop_work

_BAND = (50, 100)  # of 100 cases: everybody
_NO_SINGLE_FLOW = "no single one: their number tells"
_ON_MAP = 150
_IN_TABLE = 50
_MOVES = {
    "ε": "epsilon",
    "threshold τ": "threshold",
    "bound L": "max_trips_per_user",
    "group size": "group_size",
    "weeks": "n_weeks",
}
_GRIDS: dict[str, tuple[Value, ...]] = {
    "epsilon": (0.05, 0.1, 0.2, 0.3, 0.5, 0.66, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0),
    "threshold": (0, 5, 10, 20, 50, 75, 100, 150, 200, 500, 1000),
    "max_trips_per_user": (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100),
    "group_size": (100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000),
}


def exposed_map(plan: Plan) -> None:
    """Show, once opened, the flows that give the most exposed people away, with how many people each."""
    if not plan.prepared.has_users:
        return
    fold = st.expander(
        "What gives the most exposed away, on the map",
        key="exposed_fold",
        bind="query-params",
        on_change="rerun",
    )
    if not fold.open:
        return
    with fold:
        parts.true_data()
        low, high = st.slider(
            "Of the people guessed right in so many of 100 cases (a coin: 50)",
            *_BAND,
            _BAND,
            key="exposed_band",
            persist_state="session",
            help="The map follows: it shows what gives away the most exposed of these people. Dragging over bars of the "
            "figure above, or clicking one, sets it too.",
        )
        exposed = cached.exposed_flows(
            plan.prepared.key,
            plan.prepared,
            plan.release,
            plan.week,
            plan.group_size,
            (low / 100, high / 100),
            shared_controls.cells_in_use(plan.prepared),
        )
        sentence = _exposed_in_words(exposed, (low, high))
        st.markdown(sentence)
        if exposed.flow.size:
            _map_and_table(plan, exposed, sentence)


def choose_band() -> None:
    """Show on the map the people whose bars were clicked or dragged over in the figure of risks; all where none is left."""
    middles = [100 * point["x"] for point in st.session_state["risk_histogram"]["selection"]["points"]]
    if middles:  # each of a bar that is one of 100 cases wide
        st.session_state["exposed_fold"] = True
        st.session_state["exposed_band"] = (math.floor(min(middles)), math.ceil(max(middles)))
    else:
        st.session_state["exposed_band"] = _BAND


def _exposed_in_words(exposed: ExposedFlows, band: tuple[int, int]) -> str:
    low, high = band
    said = "" if band == _BAND else f" and guessed right in {low} to {high} of 100 cases"
    if not exposed.n_people:
        return f"Nobody is judged{said}."
    who = (
        f"The {exposed.n_people:,} most exposed of those judged{said} are guessed right in "
        f"{guessed_right_in(exposed.least_accuracy)} or more"
    )
    if not exposed.flow.size:
        return f"{who}; no flow tells anything of them."
    return (
        f"{who}. Their most telling flows are {exposed.flow.size:,}; the one that tells of most of them tells of "
        f"{exposed.people[0]:,}. No one is named; a flow that tells of one person only may still point at that person."
    )


def _map_and_table(plan: Plan, exposed: ExposedFlows, sentence: str) -> None:
    zones = plan.prepared.zone_map
    left, right = st.columns(2, gap="medium")
    with left:
        if zones.located:
            show_flow_map(
                exposed_map_from_flows(
                    exposed,
                    zones,
                    palette(),
                    n_top=_ON_MAP,
                    alt=f"Map of the flows that give exposed people away. {sentence}",
                    dark=st.context.theme.type == "dark",
                    decoration=sample_decoration(plan.data),
                ),
                key="exposed_map",
            )
        else:
            st.info("No map: the zones have no positions. Load the file with a table of zone, lat, lon.")
            parts.way_on("data", "Add positions on the page Data")
    with right:
        rows = []
        for i in range(min(_IN_TABLE, exposed.flow.size)):
            origin, destination = divmod(int(exposed.flow[i]), zones.lat.size)
            rows.append(
                {
                    "flow": flow_label(zones, origin, destination),
                    "exposed people": int(exposed.people[i]),
                    "by it alone": guessed_right_in(exposed.alone[i]),
                }
            )
        parts.table(rows, key="exposed_flows")


def risk_moves(plan: Plan) -> None:
    """Show, once opened, how the risk of the people judged moves with one parameter, all else as it is."""
    if not plan.prepared.has_users:
        return
    fold = st.expander("How the risk moves", key="moves_fold", bind="query-params", on_change="rerun")
    if not fold.open:
        stop_work("moves")
        return
    with fold:
        parts.true_data()
        chosen = st.segmented_control(
            "Move",
            list(_MOVES),
            default="ε",
            key="moves",
            bind="query-params",
            required=True,
            help="What changes along the axis; all else stays as it is in the settings.",
        )
        _moved(plan, _MOVES[chosen or "ε"])


def _moved(plan: Plan, varied: str) -> None:
    trips, release = plan.prepared.trips, plan.release
    weeks = [plan.week, *(week for week in trips.weeks if week != plan.week)]
    cells = shared_controls.cells_in_use(plan.prepared)
    present, values = _values(plan, varied, len(weeks))
    curve = awaited(
        "moves",
        (plan.prepared.key, plan.week, plan.group_size, release, varied, cells),
        apart(
            risk_curve_from_unique_trips,
            trips,
            release,
            varied=varied,
            values=values,
            weeks=weeks,
            group_size=plan.group_size,
            n_people=MOST_PEOPLE,
            cells=cells,
        ),
        seconds=0.3,
    )
    if curve is None:
        return
    sentence = moves_finding(curve)
    st.markdown(sentence)
    most = int(curve.n_people.max())
    judged = people(most) if most == curve.n_people.min() else f"at most {people(most)}"
    parts.chart(
        risk_curve_figure(curve, palette(), present=present),
        key="risk_moves",
        alt=sentence,
        settings=f"{plan.prepared.name}: {plan.parameters}, {judged} judged",
    )
    if varied == "n_weeks":
        st.caption(
            f"The attacker puts the releases of the first n weeks together, {plan.week} first; the claim is for one of them."
            + (" The data has one week only." if len(weeks) == 1 else "")
        )
    else:
        st.caption(
            "All else as in the settings; the dotted line is the present value. The claim is that of each release's own ε."
        )


def _values(plan: Plan, varied: str, n_weeks: int) -> tuple[Value, Sequence[Value]]:
    """Return the present value of a parameter and the grid that holds it."""
    if varied == "n_weeks":
        return 1, range(1, n_weeks + 1)
    n_users = plan.prepared.n_users or 1
    present: Value = {
        "epsilon": plan.release.epsilon,
        "threshold": plan.release.threshold,
        "max_trips_per_user": plan.release.max_trips_per_user,
        "group_size": plan.group_size,
    }[varied]
    grid = {value for value in (*_GRIDS[varied], present) if value is not None}
    if varied == "group_size":
        grid = {size for size in grid if size < n_users}
    ascending: list[Value] = [*sorted(grid)]
    return present, [*ascending, None] if varied in ("max_trips_per_user", "group_size") else ascending


def most_exposed(plan: Plan, risks: PersonRisks) -> None:
    """Show the most exposed people without a name, and what gives each of them away."""
    st.markdown("**The most exposed, and what gives them away** (no one is named)")
    names, n_zones = plan.prepared.zone_map.names, plan.prepared.trips.zones.size
    found = cached.exposures(
        plan.prepared.key, plan.prepared, plan.release, plan.week, plan.group_size, risks.cells
    )
    rows = [
        _exposed_row(number, exposure, names, n_zones, int(risks.n_trips[exposure.person]))
        for number, exposure in enumerate(found, start=1)
    ]
    if alike := _alike_in_words(rows):
        st.markdown(alike)
    else:
        parts.table(rows, key="exposed")


def _alike_in_words(rows: Sequence[Mapping[str, object]]) -> str:
    """Return in a sentence what the most exposed have in common where nothing sets them apart, as under a limit; else nothing."""
    kinds = {tuple(value for name, value in row.items() if name != "person") for row in rows}
    if len(rows) < 2 or len(kinds) > 1 or rows[0].get("most telling flow") != _NO_SINGLE_FLOW:
        return ""
    _, right, n_trips, *_, alone = rows[0].values()
    return (
        f"The {len(rows)} most exposed are alike: each has {n_trips} counted trips and is guessed right in {right} of cases (a coin: 50%). "
        f"No single flow gives them away, their number does: by one flow alone it is {alone}."
    )


def _exposed_row(
    number: int, exposure: Exposure, names: tuple[str, ...], n_zones: int, n_trips: int
) -> dict[str, object]:
    row: dict[str, object] = {
        "person": number,
        "guessed right in (a coin: 50%)": guessed_right_in(exposure.accuracy),
        "counted trips": n_trips,
    }
    if exposure.flow.size > 1 and np.isclose(exposure.alone[0], exposure.alone[1], rtol=0, atol=5e-5):
        row |= {"most telling flow": _NO_SINGLE_FLOW, "others in it": None}
        row |= {"by that flow alone": guessed_right_in(exposure.alone[0])}
    elif exposure.flow.size:
        origin, destination = divmod(int(exposure.flow[0]), n_zones)
        row |= {
            "most telling flow": f"{visible(names[origin])} → {visible(names[destination])}",
            "others in it": int(exposure.others[0]),
            "by that flow alone": guessed_right_in(exposure.alone[0]),
        }
    return row
