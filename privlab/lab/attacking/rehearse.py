"""A file and the plan of a release → the audit of the whole way: people added to the file, releases made with and without them.

The page Guarantee and the command `audit --pipeline` come through here. Nothing is published or charged.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from privlab.checks import DataError
from privlab.datasets.engines import Workspace
from privlab.datasets.files import AddedRow, write_with_added_rows
from privlab.datasets.zones import Zoning
from privlab.lab.publishing.levels import levels_from_zoning
from privlab.lab.publishing.release_data import (
    ReleaseData,
    require_unchanged,
    settled_trips_from_release_data,
    settled_zoning,
)
from privlab.od import FLOWS, HOURS_OF_WEEK, VISITS, Product
from privlab.od.auditing import (
    AddedPerson,
    AuditedWorlds,
    PipelineAudit,
    PipelineAuditParameters,
    canaries_from_used_cells,
    companions_of,
    moves_from_cells,
    pipeline_audit_from_worlds,
    stays_from_cells,
)
from privlab.od.releases import ReleasePlan, release_plan_from_parameters
from privlab.od.settled import SettledCells
from privlab.progress import UNHEARD, Progress
from privlab.releases.writing import counts_as_published

_MINUTE = 15  # past the hour, of every record that is added
_DAYS = 7  # of a week, over which an added person's trips are spread
_MOST_ZONES = 150  # between which added people move
_NOBODY_PLACED = (
    "The audit finds no two zones with a known middle that lies in them, so that nobody can be put there. Take squares or a box for "
    "zones, or smaller hexagons."
)


def pipeline_audit_from_release_data(
    data: ReleaseData,
    parameters: PipelineAuditParameters,
    *,
    week: str,
    levels: Sequence[str] = (),
    digest: str | None = None,
    progress: Progress = UNHEARD,
) -> PipelineAudit:
    """Return the audit of the way from a file to the file of a release of one week; `levels` name its districts, as a release does.

    `digest` is that of the data where it was read before.

    The file is read once as it is, once with people beside the canaries, and once with each canary: reading, cleaning, zones
    and trips draw nothing, so that once is enough. The choice under the bound, the noise, the threshold and the table of the
    published file are run anew each time, by the functions of the release.

    Raises
    ------
    DataError
        If the file cannot be read or is another since, has no trip in the week, or people cannot be added to it.
    ParameterError
        If the release cannot be planned, or the threshold asks for too many people.
    """
    if data.lookup is not None:
        raise DataError(
            "The audit cannot add people to a file whose rows are completed by a second one. Join the two files first."
        )
    zoning = settled_zoning(data)
    plan = release_plan_from_parameters(
        parameters.release,
        weeks=[week],
        zones_spec=zoning.spec,
        public_zones=zoning.public_zones(),
        levels=levels_from_zoning(levels, zoning),
    )
    product = plan.product
    with Workspace() as workspace:
        read = _Reading(data, plan, workspace)
        trips = read.trips(data.path, progress.part(0.0, 0.05), digest)
        zones = _usable_zones(trips, plan.zones, zoning, data).by_district(plan)
        used = _used_cells(trips, week, zones.ids)
        canaries = canaries_from_used_cells(used, parameters.release, zones.districts(plan))
        bound, n_zones = parameters.release.max_trips_per_user, zones.ids.size

        def person(cells: npt.NDArray[np.int64]) -> AddedPerson:
            if product is VISITS:
                return stays_from_cells(cells)
            return moves_from_cells(cells, n_zones, max(bound, math.ceil(cells.size / _DAYS)), product)

        people = [person(cells) for cells in companions_of(canaries, bound)]
        folder = workspace.new_folder("audit")
        own = {canary.name: person(canary.cells) for canary in canaries}
        rows_of = _rows_of_visits if product is VISITS else _rows
        worlds, files = {}, {"nobody": people} | {name: [*people, one] for name, one in own.items()}
        for place, (name, added) in enumerate(files.items()):
            part = progress.part(0.05 + 0.2 * place / len(files), 0.05 + 0.2 * (place + 1) / len(files))
            target = folder / name / data.path.name
            write_with_added_rows(
                data.path,
                data.form,
                rows_of(added, zones, week, data, product),
                target,
                timezone=data.timezone,
            )
            worlds[name] = read.trips(target, part)
    return pipeline_audit_from_worlds(
        AuditedWorlds(without=worlds.pop("nobody"), inside=worlds),
        plan,
        parameters,
        asked={name: int(one.cells.size) for name, one in own.items()},
        others={canary.name: canary.others for canary in canaries},
        n_added=len(people),
        published=counts_as_published,
        progress=progress.part(0.25, 1.0),
    )


class _Reading:
    """Reads a copy of a file just as a release reads the file."""

    def __init__(self, data: ReleaseData, plan: ReleasePlan, workspace: Workspace) -> None:
        self._data, self._plan, self._workspace = data, plan, workspace

    def trips(self, path: Path, progress: Progress, digest: str | None = None) -> SettledCells:
        data = self._data if path == self._data.path else replace(self._data, path=path, within=None)
        plan = self._plan
        trips, rows = settled_trips_from_release_data(
            data,
            self._workspace,
            weeks=plan.weeks,
            product=plan.product.name,
            public=plan.zones,
            progress=progress,
        )
        require_unchanged(data, digest, rows.source_digest)
        return trips


class _Zones:
    """Zones between which people can be added: their ids, and for each what a row says of a place in it."""

    def __init__(self, ids: npt.NDArray[Any], places: list[tuple[Any, ...]]) -> None:
        self.ids, self.places = ids, places

    def by_district(self, plan: ReleasePlan) -> "_Zones":
        """Return the same with the zones of one district together: who moves in the first zones then moves within districts."""
        if not plan.levels:
            return self
        order = np.lexsort(self.districts(plan))
        return _Zones(self.ids[order], [self.places[one] for one in order.tolist()])

    def districts(self, plan: ReleasePlan) -> list[npt.NDArray[np.int64]]:
        """Return the number of the district of each zone at each level, from the lowest up, shape (Z,) each."""
        place = pd.Index(list(plan.zones or ())).get_indexer(pd.Index(self.ids))
        return [level.numbers[place] for level in plan.levels]


def _usable_zones(
    trips: SettledCells, public: Sequence[Any] | None, zoning: Zoning, data: ReleaseData
) -> _Zones:
    """Return zones with a known place in them: the ids themselves, or centres that lie in their own zone."""
    ids = trips.zones if public is None else np.asarray(pd.Index(list(public)))
    place = data.form.mapping.place
    if place == "zone":
        joined = getattr(zoning, "zone_of_id", None)  # ids joined to larger zones: of each any of its ids
        if joined is not None:
            own = {zone: one for one, zone in joined.items()}
            ids = np.asarray([one for one in ids.tolist() if one in own])
            return _Zones(ids[:_MOST_ZONES], [(own[one],) for one in ids[:_MOST_ZONES].tolist()])
        first = ids[:_MOST_ZONES]
        return _Zones(first, [(one,) for one in first.tolist()])
    middle = max(0, (ids.size - _MOST_ZONES) // 2)  # in the middle of the area
    ids = ids[middle : middle + _MOST_ZONES]
    if place == "xy":
        middles = getattr(zoning, "middles", None)  # of a grid over a box, which all releases of x and y have
        if middles is None or ids.size < 2:
            raise DataError(_NOBODY_PLACED)
        return _Zones(ids, list(zip(*(axis.tolist() for axis in middles(ids)), strict=True)))
    where = zoning.zone_map(ids.tolist())
    known = np.isfinite(where.lat) & np.isfinite(where.lon)
    ids, lat, lon = ids[known], where.lat[known], where.lon[known]
    keep = np.ones(ids.size, dtype=bool)
    if zoning.outside is not None:  # the middle of a polygon may lie in another
        found = zoning.outside(lat, lon).to_pylist()
        keep = np.array([zone == one for zone, one in zip(found, ids.tolist(), strict=True)], dtype=bool)
    if keep.sum() < 2:
        raise DataError(_NOBODY_PLACED)
    return _Zones(ids[keep], list(zip(lat[keep].tolist(), lon[keep].tolist(), strict=True)))


def _used_cells(trips: SettledCells, week: str, ids: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return how many people of the data are in each cell of these zones in the week.

    Its shape is (Z, Z) of flows, (Z, Z, 8) of flows by slot, and of visits (Z, 168).
    """
    product, n_zones = trips.product, ids.size
    place = pd.Index(ids).get_indexer(pd.Index(trips.zones))
    _, cell = trips.week_of(week)
    inside = product.inside(cell, trips.zones.size, place >= 0)
    ends, slot = product.ends_and_slot(cell[inside], trips.zones.size)
    own = product.cell_of(tuple(place[end] for end in ends), slot, n_zones)
    shape = (n_zones,) * product.n_ends + ((product.n_slots,) if product.n_slots > 1 else ())
    return np.bincount(own, minlength=math.prod(shape)).astype(np.int64).reshape(shape)


def _rows(
    people: Sequence[AddedPerson], zones: _Zones, week: str, data: ReleaseData, product: Product = FLOWS
) -> list[AddedRow]:
    """Return the rows of added people: records of where they are, or trips."""
    monday = datetime.fromisoformat(week) + timedelta(minutes=_MINUTE)
    n_zones, rows = zones.ids.size, []
    for user, person in enumerate(people):
        for hour, cell in zip(person.hour.tolist(), person.cells.tolist(), strict=True):
            ends = tuple(end.item() for end in product.ends_and_slot(np.array(cell), n_zones)[0])
            if data.form.mapping.kind == "trips":
                both = tuple(part for end in ends for part in zones.places[end])
                rows.append(AddedRow(user, monday + timedelta(hours=hour), both))
                continue
            for at, end in zip((hour - 1, hour), ends, strict=True):
                row = AddedRow(user, monday + timedelta(hours=at), zones.places[end])
                if not rows or rows[-1] != row:  # the end of one trip is the start of the next
                    rows.append(row)
    return rows


def _rows_of_visits(
    people: Sequence[AddedPerson], zones: _Zones, week: str, data: ReleaseData, product: Product = VISITS
) -> list[AddedRow]:
    """Return the rows of people who are in zones in hours: one record for each, or one trip that ends where it began."""
    monday = datetime.fromisoformat(week) + timedelta(minutes=_MINUTE)
    ends = 2 if data.form.mapping.kind == "trips" else 1
    return [
        AddedRow(user, monday + timedelta(hours=hour), zones.places[cell // HOURS_OF_WEEK] * ends)
        for user, person in enumerate(people)
        for hour, cell in zip(person.hour.tolist(), person.cells.tolist(), strict=True)
    ]
