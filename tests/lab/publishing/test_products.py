"""What a release can count besides flows of a whole week, from the file to the verified release; the world is that of conftest."""

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privlab.aggregates.traces import traces_from_dataset, visits_by_hour_from_traces
from privlab.checks import DataError, ParameterError
from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.layouts.file_form import FileForm
from privlab.datasets.read import read_dataset
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.datasets.zone_kinds.zoning import zoning_from_spec
from privlab.lab.publishing.release_data import ReleaseData, settled_trips_from_release_data
from privlab.od.products import FLOWS, FLOWS_BY_SLOT, PRODUCTS, SLOTS, VISITS
from privlab.od.releases import release_noise
from privlab.od.releases.release_plan import SecureReleaseParameters, release_plan_from_parameters
from privlab.od.releases.secure_release import bounded_counts_from_week, secure_release_from_settled_trips
from privlab.od.settled.counted_people import unique_trips_from_settled_trips
from privlab.od.trips.prepared_trips import prepared_trips_from_dataset
from privlab.od.usefulness.estimates import smoothed_counts_of_week
from privlab.releases.reading.certificate_reading import certificate_from_file
from privlab.releases.reading.released_counts import released_counts_from_folder
from privlab.releases.reading.released_flows import slot_flows_from_counts
from privlab.releases.reading.verification import verification_from_certificate
from tests.command_line import Answer

FIRST, SECOND, EMPTY = "2026-03-02", "2026-03-09", "2026-03-16"
FORM = FileForm(mapping=ColumnMapping(user_id="user_id", timestamp="time", zone="zone"), ids="number")


def settled(path: Path, product: str, *weeks: str):
    data = ReleaseData(
        path=path, form=FORM, zones="column", geography=None, lookup=None, timezone=None, cleaning=Cleaning()
    )
    with Workspace() as workspace:
        return settled_trips_from_release_data(data, workspace, weeks=weeks, product=product)[0]


def counts(trips, week: str) -> dict[tuple, int]:
    """Return how many people are in each cell of a week, named as in a release's file."""
    named = trips.product.named(trips.week_of(week)[1], trips.zones)
    return dict(Counter(zip(*(column.tolist() for column in named.values()), strict=True)))


def test_a_cell_lies_inside_when_all_its_zones_are_known() -> None:
    known = np.array([True, False, True])
    flows = FLOWS.cell_of((np.array([0, 0, 1, 2]), np.array([2, 1, 2, 0])), 0, 3)
    assert FLOWS.inside(flows, 3, known).tolist() == [True, False, False, True]
    visits = VISITS.cell_of((np.array([0, 1, 2]),), np.array([7, 7, 0]), 3)
    assert VISITS.inside(visits, 3, known).tolist() == [True, False, True]


def test_visits_of_the_hand_drawn_world(world_csv: Path) -> None:
    found = settled(world_csv, "visits", FIRST, SECOND, EMPTY)
    assert counts(found, FIRST) == {
        (1, 1, 8): 2, (2, 1, 8): 1, (2, 1, 9): 2, (1, 1, 10): 1, (2, 1, 12): 1,
        (1, 2, 8): 1, (2, 2, 9): 1, (3, 7, 22): 1, (4, 7, 23): 1,
    }  # fmt: skip
    assert counts(found, SECOND) == {(1, 1, 0): 1, (2, 1, 1): 1, (3, 1, 1): 1}
    assert counts(found, EMPTY) == {}
    assert found.n_users == 3


def test_flows_by_slot_of_the_hand_drawn_world(world_csv: Path) -> None:
    found = settled(world_csv, "flows-by-slot", FIRST, SECOND)
    morning = "workday 06-12"
    assert counts(found, FIRST) == {(1, 2, morning): 2, (2, 1, morning): 1, (3, 4, "weekend 18-24"): 1}
    assert counts(found, SECOND) == {(1, 2, "workday 00-06"): 1}


def test_slots_of_the_whole_week_by_hand(tmp_path: Path) -> None:
    """One person who goes to and fro in every hour of a week, against the calendar of pandas."""
    times = pd.date_range("2026-03-02 00:30", "2026-03-08 23:30", freq="h")
    rows = pd.DataFrame({"user_id": 1, "time": times, "zone": np.arange(times.size) % 2 + 1})
    rows.to_csv(tmp_path / "one.csv", index=False)
    found = settled(tmp_path / "one.csv", "flows-by-slot", FIRST)
    expected = set()
    for time, zone in zip(times[1:], rows["zone"][1:], strict=True):
        hour = time.hour // 6 * 6
        slot = f"{'weekend' if time.weekday() > 4 else 'workday'} {hour:02d}-{hour + 6:02d}"
        expected.add((3 - int(zone), int(zone), slot))
    assert counts(found, FIRST) == dict.fromkeys(expected, 1)
    visits = settled(tmp_path / "one.csv", "visits", FIRST)
    seen = zip(rows["zone"], times.day_of_week + 1, times.hour, strict=True)
    assert counts(visits, FIRST) == dict.fromkeys(seen, 1)


@pytest.mark.parametrize("product", [VISITS, FLOWS_BY_SLOT])
@pytest.mark.parametrize("noise", ["integer", "gaussian"])
def test_without_a_person_the_counts_move_by_at_most_the_promise_allows(
    world_csv: Path, product, noise
) -> None:
    trips = settled(world_csv, product.name, FIRST)
    user, cell = trips.week_of(FIRST)
    wishes = {"noise": "gaussian", "clip": "l2", "delta": 1e-6} if noise == "gaussian" else {}
    parameters = SecureReleaseParameters(epsilon=1.0, max_trips_per_user=2, product=product.name, **wishes)
    unit = 1024 if noise == "gaussian" else 1
    for person in np.unique(user):
        both = []
        for keep in (np.ones(user.size, dtype=bool), user != person):
            cells, units = bounded_counts_from_week(user[keep], cell[keep], trips.zones.size, parameters)
            dense = np.zeros(product.cell_of((3,) * product.n_ends, product.n_slots - 1, 4) + 1)
            dense[cells] = units / unit
            both.append(dense)
        own = int((user == person).sum())
        moved = both[0] - both[1]
        if noise == "gaussian":
            # Each of T visits weighs √(2/T), rounded down to 1/1024: together √2 in L2 norm, never more.
            assert 2 * 0.99 * min(own, 2) / 2 <= (moved**2).sum() <= 2
        elif not np.isin(cell[user != person], cell[user == person]).any():
            # Others keep a fresh choice of their own trips; where cells are apart, the person's are seen alone.
            assert moved[cell[user == person]].sum() == min(own, 2)


def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have releases add no noise: of the thousands of cells here one has some in one of 10⁵ runs, at ε = 20 too."""
    monkeypatch.setattr(release_noise, "noisy_counts_from_counts", lambda counts, law: counts.copy())


@pytest.mark.parametrize(("product", "n_cells"), [("flows", 12), ("flows-by-slot", 96), ("visits", 672)])
def test_every_public_cell_is_published_once_and_named_for_what_it_is(
    world_csv: Path, product: str, n_cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_noise(monkeypatch)
    plan = release_plan_from_parameters(
        SecureReleaseParameters(epsilon=20.0, max_trips_per_user=1, threshold=0, product=product),
        weeks=(FIRST, SECOND),
        zones_spec="column",
        public_zones=(1, 2, 3, 4),
    )
    trips = settled(world_csv, product, FIRST, SECOND)
    made = secure_release_from_settled_trips(trips, plan)
    assert plan.n_cells == n_cells
    rows = list(zip(made.week, *(one.tolist() for one in made.cell.values()), strict=True))
    assert len(set(rows)) == len(rows) == 2 * n_cells
    # Without noise each count is that of people who kept just this visit.
    found = {row[1:]: count for row, count in zip(rows, made.count.tolist(), strict=True) if row[0] == FIRST}
    true = counts(trips, FIRST)
    assert all(0 <= count <= true.get(cell, 0) for cell, count in found.items())
    assert sum(found.values()) == 3  # one of each of three people


def test_visits_are_smoothed_to_zone_times_hour() -> None:
    rng = np.random.default_rng(3)
    zone, slot = (one.ravel() for one in np.meshgrid(np.arange(20), np.arange(168), indexing="ij"))
    true = np.outer(rng.gamma(2, 30, 20), 1 + np.sin(np.arange(168) / 24 * 2 * np.pi)).ravel()
    noisy = np.rint(true + rng.normal(0, 20, true.size))
    columns = {"zone": zone, "weekday": slot // 24, "hour": slot % 24}
    smoothed = smoothed_counts_of_week(noisy, VISITS.margins(columns), 400.0)
    assert np.mean((smoothed - true) ** 2) < np.mean((noisy - true) ** 2) / 5


@pytest.mark.parametrize("product", ["visits", "flows-by-slot"])
@pytest.mark.parametrize("noise", ["integer", "gaussian"])
def test_from_the_file_to_a_verified_release(
    answer: Answer, world_csv: Path, tmp_path: Path, product: str, noise: str
) -> None:
    positions = tmp_path / "zones.csv"
    positions.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    folder, ledger = tmp_path / "out", tmp_path / "ledger.sqlite"
    said = answer(
        "release", world_csv, "--ids", "number", "--zone-positions", positions, "--week", FIRST, "--week", SECOND,
        "--epsilon", "2", "--max-trips-per-user", "3", "--threshold", "0", "--noise", noise, "--product", product,
        "--accept-made-up", "a test", "--accept-delta", "a test", "--out", folder, "--ledger", ledger, "--json",
    )  # fmt: skip
    assert ("different visits of one person" in said["statement"]) == (product == "visits")
    found = verification_from_certificate(folder / "certificate.json")
    assert found.holds, [check.what for check in found.checks if not check.holds]
    released = released_counts_from_folder(folder)
    assert list(released.cell) == list(PRODUCTS[product].columns)
    # The certificate names the model that a smooth count of this product follows.
    model = {
        "visits": "(zone x hour of the week)",
        "flows-by-slot": "(origin x destination x class of distance, in each slot by itself)",
    }
    columns = released.certificate["estimates"]["columns"]
    assert model[product] in columns["smoothed_count"]
    assert ("visit" in columns["chance_of_flow"]) == (product == "visits")
    assert released.count.size == 2 * PRODUCTS[product].n_cells(4)
    spent = answer("ledger", "show", "--ledger", ledger, "--json")
    assert spent["together"][0]["rho"] is not None
    assert spent["together"][0]["epsilon"] <= 4 * (1 + 1e-9)
    # What is changed is noticed: another product, and a time that no week has.
    certificate = json.loads((folder / "certificate.json").read_text())
    certificate["parameters"]["product"] = "flows"
    (folder / "certificate.json").write_text(json.dumps(certificate))
    with pytest.raises(DataError, match="product is malformed"):
        certificate_from_file(folder / "certificate.json")


def test_a_total_of_flows_by_slot_counts_each_persons_trips_in_all_slots(
    answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    """Each trip adds so many units to the total; its noise is within ten standard deviations but once in 10²³."""
    positions = tmp_path / "zones.csv"
    positions.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    folder = tmp_path / "out"
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", positions, "--week", FIRST, "--epsilon", "20",
        "--max-trips-per-user", "1", "--threshold", "0", "--noise", "gaussian", "--unbiased", "--product", "flows-by-slot",
        "--accept-made-up", "a test", "--accept-delta", "a test", "--out", folder, "--ledger", tmp_path / "l.sqlite",
    )  # fmt: skip
    found = verification_from_certificate(folder / "certificate.json")
    assert found.holds, [check.what for check in found.checks if not check.holds]
    said = json.loads((folder / "certificate.json").read_text())
    true = sum(counts(settled(world_csv, "flows-by-slot", FIRST), FIRST).values())
    off = said["totals"][FIRST]["trips"] - true
    assert abs(off) <= 10 * said["mechanism"]["scale"] / said["mechanism"]["total_units_per_trip"] + 1
    columns = said["estimates"]["columns"]
    assert "in each slot by itself" in columns["smoothed_count"]
    assert "published total of the week" in columns["unbiased_count"]


@pytest.mark.parametrize("noise", ["integer", "gaussian"])
@pytest.mark.parametrize(("product", "cells"), [("flows-by-slot", 1), ("visits", 2)])
def test_cells_of_a_product_that_are_found_in_the_data_alone_are_published(
    answer: Answer, tmp_path: Path, product: str, cells: int, noise: str
) -> None:
    """4,000 people go 1→2 on Monday morning, one person 3→4 in the evening, whose cells a threshold of 2,000 hides."""
    rows = [f"{n},2026-03-02 {hour}:00,{zone}" for n in range(4000) for hour, zone in (("08", 1), ("09", 2))]
    rows += ["9999,2026-03-02 18:00,3", "9999,2026-03-02 19:00,4"]
    path, folder = tmp_path / "day.csv", tmp_path / "out"
    path.write_text("\n".join(["user,time,zone", *rows]) + "\n")
    answer(
        "release", path, "--ids", "number", "--zones", "column", "--week", FIRST, "--epsilon", "2", "--threshold", "2000",
        "--max-trips-per-user", "2", "--noise", noise, "--cells", "discovered", "--product", product,
        "--out", folder, "--ledger", tmp_path / "l.sqlite",
    )  # fmt: skip
    found = verification_from_certificate(folder / "certificate.json")
    assert found.holds, [check.what for check in found.checks if not check.holds]
    released = released_counts_from_folder(folder)
    assert released.count.size == cells
    assert (abs(released.count - 4000) < 400).all()  # σ below 10 trips: 40 standard deviations
    zones = {
        zone
        for name in ("origin", "destination", "zone")
        for zone in released.cell.get(name, np.array([])).tolist()
    }
    assert zones == {1, 2}
    promised = json.loads((folder / "certificate.json").read_text())["guarantee"]["units"]["user-week"]
    assert promised["delta"] <= 1e-6


def test_a_time_that_no_week_has_is_noticed(answer: Answer, world_csv: Path, tmp_path: Path) -> None:
    positions = tmp_path / "zones.csv"
    positions.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    folder = tmp_path / "out"
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", positions, "--week", FIRST, "--epsilon", "2",
        "--max-trips-per-user", "3", "--threshold", "0", "--product", "visits", "--accept-made-up", "a test",
        "--out", folder, "--ledger", tmp_path / "ledger.sqlite",
    )  # fmt: skip
    table = pq.read_table(folder / "release.parquet")
    hour = table["hour"].to_pylist()
    hour[0] = 24
    pq.write_table(table.set_column(3, "hour", pa.array(hour, pa.int64())), folder / "release.parquet")
    checks = {
        one.what: one.holds for one in verification_from_certificate(folder / "certificate.json").checks
    }
    assert not checks["times are parts of a week"]
    assert not checks["files are those certified"]


def test_what_a_product_cannot_be_released_with_is_said(
    answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    said = answer(
        "release", world_csv, "--ids", "number", "--zones", "column", "--week", FIRST, "--epsilon", "1",
        "--max-trips-per-user", "3", "--product", "visits", "--noise", "gaussian", "--unbiased", "--out", tmp_path / "out",
        fails=True,
    )  # fmt: skip
    assert "product must be flows or flows-by-slot with a total" in said
    assert "a week has up to 168 visits" in said
    with pytest.raises(ParameterError, match="product must be flows with levels, got 'flows-by-slot'"):
        SecureReleaseParameters(
            epsilon=1.0,
            max_trips_per_user=3,
            noise="gaussian",
            clip="l2",
            delta=1e-6,
            levels=1,
            product="flows-by-slot",
        )
    with pytest.raises(ParameterError, match="product must be"):
        SecureReleaseParameters(epsilon=1.0, max_trips_per_user=1, product="stops")


def test_a_report_on_visits_shows_them_hour_by_hour(
    answer: Answer, world_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_noise(monkeypatch)
    positions = tmp_path / "zones.csv"
    positions.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    folder, page = tmp_path / "out", tmp_path / "report.html"
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", positions, "--week", FIRST, "--epsilon", "20",
        "--max-trips-per-user", "1", "--threshold", "0", "--product", "visits", "--accept-made-up", "a test",
        "--accept-delta", "a test", "--out", folder, "--ledger", tmp_path / "ledger.sqlite",
    )  # fmt: skip
    answer(
        "report", "--on-release", folder, "--data", world_csv, "--zone-positions", positions, "--out", page
    )
    text = page.read_text(encoding="utf-8")
    # 11 visits are true in the week; with one of each of three people kept, and no noise, 3 are published.
    assert (
        "672 of 672 counts are published, for zones and hours in which 100% of all visits were made" in text
    )
    assert "All counts together are 3 visits, 27% of the 11 there are" in text
    # What it is good for: people were in 9 zones and hours, so the other 663 counts are of nobody.
    summary = text.partition('<table class="summary">')[2].partition("</table>")[0]
    assert 'class="red"><th scope="row">Usefulness' in summary
    assert (
        "99% of the published counts are false counts: more than 10%. All published counts together are 27% of all visits."
        in summary
    )
    assert "All published counts together are 27.3% of all visits: the rest is what the limit takes" in text
    assert "<td>false counts</td><td>663</td>" in text
    assert "published visits" in text
    # It speaks of visits wherever it speaks of what is limited and counted.
    words = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert "at most 1 visit per user" in words
    assert "<td>someone&#39;s only visit</td>" in words
    assert "<td>visits per user and week, at most</td>" in words
    assert "At most 1 different visit of a person and week is counted" in words
    assert "Every count is published, also one of nobody." in words
    assert "trips per user" not in words
    assert "counted trip" not in words
    # The busiest hour on a map, by what is published; and each person, of whom one visit shows by itself: e²⁰/(1 + e²⁰).
    assert re.search(
        r"Week of 2026-03-02, \w{3} \d\d:00: \d visits? in \d zones?; published are 4 zones", text
    )
    assert (
        "Of 3 people judged, 0 (0.0%) are guessed right more often than the 100.0% that e^ε/(1+e^ε) comes to"
        in text
    )
    assert "Of those with a visit, half are guessed right in more than 99.9%" in text


def test_a_report_on_flows_by_slot_shows_the_busiest_and_each_person_against_closed_form(
    answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    """One trip of each person is counted, with ε = 1 and every cell published: right in e/(1 + e) = 73.1% of cases."""
    positions = tmp_path / "zones.csv"
    positions.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    folder, page = tmp_path / "out", tmp_path / "report.html"
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", positions, "--week", FIRST, "--epsilon", "1",
        "--max-trips-per-user", "1", "--threshold", "0", "--product", "flows-by-slot", "--accept-made-up", "a test",
        "--out", folder, "--ledger", tmp_path / "ledger.sqlite",
    )  # fmt: skip
    answer(
        "report", "--on-release", folder, "--data", world_csv, "--zone-positions", positions, "--out", page
    )
    text = page.read_text(encoding="utf-8")
    assert re.search(r"Week of 2026-03-02, (workday|weekend) \d\d-\d\d hours: of [012] true flows?, ", text)
    assert "half are guessed right in 73.1%" in text
    assert "the most exposed in 73.1%" in text
    # More flows are published than there are pairs of zones: the certificate and the use of the release both say why.
    assert "people per week, origin, destination and time slot, with integer noise" in text
    assert (
        text.count(
            "A flow is of one of 8 parts of the week: whoever makes a trip in two of them counts in both."
        )
        == 2
    )


@pytest.mark.parametrize(
    ("limit", "threshold", "colour", "said"),
    [
        # By hand: 4 trips, two of them in one flow and slot. Of three people one trip is kept each; or all are, and the flow of 2 alone.
        (1, 0, "red", "All published counts together are 75.0% of 4 trips by part of the week"),
        (10, 2, "amber", "50% of 4 trips by part of the week lie in flows published within 10% of the truth, 50% in published flows at all."),
    ],
)  # fmt: skip
def test_what_flows_by_slot_are_good_for_against_hand(
    answer: Answer, world_csv: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    limit: int, threshold: int, colour: str, said: str,
) -> None:  # fmt: skip
    without_noise(monkeypatch)
    folder, page = tmp_path / "out", tmp_path / "report.html"
    where = tmp_path / "zones.csv"
    where.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", where, "--week", FIRST, "--epsilon", "20",
        "--max-trips-per-user", limit, "--threshold", threshold, "--product", "flows-by-slot", "--accept-made-up", "a test",
        "--accept-delta", "a test", "--out", folder, "--ledger", tmp_path / "ledger.sqlite",
    )  # fmt: skip
    answer("report", "--on-release", folder, "--data", world_csv, "--zone-positions", where, "--out", page)
    text = page.read_text(encoding="utf-8")
    assert said in text
    summary = text.partition('<table class="summary">')[2].partition("</table>")[0]
    assert f'class="{colour}"><th scope="row">Usefulness' in summary
    assert (
        f"All published counts together are {'75' if limit == 1 else '50'}% of 4 trips by part of the week."
        in summary
    )
    # The part on the data counts each trip once a week.
    assert ("50% of 4 trips by part of the week lie in" in summary) is (limit == 10)


def test_one_slot_of_a_release_beside_the_truth_against_hand(
    answer: Answer, world_csv: Path, tmp_path: Path
) -> None:
    positions = tmp_path / "zones.csv"
    positions.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n3,45.2,9\n4,45.3,9\n")
    folder = tmp_path / "out"
    answer(
        "release", world_csv, "--ids", "number", "--zone-positions", positions, "--week", FIRST, "--epsilon", "20",
        "--max-trips-per-user", "10", "--threshold", "0", "--product", "flows-by-slot", "--accept-made-up", "a test",
        "--out", folder, "--ledger", tmp_path / "ledger.sqlite",
    )  # fmt: skip
    released, trips = released_counts_from_folder(folder), settled(world_csv, "flows-by-slot", FIRST)
    with Workspace() as workspace:
        prepared = prepared_trips_from_dataset(
            read_dataset(world_csv, workspace=workspace), ColumnZoning(geography=None), seed=1
        )
    morning = SLOTS.index("workday 06-12")
    found = slot_flows_from_counts(prepared, trips, released, week=FIRST, slot=morning).flows
    true = {
        divmod(int(flow), 4): int(count) for flow, count in zip(found.flow, found.true, strict=True) if count
    }
    assert true == {(0, 1): 2, (1, 0): 1}  # 1 → 2 twice, 2 → 1 once
    assert found.flow.size == 12
    assert not np.isnan(found.published).any()


def test_people_of_a_release_keep_their_trips_in_a_random_order(world_csv: Path) -> None:
    trips = settled(world_csv, "visits", FIRST, SECOND)
    found = unique_trips_from_settled_trips(trips, np.random.default_rng(2))
    assert sorted(found.user_rank.tolist()) == [0, 1, 2]
    assert found.flow.tolist() == trips.flow.tolist()
    for week in range(2):
        part = slice(*trips.week_starts[week : week + 2].tolist())
        for user in np.unique(trips.user[part]):
            ranks = found.trip_rank[part][trips.user[part] == user]
            assert sorted(ranks.tolist()) == list(range(ranks.size))


def test_visits_by_hour_of_traces_are_those_that_a_release_counts(world_csv: Path) -> None:
    with Workspace() as workspace:
        dataset = read_dataset(world_csv, form=FORM, workspace=workspace)
        traces = traces_from_dataset(
            dataset, zoning_from_spec("column", place="zone", table=None, geography=None)
        )
    for week in (FIRST, SECOND):
        found = visits_by_hour_from_traces(traces, date.fromisoformat(week))
        zone, hour = np.nonzero(found)
        cells = zip(traces.zones[zone].tolist(), (hour // 24 + 1).tolist(), (hour % 24).tolist(), strict=True)
        said = dict(zip(cells, found[zone, hour].astype(int).tolist(), strict=True))
        assert said == counts(settled(world_csv, "visits", week), week)
