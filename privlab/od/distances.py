"""How far apart places are."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def great_circle_km(lat_a: Floats, lon_a: Floats, lat_b: Floats, lon_b: Floats) -> Floats:
    """Return great-circle distances in kilometres (haversine formula), elementwise."""
    from privlab.datasets.cleaning import EARTH_RADIUS_M  # here: a database comes with it

    a, b = np.radians(lat_a), np.radians(lat_b)
    half = np.sin((b - a) / 2) ** 2 + np.cos(a) * np.cos(b) * np.sin(np.radians(lon_b - lon_a) / 2) ** 2
    return np.asarray(2 * (EARTH_RADIUS_M / 1000) * np.arcsin(np.sqrt(half)))
