"""The people that an audit adds: in flows of their own, within the week, within the bound, as many as are asked for."""

import numpy as np
import pytest
from scipy.stats import norm

from privlab.checks import DataError, ParameterError
from privlab.od.auditing.added_people import (
    HOURS,
    canaries_from_used_cells,
    companions_of,
    moves_from_cells,
)
from privlab.od.auditing.pipeline_audit import PipelineAuditParameters
from privlab.od.auditing.work_ahead import work_ahead_from_parameters
from privlab.od.products import FLOWS_BY_SLOT
from privlab.od.releases.release_plan import SecureReleaseParameters
from privlab.od.releases.secure_release import bounded_counts_from_week


def parameters_of(**said: object) -> SecureReleaseParameters:
    return SecureReleaseParameters(**({"epsilon": 1.0, "max_trips_per_user": 2, "threshold": 3} | said))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"threshold": 0},
        {"threshold": 1},
        {"cells": "discovered"},
        {"noise": "gaussian", "clip": "l2", "delta": 1e-6},
    ],
)
def test_the_others_are_as_many_as_said_in_each_flow_and_nobody_has_more_than_the_bound(
    said: dict[str, object],
) -> None:
    rng = np.random.default_rng(2)
    free = rng.random((9, 9)) < 0.7
    parameters = parameters_of(**said)
    canaries = canaries_from_used_cells(np.where(free, 0, 1), parameters)
    people = companions_of(canaries, 2)
    choice = {canary.name: canary for canary in canaries}["choice"]
    all_flows = np.sort([*choice.beside, *choice.cells])
    assert np.unique(all_flows).size == 4
    counted = np.zeros(81, dtype=int)
    for cells in people:
        assert cells.size <= 2 or np.sort(cells).tolist() == all_flows.tolist()
        counted[cells] += 1
    assert counted[all_flows].tolist() == [choice.others] * 4
    for canary in canaries:
        assert (counted[canary.cells] == canary.others).all()
        origin, destination = np.divmod(canary.cells, 9)
        assert free[origin, destination].all()
        assert (origin != destination).all()
        assert np.unique(canary.cells).size == canary.cells.size
    names = {canary.name: canary for canary in canaries}
    assert names["full"].cells.size == 2
    assert names["many"].cells.size == 14
    if parameters.threshold:
        assert names["full"].others >= parameters.threshold
        assert names["alone"].others == 0
    if parameters.threshold > 1:
        assert names["edge"].others == parameters.threshold - 1


@pytest.mark.parametrize(("n_trips", "bound"), [(1, 1), (14, 2), (60, 8), (90, 90), (90, 15)])
def test_moves_are_in_the_week_and_make_these_trips_and_no_others(n_trips: int, bound: int) -> None:
    """Zone by hour as the records say; a trip is a change of zone from one hour to the next, worked out here anew."""
    canary = canaries_from_used_cells(
        np.zeros((14, 14), dtype=int), parameters_of(max_trips_per_user=n_trips, threshold=0)
    )[0]
    person = moves_from_cells(canary.cells, 14, bound)
    where: dict[int, int] = {}
    for hour, cell in zip(person.hour.tolist(), person.cells.tolist(), strict=True):
        for at, zone in zip((hour - 1, hour), divmod(cell, 14), strict=True):
            assert where.get(at, zone) == zone
            where[at] = zone
    assert min(where) >= 0
    assert max(where) < HOURS
    made = [where[h] * 14 + where[h + 1] for h in sorted(where) if where.get(h + 1, where[h]) != where[h]]
    assert made == canary.cells.tolist()[: len(made)] == person.cells.tolist()
    assert len(made) == n_trips  # nothing is left out


def test_as_many_trips_each_day_as_the_bound() -> None:
    canaries = canaries_from_used_cells(np.zeros((9, 9), dtype=int), parameters_of(threshold=0))
    person = moves_from_cells({one.name: one for one in canaries}["many"].cells, 9, 2)
    assert np.bincount(person.hour // 24).tolist() == [2] * 7


def test_a_trip_that_no_longer_fits_into_the_week_is_left_out_and_later_ones_that_fit_are_made_by_hand() -> (
    None
):
    """From zone 0 to zone 1 again and again, an hour without a record between: at hours 1, 4 … 166. One more has no room, but from
    there back at hour 167 has. Once it is Saturday no workday is left, but six
    o'clock is."""
    there, back = 1, 2  # of two zones: 0 · 2 + 1, and 1 · 2 + 0
    person = moves_from_cells(np.array([there] * 57 + [back]), 2, 100)
    assert person.hour.tolist() == [*range(1, 167, 3), 167]
    assert person.cells.tolist() == [there] * 56 + [back]
    weekend_0_6, workday_0_6, weekend_6_12 = there * 8 + 4, back * 8, back * 8 + 5
    person = moves_from_cells(np.array([weekend_0_6, workday_0_6, weekend_6_12]), 2, 100, FLOWS_BY_SLOT)
    assert person.hour.tolist() == [5 * 24, 5 * 24 + 6]
    assert person.cells.tolist() == [weekend_0_6, weekend_6_12]


def test_one_person_stays_within_the_largest_district_where_its_sums_are_published() -> None:
    """Twelve of fifteen zones are one district: of its 132 flows a week has room for 112 or nearly, those with fewest people;
    nobody is put beside them."""
    rng = np.random.default_rng(4)
    used, district = rng.integers(0, 3, (15, 15)), np.array([1] * 3 + [0] * 12)
    said = parameters_of(noise="gaussian", clip="l2", delta=1e-6, levels=1)
    canaries = {one.name: one for one in canaries_from_used_cells(used, said, [district])}
    canary = canaries["district"]
    assert canary.others == 0
    origin, destination = np.divmod(canary.cells, 15)
    assert (np.minimum(origin, destination) >= 3).all()
    assert (origin != destination).all()
    assert np.unique(canary.cells).size == canary.cells.size
    assert 100 <= canary.cells.size <= 112
    assert moves_from_cells(canary.cells, 15, 16).cells.tolist() == canary.cells.tolist()
    beside = np.concatenate([one.cells for name, one in canaries.items() if name != "district"])
    free = [cell for cell in range(225) if min(divmod(cell, 15)) >= 3 and cell % 16 and cell not in beside]
    empty = [cell for cell in free if used.reshape(-1)[cell] == 0]
    assert len(empty) > 20
    assert len(set(empty) - set(canary.cells.tolist())) <= 112 - canary.cells.size  # but for what did not fit
    people = companions_of(list(canaries.values()), 2)
    assert sum((np.isin(one, canaries["full"].cells)).any() for one in people) == canaries["full"].others
    flat = canaries_from_used_cells(used, said, [np.arange(15)])
    assert [one.name for one in flat] == [
        "full",
        "alone",
        "edge",
        "many",
        "choice",
    ]  # no flow lies within a district


@pytest.mark.parametrize("threshold", [3, 8])
def test_with_sums_of_districts_too_one_person_more_reaches_the_threshold_as_a_release_counts(
    threshold: int,
) -> None:
    """Five trips each from zone 0 to five zones of one district: as many people as move beside "edge" are too few, one more is enough."""
    said = parameters_of(
        noise="gaussian", clip="l2", delta=1e-6, levels=1, max_trips_per_user=5, threshold=threshold
    )
    canaries = canaries_from_used_cells(np.zeros((15, 15), dtype=int), said)
    short = {one.name: one for one in canaries}["edge"].others
    district = np.array([0] + [1] * 5)
    for n_people in (short, short + 1):
        user = np.repeat(np.arange(n_people, dtype=np.int32), 5)
        cells, units = bounded_counts_from_week(user, np.tile(np.arange(1, 6), n_people), 6, said, [district])
        assert cells.tolist() == [1, 2, 3, 4, 5]
        assert (units >= 1024 * threshold).tolist() == [n_people > short] * 5


def test_too_little_room_iv() -> None:
    with pytest.raises(DataError, match=r"^There is only one zone"):
        canaries_from_used_cells(np.zeros((1, 1), dtype=int), parameters_of())
    with pytest.raises(
        ParameterError, match=r"^threshold must be lower for an audit.*, at most 500,000 can be; got"
    ):
        canaries_from_used_cells(
            np.zeros((60, 60), dtype=int), parameters_of(max_trips_per_user=90, threshold=5_000)
        )


@pytest.mark.parametrize("seed", range(6))
def test_those_who_must_choose_have_equally_busy_flows_whoever_uses_them(seed: int) -> None:
    """With the people of the data, each of the four flows is used by as many: one person more makes her two the busiest. Hers are
    not the lower ones, which whoever goes by numbers among equally busy flows takes anyway."""
    used = np.random.default_rng(seed).permutation(81).reshape(9, 9) + 1  # no two flows alike
    parameters = parameters_of(epsilon=0.5, threshold=7)
    canaries = canaries_from_used_cells(used, parameters)
    choice = {one.name: one for one in canaries}["choice"]
    counted = used.reshape(-1).copy()
    for cells in companions_of(canaries, 2):
        counted[cells] += 1
    flows = np.concatenate([choice.cells, choice.beside])
    assert np.unique(flows).size == 4
    assert np.unique(counted[flows]).size == 1
    assert np.unique(used.reshape(-1)[flows]).size == 4  # it is those who were added that make them so
    lower = np.sort(flows)[:2]
    assert np.isin(choice.cells, lower).sum() <= np.isin(choice.beside, lower).sum()
    assert choice.others == 7 + 2 * 4  # the threshold, and twice the scale L/ε
    assert moves_from_cells(np.concatenate([choice.beside, choice.cells]), 9, 2).cells.size == 4


def test_those_who_must_choose_among_visits_have_equally_busy_ones_and_hers_are_the_higher() -> None:
    """Visits are made in any order: six of them, those three with the higher numbers hers."""
    used = np.random.default_rng(7).permutation(6 * HOURS).reshape(6, HOURS) + 1
    canaries = canaries_from_used_cells(used, parameters_of(product="visits", max_trips_per_user=3))
    choice = {one.name: one for one in canaries}["choice"]
    assert (choice.beside.size, choice.cells.size) == (3, 3)
    assert choice.beside.max() < choice.cells.min()
    counted = used.reshape(-1).copy()
    for cells in companions_of(canaries, 3):
        np.add.at(counted, cells, 1)
    assert np.unique(counted[np.concatenate([choice.cells, choice.beside])]).size == 1


@pytest.mark.parametrize("bound", [40, 90])
def test_all_trips_of_those_who_must_choose_fit_into_a_week(bound: int) -> None:
    """More than are counted, or else all are counted and nothing is chosen."""
    used = np.zeros((40, 40), dtype=int)
    canaries = canaries_from_used_cells(used, parameters_of(max_trips_per_user=bound, threshold=2))
    choice = {one.name: one for one in canaries}["choice"]
    cells = np.concatenate([choice.beside, choice.cells])
    assert bound < cells.size < HOURS
    assert moves_from_cells(cells, 40, max(bound, -(-cells.size // 7))).cells.size == cells.size


def test_where_few_flows_are_free_the_least_used_are_taken() -> None:
    """Two free cells in 90: one for alone, one for edge; all others move where fewest people do."""
    used = np.arange(100).reshape(10, 10) + 5
    used[3, 4] = used[7, 2] = 0
    canaries = {one.name: one for one in canaries_from_used_cells(used, parameters_of())}
    assert {canaries["alone"].cells.tolist()[0], canaries["edge"].cells.tolist()[0]} == {34, 72}
    assert canaries["full"].cells.size == 2
    others = np.concatenate([canaries["full"].cells, canaries["many"].cells])
    assert others.size == 16
    assert sorted(used.reshape(-1)[others].tolist()) == sorted(used[~np.eye(10, dtype=bool)].tolist())[2:18]


@pytest.mark.parametrize("bound", [2, 9, 30])
def test_moves_by_slot_are_in_their_slot_of_the_week_and_make_these_trips(bound: int) -> None:
    """Zone by hour as the records say; the slot of each trip is that of its second hour, by day and hour worked out here anew."""
    free = np.random.default_rng(3).random((9, 9, 8)) < 0.8
    parameters = parameters_of(product="flows-by-slot", max_trips_per_user=bound, threshold=2)
    canaries = canaries_from_used_cells(np.where(free, 0, 1), parameters)
    names = {one.name: one for one in canaries}
    assert [names[name].cells.size for name in ("full", "alone", "edge")] == [bound] * 3
    for canary in canaries:
        pair, slot = np.divmod(canary.cells, 8)
        origin, destination = np.divmod(pair, 9)
        assert free[origin, destination, slot].all()
        assert (origin != destination).all()
        person = moves_from_cells(canary.cells, 9, bound, FLOWS_BY_SLOT)
        assert person.cells.tolist() == canary.cells.tolist()
        where: dict[int, int] = {}
        for hour, o, d in zip(person.hour.tolist(), origin.tolist(), destination.tolist(), strict=True):
            for at, zone in ((hour - 1, o), (hour, d)):
                assert where.get(at, zone) == zone
                where[at] = zone
        made = [
            ((where[h] * 9 + where[h + 1]) * 8 + (4 if (h + 1) // 24 in (5, 6) else 0) + (h + 1) % 24 // 6)
            for h in sorted(where)
            if where.get(h + 1, where[h]) != where[h]
        ]
        assert made == canary.cells.tolist()
        assert max(where) < HOURS


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_flows_of_a_full_canary_are_published_with_it_and_without_by_the_normal_law(
    epsilon: float,
) -> None:
    """So many others are in each that noise takes one out of a thousand of them below the threshold at most: only its presence shows."""
    said = {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "threshold": 20, "epsilon": epsilon}
    parameters = parameters_of(**said)
    (full,) = [
        one for one in canaries_from_used_cells(np.zeros((9, 9), dtype=int), parameters) if one.name == "full"
    ]
    sigma = parameters.guarantee_parameters(1).sigma / 1024  # type: ignore[union-attr]
    assert norm.cdf((20 - 0.5 - full.others) / sigma) < 1e-3
    integer = canaries_from_used_cells(np.zeros((9, 9), dtype=int), parameters_of(threshold=20))
    assert next(one for one in integer if one.name == "full").others == 20


@pytest.mark.parametrize("threshold", [0, 1, 2, 9])
@pytest.mark.parametrize("levels", [0, 1])
def test_so_much_work_is_said_to_be_ahead_as_there_are_canaries(threshold: int, levels: int) -> None:
    """The file is read once without anybody added, once with the others, and once with each canary; releases are made of all but the first."""
    said = {"noise": "gaussian", "clip": "l2", "delta": 1e-6, "threshold": threshold, "levels": levels}
    release = parameters_of(**said)
    groups = [np.arange(9) // 3] * levels
    n_canaries = len(canaries_from_used_cells(np.zeros((9, 9), dtype=int), release, groups))
    ahead = work_ahead_from_parameters(
        PipelineAuditParameters(release=release, trials=300), n_rows=1_000, n_zones=9
    )
    assert ahead.n_readings == 2 + n_canaries
    assert ahead.n_releases == 300 * (1 + n_canaries)
    assert ahead.n_cells == 72
