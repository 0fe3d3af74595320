"""One person's fingerprint: who is nearest, which samples give them away, what would hide them."""

import numpy as np
import streamlit as st

from privlab.figures import (
    duration,
    giveaway_figure,
    home_of,
    km_from_home,
    n_days_of,
    parts_figure,
    space_time_figure,
    trails_figure,
)
from privlab.fingerprints import Fingerprints, fingerprints_at_level, folded_fingerprints
from privlab.fingerprints.measures import LevelStudy, StudyParameters, WhatIf, what_if_from_fingerprints
from privlab.progress import Progress
from privlab.ui.shell import parts
from privlab.ui.shell.parts import palette
from privlab.ui.state import Plan
from privlab.ui.work.waiting import awaited

_SHOWN = 12


def person_view(plan: Plan, fingerprints: Fingerprints, study: LevelStudy, k: int) -> None:
    """Show one of the people judged, by place in the order of their k-gaps; no id is shown."""
    n = study.n_judged
    place = st.number_input(
        f"Which of the {n:,} people judged (1: the easiest to hide, {n:,}: the hardest)",
        1,
        n,
        min(n, (n + 1) // 2),
        key="person",
        bind="query-params",
        width=420,
    )
    user, parameters = int(study.kgaps.ranked(k)[int(place or 1) - 1]), study.parameters
    found = awaited(
        "person",
        (plan.prepared.key, parameters, k, user),
        lambda progress: _person(fingerprints, parameters, user, k, progress),
    )
    if found is not None:
        _show(*found, k)


def _person(
    fingerprints: Fingerprints, parameters: StudyParameters, user: int, k: int, progress: Progress
) -> tuple[Fingerprints, WhatIf]:
    if parameters.fold_days is not None:
        fingerprints = folded_fingerprints(fingerprints, fold_days=parameters.fold_days)
    coarse = fingerprints_at_level(fingerprints, parameters.level)
    return coarse, what_if_from_fingerprints(
        coarse, user, k=k, parameters=parameters.stretch, progress=progress
    )


def _show(coarse: Fingerprints, found: WhatIf, k: int) -> None:
    hiding, half = found.hiding_level, found.n_half
    sentence = (
        f"This person has {found.mean.size:,} samples; the nearest other is {found.distance[0]:.3f} away. "
        f"{f'{half} samples make up half of the distance. ' if half else ''}"
        + (
            f"Cells of {hiding.cell_km:g} km and bins of {duration(hiding.bin_min)} would hide them among {k}."
            if hiding is not None
            else f"No level tried would hide them among {k}."
        )
    )
    st.markdown(sentence)
    n_days = n_days_of(coarse, found)
    days = n_days
    if n_days > 1:
        days = st.slider(
            f"Days shown, of {n_days}",
            1,
            n_days,
            n_days,
            key="person_days",
            persist_state="session",
            help="Move it to play the trails through the days. Each sample is joined to the nearest of the other person.",
        )
    parts.chart(
        trails_figure(coarse, found, palette(), days=min(days, n_days)),
        key="person_trails",
        about="data",
        alt=sentence,
        options={"days": days},
    )
    parts.chart(space_time_figure(coarse, found, palette()), key="space_time", about="data", alt=sentence)
    left, right = st.columns(2, gap="large")
    with left:
        parts.chart(parts_figure(found, palette()), key="person_parts", about="data", alt=sentence)
    with right:
        parts.chart(giveaway_figure(found, palette()), key="giveaway", about="data", alt=sentence)
    st.markdown("**The samples that give most away**")
    parts.table([_sample(coarse, found, row) for row in found.order[:_SHOWN].tolist()], key="giveaway_table")
    st.markdown("**Coarser data**")
    parts.table(
        [
            {
                "level (km–min)": str(one.level),
                f"{k}-gap": f"{one.k_gap:.4f}",
                "samples left": f"{one.n_samples:,}",
                "hidden": "yes" if one.hides else "no",
            }
            for one in found.levels
        ],
        key="person_levels",
    )


def _sample(coarse: Fingerprints, found: WhatIf, row: int) -> dict[str, str]:
    at = int(found.at[row])
    when = np.datetime64(int(coarse.t[at]), "m")
    east, north = km_from_home(coarse, np.array([at]), home_of(coarse, found.user))[:, 0]
    return {
        "when": str(when).replace("T", " "),
        "km from home": f"{np.hypot(east, north):.1f}",
        "mean distance": f"{found.mean[row]:.3f}",
        "of it space": f"{found.spatial[row].mean():.3f}",
        "of it time": f"{found.temporal[row].mean():.3f}",
    }
