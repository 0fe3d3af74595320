"""The most exposed people as `risk` tells them: five flows at most, and on a cluster none of them by name."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from privlab.cli.flows.risks_told import people_told, person_told
from privlab.datasets.engines import Workspace
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning
from privlab.od.risks import Exposure
from privlab.od.simulating import ReleaseParameters
from privlab.od.trips.trip_tables import trip_tables_from_dataset, unique_trips_from_trip_tables
from tests.command_line import Answer
from tests.od.test_matrix import dataset_of
from tests.od.trips.test_hourly_vote import table_of


@pytest.mark.parametrize("zones", [None, np.array(["a", "b", "c"])])
def test_of_seven_flows_the_five_most_telling_are_told(zones: "np.ndarray | None") -> None:
    seven = np.arange(7)
    one = Exposure(
        person=3, accuracy=0.9, week=seven % 2, flow=seven, others=10 * seven, alone=1 - seven / 10
    )
    told = person_told(one, zones, ["2026-03-02", "2026-03-09"])
    assert (told["accuracy"], told["trips"]) == (0.9, 7)
    assert [flow["others"] for flow in told["flows"]] == [0, 10, 20, 30, 40]
    assert [flow["week"][-1] for flow in told["flows"]] == ["2", "9", "2", "9", "2"]
    names = [(flow.get("origin"), flow.get("destination")) for flow in told["flows"]]
    assert names == (
        [(None, None)] * 5
        if zones is None
        else [("a", "a"), ("a", "b"), ("a", "c"), ("b", "a"), ("b", "b")]  # origin · 3 + destination
    )


def test_where_flows_have_no_names_it_is_said_why_and_what_names_them(world: pd.DataFrame) -> None:
    records = [
        (int(user), time.to_pydatetime(), int(zone)) for user, time, zone in world.itertuples(index=False)
    ]
    with Workspace(threads=1) as workspace:
        tables = trip_tables_from_dataset(dataset_of(workspace, table_of(workspace, records)), ColumnZoning())
        trips = unique_trips_from_trip_tables(tables, seed=1)
        of_cluster, of_machine = (
            people_told(
                one, ReleaseParameters(epsilon=1.0, threshold=0), list(trips.weeks), None, 3, 1, "discovered"
            )
            for one in (tables, trips)
        )
    assert "notes" not in of_machine
    (note,) = of_cluster["notes"]
    assert "where one person goes does not leave it" in note
    assert "engine duckdb" in note
    flows = [flow for person in of_cluster["most_exposed"] for flow in person["flows"]]
    assert flows
    assert not any("origin" in flow for flow in flows)


def test_what_sums_in_a_certificate_tell_beside_a_threshold_is_said(answer: Answer, tmp_path: Path) -> None:
    """Two zones, 150 people one way and 40 back: the flow of 40 is left out, and its noisy count stands as a sum all the same."""
    data, out = tmp_path / "two.csv", tmp_path / "out"
    rows = [f"{user},2026-03-02 08:00,{'1,2' if user < 150 else '2,1'}" for user in range(190)]
    data.write_text("user_id,time,origin,destination\n" + "\n".join(rows) + "\n")
    zones = tmp_path / "zones.csv"
    zones.write_text("zone,lat,lon\n1,45,9\n2,45.1,9\n")
    settings = ("--epsilon", 2, "--max-trips-per-user", 1, "--threshold", 100, "--noise", "integer")
    told = answer("risk", data, "--zone-positions", zones, *settings, "--week", "2026-03-02", "--json")
    assert "those below the threshold too" in " ".join(told["notes"])
    none = answer(
        "risk", data, "--zone-positions", zones, *settings[:4], "--threshold", 0, "--noise", "integer", "--week", "2026-03-02", "--json"
    )  # fmt: skip
    assert not any("below the threshold" in one for one in none.get("notes", []))
    answer(
        "release", data, "--zone-positions", zones, *settings, "--week", "2026-03-02", "--ids", "number", "--out", out,
        "--ledger", tmp_path / "l.sqlite", "--accept-made-up", "a test",
    )  # fmt: skip
    certificate = json.loads((out / "certificate.json").read_text("utf-8"))
    (model,) = certificate["model"]["weeks"].values()
    assert min(min(one) for one in model["sums"][:2]) < 100
    assert len((out / "release.csv").read_text().splitlines()) == 2  # the larger flow alone
    assert "can be worked out of them" in " ".join((out / "README.txt").read_text("utf-8").split())


def test_a_report_says_what_the_most_travelled_person_has(answer: Answer, tmp_path: Path) -> None:
    """The attack in it is on someone with 12 unique trips: of 24 people who go there and back nobody has more than 2."""
    rows = "".join(
        f"p{n},2026-03-0{2 + day} {hour},{way}\n"
        for n in range(24)
        for day in range(3)
        for hour, way in (("08:00", "home,school"), ("15:00", "school,home"))
    )
    path = tmp_path / "class.csv"
    path.write_text(f"user,time,origin,destination\n{rows}")
    answer("report", "--data", path, "--zones", "column", "--out", tmp_path / "report.html", "--json")
    said = (tmp_path / "report.html").read_text()
    assert "About someone with 12 unique trips" in said
    assert "The most that one person has is 2 unique trips." in said
