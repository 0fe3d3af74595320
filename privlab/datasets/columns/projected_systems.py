"""Places in metres of a projected system ↔ latitude and longitude, by PROJ.

Knows systems by their EPSG numbers; opens no file, and fetches no grid of finer shifts from anywhere.
"""

import re
import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pyproj
from pyproj.exceptions import CRSError, ProjError
from pyproj.transformer import TransformerGroup

from privlab.checks import DataError

Floats = npt.NDArray[np.float64]
# Those that planning and survey offices have most; any other is named by its number.
USUAL_SYSTEMS = (
    *(f"EPSG:{25828 + zone}" for zone in range(11)),  # ETRS89 / UTM, the Azores to Finland
    *("EPSG:3035", "EPSG:2154", "EPSG:27700", "EPSG:2157", "EPSG:28992", "EPSG:31370", "EPSG:3812", "EPSG:2169"),
    *("EPSG:2056", "EPSG:21781", "EPSG:31287", "EPSG:31254", "EPSG:31255", "EPSG:31256"),
    *("EPSG:31466", "EPSG:31467", "EPSG:31468", "EPSG:31469", "EPSG:3006", "EPSG:3067", "EPSG:5514", "EPSG:2180"),
    *("EPSG:3763", "EPSG:7791", "EPSG:7792", "EPSG:23700", "EPSG:3794", "EPSG:3765", "EPSG:3844", "EPSG:2100"),
    *("EPSG:3857", "EPSG:2193", "EPSG:3414", "EPSG:2326", "EPSG:5179", "EPSG:31983", "EPSG:32718"),
    *("EPSG:7855", "EPSG:7856", "EPSG:6677", "EPSG:2263", "EPSG:2229", "EPSG:26917", "EPSG:26918"),
)  # fmt: skip
_NUMBER = re.compile(r"(?:epsg:{1,2})?\s*(\d{4,6})", re.IGNORECASE)
_URN = re.compile(r"urn:ogc:def:crs:EPSG:[\d.]*:(\d{4,6})", re.IGNORECASE)
# In units of a system: a place far from where the system is made for comes back at most 150 m off.
_COMES_BACK = 1_000.0
_DEGREES = pyproj.CRS.from_epsg(4326)
_INSTEAD = "Give the number that your map program names for it, such as EPSG:25832."


@dataclass(frozen=True, slots=True)
class ProjectedSystem:
    """A projected system: its name, where it is used (west, south, east, north in degrees), and how exactly it becomes degrees.

    `accuracy_m` is what the conversion may be off, in metres, None where that is not known.
    """

    crs: str
    name: str
    area: tuple[float, float, float, float] | None
    accuracy_m: float | None


def crs_from_text(text: str) -> str:
    """Return the system that a text names, as "EPSG:" and its number.

    Raises DataError if there is none of this number, it is no projected one, its x and y do not run east and north, or PROJ cannot convert it.

    >>> crs_from_text(" 25832"), crs_from_text("urn:ogc:def:crs:EPSG::2154")
    ('EPSG:25832', 'EPSG:2154')
    """
    found = _NUMBER.fullmatch(text.strip()) or _URN.fullmatch(text.strip())
    if found is None:
        raise DataError(f"crs must be the number of a projected system, got {text[:60]!r}. {_INSTEAD}")
    crs = f"EPSG:{int(found[1])}"
    name = _projected(crs).name
    runs = {axis.direction for axis in _projected(crs).axis_info}
    if "west" in runs or len(runs & {"south", "east"}) == 2:
        raise DataError(
            f"crs must be a system whose x runs east and y north, and those of {crs} ({name}) do not. Write the data in another one."
        )
    try:
        _to_degrees(crs)
    except ProjError:
        raise DataError(
            f"crs must be a system whose places are known in degrees, and PROJ cannot convert {crs} ({name}). Write the data in another one."
        ) from None
    return crs


def crs_from_wkt(text: str) -> str | None:
    """Return the system that a text describes, as a map file has it, or its EPSG number where it is known by one; None of plain degrees.

    It may be one of degrees with a datum of its own. Raises DataError if it is none that PROJ knows.
    """
    try:
        system = pyproj.CRS.from_user_input(text).to_2d()
        # Not heights, nor places counted from the middle of the earth.
        if not (system.is_projected or system.is_geographic):
            raise ProjError("no system of places on a map")
        number = system.to_epsg(min_confidence=70)
        if number == 4326 or system.equals(_DEGREES, ignore_axis_order=True):
            return None
        crs = f"EPSG:{number}" if number is not None else str(system.to_wkt())
        _to_degrees(crs)
    except ProjError:
        raise DataError(
            "The file says that its places are in a system that is not known here. Let a map program write it in degrees (EPSG:4326)."
        ) from None
    return crs


def name_of_crs(crs: str) -> str:
    """Return what a system is called: "ETRS89 / UTM zone 32N". Raises DataError as crs_from_text."""
    return str(_projected(crs).name)


@lru_cache(maxsize=256)
def system_of_crs(crs: str) -> ProjectedSystem:
    """Return what is known of a system. Raises DataError as crs_from_text."""
    system = _projected(crs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of grids that are not there: the accuracy says it
        ways = TransformerGroup(system, "EPSG:4326", always_xy=True).transformers
    accuracy = ways[0].accuracy if ways else -1.0
    return ProjectedSystem(
        crs=crs,
        name=system.name,
        area=None if system.area_of_use is None else system.area_of_use.bounds,
        accuracy_m=None if accuracy < 0 else accuracy,
    )


@lru_cache(maxsize=256)
def _projected(crs: str) -> pyproj.CRS:
    try:
        system = pyproj.CRS.from_user_input(crs)
    except CRSError:
        raise DataError(
            f"crs must be the number of a projected system, and there is no {crs}. {_INSTEAD}"
        ) from None
    if not system.is_projected:
        way_on = " Name the columns as latitude and longitude." if system.is_geographic else f" {_INSTEAD}"
        raise DataError(f"crs must be a projected system, and {crs} is {system.name}, which is none.{way_on}")
    return system.to_2d()


def degrees_from_projected(crs: str, x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return the latitudes and longitudes of places east (x) and north (y) in a system; infinite where there are none.

    PROJ converts even x and y that lead round the earth more than once. They are found by converting back: what does not come back to
    where it began is no place of the system.

    >>> lat, lon = degrees_from_projected("EPSG:25832", np.array([691_607.0]), np.array([5_334_764.0]))
    >>> round(float(lat[0]), 2), round(float(lon[0]), 2)
    (48.14, 11.58)
    """
    lon, lat = _to_degrees(crs).transform(x, y)
    back_x, back_y = _to_degrees(crs).transform(lon, lat, direction="INVERSE")
    with np.errstate(invalid="ignore", over="ignore"):
        there = np.hypot(back_x - x, back_y - y) <= _COMES_BACK
    return np.where(there, lat, np.inf), np.where(there, lon, np.inf)


def projected_from_degrees(crs: str, lat: Floats, lon: Floats) -> tuple[Floats, Floats]:
    """Return where places lie in a system, east (x) and north (y)."""
    x, y = _to_degrees(crs).transform(lon, lat, direction="INVERSE")
    return np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)


@lru_cache(maxsize=64)
def _to_degrees(crs: str) -> pyproj.Transformer:
    system = pyproj.CRS.from_user_input(crs).to_2d()
    return pyproj.Transformer.from_crs(system, "EPSG:4326", always_xy=True)
