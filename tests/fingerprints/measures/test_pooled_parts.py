"""Sample distances of one person, taken apart: against the definition, against the k-gap, and by hand."""

import numpy as np
import pytest

from privlab.fingerprints.measures.dispersion import dispersion_from_neighbours
from privlab.fingerprints.measures.kgap import kgap_from_neighbours
from privlab.fingerprints.measures.pooled_parts import PARTS, pooled_parts_from_fingerprints
from privlab.fingerprints.search.neighbours import neighbours_from_fingerprints
from privlab.fingerprints.search.stretch import (
    StretchParameters,
    nearest_others,
    samples_of_user,
    stretches,
)
from tests.fingerprints.measures.test_dispersion import gini_of, tail_of
from tests.fingerprints.random_fingerprints import PARAMETERS, random_fingerprints


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_parts_against_definition(parameters: StretchParameters) -> None:
    rng, n_judged = np.random.default_rng(3), 0
    for _ in range(12):
        fingerprints = random_fingerprints(rng)
        units, k = parameters.units(fingerprints.cell_m), 4
        users = rng.permutation(fingerprints.n_users)[:3].tolist()
        found = pooled_parts_from_fingerprints(fingerprints, users, k=k, parameters=parameters)
        for user, one in zip(users, found, strict=True):
            mine = samples_of_user(fingerprints, user)
            pairs = [
                np.array(stretches(mine, samples_of_user(fingerprints, other), units), dtype=float)
                for _, other in nearest_others(fingerprints, user, k, parameters)
            ]
            assert one.user == user
            if not pairs:  # nobody else
                assert one.total.size == 0
                continue
            n_judged += 1
            space, time = np.concatenate(pairs).T
            apart = np.sort(space) / units.most_space * parameters.space_weight
            late = np.sort(time) / units.most_time * parameters.time_weight
            assert np.sort(one.spatial) == pytest.approx(apart)
            assert np.sort(one.temporal) == pytest.approx(late)
            for part, values in zip(PARTS, (space + time, space, time), strict=True):
                assert one.gini[part] == pytest.approx(gini_of(values))
                assert one.tail_weight[part] == pytest.approx(tail_of(values), nan_ok=True)
    assert n_judged > 15


def test_for_two_the_mean_distance_is_the_k_gap_and_the_tail_that_of_everybody() -> None:
    rng = np.random.default_rng(5)
    for _ in range(6):
        fingerprints = random_fingerprints(rng)
        if fingerprints.n_users < 2:
            continue
        neighbours = neighbours_from_fingerprints(fingerprints, k=2)
        gaps = kgap_from_neighbours(neighbours, ks=(2,)).of(2)
        all_of_them = dispersion_from_neighbours(fingerprints, neighbours, (2,))
        found = pooled_parts_from_fingerprints(fingerprints, range(fingerprints.n_users))
        assert [float(one.total.mean()) for one in found] == pytest.approx(gaps.tolist())
        tails = [one.tail_weight["temporal"] for one in found]
        assert np.array(tails) == pytest.approx(all_of_them.tail_weight_temporal[:, 0], nan_ok=True)
