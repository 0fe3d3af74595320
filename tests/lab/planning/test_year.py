"""A year of releases of data with very many zones: the noise is said, and what it leaves is not worked out."""

from dataclasses import replace

import numpy as np

from privlab.lab.planning import noises_of_year, use_of_year
from tests.od.by_hand import trips_of


def test_what_a_week_leaves_is_not_worked_out_for_more_flows_than_are_compared() -> None:
    """5,000 zones make 25 million flows, and 4 million are the most; two zones make two."""
    noises = noises_of_year({"integer": 3, "gaussian": 3}, 2.0, delta=1e-6, weeks=52)
    few = trips_of([[1], [1], [1]], range(2))
    asked = {"week": few.weeks[0], "max_made_up": 1.0}
    assert len(use_of_year(few, noises, **asked)) == len(noises)
    assert use_of_year(replace(few, zones=np.arange(5_000)), noises, **asked) == ()
