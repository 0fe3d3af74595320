"""True data never leaves under the mark of a simulation: maps, pictures and files say what they hold."""

import ast
import codecs
import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import streamlit as st

from privlab.datasets.zones.zone_maps import ZoneMap
from privlab.figures.drawing.palette import LIGHT
from privlab.figures.drawing.true_data_marks import holds_true_data
from privlab.figures.maps.flow_map import MapLook, flow_map_from_comparison
from privlab.od.usefulness.utility import FlowComparison
from privlab.reports.documents.document import ReportPart, html_from_parts
from privlab.reports.exhibits.all_exhibits import EXHIBITS
from privlab.safe_text import readable_csv
from privlab.ui.publish import publish_page
from privlab.ui.shell import parts
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import flow_maps, opened

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module", autouse=True)
def _city_ready() -> None:
    sample_job("city").result(timeout=900)


def flows(true: list[float]) -> FlowComparison:
    """Return three published flows over three zones, and one suppressed, with these true counts."""
    return FlowComparison(
        flow=np.array([1, 2, 3, 5]),
        true=np.array(true),
        bounded=np.array(true),
        published=np.array([4960.0, 120.0, 7.0, np.nan]),
    )


def sent(comparison: FlowComparison, view: Any) -> dict[str, Any]:
    zones = ZoneMap(
        zones=np.array(["a", "b", "c"]),
        names=("a", "b", "c"),
        lat=np.array([48.0, 48.1, 48.3]),
        lon=np.array([2.0, 2.2, 2.5]),
        outlines=(None, None, None),
    )
    look = MapLook(view=view, n_top=4, dark=False)
    return flow_map_from_comparison(comparison, zones, LIGHT, look, alt="A map.")


def test_the_map_after_is_the_same_whatever_the_true_counts_are_issue_16() -> None:
    one, other = (sent(flows(true), "after") for true in ([6359, 118, 0, 43], [1, 0, 900, 4]))
    assert one == other
    assert one["flows"]["true"] is None


@pytest.mark.parametrize(
    ("view", "mark", "true"),
    [
        ("after", "Simulation", False),
        ("before", "True data", True),
        ("both", "True data", True),
        ("comparison", "True data", True),
    ],
)
def test_the_map_of_the_release_page_is_marked_as_what_it_shows(view: str, mark: str, true: bool) -> None:
    at = opened("release")
    at.segmented_control(key="map").set_value(view).run()
    assert not at.exception
    (given,) = flow_maps(at)
    assert (given["flows"]["true"] is not None) is true
    titles = [pane["title"] for pane in given["panes"] if pane["what"] != "published"]
    assert all("internal" in title for title in titles)
    assert bool(titles) is true
    badges = [one.value for one in at.markdown if "-badge[" in one.value]
    assert mark in badges[1]  # the first is of the figures above, the next of the map


@pytest.mark.parametrize(
    ("old", "view"), [("after: published", "after"), ("before: true", "before"), ("comparison", "comparison")]
)
def test_addresses_of_before_open_the_same_map(old: str, view: str) -> None:
    at = opened("release", map=old)
    assert at.segmented_control(key="map").value == view
    assert not at.exception


class Handed:
    """Stands in for the download button, and keeps what it would hand out."""

    def __init__(self) -> None:
        self.name, self.content = "", b""

    def __call__(self, _: str, *, data: Any, file_name: str, **__: Any) -> None:
        self.name, self.content = file_name, data() if callable(data) else data


@pytest.mark.parametrize(
    ("key", "true"), [("release_scatter", True), ("attack_curve", False), ("attack_certainty", False)]
)
def test_numbers_and_pictures_of_true_data_carry_the_mark(
    key: str, true: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed, drawn = Handed(), {}
    monkeypatch.setattr(parts, "download", handed)
    monkeypatch.setattr(st, "plotly_chart", lambda figure, **given: drawn.update(given, figure=figure))
    parts.chart(go.Figure(go.Scatter(x=[6359], y=[4960])), key=key, alt="alt", about="nothing")
    picture = drawn["config"]["toImageButtonOptions"]["filename"]
    inside = drawn["figure"].layout.title.subtitle.text
    first = handed.content.decode("utf-8-sig").splitlines()[0]
    assert handed.name == f"{'INTERNAL_' if true else ''}privlab_{key}.csv"
    assert picture.startswith("INTERNAL_") is true
    assert first.startswith("# INTERNAL: true data") is true
    assert inside.startswith("INTERNAL: true data") is true
    assert "6359,4960" in handed.content.decode()
    read = pd.read_csv(io.BytesIO(handed.content), comment="#")
    assert first.endswith(" (pandas.read_csv reads it with comment='#')")
    assert read.iloc[0].tolist()[-2:] == [6359, 4960]


def test_numbers_of_a_figure_say_how_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The zero of a chance, and how wide intervals are, stand beside the figure on the page: a file is read without it."""
    handed = Handed()
    monkeypatch.setattr(parts, "download", handed)
    monkeypatch.setattr(st, "plotly_chart", lambda *_, **__: None)
    figure = go.Figure(go.Scatter(x=[1], y=[0.64]))
    parts.chart(figure, key="attack_curve", alt="alt", about="nothing", reading="Exact: nothing is drawn.")
    read = handed.content.decode().splitlines()[2]
    assert read.startswith("# Along the bottom: ")
    assert "a coin is right in 50 of 100 cases" in read
    assert "intervals of 95%" in read
    assert read.endswith("Exact: nothing is drawn.")


@pytest.mark.parametrize(("key", "true"), [("plan_table", True), ("attack_numbers", False)])
def test_tables_of_true_data_leave_with_the_mark(
    key: str, true: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed = Handed()
    monkeypatch.setattr(parts, "download", handed)
    parts.columns_table({"a": [1]}, key=key, config={}, file_name="t.csv", about=("What", "ε = 1"))
    assert handed.name == ("INTERNAL_t.csv" if true else "t.csv")
    assert handed.content.startswith(codecs.BOM_UTF8)  # else a spreadsheet shows two other letters for ε
    assert handed.content.decode("utf-8-sig").startswith("# INTERNAL") is true
    assert b"# What" in handed.content
    assert handed.content.endswith("# ε = 1\na\n1\n".encode())
    assert b"comment='#'" in handed.content


def test_a_number_sign_in_a_cell_is_read_by_lines_that_are_skipped() -> None:
    """A zone A#1 would end at its sign where comments are told by it."""
    content = readable_csv(b"# one\n# two\nzone,n\nA#1,5\n")
    assert content.splitlines()[0] == b"# one (pandas.read_csv reads it with skiprows=2)"
    assert pd.read_csv(io.BytesIO(content), skiprows=2).iloc[0].tolist() == ["A#1", 5]


@pytest.mark.parametrize(("lines", "how"), [("# ε = 1\n", {"comment": "#"}), ("", {})])
def test_a_table_with_greek_letters_has_the_mark_of_utf_8_and_is_read_as_it_says(
    lines: str, how: dict[str, Any]
) -> None:
    content = readable_csv(f"{lines}zone,ε\nZürich,0.5\n".encode())
    assert content.startswith(codecs.BOM_UTF8)
    read = pd.read_csv(io.BytesIO(content), **how)
    assert read.to_dict("list") == {"zone": ["Zürich"], "ε": [0.5]}


def test_ids_of_stations_are_read_by_a_spreadsheet_as_they_are_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their list is handed on to people who know the places by these names."""
    handed, station = Handed(), SimpleNamespace(_centres=["Zürich HB"], zone_of_id={"Zürich HB": 7})
    monkeypatch.setattr(publish_page, "download", handed)
    monkeypatch.setattr(publish_page, "geography_of", lambda plan: None)
    monkeypatch.setattr(publish_page, "joined_from_spec", lambda *_: station)
    plan: Any = SimpleNamespace(prepared=SimpleNamespace(zones_spec="grid:500"))
    publish_page.ids_in_zones(plan)
    assert handed.content.startswith(codecs.BOM_UTF8)
    assert pd.read_csv(io.BytesIO(handed.content)).to_dict("list") == {"id": ["Zürich HB"], "zone": [7]}


def exhibits_by_figure() -> dict[str, str]:
    """Return the exhibit of every figure of the pages that can be put into a report."""
    found = {}
    for path in [*ROOT.glob("privlab/ui/**/*.py"), *ROOT.glob("pages/*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("chart"):
                given = {one.arg: one.value for one in node.keywords}
                key, exhibit = given.get("key"), given.get("exhibit")
                if isinstance(key, ast.Constant) and isinstance(exhibit, ast.Constant):
                    found[str(key.value)] = str(exhibit.value)
    return found


def test_what_a_page_marks_is_what_an_external_report_refuses() -> None:
    found = exhibits_by_figure()
    assert len(found) >= 10
    for key, exhibit in found.items():
        assert holds_true_data(key) is EXHIBITS[exhibit].discloses, key


@pytest.mark.parametrize("true", [True, False])
def test_pictures_of_a_report_carry_the_mark(true: bool) -> None:
    part = ReportPart(
        title="T", sentence="S", caption="c", discloses=true, figure=go.Figure(go.Bar(y=[1, 2]))
    )
    html = html_from_parts([part], title="Paper", kind="internal")
    body = html[html.index("</head>") :]
    assert ('"filename": "INTERNAL_privlab_figure-1"' in body) is true
    assert ("INTERNAL: true data, not for publication" in body) is true
