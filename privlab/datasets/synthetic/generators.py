"""The four sample data sets, made from a seed: the city, the commuters, the cabs, the subscribers.

A facade: what each imitates and how closely is in sample_data/README.md. Users are made in blocks, so
that any number of them can be written without holding them all in memory.
"""

from collections.abc import Iterator
from types import ModuleType

import pyarrow as pa

from privlab import limits
from privlab.checks import require_choice, require_whole
from privlab.datasets.synthetic import cabs, city, commuters, subscribers
from privlab.datasets.synthetic.city_shape import city_river, city_zone_table, city_zones

NAMES = ("city", "commuters", "cabs", "subscribers")
NAMES_WITH_ZONES = ("city", "commuters")
_MODULES: dict[str, ModuleType] = dict(zip(NAMES, (city, commuters, cabs, subscribers), strict=True))
DEFAULT_USERS: dict[str, int] = {name: module.DEFAULT_USERS for name, module in _MODULES.items()}

__all__ = [
    "DEFAULT_USERS",
    "NAMES",
    "NAMES_WITH_ZONES",
    "blocks",
    "city_river",
    "city_zones",
    "generate",
    "zones_of",
]


def generate(name: str, *, n_users: int, seed: int) -> pa.Table:
    """Return the sample as one table, sorted by user then time.

    Raises ParameterError for an unknown name, or a number of users or seed outside the limits.
    """
    return pa.concat_tables(list(blocks(name, n_users=n_users, seed=seed)))


def blocks(name: str, *, n_users: int, seed: int) -> Iterator[pa.Table]:
    """Return the sample as an iterator of tables of some users each; their concatenation is `generate`."""
    require_choice("name", name, NAMES)
    n_users = require_whole("n_users", n_users, 1, limits.MAX_USERS_GENERATED)
    seed = require_whole("seed", seed, 0, limits.MAX_SEED)
    module = _MODULES[name]
    firsts = range(0, n_users, module.BLOCK_USERS)
    return (module.block(first, min(module.BLOCK_USERS, n_users - first), seed) for first in firsts)


def zones_of(name: str, *, seed: int = 1) -> pa.Table:
    """Return the zones of a sample that has named zones: columns zone, name, lat, lon (a point inside)."""
    require_choice("name", name, NAMES_WITH_ZONES)
    seed = require_whole("seed", seed, 0, limits.MAX_SEED)
    return city_zone_table(seed) if name == "city" else commuters.station_table(seed)
