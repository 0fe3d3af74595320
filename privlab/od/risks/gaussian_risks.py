"""Unique trips + a release with discrete Gaussian noise → the risk of each person, at most: suppression only lowers it.

The law of the noise is that of docs/science.md, section 5.1. Figures of true data.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from privlab.checks import DataError
from privlab.dp.certainty import claimed_bound
from privlab.dp.gaussian import (
    GaussianParameters,
    accuracy_at_most,
    accuracy_of_contribution,
    contribution_of_trips,
)
from privlab.od.matrix import UniqueTrips, unique_trips_per_user
from privlab.od.risks.person_risks import NO_RISK_WITHOUT_USERS, counted_trips_from_unique_trips
from privlab.od.trips.flow_counts import FlowCounts

if TYPE_CHECKING:
    from privlab.od.trips.trip_tables import TripTables

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GaussianRisks:
    """The accuracy of the best attack on each person judged where no flow of theirs is suppressed, shape (n,).

    `n_trips` are the person's counted unique trips in all `weeks`, `n_users` people are in the release. Where noise goes to flows found in
    the data alone, `n_alone` of them are alone in one, which shows them wherever it is published: theirs is that of the worst placed.
    """

    parameters: GaussianParameters
    weeks: tuple[str, ...]
    n_users: int
    accuracy: Floats
    n_trips: Ints
    n_alone: int = 0

    @property
    def claimed_bound(self) -> float:
        """The certainty that the publisher's ε, that of a week, is said to allow, as for other noise."""
        return claimed_bound(self.parameters.epsilon)

    @property
    def share_above_claim(self) -> float:
        """Share of these people who are recognised more often than the claimed bound."""
        return float(np.mean(self.accuracy > self.claimed_bound + 1e-9))


def gaussian_risks_from_unique_trips(
    trips: UniqueTrips | FlowCounts,
    parameters: GaussianParameters,
    *,
    weeks: Sequence[str],
    n_people: int | None = None,
) -> GaussianRisks:
    """Return the risk of the first `n_people` of the random order of sampling, of everybody by default.

    Someone with T trips in a week moves T cells by the weight of T each; what they add over the weeks adds up in
    squares, and so does what they add to a noisy total. The attacker knows all else and the cells. Raises DataError if the data names no users.
    """
    if isinstance(trips, FlowCounts):
        raise DataError(NO_RISK_WITHOUT_USERS)
    judged = trips.user_rank < (trips.n_users if n_people is None else n_people)
    n_trips = np.stack([unique_trips_per_user(trips, week=week)[judged] for week in weeks], axis=1)
    risks = _risks_of(n_trips, parameters, weeks, trips.n_users)
    if parameters.cells == "public":
        return risks
    counted = counted_trips_from_unique_trips(
        trips, weeks=weeks, group_size=None, n_people=n_people, bound=_bound_of(parameters)
    )
    alone = np.zeros(trips.n_users, dtype=bool)
    owner = np.repeat(np.arange(counted.users.size), np.diff(counted.starts))
    alone[counted.users[owner[counted.others == 0]]] = True
    return _with_those_alone(risks, alone[judged])


def gaussian_risks_from_trip_tables(
    tables: "TripTables", parameters: GaussianParameters, *, weeks: Sequence[str], n_people: int, seed: int
) -> GaussianRisks:
    """Return the same of trips that stay where they are stored, as on a cluster."""
    from privlab.od.trips.tables_counted import (
        Asked,
        others_of_people,
        places_of_people,
        weekly_trips_of_people,
    )

    asked = Asked(tables=tables, weeks=tuple(weeks), group_size=None, seed=seed)
    risks = _risks_of(weekly_trips_of_people(asked, n_people), parameters, weeks, asked.n_users)
    if parameters.cells == "public":
        return risks
    person, _, others = others_of_people(asked, n_people, _bound_of(parameters))
    alone = np.zeros(risks.accuracy.size, dtype=bool)
    alone[places_of_people(asked, n_people)[person[others == 0]]] = True
    return _with_those_alone(risks, alone)


def _bound_of(parameters: GaussianParameters) -> int | None:
    """Return how many trips of a person count; None where all do, with less weight each."""
    return parameters.max_trips_per_user if parameters.clip == "keep" else None


def _with_those_alone(risks: GaussianRisks, alone: npt.NDArray[np.bool_]) -> GaussianRisks:
    """Return risks with those of the worst placed in all weeks judged for whoever is alone in a flow found in the data: from above."""
    all_weeks = replace(risks.parameters, weeks=len(risks.weeks))
    worst = accuracy_at_most(all_weeks, sigma=risks.parameters.sigma)
    accuracy = np.where(alone, np.maximum(risks.accuracy, worst), risks.accuracy)
    return replace(risks, accuracy=accuracy, n_alone=int(alone.sum()))


def _risks_of(
    n_trips: Ints, parameters: GaussianParameters, weeks: Sequence[str], n_users: int
) -> GaussianRisks:
    """Return the risks of people with so many unique trips, shape (n, W)."""
    square = np.zeros(n_trips.shape[0], dtype=np.int64)
    divisor, counted = np.zeros_like(square), np.zeros_like(square)
    for of_week in np.minimum(n_trips, parameters.most_trips).T:
        added, common = contribution_of_trips(parameters, np.maximum(of_week, 1))
        square += np.where(of_week > 0, added, 0)
        divisor = np.gcd(divisor, np.where(of_week > 0, common, 0))
        counted += of_week
    kinds, place = np.unique(np.stack([square, divisor]), axis=1, return_inverse=True)
    sigma = parameters.sigma
    accuracy = [0.5 if not one[0] else accuracy_of_contribution(sigma, *one) for one in kinds.T.tolist()]
    return GaussianRisks(
        parameters=parameters,
        weeks=tuple(weeks),
        n_users=n_users,
        accuracy=np.asarray(accuracy)[place.reshape(-1)],
        n_trips=counted,
    )
