"""The search of one part of the users by a worker of a cluster, which holds all fingerprints and needs nothing else.

The index is made once per process of a worker and kept for its next part.
"""

from uuid import uuid4

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.search.index import SearchIndex, block_size, fill_tile, index_from_fingerprints
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.fingerprints.search.tile_search import search_tiles

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
PartFound = tuple[Int64s, Int32s, Int32s, int]

_known: dict[str, SearchIndex] = {}  # of a worker's process: the search it is at, and no other


class SharedSearch:
    """What all parts of one search need: everybody's fingerprints, how far two samples are, how many others."""

    def __init__(self, fingerprints: Fingerprints, parameters: StretchParameters, n_neighbours: int) -> None:
        """Give the search a name of its own, by which a worker knows its index again."""
        self.name = uuid4().hex
        self.fingerprints, self.parameters, self.n_neighbours = fingerprints, parameters, n_neighbours

    def index(self) -> SearchIndex:
        """Return the index of the search, made when it is first asked for in a process."""
        if self.name not in _known:
            _known.clear()
            index = index_from_fingerprints(self.fingerprints, self.parameters)
            for tile in range(len(index.tables)):
                fill_tile(index, tile)
            _known[self.name] = index
        return _known[self.name]


def neighbours_of_part(shared: SharedSearch, queries: Int64s) -> PartFound:
    """Return totals, lengths and positions of the nearest others, (queries, others), and how many were worked out.

    `queries` are numbers in the order of the search, as in Neighbours.
    """
    index, shape = shared.index(), (queries.size, shared.n_neighbours)
    total, length, other = (np.empty(shape, dtype=kind) for kind in (np.int64, np.int64, np.int32))
    stop, n_compared, size = np.zeros(1, dtype=np.bool_), 0, max(64, block_size(queries.size))
    for first in range(0, queries.size, size):
        rows = slice(first, first + size)
        n_compared += search_tiles(index, queries[rows], stop, total[rows], length[rows], other[rows])
    return total, length.astype(np.int32), other, n_compared
