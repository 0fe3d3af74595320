"""Unique trips + release parameters → the exact risk of every single person in the loaded data.

The attacker knows all other records and the flows a person is counted in, sees what is published and
what is suppressed, and says whether the person is in the data (docs/privacy.md). Figures of true data.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import scipy.special

from privlab.checks import BoundViolation, DataError, ParameterError, require_choice, require_whole
from privlab.dp.attack import (
    accuracies_from_suppressed_cells,
    accuracy_from_composed_cells,
    accuracy_from_one_cell,
    delta_from_composed_cells,
)
from privlab.dp.certainty import claimed_bound
from privlab.dp.noise import CELLS, noise_tail
from privlab.od.matrix import (
    Ints,
    UniqueTrips,
    cells_and_counts,
    kept_under_bound,
    n_users_of_group,
    week_slice,
)
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.od.trips.flow_counts import FlowCounts

if TYPE_CHECKING:
    from privlab.od.trips.trip_tables import TripTables

Floats = npt.NDArray[np.float64]

_EXACT = 1e-6  # the exact accuracy is computed at least this well

NO_RISK_WITHOUT_USERS = (
    "The file does not say whose trips it counts, so that no risk per person can be computed. "
    "Is there a file of records or trips with a user in each row?"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedTrips:
    """The trips that are counted in weekly releases: all people asked for, all flows they are counted in.

    `users` (n,) are positions in the data's users, in the random order of sampling. Person i has the
    cells `flow[starts[i]:starts[i + 1]]`, each in the release of `week` (a position in the weeks asked
    for) and with `others` people besides.
    """

    users: Ints
    starts: Ints
    week: Ints
    flow: Ints
    others: Ints


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PersonRisks:
    """The optimal accuracy against each person asked for, in the random order of sampling, shape (n,).

    The attacker puts the releases of all `weeks` together. `n_trips` are the person's counted unique trips,
    `n_exposed` those whose flow reaches the threshold without noise, `user_level_bound` what composition
    proves. `n_users` people are in the release. With `cells` "discovered" only flows with a counted trip get noise:
    whoever is alone in one shows by its being published, and the accuracy is one from above (docs/science.md, section 2.6).
    """

    parameters: ReleaseParameters
    weeks: tuple[str, ...]
    n_users: int
    counted: CountedTrips
    accuracy: Floats
    user_level_bound: Floats
    n_trips: Ints
    n_exposed: Ints
    cells: str = "public"

    @property
    def claimed_bound(self) -> float:
        """The certainty that the publisher's ε is said to allow."""
        return claimed_bound(self.parameters.epsilon)

    @property
    def share_above_claim(self) -> float:
        """Share of these people who are recognised more often than the claimed bound."""
        return float(np.mean(self.accuracy > self.claimed_bound + _EXACT))

    @property
    def n_alone(self) -> int:
        """How many of these people are alone in a flow that gets noise for them only."""
        return 0 if self.cells == "public" else int(np.sum(_n_lone(self.counted) > 0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exposure:
    """One person's counted flows, the telling ones first, shape (k,): `alone` is the accuracy of one flow.

    `week` are positions in the weeks of the risks.
    """

    person: int
    accuracy: float
    week: Ints
    flow: Ints
    others: Ints
    alone: Floats


def person_risks_from_unique_trips(
    trips: UniqueTrips | FlowCounts,
    parameters: ReleaseParameters,
    *,
    weeks: Sequence[str],
    group_size: int | None = None,
    n_people: int | None = None,
    counted: CountedTrips | None = None,
    cells: str = "public",
) -> PersonRisks:
    """Return the exact accuracy of the best attack on each person, suppression included.

    Parameters
    ----------
    trips : UniqueTrips
        Counts that name nobody are refused.
    parameters : ReleaseParameters
        How the counts are to be published; a bound L counts at most L of each person's trips.
    weeks : sequence of str
        Mondays of the weeks that are released, of `trips.weeks`; someone in several adds up.
    group_size : int, optional
        Users in the aggregate: the first so many of the random order. Default all.
    n_people : int, optional
        How many of them to judge: the first so many of the same order. Default all.
    counted : CountedTrips, optional
        Their trips, where they were counted before: every noise and threshold leaves them as they are.
    cells : str
        "public": all possible flows get noise. "discovered": only those with a counted trip.

    Raises
    ------
    DataError
        If the data names no users.
    BoundViolation
        If an accuracy exceeds what composition proves: a fault in this program.
    """
    if isinstance(trips, FlowCounts):
        raise DataError(NO_RISK_WITHOUT_USERS)
    if counted is None:
        counted = counted_trips_from_unique_trips(
            trips, weeks=weeks, group_size=group_size, n_people=n_people, bound=parameters.max_trips_per_user
        )
    return _risks_of(counted, parameters, weeks, n_users_of_group(trips, group_size), cells)


def person_risks_from_trip_tables(
    tables: "TripTables",
    parameters: ReleaseParameters,
    *,
    weeks: Sequence[str],
    group_size: int | None = None,
    n_people: int,
    seed: int,
    cells: str = "public",
) -> PersonRisks:
    """Return the same of trips that stay where they are stored, as on a cluster.

    Which flows they are does not come from there: in `counted` all are −1, and `users` are positions in the random order.
    """
    from privlab.od.trips.tables_counted import Asked, others_of_people

    asked = Asked(tables=tables, weeks=tuple(weeks), group_size=group_size, seed=seed)
    person, week, others = others_of_people(asked, n_people, parameters.max_trips_per_user)
    people = np.arange(min(n_people, asked.n_users) + 1)
    counted = CountedTrips(
        users=people[:-1],
        starts=np.searchsorted(person, people),
        week=week,
        flow=np.full(person.size, -1),
        others=others,
    )
    return _risks_of(counted, parameters, weeks, asked.n_users, cells)


def _risks_of(
    counted: CountedTrips, parameters: ReleaseParameters, weeks: Sequence[str], n_users: int, cells: str
) -> PersonRisks:
    require_choice("cells", cells, CELLS)
    n_trips = np.diff(counted.starts)
    accuracy, bound = (
        _accuracies(counted, parameters) if cells == "public" else _where_alone_shows(counted, parameters)
    )
    if (accuracy > bound + _EXACT).any():
        worst = int(np.argmax(accuracy - bound))
        raise BoundViolation(
            f"exact attack: accuracy {accuracy[worst]:.6f} above the bound {bound[worst]:.6f}."
        )
    exposed = np.concatenate([[0], np.cumsum(counted.others >= parameters.threshold)])
    return PersonRisks(
        parameters=parameters,
        weeks=tuple(weeks),
        n_users=n_users,
        counted=counted,
        accuracy=accuracy,
        user_level_bound=bound,
        n_trips=n_trips,
        n_exposed=np.diff(exposed[counted.starts]),
        cells=cells,
    )


def _accuracies(counted: CountedTrips, parameters: ReleaseParameters) -> tuple[Floats, Floats]:
    """Return the accuracy against each person where all possible flows get noise, and what composition proves of it."""
    per_cell = parameters.mechanism.epsilon_per_cell
    accuracy = accuracies_from_suppressed_cells(
        parameters.noise, per_cell, parameters.threshold, counted.others, counted.starts
    )
    return accuracy, np.asarray(scipy.special.expit(per_cell * np.diff(counted.starts)))


def _where_alone_shows(counted: CountedTrips, parameters: ReleaseParameters) -> tuple[Floats, Floats]:
    """Return the same where only flows with a counted trip get noise: accuracy and proven bound, both from above.

    A flow that one person alone is in is published with the chance s = P(1 + noise ≥ threshold), and never without that person. None of
    j such flows is with q = (1 − s)^j; what the person's other flows tell then is taken as if all were published (of integer noise), or
    at its worst under suppression, whichever is less: 1 − q + q·min(δ(−ln q), δ of what is suppressed).
    """
    lone, n_lone = counted.others == 0, _n_lone(counted)
    n_others = np.diff(counted.starts) - n_lone
    shared = replace(
        counted,
        starts=np.concatenate([[0], np.cumsum(n_others)]),
        week=counted.week[~lone],
        flow=counted.flow[~lone],
        others=counted.others[~lone],
    )
    hidden, proven = _accuracies(shared, parameters)
    unseen = _chance_unseen(parameters) ** n_lone
    told = 2 * hidden - 1
    if parameters.noise == "integer":  # of real noise it takes seconds to work out
        per_cell = parameters.mechanism.epsilon_per_cell
        alone = n_lone > 0
        kinds, place = np.unique(np.stack([n_lone, n_others])[:, alone], axis=1, return_inverse=True)
        of_kind = [
            _told_unseen(parameters.noise, per_cell, _chance_unseen(parameters) ** j, n)
            for j, n in kinds.T.tolist()
        ]
        told[alone] = np.minimum(told[alone], np.array(of_kind)[place.reshape(-1)])
    return 0.5 + (1 - unseen + unseen * told) / 2, 1 - unseen + unseen * proven


def _n_lone(counted: CountedTrips) -> Ints:
    """Return in how many of their flows people are alone."""
    found: Ints = np.diff(np.concatenate([[0], np.cumsum(counted.others == 0)])[counted.starts])
    return found


def _chance_unseen(parameters: ReleaseParameters) -> float:
    """Return how often a flow of one person alone is not published."""
    if parameters.threshold <= 0:
        return 0.0
    tail = noise_tail(parameters.noise, parameters.mechanism.scale, np.asarray(parameters.threshold - 1.0))
    return 1.0 - float(np.asarray(tail))


def _told_unseen(noise: str, per_cell: float, unseen: float, n_cells: int) -> float:
    """Return δ(−ln q) of so many published cells, 0 where a lone flow is always seen."""
    if not n_cells or unseen <= 0:
        return 0.0
    return delta_from_composed_cells(noise, per_cell, n_cells, -math.log(unseen))


def accuracy_of_one_flow(risks: PersonRisks, others: Ints) -> Floats:
    """Return what each flow with so many others gives away on its own, shape as `others`."""
    release = risks.parameters
    alone = accuracy_from_one_cell(
        release.noise, release.mechanism.epsilon_per_cell, release.threshold, others
    )
    if risks.cells == "public":
        return alone
    return np.where(others == 0, 1 - _chance_unseen(release) / 2, alone)


def risks_with_all_published(risks: PersonRisks) -> PersonRisks:
    """Return the same people's risks where no count of theirs is left out, integer noise: no threshold can make them larger.

    So they are judged where sums over all noisy counts are published too, as a certificate holds them.
    """
    per_cell = risks.parameters.mechanism.epsilon_per_cell
    sizes, place = np.unique(risks.n_trips, return_inverse=True)
    of_size = [accuracy_from_composed_cells("integer", per_cell, size) for size in sizes.tolist()]
    accuracy = np.asarray(of_size, dtype=np.float64)[place]
    return replace(risks, accuracy=np.maximum(accuracy, risks.accuracy), n_exposed=risks.n_trips)


def counted_trips_from_unique_trips(
    trips: UniqueTrips,
    *,
    weeks: Sequence[str],
    group_size: int | None,
    n_people: int | None,
    bound: int | None,
) -> CountedTrips:
    """Return which flows each person is counted in under a bound, and how many others are."""
    n_users = n_users_of_group(trips, group_size)
    asked = n_users if n_people is None else min(require_whole("users", n_people, 1, 10**12), n_users)
    if not weeks or len(set(weeks)) != len(weeks):
        raise ParameterError(f"weeks must be named, each once, got {list(weeks)}.")
    parts = [_counted_in_week(trips, week, n_users, asked, bound) for week in weeks]
    rank, flow, others = (np.concatenate([part[i] for part in parts]) for i in range(3))
    week = np.repeat(np.arange(len(parts)), [part[0].size for part in parts])
    order = np.lexsort((flow, week, rank))
    people = np.empty(trips.n_users, dtype=np.int64)
    people[trips.user_rank] = np.arange(trips.n_users)
    return CountedTrips(
        users=people[:asked],
        starts=np.searchsorted(rank[order], np.arange(asked + 1)),
        week=week[order],
        flow=flow[order],
        others=others[order],
    )


def _counted_in_week(
    trips: UniqueTrips, week: str, n_users: int, asked: int, bound: int | None
) -> tuple[Ints, Ints, Ints]:
    """Return rank of the person, flow and others of every counted trip of the people asked for."""
    part = week_slice(trips, week)
    rank, flow = trips.user_rank[trips.user[part]], trips.flow[part]
    keep = rank < n_users
    if bound is not None:
        keep &= kept_under_bound(trips.trip_rank[part], bound)
    rank, flow = rank[keep], flow[keep]
    cells, count = cells_and_counts(flow, trips.zones.size**2)
    mine = rank < asked
    others = count[np.searchsorted(cells, flow[mine])] - 1
    return rank[mine].astype(np.int64), flow[mine], others


def exposures_from_person_risks(risks: PersonRisks, n_most: int = 10) -> list[Exposure]:
    """Return the most exposed people and what each of their flows gives away on its own."""
    counted = risks.counted
    order = np.argsort(-risks.accuracy, kind="stable")[: require_whole("n_most", n_most, 0, 10**6)]
    found = []
    for person in order:
        part = slice(int(counted.starts[person]), int(counted.starts[person + 1]))
        alone = accuracy_of_one_flow(risks, counted.others[part])
        first = np.lexsort((counted.others[part], -alone))
        found.append(
            Exposure(
                person=int(person),
                accuracy=float(risks.accuracy[person]),
                week=counted.week[part][first],
                flow=counted.flow[part][first],
                others=counted.others[part][first],
                alone=alone[first],
            )
        )
    return found
