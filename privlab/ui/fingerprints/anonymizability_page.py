"""The anonymizability page's own controls, calls and sentences."""

from dataclasses import replace

import streamlit as st

from privlab.checks import ParameterError
from privlab.defaults import DEFAULT_KS, DEFAULT_MAX_KM, DEFAULT_MAX_MIN
from privlab.figures.wording import plain
from privlab.fingerprints import DEFAULT_LEVELS, Fingerprints, Level, fold_days_from_text
from privlab.fingerprints.measures import LevelStudy, StudyParameters
from privlab.fingerprints.search import StretchParameters
from privlab.lab.fingerprints import kgap_studies_from_fingerprints, kgap_study_from_fingerprints
from privlab.lab.loading import fingerprints_from_rows
from privlab.limits import MAX_KM, MAX_MIN, MIN_KM, MIN_WEIGHT
from privlab.ui.derived import derived, once_as_it_opens, underway
from privlab.ui.shell import parts
from privlab.ui.shell.changed_data import CONTROL_LABEL, checked_controls, control_choice, say_changed
from privlab.ui.sliders import follow
from privlab.ui.state import Plan, choose_data
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited

EVERYONE = "everyone"
SAMPLE = "subscribers"
_CHANGED = ("k-gap", "levels", "linked again", "why")  # the views that a control is for
_FOLDED = ("one person", "k-gap", "levels", "why")
VIEWS = ("one person", "k-gap", "levels", "by hand", "unicity", "linked again", "remedy", "why")
# What is chosen, by the names of the parameters.
LABELS = {
    "level": "Level: cell (km) – time bin (min)",
    "fold": "Fold time onto",
    "max_km, max_min and weights": "How far apart",
    **dict.fromkeys(("control", "control users", "control days"), CONTROL_LABEL),
}
_QUERY = ("100", "250", "500", "1000", "2500", EVERYONE)
_USUAL, _USUAL_OF_MANY = "1000", "100"
_MANY = 1_000_000  # samples, among which the nearest others are found in seconds for a hundred people only


def fingerprints_of(plan: Plan) -> Fingerprints | None:
    """Return the fingerprints in the plan's data; None, and why, while or where there are none."""
    found = derived(plan, "fingerprints", fingerprints_from_rows)
    if found is not None and found.n_users < 2:
        st.info("This data is of one person: there is nobody to hide among. Load data of more people.")
        found = None
    if found is None and plan.data != SAMPLE and not underway(plan, "fingerprints"):
        is_unplaced = plan.prepared.has_users and not plan.prepared.zone_map.located
        parts.way_on(
            "data",
            "Say on the page Data where the zones lie" if is_unplaced else "Load data with records of people",
        )
        st.button(
            f"Look at the sample {SAMPLE} instead",
            key="use_subscribers",
            on_click=choose_data,
            args=(SAMPLE,),
            help="Shows this page on a sample with records of 5,000 people. Your data stays loaded.",
        )
    return found


def view_control() -> str:
    """Show which part of the page to see; return its name."""
    return parts.one_of(VIEWS, key="show")


def study_controls(fingerprints: Fingerprints, seed: int) -> tuple[int, StudyParameters] | None:
    """Show k, level, users judged and the distance; return them, or say what cannot be."""
    row = st.container(horizontal=True, vertical_alignment="bottom")
    with row:
        k = st.select_slider(
            "k: people who are to look alike",
            [str(one) for one in DEFAULT_KS],
            value="2",
            key="k_gap",
            bind="query-params",
            width=200,
            help="2: each person shall look like at least one other. Larger k hides people better and costs more detail.",
        )
        level = st.selectbox(
            LABELS["level"],
            [str(one) for one in DEFAULT_LEVELS],
            key="level",
            bind="query-params",
            accept_new_options=True,
            width=230,
            help="How coarse places and times are made first. Pick one, or type your own: KM-MIN, such as 3-90.",
        )
        follow("judged", _usual(fingerprints))
        n_query = st.selectbox(
            "People judged",
            _QUERY,
            index=_QUERY.index(_usual(fingerprints)),
            key="judged",
            bind="query-params",
            width=150,
            help="Drawn at random by the seed in the settings, each held against everybody. Fewer answer sooner.",
        )
    try:
        with row:
            stretch, fold_days = _distance_controls()
            controls = checked_controls(
                control_choice(key="kgap_control"), n_users=fingerprints.n_users, n_days=fingerprints.n_days
            )
        parameters = StudyParameters(
            level=Level.from_text(level or str(DEFAULT_LEVELS[0])),
            stretch=stretch,
            n_query=None if n_query == EVERYONE else min(int(n_query), fingerprints.n_users),
            fold_days=fold_days,
            controls=controls,
            seed=seed,
        )
    except ParameterError as error:
        st.warning(plain(parts.named_as_shown(error, LABELS)))
        parts.setting_button(
            "Back to a level and a distance that fit",
            key="first_study",
            level=str(DEFAULT_LEVELS[0]),
            fold="",
            max_km=DEFAULT_MAX_KM,
            max_min=DEFAULT_MAX_MIN,
            weight_space=0.5,
            weight_time=0.5,
            kgap_control=[],
        )
        return None
    return int(k), parameters


def under_control(show: str, parameters: StudyParameters) -> StudyParameters:
    """Return the parameters that a view is made with, and say whether its data were changed by the control chosen."""
    if parameters.fold_days is not None and show not in _FOLDED:
        st.caption(f"Time is folded in the views {', '.join(_FOLDED)}. This one shows it as it is.")
    if show in _CHANGED:
        say_changed(parameters.controls, measure="share linked" if show == "linked again" else "k-gap")
        return parameters
    if parameters.controls:
        st.caption(
            f"The control is for the views {', '.join(_CHANGED)}. This one shows the data as they are."
        )
    return replace(parameters, controls=())


def _distance_controls() -> tuple[StretchParameters, int | None]:
    with (
        st.popover(
            LABELS["max_km, max_min and weights"],
            help="What makes two records different: how space and time are weighed, and where each stops to count.",
        ),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        max_km = st.number_input(
            "Space counts up to (km)",
            MIN_KM,
            MAX_KM,
            DEFAULT_MAX_KM,
            key="max_km",
            bind="query-params",
            width=180,
            help="Two places this far apart are as different as any. The paper takes 20 km.",
        )
        max_min = st.number_input(
            "Time counts up to (min)",
            1,
            MAX_MIN,
            DEFAULT_MAX_MIN,
            key="max_min",
            bind="query-params",
            width=180,
            help="Two times this far apart are as different as any. The paper takes 480 minutes.",
        )
        space = st.number_input(
            "Weight of space",
            MIN_WEIGHT,
            1.0,
            0.5,
            key="weight_space",
            bind="query-params",
            width=150,
            help="The share of the distance that space can make. Weights of space and time add up to 1.",
        )
        time = st.number_input(
            "Weight of time",
            MIN_WEIGHT,
            1.0,
            0.5,
            key="weight_time",
            bind="query-params",
            width=150,
            help="The share of the distance that time can make. Weights of space and time add up to 1.",
        )
        fold = st.text_input(
            LABELS["fold"],
            key="fold",
            bind="query-params",
            placeholder="off; such as 14d",
            width=160,
            help="Lays several periods onto one, such as 14d or 2w. The paper does not say whether it did.",
        )
    parameters = StretchParameters(
        max_km=max_km or DEFAULT_MAX_KM,
        max_min=int(max_min or DEFAULT_MAX_MIN),
        space_weight=space or 0.5,
        time_weight=time or 0.5,
    )
    return parameters, fold_days_from_text(fold or None)


def study_of(plan: Plan, fingerprints: Fingerprints, parameters: StudyParameters) -> LevelStudy | None:
    """Return the study of the chosen level, or show its progress."""
    work = apart(kgap_study_from_fingerprints, fingerprints, parameters)
    opens = opens_with(fingerprints, parameters)
    return awaited(
        "kgap",
        (plan.prepared.key, parameters),
        once_as_it_opens(plan, "first kgap", work, opens=opens, keep="kgap"),
    )


def opens_with(fingerprints: Fingerprints, parameters: StudyParameters) -> bool:
    """Return whether these are the settings that the page opens with."""
    n_query = min(int(_usual(fingerprints)), fingerprints.n_users)
    return parameters == StudyParameters(n_query=n_query, seed=1)


def _usual(fingerprints: Fingerprints) -> str:
    """Return how many people are judged unless something else is chosen."""
    return _USUAL_OF_MANY if int(fingerprints.n_samples.sum()) > _MANY else _USUAL


def fewer_people(study: LevelStudy, k: int) -> None:
    """Where there are fewer people than k, offer the largest k that they can be judged by."""
    possible = [one for one in DEFAULT_KS if one <= study.n_users]
    if k > study.n_users and possible:
        parts.setting_button(
            f"Ask for {possible[-1]} who look alike", key="possible_k", k_gap=str(possible[-1])
        )


def studies_of(
    plan: Plan, fingerprints: Fingerprints, parameters: StudyParameters
) -> tuple[LevelStudy, ...] | None:
    """Return the studies of all default levels, or show their progress."""
    same = replace(parameters, level=DEFAULT_LEVELS[0])
    return awaited(
        "levels",
        (plan.prepared.key, same),
        apart(kgap_studies_from_fingerprints, fingerprints, same),
    )
