"""The way of a file of one's own over the data page: brought in, looked at, loaded, cut anew."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from privlab.lab.proposing import own_data
from privlab.od.planning import MECHANISM_NAMES
from privlab.ui.flowmap import flow_map_view
from privlab.ui.state import PAPERS, sample_job
from tests.lab.proposing.test_proposals import walks
from tests.pages.test_all_pages import SAMPLES, finding, on_page, opened, until
from tests.pages.test_sources import POINTS, load, shown


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in SAMPLES:
        sample_job(name).result(timeout=900)


def test_the_sample_is_out_of_sight_while_a_file_is_brought_in() -> None:
    at = opened("data")
    assert shown(at)["users"] == "200,000"
    assert not at.expander or "Bring your own" not in {one.label for one in at.expander}
    at.file_uploader(key="upload").upload("points.csv", POINTS.encode()).run()
    assert shown(at) == {}
    assert any("points.csv is not loaded yet" in one.value for one in at.markdown)
    load(at)
    assert shown(at)["users"] == "3"


def test_a_sample_comes_back_by_one_click_and_the_file_stays_in_hand() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("points.csv", POINTS.encode()).run()
    labels = [button.label for button in at.button if str(button.key) in {f"use_{name}" for name in SAMPLES}]
    assert sorted(labels) == sorted(f"Use {name}" for name in SAMPLES)  # each says which, read alone
    at.button(key="use_city").click().run()
    assert shown(at)["users"] == "200,000"
    load(at)
    assert shown(at)["users"] == "3"


def test_own_data_begins_with_zones_and_a_plan_that_are_proposed_and_the_papers_are_a_click_away() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("walks.csv", walks().encode()).run()
    until(at, lambda at: len(at.success) > 0)
    assert any("A release can be made on these zones" in one.value for one in at.success)
    load(at)
    proposed = at.session_state["own_proposal"].point
    assert at.select_slider(key="bound").value == str(proposed.max_trips_per_user)
    assert at.select_slider(key="epsilon").value == f"{proposed.epsilon:g}"
    assert any("The plan in the settings is a proposal" in one.value for one in at.markdown)
    mechanism = at.session_state[
        "mechanism"
    ]  # stands in the address at once, for whoever loads the page anew
    assert at.query_params.get("mechanism", "as set") == MECHANISM_NAMES.get(mechanism, "as set")
    assert mechanism != "as set"
    at.button(key="use_paper").click().run()
    assert (at.select_slider(key="bound").value, at.select_slider(key="epsilon").value) == (
        "no bound",
        "0.66",
    )
    at.button(key="use_proposal").click().run()
    assert at.select_slider(key="bound").value == str(proposed.max_trips_per_user)


def test_times_that_can_be_read_in_two_ways_are_one_question_issue_17() -> None:
    at = opened("data")
    rows = "".join(f"u{user},01.0{3 + user % 2}.2026 08:00,45.05,5.05\n" for user in range(6))
    at.file_uploader(key="upload").upload("dots.csv", f"user,time,lat,lon\n{rows}".encode()).run()
    until(at, lambda at: len(at.warning) > 0)
    assert [one.value for one in at.warning] == [
        "Every time in the column “time” can be read in two ways. Which is right?"
    ]
    assert not any("time_format" in one.value for one in at.error)
    day, month = (at.button(key=f"time_order_rows_{number}") for number in (0, 1))
    assert "is 01 March 2026" in day.label
    assert "is 03 January 2026" in month.label


def test_data_without_a_plan_leads_on_to_larger_zones_issue_17() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("points.csv", POINTS.encode()).run()  # three people
    load(at)
    assert at.session_state["own_proposal"].point is None
    assert "Try larger zones on the page Plan" in {link.proto.label for link in at.get("page_link")}


def minutes(user: str, hour: int, lat: str) -> str:
    return "".join(f"{user},2026-03-02 {hour:02}:{minute:02},{lat},-37.06\n" for minute in range(30))


def test_many_records_that_become_few_trips_are_explained_by_hand() -> None:
    """A point a minute. u1 goes north at nine; between u2's two hours lies one without a point; u3 stays where it is."""
    rows = minutes("u1", 8, "-11.93") + minutes("u1", 9, "-10.93") + minutes("u2", 8, "-11.93")
    rows += minutes("u2", 10, "-10.93") + minutes("u3", 8, "-11.93") + minutes("u3", 9, "-11.93")
    at = opened("data")
    at.file_uploader(key="upload").upload("tracks.csv", f"user,time,lat,lon\n{rows}".encode()).run()
    load(at)
    (said,) = [one.value for one in at.markdown if "became" in one.value and "records" in one.value]
    assert said.startswith(
        "**180 records became 1 trip**: of each person and hour one zone is taken, which leaves 6 hours; an hour without a record "
        "breaks the way, so that 2 of them follow on another; and in 1 of these the zone has changed."
    )
    assert "occupied flag" in said
    assert any("occupied flag" in box.label for box in at.selectbox)  # what it points to is there


def test_what_all_figures_hang_on_is_said_before_them_and_once() -> None:
    """Three rows of four without a user, and persons numbered within households: eight persons are two ids."""
    rows = "".join(
        f"{home},{one},2026-03-02 08:00,7,{home}\n" + f"{home},,2026-03-02 09:00,7,8\n" * 3
        for home in range(4)
        for one in (1, 2)
    )
    at = opened("data")
    at.file_uploader(key="upload").upload(
        "survey.csv", f"HOUSEID,PERSONID,time,origin,destination\n{rows}".encode()
    ).run()
    load(at)
    said = [one.value for one in at.warning]
    lost, households = (
        next(n for n, one in enumerate(said) if words in one)
        for words in ("More than half of the rows were dropped", "is a household by its name")
    )
    assert {lost, households} == {0, 1}
    assert len(set(said)) == len(said)


def test_few_trips_of_few_records_are_no_wonder() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("points.csv", POINTS.encode()).run()
    load(at)
    assert not [one.value for one in at.markdown if "records became" in one.value]


def test_zones_are_cut_anew_without_another_upload() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("walks.csv", walks().encode()).run()
    load(at)
    file = at.session_state["own_file_data"].path
    file.unlink()  # what is cut anew was kept
    assert at.button(key="load").label == "Recut"
    at.number_input(key="grid_m").set_value(5000)
    load(at)
    assert at.session_state["own_request"].zones.startswith("grid:5000:")
    assert int(shown(at)["zones"]) < 12


def test_settings_chosen_by_hand_are_not_taken_away() -> None:
    at = opened("data", epsilon="2", bound="5")
    at.file_uploader(key="upload").upload("walks.csv", walks().encode()).run()
    load(at)
    assert (at.select_slider(key="bound").value, at.select_slider(key="epsilon").value) == ("5", "2")


def test_phone_numbers_and_addresses_are_masked_in_the_preview_and_times_and_places_are_not() -> None:
    at = opened("data")
    rows = "phone,mail,time,lat,lon\n0170 1234567,ann@example.org,1772521200,10.012345,20.015678\n"
    at.file_uploader(key="upload").upload("calls.csv", rows.encode()).run()
    preview = next(table.value for table in at.dataframe if "phone" in table.value.columns)
    assert preview.iloc[0].tolist() == ["01…67", "an…rg", "1772521200", "10.012345", "20.015678"]


@pytest.mark.parametrize("apart", [False, True])
def test_who_is_outside_the_zones_is_said_and_where_no_size_helps_none_is_urged_issue_17(
    apart: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a large file all is worked out in a process of its own, sizes of zones too: what a page hands over goes there."""
    if apart:
        monkeypatch.setattr(own_data, "_READ_APART_BYTES", 10)
    at = opened("data")
    # Three people between two squares, and one who was far away all the time.
    rows = f"{POINTS}6,-50.0,100.0,4,9/13/2014 8:05\n7,-51.0,101.0,4,9/13/2014 9:05\n"
    at.file_uploader(key="upload").upload("points.csv", rows.encode()).run()
    load(at)
    assert any("1 of 4 users has no row inside: no count has them" in one.value for one in at.markdown)
    at.switch_page("../../pages/plan.py").run()
    until(at, lambda at: any(one.key == "try_sizes" for one in at.button))
    at.button(key="try_sizes").click().run()
    until(at, lambda at: any("No size of zones helps" in one.value for one in at.info))
    assert not any((one.key or "").startswith("recut_") for one in at.button)
    assert "Load data of more people" in {link.proto.label for link in at.get("page_link")}


def test_zones_that_plan_cuts_anew_stand_in_the_controls_whatever_was_named_by_hand_before() -> None:
    at = opened("data", epsilon="5", bound="1", threshold="0")
    spots = ((45.05, 7.05, "07:10"), (45.15, 7.05, "08:10"))
    rows = [f"{user},2026-03-13 {time},{lat},{lon}\n" for user in range(300) for lat, lon, time in spots]
    at.file_uploader(key="upload").upload("town.csv", "".join(["user,time,lat,lon\n", *rows]).encode()).run()
    until(at, lambda at: at.number_input(key="box_south").value is not None)
    at.number_input(key="grid_m").set_value(5_000)
    load(at)
    assert at.session_state["own_request"].zones.startswith("grid:5000:")
    at.switch_page("../../pages/plan.py").run()
    until(at, lambda at: any(one.key == "try_sizes" for one in at.button))
    at.button(key="try_sizes").click().run()
    until(at, lambda at: any((one.key or "").startswith("recut_") for one in at.button))
    recut = next(one for one in at.button if (one.key or "").startswith("recut_"))
    recut.click().run()
    until(at, lambda at: "own_job" not in at.session_state)
    at.switch_page("../../pages/data.py").run()
    spec = at.session_state["own_request"].zones
    assert f"recut_{spec}" == recut.key
    side = int(spec.split(":")[1])
    assert side != 5_000
    assert at.number_input(key="grid_m").value == side


def test_fields_of_a_box_are_cut_anew_each_by_its_own_button_and_stand_in_the_controls() -> None:
    at = opened("data", epsilon="5", bound="1", threshold="0")
    spots = ((45.05, 7.05, "07:10"), (45.15, 7.05, "08:10"))
    rows = [f"{user},2026-03-13 {time},{lat},{lon}\n" for user in range(300) for lat, lon, time in spots]
    at.file_uploader(key="upload").upload("town.csv", "".join(["user,time,lat,lon\n", *rows]).encode()).run()
    at.selectbox(key="zoning").set_value("box of rows × columns").run()
    at.text_input(key="box").set_value("45,7,45.2,7.1:6x6").run()
    load(at)
    assert at.session_state["own_request"].zones == "box:45,7,45.2,7.1:6x6"
    at.switch_page("../../pages/plan.py").run()
    until(at, lambda at: any(one.key == "try_sizes" for one in at.button))
    at.button(key="try_sizes").click().run()
    until(at, lambda at: any((one.key or "").startswith("recut_") for one in at.button))
    assert not at.exception
    recut = [one for one in at.button if (one.key or "").startswith("recut_")]
    assert [one.label for one in recut] == [
        "Recut: 12 by 12 fields",
        "Recut: 3 by 3 fields",
        "Recut: 2 by 2 fields",
    ]
    recut[-1].click().run()
    until(at, lambda at: "own_job" not in at.session_state)
    at.switch_page("../../pages/data.py").run()
    assert at.session_state["own_request"].zones == "box:45.0,7.0,45.2,7.1:2x2"
    assert at.selectbox(key="zoning").value == "box of rows × columns"
    assert at.text_input(key="box").value == "45.0,7.0,45.2,7.1:2x2"


def test_edges_of_a_box_are_taken_as_they_are_typed() -> None:
    at = opened("data")
    rows = [f"{user},2026-03-13 {8 + user % 9:02d}:10,-33.87,151.208\n" for user in range(30)]
    at.file_uploader(key="upload").upload("town.csv", "".join(["user,time,lat,lon\n", *rows]).encode()).run()
    until(at, lambda at: at.number_input(key="box_south").value is not None)
    for edge, value in (("south", -33.87005), ("west", 151.20735), ("north", -33.86995), ("east", 151.20845)):
        at.number_input(key=f"box_{edge}").set_value(value)
    at.number_input(key="grid_m").set_value(10)
    load(at)
    assert at.session_state["own_request"].zones == "grid:10:-33.87005,151.20735,-33.86995,151.20845"


def test_what_is_taken_out_of_the_next_file_too_is_said_beside_a_way_to_take_nothing_out() -> None:
    at = opened("data")
    rows = "".join(
        f"u{n},2026-03-0{2 + n % 5} {8 + h:02d}:00,45.0{h % 4},7.02\n"
        for n in range(30)
        for h in range(4 + n // 20 * 8)
    )
    at.file_uploader(key="upload").upload("few.csv", f"user,time,lat,lon\n{rows}".encode()).run()
    at.number_input(key="clean_min").set_value(10).run()
    said = "Taken out before anything is counted: people with fewer than 10 records."
    assert said in {one.value for one in at.warning}
    load(at)
    assert shown(at)["users"] == "10"
    at.file_uploader(key="upload").upload(
        "next.csv", f"user,time,lat,lon\n{rows}u99,2026-03-02 08:00,45,7\n".encode()
    ).run()
    assert said in {one.value for one in at.warning}
    at.button(key="clean_nothing").click().run()
    assert not any("Taken out" in one.value for one in at.warning)
    load(at)
    assert shown(at)["users"] == "30"  # one row outside the box is nobody


def test_a_file_that_is_no_table_is_refused_with_a_way_to_another_issue_17() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("empty.csv", b"").run()
    (said,) = [one.value for one in at.error]
    assert finding(at).startswith("## empty.csv cannot be loaded as it is.")
    assert not any(said in one.value for one in at.markdown)  # it is said once
    at.button(key="another_file").click().run()
    assert not at.error
    assert shown(at)["users"] == "200,000"


@pytest.mark.parametrize("n_users", [1, 2])
def test_one_or_two_people_are_no_traceback_on_any_page_degenerate(n_users: int) -> None:
    rows = "".join(
        f"u{user},2026-03-{2 + hour // 24:02d} {hour % 24:02d}:00,{45.05 + hour % 4 / 40},{5.05 + user / 40}\n"
        for user in range(n_users)
        for hour in range(80)
    )
    at = opened("data")
    at.file_uploader(key="upload").upload("few.csv", f"user,time,lat,lon\n{rows}".encode()).run()
    load(at)
    assert shown(at)["users"] == str(n_users)
    for page in (
        "groups",
        "recovery",
        "anonymizability",
        "release",
        "plan",
        "attack",
        "guarantee",
        "publish",
    ):
        on_page(at, page)
        assert not at.exception, page


def test_days_without_a_whole_week_are_not_led_to_another_game_of_a_week() -> None:
    rows = "".join(f"u{user},2026-03-0{2 + user % 5} 08:00,{user % 5},{5 + user % 4}\n" for user in range(60))
    at = opened("data")
    at.file_uploader(key="upload").upload("days.csv", f"user,time,origin,destination\n{rows}".encode()).run()
    load(at)
    on_page(at, "groups")
    until(at, lambda at: any("needs a whole week" in one.value for one in at.warning))
    assert not [one for one in at.button if one.key == "small_game"]
    assert any(one.value.endswith("Here there are 60 people and no whole week.") for one in at.markdown)
    assert [one for one in at.button if one.key == "instead_cabs"]


def _people_of_two_weeks(n_users: int) -> str:
    rows = "".join(
        f"u{user},2026-03-{2 + day:02d} {hour:02d}:00,{45.05 + (user + hour) % 4 / 40},{5.05 + (user % 2) / 40}\n"
        for user in range(n_users)
        for day in range(14)
        for hour in (8, 9, 10, 18)
    )
    return f"user,time,lat,lon\n{rows}"


def test_groups_offer_few_people_a_game_that_is_then_played() -> None:
    """23 people: a fifth of them makes no 200 different groups of any size, all of them do."""
    at = opened("data")
    at.file_uploader(key="upload").upload("few.csv", _people_of_two_weeks(23).encode()).run()
    load(at)
    on_page(at, "groups")
    until(at, lambda at: bool(at.warning))
    assert at.warning[0].value.startswith(
        "Groups can have at most 4 people here. Of 23 people the attacker knows 5"
    )
    at.button(key="small_game").click().run()
    until(at, lambda at: any(one.value.startswith("## In groups of 5") for one in at.markdown))
    assert not at.warning
    assert not at.exception


def recovery_of_many_seen_early() -> AppTest:
    """The steward's data: before its first Monday many are seen, after it one, and a second one days later."""
    early = "".join(f"u{user},2026-02-28 08:00,45.05,{5.05 + user % 4 / 40}\n" for user in range(23))
    late = "".join(
        f"u0,2026-03-{day:02d} {hour:02d}:00,45.05,{5.05 + hour % 4 / 40}\n"
        for day in range(4, 16)
        for hour in (8, 9)
    )
    second = "u1,2026-03-13 08:00,45.06,5.06\nu1,2026-03-14 09:00,45.05,5.1\n"
    at = opened("data")
    at.file_uploader(key="upload").upload(
        "early.csv", f"user,time,lat,lon\n{early}{late}{second}".encode()
    ).run()
    load(at)
    on_page(at, "recovery")
    return at


def test_recovery_follows_those_who_are_seen_and_offers_the_days_in_which_two_are() -> None:
    at = recovery_of_many_seen_early()
    until(at, lambda at: bool(at.warning))
    assert at.warning[0].value == (
        "In the 7 days that begin on 2026-03-02, 1 person is seen. A recovery needs at least 2 people, whose trails could be taken for one "
        "another."
    )
    button = at.button(key="more_days")
    assert button.label == "Follow 2 people for 12 days"
    button.click().run()
    until(at, lambda at: bool(at.get("plotly_chart")))
    assert not at.warning
    assert any(
        "All 2 people who are seen in the 12 days that begin on 2026-03-02 are followed" in one.value
        for one in at.caption
    )
    # Two people with few records in 288 hours: that is said first.
    assert any(
        one.value.startswith("## **There is hardly anything to find**: in the 12 days") for one in at.markdown
    )
    assert any(one.label == "Put trails together once" for one in at.button)
    at.number_input(key="recover_days").set_value(1).run()
    assert at.warning[0].value.startswith("In the day of 2026-03-02, nobody is seen.")
    at.text_input(key="recover_from").set_value("2031-01-01").run()
    assert at.warning[0].value.startswith("first day must be from ")
    at.button(key="first_of_days").click().run()
    assert at.warning[0].value.startswith("In the day of 2026-03-02, nobody is seen.")


def test_a_plan_for_other_data_is_no_plan_for_this() -> None:
    """After data with a plan comes data of three people, for whom none can be proposed: the plan of before does not stay."""
    at = opened("data")
    at.file_uploader(key="upload").upload("walks.csv", walks().encode()).run()
    load(at)
    assert at.session_state["own_proposal"].point is not None
    assert at.session_state["release"].max_trips_per_user is not None
    at.file_uploader(key="upload").set_value([("points.csv", POINTS.encode(), "text/csv")]).run()
    load(at)
    assert at.session_state["own_proposal"].point is None
    assert at.session_state["release"] == PAPERS
    assert "Plan: none yet" in {link.proto.label for link in at.get("page_link")}


def test_a_file_that_was_brought_and_not_loaded_is_named_on_the_pages_that_show_other_data() -> None:
    at = opened("data")
    at.file_uploader(key="upload").upload("walks.csv", walks().encode()).run()
    at.switch_page("../../pages/attack.py").run()
    assert [one.value for one in at.warning] == [
        "walks.csv is not loaded yet. This page shows the sample city."
    ]
    assert {link.proto.label: link.proto.page for link in at.get("page_link")}["Load walks.csv"] == "data"
    at.switch_page("../../pages/data.py").run()
    load(at)
    at.switch_page("../../pages/attack.py").run()
    assert not at.warning


def test_recovery_leads_to_the_busiest_days_once() -> None:
    at = recovery_of_many_seen_early()
    until(at, lambda at: any(one.key == "recover_days" for one in at.number_input))
    at.number_input(key="recover_days").set_value(12).run()
    until(at, lambda at: bool(at.get("plotly_chart")))
    button = at.button(key="busier_days")
    assert button.label == "Begin on 2026-02-28: the 12 days with the most records"
    button.click().run()
    until(
        at,
        lambda at: (
            any("the 12 days that begin on 2026-02-28" in one.value for one in at.caption)
            and bool(at.get("plotly_chart"))
        ),
    )
    assert at.text_input(key="recover_from").value == "2026-02-28"
    assert any("hardly anything to find" in one.value for one in at.markdown)
    assert not any(one.key == "busier_days" for one in at.button)


def test_what_leaves_each_zone_is_had_as_numbers_with_a_map_or_without_one_by_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Anna goes A → B on two days of a week, which is one trip, and back; Ben goes A → C. No zone has a place."""
    given: dict[str, Any] = {}
    monkeypatch.setattr(flow_map_view, "download", lambda label, **told: given.update(told))
    rows = ("anna,2026-03-02 08:00,A,B", "anna,2026-03-03 08:00,A,B", "anna,2026-03-03 17:00,B,A")
    at = opened("data")
    file = "\n".join(["user,time,origin,destination", *rows, "ben,2026-03-02 09:00,A,=C"])
    at.file_uploader(key="upload").upload("rides.csv", file.encode()).run()
    load(at)
    assert any("No map: the zones have no positions" in one.value for one in at.info)
    assert given["file_name"] == "INTERNAL_privlab_data_zones.csv"
    lines = given["data"]().decode().splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        "zone,unique trips that leave", "'=C,0", "A,2", "B,1"
    ]  # fmt: skip
    assert "INTERNAL: true data" in lines[0]
