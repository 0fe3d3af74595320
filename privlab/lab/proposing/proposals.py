"""Rows of own data → zones that a release can be made on, how they look, and a plan. True data: for the steward alone.

The Data page, the Plan page and the commands come through here. What is proposed looks at the data, and no ε covers it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.datasets import Dataset
from privlab.datasets.zone_files import Geography
from privlab.datasets.zone_kinds import (
    box_around_people,
    some_places,
)
from privlab.datasets.zones import ZoneMap, Zoning
from privlab.lab.loading.load import ORDER_SEED, rows_in_zones, trip_source_from_rows
from privlab.lab.planning.plan import advice_from_plan_points, busiest_week, plan_points_from_trips
from privlab.lab.proposing.zone_sizes import (
    SIDES_M,
    n_zones_of_spec,
    spec_of_squares,
    zone_sizes_from_rows,
)
from privlab.limits import MAX_SECURE_CELLS
from privlab.od.planning import USUAL_WISHES, PlanPoint, PlanRequest
from privlab.od.releases import require_zones_apart
from privlab.progress import UNHEARD, Progress

if TYPE_CHECKING:
    from privlab.od import UniqueTrips
    from privlab.od.trips import FlowCounts

Floats = npt.NDArray[np.float64]

PROPOSED = "proposed"  # zones that the lab proposes: a grid over a box
FEW_PEOPLE = 10
_MOST_PROPOSED = 400  # zones
_FEWEST_PROPOSED = 12
_MOST_TRIED = 500_000  # rows that several sizes of zones are tried on
_POINTS_SHOWN = 3000


def proposed_zones_from_rows(dataset: Dataset, *, progress: Progress = UNHEARD) -> str | None:
    """Return the spec of a grid over a box; None for data without coordinates.

    It has a few hundred zones. Where a plan of them falls short of the first wishes, and the data is not too large to
    try, the side is doubled, once or twice, if that makes more of the trips useful and leaves a dozen zones.
    """
    box = box_around_people(dataset)
    if box is None:
        return None
    specs = [spec_of_squares(side, box) for side in SIDES_M]
    first = next(
        (spec for spec in specs if n_zones_of_spec(spec, dataset.place) <= _MOST_PROPOSED), specs[-1]
    )
    if dataset.kind == "counts" or dataset.report.kept > _MOST_TRIED:
        return first
    request = proposed_request(is_public=True)
    sizes = zone_sizes_from_rows(dataset, first, request, factors=(1, 2, 4), progress=progress)
    fit = [size for size in sizes if size.n_zones >= _FEWEST_PROPOSED]
    enough = next((size for size in fit if size.utility >= request.min_utility), None)
    best = enough or max(fit, key=lambda size: size.utility, default=None)
    return first if best is None else best.zones


def rows_in_chosen_zones(
    dataset: Dataset, zones: str, geography: Geography | None = None
) -> tuple[Dataset, Zoning]:
    """Return rows and the zones they are cut into, as `rows_in_zones` does; `PROPOSED` stands for zones that the lab proposes."""
    if zones == PROPOSED:
        zones = proposed_zones_from_rows(dataset) or "column"
    return rows_in_zones(dataset, zones, geography)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ZonePreview:
    """How zones look over some data: true counts.

    Of `n_rows` rows `n_outside` lie in no zone, and `n_users_outside` users have no row in any. `n_flows` are pairs of zones with a
    trip in a week, `n_small` those of them with fewer than ten people, None where no users are named. `refusal` is why
    no release can be made, None if one can be. `unlisted` says how many trips a release leaves out for want of their zones
    in the zone file. `is_public` says that all zones are known without the data. `lat` and
    `lon` hold some of the `n_places` different places, in degrees.
    """

    n_zones: int
    n_rows: int
    n_outside: int
    n_users_outside: int
    n_flows: int
    n_small: int | None
    refusal: str | None
    unlisted: str
    is_public: bool
    zone_map: ZoneMap
    lat: Floats
    lon: Floats
    n_places: int

    @property
    def share_small(self) -> float | None:
        """Share of flows with fewer than ten people, None where there is none or nobody is named."""
        return None if self.n_small is None or not self.n_flows else self.n_small / self.n_flows


def zone_preview_from_rows(dataset: Dataset, zones: str, geography: Geography | None = None) -> ZonePreview:
    """Return how zones look over some rows. Raises DataError or ParameterError where they cannot be laid."""
    from privlab.od.trips import (
        TripTables,
        unique_trips_from_trip_tables,
        unlisted_trips,
        unlisted_words,
    )

    dataset, zoning = rows_in_zones(dataset, zones, geography)
    source = trip_source_from_rows(dataset, zoning)
    trips: UniqueTrips | FlowCounts
    if isinstance(source, TripTables):
        trips = unique_trips_from_trip_tables(source, seed=ORDER_SEED, dataset=dataset)
        week = np.repeat(np.arange(len(trips.weeks)), np.diff(trips.week_starts))
        lost = unlisted_trips(trips, zoning.public_zones())
        _, people = np.unique(np.stack([week, trips.flow])[:, ~lost], axis=1, return_counts=True)
        n_unlisted = int(lost.sum())
        n_flows, small, n_all = people.size, int((people < FEW_PEOPLE).sum()), trips.flow.size
        n_lost = dataset.report.users - source.n_users
    else:
        lost = unlisted_trips(source, zoning.public_zones())
        n_flows, n_unlisted = int((~lost).sum()), int(source.count[lost].sum())
        trips, small, n_all, n_lost = source, None, source.total, 0
    ids, public = trips.zones, zoning.public_zones()
    lat, lon, n_places = some_places(dataset, _POINTS_SHOWN)
    n_outside = source.dropped.get("outside the zones", 0)
    return ZonePreview(
        n_zones=len(ids) if public is None else len(public),
        n_rows=dataset.report.kept,
        n_outside=n_outside,
        n_users_outside=n_lost,
        n_flows=n_flows,
        n_small=small,
        refusal=_refusal(zoning, public),
        unlisted=unlisted_words(n_unlisted, n_all),
        is_public=public is not None,
        zone_map=zoning.zone_map(list(ids) if public is None else public),
        lat=lat,
        lon=lon,
        n_places=n_places,
    )


def _refusal(zoning: Zoning, public: list[object] | None) -> str | None:
    """Return why no release can be made on zones, None if one can be."""
    try:
        require_zones_apart(zoning.spec)
    except ParameterError as error:
        return str(error)
    if public is None or len(public) * (len(public) - 1) <= MAX_SECURE_CELLS:
        return None
    n_cells = len(public) * (len(public) - 1)
    return (
        f"{len(public):,} zones make {n_cells:,} pairs, more than the {MAX_SECURE_CELLS:,} that get noise one by one. "
        "Take larger zones, or a smaller box."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanProposal:
    """What a plan begins with: a release, None if nothing of use can be published, and why, in a sentence.

    `does_what_is_wished` says whether the release satisfies the first wishes.
    """

    point: PlanPoint | None
    says: str
    does_what_is_wished: bool = False


def proposed_request(*, is_public: bool) -> PlanRequest:
    """Return the wishes that a plan begins with."""
    return replace(USUAL_WISHES, cells="public" if is_public else "discovered")


def plan_proposal_from_trips(
    trips: "UniqueTrips | FlowCounts", *, is_public: bool, progress: Progress = UNHEARD
) -> PlanProposal:
    """Return the release that satisfies the first wishes, or else the most useful one within the accepted risk."""
    from privlab.od import UniqueTrips

    if not isinstance(trips, UniqueTrips):
        return PlanProposal(point=None, says="No plan can be proposed: the data names no users.")
    if not trips.flow.size:
        return PlanProposal(point=None, says="No plan can be proposed: nobody makes a trip between zones.")
    request = proposed_request(is_public=is_public)
    points = plan_points_from_trips(
        trips, request, is_public=is_public, week=busiest_week(trips), progress=progress
    )
    advice = advice_from_plan_points(points, request)
    if advice.recommended is None and advice.best_allowed is None:
        return PlanProposal(
            point=None,
            says="No plan can be proposed: flows are so small that nothing useful is left where nobody is guessed right in more than "
            f"{100 * request.max_accuracy:g}% of cases (a coin: 50%). Take larger zones, or data of more people.",
        )
    point = advice.recommended or advice.best_allowed
    return PlanProposal(
        point=point, says=advice.statement, does_what_is_wished=advice.recommended is not None
    )
