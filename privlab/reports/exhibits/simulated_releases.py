"""A part of a report → the release that it simulates: noise as set, or the mechanism that a plan has taken, and its promise."""

from privlab.checks import require_between
from privlab.defaults import USUAL_DELTA
from privlab.dp.gaussian import GaussianParameters
from privlab.dp.noise import CELLS
from privlab.dp.promise import (
    Guarantee,
    GuaranteeParameters,
    guarantee_from_gaussian_parameters,
    guarantee_from_parameters,
)
from privlab.od import UniqueTrips
from privlab.od.comparing import StepRequest, simulated_step_from_unique_trips
from privlab.od.simulating import ReleaseReview, release_review_from_prepared_trips
from privlab.od.trips import PreparedTrips
from privlab.od.weighing import TODAY
from privlab.reports.report_plan import View

PLANNED_DELTA = USUAL_DELTA  # beside ε of a week with Gaussian noise, as a plan has it


def request_of_mechanism(view: View) -> StepRequest | None:
    """Return the mechanism that a part is about, with ε, limit and threshold; None for noise as set.

    Raises ParameterError where it cannot be one, as without a limit.
    """
    cells = str(view.option("cells", "public"))
    name, bound = view.option("mechanism"), view.release.max_trips_per_user
    if name is None and cells == "discovered":
        name = TODAY  # the noise on flows found in the data, as a release has it: whole numbers
    if name is None or bound is None:
        return None
    return StepRequest(
        name=str(name),
        epsilon=view.release.epsilon,
        delta=PLANNED_DELTA,
        max_trips_per_user=bound,
        threshold=max(view.release.threshold, int(cells == "discovered")),
        cells=cells,
    )


def gaussian_promise(view: View, weeks: int = 1) -> GaussianParameters | None:
    """Return what a part's mechanism promises over so many weeks; None for noise as set."""
    request = request_of_mechanism(view)
    promise = None if request is None else request.parameters.guarantee_parameters(weeks)
    return promise if isinstance(promise, GaussianParameters) else None


def promise_of_view(view: View) -> Guarantee:
    """Return what a part's release promises over all its weeks, with noise as set or of its mechanism."""
    weeks = view.option("weekly_releases", 1)
    promise = gaussian_promise(view, weeks)
    if promise is not None:
        return guarantee_from_gaussian_parameters(promise)
    return guarantee_from_parameters(
        GuaranteeParameters(
            epsilon=view.release.epsilon,
            max_trips_per_user=view.release.max_trips_per_user,
            weeks=weeks,
            threshold=view.release.threshold,
            cells=str(view.option("cells", CELLS[0])),
            noise=view.release.noise,
        )
    )


def delta_of_view(view: View) -> float:
    """Return δ of the promise to a person: as it is said, and, of no release that was made, no less than what follows."""
    said = require_between("option delta", view.number("delta", 0.0), 0, 1)
    user = None if view.option("of_release") is not None else promise_of_view(view).user
    return said if user is None else max(said, user.delta)


def simulated_review(prepared: PreparedTrips, view: View, week: str) -> ReleaseReview:
    """Return one draw of a part's release, beside the truth."""
    request, where = request_of_mechanism(view), prepared.zone_map
    if request is None or not isinstance(prepared.trips, UniqueTrips):
        return release_review_from_prepared_trips(
            prepared, view.release, week=week, group_size=view.group_size, seed=view.seed
        )
    return simulated_step_from_unique_trips(
        prepared.trips,
        request,
        week=week,
        group_size=view.group_size,
        lat=where.lat,
        lon=where.lon,
        seed=view.seed,
    ).review
