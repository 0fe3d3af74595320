"""Fingerprints under controls: the minute of the hour stays, cells are those of the data, and nothing is done twice."""

import numpy as np
import pytest

from privlab.checks import ParameterError
from privlab.defaults import DEFAULT_KS
from privlab.fingerprints import Level, fingerprints_at_level
from privlab.fingerprints.changed_fingerprints import fingerprints_under_controls
from privlab.fingerprints.fingerprints import Fingerprints, fingerprints_from_samples
from privlab.fingerprints.measures import StudyParameters
from privlab.lab.fingerprints import kgap_studies_from_fingerprints, kgap_study_from_fingerprints

MONDAY = 1440 * (4 + 7 * 2_900)  # a Monday at midnight, in minutes since 1970-01-01


def town(n_users: int = 30) -> Fingerprints:
    rng = np.random.default_rng(6)
    user = rng.integers(n_users, size=20 * n_users)
    x, y = rng.integers(-3, 4, (2, user.size))
    return fingerprints_from_samples(user, x, y, MONDAY + rng.integers(2 * 10_080, size=user.size))


def samples(found: Fingerprints, user: int) -> set[tuple[int, int, int]]:
    part = slice(int(found.offsets[user]), int(found.offsets[user + 1]))
    return set(zip(found.x[part].tolist(), found.y[part].tolist(), found.t[part].tolist(), strict=True))


def test_thinned_samples_are_samples() -> None:
    before, after = town(), fingerprints_under_controls(town(), ["thin:0.3"], seed=1)
    assert after.n_samples.tolist() == np.ceil(np.round(0.3 * before.n_samples, 9)).tolist()
    assert all(samples(after, user) < samples(before, user) for user in range(before.n_users))


def test_shuffled_hours_keep_places_minutes_and_weeks() -> None:
    before, after = town(), fingerprints_under_controls(town(), ["shuffle-hours"], seed=1)

    def kept(found: Fingerprints, user: int) -> list[tuple[int, int, int, int]]:
        return sorted((x, y, t % 60, (t - MONDAY) // 10_080) for x, y, t in samples(found, user))

    assert all(kept(after, user) == kept(before, user) for user in range(before.n_users))
    assert (after.t != before.t).mean() > 0.9
    # In order, as fingerprints are: by time, east and north.
    for user in range(after.n_users):
        part = slice(int(after.offsets[user]), int(after.offsets[user + 1]))
        rows = list(zip(after.t[part].tolist(), after.x[part].tolist(), after.y[part].tolist(), strict=True))
        assert rows == sorted(rows)


def test_permuted_places_keep_times_and_lie_where_somebody_was() -> None:
    before, after = town(), fingerprints_under_controls(town(), ["permute-zones"], seed=1)
    cells = set(zip(before.x.tolist(), before.y.tolist(), strict=True))
    for user in range(before.n_users):
        old, new = samples(before, user), samples(after, user)
        assert sorted(t for *_, t in old) == sorted(t for *_, t in new)
        assert {(x, y) for x, y, _ in new} <= cells
        assert len({(x, y) for x, y, _ in new}) == len({(x, y) for x, y, _ in old})


def test_fewer_users_and_days_of_fingerprints() -> None:
    before, days = town(), fingerprints_under_controls(town(), ["days:3"], seed=1)
    for user, name in enumerate(days.user_ids.tolist()):
        whole = samples(before, before.user_ids.tolist().index(name))
        assert samples(days, user) == {one for one in whole if one[2] < MONDAY + 3 * 1440}
    assert fingerprints_under_controls(before, ["users:8"], seed=1).n_users == 8


def test_a_study_is_of_the_changed_data_as_if_they_had_been_read_so() -> None:
    specs, before = ("users:20", "thin:0.5", "shuffle-hours", "permute-zones"), town()
    changed = fingerprints_under_controls(before, specs, seed=3)
    asked = StudyParameters(level=Level(0.1, 1), controls=specs, seed=3)
    study = kgap_study_from_fingerprints(before, asked, ks=DEFAULT_KS[:1])
    plain = kgap_study_from_fingerprints(changed, asked, ks=DEFAULT_KS[:1])
    assert np.array_equal(study.kgaps.values, plain.kgaps.values)
    assert study.n_users == 20
    levels = kgap_studies_from_fingerprints(before, asked, ks=DEFAULT_KS[:1])
    assert np.array_equal(levels[0].kgaps.values, study.kgaps.values)
    assert {one.parameters.controls for one in levels} == {specs}


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="control must come before coarser bins"):
        fingerprints_under_controls(fingerprints_at_level(town(), Level(0.1, 480)), ["thin:0.5"], seed=1)
    changed = fingerprints_under_controls(town(), ["thin:0.5"], seed=1)
    assert fingerprints_under_controls(changed, ["thin:0.5"], seed=1) is changed
    with pytest.raises(ParameterError, match="control must change data once"):
        fingerprints_under_controls(changed, [], seed=1)
    with pytest.raises(ParameterError, match="controls must be written as they are applied"):
        StudyParameters(controls=("permute-zones", "users:5"))


def test_days_are_counted_from_the_first_sample_to_the_last_by_hand() -> None:
    """Samples on a Monday and on the Sunday after are seven days: as many can be kept, and not one more."""
    minutes = [day * 1440 for day in (4, 10)]  # 1970-01-05 and 1970-01-11
    people = fingerprints_from_samples([0, 0], [0, 0], [0, 0], minutes)
    assert fingerprints_under_controls(people, ["days:7"], seed=1).t.tolist() == minutes
    with pytest.raises(ParameterError):
        fingerprints_under_controls(people, ["days:8"], seed=1)
