"""What parts of a report are told of the settings of other pages: the wishes of Plan, and the noise that all pages are set to."""

import streamlit as st

from privlab.lab.reporting import REPORTED_MECHANISMS, options_with_cells, options_with_noise
from privlab.od.planning import USUAL_WISHES, PlanRequest
from privlab.od.weighing import TOTAL, WEIGHTED
from privlab.reports import Option
from privlab.ui.settings_of_release import request_as_set, weighs_trips
from privlab.ui.shared_controls import cells_in_use
from privlab.ui.state import Plan

_WISHES = "wishes"
_OF_PAGES = ("certainty", "person_risks")  # as the pages Attack and Guarantee have them: without a total


def keep_wishes(request: PlanRequest) -> None:
    """Keep what the page Plan is asked for, for the reports that are put together elsewhere."""
    st.session_state[_WISHES] = request


def wishes() -> PlanRequest:
    """Return what was last wished on the page Plan, or what it wishes before anyone has changed it."""
    kept: PlanRequest | None = st.session_state.get(_WISHES)
    return kept or USUAL_WISHES


def mechanism_in_reports(plan: Plan) -> str | None:
    """Return the kind of Gaussian noise that all pages are set to; without sums of districts and smoothing, which come on top."""
    request = request_as_set(plan)
    if request is None or not weighs_trips(request.name):
        return None
    return request.name if request.name in REPORTED_MECHANISMS else TOTAL


def as_set_now(
    exhibit: str, options: tuple[tuple[str, Option], ...], plan: Plan
) -> tuple[tuple[str, Option], ...]:
    """Return the options of a part, told of the noise that all pages are set to and of which flows get it.

    What the page itself has told it of Gaussian noise stays.
    """
    mechanism, cells = mechanism_in_reports(plan), cells_in_use(plan.prepared)
    if mechanism is not None and exhibit in _OF_PAGES:
        if dict(options).get("law") == "gaussian":
            return options_with_cells(exhibit, options, cells)
        mechanism = WEIGHTED
    return options_with_cells(exhibit, options_with_noise(exhibit, options, mechanism, wishes()), cells)
