"""One answer of the planner on the city sample, with integer noise alone and with both kinds, in seconds of processor time: the best of three."""

import time
from dataclasses import replace

from privlab.datasets.engines import Workspace
from privlab.lab.loading import trips_from_rows
from privlab.lab.loading.load import sample_rows
from privlab.lab.planning import advice_from_plan_points, busiest_week, plan_points_from_trips
from privlab.lab.proposing import proposed_request


def main() -> None:
    with Workspace() as workspace:
        trips = trips_from_rows(*sample_rows("city", workspace), seed=1)
    for noise in ("integer", "any"):
        request = replace(proposed_request(is_public=True), noise=noise)
        times = []
        for _ in range(3):
            start = time.process_time()
            points = plan_points_from_trips(trips, request, is_public=True, week=busiest_week(trips))
            advice = advice_from_plan_points(points, request)
            times.append(time.process_time() - start)
        print(f"{noise}: {min(times):.2f} s, {len(points)} releases. {advice.statement}")


if __name__ == "__main__":
    main()
