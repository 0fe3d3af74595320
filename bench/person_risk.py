"""The risk of 1,000 people of the city sample, in seconds: the best of five, for several releases."""

import time
from pathlib import Path

from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from privlab.od.risks.person_risks import person_risks_from_unique_trips
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.trips.trip_tables import trip_tables_from_dataset, unique_trips_from_trip_tables

CITY = Path(__file__).parents[1] / "sample_data" / "city.parquet"


def main() -> None:
    with Workspace() as workspace:
        dataset = read_dataset(CITY, workspace=workspace)
        zoning = zoning_from_spec("column", place=dataset.place, table=dataset.table)
        trips = unique_trips_from_trip_tables(trip_tables_from_dataset(dataset, zoning), seed=1)
    for noise in ("laplace", "integer"):
        for bound, group in ((None, None), (None, 20_000), (10, None), (10, 20_000)):
            parameters = ReleaseParameters(noise=noise, max_trips_per_user=bound)
            times = []
            for _ in range(5):
                start = time.perf_counter()
                person_risks_from_unique_trips(
                    trips, parameters, weeks=trips.weeks, group_size=group, n_people=1000
                )
                times.append(time.perf_counter() - start)
            print(f"{noise}, bound {bound}, group {group}: {min(times):.3f} s")


if __name__ == "__main__":
    main()
