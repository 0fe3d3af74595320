"""How many people are found again in one half of the time by the places they visit in the other: controls, call and words."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.checks import DataError, ParameterError, number_from_text
from privlab.defaults import COMPARED_LEVELS
from privlab.figures.fingerprints import anonymizability as figures
from privlab.figures.fingerprints import anonymizability_words as words
from privlab.figures.wording import plain
from privlab.fingerprints import DEFAULT_LEVELS, Fingerprints, levels_from_text
from privlab.fingerprints.measures import StudyParameters
from privlab.fingerprints.singling_out import Linkage, LinkParameters, least_days_from_fingerprints
from privlab.lab.fingerprints import linked_halves_from_fingerprints
from privlab.ui.shell import parts
from privlab.ui.shell.changed_data import controls_option
from privlab.ui.shell.parts import palette
from privlab.ui.sliders import follow
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited, error_of

# What is chosen, by the names of the parameters.
LABELS = {"level": "Levels (km–min)", "days": "Days in each half"}


def link_view(
    plan: Plan, fingerprints: Fingerprints, study: StudyParameters, finding: DeltaGenerator
) -> None:
    """Show who is found again by the places they visit, by level and by the days in each half. `finding` is where it is said."""
    most = (
        next((int(spec[5:]) for spec in study.controls if spec.startswith("days:")), fingerprints.n_days) // 2
    )
    names = list(dict.fromkeys([str(study.level), *map(str, DEFAULT_LEVELS)]))
    usual = [
        str(one) for one in sorted({one for one in (1, 3, 7) if one < most} | ({most} if most else set()))
    ]
    levels = list(dict.fromkeys([str(study.level), *COMPARED_LEVELS[1:]]))
    follow("link_levels", levels)
    follow("link_days", usual)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.multiselect(
            LABELS["level"],
            names,
            default=levels,
            key="link_levels",
            bind="query-params",
            accept_new_options=True,
            width=320,
            help="How coarse places and times are made first: cell in km, then time bin in minutes. A visit is a time bin in a cell.",
        )
        days = st.multiselect(
            LABELS["days"],
            usual,
            default=usual,
            key="link_days",
            bind="query-params",
            accept_new_options=True,
            width=260,
            help="How many days before and after the middle of the data are compared. Whole weeks hold all habits of a week.",
        )
    try:
        parameters = LinkParameters(
            levels=levels_from_text(",".join(chosen) or str(study.level)),
            days=tuple(sorted({int(number_from_text("days", one, whole=True)) for one in days})),
            n_query=study.n_query,
            controls=study.controls,
            seed=study.seed,
        )
        if parameters.days and max(parameters.days) > most:
            raise ParameterError(
                f"days must be at most {most}, half of the days of the data, got {max(parameters.days)}."
            )
    except ParameterError as error:
        st.warning(plain(parts.named_as_shown(error, LABELS)))
        parts.setting_button(
            "Compare the two halves of the data",
            key="first_link",
            link_levels=[str(DEFAULT_LEVELS[0])],
            link_days=[],
        )
        return
    found = awaited(
        "link",
        (plan.prepared.key, parameters),
        apart(linked_halves_from_fingerprints, fingerprints, parameters),
    )
    if found is not None:
        _linked(found, parameters, finding)
    elif isinstance(error_of("link"), DataError):
        _other_days(fingerprints, study)


def _other_days(fingerprints: Fingerprints, study: StudyParameters) -> None:
    """Lead on from days with which nobody is in both halves, or nobody is under a control, to the fewest with which somebody is."""
    days = least_days_from_fingerprints(fingerprints)
    if days is None:
        st.markdown("However many days are taken, nobody is in both halves of this data.")
        parts.other_data("Load data of more days", sample="subscribers")
        return
    parts.setting_button(
        f"Compare {'1 day' if days == 1 else f'{days:,} days'} in each half{', without a control' if study.controls else ''}",
        key="other_link_days",
        link_days=[str(days)],
        kgap_control=[],
    )


def _linked(found: tuple[Linkage, ...], parameters: LinkParameters, finding: DeltaGenerator) -> None:
    sentence = words.link_finding(found, parameters.controls)
    with finding:
        parts.finding(sentence)
    parts.chart(
        figures.link_figure(found, palette()),
        key="link_chart",
        alt=sentence,
        exhibit="link",
        options={
            "levels": ",".join(map(str, parameters.levels)),
            "days": ",".join(map(str, parameters.days)),
            "people_sought": parameters.n_query,
            "control": controls_option(parameters.controls),
        },
        about="data",
    )
    parts.table(words.link_rows(found), key="link_table")
    st.caption(f"{words.days_left_out(found, parameters.days)} {words.LINKED_IS_NOT_NAMED}".strip())
