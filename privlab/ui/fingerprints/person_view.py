"""One person's fingerprint: who is nearest, which samples give them away, what would hide them."""

from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from privlab.datasets import sample_decoration
from privlab.figures.fingerprints import (
    LAWS_MEAN,
    Ground,
    days_at_first,
    giveaway_figure,
    home_of,
    km_from_home,
    laws_figure,
    laws_finding,
    laws_rows,
    n_days_of,
    parts_figure,
    space_time_figure,
    trails_figure,
)
from privlab.figures.fingerprints import anonymizability_words as words
from privlab.fingerprints import Fingerprints
from privlab.fingerprints.measures import (
    LevelStudy,
    StudyParameters,
    WhatIf,
    places_beside,
)
from privlab.progress import Progress
from privlab.reports import Option
from privlab.ui.derived import once_as_it_opens
from privlab.ui.fingerprints import anonymizability_page
from privlab.ui.fingerprints.anonymizability_views import options_of
from privlab.ui.fingerprints.person_work import hidden_person, spread_distances, what_if
from privlab.ui.report.report_state import add_button
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.sliders import days_slider, follow
from privlab.ui.state import Plan
from privlab.ui.work.heavy_work import apart
from privlab.ui.work.waiting import awaited

_SHOWN = 12


def person_view(
    plan: Plan, fingerprints: Fingerprints, study: LevelStudy, k: int, finding: DeltaGenerator
) -> None:
    """Show one of the people judged, by place in the order of their k-gaps; no id is shown. `finding` is where it is said."""
    controls = st.container(horizontal=True, vertical_alignment="bottom")
    n = study.n_judged
    middle = (n + 1) // 2
    follow("person", middle)
    with controls:
        place = st.number_input(
            f"Which of {n:,} people",
            1,
            n,
            middle,
            key="person",
            bind="query-params",
            width=220,
            help=f"Of the people judged. 1: the easiest to hide, {n:,}: the hardest.",
        )
    user, parameters = int(study.kgaps.ranked(k)[int(place or 1) - 1]), study.parameters

    opens = anonymizability_page.opens_with(fingerprints, parameters) and k == 2 and place == middle

    def work(progress: Progress) -> tuple[Fingerprints, WhatIf]:
        def once(coarse: Fingerprints, progress: Progress) -> WhatIf:
            found = partial(what_if, coarse, user, k, parameters)
            return once_as_it_opens(plan, "first person", found, opens=True, keep="person")(progress)

        return hidden_person(fingerprints, parameters, user, k, known=once, progress=progress)

    elsewhere = apart(hidden_person, fingerprints, parameters, user, k)
    which = (plan.prepared.key, parameters, k, user)
    found = awaited("person", which, work if opens else elsewhere)
    if found is not None:
        coarse, one = found
        with finding:
            parts.finding(words.person_finding(coarse, one))
        options = options_of(parameters, k) | {"person": int(place or 1)}
        ground = Ground(zones=plan.prepared.zone_map, decoration=sample_decoration(plan.data))
        _show(coarse, one, which, controls, options, ground)
        _spread(plan, fingerprints, study, k, int(place or 1), options)
        add_button("kgap", **options_of(parameters, k))


def _show(
    coarse: Fingerprints,
    found: WhatIf,
    which: tuple[object, StudyParameters, int, int],
    controls: DeltaGenerator,
    options: dict[str, Option],
    ground: Ground,
) -> None:
    """Show the person's trails up to a day, and what is of no day: it is drawn once for each person that `which` names."""
    k = which[2]
    with controls:
        days = days_slider(
            "person_days",
            n_days_of(coarse, found),
            days_at_first(coarse, found),
            "Follow the trails day by day, by hand here or with Play in the picture. Each sample is joined to the nearest of the other "
            "person.",
        )
    sentence = words.person_words(found, k)
    parts.chart(
        trails_figure(coarse, found, palette(), days=days, ground=ground),
        key="person_trails",
        about="data",
        alt=words.PERSON_DRAWN["person_trails"],
        exhibit="person_trails",
        options=options | {"days_shown": days},
    )
    st.markdown(sentence)
    parts.chart(
        lambda: space_time_figure(coarse, found, palette()),
        key="space_time",
        about="data",
        alt=words.PERSON_DRAWN["person_places"],
        exhibit="person_places",
        options=options,
        made_of=which,
    )
    if words.nothing_apart(found):
        st.markdown(words.twin_words(k))
        _coarser(found, k)
        return
    left, right = st.columns(2, gap="large")
    for column, figure, key, exhibit in (
        (left, parts_figure, "person_parts", "person_parts"),
        (right, giveaway_figure, "giveaway", "person_giveaway"),
    ):
        with column:
            drawn = words.PERSON_DRAWN[exhibit]
            parts.chart(
                partial(figure, found, palette()),
                key=key,
                about="data",
                alt=drawn,
                exhibit=exhibit,
                options=options,
                made_of=which,
            )
    st.markdown("**The samples that give most away**")
    parts.table([_sample(coarse, found, row) for row in found.order[:_SHOWN].tolist()], key="giveaway_table")
    _coarser(found, k)


def _spread(
    plan: Plan, fingerprints: Fingerprints, study: LevelStudy, k: int, place: int, options: dict[str, Option]
) -> None:
    """Show how the distances of single samples are spread, of this person and of three others, and how long each tail is."""
    fold = st.expander(
        "How the distances of single samples are spread: tails, for experts",
        key="spread_fold",
        bind="query-params",
        on_change="rerun",
    )
    if not fold.open:
        return
    ranked, n = study.kgaps.ranked(k), study.n_judged
    chosen = {words.place_words(at, n): int(ranked[at - 1]) for at in places_beside(place, n)}
    with fold:
        people = awaited(
            "spread",
            (plan.prepared.key, study.parameters, k, tuple(chosen.values())),
            apart(spread_distances, fingerprints, study.parameters, chosen, k),
        )
        if people is None:
            return
        sentence = laws_finding(people, k)
        st.markdown(sentence)
        parts.chart(
            laws_figure(people, palette()),
            key="person_laws",
            about="data",
            alt=sentence,
            exhibit="person",
            options=options,
        )
        parts.table(laws_rows(people), key="person_laws_table", meanings=LAWS_MEAN)


def _coarser(found: WhatIf, k: int) -> None:
    """Show what coarser data would do for the person."""
    st.markdown("**Coarser data**")
    parts.table(
        [
            {
                "level (km–min)": str(one.level),
                f"{k}-gap": _gap(one.k_gap),
                "samples left": f"{one.n_samples:,}",
                "hidden": f"yes, among {one.n_alike:,}" if one.hides else "no",
            }
            for one in found.levels
        ],
        key="person_levels",
    )
    st.caption(
        "Coarser data has fewer samples, and the gap is a mean over those left: it can grow as they merge."
    )


def _gap(k_gap: float) -> str:
    """Return a k-gap; a dash where fewer than k people are there.

    >>> _gap(0.25), _gap(float("nan"))
    ('0.2500', '–')
    """
    return "–" if np.isnan(k_gap) else f"{k_gap:.4f}"


def _sample(coarse: Fingerprints, found: WhatIf, row: int) -> dict[str, str]:
    at = int(found.at[row])
    east, north = km_from_home(coarse, np.array([at]), home_of(coarse, found.user))[:, 0]
    return {
        "when": coarse.time_of(at),
        "km from home": f"{np.hypot(east, north):.1f}",
        "mean distance": f"{found.mean[row]:.3f}",
        "of it space": f"{found.spatial[row].mean():.3f}",
        "of it time": f"{found.temporal[row].mean():.3f}",
    }
