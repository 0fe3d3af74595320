"""Generalised samples: boxes in space and time, and fingerprints made of them.

Knows how two fingerprints become one that covers both; knows nothing of which to merge.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from privlab.checks import ParameterError
from privlab.fingerprints.fingerprints import Fingerprints
from privlab.fingerprints.glove.box_search import nearest_boxes
from privlab.fingerprints.search.compiled import kernel

Boxes = npt.NDArray[np.int32]  # (n, 6): x, x end, y, y end (100 m), t, t end (minutes), ends excluded
Int64s = npt.NDArray[np.int64]

GRID_M = 100  # boxes are measured in steps of so many metres
_FARTHEST = 2**30  # ends of boxes on either side


def boxes_from_fingerprints(fingerprints: Fingerprints) -> Boxes:
    """Return every sample as the box that its cell and minute (or bin) are, in their order.

    Raises ParameterError for cells that are no whole steps of 100 m, and places farther off than numbers go.
    """
    steps, rest = divmod(fingerprints.cell_m, GRID_M)
    if rest:
        raise ParameterError(f"cells must be whole steps of {GRID_M} m, got {fingerprints.cell_m} m.")
    boxes = np.empty((fingerprints.x.size, 6), dtype=np.int32)
    for column, (axis, scale, size) in enumerate(
        (
            (fingerprints.x, steps, steps),
            (fingerprints.y, steps, steps),
            (fingerprints.t, 1, fingerprints.bin_min),
        )
    ):
        low = axis.astype(np.int64) * scale
        if low.size and max(-low.min(), low.max() + size) > _FARTHEST:
            raise ParameterError(f"samples must lie within {_FARTHEST:,} steps of 100 m or minutes.")
        boxes[:, 2 * column], boxes[:, 2 * column + 1] = low, low + size
    return boxes


def reach_of_boxes(boxes: Boxes, group: Int64s | None = None) -> npt.NDArray[np.int32]:
    """Return the latest end of the boxes up to each one, of its group where groups are given, ascending."""
    shift = np.int64(0) if group is None else group << 33
    reach: npt.NDArray[np.int32] = (np.maximum.accumulate(boxes[:, 5] + shift) - shift).astype(np.int32)
    return reach


def sorted_boxes(boxes: Boxes) -> Boxes:
    """Return the boxes by beginning, then place and end, each once."""
    x, x_end, y, y_end, t, t_end = boxes.T
    ordered = boxes[np.lexsort((y_end, x_end, t_end, y, x, t))]
    new = np.ones(len(ordered), dtype=bool)
    new[1:] = np.any(ordered[1:] != ordered[:-1], axis=1)
    return ordered[new]


def merged_boxes(one: Boxes, n_one: int, other: Boxes, n_other: int) -> Boxes:
    """Return the fingerprint that covers two fingerprints hiding `n_one` and `n_other` subscribers.

    Each box of the longer goes to its nearest of the shorter, which grows to cover it; then each of the
    shorter that got none goes to its nearest of those. Of two of one length that one counts as longer
    whose stretch is smaller, the first if they are equal.
    """
    # Gramaglia and Fiore 2015 (GLOVE), section 5.2.
    if len(other) > len(one):
        one, n_one, other, n_other = other, n_other, one, n_one
    to, total = _nearest(one, n_one, other, n_other)
    if len(other) == len(one):
        back, their_total = _nearest(other, n_other, one, n_one)
        if their_total < total:
            one, other, to, n_one, n_other = other, one, back, n_other, n_one
    grown = _grown(other, to, one)
    touched = np.zeros(len(other), dtype=bool)
    touched[to] = True
    left, grown = other[~touched], sorted_boxes(grown[touched])
    if len(left):
        grown = _grown(grown, _nearest(left, n_other, grown, n_one + n_other)[0], left)
    return sorted_boxes(grown)


def _nearest(mine: Boxes, n: int, theirs: Boxes, their_n: int) -> tuple[Int64s, int]:
    at = np.empty(len(mine), dtype=np.int64)
    return at, int(nearest_boxes(mine, n, theirs, reach_of_boxes(theirs), their_n, at))


def _grown(boxes: Boxes, to: Int64s, joining: Boxes) -> Boxes:
    """Return the boxes grown to cover those that join them, box `to[i]` the i-th."""
    grown = boxes.copy()
    for axis in range(0, 6, 2):
        np.minimum.at(grown[:, axis], to, joining[:, axis])
        np.maximum.at(grown[:, axis + 1], to, joining[:, axis + 1])
    return grown


def disjoint_boxes(boxes: Boxes, group: Int64s) -> tuple[Boxes, Int64s]:
    """Return boxes that do not overlap in time within a group, and the group of each.

    Boxes come by group and beginning. Time is cut wherever a box begins or ends; a piece covers in space
    all boxes that hold its time.
    """
    edges = np.unique(
        (np.concatenate([group, group]) << 33) + np.concatenate([boxes[:, 4], boxes[:, 5]]) + 2**32
    )
    edge_group = edges >> 33
    edge_t = (edges - (edge_group << 33) - 2**32).astype(np.int32)
    same = edge_group[1:] == edge_group[:-1]
    pieces = np.zeros((int(same.sum()), 6), dtype=np.int32)
    pieces[:, 4], pieces[:, 5] = edge_t[:-1][same], edge_t[1:][same]
    piece_group = edge_group[:-1][same]
    cover_pieces(boxes, reach_of_boxes(boxes, group), group, piece_group, pieces)
    covered = pieces[:, 1] > pieces[:, 0]
    return pieces[covered], piece_group[covered]


def home_of_samples(samples: Boxes, sample_group: Int64s, boxes: Boxes, group: Int64s) -> Int64s:
    """Return which box of its group holds each sample, −1 for none; boxes by group and time, disjoint."""
    begins = (group << 33) + boxes[:, 4] + 2**32
    at = np.searchsorted(begins, (sample_group << 33) + samples[:, 4] + 2**32, side="right") - 1
    if not len(boxes):
        return np.full(len(samples), -1, dtype=np.int64)
    found = boxes[np.maximum(at, 0)]
    holds = (at >= 0) & (group[np.maximum(at, 0)] == sample_group)
    for axis in range(0, 6, 2):
        holds &= (found[:, axis] <= samples[:, axis]) & (samples[:, axis + 1] <= found[:, axis + 1])
    return np.where(holds, at, -1).astype(np.int64)


@kernel
def cover_pieces(boxes: Any, reach: Any, group: Any, piece_group: Any, pieces: Any) -> None:
    """Stretch each piece, whose times are set, over all boxes of its group that hold any of its time.

    Boxes and pieces are by group and time; a piece that no box covers keeps x end = x = 0.
    """
    first = 0
    for piece in range(pieces.shape[0]):
        start = pieces[piece, 4]
        while first < boxes.shape[0] and (
            group[first] < piece_group[piece]
            or (group[first] == piece_group[piece] and reach[first] <= start)
        ):
            first += 1
        j, covered = first, False
        while j < boxes.shape[0] and group[j] == piece_group[piece] and boxes[j, 4] <= start:
            if boxes[j, 5] > start:
                for axis in range(0, 4, 2):
                    if not covered or boxes[j, axis] < pieces[piece, axis]:
                        pieces[piece, axis] = boxes[j, axis]
                    if not covered or boxes[j, axis + 1] > pieces[piece, axis + 1]:
                        pieces[piece, axis + 1] = boxes[j, axis + 1]
                covered = True
            j += 1
