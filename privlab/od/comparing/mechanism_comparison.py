"""One promise to a person's week → what each of six mechanisms leaves of the flows, drawn and compared.

Simulation of what could be published: from today's release (integer Laplace noise, trips kept at random) step by
step to Gaussian noise, L2 clipping, unbiased totals and smoothing. Figures of true data. docs/science.md, section 5.1.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from privlab.dp.gaussian import UNITS, rounded_normal, whole_trips_from_units
from privlab.dp.noise import noise_from_uniform
from privlab.od.comparing.candidates import (
    FAMILIES,
    Candidate,
    ComparisonParameters,
    Counts,
    Family,
    best_candidates,
    counts_of_group,
)
from privlab.od.comparing.simulated_step import SimulatedStep
from privlab.od.matrix import UniqueTrips
from privlab.od.products import FLOWS
from privlab.od.releases.secure_release import WeekTotal, published_cells
from privlab.od.smoothing.margins import Margins, ZonePositions, margins_of_cells
from privlab.od.smoothing.week_model import smoothed_counts
from privlab.od.usefulness.estimates import held_ratio
from privlab.od.usefulness.utility import FlowComparison, utility_from_flow_comparison
from privlab.od.weighing.expected_smoothed import expected_smoothed_use
from privlab.progress import UNHEARD, Progress

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedMechanism:
    """A mechanism at its best bound, and what it leaves of the flows: means over the draws.

    `delta` is 0 for Laplace noise. `noise_deviation` is the standard deviation of the noise on one cell, in trips.
    `within` is the share of all trips in flows published within the tolerance, `expected_within` the same by
    calculation; `rmse` (trips) is over true and published flows; `cpc` the common part of commuters;
    `made_up_share` the share of published flows without a true trip; `bias` how far the published total is off,
    as a share of the true one.
    """

    name: str
    epsilon: float
    delta: float
    max_trips_per_user: int
    noise_deviation: float
    within: float
    expected_within: float
    rmse: float
    cpc: float
    made_up_share: float
    bias: float

    def as_dict(self) -> dict[str, float | str | None]:
        """Return the figures by name; `within` is named for the usual tolerance of 10%."""
        named = {one.name: getattr(self, one.name) for one in fields(self)}
        return {("within_10_percent" if name == "within" else name): value for name, value in named.items()}


def comparison_from_unique_trips(
    trips: UniqueTrips,
    parameters: ComparisonParameters,
    *,
    week: str,
    group_size: int | None = None,
    positions: ZonePositions | None = None,
    rng: np.random.Generator,
    progress: Progress = UNHEARD,
) -> tuple[ComparedMechanism, ...]:
    """Return the mechanisms in the order in which each adds a step, each at the bound that serves it best.

    `positions` of `trips.zones` let the smoothed one use how flows fall with distance; None where they are not known.
    Raises DataError where nobody in the group made a trip, ParameterError where the zones make too many cells.
    """
    counts = counts_of_group(trips, week=week, group_size=group_size)
    margins = margins_of_cells(FLOWS, counts.n_zones, positions)
    compared = []
    for i, family in enumerate(FAMILIES):
        progress.tell(i / len(FAMILIES), "Comparing mechanisms")
        best, expected = _best(counts, parameters, family, margins)
        drawn = []
        for _ in range(parameters.draws):
            progress.require_running()
            drawn.append(_figures(counts, parameters, best, margins, rng))
        compared.append(_compared(parameters, best, np.mean(drawn, axis=0).tolist(), expected))
    return tuple(compared)


def compared_mechanism_from_draws(drawn: Sequence[SimulatedStep]) -> ComparedMechanism:
    """Return one step with the means of what its draws leave, which are drawn at the same parameters."""
    expected = drawn[0].expected
    uses = [one.review.utility for one in drawn]

    def mean(figures: Iterable[float]) -> float:
        return float(np.mean(list(figures)))

    return ComparedMechanism(
        name=expected.name,
        epsilon=expected.epsilon,
        delta=drawn[0].delta,
        max_trips_per_user=expected.max_trips_per_user,
        noise_deviation=expected.noise_deviation,
        within=mean(one.within for one in drawn),
        expected_within=expected.within,
        rmse=mean(use.rmse for use in uses),
        cpc=mean(use.cpc for use in uses),
        made_up_share=mean(use.cells_spurious / max(use.cells_kept + use.cells_spurious, 1) for use in uses),
        bias=mean(
            float(one.review.release.count.sum()) / use.total_true - 1
            for one, use in zip(drawn, uses, strict=True)
        ),
    )


def _best(
    counts: Counts, parameters: ComparisonParameters, family: Family, margins: Margins
) -> tuple[Candidate, float]:
    """Return the candidate expected to serve best in the column that the mechanism is judged by, and its expected share."""
    found = best_candidates(counts, parameters, family)
    if not family.smoothed:
        return found[0], found[0].expected
    people, counted = np.zeros(counts.n_cells), np.zeros(counts.n_cells)
    people[counts.place] = counts.true
    expected = []
    for one in found:
        counted[counts.place] = one.law.mean
        expected.append(expected_smoothed_use(people, counted, margins, one.law, parameters.tolerance)[0])
    best = int(np.argmax(expected))
    return found[best], expected[best]


def _compared(
    parameters: ComparisonParameters, best: Candidate, means: list[float], expected: float
) -> ComparedMechanism:
    within, rmse, cpc, made_up, bias = means
    return ComparedMechanism(
        name=best.family.name,
        epsilon=parameters.epsilon,
        delta=parameters.delta if best.family.gaussian else 0.0,
        max_trips_per_user=best.bound,
        noise_deviation=best.law.deviation,
        within=within,
        expected_within=expected,
        rmse=rmse,
        cpc=cpc,
        made_up_share=made_up,
        bias=bias,
    )


def _figures(
    counts: Counts,
    parameters: ComparisonParameters,
    one: Candidate,
    margins: Margins,
    rng: np.random.Generator,
) -> tuple[float, ...]:
    """Return what one draw leaves: share within the tolerance, RMSE, common part, share made up, bias."""
    published, shown = _published(counts, parameters, one, margins, rng)
    true = np.zeros(counts.n_cells)
    true[counts.place] = counts.true
    cells = np.flatnonzero(shown | (true > 0))
    flows = FlowComparison(
        flow=cells,
        true=true[cells],
        bounded=true[cells],
        published=np.where(shown[cells], published[cells], np.nan),
    )
    found = utility_from_flow_comparison(flows)
    n_shown = found.cells_kept + found.cells_spurious
    return (
        flows.share_within(parameters.tolerance),
        found.rmse,
        found.cpc,
        found.cells_spurious / n_shown if n_shown else 0.0,
        float(published[shown].sum()) / found.total_true - 1,
    )


def _published(
    counts: Counts,
    parameters: ComparisonParameters,
    one: Candidate,
    margins: Margins,
    rng: np.random.Generator,
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return one draw of the number that is read for every cell, and which cells the threshold lets be published."""
    law = one.law
    noisy = _noise(one, counts, rng)
    shown = published_cells(noisy, parameters.threshold)
    ratio = 1.0
    if one.family.unbiased:
        total = WeekTotal(trips=round(_noisy_total(one, rng)), counted=round(float(noisy.sum())))
        ratio = held_ratio(total, law.most_given_back)
    if not one.family.smoothed:
        return noisy * ratio, shown
    return smoothed_counts(noisy, margins, law.deviation**2, shown) * ratio, shown


def _noise(one: Candidate, counts: Counts, rng: np.random.Generator) -> Floats:
    """Return every cell's count with noise, in whole trips, as a release publishes it."""
    law, left = one.law, np.zeros(counts.n_cells)
    left[counts.place] = law.mean
    if one.family.gaussian:
        units = np.rint(left * UNITS).astype(np.int64) + rounded_normal(law.scale, left.size, rng)
        return whole_trips_from_units(units).astype(np.float64)
    # By its scale, not as a mechanism: where a total takes a part of the least ε of a release, what is left is below it.
    return left + noise_from_uniform(law, rng.random(left.size))


def _noisy_total(one: Candidate, rng: np.random.Generator) -> float:
    """Return the number of trips with the noise that a part of the promise pays for; at least 1."""
    law = one.law
    assert law.total_deviation is not None
    if one.family.gaussian:
        noise = rng.normal(0.0, law.total_deviation)
    else:
        noise = rng.laplace(0.0, law.total_deviation / math.sqrt(2))
    return max(law.capped_total + float(noise), 1.0)
