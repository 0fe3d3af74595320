"""One parameter of a release moved over a grid → how the risk of the people in the data moves with it.

Figures of true data.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_choice
from privlab.od.matrix import Ints, UniqueTrips
from privlab.od.risks.person_risks import person_risks_from_unique_trips
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.trips.flow_counts import FlowCounts
from privlab.progress import UNHEARD, Progress

Floats = npt.NDArray[np.float64]
Value = float | int | None

VARIED = ("epsilon", "threshold", "max_trips_per_user", "group_size", "n_weeks")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskCurve:
    """The risk of the first people of the random order at each of `values` of one parameter, shape (n,).

    None stands for no bound, or for everyone in the group. `share_above_claim` is of `n_people` judged,
    `claimed_bound` what the release's own ε is said to allow, `median` and `highest` are accuracies.
    """

    varied: str
    values: tuple[Value, ...]
    n_people: Ints
    share_above_claim: Floats
    claimed_bound: Floats
    median: Floats
    highest: Floats


def risk_curve_from_unique_trips(
    trips: UniqueTrips | FlowCounts,
    parameters: ReleaseParameters,
    *,
    varied: str,
    values: Sequence[Value],
    weeks: Sequence[str],
    group_size: int | None = None,
    n_people: int | None = None,
    cells: str = "public",
    progress: Progress = UNHEARD,
) -> RiskCurve:
    """Return the exact risk of the same people in releases that differ in one parameter.

    Parameters
    ----------
    trips : UniqueTrips
        Counts that name nobody are refused, as in person_risks.py.
    varied : str
        One of `VARIED`; all else stays as in `parameters` and `group_size`.
    values : sequence
        What it is set to. A number n of weeks releases the first n of `weeks`.
    weeks : sequence of str
        Mondays; without `n_weeks` varied, only the first of them is released.
    n_people : int, optional
        How many people to judge at each value. Default all.
    cells : str
        Which flows get noise, as in person_risks.py.
    """
    require_choice("varied", varied, VARIED)
    if not values:
        raise ParameterError("values must hold at least one value, got none.")
    rows = []
    for place, value in enumerate(values):
        progress.tell(place / len(values), f"Judging people, {place + 1} of {len(values)} releases")
        release, size, n_weeks = _setting(parameters, group_size, varied, value)
        risks = person_risks_from_unique_trips(
            trips, release, weeks=weeks[:n_weeks], group_size=size, n_people=n_people, cells=cells
        )
        rows.append(
            (
                risks.accuracy.size,
                risks.share_above_claim,
                risks.claimed_bound,
                float(np.median(risks.accuracy)),
                float(risks.accuracy.max()),
            )
        )
    judged, share, claimed, median, highest = (np.array(column) for column in zip(*rows, strict=True))
    return RiskCurve(
        varied=varied,
        values=tuple(values),
        n_people=judged,
        share_above_claim=share,
        claimed_bound=claimed,
        median=median,
        highest=highest,
    )


def _setting(
    parameters: ReleaseParameters, group_size: int | None, varied: str, value: Value
) -> tuple[ReleaseParameters, int | None, int]:
    """Return the release, the size of the group and the number of weeks with one of them set to a value."""
    if varied == "group_size":
        return parameters, None if value is None else int(value), 1
    if varied == "n_weeks":
        return parameters, group_size, int(value or 1)
    changed: dict[str, Any] = {varied: value}
    return replace(parameters, **changed), group_size, 1
