"""What people do in some weeks, by any product → a simulated release of it, by the steps of a release but for their chance, and its use.

A simulation only: the choice under the bound and the noise come from a seed, so that nothing of it may be handed out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.od.matrix import Ints, cells_and_counts, places_of
from privlab.od.products import Product
from privlab.od.releases.rehearsed_release import seeded_steps
from privlab.od.releases.release_plan import ReleasePlan, SecureReleaseParameters
from privlab.od.releases.secure_release import rows_of_weeks
from privlab.od.settled.settled_trips import CountedCells
from privlab.od.usefulness.estimates import greatest_ratio, held_ratio
from privlab.od.usefulness.utility import FlowComparison, Utility, utility_from_flow_comparison
from privlab.seeds import generator

Floats = npt.NDArray[np.float64]
Columns = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProductSimulation:
    """True counts, a simulated release of them, and its utility over all weeks; `cell` of both names each cell by column.

    `true_week`, `true_cell` and `true_count` are over the cells with anybody in them, shape (T,), `week`, `cell` and `count` over
    those published, shape (P,). `n_cells` is how many cells get noise in all weeks. `unbiased` is the utility of the counts times what
    a noisy total gives back; None without a total.
    """

    true_week: npt.NDArray[np.str_]
    true_cell: Columns
    true_count: Ints
    week: npt.NDArray[np.str_]
    cell: Columns
    count: Ints
    n_cells: int
    utility: Utility
    unbiased: Utility | None


def product_simulation_from_cells(cells: CountedCells, plan: ReleasePlan, *, seed: int) -> ProductSimulation:
    """Return one simulated release of the plan's weeks, and what it leaves of the true counts.

    Cells with an end outside the plan's zones are not counted, as a release does not. Raises ParameterError if the product of the
    cells is not that of the plan.
    """
    cells = cells.between(plan.zones).in_order()
    steps = seeded_steps(plan.parameters, generator(seed, "product simulation"))
    counted: list[tuple[Ints, Ints]] = []

    def bounded(
        user: npt.NDArray[np.int32], flow: Ints, n_zones: int, parameters: SecureReleaseParameters
    ) -> tuple[Ints, Ints]:
        counted.append(steps.bounded(user, flow, n_zones, parameters))
        return counted[-1]

    rows = rows_of_weeks(cells, plan, bounded, steps.noise)
    product, n_zones = plan.product, cells.zones.size
    true = [cells_and_counts(cells.week_of(week)[1], product.n_numbers(n_zones)) for week in plan.weeks]
    published = _numbers(rows.cell, cells.zones, product)
    flows = [
        _comparison(
            true[place],
            counted[place],
            steps.noise.units,
            published[rows.week == week],
            rows.count[rows.week == week],
        )
        for place, week in enumerate(plan.weeks)
    ]
    most = greatest_ratio(plan.parameters.max_trips_per_user)
    ratios = {week: held_ratio(total, most) for week, total in rows.totals.items()}
    return ProductSimulation(
        true_week=np.repeat(np.asarray(plan.weeks), [one.size for one, _ in true]),
        true_cell=product.named(np.concatenate([one for one, _ in true]), cells.zones),
        true_count=np.concatenate([count for _, count in true]),
        week=rows.week,
        cell=rows.cell,
        count=rows.count,
        n_cells=plan.n_noisy_cells or sum(one.size for one, _ in counted),
        utility=_use(flows, plan.weeks, {}),
        unbiased=_use(flows, plan.weeks, ratios) if ratios else None,
    )


def _numbers(cell: Columns, zones: npt.NDArray[Any], product: Product) -> Ints:
    """Return the number of each published cell over the zones of the data, which hold all zones of the plan."""
    ends = tuple(places_of(cell[name], zones).astype(np.int64) for name in product.columns[: product.n_ends])
    return product.cell_of(ends, product.slot_in(cell), zones.size)


def _comparison(
    true: tuple[Ints, Ints], counted: tuple[Ints, Ints], units: int, published: Ints, count: Ints
) -> FlowComparison:
    """Return the cells of a week that anybody is in or that are published, side by side."""
    every = np.union1d(true[0], published)

    def spread(cell: Ints, values: Floats | Ints, empty: float) -> Floats:
        out = np.full(every.size, empty)
        out[np.searchsorted(every, cell)] = values
        return out

    return FlowComparison(
        flow=every,
        true=spread(*true, 0.0),
        bounded=spread(counted[0], counted[1] / units, 0.0),
        published=spread(published, count, np.nan),
    )


def _use(flows: list[FlowComparison], weeks: tuple[str, ...], ratios: Mapping[str, float]) -> Utility:
    """Return the utility over all weeks, of the counts times the week's ratio, 1 where there is none."""
    back = [ratios.get(week, 1.0) for week in weeks]
    first = np.cumsum(
        [0, *(int(one.flow.max(initial=-1)) + 1 for one in flows)]
    )  # each week's cells get numbers of their own
    return utility_from_flow_comparison(
        FlowComparison(
            flow=np.concatenate([one.flow + start for one, start in zip(flows, first, strict=False)]),
            true=np.concatenate([one.true for one in flows]),
            bounded=np.concatenate([one.bounded * ratio for one, ratio in zip(flows, back, strict=True)]),
            published=np.concatenate([one.published * ratio for one, ratio in zip(flows, back, strict=True)]),
        )
    )
