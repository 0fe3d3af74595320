"""What is left of samples that are hidden: which boxes a limit leaves, what half of them are known to, and who is left out, by hand."""

import numpy as np

from privlab.fingerprints.fingerprints import fingerprints_from_samples
from privlab.fingerprints.glove.glove_result import (
    Accuracy,
    GloveParameters,
    HiddenGroups,
    accuracy_from_hidden_groups,
)


def test_a_box_as_large_and_as_long_as_a_limit_is_within_it() -> None:
    """Of 1 km by 200 m for 30 minutes, one step more on either side, and one minute more."""
    boxes = np.array(
        [[0, 10, 0, 2, 0, 30], [0, 11, 0, 2, 0, 30], [0, 2, 0, 11, 0, 30], [0, 10, 0, 2, 0, 31]], np.int32
    )
    assert GloveParameters(suppress_km=1.0, suppress_min=30).within(boxes).tolist() == [
        True,
        False,
        False,
        False,
    ]
    assert GloveParameters(suppress_min=30).within(boxes).tolist() == [True, True, True, False]
    assert GloveParameters().within(boxes).all()


def test_half_of_the_samples_are_known_to_the_size_that_half_of_them_reach() -> None:
    """Two of four lie in a box of 1 km: known to within 1 km is half of them, not the 3 km of all."""
    found = Accuracy(
        side_km=np.array([1.0, 3.0]), share_within_km=np.array([0.5, 1.0]),
        duration_min=np.array([10.0, 20.0, 60.0]), share_within_min=np.array([0.25, 0.75, 1.0]), n_samples=4,
    )  # fmt: skip
    assert (found.median_km, found.median_min) == (1.0, 20.0)
    assert [found.within_km(km) for km in (0.9, 1.0, 2.9, 3.0)] == [0.0, 0.5, 0.5, 1.0]


def test_people_of_whom_nothing_is_left_are_counted_and_not_their_groups() -> None:
    """Five people in two groups, three in the one that has no box: their samples are suppressed."""
    people = fingerprints_from_samples([0, 1, 2, 3, 4], [0, 0, 9, 9, 9], [0] * 5, [0] * 5)
    groups = HiddenGroups(
        parameters=GloveParameters(k=2),
        fingerprints=people,
        group_of_user=np.array([0, 0, 1, 1, 1]),
        offsets=np.array([0, 1, 1]),
        boxes=np.array([[0, 1, 0, 1, 0, 1]], dtype=np.int32),
        home=np.array([0, 0, -1, -1, -1]),
    )
    assert (groups.n_groups, groups.n_suppressed, groups.n_discarded_users) == (2, 3, 3)
    assert accuracy_from_hidden_groups(groups).n_samples == 2
