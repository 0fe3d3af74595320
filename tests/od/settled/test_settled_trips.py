"""People of settled trips get numbers: against pandas, over several parts of a column."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from privlab.od.settled.settled_trips import _coded


@pytest.mark.parametrize("sizes", [[], [0], [5], [0, 30, 200, 0, 5]])
def test_values_are_numbered_in_the_order_in_which_they_come_first(sizes: list[int]) -> None:
    rng = np.random.default_rng(1)
    parts = [[str(one) for one in rng.integers(0, 50, size)] for size in sizes]
    whole = [[int(one) for one in part] for part in parts]
    columns = [pa.chunked_array(parts, pa.string()), pa.chunked_array(whole, pa.int64())]
    for (found, values), of in zip(_coded(columns), (parts, whole), strict=True):
        each = np.array([one for part in of for one in part], dtype=object)
        expected, different = pd.factorize(each)
        assert found.dtype == np.int32
        assert found.tolist() == expected.tolist()
        assert values.tolist() == different.tolist()
