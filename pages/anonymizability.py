"""Anonymizability: how hard it is to hide each person among others, why, and what can be done."""

import streamlit as st

from privlab.figures.fingerprints import anonymizability_words
from privlab.ui import current_plan
from privlab.ui.fingerprints import (
    anonymizability_page,
    anonymizability_views,
    by_hand_view,
    link_view,
    person_view,
    remedy_view,
    unicity_view,
)
from privlab.ui.shell import parts

plan = current_plan()
fingerprints = anonymizability_page.fingerprints_of(plan)
if fingerprints is None:
    st.stop()
finding = st.container()
chosen = anonymizability_page.study_controls(fingerprints, plan.seed)
if chosen is None:
    st.stop()
k, parameters = chosen
with st.container(horizontal=True, vertical_alignment="center"):
    show = anonymizability_page.view_control()
    parts.true_data()
parameters = anonymizability_page.under_control(show, parameters)
study = anonymizability_page.study_of(plan, fingerprints, parameters)
if study is None:
    st.stop()
if show not in ("one person", "unicity", "linked again"):  # these say their own
    with finding:
        parts.finding(anonymizability_words.kgap_finding(study, k))
        anonymizability_page.fewer_people(study, k)
if show == "k-gap":
    anonymizability_views.kgap_view(study, plan, k)
elif show == "levels":
    studies = anonymizability_page.studies_of(plan, fingerprints, parameters)
    if studies is not None:
        anonymizability_views.levels_view(studies, k)
elif show == "why":
    anonymizability_views.why_view(study, k)
elif show == "by hand":
    by_hand_view.by_hand_view()
elif show == "one person":
    person_view.person_view(plan, fingerprints, study, k, finding)
elif show == "unicity":
    unicity_view.unicity_view(plan, fingerprints, parameters.level, finding)
elif show == "linked again":
    link_view.link_view(plan, fingerprints, parameters, finding)
elif show == "remedy":
    remedy_view.remedy_view(plan, fingerprints, parameters.level)
