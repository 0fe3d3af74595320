"""Rows → people in zones step by step → the trails that an attacker puts together from their counts. True data.

The page Recovery and the command recover come through here.
"""

from collections.abc import Callable, Sequence

from privlab.aggregates import Traces
from privlab.aggregates.recovery import (
    Recovery,
    RecoveryParameters,
    RecoveryPoint,
    followed_from_traces,
    point_from_recovery,
    recovery_from_followed,
)
from privlab.datasets import Dataset
from privlab.datasets.zones import ZoneMap, Zoning
from privlab.lab.loading.load import traces_from_rows
from privlab.progress import UNHEARD, Progress


def placed_traces_from_rows(
    dataset: Dataset, zoning: Zoning, progress: Progress = UNHEARD
) -> tuple[Traces, ZoneMap]:
    """Return who was in which zone in which hour, and where these zones lie."""
    traces = traces_from_rows(dataset, zoning, progress)
    return traces, zoning.zone_map(traces.zones.tolist())


def recovery_from_traces(
    traces: Traces,
    zone_map: ZoneMap,
    parameters: RecoveryParameters,
    *,
    progress: Progress = UNHEARD,
    heard: Callable[[Callable[[], Recovery]], None] = lambda so_far: None,
) -> Recovery:
    """Return trails put together from the counts of people by zone and step, beside the true ones.

    After each day `heard` is given what returns the recovery of the days so far. `zone_map` says where the zones of the traces
    lie. Raises DataError for too few people or days, or if a zone lies nowhere; ParameterError for an unknown defence.
    """
    progress.tell(0.0, "Following people step by step")
    followed = followed_from_traces(traces, zone_map.lat, zone_map.lon, parameters)
    return recovery_from_followed(followed, parameters, progress=progress.part(0.05, 1.0), heard=heard)


def recovery_points_from_traces(
    traces: Traces,
    zone_map: ZoneMap,
    settings: Sequence[RecoveryParameters],
    *,
    progress: Progress = UNHEARD,
    heard: Callable[[RecoveryPoint], None] = lambda point: None,
) -> list[RecoveryPoint]:
    """Return how much is right in each of several recoveries; `heard` is given each point as it is found.

    Raises as recovery_from_traces does.
    """
    points = []
    for number, one in enumerate(settings):
        part = progress.part(
            number / len(settings), (number + 1) / len(settings), suffix=f" ({number + 1} of {len(settings)})"
        )
        points.append(point_from_recovery(recovery_from_traces(traces, zone_map, one, progress=part)))
        heard(points[-1])
    return points
