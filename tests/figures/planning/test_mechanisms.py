"""How a release is called where it is offered."""

import pytest

from privlab.figures.planning.mechanisms import mechanism_name
from privlab.od.combining.combinations import Combination
from privlab.od.releases.release_plan import SecureReleaseParameters


@pytest.mark.parametrize(("most", "said"), [(1, "at most 1 trip,"), (2, "at most 2 trips,")])
def test_one_trip_is_no_trips(most: int, said: str) -> None:
    one = Combination(
        name="integer",
        parameters=SecureReleaseParameters(epsilon=1.0, max_trips_per_user=most, threshold=20),
        within=0,
        rmse=0,
        made_up_share=0,
        noise_deviation=0,
    )
    assert mechanism_name(one) == f"integer noise, {said} threshold 20"
