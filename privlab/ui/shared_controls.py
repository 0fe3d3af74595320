"""The shared controls. Each is bound to the page's address, so that a copied link opens the same view.

Every page holds them all, so that session and address keep them; shown are those that act on the page.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager

import streamlit as st

from privlab.datasets import SAMPLES
from privlab.defaults import PUBLISHED_EPSILON, USUAL_EPSILON, USUAL_THRESHOLD
from privlab.dp.noise import CELLS, NOISES
from privlab.dp.promise import STATED_PRACTICE
from privlab.limits import (
    MAX_EPSILON,
    MAX_SEED,
    MAX_THRESHOLD,
    MAX_TRIPS_PER_USER,
    MAX_WEEKS,
    MIN_EPSILON,
)
from privlab.od.planning import MECHANISM_NAMES
from privlab.od.simulating import ReleaseParameters
from privlab.od.trips import UNDATED, PreparedTrips
from privlab.ui.out_of_range import say_what_is_used
from privlab.ui.shell.addresses import take_up_old_name
from privlab.ui.sliders import (
    NO_BOUND,
    clear_address,
    decide,
    follow,
    settle,
    show_ends,
    show_marks,
    slider_and_box,
    step_slider,
    with_address,
)
from privlab.ui.state import OWN, own_data

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
_BOUNDS = ["1", "2", "3", "4", "5", "7", "10", "15", "20", "25", "30", "40", "50", "70", "100"]
_GROUPS = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000]

Place = Callable[[str], AbstractContextManager[object]]
"""Where a control stands, by its key."""
_SETTINGS = ("epsilon", "threshold", "bound", "noise", "group", "week", "seed")
_ACTING: dict[str, tuple[str, ...]] = {  # on the pages that are not named, all do
    "": (),  # Home shows its own slider of ε, in the page
    "tour": (),
    "data": ("epsilon", "bound", "noise", "group", "week"),
    "groups": ("seed",),
    "recovery": ("seed",),
    "anonymizability": ("seed",),
    "plan": ("bound", "group", "week"),
    "guarantee": tuple(key for key in _SETTINGS if key != "seed"),
    "publish": ("epsilon", "threshold", "bound"),
    "report": (),
}
_CHOICE_OF_NOISE = {"attack": "attack_gaussian", "guarantee": "guarantee_gaussian"}


def acting_on(page: str) -> tuple[str, ...]:
    """Return the keys of the settings that change something on a page."""
    return _ACTING.get(page, _SETTINGS)


def places(page: str) -> Place:
    """Return where each control of a page stands: at one place on every page, and unseen where it changes nothing.

    A control that moved from one container to another between pages would lose its value and its part of the address.
    """
    acting = set(acting_on(page))
    if _has_noise_of_its_own(page):
        acting.discard("noise")
    idle = [f":has(> .st-key-setting_{key})" for key in _SETTINGS if key not in acting]
    st.html(f"<style>{', '.join(idle) or '.nothing'} {{ display: none; }}</style>")
    return lambda key: st.container(key=f"setting_{key}")


def _has_noise_of_its_own(page: str) -> bool:
    """Return whether a page goes by its own choice of noise, or the plan's, so that the one on the left would change nothing."""
    state = st.session_state
    if page in ("release", "data"):
        return state.get("mechanism") in MECHANISM_NAMES
    key = _CHOICE_OF_NOISE.get(page)
    return key is not None and bool(state.get(key, st.query_params.get(key) == "true"))


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
    return data


def _own_is_forgotten() -> None:
    st.session_state["own_is_elsewhere"] = False


def counted_on(page: str) -> str:
    """Return what counts once for each person on a page, in words: visits where Publish is asked for them, else trips."""
    product = st.session_state.get("publish_product") or st.query_params.get("publish_product", "")
    return "different visits" if page == "publish" and str(product).startswith("visits") else "unique trips"


def release_controls(prepared: PreparedTrips | None, place: Place, page: str) -> ReleaseParameters:
    """Show epsilon, threshold, trips (or what else a page counts) per user, and noise; return them as one object.

    Without users in the data there is no bound to choose, and the reason is said.
    """
    counted = counted_on(page)
    with place("epsilon"):
        epsilon = slider_and_box(
            "epsilon",
            "Privacy loss ε",
            epsilon_options(),
            f"{USUAL_EPSILON:g}",
            EPSILON_MEANS,
            ends=EPSILON_ENDS,
            limits=(MIN_EPSILON, MAX_EPSILON),
        )
    with place("threshold"):
        threshold = slider_and_box(
            "threshold",
            "Suppress noisy counts below",
            with_address(_THRESHOLDS, "threshold", 0, MAX_THRESHOLD, whole=True),
            str(USUAL_THRESHOLD),
            "Noisy counts below this number are not published. Lower it to publish more flows; raise it if too many "
            "of the published ones are false.",
            ends=("more flows", "fewer false flows"),
            limits=(0, MAX_THRESHOLD),
        )
    bound = NO_BOUND
    with place("bound"):
        if prepared is None or prepared.has_users:
            bound = slider_and_box(
                "bound",
                f"{counted.capitalize()} per user, at most",
                [*with_address(_BOUNDS, "bound", 1, MAX_TRIPS_PER_USER, whole=True), NO_BOUND],
                NO_BOUND,
                f"With a bound L, each user adds at most L {counted} a week, noise grows to L/ε, and ε protects all a "
                f"user does in a week. Without a bound, ε protects one {counted.split()[-1].removesuffix('s')} (as first "
                "published), and nothing can be released for good.",
                ends=("less noise", "fewer trips left out"),
                limits=(1, MAX_TRIPS_PER_USER),
            )
        else:
            clear_address("bound")
            st.caption(
                "No bound on trips per user and no choice of users: the file does not say whose trips these are."
            )
    with place("noise"):
        noise = st.segmented_control(
            "Noise",
            NOISES,
            default=NOISES[0],
            key="noise",
            bind="query-params",
            required=True,
            help="laplace: real numbers, as first published; integer: whole numbers, as a release for "
            "good has them unless Gaussian noise is chosen on Publish.",
        )
    return ReleaseParameters(
        epsilon=float(epsilon),
        threshold=int(threshold),
        max_trips_per_user=None if bound == NO_BOUND else int(bound),
        noise=noise or NOISES[0],
    )


EPSILON_ENDS = ("more private", "more useful")
EPSILON_MEANS = (
    "How much the published counts may give away about what it protects: one trip, or with a bound all that a person "
    "does in a week. An attacker who held both answers for equally likely ends at most e^ε/(1+e^ε) certain: 52% "
    "at ε = 0.1, 66% at 0.66, 73% at 1, 99.3% at 5. Smaller is safer and noisier. Bassolas et al. 2019 "
    f"published with {PUBLISHED_EPSILON:g}. Logarithmic steps."
)


def epsilon_options() -> list[str]:
    """Return the steps of ε, with the value in use between them."""
    return with_address(_EPSILONS, "epsilon", MIN_EPSILON, MAX_EPSILON)


def epsilon_slider() -> None:
    """Show a second slider of ε, wide, in a page; it and the one of all pages move each other."""
    st.session_state["wide_epsilon"] = st.session_state["epsilon"]
    st.select_slider(
        "Privacy loss ε",
        epsilon_options(),
        key="wide_epsilon",
        persist_state="session",
        help=EPSILON_MEANS,
        on_change=_take_wide_epsilon,
    )
    show_marks(epsilon_options(), [(one.name, epsilon) for one, epsilon in STATED_PRACTICE])
    show_ends(EPSILON_ENDS, "◆ what others published or tried, each for a unit of its own: see Attack")


def _take_wide_epsilon() -> None:
    st.session_state["epsilon"] = st.session_state["wide_epsilon"]


def group_control(prepared: PreparedTrips | None) -> int | None:
    """Show how many users are sampled into the aggregate; return the number, or None for everyone."""
    if prepared is not None and not prepared.has_users:
        clear_address("group")
        return None
    most = 10**9 if prepared is None else prepared.n_users or 0
    sizes = [str(size) for size in _GROUPS if size < most]
    options = [*with_address(sizes, "group", 1, most - 1, whole=True), EVERYONE]
    settle("group", options, EVERYONE)
    choice = step_slider(
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
        clear_address("week")
        undated = weeks[0] == UNDATED
        st.caption(
            "No dates in the file: all counts are one period; where “week” is said, it is meant."
            if undated
            else f"Week of {weeks[0]} (Monday)"
        )
        return weeks[0]
    busiest = prepared.trips.busiest_week
    follow("week", weeks[busiest])
    settle("week", weeks, weeks[busiest])
    return st.selectbox(
        "Week of (Monday)",
        weeks,
        index=busiest,
        key="week",
        bind="query-params",
        on_change=decide,
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


_CELLS = {"public": "all possible", "discovered": "only those in the data"}


def cells_control(prepared: PreparedTrips) -> str:
    """Show which cells get noise, one setting for every page that asks; return "public" or "discovered".

    It begins with what the data allows: public cells where the zones are known without it.
    """
    value, allowed = cells_in_use(prepared), _allowed_cells(prepared)
    # The choice is not given as the default: an address leaves defaults out, and the next page would not know it.
    if st.session_state.get("release_cells", allowed[0]) != value:
        st.session_state["release_cells"] = value
    cells = st.segmented_control(
        "Flows considered",
        allowed,
        format_func=_CELLS.__getitem__,
        default=allowed[0],
        key="release_cells",
        bind="query-params",
        required=True,
        on_change=_choose_cells,
        help="All possible (public): noise goes to every pair of a list of zones that was known without the data. Only those "
        "in the data (discovered): a lone traveller can then make a flow appear, which costs δ. The same on every page.",
    )
    return cells or value


def cells_in_use(prepared: PreparedTrips) -> str:
    """Return which cells get noise, also for a page without the control."""
    state, allowed = st.session_state, _allowed_cells(prepared)
    for old in ("guarantee_cells", "publish_cells", "cells"):
        take_up_old_name(old, "release_cells", CELLS)
    if "cells_chosen" not in state:
        named = state.get("release_cells", st.query_params.get("release_cells"))
        named = {words: name for name, words in _CELLS.items()}.get(named, named)  # an address has the words
        state["cells_chosen"] = named if named in CELLS else None
    return state["cells_chosen"] if state["cells_chosen"] in allowed else allowed[0]


def first_cells(prepared: PreparedTrips) -> str:
    """Return which cells get noise where nobody chose."""
    return _allowed_cells(prepared)[0]


def _allowed_cells(prepared: PreparedTrips) -> tuple[str, ...]:
    return CELLS if prepared.public_zones is not None else CELLS[1:]


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
        help="What is promised for one week adds up over the weeks that someone travels in.",
    )
    say_what_is_used({"releases": f"1 to {MAX_WEEKS:,} can be asked for: {int(weeks or 1):,} is used."})
    return int(weeks or 1)
