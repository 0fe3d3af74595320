"""Noise: laws for counts and for series, simulated draws, and the system's secure noise.

Uses the ground floor only.
"""

from typing import TYPE_CHECKING

from privlab.doors import door

if TYPE_CHECKING:
    from privlab.dp.noise.calibration import gaussian_sigma
    from privlab.dp.noise.fourier import gaussian_series, laplace_series
    from privlab.dp.noise.mechanisms import (
        CELLS,
        NOISES,
        Mechanism,
        even_noise,
        log_noise_tail,
        mechanism_from_bound,
        noise_from_uniform,
        noise_tail,
    )
    from privlab.dp.noise.secure_noise import (
        half_width,
        measurement_from_scale,
        noisy_counts_from_counts,
        secure_gaussian_from_sigma,
        secure_noise_from_mechanism,
    )
else:
    __getattr__ = door(__name__)

__all__ = [
    "CELLS",
    "NOISES",
    "Mechanism",
    "even_noise",
    "gaussian_series",
    "gaussian_sigma",
    "half_width",
    "laplace_series",
    "log_noise_tail",
    "measurement_from_scale",
    "mechanism_from_bound",
    "noise_from_uniform",
    "noise_tail",
    "noisy_counts_from_counts",
    "secure_gaussian_from_sigma",
    "secure_noise_from_mechanism",
]
