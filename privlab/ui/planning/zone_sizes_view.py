"""What zones of other sizes would be worth, on the page Plan, with a button that cuts the data anew."""

from dataclasses import replace
from functools import partial

import streamlit as st

from privlab.datasets import Dataset
from privlab.datasets.zone_files import Geography
from privlab.datasets.zones import Zoning
from privlab.figures.planning import mechanism_name
from privlab.lab.judging import WANTED_DELTA
from privlab.lab.loading import made_of_sample_rows
from privlab.lab.proposing import ZoneSize, zone_sizes_from_rows
from privlab.od.combining import CombinationRequest
from privlab.od.planning import PlanRequest
from privlab.progress import Progress
from privlab.stats import percent_at_least
from privlab.ui.data.own_file import (
    geography_of,
    has_other_sizes,
    loaded_request,
    running_load,
    start_load,
)
from privlab.ui.derived import derived
from privlab.ui.shell import parts
from privlab.ui.state import OWN, Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited


def zone_sizes(plan: Plan, request: PlanRequest) -> None:
    """Show the use of a release over three to five sizes of zones, and offer to cut own data anew.

    Shown for squares, hexagons and fields over a box, and for zones of a file that says where they lie: no others can be made larger.
    """
    zones, geography = plan.prepared.zones_spec, geography_of(plan)
    if not has_other_sizes(plan):
        return
    st.subheader("Larger or smaller zones")
    promise = CombinationRequest(
        epsilon=float(st.session_state.get("compare_epsilon") or plan.release.epsilon),
        delta=WANTED_DELTA,
        tolerance=request.tolerance,
        max_made_up=request.max_made_up,
    )
    # The wishes are part of the name: what is made is kept by name and data.
    name = f"zone sizes {request} {promise}"

    if st.session_state.get("zone_sizes_asked") != plan.prepared.key and not st.button(
        "Try other sizes", key="try_sizes", icon=":material/grid_on:",
        help="Cuts the data into larger and smaller zones, plans each, and finds the best release of each for the promise above.",
    ):  # fmt: skip
        return
    st.session_state["zone_sizes_asked"] = plan.prepared.key
    making = partial(_sizes_of_rows, zones=zones, request=request, geography=geography, promise=promise)
    if plan.data == OWN:
        sizes = derived(plan, name, making)
    else:  # by wishes that anybody may change: of the session, and kept nowhere
        work = apart(made_of_sample_rows, plan.data, making)
        sizes = awaited("zone sizes", (plan.prepared.key, name), work)
    if sizes is None:
        return
    best = max(sizes, key=lambda size: size.utility, default=None)
    rows = [_row(size, promise, here=size.zones == zones) for size in sizes]
    parts.printed_table(rows, key="sizes")  # its cells go on in a second line: none of its columns is cut
    others = [size for size in sizes if size.zones != zones]
    if not others or best is None:
        return
    if not best.utility and all(size.best is None or not size.best.within for size in sizes):
        st.info(
            "No size of zones helps: with none of them is anything useful left within this risk. The data holds too few trips a week for it."
        )
        parts.way_on("data", "Load data of more people")
        return
    st.caption(
        "Small zones show more and hold fewer people each. The size is your choice and is published."
        + (_EMPTY if any(size.n_held not in (None, size.n_zones) for size in sizes) else "")
    )
    if plan.data != OWN:
        st.caption("Samples keep their zones. Data of your own is cut anew with one click here.")
        return
    job = running_load()
    with st.container(horizontal=True):
        for size in others:
            st.button(
                f"Recut: {size.size}",
                key=f"recut_{size.zones}",
                type="primary" if size is best and size.utility else "secondary",
                disabled=job is not None and not job.done,
                on_click=_recut,
                args=(size.zones,),
                help="Loads your data again in zones of this size, without another upload.",
            )


_EMPTY = " Zones without a station, or without any trip, are among those counted: a release can tell only the others apart."


def _sizes_of_rows(
    dataset: Dataset,
    zoning: Zoning,
    progress: Progress,
    *,
    zones: str,
    request: PlanRequest,
    geography: Geography | None,
    promise: CombinationRequest,
) -> tuple[ZoneSize, ...]:
    """Return what zones of several sizes are worth; of a large file in a process of its own, to which this is sent by its name."""
    return zone_sizes_from_rows(
        dataset, zones, request, geography=geography, promise=promise, progress=progress
    )


def _recut(zones: str) -> None:
    loaded = loaded_request()
    if loaded is not None:
        start_load(replace(loaded, zones=zones))


def _row(size: ZoneSize, promise: CombinationRequest, *, here: bool) -> dict[str, str]:
    point = size.point
    release = "nothing useful within this risk"
    if point is not None:
        release = point.in_words
    return {
        "zones": size.size + (" (now)" if here else ""),
        "how many": size.n_zones_words,
        "useful within the risk": size.use_words,
        "the release for that": release,
        f"useful for ε = {promise.epsilon:g}": percent_at_least(
            0.0 if size.best is None else size.best.within
        ),
        f"the release for ε = {promise.epsilon:g}": "none within the wishes"
        if size.best is None
        else mechanism_name(size.best),
    }
