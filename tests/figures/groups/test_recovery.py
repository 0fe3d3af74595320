"""What is drawn and said of trails put together from counts: worlds worked by hand."""

import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privlab.aggregates.recovery.compared import RecoveryPoint
from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.trails_from_counts import recovery_from_followed
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.groups.recovery import recovered_trail_figure, recovery_figure
from privlab.figures.groups.recovery_words import account, compared_finding, finding, uniqueness_finding
from tests.aggregates.recovery.test_trails_from_counts import line, world

WEST = [0] * 8 + [1, 2, 3, 4, 3, 2, 1] + [0] * 9
MEETING = world([WEST * 2, [8 - one for one in WEST] * 2], line(9))  # who meets and turns back, on two days


def test_bars_are_the_shares_and_a_trail_is_drawn_in_km_from_where_its_person_is_most() -> None:
    found = recovery_from_followed(MEETING, RecoveryParameters(users=2, days=2))
    bars = recovery_figure(found, LIGHT).data
    drawn = {name: share for one in bars for name, share in zip(one.y, one.x, strict=True)}
    assert drawn["put together from counts"] == pytest.approx(found.score.accuracy)
    assert drawn["all stay where first counted"] == pytest.approx(17 / 24)
    figure = recovered_trail_figure(found, 1, LIGHT, days=1)
    drawn = {trace.name: trace for trace in figure.data}
    assert drawn["this person"].x.tolist() == [-one for one in WEST]
    assert drawn["this person"].customdata[11].tolist() == ["2026-03-02 11:00", "4.0"]
    joined = np.array(drawn["the same step"].x).reshape(-1, 3)[:, :2]
    assert (joined[:, 0] == drawn["this person"].x).all()
    assert (joined[:, 1] == drawn["put together from counts"].x).all()
    assert [len(frame.data[2].x) for frame in figure.frames] == [24, 48]


@pytest.mark.parametrize(
    ("n_seen", "said"),
    [
        (96, None),
        (5, None),  # 5 in 96 steps are more than 5%
        (4, "from 2026-03-02 on, 2 people were seen in 4.2% of the steps."),
        (1, "from 2026-03-02 on, 2 people were seen in 1.0% of the steps."),
    ],
)
def test_where_people_are_hardly_seen_that_is_said_first_by_hand(n_seen: int, said: str | None) -> None:
    """Two people, two days of 24 steps: 96 steps, in so many of which they are really seen."""
    seen = (np.arange(96) < n_seen).reshape(2, 48)
    found = recovery_from_followed(replace(MEETING, seen=seen), RecoveryParameters(users=2, days=2))
    words = finding(found)
    assert words.startswith("**There is hardly anything to find**: in the 2 days") is (said is not None)
    assert said is None or said in words
    assert "right zone from counts alone" in words  # and what is right is said all the same
    share = {96: "100%", 5: "5.2%", 4: "4.2%", 1: "1.0%"}[n_seen]
    assert f"People were seen in {share} of the steps" in account(found)


def test_counts_under_a_defence_are_not_called_counts_alone() -> None:
    asked = RecoveryParameters(users=2, days=2, defence="lpa", epsilon=0.1)
    found = recovery_from_followed(MEETING, asked)
    assert "in the right zone from counts alone under a defence (" in finding(found)
    assert "ε = 0.1" in finding(found)
    assert "ε = 0.1)" in account(found)
    assert "lpa" not in account(found)


def test_where_changes_add_nothing_it_is_said() -> None:
    # Who meets and turns back is taken to have passed: 13 of 24 steps right, where staying at home has 17.
    said = finding(recovery_from_followed(MEETING, RecoveryParameters(users=2, days=2)))
    assert "lets everyone stay where the first count has them gets 71" in said
    assert "add nothing to that" in said
    at_km = np.concatenate([line(24), line(24, north_km=10)])
    lines = world([list(range(24)), list(range(24, 48))], at_km)
    said = finding(recovery_from_followed(lines, RecoveryParameters(users=2, days=1)))
    assert "puts **100** in the right zone" in said
    other, more = re.search(r"gets (\d+): the changes of the counts give (\d+) more away", said).groups()  # type: ignore[union-attr]
    assert int(other) + int(more) == 100
    assert "on average over 2 people" in said


def test_home_is_where_a_person_is_most_and_not_where_they_begin() -> None:
    """One begins at 0 km and is at 3 km in 20 of 24 steps: the trail is drawn from there."""
    there = world([[0] * 4 + [3] * 20, [8] * 24], line(9))
    found = recovery_from_followed(there, RecoveryParameters(users=2, days=1))
    drawn = {trace.name: trace for trace in recovered_trail_figure(found, 0, LIGHT, days=1).data}
    assert drawn["this person"].x.tolist() == [-3] * 4 + [0] * 20
    assert drawn["this person"].customdata[0].tolist() == ["2026-03-02 00:00", "3.0"]


@pytest.mark.parametrize(
    ("low", "said"),
    [
        (0.65, "the changes of the counts give 10 more away"),
        (0.55, "the changes of the counts hardly add to that"),  # what others reach lies in the interval
    ],
)
def test_what_lies_within_the_interval_is_not_said_to_be_given_away(low: float, said: str) -> None:
    """70 of 100 steps are right, and 60 without an attack."""
    still = SimpleNamespace(accuracy=0.6)
    found: Any = SimpleNamespace(
        baselines={"still": still},
        best_baseline="still",
        score=SimpleNamespace(accuracy=0.7, accuracy_interval=(low, 0.75)),
        followed=SimpleNamespace(n_people=5),
        parameters=RecoveryParameters(),
        seen_share=1.0,
    )
    assert finding(found) == (
        "Of 100 steps of a person, on average over 5 people, this attacker puts **70** in the right zone from counts alone; whoever lets everyone "
        f"stay where the first count has them gets 60: {said}."
    )


def test_a_comparison_speaks_of_the_gain_over_no_attack_and_counts_what_is_beyond_its_interval() -> None:
    """Steps of two hours: most are right, as without an attack; steps of one hour: 20 of 100 more, with an interval above what it is held against."""
    hourly = RecoveryPoint(
        parameters=RecoveryParameters(step_min=60), accuracy=0.6, low=0.5, high=0.7, error_km=1.0, baselines={"still": 0.4, "drawn": 0.1}
    )  # fmt: skip
    longer = replace(
        hourly, parameters=RecoveryParameters(step_min=120), accuracy=0.9, low=0.85, high=0.95, baselines={"still": 0.88, "drawn": 0.1}
    )  # fmt: skip
    said = compared_finding([hourly, longer])
    assert (
        "in 1 of 2 it gets more steps right than the best of what takes no attack, beyond its interval"
        in said
    )
    assert "It comes off best with steps of 60 min: 60 of 100 steps right, 40 without it." in said
    assert "nowhere does it get more steps right" in compared_finding([replace(hourly, low=0.39), longer])


def test_who_is_alone_in_their_zones_is_told_of_true_trails_and_of_recovered_ones() -> None:
    found: Any = SimpleNamespace(
        followed=SimpleNamespace(n_people=20), uniqueness={"true": {1: 0.2, 2: 0.75}, "recovered": {1: 0.1, 2: 0.25}}
    )  # fmt: skip
    assert uniqueness_finding(found) == (
        "Of 20 people 75% are the only ones with their two most visited zones; of the trails put together from counts 25% are."
    )
