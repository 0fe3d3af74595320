"""What a bound leaves of true counts, and a release's parameters → how near the truth its smoothed counts are expected to be.

A cell's own noise is worked out exactly; that of all others, which moves the model, stands for itself in a few draws that are always
the same. docs/science.md, section 5.10.
"""

import math

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.dp.gaussian import UNITS
from privlab.od.products import FLOWS
from privlab.od.releases.secure_release import WeekTotal
from privlab.od.smoothing.margins import Margins, margins_of_cells
from privlab.od.smoothing.week_model import ModelSums
from privlab.od.usefulness.estimates import held_ratio
from privlab.od.weighing.expected_counts import Law, Use
from privlab.od.weighing.weighed_week import WeighedWeek
from privlab.seeds import generator

Floats = npt.NDArray[np.float64]

_DRAWS, _OF_MANY_CELLS = 16, 4  # of the noise of all cells, each with its opposite
_MANY_CELLS = 100_000
_SEED = 1


def smoothed_use(week: WeighedWeek, law: Law, tolerance: float) -> Use:
    """Return what smoothed counts are expected to be worth: between noisy counts and the model of the sums of all of them."""
    cells = FLOWS.all_cells(week.n_zones)
    place = np.searchsorted(cells, week.origin * week.n_zones + week.destination)
    people, counted = np.zeros(cells.size), np.zeros(cells.size)
    people[place], counted[place] = week.people, law.mean
    return expected_smoothed_use(
        people, counted, margins_of_cells(FLOWS, week.n_zones, week.positions), law, tolerance
    )


def expected_smoothed_use(
    people: Floats, counted: Floats, margins: Margins, law: Law, tolerance: float
) -> Use:
    """Return the use of smoothed counts of all cells, shape (C,): `people` true, `counted` what the bound leaves. `od --compare` asks too."""
    rng = generator(_SEED, "expected smoothed counts")
    n = _DRAWS if people.size <= _MANY_CELLS else _OF_MANY_CELLS
    # Noises on the total that are equally likely; opposite noise goes with the opposite one.
    totals = scipy.special.ndtri(rng.permutation((np.arange(2 * n) + 0.5)[n:] / (2 * n)))
    close = square = 0.0
    for total in totals.tolist():
        noise = rng.normal(0.0, law.deviation, people.size)
        for sign in (1.0, -1.0):
            near, off = _use(people, counted, sign * noise, sign * total, margins, law, tolerance)
            close += near / (2 * n)
            square += off / (2 * n)
    shown = (
        1.0 if not law.threshold else scipy.special.ndtr((counted - law.threshold + 0.5) * UNITS / law.scale)
    )
    n_shown = float(np.where(people > 0, 1.0, shown).sum())
    return close / float(people.sum()), math.sqrt(max(square, 0.0) / n_shown)


def _use(
    people: Floats,
    counted: Floats,
    noise: Floats,
    on_total: float,
    margins: Margins,
    law: Law,
    tolerance: float,
) -> tuple[float, float]:
    """Return the trips within the tolerance and the square error of all cells, expected over each cell's own noise.

    `noise` (C,) is what all cells get, in trips: it makes the model, in which a cell's own part of it is then free again, and the flow
    back of each. `on_total`, in standard deviations, is the noise on the total. A smoothed count below 0 is read as 0.
    """
    deviation, variance = law.scale / UNITS, law.deviation**2
    noisy = counted + noise
    told = ModelSums.from_noisy_counts(noisy, margins, variance)
    model, ratio = told.model(margins, variance), 1.0
    if law.total_deviation is not None:
        total = WeekTotal(
            trips=round(law.capped_total + on_total * law.total_deviation), counted=round(float(noisy.sum()))
        )
        ratio = held_ratio(total, law.most_given_back)
    least = law.threshold - 0.5 if law.threshold else -np.inf
    trust, of_back = told.trust(model, margins.back, noisy >= least, variance)
    own = _own_part(told, margins)
    # A smoothed count is start + slope·y in its own noisy count y.
    slope = np.maximum(trust + (1 - trust) * model * own, 1e-9)
    start = (1 - trust) * model * (1 - own * noisy)
    if margins.back is not None:
        start += of_back * (noisy - model)[margins.back]

    def standard(smoothed: Floats) -> Floats:
        """Return the noise with which a count smoothed like this is published, in standard deviations."""
        return (np.maximum(least, (smoothed - start) / slope) - counted) / deviation

    low = standard((1 - tolerance) * people / ratio - 1e-9)
    high = standard((1 + tolerance) * people / ratio + 1e-9)
    close = float(people @ np.maximum(scipy.special.ndtr(high) - scipy.special.ndtr(low), 0.0))
    edge = standard(np.zeros(people.size))
    passes = scipy.special.ndtr(-edge)
    density = np.exp(-np.minimum(edge * edge, 1e4) / 2) / math.sqrt(2 * math.pi)
    at, wide = start + slope * counted, slope * deviation
    once = at * passes + wide * density
    twice = (at**2 + wide**2) * passes + (2 * at * wide + wide**2 * edge) * density
    return close, float((ratio**2 * twice - 2 * ratio * people * once + people**2).sum())


def _own_part(told: ModelSums, margins: Margins) -> Floats:
    """Return by how much the logarithm of each modelled count moves with one trip more in it: through each of its sums, less the total."""
    total = max(float(sum(told.sums[0])), 1.0)
    found = np.full(margins.n_cells, -(len(margins.sizes) - 1) / total)
    for number, sums in zip(margins.numbers, told.sums, strict=True):
        found += 1 / np.maximum(np.array(sums, dtype=np.float64), 1.0)[number]
    return found
