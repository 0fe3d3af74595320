"""A file and the plan of a release → the audit of the whole way: people added to the file, releases made with and without them.

The page Guarantee and the command `audit --pipeline` come through here. Nothing is published or charged.
"""

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
from privlab.lab.publishing.publish import ReleaseData, settled_trips_from_release_data, settled_zoning
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
from privlab.od.counting import HOURS_OF_WEEK, VISITS, SettledCells
from privlab.od.releases import release_plan_from_parameters
from privlab.progress import UNHEARD, Progress
from privlab.releases.writing import counts_as_published

_MINUTE = 15  # past the hour, of every record that is added
_MOST_ZONES = 150  # between which added people move


def pipeline_audit_from_release_data(
    data: ReleaseData, parameters: PipelineAuditParameters, *, week: str, progress: Progress = UNHEARD
) -> PipelineAudit:
    """Return the audit of the way from a file to the file of a release of one week.

    The file is read once as it is, once with people beside the canaries, and once with each canary: reading, cleaning, zones
    and trips draw nothing, so that once is enough. The choice under the bound, the noise, the threshold and the table of the
    published file are run anew each time, by the functions of the release.

    Raises
    ------
    DataError
        If the file cannot be read, has no trip in the week, or people cannot be added to it.
    ParameterError
        If the release cannot be planned, or the threshold asks for too many people.
    """
    if data.lookup is not None:
        raise DataError(
            "The audit cannot add people to a file whose rows are completed by a second one. Join the two files first."
        )
    visits = parameters.release.product == VISITS.name
    if visits and data.form.mapping.kind == "trips":
        raise DataError(
            "The audit adds visits to records of where people are. Of a file of trips, audit the flows."
        )
    zoning = settled_zoning(data)
    plan = release_plan_from_parameters(
        parameters.release, weeks=[week], zones_spec=zoning.spec, public_zones=zoning.public_zones()
    )
    with Workspace() as workspace:
        read = _Reading(data, week, workspace, parameters.release.product)
        trips = read.trips(data.path, progress.part(0.0, 0.05))
        zones = _usable_zones(trips, plan.zones, zoning, data)
        used = _used_cells(trips, week, zones.ids)
        canaries = canaries_from_used_cells(used, parameters.release)
        bound, n_zones = parameters.release.max_trips_per_user, zones.ids.size

        def person(cells: npt.NDArray[np.int64]) -> AddedPerson:
            return stays_from_cells(cells) if visits else moves_from_cells(cells, n_zones, bound)

        people = [person(cells) for cells in companions_of(canaries, bound)]
        folder = workspace.new_folder("audit")
        own = {canary.name: person(canary.cells) for canary in canaries}
        rows_of = _rows_of_visits if visits else _rows
        worlds, files = {}, {"nobody": people} | {name: [*people, one] for name, one in own.items()}
        for place, (name, added) in enumerate(files.items()):
            part = progress.part(0.05 + 0.2 * place / len(files), 0.05 + 0.2 * (place + 1) / len(files))
            target = folder / name / data.path.name
            write_with_added_rows(
                data.path, data.form, rows_of(added, zones, week, data), target, timezone=data.timezone
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

    def __init__(self, data: ReleaseData, week: str, workspace: Workspace, product: str) -> None:
        self._data, self._week, self._workspace, self._product = data, week, workspace, product

    def trips(self, path: Path, progress: Progress) -> SettledCells:
        data = self._data if path == self._data.path else replace(self._data, path=path, within=None)
        trips, _ = settled_trips_from_release_data(
            data, self._workspace, weeks=(self._week,), product=self._product, progress=progress
        )
        return trips


class _Zones:
    """Zones between which people can be added: their ids, and for each what a row says of a place in it."""

    def __init__(self, ids: npt.NDArray[Any], places: list[tuple[Any, ...]]) -> None:
        self.ids, self.places = ids, places


def _usable_zones(
    trips: SettledCells, public: Sequence[Any] | None, zoning: Zoning, data: ReleaseData
) -> _Zones:
    """Return zones with a known place in them: the ids themselves, or centres that lie in their own zone."""
    ids = trips.zones if public is None else np.asarray(pd.Index(list(public)))
    place = data.form.mapping.place
    if place == "zone":
        first = ids[:_MOST_ZONES]
        return _Zones(first, [(one,) for one in first.tolist()])
    if place == "xy":
        raise DataError(
            "The audit cannot add people to data in x and y yet. Use zone ids, or latitude and longitude."
        )
    middle = max(0, (ids.size - _MOST_ZONES) // 2)  # in the middle of the area
    ids = ids[middle : middle + _MOST_ZONES]
    where = zoning.zone_map(ids.tolist())
    known = np.isfinite(where.lat) & np.isfinite(where.lon)
    ids, lat, lon = ids[known], where.lat[known], where.lon[known]
    keep = np.ones(ids.size, dtype=bool)
    if zoning.outside is not None:  # the middle of a polygon may lie in another
        found = zoning.outside(lat, lon).to_pylist()
        keep = np.array([zone == one for zone, one in zip(found, ids.tolist(), strict=True)], dtype=bool)
    if keep.sum() < 2:
        raise DataError(
            "The audit finds no two zones with a known middle that lies in them, so that nobody can be put there. Take a box, a "
            "grid or hexagons for zones."
        )
    return _Zones(ids[keep], list(zip(lat[keep].tolist(), lon[keep].tolist(), strict=True)))


def _used_cells(trips: SettledCells, week: str, ids: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return how many people of the data move in each cell between these zones in the week, shape (Z, Z).

    Of visits: how many are in each zone in each hour of the week, shape (Z, 168).
    """
    used = np.zeros((ids.size, HOURS_OF_WEEK if trips.product is VISITS else ids.size), dtype=np.int64)
    place = pd.Index(ids).get_indexer(pd.Index(trips.zones))
    _, flow = trips.week_of(week)
    if trips.product is VISITS:
        (zone,), hour = trips.product.ends_and_slot(flow, trips.zones.size)
        inside = place[zone] >= 0
        np.add.at(used, (place[zone][inside], hour[inside]), 1)
        return used
    origin, destination = (place[end] for end in np.divmod(flow, trips.zones.size))
    both = (origin >= 0) & (destination >= 0)
    np.add.at(used, (origin[both], destination[both]), 1)
    return used


def _rows(people: Sequence[AddedPerson], zones: _Zones, week: str, data: ReleaseData) -> list[AddedRow]:
    """Return the rows of added people: records of where they are, or trips."""
    monday = datetime.fromisoformat(week) + timedelta(minutes=_MINUTE)
    n_zones, rows = zones.ids.size, []
    for user, person in enumerate(people):
        for hour, cell in zip(person.hour.tolist(), person.cells.tolist(), strict=True):
            ends = divmod(cell, n_zones)
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
    people: Sequence[AddedPerson], zones: _Zones, week: str, data: ReleaseData
) -> list[AddedRow]:
    """Return the rows of people who are in zones in hours: one record for each."""
    monday = datetime.fromisoformat(week) + timedelta(minutes=_MINUTE)
    return [
        AddedRow(user, monday + timedelta(hours=hour), zones.places[cell // HOURS_OF_WEEK])
        for user, person in enumerate(people)
        for hour, cell in zip(person.hour.tolist(), person.cells.tolist(), strict=True)
    ]
