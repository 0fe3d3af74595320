"""A release of a plan → the settings of all pages that make it: those on the left, and its mechanism on every page that asks for one."""

import streamlit as st

from privlab.lab.comparing import steps_of_trips
from privlab.lab.judging import WANTED_DELTA
from privlab.od.combining import Combination
from privlab.od.comparing import StepRequest
from privlab.od.planning import MECHANISM_NAMES, PlanPoint
from privlab.od.simulating import ReleaseParameters
from privlab.od.weighing import AGREED, SMOOTHED, TODAY, TOTAL, WEIGHTED
from privlab.reports import Option
from privlab.ui.shared_controls import cells_in_use
from privlab.ui.shell import parts
from privlab.ui.state import PAPERS, Plan, choose_release, choose_settings, propose_release

AS_SET = "as set"
_FOLLOWING = ("data", "release", "attack", "guarantee", "publish")


def _made_with(noise: str, *, total: bool, levels: str) -> dict[str, object]:
    """Return what Publish, and the audit of the whole way, are set to, by the keys of their controls."""
    publish = {"publish_noise": noise, "publish_unbiased": total, "publish_levels": levels}
    return {**publish, "pipeline_noise": noise, "pipeline_total": total, "pipeline_levels": levels}


# What makes a release for good by a mechanism; the choice of L trips at random is not offered there.
PUBLISHED: dict[str, dict[str, object]] = {
    TODAY: _made_with("integer", total=False, levels="none"),
    WEIGHTED: _made_with("gaussian", total=False, levels="none"),
    TOTAL: _made_with("gaussian", total=True, levels="none"),
    AGREED: _made_with("gaussian", total=True, levels="3 × 3"),  # as the controls name it
}
# What a part of a report is told of Gaussian noise as the pages Attack and Guarantee have it.
GAUSSIAN_PLANNED: dict[str, Option] = {"law": "gaussian", "mechanism": WEIGHTED}
PUBLIC: dict[str, object] = {"release_cells": "public", "cells_chosen": "public"}


def parameters_of(point: PlanPoint | StepRequest | Combination) -> ReleaseParameters:
    """Return what the settings on the left are for a release; its mechanism, where it is not integer noise, is set beside them."""
    return ReleaseParameters(
        epsilon=point.epsilon,
        threshold=point.threshold,
        max_trips_per_user=point.max_trips_per_user,
        noise="integer",
    )


def is_taken(release: ReleaseParameters, point: PlanPoint | Combination) -> bool:
    """Return whether the settings of all pages are those of a release."""
    name = point.mechanism if isinstance(point, PlanPoint) else point.name
    # The first two are quick to tell apart: a page asks it of hundreds of releases.
    return (
        release.epsilon == point.epsilon
        and (chosen_mechanism() or AS_SET) == _named(name)
        and release == parameters_of(point)
    )


def chosen_mechanism() -> str | None:
    """Return the mechanism that all pages are set to, by its name; None for noise as set on the left."""
    chosen = st.session_state.get("mechanism") or AS_SET
    return None if chosen == AS_SET else str(chosen)


def carry_mechanism(page: str) -> None:
    """Keep the mechanism of all pages in the address of each, and take it up from there: whoever is sent the address sees the same release.

    On Release the choice itself does.
    """
    state, key = st.session_state, "mechanism"
    names = {words: name for name, words in MECHANISM_NAMES.items()}
    asked = names.get(st.query_params.get(key, ""))
    if asked is not None and key not in state:
        settings = settings_of_mechanism(asked) if asked in PUBLISHED else {key: asked}
        # What the address says itself stands; which flows are considered it says apart.
        known = {*state, *st.query_params, "release_cells", "cells_chosen"} - {key}
        choose_settings({name: value for name, value in settings.items() if name not in known})
    if page == "release":
        return
    chosen = chosen_mechanism()
    if chosen is not None:
        st.query_params[key] = MECHANISM_NAMES[chosen]
    elif key in st.query_params:
        del st.query_params[key]


def say_what_is_planned(page: str) -> None:
    """Say below the settings that a page follows a plan's mechanism instead of the noise chosen there, and lead back to it."""
    planned = MECHANISM_NAMES.get(chosen_mechanism() or "")
    if planned is None or page not in _FOLLOWING:
        return
    st.caption(f"Home, Release, Attack, Guarantee and Publish follow the plan: {planned}.")
    parts.setting_button(
        "Integer noise instead", key="leave_plan", **settings_of_mechanism(TODAY), noise="integer"
    )


def weighs_trips(mechanism: str | None) -> bool:
    """Return whether a mechanism keeps all trips and weighs them, instead of leaving those beyond the limit out."""
    return mechanism in (WEIGHTED, TOTAL, AGREED, SMOOTHED)


def gives_back(mechanism: str | None) -> bool:
    """Return whether a published total gives back what the limit takes."""
    return mechanism in (TOTAL, AGREED, SMOOTHED)


def request_as_set(plan: Plan) -> StepRequest | None:
    """Return the mechanism that all pages are set to, with ε, limit and threshold; None for noise as set, or where it cannot be.

    Under a limit noise as set is a mechanism too where only flows found in the data get it: what is made up elsewhere is not there.
    """
    bound, cells = plan.release.max_trips_per_user, cells_in_use(plan.prepared)
    name = chosen_mechanism() or (TODAY if cells == "discovered" else None)
    if name is None or bound is None or name not in steps_of_trips(plan.prepared, cells):
        return None
    return request_of(plan, name, bound)


def request_of(plan: Plan, name: str, bound: int) -> StepRequest:
    """Return a mechanism with the ε and threshold of all pages, under a limit; of flows found in the data a threshold of at least 1."""
    cells = cells_in_use(plan.prepared)
    return StepRequest(
        name=name,
        epsilon=plan.release.epsilon,
        delta=WANTED_DELTA,
        max_trips_per_user=bound,
        threshold=max(plan.release.threshold, int(cells == "discovered")),
        cells=cells,
    )


def choose_point(point: PlanPoint) -> None:
    """Set all pages to a release."""
    choose_release(parameters_of(point))
    choose_settings(settings_of_mechanism(point.mechanism, point.cells))


def choose_request(request: StepRequest) -> None:
    """Set all pages to a mechanism at its ε, limit and threshold."""
    choose_release(parameters_of(request))
    choose_settings(settings_of_mechanism(request.name, request.cells))


def choose_paper() -> None:
    """Set all pages to the release of the paper."""
    choose_release(PAPERS)
    choose_settings(settings_of_mechanism(TODAY))


def propose_point(point: PlanPoint) -> None:
    """Set all pages to a release at the next run, unless other settings were chosen by hand."""
    propose_release(parameters_of(point), settings_of_mechanism(point.mechanism, point.cells))


def propose_paper() -> None:
    """Set all pages to the release of the paper at the next run, unless other settings were chosen by hand."""
    propose_release(PAPERS, settings_of_mechanism(TODAY))


def settings_of_mechanism(name: str, cells: str = "public") -> dict[str, object]:
    """Return the settings, by their keys, that make Release, Attack, Guarantee and Publish take up a mechanism."""
    gaussian = name != TODAY
    return {
        "mechanism": _named(name),
        "attack_gaussian": gaussian,
        "guarantee_gaussian": gaussian,
        "publish_product": "flows",
        "pipeline_product": "flows",
        **PUBLISHED[name],
        **({"release_cells": cells, "cells_chosen": cells} if gaussian else {}),
    }


def _named(name: str) -> str:
    """Return the mechanism as the page Release names it."""
    return AS_SET if name == TODAY else name
