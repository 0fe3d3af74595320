"""Rows in zones → a simulated release of visits, of flows by time of the week, or of flows, by the very steps of a release.

The rows may be read in any form: nothing of this can be released.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

import numpy as np

from privlab.checks import DataError
from privlab.datasets.times import slot_min_from_format
from privlab.lab.loading.settled_visits import counted_visits_from_dataset
from privlab.od import FLOWS, VISITS, product_of
from privlab.od.releases import ReleasePlan, SecureReleaseParameters, release_plan_from_parameters
from privlab.od.settled import counted_trips_from_dataset, reason_against_promise

if TYPE_CHECKING:
    from privlab.datasets import Dataset
    from privlab.datasets.zones import Zoning
    from privlab.od.settled import CountedCells
    from privlab.od.simulating import ProductSimulation


def simulated_product_from_rows(
    dataset: "Dataset",
    zoning: "Zoning",
    parameters: SecureReleaseParameters,
    *,
    weeks: Sequence[str] | None = None,
    seed: int = 1,
) -> "tuple[ReleasePlan, ProductSimulation]":
    """Return the plan of a release of some weeks, by default all with anybody in them, and one simulation of it.

    Raises
    ------
    DataError
        If the data names no users, has no times, or nobody is counted in these weeks.
    ParameterError
        If the weeks are no Mondays, the parameters fit no release, or workdays are counted apart and nobody said which they are.
    """
    from privlab.od.simulating import product_simulation_from_cells

    reason = reason_against_promise(has_users=dataset.kind != "counts", users_apart=dataset.users_apart)
    if reason is not None:
        raise DataError(reason)
    numbered = slot_min_from_format(dataset.mapping.time_format) is not None
    product_of(parameters.product).require_days(numbered=numbered)
    public = zoning.public_zones()

    def planned(mondays: Sequence[str]) -> ReleasePlan:
        return release_plan_from_parameters(
            parameters, weeks=mondays, zones_spec=zoning.spec, public_zones=public
        )

    if weeks is not None:
        planned(weeks)  # refuses what is no Monday, before anything is read
    cells = _counted(
        dataset, zoning, parameters.product, _mondays(dataset) if weeks is None else sorted(weeks)
    )
    size = np.diff(cells.between(public).week_starts)
    found = [week for week, n in zip(cells.weeks, size.tolist(), strict=True) if n]
    if not found:
        when = "" if weeks is None else f" in the week of {', '.join(sorted(weeks))}"
        fit = "zones" if weeks is None else "weeks and the zones"
        raise DataError(f"{dataset.name} has nobody to count{when}. Do the {fit} fit the data?")
    plan = planned(found if weeks is None else weeks)
    return plan, product_simulation_from_cells(cells, plan, seed=seed)


def _counted(dataset: "Dataset", zoning: "Zoning", product: str, mondays: Sequence[str]) -> "CountedCells":
    if product == VISITS.name:
        return counted_visits_from_dataset(dataset, zoning, weeks=mondays)
    by_slot = product_of(product) is not FLOWS
    return counted_trips_from_dataset(dataset, zoning, weeks=mondays, by_slot=by_slot)


def _mondays(dataset: "Dataset") -> list[str]:
    """Return the Mondays of the weeks from the first row to the last."""
    time = dataset.table.time
    row = dataset.table.aggregate(first=time.min(), last=time.max()).to_pyarrow()
    first, last = (row[name][0].as_py() for name in ("first", "last"))
    if first is None:
        raise DataError(f"{dataset.name} has no times, and a release is of named weeks.")
    monday: date = first.date() - timedelta(days=first.weekday())
    n_weeks = (last.date() - monday).days // 7 + 1
    return [str(monday + timedelta(weeks=week)) for week in range(n_weeks)]
