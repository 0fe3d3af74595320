"""Which two fingerprints are closest, while fingerprints leave and new ones come.

Each fingerprint's row lists its nearest others, some of them; what is listed but gone is passed over when
it comes up, and a row that runs out is asked for again.
"""

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Entry = tuple[float, int, int, int, int, int]  # cost, lower rank, higher rank, row, version, other

_ASK_AGAIN = -1


@dataclass(slots=True)
class _Row:
    costs: Sequence[float]
    others: Sequence[int]
    complete: bool
    version: int
    at: int = 0


class ClosestPairs:
    """The closest pair of slots that are both alive; of equally close ones the one of the least ranks.

    `rank` and `alive` (slots,) are the caller's arrays. `more(rows)` must put again each of the rows, which
    ran out, with their nearest others that are alive.
    """

    def __init__(self, rank: Int64s, alive: npt.NDArray[np.bool_], more: Callable[[list[int]], None]) -> None:
        self._rank, self._alive, self._more = rank, alive, more
        self._rows: dict[int, _Row] = {}
        self._hungry: set[int] = set()
        self._heap: list[Entry] = []

    def put_row(self, row: int, costs: Floats, others: npt.NDArray[np.integer], *, complete: bool) -> None:
        """List the nearest others of a slot, best first, of equals the one of lower rank first.

        `complete` says that the others it is to be compared with end there.
        """
        version = self._rows[row].version + 1 if row in self._rows else 0
        self._rows[row] = _Row(costs.tolist(), others.tolist(), complete, version)
        self._hungry.discard(row)
        self._push(row)

    def _push(self, row: int) -> None:
        """Push the first pair of a row that is alive, or where its list ended."""
        listed = self._rows[row]
        others, end = listed.others, len(listed.others)
        while listed.at < end and not self._alive[others[listed.at]]:
            listed.at += 1
        if listed.at < end:
            self._push_pair(row, listed.at, others[listed.at])
        elif not listed.complete:
            self._hungry.add(row)
            self._push_pair(row, end - 1, _ASK_AGAIN)  # all that is not listed is at least as far

    def _push_pair(self, row: int, at: int, other: int) -> None:
        listed = self._rows[row]
        one, two = int(self._rank[row]), int(self._rank[listed.others[at]])
        entry = (listed.costs[at], min(one, two), max(one, two), row, listed.version, other)
        heapq.heappush(self._heap, entry)

    def closest(self) -> tuple[int, int] | None:
        """Return the closest pair, the row first, or None if there is none."""
        while self._heap:
            *_, row, version, other = heapq.heappop(self._heap)
            if not self._alive[row] or version != self._rows[row].version:
                continue
            if other == _ASK_AGAIN:
                self._more(sorted(one for one in self._hungry if self._alive[one]))
                self._hungry.clear()
            elif self._alive[other]:
                return row, other
            else:
                self._push(row)
        return None
