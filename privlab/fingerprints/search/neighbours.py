"""The k − 1 nearest others of every user, exactly: the fast way to what stretch.py defines.

A lower bound of every distance, cheap to work out for all pairs, leaves few pairs to be looked at. The
result depends on neither the order of the input, the number of workers, nor the size of blocks.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError, require_whole
from privlab.datasets.engines import SharedWork, SparkWorkspace
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_of_users
from privlab.fingerprints.search.block_search import search_block_plainly
from privlab.fingerprints.search.bounds import TILE
from privlab.fingerprints.search.index import (
    SearchRoom,
    block_size,
    fill_tile,
    index_from_fingerprints,
    search_data,
    search_room,
    search_units,
)
from privlab.fingerprints.search.order import users_in_order
from privlab.fingerprints.search.part_search import filled_index, neighbours_of_part
from privlab.fingerprints.search.stretch import StretchParameters
from privlab.fingerprints.search.tile_search import search_tiles
from privlab.fingerprints.search.workers import Stop, results_of_parts, workers_or_all
from privlab.limits import MAX_K
from privlab.progress import UNHEARD, Progress

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Block = tuple[Int64s, Int64s]

_WORDS = "Looking for the nearest others"
_ON_CLUSTER = " on the cluster"
_PARTS_PER_CORE = 4
_MOST_IN_A_TASK = 4_096  # users
_FEW = 3  # users


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Neighbours:
    """The nearest others of some users, best first; of equally near ones the lesser user id first.

    `query` (Q,) are positions in the fingerprints' users, ascending. `other` (Q, N) int32 are positions of
    the N = min(k, users) − 1 nearest. Their distances are the exact fractions `total` / (`one` ·
    `n_longer`), int64 and int32, both (Q, N): the sum of the longer fingerprint's sample distances, and how
    many samples it has. `n_compared` of the `n_pairs` distances had to be worked out.
    """

    query: Int64s
    other: Int32s
    total: Int64s
    n_longer: Int32s
    one: int
    k: int
    parameters: StretchParameters
    n_users: int
    n_compared: int
    n_pairs: int


def neighbours_from_fingerprints(
    fingerprints: Fingerprints,
    *,
    k: int = 100,
    parameters: StretchParameters | None = None,
    query: Int64s | None = None,
    n_workers: int | None = None,
    pruned: bool = True,
    block: int | None = None,
    cluster: SparkWorkspace | None = None,
    progress: Progress = UNHEARD,
) -> Neighbours:
    """Return the k − 1 nearest others of every user.

    Parameters
    ----------
    fingerprints : Fingerprints
    k : int
        Users that are to share a fingerprint, the user included.
    parameters : StretchParameters, optional
        How far two samples are from one another.
    query : array of int, optional
        Positions of the users whose nearest others are looked for, among everybody. Default all.
    n_workers : int, optional
        Threads. Default as many as there are processors.
    pruned : bool
        False works out every distance in full.
    block : int, optional
        Users that one worker takes on at once.
    cluster : SparkWorkspace, optional
        Where blocks of users are searched for, each worker holding all fingerprints. Default this machine.
    progress : Progress, optional
        Told between blocks.

    Raises
    ------
    ParameterError
        For a k outside the limits, or a search beyond the memory allowed even with tables and neighbours on disk.
    DataError
        If they are too large for memory, and the disk has no room for them.
    """
    parameters = parameters or StretchParameters()
    k = require_whole("k", k, 2, MAX_K)
    n_workers = workers_or_all(n_workers)
    n_users = fingerprints.n_users
    wanted = _wanted(query, n_users)
    shape = (wanted.size, max(0, min(k, n_users) - 1))
    room = search_room(fingerprints, n_queries=wanted.size, k=k, n_workers=n_workers, pruned=pruned)
    room.require_enough()
    found = Neighbours(
        query=wanted,
        other=room.array(shape, np.int32),
        total=room.array(shape, np.int64),
        n_longer=room.array(shape, np.int32),
        one=parameters.units(fingerprints.cell_m).one,
        k=k,
        parameters=parameters,
        n_users=n_users,
        n_compared=0,
        n_pairs=wanted.size * max(0, n_users - 1),
    )
    if not found.other.size:
        return found
    progress.tell(0.0, "Preparing the search")
    if cluster is not None:
        return replace(found, n_compared=_search_on_cluster(fingerprints, found, cluster, block, progress))
    search = partial(_search, room) if pruned else _search_plainly
    return replace(found, n_compared=search(fingerprints, found, n_workers, block, progress))


def _wanted(query: Int64s | None, n_users: int) -> Int64s:
    wanted = np.arange(n_users) if query is None else np.unique(np.asarray(query, dtype=np.int64))
    if wanted.size and not 0 <= wanted[0] <= wanted[-1] < n_users:
        raise ParameterError(
            f"query must be positions from 0 to {n_users - 1:,}, got {wanted[0]:,} to {wanted[-1]:,}."
        )
    return wanted


def _search(
    room: SearchRoom,
    fingerprints: Fingerprints,
    found: Neighbours,
    n_workers: int,
    block: int | None,
    progress: Progress,
) -> int:
    n_judged = found.query.size
    prepared = 0.05 + 0.45 * (
        1 - n_judged / fingerprints.n_users
    )  # it is of everybody, the search of those judged
    index = index_from_fingerprints(fingerprints, found.parameters, room, progress.part(0.0, prepared * 0.6))

    def prepare(tile: int, _: Stop) -> None:
        fill_tile(index, tile)

    def search(part: Block, stop: Stop) -> int:
        return _kept(found, part, partial(search_tiles, index, part[0], stop))

    tiles = range(len(index.tables))
    filling = progress.part(prepared * 0.6, prepared)
    results_of_parts(prepare, tiles, n_workers, filling, "Preparing the search")
    parts = _blocks(index.data.user, found.query, block or block_size(n_judged))
    return sum(results_of_parts(search, parts, n_workers, progress.part(prepared, 1.0), _WORDS))


def _search_on_cluster(
    fingerprints: Fingerprints,
    found: Neighbours,
    cluster: SparkWorkspace,
    block: int | None,
    progress: Progress,
) -> int:
    nameless = replace(fingerprints, user_ids=np.arange(fingerprints.n_users))
    shared = SharedWork(filled_index, nameless, found.parameters)
    order = users_in_order(fingerprints).astype(np.int32)
    _compile(fingerprints, found.parameters)  # once here, not by every worker
    with cluster.spread(shared, partial(neighbours_of_part, n_neighbours=found.other.shape[1])) as spread:
        size = block or max(
            1, min(_MOST_IN_A_TASK, -(-found.query.size // (_PARTS_PER_CORE * spread.n_cores)))
        )
        parts = _blocks(order, found.query, size)
        results = spread.results([part[0] for part in parts], progress.part(0.0, 1.0, suffix=_ON_CLUSTER))
    for (_, rows), (total, length, other, _) in zip(parts, results, strict=True):
        found.total[rows], found.n_longer[rows], found.other[rows] = total, length, other
    return sum(n_compared for *_, n_compared in results)


def _compile(fingerprints: Fingerprints, parameters: StretchParameters) -> None:
    """Search among very few users, so that the search is compiled, and its machine code kept."""
    few = np.arange(min(_FEW, fingerprints.n_users))
    neighbours_from_fingerprints(
        fingerprints_of_users(fingerprints, few), parameters=parameters, k=2, n_workers=1
    )


def _search_plainly(
    fingerprints: Fingerprints, found: Neighbours, n_workers: int, block: int | None, progress: Progress
) -> int:
    data, units = search_data(fingerprints)[0], search_units(fingerprints, found.parameters)

    def search(part: Block, stop: Stop) -> int:
        return _kept(found, part, partial(search_block_plainly, data, units, part[0], stop))

    parts = _blocks(data.user, found.query, block or TILE // 4)
    return sum(results_of_parts(search, parts, n_workers, progress, _WORDS))


def _blocks(user: Int32s, query: Int64s, size: int) -> list[Block]:
    """Return blocks of queries in the search's order, last first: numbers in the search, rows in the result."""
    row = np.full(user.size, -1, dtype=np.int64)
    row[query] = np.arange(query.size)
    numbers = np.flatnonzero(row[user] >= 0)
    cuts = np.arange(0, numbers.size, size)[::-1]
    return [(numbers[cut : cut + size], row[user[numbers[cut : cut + size]]]) for cut in cuts]


def _kept(found: Neighbours, part: Block, search: Callable[..., int]) -> int:
    """Run the search of one block and keep what it finds; return how many distances it worked out."""
    shape = (part[0].size, found.other.shape[1])
    total, length, user = (np.empty(shape, dtype=kind) for kind in (np.int64, np.int64, np.int32))
    n_compared = search(total, length, user)
    found.total[part[1]], found.n_longer[part[1]], found.other[part[1]] = total, length, user
    return n_compared
