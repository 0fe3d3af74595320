"""What stands before the button that publishes: how far the promise reaches, what is expected, what is refused."""

import hashlib
from collections.abc import Callable
from typing import Literal

import streamlit as st

from privlab.checks import DataError, ParameterError
from privlab.datasets.cleaning import asked_of_renewed_ids
from privlab.defaults import CLOSE
from privlab.figures.wording import outlook_in_words, plain, words
from privlab.lab.judging import (
    AMBER,
    DELTA,
    GREEN,
    MADE_UP,
    RED,
    Accepted,
    Refusal,
    Verdict,
    colour_of_use,
    refusals_of_release,
    verdict_from_release,
)
from privlab.lab.previewing import BOTH, BOUND, GAUSSIAN, LEVELS, TOTAL, better_releases, offer_in_words
from privlab.lab.publishing import ReleaseData, trips_of_release
from privlab.limits import MAX_REASON
from privlab.od import FLOWS, product_of
from privlab.od.expecting import ReleaseOutlook
from privlab.od.releases import ReleasePlan
from privlab.stats import percent_at_least
from privlab.ui import cached
from privlab.ui.planning import plan_wishes
from privlab.ui.publish import release_file_form
from privlab.ui.shell import parts
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited, error_of

OutlookOf = Callable[[ReleasePlan], ReleaseOutlook | None]

_SHOWN: dict[str, tuple[str, Literal["green", "orange", "red"]]] = {
    GREEN: (":material/verified:", "green"),
    AMBER: (":material/warning:", "orange"),
    RED: (":material/gpp_bad:", "red"),
}
_USE = {
    GREEN: "As useful as wished",
    AMBER: "Less useful than wished",
    RED: "Hardly of use: not half of what was wished",
}
_ASKED = {
    DELTA: "Why this δ is right all the same (for the certificate)",
    MADE_UP: "Why it is right to publish this all the same (for the certificate)",
}


def verdict_badge(verdict: Verdict) -> None:
    """Show how far the promise of a release reaches, and why."""
    icon, colour = _SHOWN[verdict.colour]
    st.badge(verdict.badge, icon=icon, color=colour)
    st.caption(plain(verdict.reason))


def outlook(plan: Plan, release: ReleasePlan, data: ReleaseData | None) -> Accepted | None:
    """Show what a release is expected to hold; return what is accepted in words, or None if it is refused so far.

    What is counted by the time of day is read from the file first, as the release itself reads it.
    """
    outlook_of = _outlook_of(plan, release, data)
    expected = None if outlook_of is None else outlook_of(release)
    if outlook_of is None or expected is None:
        return None
    mark = _mark(plan, release)
    refusals = refusals_of_release(release, expected, n_users=plan.prepared.n_users or 0, accepted=Accepted())
    refused_before = st.session_state.get("release_refused_of")
    if refused_before is not None and refused_before[0] == mark:
        known = {one.kind for one in refusals}
        refusals += tuple(one for one in refused_before[1] if one.kind not in known)
    parts.true_data()
    if not any(one.kind == MADE_UP for one in refusals):  # which says it itself
        st.markdown(plain(outlook_in_words(expected)))
    _offers(plan, release, expected, outlook_of)
    reasons = {one.kind: _answered(one, mark) for one in refusals}
    try:
        accepted = Accepted(delta=reasons.get(DELTA), made_up=reasons.get(MADE_UP))
    except ParameterError as error:
        st.error(plain(str(error)))
        return None
    is_refused, verdict = None in reasons.values(), verdict_from_release(release, accepted)
    if is_refused and verdict.colour == GREEN:
        st.badge("Refused so far: not for publication", icon=":material/block:", color="red")
    else:
        verdict_badge(verdict)
    if not any(one.kind == MADE_UP for one in refusals):
        _use_badge(expected, plan_wishes.request_as_wished(plan).min_utility)
    return None if is_refused else accepted


def _use_badge(expected: ReleaseOutlook, wished: float) -> None:
    """Show how much of the data the release is expected to leave near the truth, against what was wished; where it is little, lead on."""
    colour = colour_of_use(expected.share_close, wished)
    icon, shade = _SHOWN[colour]
    product = product_of(expected.product)
    st.badge(_USE[colour], icon=icon, color=shade)
    st.caption(
        f"{words.capital(percent_at_least(expected.share_close))} of all {product.counted} are expected in {product.cell}s "
        f"published within {CLOSE:.0%} of the truth; wished on Plan are {100 * wished:g}%."
    )
    if colour == RED:
        parts.way_on("plan", "Find a release of more use")


_TAKEN: dict[str, tuple[str, dict[str, object]]] = {
    GAUSSIAN: ("Take Gaussian noise", {"publish_noise": "gaussian"}),
    TOTAL: ("Publish a total too", {"publish_unbiased": True}),
    LEVELS: ("Publish sums of districts too", {"publish_levels": "3 × 3"}),
    BOTH: ("Take Gaussian noise and a total", {"publish_noise": "gaussian", "publish_unbiased": True}),
}


def _outlook_of(plan: Plan, release: ReleasePlan, data: ReleaseData | None) -> OutlookOf | None:
    """Return what says what a release holds; None while it is not known, which is said."""
    if release.product is FLOWS:
        return lambda one: cached.release_outlook(
            plan.prepared.key, plan.prepared, one.parameters, one.weeks, one.levels, one
        )
    if data is None:
        return None
    # What is counted hangs on whether only what lies between listed zones is.
    what = (plan.prepared.key, data.form, release.weeks, release.product.name, release.parameters.cells)
    trips = awaited(
        "release trips",
        what,
        apart(trips_of_release, data, release, plan.prepared.source_digest),
    )
    error = error_of("release trips") if trips is None else None
    if isinstance(error, DataError) and error.column in _place_columns(data):
        release_file_form.read_ids_as_text(data, of_rows=True)
    key = repr(what)
    return None if trips is None else lambda one: cached.outlook_of_trips(key, trips, one.parameters, one)


def _place_columns(data: ReleaseData) -> list[str | None]:
    mapping = data.form.mapping
    return [getattr(mapping, name) for name in mapping.place_fields]


def _offers(plan: Plan, release: ReleasePlan, expected: ReleaseOutlook, outlook_of: OutlookOf) -> None:
    """Say what would give more for the same ε, and offer it."""
    for one in better_releases(release, expected, outlook_of, plan.prepared.zone_map):
        bound = one.plan.parameters.max_trips_per_user
        label, settings = (
            (f"Take a limit of {bound}", {"bound": str(bound)}) if one.kind == BOUND else _TAKEN[one.kind]
        )
        st.markdown(plain(offer_in_words(expected, one)))
        parts.setting_button(label, key=f"take_{one.kind}", **settings)


def attack_button(release: ReleasePlan) -> None:
    """Offer the game of the page Groups against just this release, where it counts what that game attacks."""
    asked = release.parameters
    if release.product.name != "visits" or asked.noise != "gaussian":
        return
    if st.button(
        "Attack a release like this",
        key="attack_release",
        icon=":material/swords:",
        help="On the page Groups: how well would someone be recognised in the published counts of a group, and what does the promise "
        "allow at most?",
    ):
        st.switch_page(
            "../../pages/groups.py",
            query_params={
                "show_groups": "defences",
                "mechanisms": f"release:{asked.max_trips_per_user}",
                "defence_epsilons": f"{asked.epsilon:g}",
            },
        )


def empty_release(sentence: str) -> None:
    """Say that a release would hold nothing, and lead to the page Plan."""
    st.warning(plain(sentence))
    parts.way_on("plan", "Plan a release that holds something")


def mark_started(plan: Plan, release: ReleasePlan) -> None:
    """Remember which release is being made."""
    st.session_state["release_started"] = _mark(plan, release)


def mark_refused(refusals: tuple[Refusal, ...]) -> None:
    """Remember that it was refused once its file was read anew, so that the page asks for the reason."""
    st.session_state["release_refused_of"] = st.session_state.get("release_started"), refusals


def _mark(plan: Plan, release: ReleasePlan) -> str:
    what = repr((plan.prepared.key, release.parameters, release.weeks, release.levels))
    return hashlib.sha256(what.encode()).hexdigest()[:12]


def _answered(refusal: Refusal, mark: str) -> str | None:
    """Show a refusal and the ways on; return the reason that was written, or None."""
    st.error(plain(refusal.sentence))
    if refusal.threshold is not None:
        st.button(
            f"Use threshold {refusal.threshold:,}",
            key="use_threshold",
            icon=":material/input:",
            on_click=_use_threshold,
            args=(refusal.threshold,),
            help="The least threshold that keeps false flows rare enough.",
        )
    else:
        holds = "holds something" if refusal.kind == MADE_UP else "is not refused"
        parts.way_on("plan", f"Plan a release that {holds}")
    reason = st.text_input(
        _ASKED[refusal.kind],
        key=f"accept_{refusal.kind}_{mark}",
        persist_state="session",
        max_chars=MAX_REASON,
        help="Without a reason in words it is not released. Whoever reads the certificate reads the reason.",
    )
    return reason if reason and reason.strip() else None


def _use_threshold(threshold: int) -> None:
    st.session_state["threshold"] = str(threshold)


def asked_of_ids(plan: Plan) -> None:
    """Ask below a promise to a person whether ids are new each day or week, where they look it: it is a promise to an id."""
    asked = asked_of_renewed_ids(plan.prepared.data_report)
    if asked is not None:
        st.info(plain(asked), icon=":material/help:")
