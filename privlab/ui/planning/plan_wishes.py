"""What a steward may ask of a plan: one sentence with fields in it, kept for every page that offers a plan."""

from dataclasses import replace
from typing import Any

import streamlit as st

from privlab.od.combining import reason_against_gaussian_plan
from privlab.od.planning import ANY_NOISE, PLANNED_NOISES, USUAL_WISHES, PlanRequest
from privlab.ui import shared_controls
from privlab.ui.out_of_range import say_what_is_used
from privlab.ui.shell.addresses import words_in_address
from privlab.ui.sliders import clear_address
from privlab.ui.state import Plan

_TOLERANCES = ["1", "2", "5", "10", "20", "30", "50"]
_CASES = ["0.1", "1", "5", "10", "any"]
_FALSE = ["0.1", "1", "5", "10", "50"]
_DEFAULTS: dict[str, Any] = {  # as the controls hold them: per cent
    "max_accuracy": round(100 * USUAL_WISHES.max_accuracy),
    "max_certainty": round(100 * (USUAL_WISHES.max_certainty or 1)),
    "max_cases": f"{100 * (USUAL_WISHES.max_cases or 1):g}",
    "min_utility": round(100 * USUAL_WISHES.min_utility),
    "tolerance": f"{100 * USUAL_WISHES.tolerance:g}",
    "made_up": f"{100 * USUAL_WISHES.max_made_up:g}",
}
_PERCENTS = (  # the key of a field, what it is, and its limits in per cent
    ("max_accuracy", "Cases", 51, 99),
    ("max_certainty", "Certainty", 51, 99),
    ("min_utility", "A share of trips", 0, 100),
)
_LIMITS = {key: (low, high) for key, _, low, high in _PERCENTS}
_NOISE_WORDS = {ANY_NOISE: "whichever is better", "integer": "integer", "gaussian": "Gaussian"}


def wishes(plan: Plan) -> PlanRequest:
    """Show the sentence that a steward completes; return what it asks for."""
    with st.container(key="wish", horizontal=True, vertical_alignment="center", gap="xsmall"):
        _words("Nobody may be guessed right in more than")
        _percent("max_accuracy", "Guessed right in at most so many of 100 cases", *_LIMITS["max_accuracy"])
        _words(
            "% of cases,",
            "How often the best attack may be right on anyone who is in the data or not; a coin is right in 50%. A mean "
            "over all that may be published. Smaller is safer.",
        )
        _words("nor be known to be in with more certainty than")
        _percent(
            "max_certainty", "The most certainty that someone is in, in per cent", *_LIMITS["max_certainty"]
        )
        _words(
            "%",
            "How sure an attacker may end of someone who is in, having held both answers for equally likely.",
        )
        _words("in more than")
        _choice("max_cases", "In at most so many of 100 cases", _CASES)
        _words(
            "% of cases.",
            "“any” switches this wish off. Counted over the noise, for someone whose flows are all published.",
        )
        _words("At least")
        _percent("min_utility", "The least share of all trips, in per cent", *_LIMITS["min_utility"])
        _words(
            "% of all trips",
            "The expected share of all unique trips that lie in flows published close to the truth. Larger is more useful.",
        )
        _words("shall lie in flows published within")
        _choice("tolerance", "Distance from the truth, in per cent", _TOLERANCES)
        _words("% of the truth,", "How far a published count may be from the true one to be of use to you.")
        _words("with at most")
        _choice("made_up", "The most false flows, in per cent of those published", _FALSE)
        _words(
            "% false flows among them.",
            "Published flows that nobody travelled. Expected; the threshold is the least that keeps to it.",
        )
    say_what_is_used(
        {
            key: f"{name} from {low}% to {high}% can be asked for: {_used(key)}% is used."
            for key, name, low, high in _PERCENTS
        },
        around="wish",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        shared_controls.weekly_releases_control()
        shared_controls.cells_control(plan.prepared)
        _noise_control(plan)
    return request_as_wished(plan)


def request_as_wished(plan: Plan) -> PlanRequest:
    """Return what was last asked for in this session, or what the sentence begins with."""
    state = st.session_state
    wish = {name: state.get(name, default) for name, default in _DEFAULTS.items()}
    wish = {name: _DEFAULTS[name] if value is None else value for name, value in wish.items()}
    noise = state.get("plan_noise") or ANY_NOISE
    asked = _request(
        wish,
        weeks=int(state.get("releases") or 1),
        cells=shared_controls.cells_in_use(plan.prepared),
        noise=noise if noise in PLANNED_NOISES else ANY_NOISE,
    )
    return asked if _no_gaussian(plan, asked) is None else replace(asked, noise=ANY_NOISE)


def first_wishes(plan: Plan) -> PlanRequest:
    """Return what the sentence begins with: what nobody chose."""
    return _request(_DEFAULTS, weeks=1, cells=shared_controls.first_cells(plan.prepared), noise=ANY_NOISE)


def _request(wish: dict[str, Any], *, weeks: int, cells: str, noise: str) -> PlanRequest:
    any_case = wish["max_cases"] == "any"
    return PlanRequest(
        max_accuracy=int(wish["max_accuracy"]) / 100,
        min_utility=int(wish["min_utility"]) / 100,
        tolerance=float(wish["tolerance"]) / 100,
        max_made_up=float(wish["made_up"]) / 100,
        weeks=weeks,
        max_certainty=None if any_case else int(wish["max_certainty"]) / 100,
        max_cases=None if any_case else float(wish["max_cases"]) / 100,
        cells=cells,
        noise=noise,
    )


def _no_gaussian(plan: Plan, request: PlanRequest) -> str | None:
    """Return why no Gaussian noise can be planned, None if it can be."""
    return reason_against_gaussian_plan(
        request, is_public=plan.prepared.public_zones is not None, n_zones=plan.prepared.trips.zones.size
    )


def _noise_control(plan: Plan) -> None:
    """Show which noise a plan may have, or say why it is integer."""
    reason = _no_gaussian(plan, request_as_wished(plan))
    if reason is not None:
        clear_address("plan_noise")
        st.caption(f"Planned with integer noise. {reason}")
        return
    words_in_address("plan_noise", _NOISE_WORDS)
    st.segmented_control(
        "Noise",
        PLANNED_NOISES,
        format_func=_NOISE_WORDS.__getitem__,
        default=ANY_NOISE,
        key="plan_noise",
        bind="query-params",
        required=True,
        help="Integer noise has trips kept at random and no δ. Gaussian noise has all trips weighted, with a total beside the counts or "
        "without, and its ε of a week has a δ of 10⁻⁶.",
    )


def _used(key: str) -> int:
    """Return the per cent that a field stands for, whatever is written in it at the moment."""
    held = st.session_state.get(key)
    return int(_DEFAULTS[key] if held is None else held)


def _words(words: str, meaning: str | None = None) -> None:
    st.markdown(words, width="content", help=meaning)


def _percent(key: str, label: str, low: int, high: int) -> None:
    st.number_input(
        label,
        low,
        high,
        _DEFAULTS[key],
        1,
        key=key,
        bind="query-params",
        label_visibility="collapsed",
        width=72,
    )


def _choice(key: str, label: str, options: list[str]) -> None:
    st.selectbox(
        label,
        options,
        options.index(_DEFAULTS[key]),
        key=key,
        bind="query-params",
        label_visibility="collapsed",
        width=92,
    )
