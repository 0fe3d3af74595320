"""A file, read in a settled form → what a secure release may count of it. The only way from a file to a release.

The page Publish and the command `release` come through here.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privlab.checks import DataError
from privlab.datasets import Dataset, PeopleDigests, people_digests_from_dataset
from privlab.datasets.cleaning import question_of_renewed_ids
from privlab.datasets.engines import Workspace
from privlab.datasets.layouts import FileForm
from privlab.dp.gaussian import TOTAL_SHARE
from privlab.lab.judging.refusals import WANTED_DELTA, Accepted, require_no_refusal
from privlab.lab.judging.verdict import Verdict, verdict_from_release
from privlab.lab.publishing.publisher_words import NOTHING_SAID, PublisherWords
from privlab.lab.publishing.release_data import (
    Reads,
    ReleaseData,
    SettledData,
    has_changed,
    people_of_release_data,
    settled_data_from_release_data,
    settled_trips_from_release_data,
)
from privlab.lab.publishing.settled_plan import require_settled_zones
from privlab.od import FLOWS
from privlab.od.expecting import (
    ReleaseOutlook,
    release_outlook_from_settled_counts,
    release_outlook_from_trips,
)
from privlab.od.releases import (
    ReleasePlan,
    SecureRelease,
    SecureReleaseParameters,
    secure_release_from_settled_counts,
    secure_release_from_settled_trips,
)
from privlab.od.settled import SettledCells
from privlab.progress import UNHEARD, Progress
from privlab.releases.accounts import AccountWish, LedgerEntry
from privlab.releases.ledger import Ledger
from privlab.releases.writing import write_release

if TYPE_CHECKING:
    from privlab.datasets.engines import SparkWorkspace


def release_parameters_from_wishes(
    *,
    epsilon: float,
    max_trips_per_user: int,
    threshold: int,
    cells: str,
    noise: str = "integer",
    clip: str | None = None,
    delta: float | None = None,
    unbiased: bool = False,
    product: str = FLOWS.name,
    levels: int = 0,
) -> SecureReleaseParameters:
    """Return the parameters of a release; Gaussian noise has an L2 clip and δ = 10⁻⁶ where nothing else is said.

    An unbiased one spends TOTAL_SHARE of the squared norm on a noisy total.
    """
    gaussian = noise == "gaussian"
    return SecureReleaseParameters(
        epsilon=epsilon,
        max_trips_per_user=max_trips_per_user,
        threshold=threshold,
        cells=cells,
        noise=noise,
        clip=clip or ("l2" if gaussian else "keep"),
        delta=delta if delta is not None else WANTED_DELTA if gaussian else 0.0,
        total_share=TOTAL_SHARE if unbiased else 0.0,
        product=product,
        levels=levels,
    )


def form_with_ids(form: FileForm, ids: str | None) -> FileForm:
    """Return a form with the kind of zone ids that was named; one that has no zone ids stays."""
    return form if form.ids is None else replace(form, ids=ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRelease:
    """A release that was handed over: its ledger entry and certificate, and what was expected of it.

    `outlook` is a figure of true data, and `question` one about the data's ids, both for the steward alone; `digest` names
    the data in the ledger.
    """

    entry: LedgerEntry
    certificate: dict[str, Any]
    verdict: Verdict
    outlook: ReleaseOutlook
    digest: str
    question: str | None = None


def n_users_of(trips: SettledCells) -> int:
    """Return the number of users in the file, or where that is not known, of those with a trip in the weeks."""
    return int(np.unique(trips.user).size) if trips.n_users is None else trips.n_users


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountableData:
    """Data that was read for a release, and what can be made of it: its outlook, and the release itself by `drawn`.

    `digest` names the data in the ledger, `earlier_digest` in older ones; `n_users` are those of the file; `people` are
    digests of them, None where they were not asked for; `question` is as in SettledData, None on a cluster.
    """

    digest: str
    earlier_digest: str
    n_users: int
    outlook: ReleaseOutlook
    drawn: Callable[[], SecureRelease]
    people: PeopleDigests | None = None
    question: str | None = None


def countable_from_release_data(
    data: ReleaseData,
    plan: ReleasePlan,
    cluster: "SparkWorkspace | None",
    *,
    approve: Callable[[CountableData], None] = lambda found: None,
    people_key: Callable[[], str] | None = None,
    progress: Progress = UNHEARD,
) -> CountableData:
    """Return data read, and ready to be counted and released, on this machine or on a cluster. Raises as publish_release does.

    `approve` is asked once it is read, and may raise; then people are looked up with a ledger's `people_key`.
    """
    if cluster is not None:
        from privlab.lab.publishing.publish_on_cluster import settled_counts_from_release_data

        counts, read = settled_counts_from_release_data(data, plan, cluster, progress=progress)
        found = CountableData(
            digest=read.source_digest,
            earlier_digest=read.earlier_digest,
            n_users=counts.n_users,
            outlook=release_outlook_from_settled_counts(counts, plan),
            drawn=lambda: secure_release_from_settled_counts(counts, plan),
        )
        return _with_people(found, read, approve, people_key)
    with Workspace() as workspace:
        trips, read = settled_trips_from_release_data(
            data, workspace, weeks=plan.weeks, product=plan.product.name, public=plan.zones, progress=progress
        )
        settled = SettledData(
            trips=trips,
            digest=read.source_digest,
            earlier_digest=read.earlier_digest,
            people=None,
            question=question_of_renewed_ids(read),
        )
        return _with_people(_countable(settled, plan), read, approve, people_key)


def _countable_apart(
    data: ReleaseData,
    plan: ReleasePlan,
    ledger: Ledger,
    *,
    reads: Reads,
    approve: Callable[[CountableData], None],
    progress: Progress,
) -> CountableData:
    """Return the same of a file that is read elsewhere, which neither knows the ledger nor can begin one."""
    known = ledger.keys().people_key() if ledger.is_there else None
    settled = reads(settled_data_from_release_data, data, plan, known)(progress)
    found = _countable(settled, plan)
    approve(found)
    if known is not None:
        return found
    # The first release of a ledger: its key is made now, and the file read once more.
    people = reads(people_of_release_data, data, ledger.people_key(), found.digest)(UNHEARD)
    return replace(found, people=people)


def _countable(settled: SettledData, plan: ReleasePlan) -> CountableData:
    return CountableData(
        digest=settled.digest,
        earlier_digest=settled.earlier_digest,
        n_users=n_users_of(settled.trips),
        outlook=release_outlook_from_trips(settled.trips, plan),
        drawn=lambda: secure_release_from_settled_trips(settled.trips, plan),
        people=settled.people,
        question=settled.question,
    )


def _with_people(
    found: CountableData,
    read: Dataset,
    approve: Callable[[CountableData], None],
    people_key: Callable[[], str] | None,
) -> CountableData:
    """Return data that was approved with the digests of its people, which are worked out where the rows are."""
    approve(found)
    return (
        found
        if people_key is None
        else replace(found, people=people_digests_from_dataset(read, people_key()))
    )


def publish_release(
    folder: Path,
    ledger: Ledger,
    *,
    data: ReleaseData,
    plan: ReleasePlan,
    accepted: Accepted,
    said: PublisherWords = NOTHING_SAID,
    expected_digest: str | None = None,
    who: str | None = None,
    wish: AccountWish | None = None,
    n_seen: int | None = None,
    cluster: "SparkWorkspace | None" = None,
    reads: Reads | None = None,
    progress: Progress = UNHEARD,
) -> PublishedRelease:
    """Read the data, ask whether the release must not happen by one click, and make it.

    `said` is what the publisher says of themselves and the data, for the certificate.
    `expected_digest` is that of the data as it was seen before, `who` is noted in the ledger, `wish` is what the steward
    says of the account, `n_seen` how many entries it held when they agreed to the cost. `cluster` is where the data is
    read, bounded and counted, None this machine; noise, certificate and
    ledger are always made here; `reads`, where given, has the file read in a process of its own, which may end at any time:
    nothing is charged before. The other parameters are as in settled_trips_from_release_data and write_release.

    Raises
    ------
    ReleaseRefused
        If it promises nothing or is made up, and the steward has not said otherwise; nothing is charged.
    ParameterError
        If the plan has other zones than the data is read in.
    DataError
        If the file cannot be read, has changed since it was seen, or the folder cannot be written.
    BudgetExceeded
        If the budget does not suffice.
    AccountRefused
        If the data or its people are in another account than wished, or more was charged to it since it was seen.
    """

    def approve(found: CountableData) -> None:
        if expected_digest not in (None, found.digest):
            raise DataError(has_changed(data))
        require_no_refusal(plan, found.outlook, n_users=found.n_users, accepted=accepted)
        progress.tell(0.65, "Looking for the account of these people")

    require_settled_zones(plan, data)
    first = progress.part(0.0, 0.65)
    if reads is not None and cluster is None:
        read = _countable_apart(data, plan, ledger, reads=reads, approve=approve, progress=first)
    else:
        read = countable_from_release_data(
            data, plan, cluster, approve=approve, people_key=ledger.people_key, progress=first
        )
    progress.tell(0.7, "Writing the cost into the ledger")

    def drawn() -> SecureRelease:
        progress.tell(0.75, "Drawing the noise")
        return read.drawn()

    entry, certificate = write_release(
        folder,
        ledger,
        digest=read.digest,
        earlier_digest=read.earlier_digest,
        plan=plan,
        release=drawn,
        accepted=accepted.as_record(),
        said=said.as_record(),
        who=who,
        people=read.people,
        wish=wish,
        n_seen=n_seen,
    )
    verdict = verdict_from_release(plan, accepted)
    return PublishedRelease(
        entry=entry,
        certificate=certificate,
        verdict=verdict,
        outlook=read.outlook,
        digest=read.digest,
        question=read.question,
    )
