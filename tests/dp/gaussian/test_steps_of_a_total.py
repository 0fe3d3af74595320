"""On which lattice the numbers of a person lie who counts in cells and in a noisy total: by the definition of a common divisor."""

import math

import numpy as np

from privlab.dp.gaussian.gaussian_parameters import GaussianParameters, contribution_of_trips


def test_what_a_person_adds_lies_on_the_steps_of_cells_and_of_the_total_by_hand() -> None:
    """T trips of weight w = ⌊1024·√(10/T)⌋, and u units for each of the first hundred: steps of gcd(w, u·T), and T·w² + (u·T)²."""
    parameters = GaussianParameters(epsilon=1, delta=1e-6, max_trips_per_user=10, total_share=0.03)
    trips = np.array([1, 7, 10, 11, 40, 99, 100, 160, 640])
    square, divisor = contribution_of_trips(parameters, trips)
    units = parameters.total_units
    assert units == 6  # ⌊1024·√(0.03·10)/100⌋ or one more: (100·u)² is about 0.03·10·1024²
    for one, found, step in zip(trips.tolist(), square.tolist(), divisor.tolist(), strict=True):
        weight = min(math.isqrt(1024**2 * 10 // one), 1024)
        in_total = units * min(one, 100)
        assert (found, step) == (one * weight**2 + in_total**2, math.gcd(weight, in_total))
