"""Anonymizability: how hard it is to hide each person among others, why, and what can be done."""

import streamlit as st

from privlab.figures.anonymizability_words import kgap_finding
from privlab.ui import (
    anonymizability_parts,
    anonymizability_views,
    parts,
    person_parts,
    remedy_parts,
    unicity_parts,
)
from privlab.ui.state import current_plan

plan = current_plan()
fingerprints = anonymizability_parts.fingerprints_of(plan)
if fingerprints is None:
    st.stop()
finding = st.container()
chosen = anonymizability_parts.study_controls(fingerprints, plan.seed)
if chosen is None:
    st.stop()
k, parameters = chosen
show = anonymizability_parts.view_control()
parts.true_data()
study = anonymizability_parts.study_of(plan, fingerprints, parameters)
if study is None:
    st.stop()
with finding:
    parts.finding(kgap_finding(study, k))
if show == "k-gap":
    anonymizability_views.kgap_view(study, plan, k)
elif show == "levels":
    studies = anonymizability_parts.studies_of(plan, fingerprints, parameters)
    if studies is not None:
        anonymizability_views.levels_view(studies, k)
elif show == "why":
    anonymizability_views.why_view(study, k)
elif show == "one person":
    person_parts.person_view(plan, fingerprints, study, k)
elif show == "unicity":
    unicity_parts.unicity_view(plan, fingerprints, parameters.level)
elif show == "remedy":
    remedy_parts.remedy_view(plan, fingerprints, parameters.level)
