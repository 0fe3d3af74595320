"""Groups of users who share a fingerprint → the table that is published, and the proof that it holds.

The proof looks at nothing but the table; what is true of the people in it is not known here.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from privlab.checks import BoundViolation, DataError, require_whole
from privlab.fingerprints.glove.boxes import GRID_M
from privlab.fingerprints.glove.glove_result import HiddenGroups
from privlab.fingerprints.placed_samples import projection_around
from privlab.limits import MAX_K

Int64s = npt.NDArray[np.int64]

_BOX = ("time", "duration_min", "x_m", "width_m", "y_m", "height_m")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Verification:
    """What a published table is, found out from the table alone.

    `n_sharing` is the number of users who share the fingerprint that the fewest share. `checks` says of
    each sentence whether it is true; the table holds if all are.
    """

    k: int
    n_users: int
    n_fingerprints: int
    n_sharing: int
    checks: dict[str, bool]

    @property
    def holds(self) -> bool:
        """Whether every check is passed."""
        return all(self.checks.values())


def table_from_hidden_groups(groups: HiddenGroups) -> pa.Table:
    """Return one row per user and box, without anybody's id.

    Columns: `user`, a number that says nothing but who shares rows; `time`, `duration_min`, `x_m`,
    `width_m`, `y_m`, `height_m`, the box: the wall clock and minutes, metres east and north of the centre.
    The metadata say so, and which projection has them. Users and groups are numbered by what they share. Whose group has no box left has no row.
    """
    lengths = np.diff(groups.offsets)
    contents = {
        int(group): groups.boxes[groups.offsets[group] : groups.offsets[group + 1]].tobytes()
        for group in np.flatnonzero(lengths)
    }
    order = np.array(sorted(contents, key=contents.__getitem__), dtype=np.int64)
    shown = np.repeat(order, groups.users_per_group[order])
    n_rows = lengths[shown]
    begins = np.cumsum(n_rows) - n_rows
    rows = np.arange(n_rows.sum()) + np.repeat(groups.offsets[shown] - begins, n_rows)
    x, x_end, y, y_end, t, t_end = groups.boxes[rows].astype(np.int64).T
    table = pa.table(
        {
            "user": np.repeat(np.arange(shown.size), n_rows),
            "time": pa.array(t * 60, pa.int64()).cast(pa.timestamp("s")),
            "duration_min": t_end - t,
            "x_m": x * GRID_M,
            "width_m": (x_end - x) * GRID_M,
            "y_m": y * GRID_M,
            "height_m": (y_end - y) * GRID_M,
        }
    )
    return table.replace_schema_metadata(_note(groups))


def verified_table_from_hidden_groups(groups: HiddenGroups) -> tuple[pa.Table, Verification]:
    """Return the table that may be published, and the proof that it holds.

    Raises BoundViolation if it does not: then nothing of it may be handed out.
    """
    table = table_from_hidden_groups(groups)
    proof = verification_from_table(table, groups.parameters.k)
    if not proof.holds:
        failed = "; ".join(what for what, holds in proof.checks.items() if not holds)
        raise BoundViolation(
            f"What would be published does not hold, and is not handed out. Untrue: {failed}."
        )
    return table, proof


def _note(groups: HiddenGroups) -> dict[str, str]:
    k, centre = groups.parameters.k, groups.fingerprints.centre
    origin = "the origin of the data's own metres" if centre is None else "the origin of the projection"
    note = {
        "privlab": f"every user shares all rows with at least {k - 1} other{'' if k == 2 else 's'} (k-anonymity, GLOVE)",
        # What the page says below the buttons, for whoever has the file alone.
        "limits": "no noise and no differential privacy: what all of a group have in common is told of each of them, and so is that someone is "
        "in the data; user is no id but a number that says who shares rows",
        "boxes": "x_m and y_m are the south-west corner of a box and not its middle: it reaches from x_m to x_m + width_m and from y_m to "
        f"y_m + height_m in metres east and north of {origin}; and from time on for duration_min minutes",
    }
    if centre is not None:
        note["projection"] = projection_around(*centre)
    return note


def verification_from_table(table: pa.Table, k: int) -> Verification:
    """Return whether every user of a published table shares all rows with at least k − 1 others.

    Raises DataError if a column is missing.
    """
    require_whole("k", k, 2, MAX_K)
    missing = {"user", *_BOX} - set(table.column_names)
    if missing:
        raise DataError(
            f"A published table must have the columns user, {', '.join(_BOX)}; {min(missing)} is missing."
        )
    complete = not any(table[name].null_count for name in ("user", *_BOX))
    table = table.select(["user", *_BOX]).drop_null()
    user = table["user"].to_numpy()
    boxes = np.column_stack([_whole(table[name]) for name in _BOX])
    order = np.lexsort((*boxes.T[::-1], user))
    user, boxes = user[order], boxes[order]
    new = np.ones(user.size, dtype=bool)
    new[1:] = user[1:] != user[:-1]
    cuts = np.append(np.flatnonzero(new), user.size)
    sharing = Counter(boxes[begin:end].tobytes() for begin, end in pairwise(cuts))
    time, lasting = boxes[:, 0], boxes[:, 1] * 60
    fewest = min(sharing.values(), default=0)
    checks = {
        f"every fingerprint is shared by at least {k} users": fewest >= k or not sharing,
        "no cell is empty": complete,
        "every box has an extent in space and time": bool(np.all(boxes[:, [1, 3, 5]] > 0)),
        "no two boxes of a user overlap in time": bool(np.all((time[1:] >= (time + lasting)[:-1])[~new[1:]])),
    }
    return Verification(
        k=k, n_users=int(cuts.size - 1), n_fingerprints=len(sharing), n_sharing=fewest, checks=checks
    )


def _whole(column: pa.ChunkedArray) -> Int64s:
    """Return a column of whole numbers, times as seconds."""
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("s")).cast(pa.int64())
    return np.asarray(column.cast(pa.int64()).to_numpy())
