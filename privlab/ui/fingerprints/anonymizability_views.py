"""The anonymizability page's views of k-gaps: by k, by level, and what they are made of."""

import numpy as np
import numpy.typing as npt
import streamlit as st

from privlab.figures.fingerprints import anonymizability as figures
from privlab.figures.fingerprints import anonymizability_words as words
from privlab.fingerprints.measures import LevelStudy, StudyParameters
from privlab.reports import Option
from privlab.ui.shell import parts
from privlab.ui.shell.changed_data import controls_option
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.waiting import results_of

Floats = npt.NDArray[np.float64]


def options_of(parameters: StudyParameters, k: int) -> dict[str, Option]:
    """Return the page's own parameters as a report keeps them."""
    stretch = parameters.stretch
    return {
        "k": k,
        "level": str(parameters.level),
        "people_judged": parameters.n_query,
        "max_km": stretch.max_km,
        "max_min": stretch.max_min,
        "weight_of_space": stretch.space_weight,
        "weight_of_time": stretch.time_weight,
        "control": controls_option(parameters.controls),
        "fold": None if parameters.fold_days is None else f"{parameters.fold_days}d",
    }


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
            exhibit="kgap",
            options=options_of(study.parameters, k),
            about="data",
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
    chosen = st.multiselect(
        "Compare with earlier runs",
        list(earlier),
        key="compare_kgap",
        persist_state="session",
        help="Draws the curves of what you looked at before, in grey, below this one.",
    )
    return {name: earlier[name].kgaps.of(k) for name in chosen}


def levels_view(studies: tuple[LevelStudy, ...], k: int) -> None:
    """Show how the k-gap and the share of k-anonymous people change with the level."""
    left, right = st.columns(2, gap="large")
    sentence = words.levels_finding(studies, k)
    options = options_of(studies[0].parameters, k) | {"level": None}
    st.markdown(sentence)
    with left:
        parts.chart(
            figures.levels_figure(studies, palette(), k=k),
            key="levels_chart",
            alt=sentence,
            exhibit="levels",
            options=options,
            about="data",
        )
    with right:
        parts.chart(
            figures.anonymous_figure(studies, palette(), k=k),
            key="anonymous_chart",
            alt=sentence,
            exhibit="anonymous",
            options=options,
            about="data",
        )
    parts.table(
        [{"level (km–min)": str(one.parameters.level)} | words.summary_row(one, k) for one in studies],
        key="levels_table",
    )
    st.caption(words.PAPER_ON_LEVELS)


def why_view(study: LevelStudy, k: int) -> None:
    """Show what the k-gap is made of: time against space, and the long tails."""
    assert study.dispersion is not None
    sentence = words.why_finding(study, k)
    st.caption("For experts: what the distances are made of, over all people judged.")
    st.markdown(sentence)
    upper, lower = st.columns(2, gap="large"), st.columns(2, gap="large")
    drawn = (
        (upper[0], "share_chart", "temporal_share", figures.temporal_share_figure),
        (upper[1], "gini_chart", "gini", figures.gini_figure),
        (lower[0], "tail_chart", "tail_weight", figures.tail_weight_figure),
    )
    for column, key, exhibit, figure in drawn:
        with column:
            parts.chart(
                figure(study.dispersion, palette(), k=k),
                key=key,
                alt=sentence,
                exhibit=exhibit,
                options=options_of(study.parameters, k),
                about="data",
            )
    with lower[1]:
        parts.table(words.dispersion_rows(study, k), key="why_table")
    st.caption(words.PAPER_ON_WHY)
