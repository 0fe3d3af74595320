"""Work on coordinates that runs outside the database, block by block, as a database function."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import ibis
import ibis.expr.datatypes as dt
import ibis.expr.types as ir
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privlab.datasets.zones.zone_maps import Floats

NOWHERE = -1

# The database calls back from threads of its own, whose Python state lives for one call only;
# PROJ keeps state per thread and crashes there. One lasting thread does all such work.
_GEOGRAPHER = ThreadPoolExecutor(max_workers=1, thread_name_prefix="geographer")


Blocks = Callable[[Floats, Floats], pa.Array]


def integer_zones(zones: npt.NDArray[np.int64]) -> pa.Array:
    """Return zones as Arrow, NOWHERE as NULL."""
    return pa.array(zones, pa.int64(), mask=zones == NOWHERE)


@dataclass(frozen=True, slots=True)
class Placing:
    """What makes of a block of rows its user_id, its time and zones for the named pairs of coordinates.

    It holds nothing of the process it was made in, so that it can travel to the workers of a cluster.
    """

    outside: Blocks
    ends: Mapping[str, tuple[str, str | None]]

    def __call__(self, block: pa.RecordBatch) -> pa.Table:
        """Return the block with zones for coordinates."""
        zones = {
            name: self.outside(*(block[column].to_numpy(zero_copy_only=False) for column in pair))
            for name, pair in self.ends.items()
        }
        return pa.table({"user_id": block["user_id"], "time": block["time"], **zones})


def database_function(run: Blocks, name: str, returns: Any) -> Callable[..., ir.Value]:
    """Return `run` as a database function of two float64 columns, under a name of its own.

    Right everywhere but slow, some milliseconds for two thousand rows; `Workspace.mapped` is fast.
    """

    def relay(a: pa.Array, b: pa.Array) -> pa.Array:
        blocks = (np.asarray(pa.array(v).to_numpy(zero_copy_only=False), dtype=np.float64) for v in (a, b))
        return _GEOGRAPHER.submit(run, *blocks).result()

    relay.__name__ = "zone_" + "".join(c if c.isalnum() else "_" for c in name)
    function: Callable[..., ir.Value] = ibis.udf.scalar.pyarrow(
        relay, name=relay.__name__, signature=((dt.float64, dt.float64), returns), null_handling="special"
    )
    return function
