"""Projected systems: against a series worked out here, a published example, and the words for what is none."""

import math

import numpy as np
import pytest

from privlab.checks import DataError
from privlab.datasets.columns.projected_systems import (
    USUAL_SYSTEMS,
    crs_from_text,
    degrees_from_projected,
    name_of_crs,
    projected_from_degrees,
)

_A, _F = 6_378_137.0, 1 / 298.257223563  # WGS 84


def utm(lat: float, lon: float, zone: int) -> tuple[float, float]:
    """Return east and north by the series of Krüger (1912), to the third order of n: exact to less than a millimetre in a zone."""
    n = _F / (2 - _F)
    radius = _A / (1 + n) * (1 + n**2 / 4 + n**4 / 64)
    alpha = (
        n / 2 - 2 / 3 * n**2 + 5 / 16 * n**3,
        13 / 48 * n**2 - 3 / 5 * n**3,
        61 / 240 * n**3,
    )
    phi, lam = math.radians(lat), math.radians(lon - (6 * zone - 183))
    e = 2 * math.sqrt(n) / (1 + n)
    t = math.sinh(math.atanh(math.sin(phi)) - e * math.atanh(e * math.sin(phi)))
    xi, eta = math.atan2(t, math.cos(lam)), math.atanh(math.sin(lam) / math.hypot(1, t))
    east = eta + sum(a * math.cos(2 * j * xi) * math.sinh(2 * j * eta) for j, a in enumerate(alpha, 1))
    north = xi + sum(a * math.sin(2 * j * xi) * math.cosh(2 * j * eta) for j, a in enumerate(alpha, 1))
    return 500_000 + 0.9996 * radius * east, 0.9996 * radius * north


@pytest.mark.parametrize(
    ("crs", "zone", "lat", "lon"),
    [
        ("EPSG:32632", 32, 48.137, 11.575),
        ("EPSG:32632", 32, 53.55, 9.99),
        ("EPSG:25831", 31, 48.8584, 2.2945),
        ("EPSG:32610", 10, 37.77, -122.42),
    ],
)
def test_transverse_mercator_against_its_series(crs: str, zone: int, lat: float, lon: float) -> None:
    east, north = utm(lat, lon, zone)
    found = degrees_from_projected(crs, np.array([east]), np.array([north]))
    assert np.abs(np.ravel(found) - (lat, lon)).max() < 1e-8  # a millimetre
    back = projected_from_degrees(crs, np.array([lat]), np.array([lon]))
    assert np.abs(np.ravel(back) - (east, north)).max() < 1e-3


def test_web_mercator_against_the_example_of_its_register() -> None:
    """IOGP Publication 373-7-2, Geomatics Guidance Note 7 part 2: the example of the method Popular Visualisation Pseudo Mercator."""
    lat, lon = 24 + 22 / 60 + 54.433 / 3600, -(100 + 20 / 60)
    east, north = projected_from_degrees("EPSG:3857", np.array([lat]), np.array([lon]))
    assert (round(float(east[0]), 2), round(float(north[0]), 2)) == (-11_169_055.58, 2_800_000.00)


def test_east_comes_first_whatever_order_a_system_has_its_axes_in() -> None:
    """EPSG:31468 and EPSG:3006 have their north first; x is the east all the same, as columns of x are."""
    for crs, x, y, place in (
        ("EPSG:31468", 4_468_000.0, 5_333_000.0, (48.13, 11.57)),
        ("EPSG:3006", 674_000.0, 6_580_000.0, (59.33, 18.06)),
    ):
        found = degrees_from_projected(crs, np.array([x]), np.array([y]))
        assert np.abs(np.ravel(found) - place).max() < 0.02


def test_places_that_are_none_are_infinite_and_leave_others_alone() -> None:
    x, y = np.array([691_607.0, 1e12, math.nan]), np.array([5_334_764.0, 5.0, 1.0])
    lat, lon = degrees_from_projected("EPSG:25832", x, y)
    assert np.isfinite(lat).tolist() == np.isfinite(lon).tolist() == [True, False, False]
    assert (lat[0], lon[0]) == tuple(
        float(one[0]) for one in degrees_from_projected("EPSG:25832", x[:1], y[:1])
    )


@pytest.mark.parametrize(
    ("crs", "x", "y"),
    [
        ("EPSG:25832", 691_607.0, 5_334_764.0 + 3 * 40_007_862.9 * 0.9996),  # three times round the earth
        ("EPSG:25832", 691_607.0, 1e300),
        ("EPSG:25832", 691_607.0, -1e9),
        ("EPSG:2056", 2_600_000.0, 1e300),
        ("EPSG:3857", 1_289_000.0 + 3 * 40_075_016.69, 6_130_000.0),
    ],
)
def test_what_goes_round_the_earth_more_than_once_is_nowhere(crs: str, x: float, y: float) -> None:
    lat, lon = degrees_from_projected(crs, np.array([x]), np.array([y]))
    assert not np.isfinite(lat[0])
    assert not np.isfinite(lon[0])


def test_places_beside_the_area_of_a_system_are_there_all_the_same() -> None:
    """Three degrees beyond it, where what is converted there and back is 150 m off at the most."""
    for crs, lat, lon in (("EPSG:27700", 52.0, 5.0), ("EPSG:5514", 49.0, 25.0), ("EPSG:25832", 50.0, 15.0)):
        x, y = projected_from_degrees(crs, np.array([lat]), np.array([lon]))
        found = np.ravel(degrees_from_projected(crs, x, y))
        assert np.abs(found - (lat, lon)).max() < 0.003


@pytest.mark.parametrize(
    "text", ["25832", " epsg:25832 ", "EPSG:25832", "urn:ogc:def:crs:EPSG::25832", "EPSG: 25832"]
)
def test_a_system_is_named_by_its_number(text: str) -> None:
    assert crs_from_text(text) == "EPSG:25832"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("UTM 32", r"^crs must be the number of a projected system, got 'UTM 32'\. Give the number that your map program names"),
        ("99999", r"^crs must be the number of a projected system, and there is no EPSG:99999\."),
        ("4326", r"^crs must be a projected system, and EPSG:4326 is WGS 84, which is none\. Name the columns as latitude and longitude\.$"),
        ("2053", r"^crs must be a system whose x runs east and y north, and those of EPSG:2053"),
        ("5773", r"^crs must be a projected system, and EPSG:5773 is EGM96 height, which is none\. Give the number"),
        ("", r"^crs must be the number"),
    ],
)  # fmt: skip
def test_what_is_no_projected_system_is_refused(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        crs_from_text(text)


def test_the_usual_systems_are_projected_and_each_named_once() -> None:
    assert len({*USUAL_SYSTEMS}) == len(USUAL_SYSTEMS)
    names = [name_of_crs(crs) for crs in USUAL_SYSTEMS]
    assert len({*names}) == len(names)
    assert [crs_from_text(crs) for crs in USUAL_SYSTEMS] == [*USUAL_SYSTEMS]
    assert name_of_crs("EPSG:25832") == "ETRS89 / UTM zone 32N"
