"""Sentences on small groups and unknown people, worked by hand."""

import numpy as np
import pytest

from privlab.figures.wording.words import people_finding, plain
from privlab.od.simulating.simulated_release import ReleaseParameters

UNBOUNDED = ReleaseParameters()


@pytest.mark.parametrize(
    ("trips", "share", "sentence"),
    [
        (
            [5],
            1.0,
            "The one person in this group made 5 unique trips in this week; for them the claim fails.",
        ),
        ([1], 0.0, "The one person in this group made 1 unique trip in this week; for them the claim holds."),
        ([0], 0.0, "The one person in this group made no trip in this week; for them the claim holds."),
        (
            [2, 3],
            0.5,
            "Of 2 people, half have 3 or more unique trips in this week. "
            "For **50% of them**, all with 3 or more, the claim fails.",
        ),
        (
            [0, 0, 4],
            1 / 3,
            "Of 3 people, at least half made no trip in this week. For **33% of them**, all with",
        ),
        ([], float("nan"), "There is nobody in this group."),
    ],
)
def test_small_groups_by_hand(trips, share, sentence):
    assert people_finding(np.array(trips, dtype=np.int64), 3, share, UNBOUNDED).startswith(sentence)


def test_a_bound_is_said_for_one_person_too():
    bounded = ReleaseParameters(max_trips_per_user=2)
    assert "the claim, without a bound per user, fails" in people_finding(np.array([9]), 3, 1.0, bounded)


def test_markdown_from_a_file_stays_text():
    assert plain("![x](http://a.b)\n`c` $d$ <i>") == r"!\[x\](http://a.b)␊\`c\` \$d\$ \<i\>"
