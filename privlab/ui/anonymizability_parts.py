"""The anonymizability page's own controls, calls and sentences."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.checks import ParameterError
from privlab.figures import anonymizability as figures
from privlab.figures import anonymizability_words as words
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.kgap import DEFAULT_KS
from privlab.fingerprints.levels import DEFAULT_LEVELS, Level, fold_days_from_text
from privlab.fingerprints.stretch import StretchParameters
from privlab.fingerprints.study import (
    LevelStudy,
    StudyParameters,
    level_studies_from_fingerprints,
    level_study_from_fingerprints,
)
from privlab.limits import MAX_KM, MAX_MIN, MIN_KM, MIN_WEIGHT
from privlab.reports.material import fingerprints_from_rows
from privlab.ui import parts
from privlab.ui.derived import derived, underway
from privlab.ui.parts import palette
from privlab.ui.state import Plan
from privlab.ui.waiting import awaited, results_of

Floats = npt.NDArray[np.float64]
EVERYONE = "everyone"
SAMPLE = "subscribers"
VIEWS = ("k-gap", "levels", "why", "unicity", "one person", "remedy")
_QUERY = ("250", "500", "1000", "2500", EVERYONE)


def fingerprints_of(plan: Plan) -> Fingerprints | None:
    """Return the fingerprints in the plan's data; None, and why, while or where there are none."""
    found = derived(plan, "fingerprints", fingerprints_from_rows)
    if found is None and plan.data != SAMPLE and not underway(plan, "fingerprints"):
        st.button(f"Look at the sample {SAMPLE} instead", key="use_subscribers", on_click=_choose)
    return found


def _choose() -> None:
    st.session_state["choose_data"] = SAMPLE


def view_control() -> str:
    """Show which part of the page to see; return its name."""
    chosen = st.segmented_control(
        "Show",
        VIEWS,
        default=VIEWS[0],
        key="show",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    return chosen or VIEWS[0]


def study_controls(fingerprints: Fingerprints, seed: int) -> tuple[int, StudyParameters] | None:
    """Show k, level, users judged and the distance; return them, or say what cannot be."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = st.select_slider(
            "k: people who are to look alike",
            [str(one) for one in DEFAULT_KS],
            value="2",
            key="k_gap",
            bind="query-params",
            width=260,
        )
        level = st.selectbox(
            "Level: cell (km) – time bin (min)",
            [str(one) for one in DEFAULT_LEVELS],
            key="level",
            bind="query-params",
            accept_new_options=True,
            width=260,
            help="How coarse places and times are made first. Pick one, or type your own: KM-MIN, such as 3-90.",
        )
        n_query = st.selectbox(
            "People judged",
            _QUERY,
            index=2,
            key="judged",
            bind="query-params",
            width=180,
            help="Drawn at random by the seed on the left, each held against everybody. Fewer answer sooner.",
        )
    try:
        stretch, fold_days = _distance_controls()
        parameters = StudyParameters(
            level=Level.from_text(level or str(DEFAULT_LEVELS[0])),
            stretch=stretch,
            n_query=None if n_query == EVERYONE else min(int(n_query), fingerprints.n_users),
            fold_days=fold_days,
            seed=seed,
        )
    except ParameterError as error:
        st.warning(str(error))
        return None
    return int(k), parameters


def _distance_controls() -> tuple[StretchParameters, int | None]:
    with (
        st.expander("How far apart two samples are"),
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        max_km = st.number_input(
            "Space counts up to (km)", MIN_KM, MAX_KM, 20.0, key="max_km", bind="query-params", width=180
        )
        max_min = st.number_input(
            "Time counts up to (min)", 1, MAX_MIN, 480, key="max_min", bind="query-params", width=180
        )
        space = st.number_input(
            "Weight of space", MIN_WEIGHT, 1.0, 0.5, key="weight_space", bind="query-params", width=150
        )
        time = st.number_input(
            "Weight of time", MIN_WEIGHT, 1.0, 0.5, key="weight_time", bind="query-params", width=150
        )
        fold = st.text_input(
            "Fold time onto",
            key="fold",
            bind="query-params",
            placeholder="off; such as 14d",
            width=160,
            help="Lays several periods onto one, such as 14d or 2w. The paper does not say whether it did.",
        )
    parameters = StretchParameters(
        max_km=max_km or 20.0,
        max_min=int(max_min or 480),
        space_weight=space or 0.5,
        time_weight=time or 0.5,
    )
    return parameters, fold_days_from_text(fold or None)


def study_of(plan: Plan, fingerprints: Fingerprints, parameters: StudyParameters) -> LevelStudy | None:
    """Return the study of the chosen level, or show its progress."""
    return awaited(
        "kgap",
        (plan.prepared.key, parameters),
        lambda report: level_study_from_fingerprints(fingerprints, parameters, report=report),
    )


def studies_of(
    plan: Plan, fingerprints: Fingerprints, parameters: StudyParameters
) -> tuple[LevelStudy, ...] | None:
    """Return the studies of all default levels, or show their progress."""
    same = replace(parameters, level=DEFAULT_LEVELS[0])
    return awaited(
        "levels",
        (plan.prepared.key, same),
        lambda report: level_studies_from_fingerprints(fingerprints, same, report=report),
    )


def kgap_view(study: LevelStudy, plan: Plan, k: int) -> None:
    """Show the k-gaps at the chosen level, for every k, and beside earlier runs."""
    figure, numbers = st.columns([3, 2], gap="large")
    with numbers:
        parts.table([words.summary_row(study, one) for one in study.kgaps.ks], key="kgap_table")
        st.caption(words.account(study))
        faint = _earlier_runs(study, plan, k)
    with figure:
        parts.chart(
            figures.kgap_figure(study, palette(), k=k, faint=faint),
            key="kgap_chart",
            alt=words.kgap_finding(study, k),
        )


def _earlier_runs(study: LevelStudy, plan: Plan, k: int) -> dict[str, Floats]:
    """Show which earlier runs to lay under this one; return their curves."""
    earlier = {
        words.run_name(one): one
        for run, one in results_of("kgap").items()
        if run != (plan.prepared.key, study.parameters) and plan.prepared.key in run
    }
    if not earlier:
        return {}
    chosen = st.multiselect("Compare with earlier runs", list(earlier), key="compare_kgap")
    return {name: earlier[name].kgaps.of(k) for name in chosen}


def levels_view(studies: tuple[LevelStudy, ...], k: int) -> None:
    """Show how the k-gap and the share of k-anonymous people change with the level."""
    left, right = st.columns(2, gap="large")
    sentence = words.levels_finding(studies, k)
    st.markdown(sentence)
    with left:
        parts.chart(figures.levels_figure(studies, palette(), k=k), key="levels_chart", alt=sentence)
    with right:
        parts.chart(figures.anonymous_figure(studies, palette(), k=k), key="anonymous_chart", alt=sentence)
    parts.table(
        [{"level (km–min)": str(one.parameters.level)} | words.summary_row(one, k) for one in studies],
        key="levels_table",
    )


def why_view(study: LevelStudy, k: int) -> None:
    """Show what the k-gap is made of: time against space, and the long tails."""
    assert study.dispersion is not None
    sentence = words.why_finding(study, k)
    st.markdown(sentence)
    upper, lower = st.columns(2, gap="large"), st.columns(2, gap="large")
    drawn = (
        (upper[0], "share_chart", figures.temporal_share_figure),
        (upper[1], "gini_chart", figures.gini_figure),
        (lower[0], "tail_chart", figures.tail_weight_figure),
    )
    for column, key, figure in drawn:
        with column:
            parts.chart(figure(study.dispersion, palette(), k=k), key=key, alt=sentence)
    with lower[1]:
        parts.table(words.dispersion_rows(study, k), key="why_table")
    st.caption(words.PAPER_ON_WHY)
