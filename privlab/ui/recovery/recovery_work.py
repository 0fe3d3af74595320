"""Trails put together from counts, as another process does it for the page: no page is known here."""

from collections.abc import Callable, Sequence

from privlab.aggregates import Traces
from privlab.aggregates.recovery import Recovery, RecoveryParameters, RecoveryPoint
from privlab.datasets.zones import ZoneMap
from privlab.lab.attacking import recovery_from_traces, recovery_points_from_traces
from privlab.progress import Cancelled, Progress


def put_together(
    placed: tuple[Traces, ZoneMap],
    parameters: RecoveryParameters,
    *,
    progress: Progress,
    heard: Callable[[Recovery | None], None],
) -> Recovery:
    """Put the trails together; if it is stopped, say what the days so far gave, None before the first."""
    days = list[Callable[[], Recovery]]()
    try:
        return recovery_from_traces(*placed, parameters, progress=progress, heard=days.append)
    except Cancelled:
        heard(days[-1]() if days else None)
        raise


def compare(
    placed: tuple[Traces, ZoneMap],
    settings: Sequence[RecoveryParameters],
    *,
    progress: Progress,
    heard: Callable[[list[RecoveryPoint]], None],
) -> list[RecoveryPoint]:
    """Put trails together in each of the settings; if it is stopped, say what those so far gave."""
    points = list[RecoveryPoint]()
    try:
        return recovery_points_from_traces(*placed, settings, progress=progress, heard=points.append)
    except Cancelled:
        heard(points)
        raise
