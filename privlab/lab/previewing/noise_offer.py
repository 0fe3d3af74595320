"""When Gaussian noise, a noisy total beside it, or both are offered: for the same ε, where they give more.

The page Publish and `release --preview` come through here.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from privlab.checks import ParameterError
from privlab.datasets.zones import ZoneMap
from privlab.dp.gaussian import TOTAL_SHARE
from privlab.lab.judging import WANTED_DELTA
from privlab.lab.publishing.levels import levels_from_zone_map
from privlab.lab.publishing.publish import release_parameters_from_wishes
from privlab.od import FLOWS, VISITS
from privlab.od.expecting import ReleaseOutlook
from privlab.od.levels import Level
from privlab.od.releases import ReleasePlan, release_plan_from_parameters

GAUSSIAN, TOTAL, BOTH, LEVELS, BOUND = "gaussian", "total", "both", "levels", "bound"
_BOUNDS = (10, 20, 40, 80)  # of visits, or trips by slot, of which the best is offered
_MORE_CLOSE = 1.25  # times as many trips near the truth, from which on another limit is offered
OFFERED_LEVEL = "blocks:3"
_FEWEST_ZONES = 27  # three in each block
_LESS = 0.9  # of the error of a flow of mean size, from which on it is worth another kind of noise


@dataclass(frozen=True, slots=True, kw_only=True)
class BetterRelease:
    """A release for the same ε that gives more, and what it is expected to hold; `kind` says what is new in it."""

    kind: str
    plan: ReleasePlan
    outlook: ReleaseOutlook


def better_releases(
    plan: ReleasePlan,
    expected: ReleaseOutlook,
    outlook_of: Callable[[ReleasePlan], ReleaseOutlook | None],
    zone_map: ZoneMap | None = None,
) -> tuple[BetterRelease, ...]:
    """Return what gives more for the same ε than a release of which this is expected; `outlook_of` None: not known.

    `zone_map` says where zones lie: sums of districts are offered only with it, and only beside a total.
    """
    with_levels = None if zone_map is None else plan_with_levels_from_release_plan(plan, zone_map)
    if with_levels is not None:
        outlook = outlook_of(with_levels)
        if outlook is None or not outlook.levels_are_worth_it or expected.is_noise:
            return ()
        return (BetterRelease(kind=LEVELS, plan=with_levels, outlook=outlook),)
    if plan.product is not FLOWS and plan.parameters.noise == "gaussian":
        better = _better_bound(plan, expected, outlook_of)
        if better or plan.product is VISITS:
            return better
    found = []
    gaussian = gaussian_plan_from_release_plan(plan)
    narrower = False
    if gaussian is not None:
        outlook = outlook_of(gaussian)
        narrower = outlook is not None and more_with_gaussian_noise(expected, outlook)
        if outlook is not None and narrower:
            found.append(BetterRelease(kind=GAUSSIAN, plan=gaussian, outlook=outlook))
    with_total = plan_with_total_from_release_plan(gaussian or plan)
    outlook = None if with_total is None else outlook_of(with_total)
    if with_total is None or outlook is None or not worth_a_total(outlook):
        return tuple(found)
    if gaussian is None:
        found.append(BetterRelease(kind=TOTAL, plan=with_total, outlook=outlook))
    elif narrower or less_error_with_both(expected, outlook):
        found.append(BetterRelease(kind=BOTH, plan=with_total, outlook=outlook))
    return tuple(found)


def _better_bound(
    plan: ReleasePlan, expected: ReleaseOutlook, outlook_of: Callable[[ReleasePlan], ReleaseOutlook | None]
) -> tuple[BetterRelease, ...]:
    """Return the release with the limit that leaves most near the truth, if that is well more; flows have the page Plan for it."""
    best = None
    for bound in _BOUNDS:
        other = replace(plan.parameters, max_trips_per_user=bound)
        if other == plan.parameters:
            continue
        tried = release_plan_from_parameters(
            other, weeks=plan.weeks, zones_spec=plan.zones_spec, public_zones=plan.zones
        )
        outlook = outlook_of(tried)
        if outlook is not None and (best is None or outlook.close_trips > best.outlook.close_trips):
            best = BetterRelease(kind=BOUND, plan=tried, outlook=outlook)
    if best is None or best.outlook.is_noise:
        return ()
    more = best.outlook.share_close > max(_MORE_CLOSE * expected.share_close, expected.share_close + 0.01)
    return (best,) if more else ()


def gaussian_plan_from_release_plan(plan: ReleasePlan) -> ReleasePlan | None:
    """Return the same release with Gaussian noise; None where it has that already, or where found cells would cost δ beyond that of the noise."""
    asked = plan.parameters
    if asked.noise != "integer":
        return None
    parameters = release_parameters_from_wishes(
        epsilon=asked.epsilon,
        max_trips_per_user=asked.max_trips_per_user,
        threshold=asked.threshold,
        cells=asked.cells,
        noise="gaussian",
        product=asked.product,
    )
    found = release_plan_from_parameters(
        parameters, weeks=plan.weeks, zones_spec=plan.zones_spec, public_zones=plan.zones
    )
    return found if found.delta <= WANTED_DELTA * len(plan.weeks) * (1 + 1e-9) else None


def plan_with_total_from_release_plan(plan: ReleasePlan) -> ReleasePlan | None:
    """Return the same release with a noisy total of each week; None where it has one already or can have none."""
    asked = plan.parameters
    if asked.noise != "gaussian" or asked.clip != "l2" or asked.total_share or plan.product is VISITS:
        return None
    if plan.zones is None:  # a total is one of public cells
        return None
    return release_plan_from_parameters(
        replace(asked, total_share=TOTAL_SHARE),
        weeks=plan.weeks,
        zones_spec=plan.zones_spec,
        public_zones=plan.zones,
        levels=plan.levels,
    )


def plan_with_levels_from_release_plan(plan: ReleasePlan, zone_map: ZoneMap) -> ReleasePlan | None:
    """Return the same release with sums of 3 by 3 districts; None without a total, with levels, or where zones are few or have no places."""
    asked = plan.parameters
    levels = offered_levels(plan.zones, zone_map)
    if not asked.total_share or asked.levels or not levels:
        return None
    try:
        return release_plan_from_parameters(
            replace(asked, levels=1),
            weeks=plan.weeks,
            zones_spec=plan.zones_spec,
            public_zones=plan.zones,
            levels=levels,
        )
    except ParameterError:  # too many weeks
        return None


def offered_levels(zones: Sequence[Any] | None, zone_map: ZoneMap) -> tuple[Level, ...]:
    """Return the districts, 3 by 3, that sums are offered of; none where zones are few, known from the data only, or without places."""
    if zones is None or len(zones) < _FEWEST_ZONES:
        return ()
    try:
        return levels_from_zone_map([OFFERED_LEVEL], zones, zone_map)
    except ParameterError:  # a zone without a position
        return ()


def worth_a_total(with_total: ReleaseOutlook) -> bool:
    """Return whether a total gives back more than it may be off: less than half of what the limit takes away.

    What it gives back is the total less the sum of all noisy counts: of many cells the noise of that sum is the larger.
    """
    if (
        with_total.given_back_half_width is None
        or not with_total.true_trips
        or with_total.nothing_is_published
    ):
        return False
    off = with_total.given_back_half_width * with_total.n_weeks / with_total.true_trips
    return not with_total.is_noise and off < with_total.share_taken / 2


def more_with_gaussian_noise(integer: ReleaseOutlook, gaussian: ReleaseOutlook) -> bool:
    """Return whether Gaussian noise gives more for the same ε: narrower noise, no fewer trips, not mostly false."""
    return (
        gaussian.half_width < integer.half_width
        and gaussian.published_trips >= integer.published_trips
        and not gaussian.is_noise
        and not gaussian.nothing_is_published
    )


def less_error_with_both(integer: ReleaseOutlook, with_total: ReleaseOutlook) -> bool:
    """Return whether a flow of mean size is nearer the truth with Gaussian noise and a total, though the noise is wider.

    Integer noise is off by its half width and by what the limit takes; with a total the half width grows by what is
    given back.
    """
    size = integer.true_trips / max(integer.n_true_flows, 1)
    before = math.hypot(integer.half_width, integer.share_taken * size)
    return with_total.half_width / max(1 - with_total.share_taken, 1e-9) < _LESS * before
