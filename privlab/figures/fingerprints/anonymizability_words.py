"""k-gaps and what they are made of → sentences. Knows numbers; computes none but counts and medians."""

from collections.abc import Sequence

import numpy as np

from privlab.figures.fingerprints.cost_words import (
    AT_LEAST,
    concentration_words,
    cost_words,
    costs,
    level_cells,
    level_words,
    median_words,
    tail_words,
)
from privlab.figures.wording.words import capital, duration, people, share_of
from privlab.fingerprints import Fingerprints, Level
from privlab.fingerprints.glove import Accuracy, HiddenGroups, Verification
from privlab.fingerprints.measures import (
    MEASURES,
    LevelStudy,
    StudyParameters,
    WhatIf,
    summary_from_dispersion,
    summary_from_kgaps,
)
from privlab.fingerprints.singling_out import Linkage

PAPER_ON_LEVELS = (
    "Gramaglia and Fiore (2015, Figure 4) find about 30% of their users 2-anonymous at 20 km and 8 h, and do not say how they fold weeks. The "
    "sample's generator gives 0.12% with 5,000 users, 1.4% with 82,000, and 57% with all weeks folded onto one: the share depends on how many "
    "people there are and on the folding, so figures that differ from the paper's do not show that either is wrong."
)
PAPER_IN_SHORT = "Of other people, Gramaglia and Fiore (2015) find about 30% 2-anonymous at 20 km and 8 h."
PAPER_ON_WHY = (
    "Gramaglia and Fiore (2015) found, on two call-record datasets: a temporal share of at least 0.8 for half the users, Gini coefficients "
    "around 0.5, and tail weights of time far above those of space. On other data this need not hold."
)
SMALL_IS_NOT_SAFE = (
    "A small k-gap says that hiding someone would be cheap, not that they are hidden: samples of the shorter "
    "fingerprint that match nothing cost nothing, and only a k-gap of 0 is k-anonymity."
)
HIDDEN_IS_NO_NOISE = (
    "k-anonymity hides people among each other, and no more: whoever is known to be in the data is known to have "
    "been in the group's boxes. It is no differential privacy, and nothing of it is in the ledger."
)
# What is drawn of one person, for whoever does not see it, by the name of the part of a report.
PERSON_DRAWN = {
    "person_trails": "The trail of one person and that of the nearest other, in km from the person's home; a line joins samples that are matched.",
    "person_places": "The samples of one person and of the nearest others: where they are, and when.",
    "person_parts": "How far each sample of one person is from the nearest of the nearest others, in space and in time.",
    "person_giveaway": "How much of the distance of one person to the nearest others the most telling samples make up.",
}
_NAMES = {
    "temporal_share": "temporal share",
    "gini": "Gini, all",
    "gini_spatial": "Gini, space",
    "gini_temporal": "Gini, time",
    "tail_weight": "tail weight, all",
    "tail_weight_spatial": "tail weight, space",
    "tail_weight_temporal": "tail weight, time",
    "mean_km": "distance to the nearest, km",
    "mean_min": "distance to the nearest, min",
}


def kgap_finding(study: LevelStudy, k: int) -> str:
    """Return how many people are k-anonymous at a level, and what hiding the others would cost."""
    values = study.kgaps.of(k)
    level = study.parameters.level
    if np.isnan(values).all():
        return _too_few(study, k)
    hidden = int((values == 0).sum())
    controls = study.parameters.controls
    changed = f"On data changed as a control ({', '.join(controls)}): " if controls else ""
    whole = "people" if study.n_judged == study.n_users else "people judged"
    start = (
        f"**No one** of the {study.n_judged:,} {whole} is {k}-anonymous"
        if not hidden
        else f"**{hidden:,} of {study.n_judged:,} {whole}** ({share_of(hidden / study.n_judged)}) {'is' if hidden == 1 else 'are'} {k}-anonymous"
    )
    sentence = f"{changed}{start} at {level_words(level)}{_folded(study.parameters.fold_days)}"
    if study.dispersion is None or not np.nanmedian(values):
        return f"{sentence}."
    return (
        f"{sentence}; to hide the median person among {k - 1} other{'s' if k > 2 else ''}, each sample would have to "
        f"move on average {cost_words(study, k)}."
    )


def _folded(fold_days: int | None) -> str:
    """Say that time is folded, and onto how many days: people who were there in different weeks then look alike."""
    return (
        ""
        if fold_days is None
        else f", with time folded onto {'one day' if fold_days == 1 else f'{fold_days:,} days'}"
    )


def _too_few(study: LevelStudy, k: int) -> str:
    return f"There are only {people(study.n_users)}: nobody can be hidden among {k - 1} others."


def person_finding(fingerprints: Fingerprints, found: WhatIf) -> str:
    """Return how far the nearest other person is from one, sample by sample, in plain units.

    Distances are those of the measure: kilometres along both axes added up, minutes, neither cut off.
    """
    if not found.other.size:
        return "There is **nobody else** in the data: nobody to hide this person among."
    at, nearest = found.at, found.nearest[:, 0]
    x, y, t = (axis.astype(np.int64) for axis in (fingerprints.x, fingerprints.y, fingerprints.t))
    km = float(np.mean(np.abs(x[at] - x[nearest]) + np.abs(y[at] - y[nearest]))) * fingerprints.cell_m / 1000
    minutes = float(np.mean(np.abs(t[at] - t[nearest])))
    n_others, folded = fingerprints.n_users - 1, _folded(fingerprints.fold_days)
    others = f"{n_others:,} other {'person' if n_others == 1 else 'people'}"
    if found.distance[0] == 0:
        return (
            f"This person has a **twin** among {others}{folded}: all samples of one are samples of the other."
        )
    own = f"over the person's own {at.size:,} {'sample' if at.size == 1 else 'samples'}, each place and time counted once{folded}"
    what, where = "Nobody moved like this person", f"{km:.2g} km and {duration(minutes)} away, on average"
    if not km:
        what, where = (
            "Nobody was there when this person was",
            f"at the same places, on average {duration(minutes)} earlier or later",
        )
    return f"**{what}**: of {others} the nearest was {where} {own}."


def person_words(found: WhatIf, k: int) -> str:
    """Return how much of the distance few samples carry, and what would hide the person, among how many, or that nothing does among k."""
    hiding, half = found.hiding, found.n_half
    coarsest = max((one.level for one in found.levels), default=None)
    tried = (
        "No coarser level is left that"
        if coarsest is None
        else f"Not even {level_cells(coarsest)}, the coarsest tried,"
    )
    if hiding is None:
        how = f"{tried} would hide this person among {k}."
    elif nothing_apart(found):
        how = f"As the data is here, this person is hidden among {hiding.n_alike:,} already."
    else:
        how = f"{capital(level_cells(hiding.level))} would hide this person among {hiding.n_alike:,}."
    makes = "makes" if half == 1 else "make"
    return f"{f'{half:,} of {found.mean.size:,} samples {makes} up half of the distance. ' if half and found.mean.size > 1 else ''}{how}"


def nothing_apart(found: WhatIf) -> bool:
    """Return whether every sample of the person is also one of the nearest others: nothing tells them apart."""
    return bool(found.other.size) and not found.mean.any()


def twin_words(k: int) -> str:
    """Return why no sample of a person is drawn apart from those of others."""
    others = "another person has" if k == 2 else f"each of {k - 1:,} others has"
    return f"No sample gives this person away: {others} the same samples."


def place_words(place: int, n_people: int) -> str:
    """Return who someone is without an id: the place among those judged, from the easiest to hide."""
    return f"person {place:,} of {n_people:,}"


def hidden_finding(groups: HiddenGroups, accuracy: Accuracy, verification: Verification) -> str:
    """Return what the proof says of a table in which everyone shares a fingerprint, and what is still known of samples."""
    k = groups.parameters.k
    if not verification.n_users:
        return (
            "Nobody is left: to hide anyone, every sample would have to be stretched over more than the limits allow, and is left out. Allow "
            "larger boxes, or leave none out."
        )
    return (
        f"Everyone in it shares all rows with at least {k - 1} "
        f"other{'s' if k > 2 else ''}: {verification.n_fingerprints:,} fingerprints for "
        f"{verification.n_users:,} people. Half of the published samples are still known to within "
        f"{accuracy.median_km:.3g} km, half to within {duration(accuracy.median_min)}."
    )


def hidden_row(groups: HiddenGroups, accuracy: Accuracy) -> dict[str, str]:
    """Return what hiding costs: samples and people left out, and what the published ones still tell of those of before."""
    return {
        "samples left out": f"{groups.n_suppressed / max(1, groups.home.size):.1%}",
        "people left out": f"{groups.n_discarded_users:,}",
        "largest group": f"{int(groups.users_per_group.max(initial=0)):,}",
        "of the published, known to within 2 km": f"{accuracy.within_km(2):.1%}"
        if accuracy.n_samples
        else "–",
        "of the published, known to within 2 h": f"{accuracy.within_min(120):.1%}"
        if accuracy.n_samples
        else "–",
    }


def account(study: LevelStudy) -> str:
    """Return who was judged, and what the figures rest on."""
    judged = "everybody" if study.n_judged == study.n_users else f"{people(study.n_judged)} drawn by the seed"
    stretch = study.parameters.stretch
    return (
        f"Exact, not sampled in its distances: {judged}, each against all {study.n_users:,}; "
        f"{study.mean_samples:,.1f} samples per person at this level. Space counts up to {stretch.max_km:g} km with "
        f"weight {stretch.space_weight:g}, time up to {stretch.max_min:,} min with weight {stretch.time_weight:g}. "
        f"{study.share_equal_length_pairs:.1%} of all pairs have equally many samples: their distance depends on who "
        f"is asked. {SMALL_IS_NOT_SAFE}"
    )


def run_name(study: LevelStudy) -> str:
    """Return what a run was of, to tell it from others."""
    parameters: StudyParameters = study.parameters
    stretch = parameters.stretch
    fold = "" if parameters.fold_days is None else f", folded onto {parameters.fold_days} d"
    changed = "".join(f", {control}" for control in parameters.controls)
    return (
        f"{parameters.level}, {study.n_judged:,} people, up to {stretch.max_km:g} km/{stretch.max_min} min, "
        f"weights {stretch.space_weight:g}/{stretch.time_weight:g}{fold}{changed}, seed {parameters.seed}"
    )


def levels_finding(studies: tuple[LevelStudy, ...], k: int) -> str:
    """Return what coarser places and times do for anonymity."""
    if np.isnan(studies[0].kgaps.of(k)).all():
        return _too_few(studies[0], k)
    shares = [float(np.mean(study.kgaps.of(k) == 0)) for study in studies]
    folded = _folded(studies[0].parameters.fold_days)
    last = studies[-1].parameters.level
    return (
        f"At the finest level {share_of(shares[0])} of {people(studies[0].n_judged)} judged are {k}-anonymous; at {last.cell_km:g} km and "
        f"{duration(last.bin_min)}, the coarsest, {share_of(shares[-1])} are{folded}: "
        f"{'coarser is not enough.' if shares[-1] <= 0.5 else 'most are, at the price of such coarse data.'}"
    )


def why_finding(study: LevelStudy, k: int, *, expert: bool = True) -> str:
    """Return whether it is when or where that sets people apart; for experts how long the tails are, too."""
    assert study.dispersion is not None
    summary = summary_from_dispersion(study.dispersion, k)
    share, gini = summary.median["temporal_share"], summary.median["gini"]
    if np.isnan(share) and np.isnan(study.kgaps.of(k)).all():
        return _too_few(study, k)
    if np.isnan(share):
        return f"Nothing sets people apart here: every {k}-gap that is defined is 0."
    which = "**when, not where**" if share > 0.5 else "**where rather than when**"
    part = "all" if share == 1 else f"{share_of(share, 0)} or more"
    tails = "."
    if expert:
        time, space = summary.median["tail_weight_temporal"], summary.median["tail_weight_spatial"]
        tails = (f" (Gini {gini:.2f})" if not np.isnan(gini) else "") + tail_words(study, k, time, space)
    return (
        f"In whole trails, what sets people apart is {which}: for half of the people judged {part} of the "
        f"distance to their nearest others is time. {concentration_words(gini)}{tails}"
    )


def dispersion_rows(study: LevelStudy, k: int) -> list[dict[str, str]]:
    """Return the medians over people of every measure, and for how many it is not defined."""
    assert study.dispersion is not None
    summary = summary_from_dispersion(study.dispersion, k)
    return [
        {
            "measure": _NAMES[name],
            "median": median_words(study, k, name, summary.median[name]),
            "not defined for": f"{summary.n_undefined[name]:,}",
        }
        for name in MEASURES
    ]


def summary_row(study: LevelStudy, k: int) -> dict[str, str]:
    """Return one line of the table of k-gaps."""
    summary = summary_from_kgaps(study.kgaps, k)
    if np.isnan(summary.mean):
        return {"k": str(k), "k-anonymous": "too few people"} | dict.fromkeys(
            ("mean k-gap", "median", "95% below", "cost in space", "in time"), "–"
        )
    row = {
        "k": str(k),
        "k-anonymous": share_of(summary.share_at_zero),
        "mean k-gap": f"{summary.mean:.4f}",
        "median": f"{summary.quantiles['0.5']:.4f}",
        "95% below": f"{summary.quantiles['0.95']:.4f}",
    }
    if study.dispersion is None:
        return row
    (km, more_km), (minutes, more_min) = costs(study, k)
    return row | {
        "cost in space": f"{AT_LEAST if more_km else ''}{km:.2f} km",
        "in time": f"{AT_LEAST if more_min else ''}{minutes:.0f} min",
    }


LINKED_IS_NOT_NAMED = (
    "Linked by how often each is where, whatever the hour: who is most like themselves, of all in the first half, counts; equals "
    "count in parts. Linked is not named, but whoever names one of the two records has named both."
)


def link_finding(found: Sequence[Linkage], controls: Sequence[str]) -> str:
    """Return how many are found again at the first level, with the longest halves, and what a blind guess finds."""
    own = max((one for one in found if one.level == found[0].level), key=lambda one: one.days)
    changed = f"On data changed as a control ({', '.join(controls)}): by" if controls else "By"
    days = "the day" if own.days == 1 else f"the {own.days} days"
    return (
        f"{changed} the places they visit at {level_words(own.level)}, **{own.share:.1%}** of {people(own.n_sought)} seen again in {days} "
        f"after are linked right to themselves among {own.n_candidates:,} (95% interval {own.low:.1%} to {own.high:.1%}; a blind "
        f"guess: {own.chance:.2%})."
    )


def days_left_out(found: Sequence[Linkage], days: Sequence[int]) -> str:
    """Return which of the numbers of days asked for nobody could be linked with; empty if there is none."""
    without = sorted(set(days) - {one.days for one in found})
    if not without:
        return ""
    named = " and ".join(filter(None, (", ".join(f"{one:,}" for one in without[:-1]), f"{without[-1]:,}")))
    return (
        f"Left out: {named} day{'' if without == [1] else 's'} in each half: nobody is in both halves then."
    )


def link_rows(found: Sequence[Linkage]) -> list[dict[str, str]]:
    """Return one line per level and number of days."""
    return [
        {
            "level (km–min)": str(one.level),
            "days in each half": f"{one.days}",
            "linked right": f"{one.share:.1%}",
            "95% interval": f"{one.low:.1%} – {one.high:.1%}",
            "a blind guess": f"{one.chance:.2%}",
            "people sought": f"{one.n_sought:,}",
            "among": f"{one.n_candidates:,}",
            "equally like others": f"{one.n_tied:,}",
        }
        for one in found
    ]


def level_name(level: Level) -> str:
    """Return a level as figures name it; "0.1-1", as commands do, would be read as a range.

    >>> level_name(Level(0.1, 1)), level_name(Level(20, 480))
    ('0.1 km, 1 min', '20 km, 8 h')
    """
    return f"{level.cell_km:g} km, {duration(level.bin_min)}"
