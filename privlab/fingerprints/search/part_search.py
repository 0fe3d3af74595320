"""The search of one part of the users by a worker of a cluster, which holds all fingerprints and needs nothing else.

The index is made once per process of a worker and kept for its next part.
"""

import numpy as np
import numpy.typing as npt

from privlab.datasets.engines import SharedWork
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.search.index import (
    SearchIndex,
    block_size,
    fill_tile,
    index_from_fingerprints,
    search_room,
)
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.fingerprints.search.tile_search import search_tiles

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
PartFound = tuple[Int64s, Int32s, Int32s, int]


def filled_index(fingerprints: Fingerprints, parameters: StretchParameters) -> SearchIndex:
    """Return the index of a search with every tile's table filled, ready for any part of it."""
    room = search_room(fingerprints, n_queries=0, k=2, n_workers=1)
    index = index_from_fingerprints(fingerprints, parameters, room)
    for tile in range(len(index.tables)):
        fill_tile(index, tile)
    return index


def neighbours_of_part(shared: SharedWork[SearchIndex], queries: Int64s, *, n_neighbours: int) -> PartFound:
    """Return totals, lengths and positions of the nearest others, (queries, others), and how many were worked out.

    `queries` are numbers in the order of the search, as in Neighbours.
    """
    index, shape = shared.prepared(), (queries.size, n_neighbours)
    total, length, other = (np.empty(shape, dtype=kind) for kind in (np.int64, np.int64, np.int32))
    stop, n_compared, size = np.zeros(1, dtype=np.bool_), 0, max(64, block_size(queries.size))
    for first in range(0, queries.size, size):
        rows = slice(first, first + size)
        n_compared += search_tiles(index, queries[rows], stop, total[rows], length[rows], other[rows])
    return total, length.astype(np.int32), other, n_compared
