"""Where the public zones of a release lie: in the order of a release, of every zone or of none."""

import numpy as np
import pytest

from privlab.datasets.zones import ZoneMap
from privlab.lab.publishing import levels_from_zone_map, positions_from_zone_map


def zone_map(lat: list[float]) -> ZoneMap:
    """Zones 7, 3 and 5, in this order."""
    return ZoneMap(
        zones=np.array([7, 3, 5]),
        lat=np.array(lat),
        lon=np.array([9.7, 9.3, 9.5]),
        outlines=(None, None, None),
        names=("g", "c", "e"),
    )


def test_positions_follow_the_zones_of_a_release_in_order() -> None:
    found = positions_from_zone_map([5, 7], zone_map([45.7, 45.3, 45.512345678]))
    assert found is not None
    assert found.lat == (45.51235, 45.7)
    assert found.lon == (9.5, 9.7)


def test_districts_follow_the_zones_of_a_release_in_order() -> None:
    """Zones 7 and 5 are of the south, 3 of the north: a release has its zones in order, however they are named or drawn."""
    columns = {"part": {3: "north", 5: "south", 7: "south"}}
    (level,) = levels_from_zone_map(["part"], [7, 5, 3], zone_map([45.7, 45.3, 45.5]), columns)
    assert (level.name, level.of) == ("part", ("north", "south", "south"))


@pytest.mark.parametrize(
    ("zones", "lat"), [([3, 5, 8], 45.3), ([3, 5], float("nan")), (None, 45.3), ([], 45.3)]
)
def test_no_position_of_one_zone_is_none_of_any(zones: list[int] | None, lat: float) -> None:
    """Zone 8 is on no map, the place of zone 3 is unknown, or nobody named zones."""
    assert positions_from_zone_map(zones, zone_map([45.7, lat, 45.5])) is None
