"""The shared controls. Each is bound to the page's address, so that a copied link opens the same view."""

from collections.abc import Sequence

import streamlit as st

from privlab.datasets import SAMPLES
from privlab.dp import NOISES
from privlab.dp.promise import CELLS
from privlab.limits import (
    MAX_EPSILON,
    MAX_SEED,
    MAX_THRESHOLD,
    MAX_TRIPS_PER_USER,
    MAX_WEEKS,
    MIN_EPSILON,
)
from privlab.od.counting import UNDATED, PreparedTrips
from privlab.od.releases import ReleaseParameters
from privlab.ui.shell.addresses import take_up_old_name
from privlab.ui.state import OWN, own_data

NO_BOUND = "no bound"
EVERYONE = "everyone"

_EPSILONS = [
    f"{value:g}"
    for value in (
        0.01,
        0.02,
        0.05,
        0.1,
        0.2,
        0.3,
        0.4,
        0.5,
        0.66,
        0.8,
        1,
        1.2,
        1.5,
        2,
        2.5,
        3,
        4,
        5,
        7,
        10,
        14,
        20,
    )
]
_THRESHOLDS = [
    f"{value:g}" for value in (0, 1, 2, 5, 10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 500, 1000, 2000, 5000)
]
_BOUNDS = [NO_BOUND, *["1", "2", "3", "4", "5", "7", "10", "15", "20", "25", "30", "40", "50", "70", "100"]]
_GROUPS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000]


def data_choice() -> str:
    """Show the choice of data and return its name."""
    options = [*SAMPLES, OWN] if own_data() is not None else list(SAMPLES)
    chosen = st.session_state.pop("choose_data", None)
    if chosen in options:
        st.session_state["data"] = chosen
    if st.session_state.get("data") not in options:
        # Said, not left to the default: a browser that comes back to a new server may still show its own data.
        named = st.query_params.get("data")
        st.session_state["data"] = named if named in options else options[0]
        st.session_state["own_is_elsewhere"] = named == OWN
    data = st.selectbox(
        "Data",
        options,
        key="data",
        bind="query-params",
        on_change=_own_is_forgotten,
        help="Bring your own on the Data page.",
    )
    if st.session_state.get("own_is_elsewhere") and data != OWN:
        st.info(
            f"This session has no data of your own: it goes with the session it was loaded in. Shown is {data}."
        )
    return data


def _own_is_forgotten() -> None:
    st.session_state["own_is_elsewhere"] = False


def release_controls(prepared: PreparedTrips | None) -> ReleaseParameters:
    """Show epsilon, threshold, trips per user and noise; return them as one object.

    Without users in the data there is no bound to choose, and the reason is said.
    """
    epsilon = _slider(
        "epsilon",
        "Privacy loss ε",
        _with_address(_EPSILONS, "epsilon", MIN_EPSILON, MAX_EPSILON),
        "0.66",
        "How much the published counts may give away about what it protects: one trip, or with a bound all that a person "
        "does in a week. An attacker who held both answers for equally likely ends at most e^ε/(1+e^ε) certain: 52 % "
        "at ε = 0.1, 66 % at 0.66, 73 % at 1, 99.3 % at 5. Smaller is safer and noisier. Bassolas et al. 2019 "
        "published with 0.66. Logarithmic steps.",
    )
    threshold = _slider(
        "threshold",
        "Suppress noisy counts below",
        _with_address(_THRESHOLDS, "threshold", 0, MAX_THRESHOLD, whole=True),
        "100",
        "Noisy counts below this number are not published.",
    )
    bound = NO_BOUND
    if prepared is None or prepared.has_users:
        bound = _slider(
            "bound",
            "Unique trips per user, at most",
            _with_address(_BOUNDS, "bound", 1, MAX_TRIPS_PER_USER, whole=True),
            NO_BOUND,
            "Without a bound, ε protects one trip (as first published). With a bound L, each user adds at "
            "most L unique trips, noise grows to L/ε, and ε protects all a user does in a week.",
        )
    else:
        _clear_address("bound")
        st.caption(
            "No bound on trips per user and no choice of users: the file does not say whose trips these are."
        )
    noise = st.segmented_control(
        "Noise", NOISES, default=NOISES[0], key="noise", bind="query-params", required=True
    )
    return ReleaseParameters(
        epsilon=float(epsilon),
        threshold=int(threshold),
        max_trips_per_user=None if bound == NO_BOUND else int(bound),
        noise=noise or NOISES[0],
    )


def group_control(prepared: PreparedTrips | None) -> int | None:
    """Show how many users are sampled into the aggregate; return the number, or None for everyone."""
    if prepared is not None and not prepared.has_users:
        _clear_address("group")
        return None
    most = 10**9 if prepared is None else prepared.n_users or 0
    sizes = [str(size) for size in _GROUPS if size < most]
    options = [*_with_address(sizes, "group", 1, most - 1, whole=True), EVERYONE]
    _settle("group", options, EVERYONE)
    choice = _slider(
        "group",
        "Users in the aggregate",
        options,
        EVERYONE,
        "Sampled at random; the same people at each size.",
    )
    return None if choice == EVERYONE else int(choice)


def week_control(prepared: PreparedTrips | None) -> str:
    """Show the choice of week where there is one; return the date of its Monday."""
    if prepared is None:
        return ""
    weeks = list(prepared.trips.weeks)
    if len(weeks) == 1:
        _clear_address("week")
        undated = weeks[0] == UNDATED
        st.caption(
            "No dates in the file: all counts are one period; where “week” is said, it is meant."
            if undated
            else f"Week of {weeks[0]} (Monday)"
        )
        return weeks[0]
    busiest = prepared.trips.busiest_week
    _settle("week", weeks, weeks[busiest])
    return st.selectbox(
        "Week of (Monday)",
        weeks,
        index=busiest,
        key="week",
        bind="query-params",
        on_change=_decide,
        args=("week",),
        help="The week with most trips unless you choose another.",
    )


def seed_control() -> int:
    """Show the seed of the simulation; return it."""
    seed = st.number_input(
        "Seed of the simulation",
        min_value=0,
        max_value=MAX_SEED,
        value=1,
        step=1,
        key="seed",
        bind="query-params",
        help="The same seed draws the same noise. A real release has no seed.",
    )
    return int(seed or 0)


def cells_control(prepared: PreparedTrips) -> str:
    """Show which cells get noise, one setting for every page that asks; return "public" or "discovered".

    It begins with what the data allows: public cells where the zones are known without it.
    """
    state, allowed = st.session_state, CELLS if prepared.public_zones is not None else CELLS[1:]
    for old in ("guarantee_cells", "publish_cells", "cells"):
        take_up_old_name(old, "release_cells", CELLS)
    if "cells_chosen" not in state:
        named = state.get("release_cells", st.query_params.get("release_cells"))
        state["cells_chosen"] = named if named in CELLS else None
    value = state["cells_chosen"] if state["cells_chosen"] in allowed else allowed[0]
    if state.get("release_cells", value) != value:
        state["release_cells"] = value
    cells = st.segmented_control(
        "Cells",
        allowed,
        default=value,
        key="release_cells",
        bind="query-params",
        required=True,
        on_change=_choose_cells,
        help="Public: noise goes to every pair of a list of zones that was known without the data. Discovered: only to "
        "flows found in the data; then a lone traveller can make a cell appear, which costs δ. The same on every page.",
    )
    return cells or value


def _choose_cells() -> None:
    st.session_state["cells_chosen"] = st.session_state["release_cells"]


def weekly_releases_control() -> int:
    """Show in how many weekly releases a user may be, the same on every page that asks; return it."""
    weeks = st.number_input(
        "Weekly releases a user may be in",
        1,
        MAX_WEEKS,
        1,
        1,
        key="releases",
        bind="query-params",
        width=260,
    )
    return int(weeks or 1)


def _slider(key: str, label: str, options: Sequence[str], default: str, help_text: str) -> str:
    return st.select_slider(
        label,
        options,
        value=default,
        key=key,
        bind="query-params",
        help=help_text,
        on_change=_decide,
        args=(key,),
    )


def _settle(key: str, options: Sequence[str], default: str) -> None:
    """Set aside a choice that the data does not offer, and take it up again with data that does.

    It is set aside until the control is moved by hand; the address always shows what applies.
    """
    state, aside = st.session_state, f"{key}_set_aside"
    if state.get(aside) in options:
        state[key] = state.pop(aside)
    elif key in state and state[key] not in options:
        state.setdefault(aside, state[key])
        state[key] = default


def _decide(key: str) -> None:
    st.session_state.pop(f"{key}_set_aside", None)


def _clear_address(key: str) -> None:
    """Take a value out of the address whose control is not shown.

    Where the control was shown before in this session, streamlit does so by itself, and keeps the value.
    """
    if key in st.query_params and key not in st.session_state:
        del st.query_params[key]


def _with_address(
    options: Sequence[str], key: str, low: float, high: float, *, whole: bool = False
) -> list[str]:
    """Return the options with the values of the address and of this session in their places, if valid."""
    state = st.session_state
    candidates = (st.query_params.get(key), state.get(key), state.get(f"{key}_set_aside"))
    wanted = {value for value in candidates if isinstance(value, str)} - set(options)
    words = [option for option in options if not option.replace(".", "").isdigit()]
    numbers = [option for option in options if option not in words]
    numbers += [value for value in wanted if _is_number(value, low, high, whole=whole)]
    return [*words, *sorted(numbers, key=float)]


def _is_number(text: str, low: float, high: float, *, whole: bool) -> bool:
    try:
        number = float(text)
    except ValueError:
        return False
    return low <= number <= high and not (whole and number != int(number)) and f"{number:.12g}" == text
