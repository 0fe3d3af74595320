"""Recoveries side by side: the same but for what they are compared over; each says what it says alone."""

import pytest

from privlab.aggregates.recovery.compared import (
    COMPARED_DEFENCES,
    over_of_points,
    point_from_recovery,
    recoveries_over,
)
from privlab.aggregates.recovery.followed import followed_from_traces
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.trails_from_counts import recovery_from_followed
from privlab.checks import ParameterError
from privlab.figures.drawing import LIGHT
from privlab.figures.groups import compared_recoveries_figure, recovery_words
from privlab.figures.groups.defence_words import DEFENCES
from tests.aggregates.worlds import habitual_traces


def test_every_defence_of_the_page_groups_and_none_is_compared() -> None:
    assert ("none", *DEFENCES) == COMPARED_DEFENCES
    found = recoveries_over(RecoveryParameters(users=9, epsilon=10.0), "defences", n_users=9)
    assert [one.defence for one in found] == list(COMPARED_DEFENCES)
    assert {one.epsilon for one in found if one.defence in ("lpa", "gaussian", "efpag")} == {10.0}
    assert {one.epsilon for one in found if one.defence in ("none", "suppress:5", "sample:0.5")} == {None}
    own = RecoveryParameters(users=9, defence="suppress:3")
    assert recoveries_over(own, "defences", n_users=9)[-1] == own


def test_all_else_stays_as_it_is() -> None:
    own = RecoveryParameters(users=9, days=2, step_min=120, improvements=("lookback",), seed=4)
    assert [one.step_min for one in recoveries_over(own, "steps", n_users=60)] == [60, 120, 180, 240, 360]
    assert [one.users for one in recoveries_over(own, "people", n_users=60)] == [9, 20, 50]
    for over in ("people", "steps", "defences"):
        found = recoveries_over(own, over, n_users=60)
        assert own in found
        assert {(one.days, one.improvements, one.seed) for one in found} == {(2, ("lookback",), 4)}
    with pytest.raises(ParameterError, match="over must be"):
        recoveries_over(own, "everything", n_users=60)


def test_a_row_says_what_its_recovery_says_alone() -> None:
    traces = habitual_traces(30, n_zones=5)
    own = RecoveryParameters(users=20, days=2)
    points, alone = [], {}
    for one in recoveries_over(own, "steps", n_users=30):
        people = followed_from_traces(traces, [0.0, 0.1, 0.2, 0.3, 0.4], [0.0] * 5, one)
        found = recovery_from_followed(people, one)
        points.append(point_from_recovery(found))
        alone[one.step_min] = recovery_words.rows(found)
    assert over_of_points(points) == "steps"
    for row, (step, rows) in zip(recovery_words.compared_rows(points), alone.items(), strict=True):
        assert row["recovery"] == f"steps of {step} min"
        assert (row["steps right"], row["95% interval"]) == (rows[0]["steps right"], rows[0]["95% interval"])
        assert {one["how"]: one["steps right"] for one in rows[1:]}.items() <= row.items()
    figure = compared_recoveries_figure(points, LIGHT)
    assert list(figure.data[-1].x) == [one.accuracy for one in points]
    gains = [one for one in points if one.low > max(one.baselines.values())]
    said = recovery_words.compared_finding(points)
    assert (f"in {len(gains)} of 5" if gains else "nowhere") in said
