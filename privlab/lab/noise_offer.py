"""When Gaussian noise is offered in place of integer noise: for the same ε, where it gives more."""

from privlab.lab.publish import release_parameters_from_wishes
from privlab.od.releases import ReleaseOutlook, ReleasePlan, release_plan_from_parameters


def gaussian_plan_from_release_plan(plan: ReleasePlan) -> ReleasePlan | None:
    """Return the same release with Gaussian noise; None where it has that already, or zones that hang on the data."""
    asked = plan.parameters
    if asked.noise != "integer" or plan.zones is None:
        return None
    parameters = release_parameters_from_wishes(
        epsilon=asked.epsilon,
        max_trips_per_user=asked.max_trips_per_user,
        threshold=asked.threshold,
        cells=asked.cells,
        noise="gaussian",
    )
    return release_plan_from_parameters(
        parameters, weeks=plan.weeks, zones_spec=plan.zones_spec, public_zones=plan.zones
    )


def more_with_gaussian_noise(integer: ReleaseOutlook, gaussian: ReleaseOutlook) -> bool:
    """Return whether Gaussian noise gives more for the same ε: narrower noise, no fewer trips, not mostly false."""
    return (
        gaussian.half_width < integer.half_width
        and gaussian.published_trips >= integer.published_trips
        and not gaussian.is_noise
        and not gaussian.nothing_is_published
    )
