"""What a limit leaves, counted in the database, against the code of a release; totals by hand; sums of districts against plain sums."""

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.zone_kinds.polygon_zones import Geography
from privlab.dp.gaussian import GaussianParameters
from privlab.od.levels.levels import Level
from privlab.od.levels.trip_weights import districts_of_zones, weights_of_week
from privlab.od.simulating.clipped_counts import capped_totals, clipped_units
from privlab.od.simulating.weekly_simulation import od_simulation_from_trip_tables
from privlab.od.trips.trip_tables import unique_trips_from_trip_tables
from tests.od.simulating.test_weekly_simulation import tables_of, workspace
from tests.od.trips.test_hourly_vote import NUMBERS, TEXTS, awkward_records

__all__ = ["workspace"]  # the fixture

SEED = 11


def parameters_of(bound: int, *, levels: int = 0, unbiased: bool = False) -> GaussianParameters:
    return GaussianParameters(
        epsilon=20.0,
        delta=1e-6,
        max_trips_per_user=bound,
        threshold=0,
        levels=levels,
        total_share=0.03 if unbiased else 0.0,
    )


def levels_over(zones: list[object], n: int) -> tuple[Level, ...]:
    """Districts of two zones each, and of four."""
    return tuple(
        Level(name=f"blocks of {size}", of=tuple(str(place // size) for place in range(len(zones))))
        for size in (2, 4)[:n]
    )


@pytest.mark.parametrize("n_levels", [0, 1, 2])
@pytest.mark.parametrize("bound", [1, 3])
@pytest.mark.parametrize("zones", [NUMBERS, TEXTS], ids=["numbers", "texts"])
def test_clipped_units_are_those_of_a_release(
    workspace: Workspace, zones: list[object], bound: int, n_levels: int
) -> None:
    public = sorted({zone for zone in zones if zone is not None})
    tables = tables_of(workspace, awkward_records(2, zones, range(1, 10), n=400), Geography(zones=public))
    levels = levels_over(public, n_levels)
    trips = unique_trips_from_trip_tables(tables, seed=SEED)
    parameters = parameters_of(bound, levels=n_levels)
    found = clipped_units(tables.unique_trips, parameters, levels, trips.zones, SEED)
    week_of_row = found["week"].to_numpy(dtype="datetime64[D]").astype(str)
    for place, week in enumerate(trips.weeks):
        part = slice(int(trips.week_starts[place]), int(trips.week_starts[place + 1]))
        user, flow = trips.user[part], trips.flow[part]
        expected = np.zeros(trips.zones.size**2, dtype=np.int64)
        groups = districts_of_zones(levels, public, trips.zones)
        np.add.at(expected, flow, weights_of_week(user, flow, trips.zones.size, bound, groups))
        rows = found[week_of_row == week]
        counted = np.zeros_like(expected)
        ends = (np.searchsorted(trips.zones, rows[end]) for end in ("origin", "destination"))
        counted[np.ravel_multi_index(tuple(ends), (trips.zones.size,) * 2)] = rows["count"]
        assert counted.tolist() == expected.tolist()
        of_user = np.minimum(np.bincount(user), 100).sum() if user.size else 0
        assert capped_totals(tables.unique_trips).get(week, 0) == of_user


def test_a_total_and_sums_stand_beside_the_counts(workspace: Workspace) -> None:
    """At ε = 20 noise is a few trips: what agrees lies near the truth, and each sum of cells is that of the noisy counts."""
    public = sorted({zone for zone in NUMBERS if zone is not None})
    tables = tables_of(workspace, awkward_records(2, NUMBERS, range(1, 10), n=400), Geography(zones=public))
    levels = levels_over(public, 1)
    parameters = parameters_of(3, levels=1, unbiased=True)
    made = od_simulation_from_trip_tables(tables, parameters, group_size=None, levels=levels, seed=SEED)
    plain = od_simulation_from_trip_tables(tables, parameters_of(3), group_size=None, seed=SEED)
    assert (plain.unbiased, plain.agreed, plain.published_levels) == (None, None, None)
    assert made.unbiased is not None
    assert made.agreed is not None
    published = made.published_levels
    assert published is not None
    assert set(published.sums) == set(made.releases)
    district = np.array([int(one) for one in levels[0].of])
    for week, release in made.releases.items():
        (sums,) = published.sums[week]
        n = len(levels[0].districts)
        counted = np.zeros((n, n))
        np.add.at(counted, (district[release.origin], district[release.destination]), release.count)
        assert sums.counted.tolist() == counted.ravel().tolist()
        assert release.total is not None
        assert release.ratio >= 1
        assert release.agreed is not None
        # What agrees, added up by districts, is the estimate of the sum: as far from the cells' sum on both sides.
        agreed = np.zeros((n, n))
        np.add.at(agreed, (district[release.origin], district[release.destination]), release.agreed)
        between = np.sort([agreed / release.ratio, sums.noisy.reshape(n, n), counted], axis=0)
        inside = counted != 0
        assert np.allclose(between[1][inside], (agreed / release.ratio)[inside])


def test_levels_of_other_zones_are_refused(workspace: Workspace) -> None:
    public = sorted({zone for zone in NUMBERS if zone is not None})
    tables = tables_of(workspace, awkward_records(2, NUMBERS, range(1, 10), n=200))
    with pytest.raises(ParameterError, match="levels must be of the zones that are known without the data"):
        od_simulation_from_trip_tables(
            tables, parameters_of(3, levels=1), group_size=None, levels=levels_over(public, 1), seed=SEED
        )
