"""Flows that give people away, and risk over a grid: hand-drawn cases, and one release at a time."""

import math

import numpy as np
import pytest

from privlab.checks import DataError, ParameterError
from privlab.dp.attack.exact_accuracy import laplace_accuracy_from_epsilon
from privlab.od.matrix import UniqueTrips
from privlab.od.risks.exposed_flows import exposed_flows_from_person_risks
from privlab.od.risks.person_risks import person_risks_from_unique_trips
from privlab.od.risks.risk_curve import risk_curve_from_unique_trips
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.progress import Progress
from tests.od.by_hand import WEEK, trips_of
from tests.od.risks.test_person_risks import risks

NEXT = "2026-03-09"


def test_exposed_flows_against_hand() -> None:
    # Cells 1, 2, 3, 4 hold 5, 3, 1 and 1 people. At threshold 2 cells 1 and 2 stand open; 3 and 4 are hidden, each
    # two below it. Persons 0 and 1 are in 1, 2 and a hidden one, person 2 in 1 and 2, persons 3 and 4 in 1 only.
    trips = trips_of([[1, 2, 3], [1, 2, 4], [1, 2], [1], [1]])
    found = exposed_flows_from_person_risks(risks(trips, epsilon=0.8, threshold=2), 3)
    assert (found.n_people, found.n_without) == (3, 0)
    assert dict(zip(found.flow.tolist(), found.people.tolist(), strict=True)) == {1: 3, 2: 3}
    assert found.alone == pytest.approx(1 - math.exp(-0.4) / 2)  # one cell of Laplace noise
    assert found.least_accuracy == pytest.approx(laplace_accuracy_from_epsilon(0.8, 2)[2])
    everyone = exposed_flows_from_person_risks(risks(trips, epsilon=0.8, threshold=2))
    assert dict(zip(everyone.flow.tolist(), everyone.people.tolist(), strict=True)) == {1: 5, 2: 3}
    assert everyone.flow[0] == 1
    # Persons 3 and 4 are in one open cell, person 2 in two; hidden ones two below the threshold help 0 and 1 a little more.
    two = float(laplace_accuracy_from_epsilon(0.8, 2)[2])
    few = exposed_flows_from_person_risks(risks(trips, epsilon=0.8, threshold=2), among=(0.5, two - 1e-6))
    assert (few.n_people, few.flow.tolist(), few.people.tolist()) == (2, [1], [2])
    several = exposed_flows_from_person_risks(risks(trips, epsilon=0.8, threshold=2), among=(two, two))
    assert (several.n_people, several.least_accuracy) == (1, pytest.approx(two))
    nobody = exposed_flows_from_person_risks(risks(trips, epsilon=0.8, threshold=2), among=(0.99, 1.0))
    assert (nobody.n_people, nobody.flow.size, nobody.least_accuracy) == (0, 0, 0.99)


def test_nothing_tells_where_everything_is_suppressed_degenerate() -> None:
    found = exposed_flows_from_person_risks(risks(trips_of([[1], [2], []]), epsilon=1, threshold=1000))
    assert (found.flow.size, found.n_without, found.least_accuracy) == (0, 3, 0.5)


def two_weeks() -> UniqueTrips:
    """Person 0 makes one unique trip in the first week and two in the second; person 1 one in the second."""
    return UniqueTrips(
        zones=np.arange(5),
        weeks=(WEEK, NEXT),
        week_starts=np.array([0, 1, 4]),
        user=np.array([0, 0, 0, 1], dtype=np.int32),
        flow=np.array([1, 1, 2, 2]),
        trip_rank=np.array([0, 0, 1, 0], dtype=np.int32),
        user_rank=np.arange(2, dtype=np.int32),
        n_trips=4,
    )


def test_weeks_put_together_against_the_paper() -> None:
    release = ReleaseParameters(epsilon=0.66, threshold=0)
    curve = risk_curve_from_unique_trips(
        two_weeks(), release, varied="n_weeks", values=(1, 2), weeks=[NEXT, WEEK]
    )
    assert curve.highest == pytest.approx([0.656294, 0.707072], abs=5e-7)  # two trips, then three
    assert curve.share_above_claim.tolist() == [0, 0.5]
    assert curve.n_people.tolist() == [2, 2]


@pytest.mark.parametrize(
    ("varied", "values"),
    [
        ("epsilon", (0.1, 1.0, 5.0)),
        ("threshold", (0, 2, 3, 50)),
        ("max_trips_per_user", (1, 2, None)),
        ("group_size", (1, 3, None)),
    ],
)
def test_a_grid_is_one_release_after_the_other(varied: str, values: tuple[float | int | None, ...]) -> None:
    trips = trips_of([[1, 2, 3], [1, 2], [1, 2], [1], []])
    given = {"epsilon": 0.8, "threshold": 2, "max_trips_per_user": None}
    told: list[float] = []
    curve = risk_curve_from_unique_trips(
        trips,
        ReleaseParameters(**given),  # type: ignore[arg-type]
        varied=varied,
        values=values,
        weeks=[WEEK],
        n_people=4,
        progress=Progress(lambda share, words: told.append(share)),
    )
    assert curve.values == values
    assert told == [place / len(values) for place in range(len(values))]
    for place, value in enumerate(values):
        changed = given | ({} if varied == "group_size" else {varied: value})
        one = person_risks_from_unique_trips(
            trips,
            ReleaseParameters(**changed),  # type: ignore[arg-type]
            weeks=[WEEK],
            group_size=value if varied == "group_size" else None,  # type: ignore[arg-type]
            n_people=4,
        )
        assert curve.n_people[place] == one.accuracy.size
        assert curve.highest[place] == one.accuracy.max()
        assert curve.median[place] == np.median(one.accuracy)
        assert curve.share_above_claim[place] == one.share_above_claim
        assert curve.claimed_bound[place] == one.claimed_bound


def test_a_grid_iv() -> None:
    trips, release = trips_of([[1]]), ReleaseParameters()
    with pytest.raises(ParameterError, match=r"^varied must be one of"):
        risk_curve_from_unique_trips(trips, release, varied="noise", values=(1,), weeks=[WEEK])
    with pytest.raises(ParameterError, match=r"^values must hold at least one value"):
        risk_curve_from_unique_trips(trips, release, varied="epsilon", values=(), weeks=[WEEK])
    with pytest.raises(DataError, match="no trip in the week"):
        risk_curve_from_unique_trips(trips, release, varied="epsilon", values=(1,), weeks=[NEXT])
