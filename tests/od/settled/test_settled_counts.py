"""The counts that a cluster hands over for a release: worked out by hand, row by row, and as one machine counts them."""

import hashlib
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.checks import ParameterError
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from privlab.dp.gaussian.discrete_gaussian import TOTAL_CAP, UNITS
from privlab.od.expecting.outlook import release_outlook_from_settled_counts, release_outlook_from_trips
from privlab.od.releases.release_plan import (
    ReleasePlan,
    SecureReleaseParameters,
    release_plan_from_parameters,
)
from privlab.od.releases.secure_release import (
    bounded_counts_from_week,
    secure_release_from_settled_counts,
    trips_in_total,
)
from privlab.od.releases.trip_law import trip_law_from_parameters
from privlab.od.settled.settled_counts import SettledCounts, settled_counts_from_dataset
from privlab.od.settled.settled_trips import SettledCells, settled_trips_from_dataset

WEEKS = ("2026-03-02", "2026-03-09")
N_ZONES, BOUND = 6, 3
SECRET = "0123456789abcdef" * 4
FORM = FileForm(
    mapping=ColumnMapping(user_id="user", timestamp="time", origin="origin", destination="destination"),
    ids="number",
)
KEEP = {"epsilon": 1.0, "threshold": 2}
L2 = {"epsilon": 1.0, "threshold": 2, "noise": "gaussian", "clip": "l2", "delta": 1e-6}
Row = tuple[str, datetime, int, int]


def drawn_rows(seed: int = 1) -> list[Row]:
    """Draw trips of nine people in three weeks; some make many in a week, some none."""
    draw = random.Random(seed)
    return [
        (
            f"u{min(draw.randrange(12), 8)}",
            datetime(2026, 3, 2) + timedelta(minutes=draw.randrange(21 * 24 * 60)),
            draw.randrange(N_ZONES),
            draw.randrange(N_ZONES),
        )
        for _ in range(400)
    ]


def written(rows: list[Row], path: Path) -> Path:
    columns = zip(*rows, strict=True)
    names = ("user", "time", "origin", "destination")
    pq.write_table(pa.table(dict(zip(names, map(list, columns), strict=True))), path)
    return path


def plan_of(**said: object) -> ReleasePlan:
    parameters = SecureReleaseParameters(max_trips_per_user=BOUND, **said)  # type: ignore[arg-type]
    return release_plan_from_parameters(
        parameters, weeks=WEEKS, zones_spec="column", public_zones=tuple(range(N_ZONES))
    )


@pytest.fixture(scope="module")
def workspace() -> Iterator[Workspace]:
    with Workspace(threads=1) as opened:
        yield opened


def counts_of(
    path: Path,
    plan: ReleasePlan,
    workspace: Workspace,
    secret: str = SECRET,
    public: Sequence[int] | None = range(N_ZONES),
) -> SettledCounts:
    dataset = read_dataset(path, form=FORM, workspace=workspace)
    return settled_counts_from_dataset(
        dataset,
        zoning_from_spec("column", place="zone", table=None),
        weeks=WEEKS,
        law_of=lambda most: trip_law_from_parameters(plan.parameters, most),
        secret=secret,
        by_slot=plan.product.name == "flows-by-slot",
        total_cap=TOTAL_CAP,
        public=public,
    )


def test_a_total_counts_of_each_user_and_week_no_more_than_its_cap_by_hand(
    tmp_path: Path, workspace: Workspace
) -> None:
    """Its noise is for so many trips of one person: whoever makes more would move it by more."""
    rows = drawn_rows()
    different = {
        (user, (time - timedelta(days=time.weekday())).date(), origin, destination)
        for user, time, origin, destination in rows
        if origin != destination
    }
    n_of_user = Counter((str(monday), user) for user, monday, *_ in different)
    path = written(rows, tmp_path / "trips.parquet")
    dataset = read_dataset(path, form=FORM, workspace=workspace)
    for cap in (2, 7):
        found = settled_counts_from_dataset(
            dataset,
            zoning_from_spec("column", place="zone", table=None),
            weeks=WEEKS,
            law_of=lambda most: trip_law_from_parameters(plan_of(**L2).parameters, most),
            secret=SECRET,
            total_cap=cap,
        )
        by_hand = [sum(min(n, cap) for (week, _), n in n_of_user.items() if week == one) for one in WEEKS]
        assert found.totals.tolist() == by_hand
        assert max(n_of_user.values()) > cap


def trips_of(path: Path, plan: ReleasePlan, workspace: Workspace) -> SettledCells:
    dataset = read_dataset(path, form=FORM, workspace=workspace)
    zoning = zoning_from_spec("column", place="zone", table=None)
    by_slot = plan.product.name == "flows-by-slot"
    return settled_trips_from_dataset(dataset, zoning, weeks=WEEKS, by_slot=by_slot)


def kept_by_hand(rows: list[Row], secret: str) -> dict[str, Counter[int]]:
    """Count each user's first BOUND trips of a week, by the order of SHA-256, straight from the rows."""
    made: dict[tuple[str, str], set[tuple[int, int]]] = defaultdict(set)
    for user, time, origin, destination in rows:
        if origin != destination:
            made[user, str((time - timedelta(days=time.weekday())).date())].add((origin, destination))
    kept: dict[str, Counter[int]] = {week: Counter() for week in WEEKS}
    for (user, week), flows in made.items():
        if week in kept:
            order = sorted(
                flows,
                key=lambda flow: hashlib.sha256(
                    f"{secret}|{user}|{week}|{flow[0]}|{flow[1]}".encode()
                ).digest(),
            )
            kept[week].update(origin * N_ZONES + destination for origin, destination in order[:BOUND])
    return kept


def raw_of(counts: SettledCounts, week: str) -> Counter[int]:
    part = counts.part(week)
    return Counter(dict(zip(counts.cell[part].tolist(), counts.raw[part].tolist(), strict=True)))


def test_kept_trips_against_hashing_by_hand(tmp_path: Path, workspace: Workspace) -> None:
    rows = drawn_rows()
    counts = counts_of(written(rows, tmp_path / "t.parquet"), plan_of(**KEEP), workspace)
    expected = kept_by_hand(rows, SECRET)
    other = kept_by_hand(rows, SECRET[::-1])
    for week in WEEKS:
        assert +raw_of(counts, week) == expected[week]
        assert raw_of(counts, week).total() < int(counts.people[counts.part(week)].sum())
    assert expected != other  # the secret decides


@pytest.mark.parametrize("said", [L2, L2 | {"clip": "keep"}, L2 | {"product": "flows-by-slot"}])
def test_weights_against_one_machine(said: dict[str, object], tmp_path: Path, workspace: Workspace) -> None:
    """Where no choice is made, the two ways must agree to the last unit, cell by cell, and so must the totals."""
    plan = plan_of(**said)
    path = written(drawn_rows(2), tmp_path / "t.parquet")
    counts, trips = counts_of(path, plan, workspace), trips_of(path, plan, workspace)
    assert counts.n_users == trips.n_users
    np.testing.assert_array_equal(counts.zones, trips.zones)
    for index, week in enumerate(WEEKS):
        user, flow = trips.week_of(week)
        cells, units = bounded_counts_from_week(user, flow, trips.zones.size, plan.parameters)
        part = counts.part(week)
        if said["clip"] == "l2":
            np.testing.assert_array_equal(counts.cell[part], cells)
            np.testing.assert_array_equal(counts.raw[part], units)
        else:  # a choice is made, by other numbers: as many are kept, whole
            assert set(np.unique(counts.raw[part]) % UNITS) == {0}
            assert counts.raw[part].sum() == units.sum()
        if plan.product.n_slots == 1:
            assert counts.totals[index] == trips_in_total(trips.zones, user, flow, np.arange(N_ZONES))


@pytest.mark.parametrize("said", [KEEP, KEEP | {"threshold": 0}, L2, L2 | {"clip": "keep"}])
def test_outlook_against_that_of_the_trips(
    said: dict[str, object], tmp_path: Path, workspace: Workspace
) -> None:
    plan = plan_of(**said)
    path = written(drawn_rows(3), tmp_path / "t.parquet")
    from_counts = release_outlook_from_settled_counts(counts_of(path, plan, workspace), plan)
    from_trips = release_outlook_from_trips(trips_of(path, plan, workspace), plan)
    for name in from_trips.__slots__:
        found, expected = getattr(from_counts, name), getattr(from_trips, name)
        if isinstance(expected, float):
            assert math.isclose(found, expected, rel_tol=1e-6), name
        else:
            assert found == expected, name


def test_removing_a_user_moves_the_counts_by_at_most_the_bound(tmp_path: Path, workspace: Workspace) -> None:
    """What the noise goes to: L trips in whole trips, √L in squares, in every week; nobody else's trips change."""
    rows = drawn_rows(4)
    whole = {name: written(rows, tmp_path / "all.parquet") for name in ("keep", "l2")}
    plans = {"keep": plan_of(**KEEP), "l2": plan_of(**L2)}
    everyone = {name: counts_of(whole[name], plans[name], workspace) for name in plans}
    for gone in ("u0", "u8"):
        rest = written([row for row in rows if row[0] != gone], tmp_path / f"{gone}.parquet")
        for name, plan in plans.items():
            others = counts_of(rest, plan, workspace)
            for week in WEEKS:
                moved = raw_of(everyone[name], week)
                moved.subtract(raw_of(others, week))
                assert min(moved.values()) >= 0
                if name == "keep":
                    assert moved.total() == BOUND
                else:
                    assert 0 < sum(units**2 for units in moved.values()) <= BOUND * UNITS**2


def alone_in(n: int, path: Path) -> Path:
    """Write so many trips of one person in one week, each in a flow of its own."""
    day = datetime(2026, 3, 3, 8)
    return written([("u0", day, origin, origin + 1) for origin in range(n)], path)


@pytest.mark.parametrize(
    ("said", "n", "most"),
    [
        ({"epsilon": 1.0}, 40, BOUND),
        ({"epsilon": 1.0, "noise": "gaussian", "clip": "keep", "delta": 1e-6}, 40, BOUND),
        ({"epsilon": 1.0, "noise": "gaussian", "clip": "l2", "delta": 1e-6}, 1100, 1000),
    ],
    ids=["integer", "gaussian", "weighted"],
)
def test_of_found_cells_one_person_adds_as_many_as_are_counted(
    said: dict[str, object], n: int, most: int, tmp_path: Path, workspace: Workspace
) -> None:
    """δ of found cells is of L cells, or of 1,000 with weights: noise on a trip that the limit left out would show that someone is there."""
    parameters = SecureReleaseParameters(
        max_trips_per_user=BOUND,
        threshold=1,
        cells="discovered",
        **said,  # type: ignore[arg-type]
    )
    plan = release_plan_from_parameters(parameters, weeks=WEEKS, zones_spec="column", public_zones=None)
    counts = counts_of(alone_in(n, tmp_path / "a.parquet"), plan, workspace, public=None)
    assert counts.people.sum() == n  # the outlook knows of all
    origin = counts.zones[counts.cell // counts.zones.size]  # each flow has its own
    counted = set(origin[counts.raw > 0].tolist())
    assert len(counted) == most
    releases = [secure_release_from_settled_counts(counts, plan) for _ in range(12)]
    shown = {place for one in releases for place in np.asarray(one.cell["origin"]).tolist()}
    assert shown <= counted
    # Of 0 and noise about half would pass a threshold of 1: of three cells in twelve releases none does once in 10¹¹ runs.
    assert shown


def test_weeks_without_trips_and_what_is_refused_iv(tmp_path: Path, workspace: Workspace) -> None:
    path = written([("a", datetime(2026, 5, 4, 8), 1, 2)], tmp_path / "t.parquet")
    counts = counts_of(path, plan_of(**KEEP), workspace)
    assert counts.cell.size == 0
    assert counts.week_starts.tolist() == [*counts.totals.tolist(), 0] == [0, 0, 0]
    with pytest.raises(KeyError):
        counts.part("2026-05-04")
    with pytest.raises(ParameterError, match="secret must have at least 32 hexadecimal digits, got 3"):
        counts_of(path, plan_of(**KEEP), workspace, secret="abc")
    guessed = read_dataset(path, workspace=workspace)
    with pytest.raises(ParameterError, match="form must be given for a secure release"):
        settled_counts_from_dataset(
            guessed,
            zoning_from_spec("column", place="zone", table=guessed.table),
            weeks=WEEKS,
            law_of=lambda most: trip_law_from_parameters(plan_of(**KEEP).parameters, most),
            secret=SECRET,
        )


@pytest.mark.parametrize("said", [KEEP, L2])
def test_what_is_on_no_list_is_left_out_before_the_bound_as_on_one_machine(
    said: dict[str, object], tmp_path: Path, workspace: Workspace
) -> None:
    """Counts of a file, with a list of four of its six zones, against those of the same file without the other rows."""
    listed, rows = range(4), drawn_rows()
    some = [row for row in rows if row[2] in listed and row[3] in listed]
    plan = plan_of(**said)
    found = counts_of(written(rows, tmp_path / "all.parquet"), plan, workspace, public=listed)
    wanted = counts_of(written(some, tmp_path / "some.parquet"), plan, workspace, public=listed)
    assert len(some) < len(rows)
    for week in WEEKS:
        assert found.zones[found.cell[found.part(week)] // found.zones.size].max() <= 3
        assert raw_by_name(found, week) == raw_by_name(wanted, week)
    assert found.totals.tolist() == wanted.totals.tolist()
    trips = trips_of(tmp_path / "all.parquet", plan, workspace).between(listed)
    n_trips = [sum(Counter(trips.week_of(week)[0].tolist()).values()) for week in WEEKS]
    assert n_trips == [int(found.people[found.part(week)].sum()) for week in WEEKS]


def raw_by_name(counts: SettledCounts, week: str) -> dict[tuple[int, int], int]:
    """Return the raw counts of a week by origin and destination."""
    part, n = counts.part(week), counts.zones.size
    ends = zip(counts.zones[counts.cell[part] // n], counts.zones[counts.cell[part] % n], strict=True)
    return dict(zip(((int(a), int(b)) for a, b in ends), counts.raw[part].tolist(), strict=True))
