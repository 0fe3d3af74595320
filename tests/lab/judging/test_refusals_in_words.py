"""A refusal is said whole: its words are the lab's own, however many they are."""

import numpy as np
import pytest

from privlab.lab.judging.refusals import (
    Accepted,
    ReleaseRefused,
    refusals_of_release,
    refused_in_words,
    require_no_refusal,
)
from privlab.od.expecting.outlook import release_outlook_from_trips
from tests.lab.judging.test_release_gates import people, plan_of


def test_a_refusal_is_said_whole_however_much_there_is_to_say() -> None:
    """A large δ and false visits together; it was cut in the middle, as what was given from outside is."""
    trips = people(49, 30, 12, np.random.default_rng(1))
    plan = plan_of(
        30,
        epsilon=1,
        max_trips_per_user=40,
        threshold=60,
        noise="gaussian",
        clip="l2",
        delta=1e-3,
        product="visits",
    )
    outlook = release_outlook_from_trips(trips, plan)
    why = refusals_of_release(plan, outlook, n_users=49, accepted=Accepted())
    assert {one.kind for one in why} == {"delta", "made_up"}
    with pytest.raises(ReleaseRefused) as refused:
        require_no_refusal(plan, outlook, n_users=49, accepted=Accepted())
    said = str(refused.value)
    assert len(said) > 600
    assert said.startswith(refused_in_words(why))
    assert said.endswith('--accept-delta "REASON" --accept-made-up "REASON".')
