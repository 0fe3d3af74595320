"""The steps from today's release to the best one for the same promise: what each is called, and what it decides."""

from privlab.checks import require_choice
from privlab.dp.gaussian import TOTAL_SHARE
from privlab.od.releases.release_plan import SecureReleaseParameters

# Each but the last two is a release of its own; the last is judged by a column of the release before it.
TODAY, GAUSSIAN, WEIGHTED, TOTAL = "integer", "gaussian", "gaussian, l2", "gaussian, l2, unbiased"
AGREED, SMOOTHED = "gaussian, l2, unbiased, levels", "gaussian, l2, unbiased, smoothed"
STEPS = (TODAY, GAUSSIAN, WEIGHTED, TOTAL, AGREED, SMOOTHED)

FOUND_STEPS = (TODAY, GAUSSIAN, WEIGHTED)  # of flows found in the data, with which nothing else is published


def parameters_of_step(
    name: str, *, epsilon: float, delta: float, bound: int, threshold: int
) -> SecureReleaseParameters:
    """Return what a step releases: (ε, δ) to all that a person does in a week, δ with Gaussian noise only.

    Raises ParameterError for a name that is none of STEPS.

    >>> parameters_of_step("gaussian, l2, unbiased", epsilon=1, delta=1e-6, bound=3, threshold=1).total_share
    0.03
    """
    gaussian = require_choice("mechanism", name, STEPS) != TODAY
    return SecureReleaseParameters(
        epsilon=epsilon,
        max_trips_per_user=bound,
        threshold=threshold,
        noise="gaussian" if gaussian else "integer",
        clip="keep" if name in (TODAY, GAUSSIAN) else "l2",
        delta=delta if gaussian else 0.0,
        total_share=TOTAL_SHARE if name in (TOTAL, AGREED, SMOOTHED) else 0.0,
        levels=1 if name == AGREED else 0,
    )
