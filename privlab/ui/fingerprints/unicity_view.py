"""How many traces a few of their samples single out: controls, call and words."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.defaults import COMPARED_LEVELS, DEFAULT_DRAWS, DEFAULT_POINTS
from privlab.figures.fingerprints import anonymizability as figures
from privlab.figures.fingerprints import anonymizability_words
from privlab.figures.fingerprints import unicity_words as words
from privlab.fingerprints import DEFAULT_LEVELS, Fingerprints, Level
from privlab.fingerprints.singling_out import (
    MOST_PLACES,
    PlacesUnicity,
    UnicityByLevel,
    places_unicity_from_fingerprints,
    resolution_laws_from_unicity,
    unicity_by_level_from_fingerprints,
)
from privlab.seeds import generator
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.sliders import follow
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited

_DRAWS = ("500", str(DEFAULT_DRAWS), "10000")


def unicity_view(plan: Plan, fingerprints: Fingerprints, level: Level, finding: DeltaGenerator) -> None:
    """Show how many traces a few of their samples single out, at several levels. `finding` is where it is said."""
    names = list(dict.fromkeys([str(level), *map(str, DEFAULT_LEVELS)]))
    compared = list(dict.fromkeys([str(level), *COMPARED_LEVELS[1:]]))
    follow("unicity_levels", compared)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            "Levels (km–min)",
            names,
            default=compared,
            key="unicity_levels",
            bind="query-params",
            help="How coarse places and times are made before the attacker looks: cell in km, then time bin in minutes.",
        )
        most = st.slider(
            "Samples known, up to",
            1,
            20,
            DEFAULT_POINTS,
            key="points",
            bind="query-params",
            width=220,
            help="How many places and times of a person the attacker knows, at most.",
        )
        draws = st.select_slider(
            "Traces tried",
            _DRAWS,
            value=str(DEFAULT_DRAWS),
            key="draws",
            bind="query-params",
            width=220,
            help="How often a person and some of their samples are drawn. More narrow the interval and take longer.",
        )
    if not chosen:
        st.info("Choose at least one level.")
        parts.setting_button(f"Look at the level {level}", key="this_level", unicity_levels=[str(level)])
        return
    levels = tuple(Level.from_text(name) for name in chosen)
    key = (plan.prepared.key, levels, most, draws, plan.seed)
    found = awaited(
        "unicity",
        key,
        apart(
            unicity_by_level_from_fingerprints,
            fingerprints,
            levels,
            points=range(1, int(most) + 1),
            draws=int(draws),
            rng=generator(plan.seed, "unicity"),
        ),
    )
    if found is None:
        return
    _unicity(found, int(draws), finding)
    visited = awaited(
        "most visited places",
        (plan.prepared.key, levels),
        lambda progress: tuple(
            places_unicity_from_fingerprints(fingerprints, one, places=range(1, MOST_PLACES + 1))
            for one in levels
        ),
    )
    if visited is not None:
        _places(visited)


def _places(found: tuple[PlacesUnicity, ...]) -> None:
    st.subheader("Most visited places, whatever the hour")
    sentence = words.places_finding(found)
    st.markdown(sentence)
    parts.chart(
        figures.places_figure(found, palette()),
        key="places_chart",
        alt=sentence,
        exhibit="places",
        options={"levels": ",".join(str(one.level) for one in found)},
        about="data",
    )
    parts.table(words.places_rows(found), key="places_table")
    st.caption(words.PAPER_ON_PLACES)


def _unicity(found: UnicityByLevel, draws: int, finding: DeltaGenerator) -> None:
    sentence = words.unicity_finding(found)
    with finding:
        parts.finding(sentence)
    curves = {
        anonymizability_words.level_name(level): one
        for level, one in zip(found.levels, found.curves, strict=True)
    }
    parts.chart(
        figures.unicity_figure(curves, palette()),
        key="unicity_chart",
        alt=sentence,
        exhibit="unicity",
        options={
            "levels": ",".join(map(str, found.levels)),
            "points": int(found.curves[0].points[-1]),
            "draws": draws,
        },
        about="data",
        reading="Matched exactly, in cell and time bin; shorter traces give all they have.",
    )
    parts.table(words.unicity_rows(found), key="unicity_table")
    st.markdown(words.law_sentence(resolution_laws_from_unicity(found)))
    st.caption(
        "De Montjoye, Hidalgo, Verleysen and Blondel (2013) found 95% for 4 samples among 1.5 million people, by the hour and antenna."
    )
