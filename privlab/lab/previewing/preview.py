"""A file and the plan of a release → what it can be expected to hold, whether it would be refused, and what would serve better.

Reads the file exactly as the release itself does, and draws no noise: nothing is charged. Figures of true data.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from privlab.datasets import PeopleDigests
from privlab.datasets.zones import ZoneMap
from privlab.figures.wording import (
    both_in_words,
    bound_offer_in_words,
    gaussian_noise_in_words,
    levels_offer_in_words,
    total_offer_in_words,
)
from privlab.lab.judging.refusals import Accepted, Refusal, refusals_of_release
from privlab.lab.judging.verdict import Verdict, verdict_from_release
from privlab.lab.previewing.noise_offer import (
    BOTH,
    BOUND,
    GAUSSIAN,
    LEVELS,
    OFFERED_LEVEL,
    TOTAL,
    BetterRelease,
    better_releases,
)
from privlab.lab.publishing.publish import countable_from_release_data, n_users_of
from privlab.lab.publishing.release_data import ReleaseData, settled_data_from_release_data, settled_zoning
from privlab.lab.publishing.settled_plan import require_settled_zones
from privlab.od.expecting import ReleaseOutlook, release_outlook_from_trips
from privlab.od.releases import ReleasePlan
from privlab.od.settled import SettledCells
from privlab.progress import UNHEARD, Progress

if TYPE_CHECKING:
    from privlab.datasets.engines import SparkWorkspace

_OPTIONS = {
    GAUSSIAN: "--noise gaussian",
    TOTAL: "--unbiased",
    BOTH: "--noise gaussian --unbiased",
    LEVELS: f"--levels {OFFERED_LEVEL}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseOffer:
    """A release for the same ε that gives more: the options that make it, and what it gives, in words."""

    options: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasePreview:
    """A release that was not made: what is expected of it, why it would be refused, and what would give more.

    `digest` names the data in the ledger, `earlier_digest` in an older one; `people` are those in the data, as far as
    they were asked for; `question` is what the steward is to be asked of the data's ids.
    """

    outlook: ReleaseOutlook
    refusals: tuple[Refusal, ...]
    verdict: Verdict
    offers: tuple[ReleaseOffer, ...]
    digest: str
    earlier_digest: str
    people: PeopleDigests | None
    question: str | None


def preview_from_release_data(
    data: ReleaseData,
    plan: ReleasePlan,
    *,
    accepted: Accepted,
    people_key: str | None = None,
    cluster: "SparkWorkspace | None" = None,
    progress: Progress = UNHEARD,
) -> ReleasePreview:
    """Return what a release of this data would be; with a ledger's `people_key` also by whom the ledger knows it.

    Of data on a `cluster` no better release is offered: it would have to be counted once more for each. Raises as
    publish_release does.
    """
    require_settled_zones(plan, data)
    if cluster is not None:
        known = None if people_key is None else (lambda: people_key)
        there = countable_from_release_data(data, plan, cluster, people_key=known, progress=progress)
        return ReleasePreview(
            outlook=there.outlook,
            refusals=refusals_of_release(plan, there.outlook, n_users=there.n_users, accepted=accepted),
            verdict=verdict_from_release(plan, accepted),
            offers=(),
            digest=there.digest,
            earlier_digest=there.earlier_digest,
            people=there.people,
            question=there.question,
        )
    settled = settled_data_from_release_data(data, plan, people_key, progress=progress)
    trips = settled.trips
    outlook = release_outlook_from_trips(trips, plan)
    zone_map = settled_zoning(data).zone_map(list(plan.zones)) if plan.zones else None
    return ReleasePreview(
        outlook=outlook,
        refusals=refusals_of_release(plan, outlook, n_users=n_users_of(trips), accepted=accepted),
        verdict=verdict_from_release(plan, accepted),
        offers=_offers(trips, plan, outlook, zone_map),
        digest=settled.digest,
        earlier_digest=settled.earlier_digest,
        people=settled.people,
        question=settled.question,
    )


def _offers(
    trips: SettledCells, plan: ReleasePlan, expected: ReleaseOutlook, zone_map: ZoneMap | None
) -> tuple[ReleaseOffer, ...]:
    better = better_releases(plan, expected, lambda other: release_outlook_from_trips(trips, other), zone_map)
    return tuple(ReleaseOffer(options=_options(one), says=offer_in_words(expected, one)) for one in better)


def _options(one: BetterRelease) -> str:
    if one.kind == BOUND:
        return f"--max-trips-per-user {one.plan.parameters.max_trips_per_user}"
    return _OPTIONS[one.kind]


def offer_in_words(expected: ReleaseOutlook, better: BetterRelease) -> str:
    """Return what another release for the same ε would give, beside the one of which this is expected."""
    if better.kind == BOUND:
        return bound_offer_in_words(expected, better.outlook, better.plan.parameters.max_trips_per_user)
    if better.kind == GAUSSIAN:
        return gaussian_noise_in_words(expected, better.outlook, better.plan.delta)
    if better.kind == TOTAL:
        return total_offer_in_words(better.outlook)
    if better.kind == LEVELS:
        return levels_offer_in_words(better.outlook)
    return both_in_words(expected, better.outlook, better.plan.delta)
