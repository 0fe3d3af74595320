"""A wanted δ → the least threshold with which a release of discovered cells keeps to it."""

import math
from dataclasses import replace

from privlab.checks import ParameterError, require_between
from privlab.dp.noise.mechanisms import log_noise_tail
from privlab.dp.promise.guarantees import GuaranteeParameters, log10_discovery_delta
from privlab.limits import MAX_THRESHOLD


def least_threshold_for_delta(parameters: GuaranteeParameters, n_cells: int, delta: float) -> int | None:
    """Return the least threshold that keeps the δ of `n_cells` discovered cells at `delta` or less.

    None if no threshold that is allowed does. Raises ParameterError for public cells, which cost no δ.

    >>> one = GuaranteeParameters(epsilon=1, max_trips_per_user=10, cells="discovered", threshold=1)
    >>> least_threshold_for_delta(one, 10, 1e-6)
    156
    """
    require_between("delta", delta, 1e-300, 1)
    if parameters.cells == "public":
        raise ParameterError("cells must be discovered to cost a delta, got 'public'.")
    # docs/science.md, section 2.6, solved for τ; the logarithm of P(noise ≥ v) falls by 1/scale per step.
    scale = parameters.mechanism.scale
    excess = math.log(n_cells) + log_noise_tail(parameters.noise, scale, 0) - math.log(delta)
    threshold = max(1 + math.ceil(excess * scale - 1e-9), 1)
    if threshold > MAX_THRESHOLD:
        return None
    found = log10_discovery_delta(replace(parameters, threshold=threshold), n_cells)
    return threshold if found is not None and found <= math.log10(delta) + 1e-12 else threshold + 1
