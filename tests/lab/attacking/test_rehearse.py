"""The audit of the whole way from a file: what is added comes through reading, and a fault on the way is caught."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privlab.checks import DataError
from privlab.datasets.cleaning import Cleaning
from privlab.datasets.columns import ColumnMapping
from privlab.datasets.layouts import FileForm
from privlab.kept.runs import Runs
from privlab.lab.attacking.rehearse import pipeline_audit_from_release_data
from privlab.lab.loading.load import DataSource, dataset_from_source, rows_in_zones
from privlab.lab.publishing import release_data
from privlab.lab.publishing.publish import release_parameters_from_wishes
from privlab.lab.publishing.release_data import ReleaseData
from privlab.lab.reporting.collect import RowsMaterial, collected_report_from_plan
from privlab.od.auditing import PipelineAudit, PipelineAuditParameters
from privlab.od.simulating.simulated_release import ReleaseParameters
from privlab.reports.report_plan import ReportItem, ReportPlan, View
from tests.datasets.columns.test_projected_systems import utm

WEEK = "2026-03-02"
RECORDS = ColumnMapping(user_id="who", timestamp="when", lat="lat", lon="lon")
TRIPS = ColumnMapping(user_id="who", timestamp="when", origin="from", destination="to")


@pytest.fixture
def records(tmp_path: Path) -> ReleaseData:
    return _records(tmp_path)


def _records(folder: Path) -> ReleaseData:
    rng, path = np.random.default_rng(1), folder / "a.csv"
    rows = [
        (f"u{n}", f"2026-03-0{2 + n % 5} {hour:02d}:10", *rng.uniform(0, 3, 2).round(4))
        for n in range(12)
        for hour in range(8, 12)
    ]
    pd.DataFrame(rows, columns=["who", "when", "lat", "lon"]).to_csv(path, index=False)
    return _data(path, RECORDS, "box:0,0,3,3:3x3")


@pytest.fixture
def trips(tmp_path: Path) -> ReleaseData:
    path = tmp_path / "trips.csv"
    rows = [(f"u{n}", f"2026-03-03 {8 + n % 9:02d}:10", "abcd"[n % 4], "bcda"[n % 4]) for n in range(20)]
    pd.DataFrame(rows, columns=["who", "when", "from", "to"]).to_csv(path, index=False)
    return _data(path, TRIPS, "column", ids="text")


@pytest.fixture
def placed_trips(tmp_path: Path) -> ReleaseData:
    rng, path = np.random.default_rng(1), tmp_path / "placed.csv"
    rows = [(f"u{n}", f"2026-03-03 {8 + n % 9:02d}:10", *rng.uniform(0, 3, 4).round(4)) for n in range(20)]
    pd.DataFrame(rows, columns=["who", "when", "lat", "lon", "to_lat", "to_lon"]).to_csv(path, index=False)
    mapping = ColumnMapping(
        user_id="who",
        timestamp="when",
        origin_lat="lat",
        origin_lon="lon",
        destination_lat="to_lat",
        destination_lon="to_lon",
    )
    return _data(path, mapping, "box:0,0,3,3:3x3")


def _data(
    path: Path, mapping: ColumnMapping, zones: str, *, ids: str | None = None, **clean: Any
) -> ReleaseData:
    return ReleaseData(
        path=path,
        form=FileForm(mapping=mapping, ids=ids),
        zones=zones,
        geography=None,
        lookup=None,
        timezone=None,
        cleaning=Cleaning(**clean),
    )


def audit_of(data: ReleaseData, **said: Any) -> PipelineAudit:
    cells = "public" if data.zones.startswith("box") else "discovered"
    wishes = {"epsilon": 4.0, "max_trips_per_user": 2, "threshold": 4, "cells": cells}
    wishes |= said.pop("wishes", {})
    levels = said.pop("levels", ())
    asked = {"trials": 200, "level": 1 - 1e-6} | said
    parameters = PipelineAuditParameters(release=release_parameters_from_wishes(**wishes), **asked)  # type: ignore[arg-type]
    return pipeline_audit_from_release_data(data, parameters, week=WEEK, levels=levels)


@pytest.mark.parametrize("kind", ["records", "trips"])
def test_an_honest_way_from_the_file_passes_and_leaves_the_file_as_it_is(
    kind: str, request: pytest.FixtureRequest
) -> None:
    data = request.getfixturevalue(kind)
    before = data.path.read_bytes()
    found = audit_of(data)
    assert not found.convicted
    assert found.n_added > 0
    for one in found.canaries:
        assert one.n_trips == one.n_asked > 0
        assert one.n_others_moved == 0
    assert data.path.read_bytes() == before


@pytest.mark.parametrize(
    ("kind", "product", "broken"),
    [
        ("records", "visits", "no-bound"),
        ("records", "flows-by-slot", None),
        ("placed_trips", "visits", None),
        ("placed_trips", "flows-by-slot", "no-bound"),
    ],
)
def test_what_is_counted_by_time_comes_through_reading(
    kind: str, product: str, broken: str | None, request: pytest.FixtureRequest
) -> None:
    data = request.getfixturevalue(kind)
    found = audit_of(data, wishes={"product": product})
    assert not found.convicted
    for one in found.canaries:
        assert one.n_trips == one.n_asked > 0
        assert one.n_others_moved == 0
    if broken is not None:
        caught = audit_of(data, wishes={"product": product}, pipeline=broken)
        assert [one.name for one in caught.canaries if one.convicted] == ["many"]


def test_sums_of_districts_are_audited_from_the_file(records: ReleaseData) -> None:
    sums: dict[str, Any] = {"noise": "gaussian", "delta": 1e-3, "levels": 1}
    found = audit_of(records, wishes=sums, levels=["blocks:3"])
    assert not found.convicted
    assert [level.name for level in found.plan.levels] == ["blocks:3"]
    caught = audit_of(records, wishes=sums, levels=["blocks:3"], pipeline="sums-without-noise")
    assert caught.worst[1].cut.startswith("sums of blocks:3")


@pytest.fixture(scope="module")
def of_one_file(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PipelineAudit]:
    """The audits of the records in one file, by pipeline."""
    data = _records(tmp_path_factory.mktemp("one"))
    return {pipeline: audit_of(data, pipeline=pipeline) for pipeline in ("honest", "no-bound")}


@pytest.mark.parametrize("named", [False, True])
def test_a_folder_is_audited_as_one_file_with_its_rows(
    named: bool, records: ReleaseData, of_one_file: dict[str, PipelineAudit], tmp_path: Path
) -> None:
    """The same rows in one file, in a file for each day, or in a file for each person: one audit, to the last number."""
    table, folder = pd.read_csv(records.path), tmp_path / "folder"
    folder.mkdir()
    for part, rows in table.groupby("who" if named else table["when"].str[:10]):
        rows.drop(columns="who" if named else []).to_csv(folder / f"{part}.csv", index=False)
    mapping = replace(RECORDS, user_id="(file name)") if named else RECORDS
    apart = replace(records, path=folder, form=replace(records.form, mapping=mapping))
    for pipeline, one in of_one_file.items():
        other = audit_of(apart, pipeline=pipeline)
        assert one.canaries == other.canaries
        assert other.convicted == (pipeline == "no-bound")


def test_a_limit_on_trips_that_the_release_forgets_is_caught_in_the_release_itself(
    records: ReleaseData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The release's own code is changed, not the audit's: a bound that lets every trip through."""
    monkeypatch.setattr("privlab.od.releases.secure_release.kept_under_bound", lambda rank, bound: rank >= 0)
    found = audit_of(records, level=0.999)
    assert [one.name for one in found.canaries if one.convicted] == ["many"]


def test_reading_by_which_one_user_moves_others_is_caught(
    records: ReleaseData, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settled reading is broken: the last user's trips are dropped where the number of users is even."""
    honest = release_data.settled_trips_from_dataset

    def broken(*words: Any, **more: Any) -> Any:
        trips = honest(*words, **more)
        keep = (trips.user != trips.user.max()) | (trips.n_users % 2 == 1)
        starts = np.array([0, int(keep.sum())])
        return replace(trips, user=trips.user[keep], flow=trips.flow[keep], week_starts=starts)

    monkeypatch.setattr(release_data, "settled_trips_from_dataset", broken)
    found = audit_of(records)
    assert all(one.n_others_moved > 0 for one in found.canaries)
    assert found.convicted


def test_cleaning_that_takes_added_people_out_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = [("ann", f"2026-03-02 {hour:02d}:10", hour % 3 + 0.5, 0.5) for hour in range(8, 20)]
    pd.DataFrame(rows, columns=["who", "when", "lat", "lon"]).to_csv(path, index=False)
    found = audit_of(_data(path, RECORDS, "box:0,0,3,3:3x3", min_records=12))
    came = {one.name: (one.n_asked, one.n_trips) for one in found.canaries}
    assert came["full"] == (2, 0)
    assert came["many"][1] == came["many"][0] > 10
    assert not found.convicted


def test_people_are_added_to_data_in_metres(tmp_path: Path) -> None:
    """Nine squares of a kilometre, of which the last is cut by the box: in each the middle is in it, and all trips come through."""
    rng, path = np.random.default_rng(2), tmp_path / "a.csv"
    rows = [
        (f"u{n}", f"2026-03-02 {hour:02d}:10", *rng.uniform(0, 2500, 2).round(1))
        for n in range(9)
        for hour in (8, 9)
    ]
    pd.DataFrame(rows, columns=["who", "when", "x", "y"]).to_csv(path, index=False)
    mapping = ColumnMapping(user_id="who", timestamp="when", x="x", y="y")
    data = _data(path, mapping, "grid:1000:0,0,2500,2500")
    found = audit_of(data, wishes={"cells": "public"})
    assert not found.convicted
    assert all(one.n_trips == one.n_asked > 0 and one.n_others_moved == 0 for one in found.canaries)
    caught = audit_of(data, wishes={"cells": "public"}, pipeline="no-bound")
    assert [one.name for one in caught.canaries if one.convicted] == ["many"]


def test_people_are_added_to_metres_of_a_named_system(tmp_path: Path) -> None:
    """Their places are worked out in degrees and written in metres, as the file has its own: all of them come through."""
    rng, path = np.random.default_rng(2), tmp_path / "a.csv"
    corner = np.array(utm(48.137, 11.575, 32))
    rows = [
        (f"u{n}", f"2026-03-02 {hour:02d}:10", *(corner + rng.uniform(0, 4000, 2)).round(1))
        for n in range(9)
        for hour in (8, 9)
    ]
    pd.DataFrame(rows, columns=["who", "when", "x", "y"]).to_csv(path, index=False)
    mapping = ColumnMapping(user_id="who", timestamp="when", x="x", y="y", crs="EPSG:32632")
    found = audit_of(_data(path, mapping, "grid:2000:48.13,11.57,48.18,11.64"), wishes={"cells": "public"})
    assert not found.convicted
    assert all(one.n_trips == one.n_asked > 0 and one.n_others_moved == 0 for one in found.canaries)


def test_data_in_which_nobody_can_be_placed_iv(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("who,when,x,y\nann,2026-03-02 08:00,1,1\nann,2026-03-02 09:00,2,1\n")
    mapping = ColumnMapping(user_id="who", timestamp="when", x="x", y="y")
    with pytest.raises(DataError, match=r"^The audit finds no two zones with a known middle"):
        audit_of(_data(path, mapping, "grid:1000:0,0,900,900"), wishes={"cells": "public"})


def test_a_report_makes_the_same_audit_again_and_says_where_the_file_is_missing(
    records: ReleaseData, tmp_path: Path
) -> None:
    source = DataSource(path=records.path, mapping=RECORDS)
    more: dict[str, Any] = {"sample": False, "runs": Runs(tmp_path / "runs.sqlite")}

    def material(**to_release: Any) -> RowsMaterial:
        return RowsMaterial(
            lambda workspace: rows_in_zones(dataset_from_source(source, workspace), records.zones),
            **more,
            **to_release,
        )

    release = ReleaseParameters(epsilon=4.0, max_trips_per_user=2, threshold=4)
    options = (("way", "noise-of-one-trip"), ("releases", 200), ("level", 0.999))
    here = material(to_release=lambda form: replace(records, form=form))
    item = ReportItem(
        exhibit="pipeline_audit",
        view=View(release=release, week=WEEK, options=options),
        data=here.reference(),
    )
    plan = ReportPlan(title="T", items=(item,))
    html = collected_report_from_plan(plan, lambda _: here).html
    assert "Caught. A test for someone added to the file" in html
    # As on the page a limit that an audit does not take is audited at the most it takes, and the report is made.
    wide = replace(item, view=replace(item.view, release=replace(release, max_trips_per_user=700)))
    html = collected_report_from_plan(replace(plan, items=(wide,)), lambda _: here).html
    assert "Audited is a limit of 100; an audit takes no more of the 700." in html
    with pytest.raises(DataError, match=r"^The file of this data is not at hand"):
        collected_report_from_plan(plan, lambda _: material())
