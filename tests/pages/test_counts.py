"""The pages on a file that names no users, and on ids that try to be code; figures worked by hand."""

import csv
import io
import re
import shlex
from datetime import date
from functools import cache
from pathlib import Path

import pytest
import shapely
from streamlit.testing.v1 import AppTest

from privlab.datasets.cleaning.cleaning_choices import Cleaning
from privlab.datasets.columns.mapping import ColumnMapping
from privlab.datasets.engines.workspace import Workspace
from privlab.datasets.rows.second_files import Lookup
from privlab.datasets.zone_kinds.polygon_zones import ColumnZoning, Geography
from privlab.od.simulating.simulated_release import ReleaseParameters, simulated_release_from_od_matrix
from privlab.od.trips.flow_counts import UNDATED
from privlab.od.trips.prepared_trips import (
    PreparedTrips,
    od_matrix_from_prepared_trips,
    prepared_trips_from_dataset,
)
from privlab.releases.writing.table_files import csv_from_simulated_release
from privlab.seeds import generator
from privlab.ui.data.own_file import LoadRequest, OwnFile
from privlab.ui.shell.command_line import command_from_request
from privlab.ui.state import OWN, Plan, sample_job
from tests.counts_data import BY_HAND, counts_dataset
from tests.pages.test_all_pages import PAGES, SAMPLES, app, finding, flow_maps, on_page, opened

UNDATED_ROWS = [(None, origin, destination, n) for _, origin, destination, n in BY_HAND]
POSITIONS = {"A": (45.0, -30.0), "B": (45.1, -30.0), "D": (45.0, -30.1), "E": (45.1, -30.1)}
HOSTILE = (
    "=cmd()|' /C calc'!A0",
    "<img src=x onerror=alert(1)>",
    "a\x00b\nc\x1b[2J",
    "@@=constructor.constructor('alert(1)')()",
    "@@#nothing",
    "'quoted",
    "\u202egnp.exe",
)


@pytest.fixture(scope="module", autouse=True)
def _samples_ready():
    for name in SAMPLES:
        sample_job(name).result(timeout=900)


def prepared_of(rows, name="flows.csv", positions=POSITIONS):
    geography = Geography(zones=sorted(positions), centres=positions) if positions else None
    with Workspace(threads=2) as workspace:
        dataset = counts_dataset(workspace, rows, name=name)
        return prepared_trips_from_dataset(dataset, ColumnZoning(geography=geography), seed=1)


def opened_on(prepared, page="home", theme="light", **address) -> AppTest:
    at = app(theme, **address)
    at.session_state["own_prepared"] = prepared
    at.session_state["choose_data"] = OWN
    return on_page(at, page)


def everything(at: AppTest) -> str:
    return "\n".join(
        element.value for kind in ("markdown", "caption", "info") for element in getattr(at, kind)
    )


def metrics(at: AppTest) -> dict[str, str]:
    return {element.label: element.value for element in at.metric}


@cache
def prepared_by_hand(dated: bool, placed: bool) -> PreparedTrips:
    return prepared_of(BY_HAND if dated else UNDATED_ROWS, positions=POSITIONS if placed else None)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("placed", [True, False], ids=["map", "no map"])
@pytest.mark.parametrize("dated", [True, False], ids=["dated", "undated"])
@pytest.mark.parametrize("page", PAGES)
def test_every_page_runs_on_counts(page, dated, placed, theme):
    at = opened_on(prepared_by_hand(dated, placed), page, theme)
    assert not at.exception
    assert not at.error
    assert at.selectbox(key="data").value == OWN
    shown = {element.key for element in at.select_slider}
    assert "epsilon" in shown
    assert not {"group", "bound"} & shown
    assert "the file does not say whose trips these are" in everything(at)
    assert all(len(element.proto.alt) > 20 for element in at.get("plotly_chart"))


def test_data_page_against_hand():
    at = opened_on(prepared_of(BY_HAND), "data")
    assert finding(at) == (
        "## The file counts **8 trips in 2 flows** in this week, of an unknown number of people."
    )
    shown = metrics(at)
    assert (shown["rows"], shown["trips counted"], shown["zones"], shown["weeks"]) == ("5", "13", "4", "2")
    assert (shown["trips counted in the plan"], shown["largest flow"]) == ("8", "7")
    assert shown["flows counted once"] == "1"
    assert "users" not in shown
    assert "The file does not say whose trips these are" in everything(at)
    assert not at.get("plotly_chart")  # no histogram of people
    dropped = next(table.value for table in at.dataframe if {"reason", "rows"} <= set(table.value.columns))
    assert dict(zip(dropped["reason"], dropped["rows"], strict=True)) == {
        "malformed row": "2",
        "begins and ends in one zone": "1",
    }
    at.selectbox(key="week").set_value("2026-03-09").run()
    assert metrics(at)["trips counted in the plan"] == "5"


def test_release_page_of_counts_against_hand():
    at = opened_on(prepared_of(BY_HAND), "release", threshold="3", epsilon="20", seed="4")
    # 7 passes the threshold of 3 and 1 does not, unless noise of scale 1/20 exceeds 2.
    shown = metrics(at)
    assert (shown["true flows published"], shown["true flows suppressed"]) == ("1", "1")
    assert shown["false flows"] == "0"
    assert shown["trips in published flows"] == "87.5%"
    assert finding(at).startswith(
        "## From an unknown number of people, **1 of 2 flows** would be published, in which 88% of all trips lie."
    )
    assert "The promise covers one trip, not a person" in finding(at)
    assert "but only m·ε to that unique trip as a whole" in everything(at)


def test_attack_page_of_counts_against_theory():
    at = opened_on(prepared_of(BY_HAND), "attack", k="12", threshold="2")
    assert (
        "About someone with 12 unique trips an attacker guesses right **85 times in 100** (a coin: 50)"
        in finding(at)
    )
    text = everything(at)
    assert "The file does not say whose trips these are" in text
    assert "enter the inhabitants of its area" in text
    # The curve, the law of the posterior and others' ε, and no histogram of people.
    assert {one.key for one in at.get("plotly_chart")} == {
        "attack_curve",
        "attack_certainty",
        "practice_chart",
    }
    shown = metrics(at)
    # Flows of 7 and 1: 6 and 0 others. docs/science.md, section 2.3: two cells in the open at ε = 0.66 give 0.656294.
    assert shown["guessed right in these flows of the file (a coin: 50%), nothing suppressed"] == "65.63%"
    zone = next(box for box in at.selectbox if box.label == "A zone the target goes to")
    assert zone.options == ["A", "B"]
    flows = at.multiselect[0]
    assert flows.options == ["A → B: 7", "B → A: 1"]
    flows.set_value([0]).run()
    # One flow of 6 others, above the threshold of 2: as exposed as without one, 0.640538.
    shown = metrics(at)
    assert (
        shown["guessed right in these flows of the file (a coin: 50%), counts below 2 suppressed"] == "64.05%"
    )
    at.multiselect[0].set_value([]).run()
    assert "Choose at least one flow." in everything(at)
    at.number_input(key="population").set_value(1).run()
    assert "Spread over 1 inhabitant that is at least" in everything(at)
    assert not at.exception


def test_integer_noise_has_its_own_delta_against_hand():
    at = opened("attack", noise="integer", epsilon="1", threshold="3")
    # a = e⁻¹: a²/(1 + a) = 0.135335/1.367879 = 0.0989
    assert metrics(at)["δ of the threshold, as published"] == "0.099"
    at.select_slider(key="bound").set_value("2").run()
    # a = e^(−1/2): a²/(1 + a) = 0.367879/1.606531 = 0.229
    assert metrics(at)["a lone trip passes the threshold"] == "0.23"


def test_undated_counts_read_sensibly_everywhere():
    at = opened_on(prepared_of(UNDATED_ROWS), "release", epsilon="20", threshold="1")
    assert "No dates in the file: all counts are one period;" in everything(at)
    at.switch_page("../../pages/home.py").run()
    assert not at.exception
    assert next(link.proto.label for link in at.get("page_link")) == "Data: flows.csv"
    at.switch_page("../../pages/data.py").run()
    assert metrics(at)["weeks"] == "unknown"
    assert "**13 trips in 2 flows** without a date" in finding(at)


def plan_of(prepared, week, **release) -> Plan:
    parameters = ReleaseParameters(**release)
    return Plan(data=OWN, prepared=prepared, release=parameters, group_size=None, week=week, seed=1)


def downloaded(prepared, week, **release) -> tuple[str, list[dict[str, str]]]:
    plan = plan_of(prepared, week, **release)
    matrix = od_matrix_from_prepared_trips(prepared, week=week)
    simulated = simulated_release_from_od_matrix(matrix, plan.release, generator(1, "release noise"))
    first, rest = (
        csv_from_simulated_release(simulated, name=plan.prepared.name, parameters=plan.parameters)
        .decode()
        .split("\n", 1)
    )
    return first, list(csv.DictReader(io.StringIO(rest)))


def test_download_of_undated_counts():
    first, rows = downloaded(prepared_of(UNDATED_ROWS), UNDATED, epsilon=20, threshold=3)
    assert "flows.csv, undated (one period), an unknown number of people" in first
    assert [(row["week"], row["origin"], row["destination"]) for row in rows] == [("", "A", "B")]
    assert abs(float(rows[0]["simulated_count"]) - 12) < 2


def hostile_flows():
    return [(None, one, other, 50) for one in HOSTILE for other in HOSTILE if one != other]


HOSTILE_PLACES = {zone: (45 + 0.1 * i, -30.0) for i, zone in enumerate(HOSTILE)}


def test_download_with_hostile_ids_runs_nothing_against_hand():
    first, rows = downloaded(
        prepared_of(hostile_flows(), name="a,=cmd().csv"), UNDATED, epsilon=20, threshold=10
    )
    assert len(rows) == len(HOSTILE) * (len(HOSTILE) - 1)
    assert {row["origin"] for row in rows} == {
        "'=cmd()|' /C calc'!A0",
        "<img src=x onerror=alert(1)>",  # no spreadsheet reads HTML in a CSV file
        "a␀b␊c␛[2J",
        "'@@=constructor.constructor('alert(1)')()",
        "'@@#nothing",
        "''quoted",
        "�gnp.exe",
    }
    assert "A quote (') stands before ids" in first
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in next(csv.reader([first])))
    plain, _ = downloaded(prepared_of(BY_HAND), "2026-03-02", epsilon=20, threshold=1)
    assert "quote" not in plain


@cache
def prepared_hostile(outlines: bool) -> PreparedTrips:
    shapes = (
        {zone: shapely.box(lon, lat, lon + 0.1, lat + 0.1) for zone, (lat, lon) in HOSTILE_PLACES.items()}
        if outlines
        else {}
    )
    geography = Geography(zones=sorted(HOSTILE), centres=HOSTILE_PLACES, shapes=shapes)
    with Workspace(threads=2) as workspace:
        dataset = counts_dataset(workspace, hostile_flows(), name="![x](http://a.b/c).csv")
        return prepared_trips_from_dataset(dataset, ColumnZoning(geography=geography), seed=1)


@pytest.mark.parametrize("outlines", [False, True])
@pytest.mark.parametrize("page", PAGES)
def test_hostile_ids_on_every_page(page, outlines):
    at = opened_on(prepared_hostile(outlines), page, threshold="10")
    assert not at.exception
    for element in at.markdown:
        if element.proto.allow_html:
            assert "onerror" not in element.value
    assert "![x]" not in everything(at)
    for given in flow_maps(at):
        names = given["ground"]["names"]
        hostile = any("onerror" in name or "constructor" in name for name in names)
        assert hostile is (page != "tour")  # which shows a sample, whatever is loaded
        assert not any(re.search(r"[\x00-\x1f\x7f\u202e]", name) for name in names)
    for box in at.multiselect:
        assert not any(re.search(r"[\x00-\x1f\x7f\u202e]", option) for option in box.options)


def test_the_same_on_the_command_line_is_quoted_against_shlex():
    guess = ColumnMapping(lat="y", lon="x", recorded_in="UTC")
    request = LoadRequest(
        own=OwnFile(id="1", path=Path("/tmp/-it's; rm -rf $HOME.csv")),
        format="geolife",
        mapping=ColumnMapping(user_id="o'who", zone="c", time_format="%m/%d %H:%M", recorded_in="UTC"),
        lookup=Lookup(path=Path("/tmp/antennas of 2014.csv"), on="c", key="id=1"),
        timezone="Europe/Paris",
        cleaning=Cleaning(box=(1, 2, 3.5, 4), min_records=3, drop_duplicates=True, last_day=date(2014, 1, 2)),
        zones="column",
        geography=None,
        zone_file=Path("/tmp/where they are.csv"),
    )
    command = command_from_request(request, guess)
    assert shlex.split(command) == [
        *("python", "-m", "privlab", "od", "./-it's; rm -rf $HOME.csv", "--zones", "column"),
        *("--zone-positions", "where they are.csv", "--format", "geolife"),
        *("--join", "antennas of 2014.csv", "--join-on", "c=id=1"),
        *("--column", "user_id=o'who", "--column", "lat=", "--column", "lon=", "--column", "zone=c"),
        *("--time-format", "%m/%d %H:%M", "--timezone", "Europe/Paris", "--last-day", "2014-01-02"),
        *("--min-records", "3", "--bounding-box", "1,2,3.5,4", "--drop-duplicates", "--out", "results"),
    ]


def test_a_choice_the_next_data_lacks_comes_back():
    at = opened("attack", group="5000", data="city")
    at.selectbox(key="data").set_value("cabs").run()  # 534 cabs
    assert at.select_slider(key="group").value == "everyone"
    at.selectbox(key="data").set_value("city").run()
    assert at.select_slider(key="group").value == "5000"
    at.selectbox(key="data").set_value("cabs").run()
    at.select_slider(key="group").set_value("100").run()  # a choice by hand is the new one
    at.selectbox(key="data").set_value("city").run()
    assert at.select_slider(key="group").value == "100"


def test_a_week_comes_back_and_leaves_the_address_of_one_week():
    at = opened("attack", data="commuters")
    weeks = at.selectbox(key="week").options
    other = next(week for week in weeks if week != at.selectbox(key="week").value)
    at.selectbox(key="week").set_value(other).run()
    at.selectbox(key="data").set_value("city").run()
    assert "week" not in at.query_params
    at.selectbox(key="data").set_value("commuters").run()
    assert at.selectbox(key="week").value == other
    stale = opened("attack", data="city", week="2026-03-09", group="5000")
    stale.run()
    assert "week" not in stale.query_params
    assert stale.select_slider(key="group").value == "5000"


def test_a_bound_leaves_the_plan_with_data_that_cannot_have_one():
    prepared = prepared_of(BY_HAND)
    at = opened("release", bound="10", group="5000")
    at.session_state["own_prepared"] = prepared
    at.session_state["choose_data"] = OWN
    at.run()
    assert not at.exception
    assert not at.error
    assert not {"bound", "group"} & set(at.query_params)
    at.selectbox(key="data").set_value("city").run()
    assert at.select_slider(key="bound").value == "10"
    assert at.select_slider(key="group").value == "5000"
