"""Groups judged right and wrong at a share of false alarms: by hand, and against every threshold tried in turn."""

import numpy as np
import pytest

from privlab.aggregates.findings.verdicts import verdicts_from_outcomes
from privlab.checks import ParameterError
from privlab.seeds import generator
from tests.aggregates.findings.test_summaries import outcome

SURE, NONE = ([3, 4], [1, 2]), ([1, 2], [1, 2])


def counts(outcomes: list, share: float) -> tuple[int, int, int, int]:
    found = verdicts_from_outcomes(outcomes, 0, most_false=share)
    return found.found, found.missed, found.accused, found.cleared


def test_counts_by_hand() -> None:
    people = [outcome(0, SURE, NONE), outcome(1, ([2, 4], [1, 3]), NONE)]
    # Nobody without the target accused: the first target's groups are both found, of the second's the one above 3.
    assert counts(people, 0.0) == (3, 1, 0, 4)
    assert counts(people, 0.49) == (3, 1, 0, 4)
    # One of two may be accused: the threshold goes down to 1 < x ≤ 2 for the first, to 2 for the second.
    assert counts(people, 0.5) == (4, 0, 2, 2)
    assert counts(people, 1.0) == (4, 0, 4, 0)
    found = verdicts_from_outcomes(people, 0, most_false=0.0)
    assert (found.n_groups, found.n_targets, found.right_share) == (8, 2, 7 / 8)
    assert found.right_low < 7 / 8 < found.right_high == 1.0  # targets differ: 4 of 4 and 3 of 4


def test_counts_against_brute_force() -> None:
    rng = generator(1, "verdicts")
    inside, outside = rng.integers(0, 9, 40) + 1, rng.integers(0, 9, 40)  # many ties
    for share in (0.0, 0.05, 0.3, 0.77, 1.0):
        cuts = [cut for cut in range(11) if np.mean(outside >= cut) <= share]
        hits, alarms = np.sum(inside >= min(cuts)), np.sum(outside >= min(cuts))
        assert counts([outcome(0, (inside, outside), NONE)], share) == (hits, 40 - hits, alarms, 40 - alarms)


def test_targets_judged_alike_leave_the_groups_open() -> None:
    found = verdicts_from_outcomes([outcome(0, SURE, NONE), outcome(1, SURE, NONE)], 0, most_false=0.0)
    assert found.right_share == 1.0
    assert found.right_low == pytest.approx(8 / (8 + 1.959964**2))  # Wilson's for 8 of 8


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_shares_are_shares_iv(share: float) -> None:
    with pytest.raises(ParameterError, match="false_alarms must be"):
        verdicts_from_outcomes([outcome(0, SURE, NONE)], 0, most_false=share)
