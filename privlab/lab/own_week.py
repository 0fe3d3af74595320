"""One person's own Timeline -> how many unique trips they made in each week, and what an attack on each makes of it.

The page Attack, the tour and the command triangle come through here. Nothing is written anywhere.
"""

from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise

from privlab.checks import DataError, require_whole
from privlab.datasets.files import stays_from_timeline
from privlab.datasets.zones import hexagon_of_place
from privlab.progress import UNHEARD, Progress

_RESOLUTION = 8  # hexagons of 0.7 km²


@dataclass(frozen=True, slots=True)
class OwnWeeks:
    """Weeks with trips by the date of their Monday, ascending, and the unique trips in each; trips in all."""

    unique_trips: tuple[tuple[str, int], ...]
    n_trips: int

    @property
    def heaviest(self) -> str:
        """The week with most unique trips; of several the last."""
        return max(self.unique_trips, key=lambda one: (one[1], one[0]))[0]

    @property
    def median(self) -> float:
        """The median number of unique trips over the weeks with trips."""
        counts = sorted(count for _, count in self.unique_trips)
        middle = len(counts) // 2
        return float(counts[middle]) if len(counts) % 2 else (counts[middle - 1] + counts[middle]) / 2


def own_weeks_from_timeline(
    content: bytes, *, resolution: int = _RESOLUTION, progress: Progress = UNHEARD
) -> OwnWeeks:
    """Return one person's unique trips in each week.

    A trip goes from one stay to the next, if that is in another zone: an H3 hexagon of the resolution. It lies in the
    week (from Monday, by the file's own clock) in which it begins. Each pair of zones counts once a week
    (docs/science.md, section 2.1).

    Raises
    ------
    DataError
        If the content is no Timeline, or holds no trip.
    ParameterError
        If the resolution is no whole number from 0 to 15.
    """
    require_whole("resolution", resolution, 0, 15)
    stays = stays_from_timeline(content, progress=progress)
    progress.tell(0.8, "Counting the trips")
    zones = [hexagon_of_place(stay.latitude, stay.longitude, resolution) for stay in stays]
    progress.require_running()
    unique: dict[str, set[tuple[str, str]]] = {}
    n_trips = 0
    for (stay, zone), (_, other) in pairwise(zip(stays, zones, strict=True)):
        if zone != other:
            day = stay.end.date()
            monday = (day - timedelta(days=day.weekday())).isoformat()
            unique.setdefault(monday, set()).add((zone, other))
            n_trips += 1
    if not unique:
        raise DataError(
            "There is no trip between two zones in the file. Try smaller zones or a longer export."
        )
    counts = tuple((week, len(unique[week])) for week in sorted(unique))
    return OwnWeeks(unique_trips=counts, n_trips=n_trips)
