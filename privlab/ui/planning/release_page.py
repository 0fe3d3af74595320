"""The release page's own controls, maps, tables and download."""

import streamlit as st

from privlab.checks import ParameterError
from privlab.defaults import CLOSE
from privlab.figures.drawing import marked_csv, marked_name
from privlab.figures.flows import analyses_in_words, analyses_rows
from privlab.figures.maps import VIEWS, View
from privlab.figures.wording import findings, plain
from privlab.od.comparing import StepRequest
from privlab.od.simulating import ReleaseReview, SimulatedRelease
from privlab.od.usefulness import Utility
from privlab.releases.writing import csv_from_simulated_release
from privlab.safe_text import file_word, readable_csv
from privlab.ui import cached
from privlab.ui.flowmap.flow_brush import brushed, keep_box
from privlab.ui.flowmap.flow_map_view import flow_map
from privlab.ui.flowmap.zone_panel import zone_panel
from privlab.ui.report.report_state import add_button
from privlab.ui.sessions import downloads
from privlab.ui.shared_controls import cells_in_use
from privlab.ui.shell import parts
from privlab.ui.shell.addresses import take_up_old_value
from privlab.ui.shell.parts import Options
from privlab.ui.state import Plan

__all__ = [
    "analyses_table",
    "download",
    "formula",
    "keep_box",
    "little_is_near",
    "maps",
    "nothing_is_published",
    "utility_metrics",
    "utility_table",
    "view_of",
    "zones_that_no_list_has",
]

_VIEWS: dict[View, str] = {
    "both": "before | after",
    "after": "after",
    "before": "before",
    "comparison": "difference",
}
_OLD_VIEWS: dict[str, View] = {
    "after: published": "after",
    "before: true": "before",
    "comparison": "comparison",
}
_TOPS = ["50", "100", "200", "500", "1000"]


def view_of(plan: Plan) -> ReleaseReview | None:
    """Return the simulated release of the plan, or say in a sentence why there is none."""
    try:
        return cached.release_review(
            plan.prepared.key, plan.prepared, plan.week, plan.group_size, plan.release, plan.seed
        )
    except ParameterError as error:
        st.error(f"No release can be simulated: {error}")
        parts.way_on("plan", "Find settings that can be simulated")
        return None


def nothing_is_published(view: ReleaseReview) -> None:
    """Say so where no true flow passes the threshold, and lead to settings with which some do."""
    if not view.utility.cells_kept:
        empty = not view.release.flow.size
        st.warning(
            "No noisy count reaches the threshold, so that the release is empty."
            if empty
            else "No true flow reaches the threshold: what is published was made by nobody."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            parts.way_on("plan", "Find settings that publish something")
            parts.setting_button("Show every noisy count from 1 on", key="lowest_threshold", threshold="1")


def little_is_near(view: ReleaseReview) -> None:
    """Lead to the plan where little of what is published of people is near the truth."""
    if view.utility.mostly_off and view.n_users is not None:
        parts.way_on("plan", parts.NEARER)


def zones_that_no_list_has(plan: Plan) -> None:
    """Say that what this page counts has flows of zones that the zone file lacks, which no release of all possible flows has."""
    if cells_in_use(plan.prepared) == "public" and (unlisted := plan.prepared.unlisted):
        st.info(plain(f"{unlisted}. The figures here count them with all others."))
        parts.way_on("data", "Bring a zone file that lists them all")


def utility_metrics(utility: Utility, *, near: bool) -> None:
    """Show the figures a steward asks for first, in a row that breaks into even ones; `near` is how many trips lie near the truth."""
    st.html(_EVEN)
    with st.container(horizontal=True, key="use_figures"):
        st.metric(
            "true flows published",
            f"{utility.cells_kept:,}",
            help="Flows with true trips that pass the threshold.",
        )
        st.metric(
            "true flows suppressed",
            f"{utility.cells_lost:,}",
            help="Flows with true trips that are not published.",
        )
        st.metric("false flows", f"{utility.cells_spurious:,}", help="Published flows without any true trip.")
        st.metric(
            "trips in published flows",
            f"{utility.flow_kept:.1%}",
            help="Share of the true trips that lie in flows which are published at all.",
        )
        if near:
            st.metric(
                f"trips within {CLOSE:.0%}",
                f"{utility.within_10_percent:.1%}",
                help=f"Share of the true trips that lie in flows whose published number is at most {CLOSE:.0%} off the true one.",
            )


# Its figures in one row where there is room for all, with their values on one line.
_EVEN = """<style>
.st-key-use_figures > div { flex: 1 1 15%; min-width: 7.1rem; }
.st-key-use_figures [data-testid="stMetricValue"] { font-size: 1.75rem; }
.st-key-use_figures [data-testid="stMetricLabel"] { min-height: 2.6rem; align-items: end; }
</style>"""


@st.fragment
def maps(plan: Plan, view: ReleaseReview, half_width: int) -> None:
    """Show the largest flows as published, as they truly are, or both; or say why there is no map."""
    zones = plan.prepared.zone_map
    if not zones.located:
        st.info("No map: the zones have no positions. Add a table of zone, lat, lon on the Data page.")
        parts.way_on("data", "Add positions on the page Data")
        return
    take_up_old_value("map", _OLD_VIEWS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        side: View = (
            st.segmented_control(
                "Map",
                VIEWS,
                default=VIEWS[0],
                format_func=_VIEWS.__getitem__,
                key="map",
                bind="query-params",
                required=True,
                help="True flows are for internal eyes; published ones are what everybody would see.",
            )
            or VIEWS[0]
        )
        top = st.select_slider(
            "Largest flows drawn",
            _TOPS,
            value="100",
            key="top",
            bind="query-params",
            width=220,
            help="So many of the flows with the highest counts. More show the pattern, fewer the main roads. As a difference each kind of "
            "change has at least a quarter as many.",
        )
        tiles = st.toggle(
            "Street map",
            key="tiles",
            persist_state="session",
            disabled=not plan.prepared.zone_map.on_earth,
            help="Off: nothing is fetched. On: your browser asks a public tile server for the area you look at. Of places in metres the lab "
            "does not know where on earth they lie: they have none.",
        )
    parts.simulation() if side == "after" else parts.true_data()
    flow_map(
        plan,
        brushed(plan, view.flows, as_published=side == "after"),
        view=side,
        n_top=int(top),
        key="release_map",
        tiles=tiles,
        zone_key="release_zone",
    )
    if side != "after" and (lost := findings.lost_in_words(view.flows)):
        st.caption(lost)
    zone_panel(plan, view.flows, half_width)


def utility_table(utility: Utility, exhibit: str | None, options: Options) -> None:
    """Show every utility figure with its meaning; `exhibit` is the part of a report it can become, with these options."""
    total = utility.total_true
    rows = [
        (
            "Flows kept / suppressed / false",
            f"{utility.cells_kept:,} / {utility.cells_lost:,} / {utility.cells_spurious:,}",
            "cells",
        ),
        ("Trips in published flows", f"{utility.flow_kept:.2%}", "share of all true trips"),
        (
            f"Trips in flows within {CLOSE:.0%} of the truth",
            f"{utility.within_10_percent:.2%}",
            "share of all true trips",
        ),
        (
            "Mean relative error",
            f"{utility.mre:.2%}",
            f"of true flows of any size; one left out: 100% (sanity bound {utility.mre_floor:g})",
        ),
        ("Root mean square error", f"{utility.rmse:,.2f}", "counts per flow"),
        (
            "Common part of commuters",
            f"{utility.cpc:.4f}",
            "trips that both have, of all; 1 is agreement (Sørensen)",
        ),
        ("Jensen–Shannon divergence", f"{utility.jensen_shannon:.5f}", "bits; 0 is agreement"),
        ("Kendall's τ of the top 100 flows", f"{utility.kendall_tau:.4f}", "1 is the same order"),
        (
            "Error by trips over the limit",
            f"{utility.clipping:,.0f}",
            f"trips, {_share(utility.clipping, total)}",
        ),
        (
            "Error by noise",
            f"{utility.noise:,.0f}",
            f"trips, {_share(utility.noise, total)}, published true flows",
        ),
        (
            "Error by suppression",
            f"{utility.suppression:,.0f}",
            f"trips, {_share(utility.suppression, total)}",
        ),
        ("Trips in false flows", f"{utility.spurious:,.0f}", f"trips, {_share(utility.spurious, total)}"),
    ]
    if exhibit:
        add_button(exhibit, **options)
    fold = st.expander("All utility figures", key="utility_fold", bind="query-params", on_change="rerun")
    if fold.open:
        with fold:
            parts.true_data()
            parts.table(
                [dict(zip(("figure", "value", "unit"), row, strict=True)) for row in rows],
                key="utility_table",
                widths={"figure": 240, "value": 125, "unit": 395},
            )


# Of the columns that tell most, in pixels: what the figures are may be cut.
_ANALYSES_WIDTHS = {"analysis": 222, "error": 62, "the error is": 308, "true": 82, "published": 84}


def analyses_table(plan: Plan, request: StepRequest | None, exhibit: str | None, options: Options) -> None:
    """Show what the analyses that flows are published for would find, before and after, by the mechanism that is chosen."""
    fold = st.expander("What it is good for", key="analyses_fold", bind="query-params", on_change="rerun")
    if not fold.open:
        return
    with fold:
        found = cached.simulated_analyses(
            plan.prepared.key, plan.prepared, plan.week, plan.group_size, request or plan.release, plan.seed
        ).analyses
        parts.true_data()
        st.markdown(analyses_in_words(found))
        parts.table(analyses_rows(found), key="analyses_table", widths=_ANALYSES_WIDTHS)
        st.caption(
            "Districts are 3 by 3 groups of neighbouring zones, 2 by 2 where there are few. An epidemic starts in each of the 10 zones "
            "that most trips leave and reaches others by the shortest way, a step being 1 − ln(share of the trips that "
            "leave). The gravity model is fitted to all pairs of zones, by Poisson likelihood."
        )
        if exhibit:
            add_button(exhibit, **options)


def _share(amount: float, total: float) -> str:
    return f"{amount / total:.1%} of all" if total else "no trips"


def download(plan: Plan, release: SimulatedRelease, parameters: str) -> None:
    """Offer the simulated release as CSV, labelled as what it is; `parameters` says how it was made."""
    parts.simulation()
    downloads.download(
        "Download the simulated release (CSV)",
        data=lambda: readable_csv(
            marked_csv(
                csv_from_simulated_release(release, name=plan.prepared.name, parameters=parameters),
                true_data=True,
            )
        ),
        file_name=marked_name(
            f"simulated_release_{file_word(plan.prepared.name)}_{plan.week}_epsilon_{plan.release.epsilon:g}.csv",
            true_data=True,
        ),
        mime="text/csv",
        key="download_release",
        meaning="Simulated with a seed, to try things with. Whoever knows the seed can take the noise off again and has the true counts: keep it "
        "as you keep the data. Publish one made on Publish.",
    )
    st.page_link("../../pages/publish.py", label="Make a release for good", icon=":material/publish:")


def formula() -> None:
    """Show how the release is simulated, and after whom."""
    with st.expander("How this is computed, and after whom"):
        st.markdown(
            r"""
Per user and hour the zone with most records counts; a change of zone between two consecutive hours is a trip; each
(origin, destination) pair counts once per user and week. Noise is added to **every** ordered pair of zones, empty ones
included, and noisy counts below the threshold are dropped (Bassolas et al., *Hierarchical organization of urban mobility*,
Nature Communications 2019: ε = 0.66, threshold 100, weekly). A file that holds counts already enters there; it names no
users, so nothing is sampled or bounded.

*No bound:* noise of scale $1/\epsilon$, which protects one trip. *Bound L:* at most $L$ unique trips per user and week,
chosen at random per user, noise of scale $L/\epsilon$, which protects all a user does in the week.

*Trips over the limit* are what the bound leaves uncounted, *noise* the absolute noise in published true flows, *suppression* the trips
in flows that are not published, *false flows* the counts published where nobody went.

*Another mechanism* is drawn by the steps of a release for good, with a seed: Gaussian noise on weighted trips, the week's noisy total,
noisy sums of districts. What the limit leaves is then taken times what the total gives back.
"""
        )
