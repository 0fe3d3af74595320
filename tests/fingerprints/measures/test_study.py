"""The study of one level: who is judged, and that judging a part is judging the same people."""

from dataclasses import replace

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.fingerprints.measures.study import StudyParameters, level_study_from_fingerprints
from tests.fingerprints.search.test_neighbours import crowd


def test_the_people_judged_are_drawn_by_the_seed_and_judged_as_among_all() -> None:
    everyone, asked = crowd(120), StudyParameters(n_query=15, seed=1)
    whole = level_study_from_fingerprints(everyone, replace(asked, n_query=None), ks=[2, 5])
    parts = [
        level_study_from_fingerprints(everyone, replace(asked, seed=seed), ks=[2, 5]) for seed in (1, 1, 2, 3)
    ]
    for part in parts:
        assert part.n_judged == np.unique(part.kgaps.query).size == 15
        np.testing.assert_array_equal(part.kgaps.values, whole.kgaps.values[part.kgaps.query])
    judged = [tuple(part.kgaps.query.tolist()) for part in parts]
    assert judged[0] == judged[1]
    assert len(set(judged)) == 3  # 15 of 120: two seeds draw the same people once in 10^18


def test_whoever_is_compared_with_everybody_is_compared_in_full() -> None:
    """The farthest other is found by looking at all others, whatever bounds are kept beside."""
    found = level_study_from_fingerprints(crowd(12), StudyParameters(), ks=[12])
    assert found.share_compared == 1.0


def test_what_names_no_level_and_no_k_is_refused_iv() -> None:
    with pytest.raises(ParameterError, match=r"^level must be a Level, as Level\(1, 30\), got '1-30'\.$"):
        StudyParameters(level="1-30")
    with pytest.raises(ParameterError, match=r"^k must be given at least once\.$"):
        level_study_from_fingerprints(crowd(12), StudyParameters(), ks=[])
