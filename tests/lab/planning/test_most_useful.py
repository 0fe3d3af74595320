"""Which release is the most useful at an ε: worked by hand on a few."""

from privlab.lab.planning import most_useful_point
from privlab.od.planning import PlanPoint


def point(epsilon: float, bound: int, utility: float) -> PlanPoint:
    return PlanPoint(
        epsilon=epsilon,
        max_trips_per_user=bound,
        threshold=1,
        accuracy=0.5,
        utility=utility,
        clipped=0.0,
        made_up=0.0,
        delta=0.0,
        cells="public",
    )


def test_of_those_at_the_epsilon_next_below_the_one_of_most_use() -> None:
    """Below 0.68 stands 0.56, though 0.66 lies nearer to 0.68; below the least there is none, and it is taken."""
    few = (point(0.56, 3, 0.9), point(0.68, 3, 0.6), point(0.68, 10, 0.7), point(10.0, 3, 0.99))
    assert most_useful_point(few, 0.66) is few[0]
    assert most_useful_point(few, 0.68) is few[2]
    assert most_useful_point(few, 9.0) is few[2]
    assert most_useful_point(few, 20.0) is few[3]
    assert most_useful_point(few, 0.1) is few[0]


def test_none_where_nothing_is_of_use() -> None:
    assert most_useful_point((), 0.66) is None
    assert most_useful_point((point(0.68, 1, 0.0099), point(5.0, 1, 0.9)), 0.66) is None
