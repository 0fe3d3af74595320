"""The risk of single people: the hand-drawn cases, the game itself, and the order of the three figures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privlab.checks import DataError, ParameterError
from privlab.dp.attack.exact_accuracy import (
    accuracy_from_suppressed_cells,
    integer_accuracy_from_epsilon,
    laplace_accuracy_from_epsilon,
)
from privlab.dp.noise.mechanisms import noise_from_uniform
from privlab.od.matrix import UniqueTrips, od_matrix_from_unique_trips
from privlab.od.risks.person_risks import (
    PersonRisks,
    exposures_from_person_risks,
    person_risks_from_unique_trips,
    risks_with_all_published,
)
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.stats import require_within_bound
from tests.od.by_hand import WEEK, nobody_named, trips_of


def risks(trips: UniqueTrips, **given: object) -> PersonRisks:
    people = {name: given.pop(name) for name in ("group_size", "n_people") if name in given}
    parameters = ReleaseParameters(**given)  # type: ignore[arg-type]
    return person_risks_from_unique_trips(trips, parameters, weeks=[WEEK], **people)  # type: ignore[arg-type]


def test_each_person_against_the_form_for_one_target() -> None:
    # Cells 1, 2, 3 hold 4, 3 and 1 people; threshold 3.
    trips = trips_of([[1, 2, 3], [1, 2], [1, 2], [1], []])
    found = risks(trips, epsilon=0.8, threshold=3)
    expected = [accuracy_from_suppressed_cells(0.8, 3, others) for others in ([3, 2, 0], [3, 2], [3, 2], [3])]
    assert found.accuracy == pytest.approx([*expected, 0.5], abs=2e-5)
    assert found.n_trips.tolist() == [3, 2, 2, 1, 0]
    assert found.n_exposed.tolist() == [1, 1, 1, 1, 0]
    assert (found.n_users, found.counted.users.tolist()) == (5, [0, 1, 2, 3, 4])


def test_group_and_bound_leave_out_what_is_not_counted() -> None:
    trips = trips_of([[1, 2, 3], [1, 2], [1, 2]])
    group = risks(trips, epsilon=1, threshold=0, group_size=2)
    assert group.counted.others.tolist() == [1, 1, 0, 1, 1]
    bounded = risks(trips, epsilon=1, threshold=0, max_trips_per_user=1)
    assert bounded.n_trips.tolist() == [1, 1, 1]
    assert bounded.counted.others.tolist() == [2, 2, 2]
    assert bounded.accuracy == pytest.approx(laplace_accuracy_from_epsilon(1, 1)[1], abs=1e-9)
    some = risks(trips, epsilon=1, threshold=0, n_people=1)
    assert (some.accuracy.size, some.counted.others.tolist()) == (1, [2, 2, 0])


def test_weeks_add_up_for_who_is_in_both() -> None:
    # Persons 0 and 1 go the same way in both weeks, person 2 in the second only.
    trips = UniqueTrips(
        zones=np.arange(5),
        weeks=(WEEK, "2026-03-09"),
        week_starts=np.array([0, 2, 5]),
        user=np.array([0, 1, 0, 1, 2], dtype=np.int32),
        flow=np.array([1, 1, 1, 1, 1]),
        trip_rank=np.zeros(5, dtype=np.int32),
        user_rank=np.array([2, 0, 1], dtype=np.int32),
        n_trips=5,
    )
    both = person_risks_from_unique_trips(
        trips, ReleaseParameters(epsilon=1, threshold=1, noise="integer"), weeks=trips.weeks
    )
    assert both.counted.users.tolist() == [1, 2, 0]
    assert both.counted.week.tolist() == [0, 1, 1, 0, 1]
    assert both.counted.others.tolist() == [1, 2, 2, 1, 2]
    curve = integer_accuracy_from_epsilon(1, 2)
    assert both.accuracy == pytest.approx(curve[[2, 1, 2]], abs=1e-12)


def test_most_exposed_and_what_gives_them_away() -> None:
    trips = trips_of([[1], [1, 2], [1, 2, 3, 4], [1, 2]])
    found = exposures_from_person_risks(risks(trips, epsilon=1, threshold=3), n_most=2)
    assert [one.person for one in found] == [2, 1]
    # 3, 2, 0, 0 others: shown without noise first, then the cell one short, then those nobody else is in.
    assert found[0].flow[:2].tolist() == [1, 2]
    assert found[0].others.tolist() == [3, 2, 0, 0]
    assert found[0].alone.tolist() == sorted(found[0].alone, reverse=True)
    assert found[0].accuracy >= found[0].alone[0]


def test_share_above_the_claim_is_zero_under_a_bound() -> None:
    trips = trips_of([[1, 2, 3, 4, 6, 7]] * 4)
    loose = risks(trips, epsilon=0.66, threshold=2)
    bound = risks(trips, epsilon=0.66, threshold=2, max_trips_per_user=6)
    assert (loose.share_above_claim, bound.share_above_claim) == (1.0, 0.0)
    assert loose.claimed_bound == pytest.approx(0.659260, abs=5e-7)


@st.composite
def datasets(draw: st.DrawFn) -> UniqueTrips:
    cells = [1, 2, 3, 5, 7, 8]
    person = st.lists(st.sampled_from(cells), unique=True, max_size=5)
    return trips_of(draw(st.lists(person, min_size=1, max_size=8)), range(3))


@settings(max_examples=40)
@given(
    datasets(),
    st.floats(0.05, 6),
    st.integers(0, 8),
    st.sampled_from([None, 1, 3]),
    st.sampled_from(["laplace", "integer"]),
    st.integers(0, 2**31),
)
def test_measured_below_exact_below_user_level_bound(
    trips: UniqueTrips, epsilon: float, threshold: int, bound: int | None, noise: str, seed: int
) -> None:
    """Every person: the game on the real pipeline (count with and without, noise, threshold, best guess)."""
    found = risks(trips, epsilon=epsilon, threshold=threshold, max_trips_per_user=bound, noise=noise)
    proven = 1 / (1 + np.exp(-found.parameters.mechanism.epsilon_per_cell * found.n_trips))
    assert np.all(found.accuracy <= proven + 1e-7)
    if bound is not None:
        assert np.all(found.accuracy <= found.claimed_bound + 1e-7)
    rng, games = np.random.default_rng(seed), 2000
    matrix = od_matrix_from_unique_trips(trips, week=WEEK, max_trips_per_user=bound)
    full = dict(zip(matrix.flow.tolist(), matrix.count.tolist(), strict=True))
    mechanism = found.parameters.mechanism
    per_cell = mechanism.epsilon_per_cell
    for i in range(min(found.accuracy.size, 3)):
        cells = found.counted.flow[found.counted.starts[i] : found.counted.starts[i + 1]]
        others = np.array([full[cell] - 1 for cell in cells.tolist()], dtype=np.float64)
        present = rng.random(games) < 0.5
        noisy = others + present[:, None] + noise_from_uniform(mechanism, rng.random((games, cells.size)))
        tail = (1 + np.exp(-per_cell)) if noise == "integer" else 2.0
        gap = np.maximum(threshold - others, 0.5)  # cells at the threshold are never hidden against the odds
        hidden = np.log1p(-np.minimum(np.exp(-per_cell * (gap - 1)) / tail, 1 - 1e-12))
        hidden -= np.log1p(-np.exp(-per_cell * gap) / tail)
        shown = per_cell * np.clip(2 * (noisy - others) - 1, -1, 1)
        seen = (noisy >= threshold) | (threshold == 0) | (others >= threshold)
        loss = np.where(seen, shown, hidden).sum(axis=1)
        guess = np.where(np.abs(loss) < 1e-9, rng.random(games) < 0.5, loss > 0)
        require_within_bound(int((guess == present).sum()), games, found.accuracy[i], "best attack")


def test_no_threshold_helps_where_sums_of_all_counts_are_published_by_hand() -> None:
    # Far below the threshold nothing is seen of anyone. With one flow from a zone its sum is its noisy count: a coin that
    # shows the truth with chance p = e^ε/(1+e^ε), and of three flows the majority of three such coins.
    hidden = risks(trips_of([[1, 2, 3], [1], []]), epsilon=0.8, threshold=1000, noise="integer")
    assert hidden.accuracy == pytest.approx([0.5, 0.5, 0.5])
    found = risks_with_all_published(hidden)
    p = np.exp(0.8) / (1 + np.exp(0.8))
    assert found.accuracy == pytest.approx([p**3 + 3 * p**2 * (1 - p), p, 0.5])
    assert (found.accuracy <= found.user_level_bound + 1e-12).all()
    assert found.n_exposed.tolist() == [3, 1, 0]


def test_counts_that_name_nobody_are_refused_iv() -> None:
    counts = nobody_named()
    with pytest.raises(DataError, match="does not say whose trips"):
        person_risks_from_unique_trips(counts, ReleaseParameters(), weeks=[WEEK])


def test_parameters_iv() -> None:
    trips = trips_of([[1]])
    with pytest.raises(ParameterError, match="users must be"):
        risks(trips, n_people=0)
    with pytest.raises(DataError, match="no trip in the week"):
        person_risks_from_unique_trips(trips, ReleaseParameters(), weeks=["2026-03-09"])
    with pytest.raises(ParameterError, match="weeks must be named"):
        person_risks_from_unique_trips(trips, ReleaseParameters(), weeks=[WEEK, WEEK])
