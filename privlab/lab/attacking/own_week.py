"""One person's own Timeline -> how many unique trips they made in each week, and what an attack on each makes of it.

The page Attack, the tour and the command triangle come through here. Nothing is written anywhere.
"""

from dataclasses import dataclass, field

from privlab.checks import DataError, require_whole
from privlab.datasets.files import timeline_export_from_bytes
from privlab.lab.loading.load import ORDER_SEED, rows_in_zones, trip_source_from_rows
from privlab.limits import MAX_TRIPS
from privlab.progress import UNHEARD, Progress

_RESOLUTION = 8  # hexagons of 0.7 km²
_NO_TRIP = "There is no trip between two zones in the file. Try smaller zones or a longer export."


@dataclass(frozen=True, slots=True)
class OwnWeeks:
    """Weeks with trips by the date of their Monday, ascending, and the unique trips in each; trips in all.

    `clock` says in a sentence whose clock the weeks go by, `left_out` which entries of the file are not counted, if any.
    """

    unique_trips: tuple[tuple[str, int], ...]
    n_trips: int
    clock: str = field(default="", compare=False)
    left_out: str = field(default="", compare=False)

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
    content: bytes,
    *,
    resolution: int = _RESOLUTION,
    home_zone: str | None = None,
    progress: Progress = UNHEARD,
) -> OwnWeeks:
    """Return one person's unique trips in each week, counted as those of all data (docs/science.md, section 2.1).

    Trips are the export's activities, and the ways between visits that have none; of a file of points alone, moves by the
    vote of each hour. They count from one zone, an H3 hexagon of the resolution, to another, in the week of their
    arrival by the person's clock: `home_zone` names it for files in UTC alone. Worked out in memory, never on disk.

    Raises
    ------
    DataError
        If the content is no Timeline, or holds no trip, or more in a week than a person makes.
    ParameterError
        If the resolution is no whole number from 0 to 15, or there is no such time zone.
    """
    from privlab.datasets import dataset_from_timeline_export
    from privlab.datasets.engines import MemoryWorkspace
    from privlab.od import unique_trips_per_user
    from privlab.od.trips import TripTables, unique_trips_from_trip_tables

    require_whole("resolution", resolution, 0, 15)
    export = timeline_export_from_bytes(content, home_zone=home_zone, progress=progress.part(0.0, 0.8))
    progress.tell(0.8, "Counting the trips")
    with MemoryWorkspace() as workspace:
        rows = rows_in_zones(dataset_from_timeline_export(export, workspace), f"h3:{resolution}")
        source = trip_source_from_rows(*rows)
        if not isinstance(source, TripTables):
            raise TypeError("a timeline has one person, whose trips they are.")
        if not source.n_unique_trips:
            raise DataError(_NO_TRIP)
        trips = unique_trips_from_trip_tables(source, seed=ORDER_SEED)
    counts = tuple((week, int(unique_trips_per_user(trips, week=week)[0])) for week in trips.weeks)
    if max(n for _, n in counts) > MAX_TRIPS:
        raise DataError(f"The file has a week of more than {MAX_TRIPS:,} unique trips. Is it one person's?")
    return OwnWeeks(
        unique_trips=counts, n_trips=trips.n_trips, clock=export.clock, left_out=export.left_out_words
    )
