"""The risk of people where only flows found in the data get noise, against all outputs listed one by one."""

import itertools
import math

import pytest

from privlab.dp.gaussian import GaussianParameters
from privlab.figures.risks import risks_finding
from privlab.od.risks import (
    PersonRisks,
    exposures_from_person_risks,
    gaussian_risks_from_unique_trips,
    person_risks_from_unique_trips,
)
from privlab.od.simulating import ReleaseParameters
from tests.od.by_hand import WEEK, trips_of

REACH = 60  # noise beyond has a chance below 10⁻¹⁵ at the scales here


def chances(epsilon: float) -> dict[int, float]:
    """The law of whole-number Laplace noise, from its formula."""
    a = math.exp(-epsilon)
    return {x: (1 - a) / (1 + a) * a ** abs(x) for x in range(-REACH, REACH + 1)}


def shown(count: int, epsilon: float, threshold: int) -> dict[object, float]:
    """What is published of one flow: its noisy count from the threshold on, else nothing."""
    law: dict[object, float] = {}
    for noise, chance in chances(epsilon).items():
        seen = count + noise if count + noise >= threshold else None
        law[seen] = law.get(seen, 0.0) + chance
    return law


def accuracy_by_hand(others: list[int], epsilon: float, threshold: int) -> float:
    """½(1 + total variation) between the person in and out; a flow without anybody is not published whatever the noise."""
    with_person = [shown(n + 1, epsilon, threshold) for n in others]
    without = [shown(n, epsilon, threshold) if n else {None: 1.0} for n in others]
    apart = 0.0
    for outcome in itertools.product(*({*p, *q} for p, q in zip(with_person, without, strict=True))):
        p = math.prod(law.get(one, 0.0) for law, one in zip(with_person, outcome, strict=True))
        q = math.prod(law.get(one, 0.0) for law, one in zip(without, outcome, strict=True))
        apart += max(p - q, 0.0)
    return 0.5 + apart / 2


def found(flows: list[list[int]], epsilon: float, threshold: int, cells: str = "discovered") -> PersonRisks:
    release = ReleaseParameters(epsilon=epsilon, threshold=threshold, noise="integer")
    return person_risks_from_unique_trips(trips_of(flows), release, weeks=[WEEK], cells=cells)


@pytest.mark.parametrize(("epsilon", "threshold"), [(0.7, 1), (0.7, 3), (1.5, 2), (1.5, 6)])
def test_flows_of_one_person_alone_against_all_outputs(epsilon: float, threshold: int) -> None:
    """Person 0 is alone in flows 1 and 2; without another flow it is exact."""
    alone = accuracy_by_hand([0, 0], epsilon, threshold)
    assert found([[1, 2], [3]], epsilon, threshold).accuracy[0] == pytest.approx(alone, abs=1e-9)
    one = exposures_from_person_risks(found([[1, 2], [3]], epsilon, threshold), 1)[0]
    assert one.alone == pytest.approx([accuracy_by_hand([0], epsilon, threshold)] * 2, abs=1e-9)
    # The claim for all possible flows is far below.
    assert found([[1, 2], [3]], epsilon, threshold, "public").accuracy[0] < alone


@pytest.mark.parametrize("threshold", [1, 2, 5, 9])
@pytest.mark.parametrize("others", [1, 4, 30])
def test_with_flows_that_others_share_it_is_from_above_and_exact_where_all_are_published(
    threshold: int, others: int
) -> None:
    """Person 0 is alone in flow 1, and in flow 2 with others."""
    said = found([[1, 2], *[[2]] * others], 0.9, threshold).accuracy[0]
    exact = accuracy_by_hand([0, others], 0.9, threshold)
    assert said >= exact - 1e-9
    assert said - exact < 0.03
    if others == 30:
        assert said == pytest.approx(exact, abs=1e-6)
    # Nobody else is alone: theirs is as where all possible flows get noise.
    both = [
        found([[1, 2], *[[2]] * others], 0.9, threshold, cells).accuracy[1]
        for cells in ("public", "discovered")
    ]
    assert both[0] == pytest.approx(both[1], abs=1e-12)


def test_fourteen_flows_of_ones_own_are_known_for_certain_and_said() -> None:
    """Sixty people, each alone in 14 flows, ε = 1 on ten trips, threshold 1: none of ten is published with ½¹⁰ at most."""
    flows = [[14 * person + n for n in range(14)] for person in range(60)]
    release = ReleaseParameters(epsilon=1, threshold=1, max_trips_per_user=10, noise="integer")
    of_found = person_risks_from_unique_trips(trips_of(flows), release, weeks=[WEEK], cells="discovered")
    assert of_found.accuracy.min() > 1 - 0.5**10 / 2
    assert of_found.n_alone == 60
    assert (
        "60 of those judged are alone in one, and known for certain wherever it is published"
        in risks_finding(of_found)
    )
    public = person_risks_from_unique_trips(trips_of(flows), release, weeks=[WEEK])
    assert public.accuracy.max() < 0.6
    assert public.n_alone == 0
    assert "alone" not in risks_finding(public)
    assert (of_found.user_level_bound >= of_found.accuracy - 1e-9).all()


def test_under_gaussian_noise_who_is_alone_has_the_risk_of_the_worst_placed() -> None:
    promise = GaussianParameters(
        epsilon=1, delta=1e-6, max_trips_per_user=2, clip="l2", threshold=1, cells="discovered"
    )
    risks = gaussian_risks_from_unique_trips(trips_of([[1], [2], [2], []]), promise, weeks=[WEEK])
    assert risks.n_alone == 1
    assert risks.accuracy[0] > 0.7 > risks.accuracy[1] == risks.accuracy[2] > 0.5 == risks.accuracy[3]
