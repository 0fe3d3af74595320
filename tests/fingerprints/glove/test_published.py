"""The proof from the published table alone: one thing wrong anywhere, and it does not hold."""

import numpy as np
import pyarrow as pa
import pytest

from privlab.checks import DataError
from privlab.fingerprints.glove.glove_result import GloveParameters
from privlab.fingerprints.glove.hiding import hidden_groups_from_fingerprints
from privlab.fingerprints.glove.published import table_from_hidden_groups, verification_from_table
from tests.fingerprints.crowds import random_crowd


def published(rng: np.random.Generator, k: int) -> pa.Table:
    people = random_crowd(rng, n_users=30)
    return table_from_hidden_groups(hidden_groups_from_fingerprints(people, GloveParameters(k=k)))


def broken(table: pa.Table, how: str) -> pa.Table:
    """Return a table in which one thing is wrong."""
    frame = table.to_pandas()
    if how == "a row is missing":
        return pa.Table.from_pandas(frame.iloc[1:], preserve_index=False)
    if how == "a user is missing":
        return pa.Table.from_pandas(frame[frame["user"] > 0], preserve_index=False)
    if how == "a box is moved":
        frame.loc[0, "x_m"] += 100
    if how == "a box lasts longer":
        frame.loc[0, "duration_min"] += 1
    if how == "a time is moved":
        frame.loc[0, "time"] += np.timedelta64(60, "s")
    if how == "a row is another user's":
        frame.loc[0, "user"] = 1
    if how == "a row is there twice":
        frame.loc[len(frame)] = frame.loc[0]
    if how == "a cell is empty":
        columns = {name: table[name].to_pylist() for name in table.column_names}
        columns["x_m"][0] = None
        return pa.table(columns)
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize(
    "how",
    [
        "a row is missing", "a user is missing", "a box is moved", "a box lasts longer", "a time is moved",
        "a row is another user's", "a row is there twice", "a cell is empty",
    ],
)  # fmt: skip
def test_a_broken_table_does_not_hold(how: str) -> None:
    table = published(np.random.default_rng(15), 2)
    # The first group has exactly two users, so that one thing wrong with either leaves nobody to share with.
    assert verification_from_table(table, 2).holds
    assert table["user"].to_pylist().count(0) == table["user"].to_pylist().count(1)
    assert not verification_from_table(broken(table, how), 2).holds
    assert not verification_from_table(table, 4).holds


def test_a_table_with_overlaps_or_flat_boxes_does_not_hold() -> None:
    row = {
        "duration_min": [5, 5] * 2,
        "x_m": [0] * 4,
        "width_m": [100] * 4,
        "y_m": [0] * 4,
        "height_m": [100] * 4,
    }
    user = [0, 0, 1, 1]
    apart = pa.table({"user": user, "time": [0, 300] * 2, **row})
    assert verification_from_table(apart, 2).holds
    for name, values in (("time", [0, 240] * 2), ("width_m", [100, 0] * 2)):
        proof = verification_from_table(apart.set_column(apart.column_names.index(name), name, [values]), 2)
        assert list(proof.checks.values()).count(False) == 1
    with pytest.raises(DataError, match="height_m is missing"):
        verification_from_table(apart.drop_columns("height_m"), 2)
