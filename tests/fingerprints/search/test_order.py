"""Users who stand side by side in the search are alike in length and live near one another."""

import numpy as np

from privlab.fingerprints.fingerprints import fingerprints_from_samples
from privlab.fingerprints.search.order import along_a_curve, users_in_order


def test_z_order_against_bits_by_hand() -> None:
    # x = 5 is 101, y = 3 is 011 in bits: y2 x2 y1 x1 y0 x0 = 0 1 1 0 1 1 = 27; places count from the least.
    assert along_a_curve(np.array([[-2, 7], [3, 10]])).tolist() == [0, 27]
    assert along_a_curve(np.empty((0, 2), dtype=np.int64)).tolist() == []
    far = along_a_curve(np.array([[-(2**28), 0], [2**28, 5], [2**28, 2**28]]))
    assert far[0] == 0 < far[1] < far[2]


def test_lengths_before_places() -> None:
    # 2,048 users make two bands of lengths: first the short, in each band one town after the other.
    user = np.repeat(np.arange(2_048), np.where(np.arange(2_048) % 2, 9, 1))
    town = (user // 2) % 2 * 1_000
    order = users_in_order(fingerprints_from_samples(user, town, town, np.arange(user.size)))
    assert sorted(order.tolist()) == list(range(2_048))
    assert [(one % 2, one // 2 % 2) for one in order[::512].tolist()] == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_nobody_degenerate() -> None:
    nobody = fingerprints_from_samples(*(np.empty(0, dtype=np.int64) for _ in range(4)))
    assert users_in_order(nobody).tolist() == []
