"""What hiding a person costs, and how long the tails are -> words that are true where distances count as no more than a cap.

Knows numbers; computes none but medians.
"""

import numpy as np

from privlab.figures.wording.words import duration
from privlab.fingerprints import Level
from privlab.fingerprints.measures import LevelStudy

AT_LEAST = "≥ "


def costs(study: LevelStudy, k: int) -> tuple[tuple[float, bool], tuple[float, bool]]:
    """Return the median cost in km and in minutes, and of each whether it is a lower bound.

    It is as soon as a sample of somebody at or below the median counts no farther than the cap, for it may be farther.
    """
    parts = study.dispersion
    assert parts is not None
    column = parts.ks.index(k)
    found = []
    for means, capped in ((parts.mean_km, parts.capped_km), (parts.mean_min, parts.capped_min)):
        cost, of_caps = means[:, column], capped[:, column]
        known = ~np.isnan(cost)
        cost, of_caps = cost[known], of_caps[known]
        if not cost.size:
            found.append((float("nan"), False))
            continue
        middle = np.sort(cost)[cost.size // 2]
        found.append((float(np.median(cost)), bool((of_caps[cost <= middle] > 0).any())))
    return found[0], found[1]


def cost_words(study: LevelStudy, k: int) -> str:
    """Return what hiding the median person costs; where far samples count as the cap, that it is more."""
    (km, more_km), (minutes, more_min) = costs(study, k)
    space, time = f"{km:.2g} km", duration(minutes)
    stretch = study.parameters.stretch
    most_km, most_time = f"{stretch.max_km:g} km", duration(stretch.max_min)
    if more_km and more_min:
        return (
            f"{space} or more and {time} or more (space is counted up to {most_km}, time up to {most_time})"
        )
    if more_min:
        return f"up to {space} and {time} or more (time is counted up to {most_time})"
    if more_km:
        return f"{space} or more and up to {time} (space is counted up to {most_km})"
    return f"up to {space} and {time}"


def median_words(study: LevelStudy, k: int, name: str, median: float) -> str:
    """Return the median of a measure: a dash where it is defined for nobody, and that it is more where far samples count as the cap."""
    if np.isnan(median):
        return "–"
    if name not in ("mean_km", "mean_min"):
        return f"{median:.4g}"
    (_, more_km), (_, more_min) = costs(study, k)
    return f"{AT_LEAST if (more_km if name == 'mean_km' else more_min) else ''}{median:.4g}"


def tail_words(study: LevelStudy, k: int, time: float, space: float) -> str:
    """Return the median tail weights, or of which part they are not defined, and why."""
    known = [
        f"{value:.2f} in {name}" for value, name in ((time, "time"), (space, "space")) if not np.isnan(value)
    ]
    words = f"; the median tail weight is {' and '.join(known)} (normal distribution: 1)." if known else "."
    for value, name in ((time, "time"), (space, "space")):
        if np.isnan(value):
            words += f" In {name} it is not defined: {_why_no_tail(study, k, name)}."
    return words if known else words.replace("it is", "the tail weight is", 1)


def _why_no_tail(study: LevelStudy, k: int, name: str) -> str:
    """Return why nobody has a tail weight in space or time: their distances do not differ where it looks."""
    parts, stretch = study.dispersion, study.parameters.stretch
    assert parts is not None
    capped, most = (
        (parts.capped_min, duration(stretch.max_min))
        if name == "time"
        else (parts.capped_km, f"{stretch.max_km:g} km")
    )
    if (capped[:, parts.ks.index(k)] > 0.5).all():
        return f"of everybody more than half of the samples are {most} or more from the nearest, and count as {most}"
    return "of everybody a quarter of the samples or more are equally far from the nearest"


def concentration_words(gini: float) -> str:
    """Return how unevenly the samples carry the distance, by its Gini coefficient.

    At 0.5 the largest fifth of exponential shares holds 52%; below 0.25 that fifth can hold 45% at most.
    """
    if np.isnan(gini):
        return "How unevenly samples carry it is not defined"
    if gini >= 0.5:
        return "A few samples carry most of it"
    return (
        "Some samples carry more of it than others"
        if gini >= 0.25
        else "All samples carry about as much of it"
    )


def level_words(level: Level) -> str:
    """Return a level as a sentence says it."""
    return f"{level.cell_km:g} km and {duration(level.bin_min)}"


def level_cells(level: Level) -> str:
    """Return the cells and bins of a level.

    >>> level_cells(Level(20, 480))
    'cells of 20 km and bins of 8 h'
    """
    return f"cells of {level.cell_km:g} km and bins of {duration(level.bin_min)}"
