"""People of settled trips get numbers: against pandas, over several parts of a column."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privlab.od.settled.settled_trips import _numbers


@pytest.mark.parametrize("sizes", [[], [0], [5], [0, 30, 200, 0, 5]])
def test_numbers_of_people_are_in_the_order_in_which_they_come_first(sizes: list[int]) -> None:
    rng = np.random.default_rng(1)
    parts = [[str(one) for one in rng.integers(0, 50, size)] for size in sizes]
    found = _numbers(pa.chunked_array(parts, pa.string()))
    expected, _ = pd.factorize(np.array([one for part in parts for one in part], dtype=object))
    assert found.dtype == np.int32
    assert found.tolist() == expected.tolist()
