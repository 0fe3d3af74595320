"""The search of one block of users, tile by tile: near tiles first, and tiles that hold nobody near left out.

A tile is left out for a user when a bound for the whole tile is above the user's worst distance so far; so
most of the bounds of pairs, which all grow with the square of the users, are never worked out.
"""

import numpy as np
import numpy.typing as npt

from privlab.fingerprints.search.block_search import search_block
from privlab.fingerprints.search.bounds import TILE, TOP, bound_block, bound_pairs, bound_tiles
from privlab.fingerprints.search.index import ROUND_USERS, SearchIndex, fill_table
from privlab.fingerprints.search.workers import Stop

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Bounds = npt.NDArray[np.uint16]

_FIRST_TILES = 64  # of the first round, or as many as hold the neighbours wanted


def search_tiles(
    index: SearchIndex, queries: Int64s, stop: Stop, sums: Int64s, lengths: Int64s, users: Int32s
) -> int:
    """Fill in the nearest others of a block of queries; return how many distances were worked out.

    `queries` (Q,) are numbers of the index; the other arrays are (Q, N), filled best first.
    """
    table = np.empty((index.tables.shape[1], queries.size), dtype=np.uint8)
    fill_table(index, queries, table)
    to_tile, from_user, least = _tile_bounds(index, queries, table, stop)
    left = np.argsort(least.min(axis=0), kind="stable")
    n_found = np.zeros(queries.size, dtype=np.int64)
    n_tried, n_tiles = 0, max(_FIRST_TILES, -(-4 * sums.shape[1] // TILE))
    while left.size and not stop[0]:
        limits = _limits(index, n_found, sums, lengths)
        left = left[(least[:, left] <= limits[:, None]).any(axis=0)]
        tiles, left = left[:n_tiles], left[n_tiles:]
        n_tiles = min(2 * n_tiles, ROUND_USERS // TILE)
        bounds = np.empty((queries.size, tiles.size * TILE), dtype=np.uint16)
        bound_pairs(
            index.people, queries, tiles, index.tables, table, to_tile, from_user, limits, bounds, stop
        )
        if stop[0]:
            break
        n_tried += search_block(
            index.data, index.narrow, index.units, queries, tiles, TILE, bounds, stop,
            n_found, sums, lengths, users,
        )  # fmt: skip
    return n_tried


def _tile_bounds(
    index: SearchIndex, queries: Int64s, table: npt.NDArray[np.uint8], stop: Stop
) -> tuple[Bounds, Bounds, Bounds]:
    """Return bounds of a query to a tile where the query is longer, of a user to all queries, and both together.

    The last, (queries, tiles), is a bound of the distance of a query to anybody in the tile.
    """
    n_users, n_samples = index.data.user.size, index.data.n_samples
    begins = np.arange(0, n_users, TILE)
    to_tile = np.empty((queries.size, begins.size), dtype=np.uint16)
    bound_tiles(index.people, queries, index.tile_tables, to_tile, stop)
    from_user = np.empty(n_users, dtype=np.uint16)
    bound_block(index.people, table.min(axis=1), int(n_samples[queries].min()), from_user)
    shortest = np.minimum.reduceat(n_samples, begins)
    least = np.where(shortest[None] <= n_samples[queries][:, None], to_tile, TOP)
    return to_tile, from_user, np.minimum(least, np.minimum.reduceat(from_user, begins)[None])


def _limits(index: SearchIndex, n_found: Int64s, sums: Int64s, lengths: Int64s) -> Int64s:
    """Return the largest bound per query that someone who belongs among those found can have."""
    full = n_found == sums.shape[1]
    limits = np.full(n_found.size, TOP, dtype=np.int64)
    limits[full] = sums[full, -1] * TOP // (lengths[full, -1] * index.units.largest)
    return limits
