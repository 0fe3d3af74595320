"""A release and the data it was made from → true and published counts side by side. True data: for the steward alone."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError
from privlab.od import FLOWS, SLOTS, ODMatrix
from privlab.od.releases import ReleasePlan
from privlab.od.settled import SettledCells
from privlab.od.trips import PreparedTrips, od_matrix_from_prepared_trips
from privlab.od.usefulness import FlowComparison, flow_comparison_from_published_counts, require_known_zones
from privlab.releases.reading.released_counts import ReleasedCounts


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Places:
    """Zone ids, positions and outlines, shape (Z,): those of the data first, then those that only the release names."""

    zones: Any
    lat: Any
    lon: Any
    outlines: tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedFlows:
    """One week of a release beside the truth; its cells are numbered by the zones of `places`.

    `unbiased` are the same flows with the published counts times what gives back on average what the limit on trips took;
    None where no total was published. `agreed` are those with the counts that agree with sums of districts, None without levels;
    `smoothed` those with the smoothed counts, None where the certificate has no model.
    """

    week: str
    flows: FlowComparison
    places: Places
    unbiased: FlowComparison | None = None
    agreed: FlowComparison | None = None
    smoothed: FlowComparison | None = None

    @property
    def best(self) -> tuple[str, FlowComparison]:
        """Return the counts that know most, and which they are: "agreed", "unbiased" or "published"; smoothed ones lean on a model."""
        if self.agreed is not None:
            return "agreed", self.agreed
        return ("published", self.flows) if self.unbiased is None else ("unbiased", self.unbiased)


_NOT_OF_WEEKS = {"visits": "visits by hour", "flows-by-slot": "flows by slot"}


def require_flows_of_weeks(plan: ReleasePlan) -> None:
    """Raise DataError unless a release is of flows of whole weeks, which is what a steward's analyses are of."""
    if plan.product is not FLOWS:
        raise DataError(
            f"The release is of {_NOT_OF_WEEKS[plan.product.name]}, and a steward's analyses are of flows of a week: name a release of "
            "flows. What this one is good for stands in the report on it (`report --on-release`)."
        )


def released_flows_from_counts(prepared: PreparedTrips, released: ReleasedCounts) -> list[ReleasedFlows]:
    """Return each week's true and published counts, and where the zones lie.

    Raises DataError if not one zone of the release is in the data, or if it is not of flows of whole weeks.
    """
    require_flows_of_weeks(released.plan)
    places, origin, destination = _places_of(prepared, released)
    found = []
    for week in released.plan.weeks:
        part = released.week == week
        true = od_matrix_from_prepared_trips(prepared, week=week) if week in prepared.trips.weeks else None
        ends = {"origin": origin[part], "destination": destination[part]}
        flows = flow_comparison_from_published_counts(true, places.zones, **ends, count=released.count[part])
        ratio = released.ratio.get(week)

        def column(
            values: np.ndarray[Any, np.dtype[np.float64]] | None,
            true: ODMatrix | None = true,
            part: np.ndarray[Any, np.dtype[np.bool_]] = part,
            ends: dict[str, Any] = ends,
        ) -> FlowComparison | None:
            """Return the same flows with one of the estimates, if there are any."""
            if values is None:
                return None
            return flow_comparison_from_published_counts(true, places.zones, **ends, count=values[part])

        found.append(
            ReleasedFlows(
                week=week,
                flows=flows,
                places=places,
                unbiased=None if ratio is None else replace(flows, published=flows.published * ratio),
                agreed=column(released.agreed),
                smoothed=column(released.smoothed),
            )
        )
    return found


def busiest_slot(released: ReleasedCounts, week: str) -> int:
    """Return the slot of a week, as its place in SLOTS, with the largest sum of published counts of a release of flows by slot."""
    part = released.week == week
    sums = [int(released.count[part & (released.cell["slot"] == slot)].sum()) for slot in SLOTS]
    return int(np.argmax(sums))


def slot_flows_from_counts(
    prepared: PreparedTrips, trips: SettledCells, released: ReleasedCounts, *, week: str, slot: int
) -> ReleasedFlows:
    """Return the true and published flows of one slot of a week, of a release of flows by slot, and where the zones lie.

    `trips` are what the release counted; `slot` a place in SLOTS. Raises DataError if not one zone of the release is in the data.
    """
    import pandas as pd

    places, origin, destination = _places_of(prepared, released)
    user, cell = trips.week_of(week)
    ends, of_trip = trips.product.ends_and_slot(cell, trips.zones.size)
    own = pd.Index(prepared.trips.zones).get_indexer(pd.Index(trips.zones))
    start, end = (own[one[of_trip == slot]] for one in ends)
    inside = (start >= 0) & (end >= 0)
    n_own = prepared.trips.zones.size
    flow, count = np.unique(start[inside] * np.int64(n_own) + end[inside], return_counts=True)
    true = ODMatrix(
        zones=prepared.trips.zones,
        week=week,
        origin=flow // n_own,
        destination=flow % n_own,
        count=count.astype(np.int64),
        n_users=int(np.unique(user).size),
        max_trips_per_user=None,
    )
    part = (released.week == week) & (released.cell["slot"] == SLOTS[slot])
    flows = flow_comparison_from_published_counts(
        true, places.zones, origin=origin[part], destination=destination[part], count=released.count[part]
    )
    return ReleasedFlows(week=week, flows=flows, places=places)


def flow_comparison_from_released_cells(
    trips: SettledCells, released: ReleasedCounts, *, week: str
) -> FlowComparison:
    """Return all true and published counts of one week, of a release of any product; a flow is a cell of it.

    `trips` are what the release counted, before the limit. Raises DataError if not one zone of the release is in the data.
    """
    import pandas as pd

    product, part = trips.product, released.week == week
    ends = [_as_in(trips.zones, released.cell[name][part]) for name in product.columns[: product.n_ends]]
    named = pd.unique(np.concatenate(ends))
    known = pd.Index(trips.zones).isin(named)
    require_known_zones(int(known.sum()), int(named.size))
    zones = pd.Index(trips.zones.astype(object)).append(
        pd.Index(named.astype(object)).difference(pd.Index(trips.zones.astype(object)))
    )
    place = tuple(zones.get_indexer(pd.Index(end)).astype(np.int64) for end in ends)
    slot = product.slot_in({name: column[part] for name, column in released.cell.items()})
    published = product.cell_of(place, slot, zones.size)
    of_people, at = product.ends_and_slot(trips.week_of(week)[1], trips.zones.size)
    cells, people = np.unique(product.cell_of(of_people, at, zones.size), return_counts=True)
    flow = np.union1d(cells, published)
    true, seen = np.zeros(flow.size), np.full(flow.size, np.nan)
    true[np.searchsorted(flow, cells)] = people
    seen[np.searchsorted(flow, published)] = released.count[part]
    return FlowComparison(flow=flow, true=true, bounded=true, published=seen)


def _places_of(prepared: PreparedTrips, released: ReleasedCounts) -> tuple[Places, Any, Any]:
    import pandas as pd

    own, map_ = prepared.trips.zones, prepared.zone_map
    origin, destination = (_as_in(own, released.cell[name]) for name in ("origin", "destination"))
    named = pd.unique(np.concatenate([origin, destination]))
    known = pd.Index(own).get_indexer(pd.Index(named)) >= 0 if named.size else np.zeros(0, dtype=bool)
    require_known_zones(int(known.sum()), int(named.size))
    zones = np.concatenate([own.astype(object), named[~known].astype(object)])
    more = np.full(zones.size - own.size, np.nan)
    index = pd.Index(zones)
    places = Places(
        zones=zones,
        lat=np.concatenate([map_.lat, more]),
        lon=np.concatenate([map_.lon, more]),
        outlines=(*map_.outlines, *(None for _ in more)),
    )
    return places, index.get_indexer(pd.Index(origin)), index.get_indexer(pd.Index(destination))


def _as_in(own: npt.NDArray[Any], ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the zone ids of a release as the data has them, shape as `ids`.

    A release says whether ids are numbers or text; whoever reads the data for analyses guesses, and may take the one for the other.
    """
    if own.dtype == ids.dtype:
        return ids
    own_by_text = {str(one): one for one in own.tolist()}
    different, place = np.unique(ids.astype(str), return_inverse=True)
    found = [own_by_text.get(one, one) for one in different.tolist()]
    return np.array(found, dtype=object)[place]
