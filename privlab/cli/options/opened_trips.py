"""Data, reading options, zones and an engine → the trips that commands plan and judge, in memory or where a cluster keeps them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from privlab.cli.options.common_options import cluster_from_spec, engine_from_spec, zoned
from privlab.cli.options.reading_options import Reading, opened
from privlab.cli.printing.progress_lines import lines_of_steps

if TYPE_CHECKING:
    from privlab.od import UniqueTrips
    from privlab.od.trips import FlowCounts, TripTables


@contextmanager
def zoned_trips(
    data: str, reading: Reading, zones: str | None, positions: Path | None, seed: int, engine: str
) -> "Iterator[tuple[UniqueTrips | FlowCounts | TripTables, bool]]":
    """Yield the trips of some data, in memory or in tables that stay on the cluster, and whether zones are known without it."""
    from privlab.lab.loading import trip_source_from_rows, trips_from_rows

    with cluster_from_spec(engine) as cluster:
        if cluster is None:
            with engine_from_spec("duckdb") as workspace:
                dataset, zoning = zoned(opened(data, reading, workspace, zones), zones, positions)
                with lines_of_steps(workspace.query_share) as progress:
                    trips = trips_from_rows(dataset, zoning, seed=seed, progress=progress)
                is_public = zoning.public_zones() is not None
            yield trips, is_public
            return
        dataset, zoning = zoned(opened(data, reading, cluster, zones), zones, positions)
        yield trip_source_from_rows(dataset, zoning), zoning.public_zones() is not None


def cells_or_usual(cells: str | None, *, is_public: bool) -> str:
    """Return the cells that an option names, else those that a release can have: public where zones are known without the data.

    >>> cells_or_usual(None, is_public=False), cells_or_usual("public", is_public=False)
    ('discovered', 'public')
    """
    from privlab.lab.proposing import proposed_request

    return proposed_request(is_public=is_public).cells if cells is None else cells
