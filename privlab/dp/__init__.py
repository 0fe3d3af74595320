"""Noise and what it promises: mechanisms, the system's secure noise, how much noise a promise takes.

Rooms: attack (what the best test reaches), promise (what is guaranteed), gaussian (by Gaussian
noise), composing (by several releases), audit (mechanisms as they run).
Knows parameters, no data. Uses the ground floor only.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.calibration import (
        gaussian_sigma,
    )
    from privlab.dp.discrete_gaussian import (
        TOTAL_CAP,
        UNITS,
        accuracy_of_contribution,
        log_tail,
        rounded_normal,
        sigma_from_promise,
        units_of_total,
        weight_of_trips,
        whole_trips_from_units,
    )
    from privlab.dp.fourier import (
        gaussian_series,
        laplace_series,
    )
    from privlab.dp.level_weights import (
        LEVEL_SHIFTS,
        require_levels,
        weight_with_levels,
    )
    from privlab.dp.mechanisms import (
        NOISES,
        Mechanism,
        even_noise,
        log_noise_tail,
        mechanism_from_bound,
        noise_from_uniform,
        noise_tail,
    )
    from privlab.dp.secure_noise import (
        half_width,
        measurement_from_scale,
        noisy_counts_from_counts,
        secure_gaussian_from_sigma,
        secure_noise_from_mechanism,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "LEVEL_SHIFTS",
    "NOISES",
    "TOTAL_CAP",
    "UNITS",
    "Mechanism",
    "accuracy_of_contribution",
    "even_noise",
    "gaussian_series",
    "gaussian_sigma",
    "half_width",
    "laplace_series",
    "log_noise_tail",
    "log_tail",
    "measurement_from_scale",
    "mechanism_from_bound",
    "noise_from_uniform",
    "noise_tail",
    "noisy_counts_from_counts",
    "require_levels",
    "rounded_normal",
    "secure_gaussian_from_sigma",
    "secure_noise_from_mechanism",
    "sigma_from_promise",
    "units_of_total",
    "weight_of_trips",
    "weight_with_levels",
    "whole_trips_from_units",
]
