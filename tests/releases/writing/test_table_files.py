"""Files that someone downloads say in comment lines what they hold, and pandas reads them when told of these."""

import io

import numpy as np
import pandas as pd
import pytest

from privlab.od.comparing import StepRequest, simulated_step_from_unique_trips
from privlab.od.matrix import od_matrix_from_unique_trips
from privlab.od.simulating import ReleaseParameters
from privlab.od.simulating.simulated_release import SimulatedRelease, simulated_release_from_od_matrix
from privlab.od.weighing.mechanism_steps import GAUSSIAN, TOTAL
from privlab.releases.writing import csv_from_simulated_release
from privlab.seeds import generator
from tests.od.by_hand import WEEK, trips_of


def step(name: str) -> SimulatedRelease:
    """Return the release of 400 people who each make the same four trips, with a limit of one."""
    trips = trips_of([[1, 2, 3, 4]] * 400, range(5))
    places = np.full(trips.zones.size, np.nan)
    request = StepRequest(name=name, epsilon=20.0, max_trips_per_user=1, threshold=50)
    found = simulated_step_from_unique_trips(trips, request, week=WEEK, lat=places, lon=places, seed=1)
    return found.review.release


def test_counts_that_a_total_scales_are_no_published_counts_by_hand() -> None:
    """Four trips of one who has a limit of one weigh ½ each: 200 of 400 are published, and a total of 1,600 gives back the rest."""
    text = csv_from_simulated_release(step(TOTAL), name="mine.csv", parameters="ε = 20").decode()
    first, second, _ = text.split("\n", 2)
    assert first.startswith("# Simulation, not a release: seeded Gaussian noise in whole numbers. mine.csv")
    assert second == (
        "# simulated_count: as release.csv of a release holds it. unbiased_count: the same times what a noisy total gives back "
        "as estimates.csv of a release holds it and the page judges it."
    )
    read = pd.read_csv(io.StringIO(text), comment="#")
    assert list(read.columns) == ["week", "origin", "destination", "simulated_count", "unbiased_count"]
    assert read["simulated_count"].to_numpy() == pytest.approx([200] * 4, rel=0.05)
    assert (read["simulated_count"] % 1 == 0).all()
    assert read["unbiased_count"].to_numpy() == pytest.approx([400] * 4, rel=0.06)


def test_without_a_total_there_is_one_count() -> None:
    text = csv_from_simulated_release(step(GAUSSIAN), name="mine.csv", parameters="ε = 20").decode()
    assert text.split("\n")[1] == "week,origin,destination,simulated_count"


@pytest.mark.parametrize(
    ("noise", "words", "whole"),
    [
        ("laplace", "Laplace noise in floating-point numbers", False),
        ("integer", "noise in whole numbers", True),
    ],
)
def test_the_noise_is_called_what_it_is(noise: str, words: str, whole: bool) -> None:
    matrix = od_matrix_from_unique_trips(trips_of([[1]] * 90, range(3)), week=WEEK)
    made = simulated_release_from_od_matrix(
        matrix, ReleaseParameters(epsilon=1.0, threshold=50, noise=noise), generator(1, "release noise")
    )
    text = csv_from_simulated_release(made, name="mine.csv", parameters="ε = 1").decode()
    assert text.startswith(f"# Simulation, not a release: seeded {words}. ")
    count = pd.read_csv(io.StringIO(text), comment="#")["simulated_count"]
    assert (count % 1 == 0).all() == whole
