"""What a total gives back of what a limit takes, as it is expected before any noise: by hand, with hardly any noise."""

import numpy as np
import pytest
import scipy.stats

from privlab.lab.publishing import release_parameters_from_wishes
from privlab.od.combining.combinations import combination_of_parameters
from privlab.od.expecting import release_outlook_from_trips
from privlab.od.releases import release_plan_from_parameters
from privlab.od.weighing.mechanism_steps import TOTAL
from privlab.od.weighing.weighed_week import weighed_week_from_unique_trips
from tests.od.by_hand import WEEK, trips_of

N_ZONES = 12
CELLS = [start * N_ZONES + end for start in range(N_ZONES) for end in range(N_ZONES) if start != end]


@pytest.mark.parametrize(("n_trips", "near"), [(84, 1.0), (121, 0.0)])
def test_of_more_trips_than_a_total_counts_of_a_person_only_those_are_given_back(
    n_trips: int, near: float
) -> None:
    """300 people make the same trips, and L = 1 leaves √(1/T) of each, 11 for 121. A total counts 100 at most: ·100/11 is 83% of the truth.

    Of 84 trips it counts all, and gives all back. Noise is some two trips on a flow of 300.
    """
    trips = trips_of([CELLS[:n_trips]] * 300, range(N_ZONES))
    parameters = release_parameters_from_wishes(
        epsilon=20.0, max_trips_per_user=1, threshold=0, cells="public", noise="gaussian", unbiased=True
    )
    plan = release_plan_from_parameters(
        parameters, weeks=[WEEK], zones_spec="column", public_zones=range(N_ZONES)
    )
    assert release_outlook_from_trips(trips, plan).share_close == pytest.approx(near, abs=0.01)
    week = weighed_week_from_unique_trips(trips, week=WEEK, bounds=[1])
    assert week.capped_total == 300 * min(n_trips, 100)
    step = combination_of_parameters(week, TOTAL, parameters, tolerance=0.1)
    assert step.within == pytest.approx(near, abs=0.01)
    assert step.rmse == pytest.approx(0 if near else 300 * (1 - 100 / n_trips), abs=6)
    # Noise rounded to whole trips grows by what is given back: ·100/11, or all of ·√84.
    sigma = plan.guarantee.parameters.sigma / 1024
    ends = scipy.stats.norm(0, sigma).cdf(np.arange(-6, 6) + 0.5)
    deviation = np.sqrt(np.diff(ends) @ np.arange(-5, 6) ** 2)
    given_back = min(100 / n_trips, 1) * np.sqrt(n_trips)
    assert step.noise_deviation == pytest.approx(deviation * given_back, rel=0.02)
