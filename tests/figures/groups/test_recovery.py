"""What is drawn and said of trails put together from counts: worlds worked by hand."""

import re
from dataclasses import replace

import numpy as np
import pytest

from privlab.aggregates.recovery.recovery_parameters import RecoveryParameters
from privlab.aggregates.recovery.trails_from_counts import recovery_from_followed
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.groups.recovery import recovered_trail_figure, recovery_figure
from privlab.figures.groups.recovery_words import account, finding
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
