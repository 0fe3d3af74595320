"""Where data comes from, as the data page offers it: several files, archives, a second file, server folders."""

import io
import json
import re
import threading
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import shapely
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Selectbox

from privlab.datasets.columns.guessed_mapping import mapping_from_columns
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.previews.quick_counts import Outlook, outlook_from_path
from privlab.datasets.processes.workspace_work import WorkspaceWork
from privlab.datasets.rows.kept_rows import KeptRows
from privlab.figures.wording.reading_words import outlook_sentence
from privlab.lab.loading.load import DataSource
from privlab.lab.proposing.own_data import KeptSource, kept_source_from_source
from privlab.progress import Progress
from privlab.ui.data import own_rows
from privlab.ui.state import sample_job
from tests.datasets.zone_files.test_map_files import geopackage
from tests.pages.test_all_pages import SAMPLES, flow_maps, on_page, opened, until

# Two phones; the trips worked by hand: north to south at 09:00, back at 10:00 (phone 7); south to north (phone 8).
POINTS = """id,latitude,longitude,track_id,time
1,-10.93,-37.06,1,9/13/2014 8:05
2,-11.93,-37.06,1,9/13/2014 9:05
3,-10.93,-37.06,2,9/13/2014 10:05
4,-11.93,-37.06,3,9/13/2014 8:15
5,-10.93,-37.06,3,9/13/2014 9:15
"""
TRACKS = "id,id_android,speed\n1,7,19.2\n2,7,3.1\n3,8,30.8\n"


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in SAMPLES:
        sample_job(name).result(timeout=900)


def load(at: AppTest) -> AppTest:
    assert not at.exception
    assert not at.error, at.error[0].value
    until(at, lambda at: any(one.key == "load" for one in at.button))
    at.button(key="load").click().run()
    until(at, lambda at: "own_job" not in at.session_state)
    at.run()
    assert not at.exception
    return at


def shown(at: AppTest) -> dict[str, str]:
    return {element.label: element.value for element in at.metric}


def test_two_files_joined_by_what_they_are_against_hand() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    at.file_uploader(key="second").upload("go_track_list.csv", TRACKS.encode()).run()
    guessed = [element.value for element in at.selectbox if element.key.startswith("lookup_")]
    assert guessed == ["track_id", "id"]
    users = next(element for element in at.selectbox if element.key.startswith("column_user_id"))
    assert users.value == "id_android"
    load(at)
    found = shown(at)
    assert (found["users"], found["records"], found["trips"], found["unique trips"]) == ("2", "5", "3", "3")
    assert found["users with a single record"] == "0"
    commands = [element.value for element in at.code]
    assert any("--join go_track_list.csv --join-on track_id=id" in command for command in commands)


def test_days_half_hours_and_cells_that_are_numbers_are_read_and_can_be_said_otherwise() -> None:
    """Forty people go from one cell of 500 m to another, 2 km east, between half past eight and ten: one trip each."""
    rows = [f"{user},0,{slot},{x},3" for user in range(40) for slot, x in ((17, 5), (19, 9))]
    text = "\n".join(("uid,d,t,x,y", *rows)).encode()
    at = opened("data")
    at.file_uploader(key="upload").upload("study.csv", text).run()
    (step,) = (one for one in at.number_input if one.key.startswith("own_step_m_"))
    assert step.value == 500
    assert at.text_input(key="own_time_format").placeholder == "slots:30"
    load(at)
    assert {shown(at)[name] for name in ("users", "trips", "unique trips")} == {"40"}
    assert any("Which day was the first the file does not say" in one.value for one in at.markdown)
    assert any("--time-format slots:30 --step-m 500" in one.value for one in at.code)
    (step,) = (one for one in at.number_input if one.key.startswith("own_step_m_"))
    step.set_value(1.0).run()
    (system,) = (one for one in at.selectbox if one.key.startswith("own_crs_"))
    system.set_value("EPSG:25832").run()
    assert not [one for one in at.number_input if one.key.startswith("own_step_m_")]
    assert not at.exception


def test_x_and_y_of_a_named_system_lie_on_earth() -> None:
    """Two places of a kilometre apart, there and back by three people; without a system they lie nowhere."""
    at = opened("data")
    rows = [
        f"{who},2026-03-02 {hour:02d}:00,{691_000 + 2500 * (hour % 2)},5334000\n"
        for who in "abc"
        for hour in (8, 9, 10)
    ]
    at.file_uploader(key="upload").upload("xy.csv", ("user,time,x,y\n" + "".join(rows)).encode()).run()
    (box,) = (one for one in at.selectbox if one.key.startswith("own_crs_"))
    assert any("maps have no land below them" in one.value for one in at.caption)
    box.set_value("EPSG:25832").run()
    assert any(one.value.startswith("ETRS89 / UTM zone 32N:") for one in at.caption)
    load(at)
    found = shown(at)
    assert (found["users"], found["records"], found["trips"]) == ("3", "9", "6")
    where = at.session_state["own_prepared"].zone_map
    assert where.on_earth
    assert abs(where.lat.mean() - 48.13) < 0.05
    assert abs(where.lon.mean() - 11.58) < 0.05
    assert any("--crs EPSG:25832" in element.value for element in at.code)


def test_a_system_of_degrees_is_refused_with_a_way_on() -> None:
    def page() -> None:
        import streamlit as st

        from privlab.checks import DataError
        from privlab.datasets.columns import ColumnMapping
        from privlab.ui.data.column_controls import system_control

        st.session_state.setdefault("own_crs_a", "4326")  # typed: none of the usual ones
        try:
            st.write(f"system: {system_control(ColumnMapping(x='x', y='y'), 'a').crs}")
        except DataError as error:
            st.error(str(error))

    at = AppTest.from_function(page).run()
    assert [one.value for one in at.error] == [
        "crs must be a projected system, and EPSG:4326 is WGS 84, which is none. Name the columns as latitude and longitude."
    ]
    at.button(key="no_crs").click().run()
    assert not at.error
    assert at.markdown[0].value == "system: None"


def test_without_the_second_file_a_track_passes_for_a_user() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    at.file_uploader(key="second").upload("go_track_list.csv", TRACKS.encode()).run()
    at.button(key="second_away").click().run()
    assert not [element for element in at.selectbox if element.key.startswith("lookup_")]
    load(at)
    assert (shown(at)["users"], shown(at)["trips"]) == ("3", "2")


def test_two_files_dropped_together_are_matched_turned_and_taken_apart_against_hand() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_track_list.csv", TRACKS.encode())
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    way = next(element for element in at.radio if element.key.startswith("pair_"))
    assert way.options[0] == "go_track_list.csv says more of each row of go_points.csv"
    assert [box.value for box in at.selectbox if box.key.startswith("lookup_")] == ["track_id", "id"]
    way.set_value("swapped").run()
    assert "Column of go_points.csv it is matched with" in [box.label for box in at.selectbox]
    next(element for element in at.radio if element.key.startswith("pair_")).set_value("parts").run()
    until(at, lambda at: bool(at.error))
    assert "The files differ in their columns" in at.error[0].value
    next(element for element in at.radio if element.key.startswith("pair_")).set_value("pair").run()
    found = shown(load(at))
    assert (found["users"], found["records"], found["trips"], found["unique trips"]) == ("2", "5", "3", "3")


def test_several_files_dropped_together_are_called_by_their_number() -> None:
    at = opened("data")
    first, *rows = RIDES.replace("leaves,reaches", "origin,destination").splitlines()
    for number, part in enumerate((rows[:2], rows[2:4], rows[4:]), start=1):
        at.file_uploader(key="upload").upload(f"rides_{number}.csv", "\n".join([first, *part, ""]).encode())
    load(at.run())
    assert (shown(at)["trip rows"], at.session_state["own_prepared"].name) == ("6", "data in 3 files")


def test_a_box_proposed_for_one_reading_is_no_box_for_another_that_still_reads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The tracks as rows have a box around the north alone; taken for the points it would leave the trips out."""
    read = threading.Event()

    class Waits(WorkspaceWork[KeptSource]):
        def __init__(self, source: DataSource, kept: KeptRows) -> None:
            self._of_points = source.path.name == "go_points.csv"
            self._reads = kept_source_from_source(source, kept)

        def __call__(self, progress: Progress) -> KeptSource:
            while self._of_points and not read.wait(timeout=0.02):
                progress.tell(0.1, "Waiting")  # ends where it is stopped
            return self._reads(progress)

        def stop(self) -> None:
            self._reads.stop()

    monkeypatch.setattr(own_rows, "kept_source_from_source", Waits)
    monkeypatch.setattr(own_rows, "_QUICK_S", 0.01)
    at = opened("data")
    at.file_uploader(key="upload").upload("go_track_list.csv", TRACKS.encode())
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()

    def edges() -> list[float | None]:
        return [box.value for box in at.number_input if box.label.startswith("Box: ")]

    def take(way: str) -> None:
        next(element for element in at.radio if element.key.startswith("pair_")).set_value(way).run()

    def name_box(*edges: float) -> None:
        for name, edge in zip(("south", "west", "north", "east"), edges, strict=True):
            at.number_input(key=f"box_{name}").set_value(edge)
        at.run()

    assert edges() == [None] * 4
    take("swapped")
    until(at, lambda _: None not in edges())
    south, _, north, _ = of_tracks = edges()
    assert -11.93 < south <= -10.93 < north
    take("pair")
    assert edges() == [None] * 4
    name_box(-12.5, -38.0, -10.5, -36.0)
    assert any(one.key == "cancel_own rows" for one in at.button)
    read.set()
    until(at, lambda at: not any(one.key == "cancel_own rows" for one in at.button))
    assert edges() == [
        -12.5,
        -38.0,
        -10.5,
        -36.0,
    ]  # named by hand while the rows were read: nothing takes its place
    assert (shown(load(at))["records"], shown(at)["trips"]) == ("5", "3")
    take("swapped")
    assert edges() == of_tracks  # another file


def chips(at: AppTest) -> dict[str, Selectbox]:
    return {box.label: box for box in at.selectbox if box.key.startswith("role_")}


def test_roles_above_the_columns_are_changed_there_and_in_the_menus_alike() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload(
        "taps.csv", POINTS.replace("id,", "zone,", 1).replace("track_id", "phone").encode()
    ).run()
    assert {name: box.value for name, box in chips(at).items()} == {
        "zone": "",
        "latitude": "lat",
        "longitude": "lon",
        "phone": "user_id",
        "time": "timestamp",
    }
    assert "user_id" not in chips(at)["latitude"].options  # no one is called -10.93
    assert not {"= latitude ✓", "= user ✓"} & set(chips(at)["time"].options)
    chips(at)["zone"].set_value("zone").run()  # a place of one kind ends the others
    assert [chips(at)[name].value for name in ("zone", "latitude", "longitude")] == ["zone", "", ""]
    menus = {box.label: box.value for box in at.selectbox if box.key.startswith("column_")}
    assert (menus["zone id"], menus["latitude"], menus["longitude"]) == ("zone", "(none)", "(none)")
    next(box for box in at.selectbox if box.key.startswith("column_user_id")).set_value("(none)").run()
    assert chips(at)["phone"].value == ""
    assert "Could not tell which column holds a user" in at.error[0].value
    chips(at)["phone"].set_value("user_id").run()
    load(at)
    assert shown(at)["users"] == "3"


def test_each_file_has_its_own_columns_below_its_name_and_its_roles_against_hand() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    at.file_uploader(key="second").upload("go_track_list.csv", TRACKS.encode()).run()
    points, tracks = (frame.value for frame in at.dataframe[:2])
    assert list(points.columns) == ["id", "latitude", "longitude", "track_id", "time"]
    assert list(tracks.columns) == ["go_track_list.id", "id_android", "speed"]
    assert tracks["speed"].tolist() == ["19.2", "3.1", "30.8"]
    assert list(chips(at)) == [*points.columns, *tracks.columns]
    settings = [one for frame in at.dataframe[:2] for one in json.loads(frame.proto.columns).values()]
    assert [one["width"] for one in settings if "width" in one] == [160] * 8  # as wide as what stands above
    assert "user_id" not in chips(at)["speed"].options  # no one is called 19.2
    told = [one.value for one in at.markdown if one.value.startswith("**go_")]
    assert told[1:] == ["**go_points.csv**", "**go_track_list.csv** says more of each row:"]


def test_columns_without_a_role_above_them_stand_in_a_table_of_their_own() -> None:
    """Of thirty more columns, 24 in all have a role above them; one that is used has it in any case."""
    head, *rows = POINTS.splitlines()
    more = ",".join(f"more {number}" for number in range(30))
    wide = "\n".join([f"{more},{head}", *(",".join(["text"] * 30) + f",{row}" for row in rows)])
    at = opened("data")
    at.file_uploader(key="upload").upload("wide.csv", wide.encode()).run()
    with_roles, rest = (list(frame.value.columns) for frame in at.dataframe[:2])
    assert (
        with_roles
        == list(chips(at))
        == [*(f"more {n}" for n in range(24)), "latitude", "longitude", "track_id", "time"]
    )
    assert rest == [*(f"more {n}" for n in range(24, 30)), "id"]


def zipped(members: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def parts() -> dict[str, str]:
    head, *rows = POINTS.splitlines(keepends=True)
    return {"a.csv": head + "".join(rows[:2]), "b.csv": head + "".join(rows[2:])}


@pytest.mark.parametrize("packed", [False, True])
def test_parts_of_one_dataset_against_hand(packed: bool) -> None:
    at = opened("data")
    if packed:
        at.file_uploader(key="upload").upload("parts.zip", zipped(parts())).run()
    else:
        for name, text in parts().items():
            at.file_uploader(key="upload").upload(name, text.encode())
        at.run()
    assert any("2 files" in element.value for element in at.markdown)
    load(at)
    assert (shown(at)["users"], shown(at)["records"], shown(at)["trips"]) == ("3", "5", "2")


def test_a_format_that_does_not_fit_gets_a_sentence_iv() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    format_box = next(element for element in at.selectbox if element.key.startswith("format_"))
    format_box.set_value("geolife").run()
    assert not at.exception
    assert "go_points.csv is not in the format 'geolife'" in at.error[0].value
    assert not [button for button in at.button if button.key == "load"]


def test_a_time_zone_that_is_none_leads_on() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    assert not [one for one in at.button if one.key == "known_timezone"]
    at.text_input(key="own_timezone").set_value("Mars/Base").run()
    until(at, lambda at: any("Mars/Base" in one.value for one in at.error))
    at.button(key="known_timezone").click().run()
    assert at.text_input(key="own_timezone").value == "UTC"
    until(at, lambda at: not at.error)
    load(at)


def test_cleaning_is_done_and_accounted_for_against_hand() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload(
        "go_points.csv", (POINTS + POINTS.splitlines()[1] + "\n").encode()
    ).run()
    at.checkbox(key="clean_duplicates").check()
    at.number_input(key="clean_min").set_value(2)
    load(at)
    dropped = next(table.value for table in at.dataframe if list(table.value.columns)[:1] == ["reason"])
    # The row said twice goes; then track 2 has a single record.
    assert dict(zip(dropped["reason"], dropped["rows"], strict=True)) == {
        "duplicate": "1",
        "user with too few records": "1",
    }
    commands = [element.value for element in at.code]
    assert any("--min-records 2 --drop-duplicates" in command for command in commands)


def test_first_offenders_are_shown_with_row_and_column_against_hand() -> None:
    at = opened("data")
    bad = POINTS + "6,99,-37.06,3,9/13/2014 9:20\n7,-10,,3,9/13/2014 9:20\n8,-10,-37,3,soon\n"
    at.file_uploader(key="upload").upload("go_points.csv", bad.encode()).run()
    load(at)
    first = next(table.value for table in at.dataframe if "where" in table.value.columns)
    assert first.to_dict("records") == [
        {"reason": "unparsable time", "where": "row 9", "column": "time", "what stands there": "soon"},
        {"reason": "missing place", "where": "row 8", "column": "longitude", "what stands there": ""},
        {
            "reason": "impossible coordinate",
            "where": "row 7",
            "column": "latitude",
            "what stands there": "99",
        },
    ]


def test_forgetting_leaves_nothing_of_the_data() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    load(at)
    folder = at.session_state["session_folder"].path
    assert any(folder.rglob("go_points.csv"))
    at.button(key="forget_own").click().run()
    assert not at.exception
    assert at.selectbox(key="data").value == "city"
    assert "own_prepared" not in at.session_state
    assert not any(folder.rglob("go_points.csv"))
    assert not [button for button in at.button if button.key in ("load", "forget_own")]


def test_folders_of_the_server_against_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "taps" / "day=1").mkdir(parents=True)
    (tmp_path / "taps" / "day=1" / "points.csv").write_text(POINTS)
    (tmp_path / "secret.csv").write_text(POINTS)
    (tmp_path / "taps" / "leak.csv").symlink_to(tmp_path / "secret.csv")
    at = opened("data")
    assert not [button for button in at.button if button.key == "server_open"]
    monkeypatch.setenv("PRIVLAB_DATA_DIRS", str(tmp_path / "taps"))
    at.run()
    entries = at.selectbox(key="server_entry")
    assert entries.options == ["(the whole folder)", "day=1/", "day=1/points.csv"]
    entries.set_value("day=1/")
    at.button(key="server_open").click().run()
    assert any("points.csv" in element.value or "day=1" in element.value for element in at.markdown)
    load(at)
    assert (shown(at)["users"], shown(at)["records"]) == ("3", "5")


def test_what_was_opened_last_is_in_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tracks.csv").write_text(TRACKS)
    monkeypatch.setenv("PRIVLAB_DATA_DIRS", str(tmp_path))
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    assert any("points.csv" in element.value for element in at.markdown)
    at.selectbox(key="server_entry").set_value("tracks.csv")
    at.button(key="server_open").click().run()
    at.run()  # the upload is still in its box, but no longer in hand
    assert not any("points.csv" in element.value for element in at.markdown)
    assert any("tracks.csv" in element.value for element in at.markdown)


# Worked by hand: six trips of three people, five of them different for their people, between four stations.
RIDES = """user,time,leaves,reaches
1,2026-03-02 08:00,A,B
1,2026-03-02 17:00,B,A
1,2026-03-03 08:00,A,B
2,2026-03-02 08:00,A,C
2,2026-03-02 09:00,C,D
3,2026-03-02 09:00,D,A
"""
TO_AND_FRO = RIDES.replace("leaves,reaches", "origin,destination").replace(
    "1,2026-03-03 08:00,A,B", "1,2026-03-03 08:00,a,a"
)
STATIONS = "station,lat,lon\nA,45,-30\nB,45.1,-30\nC,45.2,-30\nD,45.3,-30\n"


def column(at: AppTest, name: str) -> Selectbox:
    return next(one for one in at.selectbox if re.match(f"column_{name}_[0-9a-f]{{12}}_", one.key))


def test_a_second_file_changes_nothing_that_was_mapped_by_hand_issue_16() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("rides.csv", RIDES.encode()).run()
    column(at, "origin").set_value("leaves").run()
    column(at, "destination").set_value("reaches").run()
    at.file_uploader(key="second").upload("stations.csv", STATIONS.encode()).run()
    assert (column(at, "origin").value, column(at, "destination").value) == ("leaves", "reaches")
    assert (column(at, "lat").value, column(at, "lon").value) == ("(none)", "(none)")
    assert any("stations.csv says where zones lie: both ends" in one.value for one in at.info)
    until(at, lambda at: any(one.value.startswith("Will be read as") for one in at.markdown))
    said = [one.value for one in at.markdown if one.value.startswith("Will be read as")]
    assert [line.split(" (")[0] for line in said] == ["Will be read as 6 trips of 3 people between 4 zones"]
    load(at)
    found = shown(at)
    assert (found["users"], found["trip rows"], found["trips"], found["unique trips"]) == ("3", "6", "6", "5")
    assert len(flow_maps(at)) == 1  # both ends lie where the stations do
    assert any("--zone-positions stations.csv" in one.value and "--join" not in one.value for one in at.code)
    for page in ("plan", "publish"):
        on_page(at, page)
        assert any(
            "--zone-positions stations.csv" in one.value and "rides.csv" in one.value for one in at.code
        ), page


def test_one_row_that_is_not_used_and_a_zone_of_two_spellings_are_said_by_hand() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("rides.csv", TO_AND_FRO.encode()).run()
    load(at)
    assert "Of 6 rows, 5 are used and 1 is not:" in [one.value for one in at.markdown]
    asked = [one.value for one in at.info if "spellings" in one.value]
    assert [one.partition(":")[0] for one in asked] == [
        "1 zone id stands there in several spellings, alike but for capitals, the form of accents or zeros in front ('A' and 'a')"
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_stations_with_semicolons_and_decimal_commas_place_trips_by_hand(encoding: str) -> None:
    at = opened("data")
    rides = RIDES.replace("leaves", "from_station").replace("reaches", "to_station").replace(",", ";")
    stations = STATIONS.replace(",", ";").replace(".", ",")
    at.file_uploader(key="upload").upload("rides.csv", rides.encode()).run()
    at.file_uploader(key="second").upload("stations.csv", stations.encode(encoding)).run()
    assert any("stations.csv says where zones lie: both ends" in one.value for one in at.info)
    found = shown(load(at))
    assert (found["users"], found["trip rows"], found["zones"], found["unique trips"]) == ("3", "6", "4", "5")
    assert at.session_state["own_request"].geography.centres["B"] == (45.1, -30.0)
    assert len(flow_maps(at)) == 1


def test_stations_are_joined_to_squares_without_another_upload_by_hand() -> None:
    """Four stations in a line, 0.1 degrees (11.1 km) apart: squares of 16 km are two at the most, so they would be three, of 32 km two.

    A and B lie south of the line at 45.19 degrees, C and D north of it: of six trips four cross it, of three people.
    """
    at = opened("data")
    rides = RIDES.replace("leaves", "from_station").replace("reaches", "to_station")
    at.file_uploader(key="upload").upload("rides.csv", rides.encode()).run()
    at.file_uploader(key="second").upload("stations.csv", STATIONS.encode()).run()
    load(at)
    assert shown(at)["zones"] == "4"
    assert any(one.value.startswith("Larger zones: choose squares or hexagons under") for one in at.markdown)
    at.selectbox(key="zoning").set_value("square grid").run()
    assert (at.number_input(key="box_south").value, at.number_input(key="box_north").value) == (45.0, 45.31)
    assert any("lies around all positions in the zone file" in one.value for one in at.caption)
    at.number_input(key="grid_m").set_value(
        100
    ).run()  # some thousand squares: more pairs than get noise one by one
    until(at, lambda at: any("No release can be made on these zones" in one.value for one in at.warning))
    at.button(key="proposed_grid").click().run()
    assert at.number_input(key="grid_m").value == 32_000
    load(at)
    request = at.session_state["own_request"]
    assert request.zones == "grid:32000:45,-30,45.31,-29.99"
    found = shown(at)
    assert found["zones"] == "2"
    assert any(
        "--zones grid:32000" in one.value and "--zone-positions stations.csv" in one.value for one in at.code
    )


def test_a_zone_file_is_left_out_by_a_button_and_the_next_file_s_times_are_recognised_anew() -> None:
    """A zone file that says where E and F lie places none of A to D; RIDES has times that every format but %d/%m/%Y reads."""
    at = opened("data")
    rides = RIDES.replace("leaves", "from_station").replace("reaches", "to_station")
    at.file_uploader(key="upload").upload("rides.csv", rides.encode()).run()
    at.file_uploader(key="geography_positions").upload(
        "others.csv", b"zone,lat,lon\nE,45,-30\nF,46,-30\n"
    ).run()
    assert any(one.value == "Zone file in use: others.csv" for one in at.caption)
    until(at, lambda at: bool(at.error))
    assert "The zone file knows none of the 4 zone ids of rides.csv" in at.error[0].value
    at.button(key="geography_away_positions").click().run()
    assert not any("Zone file in use" in one.value for one in at.caption)
    at.text_input(key="own_timezone").set_value("America/New_York").run()
    at.text_input(key="own_time_format").set_value("%d/%m/%Y").run()
    until(at, lambda at: bool(at.error))
    assert "If it is a time, say how times are written (time_format)." in at.error[0].value
    at.file_uploader(key="upload").upload("other rides.csv", rides.encode()).run()
    assert at.text_input(key="own_time_format").value == ""
    assert at.text_input(key="own_timezone").value == "UTC"
    found = shown(load(at))
    assert (found["users"], found["trip rows"]) == ("3", "6")
    assert at.session_state["own_request"].zone_file is None
    assert at.session_state["own_request"].timezone is None  # as in the command: nobody has named a clock
    at.text_input(key="own_timezone").set_value("America/New_York").run()
    at.button(key="forget_own").click().run()
    at.file_uploader(key="upload_1").upload("rides.csv", rides.encode()).run()
    assert at.text_input(key="own_timezone").value == "UTC"


def test_what_is_taken_out_of_its_uploader_is_not_used_and_stays_where_the_page_is_left() -> None:
    at = opened("data")
    rides = RIDES.replace("leaves", "from_station").replace("reaches", "to_station")
    at.file_uploader(key="upload").upload("rides.csv", rides.encode()).run()
    at.file_uploader(key="geography_positions").upload("stations.csv", STATIONS.encode()).run()
    on_page(on_page(at, "plan"), "data")
    assert any(one.value == "Zone file in use: stations.csv" for one in at.caption)
    at.file_uploader(key="geography_positions").upload("others.csv", STATIONS.encode()).run()
    at.file_uploader(key="geography_positions").set_value(None).run()
    assert not any(one.value.startswith("Zone file in use") for one in at.caption)
    at.file_uploader(key="second").upload("tracks.csv", STATIONS.encode()).run()
    assert any(one.value == "Second file: tracks.csv" for one in at.caption)
    at.file_uploader(key="second").set_value(None).run()
    assert not any(one.value.startswith("Second file") for one in at.caption)
    assert not at.exception


def test_a_file_that_was_set_aside_unloaded_is_loaded_not_recut() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("rides.csv", RIDES.encode()).run()
    at.button(key="use_city").click().run()
    column(at, "origin").set_value("leaves").run()
    column(at, "destination").set_value("reaches").run()
    assert at.button(key="load").label == "Load"
    assert any(one.label == "rides.csv: its zones, and its load" for one in at.expander)
    load(at)
    assert at.button(key="load").label == "Recut"


def test_polygons_that_are_left_out_stay_the_zones_of_what_was_loaded_by_them() -> None:
    """Two squares, of which one holds the north of POINTS and one its south."""
    squares = [
        {
            "type": "Feature",
            "properties": {"zone": name},
            "geometry": {
                "type": "Polygon",
                "coordinates": [[[-38, low], [-36, low], [-36, low + 1], [-38, low + 1], [-38, low]]],
            },
        }
        for name, low in (("south", -12.5), ("north", -11.5))
    ]
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    at.selectbox(key="zoning").set_value("polygons of a file").run()
    content = json.dumps({"type": "FeatureCollection", "features": squares}).encode()
    at.file_uploader(key="geography_polygons").upload("squares.geojson", content).run()
    load(at)
    assert shown(at)["zones"] == "2"
    at.button(key="geography_away_polygons").click().run()
    assert not at.error
    assert at.session_state["own_request"].zones == "squares.geojson"


def test_which_of_several_maps_in_a_file_is_meant_is_asked(tmp_path: Path) -> None:
    """Halves of the box that POINTS lie in, and the whole of it, in one file."""
    south, north = shapely.box(-38, -12.5, -36, -11.5), shapely.box(-38, -11.5, -36, -10.5)
    layers: dict[str, dict[Any, Any]] = {"halves": {"s": south, "n": north}, "whole": {"w": south | north}}
    package = geopackage(tmp_path / "areas.gpkg", layers, epsg=4326)
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    at.selectbox(key="zoning").set_value("polygons of a file").run()
    at.file_uploader(key="geography_polygons").upload("areas.gpkg", package.read_bytes()).run()
    until(at, lambda at: any(one.key == "zone_layer" for one in at.selectbox))
    assert at.selectbox(key="zone_layer").options == ["halves", "whole"]
    load(at)
    assert (shown(at)["zones"], at.session_state["own_request"].zones) == ("2", "areas.gpkg/halves")
    at.selectbox(key="zone_layer").set_value("whole").run()
    load(at)
    assert (shown(at)["zones"], at.session_state["own_request"].zones) == ("1", "areas.gpkg/whole")
    assert "--zones areas.gpkg/whole" in "\n".join(one.value for one in at.code)


def test_where_zones_lie_is_said_by_one_of_several_maps_too(tmp_path: Path) -> None:
    box = shapely.box(2, 48, 2.1, 48.1)
    package = geopackage(tmp_path / "stops.gpkg", {"old": {"x": box}, "new": {"A": box, "B": box}}, epsg=4326)
    at = opened("data")
    rides = "user,time,origin,destination\na,2026-03-02 08:00,A,B\nb,2026-03-02 09:00,B,A\n"
    at.file_uploader(key="upload").upload("rides.csv", rides.encode()).run()
    at.file_uploader(key="geography_positions").upload("stops.gpkg", package.read_bytes()).run()
    until(at, lambda at: any(one.key == "zone_layer" for one in at.selectbox))
    at.selectbox(key="zone_layer").set_value("new").run()
    load(at)
    assert not at.error
    assert "--zone-positions stops.gpkg/new" in "\n".join(one.value for one in at.code)


def test_of_counts_without_users_no_release_is_called_possible_before_they_are_loaded_nor_after() -> None:
    at = opened("data")
    rows = b"week,origin,destination,count\n2026-03-02,1,2,200\n2026-03-02,2,1,100\n"
    at.file_uploader(key="upload").upload("counts.csv", rows).run()
    until(at, lambda at: any("No release can be made of this file" in one.value for one in at.warning))
    assert not any("A release can be made" in one.value for one in (*at.success, *at.info, *at.warning))
    load(at)
    at.switch_page("../../pages/publish.py").run()
    assert any("does not say whose trips" in one.value for one in at.warning)
    assert "Load data that says whose trips these are" in [one.label for one in at.get("page_link")]


def test_counts_without_dates_are_asked_for_no_days() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("counts.csv", b"origin,destination,count\n1,2,200\n2,1,100\n").run()
    assert not [one for one in at.date_input if one.key.startswith("clean_")]


def test_ids_without_positions_are_offered_no_squares() -> None:
    at = opened("data")
    rides = RIDES.replace("leaves", "from_station").replace("reaches", "to_station")
    at.file_uploader(key="upload").upload("rides.csv", rides.encode()).run()
    assert at.selectbox(key="zoning").options == ["the file's own zone ids"]


def test_what_was_mapped_by_hand_stays_beside_a_file_of_rows_too() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("go_points.csv", POINTS.encode()).run()
    column(at, "user_id").set_value("id").run()
    at.file_uploader(key="second").upload("go_track_list.csv", TRACKS.encode()).run()
    assert column(at, "user_id").value == "id"  # id_android would be the guess


@pytest.mark.parametrize(
    "ends", [("origin_station", "destination_station"), ("Origin Station", "Destination Station")]
)
def test_stations_are_guessed_as_ends_of_trips_by_hand(ends: tuple[str, str]) -> None:
    guess = mapping_from_columns(["user", "time", *ends])
    assert (guess.origin, guess.destination) == ends
    assert guess.kind == "trips"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_what_will_be_read_is_counted_against_hand(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"rides.{kind}"
    if kind == "csv":
        path.write_text(RIDES, "utf-8")
    else:
        pd.read_csv(io.StringIO(RIDES)).to_parquet(path)
    mapping = ColumnMapping(user_id="user", timestamp="time", origin="leaves", destination="reaches")
    assert outlook_from_path(path, mapping, format="auto") == Outlook(rows=6, users=3, zones=4)
    moved = replace(mapping, origin=None, destination=None, zone="leaves")
    assert outlook_from_path(path, moved, format="auto") == Outlook(rows=6, users=3, zones=4)
    located = replace(mapping, origin=None, destination=None, lat="leaves", lon="reaches")
    assert outlook_from_path(path, located, format="auto") == Outlook(rows=6, users=3, zones=None)


def test_what_is_not_known_before_loading_is_not_said(tmp_path: Path) -> None:
    path = tmp_path / "rides.zip"
    path.write_bytes(zipped({"rides.csv": RIDES}))
    mapping = ColumnMapping(user_id="user", timestamp="time", origin="leaves", destination="reaches")
    assert outlook_from_path(path, mapping, format="auto") is None
    assert outlook_sentence(mapping, None) == (
        "Will be read as trips (leaves → reaches). How many is known once it is loaded."
    )


@pytest.mark.parametrize(
    ("name", "content", "what_to_do"),
    [
        (
            "people.geojson",
            b'{"type": "FeatureCollection", "features": []}',
            "Save it as CSV, Parquet or Excel",
        ),
        ("people.xls", bytes.fromhex("d0cf11e0a1b11ae1") + bytes(512), "Save it as .xlsx or CSV"),
    ],
)
def test_a_file_that_is_no_table_says_what_to_do_instead_of_that_its_kind_is_not_allowed(
    name: str, content: bytes, what_to_do: str
) -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload(name, content).run()
    assert not at.exception
    assert what_to_do in at.error[0].value
