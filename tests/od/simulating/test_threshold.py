"""The threshold of a secure release, where a noisy count is just as large."""

import numpy as np
import pytest

from privlab.od.releases import release_noise
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import secure_release_from_settled_trips
from privlab.od.settled.settled_trips import SettledCells


def test_a_noisy_count_as_large_as_the_threshold_is_published_one_below_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """4, 5 and 6 people make a trip; without noise and with the threshold 5, the 5 and the 6 are published."""
    monkeypatch.setattr(release_noise, "noisy_counts_from_counts", lambda counts, noise: counts)
    flow = np.repeat([1, 2, 5], [4, 5, 6])  # of zones 1, 2 and 3: 1→2, 1→3, 2→3
    trips = SettledCells(
        zones=np.array([1, 2, 3]),
        weeks=("2026-03-02",),
        week_starts=np.array([0, flow.size]),
        user=np.arange(flow.size, dtype=np.int32),
        flow=flow,
    )
    for cells, zones in (("discovered", None), ("public", [1, 2, 3])):
        plan = release_plan_from_parameters(
            SecureReleaseParameters(epsilon=1, max_trips_per_user=1, threshold=5, cells=cells),
            weeks=["2026-03-02"],
            zones_spec="column",
            public_zones=zones,
        )
        published = secure_release_from_settled_trips(trips, plan)
        found = dict(zip(zip(*published.cell.values(), strict=True), published.count, strict=True))
        assert found == {(1, 3): 5, (2, 3): 6}
