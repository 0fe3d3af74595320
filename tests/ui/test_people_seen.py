"""How many people are seen in the first days that a recovery takes, against a case worked by hand."""

from dataclasses import replace
from datetime import timedelta

from privlab.ui.recovery.people_seen import seen_so_far
from tests.aggregates.worlds import MONDAY, traces_of_sets

HAND = traces_of_sets(
    [{(5, 0), (30, 1)}, {(49, 0)}, {(23, 1), (200, 0)}, {(24 * 9, 1)}], n_zones=2, n_weeks=2, null_zone=True
)  # seen first on day 1, 3, 1 and 10


def test_people_are_counted_from_the_first_monday_on() -> None:
    assert seen_so_far(HAND).tolist() == [2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4]


def test_whoever_is_seen_before_the_first_monday_alone_is_not_counted() -> None:
    """Data that begins on a Saturday: its first two days lie before the week that is taken."""
    early = replace(HAND, first_day=MONDAY - timedelta(days=2), n_days=9)
    assert seen_so_far(early).tolist() == [1, 1, 1, 1, 1, 1, 2]
