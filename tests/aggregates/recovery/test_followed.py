"""Who is followed where: gaps, several zones at once and defences, worked by hand."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from privlab.aggregates.recovery.followed import (
    busiest_first_day_from_traces,
    counts_from_zones,
    followed_from_traces,
    people_seen_from_traces,
    published_from_followed,
    whole_counts,
)
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.checks import DataError, ParameterError
from tests.aggregates.worlds import MONDAY, traces_of_sets

LAT, LON = np.array([38.0, 38.0, 38.1]), np.array([-9.0, -8.9, -9.0])
ONE_DAY = RecoveryParameters(users=2, days=1, step_min=360)


def of_sets(*sets: set[tuple[int, int]], parameters: RecoveryParameters = ONE_DAY):
    traces = traces_of_sets(list(sets), n_zones=3, n_weeks=1, null_zone=True)
    return followed_from_traces(traces, LAT, LON, parameters)


def test_who_is_not_seen_stays_where_last_or_first_seen() -> None:
    found = of_sets({(7, 1)}, {(0, 2), (13, 0)})
    assert found.zone.tolist() == [[1, 1, 1, 1], [2, 2, 0, 0]]
    assert found.seen.tolist() == [[False, True, False, False], [True, False, True, False]]


def test_of_several_zones_in_a_step_the_one_of_most_hours_counts_then_the_one_of_most_of_all() -> None:
    # 0 to 6: zone 2 in two hours, zone 0 in one. 6 to 12: 0 and 1 in one hour each, and 1 twice more in the evening.
    found = of_sets({(0, 0), (1, 2), (2, 2), (7, 0), (8, 1), (20, 1), (21, 1)}, {(0, 0)})
    assert found.zone[0].tolist() == [2, 1, 1, 1]


def test_the_hours_of_a_step_count_before_those_of_the_whole_period() -> None:
    """Zone 0 is visited in three hours of the day and zone 2 in two; but from 0 to 6 in one and in two."""
    found = of_sets({(0, 0), (1, 2), (2, 2), (7, 0), (18, 0), (20, 1), (21, 1)}, {(0, 0)})
    assert found.zone[0].tolist() == [2, 0, 0, 1]


def test_distances_are_those_of_a_globe_to_a_thousandth() -> None:
    found = of_sets({(0, 0), (7, 1), (13, 2)}, {(0, 0)})
    east, north = (np.hypot(*(found.at_km[one] - found.at_km[0])) for one in (1, 2))
    assert north == pytest.approx(11.1195, rel=1e-3)
    assert east == pytest.approx(11.1195 * np.cos(np.radians(38.05)), rel=1e-3)


def test_what_is_published_adds_up_to_everybody_in_each_step() -> None:
    people = of_sets({(0, 0)}, {(0, 1), (13, 2)})
    plain = published_from_followed(people, ONE_DAY)[1]
    assert (plain == counts_from_zones(people.zone, 3)).all()
    noisy = RecoveryParameters(users=2, days=1, step_min=360, defence="lpa", epsilon=0.1)
    defence, counts = published_from_followed(people, noisy)
    assert defence.epsilon_user == pytest.approx(0.1)
    assert (counts.sum(axis=0) == 2).all()
    assert (counts >= 0).all()
    assert (counts != plain).any()


def test_whole_counts_round_the_largest_remainders_up() -> None:
    # Scaled to 5: 1.25, 3.75, 0 → 1, 4, 0.
    assert whole_counts(np.array([[1.0], [3.0], [-2.0]]), 5).tolist() == [[1], [4], [0]]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (RecoveryParameters(users=3, days=1), "Only 2 people are seen"),
        (RecoveryParameters(users=2, days=8), "ask for fewer days"),
        (RecoveryParameters(users=2, days=1, first_day=MONDAY.replace(day=1)), "another first day"),
    ],
)
def test_too_few_people_or_days_are_said(parameters: RecoveryParameters, words: str) -> None:
    with pytest.raises(DataError, match=words):
        of_sets({(0, 0)}, {(0, 1)}, parameters=parameters)


def test_one_person_in_one_day_is_spoken_of_as_one() -> None:
    with pytest.raises(DataError, match=r"Only 1 person is seen from .* on for a day, and 2 are"):
        of_sets({(0, 0)}, parameters=RecoveryParameters(users=2, days=1))


def test_zones_that_lie_nowhere_are_refused() -> None:
    traces = traces_of_sets([{(0, 0)}, {(0, 1)}], n_zones=3, n_weeks=1, null_zone=True)
    with pytest.raises(DataError, match="zone-positions"):
        followed_from_traces(traces, np.full(3, np.nan), LON, ONE_DAY)


def test_parameters_that_cannot_be_are_refused() -> None:
    for wrong in ({"users": 1}, {"days": 0}, {"step_min": 45}):
        with pytest.raises(ParameterError):
            RecoveryParameters(**wrong)


SEEN = traces_of_sets(
    [{(5, 0), (30, 1)}, {(49, 0)}, {(23, 1), (200, 0)}, {(24 * 9, 1)}], n_zones=2, n_weeks=2, null_zone=True
)  # seen first on day 1, 3, 1 and 10


def test_people_are_counted_from_the_first_monday_on() -> None:
    assert people_seen_from_traces(SEEN).tolist() == [2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4]


def test_people_are_counted_from_the_day_that_is_asked_for() -> None:
    assert people_seen_from_traces(SEEN, MONDAY + timedelta(days=8)).tolist() == [1, 2, 2, 2, 2, 2]


def test_the_busiest_days_are_those_with_most_hours_of_two_people_at_least() -> None:
    """Day 5 has five hours of one person alone; days 9 and 10 one hour of each of two others."""
    alone = {(24 * 4 + hour, 0) for hour in range(5)}
    others = [{(24 * day + hour, 0) for day in (8, 9)} for hour in (0, 1)]
    traces = traces_of_sets([alone, *others], n_zones=2, n_weeks=2, null_zone=True)
    found = {days: busiest_first_day_from_traces(traces, days) - MONDAY for days in (1, 2, 6, 14, 60)}
    # One day: the ninth, the tenth is as good. Six: the fifth to the tenth, with all of them.
    assert {days: ahead.days for days, ahead in found.items()} == {1: 8, 2: 8, 6: 4, 14: 0, 60: 0}


def test_whoever_is_seen_before_the_first_monday_alone_is_not_counted() -> None:
    """Data that begins on a Saturday: its first two days lie before the week that is taken."""
    early = replace(SEEN, first_day=MONDAY - timedelta(days=2), n_days=9)
    assert people_seen_from_traces(early).tolist() == [1, 1, 1, 1, 1, 1, 2]


def test_the_day_after_the_busiest_does_not_count_for_it() -> None:
    many = {(hour, 0) for hour in range(5)} | {(24 * 5, 0)}
    traces = traces_of_sets([many, {(24, 0), (24 * 5, 0)}], n_zones=2, n_weeks=2, null_zone=True)
    assert (busiest_first_day_from_traces(traces, 1) - MONDAY).days == 5


def test_the_last_days_can_be_the_busiest() -> None:
    last = traces_of_sets([{(24 * 13, 0)}, {(24 * 13 + 1, 0)}], n_zones=2, n_weeks=2, null_zone=True)
    assert [(busiest_first_day_from_traces(last, days) - MONDAY).days for days in (1, 3)] == [13, 11]


def test_all_of_the_days_count_that_are_asked_for() -> None:
    """Two people are seen in one hour each of day 3, and in three of day 4: two days with most of them begin on day 3."""
    sets = [{(24 * 2, 0), *((24 * 3 + hour, 0) for hour in range(3))}] * 2
    traces = traces_of_sets([*sets, {(0, 0)}], n_zones=2, n_weeks=2, null_zone=True)
    assert [(busiest_first_day_from_traces(traces, days) - MONDAY).days for days in (1, 2)] == [3, 2]
