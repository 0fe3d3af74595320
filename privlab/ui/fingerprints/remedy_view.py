"""What can be done: everyone shares a fingerprint with others, what is left of the data then, and its files."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from privlab.checks import ParameterError
from privlab.figures.fingerprints import accuracy_figure, before_and_after_figure
from privlab.figures.fingerprints import anonymizability_words as words
from privlab.figures.wording import plain
from privlab.fingerprints import DEFAULT_LEVELS, Fingerprints, Level
from privlab.fingerprints.glove import GloveParameters
from privlab.lab.fingerprints import HiddenPeople, hidden_people_from_fingerprints
from privlab.limits import MAX_KM, MAX_MIN
from privlab.progress import Progress
from privlab.releases.writing import csv_from_table, parquet_from_table
from privlab.reports import Option
from privlab.safe_text import file_word, readable_csv
from privlab.ui.sessions.downloads import download
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import is_running, outcome, start_work

# What is chosen, by the names of the parameters.
LABELS = {
    "k": "People per fingerprint (k)",
    "suppress_km": "Leave out boxes above (km)",
    "suppress_min": "and above (min)",
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Remedy:
    """A finished run: of which data, and what came of it."""

    key: str
    level: Level
    hidden: HiddenPeople


def remedy_view(plan: Plan, fingerprints: Fingerprints, level: Level) -> None:
    """Show what is left when everyone shares a fingerprint with others (GLOVE), and let it be downloaded."""
    parameters = _glove_controls()
    if parameters is None:
        return
    at_level = "" if level == DEFAULT_LEVELS[0] else f", starting from {level}"
    if st.button(
        f"Hide everyone among {parameters.k}{at_level}",
        type="primary",
        key="run_glove",
        icon=":material/groups:",
        disabled=is_running("glove"),
        help="Starts the search. It shows its progress and can be stopped.",
    ):
        hide = apart(hidden_people_from_fingerprints, fingerprints, parameters, level=level)
        start_work("glove", plan.prepared.key, partial(_remedy_of, plan.prepared.key, level, hide))
        st.rerun()
    found: Remedy | None = outcome("glove")
    if found is None:
        st.caption(
            "Merges the two closest fingerprints again and again until each is shared by k people, stretching samples "
            "into boxes (GLOVE, Gramaglia and Fiore, CoNEXT 2015). A minute or so for 5,000 people."
        )
    elif found.key != plan.prepared.key:
        st.info("The last run was of other data.")
    else:
        if (found.hidden.groups.parameters, found.level) != (parameters, level):
            st.info(
                f"All below, the files too, is of the last run: {_settings(found)}. Click the button above for the settings as they are now."
            )
        _remedy(found, plan)


def _settings(found: Remedy) -> str:
    """Return what a run was made with, in words."""
    asked = found.hidden.groups.parameters
    km = "" if asked.suppress_km is None else f", boxes above {asked.suppress_km:g} km left out"
    minutes = "" if asked.suppress_min is None else f", boxes above {asked.suppress_min:,} min left out"
    return f"everyone among {asked.k}, starting from {found.level} (km–min){km}{minutes}"


def _glove_controls() -> GloveParameters | None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        k = st.number_input(
            LABELS["k"],
            2,
            100,
            2,
            key="glove_k",
            bind="query-params",
            width=200,
            help="How many people share all their rows at least. 2 is the weakest; every step costs detail.",
        )
        km = st.number_input(
            LABELS["suppress_km"],
            0.1,
            MAX_KM,
            None,
            key="glove_km",
            bind="query-params",
            placeholder="no limit",
            width=220,
            help="A sample that would have to be stretched over more than this is left out instead. Empty: none is.",
        )
        minutes = st.number_input(
            LABELS["suppress_min"],
            1,
            MAX_MIN,
            None,
            key="glove_min",
            bind="query-params",
            placeholder="no limit",
            width=180,
            help="The same for time. Empty: none is left out.",
        )
    try:
        return GloveParameters(
            k=int(k or 2), suppress_km=km, suppress_min=None if minutes is None else int(minutes)
        )
    except ParameterError as error:
        st.warning(plain(parts.named_as_shown(error, LABELS)))
        parts.setting_button("Leave no box out", key="no_box_out", glove_k=2, glove_km=None, glove_min=None)
        return None


def _remedy_of(
    key: str, level: Level, hide: Callable[[Progress], HiddenPeople], progress: Progress
) -> Remedy:
    return Remedy(key=key, level=level, hidden=hide(progress))


def _remedy(found: Remedy, plan: Plan) -> None:
    hidden = found.hidden
    groups, accuracy, k = hidden.groups, hidden.accuracy, hidden.groups.parameters.k
    n_samples = groups.home.size
    sentence = words.hidden_finding(groups, accuracy, hidden.verification)
    if not accuracy.n_samples:
        st.warning(sentence)
        parts.setting_button("Leave no box out", key="no_box_out_now", glove_km=None, glove_min=None)
        return
    st.markdown(f"**{sentence}**")
    with st.container(horizontal=True):
        st.metric(
            "samples suppressed",
            f"{groups.n_suppressed / max(1, n_samples):.1%}",
            help="Share of all samples that are left out because their box would be too large.",
        )
        st.metric(
            "people left out",
            f"{groups.n_discarded_users:,}",
            help="People whose samples were all left out: they are not in the result.",
        )
        st.metric(
            "largest group",
            f"{int(groups.users_per_group.max()):,}",
            help="People in the group that shares one fingerprint and is the largest.",
        )
        st.metric(
            "known to within 2 km",
            f"{accuracy.within_km(2):.1%}",
            help="Share of the published samples whose place is told to within 2 km. Those suppressed are in no share.",
        )
        st.metric(
            "known to within 2 h",
            f"{accuracy.within_min(120):.1%}",
            help="Share of the published samples whose time is told to within two hours. Those suppressed are in no share.",
        )
    left, right = st.columns(2, gap="large")
    with left:
        parts.chart(
            accuracy_figure(accuracy, palette()),
            key="glove_accuracy",
            about="data",
            alt=sentence,
            exhibit="hidden",
            options=_options(found),
        )
    with right:
        parts.chart(
            before_and_after_figure(groups, palette()),
            key="glove_maps",
            about="data",
            alt="Left: where samples of the first users are. Right: the boxes that would be published of them.",
            exhibit="hidden_maps",
            options=_options(found),
        )
    parts.table([{"check": what, "holds": "yes"} for what in hidden.verification.checks], key="glove_checks")
    _downloads(hidden, plan, k)


def _downloads(found: HiddenPeople, plan: Plan, k: int) -> None:
    name = f"{file_word(plan.prepared.name)}_{k}_anonymous"
    with st.container(horizontal=True):
        download(
            "Download what would be published (Parquet)",
            data=lambda: parquet_from_table(found.table),
            file_name=f"{name}.parquet",
            mime="application/vnd.apache.parquet",
            key="glove_parquet",
            meaning="The fingerprints that people share, one row for each sample and group. k-anonymous, not differentially private.",
        )
        download(
            "as CSV",
            data=lambda: readable_csv(csv_from_table(found.table)),
            file_name=f"{name}.csv",
            mime="text/csv",
            key="glove_csv",
            meaning="The same rows as text, after comment lines that say what the columns are and by which projection they lie on a map.",
            icon=None,
        )
    st.caption(words.HIDDEN_IS_NO_NOISE)


def _options(found: Remedy) -> dict[str, Option]:
    """Return the parameters of a run as a report keeps them."""
    parameters = found.hidden.groups.parameters
    return {
        "k": parameters.k,
        "level": str(found.level),
        "leave_out_km": parameters.suppress_km,
        "leave_out_min": parameters.suppress_min,
    }
