"""What a release with Gaussian noise is expected to hold: against its law, added up count by count."""

import numpy as np
import pytest
from scipy.stats import norm

from privlab.od.expecting.outlook import release_outlook_from_trips
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from tests.od.by_hand import WEEK, settled, trips_of


@pytest.mark.parametrize(
    ("epsilon", "delta", "threshold"), [(5, 1e-2, 1), (5, 1e-2, 2), (4, 1e-6, 3), (1, 1e-6, 10)]
)
def test_the_trips_listed_are_whole_numbers_of_trips(epsilon: float, delta: float, threshold: int) -> None:
    """20 zones, flows of 0 to 5 people with one trip each, and noise as wide as that: what is published of it is rounded."""
    flows = {1: 5, 2: 3, 3: 2, 4: 1, 5: 1}
    people = [[flow] for flow, n in flows.items() for _ in range(n)]
    plan = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=epsilon, delta=delta, max_trips_per_user=1, threshold=threshold, noise="gaussian", clip="l2"),
        weeks=[WEEK],
        zones_spec="column",
        public_zones=list(range(20)),
    )  # fmt: skip
    promise = plan.parameters.guarantee_parameters(1)
    law = norm(0, getattr(promise, "sigma") / 1024)  # noqa: B009
    counts = np.arange(threshold, threshold + 400)
    true = np.array([*flows.values(), *[0] * (20 * 19 - len(flows))])
    away = counts - true[:, None]
    chance = law.cdf(away + 0.5) - law.cdf(away - 0.5)
    found = release_outlook_from_trips(settled(trips_of(people, range(20))), plan)
    assert found.published == pytest.approx(chance.sum(), rel=2e-3)  # the lattice of units
    assert found.published_trips == pytest.approx((chance @ counts).sum(), rel=3e-3)
