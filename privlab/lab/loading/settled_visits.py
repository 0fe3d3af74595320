"""Data → who was in which zone in which hour of some weeks, each once; of data read in a settled form, to be released."""

from collections.abc import Sequence
from datetime import date

import numpy as np

from privlab.aggregates import weekly_visits_from_dataset
from privlab.datasets import Dataset
from privlab.datasets.zones import Zoning
from privlab.od import product_of
from privlab.od.settled import CountedCells, SettledCells, require_settled, settled_cells_from_counted
from privlab.progress import UNHEARD, Progress


def settled_visits_from_dataset(
    dataset: Dataset, zoning: Zoning, *, weeks: Sequence[str], progress: Progress = UNHEARD
) -> SettledCells:
    """Return the visits of some weeks: a person in a zone within an hour of the wall clock counts once, however many rows say so.

    Nothing of one person's visits depends on anybody else's rows. Of a trip both ends are seen, in the hour it is dated by.

    Raises
    ------
    ParameterError
        If the dataset was not read in a settled form, names no users, or what is kept of one user depends on others.
    DataError
        If no row of it lies in the zones. Weeks without visits are no error: whether anybody was out in them must not decide
        whether they are published.
    """
    require_settled(dataset)
    counted = counted_visits_from_dataset(dataset, zoning, weeks=weeks, progress=progress)
    return settled_cells_from_counted(dataset, counted)


def counted_visits_from_dataset(
    dataset: Dataset, zoning: Zoning, *, weeks: Sequence[str], progress: Progress = UNHEARD
) -> CountedCells:
    """Return the same of data read in any form, to be simulated. Raises DataError if no row of it lies in the zones."""
    mondays, product = sorted(weeks), product_of("visits")
    seen = weekly_visits_from_dataset(
        dataset, zoning, mondays=[date.fromisoformat(monday) for monday in mondays], progress=progress
    )
    return CountedCells(
        zones=seen.zones,
        weeks=tuple(mondays),
        week_starts=np.searchsorted(seen.week, np.arange(len(mondays) + 1)),
        user=seen.user,
        flow=product.cell_of((seen.zone,), seen.hour, seen.zones.size),
        n_users=seen.n_users,
        product=product,
    )
