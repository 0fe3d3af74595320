"""True data never leaves under the mark of a simulation: maps, pictures and files say what they hold."""

import ast
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit as st

from privlab.datasets.zones.zone_maps import ZoneMap
from privlab.figures.maps import flows_deck
from privlab.figures.marks import holds_true_data
from privlab.figures.palette import LIGHT
from privlab.od.planning.utility import FlowComparison
from privlab.reports.all_exhibits import EXHIBITS
from privlab.reports.document import ReportPart, html_from_parts
from privlab.ui.shell import parts
from privlab.ui.state import sample_job
from tests.pages.test_all_pages import opened

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


def deck(comparison: FlowComparison, side: Any) -> dict[str, Any]:
    zones = ZoneMap(
        zones=np.array(["a", "b", "c"]),
        names=("a", "b", "c"),
        lat=np.array([48.0, 48.1, 48.3]),
        lon=np.array([2.0, 2.2, 2.5]),
        outlines=(None, None, None),
    )
    drawn = flows_deck(comparison, zones, LIGHT, side=side, n_top=4)
    found: dict[str, Any] = json.loads(drawn.to_json())
    return found


def test_the_map_after_is_the_same_whatever_the_true_counts_are_issue_16() -> None:
    one, other = (deck(flows(true), "after") for true in ([6359, 118, 0, 43], [1, 0, 900, 4]))
    assert one == other
    arcs = next(layer for layer in one["layers"] if layer["id"] == "arcs")["data"]
    assert [arc["text"] for arc in arcs] == [
        "a → b: published as 4,960",
        "a → c: published as 120",
        "b → a: published as 7",
    ]


def test_the_comparison_shows_both_and_the_map_before_the_truth_alone() -> None:
    comparison = flows([6359, 118, 0, 43])
    both, before = (
        [
            arc["text"]
            for layer in deck(comparison, side)["layers"]
            if layer["id"] == "arcs"
            for arc in layer["data"]
        ]
        for side in ("comparison", "before")
    )
    assert both[0] == "a → b: true 6,359, published as 4,960"
    assert both[3] == "b → c: true 43, suppressed"
    assert before == ["a → b: true 6,359", "a → c: true 118", "b → c: true 43"]


@pytest.mark.parametrize(
    ("side", "mark", "true"),
    [("after", "Simulation", False), ("before", "True data", True), ("comparison", "True data", True)],
)
def test_the_map_of_the_release_page_is_marked_as_what_it_shows(side: str, mark: str, true: bool) -> None:
    at = opened("release")
    at.segmented_control(key="map").set_value(side).run()
    assert not at.exception
    texts = re.findall(r'"text": ?"([^"]*)"', at.get("deck_gl_json_chart")[0].proto.json)
    assert texts
    assert any("true " in text for text in texts) is true
    column = next(one for one in at.columns if one.get("deck_gl_json_chart"))
    assert [mark in badge.value for badge in column.markdown if "-badge[" in badge.value] == [True]


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
    first = handed.content.decode().splitlines()[0]
    assert handed.name == f"{'INTERNAL_' if true else ''}privlab_{key}.csv"
    assert picture.startswith("INTERNAL_") is true
    assert first.startswith("# INTERNAL: true data") is true
    assert inside.startswith("INTERNAL: true data") is true
    assert "6359,4960" in handed.content.decode()


@pytest.mark.parametrize(("key", "true"), [("plan_table", True), ("attack_numbers", False)])
def test_tables_of_true_data_leave_with_the_mark(
    key: str, true: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    handed = Handed()
    monkeypatch.setattr(parts, "download", handed)
    parts.columns_table({"a": [1]}, key=key, config={}, file_name="t.csv")
    assert handed.name == ("INTERNAL_t.csv" if true else "t.csv")
    assert handed.content.startswith(b"# INTERNAL") is true


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
