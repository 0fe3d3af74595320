"""The proof from the published table alone: one thing wrong anywhere, and it does not hold."""

from datetime import datetime

import numpy as np
import pyarrow as pa
import pytest

from privlab.checks import BoundViolation, DataError, ParameterError
from privlab.fingerprints.fingerprints import fingerprints_from_samples
from privlab.fingerprints.glove.glove_result import GloveParameters, HiddenGroups
from privlab.fingerprints.glove.hiding import hidden_groups_from_fingerprints
from privlab.fingerprints.glove.published import (
    table_from_hidden_groups,
    verification_from_table,
    verified_table_from_hidden_groups,
)
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
    flat = [(name, [row[name][0], 0] * 2) for name in ("width_m", "height_m", "duration_min")]
    for name, values in (("time", [0, 240] * 2), *flat):
        proof = verification_from_table(apart.set_column(apart.column_names.index(name), name, [values]), 2)
        assert list(proof.checks.values()).count(False) == 1
    with pytest.raises(DataError, match="height_m is missing"):
        verification_from_table(apart.drop_columns("height_m"), 2)


@pytest.mark.parametrize("name", ["user", "time", "duration_min", "x_m", "width_m", "y_m", "height_m"])
def test_a_row_with_one_cell_empty_does_not_hold_though_all_others_do(name: str) -> None:
    """Of three who share a row two would be left, which is enough for k = 2; but somebody is in the table who shares with nobody."""
    whole = {
        "user": [0, 1, 2],
        "time": [0] * 3,
        "duration_min": [5] * 3,
        "x_m": [0] * 3,
        "width_m": [100] * 3,
        "y_m": [0] * 3,
        "height_m": [100] * 3,
    }
    assert verification_from_table(pa.table(whole), 2).holds
    proof = verification_from_table(pa.table(whole | {name: [None, *whole[name][1:]]}), 2)
    assert [what for what, holds in proof.checks.items() if not holds] == ["no cell is empty"]


def groups_of(group_of_user: list[int], places: list[int], k: int = 2) -> HiddenGroups:
    """Return groups with one box each: group g is seen at the place `places[g]`, and so is everybody in it."""
    x = np.array([places[group] for group in group_of_user])
    users = range(len(group_of_user))
    boxes = np.array([[place, place + 1, 0, 1, 0, 1] for place in places], dtype=np.int32)
    return HiddenGroups(
        parameters=GloveParameters(k=k),
        fingerprints=fingerprints_from_samples(users, x, 0 * x, 0 * x),
        group_of_user=np.array(group_of_user),
        offsets=np.arange(len(places) + 1),
        boxes=boxes,
        home=np.array(group_of_user),
    )


def test_numbers_of_users_tell_nothing_of_which_group_was_made_first() -> None:
    """The same people in the same boxes, groups and users numbered the other way round: the same table."""
    one, other = groups_of([0, 0, 1, 1, 1], [7, 3]), groups_of([0, 0, 0, 1, 1], [3, 7])
    tables = [table_from_hidden_groups(groups).to_pydict() for groups in (one, other)]
    assert tables[0] == tables[1]
    assert tables[0]["x_m"] == [300, 300, 300, 700, 700]
    assert tables[0]["user"] == [0, 1, 2, 3, 4]


def test_times_after_2038_and_places_far_off_are_published_as_they_are_by_hand() -> None:
    """A day of 2050 has more seconds than 32 bits hold; the note says with how many others each row is shared."""
    minutes = int(np.datetime64("2050-01-01T10:00", "m").astype(np.int64))
    groups = groups_of([0, 0, 0], [30_000_000], k=3)
    groups.boxes[:, 4:] = [[minutes, minutes + 5]]
    table = table_from_hidden_groups(groups)
    assert table["time"].to_pylist() == [datetime(2050, 1, 1, 10)] * 3
    assert table["x_m"].to_pylist() == [3_000_000_000] * 3
    assert table["duration_min"].to_pylist() == [5] * 3
    assert "shares all rows with at least 2 others" in table.schema.metadata[b"privlab"].decode()
    for k in (1, 0):
        with pytest.raises(ParameterError, match="k must be between 2"):
            verification_from_table(table, k)


def test_a_table_that_does_not_hold_is_not_handed_out() -> None:
    table, proof = verified_table_from_hidden_groups(groups_of([0, 0, 1, 1], [7, 3]))
    assert proof.holds
    assert table.num_rows == 4
    with pytest.raises(BoundViolation, match="every fingerprint is shared by at least 2 users"):
        verified_table_from_hidden_groups(groups_of([0, 0, 1], [7, 3]))
